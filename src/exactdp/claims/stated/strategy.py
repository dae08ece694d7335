"""How a claim is decided, where there is a choice."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Strategy:
    """Which inputs are examined, and with which numbers; the claim is the same."""

    at_corners: bool = True
    """Whether all reals are examined at their worst inputs, if these are known."""
    at_few_outputs: bool = True
    """Whether a few of these worst inputs may stand for those of all ideal outputs."""
    in_chamber: bool = True
    """Whether inputs that differ by exchanges of entries are examined once."""
    room: Fraction | None = None
    """How far, relatively, a rational may be above an irrational limit of α or γ that it replaces;
    None if irrational limits are used as they are."""
    are_worst: bool = False
    """Whether the inputs of the claim were chosen because they are the worst of all reals."""


USUAL = Strategy()
