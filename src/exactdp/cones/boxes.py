"""Branch and bound for g ≥ 0 on the orthant: boxes of segments, coefficients with an error bound.

A box has the coefficients b of g in the tensor product of nonnegative bases (`segments`). If none
is negative, g ≥ 0 on the box. The coefficients are doubles in midpoint-radius form: together with b
a majorant m is transformed, by |R| where b is by R, and the distance of b from the true value is at
most K·u·m, u = 2⁻⁵³. A step with an N×N matrix adds at most N + 8 to K (N + 2 roundings of the
product, 2 for R, the rest for second order terms, as long as K·u < 1/100), so b ≥ 2·K·u·m proves
that the true coefficient is nonnegative. Where m is exactly 0, so is the coefficient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Protocol, TypeAlias

import numpy as np
from flint import arb, arb_mat, ctx, fmpz, fmpz_mat
from numpy.typing import NDArray

from exactdp.cones.coefficients import functionals, nodes_of
from exactdp.cones.ordered_sum import Vector
from exactdp.cones.piece import Factor, LocalTerms
from exactdp.cones.segments import Array, Axis, Segment
from exactdp.cones.segments import axis as axis_of
from exactdp.cones.window import Window
from exactdp.reals.numbers import inf

Corner: TypeAlias = tuple[Fraction | None, ...]
"""A vertex of a box; None stands for infinity."""

Mask: TypeAlias = NDArray[np.bool_]

Share: TypeAlias = Callable[[float], None]
"""Called repeatedly with the share of the whole that is done, from 0 to 1."""


_UNIT = 2.0**-53
_LARGEST_TENSOR = 100_000
_PRECISIONS = (256, 512, 1024)
_LARGEST_COUNT = 10**12
_TINY = 1e-200


@dataclass(frozen=True)
class TensorBox:
    """A product of segments with the coefficients of g, their majorant and the error count K."""

    segments: tuple[Segment, ...]
    values: Array
    majorant: Array
    present: Array
    """Positive where the true coefficient may differ from 0."""
    count: int
    share: float = 1.0
    """Volume of the box, if each cut halves it and the whole orthant has volume 1."""

    def is_proved(self) -> bool:
        """Whether no coefficient is negative."""
        error = 2 * self.count * _UNIT
        sure = self.values >= error * self.majorant
        lost = (self.majorant < _TINY) & (self.present > 0)  # underflow: nothing is known
        finite = np.isfinite(self.majorant) & np.isfinite(self.values)
        return self.count < _LARGEST_COUNT and bool(np.all(sure & finite & ~lost))

    def badness(self) -> float:
        """Return a measure of how negative the box's coefficients are, 0 for none."""
        ratio = self.values / np.maximum(self.majorant, _TINY)
        return float(-np.minimum(ratio, 0.0).sum())

    def negative_corner(self, allowed: Callable[[Corner], bool]) -> Corner | None:
        """Return an allowed vertex at which g is negative, or the limit of points where it is."""
        error = 2 * self.count * _UNIT
        sizes = self.values.shape
        if not np.isfinite(self.majorant).all():
            return None
        for ends in product(*((0, size - 1) if size > 1 else (0,) for size in sizes)):
            if self.values[ends] < -error * self.majorant[ends] and self.majorant[ends] > _TINY:
                corner = tuple(
                    segment.high if end else segment.low
                    for end, segment in zip(ends, self.segments, strict=True)
                )
                if allowed(corner):
                    return corner
        return None


class Where(Protocol):
    """The boxes that matter."""

    def misses(self, box: tuple[Segment, ...], /) -> bool:
        """Whether nothing has to be proved in a box."""

    def allows(self, corner: Corner, /) -> bool:
        """Whether a vertex, or points near it, matter."""

    def candidates(self, box: tuple[Segment, ...], axes: list[int], /) -> list[int]:
        """Return the axes that may be cut next."""


@dataclass(frozen=True)
class Slab:
    """The part of a cell in a window, lower ≤ Σ w·s ≤ upper, or all of it: which boxes matter."""

    window: Window | None = None
    weights: tuple[Fraction, ...] = ()

    @classmethod
    def of(cls, window: Window | None, rays: Sequence[Vector]) -> Slab:
        """Return the part of the cone of some rays in a window."""
        return cls() if window is None else cls(window, tuple(ray[window.variable] for ray in rays))

    def misses(self, box: tuple[Segment, ...]) -> bool:
        """Whether nothing has to be proved in a box."""
        return self.window is not None and self.window.misses(self.weights, box)

    def along(self, terms: LocalTerms) -> Slab:
        """Return the rest of a window if axes on which g does not depend are dropped.

        Along such an axis every larger value of the window's variable can be reached.
        """
        if self.window is None:
            return self
        moving = [any(key[j] != (0, 0) for key in terms) for j in range(len(self.weights))]
        left = tuple(w if m else Fraction(0) for w, m in zip(self.weights, moving, strict=True))
        if left == self.weights:
            return self
        return Slab(replace(self.window, lower=Fraction(0)), left)

    def raised(self, corner: Corner, left: Slab) -> Corner:
        """Return a vertex of the result of `along`, moved into the window along a dropped axis."""
        gone = [j for j, w in enumerate(self.weights) if w and not left.weights[j]]
        if self.window is None or not gone or any(s is None for s in corner):
            return corner
        pairs = zip(self.weights, corner, strict=True)
        value = sum((w * s for w, s in pairs if s is not None), Fraction(0))
        lacking = max(self.window.lower - value, Fraction(0)) / self.weights[gone[0]]
        return tuple(
            s + lacking if j == gone[0] and s is not None else s for j, s in enumerate(corner)
        )

    def candidates(self, box: tuple[Segment, ...], axes: list[int]) -> list[int]:
        """Return the axes that may be cut next: all of them."""
        del box
        return axes

    def moved(self, place: Sequence[Fraction]) -> list[Fraction]:
        """Return coordinates of a point inside the window, in the same direction if possible."""
        if self.window is None:
            return list(place)
        value = sum((w * s for w, s in zip(self.weights, place, strict=True)), Fraction(0))
        wanted = max(value, self.window.lower)
        if isinstance(self.window.upper, Fraction):
            wanted = min(wanted, self.window.upper)
        factor = wanted / value if value else Fraction(1)
        return [s * factor if w else s for w, s in zip(self.weights, place, strict=True)]

    def allows(self, corner: Corner) -> bool:
        """Whether a vertex, or points near it, are inside the window."""
        if self.window is None:
            return True
        pairs = [(w, s) for w, s in zip(self.weights, corner, strict=True) if w]
        if any(s is None for _, s in pairs):
            return self.window.upper == inf
        value = sum((w * s for w, s in pairs if s is not None), Fraction(0))
        return self.window.lower <= value <= self.window.upper


@dataclass
class BoxSearch:
    """The result of branch and bound: the boxes proved and left, or where g is negative."""

    proved: list[tuple[Segment, ...]] = field(default_factory=list)
    left: list[tuple[Segment, ...]] = field(default_factory=list)
    corner: Corner | None = None
    steps: int = 0

    @property
    def holds(self) -> bool:
        """Whether g ≥ 0 is proved on the whole orthant."""
        return not self.left and self.corner is None


def axes_of(terms: LocalTerms) -> list[Axis]:
    """Return the space of functions along each axis."""
    size = len(next(iter(terms)))
    return [axis_of(nodes_of({key[j] for key in terms})) for j in range(size)]


def is_small(axes: list[Axis], largest: int = _LARGEST_TENSOR) -> bool:
    """Whether the tensor of coefficients fits."""
    return math.prod(axis.size for axis in axes) <= largest


def whole(terms: LocalTerms, axes: list[Axis]) -> TensorBox | None:
    """Return the orthant as a box, its coefficients computed in integers; None if out of range."""
    shape = [axis.size for axis in axes]
    wholes = [int(entry) for entry in _coefficients(terms, axes)]
    size = max(abs(c) for c in wholes).bit_length()
    bits = np.zeros(shape, dtype=np.int64)
    for j, axis in enumerate(axes):
        bits += np.array(axis.bits).reshape([-1 if i == j else 1 for i in range(len(axes))])
    shifts = (bits + size).ravel().tolist()
    flat = [c / (1 << shift) if c else 0.0 for c, shift in zip(wholes, shifts, strict=True)]
    values = np.array(flat).reshape(shape)  # each correctly rounded
    majorant = np.abs(values)
    present = np.array([1.0 if c else 0.0 for c in wholes]).reshape(shape)
    if np.any((majorant < _TINY) & (present > 0)):
        return None
    return TensorBox(tuple(axis.first() for axis in axes), values, majorant, present, 1)


def box_of(terms: LocalTerms, axes: list[Axis], region: tuple[Segment, ...]) -> TensorBox | None:
    """Return another box, its coefficients computed in ball arithmetic; None if out of range.

    A segment may have length 0; then the only coefficient along it is the value. At most one starts
    after 0; coefficients that vanish because of the numbers at its ends are found exactly.
    """
    first = next((j for j, one in enumerate(region) if one.low), 0)
    order = [first, *(j for j in range(len(axes)) if j != first)]
    terms = {tuple(key[j] for j in order): c for key, c in terms.items()}
    listed, parts = [axes[j] for j in order], [region[j] for j in order]
    exact = _coefficients(terms, listed)
    zeros: Mask | None = None
    for bits in _PRECISIONS:
        with ctx.workprec(bits):
            entries = _balls([arb(entry) for entry in exact], listed, parts, zeros)
            largest = max((abs(entry).upper() for entry in entries), default=arb("inf"))
            seen = all(entry.rel_accuracy_bits() >= 60 or entry == 0 for entry in entries)
            if largest.is_finite() and (seen or bits == _PRECISIONS[-1]):
                return _rounded([entry / largest for entry in entries], listed, region, first)
        if zeros is None and parts[0].low and any(_is_open(entry) for entry in entries):
            zeros = _vanishing(terms, listed, parts[0])
    return None


def _is_open(ball: arb) -> bool:
    """Whether a ball does not determine if the number is 0."""
    return 0 in ball and bool(ball.rad() > 0)


def _balls(
    entries: list[arb], axes: list[Axis], region: list[Segment], zeros: Mask | None
) -> list[arb]:
    """Return the coefficients on a box as balls; none, if the precision is too low for that."""
    try:
        matrices = [axis.onto(segment) for axis, segment in zip(axes, region, strict=True)]
    except ZeroDivisionError:
        return []
    for j, (axis, matrix) in enumerate(zip(axes, matrices, strict=True)):
        # As in `_coefficients`: after a full cycle all axes are in order.
        rest = len(entries) // axis.size
        image = matrix * arb_mat(axis.size, rest, entries)
        if j == 0 and zeros is not None:
            known = zip(image.entries(), zeros.ravel(), strict=True)
            image = arb_mat(matrix.nrows(), rest, [0 if zero else ball for ball, zero in known])
        entries = image.transpose().entries()
    return entries


def _rounded(
    entries: list[arb], axes: list[Axis], region: tuple[Segment, ...], first: int
) -> TensorBox:
    """Return a box from balls around its coefficients, the axis `first` of the region leading."""
    leading = [region[first], *(one for j, one in enumerate(region) if j != first)]
    shape = [1 if one.length == 0 else axis.size for axis, one in zip(axes, leading, strict=True)]
    values, radii, present = (
        np.moveaxis(np.array(column).reshape(shape), 0, first)
        for column in (
            [float(entry.mid()) for entry in entries],
            [float(entry.rad()) for entry in entries],
            [0.0 if entry == 0 else 1.0 for entry in entries],
        )
    )
    return TensorBox(region, values, np.abs(values) + 2 * radii / _UNIT, present, 4)


def _vanishing(terms: LocalTerms, axes: list[Axis], segment: Segment) -> Mask:
    """Return which coefficients along the first axis are 0 because of zeros at a segment's ends.

    A function with a zero of order m at an end has m coefficients 0 there. Its derivatives at a
    rational end are sums of q·exp(x), and 0 only if every q is (Lindemann and Weierstrass).
    """
    found = np.logical_and.accumulate(_zeros_at(terms, axes, segment.low))
    if segment.length is None:
        return found
    if segment.length == 0:
        return np.asarray(found[:1])
    assert segment.high is not None
    above = np.logical_and.accumulate(_zeros_at(terms, axes, segment.high))
    return np.asarray(found | np.flip(above, axis=0))


def _zeros_at(terms: LocalTerms, axes: list[Axis], end: Fraction) -> Mask:
    """Return which coefficients δ at an end of the first axis and at 0 of the others are 0."""
    apart: dict[int, LocalTerms] = {}
    highest = max(key[0][0] for key in terms)
    p, q = end.numerator, end.denominator
    for ((k, a), *rest), c in terms.items():
        part = apart.setdefault(a, {})  # (end + t)^k, times q^highest
        for i in range(k + 1):
            key = ((i, a), *rest)
            factor = math.comb(k, i) * p ** (k - i) * q ** (highest - k + i)
            part[key] = part.get(key, 0) + c * factor
    shape = [axis.size for axis in axes]
    zeros = np.ones(shape, dtype=np.bool_)
    for part in apart.values():
        zeros &= np.array([entry == 0 for entry in _coefficients(part, axes)]).reshape(shape)
    return zeros


def _coefficients(terms: LocalTerms, axes: list[Axis]) -> list[fmpz]:
    """Return the coefficients on the orthant, the last axis running fastest."""
    shape = [axis.size for axis in axes]
    places = [_places(axis.nodes) for axis in axes]
    strides = [math.prod(shape[j + 1 :]) for j in range(len(shape))]
    entries = [fmpz(0)] * math.prod(shape)
    for key, c in terms.items():
        index = sum(
            place[factor] * stride
            for factor, place, stride in zip(key, places, strides, strict=True)
        )
        entries[index] = fmpz(c)
    for axis, place in zip(axes, places, strict=True):
        # The first axis is transformed and becomes the last: after a full cycle all are in order.
        rest = len(entries) // axis.size
        matrix = fmpz_mat(axis.size, axis.size)
        for i, row in enumerate(functionals(axis.nodes)):
            for factor, weight in row.items():
                matrix[i, place[factor]] = weight
        image = matrix * fmpz_mat(axis.size, rest, entries)
        entries = image.transpose().entries()
    return entries


def _places(nodes: tuple[int, ...]) -> dict[Factor, int]:
    """Return the position of each s^k·exp(−as) along an axis: that of its node."""
    return {(i - nodes.index(a), a): i for i, a in enumerate(nodes)}


def halves(box: TensorBox, axes: list[Axis], j: int) -> tuple[TensorBox, TensorBox]:
    """Return the two boxes into which a cut of axis j divides a box."""
    segment = box.segments[j]
    pair = []
    for upper, part in enumerate(axes[j].halves(segment)):
        matrix = axes[j].matrix(segment, bool(upper))
        pair.append(
            TensorBox(
                (*box.segments[:j], part, *box.segments[j + 1 :]),
                _applied(matrix, box.values, j),
                _applied(np.abs(matrix), box.majorant, j),
                np.minimum(_applied((matrix != 0).astype(np.float64), box.present, j), 1.0),
                box.count + axes[j].size + 8,
                box.share / 2,
            )
        )
    return pair[0], pair[1]


def _applied(matrix: Array, tensor: Array, j: int) -> Array:
    shape = tensor.shape
    flat = tensor.reshape(int(np.prod(shape[:j])), shape[j], -1)
    return np.asarray(np.matmul(matrix, flat).reshape(shape))


def searched(
    terms: LocalTerms,
    room: int,
    progress: Share | None = None,
    inside: Where | None = None,
    region: tuple[Segment, ...] | None = None,
) -> BoxSearch | None:
    """Return the outcome of branch and bound on a box, or the orthant; None if it is too large."""
    axes = axes_of(terms)
    if not is_small(axes):
        return None
    box = whole(terms, axes) if region is None else box_of(terms, axes, region)
    if box is None:
        return None
    if region is not None:
        axes = [
            axis_of((0,)) if one.length == 0 else a for one, a in zip(region, axes, strict=True)
        ]
    try:
        return search(box, axes, room, progress, inside)
    except ArithmeticError:  # rates so close together that the bases need too many digits
        return None


@np.errstate(all="ignore")  # nonfinite numbers prove nothing, see `is_proved`
def search(
    root: TensorBox,
    axes: list[Axis],
    budget: int,
    progress: Share | None = None,
    inside: Where | None = None,
) -> BoxSearch:
    """Branch and bound from a box, with at most `budget` cuts (a box of 1000 functions counts 2).

    Each cut is along the axis that leaves the least negative coefficients. The list of boxes is
    processed from the end, so it stays short. The search gives up on a box that 16 cuts per axis
    did not prove: there g touches 0, or the corner needs another cone. Boxes outside a window
    count as proved.
    """
    inside = inside or Slab()
    found = BoxSearch()
    boxes = [root]
    moving = [j for j, axis in enumerate(axes) if axis.size > 1]
    smallest = 2.0 ** -(16 * max(1, len(moving)))
    done = 0.0
    while boxes:
        box = boxes.pop()
        if inside.misses(box.segments) or box.is_proved():
            found.proved.append(box.segments)
            done += box.share
            if progress is not None:
                progress(done)
            continue
        found.corner = box.negative_corner(inside.allows)
        pairs = []
        if found.corner is None and found.steps < budget and box.share >= smallest:
            found.steps += 1 + box.values.size // 1000
            pairs = [halves(box, axes, j) for j in inside.candidates(box.segments, moving)]
        if not pairs:
            found.left = [box.segments, *(other.segments for other in boxes)]
            return found
        chosen = min(pairs, key=lambda pair: _badness(pair, inside))
        boxes.extend(chosen)
    return found


def _badness(pair: tuple[TensorBox, TensorBox], inside: Where) -> float:
    return sum(box.badness() for box in pair if not inside.misses(box.segments))
