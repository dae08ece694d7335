"""Verdicts on claims: a sentence first, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from exactdp.claims.decision.findings import Finding, Findings
from exactdp.claims.decision.problem import Problem, Sign
from exactdp.claims.stated.vacuity import Content, Contents
from exactdp.reals.radical_form import no_radical_certificate
from exactdp.reals.told import Told
from exactdp.semantics.engine import Engine


@dataclass(frozen=True, repr=False)
class Verdict(Told):
    """Whether a claim holds, why, and how it was decided."""

    claim: Any
    """An `Accuracy`, a `Privacy` or an `Expected`."""
    holds: bool | None
    """Whether the claim is mathematically true; None if undecided. A claim that says nothing is
    true: use `outcome`, or `bool(verdict)`, to find out whether something was claimed and holds."""
    route: str
    contents: Contents
    """How much the claim says at the examined inputs, or on cells of them."""
    classes: int | None = field(default=None, compare=False)
    """The number of classes of these inputs; one input of each was examined."""
    counterexamples: tuple[Any, ...] = ()
    findings: Sequence[Finding] = field(default=Findings(), repr=False)
    """The results on each examined region of parameters."""
    larger: Verdict | None = field(default=None, repr=False)
    """The verdict for all reals, if the one for a box was undecided."""
    implied_by: Any = field(default=None, repr=False)
    """The claim that was decided instead: one that implies this one, or is implied by it."""
    parts: tuple[Verdict, ...] = field(default=(), repr=False)
    """The verdicts for parts of ε, if a `min` or `max` of the mechanism changes between them."""
    orders: tuple[Any, ...] = field(default=(), repr=False)
    """Functions of ε that are nonnegative on this part of ε."""
    missing: str = ""
    """The missing hypothesis, or what is left to prove, if the claim is undecided."""
    seconds: float = field(default=0.0, repr=False, compare=False)

    @property
    def decided(self) -> Iterator[tuple[Problem, Sign]]:
        """The sign problems that were decided, in order."""
        return (one for finding in self.findings for one in finding.decided)

    @property
    def counterexample(self) -> Any:
        """The first counterexample, in the order of the inputs."""
        return self.counterexamples[0] if self.counterexamples else None

    @property
    def is_everywhere(self) -> bool:
        """Whether the claim is about all real inputs; then `inputs` and `silent` count cells."""
        return bool(self._decided_claim.scope.free)

    @property
    def nouns(self) -> tuple[str, str]:
        """The noun for what is counted, singular and plural."""
        decided = self._decided_claim
        found: tuple[str, str] = (decided.scope if self.is_everywhere else decided).nouns
        return found

    @property
    def _decided_claim(self) -> Any:
        """The claim that was decided: this one, or one that implies it or is implied."""
        return self.claim if self.implied_by is None else self.implied_by

    @property
    def inputs(self) -> int:
        """The number of examined inputs."""
        return self.contents.examined

    @property
    def silent(self) -> int:
        """The number of inputs at which nothing is claimed: dd is not above any α of the claim."""
        return self.contents.silent

    @property
    def trivial(self) -> int:
        """The number of inputs at which the claim cannot fail for any mechanism."""
        return self.contents.any_output + self.contents.any_error

    @property
    def content(self) -> Content:
        """The most that the claim says at any input."""
        return self.contents.most

    @property
    def vacuous(self) -> bool:
        """Whether, at every input, the claim says nothing or cannot fail."""
        return self.holds is True and self.contents.are_empty

    @property
    def outcome(self) -> str:
        """The outcome: "holds", "fails", "undecided" or "vacuous"."""
        if self.vacuous:
            return "vacuous"
        return {True: "holds", False: "fails", None: "undecided"}[self.holds]

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """The conventions that were followed; nothing else is assumed."""
        return *self.claim.conventions, "no conjecture is used"

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        claim = self.claim
        if self.holds is None:
            return f"Undecided: {claim}: {self.missing}."
        if self.vacuous:
            why, instead = claim.why_empty(self.contents), claim.way_out(self.contents)
            return f"Vacuous: {claim}. This says nothing: {why}. {instead}"
        if self.holds:
            return f"Holds: {claim}{self._counted}."
        return f"Fails: {claim}: {self.counterexample}."

    @property
    def _counted(self) -> str:
        """A clause on the number of inputs at which the claim says nothing.

        Inputs at which an error bound cannot fail are not mentioned.
        """
        empty = self.silent
        if self.claim.speaks_of_alpha:
            empty += self.trivial
        if not empty:
            return ""
        return f"; it says nothing at {empty:,} of the {self.inputs:,} {self.nouns[1]}"

    @property
    def as_classes(self) -> str:
        """A clause on the number of classes of inputs; empty if each input is its own class."""
        if self.is_everywhere or self.classes is None or self.classes >= self.inputs:
            return ""
        noun = "class" if self.classes == 1 else "classes"
        return f", in {self.classes:,} {noun} of inputs of which the same is claimed"

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """The verdict as plain JSON, for `exactdp.certify`."""
        if self.claim.mechanism.kept(Engine).is_irrational:
            raise no_radical_certificate()
        written: dict[str, Any] = self.claim.certificate(self)
        return written

    def __bool__(self) -> bool:
        return self.outcome == "holds"

    def __repr__(self) -> str:
        return f"<Verdict: {self.sentence}>"

    def __str__(self) -> str:
        lines = [self.sentence, f"Route: {self.route}."]
        one, many = self.nouns
        where = f"{self.inputs:,} {one if self.inputs == 1 else many} looked at"
        where += self.as_classes
        if empty := self.silent + self.trivial:
            where += f", the claim says nothing at {empty:,} of them"
            where += "" if self.vacuous else f" ({self.claim.why_empty(self.contents)})"
        if self.holds and self.implied_by is not None and not self.is_everywhere:
            is_same = not self._decided_claim.strategy.are_worst
            where += "; the error is " + (
                "the same at every input" if is_same else "largest close to these"
            )
        elif self.holds and self.claim.inputs is None and not self.is_everywhere:
            where += "; these are all inputs of the finite domain (Corollary 17)"
        lines.append(f"{many.capitalize()}: {where}.")
        lines.append(f"Conventions: {'; '.join(self.assumptions)}.")
        if len(self.counterexamples) > 1:
            lines.append(f"Counterexamples: {len(self.counterexamples)}.")
            lines += [f"  {one}" for one in self.counterexamples]
        return "\n".join(lines)
