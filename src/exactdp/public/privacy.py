"""`Privacy`, with its plots; `plot_tradeoff`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from exactdp import claims
from exactdp.errors import ValueRefusedError, shown
from exactdp.public.answers import DeltaCurve, PrivacyVerdict
from exactdp.public.calls import folded, folds
from exactdp.running.conduct import How

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from exactdp.public.answers import ErrorCurve
    from exactdp.public.mechanism import Mechanism
    from exactdp.running.conduct import Progress


@folds
class Privacy(claims.Privacy):
    """The mechanism is (budget, δ)-differentially private, for every ε of an interval.

    For all adjacent inputs u, u′ and all sets S of outputs, Pr[P(u) ∈ S] ≤ e^budget·Pr[P(u′) ∈ S]
    + δ. With measure="bounded_range", the ratios Pr[P(u) = o]/Pr[P(u′) = o] of any two outputs o
    differ by a factor of at most e^budget.

    >>> from exactdp import Mechanism, Privacy, hamming
    >>> coin = Mechanism.from_source(
    ...     "def coin(b: Dom(0, 1)): return choose({b: 3 / 4, 1 - b: 1 / 4})"
    ... )
    >>> Privacy(coin, adjacent=hamming(1), epsilon="[2, inf)").check().holds
    True
    """

    mechanism: Mechanism

    def check(
        self,
        *,
        all: bool = False,  # noqa: A002
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> PrivacyVerdict:
        """Decide the claim. With `all`, list every failing pair, not only the first."""
        return PrivacyVerdict.of(super().check(all=all, progress=progress, **how))

    def smallest_delta(self, *, progress: Progress | None = None, **how: Unpack[How]) -> DeltaCurve:
        """Return the smallest δ for the budget as an exact function of ε, for listed inputs."""
        return DeltaCurve.of(super().smallest_delta(progress=progress, **how))

    def plot(self, errors: ErrorCurve, ax: Axes | None = None, **options: Any) -> Axes:
        """Plot an error probability against the exact privacy loss, as ε varies.

        `errors` is `Accuracy(…).error_probability(u)`. To compare several mechanisms, pass the same
        axes each time, or use `plot_tradeoff`.
        """
        from exactdp.report.private import plot_tradeoff  # noqa: PLC0415

        return plot_tradeoff(self, errors, ax, **options)


@folded
def plot_tradeoff(
    *private: Privacy,
    at: object,
    ideal: Any = None,
    gamma: Any = 0,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    largest: float = 6.0,
) -> Axes:
    """Plot the error of mechanisms at an input against their privacy loss, as ε varies.

    Each claim has one curve. The x-axis is the exact privacy loss over all adjacent pairs of the
    claim; the y-axis is the exact probability that the output differs by more than `gamma` from the
    ideal output (without noise, or given by `ideal`). At equal loss, the lower curve is better.

    >>> from exactdp import Mechanism, Privacy, plot_tradeoff
    >>> coin = Mechanism.from_source(
    ...     "def coin(b: Dom(0, 1)): return b if bernoulli(exp(eps) / (1 + exp(eps))) else 1 - b"
    ... )
    >>> plot_tradeoff(Privacy(coin), at=0, ideal=lambda b: b).get_xlabel()
    'exact privacy loss'
    """
    from exactdp.public.accuracy import Accuracy  # noqa: PLC0415

    for one in private:
        if not isinstance(one, Privacy):
            raise ValueRefusedError(
                f"{shown(one)} is not a privacy claim",
                rule="Each curve belongs to a claim: Privacy(mechanism, inputs=…).",
                way_out="Write plot_tradeoff(Privacy(one, inputs=…), Privacy(two, inputs=…), at=u)",
            )
    names = [one.mechanism.__name__ for one in private] if labels is None else list(labels)
    if not private or len(names) != len(private):
        raise ValueRefusedError(
            f"there are {len(private)} claims and {len(names)} labels",
            rule="Each claim has a curve with a label.",
            way_out="Give as many labels as claims, or none.",
        )
    for one, name in zip(private, names, strict=True):
        accuracy = Accuracy(
            one.mechanism,
            beta="1/2",
            ideal=ideal,
            alpha=0,
            gamma=gamma,
            inputs=[at],
            epsilon=one.epsilon,
        )
        ax = one.plot(accuracy.error_probability(at), ax, label=name, largest=largest)
    assert ax is not None
    return ax
