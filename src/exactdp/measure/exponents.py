"""How fast densities fall as ε grows: the ring of `frame` reduced to exponents.

An element represents a function of t with |f(s·ε)| ≤ polynomial·e^{E(s)·ε}, E the maximum of some
lines: a convex function. A product adds exponents, a sum or a difference takes the larger one, an
integral the largest one in its range, which is at an end. So the pass over the graph of a program
computes an exponent E of a probability, never smaller than the true one: −E is a lower bound on
the least cost Σ rateᵢ·|xᵢ − meanᵢ| of noise for which the event occurs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

from flint import fmpq

from exactdp.measure.density import Density
from exactdp.measure.frame import Element, OtherFrame, TooCoarseError
from exactdp.measure.numeric import NotInNumbersError
from exactdp.reals import ExpPoly

Line: TypeAlias = tuple[int, int]
"""Slope and intercept: the exponent slope·t + intercept·ε, in units of the frame."""


class ExponentElement(Element):
    """The maximum of some lines, each of which is the largest somewhere; no lines mean −∞."""

    __slots__ = ("lines",)

    def __init__(self, lines: tuple[Line, ...]) -> None:
        self.lines = lines

    def __bool__(self) -> bool:
        return bool(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __mul__(self, other: Any) -> ExponentElement:
        mine, its = self.lines, other.lines
        if not mine or not its:
            return ExponentElement(())
        if len(mine) == 1 or len(its) == 1:
            return ExponentElement(tuple((a + c, b + d) for a, b in mine for c, d in its))
        i = j = 0
        found = [(mine[0][0] + its[0][0], mine[0][1] + its[0][1])]
        while i + 1 < len(mine) or j + 1 < len(its):
            if j + 1 == len(its) or (i + 1 < len(mine) and _is_first(mine, i, its, j)):
                i += 1
            else:
                j += 1
            found.append((mine[i][0] + its[j][0], mine[i][1] + its[j][1]))
        return ExponentElement(_hull(found))

    def __add__(self, other: Any) -> ExponentElement:
        if not other.lines:
            return self
        if not self.lines:
            return other  # type: ignore[no-any-return]
        return ExponentElement(_hull(sorted({*self.lines, *other.lines})))

    def __neg__(self) -> ExponentElement:
        return self

    def at(self, point: int) -> int:
        """Return the exponent at a breakpoint."""
        return max(a * point + b for a, b in self.lines)


def _is_first(one: tuple[Line, ...], i: int, two: tuple[Line, ...], j: int) -> bool:
    """Whether the next line of the first function becomes the largest before that of the second."""
    (a, b), (c, d) = one[i], one[i + 1]
    (e, f), (g, h) = two[j], two[j + 1]
    return (b - d) * (g - e) <= (f - h) * (c - a)


def _hull(lines: list[Line]) -> tuple[Line, ...]:
    """Return the lines, in the order of their slopes, that are the largest somewhere."""
    found: list[Line] = []
    for a, b in lines:
        if found and found[-1][0] == a:
            if found[-1][1] >= b:
                continue
            found.pop()
        while len(found) >= 2:
            (c, d), (e, f) = found[-2], found[-1]
            # The middle one is below the others where these two meet.
            if (f - d) * (a - c) > (b - d) * (e - c):
                break
            found.pop()
        found.append((a, b))
    return tuple(found)


class ExponentFrame(OtherFrame):
    """The units of a frame: slopes are multiples of 1/R, intercepts of 1/(R·D)."""

    def __init__(self, rates: int, fine: int) -> None:
        super().__init__(rates, fine)
        self.zero = ExponentElement(())
        self.one = ExponentElement(((0, 0),))

    def _refuse(self, rates: int, fine: int) -> TooCoarseError:
        return TooCoarseError(ExponentFrame(rates, fine))

    def exponential(self, coefficient: fmpq, rate: int) -> ExponentElement:  # noqa: ARG002
        """Return the exponent of coefficient·e^{rate·t}."""
        return ExponentElement(((rate, 0),))

    def at(self, element: Any, point: Any) -> ExponentElement:
        """Return the element at a point."""
        return ExponentElement(((0, element.at(point)),) if element.lines else ())

    def shifted(self, element: Any, by: Any) -> ExponentElement:
        """Return the element with t + by for t."""
        return ExponentElement(tuple((a, b + a * by) for a, b in element.lines))

    def stretched(self, element: Any, factor: Fraction) -> ExponentElement:
        """Return the element with factor·t for t."""
        lines = [(self.rate(Fraction(a, self.rates) * factor), b) for a, b in element.lines]
        return ExponentElement(tuple(sorted(lines)))

    def antiderivative(self, element: Any) -> ExponentElement:
        """Return the element itself: powers of t do not count."""
        return element  # type: ignore[no-any-return]

    def element(self, form: ExpPoly, name: str = "") -> ExponentElement:
        """Return the exponent of a closed form; only rational numbers are supported."""
        if name or form.constant() is None:
            raise NotInNumbersError
        return ExponentElement(((0, 0),) if form else ())

    def closed_form(self, element: Element, name: str = "") -> ExpPoly:  # noqa: ARG002
        """Refuse: exponents are not closed forms."""
        raise NotInNumbersError

    def exponent(self, density: Density) -> Fraction | None:
        """Return the exponent of a density without variables; None if it is 0."""
        found: Fraction | None = None
        for one in density.products:
            if one.under:
                raise NotInNumbersError
            weight: Any = one.weight
            if weight:
                here = Fraction(weight.at(0), self.rates * self.fine)
                found = here if found is None else max(found, here)
        return found
