"""Wrong answers on privacy that a search with random mechanisms found, each met from outside."""

# mypy: disable-error-code="valid-type, no-untyped-def, index, misc, name-defined"

from __future__ import annotations

from fractions import Fraction
from math import exp as mexp
from math import log

import pytest

from exactdp import (
    AllReals,
    Box,
    Dom,
    Grid,
    Mechanism,
    Privacy,
    Real,
    ValueRefusedError,
    certify,
    choose,
    dlap,
    eps,
    hamming,
    inf,
    l1,
    lap,
    linf,
    mechanism,
)


@mechanism(epsilon="(0, 1)")
def flipped(b: Dom(0, 1)):
    """Randomized response that flips with probability (1 − ε)/2."""
    return choose({b: (1 + eps) / 2, 1 - b: (1 - eps) / 2})


def test_the_epsilon_of_a_mechanism_is_that_of_its_claims() -> None:
    """ln((1 + ε)/(1 − ε)) is 2·artanh(ε) > ε, and has no bound as ε → 1."""
    claim = Privacy(flipped, adjacent=hamming(1))
    verdict = claim.check()
    assert verdict.outcome == "fails"
    assert 0 < verdict.counterexample.eps < 1
    assert claim.tightest().factor.upper == inf
    half = Privacy(flipped, adjacent=hamming(1), epsilon="(0, 1/2]").tightest().factor
    assert half.lower <= Fraction(log(3) / 0.5) + Fraction(1, 10**9)
    assert half.upper >= log(3) / 0.5 - 1e-9
    assert Privacy(flipped, 3 * eps, adjacent=hamming(1), epsilon="(0, 1/2]").check()
    with pytest.raises(ValueRefusedError, match="defined for eps in"):
        Privacy(flipped, epsilon="(0, 2)")


def test_real_and_integer_noise_in_one_output() -> None:
    """Half of the mass is real and half is integer: both are compared, and both have a factor 1."""

    @mechanism
    def either(x: Dom(0, 1)):
        if choose({True: 1 / 2, False: 1 / 2}):
            return lap(eps, x)
        return dlap(2 * eps, x)

    assert dict(either.distribution(0)) == {Real: Fraction(1, 2), int: Fraction(1, 2)}
    assert Privacy(either).tightest().factor.upper == 2
    assert Privacy(either).check().outcome == "fails"
    assert Privacy(either, 2 * eps).check()


def above(q: float, e: float) -> float:
    """Return Pr(q + Laplace noise of rate e > 1/2 + 1/e)."""
    gap = 0.5 + 1 / e - q
    return mexp(-e * gap) / 2 if gap > 0 else 1 - mexp(e * gap) / 2


@pytest.mark.parametrize("inputs", [Grid(-1, 1), Box(-1, 1), AllReals()])
def test_a_threshold_with_epsilon_in_it(inputs: object) -> None:
    """The noise hides a change of 1 at every ε; of a budget of 9ε/10 the tail takes too much."""
    beyond = Mechanism.from_source("def beyond(q: Real): return lap(eps, q) > 1 / 2 + 1 / eps")
    assert Privacy(beyond, inputs=inputs).check()
    verdict = Privacy(beyond, Fraction(9, 10) * eps, inputs=inputs).check()
    assert verdict.outcome == "fails"
    found = verdict.counterexample
    at = float(found.eps)
    for u, value in zip(found.inputs, found.probabilities, strict=True):
        chance = above(float(u), at)
        assert float(value) == pytest.approx(chance if found.output is True else 1 - chance)
    weaker = Privacy(beyond, eps / 2, 0.3, inputs=inputs, epsilon="[1/2, 1]")
    assert weaker.check()
    with pytest.raises(ValueRefusedError, match="single eps"):
        Privacy(beyond, inputs=inputs).smallest_delta()


def test_a_real_output_beside_a_threshold_with_epsilon_in_it() -> None:
    program = Mechanism.from_source("""
def released(x: Dom(0, 1)):
    r = lap(eps, x)
    return r if r > 1 / eps else None
""")
    assert Privacy(program).check()
    assert Privacy(program, eps / 2).check().outcome == "fails"


def test_the_best_factor_beside_a_multiple_of_one_over_eps() -> None:
    """Of Pr(lap(ε, q) > 3/ε), whose slope in q is ε times it below the threshold."""
    above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 3 / eps")
    found = Privacy(above, inputs=AllReals()).tightest(width="1/100").factor
    assert found.lower <= 1 <= found.upper <= found.lower + Fraction(1, 100)
    sharp = Mechanism.from_source("def sharp(q: Real): return q > 3 / eps")
    assert Privacy(sharp, inputs=AllReals()).tightest().factor.upper == inf


def test_a_box_with_one_input_has_no_pair() -> None:
    """As a grid of one input: nothing is claimed, and the other sides of a box do not matter."""
    text = "def f(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    larger = Mechanism.from_source(text)
    for inputs in (Grid(1, 1), Box(1, 1)):
        assert Privacy(larger, inputs=inputs).check().outcome == "vacuous"
    assert Privacy(larger, inputs=Box([1, 0], [1, 5])).check().holds


def test_certificates_of_verdicts_by_several_processes() -> None:
    """Other processes leave out bounds that are equal to earlier ones; certificates have them."""
    text = "def f(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    for adjacent in (linf(1), l1(1)):
        claim = Privacy(Mechanism.from_source(text), adjacent=adjacent, inputs=AllReals())
        assert certify.check(claim.check(jobs=2).certificate).accepted
