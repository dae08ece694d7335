"""The nonnegative bases behind the proofs, against mpmath and the definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp.cones.boxes import TensorBox, axes_of, halves, whole
from exactdp.cones.coefficients import functionals, nodes_of, nonnegative
from exactdp.cones.piece import LocalTerms
from exactdp.cones.segments import Axis, Segment
from support.examples import examples

factors = st.tuples(st.integers(0, 2), st.integers(0, 5))


def applied(function: dict[tuple[int, int], int], rate: int) -> dict[tuple[int, int], int]:
    """Return (d/ds + rate) of Σ c·s^k·exp(−as), from the definition."""
    result: dict[tuple[int, int], int] = {}
    for (k, a), c in function.items():
        for key, part in (((k - 1, a), k * c), ((k, a), (rate - a) * c)):
            if part:
                result[key] = result.get(key, 0) + part
    return result


@given(st.dictionaries(factors, st.integers(-9, 9), min_size=1, max_size=5))
def test_coefficients_are_iterated_derivatives_at_zero(
    function: dict[tuple[int, int], int],
) -> None:
    nodes = nodes_of(set(function))
    current = function
    for node, row in zip(nodes, functionals(nodes), strict=True):
        expected = sum(c for (k, _), c in current.items() if k == 0)
        assert sum(row.get(key, 0) * c for key, c in function.items()) == expected
        current = applied(current, node)
    assert not any(current.values())


def test_bernstein_coefficients_of_a_polynomial() -> None:
    """With z = exp(−s), 1 − 3z + 3z² has Bernstein's 1, −1/2, 1, and 1 − 2z + 2z² has 1, 0, 1."""
    assert not nonnegative({((0, 0),): 1, ((0, 1),): -3, ((0, 2),): 3})
    assert nonnegative({((0, 0),): 1, ((0, 1),): -2, ((0, 2),): 2})


def value(terms: LocalTerms, point: tuple[Fraction, ...]) -> mpmath.mpf:
    """Return g at a point by mpmath."""
    total = mpmath.mpf(0)
    for key, c in terms.items():
        term = mpmath.mpf(c)
        for (k, a), s in zip(key, point, strict=True):
            q = mpmath.mpf(s.numerator) / s.denominator
            term *= q**k * mpmath.exp(-a * q)
        total += term
    return total


def descend(box: TensorBox, axes: list[Axis], turns: list[tuple[int, int]]) -> TensorBox:
    """Return the box after some cuts: (axis, which half)."""
    for j, upper in turns:
        box = halves(box, axes, j % len(axes))[upper]
    return box


turns = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=7)
functions = st.dictionaries(
    st.tuples(factors, factors), st.integers(-9, 9).filter(bool), min_size=1, max_size=6
)


@examples(150)
@given(functions, turns)
def test_the_first_coefficient_is_the_value_at_the_lower_corner(
    terms: LocalTerms, path: list[tuple[int, int]]
) -> None:
    axes = axes_of(terms)
    root = whole(terms, axes)
    assert root is not None
    box = descend(root, axes, path)
    corner = tuple(segment.low for segment in box.segments)
    with mpmath.workdps(60):
        expected = value(terms, corner) * mpmath.mpf(2) ** -_size(terms)
        error = abs(mpmath.mpf(box.values[0, 0]) - expected)
        assert error <= 2 * box.count * mpmath.mpf(2) ** -53 * mpmath.mpf(box.majorant[0, 0])


def _size(terms: LocalTerms) -> int:
    """Return the power of two by which all coefficients were divided."""
    axes = axes_of(terms)
    largest = 0
    for rows in product(*(functionals(axis.nodes) for axis in axes)):
        total = 0
        for key, c in terms.items():
            for row, factor in zip(rows, key, strict=True):
                c *= row.get(factor, 0)  # noqa: PLW2901
            total += c
        largest = max(largest, abs(total))
    return largest.bit_length()


@examples(100)
@given(functions, turns)
def test_a_proved_box_has_no_negative_value(terms: LocalTerms, path: list[tuple[int, int]]) -> None:
    axes = axes_of(terms)
    root = whole(terms, axes)
    assert root is not None
    box = descend(root, axes, path)
    if not box.is_proved():
        return
    random = np.random.default_rng(5)
    for u, v in random.uniform(0, 1, (20, 2)):
        point = tuple(
            segment.low + Fraction(float(t)) * (segment.length if segment.length is not None else 9)
            for t, segment in zip((u, v), box.segments, strict=True)
        )
        with mpmath.workdps(40):
            assert value(terms, point) > -1e-30


@pytest.mark.parametrize("nodes", [(3, 2, 1, 0), (2, 2, 1, 0, 0), (7, 7, 5, 3, 3, 2, 1, 0, 0)])
def test_refining_reproduces_the_function(nodes: tuple[int, ...]) -> None:
    """Both halves of a segment give the value at the middle, as last and as first coefficient.

    The first coefficient on a segment is the value at its lower end; the last one on a finite
    segment is a positive multiple of the value at the upper end, which does not depend on g.
    """
    terms: dict[tuple[tuple[int, int], ...], LocalTerms] = {}
    seen: dict[int, int] = {}
    for a in nodes:
        k = seen.get(a, 0)
        seen[a] = k + 1
        terms[((k, a),)] = {((k, a),): 1}
    space = dict.fromkeys(terms, 1)
    (axis,) = axes_of(space)
    ratios = []
    for key in terms:
        function = {**dict.fromkeys(space, 1), key: 3}
        root = whole(function, [axis])
        assert root is not None
        lower, upper = halves(root, [axis], 0)
        assert lower.segments == (Segment(Fraction(0), axis.step),)
        left, right = halves(lower, [axis], 0)
        ratios.append((lower.values[-1] / upper.values[0], left.values[-1] / right.values[0]))
    for pair in ratios:
        assert pair == pytest.approx(ratios[0], rel=1e-11)


def test_zeros_on_a_face_stay_exact() -> None:
    """1 − e^{−s} − s·e^{−s} has a double zero at 0; the coefficients there are 0 exactly."""
    terms: LocalTerms = {((0, 0),): 1, ((0, 1),): -1, ((1, 1),): -1}
    axes = axes_of(terms)
    box = whole(terms, axes)
    assert box is not None
    for _ in range(10):
        box = halves(box, axes, 0)[0]
        assert box.values[0] == box.majorant[0] == box.present[0] == 0
        assert box.is_proved()
