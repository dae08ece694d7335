"""Entries of lists that are not read again are forgotten: equal answers to those that are kept."""

from __future__ import annotations

import time
from random import Random

import pytest

from exactdp import Accuracy, Mechanism, alpha, eps, exp
from support.oracle.definitions import Judge
from support.oracle.runs import Program

WAYS = {
    "running": """
    best, top = 0, x[0]
    for i in range(1, {m}):
        if x[i] > top:
            best, top = i, x[i]
    return best
""",
    "by position": """
    best = 0
    for i in range(1, {m}):
        if x[i] > x[best]:
            best = i
    return best
""",
    "from nothing": """
    best = None
    for i in range({m}):
        if best is None or x[i] > x[best]:
            best = i
    return best
""",
    "exchanged": """
    place = list(range({m}))
    for i in range({m} - 1):
        if x[i] >= x[i + 1]:
            x[i], x[i + 1] = x[i + 1], x[i]
            place[i], place[i + 1] = place[i + 1], place[i]
    return place[{m} - 1]
""",
}


def read(way: str, m: int) -> Mechanism:
    head = f"def f(q: Real[{m}]):\n    x = [lap(eps / 2, y) for y in q]"
    return Mechanism.from_source(head + WAYS[way].format(m=m))


@pytest.mark.parametrize("way", list(WAYS))
def test_the_best_by_its_position(way: str) -> None:
    """There are 2^20 orders of exchanges, and 20 positions of the best so far."""
    for u in ([0, 1, 2], [1, 1, 0]):
        for k in range(3):
            assert read(way, 3).probability(u, k) == read("running", 3).probability(u, k)
    claim = Accuracy(read(way, 20), 20 * exp(-alpha * eps / 2), inputs=[[0] * 10 + [2] + [1] * 9])
    begin = time.process_time()
    assert claim.check()
    assert time.process_time() - begin < 1


INDICES = ("i", "i + 1", "2 - i", "j", "k", "-1", "-2", "0", "-i")
STEPS = (
    "j = i",
    "j = k",
    "k = j",
    "k = 1",
    "k = 2 - i",
    "k = k + 1 if k < 2 else 0",
    "x[{0}] = x[{1}]",
    "x[i] = x[i] + 1",
    "x = [x[1], x[2], x[0]]",
    "y = x[{0}]",
    "s = s + 1",
    "x.append(x[{0}])",
)


def random_program(random: Random) -> str:
    """Return a program that compares entries of a list at many kinds of indices."""

    def index() -> str:
        return random.choice(INDICES)

    def steps(indent: str) -> list[str]:
        some = (random.choice(STEPS).format(index(), index()) for _ in range(random.randint(1, 2)))
        return [indent + one for one in some]

    lines = [
        "def f(q: Real[3]):",
        "    x = [lap(eps, a) for a in q]",
        "    j, k, s, y = 0, 0, 0, x[0]",
    ]
    for _ in range(random.randint(1, 2)):
        lines.append(f"    for i in range({random.choice(('2', '0, 2', '1, 2', '1, -1, -1'))}):")
        other = random.choice((f"x[{index()}]", "y", "1", "x[k]", "x[j]"))
        lines.append(f"        if x[{index()}] {random.choice('<>')} {other}:")
        lines += steps(" " * 12)
        if random.random() < 0.5:
            lines += ["        else:", *steps(" " * 12)]
        if random.random() < 0.3:
            lines += steps(" " * 8)
    end = random.choice(("j", "k", "s", "1 if x[k] > x[j] else 0", "j if x[j] > 1 else k"))
    return "\n".join([*lines, f"    return {end}", ""])


@pytest.mark.parametrize("seed", range(36))
def test_random_indices(seed: int) -> None:
    """Against the distribution, where all entries are kept, and an oracle for the ideal."""
    random = Random(seed)
    text = random_program(random)
    found = Mechanism.from_source(text)
    u = [random.choice((0, 1, 2)) for _ in range(3)]
    for output, chance in found.distribution(u).items():
        assert found.probability(u, output) == chance, text
    if seed % 6 == 0:
        judge = Judge(Program(text))
        assert Accuracy(found, "5%", inputs=[u]).disagreement(u).distance == judge.distance(u), text


@pytest.mark.parametrize(
    "body",
    [
        # The entry at an index that may be exchanged is read at another index, too.
        """
    best = 1
    for i in range(0, 3, 2):
        if x[i] > x[best]:
            best = i
    return best if x[best] > x[1] + 1 else 3
""",
        # The list is another one when the index is used.
        """
    best = 0
    for i in range(1, 3):
        if x[i] > x[best]:
            best = i
    x = [lap(eps, 2 * y) for y in q]
    return best if x[best] > 1 else 3
""",
        # An index that counts.
        """
    k = 0
    for i in range(2):
        if x[i] > 1:
            k = k + 1
    return 1 if x[k] > 1 else 0
""",
        # The names of a comprehension are its own.
        """
    best = 0
    for i in range(1, 3):
        if x[i] > x[best]:
            best = i
    flags = [best == 0, best == 1, best == 2]
    i = 0
    return sum([1 if flags[i] else 0 for i in range(1, 3)]) + i
""",
        # Positions from the end change as the list grows.
        """
    found = []
    for y in x:
        found.append(1 if y > 1 else 2)
    return found[-2]
""",
        # The whole list is returned, too.
        """
    found = []
    for y in x:
        found.append(1 if y > 1 else 2)
    if found[0] == 1 and lap(eps, 0) > 1:
        return [0]
    return found
""",
        # The same by way of a copy that is only returned.
        """
    found = [0, 0, 0]
    answer = [0]
    for i in range(3):
        found[i] = 1 if x[i] > 1 else 2
    if found[-1] == 1:
        answer = found
    return answer
""",
    ],
)
def test_indices_that_are_read_elsewhere(body: str) -> None:
    found = Mechanism.from_source("def f(q: Real[3]):\n    x = [lap(eps, y) for y in q]" + body)
    for u in ([0, 1, 2], [2, 0, 1]):
        for output, chance in found.distribution(u).items():
            assert found.probability(u, output) == chance
