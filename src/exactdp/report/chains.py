"""Plots of the Markov chain of a mechanism at an input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.report.extras import require
from exactdp.semantics.chain_picture import layout, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.semantics.chain import Chain

_DOTS = 72  # layout units per inch


def draw_chain(chain: Chain, ax: Axes | None = None) -> Axes:
    """Draw states as boxes and transitions as arrows with their probabilities."""
    require("matplotlib")
    import matplotlib.pyplot as plt  # noqa: PLC0415
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    found = layout(chain)
    if ax is None:
        size = (found.width / _DOTS, found.height / _DOTS)
        ax = plt.subplots(figsize=size, layout="constrained")[1]
    ax.set_xlim(0, found.width)
    ax.set_ylim(found.height, 0)
    ax.set_axis_off()
    for route in found.routes:
        (*before, start, end) = route.corners
        xs, ys = zip(*before, start, strict=True)
        ax.plot(xs, ys, color="#333333", linewidth=1)
        ax.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": "#333333"})
    for one, route in zip(chain.transitions, found.routes, strict=True):
        ax.text(
            *route.label,
            short(one.probability.pretty()),
            ha="center",
            fontsize=7,
            color="#1a4f8b",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    for text, (x, y, width, height) in zip(found.texts, found.boxes, strict=True):
        box = Rectangle((x, y), width, height, facecolor="#f4f7fb", edgecolor="#333333")
        ax.add_patch(box)
        ax.text(
            x + width / 2, y + height / 2, "\n".join(text), ha="center", va="center", fontsize=7
        )
    return ax
