"""How answers look: short and telling in the REPL, HTML in a notebook, numbers of theorems."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    ErrorBound,
    Mechanism,
    alpha,
    eps,
    exp,
    nonnegative,
    parse,
    roots,
    solution_set,
    supremum,
)

LARGER = Mechanism.from_source(
    "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
)
COUNT = Mechanism.from_source("def count(x: Real): return lap(eps, x)")


@cache
def answers() -> dict[str, Any]:
    """Return an answer of each kind."""
    claim = Accuracy(LARGER, beta=exp(-alpha * eps / 2), inputs=[[0, 2], [1, 0]])
    bold = Accuracy(LARGER, beta=exp(-alpha * eps) / 3, inputs=[[0, 2]])
    goal = ErrorBound(COUNT, within=10, risk="5%")
    f = parse("exp(-eps) - 1/3")
    return {
        "verdict": claim.check(),
        "counterexample": bold.check().counterexample,
        "tightness": claim.tightest(),
        "row": claim.tightest(at_each=True)[0],
        "kappa": claim.tightest().kappa,
        "budget": goal.smallest_epsilon(),
        "risk": goal.risk(eps=1),
        "radius": goal.smallest_within(eps=1),
        "solution set": solution_set(f),
        "stretch": solution_set(f).stretches[0],
        "root": roots(f)[0],
        "extremum": supremum(f),
        "decision": nonnegative(f),
        "enclosure": f.at(1),
        "curve": claim.error_probability([0, 2]),
        "disagreement": claim.disagreement([0, 2]),
        "disagreement everywhere": claim.disagreement(AllReals()),
        "bound": goal,
        "claim": claim,
    }


@pytest.mark.parametrize("name", answers())
def test_representations_are_short_and_say_the_answer(name: str) -> None:
    """No field names, no fractions with twenty digits: `<Kind: the sentence>`."""
    text = repr(answers()[name])
    assert re.fullmatch(r"<[A-Z]\w+: .+>", text), text
    assert len(text) < 330
    assert "Fraction(" not in text
    assert re.search(r"\d{13,}/", text) is None


class _Balanced(HTMLParser):
    """Knows whether each element that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        del attrs
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", [*(name for name in answers() if name != "bound"), "distribution"])
def test_notebooks_show_html(name: str) -> None:
    found = LARGER.distribution([0, 2]) if name == "distribution" else answers()[name]
    reader = _Balanced()
    reader.feed(found._repr_html_())
    assert not reader.open


def test_distributions_are_sorted_tables_with_numbers() -> None:
    """Pr(0) = e^(−ε)(1/2 + ε/4) at a gap of 2, which is 0.2759 at ε = 1."""
    rows = LARGER.distribution([0, 2])._repr_html_().split("<tr>")[2:]
    assert [re.search(r"<code>(.*?)</code>", row)[1] for row in rows] == ["0", "1"]  # type: ignore[index]
    assert "0.2759" in rows[0]
    assert "0.7241" in rows[1]


def test_theorems_are_cited_by_number() -> None:
    for claim in (
        Accuracy(LARGER, exp(-alpha * eps / 2), inputs=[[0, 2]]),
        Accuracy(LARGER, exp(-alpha * eps / 2), inputs=AllReals()),
    ):
        text = str(claim.check())
        assert re.search(r"\((Theorem|Corollary) \d+\)", text)
        assert "thm:" not in text


def test_a_claim_that_no_eps_makes_true_says_why() -> None:
    found = Accuracy(LARGER, "5%", inputs=AllReals()).smallest_epsilon()
    assert not found.exists
    assert "arbitrarily close to a tie" in found.sentence


def test_counterexamples_have_simple_numbers() -> None:
    """Next to [0, −5] the regret is above 5; a simple input does as well as a close one."""
    goal = ErrorBound(LARGER, within=5, risk="5%", inputs=AllReals(), epsilon="[1/2, inf)")
    found = goal.check().counterexample
    assert found is not None
    assert all(len(str(one)) < 12 for one in (*found.input, found.eps)), found
