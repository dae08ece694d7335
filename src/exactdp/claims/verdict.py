"""The answer to a claim: a sentence first, then the numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, cmp_to_key
from typing import TYPE_CHECKING, Any

from exactdp.claims.distances import Distance
from exactdp.claims.expressions import Expression
from exactdp.claims.inputs import AllReals, Box, as_given, as_written, show
from exactdp.claims.obligations import Obligation
from exactdp.claims.vacuity import Content, Contents, way_out, why_empty
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Decision, Enclosure
from exactdp.reals.numbers import inf, simplest_inside, spell

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy
    from exactdp.claims.everywhere import Problem
    from exactdp.cones import ConeDecision


@dataclass(frozen=True)
class Checked:
    """An obligation, which of its alternatives for β, and the decision."""

    obligation: Obligation
    alternative: int
    decision: Decision


@dataclass(frozen=True)
class Counterexample:
    """An input, ε, α and γ at which the claim is false."""

    input: Value
    eps: Fraction
    alpha: Fraction
    gamma: Fraction
    output: Value
    """The ideal output."""
    distance: Distance
    """The distance to disagreement, above α."""
    probability: ClosedForm
    """Pr(within γ), as a function of ε."""
    beta: ClosedForm
    """The claimed bound at this α and γ, as a function of ε."""

    @classmethod
    def of(cls, claim: Accuracy, one: Obligation, decision: Decision) -> Counterexample:
        """Return the counterexample of a failed obligation, with α and γ that are claimed."""
        eps = decision.witness
        assert eps is not None  # a value below 0 has a rational neighbour
        alpha, gamma, beta = _claimed(claim, one, eps)
        return cls(
            as_written(as_given(claim.mechanism, one.input)),
            eps,
            alpha,
            gamma,
            one.output,
            one.distance,
            one.probability,
            beta,
        )

    @cached_property
    def error(self) -> Enclosure:
        """The probability of an error above γ at this ε, enclosed."""
        return (1 - self.probability).at(self.eps)

    @cached_property
    def allowed(self) -> Enclosure:
        """β at this ε, enclosed."""
        return self.beta.at(self.eps)

    @cached_property
    def actual(self) -> Enclosure:
        """Pr(within γ) at this ε, enclosed."""
        return self.probability.at(self.eps)

    @cached_property
    def required(self) -> Enclosure:
        """1 − β at this ε, enclosed."""
        return (1 - self.beta).at(self.eps)

    def __str__(self) -> str:
        return (
            f"at the input {show(self.input)} and ε = {spell(self.eps)} "
            f"(α = {spell(self.alpha)}, γ = {spell(self.gamma)}) {self._error_told}"
        )

    @property
    def _error_told(self) -> str:
        """Both error probabilities, with enough digits to see the difference."""
        what = "the error exceeds γ" if self.gamma else "the output is wrong"
        error = 1 - self.probability
        for digits in (4, 8, 16, 32):
            actual, claimed = (
                form.at(self.eps, digits).text(digits) for form in (error, self.beta)
            )
            if actual != claimed:
                return f"{what} with probability {actual}, and the claim allows {claimed}"
        share = ((error - self.beta) / error).at(self.eps, 4).text(4)
        return f"{what} with probability {actual}, and the claim allows less, by {share} of this"


def _claimed(
    claim: Accuracy, one: Obligation, eps: Fraction
) -> tuple[Fraction, Fraction, ClosedForm]:
    """Return α and γ at which the claim is made and false, and β there.

    Where the claim is made only below the largest α, one close enough to it is found: β is
    continuous, so it is below 1 − Pr there too.
    """
    obligations = claim.obligations
    values = obligations.input_values(one.input)
    level = claim.gamma_level
    share = Fraction(1, 2)

    def larger(form: ClosedForm, other: ClosedForm) -> int:
        return (form - other).at(eps).sign

    while True:
        alpha, gamma = one.alpha, one.gamma
        if not one.alpha_reached:
            alpha = _below(one.alpha, share, one.alpha_least)
        if isinstance(level, Expression):
            gamma = obligations.number(level, {**values, "alpha": alpha}, "gamma")
        elif not one.gamma_reached:
            gamma = _below(one.gamma, share, one.gamma_least)
        found = obligations.beta(one.input, values, alpha, gamma) or ()
        beta = min(found, key=cmp_to_key(larger), default=None)
        if beta is not None and (one.probability - 1 + beta).at(eps).sign < 0:
            return alpha, gamma, beta
        share /= 16


def _below(limit: Distance, share: Fraction, least: Fraction) -> Fraction:
    """Return a simple number between two, the closer to the upper one the smaller the share."""
    if limit == inf:
        return least + 1 / share
    return simplest_inside(limit - (limit - least) * share, limit)


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds, why, and how that was found."""

    claim: Accuracy
    holds: bool | None
    """Whether the claim is true as mathematics, None if undecided. A claim that says nothing is
    true: ask `outcome`, or the verdict as a bool, whether something was claimed and holds."""
    route: str
    contents: Contents
    """How much the claim says at the inputs that were looked at, or on cells of them."""
    counterexamples: tuple[Counterexample, ...] = ()
    checked: tuple[Checked, ...] = field(default=(), repr=False)
    missing: str = ""
    """Which hypothesis is missing, or what is left, if the claim is undecided."""
    cells: tuple[tuple[Problem, ConeDecision], ...] = field(default=(), repr=False)
    """Of a claim about all real inputs: what was decided on each cell of them."""
    seconds: float = field(default=0.0, repr=False, compare=False)

    @property
    def counterexample(self) -> Counterexample | None:
        """The first counterexample, in the order of the inputs."""
        return self.counterexamples[0] if self.counterexamples else None

    @property
    def is_everywhere(self) -> bool:
        """Whether the claim is about all real inputs; then `inputs` and `silent` count cells."""
        return isinstance(self.claim.input_set, AllReals | Box)

    @property
    def inputs(self) -> int:
        """How many inputs were looked at."""
        return self.contents.examined

    @property
    def silent(self) -> int:
        """At how many of them nothing is claimed: dd is not above any α of the claim."""
        return self.contents.silent

    @property
    def trivial(self) -> int:
        """At how many of them what is claimed cannot fail, whatever the mechanism does."""
        return self.contents.any_output + self.contents.any_error

    @property
    def content(self) -> Content:
        """How much the claim says at the input that says most."""
        return self.contents.most

    @property
    def vacuous(self) -> bool:
        """Whether the claim says nothing at any input, or only what cannot fail."""
        return self.holds is True and self.contents.are_empty

    @property
    def outcome(self) -> str:
        """The answer in a word: "holds", "fails", "undecided" or "vacuous"."""
        if self.vacuous:
            return "vacuous"
        return {True: "holds", False: "fails", None: "undecided"}[self.holds]

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """The conventions that were followed; nothing else is assumed."""
        claim = self.claim
        boundary = {
            "skip": "an input whose distance to disagreement is not above α claims nothing "
            "(Definition 2)",
            "check": "an input whose distance to disagreement equals α is checked too "
            "(the paper's experiments)",
        }[claim.boundary]
        agreement = {
            "equal": "two ideal outputs agree if they are equal (Definition 1)",
            "output_distance": "two ideal outputs agree if their output distance is 0 "
            "(Lemma lem:nmax)",
        }[claim.agreement]
        return boundary, agreement, "no conjecture is used"

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        claim = self.claim
        if self.holds is None:
            return f"Undecided: {claim}: {self.missing}."
        if self.vacuous:
            why, instead = why_empty(claim, self.contents), way_out(claim, self.contents)
            return f"Vacuous: {claim}. This says nothing: {why}. {instead}"
        if self.holds:
            return f"Holds: {claim}{self._counted}."
        return f"Fails: {claim}: {self.counterexample}."

    @property
    def _counted(self) -> str:
        """At how many inputs the claim says nothing, as words."""
        empty = self.silent + self.trivial
        if not empty:
            return ""
        noun = "cells" if self.is_everywhere else "inputs"
        return f"; it says nothing at {empty:,} of the {self.inputs:,} {noun}"

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """The verdict as plain JSON, for `exactdp.certify`."""
        from exactdp.claims.certificates import certificate  # noqa: PLC0415

        return certificate(self)

    def __bool__(self) -> bool:
        return self.outcome == "holds"

    def __str__(self) -> str:
        lines = [self.sentence, f"Route: {self.route}."]
        one, many = ("cell", "cells") if self.is_everywhere else ("input", "inputs")
        where = f"{self.inputs} {one if self.inputs == 1 else many} looked at"
        if empty := self.silent + self.trivial:
            where += f", the claim says nothing at {empty:,} of them"
            where += "" if self.vacuous else f" ({why_empty(self.claim, self.contents)})"
        if self.claim.inputs is None and not self.is_everywhere:
            where += "; these are all inputs of the finite domain (Corollary cor:finite)"
        lines.append(f"{many.capitalize()}: {where}.")
        lines.append(f"Conventions: {'; '.join(self.assumptions)}.")
        if len(self.counterexamples) > 1:
            lines.append(f"Counterexamples: {len(self.counterexamples)}.")
            lines += [f"  {one}" for one in self.counterexamples]
        return "\n".join(lines)
