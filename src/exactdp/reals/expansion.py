"""Rigorous local bounds on a sum F(ε) = Σ pᵢ(ε)·e^{qᵢε} for ε ≥ 0: near 0, in a box, near ∞.

**Box.** Let m be the middle and r the radius of a box, s any rate, δᵢ = qᵢ − s. Then
G(t) = e^{−s(m+t)}·F(m+t) has the sign of F, and Taylor coefficients Gⱼ with |Gⱼ| ≤ Ĝⱼ, where Ĝ
belongs to Ĝ(t) = Σ e^{δᵢm}·p̂ᵢ(m+t)·e^{|δᵢ|t} and p̂ᵢ is pᵢ with the absolute values of its
coefficients. So for |t| ≤ r everything past degree d adds up to at most Ĝ(r) − Σ_{j≤d} Ĝⱼr^j, and

    |G(t)| ≥ |G₀| − Σ_{1≤j≤d} |Gⱼ|r^j − (Ĝ(r) − Σ_{j≤d} Ĝⱼr^j).

If the right side is positive, F has the sign of G₀ on the box. The same for G′ shows that G is
strictly monotone. The rate s is that of the largest term at m: the bound is then good on boxes
as wide as a fraction of m at any scale. The expansion may also be taken around an end of the box,
with r its whole width: then t has one sign, and only the terms Gⱼt^j against the sign of G₀ count.
That is far better where |G| grows steeply from one end to the other, as after a zero of high order.

**Start.** At m = 0 with s = 0, where the first ρ coefficients are exactly 0, the same estimate
divided by t^ρ gives the sign of F on (0, r].

**Tail.** Divide by the dominant ε^D·e^{Qε}. Each other term ε^{k−D}·e^{−(Q−q)ε} decreases from
b on when k − D ≤ (Q−q)·b, so its value at b bounds it on [b, ∞).

**Span.** On a wide [a, b], where one term c₀·ε^K·e^{Qε} is the largest, the quotient of another
term by it, ε^{k−K}·e^{(q−Q)ε}, is largest at a, at b or where its derivative is 0, at (k−K)/(Q−q).

**Near 0.** On a wide [a, b] close to 0, with exact Taylor coefficients gⱼ at 0, one of them may
rule: |g_ρ| > Σ_{j<ρ} |gⱼ|·a^{j−ρ} + Σ_{ρ<j≤d} |gⱼ|·b^{j−ρ} + the rest at b, divided by b^ρ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from flint import arb, arb_mat, ctx, fmpq, fmpq_poly

from exactdp.reals.limits import coefficient_at_zero, order_at_zero
from exactdp.reals.numbers import double, exact, fraction, logarithm

if TYPE_CHECKING:
    from exactdp.reals.exp_poly import ExpPoly

DEGREE = 12
"""The degree of the Taylor polynomials (plus the order of the zero, at 0)."""

# A bound must be positive with a margin, so that a checker with coarser rounding proves it too.
_ROOM = fmpq(1, 1024)
_LN2 = math.log(2)


@dataclass(frozen=True)
class ExpansionResult:
    """The result of one look at a stretch of the line."""

    sign: int = 0
    """The sign of F on the whole stretch; 0 if this look does not show it."""
    monotone: bool = False
    """Whether e^{−shift·ε}·F is shown to be strictly monotone on the stretch."""
    blurred: bool = False
    """Whether rounding hid the answer: look again with more bits."""
    shift: Fraction = Fraction(0)
    power: int = 0
    """The power of ε that dominates a wide stretch, with e^{shift·ε}."""
    rising: int = 0
    """1 if |F| seems to grow with ε, −1 if it seems to fall: a hint, not a proof."""


class Expansion:
    """The sum prepared for looks at many stretches."""

    def __init__(self, form: ExpPoly) -> None:
        parts = form.exponentials()
        self._rates = [exact(rate) for rate in parts]
        self._polynomials = list(parts.values())
        self.order, self._first = order_at_zero(form)
        self._form = form
        # The p_k with p(x + t) = Σ p_k(x)·t^k, as far as they were needed.
        self._shifts = [[_Polynomial(p)] for p in self._polynomials]
        self._size_shifts = [
            [_Polynomial(fmpq_poly([abs(c) for c in p.coeffs()]))] for p in self._polynomials
        ]
        self._long = [
            shifts for shifts in (*self._shifts, *self._size_shifts) if shifts[0].poly.degree()
        ]
        self._heights = [
            (logarithm(c), k, double(rate), j)
            for j, (rate, polynomial) in enumerate(parts.items())
            for k, c in enumerate(polynomial.coeffs())
            if c
        ]
        self._is_moderate = all(
            not rate or 1e-100 < abs(rate) < 1e100 for *_, rate, _ in self._heights
        )
        self._tables: dict[tuple[fmpq, int, int], tuple[arb_mat, arb_mat, list[arb]]] = {}

    # Looks

    def box(
        self, lower: Fraction, upper: Fraction, degree: int, bits: int, at: str = "middle"
    ) -> ExpansionResult:
        """Look at [lower, upper], 0 ≤ lower, by an expansion around its middle or an end."""
        points = {"lower": lower, "middle": (lower + upper) / 2, "upper": upper}
        radius = (upper - lower) / (2 if at == "middle" else 1)
        shift = self._largest_rate(points["middle"])
        with ctx.workprec(bits):
            actual, majorant, ends = self._taylor(exact(points[at]), exact(radius), shift, degree)
            centre = abs(actual[0])
            sign = 1 if actual[0] > 0 else -1
            bound = centre + majorant[0] - ends[0]
            power, r = arb(1), exact(radius)
            for j in range(1, degree + 1):
                power *= r
                # The sign of t^j against that of G₀ on a one-sided box.
                helps = (
                    at != "middle"
                    and actual[j] * (sign if at == "lower" or j % 2 == 0 else -sign) > 0
                )
                bound += (majorant[j] if helps else majorant[j] - abs(actual[j])) * power
            if bound > centre * _ROOM:
                return ExpansionResult(sign, shift=fraction(shift))
            rising = 0 if actual[1] * sign == 0 else 1 if actual[1] * sign > 0 else -1
            if at != "middle":
                return ExpansionResult(blurred=not _sharp(bound, centre), rising=rising)
            slope = abs(actual[1]) + majorant[1] - ends[1]
            power = arb(1)
            for j in range(2, degree + 1):
                power *= r
                slope += j * (majorant[j] - abs(actual[j])) * power
            return ExpansionResult(
                monotone=bool(slope > 0), blurred=not _sharp(bound, centre), rising=rising
            )

    def start(self, upper: Fraction, degree: int, bits: int) -> ExpansionResult:
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
                return ExpansionResult(sign)
            return ExpansionResult(blurred=not _sharp(bound, first))

    def span(self, lower: Fraction, upper: Fraction | float, bits: int) -> ExpansionResult:
        """Look at [lower, upper], 0 < lower, with the term that is largest in between, or at ∞."""
        if isinstance(upper, Fraction):
            j, power = self._largest_term(Fraction(2) ** ((_log2(lower) + _log2(upper)) // 2))
        else:
            j, power = len(self._rates) - 1, self._polynomials[-1].degree()
        top = self._rates[j]
        leading = self._polynomials[j][power]
        with ctx.workprec(bits):
            size = arb(abs(leading))
            room = size
            for rate, polynomial in zip(self._rates, self._polynomials, strict=True):
                for k, c in enumerate(polynomial.coeffs()):
                    if c * leading < 0:
                        points = _peaks(k - power, rate - top, exact(lower), upper)
                        if points is None:
                            return ExpansionResult()
                        for x in points:
                            room -= abs(c) * arb(x) ** (k - power) * arb((rate - top) * x).exp()
            if room > size * _ROOM:
                return ExpansionResult(1 if leading > 0 else -1, shift=fraction(top), power=power)
            return ExpansionResult(blurred=not _sharp(room, size))

    def near(self, lower: Fraction, upper: Fraction, bits: int) -> ExpansionResult:
        """Look at [lower, upper], wide and close to 0, with the Taylor coefficient that rules."""
        if 2 * fraction(self.fastest) * upper > DEGREE + 1:
            return ExpansionResult()
        middle = (_log2(lower) + _log2(upper)) // 2
        coefficients = self._at_zero
        sizes = {j: logarithm(g) / _LN2 + j * middle for j, g in enumerate(coefficients) if g}
        if not sizes:
            return ExpansionResult()
        order = max(sizes, key=sizes.__getitem__)
        leading = coefficients[order]
        with ctx.workprec(bits):
            a, b = arb(exact(lower)), arb(exact(upper))
            room = arb(abs(leading))
            for j, g in enumerate(coefficients):
                if g * leading < 0:
                    room -= abs(g) * (a if j < order else b) ** (j - order)
            for rate, polynomial in zip(self._rates, self._polynomials, strict=True):
                for k, c in enumerate(polynomial.coeffs()):
                    left = max(len(coefficients) - k, 0)
                    x = abs(rate) * exact(upper)
                    if 2 * x > left + 1:
                        return ExpansionResult()
                    if c and (rate or not left):  # the terms from x^left/left! on: a geometric sum
                        room -= (
                            2 * abs(c) * arb(x) ** left / math.factorial(left) * b ** (k - order)
                        )
            if room > abs(leading) * _ROOM:
                return ExpansionResult(1 if leading > 0 else -1, power=order)
        return ExpansionResult()

    @cached_property
    def _at_zero(self) -> list[fmpq]:
        """The first Taylor coefficients at 0, exactly."""
        rows = self._form.rows()
        return [fmpq(0) + coefficient_at_zero(rows, j) for j in range(DEGREE + 1)]

    # The Taylor coefficients behind them

    def _taylor(
        self, middle: fmpq, radius: fmpq, shift: fmpq, degree: int
    ) -> tuple[list[arb], list[arb], tuple[arb, arb]]:
        """Return G₀…G_d, Ĝ₀…Ĝ_d and (Ĝ(r), Ĝ′(r))."""
        for shifts in self._long:
            _extend(shifts, degree)
        column: list[arb] = []
        sizes: list[arb] = []
        end, end_slope = arb(0), arb(0)
        edge = middle + radius
        table, size_table, deltas = self._table(shift, degree)
        centre, distance = arb(middle), arb(radius)
        for delta, shifts, size_shifts in zip(deltas, self._shifts, self._size_shifts, strict=True):
            weight = (delta * centre).exp()
            growth = abs(delta)
            far = (growth * distance).exp() * weight
            if len(shifts) == 1:
                column.append(weight * shifts[0].constant)
                sizes.append(weight * size_shifts[0].constant)
                far *= size_shifts[0].constant
                end += far
                end_slope += far * growth
                continue
            for one, size in zip(shifts[: degree + 1], size_shifts, strict=False):
                column.append(weight * one(middle))
                sizes.append(weight * size(middle))
            height = size_shifts[0](edge)
            end += far * height
            end_slope += far * (size_shifts[1](edge) + growth * height)
        actual = (table * arb_mat(len(column), 1, column)).entries()
        majorant = (size_table * arb_mat(len(sizes), 1, sizes)).entries()
        return actual, majorant, (end, end_slope)

    def _table(self, shift: fmpq, degree: int) -> tuple[arb_mat, arb_mat, list[arb]]:
        """Return the matrices that take weights to Taylor coefficients, and the rates δ.

        The entries are δ^{j−k}/(j−k)!, and their absolute values.
        """
        key = shift, degree, ctx.prec
        if key not in self._tables:
            deltas = [arb(rate - shift) for rate in self._rates]
            powers = [[arb(1)] * len(deltas)]
            for j in range(1, degree + 1):
                last = powers[-1]
                powers.append([one * delta / j for one, delta in zip(last, deltas, strict=True)])
            if self._long:
                columns = [
                    (i, k)
                    for i, polynomial in enumerate(self._polynomials)
                    for k in range(min(polynomial.degree(), degree) + 1)
                ]
                powers = [
                    [powers[j - k][i] if k <= j else arb(0) for i, k in columns]
                    for j in range(degree + 1)
                ]
            sizes = [[abs(entry) for entry in row] for row in powers]
            self._tables[key] = arb_mat(powers), arb_mat(sizes), deltas
        return self._tables[key]

    def _largest_rate(self, point: Fraction) -> fmpq:
        """Return the rate of the term that is largest at a point, by a rough estimate."""
        return self._rates[self._largest_term(point)[0]]

    def _largest_term(self, point: Fraction) -> tuple[int, int]:
        """Return number and power of the term that is largest at a point, by a rough estimate."""
        x = double(point)
        log = logarithm(point) if point else -math.inf
        is_double = 1e-200 < x < 1e200 and self._is_moderate
        best, where = -math.inf, (0, 0)
        for height, power, rate, j in self._heights:
            grown = rate * x if is_double else double(fraction(self._rates[j]) * point)
            size = height + grown + (power * log if power else 0.0)
            if size > best:
                best, where = size, (j, power)
            elif size == best == math.inf and (self._rates[j], power) > (
                self._rates[where[0]],
                where[1],
            ):
                where = j, power
        return where

    @property
    def fastest(self) -> fmpq:
        """The largest absolute rate, at least the step between them; 0 for a polynomial."""
        return max(abs(self._rates[0]), abs(self._rates[-1]))


class _Polynomial:
    """A polynomial to be evaluated often: exactly, or as a ball if it is long and sparse."""

    __slots__ = ("constant", "poly", "terms")

    def __init__(self, poly: fmpq_poly) -> None:
        self.poly = poly
        self.constant = poly[0]
        self.terms = None
        if poly.degree() >= 16:
            terms = [(k, c) for k, c in enumerate(poly.coeffs()) if c]
            self.terms = terms if 6 * len(terms) <= poly.degree() else None

    def __call__(self, point: fmpq) -> arb | fmpq:
        if self.terms is None:
            return self.poly(point)
        x = arb(point)
        return sum((c * x**k for k, c in self.terms), arb(0))


def _extend(shifts: list[_Polynomial], most: int) -> None:
    """Make the list of p_k, with p(x + t) = Σ p_k(x)·t^k, reach to k = `most` where p does."""
    for k in range(len(shifts), min(shifts[0].poly.degree(), most) + 1):
        shifts.append(_Polynomial(shifts[-1].poly.derivative() / k))


def _sharp(bound: arb, scale: arb) -> bool:
    """Whether the rounding error of a bound is small compared with a scale."""
    return bool(bound.rad() * 64 < scale)


def _peaks(power: int, rate: fmpq, lower: fmpq, upper: Fraction | float) -> list[fmpq] | None:
    """Return points of [lower, upper] at one of which x^power·e^{rate·x} is largest.

    Up to ∞ that has to be the lower end; None if it is not.
    """
    peak = -power / rate if rate < 0 else lower
    if isinstance(upper, Fraction):
        end = exact(upper)
        return [lower, peak, end] if lower < peak < end else [lower, end]
    return [lower] if peak <= lower and (rate < 0 or power <= 0) else None


def _log2(value: Fraction) -> int:
    """Return the logarithm of a positive number to base 2, off by at most one."""
    return value.numerator.bit_length() - value.denominator.bit_length()
