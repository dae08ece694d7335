"""All regions of a claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from exactdp.claims.stated.conditions import ALWAYS
from exactdp.language.layout import assembled, entries
from exactdp.language.values import Value

if TYPE_CHECKING:
    from exactdp.claims.regions.accuracy import AccuracyRegions
    from exactdp.claims.regions.classes import InputClass

from exactdp.claims.regions.everywhere import regions_everywhere
from exactdp.claims.regions.listed import regions_at
from exactdp.claims.regions.region import Region


def regions_of(
    claim: AccuracyRegions, *, each: bool = False, first: int = 0
) -> Iterator[tuple[Region, ...]]:
    """Yield the regions of a claim: those of each listed input, or of each finite part of an input.

    Inputs with equal obligations are combined, unless `each` is set. The `first` groups are
    skipped.
    """
    if claim.scope.free:
        yield from regions_everywhere(claim, first)
        return
    classes = None if each else claim.classes
    alike: tuple[Region, ...] | None = None
    for u, known in _inputs(claim, classes, first):
        if alike is None:
            found = regions_at(claim, u)
            if _is_alike(claim, found):
                alike = found
            yield tuple(replace(one, stands_for=known) for one in found)
        else:
            given = tuple(entries(u))
            yield tuple(one.with_entries(given, known) for one in alike)


def _inputs(
    claim: AccuracyRegions, classes: tuple[InputClass, ...] | None, first: int
) -> Iterator[tuple[tuple[Value, ...], InputClass | None]]:
    """Yield listed inputs, each with the class that it represents."""
    if classes is None:
        yield from ((u, None) for u in islice(claim.scope.listed(), first, None))
    else:
        left = islice(classes, first, None)
        yield from ((assembled(claim.mechanism.inputs, one.entries), one) for one in left)


def _is_alike(claim: AccuracyRegions, found: tuple[Region, ...]) -> bool:
    """Whether the regions are the same at all inputs, apart from the input itself."""
    if claim.uses_inputs or claim.conditions != ALWAYS or claim.has_inverse_eps:
        return False
    if claim.mechanism.checked.releases_eps:
        return False
    return len(found) == 1 and found[0].beta is None and not found[0].levels
