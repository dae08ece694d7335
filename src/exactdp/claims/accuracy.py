"""`Accuracy`: a claim that a mechanism is (α, β, γ)-accurate (Definition 2), and its questions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.claims.conditions import ALWAYS, CaseFormula, Cases, both, conditional, read_cases
from exactdp.claims.disagreement import Disagreement
from exactdp.claims.distances import InputDistance, discrete, linf, read_input_distance
from exactdp.claims.expressions import Expression, Maximum, Symbol, as_expression
from exactdp.claims.functions import OfInput, written
from exactdp.claims.ideals import IdealFunction, read_ideal
from exactdp.claims.inputs import Inputs, as_given, read_inputs
from exactdp.claims.levels import ANY, EVERY, Level, Range, read_level
from exactdp.claims.obligations import Obligations
from exactdp.claims.output_distances import (
    OutputDistance,
    discrete_outputs,
    read_output_distance,
    untold,
)
from exactdp.errors import ExactdpError, ValueRefusedError, counted, shown
from exactdp.language.budgets import read_epsilon
from exactdp.language.helpers import Asked, asked
from exactdp.language.layout import assembled, entry_names
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals.numbers import Number
from exactdp.semantics.spots import has_spots, watched

if TYPE_CHECKING:
    from exactdp.claims.budgets import Budget
    from exactdp.claims.curves import ErrorCurve
    from exactdp.claims.progress import Progress
    from exactdp.claims.verdict import Verdict
    from exactdp.claims.work import Explorer
    from exactdp.reals import SolutionSet


@dataclass(frozen=True, eq=False)
class Accuracy:
    """The mechanism is (α, β, γ)-accurate at the inputs, for every ε of an interval.

    At an input whose distance to disagreement is above α, the output is within γ of the ideal
    output with probability at least 1 − β. A β above 1 is read as 1.
    """

    mechanism: Program
    beta: Any
    alpha: Any = ANY
    gamma: Any = 0
    region: Any = field(default=None, kw_only=True)
    """A condition on alpha, gamma, eps and the input: the claim is made where it holds."""
    ideal: Any = field(default=None, kw_only=True)
    input_distance: Any = field(default=linf, kw_only=True)
    output_distance: Any = field(default=discrete, kw_only=True)
    inputs: Any = field(default=None, kw_only=True)
    epsilon: Any = field(default=None, kw_only=True)
    """The interval of ε; by default all for which the mechanism is defined."""
    boundary: str = field(default="skip", kw_only=True)
    """Whether inputs whose distance to disagreement equals α are checked: "skip" or "check"."""
    agreement: str = field(default="equal", kw_only=True)
    """When two ideal outputs agree: if "equal", or if their "output_distance" is 0."""

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, Program):
            raise ValueRefusedError(
                f"{shown(self.mechanism)} is not a mechanism",
                rule="A claim is about a mechanism.",
                way_out="Put @mechanism above the function.",
            )
        given = self.mechanism.epsilon if self.epsilon is None else self.epsilon
        object.__setattr__(self, "epsilon", read_epsilon(given))
        object.__setattr__(self, "mechanism", self.mechanism.on(self.epsilon))
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
        _ = self.ideal_function, self.input_set, self.conditions
        self._check_names()

    # What was given, as read ----------------------------------------------------------

    @cached_property
    def alpha_level(self) -> Level:
        """α as a formula or a range of numbers; a range of formulas is one of the `conditions`."""
        return self._level("alpha")

    @cached_property
    def gamma_level(self) -> Level:
        """γ likewise."""
        return self._level("gamma")

    def _level(self, name: str) -> Level:
        found = self._given_level(name)
        return EVERY if isinstance(found, Range) and not found.is_constant else found

    def _given_level(self, name: str) -> Level:
        given = getattr(self, name)
        if callable(given) and not isinstance(given, Expression):
            return OfInput(
                asked(given, name, lambda found: as_expression(found, name)), self.mechanism
            )
        return read_level(given, name)

    @cached_property
    def conditions(self) -> Cases:
        """On which α and γ the claim is made, beside their ranges of numbers."""
        cases = ALWAYS
        if self.region is not None:
            cases = read_cases(self.region, self.mechanism, "region")
        for name in ("alpha", "gamma"):
            level = self._given_level(name)
            if isinstance(level, Range) and not level.is_constant:
                cases = both(cases, Cases((level.sides(name),)))
        return cases

    @cached_property
    def input_metric(self) -> InputDistance:
        """The distance on inputs."""
        return read_input_distance(self.input_distance, self.mechanism)

    @cached_property
    def output_metric(self) -> OutputDistance:
        """The distance on outputs."""
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

    @cached_property
    def _bound(self) -> Any:
        """β as given; a function of alpha, gamma or eps is read as a formula by cases."""
        if callable(self.beta) and not isinstance(self.beta, Expression):
            by_cases = conditional(self.beta, self.mechanism, "beta")
            return self.beta if by_cases is None else by_cases
        return self.beta

    @property
    def is_beta_of_input(self) -> bool:
        """Whether β is a function of the input that has to be called."""
        return callable(self._bound) and not isinstance(self._bound, Expression)

    @property
    def has_parts(self) -> bool:
        """Whether β consists of several formulas."""
        return isinstance(self._bound, CaseFormula | Maximum)

    def beta_at(self, u: Value) -> Expression:
        """Return β as a formula, at an input as a user writes it."""
        if self.is_beta_of_input:
            return _of_input(self._asked_beta, u)
        return self.formula

    @cached_property
    def _asked_beta(self) -> Asked:
        """β as a function of the input."""
        return asked(self.beta, "beta", lambda found: as_expression(found, "beta"))

    @cached_property
    def formula(self) -> Expression:
        """β as a formula, with symbols for the inputs if it was given as a function of them."""
        if self.is_beta_of_input:
            symbols = [Symbol(name) for name in self.entry_names]
            return _of_input(
                self._asked_beta,
                as_given(self.mechanism, assembled(self.mechanism.inputs, symbols)),
            )
        return as_expression(self._bound, "beta")

    @cached_property
    def uses_inputs(self) -> bool:
        """Whether a formula of the claim names numbers of the input."""
        levels = [self.alpha_level, self.gamma_level]
        if self.is_beta_of_input:
            return True
        formulas = [self.formula, *(one for one in levels if isinstance(one, Expression))]
        formulas += [one.form for conjunction in self.conditions for one in conjunction]
        return any(one.names() - {"alpha", "gamma"} for one in formulas)

    def _check_names(self) -> None:
        known = {"alpha", "gamma", *self.entry_names}
        formulas = [("alpha", self.alpha_level), ("gamma", self.gamma_level)]
        if not self.is_beta_of_input:
            formulas.append(("beta", self.formula))
        formulas += [("region", one.form) for conj in self.conditions for one in conj]
        for what, formula in formulas:
            if isinstance(formula, Expression):
                for name in formula.names():
                    allowed = known - {what} - ({"gamma"} if what == "alpha" else set())
                    if name not in allowed:
                        raise ValueRefusedError(
                            f"{what} = {formula} uses {name}",
                            rule=f"{what} may use {', '.join(('eps', *sorted(allowed)))}.",
                        )

    @property
    def has_inverse_eps(self) -> bool:
        """Whether 1/ε stands beside reals in the mechanism, and ε is not a single number."""
        return self.mechanism.meets_eps and not self.epsilon.is_point

    def require_no_inverse(self, what: str) -> None:
        """Refuse a question that is not answered for mechanisms with a + b/ε beside reals."""
        if self.has_inverse_eps:
            raise ValueRefusedError(
                f"{what} is not computed: {self.mechanism.__name__} has a + b / eps beside reals",
                rule="Such claims are decided by check(); other questions are for one eps.",
                way_out="Use check(), or give one eps: epsilon='[1, 1]'.",
            )

    @cached_property
    def obligations(self) -> Obligations:
        """What must be proved, input by input."""
        return Obligations(self)

    @cached_property
    def work(self) -> Explorer:
        """What was computed so far: cells of parameters and signs."""
        from exactdp.claims.work import Explorer  # noqa: PLC0415

        return Explorer(self)

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

        self.require_no_inverse("the best constant")
        if at_each:
            return tightest_at_each(self, width, progress)
        return tightest(self, width, progress)

    def epsilons(self, *, width: Number = "1e-12", progress: Progress | None = None) -> SolutionSet:
        """Return the exact set of ε for which the claim holds at all inputs."""
        from exactdp.claims.budgets import epsilons  # noqa: PLC0415

        self.require_no_inverse("the set of ε")
        return epsilons(self, width, progress)

    def smallest_epsilon(
        self, *, beta: Any = None, width: Number = "1e-12", progress: Progress | None = None
    ) -> Budget:
        """Return the smallest ε from which on the claim holds, with another β if one is given."""
        from exactdp.claims.budgets import smallest_epsilon  # noqa: PLC0415

        self.require_no_inverse("the smallest ε")
        claim = self if beta is None else replace(self, beta=beta)
        return smallest_epsilon(claim, width, progress)

    def error_probability(self, u: object) -> ErrorCurve:
        """Return 1 − Pr(within γ) at an input as an exact function of ε, beside the claimed β."""
        from exactdp.claims.curves import error_curve  # noqa: PLC0415

        self.require_no_inverse("the error as one curve")
        return error_curve(self, self.mechanism.read_input(u))

    # What it looks like ---------------------------------------------------------------

    def __str__(self) -> str:
        beta = written(self.beta) if self.is_beta_of_input else str(self.formula)
        given = self.input_set
        if isinstance(given, tuple):
            kind = "given " if self.inputs is not None else "possible "
            where = counted(len(given), f"{kind}input")
        else:
            where = str(given)
        alpha, gamma = (
            f"{shown_as} {level}" if isinstance(level, Range) else f"{shown_as} = {level}"
            for shown_as, level in (
                ("α", self._given_level("alpha")),
                ("γ", self._given_level("gamma")),
            )
        )
        return (
            f"{self.mechanism.__name__} is (α, β, γ)-accurate with {alpha}, {gamma} and "
            f"β = {beta}{self._distances} on {where}{self._where}, for every ε in {self.epsilon}"
        )

    @property
    def _where(self) -> str:
        """The condition of the claim as words."""
        if self.region is None:
            return ""
        if isinstance(self.region, Cases):
            cases = (" and ".join(map(str, conj)) for conj in self.region)
            return f" where {' or '.join(cases)}"
        if callable(self.region):
            return f" where {written(self.region)}"
        given = self.region if isinstance(self.region, tuple | list) else (self.region,)
        return f" where {' and '.join(map(str, given))}"

    @property
    def _distances(self) -> str:
        """The distances as words, unless they are those that a reader would assume."""
        inputs, outputs = self.input_metric, self.output_metric
        noisy = self.mechanism.checked.output.holds_noise
        if not noisy and inputs == linf and outputs == discrete_outputs:
            return ""
        return f" (distances: {inputs} of inputs, {outputs} of outputs)"

    def __repr__(self) -> str:
        return f"<Accuracy: {self}>"


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
