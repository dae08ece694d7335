"""Commands over the examples, output for output.

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
            *["check", "some_claims.py::lemma", "--eps", "[1/2, 3)", "--kappa", "2"],
            *["--inputs", "box:0:1"],
        ],
    ),
    "check_both_kinds": (1, ["check", "privacy.py"]),
    "check_expected": (1, ["check", "expected_losses.py"]),
    "tighten_expected": (0, ["tighten", "expected_losses.py::squared", "--each"]),
    "compare": (
        0,
        [
            *["compare", "noisy_max.py::noisy_max(3)", "noisy_max.py::exponential_max(3)"],
            *["--measure", "error", "--inputs", "[[1, 0, 0], [1, 1, 0]]", "--adjacent", "linf:1"],
        ],
    ),
    "privacy": (0, ["privacy", "privacy.py::private", "privacy.py::counts"]),
    "check_undecided": (3, ["check", "undecided.py", "some_claims.py::lemma"]),
    "tighten": (4, ["tighten", "some_claims.py::lemma", "some_claims.py::table", "--each"]),
    "epsilon": (0, ["epsilon", "some_claims.py::lemma", "--beta", "0.05"]),
    "error_eps": (0, ["error", "bounds.py::count", "--within", "10", "--risk", "5%"]),
    "error_risk": (0, ["error", "bounds.py::count", "--within", "10", "--eps", "1"]),
    "error_within": (0, ["error", "bounds.py::count", "--risk", "0.05", "--eps", "1"]),
    "error_check": (
        1,
        [
            *["error", "bounds.py::largest", "--within", "0", "--risk", "5%", "--eps", "1"],
            *["--inputs", "[[1, 0], [3, 0]]"],
        ],
    ),
    "check_bounds": (1, ["check", "bounds.py"]),
    "epsilon_set": (0, ["epsilon", "some_claims.py::fails(2)"]),
    "probability_event": (
        0,
        [
            *["probability", "numeric_sparse.py::numeric_sparse(2, c=1)", "--input", "[-1, 1]"],
            *["--output", "[None, Interval(0, 2)]", "--at", "1/2", "--digits", "12", "--latex"],
        ],
    ),
}


def agrees(name: str, found: str) -> None:
    """Compare with the golden file of this name, or write it."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("EXACTDP_GOLDEN") == "write":
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_output(name: str) -> None:
    code, arguments = CASES[name]
    file = arguments[-1 if len(arguments) == 1 else 1].partition("::")[0]
    done = run(*arguments, cwd=EXAMPLES if (EXAMPLES / file).is_file() else FILES)
    agrees(name, f"$ exactdp {shlex.join(arguments)}\n{masked(done.out)}")
    assert (done.code, done.err) == (code, "")
