"""Isolated zeros of sums on a line, as exact numbers: compared, refined, printed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import TypeAlias

from ..errors import fail
from . import enclose
from .enclose import Enclosure
from .expsum import ExpSum
from .numbers import spell

NARROW = Fraction(1, 2**64)
"""The relative width at which a zero is compared with the simplest rational near it: a rational
zero whose denominator has up to 30 bits is found. Others stay zeros, which is as exact."""

LAST = Fraction(1, 2**1024)
"""The width at which two zeros that are still not told apart count as undecided: a second."""

SHOWN = 12
"""Digits of a zero in a text."""


@total_ordering
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Zero:
    """The only zero of a sum on a line between two rationals, at which the sum is not 0.

    The zero is simple: the sum changes its sign. (Zeros of the squarefree part of a sum are.) The
    sum is not 0 at the two rationals. Nothing changes a Zero; `refined` returns a narrower one.
    """

    sum: ExpSum
    lower: Fraction
    upper: Fraction

    @staticmethod
    def of(sum: ExpSum, lower: Fraction, upper: Fraction) -> Zero | Fraction:  # noqa: A002
        """Return the zero, as a rational where it is seen to be one."""
        found = Zero(sum, lower, upper).refined(NARROW)
        if isinstance(found, Fraction):
            return found
        simple = simplest(found.lower, found.upper)
        return simple if not sum.at(simple) else found

    def refined(self, width: Fraction) -> Zero | Fraction:
        """Return the zero in a bracket of at most a width, relative to its lower end beyond 1.

        Each step halves the bracket, so the loop ends. A point at which the sum is 0 is the zero.
        """
        low, high = self.lower, self.upper
        left: int | None = None
        while high - low > width * max(Fraction(1), abs(low)):
            left = left or _sign_at(self.sum, low)
            middle, sign = self._inside(low, high)
            if sign == 0:
                return middle
            low, high = (middle, high) if sign == left else (low, middle)
        return self if low == self.lower and high == self.upper else Zero(self.sum, low, high)

    def _inside(self, low: Fraction, high: Fraction) -> tuple[Fraction, int]:
        """Return a point between and the sign of the sum there.

        The sum is 0 at one point at most, so of two points one has a sign that enough digits show;
        with logarithms a sum that is 0 may not be seen to be, and then the other point counts.
        """
        for part in (Fraction(1, 2), Fraction(3, 8)):
            middle = low + (high - low) * part
            sign = _sign_at(self.sum, middle)
            if sign is not None:
                return middle, sign
        fail("E40", one="0", two=f"{self.sum} at {middle}")

    def enclosure(self, digits: int = SHOWN) -> Enclosure:
        """Return an enclosure to so many digits after the point, relative to large zeros."""
        found = self.refined(Fraction(1, 10**digits))
        if isinstance(found, Fraction):
            return Enclosure(found, found)
        return Enclosure(found.lower, found.upper)

    def _known(self, digits: int) -> Enclosure:
        """Return an enclosure to so many digits; there is one, as the zero is not 0."""
        places = digits
        while True:
            found = self.enclosure(places)
            if found.width * 10**digits <= min(abs(found.lower), abs(found.upper)):
                return found
            places *= 2

    def __float__(self) -> float:
        return float(self._known(20))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Zero | int | float | Fraction):
            return NotImplemented
        return order(self, other) == 0

    def __lt__(self, other: Zero | float | Fraction) -> bool:
        return order(self, other) < 0

    def __hash__(self) -> int:
        """Return one hash for all, as zeros of different sums may be equal."""
        return hash(Zero)

    def __str__(self) -> str:
        found = self._known(SHOWN + 1)
        return spell(found.lower) if found.is_exact else f"{found.text(SHOWN)}…"

    def __repr__(self) -> str:
        return f"<Zero {self}>"


End: TypeAlias = Fraction | float | Zero
"""An end of an interval: a Fraction, `inf` or `-inf`, or an isolated zero."""


def _sign_at(f: ExpSum, x: Fraction) -> int | None:
    """Return the sign of a sum at a rational: by a ball, and exactly where that contains 0."""
    with enclose.precision(128 + max(0, f.bits())):
        found = enclose.sign(f.value(enclose.point(x)))
    return found or f.at(x).sign()


def bracket(end: End) -> tuple[Fraction | float, Fraction | float]:
    """Return rationals between which a zero is; another end is both."""
    return (end.lower, end.upper) if isinstance(end, Zero) else (end, end)


def narrower(end: End) -> End:
    """Return a zero in a quarter of its bracket, or the rational that it is."""
    return end.refined((end.upper - end.lower) / 4) if isinstance(end, Zero) else end


def order(one: End | int, two: End | int) -> int:
    """Return the sign of one − two.

    Ends that are not equal are at a positive distance, so their brackets part after some
    refinements. Those that do not part before LAST are refused as undecided: there are none but
    for constants such as e or log 2, whose independence is not known; see `_seen`.
    """
    if isinstance(two, Zero) and not isinstance(one, Zero):
        return -order(two, one)
    if isinstance(one, Zero) and (seen := _seen(one, two)) is not None:
        return seen
    a, b = one, two
    while isinstance(a, Zero) or isinstance(b, Zero):
        (low, high), (other, top) = bracket(a), bracket(b)
        if high <= other or top <= low:
            return -1 if high <= other else 1
        if max(high - low, top - other) < LAST:
            fail("E40", one=str(one), two=str(two))
        a, b = narrower(a), narrower(b)
    return (a > b) - (a < b)


def _seen(one: Zero, two: End | int) -> int | None:
    """Return the sign of one − two if signs of the sums show it, otherwise None.

    If a rational is in the bracket and the sum is 0 there, it is the zero: there is only one.
    Otherwise the zero is on the side on which the sign changes.

    Of two zeros let I be the intersection of the brackets, an interval, and h the greatest common
    divisor of the sums. An end of I is an end of a bracket, where one of the sums is not 0, so h is
    not. A zero of h in I is a zero of both sums, so it is both zeros; and a zero z of both sums is
    one of h, as f/h and g/h are coprime, and coprime polynomials in ε and e^{ε/N} have no common
    zero but ε = 0 (Lindemann: the resultants make ε and e^{ε/N} algebraic). It is simple, as it is
    in f. So the zeros are equal exactly if h changes its sign between the ends of I.
    """
    if not isinstance(two, Zero):
        sign = _sign_at(one.sum, Fraction(two)) if one.lower < two < one.upper else None
        return sign and (1 if sign == _sign_at(one.sum, one.lower) else -1)
    low, high = max(one.lower, two.lower), min(one.upper, two.upper)
    if low >= high:
        return None
    h = one.sum if one.sum == two.sum else one.sum.gcd(two.sum)
    return 0 if not h.is_constant and _sign_at(h, low) != _sign_at(h, high) else None


def simplest(lower: Fraction | float, upper: Fraction | float) -> Fraction:
    """Return the rational with the least denominator strictly between two rationals or ±∞.

    Each step takes one partial quotient of a continued fraction of an end, so the loop ends.
    """
    a, b, quotients = lower, upper, []
    if a >= b:
        raise ValueError("nothing is strictly between")
    if a < 0 < b:
        return Fraction(0)
    if b <= 0:
        return -simplest(-b, -a)
    while True:
        whole = a.__floor__()
        if whole + 1 < b:
            found = Fraction(whole + 1)
            break
        a, b = a - whole, b - whole
        if a == 0:  # the least 1/n below b
            found = Fraction(whole) + Fraction(1, (1 / b).__floor__() + 1)
            break
        quotients.append(whole)
        a, b = 1 / b, 1 / a
    for whole in reversed(quotients):
        found = whole + 1 / found
    return found
