"""Verdict: the answer to a claim. Its sentence and its certificate are made from its data alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..unwritten import PartialObject
from .certificate import certificate
from .part import Part
from .proved import Proved
from .refute import Counterexample
from .sentences import sentence
from .statement import Statement

HOLDS, FAILS, UNDECIDED, VACUOUS = "holds", "fails", "undecided", "vacuous"


@dataclass(frozen=True)
class Verdict(PartialObject):
    """The answer to a claim: `holds`, `fails`, `undecided` or `vacuous`; only `holds` is true.

    It has a proof of each goal, the inputs about which nothing is claimed, a counterexample, or
    what is left.
    """

    outcome: str
    statement: Statement
    proved: tuple[Proved, ...] = ()
    silent: tuple[Part, ...] = ()
    counterexample: Counterexample | None = None
    left: str = ""

    @property
    def holds(self) -> bool:
        """Whether the claim is proved."""
        return self.outcome == HOLDS

    @property
    def fails(self) -> bool:
        """Whether the claim is refuted."""
        return self.outcome == FAILS

    @property
    def sentence(self) -> str:
        """The answer in a sentence."""
        return sentence(self.outcome, self.statement, self.counterexample, self.left)

    @cached_property
    def certificate(self) -> dict[str, object]:
        """The proof as JSON, for `certify.accepted`."""
        return certificate(self.outcome, self.statement, self.proved)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return self.sentence
