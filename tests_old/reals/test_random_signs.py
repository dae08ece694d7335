"""Decisions against inputs nobody chose: mpmath on grids, and products with known zeros."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import given
from hypothesis import strategies as st

from exactdp import certify
from exactdp.reals import (
    ExpPoly,
    Interval,
    eps,
    exp,
    inf,
    infimum,
    nonnegative,
    positive,
    roots,
    solution_set,
    supremum,
)
from exactdp.reals.derivatives import rises_from_zero
from reals.closed_forms import by_mpmath, sums
from support.examples import examples

GRID = [Fraction(m) * Fraction(10) ** k for k in range(-4, 3) for m in (1, 2, 3, 5, 7)]


@examples(150)
@given(sums())
def test_verdicts_agree_with_a_grid_and_around_every_root(f: ExpPoly) -> None:
    """No grid point contradicts a verdict; the sign is right on both sides of every zero."""
    decision, strict = nonnegative(f), positive(f)
    for made in (decision, strict):
        report = certify.check(made.certificate)
        assert report.accepted, report.reason
    values = {x: by_mpmath(f, x, 120) for x in GRID}
    if decision.holds:
        assert all(value >= 0 for value in values.values())
    else:
        assert decision.witness is not None
        assert by_mpmath(f, decision.witness, 200) < 0
    if strict.holds:
        assert decision.holds
        assert all(value > 0 for value in values.values())
    elif decision.holds and f:
        assert strict.witness is not None or strict.root is not None
    if not f:
        return
    found = roots(f, width=Fraction(1, 10**30))
    for root in found:
        if not root.is_exact:
            before, after = (by_mpmath(f, x, 200) for x in (root.lower, root.upper))
            assert (before * after < 0) == (root.multiplicity % 2 == 1)
    # Between neighbouring zeros the sign does not change: every change on the grid is explained.
    for left, right in itertools.pairwise(GRID):
        changes = values[left] * values[right] < 0
        odd = [r for r in found if left < r.lower and r.upper < right and r.multiplicity % 2]
        assert not changes or odd
        assert changes or len(odd) % 2 == 0 or not values[left] or not values[right]
    where = solution_set(f)
    assert all((x in where) == (value >= 0) for x, value in values.items() if value)


known = st.fractions(Fraction(1, 12), 8, max_denominator=12)


@st.composite
def factors(draw: st.DrawFn) -> tuple[ExpPoly, str, Fraction]:
    """Draw a factor with exactly one zero on (0, ∞): ε − r, or e^{qε} − s with s > 1."""
    value = draw(known)
    if draw(st.booleans()):
        return eps - value, "rational", value
    rate = draw(st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(2)]))
    return exp(rate * eps) - (1 + value), f"log/{rate}", 1 + value


@examples(75)
@given(
    st.lists(st.tuples(factors(), st.integers(1, 3)), min_size=1, max_size=3),
    st.sampled_from([1, -1]),
    sums(2, 0),
)
def test_products_with_known_zeros(
    made: list[tuple[tuple[ExpPoly, str, Fraction], int]], sign: int, other: ExpPoly
) -> None:
    """Zeros and multiplicities are those put in; the sign changes exactly at the odd ones."""
    positive_factor = other**2 + 1
    f = sign * positive_factor
    expected: dict[float, int] = {}
    for (factor, kind, value), power in made:
        f = f * factor**power
        place = float(_place(kind, value))
        expected[place] = expected.get(place, 0) + power
    found = roots(f)
    assert len(found) == len(expected)
    for root, place in zip(found, sorted(expected), strict=True):
        assert abs(float(root) - place) <= 1e-12 * place
        assert root.multiplicity == expected[place]
        assert root.is_exact == any(
            kind == "rational" and float(value) == place for (_, kind, value), _ in made
        )
    all_even = all(power % 2 == 0 for power in expected.values())
    assert nonnegative(f).holds == (all_even and sign > 0)
    assert certify.check(nonnegative(f).certificate).accepted
    assert not positive(f).holds
    assert certify.check(positive(f).certificate).accepted


def _place(kind: str, value: Fraction) -> Any:
    if kind == "rational":
        return value
    over, _, under = kind.removeprefix("log/").partition("/")
    return mpmath.log(mpmath.mpf(value.numerator) / value.denominator) / (
        mpmath.mpf(int(over)) / int(under or 1)
    )


intervals = st.builds(
    lambda a, b, c, d: Interval(min(a, b), max(a, b), lower_open=c, upper_open=d),
    st.fractions(-3, 6, max_denominator=4),
    st.fractions(Fraction(13, 2), 9, max_denominator=4),
    st.booleans(),
    st.booleans(),
)


@examples(75)
@given(sums(5, 2), sums(3, 1), intervals)
def test_quotients_on_intervals(f: ExpPoly, g: ExpPoly, on: Interval) -> None:
    """Signs, solution sets and bounds of quotients agree with each other and with values."""
    form = f / g if g else f
    decision, strict = nonnegative(form, on), positive(form, on)
    for made in (decision, strict):
        report = certify.check(made.certificate)
        assert report.accepted, report.reason
    where = solution_set(form, on)
    top, bottom = supremum(form, on), infimum(form, on)
    step = (on.upper - on.lower) / 23
    for k in range(24):
        x = Fraction(on.lower) + k * Fraction(step)
        if x not in on:
            continue
        try:
            value = form.at(x)
        except ValueError:
            assert x not in where
            assert decision.holds is False
            continue
        assert (x in where) == (value.sign >= 0)
        assert bottom.lower <= value.upper
        assert value.lower <= top.upper
        if decision.holds:
            assert value.sign >= 0
        if strict.holds:
            assert value.sign > 0
    assert decision.holds == (str(where) == str(on)) or not f
    if decision.holds:
        assert bottom.upper >= 0
    if bottom.lower > 0 and not decision.is_pole:
        assert decision.holds


@examples(50)
@given(sums(5, 2))
def test_bounds_are_attained_or_approached(f: ExpPoly) -> None:
    """The supremum is a value nearby, and nothing exceeds it."""
    top = supremum(f)
    if top.upper == inf:
        assert not top.attained
        return
    assert nonnegative(ExpPoly(Fraction(top.upper)) - f).holds
    assert top.upper - top.lower <= Fraction(1, 10**12)
    slack = Fraction(1, 10**9)
    assert not nonnegative(ExpPoly(Fraction(top.lower) - slack) - f).holds


@examples(150)
@given(sums())
def test_derivatives_at_zero_prove_only_what_the_zeros_confirm(f: ExpPoly) -> None:
    """The fast proof claims f(0) ≥ 0 and f > 0 beyond: no zero, and positive on a grid."""
    if rises_from_zero(f):
        assert not roots(f)
        assert by_mpmath(f, Fraction(0), 60) >= 0
        assert all(by_mpmath(f, x, 120) > 0 for x in GRID)
