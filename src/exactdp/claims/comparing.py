"""Which of several mechanisms is better at which ε, exactly.

A measure is a number for each mechanism, input and ε; smaller is better. At a listed input it is a
closed form; for several inputs, the largest value counts. So a mechanism has finitely many pieces
of ε with a closed form each, and is best where it exceeds no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from html import escape
from typing import Any

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.constants.envelopes import largest
from exactdp.claims.error_bound import ErrorBound
from exactdp.claims.expectations.claim import Expected
from exactdp.claims.expectations.loss_functions import TOLD
from exactdp.claims.expectations.moments import moments_everywhere
from exactdp.claims.private.claim import Privacy
from exactdp.claims.stated.adjacency import Adjacency
from exactdp.claims.stated.inputs import as_given, as_written
from exactdp.claims.stated.output_distances import discrete_outputs, score_gap, sup
from exactdp.claims.stated.scores import begins_with_scores, candidate_scores
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.budgets import read_epsilon
from exactdp.language.program import Program
from exactdp.reals import ClosedForm, Enclosure, Interval, SolutionSet, eps, solution_set
from exactdp.reals.interval import POSITIVE
from exactdp.reals.numbers import Number, positive_width, rational, spell
from exactdp.reals.spans import as_stretch
from exactdp.reals.told import FEW, Told, table
from exactdp.semantics.piecewise import within_everywhere

_ENDS = Fraction(1, 10**12)


@dataclass(frozen=True, repr=False)
class Contestant(Told):
    """A compared mechanism: its name, and its measure as a piecewise function of ε.

    >>> from exactdp import Mechanism, compare
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> wide = Mechanism.from_source("def wide(x: Real): return lap(eps / 2, x)")
    >>> [one.name for one in compare([count, wide], "absolute").contestants]
    ['count', 'wide']
    """

    name: str
    pieces: tuple[tuple[ClosedForm, SolutionSet], ...]
    factor: Fraction = Fraction(1)
    """The mechanism runs with ε divided by this, so that all are equally private."""

    def __str__(self) -> str:
        parts = (f"{form.pretty()} for ε in {where}" for form, where in self.pieces)
        return f"{self.name}: {'; '.join(parts)}"

    def at(self, point: Fraction, digits: int = 30) -> Enclosure:
        """Return the measure at an ε, enclosed."""
        for form, where in self.pieces:
            if point in where:
                return form.at(point, digits)
        raise ValueRefusedError(f"ε = {spell(point)} is not among those that are compared")

    def values(self, points: Any) -> Any:
        """Return the measure at many ε, as floats for a plot."""
        import numpy  # noqa: PLC0415

        return numpy.maximum.reduce([form.values(points) for form, _ in self.pieces])


@dataclass(frozen=True, repr=False)
class Ranking(Told):
    """Which mechanism is best at which ε."""

    measure: str
    contestants: tuple[Contestant, ...]
    on: Interval
    is_matched: bool = False
    """Whether each mechanism runs with the ε at which it is as private as the others."""
    width: Fraction = field(default=_ENDS, repr=False)

    @cached_property
    def best(self) -> dict[str, SolutionSet]:
        """Where each mechanism is at least as good as all others: the exact set of ε."""
        return {one.name: self._best(one).refined(self.width) for one in self.contestants}

    def _best(self, one: Contestant) -> SolutionSet:
        found = SolutionSet((as_stretch(self.on),))
        for other in self.contestants:
            if other is not one:
                found &= self._beats(one, other)
        return found

    def better(self, one: str, other: str) -> SolutionSet:
        """Return the exact set of ε at which one mechanism is at least as good as the other."""
        first, second = (self._named(name) for name in (one, other))
        return self._beats(first, second).refined(self.width)

    def _named(self, name: str) -> Contestant:
        for one in self.contestants:
            if one.name == name:
                return one
        names = ", ".join(one.name for one in self.contestants)
        raise ValueRefusedError(
            f"{shown(name)} is not compared", way_out=f"The compared mechanisms are {names}."
        )

    def _beats(self, one: Contestant, other: Contestant) -> SolutionSet:
        found = SolutionSet(())
        for form, here in one.pieces:
            for second, there in other.pieces:
                both = here & there
                if both.stretches:
                    found |= both & solution_set(second - form, self.on, self.width)
        return found

    def at(self, point: Number, digits: int = 30) -> dict[str, Enclosure]:
        """Return enclosures of the measures at an ε, the best first."""
        where = rational(point, "ε")
        values = {one.name: one.at(where, digits) for one in self.contestants}
        return dict(sorted(values.items(), key=lambda pair: float(pair[1])))

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each mechanism that states where it is best."""
        what = "at equal privacy" if self.is_matched else "at equal ε"
        said = [f"The smallest {self.measure}, {what}:"]
        for one in self.contestants:
            where = self.best[one.name]
            told = f"for ε in {where}" if where.stretches else "for no ε"
            runs = f" (run with ε/{spell(one.factor)})" if one.factor != 1 else ""
            said.append(f"{one.name}{runs} is the best {told}.")
        return tuple(said)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def __repr__(self) -> str:
        return f"<Ranking: {' '.join(self.sentences)}>"

    def rows(self) -> list[tuple[str, ...]]:
        """Return a row for each mechanism: where it is best, and its measure at a few ε."""
        few = [Fraction(str(point)) for point in FEW if Fraction(str(point)) in self.on]
        return [
            (
                one.name,
                str(self.best[one.name]),
                *(f"{float(one.at(point)):.4g}" for point in few),
            )
            for one in self.contestants
        ]

    def head(self) -> tuple[str, ...]:
        """Return the column headings."""
        few = [point for point in FEW if Fraction(str(point)) in self.on]
        return ("mechanism", "the best for ε in", *(f"at ε = {point}" for point in few))

    def _repr_html_(self) -> str:
        rows = [tuple(map(escape, row)) for row in self.rows()]
        return f"<p>{escape(self.measure)}</p>" + table(self.head(), rows, numbers_from=2)


def compare(  # noqa: PLR0913 what can be asked
    mechanisms: Mapping[str, Program] | Iterable[Program],
    measure: object = "absolute",
    inputs: object = None,
    *,
    within: Number = 0,
    ideal: object = None,
    epsilon: object = None,
    adjacent: object = None,
    width: Number = _ENDS,
) -> Ranking:
    """Return which of several mechanisms is best at which ε (see `public.comparing.compare`)."""
    named = _named(mechanisms)
    on = POSITIVE if epsilon is None else read_epsilon(epsilon)
    off = rational(within, "within")
    if measure == "error":
        _require_one_error(named, off, ideal, inputs)
    elif off:
        raise ValueRefusedError(
            f"within = {spell(off)} is given, and the measure is not 'error'",
            rule="within is the error that does not count in an error probability; an expected "
            "loss counts every error.",
            way_out='Write compare(…, "error", within=…), or leave out within.',
        )
    contestants = []
    for name, mechanism in named.items():
        forms = _forms(mechanism, measure, inputs, off, ideal, on)
        factor = Fraction(1) if adjacent is None else _factor(mechanism, adjacent)
        if factor != 1:
            forms = [form.substitute(eps=eps * (1 / factor)) for form in forms]
        contestants.append(Contestant(name, tuple(largest(forms, on)), factor))
    told = _told(measure, off)
    matched = adjacent is not None
    return Ranking(told, tuple(contestants), on, matched, positive_width(width))


def _named(mechanisms: Mapping[str, Program] | Iterable[Program]) -> dict[str, Program]:
    found: dict[str, Program] = {}
    if isinstance(mechanisms, Mapping):
        found = {str(name): one for name, one in mechanisms.items()}
    else:
        for one in mechanisms:
            name = getattr(one, "__name__", shown(one))
            if name in found:
                raise ValueRefusedError(
                    f"two mechanisms are called {name}",
                    rule="Compared mechanisms are identified by their names.",
                    way_out="Give a dictionary: compare({'first': …, 'second': …}, …).",
                )
            found[name] = one
    for name, one in found.items():
        if not isinstance(one, Program):
            raise ValueRefusedError(
                f"{name} is {shown(one)}, not a mechanism", way_out="Put @mechanism above it."
            )
    if len(found) < 2:
        raise ValueRefusedError(
            "fewer than two mechanisms are compared", way_out="Give a list of them."
        )
    return found


def _error_claim(mechanism: Program, within: Fraction, ideal: Any, inputs: Any) -> Accuracy:
    """Return the claim whose error probability is compared."""
    (claim,) = ErrorBound(mechanism, within, "50%", ideal=ideal, inputs=inputs).claims
    return claim


def _require_one_error(
    named: Mapping[str, Program], within: Fraction, ideal: Any, inputs: Any
) -> None:
    """Refuse mechanisms whose errors are not the same function of an input and an output."""
    by_score = [name for name, one in named.items() if begins_with_scores(one)]
    if by_score and ideal is not None:
        raise _several_errors(f"{by_score[0]} selects by a score, and an ideal is given")
    claims = {name: _error_claim(one, within, ideal, inputs) for name, one in named.items()}
    kinds = {one.output_metric.name for one in claims.values()}
    if len(kinds) > 1 and (within or not kinds <= {sup.name, discrete_outputs.name}):
        raise _several_errors(f"the output distances are {' and '.join(sorted(kinds))}")
    if kinds != {score_gap.name}:
        return
    first, *others = named
    for u in claims[first].scope.listed():
        given = as_given(named[first], u)
        scores = candidate_scores(named[first], given)
        for name in others:
            if candidate_scores(named[name], given) != scores:
                raise _several_errors(f"{first} and {name} have different scores")


def _several_errors(why: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"the mechanisms are compared by 'error', and {why}",
        rule="The error could be the difference of scores, of values or of outputs, and two "
        "mechanisms are compared by one of them.",
        way_out="Give a function of the input and the output as measure: 0 if it is close enough, "
        "else 1, such as lambda u, output: 1 if abs(output - sorted(u)[1]) > 1 else 0.",
    )


def _forms(
    mechanism: Program,
    measure: object,
    inputs: Any,
    within: Fraction,
    ideal: Any,
    on: Interval,
) -> list[ClosedForm]:
    """Return the measure of a mechanism at each input."""
    exact: Callable[[Any], Any]
    if measure == "error":
        claim = _error_claim(mechanism, within, ideal, inputs)
        scope = claim.scope

        def exact(u: Any) -> Any:
            return claim.error_probability(u).exact
    else:
        loss = Expected(mechanism, measure, ideal=ideal, inputs=inputs, epsilon=on)
        scope, exact = loss.scope, loss.exact
    found: list[ClosedForm] = []
    for u in scope.listed():
        form = exact(as_written(as_given(mechanism, u)))
        if isinstance(form, float):
            raise ValueRefusedError(
                f"the measure of {mechanism.__name__} is infinite at an input",
                way_out="Give a measure that is finite, or other inputs.",
            )
        if not isinstance(form, ClosedForm):
            raise ValueRefusedError(
                f"the measure of {mechanism.__name__} is not one closed form for all eps",
                rule="Closed forms are compared: the mechanism has a + b / eps beside reals, a "
                "min or max in ε, or outputs that are expressions in ε.",
                way_out="Compare on an interval of eps on which it is one closed form.",
            )
        found.append(form)
    return found or [_everywhere(mechanism, measure, within, ideal)]


def _everywhere(mechanism: Program, measure: object, within: Fraction, ideal: object) -> ClosedForm:
    """Return the measure at every real input, if it is the same at all of them."""
    wanted = mechanism.noiseless() if ideal is None else ideal
    if measure == "error":
        found: Any = within_everywhere(mechanism, [], wanted, within, "sup")
        forms = {1 - one.value for one in found}
    else:
        found = moments_everywhere(mechanism, [], measure, ideal, central=False)
        forms = {one.value for one in found}
    if len(forms) == 1:
        (form,) = forms
        if isinstance(form, ClosedForm) and set(form.parameters) <= {"eps"}:
            return form
    raise ValueRefusedError(
        f"the measure of {mechanism.__name__} depends on the input, and the inputs are all reals",
        rule="Mechanisms are compared at listed inputs, or if the measure is the same at every "
        "input.",
        way_out="Give inputs=[u1, u2] or inputs=Grid(lo, hi).",
    )


def _factor(mechanism: Program, adjacent: object) -> Fraction:
    """Return the smallest a such that a mechanism is a·ε-private, or a close upper bound."""
    if not isinstance(adjacent, Adjacency):
        raise ValueRefusedError(
            f"{shown(adjacent)} is not an adjacency",
            rule="It is linf(d), l1(d), one_entry, one_entry(d) or hamming(k).",
            way_out="Write adjacent=linf(1).",
        )
    found = Privacy(mechanism, adjacent=adjacent).tightest().factor
    if not isinstance(found.upper, Fraction) or found.upper <= 0:
        raise ValueRefusedError(
            f"{mechanism.__name__} is not a·ε-private for any a, or it needs no budget at all",
            rule="Mechanisms are compared at equal privacy, given by the smallest a of each.",
            way_out="Leave out adjacent, or compare other mechanisms.",
        )
    return found.upper


def _told(measure: object, within: Fraction) -> str:
    """Describe a measure."""
    if measure == "error":
        return f"probability of an error above {spell(within)}" if within else "error probability"
    if isinstance(measure, str):
        return TOLD[measure] if measure == "wrong" else f"expected {TOLD[measure]}"
    return f"expected {getattr(measure, '__name__', 'loss')}"
