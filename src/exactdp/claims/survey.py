"""All that must be proved for a claim, not decided yet: what best constants and sets of ε need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exactdp.claims.inputs import is_listed
from exactdp.claims.progress import Hear, Meter, Progress
from exactdp.claims.region import Region
from exactdp.claims.vacuity import Contents
from exactdp.claims.work import EndlessError, Problem
from exactdp.errors import ValueRefusedError

if TYPE_CHECKING:
    from exactdp.claims.claim import Claim


@dataclass(frozen=True)
class Surveyed:
    """What must be proved at a listed input, or on a part of all reals."""

    problems: tuple[Problem, ...]
    contents: Contents


def surveyed(
    claim: Claim, asked: str, progress: Progress | None, *, each: bool = False
) -> Iterator[Surveyed]:
    """Yield what must be proved; what is `asked` is refused where α and γ leave it open.

    With `each`, at every listed input; else once for all of which the same is claimed.
    """
    meter = Meter(claim, progress)
    for group in claim.regions(each=each):
        problems: list[Problem] = []
        contents = Contents()
        for region, hear in claim.work.with_faces(group, meter.part):
            if region.is_unknown or region.levels or region.sides or region.stretch is not None:
                raise unknown(asked, region.why)
            contents += _add(claim, region, problems, hear, asked)
        count = group[0].inputs if group else 1
        if is_listed(claim.input_set):
            contents = Contents().and_some(contents.most, count)
        yield Surveyed(tuple(problems), contents)
        meter.one_more(count)


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
    """Return the refusal of a question that one α and γ at each input would answer."""
    return ValueRefusedError(
        f"{asked} is not known: {why}",
        rule="β is compared with the exact error where one α and γ decide an input.",
        way_out="Give numbers for alpha and gamma, or a beta that falls in both.",
    )
