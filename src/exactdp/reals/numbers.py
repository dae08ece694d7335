"""Exact numbers: reading rationals, and a few helper functions."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from numbers import Rational
from typing import TypeAlias

from flint import fmpq, fmpz

from exactdp.errors import ValueRefusedError, typed

Number: TypeAlias = int | Fraction | str | float
"""What a user may write for a rational: 3, Fraction(1, 3), "0.1", "1/3", 0.1."""

inf = math.inf
"""The infinite end of an interval and the infinite distance."""

_DECIMAL = re.compile(r"([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+))?")
LARGEST_EXPONENT = 100_000


def rational(value: object, what: str = "a number") -> Fraction:
    """Return `value` as a rational.

    A float is read as the decimal it prints as (0.1 is 1/10); a string may be an integer,
    a decimal or a quotient of two of them.
    """
    if isinstance(value, bool):
        raise _not_a_number(value, what)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, fmpq | fmpz):
        return fraction(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _not_a_number(value, what)
        return Fraction(repr(float(value)))  # a numpy float prints differently
    if isinstance(value, str):
        over, slash, under = value.partition("/")
        try:
            result = decimal(over.strip())
            return result / decimal(under.strip()) if slash else result
        except (ValueError, ZeroDivisionError):
            raise _not_a_number(value, what) from None
    raise _not_a_number(value, what)


_FIVE_PERCENT = "Write 5 % as '5%', 0.05 or '1/20'."


def probability(value: object, what: str = "the probability") -> Fraction:
    """Return a rational in [0, 1), which may also be written as a percentage such as "5%"."""
    percent = is_percentage(value)
    try:
        found = rational(str(value).rstrip()[:-1].rstrip() if percent else value)
    except ValueRefusedError:
        raise ValueRefusedError(
            f"{typed(value)} is not a probability",
            rule="A probability is a number or a percentage.",
            way_out=_FIVE_PERCENT,
        ) from None
    if percent:
        found /= 100
    if not 0 <= found < 1:
        spelled = value if isinstance(value, str) else spell(found)
        raise ValueRefusedError(
            f"{what} is {spelled}",
            rule="A bound on a probability is at least 0 and below 1.",
            way_out=_FIVE_PERCENT,
        )
    return found


def is_percentage(value: object) -> bool:
    """Whether a user wrote a percentage such as "5%"."""
    return isinstance(value, str) and value.rstrip().endswith("%")


def percentage(value: Fraction) -> str:
    """Return a probability as a percentage if that is short, else as a quotient."""
    hundredfold = 100 * value
    if 10**6 % hundredfold.denominator:
        return spell(value)
    text = f"{hundredfold.numerator * 10**6 // hundredfold.denominator:07d}"
    return f"{text[:-6]}.{text[-6:]}".rstrip("0").rstrip(".") + "%"


def decimal(text: str) -> Fraction:
    """Return a decimal such as "-0.25" or "1e-40" as a rational; otherwise raise ValueError."""
    match = _DECIMAL.fullmatch(text)
    if match is None:
        raise ValueError(text)
    sign, digits, exponent = match.groups()
    whole, _, part = digits.partition(".")
    power = int(exponent or 0) - len(part)
    if abs(power) > LARGEST_EXPONENT:
        raise ValueError(text)
    size = integer(whole + part) * Fraction(10) ** power
    return -size if sign == "-" else size


def integer(digits: str) -> int:
    """Return a string of decimal digits of any length as an integer."""
    return int(fmpz(digits)) if len(digits) > 4000 else int(digits)


def spell(value: Fraction) -> str:
    """Return "p/q" or "p"; Python's own `str` refuses integers of more than 4300 digits."""
    return str(fmpq(value.numerator, value.denominator))


def fraction(value: fmpq | fmpz) -> Fraction:
    """Return a flint rational as a Fraction."""
    return Fraction(int(value.numerator), int(value.denominator))


def exact(value: Fraction | int) -> fmpq:
    """Return a Fraction as a flint rational."""
    return fmpq(value.numerator, value.denominator)


def common_step(steps: list[Fraction]) -> Fraction:
    """Return the largest g ≥ 0 such that every element of `steps` is an integer multiple of g."""
    over, under = 0, 1
    for step in steps:
        if step:
            over, under = (
                math.gcd(over * step.denominator, step.numerator * under),
                under * step.denominator,
            )
    return Fraction(over, under)


def double(value: Fraction, exponent: int = 0) -> float:
    """Return the double nearest to value·2^exponent: ±inf or ±0.0 past the range of doubles."""
    sign = -1.0 if value < 0 else 1.0
    if exponent:
        size = value.numerator.bit_length() - value.denominator.bit_length() + exponent
        if value and not -1100 < size < 1100:
            return sign * (inf if size > 0 else 0.0)
        value *= Fraction(2) ** exponent
    try:
        return value.numerator / value.denominator  # rounded correctly, whatever the sizes
    except OverflowError:
        return sign * inf


def logarithm(value: fmpq | Fraction) -> float:
    """Return the natural logarithm of |value| as a double, whatever the size of value ≠ 0."""
    return math.log(abs(int(value.numerator))) - math.log(int(value.denominator))


def is_square(value: Fraction) -> bool:
    """Whether a rational is the square of a rational."""
    n, d = value.numerator, value.denominator
    return n >= 0 and math.isqrt(n) ** 2 == n and math.isqrt(d) ** 2 == d


def positive_width(width: object) -> Fraction:
    """Return a width that a user asked for, or refuse it."""
    result = rational(width, "a width")
    if result <= 0:
        raise ValueRefusedError(
            "the width is not positive", way_out="Give a small positive number, such as '1e-9'."
        )
    return result


def simplest_inside(lower: Fraction | float, upper: Fraction | float) -> Fraction:
    """Return the rational with the smallest denominator strictly between two ends.

    Of several with that denominator it is the one closest to 0. The ends may be infinite. Walks
    down the continued fractions of both ends, which terminates like Euclid's algorithm.
    """
    if lower < 0 < upper:
        return Fraction(0)
    if upper <= 0:
        return -simplest_inside(-upper, -lower)
    wholes = []
    while True:
        whole = int(lower // 1)
        if whole + 1 < upper:
            result = Fraction(whole + 1)
            break
        wholes.append(whole)
        lower, upper = 1 / (upper - whole), 1 / (lower - whole) if lower > whole else inf
    for whole in reversed(wholes):
        result = whole + 1 / result
    return result


def near(value: Fraction) -> Fraction:
    """Return the simplest rational within 1/1000 of a number, relative if it is large."""
    room = max(abs(value), Fraction(1)) / 1000
    return value if value.denominator == 1 else simplest_inside(value - room, value + room)


def approximate(lower: Fraction | float, upper: Fraction | float) -> str:
    """Return the upper end of an enclosure, with the digits that the enclosure determines.

    At most twelve digits; the last of them may be off by one.
    """
    width = upper - lower
    known = math.log10(upper / width) if 0 < width < upper else 12
    return f"{float(upper):.{min(max(int(known) + 1, 1), 12)}g}"


def _not_a_number(value: object, what: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"{typed(value)} is not {what}",
        rule="Numbers are exact: an integer, a Fraction, a finite decimal or a string like '1/3'.",
        way_out="Write for example 3, Fraction(1, 3), '0.1' or '1/3'.",
    )
