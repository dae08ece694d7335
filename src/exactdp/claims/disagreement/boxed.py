"""The distance to disagreement of an ideal that is a Python function, by branch and bound.

Boxes of inputs are examined in the order of their distance. A box on which the function returns one
output, according to its values for spans, is discarded or bounds the distance; others are halved.
So dd is between the distance of the nearest open box and that of the nearest input found to
disagree, and both are proved in rational arithmetic. If dd is known to be one of finitely many
numbers (`critical`), boxes only tell which.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import count, product
from typing import Any, NamedTuple

from exactdp.claims.disagreement.critical import Zero, candidates
from exactdp.claims.stated.distances import (
    InputDistance,
    NonlinearDistance,
    discrete,
    l1,
    l2,
    linf,
)
from exactdp.claims.stated.interval_numbers import (
    AmbiguousComparisonError,
    End,
    Germ,
    IntervalNumber,
)
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.replays import runs
from exactdp.reals.numbers import inf
from exactdp.reals.square_roots import Enclosed, at_least, at_most, square_root

_CLOSE = Fraction(1, 10**6)  # relative
_ALONE = Fraction(1, 10**4)  # relative, if only one number is possible
_ENOUGH = Fraction(1, 10)  # relative, once the limit is reached
_NEAR = Fraction(1, 100)  # relative, from which on an exact answer is looked for
_MOST_BOXES, _FEWER_BOXES = 2_500, 1_000
_FEW_BOXES = 40  # after which it is asked whether one number is left
_MOST_DIRECTIONS = 100
_SHORT = Fraction(1, 10**6)
_MOST_GUESSES = 32
_MOST_PLACES = 40  # at which an exact answer is looked for

Box = tuple[IntervalNumber, ...]


class BoxedDistance(NamedTuple):
    """dd, which is a number or `Enclosed` between two, and an input that disagrees, or is a limit.

    If it is a limit, inputs a little further in a direction disagree.
    """

    distance: Any
    other: tuple[Fraction, ...] | None
    way: tuple[int, ...] = ()
    reach: Any = inf
    """A rational that is not below dd, and not below the distance of the other input."""


Ask = Callable[[Sequence[Any]], bool]
"""Tell whether the ideal output at the entries of an input disagrees."""


def distance_to_disagreement(
    point: Sequence[Fraction], disagrees: Ask, metric: InputDistance
) -> BoxedDistance:
    """Return dd at a point, and an input that disagrees or nearly does.

    `disagrees` tells whether the output at an input disagrees, at spans or germs likewise.
    """
    if isinstance(metric, NonlinearDistance):
        return _OwnSearch(point, disagrees, metric).run()
    if metric not in (linf, l1, l2, discrete):
        raise ValueRefusedError(
            f"the ideal multiplies reals, and the distance on inputs is {metric}",
            rule="With such an ideal, distances are linf, l1, l2, discrete, or multiply reals.",
            way_out="Use one of these.",
        )
    if metric != discrete and (way := over_the_border(point, disagrees)) is not None:
        return BoxedDistance(Fraction(0), tuple(point), way, Fraction(0))
    return _Search(point, disagrees, metric).run()


def over_the_border(point: Sequence[Fraction], disagrees: Ask) -> tuple[int, ...] | None:
    """Return one of some directions in which inputs that are infinitely close disagree."""
    for tried, way in enumerate(product((0, 1, -1), repeat=len(point))):
        if tried > _MOST_DIRECTIONS:
            break
        germs = [Germ((x, Fraction(step))) for x, step in zip(point, way, strict=True)]
        try:
            if disagrees(germs):
                return way
        except AmbiguousComparisonError:
            continue
    return None


class _Search:
    """The open boxes, nearest first, and the nearest input that disagrees."""

    has_nearest = True
    """Whether the nearest input of a box is known."""

    def __init__(self, point: Sequence[Fraction], disagrees: Ask, metric: InputDistance) -> None:
        self.point, self.disagrees, self.metric = tuple(point), disagrees, metric
        self.best: End = inf
        self.other: tuple[Fraction, ...] | None = None
        self.way: tuple[int, ...] = ()
        self.left = _MOST_BOXES if self.has_nearest else _FEWER_BOXES
        self.tried: set[tuple[Fraction, ...]] = set()
        self.numbers = count()
        self.power = 2 if metric == l2 and len(self.point) > 1 else 1  # of distances
        is_known = metric == discrete
        self.candidates = None if is_known else candidates(self.point, disagrees, metric)

    def run(self) -> BoxedDistance:
        whole = tuple(IntervalNumber(-inf, inf) for _ in self.point)
        boxes = [(Fraction(0), next(self.numbers), whole)]
        while boxes:
            least, _, box = heapq.heappop(boxes)
            if self._is_close(least):
                return self._found(least)
            known = self._known(box)
            if known is False:
                continue
            if known and self.has_nearest:
                self._note(self._nearest(box))
                continue
            if self._is_exact(least, box):
                self.best = least
                return self._found(least)
            for corner in self._some_points(box):
                self._note(corner)
            if self.best == 1 and self.metric == discrete:
                return BoxedDistance(Fraction(1), self.other, reach=Fraction(1))
            for half in self._halves(box):
                distance = self._least(half)
                if distance < self.best:
                    heapq.heappush(boxes, (distance, next(self.numbers), half))
        return self._found(self.best)

    def _known(self, box: Box) -> bool | None:
        """Whether all inputs of a box disagree (True), or none (False); None if that is open."""
        found: set[bool] = set()
        try:
            for tried, answer in enumerate(_on_all_ways(box, self.disagrees), 1):
                found.add(answer)
                if len(found) > 1 or tried > _MOST_GUESSES:
                    return None
        except AmbiguousComparisonError:
            return None
        return found.pop()

    def _is_close(self, least: End) -> bool:
        known = self.candidates
        if self.best == inf:
            if known is not None and known.are_below(least, self.power):
                return True  # there are no others
            if self.left <= 0:
                raise self._failed()
        elif self.best - least <= _CLOSE * self.best:
            return True
        is_time = self.best - least <= _ALONE * self.best or self.left % _FEW_BOXES == 0
        if is_time and self._only(least) is not None:
            return True
        if self.left <= 0 and self.best != inf:
            if self.best - least > _ENOUGH * self.best:
                raise self._failed()
            return True
        self.left -= 1
        return False

    def _only(self, least: End) -> Zero | None:
        """Return the only number that dd may be, if it is known."""
        if self.candidates is None or self.best == inf:
            return None
        return self.candidates.only_between(least, self.best, self.power)

    def _is_exact(self, least: End, box: Box) -> bool:
        """Whether inputs that are infinitely close to the nearest point of a box disagree."""
        place = self._nearest(box)
        if self.best - least > _NEAR * self.best or place in self.tried:
            return False
        if len(self.tried) >= _MOST_PLACES or self.metric == discrete:
            return False
        self.tried.add(place)
        way = over_the_border(place, self.disagrees)
        if way is None:
            return False
        self.other, self.way = place, way
        return True

    def _failed(self) -> ValueRefusedError:
        return ValueRefusedError(
            f"the distance to disagreement at {shown(list(self.point))} was not found",
            rule="An ideal that multiplies reals is examined on boxes of inputs; this needs too "
            "many. In general this is a question in the theory of the reals with multiplication "
            "(Th₊,ₓ).",
            way_out="Write the ideal with linear comparisons, or give other inputs.",
        )

    def _found(self, least: End) -> BoxedDistance:
        if self.best == inf:
            return BoxedDistance(inf, None)
        ends = (least, self.best)
        if self.power == 2:  # the search is about squares
            low, high = (square_root(Fraction(end)) for end in ends)
            if low == high:
                return BoxedDistance(low, self.other, self.way, at_least(high))
            ends = at_most(low), at_least(high)
        if ends[0] == ends[1]:
            return BoxedDistance(ends[0], self.other, self.way, ends[1])
        only = self._only(least)
        distance = Enclosed(*ends) if only is None else only.number()
        return BoxedDistance(distance, self.other, self.way, ends[1])

    def _distance(self, place: Iterable[Fraction]) -> Fraction:
        """Return the distance of an input, for l2 its square."""
        gaps = [abs(a - b) for a, b in zip(self.point, place, strict=True)]
        if self.metric == discrete:
            return Fraction(any(gaps))
        if self.metric == l1:
            return sum(gaps, Fraction(0))
        if self.metric == l2 and len(gaps) > 1:
            return sum((gap * gap for gap in gaps), Fraction(0))
        return max(gaps)

    def _least(self, box: Box) -> End:
        """Return a lower bound on the distance of the inputs of a box."""
        return self._distance(self._nearest(box))

    def _note(self, place: tuple[Fraction, ...]) -> None:
        distance = self._distance(place)
        if distance < self.best and self.disagrees(place):
            self.best, self.other, self.way = distance, place, ()

    def _nearest(self, box: Box) -> tuple[Fraction, ...]:
        """Return the point of a box that is nearest under every norm."""
        return tuple(
            min(max(x, span.lower), span.upper) for x, span in zip(self.point, box, strict=True)
        )

    def _some_points(self, box: Box) -> Iterator[tuple[Fraction, ...]]:
        """Yield the nearest point of a box, and other vertices of it."""
        yield self._nearest(box)
        if len(box) <= 4:
            ends = [
                [end for end in (span.lower, span.upper) if abs(end) != inf] or [x]
                for x, span in zip(self.point, box, strict=True)
            ]
            yield from product(*ends)
        yield tuple(_middle(span, x) for x, span in zip(self.point, box, strict=True))

    def _halves(self, box: Box) -> Iterator[Box]:
        axis = self._axis(box)
        span = box[axis]
        middle = _middle(span, self.point[axis])
        for part in (IntervalNumber(span.lower, middle), IntervalNumber(middle, span.upper)):
            yield (*box[:axis], part, *box[axis + 1 :])

    def _axis(self, box: Box) -> int:
        """Return the axis along which a box is halved."""
        widths = [span.upper - span.lower for span in box]
        axis = max(range(len(box)), key=widths.__getitem__)
        finite = max((width for width in widths if width != inf), default=inf)
        for other in sorted(range(len(box)), key=widths.__getitem__, reverse=True):
            # An axis along which the output changes is cut first, if it is not short already.
            is_wide = widths[other] == inf or widths[other] >= max(finite / 16, _SHORT)
            if is_wide and self._matters(box, other):
                return other
        return axis

    def _matters(self, box: Box, axis: int) -> bool:
        """Whether the output is known on slices through the ends and the middle of a box."""
        span = box[axis]
        ends = [end for end in (span.lower, span.upper) if abs(end) != inf]
        return all(
            self._known((*box[:axis], IntervalNumber.of(x), *box[axis + 1 :])) is not None
            for x in (*ends, _middle(span, self.point[axis]))
        )


class _OwnSearch(_Search):
    """The search with a distance that is a Python function, also called with spans."""

    has_nearest = False
    metric: NonlinearDistance

    def _distance(self, place: Iterable[Fraction]) -> Any:
        return self.metric.between(self.point, tuple(place))

    def _least(self, box: Box) -> End:
        own = [*map(IntervalNumber.of, self.point)]
        least: End = inf
        try:
            for tried, found in enumerate(_on_all_ways(box, lambda v: self.metric.at(own, v)), 1):
                if tried > _MOST_GUESSES:
                    return Fraction(0)
                lower = found.lower if isinstance(found, IntervalNumber) else found
                least = min(least, max(lower, Fraction(0)))
        except AmbiguousComparisonError:
            return Fraction(0)
        return least

    def _axis(self, box: Box) -> int:
        return max(range(len(box)), key=lambda k: box[k].upper - box[k].lower)

    def _is_exact(self, least: End, box: Box) -> bool:
        """Whether the distance is 0: inputs disagree that are infinitely close to the point."""
        if least or self.best == 0 or self.tried or self._nearest(box) != self.point:
            return False
        self.tried.add(self.point)
        way = over_the_border(self.point, self._disagrees_close_by)
        if way is None:
            return False
        self.other, self.way = self.point, way
        return True

    def _disagrees_close_by(self, germs: Sequence[Any]) -> bool:
        """Whether inputs on a path to the point disagree, and their distance tends to 0."""
        found = self.metric.at([*map(Germ.of, self.point)], germs)
        size = found.parts[0] if isinstance(found, Germ) else found
        return size == 0 and self.disagrees(germs)


def _on_all_ways(box: Box, call: Callable[[Sequence[Any]], Any]) -> Iterator[Any]:
    """Yield the values of a function on a box, one for each way through its comparisons."""
    return runs(
        lambda choices: call([IntervalNumber(one.lower, one.upper, choices) for one in box])
    )


def _middle(span: IntervalNumber, x: Fraction) -> Fraction:
    """Return a point inside a span: for an endless one x, or a point twice as far from x."""
    if abs(span.lower) != inf and abs(span.upper) != inf:
        return Fraction(span.lower + span.upper) / 2
    if span.lower < x < span.upper:
        return x
    end = span.lower if abs(span.lower) != inf else span.upper
    if end == x:
        return x + 1 if span.upper == inf else x - 1
    return Fraction(x + 2 * (end - x))
