"""Expected losses in reports and plots."""

from __future__ import annotations

from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from exactdp.claims.expectations.claim import Expected
from exactdp.claims.stated.inputs import as_given, as_written, show
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.report.notebook import rows_with
from exactdp.report.styles import BLUE, VERMILLION, logarithmic, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 200
_MOST = 5  # inputs whose losses are shown


def expected_rows(claim: Expected) -> list[tuple[str, str]]:
    """Return the parts of a claim about an expected loss: names and values, in HTML."""
    own = [("loss", escape(claim.what)), ("at most", escape(str(claim.formula)))]
    return rows_with(claim, own)


def how_large(claim: Expected) -> list[str]:
    """Return sentences about the size of the expected loss."""
    said = []
    for u in islice(claim.scope.listed(), _MOST):
        given = as_written(as_given(claim.mechanism, u))
        form = claim.exact(given)
        text = "∞" if isinstance(form, float) else form.pretty()
        said.append(f"At the input {show(given)} it is {text}.")
    try:
        said.append(str(claim.tightest()))
    except ExactdpError as error:
        said.append(f"It is not told how tight the bound is: {error.message}.")
    return said


def plot_expected(
    claim: Expected,
    u: object = None,
    ax: Axes | None = None,
    *,
    label: str | None = None,
    between: tuple[float, float] = (0.05, 10.0),
) -> Axes:
    """Plot the exact expected loss at an input and the claimed bound against ε."""
    import numpy as np  # noqa: PLC0415 only for pictures

    if u is None:
        claim.scope.require_listed(
            "the expected loss is drawn at one input",
            way_out="Give the input: claim.plot([0, 1]).",
        )
        u = as_written(as_given(claim.mechanism, claim.scope.some))
    form = claim.exact(u)
    if isinstance(form, float):
        raise ValueRefusedError("the expected loss is infinite")
    axes = ax or new_axes()
    points = np.geomspace(*between, _POINTS)
    axes.plot(points, form.values(points), color=BLUE, label=label or f"exact, at {show(u)}")
    if claim.at_most is not None and not claim.formula.names():
        bounds = [one.values(points) for one in claim.formula.alternatives({})]
        axes.plot(points, np.min(bounds, axis=0), color=VERMILLION, linestyle="--", label="claimed")
    logarithmic(axes, x=True, y=True)
    title = f"expected {claim.what} of {claim.mechanism.__name__}"
    axes.set(xlabel="ε", ylabel=claim.what, title=title)
    axes.legend()
    return axes
