"""Enclosures: balls around numbers and sums, Taylor forms on segments, certified digits.

Everything here contains the true value; how near it comes depends on `precision`. A comparison of
balls that is undecided is False in both directions, so `not (a < b)` proves nothing: use `sign`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count
from math import comb, factorial
from typing import Protocol

from flint import arb, arb_poly, arb_series, ctx, fmpq

from .linear import Rational
from .numbers import read, spell

ORDER = 3
"""The least degree of a Taylor form: with 2, up to nine times as many boxes are needed."""

BITS = 5
"""One degree more for so many bits that cancel. Measured on powers of e^{ε/N} - 1 and on e^ε minus
the first terms of its series, with 16 to 160 bits: with 3 there are as many boxes, and each costs
half as much again; with 12 there are up to seven times as many."""

SPARSE = 8
"""A polynomial with more than so many exponents for each term is summed term by term."""

LONGEST = 1 << 22
"""Bits of a rational end of a ball beyond which it is not written out: a megabyte of digits."""


def fmpq_of(q: Rational | fmpq) -> fmpq:
    """Return a rational number of flint."""
    return q if isinstance(q, fmpq) else fmpq(q.numerator, q.denominator)


def fraction_of(q: fmpq) -> Fraction:
    """Return a Fraction of a rational number of flint."""
    return Fraction(int(q.p), int(q.q))


def point(q: Rational | fmpq) -> arb:
    """Return a ball around a rational number; it is exact if the number is a short binary one."""
    return arb(fmpq_of(q))


def ball(a: Rational, b: Rational) -> arb:
    """Return a ball that contains [a, b]."""
    return point(a).union(point(b))


def ends(x: arb) -> tuple[Fraction, Fraction]:
    """Return rational ends (a, b) of a finite ball: it is contained in [a, b].

    An end that is too near to 0 to be written out is replaced by 0 or by 2^(-LONGEST), outwards;
    a ball that is not finite or too large raises ValueError.
    """
    if not x.is_finite():
        raise ValueError("a ball that is not finite has no ends")
    return _end(x, -1), _end(x, 1)


def _end(x: arb, side: int) -> Fraction:
    """Return the lower (-1) or the upper (1) end of a ball, or a number further out."""
    if not x.is_exact():  # the ends are rounded outwards: to more bits than the ball has
        with precision(int(x.mid().man_exp()[0]).bit_length() + 64):
            x = x.lower() if side < 0 else x.upper()
    mantissa, power = (int(n) for n in x.man_exp())
    size = mantissa.bit_length() + power
    if size > LONGEST:
        raise ValueError(f"a number near 2^{size} is too large to be written out")
    if power > -LONGEST:
        return Fraction(mantissa << power) if power >= 0 else Fraction(mantissa, 1 << -power)
    if size < -LONGEST:
        return Fraction(side, 1 << LONGEST) if mantissa * side > 0 else Fraction(0)
    return Fraction((mantissa >> (-power - LONGEST)) + (side > 0), 1 << LONGEST)


def sign(x: arb) -> int:
    """Return 1 or -1 if the ball proves it; 0 says that the ball contains 0: unknown."""
    return 1 if x > 0 else -1 if x < 0 else 0


def precision(bits: int) -> AbstractContextManager[object]:
    """Compute with so many bits inside `with`."""
    return ctx.workprec(bits)


@contextmanager
def order(n: int) -> Iterator[None]:
    """Compute with series of so many coefficients inside `with`: flint cuts them at ten."""
    before, ctx.cap = ctx.cap, max(n, 1)
    try:
        yield
    finally:
        ctx.cap = before


def accurate(value: Callable[[], arb], bits: int, most: int = 1 << 16) -> arb:
    """Return a ball of a number that is good to so many bits, relative to its size.

    The precision is doubled until it suffices; with `most` bits the last ball is returned, which
    then contains 0 or is wide (a number that is 0 never gets a relative accuracy).
    """
    working = bits + 32
    while True:
        with precision(working):
            found = value()
        if found.rel_accuracy_bits() >= bits or working >= most:
            return found
        working *= 2


class Smooth(Protocol):
    """A function of ε that can be enclosed with its derivatives."""

    def value(self, x: arb) -> arb:
        """Return a ball that contains all values on a ball."""

    def series(self, x: arb, n: int) -> arb_series:
        """Return balls of the first n Taylor coefficients at every point of a ball."""


class Terms:
    """Σ c·ε^k·e^{bε/unit} with balls c, as [(k, b, c)]: what a sum on a line is enclosed by.

    At a point the terms with one k are a polynomial in e^{ε/unit}; on a wide ball each term is
    enclosed by itself, as the powers of a wide ball forget that they belong together.
    """

    __slots__ = ("_derived", "bits", "low", "terms", "unit")

    def __init__(self, unit: int, terms: Sequence[tuple[int, int, arb]]) -> None:
        self.unit, self.terms, self.bits = unit, terms, ctx.prec
        exponents = [b for _, b, _ in terms] or [0]
        self.low = min(exponents)
        dense = max(exponents) - self.low <= SPARSE * len(exponents)
        self._derived: list[list[tuple[int, arb_poly]]] | None = [] if dense else None

    def value(self, x: arb) -> arb:
        """Return a ball that contains the values on a ball."""
        if self._derived is not None and _narrow(x):
            total, last = arb(0), 0
            for k, found in self._at_point(x, 0).items():  # from the highest power downwards
                total, last = (total * x ** (last - k) if last > k else total) + found, k
            return total * x**last if last else total
        total, powers = arb(0), self._powers(x)
        for k, b, c in self.terms:
            term = c * powers[b]
            total += term * x**k if k else term
        return total

    def series(self, x: arb, n: int) -> list[arb]:
        """Return balls of the first n Taylor coefficients at every point of a ball."""
        groups: dict[int, list[arb]] = {}
        if self._derived is not None and _narrow(x):
            for j in range(n):
                for k, found in self._at_point(x, j).items():
                    groups.setdefault(k, []).append(found)
        else:
            powers = self._powers(x)
            for k, b, c in self.terms:
                sums = groups.setdefault(k, [arb(0)] * n)
                term, rate = c * powers[b], point(fmpq(b, self.unit))
                for j in range(n):
                    sums[j] += term
                    if not b:
                        break
                    term = term * rate / (j + 1)
        result = [arb(0)] * n
        for k, sums in groups.items():
            for i in range(min(k + 1, n)):
                factor = comb(k, i) * x ** (k - i) if k else arb(1)
                for j in range(n - i):
                    result[i + j] += factor * sums[j]
        return result

    def _powers(self, x: arb) -> dict[int, arb]:
        y = x / self.unit
        return {b: (y * b).exp() if b else arb(1) for b in {b for _, b, _ in self.terms}}

    def _at_point(self, x: arb, j: int) -> dict[int, arb]:
        """Return {k: Σ c·(b/unit)^j/j!·e^{bx/unit}}."""
        assert self._derived is not None
        while len(self._derived) <= j:
            with precision(self.bits):  # kept: as precise as the terms, not as this call
                self._derived.append(self._polynomials(len(self._derived)))
        y = (x / self.unit).exp()
        if not self.low:
            return {k: polynomial(y) for k, polynomial in self._derived[j]}
        first = (x * self.low / self.unit).exp()
        return {k: polynomial(y) * first for k, polynomial in self._derived[j]}

    def _polynomials(self, j: int) -> list[tuple[int, arb_poly]]:
        groups: dict[int, dict[int, arb]] = {}
        under = self.unit**j * factorial(j)
        for k, b, c in self.terms:
            groups.setdefault(k, {})[b - self.low] = c * b**j / under if j else c
        return [
            (k, arb_poly([found.get(i, 0) for i in range(max(found) + 1)]))
            for k, found in sorted(groups.items(), reverse=True)
        ]


def _narrow(x: arb) -> bool:
    """Whether a ball is a point but for rounding."""
    return bool(x.is_exact() or x.rel_accuracy_bits() > ctx.prec // 2)


def degree_for(bits: int) -> int:
    """Return the degree of a Taylor form, for coefficients that are 2^bits times the values.

    So many bits cancel: the remainder on a segment of length 1 must be smaller by as much.
    """
    return ORDER + max(bits, 0) // BITS


class Taylor:
    """Enclosures of a smooth function on segments by its Taylor polynomial in the middle.

    With d = degree, m = (a + b)/2 and |h| ≤ (b - a)/2,
    f(m + h) = Σ_{i<d} fᵢ(m)·hⁱ + f_d(ξ)·h^d for one ξ of [a, b]; fᵢ are Taylor coefficients.
    """

    __slots__ = ("degree", "f")

    def __init__(self, f: Smooth, degree: int) -> None:
        self.f, self.degree = f, degree

    def value(self, m: Rational) -> arb:
        """Return a ball around f(m)."""
        return self.f.value(point(m))

    def over(self, a: Rational, b: Rational) -> arb:
        """Return a ball that contains f(x) for every x of [a, b]."""
        m, r = Fraction(a + b) / 2, point(Fraction(b - a) / 2)
        at = _coefficients(self.f.series(point(m), self.degree), self.degree)
        wide = _coefficients(self.f.series(ball(a, b), self.degree + 1), self.degree + 1)
        at.append(wide[self.degree])
        total, power = at[0], arb(1)
        for i, c in enumerate(at[1:], 1):
            power *= r
            total += c * (arb(0).union(power) if i % 2 == 0 else power.union(-power))
        return total if total.rad() < wide[0].rad() else wide[0]


def _coefficients(s: arb_series, n: int) -> list[arb]:
    if s.prec < n:  # it would be read as 0
        raise ValueError(f"a series of {s.prec} coefficients where {n} are needed: see `order`")
    return [s[i] for i in range(n)]


@dataclass(frozen=True)
class Enclosure:
    """A proven interval [lower, upper] around a real number; exact if both ends are equal.

    >>> str(Enclosure(Fraction(2783, 10000), Fraction(2784, 10000)))
    '0.278…'
    """

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "lower", Fraction(self.lower))
        object.__setattr__(self, "upper", Fraction(self.upper))
        if self.lower > self.upper:
            raise ValueError("the lower end of an enclosure is above its upper end")

    @staticmethod
    def of(x: arb) -> Enclosure:
        """Return the enclosure of a finite ball."""
        return Enclosure(*ends(x))

    @property
    def is_exact(self) -> bool:
        """Whether the number is this rational exactly."""
        return self.lower == self.upper

    @property
    def width(self) -> Fraction:
        """The distance of the ends."""
        return self.upper - self.lower

    @property
    def sign(self) -> int | None:
        """1, -1 or 0 if that is proven, otherwise None."""
        if self.lower > 0 or self.upper < 0:
            return 1 if self.lower > 0 else -1
        return 0 if self.is_exact else None

    def __contains__(self, q: Rational) -> bool:
        return self.lower <= q <= self.upper

    def __float__(self) -> float:
        """Return the double next to the middle; a number beyond all doubles is infinite."""
        middle = (self.lower + self.upper) / 2
        try:
            return float(middle)
        except OverflowError:
            return float("inf") if middle > 0 else float("-inf")

    def ball(self) -> arb:
        """Return a ball that contains the enclosure."""
        return ball(self.lower, self.upper)

    def to_json(self) -> list[str]:
        """Return both ends as "p/q"."""
        return [spell(self.lower), spell(self.upper)]

    @staticmethod
    def from_json(data: Sequence[str]) -> Enclosure:
        """Return the enclosure whose `to_json` this is."""
        lower, upper = data
        return Enclosure(read(lower), read(upper))

    def text(self, digits: int) -> str:
        """Return the number to at most so many digits, each of them proven: none is rounded.

        A short exact rational is written as it is. If not one digit is proven, both ends are
        written, rounded outwards.
        """
        return self._written(digits)[0]

    def __str__(self) -> str:
        """Return the proven digits, with … for what is not proven or left out."""
        text, whole = self._written(40)
        return text if whole else f"{text}…"

    def _written(self, digits: int) -> tuple[str, bool]:
        """Return the text, and whether it says everything."""
        if self.is_exact and self.lower.denominator < 10**6 and abs(self.lower) < 10**40:
            return str(self.lower), True
        if self.sign is None:
            return self._both_ends(), True
        least, most = sorted((abs(self.lower), abs(self.upper)))
        proven = self._proven(least, most, digits)
        if proven is None:
            return self._both_ends(), True
        return ("-" if self.upper < 0 else "") + _decimal(*proven), False

    @cached_property
    def _places(self) -> int:
        """The decimal places that the width leaves."""
        return -_magnitude(self.width) if self.width else 10**9

    def _proven(self, least: Fraction, most: Fraction, digits: int) -> tuple[int, int] | None:
        """Return (n, s), such that n/10^s ≤ least ≤ most < (n + 1)/10^s, with n > 0."""
        first = -_magnitude(most)  # so many places give one digit
        for s in range(min(self._places, first + digits - 1), first - 1, -1):
            n = _scaled(least, s)
            if n and n == _scaled(most, s):
                return n, s
        return None

    def _both_ends(self) -> str:
        places = self._places + 1
        low, high = _scaled(self.lower, places), -_scaled(-self.upper, places)
        return f"[{_decimal(low, places)}, {_decimal(high, places)}]"


def _magnitude(q: Fraction) -> int:
    """Return the e with 10^e ≤ |q| < 10^(e + 1), for q that is not 0."""
    bits = abs(q.numerator).bit_length() - q.denominator.bit_length()
    guess = bits * 30103 // 100000 - 2  # log₁₀ 2 to 8 digits, for up to 2^23 bits
    return next(e - 1 for e in count(guess) if not _scaled(abs(q), -e))


def _scaled(q: Fraction, places: int) -> int:
    """Return ⌊q·10^places⌋; without a Fraction, which would look for common divisors."""
    power: int = 10 ** abs(places)
    if places < 0:
        return q.numerator // (q.denominator * power)
    return q.numerator * power // q.denominator


def _decimal(n: int, places: int) -> str:
    """Return n/10^places with the digits of n: with a power of ten if 0s would be added."""
    if not n:
        return "0"
    digits, minus = str(abs(n)), "-" * (n < 0)
    exponent = len(digits) - places - 1
    if places < 0 or not -5 <= exponent < max(15, len(digits)):
        tail = f".{digits[1:]}" if digits[1:] else ""
        return f"{minus}{digits[0]}{tail}e{exponent:+d}"
    if places <= 0:
        return f"{minus}{digits}"
    digits = digits.rjust(places + 1, "0")
    return f"{minus}{digits[:-places]}.{digits[-places:]}"
