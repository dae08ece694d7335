"""The style of plots: colours of Okabe and Ito, and settings that do not affect other plots."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, Any

from exactdp.report.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

BLUE, VERMILLION, GREEN, BLACK = "#0072B2", "#D55E00", "#009E73", "#000000"
SKY, GREY = "#56B4E9", "#D9D9D9"

STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.8,
    "svg.fonttype": "none",
    "svg.hashsalt": "exactdp",
}
SIZE = (6.4, 4.0)
LONGEST_LINE = 60  # characters in a line of a title


def logarithmic(ax: Axes, *, x: bool = False, y: bool = False) -> None:
    """Make axes logarithmic, with plain labels: 0.1, 1, 10, or 10⁻⁵, 10⁻³, 10⁻¹ if it is long."""
    ax.set(**({"xscale": "log"} if x else {}), **({"yscale": "log"} if y else {}))
    for axis in [ax.xaxis] * x + [ax.yaxis] * y:
        _label(axis)


def _label(axis: Axis) -> None:
    from matplotlib.ticker import FuncFormatter, LogFormatter  # noqa: PLC0415 only for pictures

    axis.set_major_formatter(FuncFormatter(lambda value, _: _power(value, *_ends(axis))))
    axis.set_minor_formatter(LogFormatter())  # labels where there is no power of ten


def _ends(axis: Axis) -> tuple[float, float]:
    low, high = axis.get_view_interval()
    return float(low), float(high)


def _power(value: float, low: float, high: float) -> str:
    """Return the label of a power of ten, in the same style for all labels of an axis."""
    exponent = round(log10(value)) if value > 0 else 0
    if low >= _SHORTEST or value <= 0 or abs(value / 10.0**exponent - 1) > 1e-6:
        return f"{value:g}" if high <= 1e4 or value < 1e4 else f"{value:,.0f}"
    return "10" + str(exponent).translate(_RAISED)


_SHORTEST = 5e-4
"""An axis that begins below this is labelled with powers."""


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def new_figure() -> Figure:
    """Return a figure that belongs to no window."""
    require("matplotlib")
    from matplotlib.figure import Figure  # noqa: PLC0415 only for pictures

    return Figure(figsize=SIZE, layout="constrained")


def new_axes() -> Axes:
    """Return axes of a new figure, which a notebook shows."""
    require("matplotlib")
    import matplotlib.pyplot as plt  # noqa: PLC0415 only for pictures

    # Create the figure first: this may start a backend, whose settings must outlive ours.
    figure = plt.figure(figsize=SIZE, layout="constrained")
    with plt.rc_context(STYLE):
        return figure.subplots()
