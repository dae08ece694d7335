"""Piecewise functions of one scaled noise variable, with exact breakpoints."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction

from exactdp.measure.frame import ONE, ZERO, Element, Frame


class Function:
    """pieces[i] between breakpoints[i−1] and breakpoints[i]; the outer ones reach to ±∞."""

    __slots__ = ("_above", "_below", "breakpoints", "frame", "pieces")

    def __init__(
        self, frame: Frame, breakpoints: tuple[Fraction, ...], pieces: tuple[Element, ...]
    ) -> None:
        self.frame = frame
        self.breakpoints = breakpoints
        self.pieces = pieces
        self._below: Function | None = None
        self._above: Function | None = None

    def __bool__(self) -> bool:
        return any(self.pieces)

    def __mul__(self, other: Function) -> Function:
        points, pairs = _merged(self, other)
        pieces = tuple(a * b if a.poly and b.poly else ZERO for a, b in pairs)
        return Function(self.frame, points, pieces)

    def __add__(self, other: Function) -> Function:
        points, pairs = _merged(self, other)
        return Function(self.frame, points, tuple(a + b for a, b in pairs))

    def times(self, factor: Element) -> Function:
        """Return the function times an element without t."""
        return Function(self.frame, self.breakpoints, tuple(p * factor for p in self.pieces))

    def at(self, point: Fraction) -> Element:
        """Return the value at t = point·ε (at a breakpoint that from the right)."""
        j = bisect_right(self.breakpoints, point)
        return self.frame.at(self.pieces[j], point)

    def negated(self) -> Function:
        """Return −f."""
        return Function(self.frame, self.breakpoints, tuple(-piece for piece in self.pieces))

    def total(self) -> Element:
        """Return the integral over the whole line of a function that decays at both ends."""
        ends = (None, *self.breakpoints, None)
        return self.frame.integral(zip(self.pieces, ends, ends[1:], strict=False))

    def below(self) -> Function:
        """Return ∫_{−∞}^t of the function, which decays at −∞."""
        if self._below is None:
            frame = self.frame
            primitives = [frame.antiderivative(piece) for piece in self.pieces]
            constant = ZERO
            pieces = [primitives[0]]
            for point, left, right in zip(
                self.breakpoints, primitives, primitives[1:], strict=False
            ):
                constant = constant + frame.at(left - right, point)
                pieces.append(right + constant)
            self._below = Function(frame, self.breakpoints, tuple(pieces))
        return self._below

    def above(self) -> Function:
        """Return ∫_t^∞ of the function, which decays at both ends."""
        if self._above is None:
            everything = self.total()
            pieces = tuple(everything - piece for piece in self.below().pieces)
            self._above = Function(self.frame, self.breakpoints, pieces)
        return self._above

    def shifted(self, by: Fraction) -> Function:
        """Return t ↦ f(t + by·ε)."""
        if not by:
            return self
        return Function(
            self.frame,
            tuple(point - by for point in self.breakpoints),
            tuple(self.frame.shifted(piece, by) for piece in self.pieces),
        )


def step(frame: Frame, point: Fraction, *, above: bool) -> Function:
    """Return the indicator of t ≥ point·ε, or of t ≤ point·ε."""
    return Function(frame, (point,), (ZERO, ONE) if above else (ONE, ZERO))


def noise(frame: Frame, kind: str, rate: Fraction, mean: Fraction) -> Function:
    """Return the density of "lap" or "expo" noise, the same object each time for one frame."""
    key = kind, rate, mean
    if key not in frame.functions:
        frame.functions[key] = {"lap": laplace, "expo": exponential}[kind](frame, rate, mean)
    found: Function = frame.functions[key]
    return found


def laplace(frame: Frame, rate: Fraction, mean: Fraction) -> Function:
    """Return the density (rate/2)·e^{−rate·|t − mean·ε|}."""
    half = rate / 2
    return Function(
        frame,
        (mean,),
        (frame.exponential(half, rate, mean), frame.exponential(half, -rate, mean)),
    )


def exponential(frame: Frame, rate: Fraction, start: Fraction) -> Function:
    """Return the density rate·e^{−rate·(t − start·ε)} on t ≥ start·ε."""
    return Function(frame, (start,), (ZERO, frame.exponential(rate, -rate, start)))


def _merged(
    one: Function, two: Function
) -> tuple[tuple[Fraction, ...], Iterator[tuple[Element, Element]]]:
    """Return the common breakpoints and the pairs of pieces between them."""
    if one.breakpoints == two.breakpoints:
        return one.breakpoints, zip(one.pieces, two.pieces, strict=True)
    points: list[Fraction] = []
    pairs = [(one.pieces[0], two.pieces[0])]
    i = j = 0
    a, b = one.breakpoints, two.breakpoints
    while i < len(a) or j < len(b):
        if j == len(b) or (i < len(a) and a[i] < b[j]):
            points.append(a[i])
            i += 1
        elif i == len(a) or b[j] < a[i]:
            points.append(b[j])
            j += 1
        else:
            points.append(a[i])
            i, j = i + 1, j + 1
        pairs.append((one.pieces[i], two.pieces[j]))
    return tuple(points), iter(pairs)
