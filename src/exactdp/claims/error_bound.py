"""`ErrorBound`: how far off an output is, how often, and at which ε; two of them give the third.

It is an accuracy claim in other terms. With the discrete distance on inputs, every input is at
distance 1 from all others, so a claim with α = 0 is made at every input. It states that the output
is further than γ = `within` from the ideal output with probability at most β = `risk`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.constants.budgets import Budget, is_in_eps_alone
from exactdp.claims.constants.radii import Radius
from exactdp.claims.constants.risks import Risk
from exactdp.claims.constants.simple_inputs import at_worst_input, simple_around
from exactdp.claims.decision.progress import nobody
from exactdp.claims.decision.verdict import Verdict
from exactdp.claims.regions.of_claim import regions_of
from exactdp.claims.stated.claim import mechanism_on
from exactdp.claims.stated.distances import discrete
from exactdp.claims.stated.expressions import Expression
from exactdp.claims.stated.fitting import (
    error_for,
    errors_of_entries,
    follows_scores,
    may_have_position,
    may_select,
)
from exactdp.claims.stated.inputs import has_reals
from exactdp.claims.stated.levels import ANY, constant
from exactdp.claims.stated.output_distances import discrete_outputs, sup
from exactdp.claims.stated.scores import begins_with_scores
from exactdp.claims.stated.vacuity import Contents
from exactdp.errors import ExactdpError, VacuousClaimError, ValueRefusedError, shown
from exactdp.language.budgets import read_epsilon
from exactdp.language.program import Program
from exactdp.reals import ClosedForm, ExpPoly, Interval, SolutionSet
from exactdp.reals.interval import POSITIVE
from exactdp.reals.numbers import Number, is_percentage, percentage, probability, rational, spell
from exactdp.reals.spans import as_stretch
from exactdp.running.conduct import How

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import (
        EpsilonGiven,
        IdealGiven,
        InputsGiven,
        OutputDistanceGiven,
    )
    from exactdp.running.conduct import Progress

_FINE, _COARSE = Fraction(1, 10**12), Fraction(1, 10**6)  # at listed inputs; for all reals
_HALF = Fraction(1, 2)
_WRONG = "gives a wrong answer"


@dataclass(frozen=True, eq=False, init=False, repr=False)
class BoundedError(Accuracy):
    """An accuracy claim made at every input and worded as an error bound."""

    entry: int | None
    """The entry of the output that the claim is about; None for the whole output."""

    def __init__(self, *given: Any, entry: int | None = None, **others: Any) -> None:
        object.__setattr__(self, "entry", entry)
        super().__init__(*given, **others)

    def __str__(self) -> str:
        part = "" if self.entry is None else f"entry {self.entry} of "
        return (
            f"{part}{self.mechanism.__name__} {self._is_wrong} with probability at most "
            f"{self._risk} {self.where}, for {self.when} (output distance: {self.output_metric})"
        )

    speaks_of_alpha = False

    @property
    def errs_by_differences(self) -> bool:
        """Whether the error of an output is a function of its differences from the ideal one."""
        return self.entry is not None or super().errs_by_differences

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that the claim follows."""
        return "the bound is claimed at every input", f"output distance: {self.output_metric}"

    def why_empty(self, contents: Contents) -> str:
        """Describe why the bound says nothing at some inputs."""
        if contents.silent or contents.any_error:
            return super().why_empty(contents)
        within = constant(self.gamma_level)
        what = f"an error above {spell(within)}" if within else "a wrong answer"
        return f"{what} is impossible at these inputs, whatever the noise"

    def way_out(self, contents: Contents) -> str:
        """Return what to write instead of a bound that says nothing."""
        if contents.silent or contents.any_error:
            return super().way_out(contents)
        if not constant(self.gamma_level):
            return "Give inputs at which the outputs differ in value."
        return "Give a smaller within, or inputs at which outputs differ by more."

    @property
    def _is_wrong(self) -> str:
        if constant(self.gamma_level) == 0:
            return _WRONG
        return f"is off by more than {self.gamma_level}"

    @property
    def _risk(self) -> str:
        number = constant(self.formula)
        return str(self.formula) if number is None else percentage(number)


@dataclass(frozen=True, init=False, repr=False, eq=False)
class ErrorBound:
    """The mechanism is off by more than `within` with probability at most `risk`."""

    mechanism: Program
    within: Fraction | None
    allowed: Fraction | None
    """The risk."""
    ideal: Any
    inputs: Any
    epsilon: Interval
    simultaneous: bool
    output_distance: Any

    claim_type = BoundedError
    """The class of its claims."""

    def __init__(  # noqa: PLR0913 what a bound consists of
        self,
        mechanism: Program,
        within: Number | None = None,
        risk: Number | None = None,
        *,
        ideal: IdealGiven = None,
        inputs: InputsGiven = None,
        epsilon: EpsilonGiven | None = None,
        simultaneous: bool = True,
        output_distance: OutputDistanceGiven = None,
    ) -> None:
        given: dict[str, Any] = {
            "mechanism": mechanism,
            "within": None if within is None else read_within(within),
            "allowed": None if risk is None else read_risk(risk),
            "ideal": ideal,
            "inputs": inputs,
            "epsilon": mechanism_on(mechanism, epsilon)[1],
            "simultaneous": _read_flag(simultaneous),
            "output_distance": output_distance,
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)
        first = self._first  # raises errors in the arguments now
        if within is None and first.output_metric == discrete_outputs:
            object.__setattr__(self, "within", Fraction(0))

    # The claims -----------------------------------------------------------------------

    @property
    def claims(self) -> tuple[Accuracy, ...]:
        """The bound as accuracy claims: one, or one for each entry if not simultaneous."""
        self._need("within", "smallest_within(eps=…)")
        self._need("risk", "risk(eps=…)")
        return self._claims

    @property
    def _claims(self) -> tuple[Accuracy, ...]:
        self._refuse_unknown_inputs()
        first = self._first
        if self.simultaneous:
            return (first,)
        errors = errors_of_entries(
            self.mechanism, first.output_metric, has_own_ideal=self.ideal is None
        )
        return tuple(
            replace(first, output_distance=error, entry=k)  # type: ignore[call-arg]
            for k, error in enumerate(errors)
        )

    @cached_property
    def _first(self) -> Accuracy:
        """The claim about the whole output; a missing γ is set to 1, a missing risk to 1/2.

        If outputs are only right or wrong, a missing γ is 0.
        """
        made = self.claim_type(
            self.mechanism,
            _HALF if self.allowed is None else self.allowed,
            0,
            1 if self.within is None else self.within,
            ideal=self.ideal,
            input_distance=discrete,
            output_distance=discrete_outputs,
            inputs=self.inputs,
            epsilon=self.epsilon,
        )
        if self.output_distance is None:
            self._refuse_two_errors(made)
        error = self._error(made)
        if self.within is None and error == discrete_outputs:
            made = replace(made, gamma=0)
        return replace(made, output_distance=error)

    def _error(self, made: Accuracy) -> Any:
        """Return the distance on outputs for which γ is meaningful."""
        if self.output_distance is not None:
            return self.output_distance
        found = error_for(self.mechanism, made.ideal_function)
        name = self.mechanism.__name__
        has_noise = self.mechanism.checked.output.holds_noise
        if (found == sup and self.within != 0) and (
            may_have_position(self.mechanism, made.ideal_function)
            if has_noise
            else may_select(self.mechanism)
        ):
            what = f"an entry of the output of {name}" if has_noise else f"the output of {name}"
            is_list = self.mechanism.checked.output.items is not None
            other = "lambda u, one, two: abs(u[one[0]] - u[two[0]])" if is_list else "value_gap"
            raise ValueRefusedError(
                f"{what} may be a number or a position in the input",
                rule="The error of a number is its distance from the ideal one; of a position, "
                "the difference of the values there.",
                way_out=f"Write within=0, or output_distance=sup for numbers or {other} for "
                "positions.",
            )
        if found == discrete_outputs and self.within:
            raise self._right_or_wrong("Leave out within")
        return found

    def _refuse_two_errors(self, made: Accuracy) -> None:
        """Refuse an error that could be meant by the score or by the distance to the ideal."""
        mechanism = self.mechanism
        if mechanism.checked.output.holds_noise or not begins_with_scores(mechanism):
            return
        follows = follows_scores(mechanism, made.ideal_function)
        if self.ideal is None and follows is not None:
            return
        what = "an ideal is given" if self.ideal is not None else "its inputs are too many to see"
        raise ValueRefusedError(
            f"{mechanism.__name__} selects by a score, and {what}: within has two meanings",
            rule="It could bound how far the score of the output is below the best one, or how "
            "far the output is from the ideal output.",
            way_out="Write output_distance=score_gap for scores, output_distance=sup for the "
            "distance to the ideal output, or output_distance=discrete for right or wrong.",
        )

    def _right_or_wrong(self, instead: str) -> ValueRefusedError:
        return ValueRefusedError(
            f"an output of {self.mechanism.__name__} is right or wrong, and no number says how far "
            "off it is",
            rule="within is for numbers, and for selections by value or score.",
            way_out=f"{instead}, or give output_distance=… for a distance of your own.",
        )

    def _refuse_unknown_inputs(self) -> None:
        if (
            self.inputs is None
            and has_reals(self.mechanism)
            and not self._is_same_seen(self._first)
        ):
            raise ValueRefusedError(
                f"the error of {self.mechanism.__name__} depends on the input",
                rule="Without inputs, a bound is about a mechanism whose error is the same at "
                "every real input.",
                way_out="Give inputs=AllReals() for the worst of all inputs, Box(lo, hi), "
                "Grid(lo, hi), or a list of inputs (--inputs all, box:0:1, grid:-1:1).",
            )

    def _need(self, name: str, question: str) -> None:
        if getattr(self, "allowed" if name == "risk" else name) is None:
            raise ValueRefusedError(
                f"{name} is not given",
                rule="Two of within, risk and ε are given, and the third is the answer.",
                way_out=f"Give {name}, or ask for it: {question}.",
            )

    # The questions --------------------------------------------------------------------

    def check(
        self,
        eps: Interval | Number | None = None,
        *,
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Verdict:
        """Decide the bound for every ε, for a single ε, or for every ε of an interval."""
        verdict: Verdict | None = None
        for claim in self.claims:
            part = replace(claim, epsilon=self._at(eps))
            verdict = part.check(progress=progress, **how)
            if verdict.counterexample is not None and not part.is_decided_only:
                return at_worst_input(verdict, self._risk_of(claim, verdict.counterexample.eps))
            if not verdict.holds:
                return verdict
        assert verdict is not None
        return verdict

    def smallest_epsilon(
        self, *, width: Number | None = None, progress: Progress | None = None, **how: Unpack[How]
    ) -> Budget:
        """Return the least ε₀ such that the bound holds for all ε ≥ ε₀."""
        found = []
        for claim in self.claims:
            same = self._is_same_seen(claim)
            asked = claim.at_one_input() if same else claim.at_worst_inputs or claim
            found.append(_least_epsilon(asked, width, progress, how))
        return max(found, key=lambda one: (one.upper, one.lower))

    def risk(self, eps: Interval | Number | None = None, *, width: Number | None = None) -> Risk:
        """Return the exact probability of an error above `within`, the largest over all inputs.

        `eps` is a single ε, or an interval over which the largest probability is returned.
        """
        self._need("within", "smallest_within(eps=…)")
        found = [self._risk_of(claim, self._at(eps), width) for claim in self._claims]
        return max(found, key=float)

    def smallest_within(
        self,
        eps: Interval | Number | None = None,
        *,
        width: Number | None = None,
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Radius:
        """Return the least bound that the error exceeds with probability at most `risk`."""
        self._need("risk", "risk(eps=…)")
        if self._first.output_metric == discrete_outputs:
            raise self._right_or_wrong("Ask for risk(eps=…)")
        on = self._at(eps)
        if self.epsilon == POSITIVE and eps is None:
            raise ValueRefusedError(
                "ε is not given",
                rule="Two of within, risk and ε are given, and the third is the answer.",
                way_out="Write smallest_within(eps=1).",
            )
        found = []
        for claim in self._claims:
            is_selection = claim.at_worst_inputs is not None
            same = not is_selection and self._is_same_seen(replace(claim, gamma=ANY))
            found.append(
                (claim.at_one_input() if same else claim).smallest_gamma(
                    eps=on,
                    width=_width(width, claim, is_ray=same or is_selection),
                    progress=progress,
                    **how,
                )
            )
        largest = max(found, key=lambda one: (one.upper, one.lower))
        return replace(largest, risk=self.allowed)

    def _is_same_seen(self, claim: Accuracy) -> bool:
        """Whether the error is seen, without visiting each listed input, to be the same at all."""
        if self._first.only_noise_matters or claim.at_worst_inputs is not None:
            return self._first.only_noise_matters
        return bool(claim.scope.free) and _is_same_everywhere(claim)

    def _at(self, eps: Interval | Number | None) -> Interval:
        return self.epsilon if eps is None else read_epsilon(eps)

    def _risk_of(
        self, claim: Accuracy, eps: Interval | Fraction, width: Number | None = None
    ) -> Risk:
        """Return the largest error probability of a claim.

        It is 1/(2κ), where κ is the best constant of the claim with β = 1/2: the largest κ such
        that the error is at most β/κ.
        """
        on = read_epsilon(eps)
        within = constant(claim.gamma_level)
        assert within is not None
        worst = claim.at_worst_inputs
        same = worst is None and (self._first.only_noise_matters or _is_same_everywhere(claim))
        easier = claim.at_one_input() if same else worst or claim
        asked = replace(easier, beta=_HALF, epsilon=on)
        none = Risk(within, on, Fraction(0), Fraction(0), None, ExpPoly(0), same, attained=True)
        try:
            best = asked.tightest(width=_width(width, asked))
        except VacuousClaimError:  # no output can be further off
            return none
        if best.input is None:
            return none
        lower, upper = (_HALF / Fraction(one) for one in (best.kappa.upper, best.kappa.lower))
        exact = replace(easier, beta=_HALF).error_probability(best.input).exact
        near = simple_around(asked, best.input, lower)
        attained = near is None and worst is None
        alone = claim.scope.is_single
        upper = min(upper, Fraction(1))
        return Risk(within, on, lower, upper, best.input, exact, same, attained, alone, near)

    # As text --------------------------------------------------------------------------

    def __str__(self) -> str:
        is_wrong = "is off by more than " + ("…" if self.within is None else spell(self.within))
        risk = "…" if self.allowed is None else percentage(self.allowed)
        return (
            f"{self.mechanism.__name__} {is_wrong if self.within != 0 else _WRONG} with "
            f"probability at most {risk}, for {self._first.when}"
        )

    def __repr__(self) -> str:
        return f"<ErrorBound: {self}>"


def _is_same_everywhere(claim: Accuracy) -> bool:
    """Whether the error of a claim is the same function of ε (and of any γ) at all inputs."""
    if claim.only_noise_matters:
        return True
    seen: set[ClosedForm] = set()
    try:
        for group in regions_of(claim):
            for region, _ in claim.work.with_faces(group, nobody):
                for step in claim.work.steps(region):
                    seen |= {one.probability for one in step.cell.result or ()}
                    if len(seen) > 1 or any(set(one.parameters) - {"eps", "gamma"} for one in seen):
                        return False
    except ExactdpError:  # too many cells
        return False
    return True


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueRefusedError(
            f"simultaneous is {shown(value)}",
            rule="It is True if the largest error counts, and False if each error is bounded "
            "separately.",
            way_out="Write simultaneous=False.",
        )
    return value


def _refuse_formula(name: str, value: object, instead: str) -> None:
    if isinstance(value, Expression | ClosedForm):
        raise ValueRefusedError(
            f"{name} is the formula {value}",
            rule="An error bound consists of numbers; an accuracy claim may depend on ε.",
            way_out=f"Write Accuracy(mechanism, {instead}).",
        )


def read_risk(value: Number) -> Fraction:
    """Return a risk given by a user as a rational, or refuse it."""
    _refuse_formula("risk", value, f"beta={value}, gamma=…")
    return probability(value, "the risk")


def read_within(value: Number) -> Fraction:
    """Return an allowed error given by a user as a rational, or refuse it."""
    _refuse_formula("within", value, f"gamma={value}, beta=…")
    if is_percentage(value):
        raise ValueRefusedError(
            f"within is {value}",
            rule="It is the allowed error, in the unit of the output; risk is the probability.",
            way_out="Write a number, such as within=10, and give the percentage as risk.",
        )
    found = rational(value, "an error")
    if found < 0:
        raise ValueRefusedError(
            f"within is {spell(found)}",
            rule="It is the error that is allowed, so it is not negative.",
            way_out="Write within=0 if every error counts.",
        )
    return found


def _width(width: Number | None, claim: Accuracy, *, is_ray: bool = False) -> Number:
    """Return the width of the enclosure of an answer: the given one, or one that is fast."""
    if width is not None:
        return width
    return _FINE if is_ray or not claim.scope.free else _COARSE


def _least_epsilon(
    claim: Accuracy, width: Number | None, progress: Progress | None, how: How
) -> Budget:
    try:
        is_ray = is_in_eps_alone(claim)
        target = _width(width, claim, is_ray=is_ray)
        return claim.smallest_epsilon(width=target, progress=progress, **how)
    except VacuousClaimError:  # no output can be further off
        on = claim.epsilon
        whole = SolutionSet((as_stretch(on),))
        lower = Fraction(on.lower)
        return Budget(lower, lower, attained=not on.lower_open, everywhere=whole, on=on)
