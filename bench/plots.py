"""Plots of the curves: Okabe–Ito colours, and a marker and line style for each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.growth_laws import Law, fitted
from bench.table import Curve
from exactdp.report.styles import BLACK, BLUE, GREEN, STYLE, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PURPLE = "#CC79A7"
LOOKS: tuple[tuple[str, str, Any], ...] = (
    (BLUE, "o", "-"),
    (VERMILLION, "s", "--"),
    (GREEN, "^", "-."),
    (PURPLE, "D", ":"),
    (BLACK, "x", (0, (5, 1, 1, 1, 1, 1))),
)


@dataclass(frozen=True)
class Picture:
    """The labels of a plot."""

    title: str
    size: str
    """The label of the horizontal axis."""
    logarithmic: bool
    ticks: bool = False
    """Whether the sizes are few and the same for all curves, so that they are the axis ticks."""
    measure: str = "seconds"
    """The label of the vertical axis."""


PICTURES = {
    "probability": Picture("One probability at one input", "number of queries m", True, True),
    "queries": Picture(
        "A claim on the grid −1 … 1, that is 3ᵐ inputs", "number of queries m", False
    ),
    "range": Picture("A claim on the grid −r … r, that is (2r + 1)³ inputs", "range r", True, True),
    "noises": Picture("One probability of noises that depend on each other", "noises n", False),
    "one_input": Picture("A claim at one input", "number of queries m", True),
    "reach": Picture("A claim for all real inputs, at its worst ones", "number of queries m", True),
    "memory": Picture(
        "The memory of these claims", "number of queries m", True, measure="megabytes"
    ),
    "cells": Picture("A claim for all real inputs, cell by cell", "number of cells n", True),
    "jobs": Picture("A claim at n listed inputs", "number of inputs n", True, True),
    "authors": Picture("The 66 rows of the paper", "seconds that the authors recorded", True),
}


def draw(plot: str, curves: list[Curve], folder: Path) -> None:
    """Write the picture of curves that belong together."""
    import matplotlib as mpl  # noqa: PLC0415 only for pictures
    from matplotlib.figure import Figure  # noqa: PLC0415

    picture = PICTURES[plot]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        ax = figure.add_subplot()
        for curve, look in zip(curves, cycle(LOOKS), strict=False):
            if plot == "authors":
                _compare(ax, curve)
            else:
                _curve(ax, curve, fitted(curve.points)[0], look)
        ax.set_yscale("log")
        if picture.logarithmic:
            ax.set_xscale("log")
        sizes = [x for x, _ in curves[0].points]
        if picture.ticks:
            ax.set_xticks(sizes, [f"{x:g}" for x in sizes])
            ax.minorticks_off()
        ax.set_title(picture.title)
        ax.set_xlabel(picture.size)
        ax.set_ylabel(picture.measure)
        ax.legend(frameon=False)
        figure.savefig(folder / f"{plot}.svg", metadata={"Date": None})


def _curve(ax: Axes, curve: Curve, law: Law, look: tuple[str, str, Any]) -> None:
    """Draw measurements as markers, and the law as a line where it was fitted."""
    colour, marker, line = look
    xs, ys = zip(*curve.points, strict=True)
    ax.plot(xs, ys, color=colour, marker=marker, markersize=5, linestyle="none")
    fit = [x for x in xs if x >= law.start]
    ax.plot(fit, [law.at(x) for x in fit], color=colour, linestyle=line)
    label = f"{curve.name}: {law}"
    ax.plot([], [], color=colour, marker=marker, markersize=5, linestyle=line, label=label)


def _compare(ax: Axes, curve: Curve) -> None:
    xs, ys = zip(*curve.points, strict=True)
    ax.plot(xs, ys, color=BLUE, marker="o", markersize=4, linestyle="none", label=curve.name)
    ends = [min(xs), max(xs)]
    for factor, line in ((1_000, "--"), (10_000, ":")):
        label = f"{factor:,} times faster"
        ax.plot(
            ends, [x / factor for x in ends], color=BLACK, linewidth=1, linestyle=line, label=label
        )
