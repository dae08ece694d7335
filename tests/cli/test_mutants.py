"""Commands that no other test noticed when they were changed: see `mutants`."""

from __future__ import annotations

from pathlib import Path

from cli.commands import run, run_alone


def test_a_certificate_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "noise.json").write_bytes(b"\xff\xfe\x00")
    done = run("certify", "noise.json", "--json", cwd=tmp_path)
    (one,) = done.document["certificates"]
    assert (one["result"], one["reason"]) == ("unreadable", "not a text")
    assert done.code == 2


def test_a_folder_without_claims(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1\n")
    (tmp_path / "two.py").write_text("y = 2\n")
    done = run("check", ".", "--json", cwd=tmp_path)
    told = "there are no claims in ., which contains 2 Python files"
    assert done.document["error"]["message"] == told
    assert done.code == 2


def test_a_name_whose_claim_is_wrong(tmp_path: Path) -> None:
    """The message is that of the claim, not one about Python."""
    text = (
        "from exactdp import *\n"
        "@mechanism\n"
        "def positive(q: Real):\n"
        "    return lap(eps, q) > 0\n"
        "def claim(beta):\n"
        "    return Accuracy(positive, beta=beta, inputs=[1])\n"
    )
    (tmp_path / "claims.py").write_text(text)
    done = run("check", "claims.py::claim('oops')", "--json", cwd=tmp_path)
    assert "oops" in done.document["error"]["message"]
    assert done.code == 2
    assert run("check", "claims.py::claim('1/2')", "--json", cwd=tmp_path).code == 0
    done = run("check", "claims.py::positive", "--json", cwd=tmp_path)
    assert done.document["error"]["message"].startswith("positive in claims.py is a")


def test_plot_says_what_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    done = run("plot", "some_claims.py::lemma", "--input", "[1, 0]", "-o", str(path))
    assert (done.code, done.out) == (0, f"Wrote {path}.\n")


def test_the_package_is_the_command() -> None:
    done = run_alone("--version")
    assert (done.code, done.out.split()[0]) == (0, "exactdp,")
