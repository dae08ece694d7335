"""Nonnegative bases of exponential polynomials on a segment of one axis, and their refinement.

On one axis, g lies in the span V of s^k·exp(−as), of dimension N, with decay rates a₁ ≥ … ≥ a_N.

- On [σ, ∞) the basis is φᵢ(s − σ) (see `coefficients`), with δᵢ = (Lᵢ₋₁ ⋯ L₁ g)(σ). Because
  d/dσ δᵢ = δᵢ₊₁ − aᵢδᵢ, moving σ by h multiplies δ by W(h) = exp(h·G), G upper bidiagonal.
- On [σ, σ + h] the basis is Bernstein's: Bᵢ ∈ V has a zero of order i at σ and of order N − 1 − i
  at σ + h. A nonzero element of V has at most N − 1 real zeros, counted with multiplicity, so Bᵢ
  has no other zero and we may take it positive inside. X(h) holds the δ of the Bᵢ as columns.

Matrices from the coefficients on a segment to those on its parts depend on h alone. They are
triangular, by counting zeros at the common end; the zeros of the triangle are exact, so a
coefficient that vanishes because g vanishes on a face stays exactly 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from flint import arb, arb_mat, ctx
from numpy.typing import NDArray

from exactdp.cones.coefficients import functionals
from exactdp.reals.numbers import exact

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Segment:
    """The interval [low, low + length] of an axis; length None means [low, ∞)."""

    low: Fraction
    length: Fraction | None

    @property
    def high(self) -> Fraction | None:
        """The upper end, None for infinity."""
        return None if self.length is None else self.low + self.length


class Axis:
    """The space V along one axis and the matrices that refine coefficients, which are cached.

    A matrix consists of doubles: each entry is the true one times 1 + e with |e| ≤ 2⁻⁵², and
    exactly 0 where the true one is.
    """

    def __init__(self, nodes: tuple[int, ...]) -> None:
        self.nodes = nodes
        self.size = len(nodes)
        rows = functionals(nodes)
        self.bits = tuple(max(row.values()).bit_length() - 1 for row in rows)
        """δᵢ is divided by 2^bitsᵢ to keep doubles in range; signs do not change."""
        positive = [a for a in nodes if a] or [1]
        rate = Fraction(sum(positive), len(positive))
        self.step = Fraction(1, max(1, 1 << math.floor(math.log2(rate))))
        self._refined: dict[tuple[Fraction | None, bool, Fraction], Array] = {}
        self._bases: dict[tuple[Fraction, int], tuple[arb_mat, arb_mat, arb_mat]] = {}

    def first(self) -> Segment:
        """Return the whole axis."""
        return Segment(Fraction(0), None)

    def halves(self, segment: Segment) -> tuple[Segment, Segment]:
        """Return the two parts into which a segment is cut."""
        if segment.length is None:
            cut = max(segment.low, self.step)
            return Segment(segment.low, cut), Segment(segment.low + cut, None)
        half = segment.length / 2
        return Segment(segment.low, half), Segment(segment.low + half, half)

    def onto(self, segment: Segment) -> arb_mat:
        """Return the matrix from the coefficients δ at 0 to those on a segment, in balls.

        On a segment of length 0 that is the row that gives the value there.
        """
        size = self.size
        moved = arb_mat(size, size, [arb(i == j) for i in range(size) for j in range(size)])
        if segment.low:
            moved = self._basis(segment.low)[0]
        if segment.length == 0:
            return arb_mat(1, size, [moved[0, j] * arb(2) ** -self.bits[j] for j in range(size)])
        if segment.length is not None:
            moved = self._basis(segment.length)[2] * moved
        scale = self._exponent(segment.length)
        return arb_mat(
            size,
            size,
            [
                moved[i, j] * arb(2) ** (i * scale - self.bits[j])
                for i in range(size)
                for j in range(size)
            ],
        )

    def matrix(self, segment: Segment, upper: bool) -> Array:
        """Return the matrix from the coefficients on a segment to those on one of its halves."""
        left, _ = self.halves(segment)
        assert left.length is not None
        key = segment.length, upper, left.length
        if key not in self._refined:
            self._refined[key] = self._computed(segment.length, upper, left.length)
        return self._refined[key]

    def _computed(self, whole: Fraction | None, upper: bool, cut: Fraction) -> Array:
        bits = 256
        while bits <= 4096:
            with ctx.workprec(bits):
                found = self._attempt(whole, upper, cut)
            if found is not None:
                return found
            bits *= 2
        raise ArithmeticError("a refinement matrix needs more than 4096 bits")

    def _attempt(self, whole: Fraction | None, upper: bool, cut: Fraction) -> Array | None:
        size = self.size
        try:
            if whole is None:
                moved, _, inverse = self._basis(cut)
                result = moved if upper else inverse
            else:
                _, old, _ = self._basis(whole)
                moved, _, inverse = self._basis(cut)
                result = inverse * (moved * old if upper else old)
        except ZeroDivisionError:
            return None
        before = self._exponent(whole)
        after = self._exponent(None if whole is None and upper else cut)
        rows = np.zeros((size, size))
        for i in range(size):
            columns = range(i, size) if upper else range(i + 1)
            for j in columns:
                entry = result[i, j]
                if entry.rel_accuracy_bits() < 60:
                    return None
                rows[i, j] = float(entry.mid() * arb(2) ** (i * after - j * before))
        return rows

    def _exponent(self, length: Fraction | None) -> int:
        """Return e: the i-th coefficient on a segment is kept times 2^(i·e), to stay in range."""
        return 0 if length is None else round(math.log2(length) + self.bits[-1] / self.size)

    def _basis(self, h: Fraction) -> tuple[arb_mat, arb_mat, arb_mat]:
        """Return W(h), X(h) and the inverse of X(h) at the working precision."""
        key = h, ctx.prec
        if key not in self._bases:
            moved = self._moved(h)
            basis = self._bernstein(moved)
            self._bases[key] = moved, basis, _inverse(basis)
        return self._bases[key]

    def _moved(self, h: Fraction) -> arb_mat:
        """Return W(h)."""
        size, step = self.size, exact(h)
        generator = arb_mat(size, size)
        for i, a in enumerate(self.nodes):
            generator[i, i] = arb(-a * step)
            if i + 1 < size:
                generator[i, i + 1] = arb(step) * arb(2) ** (self.bits[i + 1] - self.bits[i])
        result = generator.exp()
        for i in range(size):
            for j in range(i):
                result[i, j] = arb(0)
        return result

    def _bernstein(self, moved: arb_mat) -> arb_mat:
        """Return X(h) from W(h): lower triangular with unit diagonal."""
        size = self.size
        result = arb_mat(size, size)
        for i in range(size):
            result[i, i] = arb(1)
            count = size - 1 - i
            if not count:
                continue
            system = arb_mat([[moved[r, c] for c in range(i + 1, size)] for r in range(count)])
            right = arb_mat([[-moved[r, i]] for r in range(count)])
            solution = system.solve(right)
            for c in range(count):
                result[i + 1 + c, i] = solution[c, 0]
        return result


@lru_cache(maxsize=256)
def axis(nodes: tuple[int, ...]) -> Axis:
    """Return the axis with these decay rates; cells share the matrices."""
    return Axis(nodes)


def _inverse(lower: arb_mat) -> arb_mat:
    """Return the inverse of a lower triangular matrix with unit diagonal, zeros kept exact."""
    size = lower.nrows()
    result = arb_mat(size, size)
    for j in range(size):
        result[j, j] = arb(1)
        for i in range(j + 1, size):
            total = arb(0)
            for k in range(j, i):
                total -= lower[i, k] * result[k, j]
            result[i, j] = total
    return result
