"""Programs that store the answers of comparisons and use them later, in many ways."""

from __future__ import annotations

import time
from random import Random

import pytest

from exactdp import Accuracy, Mechanism, alpha, certify, eps, exp
from support.oracle.definitions import Judge
from support.oracle.runs import Program

USES = [
    "s += sum(b)", "s += b.count(True)", "s += len(b)", "s += 1 if any(b) else 0",
    "s += 2 if all(b) else 0", "s += b.index(True) if True in b else 5",
    "s += b.index(False) if False in b else 5", "s += 1 if b[0] == b[-1] else 0",
    "s += 1 if b[0] and not b[1] else 0", "s += 3 if b[0] or b[1] else 0",
    "s += sum(b[1:])", "s += 2 * b[0] + b[1]", "s += max(b) - min(b)", "s += sum(sorted(b)[:1])",
    "s += max(range(len(b)), key=lambda i: b[i])", "s += {True: 1, False: 2}[b[0]]",
    "s += c[b[1]]", "b = b + [b[0]]", "b = b[::-1]", "b.append(b[0])", "b[0] = b[1]",
    "b[1] = x[0] > x[1]", "b = [not c for c in b]", "s += len([c for c in b if c])",
    "for i, f in enumerate(b):\n        if f:\n            s += i",
    "for f in b:\n        s += 1\n        if f:\n            break",
    "for f, g in zip(b, reversed(b)):\n        s += 1 if f and g else 0",
    "f, g = b[0], b[1]\n    s += f\n    s += 2 if g else 0",
    "if b[0]:\n        s += 1\n    elif b[1]:\n        s += 2",
    "if b[0] is True:\n        s += 1", "if b == [True, False]:\n        s += 3",
    "if sum(b[:1]) == 1:\n        return s", "if any(b[:2]):\n        return b",
    "if b[0] < b[1]:\n        s += 1", "if [b[0], 1] == [True, 1]:\n        s += 2",
    "if (b[1], 0) in ((True, 0), (2, 3)):\n        s += 2", "s = twice(b[0]) + s",
    "s += -b[0]", "s += abs(b[1])", "s += b[0] ** 2", "s += (b[0] + 3) % 2",
    "s += 1 if lap(eps, 2 * b[1]) > 0 else 0", "s += choose({0: 1 / 3, 1: 2 / 3}) * b[0]",
    "s += choose({b[0]: 1 / 3, 2: 2 / 3})", "s += 1 if x[2] > b[0] else 0",
    "d = list(b)\n    s += sum(d)",
]  # fmt: skip

LISTS = [
    "b = [y > {k} for y in x]", "b = [y >= x[{i}] for y in x[:2]]", "b = [x[0] < x[1], x[1] > {k}]",
    "b = []\n    for y in x:\n        b.append(y > {k})",
    "b = []\n    for y in q:\n        b.append(lap(eps, y) > x[0])",
    "b = []\n    top = x[0]\n    for y in x[1:]:\n        b.append(y > top)\n"
    "        if y > top:\n            top = y",
]  # fmt: skip

ENDS = ["return s", "return b", "return [s, b[0]]", "return b[:2]", "return s if b[0] else -s"]


def twice(value: int) -> int:
    return 2 * int(value)


def program(random: Random) -> str:
    made = random.choice(LISTS).format(k=random.choice((0, 1)), i=random.choice((0, 1, 2)))
    uses = random.sample(USES, random.choice((1, 2, 3)))
    lines = [made, "c, s = [4, 6], 0", *uses, random.choice(ENDS)]
    body = "".join(f"    {line}\n" for line in lines)
    return f"def f(q: Real[3]):\n    x = [lap(eps, y) for y in q]\n{body}"


@pytest.mark.parametrize("seed", range(30))
def test_random_uses(seed: int) -> None:
    """Probabilities of outputs are those of the distribution, where no comparison waits."""
    random = Random(seed)
    text = program(random)
    found = Mechanism.from_source(text, {"twice": twice})
    u = [random.choice((0, 1, 2)) for _ in range(3)]
    for output, chance in found.distribution(u).items():
        assert found.probability(u, output) == chance, text
    if seed % 3 == 0 and "twice" not in text and "choose" not in text:
        claim = Accuracy(found, "5%", input_distance="linf", output_distance="discrete", inputs=[u])
        assert claim.disagreement(u).distance == Judge(Program(text)).distance(u), text


SPARSE = """
def sparse(q: Real[{m}]):
    t = lap(eps / 2, 0)
    flags = [lap(eps / 8, y) >= t for y in q]
    count, out = 0, []
    for flag in flags:
        out.append(flag)
        if flag:
            count += 1
            if count == 2:
                break
    return out
"""
PREFIXES = """
def above(q: Real[{m}]):
    t = lap(eps / 2, 0)
    flags = [lap(eps / 4, y) >= t for y in q]
    for i in range({m}):
        if any(flags[:i + 1]):
            return i
    return {m}
"""


def stated(text: str, m: int) -> Accuracy:
    mechanism = Mechanism.from_source(text.format(m=m))
    return Accuracy(mechanism, m * exp(-alpha * eps / 8), inputs=[[-2] * (m - 1) + [2]])


@pytest.mark.parametrize("text", [SPARSE, PREFIXES])
def test_answers_that_are_not_needed_yet_are_not_states(text: str) -> None:
    """With 24 queries there are 2^24 lists of answers."""
    claim = stated(text, 24)
    begin = time.process_time()
    assert claim.check().holds
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("text", [SPARSE, PREFIXES])
def test_certificates(text: str) -> None:
    """The checker makes every comparison where it is written."""
    assert certify.check(stated(text, 4).check().certificate).accepted
