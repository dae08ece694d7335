"""Distances to disagreement through the merged graph, against every path listed one by one.

The oracle runs the noiseless program on symbols, lists all its paths (`pieces`), and asks for each
one with another output how far it is: a projection on the distance with all entries at once.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Ideal,
    Mechanism,
    alpha,
    discrete,
    eps,
    exp,
    inf,
    l1,
    linf,
    numeric,
)
from exactdp.claims.disagreement import distance as disagreement
from exactdp.claims.stated.pieces import condition, pieces
from exactdp.language.layout import assembled, entries
from exactdp.language.linear import Linear
from exactdp.polyhedra.elimination import project
from exactdp.polyhedra.halfspace import Polyhedron
from language.corpus import FACTORIES

SEARCHES = {
    "running": """
    best, top = 0, lap(eps, q[0])
    for i in range(1, {m}):
        r = lap(eps, q[i])
        if r {op} top:
            best, top = i, r
    return best
""",
    "index": """
    noisy = [lap(eps, x) for x in q]
    return noisy.index(max(noisy))
""",
    "key": """
    noisy = [lap(eps, x) for x in q]
    return max(range({m}), key=lambda i: noisy[i])
""",
    "sorted": """
    noisy = [lap(eps, x) for x in q]
    return sorted(range({m}), key=lambda i: noisy[i])[{a}]
""",
    "stored": """
    noisy = [lap(eps, x) for x in q]
    wins = [noisy[i] {op} noisy[i + 1] for i in range({m} - 1)]
    return [wins[0] == wins[-1], {a} * noisy[0] {op} noisy[-1] + {b}]
""",
    "sums": """
    total, above = lap(eps, q[0]), 0
    for i in range(1, {m}):
        r = lap(eps, q[i])
        if total + {b} * r {op} {a}:
            above += 1
            total = total - r
        elif r == {b}:
            return 7
    return above
""",
    "again": """
    count, last = 0, {a}
    for i in range({m}):
        if lap(eps, q[i]) {op} last:
            count += 1
            last = q[i] + {b}
        if q[0] > 2 * q[i] + 1:
            return [count, True]
    return [count, False]
""",
    "released": """
    out = []
    for x in q:
        r = lap(eps, x)
        if r {op} {a}:
            out.append(r)
        else:
            out.append(0)
    return out
""",
}


SLANTED = """
def slanted(u, v):
    return 2 * abs(u[0] - v[0]) + abs(u[-1] - v[-1])
"""
DISTANCES = [linf, l1, discrete, numeric, numeric(1), Ideal.from_source(SLANTED)]


def listed(claim: Accuracy, u: tuple[Any, ...]) -> Fraction | float:
    """Return dd by looking at every path."""
    mechanism, distance = claim.mechanism, claim.input_metric
    here = entries(u)
    there = [Linear.symbol(f"v{k}") for k in range(len(here))]
    symbols = assembled(mechanism.inputs, there)
    own = claim.ideal_function(u)
    best: Fraction | float = inf
    for piece in pieces(mechanism.noiseless().machine, symbols):
        for differs in differences(piece.output, own):
            for case in distance.cases(here, there, (*piece.rows, *differs)):
                above = [condition(Linear.symbol("T") - form, ">=")[0][0] for form in case.forms]
                system = (*piece.rows, *differs, *case.rows, *above)
                names = [name for row in system for name in row.variables if name != "T"]
                left = project(system, dict.fromkeys(names))
                if left is not None:
                    best = min(best, max(Fraction(row.end("T").constant) for row in left))
    return best


def differences(output: Any, own: Any) -> list[Polyhedron]:
    """Return how an output with forms can differ from one with numbers."""
    if not isinstance(output, tuple):
        output, own = (output,), (own,)
    if len(output) != len(own):
        return [()]
    found: list[Polyhedron] = []
    for one, two in zip(output, own, strict=True):
        if isinstance(one, Linear):
            found += [rows for op in "<>" for rows in condition(one - two, op)]
        elif one != two:
            return [()]
    return found


@pytest.mark.parametrize("style", SEARCHES)
@pytest.mark.parametrize("distance", DISTANCES, ids=str)
def test_against_every_path(style: str, distance: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With symbols for the entries of u, with its numbers, and with a nearest input."""
    source = random.Random(f"{style} {distance}")
    for _ in range(2):
        m = 2 if "numeric" in str(distance) else source.choice((2, 3))  # it has many cases
        given = {"m": m, "op": source.choice(("<", "<=", ">", ">=", "=="))}
        given |= {name: source.choice((-1, 0, 1)) for name in "ab"}
        mechanism = Mechanism.from_source(f"def f(q: Real[{m}]):{SEARCHES[style].format(**given)}")
        claim = Accuracy(mechanism, Fraction(1, 2), input_distance=distance, inputs=[[0] * m])
        metric = claim.input_metric
        for _ in range(3):
            numbers = [Fraction(source.randint(-6, 6), source.choice((1, 1, 2, 3)))] * m
            numbers = [source.choice((x, Fraction(source.randint(-4, 4)))) for x in numbers]
            u = mechanism.read_input(numbers)
            expected, output = listed(claim, u), claim.ideal_function(u)
            found = claim.disagreement(numbers)
            assert found.distance == expected
            if found.attained:
                near: Any = found.input
                assert metric.between(entries(u), list(near)) == expected
                assert claim.ideal_function(mechanism.read_input(near)) != output
            for most in (12, 0):
                monkeypatch.setattr(disagreement, "_MOST_SYMBOLS", most)
                about = disagreement.Disagreements(mechanism, claim.ideal_function, metric)
                assert about.distance(u, output, None) == expected


def test_the_orders_of_noisy_max_are_one_problem() -> None:
    claim = Accuracy(FACTORIES["noisy_max"](4), 4 * exp(-alpha * eps / 2), inputs=AllReals())
    verdict = claim.by_cells(whole=True).check()
    assert verdict.inputs == 24
    assert len({problem.shape for problem, _ in verdict.decided}) == 1


def test_a_truth_value_is_not_united_with_a_number() -> None:
    """The input (−1, 0) lies in no piece whose output is a real number, and True equals 1.

    So another output needs q[0] > q[1], which is 1/2 away in both entries.
    """
    mechanism = Mechanism.from_source("""
def f(q: Real[2]):
    if q[0] > q[1]:
        return [q[0]]
    if q[0] != -1:
        return [True]
    return [1]
""")
    claim = Accuracy(mechanism, exp(-alpha * eps), inputs=AllReals())
    assert claim.disagreement([-1, 0]).distance * 2 == 1


@pytest.mark.parametrize(("style", "m"), [("running", 200), ("key", 20)])
def test_many_queries(style: str, m: int) -> None:
    """The largest is 9 above the next, which is twice the distance."""
    source = SEARCHES[style].format(m=m, op=">")
    mechanism = Mechanism.from_source(f"def f(q: Real[{m}]):{source}")
    for place in (0, m // 2, m - 1):
        u = [10 if k == place else k % 2 for k in range(m)]
        claim = Accuracy(mechanism, Fraction(1, 2), inputs=[u])
        about = disagreement.Disagreements(mechanism, claim.ideal_function, linf)
        assert about.distance(mechanism.read_input(u), place, None) * 2 == 9


@pytest.mark.parametrize(
    ("mean", "u", "distance"),
    [
        ("b + 1", [0, 1], 1),
        ("b + 1", [-1, 1], Fraction(3, 2)),
        ("b + 1", [1, 1], Fraction(1, 2)),
        ("2 * b", [0, 1], Fraction(2, 3)),
        ("2 * b", [-1, 1], 1),
    ],
)
def test_an_entry_that_is_read_again(mean: str, u: list[int], distance: object) -> None:
    """The third number stays the largest until it equals a, or b.

    a rises and b falls by d: b + 1 − d = a + d, or 2·(b − d) = a + d; 2·(b − d) = b − d if d = b.
    Once, a run with the largest number b was taken to include one with a, although b is read again.
    """
    program = Mechanism.from_source(
        "def f(a: Real, b: Real):\n    best, top = 0, lap(eps / 2, b)\n"
        "    r = lap(eps / 2, a)\n    if r > top:\n        best, top = 1, r\n"
        f"    r = lap(eps / 2, {mean})\n    if r > top:\n        best = 2\n    return best\n"
    )
    claim = Accuracy(program, beta=exp(-alpha * eps), inputs=[u])
    assert claim.disagreement(u).distance == distance
