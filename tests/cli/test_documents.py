"""What `--json` writes follows the published schema, for every command."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from cli.commands import run, run_alone, validator
from exactdp import Accuracy, Mechanism, eps, exp


def test_check() -> None:
    done = run("check", "some_claims.py", "--json", "--jobs", "2")
    claims = done.document["claims"]
    assert [one["name"] for one in claims] == [
        *["lemma", "claims[0]", "claims[1]", "table['a number']", "table['silent']"]
    ]
    assert [one["verdict"] for one in claims] == ["holds", "holds", "fails", "holds", "vacuous"]
    assert [one["vacuous"] for one in claims] == [False, False, False, False, True]
    (failing,) = claims[2]["counterexamples"]
    # NoisyMax of two answers that are d apart: error (1/2 + εd/8)·e^(−εd/2), which is above the
    # claimed e^(−αε)/2 for α just below d/2.
    assert (failing["input"], failing["eps"]) == ("[-1, 0]", "1")
    assert failing["probability"]["text"] == "1 - 1/2*exp(-1/2*eps) - 1/8*eps*exp(-1/2*eps)"
    assert Fraction(failing["actual"]["upper"]) < Fraction(failing["required"]["lower"])
    assert Fraction(failing["error"]["lower"]) > Fraction(failing["allowed"]["upper"])
    assert done.err == ""


def test_selection_and_changes() -> None:
    done = run("check", "some_claims.py", "-k", "table", "--inputs", "[-2]", "--json")
    assert [one["inputs"] for one in done.document["claims"]] == [1, 1]
    # The error at −2 is e^(−2ε)/2, which is at most 1/4 from ε = (ln 2)/2 on.
    assert [one["verdict"] for one in done.document["claims"]] == ["holds", "fails"]
    done = run(
        "check", "some_claims.py", "-k", "silent", "--inputs", "[-2]", "--eps", "1", "--json"
    )
    assert done.code == 0
    done = run("check", "some_claims.py::lemma", "--kappa", "4.01", "--json")
    assert done.document["claims"][0]["verdict"] == "fails"
    assert run("check", "some_claims.py::lemma", "--kappa", "4", "--json").code == 0


def test_folders_are_searched(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    text = (Path(__file__).parent / "files" / "some_claims.py").read_text()
    (tmp_path / "deep" / "some_claims.py").write_text(text)
    (tmp_path / "no_claims.py").write_text("print('a file may print')")
    done = run("check", ".", "-k", "lemma", "--json", cwd=tmp_path)
    assert [one["file"] for one in done.document["claims"]] == ["deep/some_claims.py"]
    assert done.err == "a file may print\n"


def test_certificates(tmp_path: Path) -> None:
    folder = str(tmp_path / "proofs")
    done = run("check", "some_claims.py", "--certificates", folder, "--json")
    claims = done.document["claims"]
    written = [one["certificate"] for one in claims if one["certificate"]]
    assert len(set(written)) >= 4
    for one in claims:  # a verdict without certificate says why
        assert bool(one["certificate"]) != bool(one["note"])
        assert one["certificate"] or one["note"].startswith("No certificate: ")
    done = run("certify", *written, "--json")
    assert {one["result"] for one in done.document["certificates"]} == {"accepted"}
    assert done.code == 0

    changed = json.loads(Path(written[0]).read_text())
    changed["verdict"] = "fails"
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(changed))
    done = run("certify", written[0], str(broken), "--json")
    assert [one["result"] for one in done.document["certificates"]] == ["accepted", "rejected"]
    assert done.code == 1
    partly = tmp_path / "partly.json"
    claim = Accuracy(
        Mechanism.from_source("def sharp(q: Real): return lap(eps, q) > 0"),
        beta=exp(-eps),
        alpha=0,
        inputs=[2],
        output_distance=lambda _, a, b: {True: 0, False: 1}[a == b],  # not in the language
    )
    partly.write_text(json.dumps(claim.check().certificate))
    done = run("certify", written[0], str(partly), "--json")
    assert [one["result"] for one in done.document["certificates"]] == ["accepted", "conditional"]
    assert done.code == 3
    done = run("certify", str(broken), str(partly), "--json")
    assert done.code == 1
    done = run("certify", str(broken), "no.json", "some_claims.py", "--json")
    results = [one["result"] for one in done.document["certificates"]]
    assert results == ["rejected", "unreadable", "unreadable"]
    assert done.code == 2


def test_tighten_and_epsilon() -> None:
    done = run("tighten", "some_claims.py::lemma", "--each", "--json")
    (one,) = done.document["claims"]
    assert one["kappa"]["lower"] == one["kappa"]["upper"] == "4"
    assert len(one["rows"]) == 6
    done = run("epsilon", "some_claims.py::table['a number']", "--eps", "(0, inf)", "--json")
    (one,) = done.document["claims"]
    # e^(−2ε)/2 ≤ 1/4 from ε = (ln 2)/2 = 0.34657359… on.
    low, high = (Fraction(one["smallest"][end]) for end in ("lower", "upper"))
    assert low < Fraction("0.34657359028") < high + Fraction(1, 10**11)
    assert high - low < Fraction(1, 10**11)
    assert one["smallest"]["attained"] is True
    done = run("epsilon", "some_claims.py::claims", "--json")  # all real inputs, and a grid
    smallest = [one["smallest"] for one in done.document["claims"]]
    assert [one["exists"] for one in smallest] == [True, False]
    assert [one["attained"] for one in smallest] == [False, False]  # from 0 on, which is no ε
    assert done.code == 0
    # All real inputs have no table: an error beside the answer of the other claim.
    done = run("tighten", "some_claims.py::claims", "--each", "--json")
    assert [bool(one["error"]) for one in done.document["claims"]] == [True, False]
    assert done.code == 2


def test_probability_and_simulate() -> None:
    call = ["probability", "some_claims.py::positive", "--input", "1/2", "--at", "2"]
    done = run(*call, "--output", "False", "--json")
    (one,) = done.document["outputs"]
    assert one["probability"]["text"] == "1/2*exp(-1/2*eps)"
    assert one["value"]["digits"].startswith("0.18393972058572116")  # 1/(2e)
    done = run("simulate", "some_claims.py::positive", *call[2:4], "--eps", "2", "--json")
    rows = done.document["rows"]
    assert sum(row["count"] for row in rows) == done.document["runs"] == 100_000
    assert all(abs(row["apart"]) < 5 for row in rows)


def test_simulation_of_released_numbers(tmp_path: Path) -> None:
    """Real numbers are cut at quartiles; each share is near the exact one.

    The file has the name of a module that numpy imports, and does not hide it.
    """
    text = "from exactdp import *\n@mechanism\ndef release(q: Real):\n    return lap(eps, q)\n"
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "numbers.py").write_text(text)
    done = run_alone(
        "simulate", "deep/numbers.py", "--input", "3", "--eps", "1/2", "--json", cwd=tmp_path
    )
    rows = done.document["rows"]
    assert len(rows) == 4
    assert rows[0]["share"] == 1
    assert all(abs(row["apart"]) < 5 for row in rows)


def test_a_simulation_that_contradicts_is_told(tmp_path: Path) -> None:
    """A file breaks `sample` on purpose: True always, where it has probability 1/2."""
    text = """from exactdp import *

@mechanism
def positive(q: Real):
    return lap(eps, q) > 0

Mechanism.sample = lambda self, u, eps, size, seed: [True] * size
"""
    (tmp_path / "broken.py").write_text(text)
    call = ["simulate", "broken.py::positive", "--input", "0", "--eps", "1"]
    done = run(*call, cwd=tmp_path)
    assert done.code == 1
    assert "The simulation contradicts the exact probability of True" in done.err
    done = run(*call, "--json", cwd=tmp_path)
    assert done.code == 1
    assert [row["contradicts"] for row in done.document["rows"]] == [True, True]
    # Ten runs prove nothing: all are True with probability 1/1024.
    assert run(*call, "--runs", "10", cwd=tmp_path).code == 0


def test_simulation_of_integer_noise_and_fractions(tmp_path: Path) -> None:
    """Numbers with integer noise are one pattern, whether they are whole or not."""
    text = (
        "from exactdp import *\n@mechanism\ndef f(x: Dom(0, 3)):\n    return 0.1 * dlap(eps, x)\n"
    )
    (tmp_path / "tenths.py").write_text(text)
    call = ["simulate", "tenths.py::f", "--input", "3", "--eps", "1", "--json"]
    (row,) = run(*call, cwd=tmp_path).document["rows"]
    assert row["share"] == 1


def test_explain_with_chain(tmp_path: Path) -> None:
    path = tmp_path / "chain.svg"
    call = ["explain", "some_claims.py::lemma", "--json"]
    done = run_alone(*call, "--chain", str(path), "--input", "[0, 1]")
    assert done.document["mechanism"] == "noisy_max"
    assert done.document["chain"]["states"] > 2
    assert path.read_text().startswith("<svg")
    assert run(*call).document["chain"] is None
    done = run(*call, "--chain", str(path.with_suffix(".png")), "--input", "[0, 1]")
    assert done.code == 0
    assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    done = run(*call, "--chain", "chain.txt", "--input", "[0, 1]")
    assert done.document["error"]["message"] == "chain.txt is not a picture format"


def test_new_is_accepted_by_check(tmp_path: Path) -> None:
    done = run("new", "my_mechanism", "--json", cwd=tmp_path)
    assert done.document["path"] == "my_mechanism.py"
    done = run("check", "my_mechanism.py", "--json", cwd=tmp_path)
    assert [one["verdict"] for one in done.document["claims"]] == ["holds", "holds"]
    done = run("new", "my_mechanism", "--json", cwd=tmp_path)
    assert done.document["error"]["message"] == "my_mechanism.py already exists"


def test_pictures(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    call = ["plot", "some_claims.py::lemma", "-o", str(path), "--kind", "simulated"]
    done = run_alone(*call, "--input", "[1, 0]", "--json")
    assert done.code == 0
    assert done.document["path"] == str(path)
    assert done.document["kind"] == "simulated"
    assert "noisy_max at the input [1, 0]" in path.read_text(encoding="utf-8")


def test_errors_are_documents_too() -> None:
    done = run("check", "undecided.py::soft", "--json")
    error = done.document["error"]
    assert error["message"] == "soft cannot be found in undecided.py"
    assert error["place"] is None
    assert done.err == f"{error['message']}\n{error['way_out']}\n"
    assert run("check", "--json").document["error"]["message"].startswith("no file is named")
    assert run("check", "undecided.py", "--json").code == 3


def test_the_schema_is_strict() -> None:
    document = run("check", "some_claims.py::lemma", "--json").document
    document["claims"][0]["verdict"] = "perhaps"
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(document)
