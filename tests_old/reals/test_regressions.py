"""What once broke, kept: each case was found by a hostile review or by hypothesis."""

from __future__ import annotations

import math
from fractions import Fraction
from math import factorial, prod
from typing import Any

import numpy as np
import pytest

from exactdp import ExactdpError, certify
from exactdp.reals import (
    Decision,
    ExpPoly,
    Interval,
    eps,
    exp,
    inf,
    infimum,
    nonnegative,
    parameter,
    parse,
    positive,
    roots,
    solution_set,
    supremum,
)

E = exp(eps)


def proved(decision: Decision) -> bool:
    """Return the verdict of a decision whose certificate is accepted."""
    report = certify.check(decision.certificate)
    assert report.accepted, report.reason
    return decision.holds


def test_quotients_that_are_not_in_lowest_terms() -> None:
    """(e^ε − 2⁴⁰⁰)/(e^{ε/400} − 2) is a sum of 400 positive terms; the lift does not see it."""
    f = (E - 2**400) / (exp(eps / 400) - 2)
    assert roots(f) == ()
    assert proved(positive(f))
    assert infimum(f).attained is False
    assert supremum(f, "[250, 300]").at == 300
    g = (E - 3) * (exp(eps / 3) - 5) * (eps + 1) / (exp(eps / 3) + eps - 5) ** 2
    assert not [root for root in roots(g.derivative()) if abs(float(root) - 2.6117) < 1e-3]
    assert supremum(g).upper == inf


def test_squares_of_sparse_products() -> None:
    """Degrees of ten thousand million: only sparse arithmetic survives."""
    f = (exp(eps / 9973) - 2) * (exp(1000 * eps) - 3) * (exp(eps / 7919) - 2)
    assert proved(nonnegative(f**2))
    assert not proved(positive(f**2))
    assert not proved(nonnegative(f**2 * (exp(1000 * eps) - 3)))
    assert [root.multiplicity for root in roots(f**2)] == [2, 2, 2]


def test_a_supremum_that_is_only_approached() -> None:
    """The bump at ln 2 stays 10⁻¹⁰⁰ below the limit 0 at the open end 3."""
    tiny = Fraction(1, 10**100)
    for bump in ((E - 2) ** 2, (eps**2 - 2) ** 2):
        found = supremum(-(bump + tiny) * (3 - eps), "(0, 3)")
        assert (found.lower, found.upper, found.at, found.attained) == (0, 0, 3, False)
    touching = supremum(-((E - 2) ** 2) * (3 - eps), "(0, 3)")
    assert touching.attained
    assert touching.upper == 0
    assert supremum(E + exp(-eps), "(-1, 1)").attained is False
    assert supremum(E + exp(-eps), "(-1, 1]").attained is True


@pytest.mark.parametrize(
    "form",
    [
        E - sum((eps**k / factorial(k) for k in range(60)), start=ExpPoly(0)),
        1 - exp(-eps) * sum((eps**k / factorial(k) for k in range(40)), start=ExpPoly(0)),
        (E - 2) ** 30 + Fraction(1, 10**50),
        (1 - exp(-eps / 72)) ** 20 * (2 - exp(-eps)),
        (E - 2) ** 200,
    ],
    ids=["Taylor", "Erlang", "near tangency", "high zero at 0", "high power"],
)
def test_zeros_of_high_order_nearby(form: ExpPoly) -> None:
    assert proved(nonnegative(form))


def test_sparse_high_powers() -> None:
    f = eps**300 * exp(-eps) + 1 - eps
    assert not proved(nonnegative(f))
    assert proved(nonnegative(f, "(0, 1]"))


def test_many_close_double_zeros() -> None:
    product = prod((E - 1 - Fraction(i, 10) for i in range(1, 5)), start=ExpPoly(1))
    assert proved(positive(product**2 + Fraction(1, 10**30)))
    assert not proved(nonnegative(product**2 - Fraction(1, 10**30)))


def test_extreme_scales() -> None:
    assert float((E - 1).at(Fraction(1, 10**20000))) == 0.0
    assert float((-E).at(10**300)) == -inf
    assert str(E.at(10**300)).startswith("10^(4.342944819032518")
    with pytest.raises(ValueError, match="too many digits"):
        _ = E.at(10**12).lower
    assert len(str(E.at(1, digits=100))) > 100
    assert float(roots(exp(eps * Fraction(10) ** 400) - 2)[0]) == 0.0
    assert float(roots(eps - 10**400)[0]) == inf
    assert math.isinf((10**400 * eps).values([1.0])[0])
    assert str(roots(eps * 10**6000 - 1)[0]).startswith("1/1000")
    assert "ε = " in str(nonnegative(eps - Fraction(1, 10**6000)))
    assert "10" in repr(Interval(0, Fraction(1, 10**6000)))
    assert str(supremum(eps**500 * exp(-eps))).endswith("attained at ε = 500")


@pytest.mark.parametrize(
    "make",
    [
        lambda: ExpPoly([(1, (("eps", -1),), ())]),
        lambda: ExpPoly([(1, (("eps", 1), ("eps", 2)), ())]),
        lambda: ExpPoly([(1, (("eps", 1.5),), ())]),
        lambda: ExpPoly([1, 2]),  # type: ignore[list-item]
        lambda: ExpPoly(None),  # type: ignore[arg-type]
        lambda: parameter(""),
        lambda: parameter("exp"),
        lambda: parameter(3),  # type: ignore[arg-type]
        lambda: E.derivative(3),  # type: ignore[arg-type]
        lambda: E.at(1, x=2),
        lambda: E.at(np.array([1.0, 2.0])),  # type: ignore[arg-type]
        lambda: E.at(1, digits=True),
        lambda: E.limit(10**6000),
        lambda: E.values(["a"]),  # type: ignore[list-item]
        lambda: nonnegative(None),  # type: ignore[arg-type]
        lambda: roots([1]),  # type: ignore[arg-type]
        lambda: solution_set(E, width=0),
        lambda: roots(E - 2, width=-Fraction(1, 10**5000)),
        lambda: Interval.parse(None),  # type: ignore[arg-type]
        lambda: parse("((1+exp(eps))^1000)^1000"),
        lambda: parse("(1+eps+exp(eps)+exp(2*eps))^1000"),
        lambda: parse("e^(-eps)"),
        lambda: parse("eps^(1/2)"),
    ],
)
def test_misuse_is_one_clear_error(make: Any) -> None:
    with pytest.raises(ExactdpError):
        make()


def test_numbers_of_other_libraries() -> None:
    two: Any = np.int64(2)
    assert eps * two == 2 * eps == two * eps
    assert eps + two == eps + 2
    assert E.at(np.float64(0.5)).lower == E.at("1/2").lower
    assert E.at(two, digits=two).lower > 7
    assert str(Interval(np.float64(0), np.float64("inf"))) == "[0, ∞)"
    assert "1/2" in Interval(0, 1)
    assert E.limit("oo") == inf


def test_numbers_and_texts_are_closed_forms_too() -> None:
    assert nonnegative(3).holds
    assert positive("exp(eps) - 1").holds
    assert str(supremum("eps*exp(-eps)")).endswith("attained at ε = 1")
    assert str(solution_set("1 - eps")) == "(0, 1]"


def test_close_zeros_of_a_polynomial_times_an_exponential() -> None:
    """(ε − 2)² − 2·10⁻⁴⁰ has the zeros 2 ± √2·10⁻²⁰, and e^(−ε/2) has none to look for."""
    room = Fraction(2, 10**40)
    f = exp(-eps / 2) * ((eps - 2) ** 2 - room)
    assert not proved(nonnegative(f))
    assert proved(nonnegative(f + exp(-eps / 2) * room))
    first, second = roots(f, width=Fraction(1, 10**30))
    assert 2 - Fraction(15, 10**21) < first.lower < 2 - Fraction(14, 10**21)
    assert 2 + Fraction(14, 10**21) < second.lower < 2 + Fraction(15, 10**21)
