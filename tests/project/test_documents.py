"""What the documents and docstrings show is what happens."""

from __future__ import annotations

import doctest
import importlib
import runpy
import sys
from pathlib import Path

import pytest

import exactdp

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SOURCES = Path(exactdp.__file__).parent
MODULES = [
    ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCES.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_run(path: Path) -> None:
    failed, _ = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert "Traceback" not in capsys.readouterr().out


def test_the_readme_shows_the_two_commands_first() -> None:
    text = (ROOT / "README.md").read_text()
    first = text.split("```")[1]
    assert "make demo" in first
    assert "make test" in first


#: Names whose examples are on the pages that explain them.
ELSEWHERE = {"Divergence", "Store", "inf"}


@pytest.mark.parametrize("name", sorted(set(exactdp.__all__) - ELSEWHERE))
def test_every_public_name_has_an_example(name: str) -> None:
    """In its docstring, or that of its type; `test_docstrings_run` runs them."""
    assert ">>>" in (getattr(exactdp, name).__doc__ or "")
