"""Linear programs beside SciPy and Z3; every answer is proved by its own multipliers."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from fractions import Fraction

import pytest
import z3
from scipy.optimize import linprog

from exactdp_next.geometry.lp import Infeasible, Optimum, Unbounded, maximize
from exactdp_next.ring.linear import Rational

CASES = 10_000 * int(os.environ.get("EXACTDP_EXAMPLES", "1")) // 16

Rows = list[list[Rational]]


def dot(a: Iterable[Rational], b: Iterable[Rational]) -> Rational:
    return Fraction(sum(Fraction(x) * y for x, y in zip(a, b, strict=True)))


def proved(objective: list[Rational], rows: Rows, bounds: list[Rational]) -> str:
    """Check an answer by the equations that its docstring promises, and return which one it is."""
    answer = maximize(objective, rows, bounds)
    columns = [[row[j] for row in rows] for j in range(len(objective))]
    match answer:
        case Optimum(value, point, y):
            assert all(dot(row, point) <= b for row, b in zip(rows, bounds, strict=True))
            assert value == dot(objective, point) == dot(y, bounds)
            assert all(dot(y, column) == c for column, c in zip(columns, objective, strict=True))
            assert all(one >= 0 for one in y)
            return f"optimal {float(value):.9g}"
        case Infeasible(y):
            assert all(one >= 0 for one in y)
            assert all(dot(y, column) == 0 for column in columns)
            assert dot(y, bounds) < 0
            return "infeasible"
        case Unbounded(point, direction):
            assert all(dot(row, point) <= b for row, b in zip(rows, bounds, strict=True))
            assert all(dot(row, direction) <= 0 for row in rows)
            assert dot(objective, direction) > 0
            return "unbounded"
    raise AssertionError(answer)


def draw(rng: random.Random) -> tuple[list[Rational], Rows, list[Rational]]:
    """Small numbers, so that ties, redundant rows and degenerate corners are frequent."""
    n, m = rng.randint(1, 4), rng.randint(0, 7)

    def number() -> Rational:
        return Fraction(rng.choice([0, 0, 6, -6, 12, -18, 3, -10]), 6)

    rows: Rows = [[number() for _ in range(n)] for _ in range(m)]
    if m > 1 and rng.random() < 0.3:
        rows[0] = [-a for a in rows[1]]
    if rng.random() < 0.5:  # a box makes an optimum frequent
        for j in range(n):
            for s in (1, -1):
                rows.append([s * int(i == j) for i in range(n)])
    bounds = [number() + rng.choice([0, 0, 1, 3]) for _ in rows]
    return [number() for _ in range(n)], rows, bounds


def test_random_programs_are_proved_and_agree_with_scipy() -> None:
    rng, seen = random.Random(5), set()
    for _ in range(CASES):
        objective, rows, bounds = draw(rng)
        found = proved(objective, rows, bounds)
        seen.add(found.split()[0])
        if not rows or rng.random() < 0.7:  # every answer is proved; SciPy is slow
            continue
        floats = [[float(a) for a in row] for row in rows]
        free = [(None, None)] * len(objective)
        negative = [-float(c) for c in objective]
        other = linprog(negative, floats, [float(b) for b in bounds], bounds=free)
        if other.status == 0:
            assert found.startswith("optimal")
            assert float(found.split()[1]) == pytest.approx(-other.fun, abs=1e-7)
        elif other.status in (2, 3):  # HiGHS calls some unbounded programs infeasible
            limits = [float(b) for b in bounds]
            feasible = linprog([0.0] * len(objective), floats, limits, bounds=free).status == 0
            assert found == ("unbounded" if feasible else "infeasible")
    assert seen == {"optimal", "infeasible", "unbounded"}


def test_random_programs_agree_with_z3() -> None:
    rng = random.Random(6)
    for _ in range(CASES // 20):
        objective, rows, bounds = draw(rng)
        xs = [z3.Real(f"x{i}") for i in range(len(objective))]
        solver = z3.Optimize()
        for row, b in zip(rows, bounds, strict=True):
            terms = [z3.Q(a.numerator, a.denominator) * x for a, x in zip(row, xs, strict=True)]
            solver.add(sum(terms) <= z3.Q(b.numerator, b.denominator))
        pairs = zip(objective, xs, strict=True)
        goal = solver.maximize(sum(z3.Q(c.numerator, c.denominator) * x for c, x in pairs))
        answer = maximize(objective, rows, bounds)
        if solver.check() == z3.unsat:
            assert isinstance(answer, Infeasible)
        elif str(solver.upper(goal)) == "oo":
            assert isinstance(answer, Unbounded)
        else:
            assert isinstance(answer, Optimum)
            assert Fraction(str(solver.upper(goal))) == answer.value


def test_a_program_that_cycles_without_a_rule_ends() -> None:
    """Beale's example: the largest coefficient as entering variable visits six bases for ever."""
    objective: list[Rational] = [Fraction(3, 4), -150, Fraction(1, 50), -6]
    rows: Rows = [
        [Fraction(1, 4), -60, Fraction(-1, 25), 9],
        [Fraction(1, 2), -90, Fraction(-1, 50), 3],
        [0, 0, 1, 0],
    ]
    rows += [[-int(i == j) for j in range(4)] for i in range(4)]
    answer = maximize(objective, rows, [0, 0, 1, 0, 0, 0, 0])
    assert isinstance(answer, Optimum)
    assert answer.value == Fraction(1, 20)


def test_a_variable_in_no_row() -> None:
    assert maximize([0, 1], [[0, 1]], [3]) == Optimum(3, (0, 3), (1,))
    assert maximize([1, 0], [[0, 1]], [3]) == Unbounded((0, 3), (1, 0))
    assert maximize([], [[]], [-1]) == Infeasible((1,))
