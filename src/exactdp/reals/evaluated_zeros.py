"""Zeros of functions that are evaluated, not expanded."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from flint import arb

from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import positive_width
from exactdp.reals.zeros import Root

_MOST_BITS = 1 << 14


class OpenSignError(ValueRefusedError):
    """A sign that certified arithmetic does not decide."""


class Enclosing(Protocol):
    """A function of ε that is enclosed at a point to any precision."""

    @property
    def first_bits(self) -> int:
        """The number of bits with which an evaluation begins."""

    def ball(self, eps: Fraction, bits: int) -> arb:
        """Return a ball that contains the value at an ε."""


@dataclass(frozen=True, repr=False)
class EvaluatedRoot(Root):
    """The only zero, between two points, of a function that is evaluated."""

    function: Enclosing = field(kw_only=True)

    @property
    def is_evaluated(self) -> bool:
        """Always True: it is a zero of a function that is evaluated."""
        return True

    def is_known_as(self, other: Root) -> bool:
        """Whether another zero is the same: one function changes its sign in both enclosures."""
        if not isinstance(other, EvaluatedRoot) or other.function != self.function:
            return False
        low, high = max(self.lower, other.lower), min(self.upper, other.upper)
        return low < high and bool((self._value(low) > 0) != (self._value(high) > 0))

    def refined(self, width: object) -> EvaluatedRoot:
        """Return the same zero with upper − lower ≤ width, by secants or bisection."""
        target = positive_width(width)
        lower, upper = self.lower, self.upper
        if upper - lower <= target:
            return self
        values = [self._value(lower), self._value(upper)]
        while upper - lower > target:
            size = upper - lower
            share = Fraction(float(values[0] / (values[0] - values[1]))).limit_denominator(10**15)
            guess, near = lower + size * share, max(size / 4096, target / 3)
            for place in (guess - near, guess + near, (lower + upper) / 2):
                cut = _short(place, size)
                if not lower < cut < upper or upper - lower <= target:
                    continue
                value = self._value(cut)
                if (value > 0) == (values[0] > 0):
                    lower, values[0] = cut, value
                else:
                    upper, values[1] = cut, value
                if upper - lower < size / 64:
                    break
        return EvaluatedRoot(lower, upper, 1, self.factor, function=self.function)

    def _value(self, point: Fraction) -> arb:
        bits = self.function.first_bits + 64
        while (ball := self.function.ball(point, bits)).rel_accuracy_bits() < 30:
            bits *= 2
            if bits > _MOST_BITS:
                raise ValueRefusedError(
                    f"a value at eps = {float(point):.12g} cannot be distinguished from 0",
                    rule="Probabilities that are not expanded are evaluated, which proves no "
                    "equality.",
                )
        return ball

    def reflected(self) -> Root:
        """Refuse: nothing is known at ε < 0."""
        raise ValueRefusedError("probabilities that are not expanded are known at eps > 0 only")


def _short(value: Fraction, size: Fraction) -> Fraction:
    """Return a short dyadic close to a value, relative to a size."""
    power = size.denominator.bit_length() - size.numerator.bit_length() + 20
    grid = Fraction(1, 2**power) if power > 0 else Fraction(1)
    return grid * round(value / grid)
