"""`Privacy`: a claim that a mechanism is differentially private."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, Unpack

from exactdp.claims.certificates.in_parts import certificate_in_parts, stating_signs
from exactdp.claims.decision.claim import Claim
from exactdp.claims.private.breaches import Breach, breach
from exactdp.claims.private.certificate import certificate
from exactdp.claims.private.deltas import smallest_budget, smallest_delta
from exactdp.claims.private.divergences import renyi, zcdp
from exactdp.claims.private.loss_factor import tightest, tightest_in_parts
from exactdp.claims.private.losses import Loss, Losses
from exactdp.claims.private.outcomes import Outcomes
from exactdp.claims.private.own_adjacency import Own, read_adjacency
from exactdp.claims.private.pairs import (
    Pair,
    Pairs,
    pairs_of_parts,
    refuse_everywhere,
    regions_of_pair,
    samples_of,
)
from exactdp.claims.private.slopes import Slopes
from exactdp.claims.private.steps import in_steps, is_in_steps
from exactdp.claims.private.worst_pairs import worst_pairs
from exactdp.claims.regions.region import Region
from exactdp.claims.stated.adjacency import Adjacency
from exactdp.claims.stated.claim import Due, mechanism_on
from exactdp.claims.stated.distances import linf
from exactdp.claims.stated.expressions import as_expression
from exactdp.claims.stated.identity import as_given_only
from exactdp.claims.stated.inputs import (
    Inputs,
    as_given,
    as_written,
    read_inputs,
    told_inputs,
)
from exactdp.claims.stated.vacuity import Content, Contents
from exactdp.errors import ValueRefusedError, counted, shown
from exactdp.language.layout import assembled
from exactdp.language.parted import by_parts
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval, eps, exp, nonnegative
from exactdp.reals.interval import POSITIVE
from exactdp.reals.logarithm import Logarithm
from exactdp.reals.numbers import Number
from exactdp.reals.radical_form import RadicalForm
from exactdp.running.conduct import How, conduct
from exactdp.semantics.engine import Engine
from exactdp.semantics.spots import Trace, watched

if TYPE_CHECKING:
    from collections.abc import Callable

    from exactdp.claims.decision.findings import Finding
    from exactdp.claims.decision.problem import Problem, Sign
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.private.deltas import DeltaCurve
    from exactdp.claims.private.divergences import Divergence
    from exactdp.claims.private.loss_factor import Factor, Leakage
    from exactdp.running.conduct import Progress

_IN_STEPS = (
    "the density of the output y is constant between multiples of a fraction; the probabilities of "
    "⌊y⌋ and of the step of y − ⌊y⌋ are compared"
)
_BY_OUTPUT = "output by output: the probability at u is at most e^budget times that at u′"
_BY_SET = "the outputs at which p − e^budget·p′ is positive, at each ε: their sum is the exact δ(ε)"
_BY_RATIO = "two outputs at a time: the ratios of their probabilities at u and at u′"
_EVERYWHERE = (
    "all pairs of real inputs at once: the parameters ε, u and u′ − u are cut into cones on which "
    "both probabilities are exponential sums, and the sign of each bound is decided there"
)
MEASURES = ("privacy", "bounded_range")


@dataclass(frozen=True, eq=False)
class Privacy(Claim):
    """The mechanism is (budget, δ)-differentially private, for every ε of an interval.

    For all adjacent inputs u, u′ and all sets S of outputs, Pr[P(u) ∈ S] ≤ e^budget·Pr[P(u′) ∈ S]
    + δ. With measure="bounded_range", the ratios Pr[P(u) = o]/Pr[P(u′) = o] of any two outputs o
    differ by a factor of at most e^budget.
    """

    mechanism: Program
    budget: Any = eps
    delta: Any = 0
    adjacent: Any = field(default=linf(1), kw_only=True)
    inputs: Any = field(default=None, kw_only=True)
    epsilon: Any = field(default=None, kw_only=True)
    """The values of ε; None means those of the mechanism."""
    measure: str = field(default="privacy", kw_only=True)

    def __post_init__(self) -> None:
        program, on = mechanism_on(self.mechanism, self.epsilon)
        object.__setattr__(self, "epsilon", on)
        object.__setattr__(self, "mechanism", program)
        if self.measure not in MEASURES:
            raise ValueRefusedError(
                f"measure is {shown(self.measure)}",
                rule=f"measure is {' or '.join(map(repr, MEASURES))}.",
            )
        if program.checked.output.holds("mixed"):
            raise ValueRefusedError(
                "an output is a list in one place and a tuple in another",
                rule="They are different outputs, and privacy is computed from their entries.",
                way_out="Return lists everywhere, with an entry that tells them apart.",
            )
        # All arguments are read now, so that a wrong claim is refused before it is used.
        _ = self.factor, self.delta_form, self.adjacency, self.input_set
        if self.scope.free:
            refuse_everywhere(self)
        elif not program.moves:
            found = in_steps(program, self.scope.listed())
            if found is not None:
                object.__setattr__(self, "mechanism", found[0])
        if self.measure == "bounded_range" and self.delta_form:
            raise ValueRefusedError(
                "measure is 'bounded_range', and delta is given",
                rule="Bounded range compares ratios of probabilities; there is no δ in it.",
                way_out="Leave out delta.",
            )

    def __reduce__(self) -> tuple[object, ...]:
        return as_given_only(self)

    # The arguments, as read -----------------------------------------------------------

    @cached_property
    def budget_form(self) -> ClosedForm | Logarithm:
        """The budget: a rational multiple of ε, or the logarithm of a closed form."""
        if isinstance(self.budget, Logarithm):
            return self._logarithm(self.budget)
        form = _in_eps(self.budget, "budget")
        if isinstance(form, RadicalForm):
            return self._logarithm(Logarithm(form.exponential()))
        linear = form.numerator.linear_form() if form.denominator == 1 else None
        if linear is None or linear.keys() - {"eps"} or (form.numerator.constant() or 0) != 0:
            raise ValueRefusedError(
                f"budget = {form} is not a multiple of eps",
                rule="e^budget is a closed form if budget is a rational number times eps.",
                way_out="Write budget=2 * eps. For Rényi and zCDP bounds, such as eps**2 / 8, ask "
                "renyi(order, at=…) and zcdp(at=…): numbers at an ε or on an interval.",
            )
        if linear.get("eps", 0) < 0:
            raise ValueRefusedError(f"budget = {form} is negative", rule="A budget is 0 or more.")
        return form

    def _logarithm(self, budget: Logarithm) -> Logarithm:
        """Return a budget ln(r), which is valid if r is at least 1."""
        if not nonnegative(budget.form - 1, self.epsilon):
            raise ValueRefusedError(
                f"budget = {budget} is negative for some eps", rule="A budget is 0 or more."
            )
        self.scope.require_listed(
            f"budget = {budget}, and the claim is about all real inputs",
            rule="There a budget is a rational number times eps.",
            way_out="Give inputs=Grid(lo, hi) or a list.",
        )
        return budget

    @property
    def multiple(self) -> Fraction:
        """The budget as a multiple of ε."""
        if isinstance(self.budget_form, Logarithm):
            raise ValueRefusedError(
                f"the budget {self.budget_form} is not a multiple of eps",
                rule="This needs a budget that is a rational number times eps.",
            )
        linear = self.budget_form.numerator.linear_form()
        assert linear is not None
        return linear.get("eps", Fraction(0))

    @cached_property
    def factor(self) -> ClosedForm:
        """e^budget."""
        found = self.budget_form
        return found.form if isinstance(found, Logarithm) else exp(found)

    @cached_property
    def delta_form(self) -> ClosedForm:
        """δ as a closed form."""
        form = _in_eps(self.delta, "delta")
        for gap, problem in ((form, "negative"), (1 - form, "above 1")):
            if not nonnegative(gap, self.epsilon):
                raise ValueRefusedError(
                    f"delta = {form} is {problem} for some eps",
                    rule="δ is a probability.",
                    way_out="Correct delta, or restrict epsilon.",
                )
        return form

    @cached_property
    def adjacency(self) -> Adjacency | Own:
        """Which inputs are adjacent."""
        return read_adjacency(self.adjacent, self.mechanism)

    @cached_property
    def input_set(self) -> Inputs:
        """The inputs that the claim is about."""
        if isinstance(self.inputs, Pairs):
            return tuple(
                dict.fromkeys(
                    self.mechanism.read_input(u) for one in self.inputs.pairs for u in one
                )
            )
        return read_inputs(self.mechanism, self.inputs)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The ordered pairs of distinct adjacent inputs, as flat tuples, or of parts of them."""
        return pairs_of_parts(self)

    @property
    def outcomes(self) -> Outcomes:
        """The probabilities of outputs, input by input."""
        return self.kept(Outcomes)

    @property
    def losses(self) -> Losses:
        """What must be proved, pair by pair."""
        return self.kept(Losses)

    # For the decision pass --------------------------------------------------------------

    @property
    def has_inverse_eps(self) -> bool:
        """Whether the mechanism combines 1/ε with reals, and ε is not a single number."""
        return self.mechanism.moves

    def require_no_inverse(self, what: str) -> None:
        """Refuse a question that is not supported if the mechanism combines a + b/ε with reals."""
        if self.has_inverse_eps:
            raise ValueRefusedError(
                f"{what} is not computed: {self.mechanism.__name__} has a + b / eps beside reals",
                rule="Such claims are decided by check() and tightest(); other questions need a "
                "single eps.",
                way_out="Use check() or tightest(), or give a single eps, such as epsilon=1.",
            )

    @cached_property
    def is_continuous(self) -> bool:
        """Whether all probabilities are continuous: in ε, and for all reals in the inputs."""
        engine = self.mechanism.kept(Engine)
        return not (engine.jumps if self.scope.free else engine.jumps_in_eps)

    def regions(self, *, each: bool = False, first: int = 0) -> Iterator[tuple[Region, ...]]:
        """Yield the regions of each pair of inputs, or of parts of them.

        Outputs with the same densities as at an earlier pair are skipped, unless `each` is set.
        """
        known: set[object] | None = None if each else set()
        if first and known is not None and self.mechanism.checked.output.holds_noise:
            for u, v in islice(self.pairs, first):
                known.update(self.losses.seen_of(u, v, one) for one in self.losses.patterns(u, v))
        for u, v in islice(self.pairs, first, None):
            yield tuple(regions_of_pair(self, u, v, known))

    def how_many_groups(self) -> int:
        """Return the number of groups of regions."""
        return len(self.pairs)

    def due(self, region: Region, trace: Trace) -> Due[Loss] | None:
        """Return what must be proved at a sample of a region."""
        if self.is_continuous or region.is_ray:
            return self.losses.at(region, trace)
        with watched(trace.spot("eps")):  # a probability may jump at each comparison
            return self.losses.at(region, trace)

    def content(
        self, due: Due[Any] | None, is_at_least_one: Callable[[ClosedForm], bool]
    ) -> Content:
        """Return how much the claim says; it cannot fail if δ is 1."""
        del due
        if not self.delta_form:
            return Content.SOMETHING
        return Content.ANY_ERROR if is_at_least_one(self.delta_form) else Content.SOMETHING

    def refutation(self, problem: Problem, sign: Sign) -> Breach | None:
        """Return the counterexample of a failed problem."""
        return breach(self, problem, sign)

    def both(self, one: Loss) -> tuple[Value, Value]:
        """Return both inputs of a bound in the form in which users write them."""
        half = len(one.input) // 2
        return self.told(one.input[:half], one.input[half:])

    def at_entries(self, entries: Sequence[Value], eps: Fraction | None = None) -> Self:
        """Return the same claim at the pair with these entries, and at one ε if it is given."""
        half = len(entries) // 2
        pair = self.told(tuple(entries[:half]), tuple(entries[half:]))
        on = self.epsilon if eps is None else Interval(eps, eps)
        return replace(self, inputs=Pairs(pair), epsilon=on)

    def told(self, u: tuple[Value, ...], v: tuple[Value, ...]) -> tuple[Value, Value]:
        """Return two inputs, given as flat tuples, in the form in which users write them."""
        sides = (assembled(self.mechanism.inputs, x) for x in (u, v))
        one, two = (as_written(as_given(self.mechanism, side)) for side in sides)
        return one, two

    def route(self, findings: Sequence[Finding]) -> str:
        """Describe how the claim was decided."""
        del findings
        if self.scope.free:
            return _EVERYWHERE
        if is_in_steps(self.mechanism):
            return _IN_STEPS
        if self.measure == "bounded_range":
            return _BY_RATIO
        return _BY_SET if self.delta_form else _BY_OUTPUT

    def stronger(self) -> Slopes | Privacy | None:
        """Return a claim that implies this one: about slopes, or the worst pairs of a grid."""
        worst = worst_pairs(self)
        return Slopes.of(self) if worst is None else replace(self, inputs=worst)

    def weaker(self) -> Privacy | None:
        """Return the claim at a few simple inputs, if this one is about all reals."""
        few = samples_of(self)
        return None if few is None else replace(self, inputs=few)

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that the claim follows."""
        return (
            f"u and u′ are adjacent by {self.adjacency}, in both directions",
            "outputs are compared as exact values",
        )

    def why_empty(self, contents: Contents) -> str:
        """Describe why the claim says nothing."""
        if contents.examined:
            return f"δ is 1 for every ε in {self.epsilon}"
        return f"no two different inputs are adjacent by {self.adjacency}"

    def way_out(self, contents: Contents) -> str:
        """Return what to write instead of a claim that says nothing."""
        if contents.examined:
            return "Give a smaller delta."
        return "Give more inputs, or an adjacency that connects them."

    def certificate(self, verdict: Verdict) -> dict[str, Any]:
        """Return a verdict as plain JSON."""
        if verdict.parts:
            return certificate_in_parts(verdict)
        self.require_no_inverse("a certificate")
        if self.mechanism.checked.releases_eps:
            raise ValueRefusedError(
                f"outputs of {self.mechanism.__name__} are expressions in eps, so there is no "
                "certificate of its privacy",
                rule="A certificate lists outputs by their values.",
                way_out="Return the values before they are scaled: the privacy is the same.",
            )
        if is_in_steps(self.mechanism):
            raise ValueRefusedError(
                "a sum of integer noise and uniform noise has no certificate of its privacy",
                rule="The checker compares integers, or densities; not both in one number.",
                way_out="Use the verdict without a certificate.",
            )
        return stating_signs(verdict, certificate)

    nouns = "pair", "pairs"
    """The noun for what is counted, singular and plural."""

    # Questions ------------------------------------------------------------------------

    def tightest(
        self, *, width: Number = "1e-6", progress: Progress | None = None, **how: Unpack[How]
    ) -> Leakage:
        """Return the smallest a such that the claim holds with the budget a·ε, enclosed."""
        if not self.pairs:
            self.require_content(Contents())
        found = by_parts(
            self,
            lambda one: tightest(one, width, conduct(progress, how)),
            lambda parts: tightest_in_parts(parts, lambda one: one.tightest(width=width, **how)),
        )
        return replace(found, scales=self.epsilon == POSITIVE, measure=self.measure)

    def smallest_delta(self, *, progress: Progress | None = None, **how: Unpack[How]) -> DeltaCurve:
        """Return the smallest δ for the budget as an exact function of ε."""
        self.require_no_inverse("the smallest δ")
        return smallest_delta(self, conduct(progress, how))

    def smallest_budget(
        self,
        delta: Any = None,
        *,
        width: Number = "1e-6",
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Factor:
        """Return the smallest a such that the mechanism is (a·ε, δ)-private, enclosed."""
        self.require_no_inverse("the smallest budget")
        return smallest_budget(
            self, self.delta if delta is None else delta, width, conduct(progress, how)
        )

    def renyi(self, order: Number, *, at: object, width: Number = "1e-6") -> Divergence:
        """Return the largest Rényi divergence of an order, at an ε or on an interval, enclosed."""
        self.require_no_inverse("a divergence")
        return renyi(self, order, at, width)

    def zcdp(self, *, at: object, width: Number = "1e-6") -> Divergence:
        """Return the least ρ such that the mechanism is ρ-zCDP at an ε or on an interval."""
        self.require_no_inverse("a divergence")
        return zcdp(self, at, width)

    # As text --------------------------------------------------------------------------

    def __str__(self) -> str:
        if isinstance(self.inputs, Pairs):
            where = counted(len(self.inputs.pairs), "given pair")
        else:
            where = told_inputs(self.inputs, self.input_set)
        budget = str(self.budget_form).replace("eps", "ε").replace("*", "·")
        if self.measure == "bounded_range":
            what = f"has bounded range {budget}"
        elif self.delta_form:
            what = f"is ({budget}, {self.delta_form})-differentially private"
        else:
            what = f"is {budget}-differentially private"
        return (
            f"{self.mechanism.__name__} {what} for inputs adjacent by {self.adjacency} "
            f"on {where}, for every ε in {self.epsilon}"
        )

    def __repr__(self) -> str:
        return f"<Privacy: {self}>"


def _in_eps(value: object, what: str) -> ClosedForm:
    """Return a budget or a δ as a closed form in ε."""
    formula = as_expression(value, what)
    if names := sorted(formula.names()):
        raise ValueRefusedError(
            f"{what} = {formula} uses {', '.join(names)}",
            rule=f"{what} is a number or a formula in eps.",
        )
    return formula.at({})
