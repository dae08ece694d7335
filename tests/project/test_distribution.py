"""What is published: sdist and wheel are built, and the wheel is tried in clean environments.

By default with this Python; EXACTDP_PYTHONS=all tries every Python that pyenv or the path has.
Skipped where the package index cannot be reached.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def pythons() -> list[str]:
    """Return the interpreters to try."""
    if os.environ.get("EXACTDP_PYTHONS") != "all":
        return [sys.executable]
    found = []
    for version in VERSIONS:
        homes = sorted(Path.home().glob(f".pyenv/versions/{version}*/bin/python{version}"))
        path = str(homes[-1]) if homes else shutil.which(f"python{version}")
        if path is not None:
            found.append(path)
    return found


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command without the settings of this environment; return what it says."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )
    if done.returncode and "No matching distribution" in done.stderr + done.stdout:
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the sources."""
    folder = tmp_path_factory.mktemp("dist")
    source = folder / "source"
    keep = shutil.ignore_patterns(".*", "__pycache__", "_build", "exactdp-demo")
    shutil.copytree(ROOT, source, ignore=keep)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, source)
    (found,) = folder.glob("exactdp-*.whl")
    return found


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"exactdp"}
    for needed in (
        *("py.typed", "report/page.html", "reproduce/experiments.toml", "cli/starters.py"),
        *("documents/errors/noise.md", "documents/language.md", "documents/schema/cli-v1.json"),
    ):
        assert f"exactdp/{needed}" in names
    (metadata,) = [name for name in names if name.endswith("METADATA")]
    text = zipfile.ZipFile(wheel).read(metadata).decode()
    required = [line for line in text.splitlines() if line.startswith("Requires-Dist")]
    core = {line.split()[1].split(">")[0] for line in required if "extra" not in line}
    assert core == {"click", "numpy", "python-flint", "rich"}


@pytest.mark.parametrize("python", pythons(), ids=lambda path: Path(path).name)
def test_a_clean_environment(wheel: Path, python: str, tmp_path: Path) -> None:
    """Without the extra: claims are decided, and a picture names the extra that it needs."""
    run(python, "-m", "venv", tmp_path / "env")
    folder = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    run(folder / "python", "-m", "pip", "install", "--quiet", wheel)
    command = folder / "exactdp"
    for kind in ("count", "selection"):
        run(command, "new", kind, "--kind", kind, cwd=tmp_path)
        assert "hold" in run(command, "check", f"{kind}.py", cwd=tmp_path)
    answer = run(command, "error", "count.py", "--within", "10", "--risk", "5%", cwd=tmp_path)
    assert "0.299573227356" in answer
    assert "Right:" in run(command, "help", "R06", cwd=tmp_path)
    refused = subprocess.run(
        [str(command), "plot", "selection.py::on_a_grid", "-o", "x.svg"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "exactdp[report]" in refused.stderr


def test_the_source_distribution() -> None:
    """What a distributor needs is in the patterns of the sdist, and exists."""
    import tomllib  # noqa: PLC0415

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    for pattern in patterns:
        assert list(ROOT.glob(pattern.lstrip("/"))), pattern
