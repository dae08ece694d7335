"""Sets of ε beside membership point by point, and zeros beside mpmath."""

from __future__ import annotations

import json
import pickle
import random
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp_next.codec import read, written
from exactdp_next.errors import ExactdpError
from exactdp_next.ring.epsilon import Interval, Pieces, SolutionSet, interval
from exactdp_next.ring.expr import Expr, alpha, eps, exp, expr, log, sqrt
from exactdp_next.ring.expsum import ExpSum
from exactdp_next.ring.zeros import End, Zero, order, simplest
from support.examples import cases, examples


def lowered(f: Expr) -> ExpSum:
    form = f.lower()
    assert isinstance(form, ExpSum)
    return form


def zero(f: Expr, low: Any, high: Any) -> Zero | Fraction:
    return Zero.of(lowered(f), Fraction(low), Fraction(high))


LN2 = zero(exp(-eps) - Fraction(1, 2), 0, 2)


@pytest.mark.parametrize(
    ("f", "low", "high", "expected"),
    [
        (exp(-eps) - Fraction(1, 2), 0, 2, "0.693147180559…"),
        (eps**2 - 2, 1, 2, "1.41421356237…"),
        (eps * exp(eps) - 1, 0, 1, "0.567143290409…"),  # the omega constant
        (exp(eps) - 2 - eps, 1, 2, "1.14619322062…"),
        (2 * eps - 1, 0, 2, "1/2"),
        ((3 * eps - 2) * exp(-eps), 0, 2, "2/3"),
        (exp(-eps / 2) - exp(-1), 0, 10, "2"),  # e^−1 is a constant of the ring
        (exp(-eps) - exp(-log(7)), 0, 10, "1.94591014905…"),
        (eps - sqrt(2), 0, 10, "1.41421356237…"),
        (exp(-eps * 10**6) - Fraction(1, 2), Fraction(1, 10**9), 1, "6.93147180559e-7…"),
    ],
)
def test_zeros(f: Expr, low: int, high: int, expected: str) -> None:
    found = zero(f, low, high)
    assert str(found) == expected
    if isinstance(found, Zero):
        assert float(found) == pytest.approx(float(expected.rstrip("…")), rel=1e-11)
        assert pickle.loads(pickle.dumps(found)) == found
        narrow = found.refined(Fraction(1, 10**50))
        assert isinstance(narrow, Zero)
        assert narrow.upper - narrow.lower <= Fraction(1, 10**50) * max(Fraction(1), narrow.lower)
        assert narrow == found


def test_zeros_of_different_sums_that_are_equal() -> None:
    """Log 2 and √2 as zeros of sums that share a factor, and close to zeros of others."""
    h = exp(-eps) - Fraction(1, 2)
    others = [h * (eps + 1), h * (exp(eps / 3) + eps), 1 - 2 * exp(-eps), h**2 * 0 + 3 * h]
    for other in others:
        found = zero(other, Fraction(1, 2), 1)
        assert found == LN2
        assert order(found, LN2) == 0
        assert hash(found) == hash(LN2)
    near = zero(exp(-eps) - Fraction(1, 2) - Fraction(1, 10**60), 0, 2)
    assert near < LN2
    assert near < LN2
    assert order(near, LN2) == -order(LN2, near) == -1
    assert zero(eps**2 - 2, 1, 2) == zero((eps**2 - 2) * (eps + 5), 1, 2)
    assert zero(eps**2 - 2, 1, 2) != zero(eps**2 - 2 + Fraction(1, 10**50), 1, 2)


def test_zeros_beside_rationals() -> None:
    close = Fraction(69314718055994530941723212145817656807, 10**38)  # below log 2
    assert close < LN2
    assert close < LN2
    assert close + Fraction(1, 10**38) > LN2
    assert inf > LN2
    assert -inf < LN2
    root = Zero(lowered(3 * eps**2 + eps - 2), Fraction(1, 2), Fraction(1))  # 2/3, not told
    assert root == Fraction(2, 3)
    assert not root < Fraction(2, 3)
    assert Fraction(2, 3) in Interval(root, 1)
    assert Fraction(2, 3) not in Interval(root, 1, lower_open=True)


def test_zeros_that_are_not_told_apart() -> None:
    """√2 as the zero of ε − √2, in which √2 is a constant, and as that of ε² − 2."""
    with pytest.raises(ExactdpError, match="not decided"):
        order(zero(eps - sqrt(2), 1, 2), zero(eps**2 - 2, 1, 2))
    assert zero(eps - sqrt(2), 1, 2) == zero((eps - sqrt(2)) * (eps + 1), 1, 2)
    assert zero(eps - sqrt(2), 1, 2) < zero(eps**2 - 3, 1, 2)


@pytest.mark.parametrize("text", ["(0, ∞)", "[1/2, 3)", "(−∞, 2]", "(-1, 1)", "{4}", "[-1/2, 0]"])
def test_printing(text: str) -> None:
    assert str(Interval.parse(text)) == text
    assert read(Interval, written(Interval.parse(text))) == Interval.parse(text)


def test_membership() -> None:
    half_open = Interval.parse("(0, 1/2]")
    assert Fraction(1, 2) in half_open
    assert 0.5 in half_open
    assert "1/2" in half_open
    assert 0 not in half_open
    assert 10**30 in Interval(1)
    assert 3 in Interval(3, 3)
    assert -5 in Interval.parse("(-inf, ∞)")
    assert LN2 in Interval("0.69", "0.7")
    assert LN2 not in Interval("0.7", inf)


@pytest.mark.parametrize(
    ("lower", "upper", "options"),
    [
        (1, 0, {}), (1, 1, {"lower_open": True}), (1, 1, {"upper_open": True}), (inf, inf, {}),
        (-inf, -inf, {}), (inf, 0, {}), (float("nan"), 1, {}), ("x", 1, {}), (None, 1, {}),
        (True, 2, {}), (1, LN2, {}), (LN2, LN2, {"lower_open": True}),
    ],
)  # fmt: skip
def test_wrong_intervals(lower: object, upper: object, options: dict[str, bool]) -> None:
    with pytest.raises(ExactdpError):
        Interval(lower, upper, **options)


@pytest.mark.parametrize(
    "text",
    ["", "0, 1", "(0 1)", "(0, 1, 2)", "]0, 1[", "(0, )", "(1, 0)", "{}", "{1, 2}", "(0, x)"],
)
def test_wrong_texts(text: str) -> None:
    with pytest.raises(ExactdpError):
        Interval.parse(text)
    with pytest.raises(ExactdpError):
        Interval.of([3])


@pytest.mark.parametrize("given_as", [3, Fraction(3), 3.0, "3", " 3", "6/2", "300%"])
def test_a_number_is_an_interval(given_as: object) -> None:
    assert Interval.of(given_as) == Interval(3, 3)


@given(st.fractions(), st.fractions())
def test_the_simplest_rational_inside(one: Fraction, two: Fraction) -> None:
    """No rational strictly between the ends has a smaller denominator."""
    lower, upper = min(one, two), max(one, two)
    if lower == upper:
        return
    found = simplest(lower, upper)
    assert lower < found < upper
    for denominator in range(1, min(found.denominator, 300)):
        below = (lower * denominator).__floor__()
        assert Fraction(below + 1, denominator) >= upper


# Ends: rationals, and zeros that are between them or equal to one another.
ENDS: list[End] = [
    Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), inf, -inf,
    LN2, zero((exp(-eps) - Fraction(1, 2)) * (eps + 1), 0, 2), zero(eps**2 - 2, 1, 2),
    Zero(lowered(eps**2 - 1), Fraction(1, 2), Fraction(2)),  # 1, not told
    zero(exp(eps) - 2 - eps, 1, 2), zero((exp(eps) - 2 - eps) * (eps**2 + 3), 1, 2),
]  # fmt: skip
POINTS = [Fraction(k, 20) for k in range(-2, 75)]


def value_of(end: End) -> mpmath.mpf:
    """Return an end as a number: of 1, told or not told, exactly 1."""
    if end == 1:
        return mpmath.mpf(1)
    return mpmath.mpf(float(end))


def drawn(r: random.Random) -> tuple[SolutionSet, list[Any]]:
    """Return a random set, and its intervals as floats."""
    parts, plain = [], []
    for _ in range(r.randint(0, 3)):
        ends = sorted((r.choice(ENDS), r.choice(ENDS)), key=value_of)
        is_open = r.random() < 0.5, r.random() < 0.5
        one = interval(ends[0], ends[1], *is_open)
        if one is not None:
            parts.append(one)
            plain.append((value_of(ends[0]), value_of(ends[1]), one.lower_open, one.upper_open))
    return SolutionSet.of(parts), plain


def holds(plain: list[Any], x: Fraction) -> bool:
    point = mpmath.mpf(x.numerator) / x.denominator
    return any(
        (a < point or (a == point and not a_open)) and (point < b or (point == b and not b_open))
        for a, b, a_open, b_open in plain
    )


@pytest.mark.parametrize("part", range(4))
def test_sets_beside_membership(part: int) -> None:
    """Union, intersection, difference, complement: point by point, as floats have them."""
    r = random.Random(f"sets {part}")
    window = Interval.parse("(0, 3]")
    for _ in range(cases(2500)):
        (one, a), (two, b) = drawn(r), drawn(r)
        union, both, less, rest = one | two, one & two, one - two, one.complement(window)
        for x in r.sample(POINTS, 12):
            in_a, in_b = holds(a, x), holds(b, x)
            assert (x in one) == in_a
            assert (x in union) == (in_a or in_b)
            assert (x in both) == (in_a and in_b)
            assert (x in less) == (in_a and not in_b)
            assert (x in rest) == (0 < x <= 3 and not in_a)
        assert (less | both) == one
        assert union - two == less
        assert union.covers(one)
        assert one.covers(both)
        assert (one == two) == (not (one - two).intervals and not (two - one).intervals)
        for found in (union, both, less, rest):
            assert_normal(found)
        again = read(SolutionSet, json.loads(json.dumps(written(one))))
        assert again == one
        assert hash(again) == hash(one)
        str(one)


def assert_normal(found: SolutionSet) -> None:
    """Intervals are in order and have gaps between them."""
    for one, two in zip(found.intervals, found.intervals[1:], strict=False):
        side = order(one.upper, two.lower)
        assert side < 0 or (side == 0 and one.upper_open and two.lower_open)


@examples(400)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.booleans(), st.booleans())))
def test_a_set_is_one_value_however_it_is_made(rows: list[tuple[int, int, bool, bool]]) -> None:
    found = [interval(Fraction(a), Fraction(b), x, y) for a, b, x, y in rows]
    parts = [one for one in found if one is not None]
    whole = SolutionSet.of(parts)
    again = SolutionSet(())
    for one in reversed(parts):
        again = SolutionSet.of([one]) | again
    assert whole == again
    assert SolutionSet.parse(str(whole)) == whole
    for a in whole:
        assert a.simple_point() in whole


def test_intervals_meet_and_cover() -> None:
    texts = ["(0, 1]", "[1, 2)", "(1, 2)", "[1/2, 1)", "[1/2, inf)", "[1, 1]", "(-inf, inf)"]
    points = [Fraction(k, 8) for k in range(1, 24)]
    for one, other in product(map(Interval.parse, texts), repeat=2):
        both = one.meet(other)
        for point in points:
            assert (both is not None and point in both) == (point in one and point in other)
        inside = all(p in one for p in points if p in other)
        assert one.covers(other) == (inside and (other.upper < 3 or one.upper == inf)) or (
            other.lower == -inf
        )
    for text in (*texts, "(2, 5/2)", "(-3, -2)", "(-inf, -7/2)", "[0, 1/10]"):
        assert Interval.parse(text).simple_point() in Interval.parse(text)
    thin = Interval(LN2, zero(exp(-eps) - Fraction(1, 2) + Fraction(1, 10**40), 0, 2))
    assert thin.simple_point() in thin
    with pytest.raises(ValueError, match="rational"):
        Interval(LN2, LN2).simple_point()


def test_texts_of_sets() -> None:
    assert str(SolutionSet(())) == "∅"
    assert (
        str(SolutionSet.of([Interval(LN2, inf), "(0, 1/5]"])) == "(0, 1/5] ∪ [0.693147180559…, ∞)"
    )
    assert str(SolutionSet.of([Interval(LN2, LN2)])) == "{0.693147180559…}"
    assert SolutionSet.parse("(0, 1) ∪ {3}") == SolutionSet.of(["{3}", "(0, 1)"])


def test_pieces() -> None:
    parts = Pieces(((Interval.parse("(0, 1]"), 1 - eps), (SolutionSet.of("(1, inf)"), eps)))
    assert parts.at("1/2") == 1 - eps
    assert parts.at(7) == eps
    assert parts.at(-1) is None
    assert str(parts) == "1 - eps  for ε in (0, 1]\neps  for ε in (1, ∞)"
    assert [str(value) for _, value in parts.map(lambda f: f * 2)] == ["(1 - eps)*2", "eps*2"]
    assert str(Pieces(((Interval.parse("(0, inf)"), eps),))) == "eps"
    where = Pieces((((alpha >= 1, alpha < 2), expr(1)), ((), alpha)))
    assert where.at({"alpha": Fraction(3, 2)}) == 1
    assert where.at({"alpha": 5}) == alpha
    assert str(where) == "1  where α ≥ 1 and α < 2\nalpha"
    for pieces in (parts, where):
        assert Pieces.from_json(json.loads(json.dumps(pieces.to_json())), Expr) == pieces
