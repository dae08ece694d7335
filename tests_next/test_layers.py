"""What modules of the new tree import: only each other, by relative imports, and light libraries.

The order of the layers is checked by import-linter (`pyproject.toml`), the rest here.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import exactdp_next

TREE = Path(exactdp_next.__file__).parent
FILES = sorted(TREE.rglob("*.py"))

HEAVY = {"numpy", "sqlite3", "multiprocessing", "signal", "threading", "matplotlib"}
"""What is loaded by the function that needs it, if at all: a browser does not have all of them."""

LIBRARIES = {
    "rest": "flint",
    "cli": "flint, click, rich.console, rich.live, rich.markup, rich.progress, rich.table",
    "report": "flint, rich.console, rich.table",
}
"""What a package may bring in; click and rich load `threading`, which nothing of ours does."""


def imports(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports of a file at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node


def when_loaded(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs when a module is loaded: all but functions and what type checkers read."""
    for child in ast.iter_child_nodes(node):
        typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        if not typing and not isinstance(
            child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
        ):
            yield child
            yield from when_loaded(child)


def named(node: ast.AST) -> set[str]:
    """Return the top names of absolute imports in one statement."""
    if isinstance(node, ast.Import):
        return {one.name.split(".")[0] for one in node.names}
    if isinstance(node, ast.ImportFrom) and not node.level:
        return {str(node.module).split(".")[0]}
    return set()


def package(path: Path) -> str:
    """Return the package, or the module beside the packages, that a file belongs to."""
    return path.relative_to(TREE).parts[0].removesuffix(".py")


def target(path: Path, node: ast.ImportFrom) -> Path:
    """Return the folder or file without its ending that a relative import names."""
    return path.parents[node.level - 1].joinpath(*(node.module or "").split("."))


def wrong_imports(path: Path, text: str) -> Iterator[str]:
    """Yield what is wrong with the imports of a file that reads so."""
    tree = ast.parse(text)
    for node in imports(tree):
        if named(node) & {"exactdp", "exactdp_next"}:
            yield f"{ast.unparse(node)}: ours are imported relatively"
        if isinstance(node, ast.ImportFrom) and node.level:
            found = target(path, node)
            assert found.is_relative_to(TREE), ast.unparse(node)
            if found == TREE:
                tops = {one.name for one in node.names}
                here = {package(one) for one in FILES}
                if tops - here:
                    yield f"{ast.unparse(node)}: the public names are for users"
            else:
                tops = {found.relative_to(TREE).parts[0]}
            if "certify" in tops and package(path) not in {"certify", "store", "report", "cli"}:
                yield f"{ast.unparse(node)}: the solver and its checker share nothing"
            if package(path) == "certify" and tops != {"certify"}:
                yield f"{ast.unparse(node)}: the checker imports nothing of ours"
    for at_once in when_loaded(tree):
        if named(at_once) & HEAVY:
            yield f"{ast.unparse(at_once)}: import it in the function that needs it"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(TREE)))
def test_imports(path: Path) -> None:
    assert list(wrong_imports(path, path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ring/one.py", "import exactdp"),
        ("ring/one.py", "def f():\n    from exactdp_next.errors import NotYet"),
        ("ring/one.py", "from .. import Accuracy"),
        ("claims/one.py", "from ..certify.sums import Sum"),
        ("run.py", "from .certify import accepted"),
        ("certify/sums.py", "from ..errors import NotYet"),
        ("graph/one.py", "try:\n    import numpy\nexcept ImportError:\n    pass"),
        ("graph/one.py", "class A:\n    from threading import Lock"),
    ],
)
def test_these_would_be_found(name: str, text: str) -> None:
    assert len(list(wrong_imports(TREE / name, text))) == 1


def loaded(code: str) -> set[str]:
    """Return which of the heavy modules a process has loaded after some code."""
    code = f"import sys\n{code}\nprint(*({HEAVY!r} & set(sys.modules)))"
    env = {**os.environ, "EXACTDP_CORE": "new"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("part", LIBRARIES)
def test_loading_every_module_loads_nothing_heavy(part: str) -> None:
    modules = [
        ".".join(("exactdp_next", *path.relative_to(TREE).with_suffix("").parts))
        for path in FILES
        if path.stem != "__main__"
        and package(path) != "pytest_plugin"  # pytest loads it, and all of these
        and (package(path) if package(path) in LIBRARIES else "rest") == part
    ]
    code = "import exactdp\n" + "".join(f"import {name}\n" for name in modules)
    assert loaded(code) <= loaded(f"import {LIBRARIES[part]}")


def test_every_folder_is_a_package() -> None:
    """Otherwise import-linter does not see it."""
    assert {path.parent for path in FILES} == {path.parent for path in TREE.rglob("__init__.py")}
