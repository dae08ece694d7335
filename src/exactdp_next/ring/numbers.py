"""Rational numbers as users give them, and as text of any length."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational as RationalNumber

from flint import fmpq, fmpz

from .linear import Rational, whole

LONGEST = 200_000
"""Characters of a text that a user gives: two seconds. What exactdp itself wrote has no limit."""

LARGEST_EXPONENT = 100_000
"""The exponent of a decimal: a text of eight characters shall not make a number of gigabytes."""

_DIGITS = r"[0-9]+(?:_[0-9]+)*"
DECIMAL = rf"(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"\s*([-+−]?)\s*({DECIMAL})(?:\s*/\s*({DECIMAL}))?\s*(%?)\s*")


def rational_or_none(x: object) -> Rational | None:
    """Return a number as a rational; a float is the decimal as which it prints, a bool is none."""
    if isinstance(x, bool):
        return None
    if isinstance(x, int):
        return x
    if isinstance(x, RationalNumber | fmpq | fmpz):
        return whole(Fraction(int(x.numerator), int(x.denominator)))
    if isinstance(x, float):
        return whole(Fraction(repr(float(x)))) if isfinite(x) else None
    if isinstance(x, Decimal):
        return whole(Fraction(x)) if x.is_finite() else None
    return None


def number(x: object) -> Rational | None:
    """Return a number, or a text such as "0.1", "1/3" or "5%" that spells one; None for others."""
    if not isinstance(x, str):
        return rational_or_none(x)
    match = _NUMBER.fullmatch(x) if len(x) <= LONGEST else None
    if match is None:
        return None
    sign, over, under, percent = match.groups()
    above, below = decimal(over), decimal(under or "1")
    if not below or above is None:
        return None
    size = above / below / (100 if percent else 1)
    return whole(size if sign in ("", "+") else -size)


def decimal(digits: str) -> Fraction | None:
    """Return a decimal without a sign as a rational; None if its exponent is too large."""
    shown, _, power = digits.replace("_", "").lower().partition("e")
    integer, _, part = shown.partition(".")
    if len(power) > 8:
        return None
    exponent = int(power or 0) - len(part)
    if abs(exponent) > LARGEST_EXPONENT:
        return None
    size = int(fmpz(integer + part))
    return size * Fraction(10) ** exponent if exponent else Fraction(size)


def spell(q: Rational | fmpq) -> str:
    """Return "p/q" or "p", however long: Python's own conversion stops at 4300 digits."""
    return str(fmpq(q.numerator, q.denominator))


def read(text: str) -> Fraction:
    """Return the rational that `spell` wrote."""
    over, _, under = text.partition("/")
    return Fraction(int(fmpz(over)), int(fmpz(under or "1")))


def short(q: Rational) -> str:
    """Return a number for a message."""
    size = max(abs(q.numerator), q.denominator).bit_length()
    return spell(q) if size < 200 else "a very long number"
