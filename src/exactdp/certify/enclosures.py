"""Real numbers enclosed between rationals: e^x, products and sums, rounded outwards."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from math import isqrt
from typing import NamedTuple


def floor(n: int, e: int, d: int = 1) -> int:
    """Return ⌊n·2^e/d⌋, also where e is far below 0."""
    if e >= 0:
        return (n << e) // d
    return n // (d << -e) if -e <= n.bit_length() else -(n < 0)


class Enclosure(NamedTuple):
    """A positive real number between low·2^exponent and high·2^exponent, 0 ≤ low ≤ high."""

    low: int
    high: int
    exponent: int

    def times(self, other: Enclosure, bits: int) -> Enclosure:
        """Enclose the product, rounded outwards to `bits` bits."""
        low, high = self.low * other.low, self.high * other.high
        excess = max(0, high.bit_length() - bits)
        exponent = self.exponent + other.exponent + excess
        return Enclosure(low >> excess, -(-high >> excess), exponent)


def total(parts: list[tuple[Fraction, int, Enclosure]], bits: int) -> tuple[int, int]:
    """Enclose Σ c·2^e·x over the parts (c, e, x), in units of 2^−bits of the largest part."""
    sizes = [
        c.numerator.bit_length() - c.denominator.bit_length() + x.high.bit_length() + x.exponent + e
        for c, e, x in parts
    ]
    unit, low, high = max(sizes, default=0) - bits, 0, 0
    for c, e, x in parts:
        least, most = (x.low, x.high) if c > 0 else (x.high, x.low)
        low += floor(c.numerator * least, x.exponent + e - unit, c.denominator)
        high -= floor(-c.numerator * most, x.exponent + e - unit, c.denominator)
    return low, high


EXACTLY_1 = Enclosure(1, 1, 0)


def exp_enclosure(x: Fraction | int, bits: int) -> Enclosure:
    """Enclose e^x for a rational x, with a relative width of about 2^−bits.

    With y = |x|/2^h < 1/4 the Taylor series at y is summed in units of 2^−scale, once rounding
    down and once up, until a term is at most one unit; each later term is less than half of the
    one before, so they add up to less than the last. The sum is squared h times (doubling the
    relative error each time, hence h more bits of scale), and inverted if x < 0.
    """
    if x == 0:
        return EXACTLY_1
    n, d = abs(x.numerator), x.denominator
    halvings = max(0, n.bit_length() - d.bit_length() + 3 + isqrt(bits))
    scale = bits + halvings + 16
    y_low = (n << bits + 16) // d  # y lies between y_low and y_low + 1 units
    term_low = term_high = sum_low = sum_high = 1 << scale
    for j in count(1):
        term_low = (term_low * y_low >> scale) // j
        term_high = -((-term_high * (y_low + 1) >> scale) // j)
        sum_low, sum_high = sum_low + term_low, sum_high + term_high
        if term_high <= 1:
            break
    e = Enclosure(sum_low, sum_high + term_high, -scale)
    for _ in range(halvings):
        e = e.times(e, scale)
    if x < 0:
        one = 1 << 2 * scale
        e = Enclosure(one // e.high, -(-one // e.low), -e.exponent - 2 * scale)
    return e.times(EXACTLY_1, bits)
