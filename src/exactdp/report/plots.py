"""Pictures with matplotlib: exact curves, best constants, regions, and simulation beside them.

Each function draws into the axes it is given, or into new ones, and returns the axes. Colours are
those of Okabe and Ito; every curve also has its own line style, so that print and colour-blind
readers lose nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.curves import ErrorCurve
from exactdp.claims.levels import Range, constant
from exactdp.claims.pieces import entries
from exactdp.claims.verdict import Counterexample, Verdict
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.values import Value
from exactdp.reals import Root, Stretch
from exactdp.reals.numbers import Number, inf, rational, spell
from exactdp.report.shown import Shown, choose, span, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, VERMILLION, GREEN, PURPLE, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"
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
_CELLS_WITH_TEXT = 12  # a heat map with more cells a side shows no numbers


def plot_error(claim: Accuracy, ax: Axes | None = None, *, u: object = None) -> Axes:
    """Draw the exact error probability against ε, the claimed β and the tight bound β/κ.

    The input is the one given, else that of the counterexample, else the one that decides κ.
    """
    return plot_shown(choose(claim, u=u), ax)


def plot_verdict(verdict: Verdict, ax: Axes | None = None, *, u: object = None) -> Axes:
    """Draw the claim that was decided, as `plot_error` does, the counterexample marked."""
    return plot_shown(choose(verdict.claim, verdict, u), ax)


def plot_shown(shown: Shown, ax: Axes | None = None) -> Axes:
    """Draw what is shown of a claim."""
    ax = plot_curve(
        shown.curve,
        ax,
        between=shown.span(),
        kappa=shown.kappa,
        counterexample=shown.counterexample,
    )
    ax.set_title(f"{shown.claim.mechanism.__name__} at the input {text(shown.curve.input)}")
    return ax


def plot_curve(
    curve: ErrorCurve,
    ax: Axes | None = None,
    *,
    between: tuple[float, float] | None = None,
    kappa: Fraction | None = None,
    counterexample: Counterexample | None = None,
) -> Axes:
    """Draw an error curve, exact and as claimed, between two ε."""
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
    if counterexample is not None:
        _mark(counterexample, ax)
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    lowest = min((values[values > 0].min() for values in drawn if (values > 0).any()), default=1)
    if lowest < 0.01:
        ax.set_yscale("log")
        ax.set_ylim(max(lowest / 2, 1e-7), 2)
    else:
        ax.set_ylim(0, 1.05)
    ax.set_xlabel("privacy budget ε")
    ax.set_ylabel(_error_label(curve.gamma))
    ax.legend(frameon=False)
    return ax


def _mark(one: Counterexample, ax: Axes) -> None:
    """Mark a counterexample: the exact error above the claimed bound."""
    where, error, bound = float(one.eps), 1 - float(one.actual), 1 - float(one.required)
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


# κ over a grid ------------------------------------------------------------------------


def plot_kappa(
    claim: Accuracy, ax: Axes | None = None, *, coordinates: tuple[int, int] = (0, 1)
) -> Axes:
    """Draw the largest κ over two coordinates of the inputs, the least over all others."""
    import numpy as np  # noqa: PLC0415
    from matplotlib.lines import Line2D  # noqa: PLC0415
    from matplotlib.patches import Patch  # noqa: PLC0415

    from exactdp.claims.inputs import listed  # noqa: PLC0415

    rows = claim.tightest(at_each=True)
    names = claim.entry_names
    across, up = _coordinates(coordinates, len(names))
    if not rows:
        raise ValueRefusedError(
            "the claim says nothing at any input, so there is no κ to draw",
            way_out="Give other inputs, or boundary='check'.",
        )
    every = [list(entries(u)) for u in listed(claim.mechanism, claim.input_set)]
    columns, lines = (
        _axis(entry[j] if j is not None else 0 for entry in every) for j in (across, up)
    )
    least: dict[tuple[int, int], float] = {}
    failing = set()
    for row in rows:
        entry = list(entries(claim.mechanism.read_input(row.input)))
        place = (
            lines.index(entry[up]) if up is not None else 0,
            columns.index(entry[across]),
        )
        least[place] = min(least.get(place, inf), float(row.kappa))
        if row.kappa.upper < 1:  # proven, so β itself is false there
            failing.add(place)
    table = np.full((len(lines), len(columns)), np.nan)
    for place, value in least.items():
        table[place] = value if value != inf else np.nan
    ax = ax or new_axes()
    ax.grid(visible=False)
    ax.set_facecolor(GREY)
    image = ax.imshow(table, origin="lower", cmap="cividis", aspect="auto")
    figure = ax.get_figure()
    assert figure is not None
    figure.colorbar(image, ax=ax, label="largest κ with β/κ true")
    ax.set_xticks(range(len(columns)), list(map(text, columns)))
    ax.set_yticks(range(len(lines)), list(map(text, lines)) if up is not None else [""])
    ax.set_xlabel(names[across])
    ax.set_ylabel(names[up] if up is not None else "")
    if max(table.shape) <= _CELLS_WITH_TEXT:
        middle = (np.nanmin(table) + np.nanmax(table)) / 2 if np.isfinite(table).any() else 0
        for place, value in least.items():
            fails = " ✗" if place in failing else ""
            colour = "black" if value == inf or value >= middle else "white"
            shown = "∞" if value == inf else f"{value:.4g}{fails}"
            ax.text(place[1], place[0], shown, color=colour, ha="center", va="center")
    handles: list[Any] = []
    if len(least) < table.size:
        handles.append(Patch(color=GREY, label="the claim says nothing"))
    if failing:
        cross: dict[str, Any] = {"marker": "$✗$", "color": BLACK, "linestyle": "none"}
        handles.append(Line2D([], [], **cross, label="the claim fails: κ < 1"))
    if handles:
        ax.legend(
            handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False
        )
    others = len(names) - (1 if up is None else 2)
    title = f"κ of {claim.mechanism.__name__}"
    ax.set_title(title + (", the least over the other coordinates" if others > 0 else ""))
    return ax


def _coordinates(wanted: tuple[int, int], count: int) -> tuple[int, int | None]:
    if count == 1:
        return 0, None
    across, up = wanted
    if count == 0 or across == up or not all(0 <= j < count for j in wanted):
        raise ValueRefusedError(
            f"coordinates {wanted} of an input with {count} numbers",
            rule="A heat map has two different coordinates, counted from 0.",
        )
    return across, up


def _axis(values: Iterable[Any]) -> list[Any]:
    found = dict.fromkeys(values)
    try:
        return sorted(found)
    except TypeError:  # a domain of things without an order
        return list(found)


# Where a claim holds ------------------------------------------------------------------


def plot_region(
    claim: Accuracy, ax: Axes | None = None, *, gammas: Iterable[Number] | None = None
) -> Axes:
    """Draw for which ε and γ the claim holds at all its inputs: one exact row for each γ."""
    levels = _gammas(claim) if gammas is None else [rational(one, "gamma") for one in gammas]
    if not levels:
        raise ValueRefusedError("no gamma is given", way_out="Give gammas=['1/2', 1, 2].")
    found = {level: list(replace(claim, gamma=level).epsilons()) for level in sorted(levels)}
    ends = [
        float(end)
        for stretches in found.values()
        for one in stretches
        for end in (one.lower, one.upper)
        if isinstance(end, Root | Fraction) and float(end) > 0
    ]
    low, high = min([0.1, *(end / 3 for end in ends)]), max([10.0, *(3 * end for end in ends)])
    on = claim.epsilon
    low, high = max(low, float(on.lower)), min(high, float(on.upper))
    if on.is_point:
        low, high = low / 2, high * 2
    ax = ax or new_axes()
    ax.set_facecolor("white")
    ordered = sorted(found)
    heights = [float(b - a) for a, b in pairwise(ordered)]
    height = min(heights, default=1.0)
    for row, (level, stretches) in enumerate(found.items()):
        bars = [_bar(one, low, high) for one in stretches]
        ax.broken_barh(
            bars,
            (float(level) - height / 2, height),
            facecolor=SKY,
            edgecolor="white",
            linewidth=0.4,
            label="the claim holds" if row == 0 else None,
        )
        inner = [
            float(end)
            for one in stretches
            for end in (one.lower, one.upper)
            if end not in (inf, on.lower, on.upper)
        ]
        ax.plot(inner, [float(level)] * len(inner), marker="|", color=BLACK, linestyle="none")
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(float(ordered[0]) - height / 2, float(ordered[-1]) + height / 2)
    ax.set_xlabel("privacy budget ε")
    ax.set_ylabel("allowed error γ")
    ax.set_title(f"Where the claim for {claim.mechanism.__name__} holds (exact in each row)")
    from matplotlib.patches import Patch  # noqa: PLC0415

    handles = [
        Patch(facecolor=SKY, label="holds"),
        Patch(facecolor="white", edgecolor=BLACK, label="fails"),
    ]
    ax.legend(handles=handles, loc="lower left", framealpha=1)
    return ax


def _gammas(claim: Accuracy) -> list[Fraction]:
    """Return twenty γ around that of the claim."""
    level, top = claim.gamma_level, Fraction(4)
    if isinstance(level, Range):
        if isinstance(level.upper, Fraction):
            top = level.upper
        start = level.lower
    else:
        start = Fraction(0)
        top = 2 * (constant(level) or Fraction(2))
    return [start + (top - start) * k / 20 for k in range(21)]


def _bar(one: Stretch, low: float, high: float) -> tuple[float, float]:
    """Return where a stretch begins and how long it is; a single point is a thin line."""
    start, end = max(float(one.lower), low), min(float(one.upper), high)
    return start, max(end - start, start / 100)


# Simulation ---------------------------------------------------------------------------


def plot_simulated(
    claim: Accuracy,
    ax: Axes | None = None,
    *,
    u: object = None,
    size: int = 2_000,
    seed: int = 0,
) -> Axes:
    """Draw the exact error curve, and simulated runs with 95% intervals beside it."""
    import numpy as np  # noqa: PLC0415

    shown = choose(claim, u=u, tight=False)
    curve, (low, high) = shown.curve, shown.span()
    points = np.geomspace(low, high, 400)
    exact = curve.values(points)
    visible = points[exact > 3 / size]  # fewer errors than that tell nothing
    top = float(visible[-1]) if len(visible) else high
    tried = [Fraction(f"{value:.2g}") for value in np.geomspace(low * 1.2, max(top, low * 2), 9)]
    tried = [value for value in tried if value in claim.epsilon]
    found = [simulated(claim, curve, value, size, seed) for value in tried]
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
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(0, 1.05)
    ax.set_xlabel("privacy budget ε")
    ax.set_ylabel(_error_label(curve.gamma))
    ax.set_title(f"{claim.mechanism.__name__} at the input {text(curve.input)}")
    ax.legend(frameon=False)
    return ax


def simulated(
    claim: Accuracy, curve: ErrorCurve, eps: Fraction, size: int, seed: int
) -> tuple[float, float, float]:
    """Return the share of simulated runs with an error above γ, and Wilson's 95% interval."""
    given = curve.input
    ideal = claim.ideal_function(claim.mechanism.read_input(given))
    known: dict[object, bool] = {}
    wrong = 0
    for output in claim.mechanism.sample(given, eps, size, seed):
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

PLOTS: dict[str, Callable[[Accuracy, Axes | None], Axes]] = {
    "error": plot_error,
    "kappa": plot_kappa,
    "region": plot_region,
    "simulated": plot_simulated,
}
#: The ends of names, and what is left out so that the same picture is the same file.
_FORMATS: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None},
    ".png": {},
    ".pdf": {"CreationDate": None},
}


def plot(claim: Accuracy, kind: str = "error", ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a picture of a claim: "error", "kappa", "region" or "simulated"."""
    if kind not in PLOTS:
        raise ValueRefusedError(
            f"there is no picture {kind!r}", rule=f"The pictures are {', '.join(PLOTS)}."
        )
    return PLOTS[kind](claim, ax, **options)


def save_plot(claim: Accuracy, path: str | Path, kind: str = "error", **options: Any) -> None:
    """Write a picture of a claim as SVG, PNG or PDF, by the end of the file's name."""
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise ValueRefusedError(
            f"{path} is not a picture that can be written",
            rule=f"The name of a picture ends in {', '.join(_FORMATS)}.",
        )
    import matplotlib as mpl  # noqa: PLC0415

    with mpl.rc_context(STYLE):
        figure = new_figure()
        plot(claim, kind, figure.subplots(), **options)
        figure.savefig(path, dpi=160, metadata=_FORMATS[suffix])


def new_figure() -> Figure:
    """Return a figure that belongs to no window."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    return Figure(figsize=SIZE, layout="constrained")


def new_axes() -> Axes:
    """Return axes of a new figure, which a notebook shows."""
    import matplotlib.pyplot as plt  # noqa: PLC0415

    # The figure comes first: making it may start a backend, whose settings must outlive ours.
    figure = plt.figure(figsize=SIZE, layout="constrained")
    with plt.rc_context(STYLE):
        return figure.subplots()
