"""Numeric densities: the ring of `frame` at one ε, or as power series around one.

In the ring of `frame` a density in general position has 2^m terms, since ε is a symbol there. With
a number for ε a piece with m factors is a polynomial in u = e^{t/R} with m + 1 coefficients, and
everything else stays the same: the same pass over the graph of a program, in this frame, computes
the value. With ε = start + δ for a symbol δ, δ^{order+1} = 0, it computes Taylor coefficients.
Numbers are arb balls that contain the true values; at ε = 0 they are exact rationals.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial
from typing import Any, TypeAlias

from flint import arb, arb_poly, fmpq, fmpq_poly

from exactdp.measure.density import Density
from exactdp.measure.frame import Element, OtherFrame, TooCoarseError
from exactdp.reals import ExpPoly
from exactdp.reals.numbers import exact

Parts: TypeAlias = dict[tuple[int, int], Any]
"""Polynomials in u by powers of δ and t."""


class NotInNumbersError(Exception):
    """The program has a feature that is supported only with closed forms."""


class NumericElement(Element):
    """Σ δ^j·t^k·u^shift·parts[j, k](u)."""

    __slots__ = ("order", "parts", "shift")

    def __init__(self, parts: Parts, shift: int, order: int) -> None:
        self.parts = parts
        self.shift = shift
        self.order = order

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __len__(self) -> int:
        return sum(len(part.coeffs()) for part in self.parts.values())

    def __mul__(self, other: Any) -> NumericElement:
        mine, its = self.parts, other.parts
        shift = self.shift + other.shift
        if len(mine) == 1 == len(its) and (0, 0) in mine and (0, 0) in its:
            return NumericElement({(0, 0): mine[0, 0] * its[0, 0]}, shift, self.order)
        found: Parts = {}
        for (j, k), p in mine.items():
            for (i, n), q in its.items():
                if i + j <= self.order:
                    _add(found, (i + j, k + n), p * q)
        return NumericElement(found, shift, self.order)

    def __add__(self, other: Any) -> NumericElement:
        if not other.parts:
            return self
        if not self.parts:
            found: NumericElement = other
            return found
        shift = min(self.shift, other.shift)
        parts = self.raised(shift)
        for key, p in other.raised(shift).items():
            _add(parts, key, p)
        return NumericElement(parts, shift, self.order)

    def __neg__(self) -> NumericElement:
        return NumericElement({k: -p for k, p in self.parts.items()}, self.shift, self.order)

    def raised(self, shift: int) -> Parts:
        """Return the parts with a lower power of u before them."""
        if shift == self.shift:
            return dict(self.parts)
        return {key: p.left_shift(self.shift - shift) for key, p in self.parts.items()}


def _add(found: Parts, key: tuple[int, int], part: Any) -> None:
    found[key] = found[key] + part if key in found else part


class NumericFrame(OtherFrame):
    """The units of a frame, and a number for ε: a ball, or exactly 0, plus δ."""

    def __init__(self, rates: int, fine: int, start: arb | None, order: int = 0) -> None:
        self.start, self.order = start, order
        self._polynomial: Any = fmpq_poly if start is None else arb_poly
        self._exponentials: dict[int, arb] = {}
        super().__init__(rates, fine)
        self.zero = NumericElement({}, 0, order)
        self.one = self.exponential(fmpq(1), 0)

    def _refuse(self, rates: int, fine: int) -> TooCoarseError:
        return TooCoarseError(NumericFrame(rates, fine, self.start, self.order))

    def exponential(self, coefficient: fmpq, rate: int) -> NumericElement:
        """Return coefficient·e^{rate·t}."""
        return NumericElement({(0, 0): self._polynomial([coefficient])}, rate, self.order)

    def _base(self, point: int) -> Any:
        """Return e^{start·point} for u at a breakpoint."""
        if self.start is None:
            return 1
        if point not in self._exponentials:
            whole = self.start * fmpq(point, self.fine * self.rates)
            self._exponentials[point] = whole.exp()
        return self._exponentials[point]

    def _moved(self, element: NumericElement, point: int) -> Parts:
        """Return the parts, without u^shift, with e^{point·δ} of each power of u expanded.

        With θ = u·d/du it is Σ (point·δ)^l/l!·θ^l.
        """
        if not self.order:
            return element.parts
        found: Parts = {}
        speed = fmpq(point, self.fine * self.rates)
        for (j, k), part in element.parts.items():
            current, factor = part, fmpq(1)
            for i in range(self.order - j + 1):
                if i:
                    current = current * element.shift + current.derivative().left_shift(1)
                    factor = factor * speed / i
                _add(found, (j + i, k), current * factor)
        return found

    def at(self, element: Any, point: Any) -> NumericElement:
        """Return the element at a point."""
        if not element.parts:
            return element  # type: ignore[no-any-return]
        base = self._base(point)
        scale = 1 if self.start is None or not element.shift else base**element.shift
        found: dict[tuple[int, int], Any] = {}
        for (j, k), part in self._moved(element, point).items():
            value = part(base) * scale
            if not k:
                _add(found, (j, 0), value)
                continue
            for i, factor in enumerate(self._powers_of_eps(point, k)):
                if i + j <= self.order:
                    _add(found, (i + j, 0), value * factor)
        return NumericElement(
            {key: self._polynomial([value]) for key, value in found.items()}, 0, self.order
        )

    def _powers_of_eps(self, point: int, k: int) -> list[Any]:
        """Return the coefficients of (b·(start + δ))^k by powers of δ."""
        b = fmpq(point, self.fine)
        if self.start is None:
            return [fmpq(0)] * k + [b**k]
        return [comb(k, i) * b**k * self.start ** (k - i) for i in range(k + 1)]

    def shifted(self, element: Any, by: Any) -> NumericElement:
        """Return the element with t replaced by t + by."""
        if not element.parts:
            return element  # type: ignore[no-any-return]
        base = self._base(by)
        scale = 1 if self.start is None or not element.shift else base**element.shift
        line = None if self.start is None else arb_poly([0, base])
        found: Parts = {}
        for (j, k), part in self._moved(element, by).items():
            moved = (part if line is None else part(line)) * scale
            for n in range(k + 1):
                for i, factor in enumerate(self._powers_of_eps(by, k - n)):
                    if i + j <= self.order:
                        _add(found, (i + j, n), moved * (comb(k, n) * factor) if k else moved)
        return NumericElement(found, element.shift, self.order)

    def stretched(self, element: Any, factor: Fraction) -> NumericElement:
        """Return the element with t replaced by factor·t."""
        total: NumericElement = self.zero
        for (j, k), part in element.parts.items():
            for i, c in enumerate(part.coeffs()):
                rate = self.rate(Fraction(element.shift + i, self.rates) * factor)
                one = self._polynomial([c * exact(factor) ** k])
                total = total + NumericElement({(j, k): one}, rate, self.order)
        return total

    def antiderivative(self, element: Any) -> NumericElement:
        """Return a function of t whose derivative is the element, 0 at ±∞ if possible.

        With P an antiderivative of p, that of t^k·p is t^k·P minus that of k·t^{k−1}·P.
        """
        left: Parts = dict(element.parts)
        found: Parts = {}
        zero = -element.shift
        while left:
            j, k = max(left, key=lambda key: key[1])
            coefficients = left.pop((j, k)).coeffs()
            constant = coefficients[zero] if 0 <= zero < len(coefficients) else None
            if constant is not None:
                alone = self._polynomial([constant / (k + 1)]).left_shift(zero)
                _add(found, (j, k + 1), alone)
            divided = [
                c * self.rates / (i - zero) if i != zero else 0 for i, c in enumerate(coefficients)
            ]
            part = self._polynomial(divided)
            _add(found, (j, k), part)
            if k:
                _add(left, (j, k - 1), part * -k)
        return NumericElement(found, element.shift, self.order)

    def element(self, form: ExpPoly, name: str = "") -> NumericElement:
        """Return a closed form in ε as an element."""
        if name:
            raise NotInNumbersError
        found: Parts = {}
        for j, value in enumerate(self._series(form)):
            found[j, 0] = self._polynomial([value])
        return NumericElement(found, 0, self.order)

    def _series(self, form: ExpPoly) -> list[Any]:
        """Return the Taylor coefficients of a closed form in ε."""
        found: list[Any] = [fmpq(0)] * (self.order + 1)
        for rate, polynomial in form.exponentials().items():
            speed, current = exact(rate), self._polynomial(polynomial)
            shifts = []
            for k in range(self.order + 1):
                shifts.append(current(self.start) if self.start is not None else current[0])
                current = current.derivative() * fmpq(1, k + 1)
            base = 1 if self.start is None else (self.start * speed).exp()
            for j in range(self.order + 1):
                for i in range(j + 1):
                    found[j] += shifts[j - i] * speed**i / factorial(i) * base
        return found

    def closed_form(self, element: Element, name: str = "") -> ExpPoly:  # noqa: ARG002
        """Refuse: numbers are not closed forms."""
        raise NotInNumbersError

    def value(self, density: Density) -> list[Any]:
        """Return the Taylor coefficients of a density without variables."""
        total: list[Any] = [fmpq(0)] * (self.order + 1)
        for one in density.products:
            weight: Any = one.weight
            current = weight.raised(0)
            series = [current[j, 0][0] if (j, 0) in current else fmpq(0) for j in range(len(total))]
            for factor, power in one.under:
                for _ in range(power):
                    series = _divided(series, self._series(factor))
            total = [a + b for a, b in zip(total, series, strict=True)]
        return total


def _divided(over: list[Any], under: list[Any]) -> list[Any]:
    """Return the quotient of two power series of the same length."""
    if under[0] == 0:
        raise NotInNumbersError
    found: list[Any] = []
    for j, one in enumerate(over):
        rest = one - sum((under[i] * found[j - i] for i in range(1, j + 1)), fmpq(0))
        found.append(rest / under[0])
    return found
