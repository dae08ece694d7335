"""The distance to disagreement against the paper's formulas, z3, and search in finite domains."""

# mypy: disable-error-code="valid-type, no-untyped-def, index, misc, name-defined"
from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import z3
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from claims.piecewise import Branch, Leaf, Line, exists, size_of, source, trees
from exactdp import (
    Accuracy,
    Ideal,
    Mechanism,
    Real,
    discrete,
    ideal,
    inf,
    l1,
    linf,
    numeric,
    sup,
)
from language.corpus import FACTORIES
from support.examples import examples


def numbers(count: int, seed: int, size: int) -> list[list[Fraction]]:
    """Return random rational inputs; some entries are equal, zero or integer."""
    rng = random.Random(seed)

    def one() -> Fraction:
        kind = rng.randrange(4)
        if kind == 0:
            return Fraction(rng.randint(-2, 2))
        return Fraction(rng.randint(-300, 300), rng.choice([1, 7, 10, 64, 97]))

    return [[one() for _ in range(size)] for _ in range(count)]


def claim(mechanism: Mechanism, **given: Any) -> Accuracy:
    size = mechanism.inputs[0].type.length  # type: ignore[union-attr]
    return Accuracy(mechanism, "1/2", inputs=[[0] * size], **given)


def prefix(q: Sequence[Fraction], c: int) -> list[Fraction]:
    """Return the queries up to the c-th at or above 0."""
    found: list[Fraction] = []
    for x in q:
        found.append(x)
        if sum(1 for y in found if y >= 0) == c:
            break
    return found


def to_threshold(q: Sequence[Fraction], c: int) -> Fraction:
    """Min |q_i − T| over the prefix up to the c-th query at or above T = 0."""
    return min(map(abs, prefix(q, c)))


# The paper's formulas -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["sparse", "sparse_variant", "above_threshold"])
@pytest.mark.parametrize(("m", "c"), [(1, 1), (3, 1), (3, 2), (4, 2), (4, 4)])
def test_sparse(name: str, m: int, c: int) -> None:
    if name == "above_threshold" and c > 1:
        return
    mechanism = FACTORIES[name](m) if name == "above_threshold" else FACTORIES[name](m, c)
    about = claim(mechanism)
    for q in numbers(300, m + 10 * c, m):
        assert about.disagreement(q).distance == to_threshold(q, c)


@pytest.mark.parametrize("name", ["numeric_sparse", "numeric_sparse_artifact"])
@pytest.mark.parametrize(("m", "c"), [(1, 1), (3, 1), (3, 2), (4, 2)])
def test_numeric_sparse(name: str, m: int, c: int) -> None:
    """As for Sparse: a number above T may only fall below it, for changing it costs ∞."""
    about = claim(FACTORIES[name](m, c), input_distance=numeric, output_distance=sup)
    for q in numbers(300, m + 10 * c, m):
        assert about.disagreement(q).distance == to_threshold(q, c)


@pytest.mark.parametrize("m", [2, 3])
def test_noisy_max(m: int) -> None:
    """(max − second largest)/2, which is 0 at a tie."""
    about = claim(FACTORIES["noisy_max"](m))
    for q in numbers(700, m, m):
        second, first = sorted(q)[-2:]
        found = about.disagreement(q)
        assert found.distance == (first - second) / 2
        nearest = [Fraction(x) for x in found.input]  # type: ignore[union-attr]
        assert linf.between(q, nearest) == found.distance


@pytest.mark.parametrize("m", [2, 3])
def test_noisy_max_where_equal_values_agree(m: int) -> None:
    """(max − largest smaller one)/2, ∞ if all are equal (Lemma 3).

    By the output distance at u an index of the same value agrees, wherever it is returned.
    """
    about = claim(
        FACTORIES["noisy_max"](m),
        output_distance=lambda u, i, j: 0 if u[i] == u[j] else 1,
        agreement="output_distance",
    )
    for q in [*numbers(500, m, m), [Fraction(1)] * m]:
        smaller = [x for x in q if x < max(q)]
        expected = (max(q) - max(smaller)) / 2 if smaller else inf
        assert about.disagreement(q).distance == expected


@pytest.mark.parametrize("k", [1, 2, 3])
def test_laplace(k: int) -> None:
    """Any other input has another output: 0 away with linf and l1, 1 with the discrete distance."""
    for distance, expected in ((linf, 0), (l1, 0), (discrete, 1)):
        about = claim(FACTORIES["laplace"](k), input_distance=distance, output_distance=sup)
        for q in numbers(50, k, k):
            found = about.disagreement(q)
            assert found.distance == expected
            assert found.attained == (distance is discrete)
            if found.attained:
                assert list(found.input) != q  # type: ignore[arg-type]


def test_a_constant_never_disagrees() -> None:
    constant = Ideal.from_source("def constant(q: Real[2]):\n    return 0\n")
    for distance in (linf, l1, discrete, numeric):
        about = claim(FACTORIES["noisy_max"](2), ideal=constant, input_distance=distance)
        found = about.disagreement(["1/3", 7])
        assert (found.distance, found.input, found.output) == (inf, None, None)
        assert str(found) == "No input at a finite distance has another ideal output."


def test_in_words() -> None:
    about = claim(FACTORIES["noisy_max"](3))
    assert str(about.disagreement([0, 0, 3])) == (
        "The nearest input with another ideal output is 3/2 away, at [0, 3/2, 3/2], with output 1."
    )


def test_approached_in_words() -> None:
    about = claim(FACTORIES["noisy_max"](3))
    approached = about.disagreement([3, 0, 0])
    assert not approached.attained  # at a tie the first index wins
    assert "3/2 away, arbitrarily close to" in str(approached)


@pytest.mark.parametrize("name", ["noisy_max", "sparse", "sparse_variant", "numeric_sparse"])
@pytest.mark.parametrize("distance", [linf, l1, discrete, numeric])
def test_inputs_that_come_close_disagree(name: str, distance: Any) -> None:
    """The ideal is run there, or at steps of 2^-60 and 2^-80 from there: it differs, as close."""
    m = 5 if distance in (linf, l1) and name != "numeric_sparse" else 3
    mechanism = FACTORIES[name](m) if name == "noisy_max" else FACTORIES[name](m, 2)
    ideal = mechanism.noiseless()
    more = {"output_distance": sup} if name == "numeric_sparse" else {}
    about = claim(mechanism, input_distance=distance, **more)
    seen = 0
    for q in [[Fraction(0)] * m, [Fraction(1)] * m, *numbers(20, m, m)]:
        dd = about.disagreement(q).distance
        u = mechanism.read_input(q)
        found = about.obligations.approach(u, about.ideal_function(u))
        assert (found is None) == (dd == inf)
        if found is None:
            continue
        near, towards = found
        seen += 1
        for step in (Fraction(1, 2**60), Fraction(1, 2**80)):
            ways = towards or [Fraction(0)] * m
            there = [x + step * way for x, way in zip(near, ways, strict=True)]
            assert ideal.run(there) != ideal.run(q)
            gap = distance.between(q, there) - dd
            assert 0 <= gap <= (2**10 * step if towards else 0)
    assert seen > 3


def test_two_entries_must_move_by_different_amounts() -> None:
    """From (0, 0) to q₀ ≥ 1 and q₁ ≥ 2: 3 with l1, 2 with linf."""
    mechanism = Mechanism.from_source(
        "def f(q: Real[2]):\n    return lap(eps, q[0]) >= 1 and lap(eps, q[1]) >= 2\n"
    )
    for distance, expected in ((linf, 2), (l1, 3)):
        found = claim(mechanism, input_distance=distance).disagreement([0, 0])
        assert found.distance == expected
        assert list(found.input) == [1, 2]  # type: ignore[arg-type]
        assert found.attained


def test_a_nearest_input_that_disagrees_is_called_attained() -> None:
    """At [0, 7/2, 7/2] the first of the tied indices is 1, where the ideal at [0, 1, 6] is 2."""

    @ideal
    def largest(u: Real[3], v: Real[3]):
        return max(abs(u[0] - v[0]), abs(u[1] - v[1]), abs(u[2] - v[2]))

    for distance in (linf, largest):
        found = claim(FACTORIES["noisy_max"](3), input_distance=distance).disagreement([0, 1, 6])
        assert found.distance == Fraction(5, 2)
        assert found.attained


# z3 -----------------------------------------------------------------------------------

Formula = Callable[[Any, Any], Any]
"""The distance of two inputs, of numbers or z3 terms."""


def _largest(sizes: list[Any]) -> Any:
    top = sizes[0]
    for one in sizes[1:]:
        top = (
            z3.If(top >= one, top, one)
            if isinstance(top, z3.ExprRef) or isinstance(one, z3.ExprRef)
            else max(top, one)
        )
    return top


def by_linf(q: Any, u: Any) -> Any:
    return _largest([size_of(a - b) for a, b in zip(q, u, strict=True)])


def by_l1(q: Any, u: Any) -> Any:
    return sum(size_of(a - b) for a, b in zip(q, u, strict=True))


@ideal
def weighted(u: Real[2], v: Real[2]):
    """Return twice the first difference plus the second."""
    return 2 * abs(u[0] - v[0]) + abs(u[1] - v[1])


def by_weighted(q: Any, u: Any) -> Any:
    return 2 * size_of(q[0] - u[0]) + size_of(q[1] - u[1])


@ideal
def of_the_sum(u: Real[2], v: Real[2]):
    """Return the difference of the sums: 0 for many different inputs."""
    return abs(u[0] + u[1] - v[0] - v[1])


def by_the_sum(q: Any, u: Any) -> Any:
    return size_of(q[0] + q[1] - u[0] - u[1])


@ideal
def sided(u: Real[2], v: Real[2]):
    """Return the larger difference, infinite between the two sides of 0 of the first entry."""
    if (u[0] >= 0) != (v[0] >= 0):
        return inf
    return max(abs(u[0] - v[0]), abs(u[1] - v[1]))


def by_sided(q: Any, u: Any) -> Any:
    far = 10**9  # stands for ∞: nothing here is farther
    gap = by_linf(q, u)
    if isinstance(gap, z3.ExprRef):
        return z3.If((q[0] >= 0) == (u[0] >= 0), gap, z3.RealVal(far))
    return gap if (q[0] >= 0) == (u[0] >= 0) else far


DISTANCES: list[tuple[Any, Formula]] = [
    (linf, by_linf),
    (weighted, by_weighted),
    (of_the_sum, by_the_sum),
    (sided, by_sided),
]
NO_SHRINKING = (Phase.explicit, Phase.generate)  # of a failure that is expected
points = st.fractions(-4, 4, max_denominator=6)


def against_z3(tree: Any, u: tuple[Fraction, ...], distance: Any, formula: Formula) -> None:
    mechanism = Mechanism.from_source(source(tree, len(u)))
    about = Accuracy(mechanism, "1/2", inputs=[u], input_distance=distance, output_distance=sup)
    found = about.disagreement(u)
    assert about.obligations.distance(mechanism.read_input(u)) == found.distance
    if found.distance == inf:
        assert not exists(tree, u, lambda q, here: formula(q, here) < 10**6)
        return
    dd = found.distance
    bound = z3.Q(dd.numerator, dd.denominator)
    tiny = z3.Q(1, 10**6)
    assert not exists(tree, u, lambda q, here: formula(q, here) < bound)
    assert exists(tree, u, lambda q, here: formula(q, here) <= bound + tiny)
    near = [Fraction(x) for x in found.input]  # type: ignore[union-attr]
    assert formula(near, u) == dd or not found.attained
    if found.attained:
        assert tree.at(near) != tree.at(u)
        assert tuple(found.output) == tree.at(near)  # type: ignore[arg-type]
    else:
        close = [z3.Q(x.numerator, x.denominator) for x in near]
        assert exists(
            tree,
            u,
            lambda q, here: z3.And(  # noqa: ARG005
                by_linf(q, close) <= z3.Q(1, 10**9)
            ),
        )


@examples(80)
@given(trees(2), st.tuples(points, points), st.sampled_from(DISTANCES))
def test_two_inputs_against_z3(
    tree: Any, u: tuple[Fraction, ...], pair: tuple[Any, Formula]
) -> None:
    against_z3(tree, u, *pair)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], phases=NO_SHRINKING)
@given(trees(2), st.tuples(points, points))
@example(
    Branch(
        Line((0, 1), -1),
        "<",
        Leaf(0, None),
        Branch(Line((1, 0), 0), "<", Leaf(0, None), Leaf(1, None)),
    ),
    (Fraction(0), Fraction(0)),
)
def test_l1_against_z3(tree: Any, u: tuple[Fraction, ...]) -> None:
    against_z3(tree, u, l1, by_l1)


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(trees(3), st.tuples(points, points, points))
def test_three_inputs_against_z3(tree: Any, u: tuple[Fraction, ...]) -> None:
    against_z3(tree, u, linf, by_linf)


# Finite domains -----------------------------------------------------------------------


@examples(30)
@given(
    st.lists(st.integers(0, 3), min_size=25, max_size=25),
    st.sampled_from([(linf, max), (l1, sum), (discrete, lambda gaps: int(any(gaps)))]),
    st.sampled_from(["dictionary", "function"]),
)
def test_finite_domains_against_search(
    outputs: list[int], pair: tuple[Any, Callable[[list[int]], int]], kind: str
) -> None:
    distance, total = pair
    inputs = list(product(range(-2, 3), repeat=2))
    table = dict(zip(inputs, outputs, strict=True))
    mechanism = Mechanism.from_source("def f(x: Dom(-2, 2)[2]):\n    return dlap(eps, x[0])\n")
    given_ideal: Any = table if kind == "dictionary" else lambda u: table[tuple(u)]
    about = Accuracy(mechanism, "1/2", ideal=given_ideal, input_distance=distance)

    def apart(u: tuple[int, ...], v: tuple[int, ...]) -> int:
        return total([abs(a - b) for a, b in zip(u, v, strict=True)])

    for u in inputs[::3]:
        others = [v for v in inputs if table[v] != table[u]]
        found = about.disagreement(u)
        assert found.distance == min((apart(u, v) for v in others), default=inf)
        if others:
            near = tuple(found.input)  # type: ignore[arg-type]
            assert apart(u, near) == found.distance
            assert (table[near], found.output) == (found.output, table[near])
            assert found.output != table[u]
            assert found.attained


@pytest.mark.parametrize("distance", [linf, l1, discrete, numeric, numeric(4)], ids=str)
@pytest.mark.parametrize("values", ["[7, -1, 1/2, 4, 9]", "[True, 5, 2, False]"])
def test_uneven_domains_against_search(distance: Any, values: str) -> None:
    """Each input against all others, with an ideal that changes in no order."""
    mechanism = Mechanism.from_source(f"def f(x: Dom({values})[3]):\n    return dlap(eps, 0)\n")
    members = list(mechanism.inputs[0].type.item.members)  # type: ignore[union-attr]
    inputs = list(product(members, repeat=3))
    for seed in range(2):
        source = random.Random(seed)
        table = {u: source.random() < 0.1 for u in inputs}
        about = Accuracy(mechanism, Fraction(1, 2), ideal=dict(table), input_distance=distance)
        for u in source.sample(inputs, 10):
            others = [distance.between(u, v) for v in inputs if table[v] != table[u]]
            found = about.disagreement(list(u))
            assert found.distance == min(others, default=inf)
            assert found.input is None or table[tuple(found.input)] != table[u]


def test_a_million_inputs() -> None:
    mechanism = Mechanism.from_source("def f(x: Dom(0, 1000000)):\n    return lap(eps, x) > 300\n")
    found = Accuracy(mechanism, Fraction(1, 2), inputs=[0]).disagreement(100)
    assert (found.distance, found.input, found.output) == (201, 301, True)


@pytest.mark.parametrize(
    ("distance", "total"),
    [(linf, max), (l1, sum)],
)
@examples(40)
@given(st.integers(-1, 1), points)
@example(0, Fraction(-1))
def test_finite_and_real_inputs_together(
    distance: Any, total: Callable[[list[Fraction]], Fraction], x: int, q: Fraction
) -> None:
    """The output changes where q passes the integer x, so by moving q or by another x."""
    mechanism = Mechanism.from_source(
        "def f(x: Dom(-1, 1), q: Real):\n    return lap(eps, q) >= x\n"
    )
    about = Accuracy(mechanism, "1/2", input_distance=distance, inputs=[(0, 0)])
    ways = []
    for y in (-1, 0, 1):
        move = Fraction(0) if (q >= y) != (q >= x) else abs(q - y)
        ways.append(total([Fraction(abs(x - y)), move]))
    assert about.disagreement((x, q)).distance == min(ways)
