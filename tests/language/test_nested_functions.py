"""Functions inside a mechanism: as good as lambdas and as subroutines from outside."""

from __future__ import annotations

from types import FunctionType

import pytest

from exactdp import ExactdpError, Mechanism, ProgramError, mechanism

PAIRS = {
    "a lambda": (
        "def f(x: Dom(0, 3)):\n"
        "    def score(c):\n"
        "        d = c - x\n"
        "        return -d if d > 0 else d\n"
        "    return expmech(eps, score, range(4))\n",
        "def f(x: Dom(0, 3)):\n    return expmech(eps, lambda c: -abs(c - x), range(4))\n",
        2,
    ),
    "the key of max": (
        "def f(q: Real[3]):\n"
        "    def value(i):\n"
        "        return noisy[i]\n"
        "    noisy = [lap(eps / 2, x) for x in q]\n"
        "    return max(range(3), key=value)\n",
        "def f(q: Real[3]):\n"
        "    noisy = [lap(eps / 2, x) for x in q]\n"
        "    return max(range(3), key=lambda i: noisy[i])\n",
        [0, 1, 3],
    ),
    "variables as they are at each call": (
        "def f(q: Real[2]):\n"
        "    k = 1\n"
        "    def shifted(i):\n"
        "        return lap(eps, q[i] + k)\n"
        "    def less(i, j):\n"
        "        return shifted(i) < shifted(j)\n"
        "    one = less(0, 1)\n"
        "    k = 5\n"
        "    return one and shifted(0) < shifted(1)\n",
        "def f(q: Real[2]):\n"
        "    one = lap(eps, q[0] + 1) < lap(eps, q[1] + 1)\n"
        "    return one and lap(eps, q[0] + 5) < lap(eps, q[1] + 5)\n",
        [0, 1],
    ),
    "own variables hide those around": (
        "def f(x: Dom(0, 3)):\n"
        "    def g(y):\n"
        "        x = y + 1\n"
        "        return sum([x for i in range(2)])\n"
        "    i = g(1)\n"
        "    return choose({i: 1 / 2, x: 1 / 2})\n",
        "def f(x: Dom(0, 3)):\n    return choose({4: 1 / 2, x: 1 / 2})\n",
        2,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_same_distribution(name: str) -> None:
    nested, plain, u = PAIRS[name]
    ours = Mechanism.from_source(nested)
    assert ours.distribution(u) == Mechanism.from_source(plain).distribution(u)
    assert Mechanism.from_source(str(ours)).distribution(u) == ours.distribution(u)


def test_errors_show_one_frame() -> None:
    """A traceback names the line of the user and one line of exactdp."""
    with pytest.raises(ProgramError) as caught:
        Mechanism.from_source("def f(q: Real): return lap(eps, q) ** 2")
    assert len(caught.traceback) == 2
    good = Mechanism.from_source("def f(q: Real): return lap(eps, q)")
    with pytest.raises(ExactdpError) as caught_later:
        good.probability("a", 1)
    assert len(caught_later.traceback) == 2


def test_the_prompt_says_how_to_go_on() -> None:
    """Before 3.13 Python keeps no source of what is typed at its prompt."""
    function = FunctionType(compile("def f(q): return q", "<stdin>", "exec").co_consts[0], {})
    with pytest.raises(ProgramError, match=r"Mechanism\.from_source"):
        mechanism(function)
