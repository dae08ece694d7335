"""Rigorous local knowledge of a sum F(ε) = Σ pᵢ(ε)·e^{qᵢε} on ε ≥ 0: near 0, in a box, near ∞.

**Box.** Let m be the middle and r the radius of a box, s any rate, δᵢ = qᵢ − s. Then
G(t) = e^{−s(m+t)}·F(m+t) has the sign of F, and Taylor coefficients Gⱼ with |Gⱼ| ≤ Ĝⱼ, where Ĝ
belongs to Ĝ(t) = Σ e^{δᵢm}·p̂ᵢ(m+t)·e^{|δᵢ|t} and p̂ᵢ is pᵢ with the absolute values of its
coefficients. So for |t| ≤ r everything past degree d adds up to at most Ĝ(r) − Σ_{j≤d} Ĝⱼr^j, and

    |G(t)| ≥ |G₀| − Σ_{1≤j≤d} |Gⱼ|r^j − (Ĝ(r) − Σ_{j≤d} Ĝⱼr^j).

If the right side is positive, F has the sign of G₀ on the box. The same for G′ shows that G is
strictly monotone. The rate s is that of the largest term at m: the bound is then good on boxes
as wide as a fraction of m at any scale.

**Start.** At m = 0 with s = 0, where the first ρ coefficients are exactly 0, the same estimate
divided by t^ρ gives the sign of F on (0, r].

**Tail.** Divide by the dominant ε^D·e^{Qε}. Each other term ε^{k−D}·e^{−(Q−q)ε} decreases from
b on when k − D ≤ (Q−q)·b, so its value at b bounds it on [b, ∞).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb, arb_mat, ctx, fmpq, fmpq_poly

from exactdp.reals.limits import order_at_zero
from exactdp.reals.numbers import exact, fraction

if TYPE_CHECKING:
    from exactdp.reals.exp_poly import ExpPoly

DEGREE = 12
"""The degree of the Taylor polynomials (plus the order of the zero, at 0)."""

# A bound must be positive with room, so that a checker with coarser rounding sees it too.
_ROOM = fmpq(1, 1024)


@dataclass(frozen=True)
class Reading:
    """What one look at a stretch of the line has shown."""

    sign: int = 0
    """The sign of F on the whole stretch; 0 if this look does not show it."""
    monotone: bool = False
    """Whether e^{−shift·ε}·F is shown to be strictly monotone on the stretch."""
    blurred: bool = False
    """Whether rounding hid the answer: look again with more bits."""
    shift: Fraction = Fraction(0)


class Expansion:
    """The sum prepared for looks at many stretches."""

    def __init__(self, form: ExpPoly) -> None:
        parts = form.exponentials()
        self._rates = [exact(rate) for rate in parts]
        self._polynomials = list(parts.values())
        self.order, self._first = order_at_zero(form)
        sizes = [fmpq_poly([abs(c) for c in p.coeffs()]) for p in self._polynomials]
        most = DEGREE + self.order
        self._shifts = [_scaled_derivatives(p, most) for p in self._polynomials]
        self._size_shifts = [_scaled_derivatives(p, most) for p in sizes]
        self._heights = [
            (_logarithm(c), k, _double(rate), j)
            for j, (rate, polynomial) in enumerate(parts.items())
            for k, c in enumerate(polynomial.coeffs())
            if c
        ]
        self._tables: dict[tuple[fmpq, int, int], tuple[arb_mat, arb_mat]] = {}

    # Looks

    def box(self, lower: Fraction, upper: Fraction, degree: int, bits: int) -> Reading:
        """Look at [lower, upper], 0 ≤ lower."""
        middle, radius = (lower + upper) / 2, (upper - lower) / 2
        shift = self._largest_rate(middle)
        with ctx.workprec(bits):
            actual, majorant, ends = self._taylor(exact(middle), exact(radius), shift, degree)
            centre = abs(actual[0])
            bound = centre + majorant[0] - ends[0]
            power = arb(1)
            r = exact(radius)
            for j in range(1, degree + 1):
                power *= r
                bound += (majorant[j] - abs(actual[j])) * power
            if bound > centre * _ROOM:
                return Reading(1 if actual[0] > 0 else -1, shift=fraction(shift))
            slope = abs(actual[1]) + majorant[1] - ends[1]
            power = arb(1)
            for j in range(2, degree + 1):
                power *= r
                slope += j * (majorant[j] - abs(actual[j])) * power
            return Reading(monotone=bool(slope > 0), blurred=not _sharp(bound, centre))

    def start(self, upper: Fraction, degree: int, bits: int) -> Reading:
        """Look at (0, upper]."""
        sign = 1 if self._first > 0 else -1
        r = exact(upper)
        with ctx.workprec(bits):
            actual, majorant, ends = self._taylor(fmpq(0), r, fmpq(0), degree)
            first = arb(exact(abs(self._first))) * r**self.order
            bound = first - ends[0]
            power = arb(1)
            for j in range(degree + 1):
                against = -sign * actual[j]
                if j > self.order and not against < 0:
                    bound += (majorant[j] - abs(against)) * power
                else:
                    bound += majorant[j] * power
                power *= r
            if bound > first * _ROOM:
                return Reading(sign)
            return Reading(blurred=not _sharp(bound, first))

    def tail(self, lower: Fraction, bits: int) -> Reading:
        """Look at [lower, ∞), lower > 0."""
        top = self._polynomials[-1]
        leading = top[top.degree()]
        b = exact(lower)
        with ctx.workprec(bits):
            room = arb(abs(leading))
            for rate, polynomial in zip(self._rates, self._polynomials, strict=True):
                gap = self._rates[-1] - rate
                fading = arb(-gap * b).exp()
                for k, c in enumerate(polynomial.coeffs()):
                    if c * leading < 0:
                        excess = k - top.degree()
                        if excess > gap * b:
                            return Reading()
                        room -= abs(c) * fading * b**excess
            if room > abs(leading) * _ROOM:
                return Reading(1 if leading > 0 else -1)
            return Reading(blurred=not _sharp(room, arb(abs(leading))))

    # The Taylor coefficients behind them

    def _taylor(
        self, middle: fmpq, radius: fmpq, shift: fmpq, degree: int
    ) -> tuple[list[arb], list[arb], tuple[arb, arb]]:
        """Return G₀…G_d, Ĝ₀…Ĝ_d and (Ĝ(r), Ĝ′(r))."""
        column: list[arb] = []
        sizes: list[arb] = []
        end, end_slope = arb(0), arb(0)
        edge = middle + radius
        for rate, shifts, size_shifts in zip(
            self._rates, self._shifts, self._size_shifts, strict=True
        ):
            delta = rate - shift
            weight = arb(delta * middle).exp()
            growth = abs(delta)
            far = arb(growth * radius).exp() * weight
            if len(shifts) == 1:
                column.append(weight * shifts[0][0])
                sizes.append(weight * size_shifts[0][0])
                far *= size_shifts[0][0]
                end += far
                end_slope += far * growth
                continue
            for one, size in zip(shifts[: degree + 1], size_shifts, strict=False):
                column.append(weight * one(middle))
                sizes.append(weight * size(middle))
            height = size_shifts[0](edge)
            end += far * height
            end_slope += far * (size_shifts[1](edge) + growth * height)
        table, size_table = self._table(shift, degree)
        actual = (table * arb_mat(len(column), 1, column)).entries()
        majorant = (size_table * arb_mat(len(sizes), 1, sizes)).entries()
        return actual, majorant, (end, end_slope)

    def _table(self, shift: fmpq, degree: int) -> tuple[arb_mat, arb_mat]:
        """Return the matrices that take weights to Taylor coefficients: entries δ^{j−k}/(j−k)!."""
        key = shift, degree, ctx.prec
        if key not in self._tables:
            tables = []
            columns = [
                (i, k)
                for i, shifts in enumerate(self._shifts)
                for k in range(min(len(shifts), degree + 1))
            ]
            for deltas in (
                [rate - shift for rate in self._rates],
                [abs(rate - shift) for rate in self._rates],
            ):
                powers = [[arb(1)] * len(deltas)]
                for j in range(1, degree + 1):
                    powers.append(
                        [one * delta / j for one, delta in zip(powers[-1], deltas, strict=True)]
                    )
                rows = powers
                if len(columns) > len(deltas):
                    rows = [
                        [powers[j - k][i] if k <= j else arb(0) for i, k in columns]
                        for j in range(degree + 1)
                    ]
                tables.append(arb_mat(rows))
            self._tables[key] = tables[0], tables[1]
        return self._tables[key]

    def _largest_rate(self, point: Fraction) -> fmpq:
        """Return the rate of the term that is largest at a point, by a rough estimate."""
        x = float(point)
        logarithm = _logarithm(point) if point else -math.inf
        best, where = -math.inf, 0
        for height, power, rate, j in self._heights:
            size = height + rate * x + (power * logarithm if power else 0.0)
            if size > best:
                best, where = size, j
        return self._rates[where]

    @property
    def fastest(self) -> fmpq:
        """The largest absolute rate, at least the step between them; 0 for a polynomial."""
        return max(abs(self._rates[0]), abs(self._rates[-1]))


def _scaled_derivatives(polynomial: fmpq_poly, most: int) -> list[fmpq_poly]:
    """Return the p_k, k ≤ `most`, with polynomial(x + t) = Σ p_k(x)·t^k."""
    result = [polynomial]
    for k in range(1, min(polynomial.degree(), most) + 1):
        result.append(result[-1].derivative() / k)
    return result


def _sharp(bound: arb, scale: arb) -> bool:
    """Whether the rounding error of a bound is small beside the scale it is compared with."""
    return bool(bound.rad() * 64 < scale)


def _logarithm(value: fmpq | Fraction) -> float:
    return math.log(abs(int(value.numerator))) - math.log(int(value.denominator))


def _double(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)
