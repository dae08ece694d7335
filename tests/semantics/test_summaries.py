"""Lists of which only a summary is read: equal answers to a program that stores no list."""

from __future__ import annotations

import time
from collections import defaultdict
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from exactdp import Accuracy, Mechanism, alpha, eps, exp

HEAD = "def f(q: Real[{m}]):\n    t = lap(eps / 2, 0)\n    x = [lap(eps / 4, y) for y in q]\n"
FIRST = """
    for i in range({m}):
        if x[i] >= t:
            return i
    return {m}
"""
COUNT = """
    k = 0
    for y in x:
        if y >= t:
            k += 1
    return k
"""
LAST = """
    k = {m}
    for i in range({m}):
        if x[i] >= t:
            k = i
    return k
"""
WAYS = {
    "found[0]": (
        FIRST,
        "\n    found = [i for i in range({m}) if x[i] >= t]"
        "\n    return found[0] if found else {m}\n",
    ),
    "flags.index": (
        FIRST,
        "\n    flags = [y >= t for y in x]\n    return flags.index(True) if any(flags) else {m}\n",
    ),
    "min": (FIRST, "\n    return min([i for i in range({m}) if x[i] >= t] + [{m}])\n"),
    "found[-1]": (
        LAST,
        "\n    found = [{m}]\n    for i in range({m}):\n        if x[i] >= t:"
        "\n            found.append(i)\n    return found[-1]\n",
    ),
    "sum": (COUNT, "\n    return sum([y >= t for y in x])\n"),
    "len": (COUNT, "\n    return len([i for i in range({m}) if x[i] >= t])\n"),
    "count": (
        COUNT,
        "\n    flags = []\n    for y in x:\n        flags.append(y >= t)"
        "\n    return flags.count(True)\n",
    ),
    "loop over flags": (
        COUNT,
        "\n    flags = []\n    for y in x:\n        flags.append(y >= t)"
        "\n    k = 0\n    for flag in flags:\n        k += flag\n    return k\n",
    ),
}


@pytest.mark.parametrize("way", list(WAYS))
def test_summaries_mean_the_same(way: str) -> None:
    plain, other = (Mechanism.from_source((HEAD + body).format(m=3)) for body in WAYS[way])
    for u in ([0, 1, -1], [0, 0, 0]):
        found = other.distribution(u)
        for k in range(4):
            assert other.probability(u, k) == plain.probability(u, k) == found[k]
        claims = [Accuracy(f, "5%", inputs=[u]) for f in (plain, other)]
        assert claims[0].disagreement(u).distance == claims[1].disagreement(u).distance


@pytest.mark.parametrize("way", [way for way in WAYS if way != "loop over flags"])
def test_the_values_of_a_list_are_not_states(way: str) -> None:
    """With fourteen queries there were 2^14 lists."""
    program = Mechanism.from_source((HEAD + WAYS[way][1]).format(m=14))
    claim = Accuracy(program, 99 * exp(-alpha * eps / 8), inputs=[[-2] * 13 + [2]])
    begin = time.process_time()
    assert claim.check()
    assert time.process_time() - begin < 1


STEPS = (
    "a.append(v)",
    "a = a + [v]",
    "a = [v] + a",
    "a += [v, i]",
    "b = a + []",
    "b = b + a",
    "b.append(a[0] if a else i)",
    "b = a + [i] if v else b + [v]",
    "if v:\n            a.append(i)",
    "if a:\n            b.append(v)",
    "if v == 2:\n            a = []",
    "if i == 2:\n            b = [len(a)]",
)
READS = (
    "sum({0})",
    "any({0})",
    "all({0})",
    "len({0})",
    "({0}[0] if {0} else 9)",
    "({0}[-1] if {0} else 9)",
    "({0}[1] if len({0}) > 1 else 9)",
    "(1 in {0})",
    "(2 not in {0})",
    "{0}.count(1)",
    "({0}.index(2) if 2 in {0} else -1)",
    "(max({0}) if {0} else 9)",
    "min({0} + [7])",
    "str(({0} + b)[-1] if {0} else 9)",
    "(1 if not {0} else 0)",
    "str({0})",
)


@pytest.mark.parametrize("seed", range(40))
def test_random_lists_against_all_runs(seed: int) -> None:
    """Every run of a program with a few random values, as Python computes it."""
    random = Random(seed)
    lines = [f"        {step}" for step in random.sample(STEPS, 3)]
    reads = [one.format(random.choice(("a", "b", "(a + b)"))) for one in random.sample(READS, 2)]
    end = f"    return ({', '.join(reads)})\n"
    body = "\n".join(["    a, b = [], []", "    for i in range(3):", "        {draw}", *lines, end])
    draw = "v = choose({True: 1 / 4, 2: 1 / 4, 0: 1 / 2})"
    program = Mechanism.from_source("def f():\n" + body.replace("{draw}", draw))
    text = "def f(given):\n" + body.replace("{draw}", "v = given[i]")
    names: dict[str, Any] = {}
    exec(text, names)
    expected: dict[Any, Any] = defaultdict(Fraction)
    weight = {True: Fraction(1, 4), 2: Fraction(1, 4), 0: Fraction(1, 2)}
    for given in product(weight, repeat=3):
        mass = Fraction(1)
        for one in given:
            mass *= weight[one]
        expected[names["f"](given)] += mass
    found = program.distribution(())
    assert dict(found.items()) == dict(expected), text
    for output, chance in expected.items():
        assert program.probability((), output) == chance, text
