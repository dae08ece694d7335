"""Read the JSON of a certificate: one notation for everything, all else is rejected."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

from . import limits

_RATIONAL = re.compile(r"(0|-?[1-9][0-9]*)(/[1-9][0-9]*)?")

Terms = dict[tuple[Fraction, int], Fraction]  # Σ c·ε^k·e^{qε} as {(q, k): c}, all c ≠ 0
Key = tuple[tuple[int, ...], tuple[Fraction, ...]]  # powers and rates
Sum = dict[Key, Fraction]  # Σ c·∏ x^k·e^{Σ qx} in several variables


class RejectedError(Exception):
    """The certificate proves nothing; the message says why."""


def short(value: object) -> str:
    """Return a value as a short text."""
    text = ascii(value).strip("'")
    return text if len(text) <= 50 else f"{text[:20]}...{text[-20:]}"


def unknown(rule: object) -> str:
    """Return the message about a rule of proof that this version does not have."""
    return f"{short(rule)} is not a rule of proof: write it again with this version of exactdp"


def spelled(x: Fraction | float) -> str:
    """Return a number as a short text, also where Python refuses to write it out."""
    parts = (x.numerator, x.denominator) if isinstance(x, Fraction) else (0,)
    if max(part.bit_length() for part in parts) < 10_000:
        return short(str(x))
    return f"about 2^{parts[0].bit_length() - parts[-1].bit_length()}"


class RealInterval(NamedTuple):
    """An interval of real numbers."""

    lower: Fraction | float  # a float only if infinite
    lower_closed: bool
    upper: Fraction | float
    upper_closed: bool

    def has(self, x: Fraction) -> bool:
        """Whether a number is inside."""
        above = self.lower < x or (self.lower_closed and self.lower == x)
        return above and (x < self.upper or (self.upper_closed and x == self.upper))

    def text(self) -> str:
        """Return the interval as a text."""
        ends = f"{spelled(self.lower)}, {spelled(self.upper)}"
        return f"{'(['[self.lower_closed]}{ends}{')]'[self.upper_closed]}"


def size(x: Fraction) -> int:
    """Return how many bits a rational has."""
    return x.numerator.bit_length() + x.denominator.bit_length()


class CertificateReader:
    """Reads parts of one certificate; raises if they are malformed."""

    where = "the certificate"  # what is being read
    work, length = 0, limits.MAX_TEXT  # steps; characters of the text, which pay for them

    def require(self, condition: object, otherwise: str) -> None:
        """Reject the certificate unless a condition holds."""
        if not condition:
            raise RejectedError(f"{self.where}: {otherwise}")

    def spend(self, steps: int, bits: int) -> None:
        """Count steps with numbers of this size; the time of a division is as its square."""
        self.work += steps * (1 + (bits // 1000) ** 2)
        most = min(limits.MAX_WORK, limits.WORK[0] + limits.WORK[1] * self.length)
        self.require(self.work <= most, f"checking takes more than {most} steps")

    def fields(self, value: Any, names: str) -> list[Any]:
        """Read an object with exactly these keys, and return its values in their order."""
        right = isinstance(value, dict) and value.keys() == set(names.split())
        self.require(right, f"not an object with exactly the keys {names}")
        return [value[name] for name in names.split()]

    def entries(self, value: Any, length: int | None = None) -> list[Any]:
        """Read a list."""
        right = isinstance(value, list) and length in (None, len(value))
        self.require(right, "not a list, or not of the right length")
        return list(value)

    def integer(self, value: Any, least: int = 0, most: int = limits.MAX_DEGREE) -> int:
        """Read an integer."""
        right = type(value) is int and least <= value <= most
        self.require(right, f"{short(value)} is not an integer from {least} to {most}")
        return int(value)

    def bits(self, value: Any) -> int:
        """Read a precision."""
        return self.integer(value, 1, limits.MAX_BITS)

    def rational(self, value: Any) -> Fraction:
        """Read a rational in its only spelling: "p", or "p/q" in lowest terms with q > 1."""
        right = (
            isinstance(value, str)
            and len(value) <= limits.MAX_DIGITS
            and _RATIONAL.fullmatch(value)
        )
        self.require(right, f"{short(value)} is not a rational number")
        self.spend(1, 4 * len(value))
        n, d = (int(Decimal(part)) for part in f"{value}/1".split("/")[:2])  # int() has a limit
        x = Fraction(n, d)
        reduced = x.denominator == d and not value.endswith("/1")
        self.require(reduced, f"{short(value)} is not in lowest terms")
        return x

    def terms(self, value: Any) -> Terms:
        """Read a sum of [c, k, q], sorted by (q, k), without repetitions and zeros."""
        terms: Terms = {}
        for entry in self.entries(value):
            c, k, q = self.entries(entry, 3)
            key, last = (self.rational(q), self.integer(k)), next(reversed(terms), None)
            terms[key] = self.rational(c)
            right = terms[key] != 0 and (last is None or last < key)
            self.require(right, f"the term {short(entry)} is 0, or not in the order of (q, k)")
        return terms

    def interval(self, value: Any) -> RealInterval:
        """Read an interval; it is not empty, and open at infinite ends."""
        names = "lower lower_closed upper upper_closed"
        low, low_closed, high, high_closed = self.fields(value, names)
        lower = -inf if low == "-inf" else self.rational(low)
        upper = inf if high == "inf" else self.rational(high)
        right = {type(low_closed), type(high_closed)} == {bool}
        right = right and not (low_closed and lower == -inf) and not (high_closed and upper == inf)
        right = right and (lower < upper or (lower == upper and low_closed and high_closed))
        self.require(right, "the interval is empty, or closed at an infinite end")
        return RealInterval(lower, low_closed, upper, high_closed)
