"""Plots of privacy: the smallest δ against ε, and errors against the exact privacy loss."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from fractions import Fraction
from html import escape
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Any

from exactdp.claims.constants.curves import ErrorCurve
from exactdp.claims.decision.verdict import Verdict
from exactdp.claims.private.claim import Privacy
from exactdp.claims.private.deltas import DeltaCurve
from exactdp.claims.private.patterns import reals_in
from exactdp.claims.stated.expressions import Comparison, Constant, Expression
from exactdp.claims.stated.inputs import as_given, show
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.reals import eps
from exactdp.reals.logarithm import Logarithm
from exactdp.reals.numbers import spell
from exactdp.reals.printing import latex
from exactdp.report.notebook import OUTCOMES, rows_with
from exactdp.report.styles import BLACK, BLUE, GREEN, SKY, VERMILLION, new_axes

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from exactdp.claims.accuracy import Accuracy

_POINTS = 200
_INPUTS = 32  # of an accuracy claim, of which the worst is shown
_STYLES = ((BLUE, "-"), (VERMILLION, "--"), (GREEN, "-."), (BLACK, ":"), (SKY, "-"))


def privacy_rows(claim: Privacy) -> list[tuple[str, str]]:
    """Return the parts of a privacy claim: names and values, in HTML."""
    own = [
        ("budget", escape(str(claim.budget_form))),
        ("δ", escape(str(claim.delta_form))),
        ("adjacent inputs", escape(str(claim.adjacency))),
    ]
    return rows_with(claim, own)


def privacy_latex(verdict: Verdict) -> str:
    """Return the outcome of a privacy claim, and the claimed bound."""
    claim: Privacy = verdict.claim
    word = OUTCOMES[verdict.outcome][0]
    budget = claim.budget_form
    told = budget.latex() if isinstance(budget, Logarithm) else latex(budget)
    factor = rf"e^{{{told}}}"
    if claim.measure == "bounded_range":
        said = (
            r"\Pr[P(u) = o]\,\Pr[P(u') = o'] \le "
            rf"{factor}\,\Pr[P(u') = o]\,\Pr[P(u) = o']"
        )
    else:
        rest = f" + {latex(claim.delta_form)}" if claim.delta_form else ""
        said = rf"\Pr[P(u) \in S] \le {factor}\,\Pr[P(u') \in S]{rest}"
    return rf"$\text{{{word}: }} {said}$"


def how_private(claim: Privacy, beside: Iterable[Accuracy] = ()) -> list[str]:
    """Return sentences on how private a mechanism is, or why that is not known.

    If noise can be saved, also on how that affects accuracy claims about the same mechanism.
    """
    try:
        if claim.delta_form:
            return [f"The smallest δ: {claim.smallest_delta()}"]
        found = claim.tightest()
    except ExactdpError as error:
        return [f"It is not told how much more private it is: {error.message}."]
    if not found.saving:
        return [str(found)]
    upper = found.factor.upper
    assert isinstance(upper, Fraction)
    same = (one for one in beside if one.mechanism.definition == claim.mechanism.definition)
    return [str(found), found.saving, *(_saved(one, 1 / upper) for one in same)]


def _saved(claim: Accuracy, times: Fraction) -> str:
    """Return sentences on how less noise changes the bound, and the error at an input."""
    said = []
    if not claim.is_beta_of_input:
        before, after = str(claim.formula), str(_run_with(claim.formula, times))
        if before != after:
            said.append(f"The bound β = {before} becomes {after} at the same privacy.")
    try:
        curve = _worst(claim)
        if curve is not None:
            said.append(_read(curve, times))
    except ExactdpError as error:
        said.append(f"What it does to the error at an input is not told: {error.message}.")
    return " ".join(said)


def _worst(claim: Accuracy) -> ErrorCurve | None:
    """Return the curve with the largest error at ε = 1 among the first inputs with a claim.

    None if the inputs are not listed, or nothing is claimed at them.
    """
    inputs = islice(claim.scope.listed(), _INPUTS)
    curves = (claim.error_probability(as_given(claim.mechanism, u)) for u in inputs)
    found = [one for one in curves if one.claimed]
    return max(found, key=lambda one: float(one.exact.at(1)), default=None)


def _read(curve: ErrorCurve, times: Fraction) -> str:
    """Return a sentence with an error and its bound at ε = 1, and those with less noise."""
    places = Fraction(1), times
    before, after = (curve.at(at).text(4) for at in places)
    least = [min((form.at(at) for form in curve.claimed), key=float) for at in places]
    bounds = ("1" if float(one) >= 1 else one.text(4) for one in least)
    return (
        f"At the input {show(curve.input)} its error probability is {before} at ε = 1 and {after} "
        f"at {spell(times)}, and the bound {' and '.join(bounds)}."
    )


def plot_delta(curve: DeltaCurve, ax: Axes | None = None, *, largest: float = 10.0) -> Axes:
    """Plot the smallest δ against ε."""
    import numpy as np  # noqa: PLC0415 only for pictures

    axes = ax or new_axes()
    points = np.linspace(largest / _POINTS, largest, _POINTS)
    axes.plot(points, curve.values(points), color=BLUE, label="the smallest δ")
    axes.set(xlabel="ε", ylabel="δ", title="the smallest δ")
    return axes


def plot_tradeoff(
    claim: Privacy,
    errors: ErrorCurve,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    largest: float = 6.0,
) -> Axes:
    """Plot the error probability against the exact privacy loss, as ε varies.

    The loss at an ε is the largest ln(p/p′) over all pairs and outputs. Several mechanisms can
    share the same axes.
    """
    import numpy as np  # noqa: PLC0415 only for pictures

    points = np.linspace(largest / _POINTS, largest, _POINTS)
    points = points[[float(point) in claim.epsilon for point in points]]
    spent, values = losses(claim, points), errors.exact.values(points)
    if not np.isfinite(spent).any():
        raise ValueRefusedError(
            f"{claim.mechanism.__name__} has no finite privacy loss up to ε = {largest:g}",
            rule="An output that is possible at an input is impossible at an adjacent one.",
            way_out="Ask check() for the counterexample, and correct the mechanism.",
        )
    axes = ax or new_axes()
    color, style = _STYLES[len(axes.get_lines()) % len(_STYLES)]
    name = claim.mechanism.__name__ if label is None else label
    axes.plot(spent, values, color=color, linestyle=style, label=name)
    title = "accuracy against privacy"
    axes.set(xlabel="exact privacy loss", ylabel="error probability", title=title)
    axes.legend()
    return axes


def losses(claim: Privacy, points: NDArray[np.float64]) -> NDArray[Any]:
    """Return the largest ln(p/p′) at many ε, as floats for a plot."""
    import numpy as np  # noqa: PLC0415 only for pictures

    claim.scope.require_listed(
        "the privacy loss is drawn at listed inputs",
        rule="For all real inputs it would be a supremum at each ε.",
        way_out="Give inputs=Grid(lo, hi), a list, or Pairs(…).",
    )
    found: NDArray[Any] = np.zeros_like(points)
    seen: set[object] = set()
    for u, v in claim.pairs:
        one, two = claim.outcomes.chances(u, v)
        if any(reals_in(key.env[0]) for x in (u, v) for key in claim.outcomes.distribution(x)):
            raise ValueRefusedError(
                "the privacy loss is drawn for finite and whole outputs, and these contain real "
                "noise",
                rule="For real outputs, the loss would be a supremum of densities at each ε.",
                way_out="Round the output by comparisons, or ask tightest() for the factor.",
            )
        for key, chance in one.items():
            other = two.get(key)
            if other is None:
                return np.full_like(points, inf)
            if (chance, other) not in seen:
                seen.add((chance, other))
                found = np.maximum(found, np.log(chance.values(points) / other.values(points)))
    return found


def _run_with(value: Any, times: Fraction) -> Any:
    """Return an expression, or parts of one, with ε replaced by a multiple of ε."""
    if isinstance(value, Constant):
        return Constant(value.form.substitute(eps=eps * times))
    if isinstance(value, tuple):
        return tuple(_run_with(part, times) for part in value)
    if isinstance(value, Expression | Comparison):
        parts = {one.name: getattr(value, one.name) for one in fields(value)}  # type: ignore[arg-type]
        changed = {name: _run_with(part, times) for name, part in parts.items() if name != "text"}
        return replace(value, **changed)  # type: ignore[type-var]
    return value
