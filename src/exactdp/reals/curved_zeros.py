"""Where a sum Σ p(x)·exp(P(x)) is nonnegative: the exact set, with isolated zeros as ends.

At a rational point, and near it, and near ∞, signs are exact (see `curved`). In between, segments
are halved until the sum has a sign or is monotone on each of them. So the answer is complete,
unless the sum touches 0 at an irrational point, or at a rational one with a large denominator.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals.curved import CurvedSum, OneSign
from exactdp.reals.evaluated_zeros import EvaluatedRoot
from exactdp.reals.exp_poly import eps
from exactdp.reals.interval import Interval
from exactdp.reals.numbers import exact, inf, simplest_inside
from exactdp.reals.solutions import Boundary, SolutionSet, Stretch

_NARROW = Fraction(1, 2**48)
_MOST_STEPS = 20_000
_WIDER = 1024


class OpenSetError(ValueRefusedError):
    """A set of ε that depends on whether a function touches 0."""


class _Zeros:
    """The walk over one interval: closed stretches on which the sum is nonnegative."""

    def __init__(self, function: CurvedSum, bits: int) -> None:
        self.function, self.bits = function, bits
        self.found = SolutionSet(())

    def add(self, lower: Boundary, upper: Boundary, sign: int = 1) -> None:
        """Add a stretch if the sum is positive inside; then it is nonnegative at both ends."""
        if sign > 0:
            self.found |= SolutionSet((Stretch(lower, upper, False, upper == inf),))

    def walk(self, lower: Fraction, upper: Fraction) -> None:
        """Add what is nonnegative between two points."""
        waiting = [(lower, upper)] if lower < upper else []
        for _ in range(_MOST_STEPS):
            if not waiting:
                return
            low, high = waiting.pop()
            sign = self._sign(low, high)
            if sign:
                self.add(low, high, sign)
            elif sign is None:
                middle = (low + high) / 2
                if high - low < _NARROW * max(low, Fraction(1)):
                    waiting += self._touching(low, high)
                else:
                    waiting += [(middle, high), (low, middle)]
        raise open_at(waiting[-1][0])

    def _sign(self, low: Fraction, high: Fraction) -> int | None:
        """Return the sign on a segment; 0 if it changes once, which is added; None if open."""
        half = (high - low) / 2
        with ctx.workprec(self.bits):
            whole = self.function.series(arb(exact(low + half), exact(half)), 2)
            here = self.function.series(arb(exact(low + half)), 1)[0]
            room = abs(whole[1]) * arb(exact(half))
            if whole[0] > 0 or here > room:
                return 1
            if whole[0] < 0 or here < -room:
                return -1
            if not (whole[1] > 0 or whole[1] < 0):
                return None
        before, after = self.function.sign_at(low), self.function.sign_at(high)
        for end, sign in ((low, before), (high, after)):
            if not sign:
                self.add(end, end)
        if before * after >= 0:
            return before or after
        root = self._root(low, high)
        self.add(low, root, before)
        self.add(root, high, after)
        return 0

    def _root(self, low: Fraction, high: Fraction) -> Boundary:
        """Return the zero between two points, as a number if it is a simple rational."""
        root = EvaluatedRoot(low, high, 1, eps, function=self.function)
        point = simplest_inside(low, high)
        if self.function.sign_at(point) == 0:
            return point
        root = root.refined(_NARROW * max(low, Fraction(1)))
        point = simplest_inside(root.lower, root.upper)
        return root if self.function.sign_at(point) else point

    def _touching(self, low: Fraction, high: Fraction) -> list[tuple[Fraction, Fraction]]:
        """Add what is known around a rational zero near a segment; return what is left of it."""
        around = (high - low) * _WIDER
        point = simplest_inside(low - around, high + around)
        if self.function.sign_at(point):
            raise open_at(low)
        sides = self.function.beside(point, -1), self.function.beside(point, 1)
        if None in sides:
            raise open_at(low)
        left, right = (one for one in sides if one is not None)
        self.add(point, point)
        for start, end, sign in (
            (max(low, left.end), min(high, point), left.sign),
            (max(low, point), min(high, right.end), right.sign),
        ):
            if start < end:
                self.add(start, end, sign)
        rest = (low, min(high, left.end)), (max(low, right.end), high)
        return [part for part in rest if part[0] < part[1]]


def curved_solutions(function: CurvedSum, on: Interval) -> SolutionSet:
    """Return the points of an interval of x ≥ 0 at which a sum is nonnegative."""
    whole = SolutionSet((Stretch(on.lower, on.upper, on.lower_open, on.upper_open),))
    if not function.parts:
        return whole
    function = function.reduced
    lower, upper = Fraction(on.lower), on.upper
    if on.is_point:
        return whole if function.sign_at(lower) >= 0 else SolutionSet(())
    left = function.beside(lower, 1)
    right: OneSign | None = (
        function.beside(upper, -1) if isinstance(upper, Fraction) else function.far_out(lower)
    )
    if left is None or right is None:
        raise open_at(lower)
    zeros = _Zeros(function, max(left.bits, right.bits))
    for end in (lower, upper):
        if isinstance(end, Fraction) and not function.sign_at(end):
            zeros.add(end, end)
    first = min(left.end, upper)
    last = max(right.end, lower)
    zeros.add(lower, first, left.sign)
    zeros.add(last, upper, right.sign)
    if isinstance(first, Fraction):
        zeros.walk(first, last)
    return zeros.found & whole


def open_at(point: Fraction) -> OpenSetError:
    """Return the error for a set that depends on whether a function touches 0."""
    return OpenSetError(
        f"the set of ε is open near ε = {float(point):.6g}, where the claim is tight",
        rule="With numbers that depend on eps, certified numbers decide the sign of a function "
        "wherever it is not 0; no theorem decides whether it touches 0.",
        way_out="Restrict epsilon, or change the bound slightly.",
    )
