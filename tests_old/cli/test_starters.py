"""The files of `exactdp new`: they run, their claims hold, and type checkers accept them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli.commands import run
from exactdp.cli.starters import KINDS, starter

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", KINDS)
def test_the_claims_of_a_new_file_hold(kind: str, tmp_path: Path) -> None:
    assert run("new", "started", "--kind", kind, cwd=tmp_path).code == 0
    done = run("check", "started.py", cwd=tmp_path)
    assert done.code == 0, done.out + done.err


def test_a_new_file_passes_mypy(tmp_path: Path) -> None:
    """In strict mode, with annotations such as Real[M]; `make lint` has checked exactdp before."""
    for kind in KINDS:
        (tmp_path / f"{kind}.py").write_text(starter(kind, kind, f"{kind}.py"), encoding="utf-8")
    files = [str(tmp_path / f"{kind}.py") for kind in KINDS]
    command = [sys.executable, "-m", "mypy", "--strict", *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_unknown_kinds(tmp_path: Path) -> None:
    done = run("new", "started", "--kind", "other", cwd=tmp_path)
    assert done.code == 2
    assert "selection" in done.err


def test_the_error_of_a_response_needs_an_ideal(tmp_path: Path) -> None:
    """A lie has the probability 1/(e^ε + 1): at most 5 % from ln 19 = 2.9444… on."""
    run("new", "started", "--kind", "response", cwd=tmp_path)
    asked = ["error", "started.py", "--risk", "5%"]
    assert "2.944438979" in run(*asked, cwd=tmp_path).out  # with the ideal of the only claim
    with (tmp_path / "started.py").open("a") as file:
        file.write("\nother = Accuracy(started, '1/2', ideal=lambda truth: truth)\n")
    assert "(--ideal NAME)" in run(*asked, cwd=tmp_path).err  # two claims have different ideals
    assert "2.944438979" in run(*asked, "--ideal", "right", cwd=tmp_path).out
    asked[1] = "started.py::bound"  # the claim has an ideal
    assert "2.944438979" in run(*asked, cwd=tmp_path).out
