"""`Expected`: a claim that the expected loss of a mechanism is at most a bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, Unpack

from exactdp.claims.certificates.in_parts import certificate_in_parts, stating_signs
from exactdp.claims.constants.bounded import BoundedClaim
from exactdp.claims.decision.survey import survey
from exactdp.claims.expectations.certificate import certificate
from exactdp.claims.expectations.excesses import Excess, LossBound, excess
from exactdp.claims.expectations.loss_functions import TOLD, LossFunction, expected, read_loss
from exactdp.claims.regions.of_inputs import region_at
from exactdp.claims.regions.places import OnCone, OnRay
from exactdp.claims.regions.region import Region
from exactdp.claims.stated.claim import Due, mechanism_on
from exactdp.claims.stated.expressions import Expression, as_expression
from exactdp.claims.stated.functions import written
from exactdp.claims.stated.ideals import IdealFunction, read_ideal
from exactdp.claims.stated.identity import as_given_only
from exactdp.claims.stated.inputs import (
    Inputs,
    as_given,
    as_written,
    read_inputs,
    show,
    told_budgets,
    told_inputs,
)
from exactdp.claims.stated.scope import FREE, Part, with_zeros_in
from exactdp.claims.stated.vacuity import Content, Contents
from exactdp.errors import UndefinedError, ValueRefusedError
from exactdp.language.layout import assembled, entries, entry_names
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, nonnegative
from exactdp.running.conduct import How
from exactdp.semantics.engine import Engine
from exactdp.semantics.spots import Spot, Trace, watched

if TYPE_CHECKING:
    from exactdp.claims.decision.findings import Finding
    from exactdp.claims.decision.problem import Problem, Sign
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.running.conduct import Progress

_AT_INPUTS = "the expected loss at each input is a closed form in ε, and so is the bound less it"
_WHAT = "A claim about an expected loss is decided"
_EVERYWHERE = (
    "all real inputs at once: the parameters are cut into cones on which the expected loss is one "
    "exponential sum, and the sign of the bound less it is decided there"
)


def _is_nonnegative(form: ClosedForm, place: Any) -> bool:
    """Whether a closed form is proved to be nonnegative at a place."""
    if isinstance(place, OnRay):
        return nonnegative(form, place.on).holds
    assert isinstance(place, OnCone)
    return place.is_nonnegative(form)


@dataclass(frozen=True, eq=False)
class Expected(BoundedClaim):
    """The expected loss of the mechanism is at most a bound, for every ε of an interval."""

    mechanism: Program
    loss: Any = "absolute"
    at_most: Any = None
    ideal: Any = field(default=None, kw_only=True)
    inputs: Any = field(default=None, kw_only=True)
    epsilon: Any = field(default=None, kw_only=True)

    def __reduce__(self) -> tuple[object, ...]:
        return as_given_only(self)

    def __post_init__(self) -> None:
        program, on = mechanism_on(self.mechanism, self.epsilon)
        object.__setattr__(self, "epsilon", on)
        object.__setattr__(self, "mechanism", program)
        # All arguments are read now, so that a wrong claim is refused before it is used.
        _ = self.function, self.ideal_function, self.input_set
        if self.at_most is not None:
            self._check_names()

    # The arguments, as read -----------------------------------------------------------

    @cached_property
    def function(self) -> LossFunction:
        """The loss."""
        return read_loss(self.loss, self.mechanism, self.ideal, self.scope.listed)

    @cached_property
    def ideal_function(self) -> IdealFunction | None:
        """The ideal function, if the loss compares the output with it."""
        return read_ideal(self.ideal, self.mechanism) if self.function.uses_ideal else None

    @cached_property
    def input_set(self) -> Inputs:
        """The inputs that the claim is about."""
        return read_inputs(self.mechanism, self.inputs)

    @cached_property
    def formula(self) -> Expression:
        """The bound."""
        if self.at_most is None:
            raise ValueRefusedError(
                "the claim has no bound",
                rule="A claim says that the expected loss is at most a number or a formula in eps.",
                way_out="Give at_most=…, such as at_most=2 / eps; or ask exact(u) for the loss.",
            )
        return as_expression(self.at_most, "at_most")

    def _check_names(self) -> None:
        known = set(entry_names(self.mechanism.inputs))
        if unknown := sorted(self.formula.names() - known):
            raise ValueRefusedError(
                f"at_most = {self.formula} uses {', '.join(unknown)}",
                rule="A bound is a number or a formula in eps.",
            )

    # For the decision pass --------------------------------------------------------------

    @cached_property
    def _jumps(self) -> bool:
        return self.mechanism.kept(Engine).jumps

    @cached_property
    def _is_alike(self) -> bool:
        """Whether one of all reals stands for all of them, which are not examined otherwise.

        It does if the mechanism only adds noise; with irrational rates, there is no other way.
        """
        engine = self.mechanism.kept(Engine)
        return (
            self.scope.has_all
            and engine.is_irrational
            and self.loss in ("absolute", "squared")
            and self.ideal is None
            and not self.formula.names()
            and engine.only_adds_noise
        )

    @cached_property
    def is_continuous(self) -> bool:
        """Whether the expected loss is continuous; it may jump where the ideal output does."""
        return not self._jumps and self.function.is_continuous and not self.function.uses_ideal

    def regions(self, *, each: bool = False, first: int = 0) -> Iterator[tuple[Region, ...]]:
        """Yield the region of each part of the inputs."""
        del each  # inputs are never grouped
        mechanism, scope = self.mechanism, self.scope
        parts: Iterable[Part] = scope.parts()
        if self._is_alike:
            parts = (tuple(entries(scope.some)),)
        for part in islice(parts, first, None):
            some = assembled(mechanism.inputs, with_zeros_in(part))
            units: tuple[str, ...] = ()
            if mechanism.moves:
                engine = mechanism.kept(Engine)
                units = (engine.unit(_WHAT, some),) if FREE in part else engine.units(some)
            region = region_at(scope, part, units, self.epsilon)
            if FREE in part:
                whole = replace(region, is_unit_used=mechanism.moves).hull()
                yield () if whole is None else (whole,)
            else:
                yield (region,)

    def how_many_groups(self) -> int:
        """Return the number of groups of regions."""
        return 1 if self._is_alike else self.scope.count

    def due(self, region: Region, trace: Trace) -> Due[LossBound] | None:
        """Return what must be proved at a sample of a region; None if the ideal is undefined."""
        u = region.input(self.mechanism.inputs, trace)
        try:
            if not self._jumps or region.is_ray:
                found = expected(self.mechanism, self.function, self.ideal_function, u, trace)
            else:
                with watched(trace.spot("eps")):  # the loss may jump at each comparison
                    found = expected(self.mechanism, self.function, self.ideal_function, u, trace)
        except UndefinedError:
            if self.ideal_function is None or not self.ideal_function.is_partial:
                raise
            return None
        if isinstance(found, float):
            raise ValueRefusedError(
                f"the expected loss at the input {self._told(u)} is {'−' if found < 0 else ''}∞",
                rule="A bound on an expected loss is a formula in eps, so finite.",
                way_out="Give a loss that is finite with probability 1.",
            )
        return Due((LossBound(u, found, 1 - found, self.bounds_at(u)),))

    def bounds_at(self, u: tuple[Value, ...]) -> tuple[ClosedForm, ...]:
        """Return the claimed bound at an input."""
        named = zip(entry_names(self.mechanism.inputs), entries(u), strict=True)
        values = {
            name: value.formula() if isinstance(value, Spot) else Fraction(value)
            for name, value in named
            if isinstance(value, int | Fraction | Spot)
        }
        return self.formula.alternatives(values)

    def _told(self, u: tuple[Value, ...]) -> str:
        return show(as_written(as_given(self.mechanism, u)))

    def refutation(self, problem: Problem, sign: Sign) -> Excess | None:
        """Return the counterexample of a failed problem."""
        return excess(self, problem, sign)

    def route(self, findings: Sequence[Finding]) -> str:
        """Describe how the claim was decided."""
        del findings
        if self._is_alike:
            return "the mechanism only adds noise, so the expected loss is the same at every input"
        return _EVERYWHERE if self.scope.free else _AT_INPUTS

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that the claim follows."""
        said = {
            "absolute": "the loss is the absolute error; of a list the sum over its entries",
            "squared": "the loss is the squared error; of a list the sum over its entries",
            "wrong": "the loss is 1 if the output is not the ideal one, else 0",
            "regret": "the loss is the best value less the value of what is selected",
        }
        if isinstance(self.loss, str):
            return (said[self.loss],)
        return (f"the loss is {written(self.loss)}, a function of the output",)

    def content(
        self, due: Due[Any] | None, is_at_least_one: Callable[[ClosedForm], bool]
    ) -> Content:
        """Return how much the claim says: something wherever the ideal is defined."""
        del is_at_least_one
        return Content.NOTHING if due is None else Content.SOMETHING

    def why_empty(self, contents: Contents) -> str:
        """Describe why the claim says nothing."""
        del contents
        return "the ideal is not defined there"

    def way_out(self, contents: Contents) -> str:
        """Return what to write instead of a claim that says nothing."""
        del contents
        return "Give inputs at which the ideal is defined."

    def certificate(self, verdict: Verdict) -> dict[str, Any]:
        """Return a verdict as plain JSON."""
        if verdict.parts:
            return certificate_in_parts(verdict)
        return stating_signs(verdict, certificate)

    # Questions ------------------------------------------------------------------------

    def check(
        self,
        *,
        all: bool = False,  # noqa: A002
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Verdict:
        """Decide the claim. With `all`, list every failing input, not only the first."""
        _ = self.formula
        return super().check(all=all, progress=progress, **how)

    def exact(self, u: object) -> ClosedForm | float:
        """Return the expected loss at an input: a closed form in ε, or `inf`."""
        self._require_one_sum("the loss as one formula")
        given = self.mechanism.read_input(u)
        return expected(self.mechanism, self.function, self.ideal_function, given)

    bound_name = "at_most"
    is_about_errors = False

    @property
    def bound(self) -> Expression:
        """The bound."""
        return self.formula

    def with_bound(self, bound: Any) -> Self:
        """Return the same claim with another bound."""
        return replace(self, at_most=bound)

    @property
    def needs_trials(self) -> bool:
        """Whether problems are not all single closed forms, so that κ is found by trial."""
        return self.mechanism.moves

    def require_ratio(self, *, at_each: bool = False, by_trial: bool = False) -> None:
        """Refuse the question for the largest κ if the bound or the loss may be negative."""
        if at_each:
            self._require_one_sum("the best constant at each input")
        if by_trial:
            self._require_loss("the best constant")
        else:
            self._require_nonnegative()

    def _require_loss(self, what: str) -> None:
        """Refuse a loss that may be negative, if it is not one closed form for all ε."""
        if not isinstance(self.loss, str):
            raise ValueRefusedError(
                f"{what} is not computed for {self.mechanism.__name__} and its own loss",
                rule="A best factor compares a bound with a loss, and neither is negative; with "
                "a + b / eps beside reals, or a min in ε, the named losses are known not to be.",
                way_out='Use loss="absolute", "squared", "wrong" or "regret"; or ask check().',
            )

    def _require_one_sum(self, what: str) -> None:
        """Refuse a question whose answer needs one closed form for all ε."""
        if self.mechanism.moves:
            raise ValueRefusedError(
                f"{self.mechanism.__name__} has a + b / eps beside reals, and {what} is asked for",
                rule="It is computed where the loss is one closed form for every eps.",
                way_out="Ask check(), tightest() or smallest_epsilon().",
            )

    def _require_nonnegative(self) -> None:
        """Refuse a best factor unless the bound and the expected loss are proved to be ≥ 0."""
        known: set[object] = set()
        for part in survey(self, "the best constant"):
            for problem in part.problems:
                one = problem.obligation
                assert isinstance(one, LossBound)
                own = () if isinstance(self.loss, str) else (one.expected,)  # named losses are ≥ 0
                for form in (problem.beta, *own):
                    if (form, problem.place) in known or _is_nonnegative(form, problem.place):
                        known.add((form, problem.place))
                        continue
                    what = "bound" if form is problem.beta else "expected loss"
                    raise ValueRefusedError(
                        f"the {what} {form} is negative at some input and ε, or could not be "
                        "shown to be 0 or more",
                        rule="A best factor compares a bound with a loss, and neither is negative.",
                        way_out="Ask check(), epsilons() or smallest_epsilon().",
                    )

    # As text --------------------------------------------------------------------------

    @property
    def where(self) -> str:
        """A description of the inputs at which the claim is made."""
        return f"on {told_inputs(self.inputs, self.input_set)}"

    @property
    def what(self) -> str:
        """A description of the loss."""
        return TOLD[self.loss] if isinstance(self.loss, str) else f"loss {written(self.loss)}"

    def __str__(self) -> str:
        bound = "" if self.at_most is None else f" is at most {self.formula}"
        return (
            f"the expected {self.what} of {self.mechanism.__name__}{bound} {self.where}, "
            f"for {told_budgets(self.epsilon)}"
        ).replace("the expected probability", "the probability")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"
