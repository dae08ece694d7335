"""Settings in pyproject.toml, time limits, watching, and what editors and pull requests read."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import click
import pytest

from cli.commands import FILES, run
from exactdp.cli import settings
from exactdp.cli.main import group

BOUNDS = str(FILES / "bounds.py")


def project(folder: Path, text: str) -> Path:
    """Make a project with settings and a file of claims in a folder of its own."""
    (folder / "pyproject.toml").write_text(f"[tool.exactdp]\n{text}\n", encoding="utf-8")
    (folder / "claims").mkdir()
    (folder / "claims" / "bounds.py").write_text((FILES / "bounds.py").read_text(encoding="utf-8"))
    return folder


def test_targets_and_options_come_from_the_project(tmp_path: Path) -> None:
    """From a folder below, too; what is said on the command line counts more."""
    root = project(tmp_path, "targets = ['claims']\neps = '3'")
    done = run("check", "-k", "goal", cwd=root)
    assert done.code == 0, done.err
    assert "for ε = 3" in done.out
    assert run("check", "-k", "goal", cwd=root / "claims").code == 0
    assert "for ε = 1 " in run("check", "-k", "goal", "--eps", "1", cwd=root).out


def test_every_setting_is_an_option() -> None:
    """Its name in the code, under which click looks for a default, is known."""
    context = click.Context(group)
    for name, (_, commands) in settings._KNOWN.items():
        for command in map(partial(group.get_command, context), commands):
            assert command is not None
            assert settings._PARAMETERS.get(name, name) in {one.name for one in command.params}


def test_the_format_comes_from_the_project(tmp_path: Path) -> None:
    root = project(tmp_path, "targets = ['claims']\nformat = 'github'")
    assert "::error file=" in run("check", cwd=root).out


@pytest.mark.parametrize("text", ["target = ['x']", "timeout = 'soon'", "targets = 'x'", "x ="])
def test_wrong_settings(tmp_path: Path, text: str) -> None:
    done = run("check", cwd=project(tmp_path, text))
    assert done.code == 2
    assert "pyproject.toml" in done.err
    assert "[tool.exactdp]" in done.err


def test_no_file_is_named(tmp_path: Path) -> None:
    done = run("check", cwd=tmp_path)
    assert done.code == 2
    assert "no file is named" in done.err


def test_a_time_limit(tmp_path: Path) -> None:
    """A claim that takes longer is undecided; those after it are still decided."""
    (tmp_path / "slow.py").write_text(
        "from exactdp import Accuracy, Mechanism, eps, exp\n"
        "m = Mechanism.from_source('def m(x: Dom(0, 1)): return x')\n"
        "def slow(u):\n"
        "    sum(range(10**10))\n"
        "    return exp(-eps)\n"
        "first = Accuracy(m, slow)\n"
        "second = Accuracy(m, 0)\n",
        encoding="utf-8",
    )
    begin = time.monotonic()
    done = run("check", "slow.py", "--timeout", "1", "--json", cwd=tmp_path)
    assert time.monotonic() - begin < 30
    found = json.loads(done.out)
    assert [one["verdict"] for one in found["claims"]] == ["undecided", "holds"]
    assert "no answer within 1 s" in found["claims"][0]["sentence"]
    assert done.code == 3


def test_a_child_that_is_ended_before_it_has_begun(tmp_path: Path) -> None:
    """It has the parent's handler of signals until then, and printed a traceback."""
    (tmp_path / "late.py").write_text(
        "import os, time\n"
        "from exactdp import Accuracy, Mechanism, eps, exp\n"
        "os.register_at_fork(after_in_child=lambda: time.sleep(0.7))\n"
        "m = Mechanism.from_source('def m(x: Dom(0, 1)): return x')\n"
        "def slow(u):\n"
        "    sum(range(10**10))\n"
        "    return exp(-eps)\n"
        "claim = Accuracy(m, slow)\n",
        encoding="utf-8",
    )
    done = run("check", "late.py", "--timeout", "1.5", cwd=tmp_path)
    assert done.code == 3
    assert done.err == ""


def test_annotations_of_a_pull_request() -> None:
    """The line is that on which the claim is assigned."""
    lines = (FILES / "bounds.py").read_text(encoding="utf-8").splitlines()
    line = 1 + next(k for k, text in enumerate(lines) if text.startswith("clear ="))
    done = run("check", BOUNDS, "--format", "github")
    assert done.code == 1
    (annotation,) = [text for text in done.out.splitlines() if text.startswith("::")]
    assert annotation.startswith(
        f"::error file={BOUNDS},line={line},title=exactdp%3A clear fails::"
    )
    assert "at most 10%25" in annotation


def test_sarif() -> None:
    done = run("check", BOUNDS, "--format", "sarif")
    document = json.loads(done.out)
    (found,) = document["runs"][0]["results"]
    assert document["version"] == "2.1.0"
    assert (found["ruleId"], found["level"]) == ("fails", "error")
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("bounds.py")
    assert place["region"]["startLine"] > 20
    assert done.code == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent otherwise there")
def test_watching(tmp_path: Path) -> None:
    """A change of the file is seen, and Ctrl-C ends it with the last exit code."""
    file = tmp_path / "claims.py"
    text = (FILES / "bounds.py").read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "exactdp", "check", "claims.py", "-k", "goal", "--watch"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        _until(child.stderr, "Waiting")
        file.write_text(text.replace('risk="5%", epsilon="[1/2, 2]"', 'risk="1e-9"'))
        os.utime(file, (time.time() + 5, time.time() + 5))
        _until(child.stderr, "Waiting")
        child.send_signal(signal.SIGINT)
        out = child.stdout.read()
        assert child.wait(20) == 1
    assert out.count("claims.py::goal: Holds") == 1
    assert out.count("claims.py::goal: Fails") == 1


def _until(stream: object, word: str) -> None:
    for line in stream:  # type: ignore[attr-defined]
        if word in line:
            return
    raise AssertionError(word)
