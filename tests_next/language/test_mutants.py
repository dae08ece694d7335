"""A mistake in an arithmetic is found by the random programs."""

from __future__ import annotations

import operator
from typing import Any

import pytest
from tests_next.outside.programs import drawn
from tests_next.outside.runs import followed, outcome

from exactdp_next.language import comparisons, lists, numbers, operations
from exactdp_next.language.abstract import Kinds
from exactdp_next.language.check import check
from exactdp_next.language.code import Code
from exactdp_next.language.kinds import TEXT
from exactdp_next.language.program import Program
from exactdp_next.language.read import read
from exactdp_next.language.source import Source


def truncated(a: Any, b: Any) -> Any:
    """Return the quotient rounded to 0, as in C."""
    return int(operator.truediv(a, b)) if isinstance(a, int) and isinstance(b, int) else a // b


MUTANTS: dict[str, tuple[Any, str, Any]] = {
    "// rounds to 0": (numbers, "BINARY", {**numbers.BINARY, "//": truncated}),
    "% has the sign of C": (
        numbers,
        "BINARY",
        {**numbers.BINARY, "%": lambda a, b: a - b * truncated(a, b)},
    ),
    "< is <=": (comparisons, "ORDERS", {**comparisons.ORDERS, "<": operator.le}),
    "enumerate from 1": (
        operations,
        "OTHERS",
        {**operations.OTHERS, "enumerate": lambda v: lists.enumerated(v, 1)},
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, wrong = MUTANTS[name]
    monkeypatch.setattr(module, attribute, wrong)
    assert any(outcome(seed)[0] == "different" for seed in range(300))


def test_a_mutant_of_the_kinds_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f(x: Dom(0, 2)):\n    y = sum([x, x])\n    return y + 1\n"
    reading = read(Source.of_text(text))
    assert followed(reading, check(reading), {"x": 1}, 0)
    monkeypatch.setattr(Kinds, "_sum", lambda *_: TEXT)
    with pytest.raises(AssertionError):
        followed(reading, check(reading), {"x": 1}, 0)


def test_if_live_variables_were_forgotten_runs_would_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    equal = [seed for seed in range(40) if outcome(seed)[0] == "equal"][:3]
    true = {seed: Program.of(drawn(seed)[0]).code for seed in equal}
    live = {code: tuple(frozenset(sorted(one)[1:]) for one in code.live) for code in true.values()}
    monkeypatch.setattr(Code, "live", property(lambda code: live[code]))
    for seed in true:
        with pytest.raises((AssertionError, KeyError)):
            assert outcome(seed)[0] == "equal"
