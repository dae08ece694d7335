"""Draw the pictures of `docs/zoo.md`: `python docs/zoo/draw.py [FOLDER [NAME …]]`.

`make docs` draws them before the site is built; they are not kept in the repository. A picture
shows what is claimed and what is exact against ε: an error probability, an expected loss, δ, or
the smallest budget. A mechanism that cannot be written has none.
"""

from __future__ import annotations

import runpy
import sys
from math import log
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from exactdp import Accuracy, Expected, Privacy
from exactdp.report.private import losses, plot_delta
from exactdp.report.styles import STYLE, VERMILLION

HERE = Path(__file__).parent
ZOO = HERE.parents[1] / "examples" / "zoo"
_LARGEST = 6.0  # ε of a picture


def draw(file: Path, folder: Path) -> Path | None:
    """Draw the picture of a file of the zoo; return where it is, None if there is none."""
    claim = runpy.run_path(str(file)).get("claim")
    if claim is None:
        return None
    with mpl.rc_context({**STYLE, "svg.hashsalt": "exactdp"}):
        figure = Figure(figsize=(5.2, 3.2), layout="constrained")
        _fill(claim, figure.add_subplot())
        path = folder / f"{file.stem}.svg"
        figure.savefig(path, metadata={"Date": None})
    return path


def _fill(claim: Any, ax: Any) -> None:
    match claim:
        case Privacy() if claim.delta:
            plot_delta(claim.smallest_delta(), ax, largest=_LARGEST)
        case Privacy():
            points = np.linspace(0.05, _LARGEST, 60)
            ax.plot(points, losses(claim, points), label="exact")
            claimed = [log(float(claim.factor.at(round(float(at), 3)))) for at in points]
            ax.plot(points, claimed, "--", label="claimed")
            ax.set(xlabel="ε", ylabel="privacy loss", title=claim.mechanism.__name__)
            ax.legend()
        case Expected() if not isinstance(claim.inputs, list):
            claim.plot(claim.tightest().input, ax)
        case Accuracy() if claim.mechanism.moves:
            _by_values(claim, ax)
        case _:
            claim.plot(ax=ax)


def _by_values(claim: Accuracy, ax: Any) -> None:
    """Draw an error whose formula changes with ε, value by value, at the first listed input."""
    u = next(iter(claim.inputs or [()]))
    right = claim.mechanism.probability(u, claim.ideal.run(u))
    points = np.linspace(0.1, _LARGEST, 40)
    values = [1 - float(right.at(round(float(at), 3))) for at in points]
    ax.plot(points, values, label="exact")
    ax.axhline(float(claim.beta), linestyle="--", color=VERMILLION, label="claimed")
    ax.set(xlabel="ε", ylabel="error probability", title=claim.mechanism.__name__, ylim=(0, None))
    ax.legend()


def draw_all(folder: Path = HERE, names: tuple[str, ...] = ()) -> list[Path]:
    """Draw all pictures, or some; return where they are."""
    files = [file for file in sorted(ZOO.glob("*.py")) if not names or file.stem in names]
    return [path for file in files if (path := draw(file, folder)) is not None]


if __name__ == "__main__":
    given = sys.argv[1:]
    draw_all(Path(given[0]) if given else HERE, tuple(given[1:]))
