"""`Accuracy`, with its plots.

Plotting modules are loaded on first use (PLC0415).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack, overload

from exactdp import claims
from exactdp.claims.disagreement.nearest import Disagreement
from exactdp.public.answers import ErrorCurve, PiecewiseDistance, Verdict
from exactdp.public.calls import folds
from exactdp.running.conduct import How

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.claims.stated.inputs import AllReals, Box
    from exactdp.public.mechanism import Mechanism
    from exactdp.running.conduct import Progress


@folds
class Accuracy(claims.Accuracy):
    """The mechanism is (α, β, γ)-accurate at the inputs, for every ε of an interval.

    At an input whose distance to disagreement is above α, the output is within γ of the ideal
    output with probability at least 1 − β. A β above 1 is read as 1.

    >>> from exactdp import Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> from exactdp import Accuracy, AllReals, alpha, eps, exp
    >>> claim = Accuracy(larger, beta=exp(-alpha * eps / 2), inputs=AllReals())
    >>> claim.check().holds
    True
    >>> print(Accuracy(larger, beta="5%", inputs=[[0, 2]]).epsilons())
    [3.27181206036…, ∞)
    """

    mechanism: Mechanism

    def check(
        self,
        *,
        all: bool = False,  # noqa: A002
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Verdict:
        """Decide the claim. With `all`, list every failing input, not only the first."""
        return Verdict.of(super().check(all=all, progress=progress, **how))

    @overload
    def disagreement(self, u: AllReals | Box) -> PiecewiseDistance: ...  # type: ignore[overload-overlap]
    @overload
    def disagreement(self, u: object) -> Disagreement: ...
    def disagreement(self, u: object) -> Any:
        """Return the distance to disagreement at an input, and a nearest disagreeing input.

        For `AllReals()` or a `Box`, return a piecewise linear formula in the inputs, with a `plot`.
        """
        found = super().disagreement(u)
        return found if isinstance(found, Disagreement) else PiecewiseDistance.of(found)

    def error_probability(self, u: object) -> ErrorCurve:
        """Return 1 − Pr(within γ) at an input as an exact function of ε, with the claimed β."""
        return ErrorCurve.of(super().error_probability(u))

    def plot(self, kind: str = "error", ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the claim; `kind` is "error", "kappa", "region" or "simulated"."""
        from exactdp.report.plots import plot  # noqa: PLC0415

        return plot(self, kind, ax, **options)

    def _repr_html_(self) -> str:
        from exactdp.report.notebook import claim_html  # noqa: PLC0415

        return claim_html(self)

    def _repr_latex_(self) -> str:
        from exactdp.report.notebook import claim_latex  # noqa: PLC0415

        return claim_latex(self)
