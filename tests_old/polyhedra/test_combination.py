"""Nonnegative combinations of vectors, compared with linear programs of SciPy."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from scipy.optimize import linprog

from exactdp.polyhedra.combination import combination


def test_by_hand() -> None:
    assert combination([], (0, 0)) == {}
    assert combination([], (1,)) is None
    assert combination([(1,), (-2,)], (-3,)) == {1: Fraction(3, 2)}
    assert combination([(1, 0), (0, 1)], (1, -1)) is None
    assert combination([(1, 0), (0, 1)], (0, Fraction(1, 3))) == {1: Fraction(1, 3)}


@pytest.mark.parametrize("seed", range(8))
def test_random_vectors(seed: int) -> None:
    draw = Random(seed)
    for _ in range(25):
        size, count = draw.randint(1, 4), draw.randint(1, 7)
        vectors = [[draw.randint(-2, 2) for _ in range(size)] for _ in range(count)]
        target = [draw.randint(-2, 2) for _ in range(size)]
        found = combination(vectors, target)
        program = linprog([0] * count, A_eq=np.array(vectors).T, b_eq=target)
        assert (found is not None) == (program.status == 0)
        if found is not None:
            assert min(found.values(), default=1) > 0
            total = [sum(q * vectors[k][i] for k, q in found.items()) for i in range(size)]
            assert total == target
