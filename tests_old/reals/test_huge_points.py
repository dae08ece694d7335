"""Claims that fail only at astronomically large or small ε: decided, shown and certified.

The values are compared with mpmath in logarithms, which share nothing with ball arithmetic: at a
witness x the terms v·e^y of f are divided by the largest one, and the sum of the v·e^(y − top) has
the sign of f(x).
"""

from __future__ import annotations

import copy
import time
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Accuracy, Mechanism, certify
from exactdp.reals import ClosedForm, ExpPoly, eps, exp, nonnegative
from exactdp.reals.certificates import seal
from support.examples import examples

LARGER = Mechanism.from_source("def m(q: Real[2]): return lap(eps, q[0]) > lap(eps, q[1])")


def logarithmic(form: ExpPoly, x: Fraction) -> tuple[int, mpmath.mpf]:
    """Return the sign of a sum at x ≠ 0, and log₂ of its absolute value."""
    numbers = [x, *(t.coefficient for t in form.terms), *(t.rate for t in form.terms)]
    size = max(n.numerator.bit_length() + n.denominator.bit_length() for n in numbers)
    with mpmath.workprec(400 + 8 * size):
        at = mpmath.mpf(x.numerator) / x.denominator
        parts = [
            (
                mpmath.mpf(t.coefficient.numerator) / t.coefficient.denominator * at**t.power,
                mpmath.mpf(t.rate.numerator) / t.rate.denominator * at,
            )
            for t in form.terms
        ]
        top = max(y for _, y in parts)
        # What is below the precision is left out: mpmath writes e^(−10³⁰) out as a power.
        value = mpmath.fsum(v * mpmath.exp(y - top) for v, y in parts if y - top > -mpmath.mp.prec)
        return int(mpmath.sign(value)), (mpmath.log(abs(value)) + top) / mpmath.log(2)


@pytest.mark.parametrize("digits", [9, 30, 300, 3000])
def test_a_claim_that_fails_only_at_huge_eps(digits: int) -> None:
    """Pr(error at [4, 0]) = e^(−4ε)·(1 + 2ε)/2, so β = c·e^(−4ε) fails past ε = c − 1/2."""
    c = Fraction(10**digits)
    begin = time.process_time()
    verdict = Accuracy(LARGER, c * exp(-4 * eps), alpha=0, inputs=[[4, 0]]).check()
    found = verdict.counterexample
    assert not verdict.holds
    assert found is not None
    assert found.eps == c
    assert "ε = 1" in str(verdict)
    assert time.process_time() - begin < 1
    assert certify.check(verdict.certificate)
    assert "<" in verdict._repr_html_()
    error = (1 - found.probability).at(c, 20)
    sign, power = logarithmic((1 - found.probability).numerator, c)
    assert sign == error.sign == 1
    with mpmath.workprec(20_000):
        assert abs(mpmath.log(error.lower_mantissa, 2) + error.exponent - power) < 1e-12
    with pytest.raises(ValueError, match="too many digits"):
        _ = error.lower


def test_the_text_of_a_huge_number() -> None:
    """e^(−4·10³⁰) has −4·10³⁰/ln 10 = −1737177927613007310767…; e^(10³⁰⁰) is 10^(10³⁰⁰/ln 10)."""
    assert "e-173717792761300731" in exp(-4 * eps).at(10**30).text(8)
    assert (-exp(eps)).at(10**300).text(11) == "-10^(4.3429448190e+299)"
    assert (1 - exp(-eps)).at(10**300).text(8) == "1.0000000"


C = Fraction(10**1000)


@pytest.mark.parametrize(
    "f",
    [
        1 + eps + eps * eps / C - exp(-C * eps) / 2,
        C + eps - eps * exp(-eps) * C + exp(eps / C),
        1 - exp(-eps) + 1 / C - eps * exp(-eps) / 3,
        (eps + C) / (1 + eps * exp(-eps) * C),
    ],
)
def test_proofs_across_thousands_of_digits(f: ClosedForm) -> None:
    """Each is positive, term by term: x·e^{−x} < 1/2, and 1 − e^{−x} > x·e^{−x}."""
    begin = time.process_time()
    decision = nonnegative(f)
    assert decision.holds
    assert certify.check(decision.certificate)
    assert time.process_time() - begin < 5
    for power in (-1001, -999, -1, 0, 1, 999, 1001):
        for part in (f.numerator, f.denominator):
            assert logarithmic(part, Fraction(10) ** power)[0] > 0
    wrong = nonnegative(f - 2 * f.at(1, 5).upper_mantissa * Fraction(2) ** f.at(1, 5).exponent)
    assert not wrong
    assert certify.check(wrong.certificate)


def test_a_claim_that_fails_only_at_tiny_eps() -> None:
    """The error at [4, 0] is above 1/2 − δ where (1 + 2ε)·e^{−4ε} > 1 − 2δ: below about ε = δ."""
    begin = time.process_time()
    verdict = Accuracy(LARGER, Fraction(1, 2) - 1 / C, alpha=0, inputs=[[4, 0]]).check()
    assert verdict.counterexample is not None
    assert 0 < verdict.counterexample.eps < 2 / C
    assert certify.check(verdict.certificate)
    assert time.process_time() - begin < 3


COEFFICIENTS = st.integers(-9, 9).filter(bool).map(Fraction)
RATES = st.fractions(-3, 3, max_denominator=3)
SUMS = st.lists(st.tuples(COEFFICIENTS, st.integers(0, 2), RATES), min_size=1, max_size=3).map(
    lambda terms: sum((c * eps**k * exp(q * eps) for c, k, q in terms), ExpPoly())
)
HUGE = st.builds(
    lambda digit, power, below: Fraction(digit) * Fraction(10) ** (-power if below else power),
    st.integers(1, 9),
    st.sampled_from([10, 30, 100, 200]),
    st.booleans(),
)


@examples(40)
@given(SUMS, SUMS, HUGE, HUGE)
def test_huge_constants(f: ExpPoly, g: ExpPoly, c: Fraction, d: Fraction) -> None:
    """c·f(ε) − g(dε): the sign at the witness is as mpmath says, and the checker agrees."""
    stretched = g.substitute(eps=d * eps)
    difference: ClosedForm = c * f - stretched
    assert isinstance(difference, ExpPoly)
    decision = nonnegative(difference)
    certificate = decision.certificate
    report = certify.check(certificate)
    assert report, report.reason
    if decision.witness is not None:
        assert logarithmic(difference, decision.witness)[0] < 0
        assert not certify.check(changed(certificate))


def changed(certificate: dict[str, object]) -> dict[str, object]:
    """Return the certificate with a value that is off by one part in a hundred, sealed again."""
    result = copy.deepcopy(certificate)
    proof = result["proof"]
    assert isinstance(proof, dict)
    proof["value"] = [_moved(end) for end in proof["value"]]
    del result["seal"]
    return {**result, "seal": seal(result)}


def _moved(end: str) -> str:
    mantissa, star, power = end.partition("*2^")
    moved = Fraction(mantissa) * Fraction(101, 100)
    if not star:
        return str(moved)
    return f"{int(moved * 2**20)}*2^{int(power) - 20}"
