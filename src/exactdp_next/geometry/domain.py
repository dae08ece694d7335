"""Domain: where a goal is claimed (a stub until the package lands)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Domain:
    """The ε of an open window; without `high` up to ∞."""

    low: Fraction = Fraction(0)
    high: Fraction | None = None
