"""Random mechanisms and claims against an oracle that shares nothing with exactdp (`make soak`)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from exactdp import Mechanism
from soak.__main__ import case
from soak.claims import Claim, Question
from soak.compare import Bench, Log, compare, compare_tightest
from support.examples import TIMES


@pytest.mark.parametrize("number", range(30 * TIMES))
def test_programs_and_claims(number: int) -> None:
    """Distributions, dd, errors, verdicts and best constants of one program and its claims."""
    log = case(f"test:{number}")
    assert not log.wrong, "\n\n".join(log.wrong)


TIE = """
def tie(q: Real[2]):
    a = lap(eps, q[0])
    b = lap(eps, q[1])
    return [a >= b]
"""


def test_a_tie_on_the_boundary() -> None:
    """At a tie the answer is wrong in half of all runs, for every ε: β = 1/2 is met exactly."""
    claim = Claim(TIE, "Fraction(1, 2) * exp(-alpha * eps)", inputs="[[0, 0]]", boundary="check")
    question, log = Question(claim, ((Fraction(0), Fraction(0)),), True), Log()
    compare(Bench(TIE), question, Mechanism.from_source(TIE), log)
    compare_tightest(Bench(TIE), question, Mechanism.from_source(TIE), log)
    assert not log.wrong
    assert log.counts["holds"] == 1
