"""Rounded reals: ⌊x⌋ and round(x), which stay symbols until their value matters.

Comparing one of them with a number means comparing the underlying real: ⌊x⌋ ≥ 3 is x ≥ 3. The
symbol stores the bounds known from earlier comparisons; once they coincide, its value is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Whole:
    """⌊form⌋, or with `nearest` the nearest whole number, ties to even; between low and high."""

    form: Any
    nearest: bool = False
    low: int | None = None
    high: int | None = None

    @property
    def known(self) -> int | None:
        """The number, if it is known."""
        return self.low if self.low == self.high else None

    def is_like(self, other: Whole) -> bool:
        """Whether both are the same number, regardless of the bounds known."""
        return self.nearest == other.nearest and self.form == other.form

    def reaches(self, k: int) -> bool | None:
        """Whether it is at least k; None if that is not known."""
        if self.low is not None and k <= self.low:
            return True
        return False if self.high is not None and self.high < k else None

    def bounded(self, k: int, truth: bool) -> Whole:
        """Return it with the knowledge whether it is at least k."""
        return replace(self, low=k) if truth else replace(self, high=k - 1)

    def condition(self, k: int) -> tuple[str, Any]:
        """Return (op, form) such that it is at least k if and only if form op 0.

        Halfway between two whole numbers Python rounds to the even one.
        """
        if not self.nearest:
            return ">=", self.form - k
        return ">=" if k % 2 == 0 else ">", self.form - k + Fraction(1, 2)

    def value(self, number: Any) -> int:
        """Return the whole number for a given number as the form."""
        return int(round(number) if self.nearest else math.floor(number))

    def __str__(self) -> str:
        return f"{'round' if self.nearest else 'floor'}({self.form})"


def first_unknown(whole: Whole, op: str, limit: Fraction) -> tuple[bool, int | None]:
    """Return whether z op limit for a whole number z, and k if z ≥ k must be decided first."""
    steps: tuple[tuple[int, bool], ...]
    if op in ("==", "!="):
        if limit.denominator != 1:
            return op == "!=", None
        steps = (int(limit), True), (int(limit) + 1, False)
    elif op in (">=", "<"):
        steps = ((math.ceil(limit), op == ">="),)
    else:
        steps = ((math.floor(limit) + 1, op == ">"),)
    for k, wanted in steps:
        truth = whole.reaches(k)
        if truth is None:
            return False, k
        if truth != wanted:
            return op == "!=", None
    return op != "!=", None
