"""Statement: what a user claims, checked and frozen; the question is part of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ..geometry.domain import Domain
from ..language.program import Program
from ..ring.expr import Expr
from ..ring.linear import Rational
from .part import Point

ANY = "any"


@dataclass(frozen=True)
class AccuracyStatement:
    """Definition 2: at each input, for each α < dd, the output is wrong with probability ≤ β."""

    program: Program
    beta: Expr
    inputs: tuple[Point, ...]
    on: Domain = field(default_factory=Domain.line)
    alpha: str = ANY
    gamma: Rational = Fraction(0)
    input_distance: str = "linf"
    output_distance: str = "discrete"
    boundary: str = "skip"


Statement = AccuracyStatement
