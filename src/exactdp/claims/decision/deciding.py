"""From a claim to its verdict: regions, their cells, the obligations on each, and their signs."""

from __future__ import annotations

import contextlib
import pickle
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from exactdp.claims.decision.eps_pieces import in_pieces
from exactdp.claims.decision.findings import Finding, Findings, PackedFindings
from exactdp.claims.decision.largest import by_largest
from exactdp.claims.decision.parted import in_parts
from exactdp.claims.decision.problem import Problem
from exactdp.claims.decision.progress import Hear
from exactdp.claims.decision.slices import Fold, SlicedQuestion, lost_told, parts
from exactdp.claims.decision.verdict import Verdict
from exactdp.claims.decision.work import EndlessError, Explorer
from exactdp.claims.regions.places import OnRay, PlaceDecision
from exactdp.claims.regions.region import RAY, Region
from exactdp.claims.stated.claim import NEARLY_ABOVE
from exactdp.claims.stated.vacuity import Contents
from exactdp.errors import counted
from exactdp.language.linear import unit_in
from exactdp.language.parted import by_parts
from exactdp.reals.interval import POSITIVE
from exactdp.reals.unexpanded import Unexpanded
from exactdp.running.conduct import Conduct, Progress, conduct_of
from exactdp.running.crew import LostUnitError
from exactdp.running.packing import pack
from exactdp.semantics.piecewise import Piece

if TYPE_CHECKING:
    from exactdp.claims.decision.claim import Claim

_BETWEEN = "the claim is true with a slightly larger β and false with a slightly smaller one"
_NOWHERE = Region(("eps",), RAY, (), POSITIVE)


def decide(
    claim: Claim, *, every: bool = False, progress: Progress | None = None, hint: bool = True
) -> Verdict:
    """Decide a claim. With `every`, examine all listed inputs, even after one that fails.

    If a claim about all reals is undecided, the verdict states the approximate best constant,
    unless `hint` is False.
    """
    again = partial(decide, every=every, progress=progress)
    return by_parts(
        claim,
        lambda one: _decided_whole(one, every, progress, hint),
        lambda division: in_parts(division, again, every=every),
    )


def _decided_whole(claim: Claim, every: bool, progress: Progress | None, hint: bool) -> Verdict:
    begin = time.perf_counter()
    for other, answer in ((claim.stronger(), True), (claim.weaker(), False)):
        easier = (
            None if other is None else decide(other, every=every, progress=progress, hint=False)
        )
        if easier is not None and easier.holds is answer and _tells(claim, easier):
            spent = time.perf_counter() - begin
            return replace(easier, claim=claim, implied_by=other, seconds=spent)
        if easier is not None and claim.is_bounded_only and not answer:
            return replace(easier, claim=claim, holds=None, missing=easier.missing or _BETWEEN)
    seen = _looked_at(claim, every, conduct_of(progress))
    missing = ""
    larger = None  # a claim that holds for all inputs holds for those in a box
    if seen.left is not None and not seen.failures:
        wider = claim.wider()
        if wider is not None:
            larger = decide(wider, progress=progress, hint=False)
        if larger is None or not larger.holds:
            if claim.scope.counts_cells:
                missing = _what_is_left(claim, list(seen.findings), hint=hint)
            else:
                missing = seen.left.missing or f"{counted(seen.left.left, 'sign')} left open"
    return Verdict(
        claim,
        holds=False if seen.failures else None if missing else True,
        route=claim.route(seen.telling) + _evaluated(seen.evaluated),
        contents=seen.contents,
        classes=seen.groups,
        counterexamples=seen.failures,
        findings=seen.findings,
        larger=larger,
        missing=missing,
        seconds=time.perf_counter() - begin,
    )


def _evaluated(count: int) -> str:
    """Return a clause on the number of probabilities evaluated without expansion."""
    if not count:
        return ""
    return (
        f"; {count:,} of the probabilities with too many terms to expand, evaluated in certified "
        "arithmetic"
    )


def _tells(claim: Claim, easier: Verdict) -> bool:
    """Whether a verdict about other inputs shows that something is claimed at the given ones."""
    same = easier.claim.input_set == claim.input_set
    return same or easier.contents.telling == easier.contents.examined


def _looked_at(claim: Claim, every: bool, conduct: Conduct) -> Examined:
    """Return the results on all regions, combined from slices."""
    found: list[Examined] = []
    for part in parts(claim, Examination(every, not conduct.is_alone), conduct):
        if part.error is None:
            found.append(part.answer)
        else:  # these inputs stay undecided; the others count
            contents = Contents(telling=part.inputs)
            lost = Finding(_NOWHERE, left=1, missing=lost_told(claim, part))
            found.append(Examined(contents, part.stop - part.start, left=lost))
    if len(found) == 1:
        return found[0]
    return Examined(
        sum((one.contents for one in found), Contents()),
        sum(one.groups for one in found),
        tuple(failure for one in found for failure in one.failures),
        next((one.left for one in reversed(found) if one.left is not None), None),
        next((one.telling for one in found if one.telling), ()),
        Findings(tuple(part for one in found for part in one.findings.parts)),
        sum(one.evaluated for one in found),
    )


@dataclass(frozen=True)
class Examined:
    """The results on a slice of the groups of a claim."""

    contents: Contents
    groups: int
    failures: tuple[Any, ...] = ()
    left: Finding | None = None
    """The last finding with undecided problems."""
    telling: tuple[Finding, ...] = ()
    """A finding that shows how the claim was decided, if not all of them do."""
    findings: Findings = field(default=Findings())
    evaluated: int = 0
    """The number of probabilities evaluated without expansion."""


@dataclass(frozen=True)
class Examination(SlicedQuestion):
    """The question whether a claim holds."""

    every: bool
    is_packed: bool
    """Whether results are sent or stored, so that they are packed."""

    asked = "the verdict"
    prepare = "shape"
    span = 2_000

    @property
    def each(self) -> bool:
        """Whether every listed input is examined."""
        return self.every

    def on(self, claim: Claim, kept: dict[Any, Any]) -> _Examining:
        """Return the initial fold."""
        del kept  # signs are kept with the claim
        return _Examining(claim, self)


class _Examining(Fold):
    """The results, accumulated group by group."""

    def __init__(self, claim: Claim, question: Examination) -> None:
        self._claim, self._question = claim, question
        self._contents = Contents()
        self._findings: list[Finding] = []
        self._failures: list[Any] = []
        self._groups = 0

    @property
    def is_over(self) -> bool:
        """Whether there is a counterexample, and one suffices."""
        return bool(self._failures) and not self._question.every

    def add(self, group: tuple[Region, ...], hear: Hear) -> None:
        """Examine another group."""
        here = list(_examined(self._claim, group, hear))
        self._groups += 1
        self._findings += here
        self._failures += (one for finding in here for one in finding.failures)
        self._contents += self._claim.counted((one.contents for one in here), group)

    def answer(self) -> Examined:
        """Return the results; if there are many findings, they are packed."""
        found = tuple(self._findings)
        left = next((one for one in reversed(found) if one.left), None)
        plain = (one.region.is_ray and not one.region.levels_given for one in found)
        telling = next(
            (one for one, is_plain in zip(found, plain, strict=True) if not is_plain), None
        )
        part: tuple[Finding, ...] | PackedFindings = found
        if self._question.is_packed or self._groups == Examination.span:
            with contextlib.suppress(pickle.PicklingError, AttributeError, TypeError):
                part = PackedFindings(len(found), pack(found))
        return Examined(
            self._contents,
            self._groups,
            tuple(self._failures),
            None if left is None else replace(left, cells=(), decided=()),
            () if telling is None else (replace(telling, cells=(), decided=()),),
            Findings((part,) if part else ()),
            sum(
                isinstance(problem.obligation.probability, Unexpanded)
                for one in found
                for problem, _ in one.decided
            ),
        )


def _examined(claim: Claim, group: tuple[Region, ...], hear: Hear) -> Iterator[Finding]:
    """Yield the findings on some regions and their faces, up to a counterexample."""
    for region, part in claim.work.with_faces(group, hear):
        part(0.0)
        found = examine(claim.work, region, part)
        yield found
        if found.failures:
            return


def examine(work: Explorer, region: Region, hear: Hear, *, refute: bool = True) -> Finding:
    """Return the finding on a region."""
    if region.is_unknown:
        return Finding(region, contents=Contents(telling=1), left=1, missing=region.why)
    if region.sides or (region.levels and region.curve is None):
        return in_pieces(work, region, examine, decide)
    found = Finding(region)
    before = 0.0
    try:
        for step in work.steps(region):
            known = work.like(region, step)
            if known is not None:
                hear(1.0)
                return known.at(region, step.cell)
            found = found.with_cell(step.cell, work.content(step))
            for problem in step.problems(region):

                def part(share: float, start: float = before, end: float = step.share) -> None:
                    hear(start + share * (end - start))

                found = _decided(work, problem, found, part, refute=refute)
                if found.failures and not isinstance(problem.place, OnRay):
                    return found
            before = step.share
            hear(before)
    except (EndlessError, LostUnitError) as error:
        return replace(found, left=found.left + 1, missing=str(error))
    work.keep_like(found)
    return found


def _decided(
    work: Explorer, problem: Problem, found: Finding, hear: Hear, *, refute: bool
) -> Finding:
    """Return a finding with one more problem decided."""
    if found.has_failed(problem.obligation):
        return found  # another alternative of β
    while True:
        sign = work.sign(problem, hear)
        is_false = sign.holds is False and problem.is_mean
        is_false = is_false and problem.is_false_at(sign.witness)
        failure = work.claim.refutation(problem, sign) if is_false and refute else None
        other = None if sign.holds or failure is not None else problem.next_attempt
        if other is None:
            break
        parts = by_largest(problem) if other.attempt == len(other.gaps) + 1 else ()
        for part in parts:  # no single bound suffices
            there = work.sign(part, hear)
            if there.holds is False and refute:
                failure = work.claim.refutation(part, there)
            if not there.holds:
                break
        else:
            if parts:
                return found.with_sign(problem, PlaceDecision(holds=True), None)
        if failure is not None:
            break
        problem = other
    if refute and sign.holds is not True and failure is None and problem.obligation.largest_of:
        above = replace(problem, attempt=NEARLY_ABOVE)
        there = work.sign(above, hear)
        if there.holds is False and above.is_false_at(there.witness):
            failure = work.claim.refutation(above, there)
    return found.with_sign(problem, sign, failure)


# Undecided problems -------------------------------------------------------------------


def _what_is_left(claim: Claim, findings: list[Finding], *, hint: bool) -> str:
    """Describe what is undecided for all reals, and the approximate best constant."""
    problems = [one for finding in findings for one in finding.decided]
    left = [problem for problem, sign in problems if sign.holds is not True]
    if not left:
        return next((one.missing for one in findings if one.missing), "a part stays open")
    region = left[0].region
    conditions = Piece(region.names, left[0].cell.cone, None).conditions
    missing = f"{len(left)} of {counted(len(problems), 'problem')} left open"
    if unit_in(region.names) is None and conditions:
        missing += f" (the first where {', '.join(conditions)})"
    return missing + (claim.hint() if hint else "")
