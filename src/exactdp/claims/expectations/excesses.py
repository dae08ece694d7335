"""Counterexamples to bounds on an expected loss: an input and an ε at which it is larger."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from exactdp.claims.stated.inputs import show
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Enclosure
from exactdp.reals.numbers import spell
from exactdp.reals.told import Told


@dataclass(frozen=True, repr=False)
class Excess(Told):
    """An input and an ε at which the expected loss is above the claimed bound.

    >>> from exactdp import Expected, Mechanism, eps
    >>> count = Mechanism.from_source("def count(x: Real): return lap(eps, x)")
    >>> found = Expected(count, at_most=2, inputs=[0]).check().counterexample
    >>> found.input, found.eps < 1, found.size.text(4)
    (0, True, '3')
    """

    input: Value
    eps: Fraction
    expected: ClosedForm
    """The expected loss at the input, as a function of ε."""
    claimed: ClosedForm
    """The claimed bound there."""
    loss: str

    @cached_property
    def size(self) -> Enclosure:
        """An enclosure of the expected loss at this ε."""
        return self.expected.at(self.eps)

    @property
    def error(self) -> Enclosure:
        """The same, by the name that it has in counterexamples to accuracy."""
        return self.size

    @cached_property
    def allowed(self) -> Enclosure:
        """An enclosure of the bound at this ε."""
        return self.claimed.at(self.eps)

    def __str__(self) -> str:
        for digits in (4, 8, 16, 32):
            actual, most = (
                form.at(self.eps, digits).text(digits) for form in (self.expected, self.claimed)
            )
            if actual != most:
                break
        return (
            f"at the input {show(self.input)} and ε = {spell(self.eps)} the expected loss is "
            f"{actual}, and the claim allows {most}"
        )
