"""Draw the pictures of `docs/gallery.md`: `python docs/gallery/draw.py [FOLDER]`.

A picture shows, against ε, the exact probability of an error and the known bound, and marks the
ε that each asks for to have 5 % errors. Curves are closed forms, evaluated; the same program draws
the same files.
"""

from __future__ import annotations

import csv
import runpy
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exactdp import Accuracy, ClosedForm, StudyTable, eps, exp
from exactdp.report.styles import BLUE, GREEN, STYLE, VERMILLION

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
SHARE = 0.05  # of runs with an error
POINTS = 120  # of a curve

_COLOURS = (BLUE, GREEN, "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_LINES: tuple[Any, ...] = ("-", "-.", (0, (1, 1.2)), (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), ":")
_MARK: dict[str, Any] = {"marker": "o", "markersize": 6, "linestyle": "none", "zorder": 3}

Module = dict[str, Any]
"""What a file of the gallery defines."""


@dataclass(frozen=True)
class Picture:
    """Error curves of a file of the gallery, the first of them that of its table."""

    title: str
    between: tuple[float, float]
    """From which ε to which."""
    known: ClosedForm
    """The known bound at the input of the title."""
    errors: Callable[[Module], dict[str, ClosedForm]]
    """The exact error probabilities by label."""


def error(claim: Accuracy, u: object, **changes: Any) -> ClosedForm:
    """Return the exact error probability at an input, of a claim with other parts if given."""
    return replace(claim, **changes).error_probability(u).exact


def of_claims(u: object, **named: str) -> Callable[[Module], dict[str, ClosedForm]]:
    """Return error curves at an input, of claims of the file; `_` in a label is a space."""
    return lambda found: {
        label.replace("_", " "): error(found["claims"][name], u) for label, name in named.items()
    }


def _maxima(found: Module) -> dict[str, ClosedForm]:
    u, claims = [0, 0, 2], found["claims"]
    flip = claims["permute-and-flip is never worse"]
    return {
        "Laplace noise": error(claims["known bound"], u),
        "exponential noise": error(claims["exponential noise"], u),
        "exponential mechanism": error(flip, u, mechanism=found["exponential_max"](), beta="1/2"),
        "permute-and-flip": error(flip, u),
    }


def _variants(found: Module) -> dict[str, ClosedForm]:
    named = {1: "known bound"} | {k: f"known bound, Algorithm {k}" for k in range(2, 7)}
    listed = {k: error(found["claims"][name], [1, -1, 1]) for k, name in named.items()}
    private = {1: ", private", 2: ", private"}
    return {f"Algorithm {k}{private.get(k, '')}": form for k, form in listed.items()}


def _tree(found: Module) -> dict[str, ClosedForm]:
    u, claim = [0, 0, 0, 0], found["claims"]["known bound"]
    smart = load("smart_sum")["claims"]["known bound"]
    return {
        "all sums": error(claim, u),
        "the third sum alone": error(found["claims"]["the third sum alone"], u),
        # An error above 1/2 at ε is as probable as one above 1 at ε/2, where it is ε-private.
        "smart sum, as private": error(smart, u, gamma="1/2"),
    }


PICTURES = {
    "laplace": Picture(
        "Three numbers, some error above 2",
        (0.3, 5),
        3 * exp(-2 * eps),
        of_claims([0, 0, 0], exact="5 % errors"),
    ),
    "geometric": Picture(
        "A count, an error above 3",
        (0.1, 3),
        exp(-3 * eps),
        lambda found: {
            "geometric": error(found["claims"]["5 % errors"], 2),
            "truncated to 0 … 5, at 0": error(found["claims"]["half at the ends, truncated"], 0),
            "sum of two": error(found["claims"]["sum of two"], [0, 0], gamma=3),
        },
    ),
    "exponential": Picture(
        "A median of 0, 1, 2, not 1",
        (0.5, 20),
        4 * exp(-eps / 2),
        of_claims([0, 1, 2], exact="5 % errors"),
    ),
    "noisy_max": Picture(
        "The largest of 0, 0, 2, not found", (0.5, 15), 3 * exp(-eps / 2), _maxima
    ),
    "above_threshold": Picture(
        "Answers −1, −1, 1 at a threshold of 0, a wrong output",
        (1, 60),
        6 * exp(-eps / 8),
        of_claims([-1, -1, 1], exact="5 % errors"),
    ),
    "sparse": Picture(
        "Answers −1, 1, 1 at a threshold of 0, c = 2, a wrong output",
        (2, 150),
        12 * exp(-eps / 16),
        of_claims(
            [-1, 1, 1],
            Sparse="5 % errors",
            SparseVariant_as_run="variant, as run",
            SparseVariant_as_printed="variant, as printed",
        ),
    ),
    "numeric_sparse": Picture(
        "Answers −1, 1 at a threshold of 0, a wrong place or an error above 1",
        (2, 80),
        5 * exp(-eps / 9),
        of_claims([-1, 1], as_printed="5 % errors", as_run="5 % errors, artifact"),
    ),
    "svt_variants": Picture(
        "Answers 1, −1, 1 at a threshold of 0, c = 2, a wrong output",
        (0.2, 100),
        exp(-eps / 4) + 3 * exp(-eps / 16),
        _variants,
    ),
    "smart_sum": Picture(
        "Prefix sums, some error above 1",
        (0.5, 15),
        4 * exp(-eps / 2),
        lambda found: {
            "four steps": error(found["claims"]["5 % errors"], [0] * 4),
            "six steps": error(found["claims"]["six steps"], [0] * 6),
            "the last of four sums alone": error(found["claims"]["the last sum alone"], [0] * 4),
        },
    ),
    "binary_tree": Picture(
        "Prefix sums of four numbers, some error above 1", (1, 50), 4 * exp(-eps / 6), _tree
    ),
    "vertex_cover": Picture(
        "The path 0 – 2 – 1, a cover that is too large",
        (1, 60),
        3 * exp(-eps / 6),
        of_claims([0, 1, 1], exponential_mechanism="5 % errors", Gupta_2010="known bound, gupta"),
    ),
    "randomized_response": Picture(
        "Reports, some lie or a wrong majority",
        (0.1, 6),
        2 / (1 + exp(eps)),
        lambda found: {
            "two bits": error(found["claims"]["5 % errors"], [0, 0]),
            "one of four": error(found["claims"]["one of four"], 0),
            "majority of 1, 1, 1": error(found["claims"]["majority of three"], [1, 1, 1]),
            "majority of 0, 1, 1": error(found["claims"]["majority of three"], [0, 1, 1]),
        },
    ),
    "histogram": Picture(
        "Three counts, some error above 2",
        (0.2, 4),
        3 * exp(-2 * eps),
        lambda found: {
            "three counts": error(found["claims"]["5 % errors"], [0, 0, 2]),
            "the fullest of 0, 0, 2 not found": error(
                found["claims"]["fullest bin, a lead of 2"], [0, 0, 2]
            ),
        },
    ),
    "propose_test_release": Picture(
        "A vote, no answer or a wrong one",
        (0.2, 6),
        exp(-eps),
        lambda found: {
            "5 of 5 agree": error(found["claims"]["5 % errors"], [1] * 5),
            "4 of 5 agree": error(found["claims"]["for a lead of 3 too"], [0, 0, 0, 0, 1]),
        },
    ),
    "small_db": Picture(
        "Not the best small database for [1, 1]",
        (1, 40),
        3 * exp(-eps / 4),
        of_claims([1, 1], exact="5 % errors"),
    ),
    "pipeline": Picture(
        "A count of 7 at a threshold of 5, not released or an error above 2",
        (0.3, 8),
        3 * exp(-eps) / 2,
        of_claims(7, exact="5 % errors"),
    ),
}


def load(file: str) -> Module:
    """Return what a file of the gallery defines."""
    return runpy.run_path(str(EXAMPLES / f"{file}.py"))


def draw(file: str, ax: Axes) -> None:
    """Draw the error curves of a file, the known bound, and where both reach 5 %."""
    picture, found = PICTURES[file], load(file)
    points = np.geomspace(*picture.between, POINTS)
    known = np.minimum(picture.known.values(points), 1)
    errors = picture.errors(found)
    whose = f": {next(iter(errors))}" if len(errors) > 1 else ""
    ax.plot(points, known, color=VERMILLION, linestyle="--", label=f"known bound{whose}")
    for (label, form), colour, line in zip(errors.items(), _COLOURS, _LINES, strict=False):
        ax.plot(points, form.values(points), color=colour, linestyle=line, label=label)
    needed = float(found["claims"]["5 % errors"].smallest_epsilon())
    asked = float(found["known_epsilon"])
    ax.axhline(SHARE, color="#888888", linewidth=0.8)
    ax.plot([asked], [SHARE], color=VERMILLION, label=f"5 % at ε = {asked:.4f} by it", **_MARK)
    ax.plot([needed], [SHARE], color=BLUE, label=f"5 % at ε = {needed:.4f}, exactly", **_MARK)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(*picture.between)
    ax.set_ylim(5e-3, 1.3)
    ticks = [x for k in range(-1, 3) for x in (10**k, 2 * 10**k, 5 * 10**k)]
    shown = [x for x in ticks if picture.between[0] <= x <= picture.between[1]]
    ax.set_xticks(shown, [f"{x:g}" for x in shown])
    ax.set_yticks([0.01, 0.05, 0.1, 0.5, 1], ["1 %", "5 %", "10 %", "50 %", "100 %"])
    ax.minorticks_off()
    ax.set_xlabel("privacy budget ε")
    ax.set_ylabel("probability of an error")
    ax.set_title(picture.title, fontsize=10)
    ax.legend(framealpha=1, edgecolor="none", fontsize=8, loc="lower left")


def draw_sum(ax: Axes) -> None:
    """Draw how probable each value of one noise and of the sum of two is, at ε = 1."""
    found, values = load("geometric"), range(-6, 7)
    chances = {
        "one noise": [found["geometric"].probability(0, z) for z in values],
        "the sum of two": [found["two_counts"].probability([0, 0], z) for z in values],
    }
    styles = ((BLUE, "", -0.2), (GREEN, "///", 0.2))
    for (label, forms), (colour, hatch, shift) in zip(chances.items(), styles, strict=True):
        heights = [float(form.at(1)) for form in forms]
        places = [z + shift for z in values]
        ax.bar(places, heights, 0.4, facecolor=colour, edgecolor="white", hatch=hatch, label=label)
    ax.set_xlabel("value")
    ax.set_ylabel("probability at ε = 1")
    ax.set_title("Integer noise, exactly", fontsize=10)
    ax.legend(frameon=False, fontsize=8)


def figure_of(file: str) -> Figure:
    """Return the picture of a file."""
    wide = file == "geometric"
    figure = Figure(figsize=(10.2 if wide else 6.4, 4), layout="constrained")
    axes = figure.subplots(1, 2 if wide else 1, squeeze=False)[0]
    draw(file, axes[0])
    if wide:
        draw_sum(axes[1])
    return figure


def write(file: str, folder: Path) -> Path:
    """Write the picture of a file."""
    path = folder / f"{file}.svg"
    with mpl.rc_context(STYLE):
        figure_of(file).savefig(path, metadata={"Date": None})
    return path


def study() -> StudyTable:
    """Return the answers of `examples/sparse_study.py`, as they were computed."""
    with (HERE / "sparse_study.csv").open(encoding="utf-8") as file:
        rows = [
            {**row, "c": int(row["c"]), "m": int(row["m"]), "kappa": float(row["kappa"])}
            for row in csv.DictReader(file)
        ]
    return StudyTable(tuple(rows))


def write_study(folder: Path) -> Path:
    """Write the picture of the study."""
    path = folder / "sparse_study.svg"
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(6.4, 4), layout="constrained")
        axes = study().plot("m", "kappa", by="c", ax=figure.subplots())
        axes.set_xticks(range(2, 21, 2))
        axes.set_title("How many times too large the bound of Sparse is", fontsize=10)
        figure.savefig(path, metadata={"Date": None})
    return path


def main(folder: Path = HERE, files: Iterable[str] = PICTURES) -> None:
    """Write the pictures of files into a folder."""
    for file in files:
        print(write(file, folder))
    print(write_study(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
