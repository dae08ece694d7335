"""The command line, and that the file needs nothing but the standard library."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from exactdp import certify

from .specimens import ALL, seal

FOLDER = Path(certify.__file__).parent


def run(path: Path | str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the folder alone: no site packages, no environment, no package around it."""
    command = [sys.executable, "-I", "-S", "-X", "utf8", *options, str(FOLDER), str(path)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.json"
    path.write_text(json.dumps(ALL["ε·e^{−ε} ≤ 1"]), encoding="utf-8")
    return path


def test_the_file_alone_loads_neither_flint_nor_exactdp(good: Path) -> None:
    done = run(good, "-X", "importtime")
    assert done.returncode == 0, done.stderr
    loaded = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if "|" in line}
    assert "json" in loaded
    assert not {name for name in loaded if name.split(".")[0] in ("flint", "exactdp", "reals")}


def test_the_kernel_needs_nothing_but_itself(tmp_path: Path) -> None:
    """A copy of it alone checks a proof of a sign; its files import Python's library and itself."""
    shutil.copytree(FOLDER / "kernel", tmp_path / "kernel")
    (tmp_path / "proof.json").write_text(json.dumps(ALL["ε·e^{−ε} ≤ 1"]), encoding="utf-8")
    code = (
        "import json, sys; sys.path.insert(0, '.'); from kernel.signs import SignProof; "
        "c = json.load(open('proof.json', encoding='utf-8')); s = SignProof(); "
        "s.read_claim(c['claim']); s.holds(c['proof']); print('proved')"
    )
    command = [sys.executable, "-I", "-S", "-X", "utf8", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout == "proved\n", done.stderr


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.stem)
def test_what_is_imported(path: Path) -> None:
    """The checker imports itself and Python's library; the kernel nothing of the other part."""
    ours = path.relative_to(FOLDER).parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert {one.name.split(".")[0] for one in node.names} <= sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            first = str(node.module).split(".")[0]
            assert first in sys.stdlib_module_names or ours == ("__main__.py",)
        elif isinstance(node, ast.ImportFrom):
            assert node.level <= len(ours)
            assert ours[0] != "kernel" or node.level == 1


def test_the_kernel_can_be_read_in_an_evening() -> None:
    """It has at most 800 lines of code, without docstrings, comments and blank lines."""
    count = 0
    for path in (FOLDER / "kernel").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        comments: set[int] = set()
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Expr(ast.Constant(str())):
                    comments |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
        for number, line in enumerate(text.splitlines(), 1):
            count += (
                bool(line.strip()) and not line.strip().startswith("#") and number not in comments
            )
    assert count <= 800


def test_accepted(good: Path) -> None:
    done = run(good)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "accepted: the claim holds, as proved in the certificate",
        "claim: ((-1)·ε·exp(-1·ε) + 1) / (1) >= 0 for every ε in [0, inf)",
    ]


def test_accepted_as_a_module(good: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certify.main([str(good)]) == 0
    assert capsys.readouterr().out.startswith("accepted: ")


def test_a_refutation_is_accepted_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fails.json"
    path.write_text(json.dumps(ALL["3ε·e^{−ε} ≤ 1 at 1"]), encoding="utf-8")
    assert certify.main([str(path)]) == 0
    assert capsys.readouterr().out.startswith("accepted: the claim fails at ε = 1")


def test_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = seal(ALL["ε > 0 on (0, ∞)"] | {"verdict": "fails"})
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(wrong), encoding="utf-8")
    assert certify.main([str(path)]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("rejected: the proof: not an object with exactly the keys zero_of")
    assert second == "claim: (ε) / (1) > 0 for every ε in (0, inf)"


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b"{", b'{"format": "other"}'])
def test_not_a_certificate(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.json"
    path.write_bytes(content)
    assert certify.main([str(path)]) == 2
    assert capsys.readouterr().out.startswith("not a readable certificate: ")


def test_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certify.main([str(tmp_path / "missing.json")]) == 2
    assert certify.main([str(tmp_path)]) == 2
    assert certify.main([]) == 2
    assert "usage" in capsys.readouterr().out


def test_a_terminal_without_unicode(good: Path) -> None:
    command = [sys.executable, "-I", str(FOLDER), str(good)]
    environment = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("streams", [">/dev/full", ">&-", ">&- 2>&-"])
def test_an_answer_that_cannot_be_written(streams: str, good: Path) -> None:
    """It is no acceptance."""
    line = f"{sys.executable} -I -S {FOLDER} {good} {streams}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert done.stderr.count("cannot be written") == ("2>" not in streams)
    assert "Traceback" not in done.stderr
