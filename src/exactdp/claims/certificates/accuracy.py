"""Certificates of accuracy claims: a verdict in a form that `exactdp.certify` can check.

This module chooses the verdict that is certified, if the checker does not see why a few inputs
stand for all, and assembles the certificate. Proofs of signs are written once for equal problems.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from exactdp.certify import check
from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.added_noise import check_only_added
from exactdp.certify.rederive.case_conditions import Coordinates, Leaf
from exactdp.certify.rederive.claims import Claims
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.claims.certificates.claim_cases import (
    claim_json,
    one_case,
)
from exactdp.claims.certificates.document import document
from exactdp.claims.certificates.examined import (
    ExaminedRegion,
    SignProofs,
    examined,
    require_formulas,
    true_at_one,
    true_everywhere,
    true_near_few,
)
from exactdp.claims.certificates.examples import counterexample_json
from exactdp.claims.certificates.parts import Completed, checker_of
from exactdp.claims.certificates.products import multiplies
from exactdp.claims.certificates.written import WrittenRegion
from exactdp.claims.decision.deciding import decide
from exactdp.claims.regions.region import Combination
from exactdp.claims.stated.expressions import Expression
from exactdp.claims.stated.hypotheses import proved_signs
from exactdp.claims.stated.inputs import real_count
from exactdp.claims.stated.levels import Range
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import entries
from exactdp.reals import nonnegative
from exactdp.reals.certificates import Json
from exactdp.reals.radical_form import no_radical_certificate
from exactdp.reals.square_roots import is_irrational

if TYPE_CHECKING:
    from exactdp.claims.decision.accuracy import DecidedAccuracy
    from exactdp.claims.decision.verdict import Verdict

_FEW_REALS = 3  # numbers that are parameters even if noise is only added
_MOST_RIVALS = 5  # numbers of a selection whose ways to compare them are listed
_ROOMS = [Fraction(1, 10**k) for k in (9, 18, 36, 36)]  # relative
_FEW_CORNERS = 40  # that are checked as soon as they are written
_MOST_CORNERS = 2_000  # ideal outputs whose corners are listed


def certificate(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict."""
    by = verdict.implied_by
    if by is not None and by.strategy.are_worst and verdict.holds:
        worst = [[*entries(u)] for u in by.scope.listed()]
        if _sees(verdict.claim, lambda checker: checker.check_regret(worst)):
            return _certified(verdict, "regret")
        if real_count(by.mechanism) > _MOST_RIVALS:
            raise true_near_few(by)
        verdict, by = decide(verdict.claim.by_cells(whole=True)), None
    if verdict.holds and (by is not None or _is_wide(verdict.claim)):
        if verdict.claim.is_same_everywhere and _sees(
            verdict.claim, lambda checker: check_only_added(checker, checker.derivation)
        ):
            one = verdict if by is not None and not by.scope.free else _at_one(verdict)
            return _certified(one, "every")
        if by is not None:
            raise true_everywhere() if by.scope.free else true_at_one(by)
    total = _stand_for(verdict)
    if total and not _selects(verdict) and not _sees(verdict.claim, _seen_entries):
        if total > _MOST_CORNERS:
            raise _without_entries(total)
        verdict = decide(verdict.claim.by_each_output())
    if verdict.holds and not _are_written(verdict):
        verdict = _at_all_corners(verdict) or decide(verdict.claim.by_cells(whole=True))
    try:
        found = _certified(_with_rationals(verdict))
    except _UnseenError:
        return certificate(decide(verdict.claim.by_each_output()))
    if verdict.holds and _is_rejected(verdict, found):
        if real_count(verdict.claim.mechanism) > _MOST_RIVALS:
            raise _without_order()
        found = _certified(_with_rationals(decide(verdict.claim.by_cells(whole=True))))
    is_close = verdict.holds and verdict.silent and verdict.claim.has_roots
    if is_close and check(found).outcome == "rejected":
        raise _tight_at_a_root()  # α is above dd, but not above a rational that is close to it
    return found


def _is_rejected(verdict: Verdict, found: Json) -> bool:
    """Whether the checker does not see that a few corners are worst inputs: its rules are fewer."""
    corners = [one.region.corner for one in verdict.findings]
    are_few = any(corners) and len(corners) <= _FEW_CORNERS
    return are_few and not _selects(verdict) and check(found).outcome == "rejected"


class _UnseenError(Exception):
    """Raised when the checker does not see that a corner stands for those of all outputs."""


def _without_order() -> ValueRefusedError:
    return ValueRefusedError(
        "the checker does not see that the worst inputs of this claim are worst",
        rule="It follows how each comparison of the program changes with the inputs. Numbers that "
        "are compared several times, as in two selections from the same noise, it may not follow.",
        way_out="Take the certificate of the same claim with fewer entries.",
    )


def _at_all_corners(verdict: Verdict) -> Verdict | None:
    """Return the verdict for all reals, which proves the claim about a box; None if it does not.

    dd does not depend on the box, and the corners of all reals can be written.
    """
    claim = verdict.claim
    whole = claim.wider()
    if whole is None or not claim.corners.apply:
        return None
    every = decide(whole)
    if not every.holds or not any(one.region.corner for one in every.findings):
        return None
    if not _are_written(every):
        return None
    if _stand_for(every) and not _selects(every) and not _sees(claim, _seen_entries):
        return None
    return replace(every, claim=claim)


def _with_rationals(verdict: Verdict) -> Verdict:
    """Return a verdict that proves the claim with a rational for each irrational limit of α or γ.

    A true claim that is not tight there has one.
    """
    if verdict.claim.states_roots:
        raise no_radical_certificate()
    found = verdict
    for room in _ROOMS:
        due: list[Any] = [problem.obligation for problem, _ in found.decided]
        is_rational = not any(is_irrational(x) for one in due for x in (one.alpha, one.gamma))
        is_rational = is_rational and (found is not verdict or not multiplies(verdict.claim))
        if is_rational or not found.holds:
            break
        tried = decide(verdict.claim.rounded(room))
        found = tried if tried.holds else found
    else:
        raise _tight_at_a_root()
    return found


def _tight_at_a_root() -> ValueRefusedError:
    return ValueRefusedError(
        "a claim that is tight where α or γ is irrational has no certificate",
        rule="A certificate contains rational numbers only. The claim is proved with a rational "
        "just above an irrational distance, within 10^-36 of it, if it is true with that, too.",
        way_out="Claim slightly less (multiply β by 1.001).",
    )


def _certified(verdict: Verdict, stands_for: str | None = None) -> Json:
    """Return the certificate of a verdict; its regions may stand for all inputs for a reason."""
    require_formulas(verdict)
    verdict.claim.require_numbers("a certificate")
    stated, signs = claim_json(verdict.claim, one_case(verdict.claim)), SignProofs(verdict)
    groups: list[Json] = []
    if verdict.holds:
        groups = _groups(verdict, stated, signs, stands_for)
        _say_that_beta_falls(verdict.claim, signs)
    parts: Json = {
        "regions": groups,
        "counterexamples": [
            counterexample_json(verdict.claim, one, stated, orders=verdict.orders)
            for one in verdict.counterexamples
        ],
        "signs": signs.written,
    }
    return document(verdict, "claim", stated, parts)


def _is_wide(claim: DecidedAccuracy) -> bool:
    """Whether a claim about many reals is the same at each of them."""
    return len(claim.scope.free) > _FEW_REALS and claim.is_same_everywhere


def _at_one(verdict: Verdict) -> Verdict:
    """Return the verdict at one input, as one on the whole claim."""
    return replace(decide(verdict.claim.at_one_input()), claim=verdict.claim)


def _stand_for(verdict: Verdict) -> int:
    """Return how many ideal outputs the corners of a verdict stand for, 0 if for their own."""
    corners = [one.region.corner for one in verdict.findings]
    return max((one.stands_for for one in corners if one is not None), default=0)


def _selects(verdict: Verdict) -> bool:
    """Whether one corner stands for all, as exchanging entries exchanges outputs."""
    corners = [one.region.corner for one in verdict.findings]
    return any(one is not None and one.selects is not None for one in corners)


def _sees(claim: DecidedAccuracy, look: Callable[[Claims], None]) -> bool:
    """Whether the checker sees something in the programs of a claim: then it does not refuse."""
    checker = checker_of(claim_json(claim, one_case(claim)))
    try:
        look(checker)
    except (RejectedError, UnsupportedError, RecursionError):
        return False
    return True


def _seen_entries(checker: Claims) -> None:
    """Look for independent entries of the output."""
    members = checker.derivation.members
    for fixed in product(*((None,) if one is None else one for one in members)):
        for noisy in (True, False):
            checker.derivation.entry_parts(fixed, noisy=noisy)


def _without_entries(total: int) -> ValueRefusedError:
    """Return the error for a certificate about more outputs than can be listed."""
    return ValueRefusedError(
        f"a claim about {total:,} ideal outputs that was decided at a few has no certificate",
        rule="The checker does not see in this program that the entries of the output are "
        "independent: it knows lists that are only appended to and returned. Then a certificate "
        f"lists the worst input for each ideal output, up to {_MOST_CORNERS:,}.",
        way_out="Append the entries to one list and return it, or take the certificate of the same "
        "claim with fewer entries.",
    )


def _are_written(verdict: Verdict) -> bool:
    """Whether the regions of a verdict can be written: corners only with one for each output.

    The checker does not prove that entries are interchangeable.
    """
    if any(one.region.ordered for one in verdict.findings):
        return False
    corners = [one.region.corner for one in verdict.findings]
    if not any(corners):
        return True
    return verdict.claim.scope.has_all and all(
        one is not None and one.is_alone and not one.piece.free for one in corners
    )


# Regions ------------------------------------------------------------------------------


def _groups(
    verdict: Verdict, stated: Json, signs: SignProofs, stands_for: str | None
) -> list[Json]:
    """Return the regions with their cells: a group for each case and input, of one part each."""
    checker = checker_of(stated, verdict.orders)
    if stands_for is not None:
        leaf = Leaf(checker.cases[0], Coordinates(False, 0, ()), [], checker.whole)
        leaf = leaf._replace(stands_for=stands_for)
        free, written = _regions(checker, leaf, [*examined(verdict)], signs)
        return [{"stands_for": stands_for, "free": free, "regions": written}]
    by_input: dict[str, list[ExaminedRegion]] = {}
    for one in examined(verdict):
        fixed = [None if isinstance(x, Combination) else x for x in one.region.entries]
        by_input.setdefault(str(fixed), []).append(one)
    found = []
    for case, u in checker.wanted():
        leaf = Leaf(case, Coordinates(False, checker.reals, ()), u, checker.whole)
        free, written = _regions(checker, leaf, by_input[str(u)], signs)
        found.append({"free": free, "tree": {"part": 0, "sides": [], "regions": written}})
    return found


def _regions(
    checker: Claims, leaf: Leaf, explored: Sequence[ExaminedRegion], signs: SignProofs
) -> tuple[list[str], list[Json]]:
    """Return which of α and γ are free at a leaf, and its regions with their cells."""
    first = explored[0].region
    free = tuple(name for name in ("alpha", "gamma") if getattr(first, name) is not None)
    leaf = leaf._replace(at=leaf.at._replace(free=free))
    checker.enter(leaf.case, 0, leaf.on)
    at_corners = first.corner is not None or leaf.stands_for is not None
    rows = checker.rows(leaf, [], in_box=not at_corners)
    completed = Completed(checker, leaf, rows)
    written = [WrittenRegion(one, signs, completed, leaf.stands_for).written() for one in explored]
    if first.corner is not None and first.corner.selects and not completed.suffice(written):
        raise _UnseenError
    return list(free), written


def _say_that_beta_falls(claim: DecidedAccuracy, signs: SignProofs) -> None:
    """Add the signs of closed forms in β that prove that it is nonincreasing, if needed."""
    levels = claim.alpha_level, claim.gamma_level
    if not any(isinstance(level, Range) for level in levels):
        return
    for formula in (*dict.fromkeys(claim.betas), *levels):
        if isinstance(formula, Expression):
            for form in proved_signs(formula, claim.epsilon):
                signs.decided(nonnegative(form, claim.epsilon))
