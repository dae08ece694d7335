"""What must not change a probability: shifts, units, mirrors, the order and names of samples."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactdp import Mechanism
from language.corpus import FACTORIES
from semantics.random_programs import Input, Program, inputs, integer_programs, orders, programs
from support.examples import examples

some = examples(15)
small = programs(4, terms=4)


def distribution(mechanism: Mechanism, u: object) -> dict[object, Any]:
    return dict(mechanism.distribution(u))


@some
@given(small, inputs, st.fractions(-3, 3, max_denominator=3))
def test_shifting_all_reals_and_constants(program: Program, u: Input, by: Fraction) -> None:
    plain = distribution(program.mechanism(), u)
    moved = (u[0] + by, u[1] + by)
    assert distribution(program.shifted(by).mechanism(), moved) == plain


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(integer_programs(3), inputs, st.integers(-3, 3))
def test_shifting_all_integers_and_constants(program: Program, u: Input, by: int) -> None:
    plain = distribution(program.mechanism(), u)
    assert distribution(program.shifted(Fraction(by)).mechanism(), u) == plain


@some
@given(small, inputs, st.sampled_from([Fraction(2), Fraction(1, 3), Fraction(5, 2)]))
def test_another_unit(program: Program, u: Input, by: Fraction) -> None:
    """Noise of rate a/λ around λ·mean is λ times noise of rate a around the mean."""
    plain = distribution(program.mechanism(), u)
    assert distribution(program.scaled(by).mechanism(), (u[0] * by, u[1] * by)) == plain


@some
@given(programs(4, ("lap",), terms=4), inputs)
def test_mirror(program: Program, u: Input) -> None:
    """Laplace noise is symmetric."""
    plain = distribution(program.mechanism(), u)
    assert distribution(program.mirrored().mechanism(), (-u[0], -u[1])) == plain


@some
@given(small | integer_programs(3), inputs, st.data())
def test_order_of_independent_samples(program: Program, u: Input, data: st.DataObject) -> None:
    """Samples in any order in which means come first; comparisons as early as they can be."""
    plain = distribution(program.mechanism(), u)
    order = data.draw(orders(program))
    assert distribution(program.mechanism(order=order), u) == plain
    assert distribution(program.mechanism(order=order, late=False), u) == plain


@some
@given(small | integer_programs(3), inputs, st.permutations(["zeta", "_x", "b", "q_1", "A"]))
def test_renaming(program: Program, u: Input, names: list[str]) -> None:
    plain = distribution(program.mechanism(), u)
    assert distribution(program.mechanism(names), u) == plain


@some
@given(small, inputs, st.permutations(range(3)))
def test_order_of_comparisons(program: Program, u: Input, order: list[int]) -> None:
    order = [k for k in order if k < len(program.comparisons)]
    other = Program(program.noises, tuple(program.comparisons[k] for k in order))
    plain = distribution(program.mechanism(), u)
    turned = {tuple(output[k] for k in order): chance for output, chance in plain.items()}  # type: ignore[index]
    assert distribution(other.mechanism(), u) == turned


@pytest.mark.parametrize("name", ["noisy_max", "noisy_max_exponential", "noisy_max_figure"])
@settings(max_examples=15)
@given(
    st.permutations(range(3)),
    st.lists(st.fractions(-2, 2, max_denominator=2), min_size=3, max_size=3),
)
def test_permuting_the_answers(name: str, order: list[int], q: list[Fraction]) -> None:
    """The chance of an index goes with its answer."""
    mechanism = FACTORIES[name](3)
    plain = mechanism.distribution(q)
    found = mechanism.distribution([q[j] for j in order])
    assert [found[k] for k in range(3)] == [plain[j] for j in order]


@settings(max_examples=15)
@given(st.lists(st.fractions(-2, 2, max_denominator=2), min_size=3, max_size=3), st.integers(-3, 3))
def test_moving_the_threshold(q: list[Fraction], threshold: int) -> None:
    """The threshold is a constant of the program: answers that move with it are answered alike."""
    moved = [x + threshold for x in q]
    for name in ("above_threshold", "sparse"):
        plain = distribution(FACTORIES[name](3), q)
        assert distribution(FACTORIES[name](3, threshold=threshold), moved) == plain


@some
@given(small, st.lists(inputs, min_size=2, max_size=5))
def test_inputs_asked_before(program: Program, several: list[Input]) -> None:
    """A run continues that at the previous input, as far as they agree: it changes nothing."""
    mechanism = program.mechanism()
    first, *others = several
    near = [(first[0], other[1]) for other in others]  # the first number is read first
    for u in (*several, *near, first):
        assert distribution(mechanism, u) == distribution(program.mechanism(), u)


def test_neighbours_on_a_grid() -> None:
    """Probabilities at all inputs of a grid, in order and in reverse, as at each one alone."""
    text = """
def noisy(q: Real[3]):
    bar = lap(eps / 2, 0)
    first = lap(eps / 4, q[0]) < bar
    second = lap(eps / 4, q[1]) < bar
    return [first, second, lap(eps / 3, q[2]) + q[0] > 0]
"""
    grid = [(a, b, c) for a in (-1, 1) for b in (0, 1) for c in (0, Fraction(1, 2))]
    shared = Mechanism.from_source(text)
    for u in (*grid, *reversed(grid)):
        alone = Mechanism.from_source(text).probability(u, [True, False, True])
        assert shared.probability(u, [True, False, True]) == alone
