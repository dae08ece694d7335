"""All that must be proved for a claim, undecided: the input for best constants and sets of ε."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from exactdp.claims.decision.problem import Problem
from exactdp.claims.decision.progress import Hear, nobody
from exactdp.claims.decision.slices import Fold, SlicedQuestion, whole
from exactdp.claims.decision.work import EndlessError
from exactdp.claims.regions.region import Region
from exactdp.claims.stated.vacuity import Contents
from exactdp.errors import ValueRefusedError
from exactdp.running.conduct import Progress, conduct_of

if TYPE_CHECKING:
    from exactdp.claims.decision.claim import Claim


@dataclass(frozen=True)
class Surveyed:
    """What must be proved at a listed input, or on a part of all reals."""

    problems: tuple[Problem, ...]
    contents: Contents


def surveyed(
    claim: Claim, group: tuple[Region, ...], hear: Hear, asked: str, *, in_parts: bool = False
) -> Surveyed:
    """Return what must be proved on a group of regions.

    The question `asked` is refused if α and γ leave it open; also where something is claimed on a
    part of ε with irrational ends, unless such parts are expected.
    """
    problems: list[Problem] = []
    contents: list[Contents] = []
    for region, part in claim.work.with_faces(group, hear):
        is_moving = region.levels and not (in_parts and region.curve is not None)
        if region.is_unknown or is_moving or region.sides:
            raise unknown(asked, region.why)
        if region.stretch is not None and not (
            in_parts and (region.is_ray or region.curve is not None)
        ):
            raise unknown(asked, region.why)
        contents.append(_add(claim, region, problems, part, asked))
    return Surveyed(tuple(problems), claim.counted(contents, group))


class Gathering(Fold):
    """What the problems of a claim contribute to an answer, under keys; equal ones have one key."""

    def __init__(self, claim: Any, question: Any, kept: dict[Any, Any]) -> None:
        self.claim, self.question, self.kept = claim, question, kept
        self.contents = Contents()
        self.found: dict[Any, Any] = {}

    def add(self, group: tuple[Region, ...], hear: Hear) -> None:
        """Process another group."""
        for problem in self.problems(group, hear):
            self.take(problem)

    def problems(self, group: tuple[Region, ...], hear: Hear) -> tuple[Problem, ...]:
        """Return what must be proved on a group, and count what the claim says there."""
        asked, in_parts = self.question.asked, self.question.in_parts
        here = surveyed(self.claim, group, hear, asked, in_parts=in_parts)
        self.contents += here.contents
        return here.problems

    @abstractmethod
    def take(self, problem: Problem) -> None:
        """Process another problem."""

    def answer(self) -> tuple[Contents, dict[Any, Any]]:
        """Return the results."""
        return self.contents, self.found


@dataclass(frozen=True)
class GatheringQuestion(SlicedQuestion):
    """A question about everything that must be proved."""

    gathering: ClassVar[type[Gathering]]
    in_parts: ClassVar[bool] = False
    """Whether parts of ε with irrational ends are expected."""

    def on(self, claim: Any, kept: dict[Any, Any]) -> Gathering:
        """Return the initial fold."""
        return self.gathering(claim, self, kept)


def gathered(
    claim: Claim, question: GatheringQuestion, progress: Progress | None
) -> tuple[Contents, dict[Any, Any]]:
    """Return how much a claim says, and the results for all problems."""
    contents, found = Contents(), dict[Any, Any]()
    for there, values in whole(claim, question, conduct_of(progress)):
        contents += there
        for key, value in values.items():
            found.setdefault(key, value)
    return contents, found


def survey(claim: Claim, asked: str) -> Iterator[Surveyed]:
    """Yield what must be proved on each group of regions."""
    return (surveyed(claim, group, nobody, asked) for group in claim.regions())


def _add(claim: Claim, region: Region, problems: list[Problem], hear: Hear, asked: str) -> Contents:
    """Add the problems of a region, and return how much the claim says there."""
    contents = Contents()
    try:
        for step in claim.work.steps(region):
            contents = contents.and_one(claim.work.content(step))
            problems += step.problems(region)
            hear(step.share)
    except EndlessError as error:
        raise unknown(asked, str(error)) from None
    return contents


def unknown(asked: str, why: str) -> ValueRefusedError:
    """Return the error for a question that requires a single α and γ at each input."""
    return ValueRefusedError(
        f"{asked} is not known: {why or 'a condition depends on eps'}",
        rule="β is compared with the exact error where a single α and γ decide an input.",
        way_out="Give numbers for alpha and gamma, or ask smallest_epsilon().",
    )
