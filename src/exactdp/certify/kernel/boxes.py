"""Boxes that cover the orthant, on each of which a sum has nonnegative coefficients.

Along one axis let a₁ ≥ … ≥ a_N be the rates of a sum g, each as often as its powers need, and
δᵢ(σ) = (Lᵢ₋₁ ⋯ L₁ g)(σ) with Lᵢ = ∂ + aᵢ. Then δᵢ′ = δᵢ₊₁ − aᵢδᵢ, with 0 for δ_{N+1}, because
L_N ⋯ L₁ g is 0. So δ(σ + t) = W(t)·δ(σ), where Wᵢₖ(t) is the convolution of e^{−aᵢt}, …, e^{−aₖt}
on t ≥ 0, and 0 if i > k. With wₖ = W₁ₖ ≥ 0 this says g(σ + t) = Σ δₖ(σ)·wₖ(t).

- **[σ, ∞)**: g ≥ 0 if all δₖ(σ) ≥ 0.
- **[σ, σ + h]**: g ≥ 0 if all Sᵢ = Σ_{k≤i} δₖ(σ)·wₖ(h) ≥ 0. Let uₖ(t) be wₖ(t)/w₁(t), divided by
  its value at h. Then 1 = u₁ ≥ u₂ ≥ … ≥ u_N ≥ 0 on [0, h]: a convolution of log-concave functions
  is log-concave, so wₖ(t − y)/wₖ(t) does not fall when t grows, and neither does wₖ₊₁(t)/wₖ(t), the
  integral of e^{−aₖ₊₁y}·wₖ(t − y)/wₖ(t) over y from 0 to t. Now g(σ + t)·w₁(h)/w₁(t) is
  Σ δₖ(σ)·wₖ(h)·uₖ(t) = Σ Sᵢ·(uᵢ − uᵢ₊₁)(t), with 0 for u_{N+1}.
- **from the upper end**: the same for g(σ + h − t), whose rates are −aᵢ (their order does not
  matter) and whose Lᵢ are −(∂ + aᵢ). So (−1)^{i−1}·δᵢ(σ + h) takes the place of δᵢ(σ).

In each case g is a sum of coefficients times nonnegative functions. Several axes are treated one by
one: then it is a sum of coefficients times products of nonnegative functions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from math import comb, factorial, gcd, lcm
from typing import Any

from .enclosures import exp_enclosure, floor
from .reading import CertificateReader

Factor = tuple[int, Fraction]  # (k, a) for s^k·e^{−as}
Local = dict[tuple[Factor, ...], Fraction]
Ends = tuple[Fraction, Fraction | None]
Box = list[Ends]
Enclosed = tuple[int, int]  # an enclosure, in units
Columns = list[list[Enclosed]]  # of a matrix

_ZERO: Enclosed = (0, 0)


def check_boxes(
    reader: CertificateReader,
    g: Local,
    tree: Any,
    region: Box,
    misses: Callable[[Box], bool],
    axis: int = 0,
) -> None:
    """Check that g is nonnegative on the boxes into which a tree cuts a region.

    A node cuts a box along an axis. A leaf is null where a box does not matter; else the bits of
    precision, and the axes on which the upper end is used. On `axis`, zeros of g at the ends of the
    region are seen exactly.
    """
    sums = Tensor(reader, g, axis, region)
    waiting = [(region, tree)]
    while waiting:
        box, node = waiting.pop()
        if isinstance(node, dict):
            j, at, below, above = reader.fields(node, "axis at below above")
            j, cut = reader.integer(j, 0, len(region) - 1), reader.rational(at)
            low, high = box[j]
            right = low < cut and (high is None or cut < high)
            reader.require(right, "a box is cut outside")
            waiting.append(([*box[:j], (low, cut), *box[j + 1 :]], below))
            waiting.append(([*box[:j], (cut, high), *box[j + 1 :]], above))
        elif node is None:
            reader.require(misses(box), "a box is left out")
        else:
            bits, uppers = reader.entries(node, 2)
            right = sums.is_nonnegative(box, reader.bits(bits), reader.entries(uppers))
            reader.require(right, "the sign in a box is not proved")


class Tensor:
    """A sum by its coefficients δ at 0, exactly: integers, all times the same positive number."""

    def __init__(
        self, reader: CertificateReader, g: Local, axis: int = 0, region: Box | None = None
    ) -> None:
        self.reader, self.g, self.axis = reader, g, axis
        axes = range(len(next(iter(g), ())))
        self.rates = [rates_of({key[j] for key in g}) for j in axes]
        self.exact = self._at_zero(g)
        ends = region[axis] if region else ()
        self._nonzero = {end: self._nonzero_at(end) for end in ends if end}
        self._known: dict[tuple[int, Fraction, int, int], Columns] = {}

    def _at_zero(self, g: Local) -> dict[tuple[int, ...], int]:
        """Return the δ at 0 that are not 0, by their places."""
        scale = lcm(*(c.denominator for c in g.values()))
        found: dict[Any, int] = {key: int(c * scale) for key, c in g.items()}
        for j, rates in sorted(enumerate(self.rates), key=lambda one: -len(one[1])):
            columns: dict[Factor, list[int]] = {}
            given, found = found, {}
            for key, c in given.items():
                if key[j] not in columns:
                    self.reader.spend(3 * len(rates) * (key[j][0] + 1), 16 * len(rates))
                    columns[key[j]] = functionals(rates, key[j])
                for i, weight in enumerate(columns[key[j]]):
                    if weight:
                        new = (*key[:j], i, *key[j + 1 :])
                        found[new] = found.get(new, 0) + c * weight
                self.reader.spend(2 * len(rates), 64)
        over = gcd(*found.values())
        return {key: c // over for key, c in found.items() if c}

    def is_nonnegative(self, box: Box, bits: int, uppers: Collection[int]) -> bool:
        """Whether all coefficients on a box are seen not to be negative."""
        values = {key: (c, c) for key, c in self.exact.items()}
        for j in sorted(range(len(self.rates)), key=lambda j: j != self.axis):
            low, high = box[j]
            sign, end = (1, low) if high is None or j not in uppers else (-1, high)
            if end:
                values = self._applied(self._moved(j, end, bits), values, j)
            if j == self.axis and end in self._nonzero:
                others = self._nonzero[end]
                values = {key: value for key, value in values.items() if key in others}
            if high is not None:
                row = [column[0] for column in self._moved(j, high - low, bits, sign)]
                signed = [x if sign**k == 1 else (-x[1], -x[0]) for k, x in enumerate(row)]
                sums = [[_ZERO] * k + [x] * (len(row) - k) for k, x in enumerate(signed)]
                values = self._applied(sums, values, j)
        return all(low >= 0 for low, _ in values.values())

    def _nonzero_at(self, end: Fraction) -> set[tuple[int, ...]]:
        """Return the places of the δ at an end of the axis, and at 0 of others, that are not 0.

        They are sums of q·e^x, and 0 only if every q is (Lindemann and Weierstrass).
        """
        apart: dict[Fraction, Local] = {}
        for key, c in self.g.items():
            k, a = key[self.axis]
            part = apart.setdefault(a, {})
            for i in range(k + 1):
                new = (*key[: self.axis], (i, a), *key[self.axis + 1 :])
                part[new] = part.get(new, Fraction(0)) + c * comb(k, i) * end ** (k - i)
        return {key for part in apart.values() for key in self._at_zero(part)}

    def _applied(
        self, matrix: Columns, values: dict[tuple[int, ...], Enclosed], j: int
    ) -> dict[tuple[int, ...], Enclosed]:
        """Return a matrix times all columns of values along an axis; nothing is rounded."""
        self.reader.spend(2 * len(values) * len(matrix), 64)
        found: dict[tuple[int, ...], Enclosed] = {}
        for key, (x, y) in values.items():
            before, behind = key[:j], key[j + 1 :]
            for i, (a, b) in enumerate(matrix[key[j]]):
                if a or b:
                    ends = (a * x, a * y, b * x, b * y)
                    low, high = found.get(new := (*before, i, *behind), _ZERO)
                    found[new] = low + min(ends), high + max(ends)
        return found

    def _moved(self, j: int, h: Fraction, bits: int, sign: int = 1) -> Columns:
        """Enclose W(h) in units, by columns, times a number; for the rates, or −1 times them.

        Where rates differ it is a divided difference: Wᵢₖ·(aᵢ − aₖ) = Wᵢ₊₁ₖ − Wᵢₖ₋₁.
        """
        if (j, h, bits, sign) in self._known:
            return self._known[j, h, bits, sign]
        rates = [sign * a for a in self.rates[j]]
        n, top = len(rates), max(rates)
        width = bits + 2 * int((top - min(rates)) * h)
        self.reader.spend(n * n * 4 + 2 * n * bits.bit_length(), width)
        powers = {a: exp_enclosure((top - a) * h, bits) for a in rates}
        matrix: Columns = [[_ZERO] * n for _ in rates]
        for d in range(n):
            for i, (a, b) in enumerate(zip(rates, rates[d:], strict=False)):
                if a == b:
                    low, high, shift = powers[a]
                    c, shift = h**d / factorial(d), shift + bits
                else:
                    c, shift = 1 / abs(a - b), 0
                    pair = matrix[i + d - 1][i], matrix[i + d][i + 1]
                    one, two = pair if a > b else pair[::-1]
                    low, high = max(two[0] - one[1], 0), two[1] - one[0]
                least = floor(c.numerator * low, shift, c.denominator)
                matrix[i + d][i] = least, -floor(-c.numerator * high, shift, c.denominator)
        self._known[j, h, bits, sign] = matrix
        return matrix


def rates_of(factors: Iterable[Factor]) -> list[Fraction]:
    """Return the rates along an axis, the largest first, each as often as its powers need."""
    highest: dict[Fraction, int] = {}
    for k, a in factors:
        highest[a] = max(highest.get(a, 0), k)
    return [a for a in sorted(highest, reverse=True) for _ in range(highest[a] + 1)]


def functionals(rates: list[Fraction], factor: Factor) -> list[int]:
    """Return δ₁, …, δ_N at 0 of s^k·e^{−as}: k! times the coefficient of x^k in ∏ (x + aⱼ − a).

    They are multiplied by dᴺ, where d is the common denominator of the rates, of which a is one.
    """
    k, a = factor
    d = lcm(*(rate.denominator for rate in rates))
    whole = [rate.numerator * (d // rate.denominator) for rate in (*rates, a)]
    product = [1] + [0] * k  # of y + d·(aⱼ − a), with y = dx
    found = []
    for n, rate in enumerate(whole[:-1]):
        found.append(factorial(k) * product[k] * d ** (k + len(rates) - n))
        b = rate - whole[-1]
        product = [(product[i - 1] if i else 0) + b * product[i] for i in range(k + 1)]
    return found
