"""Enclosures of sums: exponentials and powers as whole numbers over 2^bits, rounded outwards."""

from __future__ import annotations

from fractions import Fraction

from .document import Work, need
from .sums import Sum, length


class Exponentials:
    """e^{bε/unit} for b ≤ 0 and ε in [low, high], as pairs of whole numbers over 2^bits."""

    def __init__(self, unit: int, bits: int, low: Fraction, high: Fraction, work: Work) -> None:
        need(0 <= low <= high, "an interval of ε in disorder")
        self.bits, self.low, self.high, self.work = bits, low, high, work
        self.least = decay(high / unit, bits, work)
        self.most = self.least if low == high else decay(low / unit, bits, work)
        self.powers = {0: (1 << bits, 1 << bits)}

    def power(self, b: int) -> tuple[int, int]:
        """Return bounds of e^{bε/unit}: the square of the half, or one factor more."""
        need(b <= 0, "an exponential that grows")
        todo = [b]
        while todo[-1] not in self.powers:
            c = todo[-1]
            todo.append(c // 2 if c % 2 == 0 else c + 1)
        for c in reversed(todo[:-1]):
            self.work.number(self.bits)
            half = c // 2 if c % 2 == 0 else c + 1
            low, high = self.powers[half]
            factor = (low, high) if c % 2 == 0 else (self.least[0], self.most[1])
            self.powers[c] = low * factor[0] >> self.bits, -(-high * factor[1] >> self.bits)
        return self.powers[b]


def decay(x: Fraction, bits: int, work: Work) -> tuple[int, int]:
    """Return whole numbers with low ≤ e^{−x}·2^bits ≤ high, for x ≥ 0.

    The Taylor series of e^{−y} for y = x/2^h < 1/4, squared h times. With y rounded up it is a
    lower bound, rounded down an upper one; each term is rounded by less than 1, and the rest is
    less than the last term, which is 0.
    """
    if x >= bits:
        return 0, 1  # e^{−x} ≤ 2^{−bits}
    halvings = int(x).bit_length() + 3
    size = bits + 2 * halvings + 20
    y = (x.numerator << size) // (x.denominator << halvings)
    bounds = []
    for near, up in ((y + 1, False), (y, True)):
        total = term = 1 << size
        i = 0
        while term:
            i += 1
            work.number(size)
            term = (term * near >> size) // i
            total += -term if i % 2 else term
        total += (2 * i + 2) * (1 if up else -1)
        for _ in range(halvings):
            work.number(size)
            total = -(-total * total >> size) if up else total * total >> size
        bounds.append(-(-total >> size - bits) if up else total >> size - bits)
    return max(bounds[0], 0), bounds[1]


def enclosed(f: Sum, e: Exponentials, work: Work) -> tuple[int, int]:
    """Return bounds of f·2^bits over the interval of e."""
    low = high = 0
    for (k, b), c in f.terms.items():
        work.number(k * max(length(e.low), length(e.high)) + e.bits + length(c))
        least, most = e.power(b)
        up, down = e.high**k, e.low**k
        ends = (least * down, most * up) if c > 0 else (most * up, least * down)
        low += (c * ends[0]).__floor__()
        high += (c * ends[1]).__ceil__()
    return low, high
