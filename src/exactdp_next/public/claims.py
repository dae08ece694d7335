"""The claims that users make: they hold what was given, and answer questions about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ..claims.statement import AccuracyStatement, Statement
from ..claims.verdict import Verdict
from ..errors import NotYet
from ..questions.check import check
from ..ring.expr import Expr
from ..run import running
from ..unwritten import PartialObject
from .mechanism import Mechanism


@dataclass(frozen=True)
class Accuracy(PartialObject):
    """The claim that a mechanism is (α, β, γ)-accurate at given inputs (Definition 2)."""

    mechanism: Mechanism
    beta: Expr
    inputs: Sequence[Sequence[int | Fraction]]

    def check(self) -> Verdict:
        """Decide the claim for every ε > 0."""
        with running():
            return check(self._statement)

    @cached_property
    def _statement(self) -> Statement:
        size = len(self.mechanism.program.coordinates)
        if not isinstance(self.inputs, (list, tuple)) or not isinstance(self.beta, Expr):
            raise NotYet("claims")
        inputs = tuple(tuple(u) for u in self.inputs)
        numbers = all(type(x) in (int, Fraction) for u in inputs for x in u)
        if not numbers or any(len(u) != size for u in inputs):
            raise NotYet("claims")
        return AccuracyStatement(self.mechanism.program, self.beta, inputs)
