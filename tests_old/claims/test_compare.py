"""Comparing mechanisms: exact sets of ε against what single ε show; equal privacy; pictures."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import ExactdpError, Mechanism, compare, linf, parse
from exactdp.claims.comparing import Contestant, Ranking
from exactdp.claims.constants.envelopes import largest
from exactdp.reals.interval import POSITIVE
from support.examples import examples

LAPLACE = Mechanism.from_source("def laplace(x: Real): return lap(eps / 2, x)")
SHARP = Mechanism.from_source("def sharp(x: Real): return lap(2 * eps, x) + 1")
WHOLE = Mechanism.from_source("def whole(x: Dom(0, 3)): return dlap(eps, x)")
SCORE = "lambda v: 0 if abs(v - x) < 2 else -1"
ROUGH, ROUGH_TOO = (
    Mechanism.from_source(f"def {name}(x: Dom(0, 3)): return expmech({rate}, {SCORE}, range(4))")
    for name, rate in (("rough", "eps"), ("too", "eps / 2"))
)
CLOSE = Mechanism.from_source(
    "def close(x: Dom(0, 3)): return expmech(eps, lambda v: -abs(v - x), range(4))"
)
NAMES = ("one", "two", "three")


def test_by_hand() -> None:
    """8/ε² against 1/(2ε²) + 1, an error with a bias: they are equal at ε² = 15/2."""
    only = compare({"plain": LAPLACE, "wide": SHARP}, lambda u, y: (y - u) ** 2, [0])
    (stretch,) = only.best["plain"]
    assert float(stretch.lower) ** 2 == pytest.approx(7.5)
    assert only.better("wide", "plain") == only.best["wide"]
    everywhere = compare({"plain": LAPLACE, "wide": SHARP}, lambda u, y: (y - u) ** 2)
    assert str(everywhere.best["plain"]) == str(only.best["plain"])


def test_equal_privacy() -> None:
    """Laplace noise of rate ε/2 is ε/2-private, so at equal privacy its rate is ε."""
    ranking = compare([LAPLACE, WHOLE], "absolute", [1], adjacent=linf(1))
    assert [one.factor for one in ranking.contestants] == [Fraction(1, 2), 1]
    assert str(ranking.contestants[0].pieces[0][0]) == "1/eps"
    assert str(ranking.best["whole"]) == "(0, ∞)"


FORMS = ("1/eps", "exp(-eps)", "2*exp(-2*eps)", "1/2", "eps*exp(-eps/2)", "1/(1+exp(eps))", "eps/4")


@examples(10)
@given(st.lists(st.lists(st.sampled_from(FORMS), min_size=1, max_size=3), min_size=2, max_size=3))
def test_sets_of_eps(given_forms: list[list[str]]) -> None:
    """At each ε the best mechanisms are those whose largest form is the least."""
    contestants = tuple(
        Contestant(name, tuple(largest([parse(text) for text in texts], POSITIVE)))
        for name, texts in zip(NAMES, given_forms, strict=False)
    )
    ranking = Ranking("measure", contestants, POSITIVE)
    for k in range(1, 40):
        eps = Fraction(k * k, 97)
        sizes = {
            one.name: max(float(parse(text).at(eps)) for text in texts)
            for one, texts in zip(contestants, given_forms, strict=True)
        }
        for name, size in sizes.items():
            margin = min(sizes.values()) - size
            assert (eps in ranking.best[name]) == (margin > -1e-9 * size), (eps, name, sizes)
    for one in ranking.best.values():  # a union of stretches that do not touch
        for first, second in zip(one, list(one)[1:], strict=False):
            assert float(first.upper) < float(second.lower)


def test_pictures() -> None:
    """A picture has a line for each mechanism, and a table of it a row."""
    ranking = compare([LAPLACE, SHARP], "squared", [0])
    assert len(ranking.plot().get_lines()) == 2
    assert ranking._repr_html_().count("<tr>") == 3
    assert len(ranking.rows()) == 2


REFUSED: list[tuple[str, Callable[[], object], str]] = [
    ("one", lambda: compare([LAPLACE]), "fewer than two"),
    ("the same name", lambda: compare([LAPLACE, LAPLACE]), "called laplace"),
    ("no mechanism", lambda: compare([LAPLACE, 3]), "not a mechanism"),  # type: ignore[list-item]
    ("all reals", lambda: compare([LAPLACE, SHARP], abs), "depends on the input"),
    ("no adjacency", lambda: compare([LAPLACE, SHARP], adjacent=1), "not an adjacency"),
    ("another name", lambda: compare([LAPLACE, SHARP]).better("a", "b"), "is not compared"),
    ("an error of a loss", lambda: compare([LAPLACE, SHARP], within=10), "the measure is not"),
    ("two scores", lambda: compare([ROUGH, CLOSE], "error", [2], within=1), "different scores"),
    (
        "score or ideal",
        lambda: compare([ROUGH, ROUGH_TOO], "error", [2], within=1, ideal=lambda x: x),
        "an ideal is given",
    ),
    ("two regrets", lambda: compare([ROUGH, CLOSE], "regret", [2]), "different scores"),
    ("two distances", lambda: compare([ROUGH, WHOLE], "error", [2], within=1), "score_gap and sup"),
]


def test_one_score_with_two_rates() -> None:
    """Of two mechanisms with one score, that with the larger rate is best."""
    ranking = compare([ROUGH, ROUGH_TOO], "error", [2])
    assert [str(ranking.best[name]) for name in ("rough", "too")] == ["(0, ∞)", "∅"]


@pytest.mark.parametrize(("ask", "told"), [one[1:] for one in REFUSED], ids=[r[0] for r in REFUSED])
def test_refusals(ask: Callable[[], object], told: str) -> None:
    """What cannot be compared is refused with a reason."""
    with pytest.raises(ExactdpError, match=told):
        ask()
