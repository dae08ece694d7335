"""Closed forms that no other test noticed when the procedures were changed: see `mutants`."""

from __future__ import annotations

from fractions import Fraction
from math import e, log

import pytest
from flint import fmpq, fmpq_poly

from exactdp import certify
from exactdp.reals import (
    ExpPoly,
    Interval,
    infimum,
    nonnegative,
    parse,
    roots,
    solution_set,
    supremum,
)
from exactdp.reals.certified import evaluated_sign
from exactdp.reals.curved import CurvedSum
from exactdp.reals.numbers import exact

SETS = {
    "[1, ∞)": solution_set(parse("eps - 1")),
    "(1, ∞)": solution_set(parse("1/(eps - 1)")),
    "(0, 1]": solution_set(parse("1 - eps")),
    "(0, 1)": solution_set(parse("1/(1 - eps)")),
    "[1, 2]": solution_set(parse("1"), Interval.parse("[1, 2]")),
    "(1/2, 1]": solution_set(parse("1"), Interval.parse("(1/2, 1]")),
    "(1, 2]": solution_set(parse("1"), Interval.parse("(1, 2]")),
}


@pytest.mark.parametrize(
    ("one", "two", "both"),
    [
        ("[1, ∞)", "(1, ∞)", "(1, ∞)"),
        ("[1, ∞)", "(0, 1]", "{1}"),
        ("[1, ∞)", "(0, 1)", "∅"),
        ("(1, ∞)", "(0, 1]", "∅"),
        ("(0, 1]", "(0, 1)", "(0, 1)"),
        ("[1, 2]", "(1/2, 1]", "{1}"),
        ("[1, ∞)", "(1/2, 1]", "{1}"),
        ("[1, 2]", "(0, 1]", "{1}"),
        ("(1, ∞)", "(1/2, 1]", "∅"),
        ("[1, 2]", "(0, 1)", "∅"),
        ("[1, 2]", "(1, ∞)", "(1, 2]"),
        ("[1, ∞)", "(1, 2]", "(1, 2]"),
        ("(1, 2]", "[1, 2]", "(1, 2]"),
    ],
)
def test_sets_that_meet_in_an_end(one: str, two: str, both: str) -> None:
    """Ends that are zeros, poles or numbers are the same if they are equal, in either order."""
    assert {name: str(found) for name, found in SETS.items()} == {name: name for name in SETS}
    assert str(SETS[one] & SETS[two]) == both
    assert str(SETS[two] & SETS[one]) == both


def test_zeros_of_negative_arguments() -> None:
    """e^t = 1/2 and e^t = 1/3 at −ln 2 and −ln 3; t = −1 is exact."""
    found = roots(parse("(exp(eps) - 1/2)*(exp(eps) - 1/3)*(eps + 1)"), Interval.parse("[-3, 0]"))
    for one, value in zip(found, (-log(3), -1, -log(2)), strict=True):
        near = one.refined("1e-12")
        assert near.upper - near.lower <= 1e-12
        assert near.lower - 1e-12 <= value <= near.upper + 1e-12


@pytest.mark.parametrize("factor", ["2", "1/3", "5/4"])
@pytest.mark.parametrize("power", [2, 4])
def test_proofs_about_multiples_of_squares(factor: str, power: int) -> None:
    decision = nonnegative(parse(f"{factor}*(exp(eps) - 3*eps)^{power}"))
    assert decision.holds
    assert certify.check(decision.certificate)


def test_a_bound_that_is_attained_twice() -> None:
    """At ε = 1 and at ε = 2 the first two terms are e, the last one is 0; between, it is more."""
    form = "(2 - eps)*exp(eps) + (eps - 1)*exp(eps/2) + (eps - 1)*(2 - eps)/(1 + exp(eps))"
    found = infimum(parse(form), Interval.parse("[1, 2]"))
    assert {found.at, *found.ties} == {Fraction(1), Fraction(2)}
    assert found.attained
    assert float(found.lower) == pytest.approx(e)


@pytest.mark.parametrize("exponent", [[], [0, 0, -1], [1, -2]])
@pytest.mark.parametrize("depth", [Fraction(1, 10**6), Fraction(0), Fraction(-1, 10**6)])
def test_a_narrow_dip_of_a_curved_sum(exponent: list[int], depth: Fraction) -> None:
    """((x − 7/10)² − depth)·e^{P(x)} is negative between 7/10 ± √depth alone."""
    part = fmpq_poly([exact(Fraction(49, 100) - depth), exact(Fraction(-7, 5)), 1])
    function = CurvedSum.of({tuple(map(fmpq, exponent)): part})
    holds, found = evaluated_sign(function, Interval.parse("[0, 3]"))
    assert holds == (depth <= 0)
    assert found is None or (found - Fraction(7, 10)) ** 2 < depth


@pytest.mark.parametrize(
    ("form", "on", "least", "largest"),
    [
        ("1/eps", "(0, 1]", "1, attained at ε = 1", "∞, approached at ε = 0"),
        ("1/eps", "[-1, 0)", "−∞, approached at ε = 0", "-1, attained at ε = -1"),
        ("-1/eps", "(0, 1]", "−∞, approached at ε = 0", "-1, attained at ε = 1"),
        ("(1 - eps)/eps^2", "[-1, 0)", "2, attained at ε = -1", "∞, approached at ε = 0"),
    ],
)
def test_bounds_beside_a_pole_at_zero(form: str, on: str, least: str, largest: str) -> None:
    assert str(infimum(parse(form), on)) == least
    assert str(supremum(parse(form), on)) == largest


def test_the_derivative_by_what_does_not_occur() -> None:
    assert parse("3").derivative() == ExpPoly(0)
    assert parse("eps*exp(eps)").derivative("x") == ExpPoly(0)
    assert parse("eps*exp(eps)").derivative() == parse("exp(eps) + eps*exp(eps)")
