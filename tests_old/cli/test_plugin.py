"""The pytest plugin: claims as tests."""

from __future__ import annotations

import re

import numpy  # noqa: F401 a session inside this one must not load it a second time
import pytest

import exactdp.public.error_bound  # noqa: F401 as above: what is loaded inside is forgotten after
from exactdp.claims.decision.deciding import decide  # noqa: F401

pytest_plugins = ["pytester"]

FILE = """
import pytest
from exactdp import Accuracy, Real, alpha, eps, exp, lap, mechanism

@mechanism
def positive(q: Real):
    return lap(eps, q) > 0

def claim(beta, **more):
    return Accuracy(positive, beta=beta, **{"inputs": [1, 2], **more})
"""


def result(pytester: pytest.Pytester, tests: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(FILE + tests)
    return pytester.runpytest("-p", "no:cacheprovider", "-p", "no:xdist", *options)


def test_marked_functions(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)  # with it pytest repeats the summary in full
    tests = """
@pytest.mark.exactdp
@pytest.mark.parametrize("beta", ["1/2", exp(-alpha * eps)])
def test_holds(beta):
    return claim(beta)

@pytest.mark.exactdp
def test_several():
    return {"good": [claim("1/2")], "bad": claim("1/8"), "worse": claim("1/16")}

def test_other():
    assert True
"""
    # An editable installation lists modules of `examples` whose names other tests may have loaded.
    known = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
    found = result(pytester, tests, "--strict-markers", "-W", "error", "-W", known)
    found.assert_outcomes(passed=3, failed=1)
    text = found.stdout.str()
    assert text.count("['bad']: Fails: positive is") == 1
    assert text.count("['worse']: Fails: positive is") == 1
    assert "at the input 1 and ε = " in text
    assert "Traceback" not in text
    assert "pytest_plugin.py" not in text
    assert "def test_several" not in text


def test_plain_assertions(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """`assert claim.check()` prints the sentence; a refusal shows the line of the test only."""
    monkeypatch.delenv("CI", raising=False)
    tests = """
def test_fails():
    assert claim("1/8").check()

def test_refused():
    claim(3)
"""
    found = result(pytester, tests)
    found.assert_outcomes(failed=2)
    text = found.stdout.str()
    assert "assert <Verdict: Fails: positive is" in text
    for error in ("AssertionError", "ValueRefusedError"):
        assert re.search(rf"^test_plain_assertions\.py:\d+: {error}", text, re.MULTILINE)
    assert "def call(" not in text


def test_the_fixture(pytester: pytest.Pytester) -> None:
    tests = """
def test_holds(exactdp_check):
    assert exactdp_check(claim("1/2")).inputs == 2

def test_fails(exactdp_check):
    exactdp_check(claim("1/8"))

def test_no_claim(exactdp_check):
    exactdp_check("1/8")
"""
    found = result(pytester, tests)
    found.assert_outcomes(passed=1, failed=2)
    assert "Fails: positive is" in found.stdout.str()
    expected = "'1/8' is not a claim"
    assert expected in found.stdout.str()
    assert "Traceback" not in found.stdout.str()


def test_claims_of_privacy(pytester: pytest.Pytester) -> None:
    tests = """
from exactdp import Privacy

@pytest.mark.exactdp
def test_private():
    return Privacy(positive, inputs=[1, 2])

def test_too_private(exactdp_check):
    exactdp_check(Privacy(positive, eps / 2, inputs=[1, 2]))
"""
    found = result(pytester, tests)
    found.assert_outcomes(passed=1, failed=1)
    assert "Fails: positive is 1/2·ε-differentially private" in found.stdout.str()


def test_claims_about_expected_losses(pytester: pytest.Pytester) -> None:
    tests = """
from exactdp import Expected

@pytest.mark.exactdp
def test_bounded():
    return [Expected(positive, "wrong", at_most="1/2", inputs=[1, 2])]

def test_too_small(exactdp_check):
    exactdp_check(Expected(positive, "wrong", at_most="1/8", inputs=[1, 2]))
"""
    found = result(pytester, tests)
    found.assert_outcomes(passed=1, failed=1)
    assert "Fails: the probability of a wrong output of positive" in found.stdout.str()


def test_wrong_claims(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.mark.exactdp
def test_refused():
    return claim("not a number")

@pytest.mark.exactdp
def test_raises_later():
    return claim(lambda u: u / 0)

@pytest.mark.exactdp
def test_nothing():
    return []

@pytest.mark.exactdp
@pytest.mark.xfail(strict=True)
def test_expected_to_fail():
    return claim("1/8")

@pytest.mark.exactdp
def test_own_mistake():
    return undefined
"""
    found = result(pytester, tests)
    found.assert_outcomes(failed=4, xfailed=1)
    text = found.stdout.str()
    assert "beta cannot be read: the text 'not a number' is no expression" in text
    assert "beta failed at the input 1" in text
    assert ":19: [] is not a claim" in text
    assert "NameError: name 'undefined' is not defined" in text


def test_a_claim_that_says_nothing_fails(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.mark.exactdp
def test_silent():
    return claim("1/8", inputs=[0])
"""
    found = result(pytester, tests)
    found.assert_outcomes(failed=1)
    assert "Vacuous: positive is" in found.stdout.str()


def test_the_mark_is_documented(pytester: pytest.Pytester) -> None:
    found = pytester.runpytest("--markers")
    assert "@pytest.mark.exactdp: the test returns claims" in found.stdout.str()


def test_an_undecided_claim_fails_with_its_sentence(pytester: pytest.Pytester) -> None:
    tests = """
from exactdp import Dom, dlap, sup

@mechanism
def count(x: Dom(0, 9)):
    return dlap(eps, x)

@pytest.mark.exactdp
def test_undecided():
    square = {"gamma": alpha * alpha, "output_distance": sup}
    return Accuracy(count, beta=exp(-alpha * eps), inputs=[4], **square)

@pytest.mark.exactdp
def test_holds():
    return claim("1/2")
"""
    found = result(pytester, tests)
    found.assert_outcomes(passed=1, failed=1)
    assert "Undecided: count is" in found.stdout.str()
    result(pytester, tests, "-k", "holds").assert_outcomes(passed=1, deselected=1)


def test_in_another_process(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.mark.exactdp
@pytest.mark.parametrize("beta", ["1/2", "1/8"])
def test_claim(beta):
    return claim(beta)
"""
    pytester.makepyfile(FILE + tests)
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-n", "1")
    found.assert_outcomes(passed=1, failed=1)
    assert "Fails: positive is" in found.stdout.str()


def test_a_project_without_claims_loads_nothing_of_exactdp(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "import sys\n\ndef test_nothing():\n"
        "    names = {n.partition('.')[0] for n in sys.modules}\n"
        "    assert not names & {'flint', 'numpy', 'matplotlib', 'rich'}\n"
        "    assert [n for n in sys.modules if n.startswith('exactdp.')] == "
        "['exactdp.pytest_plugin']\n"
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
