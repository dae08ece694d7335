"""Enclosures of sums: exponentials and powers as whole numbers over 2^bits, rounded outwards."""

from __future__ import annotations

from fractions import Fraction

from .document import Work, need
from .sums import Sum


class Exponentials:
    """e^{bε/unit} for b ≤ 0 and ε in [low, high], as pairs of whole numbers over 2^bits."""

    def __init__(self, unit: int, bits: int, low: Fraction, high: Fraction) -> None:
        need(0 <= low <= high, "an interval of ε in disorder")
        self.bits, self.low, self.high = bits, low, high
        self.least = decay(high / unit, bits)
        self.most = self.least if low == high else decay(low / unit, bits)
        self.powers = {0: (1 << bits, 1 << bits)}

    def power(self, b: int) -> tuple[int, int]:
        """Return bounds of e^{bε/unit}: the square of the half, or one factor more."""
        need(b <= 0, "an exponential that grows")
        todo = [b]
        while todo[-1] not in self.powers:
            c = todo[-1]
            todo.append(c // 2 if c % 2 == 0 else c + 1)
        for c in reversed(todo[:-1]):
            half = c // 2 if c % 2 == 0 else c + 1
            low, high = self.powers[half]
            factor = (low, high) if c % 2 == 0 else (self.least[0], self.most[1])
            self.powers[c] = low * factor[0] >> self.bits, -(-high * factor[1] >> self.bits)
        return self.powers[b]


def decay(x: Fraction, bits: int) -> tuple[int, int]:
    """Return whole numbers with low ≤ e^{−x}·2^bits ≤ high, for x ≥ 0.

    The Taylor series of e^{−y} for y = x/2^h < 1/4, squared h times. With y rounded up it is a
    lower bound, rounded down an upper one; each term is rounded by less than 1, and the rest is
    less than the last term, which is 0.
    """
    halvings = int(x).bit_length() + 3
    work = bits + 2 * halvings + 20
    y = (x.numerator << work) // (x.denominator << halvings)
    bounds = []
    for near, up in ((y + 1, False), (y, True)):
        total = term = 1 << work
        i = 0
        while term:
            i += 1
            term = (term * near >> work) // i
            total += -term if i % 2 else term
        total += (2 * i + 2) * (1 if up else -1)
        for _ in range(halvings):
            total = -(-total * total >> work) if up else total * total >> work
        bounds.append(-(-total >> work - bits) if up else total >> work - bits)
    return max(bounds[0], 0), bounds[1]


def enclosed(f: Sum, e: Exponentials, work: Work) -> tuple[int, int]:
    """Return bounds of f·2^bits over the interval of e."""
    low = high = 0
    work.spend(len(f.terms))
    for (k, b), c in f.terms.items():
        least, most = e.power(b)
        up, down = e.high**k, e.low**k
        ends = (least * down, most * up) if c > 0 else (most * up, least * down)
        low += (c * ends[0]).__floor__()
        high += (c * ends[1]).__ceil__()
    return low, high
