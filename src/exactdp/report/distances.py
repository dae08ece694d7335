"""Plots of the distance to disagreement over one or two inputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from exactdp.claims.disagreement.everywhere import PiecewiseDistance
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.reals.numbers import Number, inf, rational
from exactdp.report.styles import BLUE, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ALONG_ONE, _ALONG_BOTH = 240, 48  # steps of a line, and of each side of a square
_MOST_LINES = 10


def draw_distance(
    distance: PiecewiseDistance, ax: Axes | None, lower: Number, upper: Number
) -> Axes:
    """Plot a line over one real input for each finite input, or coloured levels over two reals."""
    names, reals = distance.found.inputs, distance.found.names[1:]
    low, high = rational(lower, "lower"), rational(upper, "upper")
    finite = [*dict.fromkeys(tuple(one.fixed.items()) for one in distance.pieces)]
    if len(finite) > _MOST_LINES or not (len(reals) == 1 or (len(reals) == 2 and reals == names)):
        raise ValueRefusedError(
            f"the distance is a function of {', '.join(names)}",
            rule="One real input is drawn as a line for each value of the other inputs, at most "
            f"{_MOST_LINES}, and two real inputs as a square.",
            way_out="Print it, or ask `.at(…)` for its values.",
        )
    if low >= high:
        raise ValueRefusedError(
            f"the inputs run from {low} to {high}", way_out="Give lower=-4, upper=4."
        )
    steps = _ALONG_ONE if len(reals) == 1 else _ALONG_BOTH
    points = [low + (high - low) * Fraction(k, steps) for k in range(steps + 1)]
    ax = ax or new_axes()
    ax.set_xlabel(reals[0])
    if len(reals) == 1:
        for k, fixed in enumerate(finite):
            rest = dict(fixed)
            heights = [_height(distance, [rest.get(name, x) for name in names]) for x in points]
            label = ", ".join(f"{name} = {value}" for name, value in fixed)
            color = BLUE if len(finite) == 1 else f"C{k}"
            ax.plot([*map(float, points)], heights, color=color, label=label)
        ax.set_ylabel("distance to disagreement")
        if len(finite) > 1:
            ax.legend()
        return ax
    heights = [_height(distance, [x, y]) for y, x in product(points, points)]
    rows = [heights[k : k + steps + 1] for k in range(0, len(heights), steps + 1)]
    levels = ax.contourf([*map(float, points)], [*map(float, points)], rows, cmap="Blues")
    ax.figure.colorbar(levels, ax=ax, label="distance to disagreement")
    ax.set_ylabel(names[1])
    return ax


def _height(distance: PiecewiseDistance, values: Sequence[Any]) -> float:
    """Return the distance at an input; nan if it is infinite, or if there is none."""
    try:
        value = distance.at(*values)
    except ExactdpError:
        return float("nan")
    return float("nan") if value == inf else float(value)
