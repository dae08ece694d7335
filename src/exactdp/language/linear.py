"""Linear forms in named symbols: the values of real variables in a symbolic run.

1/ε combined with reals is a symbol too, called `UNIT`: scaled by ε, as all reals are, it is 1. So
is log(b)/ε, which scales to log b.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm, prod
from typing import Any, TypeAlias

from exactdp.errors import Place, ProgramError
from exactdp.language.quotients import NOT_POSITIVE, ZERO, Denominator, NoisyQuotient
from exactdp.language.rules import fail
from exactdp.language.terms import EpsTerm, log
from exactdp.language.values import Symbolic, Value, over_parts
from exactdp.language.wholes import Whole, first_unknown
from exactdp.polyhedra.form import Form, Name, Number
from exactdp.reals import logs
from exactdp.reals.operators import COMPARED, FLIPPED

Scalar: TypeAlias = "Linear | Number"
"""A real number of a symbolic run."""

UNIT = logs.UNIT
"""The symbol that stands for 1/ε, and the parameter that is 1; no input has this name."""
base_of = logs.base_of
"""Returns b if a symbol stands for log(b)/ε."""


def log_unit(base: Fraction) -> str:
    """Return the symbol that stands for log(base)/ε."""
    return f"eps[{base}]"


def shown_name(name: str) -> str:
    """Return the name of a symbol as it is displayed: 1/ε and log(b)/ε by their values."""
    if name == UNIT:
        return "1/ε"
    base = base_of(name)
    return name if base is None else f"log({base})/ε"


def unit_in(names: Iterable[object]) -> str | None:
    """Return the first symbol for 1/ε or log(b)/ε among some names, or None."""
    return next(iter(units_in(names)), None)


def units_in(names: Iterable[object]) -> tuple[str, ...]:
    """Return the symbols for 1/ε and logarithms among some names."""
    return tuple(str(one) for one in names if logs.is_constant(one))


class Linear(Form, Symbolic):
    """A linear form with at least one symbol.

    A form without symbols is a plain number, whose comparisons `Machine` decides immediately.
    """

    __slots__ = ()

    @classmethod
    def build(cls, coefficients: Mapping[Name, Number], constant: Number) -> Scalar:
        """Return the form, or the number if no symbol is left."""
        kept = {name: q for name, q in coefficients.items() if q}
        return cls(kept, constant) if kept else constant

    def __add__(self, other: object) -> Any:
        return super().__add__(as_real(other) if isinstance(other, EpsTerm) else other)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return super().__sub__(as_real(other) if isinstance(other, EpsTerm) else other)

    def __rsub__(self, other: object) -> Any:
        return (-self).__add__(other)

    def rounded(self, *, nearest: bool) -> Linear:
        """Return the form rounded to a whole number: a new symbol, unless it is whole already."""
        return self if self.is_whole else Linear.symbol(Whole(self, nearest))

    @property
    def is_whole(self) -> bool:
        """Whether it is a combination of whole numbers with whole coefficients."""
        numbers = (*self.coefficients.values(), self.constant)
        are_whole = all(isinstance(name, Whole) for name in self.coefficients)
        return are_whole and all(q.denominator == 1 for q in numbers)

    @property
    def is_of_bounded_wholes(self) -> bool:
        """Whether it is a combination of several whole numbers, each bounded on both sides."""
        return len(self.coefficients) > 1 and all(
            isinstance(name, Whole) and None not in (name.low, name.high)
            for name in self.coefficients
        )


@dataclass(frozen=True)
class Inquiry:
    """A comparison of a form with 0, and the fact about a whole number that it decides."""

    op: str
    form: Any
    about: tuple[Whole, int] | Denominator | None = None


def asked(op: str, form: Linear) -> Inquiry | bool:
    """Return the first comparison needed to decide form op 0, or the answer if it is known.

    A single whole number is compared through the real that it rounds. Terminates: each step
    narrows its bounds, and inner forms are less deep.
    """
    while len(form.coefficients) == 1:
        ((whole, q),) = form.coefficients.items()
        if not isinstance(whole, Whole):
            break
        way = op if q > 0 else FLIPPED[op]
        answer, k = first_unknown(whole, way, Fraction(-form.constant) / q)
        if k is None:
            return answer
        inner = asked(*whole.condition(k))
        if isinstance(inner, Inquiry):
            return inner if inner.about is not None else Inquiry(inner.op, inner.form, (whole, k))
        form = Linear({whole.bounded(k, inner): q}, form.constant)
    return Inquiry(op, form)


def asked_of_quotient(op: str, quotient: NoisyQuotient, place: Place) -> Inquiry | bool:
    """Return the first comparison needed to decide quotient op 0, or the answer if it is known.

    The sign of the denominator is decided first; then the numerator is compared.
    """
    while quotient.sign not in (1, -1):
        if quotient.sign == ZERO:
            raise divided_by_zero(place)
        about = Denominator(quotient.under, is_negative=quotient.sign == NOT_POSITIVE)
        found = _asked("<" if about.is_negative else ">", quotient.under)
        if isinstance(found, Inquiry):
            return found if found.about is not None else replace(found, about=about)
        quotient = about.learned(quotient, found)
    return _asked(*quotient.compared(op))


def _asked(op: str, number: Any) -> Inquiry | bool:
    """Return the comparison needed to decide number op 0, or the answer; symbolic or not."""
    if isinstance(number, Linear):
        return asked(op, number)
    return Inquiry(op, number) if isinstance(number, Symbolic) else COMPARED[op](number, 0)


def with_sign(value: Value, about: Denominator, truth: bool) -> Value:
    """Return a value with quotients updated by an answer about a denominator."""
    if isinstance(value, NoisyQuotient):
        return about.learned(value, truth)
    if isinstance(value, tuple):
        return over_parts(value, lambda part: with_sign(part, about, truth))
    return value


def divided_by_zero(place: Place) -> ProgramError:
    """Return the error for a quotient whose denominator is 0."""
    return fail(
        place,
        "division by zero",
        "Python's own rules hold for quotients, too.",
        "Test the divisor with `if` before; in an ideal, `assert q > 0` leaves out other inputs.",
    )


def with_whole(value: Value, whole: Whole, found: Scalar) -> Value:
    """Return a value with every occurrence of a whole number replaced by `found`."""
    if isinstance(value, Linear):
        return _with_whole(value, whole, found)
    if isinstance(value, NoisyQuotient):
        return value.mapped(lambda part: with_whole(part, whole, found))
    if isinstance(value, tuple):
        return over_parts(value, lambda part: with_whole(part, whole, found))
    return value


def _with_whole(form: Linear, whole: Whole, found: Scalar) -> Scalar:
    if not any(isinstance(name, Whole) for name in form.coefficients):
        return form
    total: Any = form.constant
    for name, q in form.coefficients.items():
        part: Any
        if not isinstance(name, Whole):
            part = Linear({name: q})
        elif name.is_like(whole):
            part = found * q
        else:
            inner = _with_whole(name.form, whole, found)
            part = q * made_whole(replace(name, form=inner))
        total = total + part
    return total  # type: ignore[no-any-return]


def wholes_in(value: Value) -> Iterator[Whole]:
    """Yield the whole numbers in a value, inner ones first."""
    if isinstance(value, tuple):
        for item in value:
            if isinstance(item, tuple | Symbolic):
                yield from wholes_in(item)
    elif isinstance(value, NoisyQuotient):
        yield from wholes_in((value.over, value.under))
    elif isinstance(value, Linear):
        for name in value.coefficients:
            if isinstance(name, Whole):
                yield from wholes_in(name.form)
                yield name


def made_whole(whole: Whole) -> Scalar:
    """Return a whole number as a form, or as a plain number if its value is known."""
    if not isinstance(whole.form, Linear):
        return whole.value(whole.form)
    known = whole.known
    return Linear.symbol(whole) if known is None else known


def _one_log(logs: Mapping[Fraction, Fraction]) -> dict[str, Fraction]:
    """Return Σ q·log(b) as a multiple of one logarithm."""
    if not logs:
        return {}
    common = lcm(*(q.denominator for q in logs.values()))
    whole = log(prod((base ** int(q * common) for base, q in logs.items()), start=Fraction(1)))
    found = whole.parts() if isinstance(whole, EpsTerm) else {}
    assert found is not None
    return {log_unit(base): q / common for (_, base), q in found.items() if base is not None}


def as_real(term: EpsTerm, place: Place | None = None) -> Scalar:
    """Return a + b/ε as a real: a number where ε is known, else a form in the symbol 1/ε."""
    parts = term.parts()
    if parts is None or not all(k == -1 or (k == 0 and base is None) for k, base in parts):
        raise ProgramError(
            f"{term} cannot be combined with reals: only a + b / eps can",
            place=place,
            rule="Scaled by eps, as all noise is, the numbers of a program are a * eps + b.",
            way_out="Write a + b / eps or a + b * log(r) / eps with rational numbers a, b and r.",
        )
    start = parts.get((0, None), Fraction(0))
    units = {UNIT: parts[-1, None]} if (-1, None) in parts else {}
    units |= _one_log({base: q for (_, base), q in parts.items() if base is not None})
    known = term.known_eps()
    if known is not None:
        start += units.pop(UNIT, Fraction(0)) / known
        if term.is_rough:
            start += sum(
                q * Fraction(math.log(base_of(name) or 1)) / known for name, q in units.items()
            )
            return start
    return Linear.build(units, start)
