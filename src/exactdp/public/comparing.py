"""`compare`: which of several mechanisms is better at which ε, with a plot.

Plotting modules are loaded on first use (PLC0415).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from exactdp import claims
from exactdp.public.answers import Answer
from exactdp.public.calls import folded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.public.mechanism import Mechanism
    from exactdp.reals.numbers import Number


class Ranking(Answer, claims.Ranking):
    """Which mechanism is best at which ε: exact sets with certified endpoints.

    >>> from exactdp import Mechanism, compare
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> wide = Mechanism.from_source("def wide(x: Real): return lap(eps / 2, x)")
    >>> print(compare([count, wide], "absolute"))
    The smallest expected absolute error, at equal ε:
    count is the best for ε in (0, ∞).
    wide is the best for no ε.
    """

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot the measure of each mechanism against ε, and mark which one is best."""
        from exactdp.report.compared import plot_ranking  # noqa: PLC0415

        return plot_ranking(self, ax, **options)


@folded
def compare(  # noqa: PLR0913 what can be asked
    mechanisms: Mapping[str, Mechanism] | Iterable[Mechanism],
    measure: object = "absolute",
    inputs: object = None,
    *,
    within: Number = 0,
    ideal: object = None,
    epsilon: object = None,
    adjacent: object = None,
    width: Number = "1e-12",
) -> Ranking:
    """Return which of several mechanisms is best at which ε: exact sets with certified endpoints.

    The measure is "error", the probability that the output is off by more than `within`; or an
    expected loss: "absolute", "squared", "wrong", "regret", or a function of the output, or of
    input and output. For several inputs, the largest value counts. With `adjacent`, mechanisms are
    compared at equal exact privacy loss: one that is a·ε-private with the smallest a runs with ε/a.

    >>> from exactdp import Ideal, Mechanism, compare
    >>> wide = Mechanism.from_source("def wide(x: Real): return lap(eps / 2, x)")
    >>> late = Mechanism.from_source("def late(x: Real): return expo(eps, x + 1)")
    >>> true = Ideal.from_source("def true(x: Real): return x")
    >>> print(compare([wide, late], "absolute", ideal=true))
    The smallest expected absolute error, at equal ε:
    wide is the best for ε in [1, ∞).
    late is the best for ε in (0, 1].
    """
    found = claims.compare(
        mechanisms,
        measure,
        inputs,
        within=within,
        ideal=ideal,
        epsilon=epsilon,
        adjacent=adjacent,
        width=width,
    )
    return Ranking.of(found)
