"""Real numbers enclosed between rationals: e^x, products and sums, rounded outwards."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import isqrt
from typing import NamedTuple


def floor(n: int, e: int, d: int = 1) -> int:
    """Return ⌊n·2^e/d⌋, also where e is far below 0."""
    if e >= 0:
        return (n << e) // d
    return n // (d << -e) if -e <= n.bit_length() else -(n < 0)


class PositiveEnclosure(NamedTuple):
    """A positive real number between low·2^exponent and high·2^exponent, 0 ≤ low ≤ high."""

    low: int
    high: int
    exponent: int

    def times(self, other: PositiveEnclosure, bits: int) -> PositiveEnclosure:
        """Enclose the product, rounded outwards to `bits` bits."""
        low, high = self.low * other.low, self.high * other.high
        excess = max(0, high.bit_length() - bits)
        exponent = self.exponent + other.exponent + excess
        return PositiveEnclosure(low >> excess, -(-high >> excess), exponent)


def total(parts: list[tuple[Fraction, int, PositiveEnclosure]], bits: int) -> tuple[int, int]:
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


EXACTLY_1 = PositiveEnclosure(1, 1, 0)


@lru_cache(maxsize=64)
def log_2(bits: int) -> int:
    """Return n with n ≤ ln 2·2^bits < n + 2.

    ln 2 = Σ 2/(j·3^j) over odd j, summed in units of 2^−g of those, always rounding down. A term
    is too small by less than 3 units, and those left out add up to less than one.
    """
    guard = bits.bit_length() + 3  # 3 units for each of at most bits + guard terms
    power, total, j = (2 << bits + guard) // 3, 0, 1
    while power:
        total += power // j
        power, j = power // 9, j + 2
    return total >> guard


def exp_enclosure(x: Fraction | int, bits: int) -> PositiveEnclosure:
    """Enclose e^x for a rational x, with a relative width of about 2^−bits.

    e^x = 2^k·e^y with y = x − k·ln 2 from 0 to 0.7, so x may be huge. The Taylor series at y/2^h
    is summed in units of 2^−scale, once rounding down and once up, until a term is at most one
    unit; each later term is less than half of the one before, so they add up to less than the
    last. The sum is squared h times (doubling the relative error each time, hence h more bits of
    scale).
    """
    if x == 0:
        return EXACTLY_1
    halvings = 2 + isqrt(bits)
    scale = bits + halvings + 16
    more = max(0, abs(x.numerator).bit_length() - x.denominator.bit_length()) + 4
    low = log_2(scale + more)  # ln 2, and below x and y, in units of 2^−(scale + more)
    ends = (low + 2, low) if x > 0 else (low, low + 2)
    at_least = (x.numerator << scale + more) // x.denominator
    k, y_low = divmod(at_least, ends[0])  # k has the sign of x, so k·ends[0] ≥ k·ln 2 ≥ k·ends[1]
    y_high = at_least + 1 - k * ends[1]
    y_low, y_high = y_low >> halvings + more, -(-y_high >> halvings + more)  # y/2^h, by scale
    term_low = term_high = sum_low = sum_high = 1 << scale
    for j in count(1):
        term_low = (term_low * y_low >> scale) // j
        term_high = -((-term_high * y_high >> scale) // j)
        sum_low, sum_high = sum_low + term_low, sum_high + term_high
        if term_high <= 1:
            break
    e = PositiveEnclosure(sum_low, sum_high + term_high, -scale)
    for _ in range(halvings):
        e = e.times(e, scale)
    return e._replace(exponent=e.exponent + k).times(EXACTLY_1, bits)
