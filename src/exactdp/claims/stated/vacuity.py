"""Claims that say nothing: at which inputs, why, and what to write instead.

A claim may say nothing at an input for three reasons. No α of the claim is below the distance to
disagreement, so Definition 2 requires nothing. Or the requirement cannot fail for any mechanism,
because γ is at least the largest possible output distance, or β is at least 1 for every ε.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from exactdp.claims.stated.conditions import ALWAYS
from exactdp.claims.stated.levels import Range, constant
from exactdp.claims.stated.output_distances import discrete_outputs, sup
from exactdp.errors import counted
from exactdp.reals import ClosedForm

if TYPE_CHECKING:
    from exactdp.claims.stated.claim import Due
    from exactdp.claims.stated.statement import AccuracyStatement


class Content(IntEnum):
    """How much a claim says at an input, in increasing order; two parts say the larger."""

    NOTHING = 0
    """The distance to disagreement is not above any α of the claim."""
    ANY_OUTPUT = 1
    """γ is at least the largest possible output distance."""
    ANY_ERROR = 2
    """β is at least 1 for every ε."""
    SOMETHING = 3


@dataclass(frozen=True)
class Contents:
    """The number of inputs, or of cells of inputs, by how much a claim says there."""

    silent: int = 0
    any_output: int = 0
    any_error: int = 0
    telling: int = 0

    def and_one(self, content: Content) -> Contents:
        """Return the counts with one more input."""
        return self.and_some(content, 1)

    def and_some(self, content: Content, count: int) -> Contents:
        """Return the counts with some more inputs."""
        counts = [self.silent, self.any_output, self.any_error, self.telling]
        counts[content] += count
        return Contents(*counts)

    def __add__(self, other: Contents) -> Contents:
        return Contents(
            self.silent + other.silent,
            self.any_output + other.any_output,
            self.any_error + other.any_error,
            self.telling + other.telling,
        )

    @property
    def examined(self) -> int:
        """The total number."""
        return self.silent + self.any_output + self.any_error + self.telling

    @property
    def most(self) -> Content:
        """The largest content at any of them."""
        if self.telling:
            return Content.SOMETHING
        if self.any_error:
            return Content.ANY_ERROR
        return Content.ANY_OUTPUT if self.any_output else Content.NOTHING

    @property
    def are_empty(self) -> bool:
        """Whether the claim says nothing at each of them."""
        return self.telling == 0


def content_of(found: Due[Any] | None, at_least_one: Callable[[ClosedForm], bool]) -> Content:
    """Return how much a claim says at an input, given what must be proved there.

    `at_least_one` decides whether β ≥ 1 wherever that must be proved.
    """
    if found is None:
        return Content.NOTHING
    if not found.obligations:
        return Content.ANY_OUTPUT if found.allows_all else Content.SOMETHING
    content = Content.ANY_OUTPUT
    for one in found:
        if one.allows_all:
            continue
        bounds = one.largest_of or ((form,) for form in one.beta)
        if not all(any(map(at_least_one, forms)) for forms in bounds):
            return Content.SOMETHING
        content = Content.ANY_ERROR
    return content


def why_empty(claim: AccuracyStatement, contents: Contents) -> str:
    """Describe why a claim says nothing at some inputs."""
    if not contents.examined:
        return "no input, ε, α and γ satisfy its conditions"
    noun, nouns = claim.scope.nouns
    silent = "the distance to disagreement is not above any α of the claim"
    if claim.conditions != ALWAYS:
        silent = "no α below the distance to disagreement satisfies the conditions"
    reasons = (
        (
            contents.silent,
            silent + (", or the ideal is not defined" if claim.ideal_function.is_partial else ""),
        ),
        (contents.any_output, "γ is at least the largest possible output distance"),
        (contents.any_error, f"β is at least 1 for every ε in {claim.epsilon}"),
    )
    given = [(count, reason) for count, reason in reasons if count]
    if len(given) == 1 and contents.are_empty:
        where = f"at the only {noun}" if contents.examined == 1 else f"at each of these {nouns}"
        return f"{where} {given[0][1]}"
    return ", ".join(f"at {counted(count, noun)} {reason}" for count, reason in given)


def way_out(claim: AccuracyStatement, contents: Contents) -> str:
    """Return what to write instead of a claim that says nothing."""
    if claim.conditions != ALWAYS and not contents.any_output and not contents.any_error:
        return "Weaken the conditions: region, inputs, or the ends of a range."
    if not contents.any_output and not contents.any_error:
        return _larger_disagreement(claim)
    said = []
    if contents.any_output and claim.output_metric == discrete_outputs:
        said.append(
            "The output distance is discrete, which is 0 or 1: write output_distance=sup if γ "
            "is an error in the value of the output, or gamma=0."
        )
    elif contents.any_output:
        said.append("Give a smaller gamma, or inputs at which outputs differ by more.")
    if contents.any_error and not claim.uses_inputs and constant(claim.formula) is not None:
        said.append("β is a probability: write 5 % as beta=0.05.")
    elif contents.any_error:
        said.append("Give a smaller beta, larger epsilon, or inputs with more disagreement.")
    return " ".join(said)


def _larger_disagreement(claim: AccuracyStatement) -> str:
    if claim.mechanism.checked.output.holds_noise and claim.input_metric.is_norm:
        outputs = "" if claim.output_metric == sup else " and output_distance=sup"
        return (
            f"Under {claim.input_metric} the ideal output changes with every change of the input, "
            f"however small: write input_distance=discrete{outputs}."
        )
    if isinstance(claim.alpha_level, Range) and claim.alpha_level.lower == 0:
        return (
            "The ideal output changes next to these inputs: give others, another input_distance, "
            "or agreement='output_distance' if ties are no disagreement."
        )
    return "Give a smaller alpha, inputs further from another answer, or another input_distance."
