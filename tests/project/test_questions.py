"""The questions of `bench/questions`: their format, the judge, and what a tree answers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import inf
from types import SimpleNamespace as Fake
from typing import Any

import pytest
from bench.questions import Question, files, judge, judge_error, load, recorded
from bench.questions.asking import Asker

from support.examples import TIMES

IS_NEW = os.environ.get("EXACTDP_CORE") == "new"
QUICK = 5
"""Questions that are allowed more seconds are asked by `python -m bench.questions` only."""
SAMPLED = {"paper": 4, "everywhere": 4, "gallery": 4}
"""Files of which every n-th question is asked, unless EXACTDP_EXAMPLES asks for all."""
PART = 20
"""Questions of a test."""


@pytest.fixture(scope="module")
def asker() -> Iterator[Asker]:
    """Limits are for the machine of docs/benchmarks.md; another may be four times slower."""
    with Asker("new" if IS_NEW else "old", slower=4) as found:
        yield found


def quick() -> list[Any]:
    """Return what is asked here, in parts that several processes can share."""
    found = []
    for path in files():
        asked = [one for one in load(path) if one.seconds <= QUICK]
        if not IS_NEW:  # what is recorded as slow would take all the time it is allowed
            asked = [one for one in asked if one.old != "slow"]
        asked = asked[:: 1 if TIMES > 1 else SAMPLED.get(path.stem, 1)]
        parts = [asked[i : i + PART] for i in range(0, len(asked), PART)]
        found += [pytest.param(part, id=f"{path.stem}-{i}") for i, part in enumerate(parts)]
    return found


@pytest.mark.parametrize("asked", quick())
def test_answers(asked: list[Question], asker: Asker) -> None:
    """The old tree answers as recorded; the new one gives no wrong answer, and no other error."""
    found = {one.id: asker.ask(one).text for one in asked}
    if IS_NEW:
        false = {name: text for name, text in found.items() if text.startswith(("wrong", "error"))}
        assert false == {}
    else:
        assert {name: recorded(text) for name, text in found.items()} == {
            one.id: one.old for one in asked
        }


def test_format() -> None:
    listed = [one for path in files() for one in load(path)]
    assert {one.id: one.complaint() for one in listed if one.complaint()} == {}
    assert [name for name, times in Counter(one.id for one in listed).items() if times > 1] == []


def enclosed(lower: Any, upper: Any) -> Any:
    return Fake(lower=lower, upper=upper)


ACCEPTED = Fake(outcome="holds", certificate={})
CERTIFIED = {"outcome": "holds", "certificate": "accepted"}
THIRD = {"number": ["0.333", "0.334"]}


@pytest.mark.parametrize(
    ("answer", "value", "begins"),
    [
        ({"outcome": "holds"}, Fake(outcome="holds"), "right"),
        ({"outcome": "holds"}, Fake(outcome="fails"), "wrong: fails"),
        ({"outcome": "holds"}, Fake(outcome="vacuous"), "wrong: vacuous"),
        ({"outcome": "holds"}, Fake(outcome="undecided"), "undecided"),
        ({"outcome": "undecided"}, Fake(outcome="undecided"), "right"),
        ({"outcome": "holds"}, True, "wrong"),
        (CERTIFIED, ACCEPTED, "wrong: certificate"),
        (THIRD, Fraction(1, 3), "right"),
        (THIRD, Fraction(1, 2), "wrong"),
        (THIRD, 1 / 3, "wrong: not a number"),
        ({"number": ["1", "1"]}, True, "wrong: not a number"),
        (THIRD, enclosed(Fraction("0.33333"), Fraction("0.33334")), "right"),
        (THIRD, Fake(kappa=enclosed(Fraction("0.33333"), Fraction("0.33334"))), "right"),
        (THIRD, enclosed(Fraction("0.335"), Fraction("0.336")), "wrong"),
        (THIRD, enclosed(Fraction("0.3"), Fraction("0.4")), "undecided"),
        (THIRD | {"width": "1/2"}, enclosed(Fraction("0.3"), Fraction("0.4")), "right"),
        (THIRD, enclosed(Fraction("0.3"), inf), "undecided"),
        (THIRD, inf, "wrong"),
        ({"number": "inf"}, inf, "right"),
        ({"number": "inf"}, enclosed(inf, inf), "right"),
        ({"number": "inf"}, enclosed(Fraction(7), inf), "undecided"),
        ({"number": "inf"}, Fraction(10**9), "wrong"),
        ({"set": {"in": ["1/5"], "out": ["0.21"]}}, {Fraction(1, 5)}, "right"),
        ({"set": {"in": ["1/5"], "out": ["0.21"]}}, set(), "wrong: without 1/5"),
        ({"set": {"out": ["0.21"]}}, {Fraction(21, 100)}, "wrong: with 0.21"),
        ({"is": [1, "1/2"]}, (1, Fraction(1, 2)), "right"),
        ({"is": 1}, Fraction(2, 2), "right"),
        ({"is": 1}, True, "wrong"),
        ({"is": 1}, 1.0, "wrong"),
        ({"says": ["for all"], "not": ["inf"]}, "for all ε", "right"),
        ({"says": ["for all"]}, "for some ε", "wrong: without"),
        ({"says": [], "not": ["inf"]}, "for infinity", "wrong: says"),
        ({"refused": "R07"}, "an answer", "wrong: not refused"),
    ],
)
def test_judge(answer: dict[str, Any], value: Any, begins: str) -> None:
    assert judge(answer, value).startswith(begins)
    assert not Question("x", "", "1", answer, "hand").complaint()


class ExactdpError(Exception):
    """An error of a user; its name is what counts."""

    code = ""


class ProgramError(ExactdpError):
    """An error with a code, however a tree finds it."""

    code = "R07"


class ValueRefusedError(ExactdpError):
    """Another one."""


@pytest.mark.parametrize(
    ("answer", "error", "begins"),
    [
        ({"refused": "ProgramError"}, ProgramError("a real has no **"), "right"),
        ({"refused": "R07", "says": ["no **"]}, ProgramError("a real has no **"), "right"),
        ({"refused": "R07", "says": ["no //"]}, ProgramError("a real has no **"), "wrong"),
        ({"refused": "R06"}, ProgramError("a real has no **"), "wrong"),
        ({"refused": "ProgramError"}, ValueRefusedError("no"), "wrong"),
        ({"refused": "ProgramError"}, TypeError("no"), "error: TypeError"),
        ({"is": 1}, ProgramError("a real has no **"), "refused: ProgramError"),
        ({"is": 1}, type("GivenUp", (Exception,), {"family": "loops"})(), "given up: loops"),
        ({"is": 1}, ZeroDivisionError("no"), "error: ZeroDivisionError"),
        ({"is": 1}, type("NotYet", (Exception,), {"family": "loops"})(), "not yet: loops"),
    ],
)
def test_judge_of_errors(answer: dict[str, Any], error: Exception, begins: str) -> None:
    assert judge_error(answer, error).startswith(begins)


def test_certificates_are_checked(asker: Asker) -> None:
    """A real verdict, beside one above whose certificate is not one."""
    program = "from exactdp import *\n\n@mechanism\ndef f(x: Real):\n    return lap(eps, x)\n"
    ask = "Privacy(f, inputs=[0, 1]).check()"
    result = asker.ask(Question("x", program, ask, CERTIFIED, "hand"))
    if result.kind == "not yet":
        pytest.skip(result.text)
    assert result.text == "right"


def test_processes(asker: Asker) -> None:
    """A question that does not end, one that ends its process, and one after them."""
    endless = Question("x", "", "[0 for _ in iter(int, 1)]", {"is": 1}, "hand", 0.1)
    assert asker.ask(endless).text == "slow"
    gone = Question("x", "import os", "os._exit(3)", {"is": 1}, "hand")
    assert asker.ask(gone).kind == "error"
    assert asker.ask(Question("x", "y = 2", "y - 1", {"is": 1}, "hand")).text == "right"
