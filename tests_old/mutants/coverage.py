"""Which tests run which blocks of the source, and how long each test takes.

The source is copied and each block (the body of a function, a branch, a loop) of the copy
appends its number to a file when it is entered. A test is charged with what is new in that file
when it ends, so blocks that run in child processes count like any others.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

# The start of each module of the copy. A block that was seen since the last test is not written
# again; children forked by a test write into the same file.
PRELUDE = """
import os as _blocks_os
try:
    _blocks_seen = _blocks_os.exactdp_blocks_seen
except AttributeError:
    _blocks_seen = _blocks_os.exactdp_blocks_seen = set()
def _enter_block(number):
    _blocks_seen.add(number)
    name = _blocks_os.environ.get("EXACTDP_BLOCKS")
    if name:
        file = _blocks_os.open(name, _blocks_os.O_WRONLY | _blocks_os.O_APPEND | _blocks_os.O_CREAT)
        _blocks_os.write(file, b"%d\\n" % number)
        _blocks_os.close(file)
"""

# Tests of other programs (a browser, Jupyter, Sphinx) and tests that wait: slow, of little use.
LEFT_OUT = (
    "tests_old/report/test_browser.py",
    "tests_old/report/test_notebooks.py",
    "tests/docs/test_site.py",
    "tests/cli/test_terminal.py",
)

COMMANDS = ("tests/cli", "tests_old/cli", "tests_old/reproduce")  # these run `python -m exactdp`
TESTS = "tests.jsonl"
ON_IMPORT = -1  # the block of lines outside of functions


@dataclass(frozen=True)
class Coverage:
    """For each line of each file the block it is in; for each block the tests that enter it."""

    blocks: dict[str, dict[int, int]]
    tests: dict[int, list[str]]
    seconds: dict[str, float]

    def of(self, path: str, line: int) -> list[str]:
        """Return the tests that run a line.

        A line that runs on import is run by all tests of its file, or of its folder if there are no
        functions in the file.
        """
        block = self.blocks[path][line]
        if Path(path).stem == "__main__":
            return [test for test in self.seconds if test.startswith(COMMANDS)]
        if block != ON_IMPORT:
            return self.tests.get(block, [])
        blocks = set(self.blocks[path].values())
        if blocks == {ON_IMPORT}:
            beside = [one for one in self.blocks if Path(one).parent == Path(path).parent]
            blocks = {block for one in beside for block in self.blocks[one].values()}
        return sorted({test for one in blocks for test in self.tests.get(one, [])})


def measure(root: Path, store: Path) -> Coverage:
    """Run the tests that are new or changed on an instrumented copy of the source.

    If the source has changed since the last time, all tests are run.
    """
    source = _digest(*sorted((root / "src").rglob("*.py")))
    kept = store / "source"
    if not kept.exists() or kept.read_text(encoding="utf-8") != source:
        shutil.rmtree(store, ignore_errors=True)
        _write_copy(root / "src", store)
        kept.write_text(source, encoding="utf-8")
    known = {(test["name"].partition("::")[0], test["digest"]) for test in _records(store)}
    folders = [root / name for name in ("tests", "tests_old")]
    files = [
        str(path.relative_to(root)) for one in folders for path in sorted(one.rglob("test_*.py"))
    ]
    new = [file for file in files if (file, _digest(root / file)) not in known]
    new = [file for file in new if not file.startswith(LEFT_OUT)]
    environment = {
        **os.environ,
        "CI": "1",
        "PYTHONPATH": f"{store / 'instrumented'}:{root / 'tests'}:{root / 'tests_old'}",
        "PYTHONDONTWRITEBYTECODE": "",
        "EXACTDP_BLOCKS": str(store / "entered"),
        "EXACTDP_TESTS": str(store / TESTS),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "mutants.coverage"]
    if new:
        subprocess.run([*command, *new], cwd=root, env=environment, check=False)
    return _load(root, store)


def _load(root: Path, store: Path) -> Coverage:
    """Return what is known of the tests as they are now."""
    blocks = json.loads((store / "blocks.json").read_text(encoding="utf-8"))
    tests: dict[int, list[str]] = {}
    seconds = {}
    for test in _records(store):
        file = root / test["name"].partition("::")[0]
        if test["name"].startswith(LEFT_OUT):
            continue
        if test["passed"] and file.exists() and _digest(file) == test["digest"]:
            seconds[test["name"]] = test["seconds"]
            for block in test["blocks"]:
                tests.setdefault(block, []).append(test["name"])
    lines = {path: {int(line): block for line, block in of.items()} for path, of in blocks.items()}
    return Coverage(lines, tests, seconds)


def _records(store: Path) -> list[dict[str, Any]]:
    path = store / TESTS
    if not path.exists():
        return []
    return list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))


@cache
def _digest(*paths: Path) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def _write_copy(source: Path, store: Path) -> None:
    """Write the copy in which blocks report themselves, and which block each line is in."""
    copy = store / "instrumented"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    blocks = {}
    numbers = iter(range(10**9))
    for path in sorted(copy.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        blocks[str(path.relative_to(copy))] = _instrument(tree, numbers)
        path.write_text(ast.unparse(tree), encoding="utf-8")
    (store / "blocks.json").write_text(json.dumps(blocks), encoding="utf-8")


def _instrument(tree: ast.Module, numbers: Iterator[int]) -> dict[int, int]:
    """Let every block of a module report itself; return the block of each line."""
    lines: dict[int, int] = {}

    def visit(body: list[ast.stmt], inside: bool) -> None:
        number = next(numbers)
        for statement in body:
            lines.update(dict.fromkeys(_range(statement), number if inside else ON_IMPORT))
        for statement in body:
            is_function = isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
            if "mechanism" in map(ast.unparse, getattr(statement, "decorator_list", [])):
                continue  # a program, which is read and not run
            for part in (statement, *_parts(statement)):
                for name in ("body", "orelse", "finalbody"):
                    below = getattr(part, name, None)
                    if isinstance(below, list) and below:
                        visit(below, inside or is_function)
        if inside:
            report = ast.parse(f"{number} in _blocks_seen or _enter_block({number})").body[0]
            body.insert(int(_is_docstring(body[0])), report)

    visit(tree.body, inside=False)
    place = 1
    while place < len(tree.body) and _is_future(tree.body[place]):
        place += 1
    tree.body[place:place] = ast.parse(PRELUDE).body
    ast.fix_missing_locations(tree)
    return lines


def _parts(statement: ast.stmt) -> list[ast.AST]:
    if isinstance(statement, ast.Try):
        return list(statement.handlers)
    return list(statement.cases) if isinstance(statement, ast.Match) else []


def _is_docstring(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _range(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Write down what one test took and which blocks were entered meanwhile."""
    if "EXACTDP_TESTS" not in os.environ:
        return (yield)
    seen: set[int] = getattr(os, "exactdp_blocks_seen", set())
    seen.clear()
    entered = Path(os.environ["EXACTDP_BLOCKS"])
    entered.write_bytes(b"")
    _failed.clear()
    begin = _seconds()
    outcome = yield
    record = {
        "name": item.nodeid,
        "digest": _digest(item.path),
        "passed": not _failed,
        "seconds": round(_seconds() - begin, 3),
        "blocks": sorted(set(map(int, entered.read_bytes().split()))),
    }
    with open(os.environ["EXACTDP_TESTS"], "a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    return outcome


_failed: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember that a test did not pass."""
    if not report.passed:
        _failed.append(report.nodeid)


def _seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
