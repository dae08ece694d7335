"""The cases that a complete decision must survive, each with the answer worked out by hand."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

from exactdp import certify
from exactdp.reals import (
    Decision,
    ExpPoly,
    Interval,
    eps,
    exp,
    inf,
    infimum,
    nonnegative,
    parse,
    positive,
    roots,
    solution_set,
    supremum,
)
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.derivatives import rises_from_zero


def decided(decision: Decision) -> Decision:
    """Return the decision after its certificate was accepted by the independent checker."""
    report = certify.check(decision.certificate)
    assert report.accepted, report.reason
    return decision


def both(f: ClosedForm, on: Interval | str = "(0, inf)") -> tuple[bool, bool]:
    """Return whether f ≥ 0 and whether f > 0, both with accepted certificates."""
    return decided(nonnegative(f, on)).holds, decided(positive(f, on)).holds


TAYLOR = exp(eps) - 1 - eps - eps**2 / 2 - eps**3 / 6


def test_double_zeros() -> None:
    """(e^ε − 2)²(ε − 1)² ≥ 0 holds and > 0 fails at 1 and at ln 2."""
    f = (exp(eps) - 2) ** 2 * (eps - 1) ** 2
    assert both(f) == (True, False)
    assert positive(f).witness == 1
    first, second = roots(f, width=Fraction(1, 10**20))
    assert (first.multiplicity, second.multiplicity) == (2, 2)
    assert second.is_exact
    assert second.lower == 1
    assert float(first) == float(mpmath.log(2))
    assert both((exp(eps) - 2) ** 2) == (True, False)
    tangent = decided(positive((exp(eps) - 2) ** 2))
    assert tangent.witness is None
    assert tangent.root is not None
    assert float(tangent.root) == float(mpmath.log(2))
    assert str(solution_set(-((exp(eps) - 2) ** 2))) == "{0.69314718056…}"
    assert both(-((exp(eps) - 2) ** 2), "[7/10, 2]") == (False, False)


def test_zero_of_order_four_at_zero() -> None:
    assert both(TAYLOR) == (True, True)
    assert both(TAYLOR, "[0, inf)") == (True, False)
    assert positive(TAYLOR, "[0, inf)").witness == 0
    assert [root.multiplicity for root in roots(TAYLOR, "(-inf, inf)")] == [4]
    assert both(TAYLOR, "(-inf, inf)") == (True, False)


def test_a_zero_at_four_times_ten_to_the_minus_forty() -> None:
    """e^ε − 1 − … − ε³/6 − 10⁻⁴⁰ε³ turns at ε ≈ 24·10⁻⁴⁰."""
    f = TAYLOR - eps**3 * Fraction(1, 10**40)
    assert both(f) == (False, False)
    assert nonnegative(f).witness is not None
    (root,) = roots(f)
    root = root.refined(Fraction(1, 10**60))
    assert abs(root.lower - Fraction(24, 10**40)) < Fraction(1, 10**55)
    assert both(f, Interval(root.upper, inf)) == (True, True)
    assert both(f, Interval(0, root.lower, lower_open=True)) == (False, False)
    assert both(f, Interval(root.lower, inf)) == (False, False)


def test_numeric_sparse_of_the_paper() -> None:
    """6e^{−ε/8} − 1 + p₁p₂ of section 5.1 at x₁ = −1, x₂ = 1, x_γ = 1.

    For large ε the error 1 − p₁p₂ ≈ e^{−ε/9} exceeds 6e^{−ε/8}: from 72·ln 6 ≈ 129 on.
    """
    p1 = parse(
        "1 - 2/3*(exp(-2/9*eps) + exp(-2/9*eps)) + 1/6*(exp(-4/9*eps) + exp(-4/9*eps))"
        "- 1/48*(exp(-8/9*eps) + exp(-8/9*eps)) + 1/4*exp(-4/9*eps)"
    )
    p2 = parse("1 - exp(-1/9*eps)")
    f = 6 * exp(-eps / 8) - 1 + p1 * p2
    assert both(f) == (False, False)
    (root,) = roots(f)
    assert abs(float(root) - float(72 * mpmath.log(6))) < 1e-3
    assert both(f, "(0, 129]") == (True, True)
    assert both(f, "[130, inf)") == (False, False)
    assert both(6 * exp(-eps / 9) - 1 + p1 * p2) == (True, True)


def test_leading_terms_that_cancel() -> None:
    """Written with terms that cancel at ∞, only what is left decides."""
    f = exp(5 * eps) * (1 + eps) - exp(5 * eps) - eps * exp(5 * eps) + exp(-eps) - exp(-2 * eps)
    assert both(f) == (True, True)
    big = parse("exp(3*eps) + exp(2*eps)") - exp(3 * eps) - exp(2 * eps) - exp(-eps)
    assert both(big) == (False, False)
    near = exp(eps) - exp(eps * Fraction(10**9 - 1, 10**9)) - Fraction(1, 10**12)
    assert both(near) == (False, False)
    assert both(near, "[1, inf)") == (True, True)


def test_roots_far_out_and_close_in() -> None:
    """A zero beyond 10⁶ and one below 10⁻⁶."""
    far = eps - 10**7 + exp(-eps)
    (root,) = roots(far, "[1, inf)")
    assert root.lower <= 10**7 <= root.upper or abs(float(root) - 10**7) < 1e-6
    near = eps - Fraction(1, 10**8) * exp(-eps)
    (root,) = roots(near)
    assert abs(float(root) - 1e-8) < 1e-15
    assert both(near) == (False, False)
    slow = exp(-eps / 10**6) - Fraction(1, 10**6)
    (root,) = roots(slow)
    assert abs(float(root) / (10**6 * 6 * float(mpmath.log(10))) - 1) < 1e-12


def test_two_roots_very_close() -> None:
    gap = Fraction(1, 10**30)
    f = (eps - exp(-eps)) * (eps - exp(-eps) - gap)
    first, second = roots(f, width=Fraction(1, 10**40))
    omega = mpmath.mpf("0.56714329040978387299996866221035554975381578718651")
    assert abs(float(first) - float(omega)) < 1e-15
    distance = second.lower - first.upper
    assert 0 < distance < gap  # the slope of ε − e^{−ε} at Ω is 1 + Ω
    assert abs(float(distance * 10**30) - 1 / (1 + float(omega))) < 1e-9
    assert both(f) == (False, False)
    exact = (eps - 1) * (eps - 1 - gap)
    assert [root.lower for root in roots(exact)] == [1, 1 + gap]
    assert both(exact) == (False, False)
    assert nonnegative(exact).witness is not None


def test_zero_and_constants() -> None:
    zero = ExpPoly(0)
    assert both(zero) == (True, False)
    assert both(zero, "[-2, 3]") == (True, False)
    assert both(ExpPoly(3)) == (True, True)
    assert both(ExpPoly(-3), "(-inf, inf)") == (False, False)
    assert str(solution_set(zero)) == "(0, ∞)"
    assert (supremum(zero).lower, supremum(zero).attained) == (0, True)
    with pytest.raises(ValueError, match="every number is a zero"):
        roots(zero)


def many_terms(count: int, seed: int = 7) -> ExpPoly:
    """Return a sum of `count` terms that is positive with room."""
    chance = random.Random(seed)
    entries: dict[Fraction, Fraction] = {}
    while len(entries) < count:
        rate = Fraction(-chance.randint(1, 6000), 1000)
        size = Fraction(chance.randint(-100, 100) or 1, chance.randint(1, 50))
        entries[rate] = size * Fraction(1, count)
    f = ExpPoly([(c, (), (("eps", q),)) for q, c in entries.items()])
    return f + 7


def test_two_thousand_terms() -> None:
    f = many_terms(1999)
    assert len(f.terms) == 2000
    assert both(f) == (True, True)
    assert decided(nonnegative(f - 14)).holds is False


def test_quotients_with_poles() -> None:
    """A function with a pole in the interval holds nowhere near it."""
    assert both(1 / (eps - 1)) == (False, False)
    assert both(1 / (eps - 1), "(1, inf)") == (True, True)
    squared = decided(nonnegative(1 / (eps - 1) ** 2))
    assert not squared.holds
    assert squared.is_pole
    assert squared.witness == 1
    irrational = decided(nonnegative(1 / (exp(eps) - 2) ** 2))
    assert irrational.is_pole
    assert irrational.root is not None
    assert str(solution_set(1 / (eps - 1) ** 2)) == "(0, 1) ∪ (1, ∞)"
    assert supremum(1 / (eps - 1) ** 2).upper == inf
    assert infimum(1 / (eps - 1)).lower == -inf
    assert both((exp(eps) - 1) / eps, "[-1, 1]") == (True, True)
    assert both(1 / eps, "[0, 1]") == (False, False)
    assert both((1 - exp(-eps)) / (1 + exp(-eps))) == (True, True)
    assert both((exp(eps) - 1) / (eps * (eps - 2)), "[0, 1]") == (False, False)


@pytest.mark.parametrize(
    ("form", "on", "expected"),
    [
        ("eps - 1", "[1, 2]", (True, False)),
        ("eps - 1", "(1, 2]", (True, True)),
        ("eps - 1", "[1, 1]", (True, False)),
        ("1 - eps", "(0, 1]", (True, False)),
        ("1 - eps", "(0, 1)", (True, True)),
        ("1 - eps", "[0, 1.000001]", (False, False)),
        ("exp(eps) - 2", "[1, 1]", (True, True)),
        ("exp(eps) - 3", "[1, 1]", (False, False)),
        ("exp(eps) - 2", "[7/10, inf)", (True, True)),
        ("exp(eps) - 2", "[6/10, 7/10]", (False, False)),
        ("2 - exp(eps)", "(0, 69/100]", (True, True)),
        ("exp(eps) - 1", "[0, 0]", (True, False)),
        ("exp(eps) - 1", "(-inf, 0]", (False, False)),
        ("1 - exp(eps)", "(-inf, 0)", (True, True)),
        ("eps", "(0, inf)", (True, True)),
        ("eps", "[0, inf)", (True, False)),
        ("eps^3", "[-1, 1]", (False, False)),
        ("eps^2", "[-1, 1]", (True, False)),
        ("(eps^2 - 2)^2*exp(eps)", "(0, inf)", (True, False)),
        ("(eps^2 - 2)*exp(eps)", "[3/2, inf)", (True, True)),
        ("(eps - 1)^3*(exp(eps) - 2)", "(1, inf)", (True, True)),
        ("(eps - 1)^3*(exp(eps) - 2)", "[1, inf)", (True, False)),
        ("(eps - 1)^3*(exp(eps) - 2)", "(1/2, inf)", (False, False)),
    ],
)
def test_ends_of_intervals(form: str, on: str, expected: tuple[bool, bool]) -> None:
    assert both(parse(form), on) == expected


def test_huge_sparse_degrees() -> None:
    """Squares of sums whose dense degree is ten million are decided in a moment."""
    f = exp(eps / 9973) + exp(1000 * eps) - 3
    assert both(f) == (False, False)
    assert both(f**2) == (True, False)
    assert [root.multiplicity for root in roots(f**2)] == [2]
    assert both((eps * f - 1) ** 2 * (eps + f + 2)) == (True, False)


def test_refusals() -> None:
    other = parse("eps*x", ["eps", "x"])
    for ask in (nonnegative, positive, roots, solution_set, supremum, infimum):
        with pytest.raises(ValueError, match="besides eps"):
            ask(other)
        with pytest.raises(ValueError, match="reversed"):
            ask(eps, "(2, 1)")
    with pytest.raises(ValueError, match="not positive"):
        supremum(eps, "[0, 1]", width=0)
    with pytest.raises(ValueError, match="not positive"):
        roots(exp(eps) - 2, width=-1)


@pytest.mark.parametrize(
    ("text", "is_proved"),
    [
        ("1 - exp(-eps)", True),  # 0 at 0; times e^ε, its derivative is e^ε
        ("exp(-eps) - 1 + eps", True),
        ("exp(-eps/2) - exp(-eps)/2 - eps*exp(-eps)/4", True),
        ("eps^2*exp(-eps)", True),
        ("exp(-eps) - 1/2", False),  # false beyond ln 2
        ("eps - exp(-eps)", False),  # false at 0
        ("(exp(eps) - 2)^2", False),  # true, with a zero at ln 2
        ("exp(eps) - 2*eps", False),  # true, but it falls at first
        ("0", False),
        ("1", True),
        ("-1", False),
    ],
)
def test_derivatives_at_zero(text: str, is_proved: bool) -> None:
    """Whether derivatives at 0 prove a sign; certificates and verdicts do not depend on it."""
    f = parse(text)
    assert rises_from_zero(f.numerator) is is_proved
    if is_proved:
        assert both(f) == (True, True)
        assert decided(positive(f, "[0, inf)")).holds is bool(f.at(0).sign > 0)
