"""Linear conditions on an interval of ε and at an ε: weaker and stronger ones, met with numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.mechanisms import LARGER
from exactdp import ANY, Accuracy, AllReals, Box, alpha, certify, eps, exp
from exactdp.claims.stated.admissible import LinearSide
from exactdp.reals import ClosedForm, Interval
from support.examples import examples

FACTORS: list[ClosedForm] = [
    eps / eps, eps, 1 / eps, eps**2, 1 + eps, 1 / (1 + eps), exp(-eps), 1 + 1 / eps, 2 - eps
]  # fmt: skip
FORMS = st.builds(
    lambda form, k: form * Fraction(k, 3),
    st.sampled_from(FACTORS),
    st.integers(-6, 6).filter(bool),
)
INTERVALS = st.sampled_from([Interval.of(one) for one in ("[1/2, 2]", "(0, 1]", "[1, inf)")])
LEVELS = st.fractions(0, 5, max_denominator=4)
NUMBERS = st.fractions(-5, 5, max_denominator=4)


def value(form: ClosedForm, at: Fraction) -> float:
    return float(form.at(at))


@examples(60)
@given(
    constant=FORMS, slopes=st.tuples(FORMS, FORMS, FORMS), on=INTERVALS, share=st.integers(1, 9),
    levels=st.tuples(LEVELS, LEVELS), q=NUMBERS, strict=st.booleans(),
)  # fmt: skip
def test_weaker_and_stronger_forms(
    constant: ClosedForm,
    slopes: tuple[ClosedForm, ClosedForm, ClosedForm],
    on: Interval,
    share: int,
    levels: tuple[Fraction, Fraction],
    q: Fraction,
    strict: bool,
) -> None:
    """Inputs may be negative, α and γ are not."""
    names = ("alpha", "gamma", "q[0]")
    side = LinearSide(constant, tuple(zip(names, slopes, strict=True)), strict)
    low = Fraction(on.lower)
    at = low + share * ((on.upper - low) / 10 if isinstance(on.upper, Fraction) else Fraction(1))
    point = dict(zip(names, (*levels, q), strict=True))
    exact = value(constant, at) + sum(
        value(slope, at) * float(point[name]) for name, slope in side.coefficients
    )

    def of(form: dict[str, Fraction]) -> float:
        return float(form["eps"]) + sum(float(form[name] * point[name]) for name in names)

    found = side.relaxed(on)
    if found is not None:
        power, form = found
        assert of(form) >= float(at) ** power * exact - 1e-6
    if not slopes[2].parameters:
        assert of(side.inside(at, Fraction(1, 10))) <= exact - 0.1 * strict + 1e-9


@pytest.mark.parametrize(
    "region",
    [
        "alpha + gamma * eps <= (q[0] - q[1]) / 2 + 1 / eps",
        "alpha <= eps * (q[0] - q[1])",
        "alpha * exp(-eps) <= q[0] + eps",
    ],
)
def test_functions_of_eps_beside_inputs_for_all_reals(region: str) -> None:
    """At a gap d the error is e^(−εd/2)·(1/2 + εd/8) ≤ e^(−αε/2), as α < d/2; not a third."""
    for inputs in (AllReals(), Box(-1, 1)):
        for factor, holds in ((1, True), (3, False)):
            beta = exp(-alpha * eps / 2) / factor
            verdict = Accuracy(LARGER, beta, gamma=ANY, region=region, inputs=inputs).check()
            assert verdict.holds is holds
            assert certify.check(verdict.certificate).accepted
