"""`Accuracy`: a claim that a mechanism is (α, β, γ)-accurate (Definition 2), and its questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.disagreement import Disagreement
from exactdp.claims.distances import InputDistance, linf, read_input_distance
from exactdp.claims.expressions import Expression, Symbol, as_expression
from exactdp.claims.fitting import input_distance_for, output_distance_for
from exactdp.claims.functions import written
from exactdp.claims.ideals import IdealFunction, read_ideal
from exactdp.claims.inputs import AllReals, Box, Grid, Inputs, as_given, read_inputs
from exactdp.claims.levels import ANY, AnyLevel, Level, Range, constant, read_level
from exactdp.claims.obligations import Obligations
from exactdp.claims.output_distances import (
    OutputDistance,
    discrete_outputs,
    read_output_distance,
    untold,
)
from exactdp.errors import ExactdpError, ValueRefusedError, counted, shown
from exactdp.language.helpers import Asked, asked
from exactdp.language.layout import assembled, entry_names
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval
from exactdp.reals.interval import POSITIVE
from exactdp.reals.numbers import Number, is_percentage, probability, spell
from exactdp.semantics.spots import has_spots, watched

if TYPE_CHECKING:
    from exactdp.claims.budgets import Budget
    from exactdp.claims.curves import ErrorCurve
    from exactdp.claims.progress import Progress
    from exactdp.claims.radii import Radius
    from exactdp.claims.verdict import Verdict
    from exactdp.claims.work import Work
    from exactdp.reals import SolutionSet


Beta: TypeAlias = Expression | ClosedForm | Number | Callable[[Any], object]
"""A formula for β, or a function that takes an input and returns one."""
LevelGiven: TypeAlias = (
    Expression | ClosedForm | Number | Interval | tuple[Number, Number] | AnyLevel
)
"""α or γ: a number, a formula, a range or `ANY`."""
IdealGiven: TypeAlias = Program | Mapping[Any, object] | Callable[..., object] | None
InputDistanceGiven: TypeAlias = InputDistance | str | Callable[..., object] | None
OutputDistanceGiven: TypeAlias = OutputDistance | InputDistance | str | Callable[..., object] | None
InputsGiven: TypeAlias = Grid | Box | AllReals | Iterable[object] | None
EpsilonGiven: TypeAlias = Interval | Number | tuple[Number, Number]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Accuracy:
    """The mechanism is (α, β, γ)-accurate at the inputs, for every ε of an interval.

    At an input whose distance to disagreement is above α, the output is within γ of the ideal
    output with probability at least 1 − β. A β above 1 is read as 1.
    """

    mechanism: Program
    # What follows is as the user gave it, but for ε, which is an interval.
    beta: Any
    alpha: Any
    gamma: Any
    ideal: Any
    input_distance: Any
    output_distance: Any
    inputs: Any
    epsilon: Any
    boundary: str
    """Whether inputs whose distance to disagreement equals α are checked: "skip" or "check"."""
    agreement: str
    """When two ideal outputs agree: if "equal", or if their "output_distance" is 0."""

    def __init__(  # noqa: PLR0913 what a claim consists of
        self,
        mechanism: Program,
        beta: Beta,
        alpha: LevelGiven = ANY,
        gamma: LevelGiven = 0,
        *,
        ideal: IdealGiven = None,
        input_distance: InputDistanceGiven = None,
        output_distance: OutputDistanceGiven = None,
        inputs: InputsGiven = None,
        epsilon: EpsilonGiven = POSITIVE,
        boundary: str = "skip",
        agreement: str = "equal",
    ) -> None:
        if not isinstance(mechanism, Program):
            raise ValueRefusedError(
                f"{shown(mechanism)} is not a mechanism",
                rule="A claim is about a mechanism.",
                way_out="Put @mechanism above the function.",
            )
        given: dict[str, object] = {
            "mechanism": mechanism,
            "beta": probability(beta, "beta") if is_percentage(beta) else beta,
            "alpha": alpha,
            "gamma": gamma,
            "ideal": ideal,
            "input_distance": input_distance,
            "output_distance": output_distance,
            "inputs": inputs,
            "epsilon": read_epsilon(epsilon),
            "boundary": boundary,
            "agreement": agreement,
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)
        for name, allowed in (
            ("boundary", ("skip", "check")),
            ("agreement", ("equal", "output_distance")),
        ):
            given = getattr(self, name)
            if not isinstance(given, str) or given not in allowed:
                raise ValueRefusedError(
                    f"{name} is {shown(given)}",
                    rule=f"{name} is {' or '.join(map(repr, allowed))}.",
                )
        # Everything is read now, so that a wrong claim is refused before it is used.
        _ = self.alpha_level, self.gamma_level, self.input_metric, self.output_metric
        _ = self.ideal_function, self.input_set
        self._check_names()
        self._check_beta()

    # What was given, as read ----------------------------------------------------------

    @cached_property
    def alpha_level(self) -> Level:
        """α as a formula or a range."""
        return read_level(self.alpha, "alpha")

    @cached_property
    def gamma_level(self) -> Level:
        """γ as a formula or a range."""
        return read_level(self.gamma, "gamma")

    @cached_property
    def input_metric(self) -> InputDistance:
        """The distance on inputs."""
        if self.input_distance is None:
            return input_distance_for(self.mechanism.checked.output)
        return read_input_distance(self.input_distance, self.mechanism)

    @cached_property
    def output_metric(self) -> OutputDistance:
        """The distance on outputs."""
        if self.output_distance is None:
            return output_distance_for(self.mechanism.checked.output)
        return read_output_distance(self.output_distance, self.mechanism)

    @cached_property
    def ideal_function(self) -> IdealFunction:
        """det(P)."""
        return read_ideal(self.ideal, self.mechanism)

    @cached_property
    def input_set(self) -> Inputs:
        """The inputs that the claim is about."""
        return read_inputs(self.mechanism, self.inputs)

    @cached_property
    def entry_names(self) -> tuple[str, ...]:
        """The names of the single values of an input, as β may use them."""
        return entry_names(self.mechanism.inputs)

    def beta_at(self, u: Value) -> Expression:
        """Return β as a formula, at an input as a user writes it."""
        if callable(self.beta) and not isinstance(self.beta, Expression):
            return _of_input(self._asked_beta, u)
        return self.formula

    @cached_property
    def _asked_beta(self) -> Asked:
        """β as a function of the input."""
        return asked(self.beta, "beta", lambda found: as_expression(found, "beta"))

    @cached_property
    def formula(self) -> Expression:
        """β as a formula, with symbols for the inputs if it was given as a function of them."""
        if callable(self.beta) and not isinstance(self.beta, Expression):
            symbols = [Symbol(name) for name in self.entry_names]
            return _of_input(
                self._asked_beta,
                as_given(self.mechanism, assembled(self.mechanism.inputs, symbols)),
            )
        return as_expression(self.beta, "beta")

    @cached_property
    def uses_inputs(self) -> bool:
        """Whether a formula of the claim names numbers of the input."""
        levels = [self.alpha_level, self.gamma_level]
        if callable(self.beta) and not isinstance(self.beta, Expression):
            return True
        formulas = [self.formula, *(one for one in levels if isinstance(one, Expression))]
        return any(one.names() - {"alpha", "gamma"} for one in formulas)

    def _check_names(self) -> None:
        known = {"alpha", "gamma", *self.entry_names}
        formulas = {"alpha": self.alpha_level, "gamma": self.gamma_level}
        if not callable(self.beta) or isinstance(self.beta, Expression):
            formulas["beta"] = self.formula
        for what, formula in formulas.items():
            if isinstance(formula, Expression):
                for name in formula.names():
                    allowed = known - {what} - ({"gamma"} if what == "alpha" else set())
                    if name not in allowed:
                        raise ValueRefusedError(
                            f"{what} = {formula} uses {name}",
                            rule=f"{what} may use {', '.join(('eps', *sorted(allowed)))}.",
                        )

    def _check_beta(self) -> None:
        if callable(self.beta) and not isinstance(self.beta, Expression):
            return
        number = constant(self.formula)
        if number is not None:
            probability(number, "beta")

    @cached_property
    def obligations(self) -> Obligations:
        """What must be proved, input by input."""
        return Obligations(self)

    @cached_property
    def work(self) -> Work:
        """What was computed so far: cells of parameters and signs."""
        from exactdp.claims.work import Work  # noqa: PLC0415

        return Work(self)

    # Questions ------------------------------------------------------------------------

    def check(self, *, all: bool = False, progress: Progress | None = None) -> Verdict:  # noqa: A002
        """Decide the claim. With `all` every failing input is listed, not only the first."""
        from exactdp.claims.deciding import decide  # noqa: PLC0415

        return decide(self, every=all, progress=progress)

    def disagreement(self, u: object) -> Disagreement:
        """Return the distance to disagreement at an input, and a nearest disagreeing input."""
        return self.obligations.disagreement(self.mechanism.read_input(u))

    def tightest(
        self,
        *,
        width: Number = "1e-6",
        at_each: bool = False,
        progress: Progress | None = None,
    ) -> Any:
        """Return the largest κ such that the claim with β/κ is true, enclosed to a width.

        With `at_each`, a table: one row for each input.
        """
        from exactdp.claims.tightness import tightest, tightest_at_each  # noqa: PLC0415

        if at_each:
            return tightest_at_each(self, width, progress)
        return tightest(self, width, progress)

    def epsilons(self, *, width: Number = "1e-12", progress: Progress | None = None) -> SolutionSet:
        """Return the exact set of ε for which the claim holds at all inputs."""
        from exactdp.claims.budgets import epsilons  # noqa: PLC0415

        return epsilons(self, width, progress)

    def smallest_epsilon(
        self,
        *,
        beta: Beta | None = None,
        width: Number = "1e-12",
        progress: Progress | None = None,
    ) -> Budget:
        """Return the least ε₀ such that the claim holds for all ε ≥ ε₀; another β may be given."""
        from exactdp.claims.budgets import smallest_epsilon  # noqa: PLC0415

        claim = self if beta is None else replace(self, beta=beta)
        return smallest_epsilon(claim, width, progress)

    def smallest_gamma(
        self,
        *,
        eps: EpsilonGiven | None = None,
        width: Number = "1e-12",
        progress: Progress | None = None,
    ) -> Radius:
        """Return the least γ for which the claim holds, for every ε or for the given ones."""
        from exactdp.claims.radii import smallest_gamma  # noqa: PLC0415

        on = self.epsilon if eps is None else read_epsilon(eps)
        return smallest_gamma(self, on, width, progress)

    def error_probability(self, u: object) -> ErrorCurve:
        """Return 1 − Pr(within γ) at an input as an exact function of ε, beside the claimed β."""
        from exactdp.claims.curves import error_curve  # noqa: PLC0415

        return error_curve(self, self.mechanism.read_input(u))

    # What it looks like ---------------------------------------------------------------

    def __str__(self) -> str:
        if callable(self.beta) and not isinstance(self.beta, Expression):
            beta = written(self.beta)
        else:
            beta = str(self.formula)
        alpha, gamma = (
            f"{name} {level}" if isinstance(level, Range) else f"{name} = {level}"
            for name, level in (("α", self.alpha_level), ("γ", self.gamma_level))
        )
        return (
            f"{self.mechanism.__name__} is (α, β, γ)-accurate with {alpha}, {gamma} and "
            f"β = {beta}{self._unless_assumed} {self.where}, for {self.when}"
        )

    @property
    def where(self) -> str:
        """At which inputs the claim is made, as words."""
        given = self.input_set
        if not isinstance(given, tuple):
            return f"on {given}"
        kind = "given " if self.inputs is not None else "possible "
        return f"on {counted(len(given), f'{kind}input')}"

    @property
    def when(self) -> str:
        """For which ε the claim is made, as words."""
        on = self.epsilon
        return f"ε = {spell(Fraction(on.lower))}" if on.is_point else f"every ε in {on}"

    @property
    def distances(self) -> str:
        """The distances, as words."""
        return f"distances: {self.input_metric} of inputs, {self.output_metric} of outputs"

    speaks_of_alpha = True
    """Whether α and γ are named where the claim fails."""

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that the claim follows."""
        boundary = {
            "skip": "an input whose distance to disagreement is not above α claims nothing "
            "(Definition 2)",
            "check": "an input whose distance to disagreement equals α is checked too "
            "(the paper's experiments)",
        }[self.boundary]
        agreement = {
            "equal": "two ideal outputs agree if they are equal (Definition 1)",
            "output_distance": "two ideal outputs agree if their output distance is 0 (Lemma 3)",
        }[self.agreement]
        return self.distances, boundary, agreement

    @property
    def _unless_assumed(self) -> str:
        """The distances, unless they are those that a reader would assume."""
        noisy = self.mechanism.checked.output.holds_noise
        are_usual = self.input_metric == linf and self.output_metric == discrete_outputs
        return "" if are_usual and not noisy else f" ({self.distances})"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


def _of_input(beta: Asked, u: Value) -> Expression:
    try:
        with watched(u):
            found: Expression = beta.answer((u,), {}) if has_spots(u) else beta(u)
    except ExactdpError:
        raise
    except Exception as error:
        if has_spots(u):
            raise untold("beta", error) from error
        raise ValueRefusedError(
            f"beta failed at the input {shown(u)}: {error}",
            rule="A function for beta takes an input and returns a formula.",
        ) from error
    return found


def read_epsilon(value: object) -> Interval:
    """Return the ε of a claim as a user gives them: an interval, two ends, or a number."""
    if isinstance(value, tuple | list) and len(value) == 2:
        interval = Interval(*value)
        if interval.lower == 0:
            interval = Interval(0, interval.upper, lower_open=True)
    else:
        interval = Interval.of(value)  # type: ignore[arg-type]
    if interval.lower < 0 or (interval.lower == 0 and not interval.lower_open):
        raise ValueRefusedError(
            f"epsilon is {spell(Fraction(interval.lower))}"
            if interval.is_point
            else f"epsilon is in {interval}",
            rule="The privacy budget is positive.",
            way_out="Write epsilon='(0, 1]'.",
        )
    return interval
