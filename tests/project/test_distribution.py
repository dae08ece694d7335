"""What is published: an sdist, a wheel built from it, and the wheel tried in clean environments.

By default with this Python; EXACTDP_PYTHONS=all tries every Python that pyenv or the path has.
Skipped where the package index cannot be reached.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
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
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist from a copy of the sources."""
    folder = tmp_path_factory.mktemp("sdist")
    tools = folder / "tools"
    run(sys.executable, "-m", "pip", "install", "--quiet", "--target", tools, "hatchling")
    source = folder / "source"
    keep = shutil.ignore_patterns(".*", "__pycache__", "_build", "exactdp-demo")
    shutil.copytree(ROOT, source, ignore=keep)
    return built("sdist", source, tools)


@pytest.fixture(scope="module")
def wheel(sdist: Path) -> Path:
    """Build the wheel from the sdist, as an installer does."""
    with tarfile.open(sdist) as archive:
        archive.extractall(sdist.parent, filter="data")
    source = sdist.with_name(sdist.name.removesuffix(".tar.gz"))
    return built("wheel", source, sdist.parents[1] / "tools")


def built(kind: str, source: Path, tools: Path) -> Path:
    """Return what the build backend makes of a source tree."""
    out = tools.with_name(kind)
    out.mkdir()
    code = (
        f"import sys; sys.path.insert(0, {str(tools)!r}); import hatchling.build; "
        f"print(hatchling.build.build_{kind}({str(out)!r}))"
    )
    return out / run(sys.executable, "-c", code, cwd=source).split()[-1]


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"exactdp", "exactdp_next"}
    for needed in (
        *("py.typed", "report/page.html", "reproduce/experiments.toml", "cli/starters.py"),
        *("documents/errors/noise.md", "documents/language.md", "documents/schema/cli-v1.json"),
        *("documents/examples/laplace.py", "documents/examples/zoo/staircase.py"),
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
    run(python, "-m", "venv", "--without-pip", tmp_path / "env")
    folder = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    pip = (sys.executable, "-m", "pip", "--python", folder / "python", "install", "--quiet")
    run(*pip, "--no-compile", wheel)
    command = folder / "exactdp"
    for kind in ("count", "selection"):
        run(command, "new", kind, "--kind", kind, cwd=tmp_path)
        assert "hold" in run(command, "check", f"{kind}.py", cwd=tmp_path)
    answer = run(command, "error", "count.py", "--within", "10", "--risk", "5%", cwd=tmp_path)
    assert "0.299573227356" in answer
    assert "Right:" in run(command, "help", "R06", cwd=tmp_path)
    run(folder / "python", "-m", "doctest", beginning_of_the_gallery(tmp_path), cwd=tmp_path)
    refused = subprocess.run(
        [str(command), "plot", "selection.py::on_a_grid", "-o", "x.svg"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert "exactdp[report]" in refused.stderr


def beginning_of_the_gallery(folder: Path) -> Path:
    """Return a page with the code of the gallery up to its first mechanism."""
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    page = folder / "gallery.md"
    page.write_text("\n## ".join(text.split("\n## ")[:2]).replace("```", ""), encoding="utf-8")
    assert "show(" in page.read_text(encoding="utf-8")
    return page


def test_the_source_distribution(sdist: Path) -> None:
    """What a distributor needs: the sources, the tests, the documents, the licence."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for needed in (
        *("pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "Makefile"),
        *("src/exactdp/__init__.py", "tests/cli/test_golden.py", "docs/index.md"),
        *("src/exactdp_next/__init__.py", "tests_next/test_columns.py", "bench/frozen.toml"),
        *("examples/laplace.py", "bench/__main__.py"),
    ):
        assert needed in names, needed
    assert not any(part in name for name in names for part in ("__pycache__", ".venv", "_build"))
