"""All regions of a claim."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from exactdp.claims.stated.conditions import ALWAYS
from exactdp.claims.stated.inputs import as_given, with_zeros
from exactdp.claims.stated.levels import Level, Range, constant
from exactdp.claims.stated.scope import FREE, Part
from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import inf
from exactdp.semantics.distribution import has_integers
from exactdp.semantics.engine import Engine

if TYPE_CHECKING:
    from exactdp.claims.regions.accuracy import AccuracyRegions
    from exactdp.claims.regions.classes import InputClass

from exactdp.claims.regions.of_part import regions_at
from exactdp.claims.regions.region import Region, refused


def regions_of(
    claim: AccuracyRegions, *, each: bool = False, first: int = 0
) -> Iterator[tuple[Region, ...]]:
    """Yield the regions of a claim at each part of its inputs.

    Inputs with equal obligations are combined, unless `each` is set. The `first` groups are
    skipped.
    """
    if claim.scope.free:
        _refuse_everywhere(claim)
    alike: tuple[Region, ...] | None = None
    for part, known in _parts(claim, None if each else claim.classes, first):
        if alike is not None:
            yield tuple(one.with_entries(part, known) for one in alike)
            continue
        found = regions_at(claim, part)
        if FREE not in part and _is_alike(claim, found):
            alike = found
        yield found if known is None else tuple(replace(one, stands_for=known) for one in found)


def _parts(
    claim: AccuracyRegions, classes: tuple[InputClass, ...] | None, first: int
) -> Iterator[tuple[Part, InputClass | None]]:
    """Yield parts of the inputs, each with the class that it represents."""
    if classes is None:
        return ((part, None) for part in islice(claim.scope.parts(), first, None))
    return ((tuple(one.entries), one) for one in islice(classes, first, None))


def _is_alike(claim: AccuracyRegions, found: tuple[Region, ...]) -> bool:
    """Whether the regions are the same at all listed inputs, apart from the input itself."""
    if claim.uses_inputs or claim.conditions != ALWAYS or claim.has_inverse_eps:
        return False
    if claim.mechanism.checked.releases_eps:
        return False
    return len(found) == 1 and found[0].beta is None and not found[0].levels


def _refuse_everywhere(claim: AccuracyRegions) -> None:
    """Refuse what is not decided where entries are free."""
    if claim.mechanism.checked.releases_eps:
        raise refused("outputs are expressions in eps")
    if not _is_bounded(claim.gamma_level) and _releases_integers(claim):
        raise ValueRefusedError(
            "the mechanism releases integer noise, the claim is about all real inputs, and γ is "
            "not bounded by a number",
            rule="There is a case for each whole number below γ.",
            way_out="Give a number or a bounded range for gamma, or inputs=Grid(lo, hi) or a list.",
        )
    _refuse_rounded(claim)
    if taken := {"alpha", "gamma"}.intersection(claim.entry_names):
        raise ValueRefusedError(
            f"an input of the mechanism is called {min(taken)}",
            rule="For all real inputs, the inputs are used together with eps, alpha and gamma.",
            way_out="Give the input another name.",
        )


def _refuse_rounded(claim: AccuracyRegions) -> None:
    """Refuse rounded numbers at unbounded inputs: there is a case for each integer."""
    programs = (claim.mechanism, claim.ideal_function.program)
    if any(one is not None and one.kept(Engine).divides for one in programs):
        raise ValueRefusedError(
            "a quotient is released, and the claim is about all real inputs",
            rule="Quotients are not linear in the inputs.",
            way_out="Give inputs=Grid(lo, hi) or a list.",
        )
    rounds = any(one is not None and one.kept(Engine).rounds for one in programs)
    if rounds and not claim.scope.is_bounded:
        raise ValueRefusedError(
            "rounded numbers are released, compared with each other or means of noise, or integer "
            "noise is combined with reals, and the claim is about all real inputs",
            rule="There is a case for each whole number between the inputs.",
            way_out="Give inputs=Box(lo, hi) with finite ends, Grid(lo, hi) or a list.",
        )


def _is_bounded(gamma: Level) -> bool:
    """Whether γ is a number, or in a range that is bounded by numbers."""
    return gamma.upper != inf if isinstance(gamma, Range) else constant(gamma) is not None


def _releases_integers(claim: AccuracyRegions) -> bool:
    """Whether an output contains integer noise."""
    program = claim.mechanism
    engine = program.kept(Engine)
    if not program.checked.output.holds_noise or not engine.has_integers:
        return False
    if engine.rounds or claim.has_inverse_eps:
        return True
    zeros = (as_given(program, u) for u in with_zeros(program))
    return any(has_integers(one) for u in islice(zeros, 8) for one in engine.distribution(u))
