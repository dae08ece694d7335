"""A certificate of a program that fails when it is run is rejected, not accepted with a note."""

from __future__ import annotations

from typing import Any

import pytest

from exactdp import Accuracy, AllReals, Mechanism, eps, exp
from exactdp.certify import check
from exactdp.certify.rederive import limits

from .specimens import seal

RESPONSE = """def response(x: Dom(0, 1)):
    table = [7, 8]
    if choose({0: 1 / 4, 1: 3 / 4}) == 0:
        return table[1 - x] - 7
    return x
"""
ABOVE = """def above(q: Real):
    steps = [0, 1]
    r = lap(eps, q)
    if r > 1:
        if r > 2:
            return steps[1]
        return steps[1]
    return steps[0]
"""


@pytest.fixture(autouse=True)
def _early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up a run without end after fewer steps."""
    monkeypatch.setattr(limits, "MAX_RUN", 60_000)
    monkeypatch.setattr(limits, "MAX_PATHS", 60)


def certificate(text: str, **parts: Any) -> dict[str, Any]:
    """Return the certificate of a true claim about a program."""
    verdict = Accuracy(Mechanism.from_source(text), **({"beta": "0.99"} | parts)).check()
    assert verdict.holds
    return verdict.certificate


def responses() -> dict[str, Any]:
    return certificate(RESPONSE, alpha=0, ideal={0: 0, 1: 1})


def answers() -> dict[str, Any]:
    return certificate(ABOVE, alpha="1/2", inputs=[0, 3])


def everywhere() -> dict[str, Any]:
    return certificate(ABOVE, alpha="1/2", inputs=AllReals())


CASES = {
    "probabilities below 1": (responses, "1: 3 / 4", "1: 1 / 2", "do not add up to 1"),
    "probabilities above 1": (responses, "1: 3 / 4", "1: 1", "do not add up to 1"),
    "in ε": (responses, "1: 3 / 4", "1: 3 / (4 + eps)", "do not add up to 1"),
    "nothing to choose from": (
        responses,
        "    table",
        "    y = expmech(eps, lambda z: 1, [])\n    table",
        "a run of the program fails",
    ),
    "the least of nothing": (responses, "[7, 8]", "[7, 8, min([])][:2]", "empty"),
    "not in a list": (responses, "[7, 8]", "[7, 8, [1].index(2)][:2]", "not in list"),
    "text and number": (responses, "[7, 8]", "[7, 8, 'a' + 1][:2]", "concatenate"),
    "without end": (
        responses,
        "    table",
        "    while True:\n        y = 0\n    table",
        "takes more than",
    ),
    "a text that is not a number": (responses, "[7, 8]", "[7, 8, int('a')][:2]", "invalid literal"),
    "a list that is not a number": (responses, "[7, 8]", "[7, 8, int([1])][:2]", "not 'list'"),
    "a formatted text": (responses, "[7, 8]", "[7, 8, 'a' % 2][:2]", "formats a text"),
    "choices without end": (
        responses,
        "    table",
        "    while choose({0: 1 / 2, 1: 1 / 2}) < 5:\n        y = 0\n    table",
        "a loop of the program has no exit",
    ),
    "negative": (responses, "0: 1 / 4, 1: 3 / 4", "0: -1 / 4, 1: 5 / 4", "not seen"),
    "negative for small ε": (
        responses,
        "0: 1 / 4, 1: 3 / 4",
        "0: 2 - exp(-eps) - exp(-3 * eps) - eps / 9, 1: exp(-eps) + exp(-3 * eps) + eps / 9 - 1",
        "not seen",
    ),
    "an index": (responses, "table[1 - x]", "table[3 - x]", "no entry 3"),
    "a key": (responses, "table[1 - x]", "{5: 1}[x]", "no entry 0"),
    "a division": (responses, "table[1 - x] - 7", "1 / (x - x)", "divides by 0"),
    "an assertion": (responses, "    if choose", "    assert x > 5\n    if choose", "assertion"),
    "unpacking": (responses, "    if choose", "    a, b = [1]\n    if choose", "does not fit"),
    "an index after noise": (answers, "steps[0]", "steps[2]", "no entry 2"),
    "a rate": (answers, "lap(eps, q)", "lap(0 * eps, q)", "positive multiple"),
    "an assignment": (answers, "    r = lap", "    steps[4] = 1\n    r = lap", "no entry 4"),
    "an index on a cone": (everywhere, "steps[0]", "steps[2]", "no entry 2"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_broken_program_is_rejected(case: str) -> None:
    made, right, wrong, said = CASES[case]
    document = made()
    assert check(document)
    source = document["claim"]["mechanism"]
    assert source.count(right) == 1, source
    document["claim"]["mechanism"] = source.replace(right, wrong)
    report = check(seal(document))
    assert not report
    assert said in report.reason


def test_a_path_that_never_happens_may_fail() -> None:
    """No r is above 2 and at most 1, so the missing entry is never read."""
    never = "    if r <= 1:\n        if r > 2:\n            return steps[9]\n"
    text = ABOVE.replace("    if r > 1:", f"{never}    if r > 1:")
    assert check(certificate(text, alpha="1/2", inputs=AllReals()))
    report = check(certificate(text, alpha="1/2", inputs=[0, 3]))
    assert report
    assert report.taken == ()


@pytest.mark.parametrize(
    "chance",
    ["1 - exp(-eps)", "(exp(eps) - 1) / (exp(eps) + 3)", "eps / (1 + eps)", "exp(-2 * eps) / 2"],
)
def test_honest_probabilities_are_seen_to_be_nonnegative(chance: str) -> None:
    text = f"def f(x: Dom(0, 1)):\n    return choose({{x: {chance}, 1 - x: 1 - ({chance})}})\n"
    report = check(certificate(text, beta=1 + eps, alpha=0, ideal={0: 0, 1: 1}))
    assert report
    assert report.taken == ()


@pytest.mark.parametrize("holds", [True, False])
def test_signs_of_probabilities_are_proved(holds: bool) -> None:
    """1 − 2ε·e^−ε is at least 1 − 2/e; 1 − 4ε·e^−ε is negative, but only around ε = 1."""
    chance = "2 * eps * exp(-eps)"
    text = f"def f(x: Dom(0, 1)):\n    return choose({{x: 1 - {chance}, 1 - x: {chance}}})\n"
    beta = 2 * eps * exp(-eps) if holds else eps * exp(-eps)
    claim = Accuracy(Mechanism.from_source(text), beta=beta, alpha=0, ideal={0: 0, 1: 1})
    found = claim.check()
    assert found.holds is holds
    document = found.certificate
    report = check(document)
    assert report
    assert report.taken == ()
    inner = document["claim"]["claim"]
    inner["mechanism"] = inner["mechanism"].replace("2*eps", "4*eps").replace("2 * eps", "4 * eps")
    report = check(seal(document))
    assert not report
    assert "not seen" in report.reason or not holds


def test_a_loop_of_choices_that_ends_is_accepted() -> None:
    """It has endlessly many paths, but ends with probability 1."""
    text = RESPONSE.replace(
        "    table", "    while choose({0: 1 / 2, 1: 1 / 2}) == 0:\n        y = 0\n    table"
    )
    report = check(certificate(text, alpha=0, ideal={0: 0, 1: 1}))
    assert report.outcome == "accepted"


@pytest.mark.parametrize("number", ["int('1')", "Fraction('1')", "int(Fraction(3, 2))"])
def test_numbers_that_are_read_from_texts(number: str) -> None:
    text = RESPONSE.replace("[1 - x]", f"[{number} - x]")
    report = check(certificate(text, alpha=0, ideal={0: 0, 1: 1}))
    assert report
    assert report.taken == ()


def test_is_between_numbers_is_rejected() -> None:
    """Between equal ints `is` may be either; a checker that takes one of both proves nothing."""
    document = responses()
    source = document["claim"]["mechanism"]
    document["claim"]["mechanism"] = source.replace(" == 0", " is 0")
    report = check(seal(document))
    assert not report
    assert "`is`" in report.reason
