"""A user's own distance on noisy outputs, for all real inputs and all γ at once.

The tails are those of Laplace noise, worked out by hand.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    Dom,
    ExactdpError,
    Mechanism,
    Real,
    alpha,
    certify,
    discrete,
    eps,
    exp,
    gamma,
    inf,
    lap,
    mechanism,
    sup,
)

# mypy: disable-error-code="no-untyped-def, valid-type, no-untyped-call, index"


@mechanism
def release(q: Real):
    return lap(eps, q)


@mechanism
def both(q: Real[2]):
    return [lap(eps, q[0]), lap(eps, q[1])]


@mechanism
def above_or_below(q: Real):
    first = lap(eps, q)
    if first > 0:
        return ["above", lap(eps, q)]
    return ["below", 0]


NAMED = Mechanism.from_source("def named(gamma: Real):\n    return lap(eps, gamma)\n")


def twice(_, a, b):
    return 2 * abs(a - b)


def over_and_under(_, a, b):
    if b > a:
        return b - a
    return 3 * (a - b)


def at_most_two(_, a, b):
    gap = abs(a - b)
    if gap > 2:
        return 2
    return gap


def manhattan(_, a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def strict_at_one(u, a, b):
    if u == 1:
        return 5 * abs(a - b)
    return abs(a - b)


def with_input(u, a, b):
    return abs(a - b) + abs(u)


def tagged(_, a, b):
    if a[0] != b[0]:
        return 7
    return abs(a[1] - b[1])


def claim(beta: Any, distance: Any, **given: Any) -> Accuracy:
    chosen: dict[str, Any] = {
        "mechanism": release,
        "alpha": 0,
        "gamma": ANY,
        "inputs": AllReals(),
        "input_distance": discrete,
    } | given
    return Accuracy(chosen.pop("mechanism"), beta, output_distance=distance, **chosen)


TAILS = {
    "twice": (release, twice, exp(-gamma * eps / 2)),
    "by side": (release, over_and_under, exp(-gamma * eps) / 2 + exp(-gamma * eps / 3) / 2),
    "the sum of two": (both, manhattan, (1 + gamma * eps) * exp(-gamma * eps)),
}


@pytest.mark.parametrize("name", TAILS)
def test_the_exact_tail_is_the_best_bound(name: str) -> None:
    program, distance, tail = TAILS[name]
    verdict = claim(tail, distance, mechanism=program).check()
    assert verdict.holds
    assert certify.check(verdict.certificate).outcome == "conditional"
    fails = claim(tail * Fraction(999, 1000), distance, mechanism=program).check()
    assert fails.holds is False


def test_a_distance_with_a_largest_value() -> None:
    assert claim(exp(-gamma * eps), at_most_two).check().holds
    assert claim(0, at_most_two, gamma=2).check().holds
    assert claim(0, at_most_two, gamma=Fraction(199, 100)).check().holds is False


def test_a_distance_that_is_another_one_at_a_single_input() -> None:
    verdict = claim(exp(-gamma * eps), strict_at_one).check()
    assert verdict.holds is False
    assert verdict.counterexample is not None
    assert verdict.counterexample.input == 1
    assert claim(exp(-gamma * eps / 5), strict_at_one).check().holds
    assert claim(exp(-gamma * eps), strict_at_one, inputs=Box(2, 3)).check().holds


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (1, 3)])
@pytest.mark.parametrize("radius", [0, Fraction(1, 2), 1, 2, 4])
def test_a_distance_that_depends_on_the_input(low: int, high: int, radius: Fraction) -> None:
    """|b − u| + |u| ≤ γ with probability 1 − e^{−(γ − |u|)ε}, so the largest |u| counts."""
    room = radius - max(abs(low), abs(high))
    bound = exp(-room * eps) if room > 0 else Fraction(1)
    given: dict[str, Any] = {"gamma": radius, "inputs": Box(low, high)}
    if room > 0:
        assert claim(bound, with_input, **given).check().holds
    assert claim(bound * Fraction(99, 100), with_input, **given).check().holds is False


def test_outputs_of_several_kinds() -> None:
    """At q > 0 the wrong word has probability e^{−qε}/2 and is 7 away, in a box as at inputs."""
    given: dict[str, Any] = {"mechanism": above_or_below, "ideal": always_above, "gamma": 2}
    wrong = exp(-eps) / 2
    bound = wrong + (1 - wrong) * exp(-2 * eps)
    assert claim(bound, tagged, inputs=Box(1, 4), **given).check().holds
    for constant, inputs in ((Fraction(99, 100), Box(1, 4)), (1, Box(Fraction(1, 2), 4))):
        verdict = claim(bound * constant, tagged, inputs=inputs, **given).check()
        assert verdict.holds is False
        assert verdict.counterexample is not None
        again = claim(bound * constant, tagged, inputs=[verdict.counterexample.input], **given)
        assert again.check().holds is False


def always_above(q):
    return ["above", q]


@mechanism
def one_of_two(q: Real, k: Real):
    return lap(eps, q) + 0 * k


@mechanism
def is_positive(q: Real, k: Real):
    return 1 if lap(eps, q) > 0 * k else 0


def strict_at_two(u, a, b):
    if u[1] == 2:
        return 5 * abs(a - b)
    return abs(a - b)


def other_ones_never_reached(u, v):
    if u[1] != v[1]:
        return inf
    return abs(u[0] - v[0])


def test_a_distance_looks_at_one_of_several_inputs() -> None:
    """Such inputs are real too, and are compared as reals: at k = 2 the error is e^{−γε/5}."""
    verdict = claim(exp(-gamma * eps), strict_at_two, mechanism=one_of_two).check()
    assert verdict.holds is False
    assert verdict.counterexample is not None
    assert verdict.counterexample.input[1] == 2
    assert claim(exp(-gamma * eps / 5), strict_at_two, mechanism=one_of_two).check().holds
    given: dict[str, Any] = {"input_distance": other_ones_never_reached, "inputs": [(5, 0)]}
    assert Accuracy(is_positive, exp(-eps), **given).disagreement((5, 0)).distance == 5


def finite_input(u: Dom(0, 1), a, b):
    return 5 * abs(a - b) if u == 1 else abs(a - b)


def of_one_output(_, a):
    return abs(a)


@pytest.mark.parametrize("inputs", [AllReals(), [1]])
def test_a_distance_of_the_wrong_types_is_refused(inputs: Any) -> None:
    with pytest.raises(ExactdpError, match=r"u of the output_distance finite_input is Dom\(0, 1\)"):
        claim(exp(-gamma * eps), finite_input, gamma=1, inputs=inputs).check()
    with pytest.raises(ExactdpError, match="of_one_output cannot be called with an input"):
        claim(exp(-gamma * eps), of_one_output, gamma=1, inputs=inputs).check()


def difference(_, a, b):
    return a - b


def product_of(u, a, b):
    return u * (a - b)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"output_distance": difference, "gamma": 1}, "difference is negative somewhere"),
        ({"output_distance": product_of, "gamma": 1}, "not a function of the language"),
        ({"mechanism": NAMED}, "an input of the mechanism is called gamma"),
        (
            {"beta": lambda u: exp(-u * u * eps)},
            "an exponent in beta is not a sum of multiples of eps",
        ),
        ({"alpha": (0, 1), "gamma": alpha * alpha}, "is not linear in alpha and the inputs"),
    ],
)
def test_what_is_refused(given: dict[str, Any], problem: str) -> None:
    chosen = {"beta": exp(-gamma * eps), "output_distance": sup} | given
    beta, distance = chosen.pop("beta"), chosen.pop("output_distance")
    with pytest.raises(ExactdpError, match=problem):
        claim(beta, distance, **chosen).check()


def test_an_input_may_be_called_unit() -> None:
    named = Mechanism.from_source("def named(unit: Real):\n    return lap(eps, unit)\n")
    assert claim("0.1354", sup, mechanism=named, gamma=2 / eps).check().holds
    assert claim("0.1353", sup, mechanism=named, gamma=2 / eps).check().holds is False
