"""Write the measurements into `docs/benchmarks.md`: its tables and plots."""

from __future__ import annotations

import re
from pathlib import Path

from bench.growth_laws import fitted
from bench.plots import PICTURES, draw
from bench.table import Curve, Measured, Row

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
FOLDER = PAGE.with_suffix("")
_PLACE = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def write(found: Measured) -> None:
    """Draw the plots and fill the tables of the page."""
    FOLDER.mkdir(exist_ok=True)
    for plot, curves in plotted(found).items():
        draw(plot, curves, FOLDER)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")


def filled(text: str, found: Measured) -> str:
    """Return the text of the page with its tables filled in."""
    return _PLACE.sub(lambda one: f"{one[1]}\n{table(one[2], found)}\n\n{one[3]}", text)


def plotted(found: Measured) -> dict[str, list[Curve]]:
    """Return the curves by their plot, if there are any."""
    curves = [one for part in found.curves.values() for one in part]
    listed = {plot: [one for one in curves if one.plot == plot] for plot in PICTURES}
    return {plot: those for plot, those in listed.items() if those}


def table(name: str, found: Measured) -> str:
    """Return one table in Markdown: the machine, the growth of curves, or the rows of a part."""
    if name == "machine":
        return _markdown(["", ""], [[key, str(value)] for key, value in found.machine.items()])
    if name == "growth_laws":
        return _laws(found)
    return _rows(found.rows[name])


def _rows(rows: list[Row]) -> str:
    noted = any(row.note for row in rows)
    cells = [[row.name, row.shown, *([row.note] if noted else [])] for row in rows]
    return _markdown(["what", "measured", *([""] if noted else [])], cells)


def _laws(found: Measured) -> str:
    cells = []
    for plot, curves in plotted(found).items():
        if plot == "authors":
            continue
        for curve in curves:
            law, other = fitted(curve.points)
            first, last = curve.points[0], curve.points[-1]
            sizes = f"{first[0]:g} … {last[0]:g}"
            cells.append([PICTURES[plot].title, curve.name, sizes, str(law), str(other)])
    return _markdown(["what grows", "program", "sizes", "nearer law", "other law"], cells)


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
