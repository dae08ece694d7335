"""Plots of comparisons: the measure of each mechanism against ε, and which one is best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.claims.comparing import Ranking
from exactdp.report.styles import BLACK, BLUE, GREEN, SKY, VERMILLION, logarithmic, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 300
_STYLES = ((BLUE, "-"), (VERMILLION, "--"), (GREEN, "-."), (BLACK, ":"), (SKY, (0, (5, 1))))


def plot_ranking(
    ranking: Ranking, ax: Axes | None = None, *, between: tuple[float, float] = (0.05, 20.0)
) -> Axes:
    """Plot the measure of each mechanism, with a bar below where it is best."""
    import numpy as np  # noqa: PLC0415 only for pictures

    axes = ax or new_axes()
    low = max(between[0], float(ranking.on.lower))
    high = min(between[1], float(ranking.on.upper))
    points = np.geomspace(low, high, _POINTS)
    for number, one in enumerate(ranking.contestants):
        color, style = _STYLES[number % len(_STYLES)]
        axes.plot(points, one.values(points), color=color, linestyle=style, label=one.name)
        for stretch in ranking.best[one.name]:
            first, last = max(low, float(stretch.lower)), min(high, float(stretch.upper))
            if first < last:
                axes.axvspan(first, last, ymax=0.03, color=color, linewidth=0)
    logarithmic(axes, x=True, y=True)
    title = f"{ranking.measure}; below: the best one"
    axes.set(xlim=(low, high), xlabel="ε", ylabel=ranking.measure, title=title)
    axes.legend()
    return axes
