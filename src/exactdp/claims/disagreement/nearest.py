"""`Disagreement`: dd(u) as an answer, with a nearest input of another ideal output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from exactdp.claims.stated.distances import Distance
from exactdp.claims.stated.inputs import show
from exactdp.language.values import Value
from exactdp.reals.told import Told

Differ: TypeAlias = Callable[[Value], bool]
"""Whether an output disagrees with that at the given input."""


def disagrees(one: Value, output: Value, differ: Differ | None) -> bool:
    """Whether an output disagrees: by default if it is not equal."""
    return bool(one != output) if differ is None else differ(one)


@dataclass(frozen=True, repr=False)
class Disagreement(Told):
    """dd(u), with a nearest input of another ideal output (None if there is none).

    >>> from exactdp import Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> from exactdp import Accuracy
    >>> print(Accuracy(larger, "25%", inputs=[[0, 2]]).disagreement([0, 2]))
    The nearest input with another ideal output is 1 away, at [1, 1], with output 0.
    """

    distance: Distance
    input: Value | None
    output: Value | None
    attained: bool
    """Whether that input itself disagrees; otherwise inputs arbitrarily close to it do."""
    towards: tuple[Fraction, ...] | None = None
    """If it does not: every input + t·towards (entry by entry) with small t > 0 disagrees."""
    is_near: bool = False
    """Whether that input disagrees, but is slightly further away than the nearest ones."""

    def __str__(self) -> str:
        if self.input is None:
            return "No input at a finite distance has another ideal output."
        how, where = "at" if self.attained else "arbitrarily close to", show(self.input)
        if self.is_near:
            how, where = "near", _approximate(self.input)
        return (
            f"The nearest input with another ideal output is {self.distance} away, "
            f"{how} {where}, with output {show(self.output)}."
        )


def _approximate(given: Value) -> str:
    """Return an input with rounded numbers."""
    if isinstance(given, list | tuple):
        inside = ", ".join(map(_approximate, given))
        return f"[{inside}]" if isinstance(given, list) else f"({inside})"
    return f"{float(given):.6g}" if isinstance(given, Fraction) else show(given)
