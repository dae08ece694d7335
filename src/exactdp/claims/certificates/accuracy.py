"""Certificates of accuracy claims: a verdict in a form that `exactdp.certify` can check.

The format is described in `docs/schema/certificate-v2.json`. Anything that the checker can rederive
is only stated; proofs of signs are written once for equal problems. This module writes the claim
and the results on each cell; the regions and their cells are those of `examined`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from exactdp.certify.rederive.added_noise import why_not_only_added
from exactdp.certify.rederive.claims import Claims
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.certify.rederive.statement import Statement
from exactdp.claims.certificates.document import document, quotient_json, sum_in_eps
from exactdp.claims.certificates.examined import (
    ExaminedRegion,
    SignProofs,
    examined,
    require_formulas,
    true_at_one,
    true_everywhere,
    true_near_few,
)
from exactdp.claims.certificates.parts import Completed, Parts, without_limits
from exactdp.claims.certificates.products import between, boxes, multiplies, source_of
from exactdp.claims.decision.deciding import decide
from exactdp.claims.decision.obligations import Obligation
from exactdp.claims.regions.corners import Corner
from exactdp.claims.regions.region import Combination, Region
from exactdp.claims.stated.distances import Distance, NonlinearDistance, input_type, numeric
from exactdp.claims.stated.enclosing import as_form
from exactdp.claims.stated.expressions import (
    Constant,
    Exponential,
    Expression,
    Minimum,
    Power,
    Product,
    Quotient,
    Sum,
    Symbol,
)
from exactdp.claims.stated.hypotheses import proved_signs
from exactdp.claims.stated.ideals import IdealProgram, NonlinearIdeal
from exactdp.claims.stated.inputs import (
    AllReals,
    Box,
    Grid,
    has_reals,
    is_listed,
    listed,
    real_count,
)
from exactdp.claims.stated.levels import Level, Range, constant
from exactdp.claims.stated.output_distances import ErrorOfEntries, OutputDistance
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.layout import entries
from exactdp.language.program import DeterministicProgram, typed_program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Enclosure, Interval, nonnegative
from exactdp.reals.certificates import Json, precision, terms
from exactdp.reals.numbers import inf, spell
from exactdp.reals.square_roots import Enclosed, SquareRoot, at_least
from exactdp.semantics.events import NUMBER
from exactdp.semantics.spots import Spot, rational_vector

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy
    from exactdp.claims.decision.counterexamples import Counterexample
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.decision.work import Leaf
    from exactdp.claims.expected import Expected
    from exactdp.claims.privacy import Privacy

_FEW_REALS = 3  # numbers that are parameters even if noise is only added
_MOST_RIVALS = 5  # numbers of a selection whose ways to compare them are listed
_MOST_CORNERS = 2_000  # ideal outputs whose corners are listed
_LARGEST_TABLE = 2_000  # inputs of an ideal that is written as a table


def certificate(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict."""
    by = verdict.implied_by
    if by is not None and by.corners.are_listed and verdict.holds:
        worst = [[*entries(u)] for u in listed(by.mechanism, by.input_set)]
        if _sees(verdict.claim, lambda checker: checker.why_not_worst(worst)):
            return _certified(verdict, "regret")
        if real_count(by.mechanism) > _MOST_RIVALS:
            raise true_near_few(by)
        verdict, by = decide(verdict.claim.by_cells(whole=True)), None
    if verdict.holds and (by is not None or _is_wide(verdict.claim)):
        if verdict.claim.is_same_everywhere and _sees(
            verdict.claim, lambda checker: why_not_only_added(checker.derivation)
        ):
            one = verdict if by is not None and is_listed(by.input_set) else _at_one(verdict)
            return _certified(one, "every")
        if by is not None:
            raise true_at_one(by) if is_listed(by.input_set) else true_everywhere()
    total = _stand_for(verdict)
    if total and not _sees(verdict.claim, _seen_entries):
        if total > _MOST_CORNERS:
            raise _without_entries(total)
        verdict = decide(verdict.claim.by_each_output())
    if verdict.holds and not _are_written(verdict):
        verdict = decide(verdict.claim.by_cells(whole=True))
    return _certified(verdict)


def _certified(verdict: Verdict, stands_for: str | None = None) -> Json:
    """Return the certificate of a verdict; its regions may stand for all inputs for a reason."""
    require_formulas(verdict)
    verdict.claim.require_one_sum("a certificate")
    claim = _claim(verdict.claim)
    signs = SignProofs(verdict)
    regions = _regions(verdict, claim, signs, stands_for) if verdict.holds else []
    parts: Json = {
        "regions": regions,
        "counterexamples": [
            counterexample_json(verdict.claim, one) for one in verdict.counterexamples
        ],
        "signs": signs.written,
    }
    return document(verdict, "claim", claim, parts)


def _is_wide(claim: Accuracy) -> bool:
    """Whether a claim about many reals is the same at each of them."""
    many = not is_listed(claim.input_set) and real_count(claim.mechanism) > _FEW_REALS
    return many and claim.is_same_everywhere


def _at_one(verdict: Verdict) -> Verdict:
    """Return the verdict at one input, as one on the whole claim."""
    return replace(decide(verdict.claim.at_one_input()), claim=verdict.claim)


def _stand_for(verdict: Verdict) -> int:
    """Return how many ideal outputs the corners of a verdict stand for, 0 if for their own."""
    corners = [one.region.corner for one in verdict.findings]
    return max((one.stands_for for one in corners if one is not None), default=0)


def _sees(claim: Accuracy, look: Callable[[Claims], object]) -> bool:
    """Whether the checker sees something in the programs of a claim: then it finds no reason."""
    checker = without_limits(Claims)
    checker.read_claim(_claim(claim))
    try:
        return look(checker) is None
    except (UnsupportedError, RecursionError):
        return False


def _seen_entries(checker: Claims) -> None:
    """Look for independent entries of the output."""
    members = checker.derivation.members
    for fixed in product(*((None,) if one is None else one for one in members)):
        for noisy in (True, False):
            checker.derivation.entry_parts(fixed, noisy=noisy)


def _without_entries(total: int) -> ValueRefusedError:
    """Return the error for a certificate about more outputs than can be listed."""
    return ValueRefusedError(
        f"a claim about {total:,} ideal outputs that was decided at a few has no certificate",
        rule="The checker does not see in this program that the entries of the output are "
        "independent: it knows lists that are only appended to and returned. Then a certificate "
        f"lists the worst input for each ideal output, up to {_MOST_CORNERS:,}.",
        way_out="Append the entries to one list and return it, or take the certificate of the same "
        "claim with fewer entries.",
    )


def _are_written(verdict: Verdict) -> bool:
    """Whether the regions of a verdict can be written: corners only with one for each output.

    The checker does not prove that entries are interchangeable.
    """
    if any(one.region.ordered for one in verdict.findings):
        return False
    corners = [one.region.corner for one in verdict.findings]
    if not any(corners):
        return True
    everywhere = isinstance(verdict.claim.input_set, AllReals)
    return everywhere and all(
        one is not None and one.is_alone and not one.piece.free for one in corners
    )


# Regions ------------------------------------------------------------------------------


def _regions(
    verdict: Verdict, claim: Json, signs: SignProofs, stands_for: str | None = None
) -> list[Json]:
    """Return the regions with their cells."""
    completed = Completed(claim, verdict.orders)
    found = [
        WrittenRegion(one, signs, completed, stands_for).written() for one in examined(verdict)
    ]
    _say_that_beta_falls(verdict.claim, signs)
    return found


def _say_that_beta_falls(claim: Accuracy, signs: SignProofs) -> None:
    """Add the signs of closed forms in β that prove that it is nonincreasing, if needed."""
    levels = claim.alpha_level, claim.gamma_level
    if claim.is_beta_of_input:
        return
    if any(isinstance(level, Range) for level in levels):
        for formula in (claim.formula, *levels):
            if isinstance(formula, Expression):
                for form in proved_signs(formula, claim.epsilon):
                    signs.decided(nonnegative(form, claim.epsilon))


class WrittenRegion:
    """Writes one region."""

    def __init__(
        self,
        one: ExaminedRegion,
        signs: SignProofs,
        completed: Parts,
        stands_for: str | None = None,
    ) -> None:
        self.one = one
        self.stands_for = stands_for
        self.signs = signs
        self.completed = completed
        self.size = len(one.region.names)

    def written(self) -> Json:
        """Return the region with its cells."""
        return {**self.head, "tree": cell_tree(self.one.leaves, self._leaf)}

    def _corner(self, corner: Corner) -> Json:
        """Return the reason why the inputs of the region are the worst ones."""
        names = self.one.claim.entry_names
        places = {name: k for k, name in enumerate(names)}
        used = [*dict.fromkeys(corner.piece.rows.values())]
        numbers = iter(corner.numbers)

        def output(pattern: Value) -> Any:
            if isinstance(pattern, tuple):
                return [output(one) for one in pattern]
            if pattern is not NUMBER:
                return value_json(pattern)
            form = as_form(next(numbers))
            rest = (form.coefficients.get(name, 0) for name in names)
            return {"form": _spelled([form.constant, *rest])}

        def bound(name: str, value: Any) -> Any:
            if not isinstance(value, Combination):
                return None
            if name in corner.piece.rows:
                return used.index(corner.piece.rows[name])
            return "fixed" if name == corner.piece.fixed else "idle"

        return {
            "output": output(corner.pattern),
            "rows": [
                {
                    "slopes": [[places[name], spell(q)] for name, q in row.slopes],
                    "constant": spell(row.constant),
                    "width": spell(row.width),
                }
                for row in used
            ],
            "bounds": [*map(bound, names, self.one.region.entries)],
            **({"differs": [*corner.differs]} if corner.stands_for else {}),
        }

    def _leaf(self, cell: Leaf | None) -> Json:
        return {"cell": None if cell is None else self._cell(cell)}

    @cached_property
    def head(self) -> Json:
        """The region without its cells."""
        region = self.one.region
        why: Json = {} if region.corner is None else {"corner": self._corner(region.corner)}
        if self.stands_for is not None:
            why = {"stands_for": self.stands_for}
        return {**why, **region_json(region)}

    def _cell(self, cell: Leaf) -> Json:
        known = self.one.at(cell)
        if known is None:
            nothing = dict.fromkeys(("distance", "beta", "steps", "obligations"))
            outside: Json = {"output": {"undefined": True}, **nothing}
            sides = cell.cone.inequalities
            parts = self.completed.parts(self.head, sides, outside, lambda _: None)
            return {**outside, "parts": parts}
        output, distance, steps = known
        beta = self.one.own_beta
        written: Json = {
            "output": self._output(output),
            "distance": self._number(distance),
            "beta": None if beta is None else tree_json(beta),
            "steps": None if steps is None else _once(self._number(one) for one in steps),
            "obligations": None
            if cell.result is None
            else [self._obligation(cell, one) for one in cell.result],
        }

        def near(point: Sequence[int]) -> Json | None:
            found: tuple[list[Any], Any] | None = None
            if self.stands_for == "every" and distance != inf:
                found = self.one.another(point)
            found = found or self.one.near(point)
            if found is None:
                return None
            at, towards = found
            return {
                "at": [self._output(one) for one in at],
                "towards": None if towards is None else _spelled(towards),
            }

        parts = self.completed.parts(self.head, cell.cone.inequalities, written, near)
        return {**written, "parts": parts}

    def _obligation(self, cell: Leaf, one: Obligation) -> Json:
        return {
            "alpha": self._number(one.alpha),
            "alpha_reached": one.alpha_reached,
            "gamma": self._number(self._gamma(one)),
            "gamma_reached": one.gamma_reached,
            "probability": self._quotient(one.probability),
            "beta": [self._alternative(cell, one, k) for k in range(len(one.beta))],
        }

    def _gamma(self, one: Obligation) -> Any:
        """Return γ; the worst inputs of a regret were examined with the ideal output alone."""
        return constant(self.one.claim.gamma_level) if self.stands_for == "regret" else one.gamma

    def _alternative(self, cell: Leaf, one: Obligation, which: int) -> Json:
        under, sign, kept = self.signs.place(self.one.region, cell, one, which)
        return {
            "form": self._quotient(one.beta[which]),
            "under": None if under is None else self._sum(under),
            "sign": sign,
            "kept": list(kept),
        }

    def _number(self, value: Any) -> Any:
        """Return a distance as a form, or "inf"."""
        if isinstance(value, Spot):
            return _spelled(rational_vector(value.form))
        value = at_least(value)
        if value == inf:
            return "inf"
        return [spell(Fraction(value)), *["0"] * (self.size - 1)]

    def _output(self, value: Value) -> Any:
        if isinstance(value, Spot):
            return {"form": _spelled(rational_vector(value.form))}
        if isinstance(value, tuple):
            return [self._output(one) for one in value]
        return value_json(value)

    def _quotient(self, form: ClosedForm) -> list[Any]:
        return [self._sum(part) for part in (form.numerator, form.denominator)]

    def _sum(self, form: Any) -> list[Any]:
        if self.size == 1:
            return sum_in_eps(form)
        return _sum_in(form, self.one.region.names)


def region_json(region: Region) -> Json:
    """Return the parameters of a region, with the input, α and γ as forms in them."""
    return {
        "names": list(region.names),
        "input": [
            {"form": _spelled(one.form)} if isinstance(one, Combination) else value_json(one)
            for one in region.entries
        ],
        "alpha": None if region.alpha is None else _spelled(region.alpha),
        "gamma": None if region.gamma is None else _spelled(region.gamma),
    }


def cell_tree(cells: Sequence[Leaf], leaf: Callable[[Leaf | None], Json], depth: int = 0) -> Json:
    """Return the comparisons that lead to cells as a tree; a leaf without a cell is empty."""
    if not cells:
        return leaf(None)
    if len(cells) == 1 and len(cells[0].path) == depth:
        return leaf(cells[0])
    form = cells[0].path[depth]
    above = [cell for cell in cells if cell.path[depth] == form]
    minus = tuple(-q for q in form)
    below = [cell for cell in cells if cell.path[depth] == minus]
    assert len(above) + len(below) == len(cells)
    return {
        "form": _spelled(form),
        "above": cell_tree(above, leaf, depth + 1),
        "below": cell_tree(below, leaf, depth + 1),
    }


def _once(steps: Iterable[Any]) -> list[Any]:
    """Return increasing numbers without repetitions: 0 may occur as a number and as a form."""
    found: list[Any] = []
    for step in steps:
        if step not in found:
            found.append(step)
    return found


def _spelled(form: Sequence[Fraction | int]) -> list[str]:
    return [spell(Fraction(q)) for q in form]


# The claim ----------------------------------------------------------------------------


def _claim(claim: Accuracy) -> Json:
    by_input = claim.is_beta_of_input
    return {
        **setting_json(claim),
        "beta": None if by_input else tree_json(claim.beta_at(())),
        "alpha": level_json(claim.alpha_level),
        "gamma": level_json(claim.gamma_level),
    }


def setting_json(claim: Accuracy) -> Json:
    """Return all parts of the claim except α, β and γ."""
    return {
        "mechanism": str(claim.mechanism),
        "ideal": _ideal(claim),
        "input_distance": _input_distance(claim),
        "output_distance": _output_distance(claim.output_metric),
        "boundary": claim.boundary,
        "agreement": claim.agreement,
        "epsilon": interval_json(claim.epsilon),
        "inputs": _which(claim),
    }


def _ideal(claim: Accuracy | Expected) -> Json:
    if claim.ideal is None:
        return {"noiseless": True}
    function = claim.ideal_function
    assert function is not None
    if isinstance(function, IdealProgram):
        return {"source": str(function.function)}
    if isinstance(function, NonlinearIdeal):
        types = [param.type for param in claim.mechanism.inputs]
        return {"source": source_of(function.function, f"the ideal {function}", types)}
    size = 1
    for param in claim.mechanism.inputs:
        size *= len(list(param.type.values())) if param.type is not None else 0
    if has_reals(claim.mechanism) or size > _LARGEST_TABLE:
        return {"python": str(function)}
    every = product(*(param.type.values() for param in claim.mechanism.inputs if param.type))
    table = []
    for u in every:
        with contextlib.suppress(ExactdpError):  # an ideal need only be defined where it is used
            table.append([[value_json(one) for one in u], value_json(function(u))])
    return {"table": table}


def _input_distance(claim: Accuracy) -> Json:
    metric = claim.input_metric
    if type(metric) is type(numeric):
        return {"name": "numeric", "threshold": spell(metric.threshold)}
    if isinstance(metric, NonlinearDistance):
        kind = input_type(claim.mechanism)
        return {"source": source_of(metric.function, f"the distance {metric}", [kind, kind])}
    function = getattr(metric, "function", None)
    return {"name": metric.name} if function is None else {"source": str(function)}


def _output_distance(metric: OutputDistance) -> Json:
    function = getattr(metric, "function", None)
    if isinstance(metric, ErrorOfEntries):
        return {"entries": list(metric.entries)}
    if getattr(metric, "score", None) is not None:
        return {"python": metric.name}
    if function is None:
        return {"name": metric.name}
    if not isinstance(function, DeterministicProgram):
        try:
            function = typed_program(function, ())
        except ExactdpError:
            return {"python": metric.name}
    return {"source": str(function)}


def level_json(level: Level) -> Json:
    """Return α or γ as plain data."""
    if isinstance(level, Range):
        return {"range": interval_json(level.interval)}
    return {"formula": tree_json(level)}


def _which(claim: Accuracy | Privacy | Expected) -> Json:
    given = claim.input_set
    if isinstance(given, Grid):
        return {"grid": [spell(given.lower), spell(given.upper), spell(given.step)]}
    if isinstance(given, AllReals):
        return {"reals": True}
    if isinstance(given, Box):
        ends = given.ends(real_count(claim.mechanism))
        return {"box": [[_number(low), _number(high)] for low, high in ends]}
    assert isinstance(given, tuple)
    return {"list": [[value_json(one) for one in u] for u in given]}


def tree_json(formula: Expression) -> list[Any]:
    """Return a formula as plain data."""
    match formula:
        case Constant(form):
            return ["form", *_form(form)]
        case Symbol(name):
            return ["name", name]
        case Sum(left, right):
            return ["+", tree_json(left), tree_json(right)]
        case Product(left, right):
            return ["*", tree_json(left), tree_json(right)]
        case Quotient(left, right):
            return ["/", tree_json(left), tree_json(right)]
        case Power(base, power):
            return ["**", tree_json(base), power]
        case Exponential(exponent):
            return ["exp", tree_json(exponent)]
        case Minimum(parts):
            return ["min", *map(tree_json, parts)]
    raise AssertionError(f"not an expression: {formula}")


# Values -------------------------------------------------------------------------------


def value_json(value: Value) -> Any:
    """Return a value as plain data."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, tuple):
        return [value_json(one) for one in value]
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, Interval):  # outputs of an event: closed if of integers
        ends = [value.lower, value.upper]
        is_whole = not (value.lower_open and value.upper_open)
        return {"integers" if is_whole else "reals": [_number(end) for end in ends]}
    return _number(value)


def _number(value: Distance | int) -> str:
    return str(value) if isinstance(value, float) else spell(Fraction(value))


def _form(form: ClosedForm) -> list[Any]:
    return [terms(form.numerator), terms(form.denominator)]


def quotient_in(form: ClosedForm, names: Sequence[str]) -> list[Any]:
    """Return a quotient of sums in some parameters."""
    return [_sum_in(part, names) for part in (form.numerator, form.denominator)]


def _sum_in(form: Any, names: Sequence[str]) -> list[Any]:
    return [
        [str(c), list(powers), _spelled(rates)] for powers, rates, c in sorted(form.entries(names))
    ]


def interval_json(on: Interval) -> Json:
    """Return an interval as plain data."""
    return {
        "lower": _number(on.lower),
        "lower_closed": not on.lower_open,
        "upper": _number(on.upper),
        "upper_closed": not on.upper_open,
    }


def _enclosure(value: Enclosure) -> list[str]:
    ends = value.lower_mantissa, value.upper_mantissa
    power = f"*2^{value.exponent}" if value.exponent else ""
    return [f"{spell(end)}{power}" for end in ends]


def example_json(claim: Accuracy, one: Counterexample) -> Json:
    """Return a counterexample as plain data, without its probability, β and precision."""
    below = one.distance.below if isinstance(one.distance, SquareRoot | Enclosed) else one.distance
    around: Json = {}
    u = claim.mechanism.read_input(one.input)
    if multiplies(claim):
        below = between(one.alpha, below)
        found = boxes(setting_json(claim), entries(u), one.output, one.alpha, below)
        around = {"boxes": found}
    return {
        "input": [value_json(each) for each in u],
        "output": value_json(one.output),
        "distance": _number(below),
        "eps": spell(one.eps),
        "alpha": spell(one.alpha),
        "gamma": spell(one.gamma),
        "actual": _enclosure(one.actual),
        "required": _enclosure(one.required),
        **around,
    }


def counterexample_json(claim: Accuracy, one: Counterexample) -> Json:
    """Return a counterexample as plain data."""
    written: Json = {
        **example_json(claim, one),
        "probability": quotient_json(one.probability),
        "beta": quotient_json(one.beta),
    }

    def is_enough(bits: int) -> bool:
        checker = Statement()
        chance, beta = (checker.quotient(written[name]) for name in ("probability", "beta"))
        checker.refuted(one.eps, bits, chance, beta, (written["actual"], written["required"]))
        return True

    return {**written, "bits": precision(is_enough)}
