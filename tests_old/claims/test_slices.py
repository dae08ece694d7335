"""Claims whose α or γ moves with ε: against hand calculation, and against single values of ε."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
    ANY,
    Accuracy,
    Mechanism,
    Real,
    alpha,
    discrete,
    dlap,
    eps,
    exp,
    gamma,
    ideal,
    lap,
    linf,
    mechanism,
    sup,
)
from exactdp.errors import ValueRefusedError
from exactdp.reals import ClosedForm, Interval
from support.examples import examples


@mechanism
def release(x: Real):  # type: ignore[no-untyped-def, valid-type]
    return lap(eps, x)


@mechanism
def counted(x: Real):  # type: ignore[no-untyped-def, valid-type]  # noqa: ARG001
    return dlap(eps, 0)


@ideal
def nothing(x):  # type: ignore[no-untyped-def]
    return 0 if x < 5 else 1


larger = Mechanism.from_source(
    "def larger(q: Real[2]):\n"
    "    first = lap(eps/2, q[0])\n"
    "    return 1 if lap(eps/2, q[1]) > first else 0\n"
)


def about_release(**given: object) -> Accuracy:
    wanted: dict[str, object] = {"alpha": 0, "boundary": "check", "inputs": [0]}
    wanted["input_distance"] = linf
    return Accuracy(release, output_distance=sup, **(wanted | given))  # type: ignore[arg-type]


# |noise| > γ with probability e^{−γε}: by hand.


@pytest.mark.parametrize(
    ("radius", "bound", "holds"),
    [
        (1 / eps, Fraction(37, 100), True),  # e^{−1} = 0.3679
        (1 / eps, Fraction(36, 100), False),
        (1 / eps + 1, Fraction(36788, 10**5), True),  # e^{−1−ε}, largest as ε → 0
        (1 / eps + 1, Fraction(36787, 10**5), False),
        (eps, 1 + eps, True),  # e^{−ε²}
        (eps, Fraction(99, 100), False),
        (eps, exp(-eps), False),  # fails for ε < 1
        (eps + 1, exp(-eps), True),
    ],
)
def test_tails(radius: object, bound: object, holds: bool) -> None:
    assert about_release(gamma=radius, beta=bound).check().holds is holds


def test_equality_at_one_rational_point_only() -> None:
    """ε²/4 + 1 ≥ ε touches at ε = 2; a little less fails around it."""
    claim = about_release(gamma=eps / 4 + 1 / eps, beta=exp(-eps))
    assert claim.check().holds is True
    verdict = replace(claim, gamma=eps / 4 + Fraction(999, 1000) / eps).check()
    assert verdict.counterexample is not None
    assert verdict.counterexample.eps == 2


def test_equality_for_every_eps() -> None:
    for radius in (1 / eps, eps, 3 / eps + eps**2):
        assert about_release(gamma=radius, beta=exp(-gamma * eps)).check().holds is True
        verdict = about_release(gamma=radius, beta=exp(-gamma * eps) * Fraction(999, 1000)).check()
        assert verdict.holds is False


def test_the_simplest_eps_of_a_counterexample() -> None:
    """e^{−1−ε} > 1/3 exactly for ε < ln 3 − 1 = 0.0986…: 1/11 is the simplest."""
    verdict = about_release(gamma=1 / eps + 1, beta=Fraction(1, 3)).check()
    assert verdict.counterexample is not None
    assert verdict.counterexample.eps == Fraction(1, 11)
    assert verdict.counterexample.gamma == 12


def test_alpha_moves_and_only_part_of_eps_is_claimed() -> None:
    """The distance to disagreement is 1 at (0, 2), so α = 2/ε is below it for ε > 2 only."""
    claim = Accuracy(
        larger, alpha=2 / eps, beta=Fraction(1, 3), inputs=[[0, 2]], output_distance=discrete
    )
    chance = larger.probability([0, 2], 0)
    # Two Laplace noises of rate ε/2 differ by more than 2 with probability e^{−ε}(1/2 + ε/4).
    assert math.isclose(float(chance.at(2)), math.exp(-2), rel_tol=1e-12)
    assert claim.check().holds is True
    assert replace(claim, beta=Fraction(136, 1000)).check().holds is True
    verdict = replace(claim, beta=Fraction(135, 1000)).check()
    assert verdict.counterexample is not None
    assert verdict.counterexample.eps > 2
    assert replace(claim, alpha=eps + 1).check().vacuous


@examples(15)
@given(
    st.fractions(min_value=0, max_value=2, max_denominator=3),
    st.fractions(min_value=0, max_value=2, max_denominator=3),
    st.fractions(min_value=0, max_value=1, max_denominator=2),
    st.fractions(min_value="1/10", max_value=1, max_denominator=20),
    st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]),
)
def test_single_values_of_eps_agree(
    over: Fraction, plain: Fraction, slope: Fraction, bound: Fraction, rate: Fraction
) -> None:
    """A claim that holds does so at each ε with the values of α and γ there."""
    level = over / eps + plain + slope * eps
    beta = bound * exp(-alpha * eps * rate) * 2
    claim = Accuracy(larger, alpha=level, beta=beta, inputs=[[0, 5]], output_distance=discrete)
    verdict = claim.check()
    assert verdict.holds is not None
    fails = []
    for point in (Fraction(k, 4) for k in range(1, 40)):
        fixed = over / point + plain + slope * point
        here = replace(claim, alpha=fixed, epsilon=Interval(point, point)).check()
        fails.append(here.holds is False)
    if verdict.holds:
        assert not any(fails)
    if any(fails):
        assert verdict.holds is False


def test_gamma_follows_a_moving_alpha() -> None:
    claim = about_release(gamma=alpha + 1, beta=exp(-gamma * eps), alpha=1 / eps)
    assert claim.check().vacuous  # dd = 0
    both = about_release(gamma=2 / eps, alpha=ANY, beta=Fraction(136, 1000))
    assert both.check().holds is True  # e^{−2} = 0.1353


def test_a_negative_alpha_is_refused() -> None:
    with pytest.raises(ValueRefusedError, match="negative for some eps"):
        about_release(alpha=1 - eps, gamma=0, beta="1/2").check()


# |integer noise| > γ with probability 2e^{−(⌊γ⌋ + 1)ε}/(1 + e^{−ε}): by hand.


def about_counted(**given: object) -> Accuracy:
    wanted: dict[str, object] = {"alpha": 1, "inputs": [0], "ideal": nothing}
    wanted["input_distance"] = linf
    return Accuracy(counted, output_distance=sup, **(wanted | given))  # type: ignore[arg-type]


@pytest.mark.parametrize(("factor", "holds"), [(2, True), (Fraction(199, 100), False)])
def test_whole_numbers(factor: Fraction, holds: bool) -> None:
    """γ comes close to the next whole number, where the bound with factor 2 is exact."""
    beta = factor * exp(-gamma * eps) / (1 + exp(-eps))
    assert about_counted(alpha=ANY, gamma=2 * alpha + 1, beta=beta).check().holds is holds
    moving = about_counted(gamma=3 - eps, epsilon="(0, 2]", beta=beta)
    assert moving.check().holds is holds


def test_whole_numbers_and_the_simplest_eps() -> None:
    """For 1 < ε < ln 3 = 1.0986 only 0 is within 1/ε, with probability tanh(ε/2) < 1/2."""
    verdict = about_counted(gamma=1 / eps, beta=Fraction(1, 2)).check()
    assert verdict.counterexample is not None
    assert verdict.counterexample.eps == Fraction(12, 11)
    assert about_counted(gamma=1 / eps, beta=Fraction(4, 5), epsilon="[1/5, 9]").check().holds


# Found by a hostile review ------------------------------------------------------------


def test_a_single_eps() -> None:
    """A cone around a point of the curve would be flat, and have no cells."""
    assert (
        about_release(gamma=1 / eps, beta=Fraction(1, 10), epsilon="[2, 2]").check().holds is False
    )
    assert about_release(gamma=1 / eps, beta=Fraction(2, 5), epsilon="[2, 2]").check().holds is True


def test_an_end_of_eps_at_the_boundary() -> None:
    """At ε = 1 the level α = 1/ε is dd = 1, and the error 0.276 there."""
    claim = Accuracy(larger, alpha=1 / eps, beta=Fraction(1, 10), inputs=[[0, 2]], boundary="check")
    assert replace(claim, epsilon="(0, 1]").check().holds is False
    assert replace(claim, epsilon="(0, 1]", beta=Fraction(3, 10)).check().holds is True
    assert replace(claim, epsilon="(0, 1)").check().vacuous


@pytest.mark.parametrize(("level", "span"), [((eps - 2) ** 2, "(0, inf)"), (eps - 1, "[1, 2]")])
def test_alpha_touches_the_distance_at_one_eps(level: ClosedForm, span: str) -> None:
    above = Mechanism.from_source("def above(q: Real):\n    return lap(eps, q) >= 0\n")
    claim = Accuracy(above, alpha=level, beta="0.01", inputs=[0], boundary="check", epsilon=span)
    assert claim.check().holds is False
    assert replace(claim, beta="0.5").check().holds is True
    assert replace(claim, boundary="skip").check().vacuous


@pytest.mark.parametrize("digits", [20, 70, 120])
def test_many_digits(digits: int) -> None:
    with mpmath.workdps(digits + 10):
        below = Fraction(int(mpmath.floor(mpmath.exp(-1) * 10**digits)), 10**digits)
    assert about_release(gamma=1 / eps, beta=below).check().holds is False
    assert about_release(gamma=1 / eps, beta=below + Fraction(1, 10**digits)).check().holds is True


def test_a_counterexample_is_one_of_the_claim() -> None:
    above = Mechanism.from_source("def above(q: Real):\n    return lap(eps, q) >= -1\n")
    claim = Accuracy(
        above,
        beta=exp(-alpha * eps) * (1 - alpha * eps / 5) ** 2 / 2,
        alpha=Interval(0, 1, lower_open=True, upper_open=True),
        inputs=[2],
        input_distance=discrete,
        epsilon="(2, 5)",
        boundary="check",
    )
    found = claim.check().counterexample
    assert found is not None
    assert 0 < found.alpha < 1


# Other functions of ε -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("radius", "bound", "holds"),
    [
        (1 / (1 + eps), 1 + eps, True),
        (1 / (1 + eps), Fraction(9, 10), False),  # e^{−ε/(1+ε)} comes close to 1
        (3 * (1 + eps) / (2 + eps), exp(-gamma * eps) * Fraction(101, 100), True),
        (3 * (1 + eps) / (2 + eps), exp(-gamma * eps) * Fraction(99, 100), False),
        (exp(-eps), exp(-gamma * eps) * Fraction(101, 100), True),
        (exp(-eps), Fraction(1, 2), None),  # false, but γ is irrational wherever one looks
    ],
)
def test_functions_that_are_no_polynomials(
    radius: ClosedForm, bound: object, holds: bool | None
) -> None:
    verdict = about_release(gamma=radius, beta=bound).check()
    assert verdict.holds is holds
    if holds is None:
        assert "irrational" in verdict.missing
    if verdict.counterexample is not None:
        at = verdict.counterexample.eps
        assert verdict.counterexample.gamma == radius.at(at).lower


def test_a_range_beside_a_function() -> None:
    """β grows with α here, so no largest α stands for all."""
    above = Mechanism.from_source("def above(q: Real):\n    return lap(eps, q) > 0\n")
    claim = Accuracy(
        above, alpha=(Fraction(1, 2), 2), gamma=3 / eps + 2, beta=alpha / 10, inputs=[3]
    )
    assert claim.check().holds is True
