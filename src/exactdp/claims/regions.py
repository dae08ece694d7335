"""All regions of a claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from exactdp.claims.conditions import ALWAYS
from exactdp.claims.inputs import how_many, is_listed, listed
from exactdp.language.layout import entries, kinds

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy

from exactdp.claims.everywhere_regions import regions_everywhere
from exactdp.claims.listed_regions import regions_at
from exactdp.claims.region import Region


def regions_of(claim: Accuracy) -> Iterator[tuple[Region, ...]]:
    """Yield the regions of a claim: those of each listed input, or of each finite part of one."""
    if is_listed(claim.input_set):
        alike: tuple[Region, ...] | None = None
        for u in listed(claim.mechanism, claim.input_set):
            if alike is None:
                found = regions_at(claim, u)
            else:
                found = tuple(replace(one, entries=tuple(entries(u))) for one in alike)
            if _is_alike(claim, found):
                alike = found
            yield found
    else:
        yield from regions_everywhere(claim)


def _is_alike(claim: Accuracy, found: tuple[Region, ...]) -> bool:
    """Whether the regions are the same at all inputs but for the input."""
    if claim.uses_inputs or claim.conditions != ALWAYS or claim.has_inverse_eps:
        return False
    if claim.mechanism.checked.releases_eps:
        return False
    return len(found) == 1 and found[0].beta is None and not found[0].levels


def how_many_groups(claim: Accuracy) -> int:
    """Return how many groups of regions there are."""
    if is_listed(claim.input_set):
        return how_many(claim.mechanism, claim.input_set)
    domains = (kind for kind in kinds(claim.mechanism.inputs) if kind is not None)
    return prod(len(kind.members) for kind in domains)
