"""Isolated zeros of sums on a line, as exact numbers: compared, refined, printed."""

from __future__ import annotations

from fractions import Fraction
from functools import total_ordering
from math import inf
from typing import TypeAlias

from ..codec import Json
from ..errors import fail
from . import enclose, printing
from .enclose import Enclosure
from .expsum import ExpSum

NARROW = Fraction(1, 2**64)
"""The relative width at which a zero is compared with the simplest rational near it: a rational
zero whose denominator has up to 30 bits is found. Others stay zeros, which is as exact."""

LAST = Fraction(1, 2**1024)
"""The width at which two zeros that are still not told apart count as undecided: a second."""

SHOWN = 12
"""Digits of a zero in a text."""


@total_ordering
class Zero:
    """The only zero of a sum on a line between two rationals, at which the sum is not 0.

    The zero is simple: the sum changes its sign. (Zeros of the squarefree part of a sum are.) The
    sum is not 0 at the two rationals. Nothing changes a Zero; `refined` returns a narrower one.
    """

    __slots__ = ("lower", "sum", "upper")

    sum: ExpSum
    lower: Fraction
    upper: Fraction

    def __init__(self, sum: ExpSum, lower: Fraction, upper: Fraction) -> None:  # noqa: A002
        put = object.__setattr__
        put(self, "sum", sum)
        put(self, "lower", Fraction(lower))
        put(self, "upper", Fraction(upper))

    @staticmethod
    def of(sum: ExpSum, lower: Fraction, upper: Fraction) -> Zero | Fraction:  # noqa: A002
        """Return the zero, as a rational where it is seen to be one."""
        found = Zero(sum, lower, upper).refined(NARROW)
        if isinstance(found, Fraction):
            return found
        simple = simplest(found.lower, found.upper)
        return simple if not sum.at(simple) else found

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a zero never changes: `refined` returns a narrower one")

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

    def __float__(self) -> float:
        found = self.enclosure(20)
        while found.lower <= 0 <= found.upper or found.width > abs(found.lower) * NARROW:
            found = self.enclosure(len(str(found.width.denominator)) + 20)
        return float((found.lower + found.upper) / 2)

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
        found: Zero | Fraction = self
        digits = SHOWN
        while True:  # until the digits are proved; they are, as the zero is not 0
            found = self.refined(Fraction(1, 10**digits))
            if isinstance(found, Fraction):
                return printing.spell(found)
            if found.lower > 0 or found.upper < 0:
                shown = Enclosure(found.lower, found.upper)
                if shown.width <= abs(shown.lower) * Fraction(1, 10 ** (SHOWN + 1)):
                    return f"{shown.text(SHOWN)}…"
            digits *= 2

    def __repr__(self) -> str:
        return f"<Zero {self}>"

    def __reduce__(self) -> tuple[object, ...]:
        return Zero, (self.sum, self.lower, self.upper)

    def to_json(self) -> Json:
        """Return it as data for JSON."""
        return {"sum": self.sum.to_json(), "between": [str(self.lower), str(self.upper)]}

    @staticmethod
    def from_json(data: Json) -> Zero:
        """Return the zero whose `to_json` this is."""
        low, high = data["between"]
        return Zero(ExpSum.from_json(data["sum"]), Fraction(low), Fraction(high))


End: TypeAlias = Fraction | float | Zero
"""An end of an interval: a Fraction, `inf` or `-inf`, or an isolated zero."""


def _sign_at(f: ExpSum, x: Fraction) -> int | None:
    """Return the sign of a sum at a rational: by a ball, and exactly where that contains 0."""
    with enclose.precision(128 + max(0, f.bits())):
        found = enclose.sign(f.value(enclose.point(x)))
    return found or f.at(x).sign()


def order(one: End | int, two: End | int) -> int:
    """Return the sign of one − two."""
    if isinstance(one, Zero) and isinstance(two, Zero):
        return _order_of_zeros(one, two)
    if isinstance(two, Zero):
        return -order(two, one)
    if isinstance(one, Zero):
        return _order_with(one, two)
    return (one > two) - (one < two)


def _order_with(zero: Zero, q: Fraction | float) -> int:
    """Return the sign of a zero − q.

    If q is inside and the sum is 0 at q, then q is the zero, as there is only one. Otherwise q is
    at a positive distance from the zero, so it leaves the bracket at some time.
    """
    if q in (inf, -inf):
        return -1 if q > 0 else 1
    q = Fraction(q)
    if zero.lower < q < zero.upper:
        sign = _sign_at(zero.sum, q)
        if sign == 0:
            return 0
        if sign is not None:  # the zero is on the side where the sign changes
            return 1 if sign == _sign_at(zero.sum, zero.lower) else -1
    found: Zero | Fraction = zero
    while isinstance(found, Zero) and found.lower < q < found.upper:
        if found.upper - found.lower < LAST:
            fail("E40", one=str(zero), two=str(q))
        found = found.refined((found.upper - found.lower) / 4)
    low, high = (found.lower, found.upper) if isinstance(found, Zero) else (found, found)
    return 1 if q <= low and q < high else -1 if q >= high and q > low else 0


def _order_of_zeros(one: Zero, two: Zero) -> int:
    """Return the sign of one − two.

    Let I be the intersection of the brackets, an interval, and h the greatest common divisor of
    the two sums. An end of I is an end of a bracket, where one of the sums is not 0, so h is not.
    A zero of h in I is a zero of both sums, so it is both zeros; and a zero z of both sums is one
    of h, as f/h and g/h are coprime, and coprime polynomials in ε and e^{ε/N} have no common zero
    but ε = 0 (Lindemann: the resultants make ε and e^{ε/N} algebraic). It is simple, as it is in
    f. So the zeros are equal exactly if h changes its sign between the ends of I. Otherwise they
    are at a positive distance, and the brackets part after some refinements. With constants such
    as e or log 2 in a sum the argument needs their independence, which is not known: brackets that
    do not part before LAST are refused as undecided.
    """
    low, high = max(one.lower, two.lower), min(one.upper, two.upper)
    if low >= high:
        return -1 if one.upper <= two.lower else 1
    h = one.sum if one.sum == two.sum else one.sum.gcd(two.sum)
    if not h.is_constant and _sign_at(h, low) != _sign_at(h, high):
        return 0
    a: Zero | Fraction = one
    b: Zero | Fraction = two
    while isinstance(a, Zero) and isinstance(b, Zero):
        if a.upper <= b.lower or b.upper <= a.lower:
            return -1 if a.upper <= b.lower else 1
        if max(a.upper - a.lower, b.upper - b.lower) < LAST:
            fail("E40", one=str(one), two=str(two))
        a = a.refined((a.upper - a.lower) / 4)
        b = b.refined((b.upper - b.lower) / 4)
    return order(a, b)


def simplest(lower: Fraction, upper: Fraction) -> Fraction:
    """Return the rational with the least denominator strictly between two rationals.

    Each step takes one partial quotient of a continued fraction of an end, so the loop ends.
    """
    a, b, quotients = Fraction(lower), Fraction(upper), []
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
