"""The parts of an accuracy claim: α, β, γ, distances, inputs and ε, as given and as read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from exactdp.claims.stated.checks import check_statement
from exactdp.claims.stated.claim import Stated, mechanism_on
from exactdp.claims.stated.conditions import (
    ALWAYS,
    CaseFormula,
    Cases,
    both,
    conditional,
    holds_at,
    read_cases,
    read_formula,
    read_pieces,
)
from exactdp.claims.stated.distances import (
    InputDistance,
    NonlinearDistance,
    linf,
    read_input_distance,
)
from exactdp.claims.stated.expressions import (
    Comparison,
    Expression,
    Maximum,
    Minimum,
    Symbol,
    as_expression,
)
from exactdp.claims.stated.features import has_root, has_tower
from exactdp.claims.stated.fitting import input_distance_for, output_distance_for
from exactdp.claims.stated.functions import OfInput, called, written
from exactdp.claims.stated.ideals import IdealFunction, NonlinearIdeal, read_ideal
from exactdp.claims.stated.identity import as_given_only
from exactdp.claims.stated.inputs import (
    AllReals,
    Box,
    Grid,
    Inputs,
    as_given,
    is_condition,
    read_inputs,
    told_budgets,
    told_inputs,
)
from exactdp.claims.stated.level_values import LevelValues
from exactdp.claims.stated.levels import (
    ANY,
    EVERY,
    AnyLevel,
    Level,
    LogLevel,
    Range,
    is_formula,
    pieces_of,
    read_level,
)
from exactdp.claims.stated.output_distances import (
    OutputDistance,
    discrete_outputs,
    read_output_distance,
)
from exactdp.claims.stated.powers_of_e import is_bent, units_of, with_powers_of_e
from exactdp.claims.stated.strategy import USUAL, Strategy
from exactdp.errors import ExactdpError, ValueRefusedError, shown
from exactdp.language.helpers import CheckedFunction, checked_function
from exactdp.language.layout import assembled, entries, entry_names
from exactdp.language.linear import UNIT
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval, parameter
from exactdp.reals.numbers import Number, is_percentage, probability
from exactdp.reals.radicals import Radical
from exactdp.semantics.engine import Engine
from exactdp.semantics.properties import independent_units
from exactdp.semantics.spots import Spot

Beta: TypeAlias = Expression | ClosedForm | Number | Callable[..., object]
"""A formula for β, or a function that takes an input and returns one."""
End: TypeAlias = Expression | ClosedForm | Number | Callable[..., object]
LevelGiven: TypeAlias = End | Interval | Range | tuple[End, End] | AnyLevel | Callable[..., object]
"""α or γ: a number, a formula, a range, a function of the input, or `ANY`."""
RegionGiven: TypeAlias = (
    Comparison | str | Callable[..., object] | Iterable[Comparison | str] | Cases | None
)
IdealGiven: TypeAlias = Program | Mapping[Any, object] | Callable[..., object] | None
InputDistanceGiven: TypeAlias = InputDistance | str | Callable[..., object] | None
OutputDistanceGiven: TypeAlias = OutputDistance | InputDistance | str | Callable[..., object] | None
InputsGiven: TypeAlias = Grid | Box | AllReals | Iterable[object] | Callable[..., object] | None
EpsilonGiven: TypeAlias = Interval | Number | tuple[Number, Number]


@dataclass(frozen=True, eq=False, init=False, repr=False)
class AccuracyStatement(Stated):
    """The mechanism is (α, β, γ)-accurate at the inputs, for every ε of an interval.

    At an input whose distance to disagreement is above α, the output is within γ of the ideal
    output with probability at least 1 − β. A β above 1 is read as 1.
    """

    mechanism: Program
    # The following are as given by the user, except ε, which is an interval.
    beta: Any
    alpha: Any
    gamma: Any
    """By default 0, or any number if the region is a condition on it."""
    region: Any
    """A condition on alpha, gamma, eps and the input; the claim is made where it holds."""
    ideal: Any
    input_distance: Any
    output_distance: Any
    inputs: Any
    epsilon: Any
    """The interval of ε; by default all for which the mechanism is defined."""
    boundary: str
    """Whether inputs whose distance to disagreement equals α are checked: "skip" or "check"."""
    agreement: str
    """When two ideal outputs agree: if "equal", or if their "output_distance" is 0."""
    _strategy: Strategy

    def __init__(  # noqa: PLR0913 what a claim consists of
        self,
        mechanism: Program,
        beta: Beta,
        alpha: LevelGiven = ANY,
        gamma: LevelGiven | None = None,
        *,
        region: RegionGiven = None,
        ideal: IdealGiven = None,
        input_distance: InputDistanceGiven = None,
        output_distance: OutputDistanceGiven = None,
        inputs: InputsGiven = None,
        epsilon: EpsilonGiven | None = None,
        boundary: str = "skip",
        agreement: str = "equal",
        _strategy: Strategy = USUAL,
    ) -> None:
        program, on = mechanism_on(mechanism, epsilon)
        given: dict[str, object] = {
            "mechanism": program,
            "beta": probability(beta, "beta") if is_percentage(beta) else beta,
            "alpha": alpha,
            "gamma": gamma,
            "region": region,
            "ideal": ideal,
            "input_distance": input_distance,
            "output_distance": output_distance,
            "inputs": inputs,
            "epsilon": on,
            "boundary": boundary,
            "agreement": agreement,
            "_strategy": _strategy,
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
        if gamma is None:
            used = frozenset[str]().union(
                *(one.form.names() for conj in self._region for one in conj)
            )
            object.__setattr__(self, "gamma", ANY if "gamma" in used else 0)
        # All arguments are read now, so that a wrong claim is refused before it is used.
        _ = self.alpha_level, self.gamma_level, self.input_metric, self.output_metric
        _ = self.ideal_function, self.input_set, self.conditions
        check_statement(self)

    # The arguments, as read -----------------------------------------------------------

    def __reduce__(self) -> tuple[object, ...]:
        return as_given_only(self)

    @cached_property
    def alpha_level(self) -> Level:
        """α as a formula or a range of numbers; a range of formulas is one of the `conditions`."""
        return self._level("alpha")

    @cached_property
    def gamma_level(self) -> Level:
        """γ likewise."""
        return self._level("gamma")

    @property
    def levels(self) -> dict[str, Level]:
        """α and γ by name."""
        return {"alpha": self.alpha_level, "gamma": self.gamma_level}

    @property
    def level_values(self) -> LevelValues:
        """α, β and γ at an input."""
        return self.kept(LevelValues)

    @property
    def strategy(self) -> Strategy:
        """How the claim is decided."""
        return self._strategy

    def _level(self, name: str) -> Level:
        found = self._given_levels[name]
        is_condition = isinstance(found, Range) and not found.is_constant
        return EVERY if is_condition or name in self._moving_levels else found

    @cached_property
    def _moving_levels(self) -> dict[str, Cases]:
        """α and γ by cases, and those of the input and of ε for all reals, as conditions."""
        found: dict[str, Cases] = {}
        for name, level in self._given_levels.items():
            if isinstance(level, CaseFormula | Minimum | Maximum):
                pieces = [(value, when) for value, cases in pieces_of(level) for when in cases]
            elif isinstance(level, OfInput) and self.scope.free:
                try:
                    pieces = read_pieces(level.function.function, self.mechanism, name)
                    symbols = {one: parameter(one) for one in ("alpha", "gamma", *self.entry_names)}
                    moves = any("eps" in value.at(symbols).parameters for value, _ in pieces)
                except ExactdpError:  # it is called with inputs as linear forms
                    continue
                if not moves:
                    continue
            else:
                continue
            found[name] = Cases((*when, *Range(value, value).sides(name)) for value, when in pieces)
        return found

    @cached_property
    def _given_levels(self) -> dict[str, Level]:
        names = ("alpha", "gamma")
        return {name: read_level(getattr(self, name), name, self.mechanism) for name in names}

    @cached_property
    def _region(self) -> Cases:
        if self.region is None:
            return ALWAYS
        return read_cases(self.region, self.mechanism, "region")

    @cached_property
    def conditions(self) -> Cases:
        """The conditions on α and γ, in addition to their ranges of numbers."""
        cases = self._region
        if is_condition(self.inputs) and self.scope.free:
            inputs = read_cases(self.inputs, self.mechanism, "inputs")
            for one in (one for conjunction in inputs for one in conjunction):
                if used := sorted({"alpha", "gamma"} & one.form.names()):
                    raise ValueRefusedError(
                        f"inputs uses {used[0]}",
                        rule="A condition on inputs is about the input alone.",
                        way_out="Give it as region=.",
                    )
            cases = both(cases, inputs)
        for name, level in self._given_levels.items():
            if isinstance(level, Range) and not level.is_constant:
                level.require_some(name, self.epsilon)
                cases = both(cases, level.cases(name, self.mechanism))
        for moving in self._moving_levels.values():
            cases = both(cases, moving)
        return cases

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
        if not is_condition(self.inputs):
            return read_inputs(self.mechanism, self.inputs)
        every = read_inputs(self.mechanism, None)
        if not isinstance(every, tuple):
            return every
        cases = read_cases(self.inputs, self.mechanism, "inputs")
        found = tuple(u for u in every if holds_at(cases, self.numbers(entries(u))))
        return read_inputs(self.mechanism, [as_given(self.mechanism, u) for u in found])

    def numbers(self, given: Iterable[object]) -> dict[str, Any]:
        """Return the numbers among the single values of an input by name; some may be spots."""
        return {
            name: value if isinstance(value, Spot) else Fraction(value)
            for name, value in zip(self.entry_names, given, strict=True)
            if isinstance(value, int | Fraction | Spot)
        }

    @cached_property
    def entry_names(self) -> tuple[str, ...]:
        """The names of the scalars of an input, as used in β."""
        return entry_names(self.mechanism.inputs)

    @cached_property
    def bound(self) -> Any:
        """β as given; a text, or a function of alpha, gamma or eps, is read as a formula.

        So is a function of the input, if the claim is about a set of reals and it can be read.
        """
        if callable(self.beta) and not isinstance(self.beta, Expression):
            of_input = bool(self.scope.free)
            by_cases = conditional(self.beta, self.mechanism, "beta", of_input=of_input)
            return self.beta if by_cases is None else by_cases
        if isinstance(self.beta, str) and is_formula(self.beta):
            return read_formula(self.beta, self.mechanism, "beta")
        return self.beta

    @property
    def is_beta_of_input(self) -> bool:
        """Whether β is a function of the input that must be called."""
        return callable(self.bound) and not isinstance(self.bound, Expression)

    @property
    def has_parts(self) -> bool:
        """Whether β consists of several formulas."""
        return isinstance(self.bound, CaseFormula | Maximum)

    def beta_at(self, u: Value) -> Expression:
        """Return β as a formula at an input, which is given as users write it."""
        if self.is_beta_of_input:
            return self._called_beta(u)
        return self.formula

    def _called_beta(self, u: Value) -> Expression:
        rule = "A function for beta takes an input and returns a formula."
        found: Expression = called(self._asked_beta, "beta", rule, u)
        return found

    @cached_property
    def _asked_beta(self) -> CheckedFunction:
        """β as a function of the input."""
        return checked_function(self.beta, "beta", lambda found: as_expression(found, "beta"))

    @cached_property
    def formula(self) -> Expression:
        """β as a formula, with symbols for the inputs if it was given as a function of them."""
        if self.is_beta_of_input:
            symbols = [Symbol(name) for name in self.entry_names]
            return self._called_beta(
                as_given(self.mechanism, assembled(self.mechanism.inputs, symbols))
            )
        formula = as_expression(self.bound, "beta")
        if is_bent(self.alpha_level) or is_bent(self.gamma_level):
            return formula
        return with_powers_of_e(formula, self.epsilon)

    @property
    def betas(self) -> Iterator[Expression]:
        """β, or β at each listed input if the claim uses the input."""
        if self.scope.free or not self.uses_inputs:
            yield self.formula
            return
        for u in self.scope.listed():
            numbers = self.level_values.input_values(u)
            yield self.beta_at(as_given(self.mechanism, u)).bound_to(numbers)

    @cached_property
    def beta_units(self) -> tuple[str, ...]:
        """The parameters of β that are 1, or logarithms."""
        return () if self.is_beta_of_input else units_of(self.formula)

    @cached_property
    def uses_inputs(self) -> bool:
        """Whether a formula of the claim uses numbers of the input."""
        if self.is_beta_of_input:
            return True
        levels = self.levels.values()
        formulas = [self.formula, *(one for one in levels if isinstance(one, Expression))]
        formulas += [one.form for conjunction in self.conditions for one in conjunction]
        return any(one.names() - {"alpha", "gamma"} for one in formulas)

    @property
    def has_inverse_eps(self) -> bool:
        """Whether the mechanism combines 1/ε with reals, α or γ has a logarithm, or β e^c."""
        return self.mechanism.moves or bool(self.level_logs or self.beta_units)

    @cached_property
    def level_logs(self) -> tuple[str, ...]:
        """The symbols for log(b)/ε in α and γ."""
        levels = self.levels.values()
        return tuple(one for level in levels if isinstance(level, LogLevel) for one in level.logs)

    def units_at(self, u: tuple[Value, ...], *, has_one: bool) -> tuple[str, ...]:
        """Return the constants among the parameters; with 1 if a level or a condition needs it."""
        found = self.mechanism.kept(Engine).units(u) if self.mechanism.moves else ()
        ones = (UNIT,) if has_one else ()
        return independent_units([*ones, *found, *self.level_logs, *self.beta_units])

    @property
    def is_decided_only(self) -> bool:
        """Whether one α and γ per input, with one closed form for all ε, are not sufficient."""
        is_rooted = bool(self.scope.free) and self.states_roots
        return self.has_cases or self.has_inverse_eps or is_rooted

    @property
    def has_cases(self) -> bool:
        """Whether the claim has conditions or β by cases, or outputs are expressions in ε."""
        by_cases = self.has_parts or self.conditions != ALWAYS
        return by_cases or self.mechanism.checked.releases_eps

    @cached_property
    def has_tower(self) -> bool:
        """Whether β has a quotient as an exponent; then it is compared by certified numbers."""
        return isinstance(self.bound, Expression | ClosedForm) and has_tower(
            as_expression(self.bound, "beta")
        )

    @property
    def has_roots(self) -> bool:
        """Whether distances to disagreement may be irrational."""
        is_euclidean = self.input_metric.is_euclidean and len(self.entry_names) > 1
        is_squared = isinstance(self.input_metric, NonlinearDistance)
        return is_euclidean or is_squared or isinstance(self.ideal_function, NonlinearIdeal)

    @property
    def states_roots(self) -> bool:
        """Whether β, α or γ is given with irrational numbers."""
        levels = self.levels.values()
        ends = [end for one in levels if isinstance(one, Range) for end in (one.lower, one.upper)]
        stated = [*levels, *ends] if self.is_beta_of_input else [self.formula, *levels, *ends]
        return any(
            isinstance(one, Radical) or (isinstance(one, Expression) and has_root(one))
            for one in stated
        )

    @property
    def is_rounded(self) -> bool:
        """Whether rationals close to it replace an irrational distance to disagreement."""
        return self.has_roots

    def require_rationals(self, what: str) -> None:
        """Refuse a question that would be answered for an approximation of the distance."""
        if self.is_rounded:
            raise ValueRefusedError(
                f"{what} is not computed where rationals close to dd replace it",
                rule="Where dd is irrational and not known exactly, for all reals and in boxes, "
                "check(), tightest() and smallest_epsilon() decide with numbers close to dd.",
                way_out="Use these, or list the inputs, or use linf or l1.",
            )

    def require_ends(self) -> None:
        """Refuse a set of ε whose ends are not computed."""
        self.require_rationals("the set of ε")

    def require_numbers(self, what: str) -> None:
        """Refuse a question that requires one α and γ per input."""
        if self.has_parts or self.conditions != ALWAYS:
            raise ValueRefusedError(
                f"{what} is not computed for a claim with conditions, or with β by cases",
                rule="Such claims are decided by check(), tightest() and smallest_epsilon().",
                way_out="Use these; or ask a claim with numbers for alpha and gamma.",
            )

    def require_one_sum(self, what: str) -> None:
        """Refuse a question that requires one α and γ per input, with one closed form for all ε."""
        if self.mechanism.checked.releases_eps:
            raise ValueRefusedError(
                f"{what} is not computed: outputs of {self.mechanism.__name__} are expressions in "
                "eps",
                rule="Such claims are decided by check(), tightest() and smallest_epsilon().",
                way_out="Use these.",
            )
        self.require_numbers(what)
        if self.has_inverse_eps:
            raise ValueRefusedError(
                f"{what} is not computed: alpha or gamma has a logarithm"
                if self.level_logs
                else f"{what} is not computed: {self.mechanism.__name__} has numbers that move "
                "with eps beside reals",
                rule="Such claims are decided by check(), tightest() and smallest_epsilon(); "
                "other questions need a single eps.",
                way_out="Use these, or give a single eps, such as epsilon=1.",
            )

    # As text --------------------------------------------------------------------------

    def __str__(self) -> str:
        beta = written(self.beta) if self.is_beta_of_input else str(self.formula)
        alpha, gamma = (
            f"{shown_as} {level}" if isinstance(level, Range) else f"{shown_as} = {level}"
            for shown_as, level in (
                ("α", self._given_levels["alpha"]),
                ("γ", self._given_levels["gamma"]),
            )
        )
        return (
            f"{self.mechanism.__name__} is (α, β, γ)-accurate with {alpha}, {gamma} and "
            f"β = {beta}{self._unless_assumed} {self.where}, for {self.when}"
        )

    @property
    def where(self) -> str:
        """A description of the inputs at which the claim is made."""
        return f"on {told_inputs(self.inputs, self.input_set)}{self._condition}"

    @property
    def _condition(self) -> str:
        """A description of the condition of the claim."""
        if is_condition(self.inputs):
            inputs = f" where {written(self.inputs)}"
            return inputs + ("" if self.region is None else f" and {self._region_shown}")
        return "" if self.region is None else f" where {self._region_shown}"

    @property
    def _region_shown(self) -> str:
        if isinstance(self.region, Cases):
            cases = (" and ".join(map(str, conj)) for conj in self.region)
            return " or ".join(cases)
        if callable(self.region):
            return written(self.region)
        given = self.region if isinstance(self.region, tuple | list) else (self.region,)
        return " and ".join(map(str, given))

    @property
    def when(self) -> str:
        """A description of the ε for which the claim is made."""
        return told_budgets(self.epsilon)

    @property
    def distances(self) -> str:
        """A description of the distances."""
        return f"distances: {self.input_metric} of inputs, {self.output_metric} of outputs"

    @property
    def _unless_assumed(self) -> str:
        """A description of the distances, or "" if they are those that a reader would assume."""
        noisy = self.mechanism.checked.output.holds_noise
        are_usual = self.input_metric == linf and self.output_metric == discrete_outputs
        return "" if are_usual and not noisy else f" ({self.distances})"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"
