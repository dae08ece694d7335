"""The ideal function det(P), which a mechanism approximates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from exactdp.claims.stated.factored import linear_source
from exactdp.claims.stated.inputs import as_given, has_reals
from exactdp.claims.stated.interval_numbers import AmbiguousComparisonError, Germ, IntervalNumber
from exactdp.claims.stated.unknowns import PolynomialQuotient
from exactdp.errors import ExactdpError, ProgramError, UndefinedError, ValueRefusedError, shown
from exactdp.language.code import Require
from exactdp.language.helpers import CheckedFunction, checked_function
from exactdp.language.kinds import join
from exactdp.language.layout import assembled, kinds
from exactdp.language.noisy import observes
from exactdp.language.program import DeterministicProgram, Program, typed_program
from exactdp.language.reading import read_text
from exactdp.language.rules import A_FUNCTION, LINEAR
from exactdp.language.source import text_source
from exactdp.language.values import Value
from exactdp.semantics.patterns import read_pattern
from exactdp.semantics.spots import has_spots, run_at_spots


class IdealFunction(Protocol):
    """A deterministic function of inputs."""

    def __call__(self, u: tuple[Value, ...]) -> Value:
        """Return the output at an input, with lists as tuples."""

    @property
    def program(self) -> Program | None:
        """A program that computes the function, apart from noise; None if there is none."""

    @property
    def is_partial(self) -> bool:
        """Whether the claim is made only where the function is defined."""


@dataclass(frozen=True)
class IdealProgram:
    """An ideal in the language."""

    function: DeterministicProgram
    program: Program
    """The mechanism, if the function is the mechanism without noise; otherwise the function."""

    @property
    def is_partial(self) -> bool:
        """Whether it has an `assert`; in a mechanism, a failed `assert` is an error."""
        if self.program is not self.function:
            return False
        code = self.function.code.instructions
        return any(isinstance(one, Require) and one.user for one in code)

    def __call__(self, u: tuple[Value, ...]) -> Value:
        """Run the program exactly."""
        machine = self.function.machine
        if has_spots(u):
            return run_at_spots(machine, u)
        return machine.run(u)

    def at(self, u: tuple[Value, ...]) -> Value:
        """Run the program; real numbers may be spans or germs."""
        found: Value = _output_of(self.function.machine.run(u))
        return found

    def __str__(self) -> str:
        return self.function.__name__


@dataclass(frozen=True)
class Lookup:
    """An ideal given by a dictionary or a Python function of finite inputs."""

    function: CheckedFunction
    mechanism: Program
    name: str
    program: None = None
    is_partial: bool = True

    def __call__(self, u: tuple[Value, ...]) -> Value:
        """Look the input up."""
        given = as_given(self.mechanism, u)
        try:
            return self.function(given)
        except ExactdpError:
            raise
        except AssertionError as error:
            raise _undefined(self.name, given, error) from error
        except Exception as error:
            raise ValueRefusedError(
                f"the ideal {self.name} failed at {shown(given)}: {error}",
                rule="An ideal gives the right output for every input of the claim.",
            ) from error

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class NonlinearIdeal:
    """An ideal of real inputs that multiplies them: a Python function, called with spans."""

    function: Callable[..., object]
    mechanism: Program
    name: str
    program: None = None
    is_partial: bool = True

    def __call__(self, u: tuple[Value, ...]) -> Value:
        """Call the function at one input."""
        return self.at(u)

    def at(self, u: tuple[Value, ...]) -> Value:
        """Call the function; real numbers may be spans or germs."""
        try:
            found = _output_of(self.function(*map(_callable_with, u)))
        except (ExactdpError, AmbiguousComparisonError):
            raise
        except AssertionError as error:
            raise _undefined(self.name, u, error) from error
        except Exception as error:
            raise ValueRefusedError(
                f"the ideal {self.name} failed: {error}",
                rule="An ideal that multiplies reals is a Python function with +, -, *, /, whole "
                "powers, abs, min, max and comparisons, and returns finite values.",
            ) from error
        return found

    def __str__(self) -> str:
        return self.name


def _undefined(name: str, u: Value, error: AssertionError) -> UndefinedError:
    return UndefinedError(
        f"the ideal {name} is not defined at {shown(u)}: {error}",
        rule="A claim is made where its ideal is defined.",
    )


def _callable_with(value: Any) -> Any:
    """Return a number of an input as a span, so that the function computes exactly."""
    if isinstance(value, tuple):
        return [_callable_with(item) for item in value]
    return (
        value
        if isinstance(value, IntervalNumber | Germ | PolynomialQuotient)
        else IntervalNumber.of(value)
    )


def _output_of(value: Any) -> Any:
    """Return an output of a function that was called with spans or germs."""
    if isinstance(value, tuple | list):
        return tuple(map(_output_of, value))
    if isinstance(value, IntervalNumber):
        if value.lower != value.upper:
            raise AmbiguousComparisonError
        value = value.lower
    return value if isinstance(value, Germ | PolynomialQuotient) else read_pattern(value)


def read_ideal(value: object, mechanism: Program) -> IdealFunction:
    """Read the ideal given by a user, by default the mechanism without noise."""
    found = _read_ideal(value, mechanism)
    if not isinstance(found, IdealProgram) or not found.program.depends_on_eps:
        return found  # nor does a mechanism without noise, which is not checked here
    if found.function.depends_on_eps:
        raise _depends_on_eps(str(found))
    return found


def _depends_on_eps(name: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"the ideal {name} depends on eps",
        rule="An ideal is one function of the input for every eps.",
        way_out="Write it with @ideal, without eps, and give ideal=….",
    )


def _read_ideal(value: object, mechanism: Program) -> IdealFunction:
    if value is None:
        try:
            function = mechanism.without_noise
        except ProgramError:
            if mechanism.meets_eps:
                raise _depends_on_eps(mechanism.__name__) from None
            raise
        # Runs of the mechanism go the same ways, but for those that do not count, and choices.
        is_own = observes(mechanism.definition) or mechanism.checked.scores_reals
        return IdealProgram(function, function if is_own else mechanism)
    if isinstance(value, Program) and not isinstance(value, DeterministicProgram):
        if not value.deterministic:
            raise ValueRefusedError(
                f"the ideal {value.__name__} samples",
                rule="An ideal is the deterministic function that a mechanism approximates.",
                way_out=f"Use ideal={value.__name__}.noiseless(), or a function without noise.",
            )
        value = value.noiseless()
    if isinstance(value, DeterministicProgram):
        try:
            types = [param.type for param in mechanism.inputs]
            return _checked(typed_program(value, types), mechanism)
        except ExactdpError as error:
            if value.python is None or error.rule != LINEAR or any(kinds(mechanism.inputs)):
                raise
            return _without_products(_nonlinear(value.python, mechanism))
    if isinstance(value, Mapping):
        if has_reals(mechanism):
            raise _not_for_reals("dictionary")
        table = {mechanism.read_input(key): out for key, out in value.items()}
        look = CheckedFunction(_by_table(table, mechanism), "the ideal table", read_pattern)
        return Lookup(look, mechanism, "table")
    if callable(value):
        if has_reals(mechanism):
            try:
                types = [param.type for param in mechanism.inputs]
                return _checked(typed_program(value, types, lambdas=True), mechanism)
            except ExactdpError as error:
                if error.rule in (LINEAR, A_FUNCTION) and not any(kinds(mechanism.inputs)):
                    return _without_products(_nonlinear(value, mechanism))
                raise ProgramError(
                    f"the ideal is not a function of the language: {error.message}",
                    place=error.place,
                    rule=error.rule or "An ideal of real inputs is written in the language.",
                    way_out="Write it as a function with `def`, in a file."
                    if "@" in error.way_out
                    else error.way_out,
                ) from None
        name = getattr(value, "__name__", "ideal")
        return Lookup(checked_function(value, f"the ideal {name}", read_pattern), mechanism, name)
    raise ValueRefusedError(
        f"{shown(value)} is not an ideal",
        rule="An ideal is a function in the language, a dictionary from input to output, or for "
        "finite inputs any Python function.",
        way_out="Leave it out: the mechanism without noise is the default.",
    )


def _nonlinear(function: Callable[..., object], mechanism: Program) -> NonlinearIdeal:
    name = getattr(function, "__name__", "ideal")
    return NonlinearIdeal(checked_function(function, name, read_pattern).function, mechanism, name)


def _without_products(ideal: NonlinearIdeal) -> IdealFunction:
    """Return an ideal that compares products of linear forms as one with linear tests."""
    params = ideal.mechanism.inputs

    def call(numbers: list[Any]) -> Value:
        return ideal.at(assembled(params, numbers))

    name = ideal.name if ideal.name.isidentifier() else "ideal"
    text = linear_source(call, name, [(one.name, one.type) for one in params])
    if text is None:
        return ideal
    program = DeterministicProgram(read_text(text_source(text, ideal.name), {}))
    return IdealProgram(program, program)


def _by_table(
    table: dict[tuple[Value, ...], object], mechanism: Program
) -> Callable[[Any], object]:
    def look(given: Any) -> object:
        u = mechanism.read_input(given)
        if u not in table:
            raise UndefinedError(
                f"the ideal has no output for the input {shown(given)}",
                rule="A claim is made where its ideal is defined.",
            )
        return table[u]

    return look


def _checked(function: DeterministicProgram, mechanism: Program) -> IdealProgram:
    if len(function.inputs) != len(mechanism.inputs):
        raise ValueRefusedError(
            f"the ideal {function.__name__} has {len(function.inputs)} inputs, "
            f"the mechanism {len(mechanism.inputs)}",
            rule="An ideal has the inputs of its mechanism.",
        )
    for own, other in zip(function.inputs, mechanism.inputs, strict=True):
        if own.type is not None and own.type != other.type:
            raise ValueRefusedError(
                f"the ideal takes {own.name}: {own.type}, the mechanism {other.name}: {other.type}",
                rule="An ideal has the inputs of its mechanism.",
            )
    if join(mechanism.checked.output, function.checked.output).holds("mixed"):
        raise ValueRefusedError(
            "an output is a list in one place and a tuple in another",
            rule="They are different outputs, and accuracy is computed from their entries.",
            way_out="Return lists everywhere, in the mechanism and in the ideal.",
        )
    return IdealProgram(function, function)


def _not_for_reals(what: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"the ideal is a {what}, and the inputs are real",
        rule="dd needs the ideal at every real input.",
        way_out="Write the ideal as a function in the language.",
    )
