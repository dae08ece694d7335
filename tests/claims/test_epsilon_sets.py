"""Sets of ε where numbers of a mechanism, α or γ depend on ε, against values computed by hand."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    ExactdpError,
    Expected,
    Mechanism,
    SolutionSet,
    alpha,
    eps,
    exp,
    gamma,
    l2,
    parse,
    sup,
)
from exactdp import discrete as discrete_inputs
from support.examples import examples

IDEAL = Mechanism.from_source("def ideal(q: Real): return q > 1")
LAPLACE = Mechanism.from_source("def laplace(q: Real): return lap(eps, q)")
WHOLE = Mechanism.from_source("def whole(x: Dom(0, 10)): return dlap(eps, x)")
LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 0 if lap(eps / 2, q[0]) >= lap(eps / 2, q[1]) else 1"
)

FASTER = Mechanism.from_source(
    "def faster(q: Real[2]): return 0 if lap(eps, q[0]) >= lap(eps, q[1]) else 1"
)


def above(threshold: str) -> Mechanism:
    """Return a noisy comparison with a threshold that depends on ε."""
    return Mechanism.from_source(f"def above(q: Real): return lap(eps, q) > {threshold}")


def tail(x: float) -> float:
    """Return Pr(Laplace noise > x)."""
    return math.exp(-x) / 2 if x >= 0 else 1 - math.exp(x) / 2


@pytest.mark.parametrize(
    ("shown", "size"),
    [
        ("2 / eps", 2.0),
        ("log(20) / eps", math.log(20)),
        ("(log(20) + 1) / eps", math.log(20) + 1),
        ("(log(2) + log(3) / 2) / eps", math.log(2) + math.log(3) / 2),
    ],
)
@pytest.mark.parametrize("beta", ["9/10", "2/5*exp(-eps/9) + eps/50"])
def test_thresholds(shown: str, size: float, beta: str) -> None:
    """The set is that of the ε at which both errors are below β, as floats show elsewhere."""
    inputs = [Fraction(1, 2), 3]
    claim = Accuracy(
        above(f"1 + {shown}"), parse(beta), ideal=IDEAL, inputs=inputs, alpha=0,
        input_distance=discrete_inputs,
    )  # fmt: skip
    found, bound = claim.epsilons(), parse(beta)
    for step in range(1, 80):
        x = Fraction(step, 13)
        errors = (tail(float(x) * 0.5 + size), 1 - tail(size - 2 * float(x)))
        slack = float(bound.at(x)) - max(errors)
        if abs(slack) > 1e-9:
            assert (x in found) == (slack > 0), x


@pytest.mark.parametrize(
    ("threshold", "end"),
    [
        ("2 / eps", 1),
        ("log(20) / eps", math.log(20) / 2),
        ("(log(9) + 1) / eps", math.log(3) + 0.5),
    ],
)
def test_zeros_where_the_order_changes(threshold: str, end: float) -> None:
    """The error is exactly 1/2 where the threshold is the input, which ends an interval of ε."""
    claim = Accuracy(
        above(f"1 + {threshold}"), "1/2", ideal=IDEAL, inputs=[3], alpha=0,
        input_distance=discrete_inputs,
    )  # fmt: skip
    (stretch,) = claim.epsilons()
    assert float(stretch.lower) == pytest.approx(end, abs=1e-12)
    assert not stretch.lower_open
    assert claim.smallest_epsilon().attained


def _laplace(beta: Any, gamma: Any) -> SolutionSet:
    """Return the set of ε of e^(−γε) ≤ β."""
    return Accuracy(
        LAPLACE, beta, alpha=0, gamma=gamma, inputs=[0], input_distance=discrete_inputs
    ).epsilons()


def test_radii_that_are_functions_of_eps() -> None:
    """The error is e^(−γε), so the ends are roots of γε = −log β."""
    (found,) = _laplace("1/5", eps)
    assert float(found.lower) == pytest.approx(math.sqrt(math.log(5)), abs=1e-12)
    assert str(_laplace(exp(-eps), eps)) == "[1, ∞)"
    assert str(_laplace(exp(-eps), 1 + (eps - 1) ** 2)) == "(0, ∞)"  # equality at 1
    assert str(_laplace(exp(-eps), (1 + 1 / eps) / 2)) == "(0, 1]"
    assert str(_laplace("1/10", 2 / eps)) == "∅"
    assert str(_laplace("1/5", 2 / eps)) == "(0, ∞)"


def test_alpha_that_is_a_function_of_eps() -> None:
    """Nothing is claimed where α ≥ dd = 2: the set contains all these ε."""
    claim = Accuracy(LARGER, exp(-alpha * eps), alpha=eps, inputs=[[4, 0]])
    first, second = claim.epsilons()
    assert second.lower == 2
    assert not second.lower_open
    gap = math.exp(-(float(first.upper) ** 2)) - math.exp(-2 * float(first.upper)) * (
        0.5 + float(first.upper) / 2
    )
    assert gap == pytest.approx(0, abs=1e-12)


def test_expected_losses() -> None:
    """E|L + b| = b + e^(−b) for Laplace noise L of scale 1."""
    plain = Mechanism.from_source("def plain(q: Real): return q")
    for shown, size in (("2", 2.0), ("log(20)", math.log(20))):
        shifted = Mechanism.from_source(f"def shifted(q: Real): return lap(eps, q) + {shown} / eps")
        (found,) = Expected(shifted, at_most=1, ideal=plain, inputs=[0]).epsilons()
        assert float(found.lower) == pytest.approx(size + math.exp(-size), abs=1e-12)
        assert Expected(shifted, at_most=4 / eps, ideal=plain, inputs=[0]).epsilons().stretches
        assert not Expected(shifted, at_most=2 / eps, ideal=plain, inputs=[0]).epsilons().stretches


def test_a_tie_at_an_irrational_point_is_named() -> None:
    """γε = ε + (ε² − 2)², so the error is β at √2, and below it elsewhere."""
    with pytest.raises(ExactdpError, match=r"open near ε = 1\.4142"):
        _laplace(exp(-eps), 1 + (eps**2 - 2) ** 2 / eps)
    assert str(_laplace(exp(-eps), 1 + (eps**2 - 4) ** 2 / eps)) == "(0, ∞)"


def test_a_claim_that_holds_for_every_eps() -> None:
    """The set is everything, also where the ends of such sets are not computed in general."""
    bound = exp(-alpha * eps / 2)
    given: list[dict[str, Any]] = [
        {"inputs": AllReals()},
        {"inputs": Box(0, 1), "alpha": "[eps, inf)"},
    ]
    for more in given:
        assert str(Accuracy(LARGER, bound, **more).epsilons()) == "(0, ∞)"
    with pytest.raises(ExactdpError, match="the set of ε"):
        Accuracy(LARGER, bound / 3, **more).epsilons()
    # Close to a tie, which is at every ε, the error is nearly 1/2.
    assert not len(Accuracy(LARGER, bound / 3, inputs=AllReals()).epsilons())
    assert str(Accuracy(LARGER, bound, input_distance=l2, inputs=[[2, 0]]).epsilons()) == "(0, ∞)"


@pytest.mark.parametrize(
    ("region", "skip", "check"),
    [
        ("alpha > eps and alpha <= 1", "[1, ∞)", "[1, ∞)"),
        ("alpha >= eps and alpha < 1", "[1, ∞)", "[1, ∞)"),
        ("alpha >= eps and alpha <= 1", "[1, ∞)", "(1, ∞)"),
        ("alpha >= eps**2 and alpha <= eps + 1", "[1.58113883008…, ∞)", "(1.58113883008…, ∞)"),
        ("alpha > eps**2 and alpha <= eps + 1", "[1.58113883008…, ∞)", "[1.58113883008…, ∞)"),
    ],
)
def test_ends_at_which_no_alpha_is_left(region: str, skip: str, check: str) -> None:
    """Dd is 1 and 5/2: where the least α is dd, nothing is claimed, unless α = dd is checked."""
    for boundary, end in (("skip", skip), ("check", check)):
        claim = Accuracy(
            FASTER, exp(-3 * alpha * eps), region=region, inputs=[[2, 0], [0, 5]], boundary=boundary
        )
        assert str(claim.epsilons()).endswith(end)


CONDITIONS = {
    "alpha <= eps": lambda a, x: a <= x,
    "alpha >= 1 / eps": lambda a, x: a >= 1 / x,
    "alpha <= eps + 1 / eps": lambda a, x: a <= x + 1 / x,
    "alpha >= eps**2 and alpha <= 2 * eps": lambda a, x: x * x <= a <= 2 * x,
    "alpha <= 1/2 or alpha >= eps": lambda a, x: a <= 0.5 or a >= x,
}


@pytest.mark.parametrize("region", CONDITIONS)
@pytest.mark.parametrize(("rate", "factor"), [(2, 1), (3, Fraction(2, 3))])
def test_conditions_that_depend_on_eps(region: str, rate: int, factor: Fraction) -> None:
    """The sets contain the ε at which no claimed α of a fine grid is a counterexample."""
    bound = factor * exp(-rate * alpha * eps)
    found = Accuracy(FASTER, bound, region=region, inputs=[[2, 0], [0, 5]]).epsilons()
    for step in range(1, 60):
        x = step / 13
        slacks = []
        for gap in (2, 5):
            error = math.exp(-x * gap) * (1 + x * gap / 2) / 2
            sizes = [gap / 2 * k / 200 for k in range(200)]
            claimed = [a for a in sizes if CONDITIONS[region](a, x)]
            slacks += [float(factor) * math.exp(-rate * a * x) / error - 1 for a in claimed]
        least = min(slacks, default=1.0)
        if abs(least) > 0.05:
            assert (Fraction(step, 13) in found) == (least > 0), x


NOISE = Mechanism.from_source("def noisy(x: Real): return lap(eps, x)")
CLIPPED = Mechanism.from_source("def clipped(x: Real): return min(lap(eps, x), 2)")


@pytest.mark.parametrize("inputs", [[3], AllReals()], ids=str)
def test_sets_of_eps_for_a_range_of_gamma(inputs: Any) -> None:
    """The error e^(−γε) is at most e^(−γε/2)/2 where γε ≥ 2·log 2, for all γ of the range.

    At most e^(−γε)·3 − 1 (so 2·e^(−γε) ≥ 1) where γε ≤ log 2.
    """
    ends: dict[tuple[str, Any], tuple[float, float]] = {
        ("exp(-gamma*eps/2)/2", (1, 2)): (2 * math.log(2), math.inf),
        ("exp(-gamma*eps/2)/2", (Fraction(1, 2), math.inf)): (4 * math.log(2), math.inf),
        ("1/20", (4, 9)): (math.log(20) / 4, math.inf),
        ("1/20", "(4, 9]"): (math.log(20) / 4, math.inf),
        ("3*exp(-gamma*eps) - 1", (0, 4)): (0, math.log(2) / 4),
    }
    for (beta, level), (lower, upper) in ends.items():
        (found,) = Accuracy(NOISE, beta, 0, level, inputs=inputs).epsilons()
        assert math.isclose(float(found.lower), lower, abs_tol=1e-9)
        assert math.isclose(float(found.upper), upper, abs_tol=1e-9)
    never: list[tuple[str, Any]] = [("1/20", ANY), ("exp(-gamma*eps/2)/2", ANY), ("1/20", (0, 3))]
    for beta, level in never:
        assert not len(Accuracy(NOISE, beta, 0, level, inputs=inputs).epsilons())


def test_sets_of_eps_for_a_range_of_gamma_that_the_bound_does_not_use() -> None:
    """The least γ suffices: e^(−ε) ≤ e^(−3ε/2) + 1/10 for γ ≥ 1; a clipped output is 2 at x = 5."""
    claim = Accuracy(NOISE, "exp(-3*eps/2) + 1/10", 0, (1, 2), inputs=[0])
    found = claim.epsilons()
    assert found == replace(claim, gamma=1).epsilons()
    for k in range(1, 200):
        at = Fraction(k, 40)
        gap = math.exp(-1.5 * at) + 0.1 - math.exp(-at)
        assert (at in found) is (gap >= 0)
    claim = Accuracy(CLIPPED, "exp(-2*eps)", 0, "(1, inf)", inputs=[1])
    assert claim.epsilons() == replace(claim, gamma=1).epsilons()


@examples(60)
@given(
    st.fractions(Fraction(1, 4), 2, max_denominator=4),
    st.fractions(Fraction(1, 5), 3, max_denominator=5),
    st.fractions(0, Fraction(1, 3), max_denominator=6),
    st.fractions(0, 2, max_denominator=2),
    st.fractions(Fraction(1, 2), 3, max_denominator=2),
)
def test_random_sets_of_eps_for_a_range_of_gamma(
    rate: Fraction, factor: Fraction, rest: Fraction, low: Fraction, width: Fraction
) -> None:
    """At many ε: the least margin over many γ has the sign that the set says."""
    beta = factor * exp(-rate * gamma * eps) + rest
    claim = Accuracy(NOISE, beta, 0, (low, low + width), inputs=[1])
    found = claim.epsilons()
    for k in range(1, 60):
        at = Fraction(k * k, 97)
        levels = [float(low + width * Fraction(j, 60)) * float(at) for j in range(61)]
        margins = [
            float(factor) * math.exp(-float(rate) * t) + float(rest) - math.exp(-t) for t in levels
        ]
        if min(margins) < -1e-9:
            assert at not in found
        elif min(margins) > 1e-3:
            assert at in found


@pytest.mark.parametrize("within", ["1/eps", "3/2*eps", "2-eps", "1/eps if eps > 1/2 else 3"])
@pytest.mark.parametrize("epsilon", ["[1/5, 2]", "(1/3, 1]", "[1, 5/4]", "[2/3, 3/2)"])
def test_an_error_that_jumps_where_gamma_is_a_whole_number(within: str, epsilon: str) -> None:
    """Pr(|noise| > γ) is 2a^(k+1)/(1 + a) with a = e^(−ε), k = ⌊γ⌋: it jumps at whole γ.

    Both sides of a jump may be outside of the set, so that the point is isolated.
    """
    claim = Accuracy(WHOLE, "2/5", 0, within, output_distance=sup, inputs=[3], epsilon=epsilon)
    found = claim.epsilons()
    last = found if " if " in within else claim.smallest_epsilon().everywhere
    for point in {Fraction(n, d) for d in range(1, 8) for n in range(1, 2 * d + 1)}:
        size = eval(within, {"eps": point})
        a = math.exp(-point)
        holds = 2 * a ** (math.floor(size) + 1) / (1 + a) <= 0.4
        assert (point in found) == (point in last) == (holds and point in claim.epsilon)


def test_an_irrational_point_at_which_the_error_jumps_is_named() -> None:
    """γ = ε + 1/ε is 3 at ε = (3 − √5)/2, and the claim fails next to it."""
    claim = Accuracy(WHOLE, "eps/3", 0, "eps + 1/eps", output_distance=sup, inputs=[3])
    with pytest.raises(ExactdpError, match=r"open whether the claim holds at ε = 0\.38196601"):
        claim.changed(epsilon="[1/3, 1]").epsilons()
