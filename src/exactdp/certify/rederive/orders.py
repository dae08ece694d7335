"""Signs of closed forms at the ε of a claim: which probabilities are ≥ 0, what `min` and `max` are.

Some are seen from the coefficients. Others are given as functions that are ≥ 0: by a proof, or
because the claim is examined only at those ε at which they are (`in_parts`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ..kernel.reading import RealInterval
from .ratios import POSITIVE, Ratio, times


class UnseenSignError(Exception):
    """The sign of a closed form is needed, and neither seen nor stated by the certificate."""

    def __init__(self, form: Ratio, problem: str) -> None:
        super().__init__(problem)
        self.form = form


class Orders(NamedTuple):
    """The ε that are examined, and functions that are ≥ 0 at all of them.

    If there are such functions, only those ε of the interval are examined at which they are ≥ 0.
    """

    on: RealInterval = POSITIVE
    known: tuple[Ratio, ...] = ()

    @property
    def point(self) -> Fraction | None:
        """The ε, if only one is examined."""
        on = self.on
        return on.lower if isinstance(on.lower, Fraction) and on.lower == on.upper else None

    def is_nonnegative(self, form: Ratio) -> bool:
        """Whether a function is seen or known to be ≥ 0 at every ε that is examined."""
        return any(is_multiple(form, one) for one in self.known) or form.is_nonnegative(self.on)

    def extreme(self, name: str, items: Sequence[Ratio]) -> Ratio:
        """Return which of the functions `min` or `max` is."""
        found = items[0]
        for one in items[1:]:
            gap = one - found if name == "min" else found - one  # if ≥ 0, the first remains
            if self.is_nonnegative(gap):
                continue
            if not self.is_nonnegative(-gap):
                raise UnseenSignError(gap, f"which part a {name} in ε is cannot be seen")
            found = one
        return found


def is_multiple(form: Ratio, other: Ratio) -> bool:
    """Whether a function is another one times a number ≥ 0."""
    if not form.over:
        return True
    if not other.over:
        return False
    one, two = times(form.over, other.under), times(other.over, form.under)
    key = next(iter(one))
    factor: Fraction = one[key] / two[key] if key in two else Fraction(-1)
    return factor > 0 and one == {k: factor * c for k, c in two.items()}


def covers(outer: RealInterval, inner: RealInterval) -> bool:
    """Whether an interval is within another."""
    low = outer.lower < inner.lower or (
        outer.lower == inner.lower and (outer.lower_closed or not inner.lower_closed)
    )
    high = outer.upper > inner.upper or (
        outer.upper == inner.upper and (outer.upper_closed or not inner.upper_closed)
    )
    return low and high
