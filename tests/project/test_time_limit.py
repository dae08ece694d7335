"""Every test has a time limit, which also ends a call into a library in C."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_there_is_one(request: pytest.FixtureRequest) -> None:
    assert 0 < float(request.config.getini("faulthandler_timeout")) < 600
    assert request.config.getini("faulthandler_exit_on_timeout") is True


@pytest.mark.parametrize(
    "loop",
    [
        "while True: pass",
        "flint.fmpz_poly([3, 1] * 40) ** 10_000_000  # holds Python's lock for minutes",
    ],
)
def test_what_does_not_end_fails(loop: str, tmp_path: Path) -> None:
    """With the project's settings, but for the number of seconds."""
    (tmp_path / "test_hangs.py").write_text(f"import flint\n\ndef test_hangs():\n    {loop}\n")
    options = ["-c", str(ROOT / "pyproject.toml"), "-o", "faulthandler_timeout=1"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-p", "no:cacheprovider", "test_hangs.py"],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "Timeout (0:00:01)!" in done.stderr
    assert "in test_hangs" in done.stderr
