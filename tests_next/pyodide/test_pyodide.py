"""The new tree in Pyodide, Python for browsers: 32 bits, no processes, no threads, no signals.

Node runs it. `make pyodide` installs what is needed into `.pyodide` (30 MB), once, from npm and the
Python package index; where they cannot be reached or there is no Node, this is skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".pyodide"

PYODIDE = "314.0.7"
TAGS = ("--platform", "pyemscripten_2026_0_wasm32", "--implementation", "cp", "--abi", "cp314")
WHEELS = {"python-flint==0.9.0": TAGS, "click": (), "rich": ()}
"""What exactdp needs; click and rich, and what these need, consist of Python alone."""


def install() -> str:
    """Install Pyodide and the wheels, if they are not there; return why that is not possible."""
    done = FOLDER / f"installed-{PYODIDE}"
    if done.exists():
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return "there is no npm"
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    quiet = ("--no-audit", "--no-fund", "--no-save", "--fetch-retries=0", "--prefix", str(FOLDER))
    commands = [[npm, "install", *quiet, f"pyodide@{PYODIDE}"]]
    for wheel, tags in WHEELS.items():
        alone = ("--no-deps",) if tags else ()
        commands.append(
            [
                *(sys.executable, "-m", "pip", "download", "--quiet", "--retries=0"),
                *("--disable-pip-version-check", "--only-binary=:all:", "--python-version=314"),
                *("--dest", str(FOLDER / "wheels"), *alone, *tags, wheel),
            ]
        )
    for command in commands:
        try:
            made = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return f"{command[0]} takes longer than a minute"
        if made.returncode:
            said = next((line for line in made.stderr.splitlines() if "rror" in line), "no reason")
            return f"{Path(command[0]).name} could not install {command[-1]}: {said}"
    done.touch()
    return ""


def answers(command: list[str], **environment: str) -> dict[str, Any]:
    """Return the JSON that a command writes."""
    env = {**os.environ, **environment}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env=env
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_the_answers_are_those_of_this_python() -> None:
    """One test, as pytest-xdist would run several of them in several processes."""
    node = shutil.which("node")
    why_not = install() if node else "there is no Node"
    if node is None or why_not:
        pytest.skip(why_not)
    here = Path(__file__).parent
    found = answers([node, str(here / "answer.mjs"), str(ROOT)])
    assert found["facts"] == {"platform": "emscripten", "largest index": 2**31 - 1, "heavy": []}

    code = "import json, questions; print(json.dumps(questions.answers()))"
    path = os.pathsep.join([str(ROOT / "src"), str(here)])
    expected = answers([sys.executable, "-c", code], EXACTDP_CORE="new", PYTHONPATH=path)
    assert found["answers"] == expected
    assert expected["holds"].startswith("Holds")  # lem:nmax
    assert expected["fails"].startswith("Fails")  # with a fifth of its β
    assert expected["a changed certificate is rejected"] == "yes"
    assert expected["squares"] == [x * x for x in range(10)]
