"""`Risk`: the largest probability of an error above a number, over inputs and ε."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.claims.stated.inputs import show
from exactdp.language.values import Value
from exactdp.reals import Interval
from exactdp.reals.numbers import spell
from exactdp.reals.told import Told


@dataclass(frozen=True, repr=False)
class Risk(Told):
    """The largest probability of an error above a number: proven to lie in [lower, upper].

    It is the largest over all inputs of the bound and, if an interval is given, over its ε.

    >>> from exactdp import ErrorBound, Mechanism
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> print(ErrorBound(count, within=10).risk(eps=1).exact)
    exp(-10*eps)
    """

    within: Fraction
    eps: Interval
    lower: Fraction
    upper: Fraction
    input: Value | None
    """An input at which it is attained or approached; None if no input has such an error."""
    exact: Any  # a ClosedForm, or a ByEpsilon of them
    """The probability at this input, as a function of ε."""
    is_everywhere: bool
    """Whether it is the same at every input."""
    attained: bool
    """Whether it is attained at the input; otherwise it may only be approached near it."""
    is_alone: bool = False
    """Whether the bound is about this input only."""
    near: Value | None = None
    """A simple input near which it is approached, if it may not be attained."""

    def __float__(self) -> float:
        return float((self.lower + self.upper) / 2)

    @property
    def _size(self) -> str:
        width = self.upper - self.lower
        if not width:
            return spell(self.lower)
        if width > self.upper / 10**4:
            return f"between {float(self.lower):.6g} and {float(self.upper):.6g}"
        known = 6 if width <= self.upper / 10**6 else 4
        return f"≈ {float(self):.{known}g}"

    def __str__(self) -> str:
        what = f"an error above {spell(self.within)}" if self.within else "an error"
        if self.input is None:
            return f"The probability of {what} is 0 at each of these inputs."
        when = (
            f"At ε = {spell(Fraction(self.eps.lower))}"
            if self.eps.is_point
            else f"For ε in {self.eps}"
        )
        size = self._size
        if not self.eps.is_point:
            size = f"at most {size}"  # the supremum over these ε
        if not self.attained:
            return (
                f"{when} the probability of {what} is {size}"
                f"{' at worst' if self.eps.is_point else ''}, approached near the input "
                f"{show(self.input if self.near is None else self.near)}."
            )
        where = (
            f"the input {show(self.input)}"
            if self.is_alone
            else "every input"
            if self.is_everywhere
            else f"the worst input {show(self.input)}"
        )
        return (
            f"{when} the probability of {what} is {size} at {where}; "
            f"as a function of ε it is {self.exact.pretty()}."
        )
