"""Certificates of whole claims: real ones are accepted, changed ones rejected."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from certify.parts import regions
from claims.formulas import exp
from claims.published import EXPERIMENTS, Experiment
from exactdp import Accuracy, Mechanism, alpha, certify, eps, sup
from exactdp.certify.rederive import limits
from language.corpus import FACTORIES

from .claim_specimens import CLAIMS, FAILING, certificate, changed, make, verdict
from .specimens import seal
from .test_schema import VALIDATOR

Json = Any


def cells(document: Json) -> list[Json]:
    """Return what is said at each input, in its only cell."""
    return [region["tree"]["cell"] for region in regions(document)]


@pytest.mark.parametrize("name", CLAIMS)
def test_true_claims_are_accepted_and_re_derived_completely(name: str) -> None:
    assert verdict(name).holds is True
    report = certify.check(json.dumps(certificate(name)))
    assert report.accepted, report.reason
    assert report.taken == ()
    assert report.reason.startswith("the claim holds: ")
    assert "closed forms" in report.reason
    assert report.reason.endswith("not re-derived: nothing")


@pytest.mark.parametrize("name", FAILING)
def test_refutations_are_accepted_and_re_derived_completely(name: str) -> None:
    assert verdict(name, fails=True).holds is False
    report = certify.check(json.dumps(certificate(name, fails=True)))
    assert report.accepted, report.reason
    assert report.taken == ()
    assert report.reason.startswith("the claim fails: ")
    assert "distance to disagreement (not smaller) (1)" in report.reason


def test_all_counterexamples_are_checked() -> None:
    found = FAILING["NoisyMax"]().check(all=True)
    assert len(found.counterexamples) == 6
    report = certify.check(found.certificate)
    assert "6 counterexamples are proved" in report.reason


@pytest.mark.parametrize("name", CLAIMS)
def test_certificates_fit_the_schema(name: str) -> None:
    VALIDATOR.validate(certificate(name))


@pytest.mark.parametrize("name", FAILING)
def test_certificates_of_refutations_fit_the_schema(name: str) -> None:
    VALIDATOR.validate(certificate(name, fails=True))


def test_the_schema_refuses_other_forms() -> None:
    right = certificate("NoisyMax m=2")
    for path, value in (
        (("claim", "cases", 0, "beta"), [["exp"]]),
        (("claim", "cases", 0, "alpha"), {"any": True}),
        (("claim", "input_distance"), {"name": "numeric"}),
        ((*CELL, "obligations"), False),
        (("verdict",), "true"),
    ):
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(changed(json.loads(json.dumps(right)), *path, to=value))


@pytest.mark.parametrize("row", [row for row in EXPERIMENTS if row.m <= 2], ids=str)
def test_rows_of_the_paper_are_re_derived_completely(row: Experiment) -> None:
    found = row.claim().check()
    report = certify.check(found.certificate)
    assert report.accepted, report.reason
    assert report.taken == ()
    assert report.reason.startswith(f"the claim {row.expect}: ")


def test_distances_are_re_derived_however_many_entries_there_are() -> None:
    """Where inputs disagree only close to a point, the way there is known, not searched."""
    ties = [[0] * 7, [0, 1, -1, 1, -1, 0, 0]]
    report = certify.check(
        Accuracy(make("sparse", 7, 1), beta=14 * exp(-alpha * eps / 8), inputs=ties)
        .check()
        .certificate
    )
    assert report.accepted, report.reason
    assert report.taken == ()


def test_equal_signs_are_written_once() -> None:
    written = certificate("NoisyMax m=3")
    used = [one for cell in cells(written) for one in cell["obligations"] or ()]
    assert len(used) == 15
    assert len(written["signs"]) == 3


# What is changed is rejected ------------------------------------------------------------

NM = "NoisyMax m=2"
FIRST = next(k for k, one in enumerate(cells(certificate(NM))) if one["obligations"])
CELL = ("regions", FIRST, "tree", "regions", 0, "tree", "cell")
HERE = (*CELL, "obligations", 0)


def rejected(wrong: Json) -> str:
    report = certify.check(json.dumps(wrong))
    assert not report.accepted
    assert "the seal does not fit" not in report.reason
    return report.reason


def test_another_beta_is_rejected() -> None:
    text = json.dumps(certificate(NM)["claim"]["cases"][0]["beta"])
    smaller = json.loads(text.replace('["2", 0, "0"]', '["1", 0, "0"]', 1))
    reason = rejected(changed(certificate(NM), "claim", "cases", 0, "beta", to=smaller))
    assert reason.endswith("β is not as claimed")


def test_another_alpha_is_rejected() -> None:
    reason = rejected(changed(certificate(NM), *HERE, "alpha", to=["1/3"]))
    assert reason.endswith("α and γ do not follow from the claim")
    assert rejected(changed(certificate(NM), *HERE, "alpha_reached", to=True))
    assert rejected(
        changed(certificate(NM), "claim", "cases", 0, "alpha", "range", "upper", to="1/4")
    )


def test_another_distance_is_rejected() -> None:
    """With the α that fits it, and without."""
    wrong = certificate(NM)
    cells(wrong)[FIRST]["distance"] = ["1/4"]
    assert rejected(seal(wrong))
    cells(wrong)[FIRST]["obligations"][0]["alpha"] = ["1/4"]
    assert "not as far away as stated" in rejected(seal(wrong))


def test_a_silent_input_must_be_silent() -> None:
    wrong = certificate(NM)
    cells(wrong)[FIRST].update(distance=["0"], obligations=None)
    assert "not as far away as stated" in rejected(seal(wrong))
    near = {"at": regions(wrong)[FIRST]["input"], "towards": None, "germs": False}
    cells(wrong)[FIRST]["parts"]["near"] = near
    assert "does not disagree" in rejected(seal(wrong))
    cells(wrong)[FIRST]["parts"]["near"] = None
    assert "a nearest input that disagrees, or none" in rejected(seal(wrong))


def test_another_probability_is_rejected() -> None:
    wrong = certificate(NM)
    terms = cells(wrong)[FIRST]["obligations"][0]["probability"][0]
    terms[-1][0] = "7/8"
    assert "the sign is that of another function" in rejected(seal(wrong))


def test_a_dropped_input_is_rejected() -> None:
    wrong = certificate(NM)
    del wrong["regions"][-1]
    assert "a region is missing" in rejected(seal(wrong))
    wrong = certificate(NM)
    del wrong["regions"][0]
    wrong["regions"].append(json.loads(json.dumps(wrong["regions"][-1])))
    assert "the first region is not the whole part" in rejected(seal(wrong))
    wrong = certificate(NM)
    regions(wrong)[-1]["input"] = ["5", "5"]
    assert "the first region is not the whole part" in rejected(seal(wrong))
    wrong = certificate(NM)
    wrong["regions"][-1]["tree"]["regions"].pop()
    assert "a region is missing" in rejected(seal(wrong))


def test_a_larger_grid_is_rejected() -> None:
    assert rejected(changed(certificate(NM), "claim", "inputs", "grid", 1, to="2"))


def test_a_dropped_obligation_is_rejected() -> None:
    wrong = certificate("NoisyMax, all γ")
    record = next(one for one in cells(wrong) if len(one["obligations"] or ()) > 1)
    del record["obligations"][0]
    assert rejected(seal(wrong))


def test_dropped_values_of_the_output_distance_are_rejected() -> None:
    wrong = certificate("NoisyMax, all γ")
    record = next(one for one in cells(wrong) if len(one["obligations"] or ()) > 1)
    del record["obligations"][0], record["steps"][1]
    assert "the output distance has other values" in rejected(seal(wrong))


def test_flipped_verdicts_are_rejected() -> None:
    assert rejected(changed(certificate(NM), "verdict", to="fails"))
    failing = certificate("NoisyMax", fails=True)
    assert rejected(changed(failing, "verdict", to="holds"))
    failing["counterexamples"] = []
    assert rejected(seal(failing))
    assert "a region is missing" in rejected(changed(failing, "verdict", to="holds"))
    failing = certificate("NoisyMax", fails=True)
    right = certificate(NM)
    assert "nothing else is proved" in rejected(seal(failing | {"regions": right["regions"]}))


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("eps / 2, q[i]", "eps / 3, q[i]", "another probability"),
        ("m = 2", "m = 1", "does not disagree"),
        ("r > top", "r < top", "does not disagree"),
        ("lap(", "expo(", "another probability"),
        ("return best", "return worst", "not known in the program"),
        ("best, top = 0", "best, top = 1", "the ideal output is another one"),
    ],
)
def test_another_program_is_rejected(before: str, after: str, reason: str) -> None:
    source = certificate(NM)["claim"]["mechanism"]
    assert before in source
    wrong = changed(certificate(NM), "claim", "mechanism", to=source.replace(before, after))
    assert reason in rejected(wrong)


def test_another_constant_is_rejected() -> None:
    name = "AboveThreshold m=2"
    source = certificate(name)["claim"]["mechanism"]
    wrong = source.replace("threshold = 0", "threshold = 1")
    assert rejected(changed(certificate(name), "claim", "mechanism", to=wrong))


def test_another_sign_is_rejected() -> None:
    signs = len(certificate(NM)["signs"])
    for k in range(signs + 1):
        if k != cells(certificate(NM))[FIRST]["obligations"][0]["beta"][0]["sign"]:
            assert rejected(changed(certificate(NM), *HERE, "beta", 0, "sign", to=k))
    assert rejected(changed(certificate(NM), *HERE, "beta", 0, "sign", to=None))


def test_a_pole_is_not_multiplied_away() -> None:
    """With a square in front a function is ≥ 0 also where it is not defined."""
    under = [["-1", [0], ["0"]], ["1", [1], ["0"]]]
    reason = rejected(changed(certificate(NM), *HERE, "beta", 0, "under", to=under))
    assert "a denominator is left out" in reason


def test_another_interval_of_budgets_is_rejected() -> None:
    name = "an interval of budgets"
    reason = rejected(changed(certificate(name), "claim", "epsilon", "lower", to="1/20"))
    assert "the sign is proved for other ε" in reason
    assert rejected(changed(certificate(NM), "claim", "epsilon", "lower_closed", to=True))


EXAMPLE = ("counterexamples", 0)


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        ("alpha", "1", "the claim is not made at this α"),
        ("alpha", "1/1000", "β is not as claimed"),
        ("gamma", "1", "the claim is not made here"),
        ("eps", "1000000", "it is none"),
        ("eps", "-1", "the claim is not made here"),
        ("input", [["5", "0"]], "the input is not one of the claim"),
        ("output", "0", "the ideal output is another one"),
        ("distance", "2", "perhaps an input so close disagrees"),
        ("actual", ["1/2", "1/2"], "a value is not as stated"),
        ("required", ["0", "1/2"], "a value is not as stated"),
        ("beta", [[["1", [0], ["0"]]], [["2", [0], ["0"]]]], "β is not as claimed"),
    ],
)
def test_another_counterexample_is_rejected(place: str, value: Json, reason: str) -> None:
    wrong = changed(certificate("NoisyMax", fails=True), *EXAMPLE, place, to=value)
    assert reason in rejected(wrong)


def test_a_minimum_must_be_proved_for_each_part() -> None:
    wrong = certificate("a minimum")
    record = next(one for one in cells(wrong) if one["obligations"])
    assert len(record["obligations"][0]["beta"]) == 2
    del record["obligations"][0]["beta"][0]
    assert "β is not as claimed" in rejected(seal(wrong))


def test_a_beta_that_grows_is_rejected() -> None:
    """α/(α + 1) tends to 1, and Pr ≥ 0 is proved; but the limit does not stand for smaller α."""
    falling = 1 + 1 / (alpha + 1)  # tends to 1, too
    right = Accuracy(make("noisy_max", 1), beta=falling, inputs=[[0]]).check().certificate
    one = ["form", [["1", 0, "0"]], [["1", 0, "0"]]]
    grows = ["/", ["name", "alpha"], ["+", ["name", "alpha"], one]]
    reason = rejected(
        changed(json.loads(json.dumps(right)), "claim", "cases", 0, "beta", to=[grows])
    )
    assert reason == "group 1: β is not seen to fall in alpha"


# What is not re-derived is said ------------------------------------------------------------


@pytest.mark.parametrize("gamma", [0, 1])
def test_discrete_noise_is_derived_again(gamma: int) -> None:
    """Pr(|noise| > γ) is 2x^(γ+1)/(1 + x), with x = e^{−ε}: β with the power γ is enough."""
    mechanism = Mechanism.from_source("def released(x: Dom(-1, 1)):\n    return dlap(eps, x)")
    beta = 2 * exp(-(gamma + 1) * eps) / (1 + exp(-eps))
    claim = Accuracy(mechanism, beta=beta, alpha=0, gamma=gamma, output_distance=sup)
    document = claim.check().certificate
    report = certify.check(document)
    assert report.accepted
    assert not report.taken


def test_python_functions_are_taken_from_the_solver() -> None:
    claim = Accuracy(FACTORIES["median"](3, 2), beta="1/2", alpha=0)
    report = certify.check(claim.check().certificate)
    assert report.outcome == "conditional"
    assert any("score is a Python function" in one for one in report.taken)


def test_what_is_taken_could_be_anything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a distance that is not known, any probability may be stated: it is conditional."""
    forged: Json = json.loads(json.dumps(certificate(NM)))
    forged["claim"]["output_distance"] = {"python": "unheard_of"}
    (tmp_path / "forged.json").write_text(json.dumps(seal(forged)), encoding="utf-8")
    assert certify.main([str(tmp_path / "forged.json")]) == 3
    assert capsys.readouterr().out.startswith("conditional: if what is taken from the solver")


def test_a_claim_that_says_nothing() -> None:
    silent = Accuracy(make("noisy_max", 2), exp(-alpha * eps), inputs=[[1, 1]]).check()
    assert silent.outcome == "vacuous"
    report = certify.check(silent.certificate)
    assert report.reason.startswith("the claim says nothing, so it is true: ")


@pytest.mark.parametrize(
    ("limit", "name"),
    [
        ("MAX_PATHS", "NoisyMax, all γ"),  # its runs are not merged
        ("MAX_STEPS", "NoisyMax m=3"),
        ("MAX_INTEGRATION", "NoisyMax m=3"),
    ],
)
def test_what_is_too_large_is_taken(limit: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = certificate(name)
    monkeypatch.setattr(limits, limit, 3)
    report = certify.check(right)
    assert report.outcome == "conditional"
    assert any(re.match(r"closed forms \((\d+) of \1\): .* 3 ", one) for one in report.taken)


def test_the_limits_are_those_of_the_schema() -> None:
    described = VALIDATOR.schema["description"]
    assert f"{limits.MAX_PATHS:,} paths" in described
    assert limits.MAX_STEPS == limits.MAX_INTEGRATION == 20_000_000


def test_undecided_proves_nothing() -> None:
    more: Json = {"verdict": "undecided", "reason": "tight", "regions": [], "signs": []}
    undecided = certificate(NM) | more
    report = certify.check(seal(undecided))
    assert report.outcome == "rejected"
    assert "nothing is proved of it" in report.reason
    assert not certify.check(seal(undecided | {"verdict": "holds", "reason": ""}))
