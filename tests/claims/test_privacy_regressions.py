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
    Pairs,
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


MOVED = {
    "uniform": "return q + unif(0, 1)",
    "exponential": "return q + expo(eps, 0)",
    "half of Laplace noise": "return q + abs(lap(eps, 0))",
    "one branch": "a = lap(eps, 0)\n    return q + a if a > 0 else None",
    "beside its sign": "a = lap(eps, 0)\n    return [a > 0, q + a]",
    "observed": "a = lap(eps, 0)\n    observe(a > 0)\n    return q + a",
    "taken off again": "a = lap(eps, q)\n    return [a > 0, a - q]",
    "a start with eps": "return q + expo(eps, 0) - 1 / eps",
}
"""Outputs whose numbers begin at an end that moves with the input."""


@pytest.mark.parametrize("inputs", [AllReals(), Box(0, 5), Pairs((0, "1/2"))])
@pytest.mark.parametrize("name", MOVED)
def test_densities_that_jump(name: str, inputs: object) -> None:
    """Slopes were examined between the jumps only. The sample shows outputs below the other end."""
    program = Mechanism.from_source(f"def f(q: Real):\n    {MOVED[name]}\n")
    claim = Privacy(program, 2 * eps, inputs=inputs)
    assert claim.check().outcome == "fails"
    assert claim.tightest().factor.upper == inf
    ends = [min(numbers(program.sample(x, 1, 500, seed=1))) for x in (0, Fraction(1, 2))]
    assert abs(ends[0] - ends[1]) > 0.4


def numbers(outputs) -> list[float]:
    """Return the numbers of outputs: of lists those beside True."""
    lists = ((one if isinstance(one, list | tuple) else (True, one)) for one in outputs)
    return [float(one) for is_one, one in lists if is_one and one is not None]


def test_a_jump_needs_every_budget() -> None:
    program = Mechanism.from_source("def f(q: Real): return q + unif(0, 1)")
    assert Privacy(program, inputs=AllReals()).smallest_budget(delta=0).upper == inf
    added = Mechanism.from_source("def f(q: Real): return q + lap(eps, 0)")
    assert Privacy(added, inputs=AllReals()).tightest().factor.upper == 1


CORRELATED = [
    ("a, b = lap(eps, 0), expo(eps, 0)\n    return [q + b, b + a]", "fails"),
    ("a, b = lap(eps, 0), unif(0, 1)\n    return [q + b, b + a]", "fails"),
    ("a, b = lap(eps, 0), unif(0, 1)\n    return [q + b + a, b]", "holds"),
]


@pytest.mark.parametrize("inputs", [AllReals(), Pairs((0, "1/2"))])
@pytest.mark.parametrize(("body", "outcome"), CORRELATED)
def test_numbers_that_share_noise(body: str, outcome: str, inputs: object) -> None:
    """The density of two numbers counted pieces that do not hold at the point.

    In the first two no first number is below q; in the last the second number does not depend on q,
    and the difference of both is Laplace noise around q.
    """
    program = Mechanism.from_source(f"def f(q: Real):\n    {body}\n")
    assert Privacy(program, 2 * eps, inputs=inputs).check().outcome == outcome


def test_the_smallest_budget_with_one_over_eps_is_refused() -> None:
    """It was 1/2, from a closed form beyond the ε where it is valid; 0.49663 suffices."""
    text = "def f(q: Real):\n    a = lap(eps, q)\n    observe(a < 1 / eps)\n    return a\n"
    claim = Privacy(Mechanism.from_source(text), inputs=Pairs((0, "1/3")))
    with pytest.raises(ValueRefusedError, match="smallest budget"):
        claim.smallest_budget(delta=0)
    assert claim.tightest().factor.upper == pytest.approx((1 + log(2 - mexp(-1))) / 3, abs=1e-5)


@pytest.mark.parametrize("noise", ["lap(eps, 0)", "dlap(eps, 0)"])
@pytest.mark.parametrize("first", ["True, 1", "False, 0", "[True], [1]"])
def test_truth_values_are_no_numbers(first: str, noise: str) -> None:
    """Beside noise True and 1 were one output."""
    text = f"def f(x: Dom(0, 1)): return [[{first}][x], {noise}]"
    claim = Privacy(Mechanism.from_source(text), 0 * eps, inputs=[0, 1])
    assert claim.check().outcome == "fails"
    assert claim.tightest().factor.upper == inf
    assert claim.smallest_delta().at(1).lower == 1


def test_an_atom_that_is_a_truth_value() -> None:
    """Half of the mass is True at one input and 1 at the other."""
    mixed = Mechanism.from_source("""
def f(x: Dom(0, 1)):
    z = lap(eps, 0)
    return z if choose({True: 1 / 2, False: 1 / 2}) else (True if x == 0 else 1)
""")
    assert [one.delta for one in Privacy(mixed).smallest_delta().pieces] == [Fraction(1, 2)]
    told = Mechanism.from_source("def f(q: Real): return True if lap(eps, q) > 0 else 1")
    assert Privacy(told, eps / 8, inputs=AllReals()).check().outcome == "fails"


def test_a_list_or_a_tuple_is_refused() -> None:
    text = "def f(x: Dom(0, 1)): return [[0], lap(eps, 0)] if x == 0 else [(0,), lap(eps, 0)]"
    with pytest.raises(ValueRefusedError, match="a list in one place and a tuple in another"):
        Privacy(Mechanism.from_source(text), inputs=[0, 1])
