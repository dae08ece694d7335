"""A variable must be assigned on the paths that runs can take, and on no others."""

from __future__ import annotations

import pytest

from exactdp import Accuracy, AllReals, Mechanism, ProgramError, alpha, eps, exp

RIGHT = {
    "a truth value": (
        "def f(b: bool):\n    if b:\n        x = 1\n    if b:\n        return x\n    return 0\n",
        True,
        {1: 1},
    ),
    "conditions that exclude each other": (
        "def f(d: Dom(0, 3)):\n    if d < 2:\n        x = d\n    if d == 1:\n        return x\n"
        "    return 7\n",
        1,
        {1: 1},
    ),
    "a flag": (
        "def f(d: Dom(0, 3)):\n    seen = False\n    for i in range(4):\n        if i == d:\n"
        "            seen, at = True, i\n    if seen:\n        return at\n    return None\n",
        2,
        {2: 1},
    ),
    "a first round": (
        "def f():\n    for i in range(3):\n        if i > 0:\n            y = y + i\n"
        "        else:\n            y = 0\n    return y\n",
        (),
        {3: 1},
    ),
    "every path returns": (
        "def f(b: bool):\n    if b:\n        return 1\n    if not b:\n        return 2\n",
        False,
        {2: 1},
    ),
    # Pr(r > 0) = 1/2, and r > 1 only if r > 0.
    "noise": (
        "def f():\n    r = lap(eps, 0)\n    if r > 0:\n        x = 1\n    if r > 1:\n"
        "        return x\n    return 0\n",
        (),
        {1: exp(-eps) / 2, 0: 1 - exp(-eps) / 2},
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_on_every_path_that_can_happen(name: str) -> None:
    """By hand; for noise, Pr(r > 1) = e^(−ε)/2."""
    text, u, expected = RIGHT[name]
    found = Mechanism.from_source(text)
    assert dict(found.distribution(u)) == expected
    assert found.labelled()
    assert set(found.sample(u, 1, 50, seed=3)) <= set(expected)


WRONG = {
    "one path": "def f(b: bool):\n    if b:\n        x = 1\n    return x\n",
    "other conditions": (
        "def f(d: Dom(0, 3)):\n    if d > 2:\n        x = d\n    if d > 1:\n        return x\n"
        "    return 7\n"
    ),
    "noise": (
        "def f():\n    r = lap(eps, 0)\n    if r > 1:\n        x = 1\n    if r > 0:\n"
        "        return x\n    return 0\n"
    ),
    "no round": "def f(d: Dom(0, 3)):\n    for i in range(d):\n        y = i\n    return y\n",
    "nowhere": "def f(d: Dom(0, 3)):\n    y = y + d\n    return y\n",
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_on_a_path_that_can_happen(name: str) -> None:
    with pytest.raises(ProgramError, match="is read before it is assigned"):
        Mechanism.from_source(WRONG[name])


def test_no_return_on_a_path_that_can_happen() -> None:
    with pytest.raises(ProgramError, match="ends without `return` when"):
        Mechanism.from_source("def f(q: Real):\n    if lap(eps, q) > 3:\n        return 1\n")


def test_what_no_trial_finds_is_refused_where_it_happens() -> None:
    """At q > 10⁹ the variable is not assigned; there, and only there, the question is refused."""
    found = Mechanism.from_source(
        "def f(q: Real):\n    if q <= 10**9:\n        x = 1\n    return x\n"
    )
    assert list(found.distribution(0)) == [1]
    with pytest.raises(ProgramError, match=":4:12: x is read before it is assigned"):
        found.distribution(10**10)


def test_a_claim_for_all_inputs() -> None:
    """The two tests of q agree at every input."""
    found = Mechanism.from_source(
        "def f(q: Real):\n    r = lap(eps, q)\n    if r > 0:\n        x = 1\n"
        "    return x if r > 0 else 0\n"
    )
    claim = Accuracy(found, beta=exp(-alpha * eps), inputs=AllReals())
    assert claim.check().outcome == "holds"
