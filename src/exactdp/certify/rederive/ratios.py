"""Quotients of sums Σ c·Π x^k·e^{Σ qx} in any number of variables x; powers may be negative.

The first variable is ε, the others are numbers times ε: α itself is (αε)·ε^{-1}, so that αε/2 may
stand in an exponent, and α may go to infinity. Powers and rates end with the last that is not 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import inf
from typing import TypeVar

from ..kernel.reading import RealInterval, Sum, Terms, size
from .operators import Arithmetic

POSITIVE = RealInterval(Fraction(0), False, inf, False)
MOST = 250_000  # products of two terms
MOST_BITS = 20_000  # of a coefficient

_CONSTANT: tuple[tuple[int, ...], tuple[Fraction, ...]] = ((), ())
_EPS = (1,), ()
_ONE: Sum = {_CONSTANT: Fraction(1)}
_ZERO = Fraction(0)

T = TypeVar("T", int, Fraction)


class UnsupportedError(Exception):
    """A part that is not re-derived; the message says why."""


class BrokenRunError(UnsupportedError):
    """A run in which the program itself fails; a program that can come to it is wrong."""


class UndefinedRunError(BrokenRunError):
    """A run in which an assertion fails; an ideal is not defined at such an input."""


class EndlessRunError(BrokenRunError):
    """A run of more steps than any program of the language may take."""


class WrongProgramError(Exception):
    """The program is broken, so nothing is proved of it."""


class MalformedError(Exception):
    """A malformed part, so the certificate proves nothing."""


def plus(a: Sum, b: Sum) -> Sum:
    """Return the sum of two, in any variables."""
    total = dict(a)
    for key, c in b.items():
        total[key] = total.get(key, Fraction(0)) + c
        if not total[key]:
            del total[key]
    return total


def stripped(values: Sequence[T]) -> tuple[T, ...]:
    """Return values up to the last that is not 0."""
    end = len(values)
    while end and not values[end - 1]:
        end -= 1
    return tuple(values[:end])


def _added(a: tuple[T, ...], b: tuple[T, ...]) -> tuple[T, ...]:
    if not a or not b:
        return a or b
    if len(a) < len(b):
        a, b = b, a
    both: list[T] = [x + y for x, y in zip(a, b, strict=False)]
    return stripped(both + list(a[len(b) :]))


def times(a: Sum, b: Sum) -> Sum:
    """Return the product of two."""
    if b is _ONE:
        return a
    if len(a) * len(b) > MOST:
        raise UnsupportedError("a formula is too long")
    product: Sum = {}
    for (j, p), c in a.items():
        for (k, q), d in b.items():
            key = _added(j, k), _added(p, q)
            product[key] = product.get(key, _ZERO) + c * d
            if size(product[key]) > MOST_BITS or max(map(abs, key[0]), default=0) > MOST_BITS:
                raise UnsupportedError("a formula has too large numbers")
    return {key: c for key, c in product.items() if c}


class Ratio(Arithmetic):
    """A quotient of two sums; equal exactly if the functions are."""

    __slots__ = ("over", "under")
    __hash__ = None

    def __init__(self, over: Sum, under: Sum | None = None) -> None:
        self.over = over
        self.under = _ONE if under is None else under
        if not self.under:
            raise ZeroDivisionError("division by 0")
        if self.under is _ONE:
            return
        if len(self.under) == 1 and self.under != _ONE:  # a monomial below is 1/monomial above
            (((powers, rates), c),) = self.under.items()
            inverse = tuple(-k for k in powers), tuple(-q for q in rates)
            self.over = times(self.over, {inverse: 1 / c})
            self.under = _ONE

    @classmethod
    def number(cls, value: int | Fraction) -> Ratio:
        """Return a constant."""
        return cls({_CONSTANT: Fraction(value)} if value else {})

    @classmethod
    def of(cls, over: Terms, under: Terms) -> Ratio:
        """Return a quotient of sums in ε."""
        return cls(
            *(
                {(stripped((k,)), stripped((q,))): c for (q, k), c in part.items()}
                for part in (over, under)
            )
        )

    @classmethod
    def lifted(cls, over: Sum, under: Sum | None = None) -> Ratio:
        """Return a quotient of sums with an entry for every variable."""
        found = [
            {(stripped(k), stripped(q)): c for (k, q), c in part.items()}
            for part in (over, under)
            if part is not None
        ]
        return cls(*found)

    @classmethod
    def line(cls, form: Sequence[Fraction | int]) -> Ratio:
        """Return a linear form in the variables, divided by ε."""
        found: Sum = {}
        for k, q in enumerate(form):
            if q:
                found[(-1, *(0,) * (k - 1), 1) if k else (), ()] = Fraction(q)
        return cls(found)

    def vector(self, size: int) -> tuple[Fraction, ...] | None:
        """Return the linear form in so many variables that this is, divided by ε; or None."""
        found = [_ZERO] * size
        for (powers, rates), c in self.over.items():
            up = _added(powers, (1,))
            if rates or not self.is_sum or sorted(up)[-1:] != [1] or sum(map(abs, up)) != 1:
                return None
            found[len(up) - 1] += c
        return tuple(found)

    @property
    def is_sum(self) -> bool:
        """Whether the denominator is 1."""
        return len(self.under) == 1

    def terms(self) -> tuple[Terms, Terms]:
        """Return numerator and denominator as sums in ε."""
        keys = [key for part in (self.over, self.under) for key in part]
        if any(len(powers) > 1 or len(rates) > 1 for powers, rates in keys):
            raise MalformedError("a formula depends on more than ε")
        least = min((powers[0] for powers, _ in keys if powers), default=0)
        found: list[Terms] = [
            {
                (sum(rates, _ZERO), sum(powers) - min(least, 0)): c
                for (powers, rates), c in part.items()
            }
            for part in (self.over, self.under)
        ]
        return found[0], found[1]

    def renamed(self, places: Sequence[int]) -> Ratio:
        """Return the same with other variables, by their places."""
        if list(places) == list(range(len(places))):
            return self
        width = max(places, default=0) + 1

        def moved(values: Sequence[T], zero: T) -> tuple[T, ...]:
            found = [zero] * width
            for k, value in zip(places, values, strict=False):
                found[k] = value
            return stripped(found)

        parts = (
            {(moved(k, 0), moved(q, _ZERO)): c for (k, q), c in part.items()}
            for part in (self.over, self.under)
        )
        return Ratio(*parts)

    def without_powers(self, place: int, base: Fraction) -> Ratio:
        """Return the same where a variable is the logarithm of a base: e^{kx} is base^k, k whole.

        Of each rate the whole part is taken out, so a fraction from 0 to 1 is left.
        """

        def moved(part: Sum) -> Sum:
            found: Sum = {}
            for (powers, rates), c in part.items():
                rate = rates[place] if place < len(rates) else _ZERO
                whole = rate.numerator // rate.denominator
                if abs(whole) > MOST_BITS:
                    raise UnsupportedError("a formula has too large numbers")
                left = [r - whole if k == place else r for k, r in enumerate(rates)]
                key = powers, stripped(left)
                found[key] = found.get(key, _ZERO) + c * base**whole
            return {key: c for key, c in found.items() if c}

        return Ratio(moved(self.over), moved(self.under))

    def shifted(self, origin: Sequence[Fraction]) -> Ratio:
        """Return the same function in x′, where each variable is x = x′ + v·y for one of them, y.

        y is the variable 1, for which v is 0.
        """
        width = len(origin)

        def moved(part: Sum) -> Sum:
            total: Sum = {}
            for (powers, rates), c in part.items():
                kept = [*rates, *[_ZERO] * (width - len(rates))]
                kept[1] += sum((q * v for q, v in zip(kept, origin, strict=True)), _ZERO)
                found: Sum = {((), stripped(kept)): c}
                for k, power in enumerate(powers):
                    if power < 0 and origin[k]:
                        raise MalformedError("a quotient by a variable that is moved")
                    one = 1 if power >= 0 else -1
                    line: Sum = {((*(0,) * k, one), ()): Fraction(1)}
                    if origin[k]:
                        line[(0, 1), ()] = origin[k]
                    for _ in range(abs(power)):
                        found = times(found, line)
                total = plus(total, found)
            return total

        return Ratio(moved(self.over), moved(self.under))

    def multiple_of_eps(self) -> Fraction | None:
        """Return a if this is a·ε."""
        if len(self.over) != 1 or not self.is_sum:
            return None
        ((key, c),) = self.over.items()
        return c if key == _EPS else None

    def constant(self) -> Fraction | None:
        """Return the number that this is, if it is one."""
        if not self.over:
            return _ZERO
        ((key, c), *more) = self.over.items()
        return c if self.is_sum and not more and key == _CONSTANT else None

    def at(self, eps: Fraction) -> tuple[Fraction, Fraction] | None:
        """Return a and c if it is a + c·x₁ at an ε, without exponentials in the way."""
        found = []
        for part in (self.over, self.under):
            numbers = [_ZERO, _ZERO]
            for (powers, rates), c in part.items():
                k, j = (*powers, 0, 0)[:2]
                if rates or len(powers) > 2 or j not in (0, 1) or abs(k) > 100:
                    return None
                numbers[j] += c * eps**k
            found.append(numbers)
        (a, c), (under, more) = found
        return None if more or not under else (a / under, c / under)

    def is_zero_at(self, eps: Fraction) -> bool:
        """Whether it is 0 at a rational ε > 0: then so is each polynomial beside a power of e^ε.

        By the theorem of Lindemann and Weierstrass, different powers are independent.
        """
        by_rate: dict[Fraction, Fraction] = {}
        for (q, k), c in self.terms()[0].items():
            by_rate[q] = by_rate.get(q, _ZERO) + c * eps**k
        return not any(by_rate.values())

    def exp(self) -> Ratio:
        """Return e to this, which must be linear without a constant."""
        width = max((len(powers) for powers, _ in self.over), default=0)
        found = [_ZERO] * width
        for (powers, rates), c in self.over.items():
            if rates or not powers or powers[-1] != 1 or any(powers[:-1]) or not self.is_sum:
                raise MalformedError("an exponent is not a multiple of ε")
            found[len(powers) - 1] += c
        return Ratio({((), stripped(found)): Fraction(1)})

    def limit(self, variable: int) -> Ratio | None:
        """Return the limit when a variable goes to infinity; None if that is +∞ everywhere."""
        (over, high), (under, low) = (_leading(part, variable) for part in (self.over, self.under))
        if not over or high < low:
            return Ratio.number(0)
        found = Ratio(over, under)
        if high == low:
            return found
        if found.sign() != 1:
            raise UnsupportedError("a formula has no limit that is seen")
        return None

    def sign(self) -> int | None:
        """Return 1 or −1 if all coefficients have this sign, 0 for zero, None if unknown."""
        if not self.over:
            return 0
        signs = [{1 if c > 0 else -1 for c in part.values()} for part in (self.over, self.under)]
        if len(signs[0]) > 1 or len(signs[1]) > 1:
            return None
        return signs[0].pop() * signs[1].pop()

    def is_nonnegative(self, on: RealInterval) -> bool:
        """Whether it is seen to be ≥ 0 for every ε of an interval of positive numbers.

        It has the sign of the product of its parts, Σ ε^k·Σ c·e^{qε}. A sum Σ c·e^{qε} is ≥ 0 if
        the coefficients from each q upwards add up to ≥ 0: by Abel summation it is a sum of these
        times e^{qε} − e^{pε} ≥ 0, with p < q neighbours. One Σ c·ε^k·e^{qε} is ≥ 0 on [a, b] if
        the polynomial has coefficients ≥ 0 in the basis (ε − a)^i·(b − ε)^(n−i).
        """
        product = self._product()
        return _is_seen(product) or _is_nonnegative_between(product, on)

    def is_positive(self) -> bool:
        """Whether it is seen to be > 0 for every ε > 0: one of the terms of that sum is."""
        return bool(self.over) and _is_seen(self._product())

    def _product(self) -> Terms:
        """Return the product of numerator and denominator, of which it has the sign."""
        return {key: c for key, c in Ratio(times(self.over, self.under)).terms()[0].items() if c}

    def __add__(self, other: object) -> Ratio:
        two = _ratio(other)
        if two is None:
            return NotImplemented
        if self.under == two.under:
            return Ratio(plus(self.over, two.over), self.under)
        over = plus(times(self.over, two.under), times(two.over, self.under))
        return Ratio(over, times(self.under, two.under))

    def __mul__(self, other: object) -> Ratio:
        if isinstance(other, int | Fraction) and other and not isinstance(other, bool):
            return self._scaled(other)
        two = _ratio(other)
        if two is None:
            return NotImplemented
        return Ratio(times(self.over, two.over), times(self.under, two.under))

    def _scaled(self, factor: int | Fraction) -> Ratio:
        """Return a multiple, with the limits of `times`."""
        scaled = {key: c * factor for key, c in self.over.items()}
        if max(map(size, scaled.values()), default=0) > MOST_BITS:
            raise UnsupportedError("a formula has too large numbers")
        return Ratio(scaled, self.under)

    def __neg__(self) -> Ratio:
        return Ratio({key: -c for key, c in self.over.items()}, self.under)

    def __sub__(self, other: object) -> Ratio:
        two = _ratio(other)
        return NotImplemented if two is None else self + -two

    def __rsub__(self, other: object) -> Ratio:
        return -self + other

    def __truediv__(self, other: object) -> Ratio:
        if isinstance(other, int | Fraction) and other and not isinstance(other, bool):
            return self._scaled(Fraction(1, other))
        two = _ratio(other)
        if two is None:
            return NotImplemented
        return Ratio(times(self.over, two.under), times(self.under, two.over))

    def __rtruediv__(self, other: object) -> Ratio:
        two = _ratio(other)
        return NotImplemented if two is None else two / self

    def __pow__(self, power: object) -> Ratio:
        if type(power) is not int or abs(power) > 1000:
            raise UnsupportedError("a power is not a small whole number")
        base, found = self if power >= 0 else 1 / self, Ratio.number(1)
        for k in range(abs(power)):
            if k * len(found.over) * len(base.over) > MOST:
                raise UnsupportedError("a formula is too long")
            found = found * base
        return found

    def __eq__(self, other: object) -> bool:
        two = _ratio(other)
        if two is None:
            return False
        if self.under == two.under:
            return self.over == two.over
        return times(self.over, two.under) == times(two.over, self.under)


def _is_seen(product: Terms) -> bool:
    """Whether the coefficients of each power of ε, from each exponent upwards, add up to ≥ 0."""
    for power in {k for _, k in product}:
        upwards = sorted((q for q, k in product if k == power), reverse=True)
        if any(one < 0 for one in accumulate(product[q, power] for q in upwards)):
            return False
    return True


def _ratio(value: object) -> Ratio | None:
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return Ratio.number(value)
    return value if isinstance(value, Ratio) else None


def _leading(part: Sum, variable: int) -> tuple[Sum, tuple[Fraction, int]]:
    """Return the terms that grow fastest with a variable, without it, and (rate, power)."""

    def entry(values: Sequence[T], zero: T) -> T:
        return values[variable] if variable < len(values) else zero

    def without(values: Sequence[T], zero: T) -> tuple[T, ...]:
        return stripped([zero if k == variable else one for k, one in enumerate(values)])

    growth = [(entry(rates, _ZERO), entry(powers, 0)) for powers, rates in part]
    top = max(growth, default=(_ZERO, 0))
    found: Sum = {}
    for ((powers, rates), c), grows in zip(part.items(), growth, strict=True):
        if grows == top:
            found[without(powers, 0), without(rates, _ZERO)] = c
    return found, top


def variable(index: int) -> Ratio:
    """Return a variable; number 0 is ε."""
    return Ratio({((*(0,) * index, 1), ()): Fraction(1)})


EPS = variable(0)


def _is_nonnegative_between(
    product: Mapping[tuple[Fraction, int], Fraction], on: RealInterval
) -> bool:
    """Whether Σ c·ε^k·e^{qε} with one q is seen to be ≥ 0 on an interval with finite ends.

    With ε = (a + b·t)/(1 + t), where t ≥ 0 runs through [a, b), (1 + t)^n·Σ c·ε^k is a polynomial
    in t; its coefficients are those of the basis (ε − a)^i·(b − ε)^(n−i), up to positive factors.
    """
    lower, upper = on.lower, on.upper
    if len({q for q, _ in product}) != 1 or not isinstance(upper, Fraction):
        return False
    assert isinstance(lower, Fraction)
    degree = max(k for _, k in product)
    if degree > 50:
        return False
    found = [Fraction(0)] * (degree + 1)
    for (_, k), c in product.items():
        part = [c]
        for factor in [(lower, upper)] * k + [(Fraction(1), Fraction(1))] * (degree - k):
            longer = [Fraction(0)] * (len(part) + 1)
            for i, one in enumerate(part):
                longer[i] += one * factor[0]
                longer[i + 1] += one * factor[1]
            part = longer
        found = [a + b for a, b in zip(found, part, strict=True)]
    return all(one >= 0 for one in found)
