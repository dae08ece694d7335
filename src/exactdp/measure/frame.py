"""The ring in which densities are computed: polynomials in ε, t, e^{ε/N} and e^{t/R}.

All noise is scaled by ε (X = ε·x), so a rate is a plain number and a breakpoint b stands for b·ε.
A density of one variable t is, between two breakpoints, a finite sum of c·ε^j·t^k·e^{at + qε}. With
R a common denominator of the rates a, and N one of all exponents of ε, it is a polynomial in ε, t,
y = e^{ε/N} and u = e^{t/R}, but for negative powers of y and u, which are kept apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import lcm
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

    def __init__(self, finer: Frame) -> None:
        super().__init__()
        self.finer = finer


class Frame:
    """Common denominators: rates are multiples of 1/R, exponents of ε multiples of 1/N."""

    __slots__ = ("exponents", "functions", "rates")

    def __init__(self, rates: int, exponents: int) -> None:
        self.rates = rates
        self.exponents = lcm(rates, exponents)
        self.functions: dict[tuple[str, Fraction, Fraction], Any] = {}
        """Densities of noise made so far, by kind, rate and mean (see `function.noise`)."""

    def _rate(self, rate: Fraction) -> int:
        """Return n with rate = n/R."""
        if self.rates % rate.denominator:
            raise TooCoarseError(Frame(lcm(self.rates, rate.denominator), self.exponents))
        return rate.numerator * (self.rates // rate.denominator)

    def _exponent(self, rate: Fraction) -> int:
        """Return m with rate = m/N."""
        if self.exponents % rate.denominator:
            raise TooCoarseError(Frame(self.rates, lcm(self.exponents, rate.denominator)))
        return rate.numerator * (self.exponents // rate.denominator)

    def exponential(self, coefficient: Fraction, rate: Fraction, at: Fraction) -> Element:
        """Return coefficient·e^{rate·(t − at)}."""
        return Element(_ONE * exact(coefficient), -self._exponent(rate * at), self._rate(rate))

    def at(self, element: Element, point: Fraction) -> Element:
        """Return the element at t = point·ε."""
        per_u = self._exponent(point / self.rates)
        base = element.low_y + element.low_u * per_u
        found: dict[tuple[int, int], fmpq] = {}
        b = exact(point)
        for (j, k, m, n), c in element.poly.to_dict().items():
            value = c * b ** int(k) if k else c
            if value:
                key = int(j) + int(k), int(m) + int(n) * per_u
                found[key] = found[key] + value if key in found else value
        return _constant(found, base)

    def shifted(self, element: Element, by: Fraction) -> Element:
        """Return the element with t + by·ε for t."""
        per_u = self._exponent(by / self.rates)
        b = exact(by)
        found: dict[tuple[int, int, int, int], fmpq] = {}
        for exponents, c in element.poly.to_dict().items():
            j, k, m, n = map(int, exponents)
            y = m + (n + element.low_u) * per_u
            for i in range(k + 1):
                key = j + i, k - i, y, n
                value = c * _binomial(k, i) * b**i
                found[key] = found[key] + value if key in found else value
        if not found:
            return ZERO
        low = min(key[2] for key in found)
        poly = _RING.from_dict({(j, k, y - low, n): c for (j, k, y, n), c in found.items() if c})
        return Element(poly, low + element.low_y, element.low_u)

    def antiderivative(self, element: Element) -> Element:
        """Return a function of t whose derivative is the element, 0 at ±∞ where that is possible.

        ∫ t^k·e^{at} dt = e^{at}·Σ_i (−1)^i·k!/(k−i)!·t^{k−i}/a^{i+1} for a ≠ 0.
        """
        found: dict[tuple[int, ...], fmpq] = {}
        for exponents, c in element.poly.to_dict().items():
            j, k, m, n = map(int, exponents)
            rate = n + element.low_u
            if rate == 0:
                key = j, k + 1, m, n
                value = c / (k + 1)
                found[key] = found[key] + value if key in found else value
                continue
            step = fmpq(self.rates, rate)
            value = c * step
            for i in range(k, -1, -1):
                key = j, i, m, n
                found[key] = found[key] + value if key in found else value
                value = value * step * -i
        return Element(_RING.from_dict(found), element.low_y, element.low_u)

    def integral(
        self, parts: Iterable[tuple[Element, Fraction | None, Fraction | None]]
    ) -> Element:
        """Return Σ ∫ element dt from lower·ε to upper·ε; an end None is infinite, where it is 0.

        The antiderivatives of `antiderivative` at both ends, gathered without going through it.
        """
        found: dict[tuple[int, int], fmpq] = {}
        for element, lower, upper in parts:
            if not element.poly:
                continue
            ends = [
                (exact(end), self._exponent(end / self.rates), sign)
                for end, sign in ((upper, 1), (lower, -1))
                if end is not None
            ]
            low_y, low_u = element.low_y, element.low_u
            for exponents, c in element.poly.to_dict().items():
                j, k, m, n = map(int, exponents)
                rate, y = n + low_u, m + low_y
                if rate == 0:
                    for end, _, sign in ends:
                        key = j + k + 1, y
                        value = c * end ** (k + 1) * sign / (k + 1)
                        found[key] = found[key] + value if key in found else value
                    continue
                step = fmpq(self.rates, rate)
                value = c * step
                for i in range(k, -1, -1):
                    for end, per_u, sign in ends:
                        key = j + i, y + rate * per_u
                        here = value * sign * end**i if i else value * sign
                        found[key] = found[key] + here if key in found else here
                    value = value * step * -i
        return _constant(found, 0)

    def form(self, element: Element, name: str) -> ExpPoly:
        """Return an element as a closed form in ε and the parameter that t is called."""
        terms = []
        for (j, k, m, n), c in element.poly.to_dict().items():
            rate = Fraction(int(n) + element.low_u, self.rates)
            own = Fraction(int(m) + element.low_y, self.exponents)
            powers = (("eps", int(j)), (name, int(k)))
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
            u = self._rate(rate.get(name, Fraction(0)))
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
        poly: dict[tuple[int, ...], fmpq] = {
            (j, m): c for (j, _, m, _), c in element.poly.to_dict().items()
        }
        step = Fraction(1, self.exponents)
        return from_flint(poly, step, element.low_y * step)


def _constant(found: dict[tuple[int, int], fmpq], base: int) -> Element:
    """Return Σ c·ε^j·y^{m + base} from {(j, m): c}."""
    if not found:
        return ZERO
    low = min(key[1] for key in found)
    poly = _RING.from_dict({(j, 0, m - low, 0): c for (j, m), c in found.items() if c})
    return Element(poly, low + base, 0)


def _binomial(n: int, k: int) -> int:
    result = 1
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return result
