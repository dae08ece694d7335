"""The program form: labelled text, liveness, joining of states, and what `explain` says."""

from __future__ import annotations

import re
from collections import Counter, deque
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactdp import Mechanism
from exactdp.language.events import Compare, Done, Draw, Selection, State
from exactdp.language.linear import Linear
from exactdp.semantics.skeleton import skeleton
from language.corpus import FACTORIES, load

from .python_run import by_numbers, orders


def read(text: str) -> Mechanism:
    return Mechanism.from_source(text)


def test_labelled_form_of_the_paper() -> None:
    """Algorithm `fig:numspaL`: NumericSparse with two queries and c = 1."""
    assert load("numeric_sparse").numeric_sparse(2, 1).labelled() == (
        "numeric_sparse(q: Real[2])\n"
        " 1: noisy_threshold_1 ← lap(4 * eps / 9, 0)\n"
        " 2: out ← []\n"
        " 3: count ← 0\n"
        " 4: r_1 ← lap(2 * eps / 9, q[0])\n"
        " 5: _b1 ← r_1 >= noisy_threshold_1\n"
        " 6: if _b1 goto 7 else goto 12\n"
        " 7: _t1_1 ← lap(eps / 9, q[0])\n"
        " 8: out ← out + [_t1_1]\n"
        " 9: count ← count + 1\n"
        "10: if count >= 1 goto 23 else goto 11\n"
        "11: noisy_threshold_2 ← lap(4 * eps / 9, 0); goto 14\n"
        "12: out ← out + [None]\n"
        "13: noisy_threshold_2 ← noisy_threshold_1\n"
        "14: r_2 ← lap(2 * eps / 9, q[1])\n"
        "15: _b1 ← r_2 >= noisy_threshold_2\n"
        "16: if _b1 goto 17 else goto 22\n"
        "17: _t1_2 ← lap(eps / 9, q[1])\n"
        "18: out ← out + [_t1_2]\n"
        "19: count ← count + 1\n"
        "20: if count >= 1 goto 23 else goto 21\n"
        "21: noisy_threshold_3 ← lap(4 * eps / 9, 0); goto 23\n"
        "22: out ← out + [None]\n"
        "23: return out"
    )


def test_constant_conditions_are_unrolled_away() -> None:
    text = load("smart_sum").smart_sum(4).labelled()
    assert "if" not in text
    assert text.count("lap(") == 4


def test_nested_loops_are_unrolled() -> None:
    text = (
        "def f(q: Real[2]):\n    n = 0\n    for i in range(2):\n        n += i\n"
        "        for j in range(2):\n            n = n + i * j\n    return n\n"
    )
    assert read(text).labelled() == (
        "f(q: Real[2])\n1: n ← 0\n2: n ← n + 0\n3: n ← n + 0\n4: n ← n + 0\n5: n ← n + 1\n"
        "6: n ← n + 0\n7: n ← n + 1\n8: return n"
    )


def test_noise_is_assigned_once_in_the_labelled_form() -> None:
    """Follow every path of NoisyMax by its labels: no real is assigned twice on it."""
    lines = load("noisy_max").noisy_max(3).labelled().splitlines()[1:]
    code = {int(line.partition(":")[0]): line.partition(": ")[2] for line in lines}
    waiting: deque[tuple[int, tuple[str, ...]]] = deque([(1, ())])
    ends = 0
    while waiting:
        label, seen = waiting.popleft()
        text = code[label]
        if text.startswith("return"):
            ends += 1
            continue
        goals = [int(goal) for goal in re.findall(r"goto (\d+)", text)] or [label + 1]
        if "←" in text:
            name = text.partition(" ←")[0]
            if not name.startswith("_b") and name != "best":
                assert name not in seen
                seen = (*seen, name)
        waiting.extend((goal, seen) for goal in goals)
    assert ends == 4


def states(mechanism: Mechanism, u: object) -> Counter[int]:
    """Count the states (statement and finite values) at events, reals left open."""
    machine = mechanism.machine
    seen: set[State] = set()
    counts: Counter[int] = Counter()
    waiting = [machine.start(mechanism.read_input(u))]
    while waiting:
        event = machine.advance(waiting.pop())
        key = State(event.state.pc, skeleton(event.state.env, []))
        if key in seen or isinstance(event, Done):
            continue
        seen.add(key)
        counts[key.pc] += 1
        match event:
            case Draw():
                waiting.append(machine.resume(event, Linear.symbol(len(seen))))
            case Compare():
                waiting += [machine.resume(event, answer) for answer in (True, False)]
            case Selection(_, values):
                waiting += [machine.resume(event, value) for value in values]
    return counts


def test_states_that_agree_on_what_matters_are_equal() -> None:
    """NoisyMax has quadratically many states in m, not exponentially many."""
    counts = states(load("noisy_max").noisy_max(20), [0] * 20)
    assert sum(counts.values()) == 1 + sum(i + i for i in range(1, 20))


def test_dead_values_are_dropped() -> None:
    """The count is dead once the loop is over, so its 13 values are one state after it."""
    text = (
        "def f(q: Real[12]):\n    n = 0\n    for i in range(12):\n"
        "        if lap(eps, q[i]) > 0:\n            n += 1\n"
        "    last = lap(eps, 0)\n    return last > 0\n"
    )
    counts = states(read(text), [0] * 12)
    assert sorted(counts.values()) == [1, 1, 78, 78]


def test_comprehension_variables_leave_no_trace() -> None:
    text = (
        "def f(q: Real):\n    n = 0\n    for i in range(5):\n"
        "        if lap(eps, q) > 0:\n            n = len([j for j in range(i)]) * 0\n"
        "    return n\n"
    )
    assert max(states(read(text), 0).values()) <= 5


def test_explain() -> None:
    text = load("numeric_sparse").numeric_sparse(2, 1).explain()
    assert "a Laplace sample (real) with rate 4 * eps / (9 * c) and mean threshold" in text
    assert "a list, each entry a finite value or a real" in text
    assert "c = 1" in text
    assert "DiPWhile+ (the input q is real, the output holds reals)" in text
    assert "DiPWhile (finite inputs and outputs)" in load("small_db").small_db().explain()
    assert "utility: a Python function" in load("small_db").small_db().explain()


def test_noiseless_prints_as_source() -> None:
    assert str(load("noisy_max").noisy_max(3).noiseless()) == (
        "m = 3\n\ndef noisy_max(q: Real[3]):\n    best, top = 0, q[0]\n    for i in range(1, m):\n"
        "        r = q[i]\n        if r > top:\n            best, top = i, r\n    return best"
    )
    assert "max(range(scores), key=lambda v: u[v])" in str(
        load("exponential").exponential().noiseless()
    )


def test_order_past_the_last_round() -> None:
    """A path that leaves a loop for good forgets its round, and still comes after all rounds."""
    text = (
        "def f(q: Real):\n    for i in range(3):\n        if lap(eps, q) > i:\n"
        "            r = lap(eps, 0)\n            return r > lap(eps, 1)\n    return False\n"
    )
    mechanism = read(text)
    machine = mechanism.machine
    keys = orders(machine, machine.start(mechanism.read_input(0)), [0, 5, 0, 0])
    assert keys == sorted(keys)
    assert len(keys) == 5


def run_labelled(text: str, inputs: dict[str, object], noise: list[Fraction]) -> object:
    """Run the labelled form as it reads, line by line, in Python."""
    numbers = iter(noise)
    names: dict[str, object] = {
        name: lambda _, mean: mean + next(numbers) for name in ("lap", "dlap", "expo")
    }
    names |= inputs | {"eps": Fraction(1)}
    text = re.sub(r"([a-z_]\w*)\.(\w+)", r"\1_dot_\2", text).replace("'", "_prime_")
    lines = [line.partition(": ")[2] for line in text.splitlines()[1:]]
    label = 1
    assigned: Counter[str] = Counter()
    while True:
        line, label = lines[label - 1], label + 1
        jump = re.fullmatch(r"if (.*) goto (\d+) else goto (\d+)", line)
        if jump:
            label = int(jump[2] if eval(jump[1], dict(names)) else jump[3])
            continue
        if line.startswith("return "):
            assert all(n == 1 for name, n in assigned.items() if re.search(r"_\d+$", name))
            return as_output(eval(line[7:], dict(names)))
        if turn := re.fullmatch(r"(.*) ← next of (.*); goto (\d+), or goto (\d+) if .*", line):
            items: Any = names[turn[2]]
            names[turn[1]] = next(items, None)
            label = int(turn[4] if names[turn[1]] is None else turn[3])
            continue
        line, _, goal = line.partition("; goto ")
        label = int(goal) if goal else label
        if "←" in line:
            name, _, value = line.partition(" ← ")
            assigned[name] += 1
            names[name] = eval(value, dict(names))
        else:
            assert eval(line.removeprefix("assert "), dict(names))


def as_output(value: object) -> object:
    return tuple(map(as_output, value)) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize(
    ("name", "args", "u"),
    [
        ("noisy_max", (4,), [0, 1, 2, 1]),
        ("noisy_max_figure", (3,), [0, 1, 2]),
        ("noisy_max_exponential", (3,), [0, 1, 2]),
        ("above_threshold", (3,), [-1, 0, 1]),
        ("sparse", (4, 2), [0, 1, -1, 1]),
        ("sparse_variant", (4, 2), [0, 1, -1, 1]),
        ("numeric_sparse", (3, 2), [0, 1, -1]),
        ("numeric_sparse_artifact", (3, 2), [0, 1, -1]),
        ("smart_sum", (5, 2), [1, 2, 3, 4, 5]),
        ("laplace", (3,), [1, 2, 3]),
        ("counting", (5,), 3),
        ("majority", (3,), [0, 1, 1]),
    ],
)
def test_labelled_form_means_the_same(name: str, args: tuple[int, ...], u: object) -> None:
    """Run as it reads, the labelled form gives the program's output for the same noise."""
    mechanism = FACTORIES[name](*args)
    text, whole = mechanism.labelled(), name in ("counting", "majority")
    for seed in range(30):
        random = Random(seed)
        noise = [Fraction(random.randint(-6, 6), 1 if whole else 2) for _ in range(40)]
        expected = by_numbers(mechanism, u, noise)
        assert run_labelled(text, {mechanism.inputs[0].name: u}, noise) == expected


def test_a_name_that_only_an_annotation_uses_is_no_constant() -> None:
    mechanism = Mechanism.from_source("k = 2\ndef f(q: Real[k]):\n    return lap(eps, q[0]) > 0")
    assert "k = 2" not in str(mechanism)
    assert Mechanism.from_source(str(mechanism)) == mechanism


@pytest.mark.parametrize(
    ("expression", "is_linear"),
    [
        ("lap(eps / (2 * 3), q) + q / (4 - 1)", True),
        ("lap(eps, q) / 3", True),
        ("lap(eps, q) / (1 + lap(eps, 9))", False),
        ("lap(eps, q) / (7 // 2)", True),
        ("round(lap(eps, q))", False),
    ],
)
def test_division_by_constants_is_seen_to_be_linear(expression: str, is_linear: bool) -> None:
    program = Mechanism.from_source(f"def f(q: Real): return {expression}")
    assert program.code.is_plainly_linear is is_linear
