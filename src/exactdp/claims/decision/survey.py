"""All that must be proved for a claim, undecided: the input for best constants and sets of ε."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactdp.claims.decision.problem import Problem
from exactdp.claims.decision.progress import Hear, nobody
from exactdp.claims.decision.work import EndlessError
from exactdp.claims.regions.region import Region
from exactdp.claims.stated.vacuity import Contents
from exactdp.errors import ValueRefusedError

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
