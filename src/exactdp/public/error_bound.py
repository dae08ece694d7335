"""`ErrorBound`: how far off an output is, how often, and at which ε."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast

from exactdp import claims
from exactdp.public.accuracy import Accuracy
from exactdp.public.answers import Verdict
from exactdp.public.calls import folds
from exactdp.running.conduct import How

if TYPE_CHECKING:
    from exactdp.public.mechanism import Mechanism
    from exactdp.reals import Interval
    from exactdp.reals.numbers import Number
    from exactdp.running.conduct import Progress


@folds
class BoundedError(claims.BoundedError, Accuracy):
    """An accuracy claim made at every input and worded as an error bound."""

    mechanism: Mechanism


@folds
class ErrorBound(claims.ErrorBound):
    """The mechanism is off by more than `within` with probability at most `risk`.

    Given two of `within`, `risk` and ε, it returns the third:

    >>> from exactdp import ErrorBound, Mechanism
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> goal = ErrorBound(count, within=10, risk="5%")
    >>> print(goal.smallest_epsilon().sentence)
    The claim holds for every ε ≥ ε₀ ≈ 0.299573227356, and for no smaller ε₀.
    >>> print(goal.risk(eps=1).exact)
    exp(-10*eps)
    >>> print(f"{float(ErrorBound(count, risk='5%').smallest_within(eps=1)):.9f}")
    2.995732274

    The error of a number is its distance from the number without noise. For several numbers the
    largest error counts, or each error separately if not `simultaneous`. The error of a selection
    is the difference between the selected and the best value, so every tied choice is right. Any
    other output is either right or wrong.

    Inputs are a list, a `Grid`, a `Box` or `AllReals()`. They can be omitted if the error is the
    same at every input, or if there are finitely many inputs.
    """

    mechanism: Mechanism
    claim_type = BoundedError

    @property
    def claims(self) -> tuple[Accuracy, ...]:
        """The bound as accuracy claims: one, or one for each entry if not simultaneous."""
        return cast("tuple[Accuracy, ...]", super().claims)

    def check(
        self,
        eps: Interval | Number | None = None,
        *,
        progress: Progress | None = None,
        **how: Unpack[How],
    ) -> Verdict:
        """Decide the bound for every ε, for a single ε, or for every ε of an interval.

        If it fails, the counterexample is at the worst input. If there are several entries, the
        verdict is about the first one for which the bound does not hold, or else about the last.
        """
        return cast("Verdict", super().check(eps, progress=progress, **how))
