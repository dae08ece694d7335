"""Random sums on random cones, against sampling and constructions with a known answer."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from cones.random_sums import sums_of
from exactdp.cones import Cone, ConeDecision, OrderedSum, nonnegative_on
from exactdp.reals import ExpPoly
from support.examples import examples

NAMES = ("a", "b", "c")
small = st.fractions(min_value=-2, max_value=2, max_denominator=3)


def sums(powers: int, size: int) -> st.SearchStrategy[ExpPoly]:
    """Return random sums of up to `size` terms."""
    return sums_of(NAMES, st.integers(0, powers), small, size)


def decided(f: ExpPoly, cone: Cone, budget: int = 5000) -> ConeDecision:
    """Return the decision about a sum."""
    return nonnegative_on(OrderedSum(f, NAMES), cone, budget=budget)


cones = st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=4).map(
    lambda rows: Cone.of(3, rows)
)
orthant = Cone.of(3, [(1, 0, 0), (0, 1, 0), (0, 0, 1)])


def points(cone: Cone, count: int) -> np.ndarray:
    """Return random points of a cone."""
    generators = [*cone.rays, *cone.lines, *([-e for e in line] for line in cone.lines)]
    random = np.random.default_rng(3)
    weights = np.exp(random.normal(-1.0, 2.0, (count, len(generators))))
    return np.asarray(np.minimum(weights, 30.0) @ np.array(generators, dtype=float))


def lowest(f: ExpPoly, cone: Cone) -> float:
    """Return the least value of f/Σ|terms| on many points, in doubles."""
    place = points(cone, 4000)
    terms = {(powers, rates): c for powers, rates, c in f.entries(NAMES)}
    total, size = np.zeros(len(place)), np.full(len(place), 1e-300)
    exponents = {key: place @ np.array([float(r) for r in key[1]]) for key in terms}
    shift = np.max(list(exponents.values()), axis=0)
    for (powers, rates), c in terms.items():
        term = float(Fraction(str(c))) * np.prod(place ** np.array(powers), axis=1)
        term = term * np.exp(exponents[powers, rates] - shift)
        total += term
        size += np.abs(term)
    return float(np.min(total / size))


def is_negative(f: ExpPoly, point: tuple[Fraction, ...]) -> bool:
    """Whether f < 0 at a point, by mpmath with 60 digits."""
    with mpmath.workdps(60):
        q = [mpmath.mpf(entry.numerator) / entry.denominator for entry in point]
        total = mpmath.mpf(0)
        for powers, rates, c in f.entries(NAMES):
            exponent = sum(
                mpmath.mpf(r.numerator) / r.denominator * e for r, e in zip(rates, q, strict=True)
            )
            power = mpmath.fprod(e**k for k, e in zip(powers, q, strict=True))
            total += (
                mpmath.mpf(int(c.numerator)) / int(c.denominator) * power * mpmath.exp(exponent)
            )
        return bool(total < 0)


@examples(80)
@given(sums(2, 5), cones)
def test_decisions_agree_with_sampling(f: ExpPoly, cone: Cone) -> None:
    assume(f)
    assume(cone.dimension)
    decision = decided(f, cone, 150)
    if decision.holds:
        assert lowest(f, cone) > -1e-9
    elif decision.holds is False:
        assert decision.witness is not None
        assert cone.contains_inside(decision.witness)
        assert is_negative(f, decision.witness)


@examples(30)
@given(sums(1, 3), sums(1, 2), sums(0, 1), cones)
def test_squares_never_fail(f: ExpPoly, g: ExpPoly, h: ExpPoly, cone: Cone) -> None:
    """A sum of squares is nonnegative: True, or open where it touches 0, but never False."""
    assert decided(f * f + g * g + h * h, cone, 60).holds is not False


@examples(40)
@given(sums(1, 2), sums(1, 2), st.fractions(min_value=1, max_value=3, max_denominator=5))
def test_definite_forms_never_fail(f: ExpPoly, g: ExpPoly, room: Fraction) -> None:
    """(1 + room)(u² + v²) − uv is a definite form in two sums u, v with positive coefficients."""
    u, v = (
        ExpPoly(term._replace(coefficient=abs(term.coefficient)) for term in one.terms)
        for one in (f, g)
    )
    form = (u * u) * (1 + room) - u * v + (v * v) * (1 + room)
    assert decided(form, orthant, 40).holds is not False
    assert decided(u + v, orthant).holds is True


@examples(80)
@given(sums(1, 3), st.tuples(*[st.fractions(min_value="1/4", max_value=3, max_denominator=4)] * 3))
def test_a_dip_below_zero_is_found(f: ExpPoly, place: tuple[Fraction, ...]) -> None:
    """f² minus a bit more than f² at an inner point is negative at that point."""
    square = f * f
    value = OrderedSum(square, NAMES).at(place, 100)
    top = Fraction(float(value.upper())) * Fraction(11, 10) + Fraction(1, 10)
    g = square - top
    assert OrderedSum(g, NAMES).sign_at(place) < 0
    decision = decided(g, orthant, 200)
    assert decision.holds is False
    assert decision.witness is not None
    assert is_negative(g, decision.witness)
