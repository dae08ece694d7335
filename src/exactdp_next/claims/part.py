"""Part: inputs about which something is to be proved; Cover: parts that suffice for a statement."""

from __future__ import annotations

from dataclasses import dataclass

from ..geometry.domain import Domain
from ..language.program import Program
from ..ring.linear import Rational

Point = tuple[Rational, ...]


@dataclass(frozen=True)
class Part:
    """One input of a program, for ε on a domain."""

    program: Program
    inputs: Point
    on: Domain


@dataclass(frozen=True)
class Cover:
    """Parts that suffice for a statement, and the rule that says so."""

    parts: tuple[Part, ...]
    rule: str
