"""Polynomials close to a probability on a stretch of ε, with proven bounds of the difference.

Let A be the probability of an event or of its opposite, with n samples, and H(ε) = A(ε)·e^{rate·(ε −
c)} on [c − h, c + h], the rate such that H is about the same at both ends. p is the polynomial of
degree N with the values of H at the points c + h·cos(jπ/N).

**Why the bound is true.** Let E be the ellipse around c ± h with half axes a = h(ϱ + 1/ϱ)/2 < c and
b = h(ϱ − 1/ϱ)/2. If |H| ≤ M inside E, the Chebyshev coefficients of H are at most 2M/ϱ^k, so
|H − p| ≤ 4M/(ϱ^N(ϱ − 1)) (Trefethen, Approximation Theory and Approximation Practice, theorem 8.2),
and since |T_k′| ≤ k², the derivatives differ by at most 4M·Σ_{k>N} k²/ϱ^k. By `Chance`,
|H(z)| ≤ (|z|/Re z)^n·H(Re z). On E |z|/Re z ≤ √(1 + b²/(c² − a²)), so between c − h and c + h we have
M ≤ T·m with T = (1 + b²/(c² − a²))^{n/2} and m the largest H there, which is at most Σ |coefficients
of p| + |H − p|. Left and right of it H(x) is bounded by a value further left and the growth x^n·e^{−D·x}.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, arb_poly, ctx, fmpq, fmpz_poly

from exactdp.reals.numbers import exact
from exactdp.reals.unexpanded import Chance

_ROUGH = 64  # bits for bounds
_PARTS = 4  # of the ellipse beyond each end
_AXES = [Fraction(k, 16) for k in (18, 20, 22, 24, 26, 28, 32, 36, 40, 48, 56, 64, 80, 96, 128)]


@dataclass(frozen=True)
class Model:
    """A(ε)·e^{rate·(ε − c)} = polynomial(x) ± error for ε = c + h·x, −1 ≤ x ≤ 1."""

    is_opposite: bool
    """Whether A is the probability of the opposite of the event."""
    rate: Fraction
    polynomial: arb_poly
    error: arb
    slope_error: arb
    """A bound on the difference of the derivatives by x."""


class Models:
    """All values and polynomials found so far of one probability.

    (0, ∞) is cut into cells, always the same ones, so that different questions use the same values.
    """

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        n = max(chance.samples, 1)
        ratio = min(0.4, 2.8 / math.sqrt(n))
        self._cells = math.ceil(math.log(2) / math.log((1 + ratio) / (1 - ratio)))
        self._values: dict[tuple[Fraction, Fraction, Fraction], tuple[int, arb]] = {}
        self._models: dict[tuple[int, int], Model | None] = {}

    # Cells --------------------------------------------------------------------------------

    def end(self, index: int) -> Fraction:
        """Return the lower end of a cell: about 2^{index/cells}."""
        power, rest = divmod(index, self._cells)
        return Fraction(2) ** power * Fraction(round(2 ** (rest / self._cells) * 1024), 1024)

    def index(self, eps: Fraction) -> int:
        """Return the cell that begins at or before an ε, and ends behind it."""
        power = eps.numerator.bit_length() - eps.denominator.bit_length() - 1
        index = power * self._cells
        while self.end(index + 1) <= eps:
            index += 1
        return index

    # Values -------------------------------------------------------------------------------

    def value(self, eps: Fraction, is_opposite: bool, accuracy: int = 30) -> arb:
        """Return A(ε) to so many bits, relative to its size."""
        return self._value(eps, Fraction(0), Fraction(1, 2), is_opposite, accuracy)

    def _value(
        self, middle: Fraction, half: Fraction, angle: Fraction, is_opposite: bool, accuracy: int
    ) -> arb:
        """Return A at middle + half·cos(angle·π)."""
        if angle in (0, 1):
            middle, half, angle = middle + (half if angle == 0 else -half), Fraction(0), Fraction(0)
        key = middle, half, angle if half else Fraction(0)
        bits, ball = self._values.get(key, (0, arb(0)))
        wanted = self.chance.first_bits + accuracy
        while True:
            if bits >= wanted:
                with ctx.workprec(bits):
                    found = 1 - ball if is_opposite else ball
                if (known := int(found.rel_accuracy_bits())) >= accuracy:
                    return found
                wanted = bits + max(accuracy - known + 16, bits // 4)
            bits = wanted
            with ctx.workprec(bits):
                point = arb(exact(middle))
                if half:
                    point += exact(half) * arb.cos_pi_fmpq(exact(angle))
                ball = self.chance.value(point)
            self._values[key] = bits, ball

    def bound(self, eps: Fraction, is_opposite: bool) -> arb:
        """Return an upper bound of A(ε)."""
        return self.value(eps, is_opposite).upper()

    def is_opposite(self, index: int) -> bool:
        """Whether the opposite is the less likely event in a cell."""
        return bool(self.value(self.end(index), False) > 0.5)

    # Polynomials --------------------------------------------------------------------------

    def model(self, index: int, degree: int) -> Model | None:
        """Return the polynomial on a cell; None if its bound is not useful."""
        key = index, degree
        if key not in self._models:
            self._models[key] = self._model(index, degree)
        return self._models[key]

    def _model(self, index: int, degree: int) -> Model | None:
        lower, upper = self.end(index), self.end(index + 1)
        middle, half = (lower + upper) / 2, (upper - lower) / 2
        axis = _best_axis(middle, half, self.chance.samples, degree)
        if axis is None:
            return None
        is_opposite = self.is_opposite(index)
        accuracy = 40 + 2 * degree
        angles = [Fraction(j, degree) for j in range(degree + 1)]
        sizes = [self._value(middle, half, one, is_opposite, accuracy) for one in angles]
        fall = float((sizes[-1] / sizes[0]).log().mid())
        rate = Fraction(round(fall * 1024), 1024) / (upper - lower)
        with ctx.workprec(self.chance.first_bits + accuracy):
            heights = [
                size * (exact(rate * half) * arb.cos_pi_fmpq(exact(angle))).exp()
                for size, angle in zip(sizes, angles, strict=True)
            ]
            coefficients = _chebyshev(heights)
            polynomial = arb_poly([])
            for k, one in enumerate(coefficients):
                polynomial += arb_poly(_polynomial(k)) * one
        with ctx.workprec(_ROUGH):
            total = sum((abs(one) for one in coefficients), arb(0)).upper()
            errors = self._errors(index, axis, degree, rate, total)
        if errors is None:
            return None
        return Model(is_opposite, rate, polynomial, *errors)

    def _errors(
        self, index: int, axis: Fraction, degree: int, rate: Fraction, total: arb
    ) -> tuple[arb, arb] | None:
        """Return bounds of H − p and its derivative by x, from Σ |coefficients of p|."""
        lower, upper = self.end(index), self.end(index + 1)
        middle, half = (lower + upper) / 2, (upper - lower) / 2
        n, rho = self.chance.samples, exact(axis)
        wide, high = half * (axis + 1 / axis) / 2, half * (axis - 1 / axis) / 2
        steep = arb(exact(1 + high**2 / (middle**2 - wide**2))) ** fmpq(n, 2)
        share = 4 / (arb(rho) ** degree * (rho - 1))
        if not share * steep < 0.5:
            return None
        outside = max(
            (
                self._beyond(start, (a, b), (middle, wide, high), rate)
                for start, first, last in (
                    (middle - wide, middle - wide, lower),
                    (upper, upper, middle + wide),
                )
                for a, b in _cut(first, last)
            ),
            key=lambda one: float(one.mid()),
        )
        inside = share * steep * total / (1 - share * steep)
        error = inside.max(share * outside).upper()
        most = (steep * (total + error)).max(outside)
        x = 1 / arb(rho)
        k = degree + 1
        tail = x**k * (k**2 / (1 - x) + 2 * k * x / (1 - x) ** 2 + x * (1 + x) / (1 - x) ** 3)
        return error, (4 * most * tail).upper()

    def _beyond(
        self,
        start: Fraction,
        part: tuple[Fraction, Fraction],
        ellipse: tuple[Fraction, Fraction, Fraction],
        rate: Fraction,
    ) -> arb:
        """Return a bound of |H| where Re z is in a part of the ellipse right of `start`."""
        (first, last), (middle, wide, high) = part, ellipse
        n = self.chance.samples
        near = min(abs(first - middle), abs(last - middle))
        steep = arb(exact(1 + high**2 * (1 - (near / wide) ** 2) / first**2)) ** fmpq(n, 2)
        growth = arb(exact(last / start)) ** n
        is_opposite = self.is_opposite(self.index(middle))
        cost = self.chance.costs[is_opposite]
        far = max(rate * (x - middle) - cost * (x - start) for x in part)
        known = self.bound(start, is_opposite)
        return (known * steep * growth * arb(exact(far)).exp()).upper()


def _cut(first: Fraction, last: Fraction) -> list[tuple[Fraction, Fraction]]:
    ends = [first + (last - first) * j / _PARTS for j in range(_PARTS + 1)]
    return list(zip(ends, ends[1:], strict=False))


def _best_axis(middle: Fraction, half: Fraction, samples: int, degree: int) -> Fraction | None:
    """Return the ϱ whose ellipse gives about the best bound."""
    share = float(half / middle)
    found: list[tuple[float, Fraction]] = []
    for axis in _AXES:
        rho = float(axis)
        wide, high = share * (rho + 1 / rho) / 2, share * (rho - 1 / rho) / 2
        if wide < 0.95:
            steep = samples / 2 * math.log1p(high**2 / (1 - wide**2))
            beyond = samples * math.log((1 - share) / (1 - wide))
            found.append((max(steep, beyond) - degree * math.log(rho) - math.log(rho - 1), axis))
    return min(found)[1] if found else None


def _chebyshev(heights: list[arb]) -> list[arb]:
    """Return the coefficients c_k with Σ c_k·T_k(cos(jπ/N)) = heights[j]."""
    n = len(heights) - 1
    weighted = [h / 2 if j in (0, n) else h for j, h in enumerate(heights)]
    found = []
    for k in range(n + 1):
        total = arb(0)
        for j, height in enumerate(weighted):
            total += height * arb.cos_pi_fmpq(fmpq(j * k % (2 * n), n))
        found.append(total * 2 / n / (2 if k in (0, n) else 1))
    return found


@lru_cache(maxsize=256)
def _polynomial(k: int) -> fmpz_poly:
    """Return the Chebyshev polynomial T_k."""
    one, two = fmpz_poly([1]), fmpz_poly([0, 1])
    for _ in range(k):
        one, two = two, fmpz_poly([0, 2]) * two - one
    return one
