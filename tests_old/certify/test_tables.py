"""α, β and γ that are Python functions of the input: certificates about formulas and tables."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.parts import regions
from exactdp import Accuracy, Grid, Mechanism, alpha, certify, discrete, eps, exp, maximum, sup
from support.examples import examples

from .specimens import seal

Json = Any

above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 0")
released = Mechanism.from_source("def released(q: Real): return lap(eps, q)")
respond = Mechanism.from_source(
    "def respond(b: bool): return choose({b: exp(eps) / (1 + exp(eps)), not b: 1 / (1 + exp(eps))})"
)
FACTORS = {-1: Fraction(1, 2), 0: Fraction(3, 4), 1: Fraction(1), 2: Fraction(2, 3)}


def from_table(u: Fraction) -> Any:
    """No formula: a dictionary is asked."""
    return FACTORS[int(u)] * exp(-alpha * eps)


def plain(claim: Accuracy) -> Json:
    return json.loads(json.dumps(claim.check().certificate))


def rejected(document: Json, reason: str = "") -> bool:
    report = certify.check(seal(document))
    return report.outcome == "rejected" and reason in report.reason


# β ------------------------------------------------------------------------------------------


@given(
    st.dictionaries(
        st.integers(-3, 3),
        st.tuples(st.sampled_from((1, 2, 3, 4)), st.sampled_from((1, 2, 3))),
        min_size=1,
    )
)
@examples(200)
def test_a_table_is_proved_or_refuted(rows: dict[int, tuple[int, int]]) -> None:
    """At q the error is e^{−|q|ε}/2 and dd is |q|: c·e^{−rαε} is enough if c ≥ 1/2 and r ≤ 1."""

    def beta(u: Fraction) -> Any:
        quarters, halves = rows[int(u)]
        return Fraction(quarters, 4) * exp(-alpha * eps * Fraction(halves, 2))

    found = Accuracy(above, beta=beta, inputs=sorted(rows)).check()
    is_true = all(c >= 2 and r <= 2 for q, (c, r) in rows.items() if q)
    assert found.holds is is_true
    document = json.loads(json.dumps(found.certificate))
    assert certify.check(document).outcome == "accepted"
    document["verdict"] = "fails" if is_true else "holds"
    assert rejected(document)


def test_the_table_is_what_is_claimed() -> None:
    document = plain(Accuracy(above, beta=from_table, inputs=Grid(-1, 2)))
    report = certify.check(document)
    assert report.outcome == "accepted"
    assert "β = (1/2)*exp((-1)*alpha*ε) at [-1]; and " in report.claim
    assert "β = (3/4)*exp((-1)*alpha*ε) at [0]; and " in report.claim


def test_a_changed_table_is_rejected() -> None:
    """With 1/4 at q = 1, which is false; with another true β; and with other inputs."""
    right = plain(Accuracy(above, beta=from_table, inputs=Grid(-1, 2)))
    rows = right["claim"]["cases"]
    assert [one["inputs"] for one in rows] == [[["-1"]], [["0"]], [["1"]], [["2"]]]
    for number in ("1/4", "2"):
        wrong = copy.deepcopy(right)
        tree = ["*", ["form", [[number, 0, "0"]], [["1", 0, "0"]]], rows[0]["beta"][0][1]]
        wrong["claim"]["cases"][2]["beta"] = [tree]
        assert rejected(wrong, "β is not as claimed")
    for other in (rows[:-1], rows[1:], [*rows[:-1], rows[0]], []):
        wrong = copy.deepcopy(right)
        wrong["claim"]["cases"] = other
        assert rejected(wrong, "no case is claimed at an input")
    for other in ([*rows, rows[0]], rows[::-1]):
        wrong = copy.deepcopy(right)
        wrong["claim"]["cases"] = other
        assert rejected(wrong)
    wrong = copy.deepcopy(right)
    wrong["claim"]["inputs"] = {"reals": True}
    assert rejected(wrong, "not claimed at listed inputs")


def test_a_dropped_input_is_rejected() -> None:
    """The claim is still about four inputs."""
    right = plain(Accuracy(above, beta=from_table, inputs=Grid(-1, 2)))
    del right["regions"][2]
    assert rejected(right, "a region is missing")


def test_a_function_that_is_a_formula_is_stated_as_one() -> None:
    """1 + q is 2 or 3: without the numbers of the inputs, β would not be seen to fall."""

    def beta(u: Any) -> Any:
        return (1 + u) * exp(-alpha * eps - u * eps / 9)

    for given_beta in (beta, "(1 + q) * exp(-alpha * eps - q * eps / 9)"):
        document = plain(Accuracy(above, beta=given_beta, inputs=[1, 2]))
        report = certify.check(document)
        assert report.outcome == "accepted"
        assert "(1 + q)*exp(" in report.claim


def test_a_callable_object_is_stated_as_a_table() -> None:
    """It has no text that is read."""

    class Odd:
        def __call__(self, u: Fraction) -> Any:
            return exp(-alpha * eps) * (1 if u >= 0 else Fraction(1, 2))

    document = plain(Accuracy(above, beta=Odd(), inputs=[-1, 1]))
    assert [one["inputs"] for one in document["claim"]["cases"]] == [[["-1"]], [["1"]]]
    assert certify.check(document).outcome == "accepted"


def test_a_beta_that_falls_at_some_inputs_only() -> None:
    """At q = 1 it grows with α, so all α are examined there, and the largest at q = 2."""
    growing = {1: exp(-alpha * eps) + alpha / 9, 2: exp(-alpha * eps)}
    document = plain(Accuracy(above, beta=lambda u: growing[int(u)], inputs=[1, 2]))
    assert ["alpha" in one for one in regions(document)] == [True, False]
    assert certify.check(document).outcome == "accepted"
    wrong = copy.deepcopy(document)
    wrong["regions"][0] = copy.deepcopy(document["regions"][1])
    regions(wrong)[0]["input"] = ["1"]
    assert rejected(wrong)


def test_inputs_that_are_not_numbers() -> None:
    chances = {True: exp(-eps), False: 1 / (1 + exp(eps))}
    claim = Accuracy(
        respond, beta=chances.__getitem__, alpha=0, ideal=lambda b: b, input_distance=discrete
    )
    document = plain(claim)
    assert certify.check(document).outcome == "accepted"
    cases = document["claim"]["cases"]
    assert [one["inputs"] for one in cases] == [[[False]], [[True]]]
    cases[0]["beta"] = [["form", [["1", 0, "-2"]], [["1", 0, "0"]]]]  # < 1/(1 + e^ε) at ε = 1
    assert rejected(document)


def test_the_command_accepts_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for inputs, word in (([1, 2], "the claim holds"), ([-1, 0], "the claim holds")):
        (tmp_path / "one.json").write_text(
            json.dumps(plain(Accuracy(above, beta=from_table, inputs=inputs))), encoding="utf-8"
        )
        assert certify.main([str(tmp_path / "one.json")]) == 0
        assert word in capsys.readouterr().out


# α and γ -------------------------------------------------------------------------------------


def test_gamma_from_a_table() -> None:
    """The error is above γ with probability e^{−γε}."""
    radii = {-1: Fraction(1, 2), 0: Fraction(2), 3: Fraction(2)}
    claim = Accuracy(
        released,
        beta=lambda u: exp(-radii[int(u)] * eps),
        gamma=lambda u: radii[int(u)],
        alpha=0,
        output_distance=sup,
        inputs=[-1, 0, 3],
    )
    document = plain(claim)
    report = certify.check(document)
    assert report.outcome == "accepted"
    cases = document["claim"]["cases"]
    assert [one["inputs"] for one in cases] == [[["-1"]], [["0"], ["3"]]]
    assert "γ = 2 and β = exp(-2·ε) at [0], [3]" in report.claim
    wrong = copy.deepcopy(document)
    wrong["claim"]["cases"][1]["gamma"] = wrong["claim"]["cases"][0]["gamma"]
    assert rejected(wrong)
    wrong = copy.deepcopy(document)
    wrong["claim"]["cases"][1]["inputs"] = [["0"]]
    assert rejected(wrong, "no case is claimed at an input")
    del wrong["claim"]["cases"][1], wrong["regions"][1:]
    assert rejected(wrong, "no case is claimed at an input")
    wrong = copy.deepcopy(document)
    del wrong["regions"][2]
    assert rejected(wrong)
    wrong = copy.deepcopy(document)
    wrong["claim"]["cases"][0]["inputs"] = [["-1"], ["3"]]  # there γ = 1/2 is not enough
    assert rejected(wrong)


@given(
    st.dictionaries(
        st.integers(-3, 3),
        st.tuples(st.integers(0, 6), st.integers(1, 3)),
        min_size=1,
    )
)
@examples(100)
def test_alpha_from_a_table(rows: dict[int, tuple[int, int]]) -> None:
    """A claim at α is made where |q| > α, and e^{−|q|ε}/2 ≤ e^{−rαε}/2 there if rα ≤ |q|."""
    claim = Accuracy(
        above,
        beta=lambda u: exp(-rows[int(u)][1] * alpha * eps) / 2,
        alpha=lambda u: Fraction(rows[int(u)][0], 2),
        inputs=sorted(rows),
    )
    found = claim.check()
    is_true = all(2 * abs(q) <= a or r * a <= 2 * abs(q) for q, (a, r) in rows.items())
    assert found.holds is is_true
    document = json.loads(json.dumps(found.certificate))
    assert certify.check(document).outcome == "accepted"
    document["verdict"] = "fails" if is_true else "holds"
    assert rejected(document)


def test_a_counterexample_is_to_a_case_at_its_input() -> None:
    claim = Accuracy(
        above,
        beta=lambda u: {1: 1, 2: Fraction(1, 4)}[int(u)] * exp(-alpha * eps),
        alpha=lambda u: {1: Fraction(1, 2), 2: Fraction(1, 4)}[int(u)],
        inputs=[1, 2],
    )
    document = plain(claim)
    assert document["verdict"] == "fails"
    assert certify.check(document).outcome == "accepted"
    document["claim"]["cases"][1]["inputs"] = [["1"]]
    document["claim"]["cases"][0]["inputs"] = [["1"], ["2"]]
    assert rejected(document)


def test_the_largest_of_functions_from_a_table() -> None:
    """e^{−|q|ε}/2 is below the larger one of e^{−αε}/2 and a number."""
    numbers = {1: Fraction(1, 3), 2: Fraction(1, 8)}
    claim = Accuracy(
        above,
        beta=lambda u: maximum(exp(-alpha * eps) / 2, numbers[int(u)]),
        inputs=[1, 2],
    )
    assert certify.check(plain(claim)).outcome == "accepted"


def test_cases_state_their_inputs() -> None:
    """A case is about all inputs if it says so."""
    found = plain(Accuracy(above, exp(-alpha * eps), region="alpha >= eps", inputs=[-1, 2]))
    assert certify.check(found).accepted
    for case in found["claim"]["cases"]:
        assert case.pop("inputs") is None
    assert rejected(found, "exactly the keys")
