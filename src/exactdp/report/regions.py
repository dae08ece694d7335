"""Plots of the ε and γ for which a claim holds, with one row for each γ.

For listed inputs, the set of ε is known exactly. For all real inputs, each row is divided into
cells of ε, and the claim is decided on each: it holds for every ε of the cell, or fails at one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.stated.levels import Range, constant
from exactdp.errors import VacuousClaimError, ValueRefusedError
from exactdp.reals import Interval, Root
from exactdp.reals.numbers import Number, inf, rational
from exactdp.report.styles import BLACK, GREY, LONGEST_LINE, SKY, logarithmic, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.running.conduct import Progress

_ROWS, _ROWS_EVERYWHERE = 20, 8  # besides the lowest
_EDGES = tuple(Fraction(f"{10 ** (k / 8):.3g}") for k in range(-8, 9))  # 1/10 … 10
_COLOURS = {"holds": SKY, "undecided": GREY, "vacuous": "white"}
_HATCHES = {"holds": "", "undecided": "///", "vacuous": "..."}


@dataclass(frozen=True)
class _Part:
    """An interval of ε at one γ, and the outcome of the claim there."""

    lower: float
    upper: float
    outcome: str


def plot_region(
    claim: Accuracy,
    ax: Axes | None = None,
    *,
    gammas: Iterable[Number] | None = None,
    progress: Progress | None = None,
) -> Axes:
    """Plot for which ε and γ the claim holds at all its inputs, with one row for each γ."""
    from matplotlib.patches import Patch  # noqa: PLC0415 only for pictures

    if claim.output_metric.name == "discrete" and gammas is None:
        raise ValueRefusedError(
            f"an output of {claim.mechanism.__name__} is right or wrong, so no γ is drawn",
            rule="The picture has a row for each γ, and under the discrete distance each γ below 1 "
            "means the same.",
            way_out="Draw kind='error', ask claim.epsilons(), or give gammas=… or "
            "output_distance=value_gap.",
        )
    everywhere = bool(claim.scope.free)
    steps = _ROWS_EVERYWHERE if everywhere else _ROWS
    levels = _gammas(claim, steps) if gammas is None else [rational(g, "gamma") for g in gammas]
    if not levels:
        raise ValueRefusedError("no gamma is given", way_out="Give gammas=['1/2', 1, 2].")
    found: dict[Fraction, list[_Part]] = {}
    for level in sorted(set(levels)):
        if progress is not None:
            progress(len(found), len(set(levels)))
        part = replace(claim, gamma=level)
        found[level] = _decided(part) if everywhere else _exact(part)
    outcomes = {one.outcome for parts in found.values() for one in parts}
    if outcomes == {"vacuous"}:
        claim.require_content(claim.check().contents)
    low, high = _span(claim, found, everywhere=everywhere)
    ax = ax or new_axes()
    ax.set_facecolor("white")
    height = min((float(b - a) for a, b in pairwise(found)), default=1.0)
    for level, parts in found.items():
        for outcome, colour in _COLOURS.items():
            ax.broken_barh(
                [_bar(one, low, high) for one in parts if one.outcome == outcome],
                (float(level) - height / 2, height),
                facecolor=colour,
                edgecolor=GREY if outcome == "vacuous" else "white",
                linewidth=0.4,
                hatch=_HATCHES[outcome],
            )
        if not everywhere:
            ends = {end for one in parts for end in (one.lower, one.upper)}
            inner = sorted(
                ends - {0.0, inf, float(claim.epsilon.lower), float(claim.epsilon.upper)}
            )
            ax.plot(inner, [float(level)] * len(inner), marker="|", color=BLACK, linestyle="none")
    logarithmic(ax, x=True)
    ordered = list(found)
    ax.set_ylim(float(ordered[0]) - height / 2, float(ordered[-1]) + height / 2)
    ax.set(xlim=(low, high), xlabel="privacy budget ε", ylabel="allowed error γ")
    how = "proved cell by cell" if everywhere else "exact in each row"
    title = f"Where the claim for {claim.mechanism.__name__} holds ({how})"
    ax.set_title(fill(title, LONGEST_LINE))
    fails = "fails at an ε of the cell" if everywhere else "fails"
    handles = [
        Patch(facecolor=SKY, label="holds"),
        Patch(facecolor="white", edgecolor=BLACK, label=fails),
    ]
    if "undecided" in outcomes:
        handles.append(Patch(facecolor=GREY, hatch=_HATCHES["undecided"], label="undecided"))
    if "vacuous" in outcomes:
        dots = _HATCHES["vacuous"]
        handles.append(Patch(facecolor="white", edgecolor=GREY, hatch=dots, label="says nothing"))
    ax.legend(handles=handles, loc="lower left", framealpha=1)
    return ax


def _gammas(claim: Accuracy, steps: int) -> list[Fraction]:
    """Return some γ around that of the claim."""
    level, top = claim.gamma_level, Fraction(4)
    if isinstance(level, Range):
        if isinstance(level.upper, Fraction):
            top = level.upper
        start = level.lower
    else:
        start = Fraction(0)
        top = 2 * (constant(level) or Fraction(2))
    return [start + (top - start) * k / steps for k in range(steps + 1)]


def _exact(claim: Accuracy) -> list[_Part]:
    """Return the intervals of ε on which a claim about listed inputs holds."""
    try:
        found = claim.epsilons()
    except VacuousClaimError:
        return [_Part(float(claim.epsilon.lower), float(claim.epsilon.upper), "vacuous")]
    return [_Part(_end(one.lower), _end(one.upper), "holds") for one in found]


def _end(end: Fraction | float | Root) -> float:
    return float(end)


def _decided(claim: Accuracy) -> list[_Part]:
    """Return cells of ε, and whether a claim about all real inputs holds on each."""
    on = claim.epsilon
    edges = sorted({*(e for e in _EDGES if on.lower < e < on.upper), *_ends(on)})
    if len(edges) == 1:  # a single ε
        return [_Part(float(edges[0]), float(edges[0]), claim.check().outcome)]
    return list(_cells(claim, edges, None))


def _ends(on: Interval) -> Iterator[Fraction]:
    """Yield the endpoints of an interval of ε in the plot."""
    for end, far in ((on.lower, min(_EDGES)), (on.upper, max(_EDGES))):
        if isinstance(end, Fraction) and end > 0:
            yield end
        else:
            yield far
    if isinstance(on.lower, Fraction) and on.lower >= max(_EDGES) and on.upper == inf:
        yield on.lower * 100
    if isinstance(on.upper, Fraction) and on.upper <= min(_EDGES) and on.lower == 0:
        yield on.upper / 100


def _cells(claim: Accuracy, edges: list[Fraction], witness: Fraction | None) -> Iterator[_Part]:
    """Decide between the first and the last edge; halve failing ranges until two edges are left.

    `witness` is an ε at which the claim is known to fail: a cell that contains it need not be
    decided.
    """
    low, high = edges[0], edges[-1]
    outcome = "fails"
    if witness is None or not low <= witness <= high:
        on = claim.epsilon
        opened = Interval(
            low,
            high,
            lower_open=low == on.lower and on.lower_open,
            upper_open=high == on.upper and on.upper_open,
        )
        verdict = replace(claim, epsilon=opened).check()
        outcome = verdict.outcome
        witness = verdict.counterexample.eps if verdict.counterexample is not None else None
    if outcome in ("holds", "vacuous") or len(edges) == 2:
        yield _Part(float(low), float(high), outcome)
        return
    middle = len(edges) // 2
    yield from _cells(claim, edges[: middle + 1], witness)
    yield from _cells(claim, edges[middle:], witness)


def _span(
    claim: Accuracy, found: dict[Fraction, list[_Part]], *, everywhere: bool
) -> tuple[float, float]:
    """Return the range of ε of the plot."""
    ends = [end for parts in found.values() for one in parts for end in (one.lower, one.upper)]
    ends = [end for end in ends if 0 < end < inf]
    on = claim.epsilon
    if everywhere:
        low, high = min(ends), max(ends)
    else:
        low, high = min([0.1, *(end / 3 for end in ends)]), max([10.0, *(3 * end for end in ends)])
        low, high = max(low, float(on.lower)), min(high, float(on.upper))
    return (low / 2, high * 2) if low == high else (low, high)


def _bar(one: _Part, low: float, high: float) -> tuple[float, float]:
    """Return where a part begins and how long it is; a single point is a thin line."""
    start, end = max(one.lower, low), min(one.upper, high)
    return start, max(end - start, start / 100)
