"""Texts that mean something else in Python than they seem to: in no proof of a claim.

Each text is written into the certificate of a true claim, that its function returns its input.
Python runs it, too: a text that is accepted must do so.
"""

from __future__ import annotations

import copy
import resource
import time
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from exactdp import Accuracy, Dom, Expected, Ideal, Mechanism, Privacy, certify, eps, linf

from .specimens import Json, seal

HEAD = "def f(x: Dom(0, 1)):\n"
END = "return x if ok else 1 - x"
SAME = "def h(v):\n    return v\n"


@cache
def right() -> Json:
    """Return the certificate of a true claim."""
    mechanism = Mechanism.from_source(f"{HEAD}    return x")
    ideal = Ideal.from_source("def g(x: Dom(0, 1)):\n    return x")
    claim = Accuracy(mechanism, beta=0, ideal=ideal, boundary="check")
    return claim.check().certificate


def forged(text: str) -> certify.Report:
    """Check the certificate of that claim about another text."""
    document = copy.deepcopy(right())
    document["claim"]["mechanism"] = text
    return certify.check(seal(document))


def text(*lines: str, before: str = "") -> str:
    return before + HEAD + "".join(f"    {line}\n" for line in lines)


def is_true(source: str) -> bool:
    """Whether Python's function returns its input."""
    names: dict[str, Any] = {"Fraction": Fraction, "Dom": Dom}
    try:
        exec(compile(source, "text", "exec", dont_inherit=True), names)
        return [names["f"](0), names["f"](1)] == [0, 1]
    except Exception:
        return False


FALSE = [
    *(text(f"ok = {one}", END) for one in (
        "range(3) == [0, 1, 2]",
        "[range(2)] == [[0, 1]]",
        "(range(2) if x >= 0 else 0) == [0, 1]",
        "[0, 1] in [range(2)]",
        "max(range(2), range(1)) == [0, 1]",
        "zip([1], [2]) == [(1, 2)]",
        "reversed([1, 2]) == [2, 1]",
        "list(reversed(enumerate([1]))) == [(0, 1)]",
        "len(zip([1], [2])) == 1",
        "(u for u in [1]) == [1]",
        "[u async for u in [1]] == [1]",
        "sum(['a'], '') == 'a'",
    )),
    text("r = range(3)", "ok = r == [0, 1, 2]", END),
    text("ok = h(range(2)) == [0, 1]", END, before=SAME),
    text("z = zip([1], [2])", "a = list(z)", "ok = a == list(z)", END),
    text("z = (u for u in [1, 2])", "ok = 2 in z and 1 in z", END),
    *(text("a = [0]", *lines, END) for lines in (
        ("b = a", "b[0] = 1", "ok = a == [0]"),
        ("b = a", "b.append(1)", "ok = a == [0]"),
        ("b = a", "a += [1]", "ok = b == [0]"),
        ("b = a", "b *= 2", "ok = a == [0]"),
        ("b = (a,)", "a.append(1)", "ok = b == ([0],)"),
        ("b = {1: a}", "a.append(1)", "ok = b[1] == [0]"),
        ("b = a or [1]", "b.append(1)", "ok = a == [0]"),
        ("b = [a for i in range(2)]", "a.append(1)", "ok = b == [[0], [0]]"),
        ("b = [a]", "b[0] += [1]", "ok = a == [0]"),
        ("b = [a][0]", "a.append(1)", "ok = b == [0]"),
        ("b = max(a, [-1])", "b.append(1)", "ok = a == [0]"),
        ("b = sum([], a)", "a.append(9)", "ok = b == [0]"),
        ("b = []", "for i in range(2):", "    b.append(a)", "    a.append(i)",
         "ok = b == [[0], [0, 0]]"),
        ("for u in a:", "    if len(a) < 5:", "        a.append(1)", "ok = len(a) == 2"),
    )),
    text("a = [[0]]", "for b in a:", "    b.append(1)", "ok = a == [[0]]", END),
    text("a = b = [0]", "a.append(1)", "ok = b == [0]", END),
    text("a = [0]", "b = h(a)", "b.append(1)", "ok = a == [0]", END, before=SAME),
    text("a = [0]", "b = h(a)", "ok = a == [0]", END,
         before="def h(v):\n    v.append(1)\n    return v\n"),
    text("a = L", "a.append(1)", "ok = L == [0]", END, before="L = [0]\n"),
    text("y = T", "T = x", "ok = y == 5", END, before="T = 5\n"),
    text("ok = T == 5", "for T in [1]:", "    pass", END, before="T = 5\n"),
    text("ok = [T for u in [1] for T in [T]] == [5]", END, before="T = 5\n"),
    text("ok = len([1, 2]) == 2", "len = 3", END),
    text("return x", before="Dom = 3\n"),
    "def f(a=0, /, x: Dom(0, 1) = 1):\n    return x\n",
    "def f(z, /, x: Dom(0, 1)):\n    return x\n",
    text("ok = h(1, 2) == 2", END, before="def h(c, /, a, b):\n    return b\n"),
    text("return x", "y = [u async for u in [1]]"),
]  # fmt: skip


@pytest.mark.parametrize("source", FALSE)
def test_no_false_statement_is_accepted(source: str) -> None:
    """Each of them was accepted."""
    assert not is_true(source)
    assert not forged(source)


@pytest.mark.parametrize(
    "source",
    [
        text("a = []", "for i in range(3):", "    a.append(i)", "ok = a == [0, 1, 2]", END),
        text("a = [1, 2]", "a[0], a[1] = a[1], a[0]", "ok = a == [2, 1]", END),
        text("a = []", "for i in range(2):", "    r = []", "    r.append(i)", "    a.append(r)",
             "ok = a == [[0], [1]]", END),
        text("ok = [k + u for k, u in enumerate([1, 2])] == [1, 3]", END),
        text("ok = any(u > 1 for u in range(3)) and 2 in range(3)", END),
        text("ok = max(range(3), key=lambda k: -k) == 0 and max([1, 2]) == 7", END,
             before="def max(v, key=None):\n    return 7\n"),
        text("ok = max([1, 2]) == 7", END, before="def max(v):\n    return 7\n"),
        text("f = x", "ok = f == x", END),
    ],
)  # fmt: skip
def test_what_means_the_same_is_accepted(source: str) -> None:
    """But own functions have plain parameters."""
    assert bool(forged(source)) == (is_true(source) and "key=None" not in source)


ENDLESS = [
    text("a = [0]", *["a = [a, a]"] * 60, "b = [a, a]", "return x if b == [a, a] else 1"),
    text("a = [0]", "for i in range(26):", "    a = [a, a]", "return a"),
    text("a = (0,)", "for i in range(60):", "    a = (a, a)", "return x if a in {a: 1} else x"),
    text("for i in range(10000):", "    a = sum(range(10000))", "return x"),
    text("a = 3", "for i in range(60):", "    a = a * a", "return x"),
    text("a = 10 ** 10 ** 10", "return x"),
    text("a = (1 + eps + exp(eps)) ** 1000", "return x"),
    text("a = 1 + eps", "for i in range(60):", "    a = a * a", "return x"),
    text("a = [[0 for j in range(9999)] for i in range(9999)]", "return x"),
    text("s = sorted([lap(eps, i) for i in range(300)])", "return x"),
    text("y = choose({i: 1 / (1 + exp(i * eps)) for i in range(9000)})", "return x"),
    "def f(x: Real[10 ** 9]):\n    return x\n",
]


@pytest.mark.parametrize("source", ENDLESS)
def test_short_certificates_end_soon(source: str) -> None:
    """Each took a minute, gigabytes, or for ever; a second or two is the limit on slow machines."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    assert not forged(source)
    assert time.process_time() - begin < 6
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


MIXED = ("(5, {0}) if x == 0 else [5, {0}]", "[[0], {0}] if x == 0 else [(0,), {0}]")


@pytest.mark.parametrize("shape", MIXED)
@pytest.mark.parametrize("entry", ["1", "lap(eps, 0)"])
def test_a_list_is_not_a_tuple(shape: str, entry: str) -> None:
    """The output tells the input, so it is not 0-private."""
    plain = "[5, {0}]" if shape == MIXED[0] else "[[0], {0}]"
    begin = f"{HEAD}    z = {entry}\n    return "
    private = Mechanism.from_source(begin + plain.format("z"))
    document = Privacy(private, budget=0 * eps).check().certificate
    assert certify.check(document)
    document = copy.deepcopy(document)
    document["claim"]["mechanism"] = begin + shape.format("z")
    assert not certify.check(seal(document))
    whole = copy.deepcopy(right())
    whole["claim"]["mechanism"] = f"{HEAD}    return (x,)"
    whole["claim"]["ideal"] = "def g(x: Dom(0, 1)):\n    return [x]"
    assert not certify.check(seal(whole))


def test_the_whole_claim_is_said() -> None:
    """A claim that is weaker in any part is printed as another one."""
    count = Mechanism.from_source("def count(q: Real):\n    return lap(1000 * eps, q)")
    private = certify.check(Privacy(count, adjacent=linf("1/1000")).check().certificate).claim
    for part in ("1·ε", "adjacent: linf 1/1000", "inputs: reals", "lap(1000 * eps, q)"):
        assert part in private
    coin = Mechanism.from_source(f"{HEAD}    return choose({{x: 2 / 3, 1 - x: 1 / 3}})")
    said = certify.check(Privacy(coin, budget=0 * eps, delta="1/3").check().certificate).claim
    assert "δ = (1/3)" in said
    noisy = Mechanism.from_source("def noisy(q: Real):\n    return lap(eps, q)")
    truth = Ideal.from_source("def truth(q: Real):\n    return q")
    bound = Expected(noisy, "squared", at_most=2 / eps**2, ideal=truth, inputs=[3])
    loss = certify.check(bound.check().certificate).claim
    for part in ("((2)/(ε^2))", "loss: squared", "def truth(q: Real)", "inputs: list [[3]]"):
        assert part in loss
    assert "\n    def f(x: Dom(0, 1)):\n" in forged(f"{HEAD}    return x  # \x1b[2J").claim
    assert "\x1b" not in forged(f"{HEAD}    return x  # \x1b[2J").claim
