"""Programs that select the largest number, however they are written, and programs that do not."""

from __future__ import annotations

import random
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import Accuracy, Mechanism, alpha, eps, exp
from exactdp.errors import ExactdpError
from exactdp.language.values import Value
from exactdp.reproduce.programs import noisy_max
from exactdp.semantics import program_graphs
from exactdp.semantics.selected import Selected, Ties, selected
from exactdp.semantics.symbols import names_of, symbols_of
from support.examples import examples

LISTED = "x = [lap(eps / 2, v) for v in q]\n"

FIRST = {
    "running": "best, top = 0, lap(eps / 2, q[0])\nfor i in range(1, {m}):\n"
    "    r = lap(eps / 2, q[i])\n    if r > top:\n        best, top = i, r\nreturn best",
    "no other is larger": LISTED + "for i in range({m}):\n"
    "    if not any(s > x[i] for s in x):\n        return i\nreturn 0",
    "a loop with else": LISTED + "for i in range({m}):\n    for s in x:\n        if s > x[i]:\n"
    "            break\n    else:\n        return i\nreturn 0",
    "ranks": LISTED + "ranks = [sum(s > r for s in x) for r in x]\nreturn ranks.index(min(ranks))",
    "a matrix": LISTED + "wins = [[r >= s for s in x] for r in x]\n"
    "return [all(row) for row in wins].index(True)",
    "flags": "flags, top = [], lap(eps / 2, q[0])\nfor i in range(1, {m}):\n"
    "    r = lap(eps / 2, q[i])\n    flags.append(r > top)\n    if r > top:\n        top = r\n"
    "best = 0\nfor i in range(1, {m}):\n    if flags[i - 1]:\n        best = i\nreturn best",
    "records": "records, top = [0], lap(eps / 2, q[0])\nfor i in range(1, {m}):\n"
    "    r = lap(eps / 2, q[i])\n    if r > top:\n        top = r\n        records.append(i)\n"
    "return records[-1]",
    "eliminated": LISTED + "out = [False] * {m}\nfor i in range({m}):\n"
    "    for j in range(i + 1, {m}):\n        if x[i] >= x[j]:\n            out[j] = True\n"
    "        else:\n            out[i] = True\nreturn out.index(False)",
    "points": LISTED + "points = [0] * {m}\nfor i in range({m}):\n"
    "    for j in range(i + 1, {m}):\n        if x[i] >= x[j]:\n            points[i] += 1\n"
    "        else:\n            points[j] += 1\nreturn points.index({m} - 1)",
    "a tournament": LISTED + "alive = list(range({m}))\nfor n in range({m}):\n    after = []\n"
    "    for k in range(0, len(alive) - 1, 2):\n"
    "        a, b = alive[k], alive[k + 1]\n        after.append(a if x[a] >= x[b] else b)\n"
    "    if len(alive) % 2 == 1:\n        after.append(alive[-1])\n    alive = after\n"
    "return alive[0]",
    "sorted by hand": LISTED + "order = list(range({m}))\nfor a in range({m}):\n"
    "    for b in range(a + 1, {m}):\n        if x[order[b]] > x[order[a]]:\n"
    "            order[a], order[b] = order[b], order[a]\nreturn order[0]",
    "largest so far": LISTED + "tops = [x[0]]\nfor i in range(1, {m}):\n"
    "    tops.append(max(tops[-1], x[i]))\nreturn x.index(tops[-1])",
    "halves": LISTED + "left, right = x[:2], x[2:]\nif max(left) >= max(right):\n"
    "    return left.index(max(left))\nreturn 2 + right.index(max(right))",
    "noise apart": "z = [lap(eps / 2, 0) for v in q]\nbest = 0\nfor i in range(1, {m}):\n"
    "    if q[i] + z[i] > q[best] + z[best]:\n        best = i\nreturn best",
    "negated": "x = [-lap(eps / 2, v) for v in q]\nlow = min(x)\ni = 0\nwhile x[i] > low:\n"
    "    i += 1\nreturn i",
    "those that are largest": LISTED
    + "found = [i for i in range({m}) if x[i] == max(x)]\nreturn found[0]",
}

LAST = {
    "scanned to the end": LISTED + "top, best = max(x), 0\nfor i in range({m}):\n"
    "    if x[i] == top:\n        best = i\nreturn best",
    "bubbles": LISTED + "order = list(range({m}))\nfor k in range({m} - 1):\n"
    "    if x[order[k]] > x[order[k + 1]]:\n"
    "        order[k], order[k + 1] = order[k + 1], order[k]\nreturn order[-1]",
}

NONE_AT_TIES = {
    "beats all": LISTED + "for i in range({m}):\n"
    "    if all(x[i] > x[j] for j in range({m}) if j != i):\n        return i\nreturn {m}",
    "counted": LISTED + "for i in range({m}):\n    if sum(x[i] > s for s in x) == {m} - 1:\n"
    "        return i\nreturn {m}",
}

SPELLINGS = {**FIRST, **LAST, **NONE_AT_TIES}


def read(body: str, m: int) -> Mechanism:
    text = body.format(m=m)
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    return Mechanism.from_source(f"def f(q: Real[{m}]):\n{lines}")


def found_in(program: Mechanism) -> Selected | None:
    names = [names_of(one) for one in program.inputs]
    return selected(program, tuple(symbols_of(one) for one in names if one is not None))


@pytest.mark.parametrize("name", SPELLINGS)
def test_found(name: str) -> None:
    """The selection is found with what happens at ties; the tests below show that it is right."""
    found = found_in(read(SPELLINGS[name], 4))
    assert found is not None
    assert found.is_largest
    assert found.outputs == (0, 1, 2, 3)
    expected = Ties(last_wins=name in LAST)
    assert found.ties == (Ties(output=4, has_output=True) if name in NONE_AT_TIES else expected)


@pytest.mark.parametrize("name", SPELLINGS)
def test_probabilities_and_disagreement(name: str) -> None:
    """With six numbers, all answers are those of a running maximum with the same rule for ties."""
    m, body = 6, SPELLINGS[name]
    plain = FIRST["running"].replace("r > top", "r >= top") if name in LAST else FIRST["running"]
    program, running = read(body, m), read(plain, m)
    for u in ([0, 3, 1, 2, 3, 0], [Fraction(1, 2), 0, 0, 0, 2, 0], [1] * m):
        for output in (0, 4, m - 1):
            assert program.probability(u, output) == running.probability(u, output)
        if name in NONE_AT_TIES:
            continue
        one, two = (
            Accuracy(each, beta=m * exp(-alpha * eps / 2), inputs=[u])
            for each in (program, running)
        )
        assert one.disagreement(u).distance == two.disagreement(u).distance
        assert one.check().outcome == two.check().outcome


@pytest.mark.parametrize("name", SPELLINGS)
def test_finite_inputs(name: str) -> None:
    """The same with finite inputs, where listing the comparisons takes seconds for most of them."""
    m = 8
    text = (
        FIRST["running"].format(m=m).replace("r > top", "r >= top" if name in LAST else "r > top")
    )
    program, running = (
        Mechanism.from_source(
            f"def f(q: Dom(0, 3)[{m}]):\n" + "".join(f"    {x}\n" for x in one.splitlines())
        )
        for one in (SPELLINGS[name].format(m=m), text)
    )
    start = time.process_time()
    assert program.probability([0, 3, 1, 2, 3, 0, 1, 2], 4) == running.probability(
        [0, 3, 1, 2, 3, 0, 1, 2], 4
    )
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    "test", ["q[0] == 2", "2 in q", "q[0] > q[1]", "[2, 1, 0] == q", "q.count(2) > 0", "q[0] // 2"]
)
def test_finite_inputs_that_are_compared(test: str) -> None:
    """A program that selects the largest number only if its input passes a test is no selection."""
    program, largest, smallest = (
        Mechanism.from_source(
            f"def f(q: Dom(0, 2)[3]):\n    x = [lap(eps / 2, v) for v in q]\n    return {value}\n"
        )
        for value in (
            f"x.index(max(x)) if {test} else x.index(min(x))",
            "x.index(max(x))",
            "x.index(min(x))",
        )
    )
    for u, other in (([2, 1, 0], largest), ([0, 1, 1], smallest)):
        assert program.probability(u, 1) == other.probability(u, 1)


@pytest.mark.parametrize("name", NONE_AT_TIES)
def test_ties_of_their_own(name: str) -> None:
    """At a tie for the largest number, the output is 4, and any change of it gives another one."""
    program = read(NONE_AT_TIES[name], 4)
    claim = Accuracy(program, beta=exp(-alpha * eps / 2), inputs=[[2, 0, 1, 0]])
    assert claim.disagreement([2, 0, 1, 0]).distance == Fraction(1, 2)
    assert claim.disagreement([2, 0, 2, 0]).distance == 0
    assert program.noiseless()([2, 0, 2, 0]) == 4


@pytest.mark.parametrize("name", ["eliminated", "flags", "a tournament", "ranks", "sorted by hand"])
def test_time(name: str) -> None:
    """Twelve numbers, where listing the comparisons would take 2^11 states or more."""
    start = time.process_time()
    read(SPELLINGS[name], 12).probability([0] * 12, 7)
    assert time.process_time() - start < 2


CHANGES = [
    (">", "<"), (">", ">="), ("==", ">="), (">=", "=="), (" 0", " 1"), ("best", "i"),
    ("all(", "any("), ("any(", "all("), ("max(", "min("), ("min(", "max("), ("not ", ""),
    ("True", "False"), ("False", "True"), ("range(1, ", "range("), ("- 1", "- 2"), ("+ 1", "+ 2"),
    ("x[i]", "x[0]"), ("q[i]", "q[0]"), ("q[i]", "2 * q[i]"), ("q[i]", "q[i] + i"),
    ("append(i)", "append(0)"), ("break", "pass"), ("return best", "return best + 1"),
    ("x[j]", "x[i]"), ("r > top", "r > top + 1"), ("+= 1", "+= 2"), ("eps / 2, v", "eps, v + 1"),
]  # fmt: skip


def changed(rng: random.Random, text: str) -> str:
    for _ in range(rng.choice((1, 1, 2, 3))):
        old, new = rng.choice(CHANGES)
        parts = text.split(old)
        if len(parts) > 1:
            k = rng.randrange(1, len(parts))
            text = old.join(parts[:k]) + new + old.join(parts[k:])
    return text


def output_of(program: object, u: list[Fraction]) -> Value:
    try:
        return program.machine.run((tuple(u),))  # type: ignore[attr-defined]
    except ExactdpError as error:
        return error.message


@examples(48)
@given(st.integers(0, 10**6))
def test_random_changes(seed: int) -> None:
    """Where a changed program is still said to select, it does: both run at inputs with ties."""
    rng = random.Random(seed)
    for _ in range(4):
        try:
            program = read(changed(rng, rng.choice([*SPELLINGS.values()])), 4)
        except ExactdpError:
            continue
        found = found_in(program)
        simple = None if found is None else found.program(program)
        if found is None or simple is None:
            continue
        for _ in range(15):
            several = 3 if found.ties is not None else 1000
            u = [Fraction(rng.randrange(several)) for _ in range(4)]
            if found.ties is None and len({*u}) < 4:
                continue
            expected = output_of(program.noiseless(), u)
            assert repr(output_of(simple.noiseless(), u)) == repr(expected)


def test_not_every_branch_is_taken_for_sure() -> None:
    """Once, a comparison that no hypothesis knew was taken to be true."""
    body = LISTED + (
        "for i in range({m}):\n    if any(x[j] > x[i] for j in range(i + 2, {m})):\n"
        "        continue\n    return i\nreturn 0"
    )
    assert found_in(read(body, 4)) is None


@pytest.mark.parametrize("names", [("best", "top", "r", "z"), ("z", "tied", "range", "best")])
def test_inputs_with_the_names_of_variables(names: tuple[str, ...]) -> None:
    """Once, the running maximum overwrote inputs that had the names of its variables."""

    def chances(inputs: tuple[str, ...]) -> list[object]:
        x = ", ".join(f"lap(eps / 2, {name})" for name in inputs)
        program = Mechanism.from_source(
            f"def f({', '.join(f'{name}: Real' for name in inputs)}):\n    x = [{x}]\n"
            "    ranks = [sum(a > b for a in x) for b in x]\n    return ranks.index(min(ranks))"
        )
        return [program.probability((0, 3, 1, 5), output) for output in range(4)]

    assert chances(names) == chances(("s", "t", "u", "v"))


@pytest.mark.parametrize("name", ["best", "top", "r", "i", "o"])
def test_a_list_with_the_name_of_a_variable(name: str) -> None:
    body = "x = [lap(eps / 2, v) for v in {q}]\nranks = [sum(a > b for a in x) for b in x]\n"
    text = (body + "return ranks.index(min(ranks))").replace("\n", "\n    ")
    one, two = (
        Mechanism.from_source(f"def f({q}: Real[5]):\n    {text.replace('{q}', q)}")
        for q in (name, "q")
    )
    u = [0, 1, 3, 2, 5]
    assert all(one.probability(u, k) == two.probability(u, k) for k in range(5))


def test_a_running_maximum_is_not_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it was for all outputs but the last ones, which took a minute for 300 numbers."""
    monkeypatch.setattr(program_graphs, "selected", None)
    for output in (0, 38, 39):
        noisy_max(40).probability([0] * 40, output)
