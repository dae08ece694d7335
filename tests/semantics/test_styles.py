"""The same selection written in several ways: equal answers, at about the same cost."""

from __future__ import annotations

import math
import time
from itertools import product
from random import Random

import pytest

from exactdp import Accuracy, Mechanism, ProgramError, alpha, eps, exp
from soak.programs import Writer
from support.oracle.definitions import Judge
from support.oracle.runs import Program

FIRST = {
    "running": """
def first(q: Real[{m}]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, {m}):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
""",
    "index of max": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return noisy.index(max(noisy))
""",
    "index of sorted": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return noisy.index(sorted(noisy)[-1])
""",
    "max by key": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return max(range({m}), key=lambda i: noisy[i])
""",
    "sampled by key": """
def first(q: Real[{m}]):
    return max(range({m}), key=lambda i: lap(eps / 2, q[i]))
""",
    "sorted by key": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return sorted(range({m}), key=lambda i: noisy[i], reverse=True)[0]
""",
    "order": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    order = sorted(range({m}), key=lambda i: noisy[i], reverse=True)
    return order[0]
""",
    "top": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    top = max(noisy)
    return noisy.index(top)
""",
    "minus": """
def first(q: Real[{m}]):
    noisy = [-lap(eps / 2, x) for x in q]
    return noisy.index(min(noisy))
""",
    "minus sorted": """
def first(q: Real[{m}]):
    noisy = [-lap(eps / 2, x) for x in q]
    return sorted(range({m}), key=lambda i: noisy[i])[0]
""",
}
STORED = {
    "running": FIRST["running"],
    "by position": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    best = 0
    for i in range(1, {m}):
        if noisy[i] > noisy[best]:
            best = i
    return best
""",
    "all comparisons": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    above = [[noisy[i] > noisy[j] for j in range({m})] for i in range({m})]
    best = 0
    for i in range(1, {m}):
        if above[i][best]:
            best = i
    return best
""",
    "rows": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    least = [[noisy[i] >= y for y in noisy] for i in range({m})]
    for i, row in enumerate(least):
        if all(row):
            return i
    return {m}
""",
    "by hand": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    for i in range({m}):
        if not any(noisy[i] < noisy[j] for j in range({m})):
            return i
    return {m}
""",
    "winners": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    wins = [all(noisy[i] >= noisy[j] for j in range({m})) for i in range({m})]
    return wins.index(True)
""",
    "winner by winner": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    wins = [all(noisy[i] >= noisy[j] for j in range({m})) for i in range({m})]
    i = 0
    for won in wins:
        if won:
            return i
        i += 1
    return {m}
""",
    "top entry": """
def first(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    top = noisy[0]
    for y in noisy:
        top = max(top, y)
    for i in range({m}):
        if noisy[i] == top:
            return i
    return {m}
""",
}
"""What is compared more often than needed, or before it is looked at."""
RANKED = {
    "running": """
def ranked(q: Real[{m}]):
    a, b = 0, 1
    u, v = lap(eps / 2, q[0]), lap(eps / 2, q[1])
    if v > u:
        a, b, u, v = b, a, v, u
    for i in range(2, {m}):
        r = lap(eps / 2, q[i])
        if r > u:
            a, b, u, v = i, a, r, u
        elif r > v:
            b, v = i, r
    return [a, b]
""",
    "order": """
def ranked(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    order = sorted(range({m}), key=lambda i: noisy[i], reverse=True)
    if {m} > 1:
        return [order[0], order[1]]
    return order[0]
""",
    "slice": """
def ranked(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return sorted(range({m}), key=lambda i: noisy[i], reverse=True)[:2]
""",
    "last ones": """
def ranked(q: Real[{m}]):
    noisy = [-lap(eps / 2, q[{m} - 1 - i]) for i in range({m})]
    order = sorted(range({m}), key=lambda i: noisy[i], reverse=True)
    return [{m} - 1 - order[-1], {m} - 1 - order[-2]]
""",
}
"""The two largest."""
LAST = {
    "running": FIRST["running"].replace("r > top", "r >= top"),
    "sorted by key": """
def last(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return sorted(range({m}), key=lambda i: noisy[i])[-1]
""",
    "minus sorted": """
def last(q: Real[{m}]):
    noisy = [-lap(eps / 2, x) for x in q]
    return sorted(range({m}), key=lambda i: noisy[i], reverse=True)[-1]
""",
}


def read(text: str, m: int) -> Mechanism:
    return Mechanism.from_source(text.format(m=m))


@pytest.mark.parametrize("styles", [FIRST, STORED, LAST])
def test_styles_mean_the_same(styles: dict[str, str]) -> None:
    """Ideal outputs with all ties, distances to disagreement, and probabilities are equal."""
    plain, *others = (read(text, 3) for text in styles.values())
    for u in product((0, 1, 2), repeat=3):
        given = list(u)
        for other in others:
            assert other.noiseless().run(given) == plain.noiseless().run(given)
        if u in ((0, 1, 2), (1, 1, 0), (2, 2, 2), (0, 2, 1)):
            for k, other in product(range(3), others):
                assert other.probability(given, k) == plain.probability(given, k)
            dd = [Accuracy(f, "5%", inputs=[given]).disagreement(given) for f in (plain, *others)]
            assert len({one.distance for one in dd}) == 1


def test_parts_of_a_sorted_list() -> None:
    """All ties, dd and probabilities of the two largest, and what is read beyond them."""
    plain, *others = (read(text, 4) for text in RANKED.values())
    ideals = [one.noiseless() for one in (plain, *others)]
    for u in product((0, 1, 2), repeat=4):
        assert len({one.run(list(u)) for one in ideals}) == 1
    given = [0, 2, 1, 2]
    for other in others:
        for pair in ([1, 3], [3, 1], [1, 2], [0, 1]):
            assert other.probability(given, pair) == plain.probability(given, pair)
        dd = [
            Accuracy(f, "5%", inputs=[[0, 3, 1, 2]]).disagreement([0, 3, 1, 2])
            for f in (plain, other)
        ]
        assert dd[0].distance == dd[1].distance
    short = Mechanism.from_source(
        "def f(q: Real[2]):\n    s = sorted([lap(eps, y) for y in q])\n    return s[2] > s[0]\n"
    )
    with pytest.raises(ProgramError, match="index out of range"):
        short.probability([0, 1], True)


@pytest.mark.parametrize("style", list(RANKED))
def test_parts_of_a_sorted_list_have_few_states(style: str) -> None:
    """There are 12! orders of twelve entries."""
    begin = time.process_time()
    read(RANKED[style], 12).probability([0] * 10 + [2, 1], [10, 11])
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("style", list(FIRST))
def test_styles_cost_about_the_same(style: str) -> None:
    """A claim about forty inputs takes about as long as with a running maximum."""

    def spent(text: str) -> float:
        claim = Accuracy(
            read(text, 40), 40 * exp(-alpha * eps / 2), inputs=[[0] * 20 + [2] + [1] * 19]
        )
        begin = time.process_time()
        assert claim.check()
        return time.process_time() - begin

    least = min(spent(FIRST["running"]) for _ in range(2))
    assert min(spent(FIRST[style]) for _ in range(4)) < 4 * least + 0.05


@pytest.mark.parametrize("style", list(STORED))
def test_what_is_stored_is_not_a_state(style: str) -> None:
    """With nine queries there were 2^72 answers to all comparisons."""
    claim = Accuracy(read(STORED[style], 9), 9 * exp(-alpha * eps / 2), inputs=[[0] * 8 + [1]])
    begin = time.process_time()
    assert claim.check()
    assert time.process_time() - begin < 2


FLAGS = """
def first_above(q: Real[3]):
    t = lap(eps / 2, 0)
    {flags}
    for i, flag in enumerate(flags):
        if flag:
            return i
    return 3
"""


def test_samples_in_stored_comparisons() -> None:
    """They are drawn once each, where the list is made or where they are looked at."""
    one = Mechanism.from_source(FLAGS.format(flags="flags = [lap(eps / 4, y) >= t for y in q]"))
    plain = Mechanism.from_source("""
def first_above(q: Real[3]):
    t = lap(eps / 2, 0)
    for i in range(3):
        if lap(eps / 4, q[i]) >= t:
            return i
    return 3
""")
    appended = "flags = []\n    for y in q:\n        flags.append(lap(eps / 4, y) >= t)"
    two = Mechanism.from_source(FLAGS.format(flags=appended))
    for u in ([0, 1, -1], [2, 2, 2]):
        for k in range(4):
            assert one.probability(u, k) == two.probability(u, k) == plain.probability(u, k)


KEPT = """
def kept(q: Real[2]):
    x = [lap(eps, y) for y in q]
    {body}
"""


@pytest.mark.parametrize(
    ("body", "way"),
    [
        # What is compared changes after the list is made: the answers do not.
        (
            "t = x[0]\n    b = [y > t for y in x]\n    t = x[1]\n    return 1 if b[1] else 0",
            "return 1 if x[1] > x[0] else 0",
        ),
        (
            "b = [y > x[0] for y in x]\n    x[0] = x[1]\n    return 1 if b[1] else 0",
            "return 1 if x[1] > x[0] else 0",
        ),
        (
            "s = sorted(x)\n    x = [2 * x[0], x[1]]\n    return 1 if x[0] > s[-1] else 0",
            "return 1 if 2 * x[0] > max(x) else 0",
        ),
        ("s = sorted(x)\n    x[0] = 9\n    return s[-1] > x[1]", "return x[0] > x[1]"),
        # An index that is a variable of the list, and one from the end.
        (
            "b = [[x[i] > x[j] for j in range(2)] for i in range(2)]\n"
            "    for j in range(2):\n        if any(b[j]):\n            return j\n    return 2",
            "return 0 if x[0] > x[1] else (1 if x[1] > x[0] else 2)",
        ),
        (
            "b = [[x[i] > x[j] for j in range(2)] for i in range(2)]\n"
            "    return 1 if b[-1][0] else 0",
            "return 1 if x[1] > x[0] else 0",
        ),
        (
            "b = [y > 0 for y in x]\n    return sum(b)",
            "return (1 if x[0] > 0 else 0) + (1 if x[1] > 0 else 0)",
        ),
        ("b = [y > 0 for y in x]\n    return b", "return [x[0] > 0, x[1] > 0]"),
        # The last entry is known behind the loop; a while loop compares no noise.
        (
            "b = [y > 0 for y in x]\n    for c in b:\n        pass\n    return c",
            "return x[1] > 0",
        ),
        (
            "b = [y > 0 for y in x]\n    i = 0\n"
            "    while i < 2 and b[i]:\n        i += 1\n    return i",
            "return 0 if x[0] <= 0 else (1 if x[1] <= 0 else 2)",
        ),
        # Entries that are appended, of values that change, and under a condition.
        (
            "b = []\n    for y in x:\n        b.append(y > 0)\n    x = [5, 5]\n"
            "    for i in range(2):\n        if b[i]:\n            return i\n    return 2",
            "return 0 if x[0] > 0 else (1 if x[1] > 0 else 2)",
        ),
        (
            "b = []\n    t = x[0]\n    for y in x:\n        b.append(y > t)\n        t = y + 1\n"
            "    return 1 if b[1] else 0",
            "return 1 if x[1] > x[0] + 1 else 0",
        ),
        (
            "b = []\n    for i in range(2):\n        if x[i] > 0:\n            b.append(x[i] > 1)\n"
            "    return b[0] if len(b) > 0 else False",
            "return x[0] > 1 if x[0] > 0 else x[1] > 1",
        ),
        (
            "b = [[x[i] > x[j] for j in range(i)] for i in range(2)]\n"
            "    return sum(b[1]) if len(b) > 1 else 2",
            "return 1 if x[1] > x[0] else 0",
        ),
        (
            "b = [[y > z for z in x] for y in x]\n    for i in range(2):\n"
            "        if sum(b[i]) == 1:\n            return i\n    return 2",
            "return 0 if x[0] > x[1] else (1 if x[1] > x[0] else 2)",
        ),
        # A dictionary gives its keys, and a comprehension may bind the name of what it goes over.
        ("b = [x[k] > 0 for k in {1: 1, 0: 0}]\n    return b[0]", "return x[1] > 0"),
        ("b = [x > 0 for x in x]\n    x = [5, 5]\n    return b[0]", "return x[0] > 0"),
        (
            "b = [max(x[i] - y for y in x) > 0 for i in range(2)]\n"
            "    for y in range(2):\n        if b[y]:\n            return y\n    return 2",
            "return 0 if x[0] > x[1] else (1 if x[1] > x[0] else 2)",
        ),
    ],
)
def test_what_is_stored_stays(body: str, way: str) -> None:
    """A list of comparisons means what it means in Python, looked at entry by entry or not."""
    stored, plain = (Mechanism.from_source(KEPT.format(body=one)) for one in (body, way))
    for u in ([0, 1], [-1, -1]):
        for output, chance in plain.distribution(u).items():
            assert stored.probability(u, output) == chance
        assert stored.noiseless().run(u) == plain.noiseless().run(u)


def test_an_index_of_a_stored_comparison_is_drawn_once() -> None:
    """Which is the larger one does not matter at equal means: it is as likely as not."""
    body = "b = [x[i] > x[1 - i] for i in range(2)]\n    return b[choose({0: 1 / 3, 1: 2 / 3})]"
    assert Mechanism.from_source(KEPT.format(body=body)).probability([0, 0], True) == exp(0) / 2


@pytest.mark.parametrize(
    "body",
    [
        "b = [x[i + 1] > 0 for i in range(2)]\n    return 1 if b[0] else 0",
        "b = [x[0] > 0 for i in range(2)]\n    return 1 if b[2] else 0",
    ],
)
def test_what_is_wrong_with_a_stored_comparison_is_found(body: str) -> None:
    text = KEPT.format(body=body)
    with pytest.raises(ProgramError, match="index out of range"):
        Mechanism.from_source(text).probability([0, 1], 1)


@pytest.mark.parametrize("seed", range(20))
def test_orders_of_noise(seed: int) -> None:
    """What comparisons imply, against the distribution and an oracle that follows every way."""
    random = Random(seed)
    lines = ["def f(q: Real[3]):", "    x = [lap(eps, y) for y in q]", "    s = 0"]
    for _ in range(6):
        a, b = random.sample(range(3), 2)
        lines.append(f"    if x[{a}] {random.choice(['>', '>=', '<', '<=', '=='])} x[{b}]:")
        lines.append(f"        s = {random.choice(['s + 1', '0', '2', '2 * s', '3 - s'])}")
        if random.random() < 0.4:
            lines += ["    else:", f"        s = {random.choice(['s', '1', 's + 2'])}"]
        if random.random() < 0.3:
            lines += [f"    if s == {random.randint(0, 2)}:", "        return s"]
    text = "\n".join([*lines, "    return s", ""])
    found, judge = Mechanism.from_source(text), Judge(Program(text))
    u = [random.choice((0, 1, 2)) for _ in range(3)]
    for output, chance in found.distribution(u).items():
        assert found.probability(u, output) == chance, text
    claim = Accuracy(found, "5%", inputs=[u])
    assert claim.disagreement(u).distance == judge.distance(u), text


@pytest.mark.parametrize("seed", range(25))
def test_samples_may_be_drawn_when_they_are_looked_at(seed: int) -> None:
    """The probability of an output is the one in the distribution, where nothing is drawn late."""
    random = Random(seed)
    made = Writer(random).real()
    while made.outputs != "finite":
        made = Writer(random).real()
    found = Mechanism.from_source(made.text)
    u = [random.randint(low, high) for low, high in made.domains]
    reals = [random.choice((0, 1, -1)) for _ in range(made.reals)]
    given = [*u, reals if "Real[" in made.text else reals[0]]
    asked = given[0] if len(given) == 1 else given
    for output, chance in found.distribution(asked).apart:  # True and 1 are two outputs
        assert found.probability(asked, output) == chance


@pytest.mark.parametrize(
    ("body", "way"),
    [
        ("s = sorted(x)\n    if q[0] > 5:\n        return 7\n    return x.index(s[0])", "min"),
        ("top = max(x)\n    x[1] = x[0] + 1\n    return x.index(top) if top == x[0] else 1", "max"),
        ("top = max(x)\n    k = [x.index(top) for i in range(2)]\n    return k[1]", "max"),
        ("top = max(x)\n    return [x.index(top) for x in [x]][0]", "max"),
        ("s = sorted(range(2), key=lambda i: again(x[i]))\n    return s[0]", "drawn"),
    ],
)
def test_ends_in_variables(body: str, way: str) -> None:
    """The end of a list in a variable is that of the list where the variable is assigned."""
    plain = {
        "min": "0 if x[0] <= x[1] else 1",
        "max": "0 if x[0] >= x[1] else 1",
        "drawn": "0 if again(x[0]) <= again(x[1]) else 1",
    }
    sub = "def again(y):\n    return lap(eps, y)\n"
    one, two = (
        Mechanism.from_source(sub + KEPT.format(body=text))
        for text in (body, f"return {plain[way]}")
    )
    for u in ([0, 1], [-1, -1]):
        assert one.probability(u, 0) == two.probability(u, 0)


def test_an_end_that_is_not_read() -> None:
    """A list without entries has no ends, which matters only where they are read."""
    text = "def f(q: Real):\n    x = []\n    s = sorted(x)\n    return s[0] if len(x) > 0 else 5\n"
    assert Mechanism.from_source(text).noiseless()(1) == 5


TAIL = math.exp(-5) / 2
OWN_FUNCTIONS = {
    "max": ("def max(items): return items[0]", "sorted(u)[-1] > 0", 1 - (1 - TAIL) * TAIL),
    "sorted": ("def sorted(items): return [items[1], items[0]]", "sorted(u)[-1] > 0", TAIL),
    "index": ("def sorted(items): return items[::-1]", "u.index(sorted(u)[-1]) > 0", 0),
}


@pytest.mark.parametrize("name", OWN_FUNCTIONS)
def test_own_functions_with_names_of_builtin_ones(name: str) -> None:
    """`u` is close to −5 and 5; a number is on the other side of 0 with probability e^−5/2."""
    own, condition, expected = OWN_FUNCTIONS[name]
    text = f"""
def f(q: Real[2]):
    {own}
    u = [lap(eps, q[0]), lap(eps, q[1])]
    return 1 if {condition} else 0
"""
    found = Mechanism.from_source(text).probability([-5, 5], 1)
    assert float(found.at(1)) == pytest.approx(expected, rel=1e-12)
