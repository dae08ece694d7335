"""Python functions called by programs and claims: functions of their arguments, or refused."""

from __future__ import annotations

import datetime
import functools
import math
import os
import random
import secrets
import statistics
import subprocess
import sys
import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime as moment
from fractions import Fraction
from random import randint as roll
from typing import Any

import numpy as np
import pytest

from exactdp import Accuracy, Mechanism, alpha, eps, exp
from exactdp.errors import ExactdpError, ProgramError
from exactdp.language.chance import source_of_chance

RANDOM, GENERATOR = random.Random(1), np.random.default_rng(1)
PROGRAM = "def f(x: Dom(0, 1)):\n    return {}\n"


def flip(x: int) -> int:
    return x if random.randint(0, 1) == 0 else 1 - x


def imported(x: int) -> int:
    from secrets import randbelow  # noqa: PLC0415 what is looked for

    return randbelow(2) + x


def closed() -> Callable[[int], float]:
    draw = random.random
    return lambda x: x + draw()


@functools.cache
def kept(x: int) -> int:
    return roll(0, x)


class Noisy:
    """An object with a generator of its own."""

    def __init__(self) -> None:
        self.own = random.Random(1)

    def __call__(self, x: int) -> float:
        """Draw."""
        return x + self.own.random()

    def clock(self, x: int) -> float:
        """Look at the clock."""
        return x + time.time()


CHANCE: dict[str, Any] = {
    "a function that calls random": flip,
    "through another": lambda x: 1 + flip(x),
    "an alias": lambda x: roll(0, x),
    "imported inside": imported,
    "in a closure": closed(),
    "in a default": lambda x, draw=random.random: x + draw(),
    "behind a cache": kept,
    "in a comprehension": lambda x: [random.random() for _ in range(x)],
    "a generator of random": lambda _: RANDOM.random(),
    "a generator of numpy": lambda _: GENERATOR.random(),
    "numpy.random": lambda _: np.random.rand(),
    "an object": Noisy(),
    "a method": Noisy().clock,
    "partial": functools.partial(random.randint, 0),
    "os.urandom": lambda _: os.urandom(1)[0],
    "uuid": lambda _: uuid.uuid4().int,
    "now": lambda _: moment.now().second,
    "today": lambda _: datetime.date.today().day,
    "the module itself": random.randint,
    "a bound method": RANDOM.random,
    "of numpy": GENERATOR.integers,
    "secrets": secrets.choice,
    "the clock": time.perf_counter,
}
PLAIN: dict[str, Any] = {
    "math": lambda x: math.comb(3, x),
    "statistics, which imports random": lambda x: Fraction(statistics.mean([x, 1])),
    "a date": lambda x: moment(2020, 1, 1 + x).day,
    "a UUID": lambda x: uuid.UUID(int=x).int,
    "an attribute of that name": lambda x: getattr(x, "random", x) if False else x,
    "numpy without chance": lambda x: int(np.array([x, 1]).sum()),
    "a path": lambda x: os.path.join("a", str(x)),
    "a cache": functools.cache(lambda x: x),
    "a builtin": math.factorial,
}


@pytest.mark.parametrize("case", CHANCE)
def test_chance_and_the_clock_are_refused_where_they_are_met(case: str) -> None:
    with pytest.raises(ProgramError, match=r"^<mechanism>:2:12: h uses ") as caught:
        Mechanism.from_source(PROGRAM.format("h(x)"), {"h": CHANCE[case]})
    assert "choose" in caught.value.way_out


def test_a_module_of_chance_in_the_mechanism_is_refused() -> None:
    for text, name in (("r.randint(0, x)", "random.randint"), ("r.random()", "random.random")):
        with pytest.raises(ProgramError, match=f"uses {name}"):
            Mechanism.from_source(PROGRAM.format(text), {"r": random})


@pytest.mark.parametrize("case", PLAIN)
def test_other_functions_are_taken(case: str) -> None:
    assert source_of_chance(PLAIN[case]) is None
    mechanism = Mechanism.from_source(PROGRAM.format("h(x)"), {"h": PLAIN[case]})
    for x in (0, 1):
        assert list(mechanism.distribution(x)) == [PLAIN[case](x)]


class Counter:
    """Not a function: it counts its calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __call__(self, *args: Any) -> int:
        """Count."""
        self.calls.append(args)
        return len(self.calls)


@pytest.mark.parametrize(
    "place",
    [
        "h(x)",
        "expmech(eps, h, [0, 1])",
        "max([0, 1], key=h)",
        "sorted([0, 1], key=h)",
        "[h(y) for y in (0, 1)]",
        "choose({0: h(x) / 10, 1: 1 - h(x) / 10})",
        "lap(eps, 0) > h(x)",
    ],
)
def test_a_function_with_two_answers_is_refused_wherever_it_is_called(place: str) -> None:
    mechanism = Mechanism.from_source(PROGRAM.format(place), {"h": Counter()})
    for ask in (mechanism.distribution, mechanism.chain, lambda u: mechanism.sample(u, 1, 9)):
        with pytest.raises(ProgramError, match=r"2:\d+: h returned \d, then \d"):
            ask(1)


def test_each_new_argument_is_asked_twice_and_never_again() -> None:
    """True, 1 and [1] are three arguments; Fraction(2, 2) is the number 1."""
    seen = []

    def tell(x: Any) -> str:
        seen.append(x)
        return type(x).__name__

    text = "[h(True), h(1), h([1]), h((1,)), h(1), h(3/2 - 1/2), h({1: 0}), h(True)]"
    mechanism = Mechanism.from_source(PROGRAM.format(text), {"h": tell})
    told = ("bool", "int", "list", "tuple", "int", "int", "dict", "bool")
    for _ in range(3):
        assert list(mechanism.distribution(0)) == [told]
    assert list(map(repr, seen)) == [
        *("True", "True", "1", "1", "[1]", "[1]", "(1,)", "(1,)", "{1: 0}", "{1: 0}")
    ]


def test_an_argument_that_is_changed_is_refused() -> None:
    def grow(xs: list[int]) -> int:
        xs.append(1)
        return 0

    for given in ("[x]", "([x], 1)[0]", "{0: [x]}[0]"):
        mechanism = Mechanism.from_source(PROGRAM.format(f"h({given})"), {"h": grow})
        with pytest.raises(ProgramError, match="h changed an argument"):
            mechanism.distribution(0)


CLAIMED = Mechanism.from_source("def f(x: Dom(0, 1)):\n    return choose({x: 3/4, 1 - x: 1/4})\n")


@pytest.mark.parametrize(
    "parts",
    [
        {"ideal": lambda f: lambda u: f(u) % 2},
        {"beta": lambda f: lambda u: f(u) * exp(-alpha * eps)},
        {"output_distance": lambda f: lambda u, one, two: f(u) * (one != two)},
    ],
    ids=["ideal", "beta", "output distance"],
)
def test_the_parts_of_a_claim_are_functions_too(parts: dict[str, Any]) -> None:
    for function, said in ((Counter(), "then"), (flip, "uses random")):
        made = {name: make(function) for name, make in parts.items()}
        whole: dict[str, Any] = {
            "beta": Fraction(1, 2),
            "alpha": 0,
            "ideal": {0: 0, 1: 1},
            "agreement": "output_distance",
        }
        with pytest.raises(ExactdpError, match=said):
            Accuracy(CLAIMED, **(whole | made)).check()


def test_a_claim_asks_its_functions_twice_for_each_input() -> None:
    calls = Counter()
    claim = Accuracy(
        CLAIMED,
        lambda u: (calls(u), Fraction(1, 2))[1],
        alpha=0,
        ideal=lambda u: (calls(u), u)[1],
    )
    assert claim.check().holds
    assert claim.check().holds
    assert len(calls.calls) == 8  # two functions, two inputs, twice


class _Slotted:
    __slots__ = ("rng",)

    def __init__(self) -> None:
        self.rng = random.Random(0)

    def draw(self, x: int) -> int:
        return self.rng.randint(0, 1) ^ x


class _Lazy:
    @property
    def coin(self) -> int:
        return random.randint(0, 1)


_ENTRIES = [random.Random(0)]
_TABLE = {"roll": random.randint}
_MEMO: dict[int, int] = defaultdict(lambda: random.randint(0, 1))
_SLOTTED, _LAZY = _Slotted(), _Lazy()


@functools.singledispatch
def _dispatched(x: object) -> int:
    return int(x is None)


@_dispatched.register
def _of_whole_numbers(x: int) -> int:
    return random.randint(0, x)


def _imports_secrets(x: int) -> int:
    import secrets  # noqa: PLC0415

    return secrets.randbelow(2) ^ x


def _imports_uuid(x: int) -> int:
    from uuid import uuid4  # noqa: PLC0415

    return uuid4().int % 2 ^ x


def _imports_numpy(x: int) -> int:
    import numpy  # noqa: PLC0415

    return int(numpy.random.randint(2)) ^ x


HIDDEN = {
    "a list": lambda x: _ENTRIES[0].randint(0, 1) ^ x,
    "a table": lambda x: _TABLE["roll"](0, 1) ^ x,
    "a memory": lambda x: _MEMO[x],
    "a cache": functools.cache(lambda x: _ENTRIES[0].randint(0, 1) ^ x),
    "slots": _SLOTTED.draw,
    "a property": lambda x: _LAZY.coin ^ x,
    "single dispatch": _dispatched,
    "__import__": lambda x: __import__("random").randint(0, 1) ^ x,
    "secrets": _imports_secrets,
    "uuid": _imports_uuid,
    "numpy": _imports_numpy,
}


@pytest.mark.parametrize("where", HIDDEN)
def test_chance_is_found_wherever_a_function_keeps_it(where: str) -> None:
    """Each of these passes the second question half of the time, some always."""
    with pytest.raises(ProgramError, match="draw uses"):
        Mechanism.from_source("def f(x: Dom(0, 1)): return draw(x)", {"draw": HIDDEN[where]})


@pytest.mark.parametrize("name", ["secrets", "uuid"])
def test_chance_is_found_in_a_module_that_is_not_loaded_yet(name: str) -> None:
    script = (
        "from exactdp import Mechanism, ProgramError\n"
        f"def roll(x):\n    from {name} import randbelow, uuid4\n    return x\n"
        "source = 'def f(x: Dom(0, 1)): return roll(x)'\n"
        "try:\n    Mechanism.from_source(source, {'roll': roll})\n"
        "except ProgramError as error:\n    print(error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"roll uses {name}")
