"""The Markov chain of a mechanism at an input, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.report.extras import require
from exactdp.semantics.chain_picture import layout, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.semantics.chain import Chain

_DOTS = 72  # the units of the layout in an inch


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
    for number in range(len(chain.states)):
        for order, one in enumerate(chain.successors(number)):
            (x1, y1, w1, h1), (x2, y2, w2, h2) = found.boxes[one.source], found.boxes[one.target]
            down = y2 > y1
            start = (x1 + w1 / 2, y1 + h1) if down else (x1 + w1, y1 + h1 / 2)
            end = (x2 + w2 / 2, y2) if down else (x2 + w2, y2 + h2 / 2)
            style = "arc3" if down else "arc3,rad=-0.6"
            arrow = {"arrowstyle": "-|>", "color": "#333333", "connectionstyle": style}
            ax.annotate("", xy=end, xytext=start, arrowprops=arrow)
            share = 0.3 if order % 2 else 0.72
            ax.text(
                start[0] + share * (end[0] - start[0]),
                start[1] + share * (end[1] - start[1]),
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
