"""The regret of a selection, at its worst inputs: 0 at one position and γ worse at all others.

The outputs are positions of the input x, the ideal output is a position o of its maximum, and an
output i is right if x[o] − x[i] ≤ γ. What is checked:

- every path of the ideal that ends in o implies x[o] ≥ x[j] for all j;
- every output i of the mechanism is a position, and becomes no less likely if another entry is
  lowered, nor if all entries are shifted (`monotone`).

Let S be the right outputs at x. Raising an entry outside of S to x[o] − γ makes no output of S more
likely, lowering one of S to it, except o, no output outside of S less likely. So Pr(S) at x is at
least Pr(S), hence Pr(o), at the input w with x[o] at o and x[o] − γ elsewhere; by the shift, at
any such w. For a minimum all signs are reversed. The proof is in `docs/theory.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ..kernel.reading import CertificateReader
from .derivation import Derivation
from .implied import ImpliedForms, side_of
from .linear import is_number
from .monotone import Monotone
from .ratios import UnsupportedError
from .successes import Successes


class Regret:
    """A selection among the numbers of the input."""

    def __init__(self, reader: CertificateReader, derivation: Derivation) -> None:
        self.require = reader.require
        members = derivation.members
        kinds = derivation.kinds
        if len(kinds) != 1 or kinds[0].length is None or any(one is not None for one in members):
            raise UnsupportedError("the input is not one list of reals")
        self.size = len(members)
        self.ideal = derivation.merged([None] * self.size, noisy=False)
        self.successes: Successes = derivation.successes([None] * self.size)

    def check(self, gamma: Fraction, inputs: list[list[Any]]) -> None:
        """Check that these inputs, each for one output, are the worst."""
        outputs = {one for one in self.successes.runs.outputs() if self._position(one)}
        self.require(len(inputs) == self.size, "a position has no worst input, or several")
        sign = 1 if inputs[0][0] == max(inputs[0]) else -1  # of a maximum, or a minimum
        right = all(self._is_worst(o, u, sign * gamma) for o, u in enumerate(inputs))
        self.require(right, "an input is not γ worse everywhere else")
        self.require(self._selects(sign), "the ideal output is not a position of the best number")
        right = all(self._is_ordered(o, sign) for o in outputs)
        self.require(right, "the chance of an output may fall along a direction")

    def _position(self, output: Any) -> bool:
        """Require that an output is a position."""
        if type(output) is not int or not 0 <= output < self.size:
            raise UnsupportedError("an output is not a position")
        return True

    def _is_worst(self, o: int, u: list[Any], gap: Fraction) -> bool:
        """Whether an input is a gap lower at all positions but one."""
        numbers = all(map(is_number, u))
        return numbers and all(u[o] - x == (0 if k == o else gap) for k, x in enumerate(u))

    def _selects(self, sign: int) -> bool:
        """Whether the ideal output is a position of the largest number, or of the smallest."""
        implied = ImpliedForms(self.ideal)
        return all(
            implied.holds(way, side_of(row, 0, strict=False))
            for o, way in implied.ends
            for row in self._rows(o, sign)
        )

    def _rows(self, o: Any, sign: int) -> Iterator[dict[int, Fraction]]:
        """Yield the forms ±(x[o] − x[j])."""
        self._position(o)
        for j in range(self.size):
            if j != o:
                yield {o: Fraction(sign), j: Fraction(-sign)}

    def _is_ordered(self, o: int, sign: int) -> bool:
        """Whether an output gets no less likely if others get worse, nor by a shift."""
        order = Monotone(self.successes.of(o, sup=False), [])
        shifts = [dict.fromkeys(range(self.size), way) for way in (1, -1)]
        others = [{j: -sign} for j in range(self.size) if j != o]
        return all(map(order.grows, [*others, *shifts]))
