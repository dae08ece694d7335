"""Plots of studies: an answer against a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from exactdp.errors import ValueRefusedError
from exactdp.report.extras import require
from exactdp.report.styles import SIZE, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKS = "osD^vP*X"


def plot_study(
    rows: Sequence[dict[str, Any]], x: str, y: str, by: str, ax: Axes | None = None
) -> Axes:
    """Plot a column against a parameter, with one line for each value of another one."""
    require("matplotlib")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    known = [row for row in rows if isinstance(row.get(y), int | float)]
    for name in (y, x, *([by] if by else [])):
        if not any(name in row for row in known):
            raise ValueRefusedError(
                f"no row has numbers in {name}",
                way_out=f"The columns are {', '.join(dict.fromkeys(n for r in rows for n in r))}.",
            )
    with plt.rc_context(STYLE):
        axes = plt.figure(figsize=SIZE, layout="constrained").subplots() if ax is None else ax
        for k, value in enumerate(dict.fromkeys(row.get(by) for row in known)):
            line = sorted((row[x], row[y]) for row in known if row.get(by) == value)
            label = f"{by} = {value}" if by else None
            axes.plot(*zip(*line, strict=True), marker=_MARKS[k % len(_MARKS)], ms=4, label=label)
        axes.set_xlabel(x)
        axes.set_ylabel("best constant κ" if y == "kappa" else y)
        if by:
            axes.legend(frameon=False)
    return axes
