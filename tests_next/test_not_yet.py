"""What waits for the new tree is skipped by family, and never more than is listed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WAITING = """
from exactdp_next.errors import NotYet
import pytest

@pytest.fixture
def made():
    raise NotYet("ring")

def test_fixture(made): pass
def test_body(): raise NotYet("graph")
def test_other(): pass
"""


def run(folder: Path, *options: str, core: str = "new", tests: int = 2, tries: bool = False) -> str:
    """Run pytest on a suite with a listed file, and one with two tests that wait."""
    suite = folder / "tests"
    (suite / "support").mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "tests" / "support" / "not_yet.py", suite / "support")
    (suite / "conftest.py").write_text('pytest_plugins = ["support.not_yet"]\n')
    (suite / "not_yet.toml").write_text(
        f'[tests]\n"test_waiting.py" = {tests}\n[files]\nreduce = ["test_listed.py"]\n'
    )
    (suite / "test_waiting.py").write_text(WAITING)
    (suite / "test_listed.py").write_text("def test_one(): pass\n")
    (suite / "test_at_once.py").write_text("def test_one(): pass\n")
    env = {**os.environ, "EXACTDP_CORE": core, "EXACTDP_NOT_YET": "try" if tries else ""}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(suite)])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "tests"]
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60
    )
    return f"{done.stdout}{done.stderr}exit code {done.returncode}"


@pytest.mark.parametrize("options", [(), ("-n", "2")])
def test_what_waits_is_skipped_and_counted(tmp_path: Path, options: tuple[str, ...]) -> None:
    said = run(tmp_path, *options)
    assert "not yet: graph: 0 files, 1 tests of others" in said
    assert "not yet: reduce: 1 files, 0 tests of others" in said
    assert "2 passed, 3 skipped" in said
    assert said.endswith("exit code 0")


def test_more_than_is_listed_fails(tmp_path: Path) -> None:
    said = run(tmp_path, tests=1)
    assert "2 tests of tests/test_waiting.py wait, not 1" in said
    assert said.endswith("exit code 1")


def test_listed_files_can_be_tried(tmp_path: Path) -> None:
    said = run(tmp_path, tries=True)
    assert "waits for nothing any more: tests/test_listed.py" in said
    assert "3 passed, 2 skipped" in said


def test_a_file_that_waits_when_it_is_loaded(tmp_path: Path) -> None:
    run(tmp_path)
    (tmp_path / "tests" / "test_more.py").write_text(
        "from exactdp_next.errors import NotYet\nraise NotYet('ring')\n"
    )
    said = run(tmp_path)
    assert "1 tests of tests/test_more.py wait, not 0" in said


def test_the_old_tree_waits_for_nothing(tmp_path: Path) -> None:
    assert "2 failed" not in run(tmp_path)
    said = run(tmp_path, core="old")
    assert "1 failed, 3 passed, 1 error" in said
