"""The largest κ over the inputs of a grid, as a heat map."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from exactdp.claims.accuracy import Accuracy
from exactdp.errors import ValueRefusedError, counted
from exactdp.language.layout import entries
from exactdp.reals.numbers import inf
from exactdp.report.shown import text
from exactdp.report.styles import BLACK, GREY, LONGEST_LINE, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.running.conduct import Progress

_CELLS_WITH_TEXT = 12  # a map with more cells per side shows no numbers
_MOST_TICKS = 15


@dataclass(frozen=True)
class _Map:
    """The least κ at each cell (row, column), and the cells where the claim is false."""

    columns: list[Any]
    rows: list[Any]
    least: dict[tuple[int, int], float]
    failing: set[tuple[int, int]]


def plot_kappa(
    claim: Accuracy,
    ax: Axes | None = None,
    *,
    coordinates: tuple[int, int] = (0, 1),
    progress: Progress | None = None,
) -> Axes:
    """Plot the largest κ over two coordinates of the inputs, minimised over all others."""
    names = claim.entry_names
    across, up = _coordinates(coordinates, len(names))
    found = _map(claim, across, up, progress)
    ax = ax or new_axes()
    _paint(found, ax)
    for axis, values in (
        (ax.xaxis, found.columns),
        (ax.yaxis, found.rows if up is not None else []),
    ):
        step = -(-len(values) // _MOST_TICKS) or 1
        places = range(0, len(values), step)
        axis.set_ticks(places, [text(values[k]) for k in places], parse_math=False)
    ax.set_xlabel(names[across])
    ax.set_ylabel(names[up] if up is not None else "")
    _explain(found, ax)
    others = len(names) - (1 if up is None else 2)
    title = f"κ of {claim.mechanism.__name__}"
    title += ", the least over the other coordinates" if others > 0 else ""
    ax.set_title(fill(title, LONGEST_LINE))
    return ax


def _map(claim: Accuracy, across: int, up: int | None, progress: Progress | None) -> _Map:
    rows = claim.tightest(at_each=True, progress=progress)
    if not rows:
        raise ValueRefusedError(
            "the claim says nothing at any input, so there is no κ to draw",
            way_out="Give other inputs, or boundary='check'.",
        )
    every = [list(entries(u)) for u in claim.scope.listed()]
    if len(every) == 1:
        raise ValueRefusedError(
            f"κ at one input is one number, {float(rows[0].kappa):.4g}",
            rule="The picture compares κ at several inputs.",
            way_out="Ask claim.tightest(), or give inputs=Grid(-1, 1).",
        )
    columns, lines = (
        _axis(entry[j] if j is not None else 0 for entry in every) for j in (across, up)
    )
    found = _Map(columns, lines, {}, set())
    for row in rows:
        entry = list(entries(claim.mechanism.read_input(row.input)))
        place = (lines.index(entry[up]) if up is not None else 0, columns.index(entry[across]))
        found.least[place] = min(found.least.get(place, inf), float(row.kappa))
        if row.kappa.upper < 1:  # proven, so β itself is false there
            found.failing.add(place)
    return found


def _paint(found: _Map, ax: Axes) -> None:
    """Draw the cells, with numbers if there are few; a cross where the claim is false."""
    import numpy as np  # noqa: PLC0415 only for pictures

    table = np.full((len(found.rows), len(found.columns)), np.nan)
    for place, value in found.least.items():
        table[place] = value if value != inf else np.nan
    finite = table[np.isfinite(table)]
    ax.grid(visible=False)
    ax.set_facecolor(GREY)
    # If all values are equal, the colour scale starts at 0; else it spans the values.
    lowest = 0 if finite.size and finite.min() == finite.max() else None
    image = ax.imshow(table, origin="lower", cmap="cividis", aspect="auto", vmin=lowest)
    figure = ax.get_figure()
    assert figure is not None
    figure.colorbar(image, ax=ax, label="largest κ with β/κ true")
    few = max(table.shape) <= _CELLS_WITH_TEXT
    middle = (finite.min() + finite.max()) / 2 if finite.size else 0
    for place, value in found.least.items():
        number = "∞" if value == inf else f"{value:.4g}"
        cross = "✗" if place in found.failing else ""
        shown = f"{number} {cross}".strip() if few else cross
        colour = "black" if value == inf or value >= middle else "white"
        if shown:
            ax.text(place[1], place[0], shown, color=colour, ha="center", va="center")


def _explain(found: _Map, ax: Axes) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415 only for pictures
    from matplotlib.patches import Patch  # noqa: PLC0415

    handles: list[Any] = []
    if len(found.least) < len(found.rows) * len(found.columns):
        handles.append(Patch(color=GREY, label="the claim says nothing"))
    if found.failing:
        cross: dict[str, Any] = {"marker": "$✗$", "color": BLACK, "linestyle": "none"}
        handles.append(Line2D([], [], **cross, label="the claim fails: κ < 1"))
    if handles:
        ax.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False
        )


def _coordinates(wanted: tuple[int, int], count: int) -> tuple[int, int | None]:
    if count == 1:
        return 0, None
    across, up = wanted
    if count == 0 or across == up or not all(0 <= j < count for j in wanted):
        raise ValueRefusedError(
            f"coordinates {wanted} of an input with {counted(count, 'number')}",
            rule="A heat map has two different coordinates, counted from 0.",
            way_out="Give coordinates=(0, 1).",
        )
    return across, up


def _axis(values: Iterable[Any]) -> list[Any]:
    found = dict.fromkeys(values)
    try:
        return sorted(found)
    except TypeError:  # a domain of unordered values
        return list(found)
