"""Piecewise functions of one scaled noise variable, with exact breakpoints.

Breakpoints are integers, multiples of ε/D with the D of the frame.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from exactdp.measure.frame import Element, Frame

_MOST_KEPT = 10_000  # densities of noise that a frame caches


class Univariate:
    """A function of one variable: pieces[i] between breakpoints[i−1] and breakpoints[i].

    The outer pieces reach to ±∞.
    """

    __slots__ = (
        "_above",
        "_below",
        "_factors",
        "_origin",
        "_parts",
        "breakpoints",
        "frame",
        "pieces",
    )

    def __init__(
        self, frame: Frame, breakpoints: tuple[int, ...], pieces: tuple[Element, ...]
    ) -> None:
        self.frame = frame
        self.breakpoints = breakpoints
        self.pieces = pieces
        self._below: Univariate | None = None
        self._above: Univariate | None = None
        # The integrals of t ↦ f(t + by) are those of f, shifted.
        self._origin: tuple[Univariate, int] | None = None
        # For the product rule: f and g if this is f·g, and F and G if this is (F·G)′.
        self._factors: tuple[Univariate, Univariate] | None = None
        self._parts: tuple[Univariate, Univariate] | None = None

    def __bool__(self) -> bool:
        return any(self.pieces)

    def __mul__(self, other: Univariate) -> Univariate:
        result = _product(self, other)
        result._factors = self, other
        self._factors = None  # only one product is remembered, not a chain of them
        return result

    def __add__(self, other: Univariate) -> Univariate:
        points, pairs = _merged(self, other)
        result = Univariate(self.frame, points, tuple(a + b for a, b in pairs))
        if self._factors is not None and other._factors is not None:
            (f, big_g), (g, big_f) = self._factors, other._factors
            if f._below is big_f and g._below is big_g:
                result._parts = big_f, big_g
        return result

    def times(self, factor: Element) -> Univariate:
        """Return the function times an element without t."""
        return Univariate(self.frame, self.breakpoints, tuple(p * factor for p in self.pieces))

    def at(self, point: int) -> Element:
        """Return the value at t = point (at a breakpoint, the value from the right)."""
        j = bisect_right(self.breakpoints, point)
        return self.frame.at(self.pieces[j], point)

    def negated(self) -> Univariate:
        """Return −f."""
        return Univariate(self.frame, self.breakpoints, tuple(-piece for piece in self.pieces))

    def total(self) -> Element:
        """Return the integral over the whole line of a function that decays at both ends."""
        ends = (None, *self.breakpoints, None)
        return self.frame.integral(zip(self.pieces, ends, ends[1:], strict=False))

    def below(self) -> Univariate:
        """Return ∫_{−∞}^t of the function, which decays at −∞.

        For f·G + F·g with F and G the same integrals of f and g it is F·G. The density of the
        larger of two variables has this form, and multiplying is much faster than integrating.
        """
        if self._parts is not None:
            self._below, self._parts = _product(*self._parts), None
        if self._below is None:
            self._below = self._integral(1)
        return self._below

    def above(self) -> Univariate:
        """Return ∫_t^∞ of the function, which decays at both ends."""
        if self._above is None:
            self._above = self._integral(-1)
        return self._above

    def _integral(self, way: int) -> Univariate:
        """Return the integral from −∞ to t (way 1), or from t to ∞ (way −1)."""
        if self._origin is not None:
            origin, by = self._origin
            return (origin.below() if way > 0 else origin.above()).shifted(by)
        frame = self.frame
        primitives = [frame.antiderivative(piece) for piece in self.pieces]
        constant = frame.zero
        pieces = [primitives[0] if way > 0 else -primitives[-1]]
        joints = [*zip(self.breakpoints, primitives, primitives[1:], strict=False)]
        for point, left, right in joints[::way]:
            constant = constant + frame.at(left - right, point)
            pieces.append(right + constant if way > 0 else constant - left)
        return Univariate(frame, self.breakpoints, tuple(pieces[::way]))

    def shifted(self, by: int) -> Univariate:
        """Return t ↦ f(t + by)."""
        if not by:
            return self
        result = Univariate(
            self.frame,
            tuple(point - by for point in self.breakpoints),
            tuple(self.frame.shifted(piece, by) for piece in self.pieces),
        )
        result._origin = self, by
        return result

    def stretched(self, factor: Fraction) -> Univariate:
        """Return t ↦ f(factor·t)."""
        if factor == 1:
            return self
        frame = self.frame
        points = tuple(frame.point(frame.number(point) / factor) for point in self.breakpoints)
        pieces = tuple(frame.stretched(piece, factor) for piece in self.pieces)
        way = 1 if factor > 0 else -1
        return Univariate(frame, points[::way], pieces[::way])


def step(frame: Frame, point: int, *, above: bool) -> Univariate:
    """Return the indicator of t ≥ point, or of t ≤ point."""
    zero, one = frame.zero, frame.one
    return Univariate(frame, (point,), (zero, one) if above else (one, zero))


def noise(frame: Frame, kind: str, rate: Fraction, mean: int) -> Univariate:
    """Return the density of real noise with a rate, the same object each time for one frame."""
    key = kind, frame.rate(rate), mean
    known = frame.functions
    if key not in known:
        if len(known) >= _MOST_KEPT:
            known.clear()
        if mean:
            known[key] = noise(frame, kind, rate, 0).shifted(-mean)
        else:
            known[key] = _DENSITIES[kind](frame, key[1])
    found: Univariate = known[key]
    return found


def laplace(frame: Frame, rate: int) -> Univariate:
    """Return the density (rate/2)·e^{−rate·|t|}."""
    half = frame.size(rate) / 2
    return Univariate(frame, (0,), (frame.exponential(half, rate), frame.exponential(half, -rate)))


def exponential(frame: Frame, rate: int) -> Univariate:
    """Return the density rate·e^{−rate·t} on t ≥ 0."""
    return Univariate(frame, (0,), (frame.zero, frame.exponential(frame.size(rate), -rate)))


_DENSITIES: Final = {"lap": laplace, "expo": exponential}
"""The density of each kind of real noise around 0."""


def indicator(frame: Frame, lower: int, upper: int) -> Univariate:
    """Return the indicator of lower ≤ t ≤ upper."""
    return Univariate(frame, (lower, upper), (frame.zero, frame.one, frame.zero))


def _product(one: Univariate, two: Univariate) -> Univariate:
    points, pairs = _merged(one, two)
    zero = one.frame.zero
    pieces = tuple(a * b if a and b else zero for a, b in pairs)
    return Univariate(one.frame, points, pieces)


def _merged(
    one: Univariate, two: Univariate
) -> tuple[tuple[int, ...], Iterator[tuple[Element, Element]]]:
    """Return the common breakpoints and the pairs of pieces between them."""
    if one.breakpoints == two.breakpoints:
        return one.breakpoints, zip(one.pieces, two.pieces, strict=True)
    points: list[int] = []
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
