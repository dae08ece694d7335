"""Random claims, true or false: whatever the solver says of them is certified completely."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from claims.formulas import exp
from exactdp import ANY, Accuracy, alpha, certify, eps, gamma, minimum, numeric, sup, value_gap
from support.examples import examples

from .claim_specimens import make

NUMBERS = st.fractions(-4, 4, max_denominator=3)
INPUTS = st.integers(2, 3).flatmap(lambda m: st.lists(NUMBERS, min_size=m, max_size=m))
FACTORS = st.fractions(Fraction(1, 3), 4, max_denominator=3)
CONVENTIONS = st.fixed_dictionaries(
    {
        "boundary": st.sampled_from(["skip", "check"]),
        "agreement": st.sampled_from(["equal", "output_distance"]),
    }
)


def certified(claim: Accuracy) -> None:
    found = claim.check()
    report = certify.check(found.certificate)
    assert report.accepted, report.reason
    assert report.taken == ()
    said = "holds" if found else "says nothing, so it is true" if found.holds else "fails"
    if found.outcome != "vacuous" or found.silent:
        assert report.reason.startswith(f"the claim {said}")


@examples(40)
@given(INPUTS, FACTORS, FACTORS, CONVENTIONS, st.sampled_from([ANY, alpha, 2 * alpha, (0, "5/2")]))
def test_values_of_the_largest(
    u: list[Fraction], factor: Fraction, rate: Fraction, conventions: Any, level: Any
) -> None:
    """The γ of a counterexample is one of the claim, and the event is that of this γ."""
    mechanism = make("noisy_max", len(u))
    beta = factor * exp(-gamma * eps * rate / 4)
    distance: Any = value_gap
    certified(
        Accuracy(mechanism, beta, gamma=level, output_distance=distance, inputs=[u], **conventions)
    )


@examples(30)
@given(INPUTS, FACTORS, FACTORS, CONVENTIONS, st.sampled_from([ANY, 0, "1/2", ("1/3", 2)]))
def test_thresholds(
    u: list[Fraction], factor: Fraction, rate: Fraction, conventions: Any, level: Any
) -> None:
    beta = minimum(1, factor * exp(-alpha * eps * rate / 8))
    certified(Accuracy(make("sparse", len(u), 2), beta, level, inputs=[u], **conventions))


@settings(max_examples=20)
@given(INPUTS, FACTORS, st.fractions(0, 2, max_denominator=2), NUMBERS)
def test_numbers_with_noise(
    u: list[Fraction], factor: Fraction, level: Fraction, threshold: Fraction
) -> None:
    certified(
        Accuracy(
            make("numeric_sparse", len(u)),
            factor * exp(-alpha * eps / 9),
            level,
            gamma=1,
            input_distance=numeric(threshold),
            output_distance=sup,
            inputs=[u],
        )
    )
