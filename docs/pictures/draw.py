"""Draw the pictures of the README and of privacy: `python docs/pictures/draw.py [FOLDER]`."""

from __future__ import annotations

import runpy
import sys
from dataclasses import replace
from math import log
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from exactdp import Grid, Mechanism, Privacy, eps, exp, plot_tradeoff
from exactdp.report.styles import BLUE, STYLE, VERMILLION

HERE = Path(__file__).parent
WORST = [-10, 10]  # of all inputs more than 10 away from the threshold


def figure() -> Figure:
    """Return the exact error of AboveThreshold and its textbook bound."""
    claim = runpy.run_path(str(HERE.parents[1] / "examples" / "demo.py"))["claim"]
    at_worst = replace(claim, inputs=[WORST], beta="5%", alpha=0)
    exact, textbook = at_worst.error_probability(WORST).exact, 4 * exp(-10 * eps / 8)
    points = np.linspace(0.05, 5, 300)
    found = Figure(figsize=(7.2, 3.6), layout="constrained")
    ax = found.subplots()
    bound = np.minimum(textbook.values(points), 1)
    ax.plot(points, bound, color=VERMILLION, linestyle="--", label="textbook bound")
    ax.plot(points, exact.values(points), color=BLUE, label="exact error")
    ax.axhline(0.05, color="#888888", linewidth=0.8)
    needed, asked = float(at_worst.smallest_epsilon()), 8 * log(4 / 0.05) / 10
    for place, colour, words in (
        (needed, BLUE, f"ε = {needed:.2f} suffices"),
        (asked, VERMILLION, f"the textbook asks for {asked:.2f}"),
    ):
        ax.plot([place], [0.05], "o", color=colour)
        ax.annotate(words, (place, 0.05), xytext=(0, 10), textcoords="offset points", color=colour)
    ax.set_xlim(0, 5)
    ax.set_ylim(0, 1.02)
    ax.set_yticks([0, 0.05, 0.25, 0.5, 0.75, 1], ["0", "5 %", "25 %", "50 %", "75 %", "100 %"])
    ax.set_xlabel("privacy budget ε")
    ax.set_ylabel("probability of a wrong answer")
    ax.set_title("AboveThreshold, answers 10 below and 10 above the threshold", fontsize=10)
    ax.legend(frameon=False)
    return found


def tradeoff() -> Figure:
    """Return error against exact privacy loss of three ways to find the largest of three scores."""
    examples = runpy.run_path(str(HERE.parents[1] / "examples" / "privacy.py"))
    exponential = Mechanism.from_source(
        "def exponential(q: Dom(-1, 1)[3]): return expmech(eps / 2, lambda k: q[k], range(3))"
    )
    found = Figure(figsize=(7.2, 3.6), layout="constrained")
    plot_tradeoff(
        Privacy(examples["report_max"](3), inputs=Grid(-1, 1)),
        Privacy(examples["flipped_max"](3), inputs=Grid(-1, 1)),
        Privacy(exponential),
        at=[1, 0, 0],
        ax=found.subplots(),
        labels=["NoisyMax", "permute-and-flip", "exponential mechanism"],
    )
    return found


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    with mpl.rc_context(STYLE):
        figure().savefig(folder / "readme.svg", metadata={"Date": None})
        tradeoff().savefig(folder / "tradeoff.svg", metadata={"Date": None})
