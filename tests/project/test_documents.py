"""What the documents and docstrings show is what happens."""

from __future__ import annotations

import doctest
import importlib
import os
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

import exactdp

ROOT = Path(__file__).parents[2]
IS_NEW = os.environ.get("EXACTDP_CORE") == "new"
OLD = {"internals.md", "sparse_study.py"} if IS_NEW else set()
"""The inside of the old tree, and an example of what the new one will not have."""
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
DOCUMENTS = [path for path in DOCUMENTS if path.name not in OLD]
SOURCES = Path(exactdp.__path__[0])  # of the tree that EXACTDP_CORE names
MODULES = [
    ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCES.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


class Runner(doctest.DocTestRunner):
    """Runs examples; what the new tree does not have yet ends a page."""

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        """Report an error, but let `NotYet` through."""
        if exc_info[0].__name__ == "NotYet":
            raise exc_info[1]
        super().report_unexpected_exception(out, test, example, exc_info)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_run(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    page = doctest.DocTestParser().get_doctest(
        text, {"__name__": "__main__"}, path.name, str(path), 0
    )
    assert Runner().run(page).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name: str) -> None:
    runner = Runner()
    for one in doctest.DocTestFinder(exclude_empty=False).find(importlib.import_module(name)):
        runner.run(one)
    assert runner.failures == 0


EXAMPLES = [path for path in sorted((ROOT / "examples").glob("*.py")) if path.name not in OLD]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
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
