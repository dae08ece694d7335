"""From a claim to its verdict: regions, their cells, what is due on each, and its sign."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactdp.claims.claim import Claim
from exactdp.claims.inputs import Box, is_listed
from exactdp.claims.places import OnRay
from exactdp.claims.progress import Hear, Meter, Progress, nobody
from exactdp.claims.region import Region, at_point, piece_of
from exactdp.claims.vacuity import Content, Contents
from exactdp.claims.verdict import Finding, Verdict
from exactdp.claims.work import EndlessError, Explorer, Problem
from exactdp.errors import ExactdpError, counted
from exactdp.language.linear import UNIT
from exactdp.reals import Interval
from exactdp.reals.unexpanded import Unexpanded
from exactdp.semantics.piecewise import Piece

_MOST_PIECES = 200
_DEEP, _DEEPEST = 10, 24


def decide(
    claim: Claim, *, every: bool = False, progress: Progress | None = None, hint: bool = True
) -> Verdict:
    """Decide a claim. With `every` all listed inputs are looked at, also behind one that fails.

    If a claim about all reals stays open, the verdict tells where the best constant is, unless no
    `hint` is wanted.
    """
    begin = time.perf_counter()
    for other, answer in ((claim.stronger(), True), (claim.weaker(), False)):
        easier = (
            None if other is None else decide(other, every=every, progress=progress, hint=False)
        )
        if easier is not None and easier.holds is answer:
            spent = time.perf_counter() - begin
            return replace(easier, claim=claim, implied_by=other, seconds=spent)
    one_by_one = is_listed(claim.input_set)
    meter = Meter(claim, progress)
    contents = Contents()
    findings: list[Finding] = []
    failures: list[Any] = []
    groups = 0
    for group in claim.regions(each=every):
        here = list(_examined(claim, group, meter.part))
        findings += here
        failures += (one for finding in here for one in finding.failures)
        count = group[0].inputs if group else 1
        groups += 1
        if one_by_one:
            most = max((one.contents.most for one in here), default=Content.NOTHING)
            contents = contents.and_some(most, count)
        else:
            contents = sum((one.contents for one in here), contents)
        meter.one_more(count)
        if failures and not every:
            break
    left = [finding for finding in findings if finding.left]
    missing = ""
    larger = None  # what is true of all inputs is true of those in a box
    if left and not failures:
        if isinstance(claim.input_set, Box):
            larger = decide(claim.everywhere(), progress=progress, hint=False)
        if larger is None or not larger.holds:
            if one_by_one:
                missing = left[-1].missing or f"{counted(left[-1].left, 'sign')} left open"
            else:
                missing = _what_is_left(claim, findings, hint=hint)
    return Verdict(
        claim,
        holds=False if failures else None if missing else True,
        route=claim.route(findings) + _evaluated(findings),
        contents=contents,
        classes=groups,
        counterexamples=tuple(failures),
        findings=tuple(findings),
        larger=larger,
        missing=missing,
        seconds=time.perf_counter() - begin,
    )


def _evaluated(findings: list[Finding]) -> str:
    """Return how many probabilities were evaluated and not expanded, as words to add."""
    count = len(
        {
            problem.obligation.probability
            for finding in findings
            for problem, _ in finding.decided
            if isinstance(problem.obligation.probability, Unexpanded)
        }
    )
    if not count:
        return ""
    return (
        f"; at {counted(count, 'input')} the probability has too many terms and was evaluated in "
        "certified arithmetic, not expanded"
    )


def _examined(claim: Claim, group: tuple[Region, ...], hear: Hear) -> Iterator[Finding]:
    """Yield what is found on some regions and on their faces, up to a counterexample."""
    for region, part in claim.work.with_faces(group, hear):
        part(0.0)
        found = examine(claim.work, region, part)
        yield found
        if found.failures:
            return


def examine(work: Explorer, region: Region, hear: Hear, *, refute: bool = True) -> Finding:
    """Return what is found on a region."""
    if region.is_unknown:
        return Finding(region, contents=Contents(telling=1), left=1, missing=region.why)
    if region.sides or (region.levels and region.curve is None):
        return _in_pieces(work, region)
    found = Finding(region)
    before = 0.0
    try:
        for step in work.steps(region):
            found = found.with_cell(step.cell, work.content(step))
            for problem in step.problems(region):

                def part(share: float, start: float = before, end: float = step.share) -> None:
                    hear(start + share * (end - start))

                found = _decided(work, problem, found, part, refute=refute)
                if found.failures and not isinstance(problem.place, OnRay):
                    return found
            before = step.share
            hear(before)
    except EndlessError as error:
        return replace(found, left=found.left + 1, missing=str(error))
    return found


def _decided(
    work: Explorer, problem: Problem, found: Finding, hear: Hear, *, refute: bool
) -> Finding:
    """Return what is found with one more problem decided."""
    if found.has_failed(problem.obligation):
        return found  # another alternative of β
    sign = work.sign(problem, hear)
    failure = work.claim.refutation(problem, sign) if sign.holds is False and refute else None
    return found.with_sign(problem, sign, failure)


# α and γ that are other functions of ε ------------------------------------------------


def _in_pieces(work: Explorer, region: Region) -> Finding:
    """Return what is found on pieces of ε, on each for all α and γ that occur there.

    What is not proved is asked at a simple ε, and cut there.
    """
    waiting = [(region.on, 0)]
    found = Finding(region)
    for _ in range(_MOST_PIECES):
        if not waiting:
            return found
        on, depth = waiting.pop()
        try:
            part = piece_of(work.claim, region, on)
            here = Finding(region) if part is None else examine(work, part, nobody, refute=False)
        except ExactdpError as error:
            here = Finding(region, left=1, missing=str(error))
        if not here.left:
            found = found.with_contents(here.contents)
            continue
        found = replace(found, missing=found.missing or here.missing)
        middle = on.simple_point()
        single = at_point(region, middle)
        if single is None:
            name, form = next(iter(region.levels.items()), ("a", "condition"))
            why = f"{name} = {form} is irrational at rational ε: no counterexample can be shown"
            found = replace(found, missing=found.missing or why)
            if depth >= _DEEP:
                break  # no counterexample would be found either
        else:
            there = examine(work, single, nobody)
            if there.failures:
                return there
            found = found.with_contents(there.contents)
        if on.is_point or depth == _DEEPEST:
            found = replace(found, left=found.left + 1)
            continue
        waiting += [
            (_with_end(on, upper=middle), depth + 1),
            (_with_end(on, lower=middle), depth + 1),
        ]
    return replace(found, left=found.left + len(waiting) + 1)


def _with_end(
    on: Interval, lower: Fraction | None = None, upper: Fraction | None = None
) -> Interval:
    """Return an interval with another end, which belongs to it."""
    return Interval(
        on.lower if lower is None else lower,
        on.upper if upper is None else upper,
        lower_open=on.lower_open and lower is None,
        upper_open=on.upper_open and upper is None,
    )


# What is left open --------------------------------------------------------------------


def _what_is_left(claim: Claim, findings: list[Finding], *, hint: bool) -> str:
    """Return what is left open for all reals, and roughly where the best constant is."""
    problems = [one for finding in findings for one in finding.decided]
    left = [problem for problem, sign in problems if sign.holds is not True]
    if not left:
        return next((one.missing for one in findings if one.missing), "a part stays open")
    region = left[0].region
    conditions = Piece(region.names, left[0].cell.cone, None).conditions
    missing = f"{len(left)} of {counted(len(problems), 'problem')} left open"
    if UNIT not in region.names and conditions:
        missing += f" (the first where {', '.join(conditions)})"
    return missing + (claim.hint() if hint else "")
