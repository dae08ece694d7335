"""`Expected`, with its plot.

Plotting modules are loaded on first use (PLC0415).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from exactdp import claims
from exactdp.public.answers import ExpectedVerdict
from exactdp.public.calls import folds
from exactdp.running.conduct import How

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.public.mechanism import Mechanism
    from exactdp.running.conduct import Progress


@folds
class Expected(claims.Expected):
    """The expected loss of the mechanism is at most a bound, for every ε of an interval.

    The loss is "absolute", "squared", "wrong" or "regret", or a function of an output, or of an
    input and an output, that is piecewise polynomial. The bound `at_most` is a number or a formula
    in eps.

    >>> from exactdp import AllReals, Expected, Mechanism, eps
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> claim = Expected(larger, "regret", at_most=1 / eps, inputs=AllReals())
    >>> claim.check().holds
    True
    >>> print(Expected(larger, "regret", at_most="1/10", inputs=[[0, 2]]).epsilons())
    [3.27181206036…, ∞)
    """

    mechanism: Mechanism

    def check(
        self,
        *,
        all: bool = False,  # noqa: A002
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> ExpectedVerdict:
        """Decide the claim. With `all`, list every failing input, not only the first."""
        return ExpectedVerdict.of(super().check(all=all, progress=progress, **how))

    def plot(self, u: object = None, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the exact expected loss at an input and the claimed bound against ε."""
        from exactdp.report.losses import plot_expected  # noqa: PLC0415

        return plot_expected(self, u, ax, **options)
