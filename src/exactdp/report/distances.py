"""Plots of the distance to disagreement over one or two inputs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from exactdp.claims.disagreement.everywhere import PiecewiseDistance
from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import Number, inf, rational
from exactdp.report.styles import BLUE, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ALONG_ONE, _ALONG_BOTH = 240, 48  # steps of a line, and of each side of a square


def draw_distance(
    distance: PiecewiseDistance, ax: Axes | None, lower: Number, upper: Number
) -> Axes:
    """Plot a line over one real input, or coloured levels over two."""
    names = distance.found.inputs
    low, high = rational(lower, "lower"), rational(upper, "upper")
    if len(names) not in (1, 2) or names != distance.found.names[1:]:
        raise ValueRefusedError(
            f"the distance is a function of {', '.join(names)}",
            rule="One real input is drawn as a line, and two as a square.",
            way_out="Print it, or ask `.at(…)` for its values.",
        )
    if low >= high:
        raise ValueRefusedError(
            f"the inputs run from {low} to {high}", way_out="Give lower=-4, upper=4."
        )
    steps = _ALONG_ONE if len(names) == 1 else _ALONG_BOTH
    points = [low + (high - low) * Fraction(k, steps) for k in range(steps + 1)]
    ax = ax or new_axes()
    ax.set_xlabel(names[0])
    if len(names) == 1:
        ax.plot([*map(float, points)], [_height(distance.at(x)) for x in points], color=BLUE)
        ax.set_ylabel("distance to disagreement")
        return ax
    heights = [_height(distance.at(x, y)) for y, x in product(points, points)]
    rows = [heights[k : k + steps + 1] for k in range(0, len(heights), steps + 1)]
    levels = ax.contourf([*map(float, points)], [*map(float, points)], rows, cmap="Blues")
    ax.figure.colorbar(levels, ax=ax, label="distance to disagreement")
    ax.set_ylabel(names[1])
    return ax


def _height(value: Fraction | float) -> float:
    return float("nan") if value == inf else float(value)
