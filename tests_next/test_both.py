"""`bench.both` sees what differs, and what the oracle refutes."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from bench import both
from bench.both import Remembered, Tally, compare
from bench.questions import Question
from bench.questions.asking import Asker, Result
from bench.random_questions import KINDS, Posed, Poser
from bench.told import same, tell

QUESTION = Question("one", "", "1", {"told": True}, "hand")


def told(**answer: object) -> Result:
    """Return what a column says."""
    return Result(f"told: {json.dumps(answer)}", 0.5)


HOLDS, FAILS, OPEN = (told(outcome=one) for one in ("holds", "fails", "undecided"))
HALF = told(number=["1/2", "1/2"])


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        (HOLDS, HOLDS, ""),
        (HOLDS, FAILS, "the trees differ"),
        (HOLDS, OPEN, ""),
        (HALF, told(number=["0", "1"]), ""),
        (HALF, told(number=["3/5", "1"]), "the trees differ"),
        (HALF, told(number=["1/3", "inf"]), ""),
        (HALF, HOLDS, "the trees differ"),
        (HOLDS, Result("not yet: language", 0), ""),
        (HOLDS, Result("given up: chains", 0), ""),
        (HOLDS, Result("error: KeyError: 1", 0), "new fails: error: KeyError: 1"),
    ],
)
def test_two_answers(old: Result, new: Result, wrong: str) -> None:
    assert compare(Posed(QUESTION), old, new, Tally()) == wrong


def test_the_oracle_refutes() -> None:
    """A claim whose bound is below the truth somewhere does not hold; a number is not another."""
    tally = Tally()
    assert "new is refuted" in compare(Posed(QUESTION, least=0.99), FAILS, HOLDS, tally)
    assert "old is refuted" in compare(Posed(QUESTION, number=0.3), HALF, HOLDS, tally)
    assert compare(Posed(QUESTION, least=1.0, number=0.5), HALF, HALF, tally) == ""
    assert tally.refuted == {"new": 1, "old": 1}
    assert "refuted by the oracle: new 1, old 1" in tally.lines("accuracy")[0]


def test_no_answer_is_no_agreement() -> None:
    tally = Tally()
    compare(Posed(QUESTION), HOLDS, OPEN, tally)
    compare(Posed(QUESTION), HOLDS, Result("error: KeyError: 1", 0), tally)
    assert (tally.agree, tally.differ, tally.failed) == (0, 0, 1)
    assert tally.silent["new: undecided"] == 1


def test_values_are_told_as_data() -> None:
    assert tell(Fraction(1, 2)) == tell(Fraction(2, 4)) == {"number": ["1/2", "1/2"]}
    assert not same(tell(True), tell(1))
    assert same(tell("a"), tell("a"))
    assert not same(tell("a"), tell(None))


def test_a_seed_gives_the_same_questions_and_some_of_each_kind() -> None:
    for kind in KINDS:
        made = [Poser(f"7:{k}").posed(kind) for k in range(12)]
        assert [Poser(f"7:{k}").posed(kind) for k in range(12)] == made
        assert any(made)


def test_both_trees_are_asked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The old tree agrees with the oracle; what the new one says is counted."""
    both.CACHE, before = tmp_path, both.CACHE
    try:
        assert both.main(["--claims", "5", "--seed", "3"]) == 0
    finally:
        both.CACHE = before
    assert [line for line in capsys.readouterr().out.splitlines() if "old: error" in line] == []


def test_what_the_old_tree_answers_is_kept(tmp_path: Path) -> None:
    class Never(Asker):
        def ask(self, question: Question) -> Result:
            raise AssertionError(question)

    asked = replace(QUESTION, program="from exactdp import *", ask="parse('eps') == eps")
    with Asker("old") as asker:
        first = Remembered(tmp_path).ask(asker, asked)
    assert first.text == 'told: {"is": true}'
    assert Remembered(tmp_path).ask(Never(), asked) == first
