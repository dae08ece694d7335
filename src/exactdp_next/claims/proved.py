"""Proved: a goal with its proof."""

from __future__ import annotations

from dataclasses import dataclass

from ..decide.goal import Goal, Proof
from .part import Part


@dataclass(frozen=True)
class Proved:
    """A goal of a part, with its proof."""

    part: Part
    goal: Goal
    proof: Proof
