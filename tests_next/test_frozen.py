"""The old tree is an oracle for the new one: it does not change."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from bench.frozen import NoGitError, committed, record, recorded


def test_the_old_tree_is_as_recorded() -> None:
    try:
        found = committed()
    except NoGitError as reason:
        pytest.skip(str(reason))
    tree, changes = recorded()
    if not tree:
        pytest.skip('not frozen yet: `python -m bench.frozen --record "frozen"`')
    assert found == tree, (
        "src/exactdp was changed, which only a wrong answer is a reason for: "
        '`python -m bench.frozen --record "what was wrong"`'
    )
    assert all(changes)


def git(root: Path, *arguments: str) -> None:
    """Run git with a name, as machines of CI have none."""
    names = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(root), *names, *arguments], check=True, capture_output=True)


def test_what_counts_is_what_is_committed(tmp_path: Path) -> None:
    """Any file of the old tree counts but `__init__.py`; a shallow clone is enough."""
    with pytest.raises(NoGitError):
        committed(tmp_path)
    root = tmp_path / "one"
    tree = root / "src" / "exactdp"
    (tree / "inner").mkdir(parents=True)
    for name in ("__init__.py", "a.py", "inner/__init__.py"):
        (tree / name).write_text("x = 1\n")

    def after_commit() -> str:
        git(root, "add", "-A")
        git(root, "commit", "-qm", "one")
        return committed(root)

    git(tmp_path, "init", "-q", "one")
    first = after_commit()
    (tree / "__init__.py").write_text("x = 2\n")
    assert after_commit() == first
    (tree / "inner" / "__init__.py").write_text("x = 2\n")
    second = after_commit()
    assert second != first
    (tree / "a.py").unlink()
    assert after_commit() not in {first, second}
    git(tmp_path, "clone", "-q", "--depth=1", root.as_uri(), "two")
    assert committed(tmp_path / "two") == committed(root)


def test_the_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "frozen.toml"
    reasons = ['"quoted", ε and \\', "a second\nline"]
    record("0123456789abcdef", reasons, file)
    assert recorded(file) == ("0123456789abcdef", reasons)
