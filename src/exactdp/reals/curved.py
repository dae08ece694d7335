"""Sums Σ p(x)·exp(P(x)) with rational polynomials p and P: values of closed forms along a curve.

If α is a polynomial of ε plus c/ε, then εα is a polynomial of ε, and so is every exponent. Such a
sum is decided on an interval without a conjecture unless it touches 0 at an irrational point
without changing sign:

- at a rational point every Taylor coefficient is Σ q·e^r with rationals q and r, so its sign is
  exact (Lindemann–Weierstrass), and the first nonzero one determines the sign in a neighbourhood;
- at ∞ the term whose exponent grows fastest dominates, its coefficient is such a number too, and
  all other terms decrease from some point on;
- in between, balls are bisected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, TypeVar

from flint import arb, arb_series, ctx, fmpq, fmpq_poly, fmpq_series

from exactdp.reals.evaluation import sign, total
from exactdp.reals.numbers import exact, simplest_inside

Polynomial: TypeAlias = tuple[fmpq, ...]
"""Its coefficients, the constant first; the last one is not 0."""

_Number = TypeVar("_Number", arb, arb_series)

_BITS = 192
_NARROW = Fraction(1, 2**48)
_MOST_STEPS = 20_000
_HIGHEST_ORDER = 64


@dataclass(frozen=True)
class OneSign:
    """A sign that holds between a point (or infinity) and another one."""

    sign: int
    point: Fraction
    end: Fraction
    bits: int
    """The number of bits needed to prove it."""

    def inside(self, lower: Fraction, upper: Fraction | float) -> Fraction:
        """Return a point where it holds that is between two others."""
        end = max(lower, self.end)
        return (self.point + (min(end, upper) if isinstance(upper, Fraction) else end)) / 2


@dataclass(frozen=True)
class CurvedSum:
    """Σ p(x)·exp(P(x)), stored as {P: p}; different P give independent functions."""

    parts: Mapping[Polynomial, fmpq_poly]

    @classmethod
    def of(cls, parts: Mapping[Polynomial, fmpq_poly]) -> CurvedSum:
        """Return a sum without the parts that are 0."""
        return cls({exponent: part for exponent, part in parts.items() if part})

    @property
    def reduced(self) -> CurvedSum:
        """The sum divided by a positive number and by one exponential: its sign is the same.

        So sums that differ by such factors are equal, and so are their zeros.
        """
        if not self.parts:
            return self
        size = max(map(len, self.parts))
        padded = {
            (*exponent, *(fmpq(0),) * (size - len(exponent))): part
            for exponent, part in self.parts.items()
        }
        first = min(padded)
        scale = max(abs(one) for one in padded[first].coeffs())
        shifted = (
            (fmpq_poly([one - two for one, two in zip(exponent, first, strict=True)]), part)
            for exponent, part in padded.items()
        )
        return CurvedSum({tuple(exponent.coeffs()): part / scale for exponent, part in shifted})

    def sign_at(self, point: Fraction) -> int:
        """Return the sign at a rational point, exactly."""
        return self._shifted(point)._coefficient_sign(0)

    def is_below_zero_at(self, point: Fraction) -> bool:
        """Whether the sum is negative at a rational point."""
        return self.sign_at(point) < 0

    first_bits = _BITS

    def ball(self, eps: Fraction, bits: int) -> arb:
        """Return a ball that contains the value at a point, computed with `bits` bits."""
        with ctx.workprec(bits):
            return self.series(arb(exact(eps)), 1)[0]

    def nonnegative(self, lower: Fraction, upper: Fraction | float) -> bool | Fraction | None:
        """Return whether the sum is nowhere negative on [lower, upper].

        Instead of False, return a point where the sum is negative; None if that stays open.
        """
        if not self.parts:
            return True
        if lower == upper:
            return not self.is_below_zero_at(lower) or lower
        left = self.beside(lower, 1)
        right = self.beside(upper, -1) if isinstance(upper, Fraction) else self.far_out(lower)
        if left is None or right is None:
            return None
        for found in (left, right):
            if found.sign < 0:
                return found.inside(lower, upper)
        return self._between(left.end, right.end, max(left.bits, right.bits))

    # At a rational point --------------------------------------------------------------

    def _shifted(self, by: Fraction, side: int = 1) -> CurvedSum:
        """Return the sum as a function of y, where x = by + side·y."""
        move = fmpq_poly([exact(by), side])
        return CurvedSum(
            {
                tuple(fmpq_poly(list(exponent))(move).coeffs()): part(move)
                for exponent, part in self.parts.items()
            }
        )

    def _coefficient_sign(self, order: int) -> int:
        """Return the sign of a Taylor coefficient at 0, exactly."""
        found: dict[fmpq, fmpq] = {}
        length = order + 1
        for exponent, part in self.parts.items():
            constant = exponent[0] if exponent else fmpq(0)
            moving = fmpq_series([0, *exponent[1:length]], prec=length)
            series = fmpq_series(part.coeffs()[:length], prec=length) * moving.exp()
            found[constant] = found.get(constant, fmpq(0)) + series[order]
        return sign({x: q for x, q in found.items() if q})

    def beside(self, point: Fraction, side: int) -> OneSign | None:
        """Return the sign on one side of a point."""
        here = self._shifted(point, side)
        for order in range(_HIGHEST_ORDER):
            if found := here._coefficient_sign(order):
                break
        else:
            return None
        width, bits = Fraction(1), _BITS
        while not here._coefficient(arb(0), order, bits) * found > 0:
            bits *= 2
        bits += _BITS
        while True:
            half = exact(width / 2)
            if here._coefficient(arb(half, half), order, bits) * found > 0:
                return OneSign(found, point, point + side * width, bits)
            width /= 2

    def _coefficient(self, x: arb, order: int, bits: int) -> arb:
        """Return a Taylor coefficient as a ball, valid at every point of a ball."""
        with ctx.workprec(bits):
            return self.series(x, order + 1)[order]

    # At infinity ----------------------------------------------------------------------

    def far_out(self, start: Fraction) -> OneSign:
        """Return the sign for large x."""
        longest = max(1, *map(len, self.parts))
        fastest = max(_growth(exponent, longest) for exponent in self.parts)
        ruling = {e: part for e, part in self.parts.items() if _growth(e, longest) == fastest}
        power = max(part.degree() for part in ruling.values())
        leading = {
            (e[0] if e else fmpq(0)): part[power]
            for e, part in ruling.items()
            if part.degree() == power
        }
        found = sign(leading)
        ruler = next(iter(ruling))
        point, bits = max(start, Fraction(1)), _BITS
        while True:
            with ctx.workprec(bits):
                size, rest = abs(total(leading)), arb(0)
                falling = True
                for exponent, part in self.parts.items():
                    slower = fmpq_poly(list(exponent)) - fmpq_poly([0, *ruler[1:]])
                    for k, q in enumerate(part.coeffs()):
                        if q == 0 or (exponent in ruling and k == power):
                            continue
                        falling = falling and _falls_from(slower, k - power, point)
                        x = arb(exact(point))
                        rest += abs(arb(q)) * x ** (k - power) * _value(slower, x).exp()
                if falling and rest < size:
                    return OneSign(found, 2 * point, point, bits)
                if not size > 0:
                    bits *= 2
                    continue
            point *= 2

    # In between -----------------------------------------------------------------------

    def _between(self, lower: Fraction, upper: Fraction, bits: int) -> bool | Fraction | None:
        """Return whether the sum is nowhere negative between two points at which it is positive."""
        waiting = [(lower, upper)] if lower < upper else []
        open_left = False
        for _ in range(_MOST_STEPS):
            if not waiting:
                return None if open_left else True
            low, high = waiting.pop()
            middle = (low + high) / 2
            with ctx.workprec(bits):
                whole = self.series(arb(exact(middle), exact((high - low) / 2)), 2)
                here = self.series(arb(exact(middle)), 1)[0]
                slope = whole[1]
                least = here - abs(slope) * arb(exact((high - low) / 2))
            if here < 0:
                return middle
            if least > 0 or whole[0] > 0:
                continue
            if slope > 0 or slope < 0:  # the least value is at an end
                ends = [self.sign_at(end) for end in (low, high)]
                if min(ends) < 0:
                    return low if ends[0] < 0 else high
                continue
            if high - low < _NARROW * max(low, Fraction(1)):
                touch = self._touching(low, high)
                if isinstance(touch, Fraction):
                    return touch
                open_left = open_left or touch is None
                waiting += [part for part in touch or () if part[0] < part[1]]
                continue
            waiting += [(low, middle), (middle, high)]
        return None

    def _touching(
        self, low: Fraction, high: Fraction
    ) -> list[tuple[Fraction, Fraction]] | Fraction | None:
        """Return the rest of a narrow interval around a rational zero, if one is near.

        If the sum is not 0 but negative there, return the point.
        """
        around = (high - low) * 1024
        point = simplest_inside(low - around, high + around)
        found = self.sign_at(point)
        if found:
            return point if found < 0 and low <= point <= high else None
        left, right = self.beside(point, -1), self.beside(point, 1)
        if left is None or right is None or min(left.sign, right.sign) < 0:
            return None
        return [(low, min(high, left.end)), (max(low, right.end), high)]

    def simple_negative(
        self, point: Fraction, lower: Fraction, upper: Fraction | float
    ) -> Fraction:
        """Return a simple point strictly between two at which the sum is negative.

        It is negative at the given point, which is the answer if the two are equal.
        """
        left = self._reach(point, lower)
        right = self._reach(point, upper if isinstance(upper, Fraction) else 2 * point + 1)
        while left < right:
            candidate = simplest_inside(left, right)
            if self.is_below_zero_at(candidate):
                return candidate
            left, right = (left + point) / 2, (right + point) / 2
        return point

    def _reach(self, point: Fraction, end: Fraction) -> Fraction:
        """Return how far towards an end the sum seems to stay negative."""
        good, bad = point, end
        for _ in range(48):
            middle = (good + bad) / 2
            if self.is_below_zero_at(middle):
                good = middle
            else:
                bad = middle
        return bad

    def series(self, x: arb, length: int) -> list[arb]:
        """Return Taylor coefficients as balls, valid at every point of a ball."""
        variable = arb_series([x, 1], prec=length)
        result = arb_series([0], prec=length)
        for exponent, part in self.parts.items():
            grown = _value(fmpq_poly(list(exponent)), variable)
            result += _value(part, variable) * grown.exp()
        return [result[k] for k in range(length)]


def _growth(exponent: Polynomial, size: int) -> Polynomial:
    """Return the coefficients that order polynomials by growth, the highest first."""
    return (*(fmpq(0),) * (size - max(len(exponent), 1)), *reversed(exponent[1:]))


def _value(polynomial: fmpq_poly, x: _Number) -> _Number:
    result = x * 0
    for q in reversed(polynomial.coeffs()):
        result = result * x + arb(q)
    return result


def _falls_from(exponent: fmpq_poly, power: int, point: Fraction) -> bool:
    """Whether x^power·exp(P(x)) is proved to decrease from a point on."""
    slope = fmpq_poly([power]) + fmpq_poly([0, 1]) * exponent.derivative()
    beyond = slope(fmpq_poly([exact(point), 1]))
    return all(q <= 0 for q in beyond.coeffs())
