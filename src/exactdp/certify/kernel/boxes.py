"""Boxes that cover the orthant, on each of which a sum has nonnegative coefficients.

Along one axis let a₁ ≥ … ≥ a_N be the rates of a sum g, each as often as its powers need, V the
space of sums with these, and δᵢ(σ) = (Lᵢ₋₁ ⋯ L₁ g)(σ) with L = ∂ + a. Then δᵢ′ = δᵢ₊₁ − aᵢδᵢ, so
δ(σ + h) = W(h)·δ(σ) with W(h) = exp(hG), where G has −aᵢ in its diagonal and 1 above it.

- On [σ, ∞) g ≥ 0 if all δᵢ(σ) ≥ 0 (see `orthants`).
- On [σ, σ + h] let Bᵢ in V have a zero of order i at σ and of order N − 1 − i at σ + h. Elements of
  V other than 0 have at most N − 1 zeros, so Bᵢ has no other, and is positive inside if the first
  δ at σ that is not 0 is: that is δᵢ₊₁, set to 1. With the δ of the B as columns of X, g is
  Σ bᵢBᵢ with b = X⁻¹·δ(σ), and g ≥ 0 if all bᵢ ≥ 0.

Several axes are treated one by one (products of nonnegative functions). All
matrices are enclosed by integers in units of 2^−bits; W is multiplied by e^{h·a₁} > 0, after which
its generator has no negative entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import comb, lcm, prod
from typing import Any

from .enclosures import floor
from .reading import CertificateReader

Factor = tuple[int, Fraction]
Local = dict[tuple[Factor, ...], Fraction]
Ends = tuple[Fraction, Fraction | None]
Box = list[Ends]
Cell = tuple[int, int]  # an enclosure, in units
Matrix = list[list[Cell]]

_LARGEST = 200_000  # coefficients
_MOST_RATES = 60
_ZERO: Cell = (0, 0)


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
    precision, and whether zeros of g at the ends of the box along `axis` are to be seen exactly.
    """
    sums = Tensor(reader, g) if g else None
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
            reader.require(sums is None or misses(box), "a box is left out")
        elif sums is not None:
            bits, zeros = reader.entries(node, 2)
            right = sums.is_nonnegative(box, axis, reader.bits(bits), zeros=zeros is True)
            reader.require(right, "the sign in a box is not proved")


class Tensor:
    """A sum by its coefficients δ at 0, exactly."""

    def __init__(self, reader: CertificateReader, g: Local) -> None:
        self.reader, self.g = reader, g
        size = len(next(iter(g)))
        self.rates: list[list[Fraction]] = []
        for j in range(size):
            listed = rates_of({key[j] for key in g})
            reader.require(len(listed) <= _MOST_RATES, "a cell has too many exponentials")
            self.rates.append(listed)
        self.shape = [len(rates) for rates in self.rates]
        reader.require(prod(self.shape) <= _LARGEST, "a cell has too many coefficients")
        found: dict[Any, Fraction] = dict(g)
        for j in range(size):
            found = self._at_zero(found, j)
        scale = lcm(*(c.denominator for c in found.values()))
        self.exact = [0] * prod(self.shape)
        for key, c in found.items():
            self.exact[self._place(key)] = int(c * scale)
        self._known: dict[tuple[int, Ends, int], Matrix] = {}

    def _place(self, key: tuple[int, ...]) -> int:
        place = 0
        for i, n in zip(key, self.shape, strict=True):
            place = place * n + i
        return place

    def _at_zero(self, g: dict[Any, Fraction], j: int) -> dict[Any, Fraction]:
        """Return the sum with the place of δ instead of s^k·e^{−as} along one axis."""
        found: dict[Any, Fraction] = {}
        columns: dict[Factor, list[Fraction]] = {}
        for key, c in g.items():
            if key[j] not in columns:
                columns[key[j]] = functionals(self.rates[j], key[j])
            for i, weight in enumerate(columns[key[j]]):
                if weight:
                    new = (*key[:j], i, *key[j + 1 :])
                    found[new] = found.get(new, Fraction(0)) + c * weight
            self.reader.spend(2 * self.shape[j], 64)
        return {key: c for key, c in found.items() if c}

    def is_nonnegative(self, box: Box, axis: int, bits: int, *, zeros: bool) -> bool:
        """Whether all coefficients on a box are seen not to be negative."""
        lows, highs = list(self.exact), list(self.exact)
        for j in [axis, *(j for j in range(len(box)) if j != axis)]:
            ends = box[j]
            if ends != (Fraction(0), None):
                key = j, ends, bits
                if key not in self._known:
                    found = self._matrix(self.rates[j], ends, bits)
                    if found is None:
                        return False
                    self._known[key] = found
                lows, highs = self._applied(self._known[key], lows, highs, j, bits)
            if j == axis and zeros:
                for place in self._zeros(axis, *box[axis]):
                    lows[place] = highs[place] = 0
        return all(low >= 0 for low in lows)

    def _zeros(self, axis: int, low: Fraction, high: Fraction | None) -> set[int]:
        """Return the coefficients along an axis that are 0 because of zeros of g at both ends.

        A function with a zero of order m at an end of a stretch has m coefficients 0 there.
        """
        n, stride = self.shape[axis], prod(self.shape[axis + 1 :])
        found: set[int] = set()
        for end, step in ((low, 1), (high, -1)):
            if not end:
                continue
            others = self._nonzero_at(axis, end)
            for start in range(len(self.exact)):
                if start // stride % n:
                    continue
                listed = [start + i * stride for i in range(n)]
                order = next((i for i, place in enumerate(listed) if place in others), n)
                found.update(listed[::step][:order])
        return found

    def _nonzero_at(self, axis: int, end: Fraction) -> set[int]:
        """Return the places of the δ at an end of an axis, and at 0 of the others, that are not 0.

        They are sums of q·e^x, and 0 only if every q is (Lindemann and Weierstrass).
        """
        apart: dict[Fraction, dict[Any, Fraction]] = {}
        for key, c in self.g.items():
            k, a = key[axis]
            part = apart.setdefault(a, {})
            for i in range(k + 1):
                new = (*key[:axis], (i, a), *key[axis + 1 :])
                part[new] = part.get(new, Fraction(0)) + c * comb(k, i) * end ** (k - i)
        found: set[int] = set()
        for part in apart.values():
            places: dict[Any, Fraction] = part
            for j in range(len(self.shape)):
                places = self._at_zero(places, j)
            found.update(self._place(key) for key in places)
        return found

    def _applied(
        self, matrix: Matrix, lows: list[int], highs: list[int], j: int, bits: int
    ) -> tuple[list[int], list[int]]:
        n = self.shape[j]
        stride = prod(self.shape[j + 1 :])
        self.reader.spend(2 * len(lows) * n, bits)
        new_lows, new_highs = [0] * len(lows), [0] * len(lows)
        for start in range(len(lows)):
            if start // stride % n:
                continue
            places = [start + i * stride for i in range(n)]
            for i, row in enumerate(matrix):
                low = high = 0
                for (a, b), place in zip(row, places, strict=True):
                    x, y = lows[place], highs[place]
                    if x or y:
                        ends = (a * x, a * y, b * x, b * y)
                        low += min(ends)
                        high += max(ends)
                new_lows[places[i]] = low  # the unit becomes smaller: nothing is rounded
                new_highs[places[i]] = high
        return new_lows, new_highs

    def _matrix(self, rates: list[Fraction], ends: Ends, bits: int) -> Matrix | None:
        """Return the matrix from δ(0) to the coefficients on a stretch, up to a factor."""
        low, high = ends
        n = len(rates)
        self.reader.spend(n**3 * 40, bits)
        moved = _moved(rates, low, bits) if low else _unit(n, bits)
        if high is None:
            return moved
        if high == low:  # the value is the only coefficient
            return [moved[0], *([_ZERO] * n for _ in range(n - 1))]
        basis = _bernstein(_moved(rates, high - low, bits), bits)
        return None if basis is None else _solved(basis, moved, bits)


def rates_of(factors: Iterable[Factor]) -> list[Fraction]:
    """Return the rates along an axis, the largest first, each as often as its powers need."""
    highest: dict[Fraction, int] = {}
    for k, a in factors:
        highest[a] = max(highest.get(a, 0), k)
    return [a for a in sorted(highest, reverse=True) for _ in range(highest[a] + 1)]


def functionals(rates: list[Fraction], factor: Factor) -> list[Fraction]:
    """Return δ₁, …, δ_N at 0 of s^k·e^{−as}: k! times the coefficient of x^k in ∏ (x + aⱼ − a)."""
    k, a = factor
    product = [Fraction(1)] + [Fraction(0)] * k
    factorial = prod(range(1, k + 1))
    found = []
    for rate in rates:
        found.append(factorial * product[k])
        product = [
            (product[i - 1] if i else Fraction(0)) + (rate - a) * product[i] for i in range(k + 1)
        ]
    return found


# Matrices of enclosures -----------------------------------------------------------------


def _unit(n: int, bits: int) -> Matrix:
    one = 1 << bits
    return [[(one, one) if i == j else _ZERO for j in range(n)] for i in range(n)]


def _times(a: Cell, b: Cell, bits: int) -> Cell:
    if _ZERO in (a, b):
        return _ZERO
    ends = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(ends) >> bits, -(-max(ends) >> bits)


def _moved(rates: list[Fraction], h: Fraction, bits: int) -> Matrix:
    """Enclose e^{h·a₁}·W(h), a matrix without negative entries.

    With A = h·(G + a₁)/2^m and row sums at most 1/2, the terms of Σ A^k/k! behind one are less than
    that one's largest possible size; the sum is squared m times.
    """
    n = len(rates)
    size = h * (rates[0] - rates[-1] + 1)
    halvings = max(0, size.numerator.bit_length() - size.denominator.bit_length() + 2)
    scale = bits + 2 * halvings + 32
    step = h / (1 << halvings)

    def enclosed(q: Fraction) -> Cell:
        return (
            floor(q.numerator, scale, q.denominator),
            -floor(-q.numerator, scale, q.denominator),
        )

    generator = [
        [
            enclosed(step * (rates[0] - rates[i]))
            if i == j
            else enclosed(step)
            if j == i + 1
            else _ZERO
            for j in range(n)
        ]
        for i in range(n)
    ]
    term = total = _unit(n, scale)
    for k in range(1, scale + 2):
        raised = _upper_product(term, generator, scale)
        term = [[(low // k, -(-high // k)) for low, high in row] for row in raised]
        total = [
            [(a + c, b + d) for (a, b), (c, d) in zip(one, two, strict=True)]
            for one, two in zip(total, term, strict=True)
        ]
        if k > n and max(high for row in term for _, high in row) <= 2:
            break
    rest = 4 + max(high for row in term for _, high in row) * n
    total = [
        [(low, high + rest) if i <= j else _ZERO for j, (low, high) in enumerate(row)]
        for i, row in enumerate(total)
    ]
    for _ in range(halvings):
        total = _upper_product(total, total, scale)
    shift = scale - bits
    return [[(low >> shift, -(-high >> shift)) for low, high in row] for row in total]


def _upper_product(a: Matrix, b: Matrix, bits: int) -> Matrix:
    """Return the product of upper triangular matrices without negative entries."""
    n = len(a)
    found: Matrix = [[_ZERO] * n for _ in range(n)]
    for i in range(n):
        for j in range(i, n):
            low = sum(a[i][k][0] * b[k][j][0] for k in range(i, j + 1))
            high = sum(a[i][k][1] * b[k][j][1] for k in range(i, j + 1))
            found[i][j] = low >> bits, -(-high >> bits)
    return found


def _bernstein(moved: Matrix, bits: int) -> Matrix | None:
    """Enclose X: below the 1 in the diagonal, what makes N − 1 − i entries of W·B be 0."""
    n = len(moved)
    found = _unit(n, bits)
    for i in range(n - 1):
        count = n - 1 - i
        system = [[moved[r][c] for c in range(i + 1, n)] for r in range(count)]
        right = [(-moved[r][i][1], -moved[r][i][0]) for r in range(count)]
        solution = _solution(system, right, bits)
        if solution is None:
            return None
        for c, one in enumerate(solution):
            found[i + 1 + c][i] = one
    return found


def _solution(system: Matrix, right: list[Cell], bits: int) -> list[Cell] | None:
    """Enclose the solution of linear equations by elimination."""
    rows = [[*row, one] for row, one in zip(system, right, strict=True)]
    n = len(rows)
    for k in range(n):
        place = max(range(k, n), key=lambda r: _least(rows[r][k]))
        if not _least(rows[place][k]):
            return None
        rows[k], rows[place] = rows[place], rows[k]
        for r in range(k + 1, n):
            if rows[r][k] != _ZERO:
                factor = _over(rows[r][k], rows[k][k], bits)
                rows[r] = [
                    _ZERO if c < k + 1 else _less(rows[r][c], _times(factor, rows[k][c], bits))
                    for c in range(n + 1)
                ]
    found: list[Cell] = [_ZERO] * n
    for k in reversed(range(n)):
        value = rows[k][n]
        for c in range(k + 1, n):
            value = _less(value, _times(rows[k][c], found[c], bits))
        found[k] = _over(value, rows[k][k], bits)
    return found


def _least(a: Cell) -> int:
    """Return how far an enclosure is from 0."""
    return max(a[0], -a[1], 0)


def _less(a: Cell, b: Cell) -> Cell:
    return a[0] - b[1], a[1] - b[0]


def _over(a: Cell, b: Cell, bits: int) -> Cell:
    """Return a quotient; the divisor is not 0."""
    ends = [Fraction(x, y) for x in a for y in b]
    least, most = min(ends), max(ends)
    return (
        floor(least.numerator, bits, least.denominator),
        -floor(-most.numerator, bits, most.denominator),
    )


def _solved(lower: Matrix, right: Matrix, bits: int) -> Matrix:
    """Enclose X⁻¹·M for a lower triangular X with 1 in the diagonal."""
    n = len(lower)
    found: Matrix = []
    for i in range(n):
        row = list(right[i])
        for k in range(i):
            if lower[i][k] != _ZERO:
                row = [
                    _less(one, _times(lower[i][k], other, bits))
                    for one, other in zip(row, found[k], strict=True)
                ]
        found.append(row)
    return found
