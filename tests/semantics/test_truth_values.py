"""True and 1 are equal, but not the same: `str` and the distance `sup` tell them apart."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Box,
    ExactdpError,
    Ideal,
    Mechanism,
    ValueRefusedError,
    alpha,
    certify,
    eps,
    exp,
    sup,
)
from soak.claims import Claim, Question
from soak.compare import Bench, Log, compare
from support.compared import agree_with_oracle

NAMED = """
def named(q: Real):
    a = lap(eps, q)
    x = 1 if a > 2 else True
    b = lap(eps, 0)
    return [str(x), b > 0]
"""
PAIR = """
def pair(q: Real):
    a = lap(eps, q)
    if a > 2:
        return [a, 1]
    return [a, True]
"""
THREE = """
def three(q: Real):
    a = lap(eps, q)
    if a > 2:
        return 1
    if a > 1:
        return 2
    return True
"""
NEVER = """
def never(q: Real):
    a = lap(2 * eps, q)
    if max(a, 1) == 0:
        return False
    if a >= q + 1:
        return 0
    return -1
"""


def test_a_distribution() -> None:
    """Both came out as "True", for states with True and 1 were one state."""
    found = Mechanism.from_source(NAMED).distribution(1)
    agree_with_oracle(NAMED, Fraction(1), found)
    assert {output[0] for output in found} == {"1", "True"}


def test_no_mapping_of_both() -> None:
    """A mapping has one key for True and 1, so the sum of their probabilities was that of each."""
    uniform = Mechanism.from_source("def uniform(): return expmech(eps, lambda v: 0, [True, 1, 2])")
    assert [str(uniform.probability((), one)) for one in (True, 1, 2)] == ["1/3"] * 3
    with pytest.raises(ExactdpError, match="both a truth value and the number"):
        dict(uniform.distribution())
    assert dict(uniform.distribution().apart).keys() == {True, 2}
    assert str(uniform.distribution()).count("1/3") == 3


def test_samples() -> None:
    outputs = Mechanism.from_source(NAMED).sample(2, 1, 400, seed=1)
    assert {output[0] for output in outputs} == {"1", "True"}


@pytest.mark.parametrize("inputs", ["[0, Fraction(3, 2), 3]", "AllReals()"])
@pytest.mark.parametrize("beta", ["exp(-eps / 2)", "Fraction(9, 10)", "1 + eps"])
def test_certificates(beta: str, inputs: str) -> None:
    """The checker compares in the same way."""
    for gamma in ("Fraction(0)", "Fraction(1)"):
        claim = Claim(
            THREE, beta, "Fraction(0)", gamma, None, "discrete", "sup", inputs, boundary="check"
        )
        report = certify.check(claim.accuracy().check().certificate)
        assert report.accepted, report.reason


@pytest.mark.parametrize(("returned", "wanted"), [("1", "True"), ("lap(eps, 0) > 0", "0")])
def test_a_truth_value_for_a_number_in_a_list(returned: str, wanted: str) -> None:
    """With `sup` the error was 0, though the output is never the ideal one."""
    mechanism = Mechanism.from_source(f"def f(x: Dom(0, 1)): return [{returned}, 2]")
    given = Ideal.from_source(f"def g(x: Dom(0, 1)): return [{wanted}, 2]")
    with pytest.raises(ExactdpError, match="has a truth value where"):
        Accuracy(mechanism, "1/4", ideal=given, output_distance=sup).check()


@pytest.mark.parametrize("text", [PAIR, THREE, NEVER])
@pytest.mark.parametrize("gamma", ["Fraction(0)", "Fraction(1)", "ANY", "(0, 2)"])
@pytest.mark.parametrize("inputs", ["listed", "AllReals()"])
def test_claims(text: str, gamma: str, inputs: str) -> None:
    """With `sup` 1 is a number, 1 from 2, and True is equal to 1 and infinitely far from 2."""
    points = tuple((Fraction(x),) for x in ("0", "3/2", "3"))
    given = "[0, Fraction(3, 2), 3]" if inputs == "listed" else inputs
    for beta in ("exp(-eps) / 2", "exp(-eps / 2)", "Fraction(3, 5)"):
        claim = Claim(
            text,
            beta,
            alpha="Fraction(0)",
            gamma=gamma,
            input_distance="discrete",
            output_distance="sup",
            inputs=given,
        )
        log = Log()
        compare(
            Bench(text),
            Question(claim, points, inputs == "listed"),
            Mechanism.from_source(text),
            log,
        )
        assert not log.wrong, log.wrong
        assert log.counts["claims"] == 1


@pytest.mark.parametrize("inputs", [AllReals(), Box(0, 5), [1]])
def test_sup_refuses_a_truth_value_for_a_number_in_a_list(inputs: Any) -> None:
    """True is not 1, so [True, 2] is never [1, 2]; with sup their distance would be 0."""
    mechanism = Mechanism.from_source("def f(q: Real): return [lap(eps, q) > 0, 2]")
    ideal = Ideal.from_source("def g(q: Real): return [1 if q > 0 else 0, 2]")
    claim = Accuracy(mechanism, exp(-alpha * eps), ideal=ideal, output_distance=sup, inputs=inputs)
    with pytest.raises(ValueRefusedError, match="has a truth value"):
        claim.check()
