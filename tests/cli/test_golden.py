"""Every command over the examples, output for output.

After a wanted change: EXACTDP_GOLDEN=write pytest tests/cli/test_golden.py, then read the diff.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from cli.commands import FILES, ROOT, masked, run

GOLDEN = Path(__file__).parent / "golden"
EXAMPLES = ROOT / "examples"

#: Name of the golden file → exit code and arguments; examples are run in their folder.
CASES: dict[str, tuple[int, list[str]]] = {
    "help": (0, ["--help"]),
    "check": (1, ["check", "some_claims.py", "--jobs", "2"]),
    "check_all": (1, ["check", "some_claims.py::fails(2)", "--all"]),
    "check_changes": (
        0,
        [
            "check",
            "some_claims.py::lemma",
            "--eps",
            "[1/2, 3)",
            "--kappa",
            "2",
            "--inputs",
            "box:0:1",
        ],
    ),
    "check_undecided": (3, ["check", "undecided.py"]),
    "tighten": (0, ["tighten", "some_claims.py::lemma", "some_claims.py::table", "--each"]),
    "epsilon": (0, ["epsilon", "some_claims.py::lemma", "--beta", "0.05"]),
    "epsilon_set": (0, ["epsilon", "some_claims.py::fails(2)"]),
    "probability": (0, ["probability", "noisy_max.py::noisy_max", "--input", "[1, 0, -1]"]),
    "probability_event": (
        0,
        [
            *["probability", "numeric_sparse.py::numeric_sparse(2, c=1)", "--input", "[-1, 1]"],
            *["--output", "[None, Interval(0, 2)]", "--at", "1/2", "--digits", "12", "--latex"],
        ],
    ),
    "probability_retries": (0, ["probability", "retries.py::retries", "--input", "1"]),
    "explain": (0, ["explain", "above_threshold.py::above_threshold(2)"]),
    "simulate": (
        0,
        ["simulate", "noisy_max.py::noisy_max", "--input", "[1, 0, -1]", "--eps", "1"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_output(name: str) -> None:
    code, arguments = CASES[name]
    file = arguments[-1 if len(arguments) == 1 else 1].partition("::")[0]
    done = run(*arguments, cwd=EXAMPLES if (EXAMPLES / file).is_file() else FILES)
    path = GOLDEN / f"{name}.txt"
    found = f"$ exactdp {shlex.join(arguments)}\n{masked(done.out)}"
    if os.environ.get("EXACTDP_GOLDEN") == "write":
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")
    assert done.code == code, done.err
    assert done.err == ""
