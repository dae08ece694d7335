"""Mechanism: what `@mechanism` makes of a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..language.program import Program
from ..unwritten import PartialObject


@dataclass(frozen=True)
class Mechanism(PartialObject):
    """A mechanism: a Python function that is read and never executed."""

    program: Program

    def __str__(self) -> str:
        return self.program.name


def mechanism(function: Callable[..., object]) -> Mechanism:
    """Read a function as a mechanism; free names are constants, taken now."""
    return Mechanism(Program.of(function))
