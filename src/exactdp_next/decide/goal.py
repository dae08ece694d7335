"""Goal: gap ≥ 0 is claimed on a domain; and the three answers to a goal."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ..geometry.domain import Domain
from ..messages import Reason
from ..ring.expsum import ExpSum
from ..ring.linear import Rational


@dataclass(frozen=True)
class Goal:
    """gap ≥ 0 on the relative interior of a domain, and by continuity on its closure.

    The recipe says from what the gap was made; it is no part of what is claimed.
    """

    gap: ExpSum
    on: Domain
    recipe: object = field(default=None, compare=False)


@dataclass(frozen=True)
class Zero:
    """The gap is 0."""


@dataclass(frozen=True)
class Walk:
    """The gap, without its dominant exponential, is positive on the interior of a window.

    If low is 0: up to `near` its derivative of this order, the first one that is not 0 at 0, is
    positive. If high is infinite: beyond `far` the dominant term is larger than all others
    together. On each box between two neighbouring `ends` the gap itself, enclosed term by term, or
    its Taylor polynomial of this degree around the middle, with its remainder, is positive.
    """

    order: int
    near: Fraction | None
    far: Fraction | None
    ends: tuple[Fraction, ...]
    degree: int


@dataclass(frozen=True)
class Square:
    """The gap is odd·root², and odd is ≥ 0."""

    odd: ExpSum
    root: ExpSum
    proof: Walk


Proof = Zero | Walk | Square


@dataclass(frozen=True)
class Witness:
    """A point of the domain where the gap is negative."""

    eps: Rational


@dataclass(frozen=True)
class Open:
    """Not decided, and why."""

    reason: Reason
