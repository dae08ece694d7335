"""The ring for densities whose breakpoints are linear forms in parameters.

It answers the same questions as `frame.Frame`. With parameters θ₁ … θₙ (ε is one of them) an
element is a polynomial in θ, t, yⱼ = e^{θⱼ/N} and u = e^{t/R}, but for negative powers of y and u.
Breakpoints are spots, or rationals b that stand for b·ε.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm
from typing import Any, TypeAlias

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from exactdp.measure.frame import TooCoarseError
from exactdp.reals import ExpPoly, Term
from exactdp.reals.exp_poly import build, ring
from exactdp.reals.numbers import exact, fraction

Powers: TypeAlias = tuple[int, ...]


class Element:
    """poly(θ, t, y, u)·y^low·u^low, the lowest powers of y and then u in `low`."""

    __slots__ = ("low", "poly", "size")

    def __init__(self, poly: fmpq_mpoly, low: Powers, size: int) -> None:
        self.poly = poly
        self.low = low
        self.size = size

    def __bool__(self) -> bool:
        return bool(self.poly)

    def __mul__(self, other: Element) -> Element:
        low = tuple(a + b for a, b in zip(self.low, other.low, strict=True))
        return Element(self.poly * other.poly, low, self.size)

    def __add__(self, other: Element) -> Element:
        if not other.poly:
            return self
        if not self.poly:
            return other
        low = tuple(map(min, self.low, other.low))
        return Element(_raised(self, low) + _raised(other, low), low, self.size)

    def __neg__(self) -> Element:
        return Element(-self.poly, self.low, self.size)

    def __sub__(self, other: Element) -> Element:
        return self + -other


def _raised(element: Element, low: Powers) -> fmpq_mpoly:
    if element.low == low:
        return element.poly
    up = [a - b for a, b in zip(element.low, low, strict=True)]
    shift = (0,) * (element.size + 1) + tuple(up)
    return element.poly * _ring(element.size).from_dict({shift: fmpq(1)})


@lru_cache(maxsize=64)
def _ring(size: int) -> fmpq_mpoly_ctx:
    names = [f"{kind}{j}" for kind in "py" for j in range(size)]
    return fmpq_mpoly_ctx.get((*names[:size], "t", *names[size:], "u"), Ordering.lex)


class ParametricFrame:
    """Units: rates are multiples of 1/R, coefficients of breakpoints of 1/D, exponents of 1/(RD).

    The first parameter is ε.
    """

    def __init__(self, names: Sequence[str], rates: int = 1, points: int = 1) -> None:
        self.names = tuple(names)
        self.rates = rates
        self._fine = points
        self._size = len(self.names)
        self._ring = _ring(self._size)
        self._nothing = (0,) * (self._size + 1)
        self.functions: dict[tuple[str, int, Any], Any] = {}
        """Densities of noise made so far, by kind, rate and mean (see `function.noise`)."""

    points = 1
    """Breakpoints are spots, which have no units."""

    def shared(self) -> ParametricFrame:
        """Return the frame itself: its breakpoints belong to one run."""
        return self

    @cached_property
    def zero(self) -> Element:
        """0."""
        return Element(self._ring.from_dict({}), self._nothing, self._size)

    @cached_property
    def one(self) -> Element:
        """1."""
        return self._element({(0,) * (2 * self._size + 2): fmpq(1)})

    def _element(self, terms: dict[Powers, fmpq]) -> Element:
        """Return the element with given terms, whose powers of y and u may be negative."""
        kept = [key for key, c in terms.items() if c]
        if not kept:
            return self.zero
        start = self._size + 1
        low = tuple(min(entries) for entries in zip(*(key[start:] for key in kept), strict=True))
        down = (*(0,) * start, *low)
        poly = {tuple(a - b for a, b in zip(key, down, strict=True)): terms[key] for key in kept}
        return Element(self._ring.from_dict(poly), low, self._size)

    def _terms(self, element: Element) -> Iterator[tuple[Powers, fmpq]]:
        """Yield the powers of θ, t, y and u, and the coefficient, of each term."""
        up = (*(0,) * (self._size + 1), *element.low)
        for key, c in zip(element.poly.monoms(), element.poly.coeffs(), strict=True):
            yield tuple(int(a) + b for a, b in zip(key, up, strict=True)), c

    def rate(self, rate: Fraction) -> int:
        """Return n with rate = n/R."""
        if self.rates % rate.denominator:
            finer = lcm(self.rates, rate.denominator)
            raise TooCoarseError(ParametricFrame(self.names, finer, self._fine))
        return rate.numerator * (self.rates // rate.denominator)

    def size(self, rate: int) -> fmpq:
        """Return a rate as a number."""
        return fmpq(rate, self.rates)

    def point(self, point: Any) -> Any:
        """Return a breakpoint in the units of the frame: itself."""
        return point

    def number(self, point: Any) -> Any:
        """Return a breakpoint as a multiple of ε, or as a linear form."""
        return Fraction(point) if isinstance(point, int) else point

    def _coefficients(self, point: Any) -> tuple[fmpq, ...]:
        if isinstance(point, int | Fraction):
            return (exact(point), *(fmpq(0),) * (self._size - 1))
        found: tuple[fmpq, ...] = point.form
        return found

    def _steps(self, form: tuple[fmpq, ...]) -> Powers:
        """Return the coefficients of a breakpoint as multiples of 1/D."""
        fine = lcm(self._fine, *(int(q.q) for q in form))
        if fine != self._fine:
            raise TooCoarseError(ParametricFrame(self.names, self.rates, fine))
        return tuple(int(q.p) * (fine // int(q.q)) for q in form)

    def _linear(self, form: tuple[fmpq, ...], *, plus_t: bool) -> fmpq_mpoly:
        """Return Σ q·θ, plus t if wanted, as a polynomial."""
        width = 2 * self._size + 2
        terms = {tuple(int(i == j) for i in range(width)): q for j, q in enumerate(form) if q}
        if plus_t:
            terms[tuple(int(i == self._size) for i in range(width))] = fmpq(1)
        return self._ring.from_dict(terms)

    def exponential(self, coefficient: fmpq, rate: int) -> Element:
        """Return coefficient·e^{rate·t}."""
        return self._element({(*(0,) * (2 * self._size + 1), rate): coefficient})

    def at(self, element: Element, point: Any) -> Element:
        """Return the element at a point."""
        return self._moved(self._terms(element), point, plus_t=False)

    def shifted(self, element: Element, by: Any) -> Element:
        """Return the element with t + by for t."""
        return self._moved(self._terms(element), by, plus_t=True)

    def stretched(self, element: Element, factor: Fraction) -> Element:
        """Return the element with factor·t for t."""
        found: dict[Powers, fmpq] = {}
        for key, c in self._terms(element):
            rate = self.rate(Fraction(key[-1], self.rates) * factor)
            found[*key[:-1], rate] = c * exact(factor) ** key[self._size]
        return self._element(found)

    def _moved(self, terms: Iterable[tuple[Powers, fmpq]], point: Any, *, plus_t: bool) -> Element:
        """Return terms with a point, or t plus a point, for t."""
        form = self._coefficients(point)
        steps, size = self._steps(form), self._size
        by_power: dict[int, dict[Powers, fmpq]] = {}
        for key, c in terms:
            rate, k = key[-1], key[size]
            ys = [y + rate * step for y, step in zip(key[size + 1 : -1], steps, strict=True)]
            new = (*key[:size], 0, *ys, rate if plus_t else 0)
            group = by_power.setdefault(k, {})
            group[new] = group[new] + c if new in group else c
        total = self.zero
        for k, group in by_power.items():
            part = self._element(group)
            if k:
                power = self._linear(form, plus_t=plus_t) ** k
                part = Element(part.poly * power, part.low, size)
            total = total + part
        return total

    def antiderivative(self, element: Element) -> Element:
        """Return a function of t whose derivative is the element, 0 at ±∞ where possible."""
        found: dict[Powers, fmpq] = {}
        for key, c in self._primitive(element):
            found[key] = found[key] + c if key in found else c
        return self._element(found)

    def _primitive(self, element: Element) -> Iterator[tuple[Powers, fmpq]]:
        """Yield the terms of an antiderivative (see `Frame`), some perhaps with the same powers."""
        size = self._size
        for key, c in self._terms(element):
            k, rate = key[size], key[-1]
            if rate == 0:
                yield (*key[:size], k + 1, *key[size + 1 :]), c / (k + 1)
                continue
            step = fmpq(self.rates, rate)
            value = c * step
            for i in range(k, -1, -1):
                yield (*key[:size], i, *key[size + 1 :]), value
                value = value * step * -i

    def integral(self, parts: Iterable[tuple[Element, Any, Any]]) -> Element:
        """Return Σ ∫ element dt between two ends; an end None is infinite, where it is 0."""
        total = self.zero
        for element, lower, upper in parts:
            if element:
                terms = list(self._primitive(element))
                if upper is not None:
                    total = total + self._moved(terms, upper, plus_t=False)
                if lower is not None:
                    total = total - self._moved(terms, lower, plus_t=False)
        return total

    def form(self, element: Element, name: str) -> ExpPoly:
        """Return an element as a closed form in which t has a name."""
        size, names = self._size, (*self.names, name)
        listed = []
        for key, c in self._terms(element):
            units = (*(self.rates * self._fine,) * size, self.rates)
            rates = [Fraction(e, unit) for e, unit in zip(key[size + 1 :], units, strict=True)]
            listed.append(
                Term(
                    fraction(c),
                    tuple((n, k) for n, k in zip(names, key[: size + 1], strict=True) if k),
                    tuple((n, q) for n, q in zip(names, rates, strict=True) if q),
                )
            )
        return ExpPoly(listed)

    def element(self, form: ExpPoly, name: str = "") -> Element:
        """Return a closed form in the parameters, and one called `name` for t, as an element."""
        found: dict[Powers, fmpq] = {}
        units = self.rates * self._fine
        for coefficient, powers, rates in form.terms:
            power, rate = dict(powers), dict(rates)
            ys = []
            for n in self.names:
                q = rate.get(n, Fraction(0)) * units
                if q.denominator != 1:
                    fine = self._fine * q.denominator
                    raise TooCoarseError(ParametricFrame(self.names, self.rates, fine))
                ys.append(q.numerator)
            own = self.rate(rate.get(name, Fraction(0)))
            key = (*(power.get(n, 0) for n in self.names), power.get(name, 0), *ys, own)
            found[key] = exact(coefficient)
        return self._element(found)

    def closed_form(self, element: Element) -> ExpPoly:
        """Return an element without t as a closed form."""
        size = self._size
        names = ("eps", *sorted(set(self.names) - {"eps"}))
        places = [self.names.index(name) for name in names]
        poly: dict[Powers, fmpq] = {}
        for key, c in zip(element.poly.monoms(), element.poly.coeffs(), strict=True):
            powers = [int(key[place]) for place in places]
            ys = [int(key[size + 1 + place]) for place in places]
            poly[*powers, *ys] = c
        unit = Fraction(1, self.rates * self._fine)
        low = tuple(element.low[place] * unit for place in places)
        return build(names, ring(names).from_dict(poly), (unit,) * size, low)
