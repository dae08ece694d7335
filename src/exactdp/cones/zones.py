"""Branch and bound in a window, in zones: charts at its ends, the cone's own coordinates between.

Near an end of the window a sum may be arbitrarily small, so boxes must be aligned with it, as in
charts. But near 0 or infinity charts are not aligned with the cone; its own rays are. Let e be the
variable of the window, positive along n rays. A point with e between n·lower and upper/n has a part
σᵢ = wᵢsᵢ ≥ lower, and is in one of the boxes

    lower/wᵢ ≤ sᵢ ≤ upper/(n·wᵢ),   0 ≤ sⱼ ≤ upper/(n·wⱼ) for the other rays with wⱼ > 0,

which are inside the window. So no box has to be cut because it is oblique to the window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from exactdp.cones.boxes import BoxSearch, searched
from exactdp.cones.charts import Chart, charts
from exactdp.cones.piece import LocalTerms
from exactdp.cones.proof import Zone, ends_of
from exactdp.cones.segments import Segment
from exactdp.cones.window import Window


@dataclass(frozen=True)
class Zones:
    """The zones of a window with their proofs; or the failed search, in the cone's coordinates."""

    proved: tuple[Zone, ...] = ()
    failure: BoxSearch | None = None
    steps: int = 0


def in_zones(
    terms: LocalTerms,
    weights: Sequence[Fraction],
    window: Window,
    room: int,
    progress: Callable[[float], None] | None = None,
) -> Zones:
    """Return the proof of g in a window, with about `room` cuts; some weight is positive."""
    proved: list[Zone] = []
    steps = 0
    parts = zones(sum(map(bool, weights)), window)
    known = list(charts(terms, weights)) if any(zone.in_charts for zone in parts) else []
    for zone in parts:
        listed = []
        for local, region, chart in _tasks(terms, weights, known, zone):
            outcome = BoxSearch(proved=[region])
            if local:
                left = room - steps
                found = searched(local, left, progress, chart, region) if left > 0 else None
                outcome = found or BoxSearch(left=[region])
            steps += outcome.steps
            if not outcome.holds:
                return Zones(failure=_lifted(outcome, chart), steps=steps)
            listed.append(
                tuple(chart.scaled(box) if chart else ends_of(box) for box in outcome.proved)
            )
        proved.append(replace(zone, boxes=tuple(listed)))
    return Zones(tuple(proved), steps=steps)


def _lifted(failure: BoxSearch, chart: Chart | None) -> BoxSearch:
    """Return a search that failed in a chart as one in the cone's own coordinates."""
    if chart is None:
        return failure
    corner = None if failure.corner is None else chart.lifted(failure.corner)
    everything = (Segment(Fraction(0), None),) * len(chart.weights)
    return replace(failure, corner=corner, left=[everything])


def zones(count: int, window: Window) -> list[Zone]:
    """Return zones that cover a window whose variable is positive along `count` rays."""
    lower, upper = window.lower, window.upper
    if count == 1:
        return [Zone(lower, upper, in_charts=False)]
    first, last = count * lower, upper / count
    if isinstance(upper, Fraction) and upper <= first:
        return [Zone(lower, upper, in_charts=True)]
    found = [Zone(lower, first, in_charts=True)] if lower else []
    if first < last:
        found.append(Zone(first, last, in_charts=False))
    if isinstance(upper, Fraction):
        found.append(Zone(max(first, upper / count), upper, in_charts=True))
    return found


def _tasks(
    terms: LocalTerms, weights: Sequence[Fraction], known: Sequence[Chart], zone: Zone
) -> Iterator[tuple[LocalTerms, tuple[Segment, ...], Chart | None]]:
    """Yield where to search for a zone: a sum, a box, and the chart in which they are."""
    if zone.in_charts:
        assert isinstance(zone.upper, Fraction)
        for chart in known:
            yield chart.terms, chart.region(zone.lower, zone.upper), chart
    else:
        for region in regions(weights, zone):
            yield terms, region, None


def regions(weights: Sequence[Fraction], zone: Zone) -> Iterator[tuple[Segment, ...]]:
    """Yield boxes in the cone's own coordinates that cover a zone: one, if it begins at 0."""
    moving = [j for j, weight in enumerate(weights) if weight]
    upper = zone.upper if isinstance(zone.upper, Fraction) else None
    whole = [Segment(Fraction(0), upper / w if w and upper is not None else None) for w in weights]
    for i in moving if zone.lower else moving[:1]:
        low = zone.lower / len(moving) / weights[i]
        high = whole[i].high
        side = Segment(low, None if high is None else high - low)
        yield (*whole[:i], side, *whole[i + 1 :])
