"""Plots with matplotlib: exact curves, best constants, regions, and simulated runs.

Each function draws into the given axes, or into new ones, and returns the axes. Colours are those
of Okabe and Ito; every curve also has its own line style, for print and for colour-blind readers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import sqrt
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.constants.curves import ErrorCurve
from exactdp.claims.decision.counterexamples import Counterexample
from exactdp.claims.decision.verdict import Verdict
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.values import Value
from exactdp.reals.numbers import spell
from exactdp.report.extras import require
from exactdp.report.heat import plot_kappa
from exactdp.report.regions import plot_region
from exactdp.report.shown import Shown, choose, span, text
from exactdp.report.styles import (
    BLACK,
    BLUE,
    GREEN,
    LONGEST_LINE,
    STYLE,
    VERMILLION,
    logarithmic,
    new_axes,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.running.conduct import Progress


def plot_error(
    claim: Accuracy,
    ax: Axes | None = None,
    *,
    u: object = None,
    progress: Progress | None = None,
) -> Axes:
    """Plot the exact error probability, the claimed β and the tight bound β/κ against ε.

    The input is the given one, or that of the counterexample, or the one that determines κ.
    """
    return plot_verdict(claim.check(progress=progress), ax, u=u, progress=progress)


def plot_verdict(
    verdict: Verdict,
    ax: Axes | None = None,
    *,
    u: object = None,
    progress: Progress | None = None,
) -> Axes:
    """Plot the decided claim as `plot_error` does, with the counterexample marked."""
    if verdict.vacuous:
        verdict.claim.require_content(verdict.contents)
    return plot_shown(choose(verdict.claim, verdict, u, progress=progress), ax)


def plot_shown(shown: Shown, ax: Axes | None = None) -> Axes:
    """Plot a claim at the chosen input."""
    ax = plot_curve(
        shown.curve,
        ax,
        between=shown.span(),
        kappa=shown.kappa,
        counterexample=shown.counterexample,
    )
    ax.set_title(_title(shown.claim, shown.curve), parse_math=False)
    return ax


def _title(claim: Accuracy, curve: ErrorCurve) -> str:
    """Return the mechanism and the input as a title, on several lines if it is long."""
    return fill(f"{claim.mechanism.__name__} at the input {text(curve.input)}", LONGEST_LINE)


def plot_curve(
    curve: ErrorCurve,
    ax: Axes | None = None,
    *,
    between: tuple[float, float] | None = None,
    kappa: Fraction | None = None,
    counterexample: Counterexample | None = None,
) -> Axes:
    """Plot an error curve, exact and as claimed, between two ε."""
    import numpy as np  # noqa: PLC0415 only for pictures

    from exactdp.reals.interval import POSITIVE  # noqa: PLC0415

    ax = ax or new_axes()
    low, high = between or span(curve, POSITIVE)
    points = np.geomspace(low, high, 400)
    exact = curve.values(points)
    ax.plot(points, exact, color=BLUE, label="exact error probability")
    drawn = [exact]
    if curve.claimed:
        claimed = curve.claimed_values(points)
        drawn.append(claimed)
        ax.plot(points, claimed, color=VERMILLION, linestyle="--", label="claimed bound β")
        if kappa is not None:
            bound = np.min([form.values(points) for form in curve.claimed], axis=0) / float(kappa)
            label = f"tight bound β/κ, κ = {float(kappa):.5g}"
            ax.plot(points, np.minimum(bound, 1), color=GREEN, linestyle=(0, (1, 1.5)), label=label)
    else:
        ax.plot([], [], linestyle="none", label="the claim says nothing at this input")
    if counterexample is not None:
        _mark(counterexample, ax)
    logarithmic(ax, x=True)
    lowest = min((values[values > 0].min() for values in drawn if (values > 0).any()), default=1)
    if lowest < 0.01:
        logarithmic(ax, y=True)
        ax.set_ylim(max(lowest / 2, 1e-7), 2)
    else:
        ax.set_ylim(0, 1.05)
    ax.set(xlim=(low, high), xlabel="privacy budget ε", ylabel=_error_label(curve.gamma))
    ax.legend(frameon=False)
    return ax


def _mark(one: Counterexample, ax: Axes) -> None:
    """Mark a counterexample: the exact error above the claimed bound."""
    where, error, bound = float(one.eps), float(one.error), float(one.allowed)
    ax.vlines(where, bound, error, color=BLACK, linewidth=1)
    ax.plot(
        [where],
        [error],
        marker="X",
        markersize=10,
        color=BLACK,
        linestyle="none",
        label=f"counterexample at ε = {spell(one.eps)}: {error:.4g} > {bound:.4g}",
    )


def _error_label(gamma: object) -> str:
    return "Pr(wrong output)" if gamma == 0 else f"Pr(error above γ = {text(gamma)})"


# Simulation ---------------------------------------------------------------------------


def plot_simulated(
    claim: Accuracy,
    ax: Axes | None = None,
    *,
    u: object = None,
    size: int = 2_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Axes:
    """Plot the exact error curve, with the errors of simulated runs and their 95% intervals."""
    import numpy as np  # noqa: PLC0415

    shown = choose(claim, u=u, tight=False, progress=progress)
    curve, (low, high) = shown.curve, shown.span()
    points = np.geomspace(low, high, 400)
    exact = curve.values(points)
    visible = points[exact > 3 / size]  # with fewer expected errors, the share means nothing
    top = float(visible[-1]) if len(visible) else high
    tried = [Fraction(f"{value:.2g}") for value in np.geomspace(low * 1.2, max(top, low * 2), 9)]
    tried = [value for value in tried if value in claim.epsilon]
    found = []
    for done, value in enumerate(tried, 1):
        found.append(simulated(claim, curve, value, size, seed))
        if progress is not None:
            progress(done, len(tried))
    middle = np.array([one[0] for one in found])
    reach = np.array([[m - a, b - m] for m, a, b in found]).T.reshape(2, -1)
    ax = ax or new_axes()
    ax.plot(points, exact, color=BLUE, label="exact")
    ax.errorbar(
        list(map(float, tried)),
        middle,
        yerr=np.maximum(reach, 0),
        fmt="o",
        color=VERMILLION,
        capsize=3,
        markersize=5,
        linewidth=1.2,
        label=f"{size:,} simulated runs each, 95% interval",
    )
    logarithmic(ax, x=True)
    ax.set(xlim=(low, high), xlabel="privacy budget ε", ylabel=_error_label(curve.gamma))
    ax.set_ylim(0, 1.05)
    ax.set_title(_title(claim, curve), parse_math=False)
    ax.legend(frameon=False)
    return ax


def simulated(
    claim: Accuracy, curve: ErrorCurve, eps: Fraction, size: int, seed: int
) -> tuple[float, float, float]:
    """Return the share of simulated runs with an error above γ, and Wilson's 95% interval."""
    from exactdp.semantics.simulate import sample  # noqa: PLC0415 loads numpy

    given = curve.input
    ideal = claim.ideal_function(claim.mechanism.read_input(given))
    known: dict[object, bool] = {}
    wrong = 0
    for output in sample(claim.mechanism, given, eps, size, seed):
        if output not in known:
            known[output] = _distance(claim, given, ideal, output) > curve.gamma
        wrong += known[output]
    share, z = wrong / size, 1.96
    middle = (share + z * z / (2 * size)) / (1 + z * z / size)
    reach = z / (1 + z * z / size) * sqrt(share * (1 - share) / size + (z / (2 * size)) ** 2)
    return share, middle - reach, middle + reach


def _distance(claim: Accuracy, u: Value, ideal: Value, output: Value) -> Any:
    try:
        return claim.output_metric.between(u, ideal, _exactly(output))
    except ExactdpError as error:
        raise ValueRefusedError(f"an output was not compared: {error}") from error


def _exactly(value: Any) -> Any:
    """Return a simulated output with its floats as rationals."""
    if isinstance(value, tuple | list):
        return type(value)(_exactly(item) for item in value)
    return Fraction(value) if isinstance(value, float) else value


# Files --------------------------------------------------------------------------------

PLOTS: dict[str, Callable[..., Axes]] = {
    "error": plot_error,
    "kappa": plot_kappa,
    "region": plot_region,
    "simulated": plot_simulated,
}
#: File extensions, with the metadata to omit so that equal plots give equal files.
_FORMATS: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {},
    ".pdf": {"CreationDate": None},
}


def plot(claim: Accuracy, kind: str = "error", ax: Axes | None = None, **options: Any) -> Axes:
    """Plot a claim; `kind` is "error", "kappa", "region" or "simulated"."""
    if kind not in PLOTS:
        raise ValueRefusedError(
            f"there is no picture {kind!r}", rule=f"The pictures are {', '.join(PLOTS)}."
        )
    require("matplotlib")
    return PLOTS[kind](claim, ax, **options)


def save_plot(claim: Accuracy, path: str | Path, kind: str = "error", **options: Any) -> None:
    """Write a plot of a claim as SVG, PNG or PDF, depending on the file extension."""
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise ValueRefusedError(
            f"{path} is not a picture format",
            rule=f"The name of a picture ends in {', '.join(_FORMATS)}.",
        )
    require("matplotlib")
    import matplotlib as mpl  # noqa: PLC0415

    with mpl.rc_context(STYLE):
        figure = new_figure()
        plot(claim, kind, figure.subplots(), **options)
        figure.savefig(path, dpi=160, metadata=_FORMATS[suffix])
