"""The same answers by all routes, for random claims: alone, and in slices."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from unittest.mock import patch

import pytest

from exactdp import ExactdpError, Mechanism, Verdict
from exactdp.running import pace
from soak.claims import Asker, Question
from soak.compare import Log
from soak.programs import Writer
from support.examples import TIMES


@pytest.mark.parametrize("number", range(30 * TIMES))
def test_random_claims(number: int) -> None:
    random, log = Random(f"routes:{number}"), Log()
    made = Writer(random).program()
    question = Asker(random, made).question()
    try:
        mechanism = Mechanism.from_source(made.text)
    except ExactdpError:
        return
    compare_routes(question, mechanism, log)
    assert not log.wrong, "\n\n".join(log.wrong)


def compare_routes(question: Question, mechanism: Mechanism, log: Log) -> None:
    """Compare a verdict with the one from slices of a few inputs."""
    try:
        alone = question.claim.accuracy(mechanism).check()
    except ExactdpError:
        return
    log.counts["routes"] += 1
    with quick_units():
        found = question.claim.accuracy(mechanism).check(jobs=2)
    if _told(found) != _told(alone):
        log.disagree(f"jobs: {found}\nalone: {alone}", question.claim)


@contextmanager
def quick_units() -> Iterator[None]:
    """Make units so short that small claims have many."""
    with ExitStack() as stack:
        for name, seconds in (("FIRST", 0), ("WORTH", 0), ("UNIT", 1e-3), ("SHORTEST", 0)):
            stack.enter_context(patch.object(pace, name, seconds))
        stack.enter_context(patch.object(pace, "LONGEST", 1e-3))
        yield


def _told(verdict: Verdict) -> tuple[str, str]:
    """Return a verdict and its certificate as text."""
    try:
        written = json.dumps(verdict.certificate)
    except ExactdpError as refusal:
        written = refusal.message
    return str(verdict), written
