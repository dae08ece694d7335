"""Quotients of sums Σ c·Π x^k·e^{Σ qx} in x = (ε, αε, γε); powers may be negative.

α itself is (αε)·ε^{-1}, so that αε/2 may stand in an exponent, and α may go to infinity.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

from ..kernel.enclosures import exp_enclosure, total
from ..kernel.reading import Sum, Terms, size

MOST = 250_000  # products of two terms
MOST_BITS = 20_000  # of a coefficient

_FLAT: tuple[Fraction, ...] = (Fraction(0),) * 3
_ONE: Sum = {((0, 0, 0), _FLAT): Fraction(1)}


class UnsupportedError(Exception):
    """A part that is not re-derived; the message says why."""


class BrokenRunError(UnsupportedError):
    """A run in which the program itself fails; a program that can come to it is wrong."""


class EndlessRunError(BrokenRunError):
    """A run of more steps than any program of the language may take."""


class WrongProgramError(Exception):
    """The program is broken, so nothing is proved of it."""


class MalformedError(Exception):
    """A part that makes no sense, so the certificate proves nothing."""


def plus(a: Sum, b: Sum) -> Sum:
    """Return the sum of two, in any variables."""
    total = dict(a)
    for key, c in b.items():
        total[key] = total.get(key, Fraction(0)) + c
        if not total[key]:
            del total[key]
    return total


def times(a: Sum, b: Sum) -> Sum:
    """Return the product of two, in any variables."""
    if len(a) * len(b) > MOST:
        raise UnsupportedError("a formula is too long")
    product: Sum = {}
    for (j, p), c in a.items():
        for (k, q), d in b.items():
            powers = tuple(x + y for x, y in zip(j, k, strict=True))
            key = powers, tuple(x + y for x, y in zip(p, q, strict=True))
            product[key] = product.get(key, Fraction(0)) + c * d
            if size(product[key]) > MOST_BITS or max(map(abs, powers)) > MOST_BITS:
                raise UnsupportedError("a formula has too large numbers")
    return {key: c for key, c in product.items() if c}


class Ratio:
    """A quotient of two sums; equal exactly if the functions are."""

    __slots__ = ("over", "under")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, over: Sum, under: Sum | None = None) -> None:
        self.over = over
        self.under = _ONE if under is None else under
        if not self.under:
            raise ZeroDivisionError("division by 0")
        if len(self.under) == 1 and self.under != _ONE:  # a monomial below is 1/monomial above
            (((powers, rates), c),) = self.under.items()
            inverse = tuple(-k for k in powers), tuple(-q for q in rates)
            self.over = times(self.over, {inverse: 1 / c})
            self.under = _ONE

    @classmethod
    def number(cls, value: int | Fraction) -> Ratio:
        """Return a constant."""
        return cls({((0, 0, 0), _FLAT): Fraction(value)} if value else {})

    @classmethod
    def of(cls, over: Terms, under: Terms) -> Ratio:
        """Return a quotient of sums in ε."""
        return cls(_lifted(over), _lifted(under))

    @classmethod
    def lifted(cls, one: Sum) -> Ratio:
        """Return a sum in ε alone."""
        return cls.of(
            {(q, k): c for ((k,), (q,)), c in one.items()}, {(Fraction(0), 0): Fraction(1)}
        )

    @property
    def is_sum(self) -> bool:
        """Whether the denominator is 1."""
        return len(self.under) == 1

    def terms(self) -> tuple[Terms, Terms]:
        """Return numerator and denominator as sums in ε."""
        least = min((key[0][0] for part in (self.over, self.under) for key in part), default=0)
        found: list[Terms] = []
        for part in (self.over, self.under):
            if any(any(powers[1:]) or any(rates[1:]) for powers, rates in part):
                raise MalformedError("a formula depends on more than ε")
            found.append(
                {(rates[0], powers[0] - min(least, 0)): c for (powers, rates), c in part.items()}
            )
        return found[0], found[1]

    def constant(self) -> Fraction | None:
        """Return the number that this is, if it is one."""
        if not self.over:
            return Fraction(0)
        ((key, c), *more) = self.over.items()
        return c if self.is_sum and not more and key == ((0, 0, 0), _FLAT) else None

    def at(self, eps: Fraction) -> Fraction | None:
        """Return the value at an ε, if no exponential is in the way."""
        found = []
        for part in self.terms():
            if any(q for q, _ in part) or any(k > 100 for _, k in part):
                return None
            found.append(sum((c * eps**k for (_, k), c in part.items()), Fraction(0)))
        return found[0] / found[1]

    def exp(self) -> Ratio:
        """Return e to this, which must be linear without a constant."""
        rates = list(_FLAT)
        for (powers, its_rates), c in self.over.items():
            if sorted(powers) != [0, 0, 1] or any(its_rates) or not self.is_sum:
                raise MalformedError("an exponent is not a multiple of ε")
            rates[powers.index(1)] += c
        return Ratio({((0, 0, 0), tuple(rates)): Fraction(1)})

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
        """Return 1 or −1 if all coefficients show this sign, 0 for zero, None if not seen."""
        if not self.over:
            return 0
        signs = [{1 if c > 0 else -1 for c in part.values()} for part in (self.over, self.under)]
        if len(signs[0]) > 1 or len(signs[1]) > 1:
            return None
        return signs[0].pop() * signs[1].pop()

    def is_nonnegative(self) -> bool | None:
        """Whether it is ≥ 0 for every ε > 0; None if that is not seen.

        It has the sign of the product of its parts, Σ ε^k·Σ c·e^{qε}. A sum Σ c·e^{qε} is ≥ 0 if
        the coefficients from each q upwards add up to ≥ 0: by Abel summation it is a sum of these
        times e^{qε} − e^{pε} ≥ 0, with p < q neighbours.
        """
        product = {key: c for key, c in Ratio(times(self.over, self.under)).terms()[0].items() if c}
        seen = True
        for power in {k for _, k in product}:
            upwards = sorted((q for q, k in product if k == power), reverse=True)
            sums = accumulate(product[q, power] for q in upwards)
            seen = seen and all(one >= 0 for one in sums)
        if seen:
            return True
        for eps in (Fraction(2) ** n for n in range(-10, 7)):
            parts = [(c * eps**k, 0, exp_enclosure(q * eps, 128)) for (q, k), c in product.items()]
            if total(parts, 128)[1] < 0:
                return False
        return None

    def __add__(self, other: object) -> Ratio:
        two = _ratio(other)
        if two is None:
            return NotImplemented
        if self.under == two.under:
            return Ratio(plus(self.over, two.over), self.under)
        over = plus(times(self.over, two.under), times(two.over, self.under))
        return Ratio(over, times(self.under, two.under))

    __radd__ = __add__

    def __mul__(self, other: object) -> Ratio:
        two = _ratio(other)
        if two is None:
            return NotImplemented
        return Ratio(times(self.over, two.over), times(self.under, two.under))

    __rmul__ = __mul__

    def __neg__(self) -> Ratio:
        return Ratio({key: -c for key, c in self.over.items()}, self.under)

    def __sub__(self, other: object) -> Ratio:
        two = _ratio(other)
        return NotImplemented if two is None else self + -two

    def __rsub__(self, other: object) -> Ratio:
        return -self + other

    def __truediv__(self, other: object) -> Ratio:
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
        for _ in range(abs(power)):
            found = found * base
        return found

    def __eq__(self, other: object) -> bool:
        two = _ratio(other)
        if two is None:
            return False
        if self.under == two.under:
            return self.over == two.over
        return times(self.over, two.under) == times(two.over, self.under)


def _ratio(value: object) -> Ratio | None:
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return Ratio.number(value)
    return value if isinstance(value, Ratio) else None


def _lifted(terms: Terms) -> Sum:
    return {((k, 0, 0), (q, *_FLAT[1:])): c for (q, k), c in terms.items()}


def _leading(part: Sum, variable: int) -> tuple[Sum, tuple[Fraction, int]]:
    """Return the terms that grow fastest with a variable, without it, and (rate, power)."""
    growth = [(rates[variable], powers[variable]) for powers, rates in part]
    top = max(growth, default=(Fraction(0), 0))
    found: Sum = {}
    for ((powers, rates), c), grows in zip(part.items(), growth, strict=True):
        if grows == top:
            left = list(powers), list(rates)
            left[0][variable], left[1][variable] = 0, Fraction(0)
            found[tuple(left[0]), tuple(left[1])] = c
    return found, top


def variable(index: int) -> Ratio:
    """Return ε (0), αε (1) or γε (2)."""
    powers = tuple(int(k == index) for k in range(3))
    return Ratio({(powers, _FLAT): Fraction(1)})


EPS = variable(0)
