"""Polynomials close to a probability on a stretch of ε, with proven bounds on the difference.

Let A be the probability of an event or of its complement, with n samples, and H(ε) =
A(ε)·e^{rate·(ε − c)} on [c − h, c + h], the rate such that H is about the same at both ends. p is
the polynomial of degree N with the values of H at the points c + h·cos(jπ/N).

**Why the bound holds.** Let E be the ellipse around c ± h with half axes a = h(ϱ + 1/ϱ)/2 < c and
b = h(ϱ − 1/ϱ)/2. If |H| ≤ M inside E, the Chebyshev coefficients of H are at most 2M/ϱ^k, so that
|H − p| ≤ 4M/(ϱ^N(ϱ − 1)) (Trefethen, Approximation Theory and Approximation Practice, theorem
8.2), and since |T_k′| ≤ k², the derivatives differ by at most 4M·Σ_{k>N} k²/ϱ^k. By `Chance`,
|H(z)| ≤ (|z|/Re z)^n·H(Re z). On E |z|/Re z ≤ √(1 + b²/(c² − a²)), so between c − h and c + h we
have M ≤ T·m with T = (1 + b²/(c² − a²))^{n/2} and m the largest H there, which is at most
Σ |coefficients of p| + |H − p|. Left and right of it H(x) is bounded by a value further left and
the growth x^n·e^{−D·x}.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from flint import arb, arb_poly, ctx, fmpq, fmpz_poly

from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import exact
from exactdp.reals.unexpanded import Chance

_ROUGH = 64  # bits for bounds
_MOST_BITS = 1 << 18
_FIRST_LOSS = 40  # bits that a value is assumed to lose before one is known
_SHARED_DEGREE = 32
_LEAST_BITS = 128  # fewer take no less time
_PARTS = 4  # of the ellipse beyond each end
_AXES = [Fraction(k, 16) for k in (18, 20, 22, 24, 26, 28, 32, 36, 40, 48, 56, 64, 80, 96, 128)]


@dataclass(frozen=True)
class Model:
    """A(ε)·e^{rate·(ε − c)} = polynomial(x) ± error for ε = c + h·x, −1 ≤ x ≤ 1."""

    is_opposite: bool
    """Whether A is the probability of the complement of the event."""
    rate: Fraction
    polynomial: arb_poly
    error: arb
    slope_error: arb
    """A bound on the difference of the derivatives by x."""


class EpsilonCells:
    """A fixed division of (0, ∞) into cells, so that different questions share values."""

    def __init__(self, samples: int) -> None:
        ratio = min(0.4, 2.8 / math.sqrt(max(samples, 1)))
        self._cells = math.ceil(math.log(2) / math.log((1 + ratio) / (1 - ratio)))

    def end(self, index: int) -> Fraction:
        """Return the lower end of a cell: about 2^{index/cells}."""
        power, rest = divmod(index, self._cells)
        return Fraction(2) ** power * Fraction(round(2 ** (rest / self._cells) * 1024), 1024)

    def cell(self, eps: Fraction) -> tuple[Fraction, Fraction]:
        """Return the cell that begins at or before an ε and ends after it."""
        power = eps.numerator.bit_length() - eps.denominator.bit_length() - 1
        index = power * self._cells
        while self.end(index + 1) <= eps:
            index += 1
        return self.end(index), self.end(index + 1)


class Models:
    """All values and polynomials found so far of one probability."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance
        self._values: dict[tuple[Fraction, Fraction, Fraction, bool], tuple[int, arb]] = {}
        self._models: dict[tuple[Fraction, Fraction, int], Model | None] = {}
        self._loss = _FIRST_LOSS

    # Values -------------------------------------------------------------------------------

    def value(self, eps: Fraction, is_opposite: bool, accuracy: int = 30) -> arb:
        """Return A(ε) to `accuracy` bits, relative to its size."""
        return self._value(eps, Fraction(0), Fraction(1, 2), is_opposite, accuracy)

    def _value(
        self, middle: Fraction, half: Fraction, angle: Fraction, is_opposite: bool, accuracy: int
    ) -> arb:
        """Return A at middle + half·cos(angle·π)."""
        if angle in (0, 1):
            middle, half, angle = middle + (half if angle == 0 else -half), Fraction(0), Fraction(0)
        key = middle, half, angle if half else Fraction(0), is_opposite
        bits, ball = self._values.get(key, (0, arb(0)))
        if is_opposite and not bits:
            bits, other = self._values.get((*key[:3], False), (0, arb(0)))
            with ctx.workprec(max(bits, 2)):
                ball = 1 - other
            if int(ball.rel_accuracy_bits()) < accuracy:
                bits = 0  # the complement is small, and its own sum has more digits
        wanted = max(self._loss + accuracy, _LEAST_BITS)
        while True:
            if bits:
                if (known := int(ball.rel_accuracy_bits())) >= accuracy:
                    return ball
                wanted = max(wanted, bits + max(accuracy - known + 16, bits // 2))
            bits = wanted
            if bits > _MOST_BITS:
                raise ValueRefusedError(
                    f"a probability near eps = {float(middle):.6g} cannot be distinguished from "
                    f"{int(is_opposite)} with {_MOST_BITS:,} bits"
                )
            with ctx.workprec(bits):
                point = arb(exact(middle))
                if half:
                    point += exact(half) * arb.cos_pi_fmpq(exact(angle))
                ball = self.chance.value(point, is_opposite)
            self._values[key] = bits, ball
            self._loss = max(bits - int(ball.rel_accuracy_bits()), 0) + 8

    def is_opposite(self, eps: Fraction, accuracy: int = 30) -> bool:
        """Whether the complement is the less likely event at an ε."""
        return bool(self.value(eps, False, accuracy) > 0.5)

    # Polynomials --------------------------------------------------------------------------

    def model(self, cell: tuple[Fraction, Fraction], degree: int) -> Model | None:
        """Return the polynomial on a cell; None if its bound is not useful."""
        key = *cell, degree
        if key not in self._models:
            self._models[key] = self._model(*cell, degree)
        return self._models[key]

    def _model(self, lower: Fraction, upper: Fraction, degree: int) -> Model | None:
        middle, half = (lower + upper) / 2, (upper - lower) / 2
        axis = _best_axis(middle, half, self.chance.samples, degree)
        if axis is None:
            return None
        is_opposite = self.is_opposite(lower)
        # Polynomials of different degrees share values, so these are accurate enough for several.
        accuracy = 40 + 2 * max(degree, _SHARED_DEGREE)
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
            errors = self._errors(_Ellipse(lower, upper, axis), degree, rate, total)
        if errors is None:
            return None
        return Model(is_opposite, rate, polynomial, *errors)

    def _errors(
        self, ellipse: _Ellipse, degree: int, rate: Fraction, total: arb
    ) -> tuple[arb, arb] | None:
        """Return bounds of H − p and its derivative by x, from Σ |coefficients of p|."""
        rho = arb(exact(ellipse.axis))
        steep = arb(exact(1 + ellipse.steepest)) ** fmpq(self.chance.samples, 2)
        share = 4 / (rho**degree * (rho - 1))
        if not share * steep < 0.5:
            return None
        outside = arb(0)
        for start, first, last in ellipse.beyond:
            for part in _cut(first, last):
                outside = outside.max(self._beyond(start, part, ellipse, rate))
        inside = share * steep * total / (1 - share * steep)
        error = inside.max(share * outside).upper()
        most = (steep * (total + error)).max(outside)
        x, k = 1 / rho, degree + 1
        tail = x**k * (k**2 / (1 - x) + 2 * k * x / (1 - x) ** 2 + x * (1 + x) / (1 - x) ** 3)
        return error, (4 * most * tail).upper()

    def _beyond(
        self, start: Fraction, part: tuple[Fraction, Fraction], ellipse: _Ellipse, rate: Fraction
    ) -> arb:
        """Return a bound of |H| where Re z is in a part of the ellipse right of `start`."""
        n = self.chance.samples
        is_opposite = self.is_opposite(ellipse.lower)
        steep = arb(exact(1 + ellipse.height(part) / part[0] ** 2)) ** fmpq(n, 2)
        growth = arb(exact(part[1] / start)) ** n
        cost = self.chance.costs[is_opposite]
        far = max(rate * (x - ellipse.middle) - cost * (x - start) for x in part)
        known = self.value(start, is_opposite)
        return (known * steep * growth * arb(exact(far)).exp()).upper()


@dataclass(frozen=True)
class _Ellipse:
    """The ellipse around a stretch with a given ϱ."""

    lower: Fraction
    upper: Fraction
    axis: Fraction

    @property
    def middle(self) -> Fraction:
        """The centre."""
        return (self.lower + self.upper) / 2

    @property
    def wide(self) -> Fraction:
        """The half axis along the real line."""
        return (self.upper - self.lower) * (self.axis + 1 / self.axis) / 4

    @property
    def high(self) -> Fraction:
        """The other half axis."""
        return (self.upper - self.lower) * (self.axis - 1 / self.axis) / 4

    @property
    def steepest(self) -> Fraction:
        """The largest (Im z/Re z)²."""
        return self.high**2 / (self.middle**2 - self.wide**2)

    @property
    def beyond(self) -> list[tuple[Fraction, Fraction, Fraction]]:
        """The real parts left and right of the stretch, each after a point where A is known."""
        left, right = self.middle - self.wide, self.middle + self.wide
        return [(left, left, self.lower), (self.upper, self.upper, right)]

    def height(self, part: tuple[Fraction, Fraction]) -> Fraction:
        """Return the largest (Im z)² where Re z is in a part left or right of the stretch."""
        near = min(abs(x - self.middle) for x in part)
        return self.high**2 * (1 - (near / self.wide) ** 2)


def _cut(first: Fraction, last: Fraction) -> list[tuple[Fraction, Fraction]]:
    ends = [first + (last - first) * j / _PARTS for j in range(_PARTS + 1)]
    return list(pairwise(ends))


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
