"""Parts of the line as a traversal finds them: of one sign, with a crossing, a rational zero."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Seen:
    """A stretch of ε with one sign; the sign is 0 if it stays open."""

    lower: Fraction
    upper: Fraction | float
    sign: int
    why: str = ""
    """Why it stays open."""
    proof: tuple[Any, ...] = ()
    """How a certificate proves it (see `certificates`)."""


@dataclass(frozen=True)
class Crossed:
    """A stretch with exactly one zero, a simple one, at which the sign changes."""

    lower: Fraction
    upper: Fraction
    sign: int
    """The sign before."""


@dataclass(frozen=True)
class Touched:
    """A rational zero."""

    point: Fraction

    @property
    def upper(self) -> Fraction:
        """The point."""
        return self.point


Found: TypeAlias = Seen | Crossed | Touched
