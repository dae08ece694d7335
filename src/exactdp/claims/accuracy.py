"""`Accuracy`: a claim that a mechanism is (α, β, γ)-accurate (Definition 2), and its questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.claims.claim import Due
from exactdp.claims.disagreement import Disagreement
from exactdp.claims.distances import InputDistance, discrete, linf, read_input_distance
from exactdp.claims.expressions import Expression, Symbol, as_expression
from exactdp.claims.functions import written
from exactdp.claims.ideals import IdealFunction, read_ideal
from exactdp.claims.inputs import AllReals, Inputs, as_given, is_listed, read_inputs
from exactdp.claims.levels import ANY, Level, Range, read_level
from exactdp.claims.obligations import ROUTES, Obligation, Obligations
from exactdp.claims.output_distances import (
    OutputDistance,
    discrete_outputs,
    read_output_distance,
    sup,
    untold,
)
from exactdp.claims.regions import Region, how_many_groups, regions_of
from exactdp.claims.vacuity import Content, Contents, content_of, way_out, why_empty
from exactdp.errors import ExactdpError, ValueRefusedError, counted, shown
from exactdp.language.helpers import Asked, asked
from exactdp.language.layout import assembled, entry_names
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval
from exactdp.reals.interval import POSITIVE
from exactdp.reals.numbers import Number
from exactdp.semantics.spots import Trace, has_spots, watched

if TYPE_CHECKING:
    from exactdp.claims.budgets import Budget
    from exactdp.claims.counterexamples import Counterexample
    from exactdp.claims.curves import ErrorCurve
    from exactdp.claims.progress import Progress
    from exactdp.claims.verdict import Finding, Verdict
    from exactdp.claims.work import Leaf, Problem, Sign, Work
    from exactdp.reals import SolutionSet

ON_CONES = (
    "α or γ moves with ε, or β is not seen to fall in them (Corollary cor:accpoint): the sign of "
    "an exponential sum on cones of (ε, εα, εγ)"
)
EVERYWHERE = (
    "all real inputs at once (Theorem thm:condAcc): the parameters are cut into cones on which the "
    "probability is one exponential sum, and its sign on each cone is decided"
)


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
    ideal: Any = field(default=None, kw_only=True)
    input_distance: Any = field(default=linf, kw_only=True)
    output_distance: Any = field(default=discrete, kw_only=True)
    inputs: Any = field(default=None, kw_only=True)
    epsilon: Any = field(default=POSITIVE, kw_only=True)
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
        object.__setattr__(self, "epsilon", read_epsilon(self.epsilon))
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

    @cached_property
    def obligations(self) -> Obligations:
        """What must be proved, input by input."""
        return Obligations(self)

    @cached_property
    def work(self) -> Work:
        """What was computed so far: cells of parameters and signs."""
        from exactdp.claims.work import Work  # noqa: PLC0415

        return Work(self)

    # What the pass to a verdict asks ----------------------------------------------------

    @cached_property
    def is_continuous(self) -> bool:
        """Whether what is claimed on the sides of cells follows from what is claimed inside."""
        by_value = self.agreement == "equal" or self.output_metric in (discrete_outputs, sup)
        return self.input_metric.is_norm and by_value and self.boundary == "skip"

    def regions(self) -> Iterator[tuple[Region, ...]]:
        """Return the regions of each listed input, or of each finite part of one."""
        return regions_of(self)

    def how_many_groups(self) -> int:
        """Return how many groups of regions there are."""
        return how_many_groups(self)

    def due(self, region: Region, trace: Trace) -> Due[Obligation] | None:
        """Return what must be proved at a sample of a region."""
        return self.obligations.at(
            region.input(self.mechanism.inputs, trace),
            region.level(region.alpha, trace),
            region.level(region.gamma, trace),
        )

    def reduced(self, region: Region, cell: Leaf) -> Leaf:
        """Return a cell as it is: all that is due on it is asked."""
        del region
        return cell

    def refutation(self, problem: Problem, sign: Sign) -> Counterexample | None:
        """Return the counterexample of a failed problem; a simple one if any is."""
        from exactdp.claims.counterexamples import confirmed  # noqa: PLC0415

        return confirmed(self, problem, sign)

    def route(self, findings: Sequence[Finding]) -> str:
        """Return how the claim was decided, as words."""
        if not is_listed(self.input_set):
            return EVERYWHERE
        if all(one.region.is_ray and not one.region.levels_given for one in findings):
            return ROUTES[self.obligations.route]
        return ON_CONES

    def everywhere(self) -> Accuracy:
        """Return the same claim about all real inputs."""
        return replace(self, inputs=AllReals())

    def stronger(self) -> None:
        """Return nothing: a claim of accuracy is decided as it is."""

    def weaker(self) -> None:
        """Return nothing: a claim of accuracy is decided as it is."""

    def hint(self) -> str:
        """Return roughly where the best constant is, as words to add; may be empty."""
        try:
            kappa = self.tightest(width=Fraction(1, 1000)).kappa
        except ExactdpError:
            return ""
        lower, upper = float(kappa.lower), float(kappa.upper)
        return f"; the best constant is between {lower:.6g} and {upper:.6g}"

    @property
    def conventions(self) -> tuple[str, ...]:
        """The conventions that are followed."""
        boundary = {
            "skip": "an input whose distance to disagreement is not above α claims nothing "
            "(Definition 2)",
            "check": "an input whose distance to disagreement equals α is checked too "
            "(the paper's experiments)",
        }[self.boundary]
        agreement = {
            "equal": "two ideal outputs agree if they are equal (Definition 1)",
            "output_distance": "two ideal outputs agree if their output distance is 0 "
            "(Lemma lem:nmax)",
        }[self.agreement]
        return boundary, agreement

    def content(
        self, due: Due[Any] | None, is_at_least_one: Callable[[ClosedForm], bool]
    ) -> Content:
        """Return how much the claim says at an input, from what must be proved there."""
        return content_of(due, is_at_least_one)

    @property
    def nouns(self) -> tuple[str, str]:
        """What is counted, one and many."""
        return "input", "inputs"

    def why_empty(self, contents: Contents) -> str:
        """Return why the claim says nothing where it says nothing, as words."""
        return why_empty(self, contents)

    def way_out(self, contents: Contents) -> str:
        """Return what to write instead of a claim that says nothing."""
        return way_out(self, contents)

    def certificate(self, verdict: Verdict) -> dict[str, Any]:
        """Return a verdict as plain JSON."""
        from exactdp.claims.certificates import certificate  # noqa: PLC0415

        return certificate(verdict)

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
        self, *, beta: Any = None, width: Number = "1e-12", progress: Progress | None = None
    ) -> Budget:
        """Return the smallest ε from which on the claim holds, with another β if one is given."""
        from exactdp.claims.budgets import smallest_epsilon  # noqa: PLC0415

        claim = self if beta is None else replace(self, beta=beta)
        return smallest_epsilon(claim, width, progress)

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
        given = self.input_set
        if isinstance(given, tuple):
            kind = "given " if self.inputs is not None else "possible "
            where = counted(len(given), f"{kind}input")
        else:
            where = str(given)
        alpha, gamma = (
            f"{name} {level}" if isinstance(level, Range) else f"{name} = {level}"
            for name, level in (("α", self.alpha_level), ("γ", self.gamma_level))
        )
        return (
            f"{self.mechanism.__name__} is (α, β, γ)-accurate with {alpha}, {gamma} and "
            f"β = {beta}{self._distances} on {where}, for every ε in {self.epsilon}"
        )

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


def read_epsilon(value: object) -> Interval:
    """Return the values of ε that a user gives."""
    if isinstance(value, tuple | list) and len(value) == 2:
        interval = Interval(*value)
        if interval.lower == 0:
            interval = Interval(0, interval.upper, lower_open=True)
    else:
        interval = Interval.of(value)  # type: ignore[arg-type]
    if interval.lower < 0 or (interval.lower == 0 and not interval.lower_open):
        raise ValueRefusedError(
            f"epsilon is in {interval}",
            rule="The privacy budget is positive.",
            way_out="Write epsilon='(0, 1]'.",
        )
    return interval
