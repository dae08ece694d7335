"""The ring in which densities are computed: polynomials in ε, t, e^{ε/N} and e^{t/R}.

All noise is scaled by ε (X = ε·x), so a rate is a plain number and a breakpoint b stands for b·ε.
A density of one variable t is, between two breakpoints, a finite sum of c·ε^j·t^k·e^{at + qε}. With
R a common denominator of the rates a, D one of the breakpoints and N = R·D it is a polynomial in
ε, t, y = e^{ε/N} and u = e^{t/R}, but for negative powers of y and u, which are kept apart. Inside,
rates, breakpoints and exponents are integers, in these units: e^{at} at t = b·ε is y^{a·b}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from exactdp.reals import ExpPoly, Term
from exactdp.reals.exp_poly import from_flint
from exactdp.reals.numbers import exact, fraction

_RING = fmpq_mpoly_ctx.get(("eps", "t", "y", "u"), Ordering.lex)
_ZERO, _ONE = _RING.from_dict({}), _RING.from_dict({(0, 0, 0, 0): fmpq(1)})


class Element:
    """poly(ε, t, y, u)·y^low_y·u^low_u."""

    __slots__ = ("low_u", "low_y", "poly")

    def __init__(self, poly: fmpq_mpoly, low_y: int = 0, low_u: int = 0) -> None:
        self.poly = poly
        self.low_y = low_y
        self.low_u = low_u

    def __bool__(self) -> bool:
        return bool(self.poly)

    def __mul__(self, other: Element) -> Element:
        return Element(self.poly * other.poly, self.low_y + other.low_y, self.low_u + other.low_u)

    def scaled(self, factor: fmpq | int) -> Element:
        """Return the element times a rational."""
        return Element(self.poly * factor, self.low_y, self.low_u)

    def __add__(self, other: Element) -> Element:
        if not other.poly:
            return self
        if not self.poly:
            return other
        low_y, low_u = min(self.low_y, other.low_y), min(self.low_u, other.low_u)
        return Element(_raised(self, low_y, low_u) + _raised(other, low_y, low_u), low_y, low_u)

    def __neg__(self) -> Element:
        return Element(-self.poly, self.low_y, self.low_u)

    def __sub__(self, other: Element) -> Element:
        return self + -other


def _raised(element: Element, low_y: int, low_u: int) -> fmpq_mpoly:
    up_y, up_u = element.low_y - low_y, element.low_u - low_u
    if not up_y and not up_u:
        return element.poly
    return element.poly * _monomial(up_y, up_u)


@lru_cache(maxsize=4096)
def _monomial(up_y: int, up_u: int) -> fmpq_mpoly:
    return _RING.from_dict({(0, 0, up_y, up_u): fmpq(1)})


ZERO = Element(_ZERO)
ONE = Element(_ONE)


class TooCoarseError(Exception):
    """A rate or exponent does not fit the frame; `finer` is a frame that it fits."""

    def __init__(self, finer: Any) -> None:
        super().__init__()
        self.finer = finer


class Frame:
    """Units: rates are multiples of 1/R, breakpoints of ε/D, exponents of ε of 1/(R·D)."""

    __slots__ = ("exponents", "functions", "points", "rates")

    zero, one = ZERO, ONE

    def __init__(self, rates: int, points: int) -> None:
        self.rates = rates
        self.points = points
        self.exponents = rates * points
        self.functions: dict[tuple[str, int, int], Any] = {}
        """Densities of noise made so far, by kind, rate and mean (see `function.noise`)."""

    def shared(self) -> Frame:
        """Return the frame with these units that others use too: it knows many functions."""
        return _shared(self.rates, self.points)

    def rate(self, rate: Fraction) -> int:
        """Return n with rate = n/R."""
        if self.rates % rate.denominator:
            raise TooCoarseError(Frame(lcm(self.rates, rate.denominator), self.points))
        return rate.numerator * (self.rates // rate.denominator)

    def point(self, point: Fraction) -> int:
        """Return n with point = n/D."""
        if self.points % point.denominator:
            raise TooCoarseError(Frame(self.rates, lcm(self.points, point.denominator)))
        return point.numerator * (self.points // point.denominator)

    def number(self, point: int) -> Fraction:
        """Return a breakpoint as a multiple of ε."""
        return Fraction(point, self.points)

    def size(self, rate: int) -> fmpq:
        """Return a rate as a number."""
        return fmpq(rate, self.rates)

    def _exponent(self, rate: Fraction) -> int:
        """Return m with rate = m/N."""
        if self.exponents % rate.denominator:
            finer = lcm(self.exponents, rate.denominator) // self.rates
            raise TooCoarseError(Frame(self.rates, finer))
        return rate.numerator * (self.exponents // rate.denominator)

    def exponential(self, coefficient: fmpq, rate: int) -> Element:
        """Return coefficient·e^{rate·t}."""
        return Element(_ONE * coefficient, 0, rate)

    def at(self, element: Element, point: int) -> Element:
        """Return the element at a point."""
        base = element.low_y + element.low_u * point
        found: dict[tuple[int, int], fmpq] = {}
        b = fmpq(point, self.points)
        for j, k, m, n, c in _terms(element):
            value = c * b**k if k else c
            if value:
                key = j + k, m + n * point
                found[key] = found[key] + value if key in found else value
        return _constant(found, base)

    def shifted(self, element: Element, by: int) -> Element:
        """Return the element with t + by for t."""
        if len(element.poly) == 1:
            ((_, k, _, n),) = element.poly.monoms()
            if not k:  # e^{at} becomes e^{a·by}·e^{at}: the same polynomial
                up = (int(n) + element.low_u) * by
                return Element(element.poly, element.low_y + up, element.low_u)
        b = fmpq(by, self.points)
        found: dict[tuple[int, int, int, int], fmpq] = {}
        for j, k, m, n, c in _terms(element):
            y = m + (n + element.low_u) * by
            for i in range(k + 1):
                key = j + i, k - i, y, n
                value = c * comb(k, i) * b**i if k else c
                found[key] = found[key] + value if key in found else value
        if not found:
            return ZERO
        low = min(key[2] for key in found)
        poly = _RING.from_dict({(j, k, y - low, n): c for (j, k, y, n), c in found.items() if c})
        return Element(poly, low + element.low_y, element.low_u)

    def stretched(self, element: Element, factor: Fraction) -> Element:
        """Return the element with factor·t for t."""
        found: dict[tuple[int, int, int, int], fmpq] = {}
        for j, k, m, n, c in _terms(element):
            rate = self.rate(Fraction(n + element.low_u, self.rates) * factor)
            found[j, k, m, rate] = c * exact(factor) ** k
        if not found:
            return ZERO
        low = min(key[3] for key in found)
        poly = _RING.from_dict({(j, k, m, n - low): c for (j, k, m, n), c in found.items()})
        return Element(poly, element.low_y, low)

    def antiderivative(self, element: Element) -> Element:
        """Return a function of t whose derivative is the element, 0 at ±∞ where it can be."""
        found: dict[tuple[int, ...], fmpq] = {}
        for j, k, m, n, c in _terms(element):
            for i, factor in self._antiderivative(k, n + element.low_u):
                key = j, i, m, n
                value = c * factor
                found[key] = found[key] + value if key in found else value
        return Element(_RING.from_dict(found), element.low_y, element.low_u)

    def integral(self, parts: Iterable[tuple[Element, int | None, int | None]]) -> Element:
        """Return Σ ∫ element dt from lower to upper; an end None is infinite, where it is 0.

        The antiderivatives of `antiderivative` at both ends, gathered without going through it.
        """
        found: dict[tuple[int, int], fmpq] = {}
        zero = fmpq(0)
        for element, lower, upper in parts:
            poly, low_y, low_u = element.poly, element.low_y, element.low_u
            for (j, k, m, n), c in zip(poly.monoms(), poly.coeffs(), strict=True):
                rate, y, power = int(n) + low_u, int(m) + low_y, int(j)
                if rate and not k:
                    value = c * self.rates / rate
                    if upper is not None:
                        key = power, y + rate * upper
                        found[key] = found.get(key, zero) + value
                    if lower is not None:
                        key = power, y + rate * lower
                        found[key] = found.get(key, zero) - value
                    continue
                for i, value in self._antiderivative(int(k), rate):
                    if upper is not None:
                        key = power + i, y + rate * upper
                        found[key] = (
                            found.get(key, zero) + c * value * fmpq(upper, self.points) ** i
                        )
                    if lower is not None:
                        key = power + i, y + rate * lower
                        found[key] = (
                            found.get(key, zero) - c * value * fmpq(lower, self.points) ** i
                        )
        return _constant(found, 0)

    def _antiderivative(self, k: int, rate: int) -> Iterator[tuple[int, fmpq]]:
        """Yield the powers i and factors cᵢ with ∫ t^k·e^{at} dt = Σ cᵢ·t^i·e^{at}, a = rate/R.

        They are (−1)^{k−i}·k!/i!/a^{k−i+1} for a ≠ 0.
        """
        if rate == 0:
            yield k + 1, fmpq(1, k + 1)
            return
        step = fmpq(self.rates, rate)
        value = step
        for i in range(k, -1, -1):
            yield i, value
            value = value * step * -i

    def form(self, element: Element, name: str) -> ExpPoly:
        """Return an element as a closed form in ε and the parameter that t is called."""
        terms = []
        for j, k, m, n, c in _terms(element):
            rate = Fraction(n + element.low_u, self.rates)
            own = Fraction(m + element.low_y, self.exponents)
            powers = (("eps", j), (name, k))
            terms.append(
                Term(
                    fraction(c),
                    tuple(entry for entry in powers if entry[1]),
                    tuple(entry for entry in (("eps", own), (name, rate)) if entry[1]),
                )
            )
        return ExpPoly(terms)

    def element(self, form: ExpPoly, name: str = "") -> Element:
        """Return a closed form in ε and the parameter called `name` as an element."""
        found: dict[tuple[int, ...], fmpq] = {}
        for coefficient, powers, rates in form.terms:
            power, rate = dict(powers), dict(rates)
            y = self._exponent(rate.get("eps", Fraction(0)))
            u = self.rate(rate.get(name, Fraction(0)))
            found[power.get("eps", 0), power.get(name, 0), y, u] = exact(coefficient)
        if not found:
            return ZERO
        low_y, low_u = (min(key[j] for key in found) for j in (2, 3))
        poly: dict[tuple[int, ...], fmpq] = {
            (j, k, m - low_y, n - low_u): c for (j, k, m, n), c in found.items()
        }
        return Element(_RING.from_dict(poly), low_y, low_u)

    def closed_form(self, element: Element) -> ExpPoly:
        """Return an element without t as a closed form in ε."""
        poly: dict[tuple[int, ...], fmpq] = {(j, m): c for j, _, m, _, c in _terms(element)}
        step = Fraction(1, self.exponents)
        return from_flint(poly, step, element.low_y * step)


@lru_cache(maxsize=64)
def _shared(rates: int, points: int) -> Frame:
    return Frame(rates, points)


def _constant(found: dict[tuple[int, int], fmpq], base: int) -> Element:
    """Return Σ c·ε^j·y^{m + base} from {(j, m): c}."""
    if not found:
        return ZERO
    low = min(key[1] for key in found)
    poly = _RING.from_dict({(j, 0, m - low, 0): c for (j, m), c in found.items() if c})
    return Element(poly, low + base, 0)


def _terms(element: Element) -> Iterator[tuple[int, int, int, int, fmpq]]:
    """Yield the exponents of ε, t, y and u, and the coefficient, of each term of the polynomial."""
    poly = element.poly
    for (j, k, m, n), c in zip(poly.monoms(), poly.coeffs(), strict=True):
        yield int(j), int(k), int(m), int(n), c
