"""Enclosures of best constants κ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from exactdp.reals.numbers import double, spell
from exactdp.reals.told import Told


@dataclass(frozen=True, repr=False)
class Kappa(Told):
    """A certified enclosure of κ; both bounds are `inf` if the claim holds for every κ.

    The claim is true with β/lower. It is false with β/upper, unless the bounds are equal: then κ is
    known exactly.

    >>> from exactdp import Accuracy, Mechanism, alpha, eps, exp
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> found = Accuracy(larger, exp(-alpha * eps / 2), inputs=[[0, 2]]).tightest().kappa
    >>> found.lower, found.upper
    (Fraction(2, 1), Fraction(2, 1))
    """

    lower: Fraction | float
    upper: Fraction | float

    def __float__(self) -> float:
        if not isinstance(self.lower, Fraction) or not isinstance(self.upper, Fraction):
            return float(self.lower)
        return double((self.lower + self.upper) / 2)

    def __str__(self) -> str:
        if not isinstance(self.lower, Fraction) or not isinstance(self.upper, Fraction):
            return "∞"
        if self.lower == self.upper:
            return spell(self.lower)
        return f"{float(self):.7g}"

    @property
    def limits(self) -> str:
        """The bounds in words: "4.35 and for no κ ≥ 4.36"."""
        if not isinstance(self.lower, Fraction) or not isinstance(self.upper, Fraction):
            return "∞"
        if self.lower == self.upper:
            return f"{spell(self.lower)} and for no larger κ"
        size = math.log10(self.upper.numerator) - math.log10(self.upper.denominator)
        unit = Fraction(10) ** (math.floor(size) - 6)
        down, up = math.floor(self.lower / unit) * unit, math.ceil(self.upper / unit) * unit
        return f"{_decimal(down)} and for no κ ≥ {_decimal(up)}"

    @property
    def whole(self) -> str:
        """The largest integer that is at most κ, or the candidates for it."""
        if not isinstance(self.lower, Fraction) or not isinstance(self.upper, Fraction):
            return "any"
        low, high = math.floor(self.lower), math.floor(self.upper)
        return str(low) if low == high else f"{low} {'to' if high > low + 1 else 'or'} {high}"


def _decimal(value: Fraction) -> str:
    """Return a number of any size with a few digits."""
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.7g}"


def largest_whole(kappa: Kappa, allows: Callable[[Fraction], bool | None]) -> int | None:
    """Return the largest integer κ, deciding those in the enclosure; None if one is undecided."""
    low, high = math.floor(kappa.lower), math.floor(kappa.upper)
    if kappa.lower < high == kappa.upper:
        high -= 1  # κ is smaller
    while low < high:
        middle = (low + high + 1) // 2
        is_allowed = allows(Fraction(middle))
        if is_allowed is None:
            return None
        low, high = (middle, high) if is_allowed else (low, middle - 1)
    return low


def every(answers: Iterable[bool | None]) -> bool | None:
    """Whether all answers are yes: no as soon as one is; None if one is undecided."""
    found: bool | None = True
    for one in answers:
        if one is False:
            return False
        found = found and one
    return found
