"""Every mechanism of `examples/` goes through every pass."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from math import sqrt

import pytest

from exactdp import Mechanism
from exactdp.errors import ProgramError
from exactdp.language.tree import Choose, nodes
from language.corpus import FACTORIES, MECHANISMS, as_argument, load, some_input

NAMES = sorted(MECHANISMS)
PAPER = {
    "above_threshold",
    "exponential",
    "laplace",
    "noisy_max",
    "noisy_max_exponential",
    "numeric_sparse",
    "numeric_sparse_artifact",
    "randomized_response",
    "small_db",
    "smart_sum",
    "sparse",
    "sparse_variant",
    "vertex_cover",
}


def has_choose(mechanism: Mechanism) -> bool:
    return any(isinstance(node, Choose) for node in nodes(mechanism.definition.body))


def test_every_mechanism_of_the_paper_is_there() -> None:
    assert set(NAMES) >= PAPER


@pytest.mark.parametrize("name", NAMES)
def test_has_a_docstring(name: str) -> None:
    assert (FACTORIES[name].__doc__ or "").strip()


@pytest.mark.parametrize("name", NAMES)
def test_printing_and_reading_gives_the_same_program(name: str) -> None:
    mechanism = MECHANISMS[name]
    functions = {k: v for k, v in mechanism.definition.constants.items() if callable(v)}
    again = Mechanism.from_source(str(mechanism), constants=functions)
    assert again == mechanism
    assert str(again) == str(mechanism)
    assert hash(again) == hash(mechanism)


@pytest.mark.parametrize("name", NAMES)
def test_explains_itself(name: str) -> None:
    text = MECHANISMS[name].explain()
    for heading in ("Inputs", "Samples", "Output", "Constants captured", "Language"):
        assert heading in text
    assert "DiPWhile" in text


@pytest.mark.parametrize("name", NAMES)
def test_labelled_form_has_one_statement_a_line(name: str) -> None:
    lines = MECHANISMS[name].labelled().splitlines()[1:]
    assert [int(line.partition(":")[0]) for line in lines] == list(range(1, len(lines) + 1))
    assert any("return" in line for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_runs_and_samples(name: str) -> None:
    mechanism = MECHANISMS[name]
    for choice in range(3):
        u = as_argument(some_input(mechanism, choice))
        one = mechanism.run(u, 1, random.Random(choice))
        many = mechanism.sample(u, 1, 50, seed=choice)
        assert len(many) == 50
        assert isinstance(one, type(many[0]) | None | bool | int | float | tuple)


@pytest.mark.parametrize("name", NAMES)
def test_noiseless_is_deterministic_or_says_why_not(name: str) -> None:
    mechanism = MECHANISMS[name]
    if has_choose(mechanism):
        with pytest.raises(ProgramError, match="choose has no mean"):
            mechanism.noiseless()
        return
    ideal = mechanism.noiseless()
    assert ideal.deterministic
    u = as_argument(some_input(mechanism))
    assert ideal.run(u) == ideal.run(u)
    assert ideal.noiseless() == ideal


@pytest.mark.parametrize("name", NAMES)
def test_one_by_one_and_vectorised_runs_agree(name: str) -> None:
    """Both simulators give the finite part of the output with the same frequency (5 sigma).

    Vectorised runs cost little: with many of them, half as many single ones see as much.
    """
    mechanism = MECHANISMS[name]
    u = as_argument(some_input(mechanism, 1))
    few, more, rng = 1000, 20_000, random.Random(1)
    single = Counter(shape(mechanism.run(u, 2, rng)) for _ in range(few))
    many = Counter(shape(output) for output in mechanism.sample(u, 2, more, seed=2))
    for key in {*single, *many}:
        p = (single[key] + many[key]) / (few + more)
        slack = 5 * sqrt(p * (1 - p) * (1 / few + 1 / more)) + 1 / few
        assert abs(single[key] / few - many[key] / more) <= slack


def shape(output: object) -> object:
    """Return an output with every float replaced by its sign."""
    if isinstance(output, tuple):
        return tuple(shape(part) for part in output)
    return output > 0 if isinstance(output, float) else output


@pytest.mark.parametrize("name", ["noisy_max", "sparse", "smart_sum"])
def test_pickles(name: str) -> None:
    mechanism = MECHANISMS[name]
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism


def test_ideals_of_the_paper() -> None:
    """What det(P) is, said in section 3 of the paper, at inputs worked out by hand."""
    sparse = load("sparse").sparse(4, 2).noiseless()
    assert sparse.run([-1, 0, -2, 3]) == (False, True, False, True)
    assert sparse.run([5, 0, -2, 3]) == (True, True)
    numeric = load("numeric_sparse").numeric_sparse(3, 1).noiseless()
    assert numeric.run(["-1/2", "0.25", 7]) == (None, 0.25)
    assert load("noisy_max").noisy_max(4).noiseless().run([1, 3, 3, 2]) == 1
    assert load("noisy_max").noisy_max_figure(4).noiseless().run([1, 3, 3, 2]) == 1
    assert load("smart_sum").smart_sum(4).noiseless().run([1, 2, 3, 4]) == (1, 3, 6, 10)
    assert load("exponential").exponential(3).noiseless().run([0, 2, 2]) == 1
    assert load("vertex_cover").vertex_cover(3).noiseless().run([0, 0, 1]) == (1, 0, 2)
    assert load("small_db").small_db().noiseless().run([2, 2]) == (1, 1)
    assert load("geometric").counting(5).noiseless().run(4) == 4
