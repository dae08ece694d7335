"""The α and γ of a claim: a number, a formula, or a range."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from exactdp.claims.stated.conditions import (
    ALWAYS,
    CaseFormula,
    Cases,
    both,
    conditional,
    read_formula,
    read_pieces,
)
from exactdp.claims.stated.expressions import (
    Comparison,
    Constant,
    Expression,
    Maximum,
    Minimum,
    Symbol,
    as_expression,
)
from exactdp.claims.stated.features import number_of
from exactdp.claims.stated.functions import OfInput, written
from exactdp.claims.stated.interpreting import value_of
from exactdp.claims.stated.paths import UninterpretedError, extreme, paths
from exactdp.claims.stated.powers_of_e import ConstantForm
from exactdp.errors import ExactdpError, ProgramError, ValueRefusedError
from exactdp.language.helpers import checked_function
from exactdp.language.linear import UNIT, Linear, as_real, base_of, log_unit
from exactdp.language.program import Program
from exactdp.language.terms import EPS, EpsTerm, log
from exactdp.reals import ClosedForm, Interval, eps, parameter, solution_set
from exactdp.reals.logs import as_one_log
from exactdp.reals.numbers import inf, rational
from exactdp.reals.radical_form import RadicalForm
from exactdp.reals.radicals import Radical, told
from exactdp.semantics.spots import Spot


class AnyLevel:
    """All nonnegative numbers.

    >>> from exactdp import ANY
    >>> ANY
    ANY
    """

    def __repr__(self) -> str:
        return "ANY"

    def __reduce__(self) -> str:
        return "ANY"


#: Every value: for α, all below the distance to disagreement; for γ, all nonnegative numbers.
ANY = AnyLevel()


@dataclass(frozen=True, init=False, repr=False)
class Range:
    """All numbers between two endpoints, which are included unless the range is open there.

    Endpoints are numbers, `inf`, formulas in eps, alpha and the inputs, or functions of these.

    >>> from exactdp import Range
    >>> print(Range(1, 2))
    in [1, 2]
    """

    lower: Any
    upper: Any
    lower_open: bool
    upper_open: bool

    def __init__(
        self, lower: Any, upper: Any, *, lower_open: bool = False, upper_open: bool = False
    ) -> None:
        ends: tuple[object, object]
        lower, upper = _number_if_root(lower), _number_if_root(upper)
        if isinstance(lower, Radical) or isinstance(upper, Radical):
            low, high = (one if isinstance(one, Radical) else _end(one) for one in (lower, upper))
            if not low < high:
                raise ValueRefusedError(
                    f"the range from {low} to {high} is empty",
                    way_out="Give the smaller number first; for one number, give it alone.",
                )
            ends, upper_open = (low, high), upper_open or high == inf
        elif is_formula(lower) or is_formula(upper):
            ends = _as_end(lower), _as_end(upper)
            upper_open = upper_open and ends[1] != inf
        else:
            interval = Interval(lower, upper, lower_open=lower_open, upper_open=upper_open)
            ends, upper_open = (interval.lower, interval.upper), interval.upper_open
        put = object.__setattr__
        put(self, "lower", ends[0])
        put(self, "upper", ends[1])
        put(self, "lower_open", lower_open)
        put(self, "upper_open", upper_open)

    def __repr__(self) -> str:
        return f"<Range: {self}>"

    @classmethod
    def of(cls, on: Interval) -> Range:
        """Return all numbers of an interval."""
        return cls(on.lower, on.upper, lower_open=on.lower_open, upper_open=on.upper_open)

    @property
    def is_constant(self) -> bool:
        """Whether both endpoints are numbers."""
        return not is_formula(self.lower) and not is_formula(self.upper)

    @property
    def has_root(self) -> bool:
        """Whether an endpoint is an irrational number."""
        return isinstance(self.lower, Radical) or isinstance(self.upper, Radical)

    @property
    def interval(self) -> Interval:
        """The range as an interval, if both endpoints are rational numbers."""
        return Interval(
            self.lower, self.upper, lower_open=self.lower_open, upper_open=self.upper_open
        )

    def sides(self, name: str) -> tuple[Comparison, ...]:
        """Return the range as conditions on α or γ, if its endpoints are numbers or formulas."""
        level = Symbol(name)
        found = [Comparison(level - self.lower, strict=self.lower_open)]
        if self.upper != inf:
            found.append(Comparison(self.upper - level, strict=self.upper_open))
        return tuple(found)

    def cases(self, name: str, program: Program) -> Cases:
        """Return the range as conditions on α or γ."""
        level = Symbol(name)
        found = ALWAYS
        for end, is_upper in ((self.lower, False), (self.upper, True)):
            if end == inf:
                continue
            strict = self.upper_open if is_upper else self.lower_open
            sides = [
                (*when, Comparison(value - level if is_upper else level - value, strict=strict))
                for value, cases in pieces_of(_read_end(end, program, name))
                for when in cases
            ]
            found = both(found, Cases(sides))
        return found

    def require_some(self, name: str, on: Interval) -> None:
        """Refuse a range whose endpoints are functions of ε in the wrong order for every ε."""
        ends = [one if isinstance(one, Expression) else None for one in (self.lower, self.upper)]
        if any(one is None or one.names() for one in ends):
            return
        lower, upper = (one.at({}) for one in ends if one is not None)
        if not any(True for _ in solution_set(upper - lower, on)):
            raise ValueRefusedError(
                f"{name} {self} is empty for every ε",
                rule="A range contains the numbers from its lower to its upper end.",
                way_out="Exchange the ends.",
            )

    def reaches_below(self, limit: Fraction | float, *, closed: bool) -> bool:
        """Whether some number of the range is below a limit (or equal to it, if closed)."""
        if self.lower < limit:
            return True
        return bool(closed and self.lower == limit and not self.lower_open)

    def has(self, number: Any) -> bool:
        """Whether a number, or a linear form in parameters, is in the range."""
        above = number > self.lower or (number == self.lower and not self.lower_open)
        below = number < self.upper or (number == self.upper and not self.upper_open)
        return bool(above and below)

    def __str__(self) -> str:
        if self.is_constant and not self.has_root:
            is_all = self.lower == 0 and self.upper == inf and not self.lower_open
            return "any" if is_all else f"in {self.interval}"
        left, right = "[("[self.lower_open], "])"[self.upper_open]
        upper = "∞)" if self.upper == inf else f"{_shown_end(self.upper)}{right}"
        return f"in {left}{_shown_end(self.lower)}, {upper}"


Level: TypeAlias = Expression | Range


def is_formula(value: object) -> bool:
    """Whether a value is a formula, a function or the text of a formula, and not a number."""
    if isinstance(value, str):
        try:
            rational(value)
        except ExactdpError:
            return value.strip() not in _ENDLESS
        return False
    return isinstance(value, Expression | ClosedForm) or callable(value)


def _number_if_root(value: Any) -> Any:
    """Return a number such as sqrt(2), which users write as a function of ε, as a number."""
    if isinstance(value, Constant):
        value = value.form
    number = value.number if isinstance(value, RadicalForm) else None
    return value if number is None else number


def _end(value: Any) -> Fraction | float:
    return inf if value == inf else rational(value, "an end of a range")


_ENDLESS = ("inf", "∞")


def _as_end(value: object) -> object:
    """Return an endpoint: an expression, a text, a function, or ∞."""
    if value == inf or value in _ENDLESS:
        return inf
    if is_formula(value) and not isinstance(value, ClosedForm):
        return value.strip() if isinstance(value, str) else value
    return as_expression(value, "an end of a range")


def _shown_end(end: object) -> str:
    is_function = callable(end) and not isinstance(end, Expression)
    return written(end) if is_function else str(end)  # type: ignore[arg-type]


def _read_end(end: Any, program: Program, name: str) -> Expression:
    if isinstance(end, str):
        return read_formula(end, program, f"an end of {name}")
    if callable(end) and not isinstance(end, Expression):
        pieces = read_pieces(end, program, f"an end of {name}")
        return CaseFormula.of(((value, Cases((when,))) for value, when in pieces), written(end))
    return as_expression(end, f"an end of {name}")


def pieces_of(level: Expression) -> tuple[tuple[Expression, Cases], ...]:
    """Return a formula as formulas without cases, minima and maxima, with conditions."""
    if isinstance(level, CaseFormula):
        return tuple(
            (one, both(cases, more))
            for whole, cases in level.pieces
            for one, more in pieces_of(whole)
        )
    if isinstance(level, Minimum | Maximum):
        is_largest = isinstance(level, Maximum)
        parts = level.parts
        found = paths(lambda path: extreme(parts, path, is_largest=is_largest))
        return tuple((one, Cases((when,))) for when, one in found)
    return ((level, ALWAYS),)


class LogLevel(ConstantForm):
    """a + b/ε + c·log(r)/ε: a closed form with a parameter such as eps[20], which is log(20)."""

    @property
    def logs(self) -> tuple[str, ...]:
        """The parameters that are logarithms."""
        return tuple(name for name in self.form.parameters if base_of(name) is not None)


def _with_log(term: EpsTerm, name: str) -> Expression:
    """Return a term with logarithms as a level."""
    try:
        real = as_real(term)
    except ProgramError:
        raise _other_log(name, str(term)) from None
    if not isinstance(real, Linear):
        return as_expression(real, name)
    scaled = real.constant * eps + real.coefficients.get(UNIT, Fraction(0))
    parts = ((base_of(symbol), Fraction(q)) for symbol, q in real.coefficients.items())
    logs = {base: q for base, q in parts if base is not None}
    for base, q in as_one_log(logs).items():
        scaled = scaled + q * parameter(log_unit(base))
    return LogLevel(scaled / eps) if logs else Constant(scaled / eps)


def _log_term(text: str, name: str) -> object:
    """Return the value of a text with logarithms of numbers; None if it has none."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None
    if not any(isinstance(one, ast.Name) and one.id == "log" for one in ast.walk(tree)):
        return None
    names = {"eps": EPS, "log": lambda one: log(rational(one, "the argument of log"))}
    try:
        ((_, value),) = paths(lambda path: value_of(tree, names, path))
    except UninterpretedError as error:
        raise _other_log(name, text, f": {error}") from None
    return value


def _other_log(name: str, shown: str, why: str = "") -> ValueRefusedError:
    return ValueRefusedError(
        f"{name} is {shown}, with a logarithm{why}",
        rule=f"With logarithms, {name} is a + b / eps + c * log(r) / eps with rational numbers a, "
        "b, c and r.",
        way_out=f"Write for example {name}='2 * log(60) / eps'. Inputs, other powers of eps and "
        "alpha cannot stand beside log(r): write a rational number close to it.",
    )


EVERY = Range(0, inf)


def read_level(value: object, name: str, program: Program) -> Level:
    """Read α or γ given by a user: a number, ANY, a range, a formula, its text or a function.

    Texts use inputs by name.
    """
    if value is ANY:
        return EVERY
    if isinstance(value, str) and _is_range(value.strip()):
        value = _range_of(value)
    elif isinstance(value, tuple | list) and len(value) == 2:
        value = Range(*value)
    elif isinstance(value, Interval):
        value = Range.of(value)
    if isinstance(value, Range):
        if not value.is_constant:
            return value
        if value.lower < 0:
            raise _negative(name, str(value)[3:])
        if value.lower != value.upper:
            return value
        value = value.lower
    if callable(value) and not isinstance(value, Expression):
        by_cases = conditional(value, program, name)
        if by_cases is not None:
            return by_cases
        return OfInput(checked_function(value, name, partial(_read_number, name)), program)
    if isinstance(value, str) and is_formula(value):
        if (found := _log_term(value, name)) is None:
            return read_formula(value, program, name)
        value = found
    if isinstance(value, EpsTerm) and not value.has_root:
        return _with_log(value, name)
    level = as_expression(value, name)
    number = constant(level)
    if number is not None and number < 0:
        raise _negative(name, told(number))
    return level


def _read_number(name: str, found: object) -> object:
    """Read the value of a function for α or γ, which may be a spot."""
    return found if isinstance(found, Spot) else as_expression(found, name)


def _is_range(text: str) -> bool:
    """Whether a text is two ends in brackets, and not a formula such as (1 + q) / eps."""
    if text[:1] not in ("(", "["):
        return False
    try:
        return isinstance(ast.parse(text, mode="eval").body, ast.Tuple | ast.List)
    except SyntaxError:  # brackets of two kinds
        return True


def _range_of(text: str) -> Range:
    """Parse a range such as "[eps, inf)"."""
    try:
        return Range.of(Interval.of(text))
    except ExactdpError as error:
        given = text.strip()
        try:
            ends = ast.parse(given[1:-1].replace("∞", "inf"), mode="eval").body
        except SyntaxError:
            raise error from None
        if not isinstance(ends, ast.Tuple) or len(ends.elts) != 2 or given[-1] not in ")]":
            raise
    lower, upper = map(ast.unparse, ends.elts)
    return Range(lower, upper, lower_open=given[0] == "(", upper_open=given[-1] == ")")


def constant(level: Level) -> Any:
    """Return a level if it is a number, else None."""
    if isinstance(level, Constant) and isinstance(level.form, RadicalForm):
        return level.form.number
    return number_of(level)


def _negative(name: str, shown: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"{name} is {shown}",
        rule=f"{name} is a distance, so it is not negative.",
        way_out=f"Write {name}=ANY for all of them, or a number such as {name}=1.",
    )
