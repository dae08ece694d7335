"""Figures of the new tree are counted as they are meant."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from bench import budget


def test_frames_and_files_are_those_of_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four functions in two files; a generator that waits is no frame on the stack."""
    (tmp_path / "budget_inner.py").write_text(
        "def deep(n):\n    return deep(n - 1) if n else 0\ndef two():\n    yield 1\n    yield 2\n"
    )
    (tmp_path / "budget_outer.py").write_text(
        "from budget_inner import deep, two\n"
        "def start():\n    list(two())\n    sorted([1], key=lambda x: deep(3))\n"
    )
    question = tmp_path.parent / "question.py"
    question.write_text("import budget_outer\nbudget_outer.start()\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(budget, "TREE", tmp_path)
    import_module("budget_outer")  # loading a module is not counted as what a question takes

    functions, files, frames = budget.measured(question)
    assert (functions, files) == (4, 2)
    assert frames == 6  # start, the lambda, deep(3) to deep(0)


def test_a_file_above_its_limit_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(budget.DATA, "paths", {})
    assert budget.main() == 0
    monkeypatch.setitem(budget.DATA["limits"], "lines of the longest file", 10)
    assert budget.main() == 1
    assert capsys.readouterr().out.count("ABOVE THE LIMIT") == 1


def test_a_file_of_no_package_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(budget.DATA, "paths", {})
    monkeypatch.setitem(budget.DATA["modules"], "top", ["__init__.py"])
    assert budget.main() == 1
    assert "no package for __main__.py" in capsys.readouterr().err
