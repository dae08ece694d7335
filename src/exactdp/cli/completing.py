"""Shell completion of targets: files, and the names defined in a file.

The file is parsed, not executed; the completions are the names assigned or defined at top level.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem


def complete_target(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the completions of FILE or FILE::NAME."""
    file, colons, start = incomplete.partition("::")
    if colons:
        return [CompletionItem(f"{file}::{name}") for name in _names(file, start)]
    # bash splits FILE::NAME into three words, and completes the last one.
    before = ctx.params.get(parameter.name or "") or ()
    if isinstance(before, tuple) and len(before) > 1 and before[-1] == "::":
        return [CompletionItem(name) for name in _names(before[-2], incomplete)]
    return [CompletionItem(incomplete, type="file")]


def _names(file: str, start: str) -> Iterator[str]:
    for name in defined(file):
        if name.startswith(start) and not name.startswith("_"):
            yield name


def defined(file: str) -> dict[str, int]:
    """Return the names that a file assigns or defines, each with the last line where it does."""
    try:
        body = ast.parse(Path(file).read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[str, int] = {}
    for node in body:
        match node:
            case ast.Assign(targets=targets):
                found |= {one.id: node.lineno for one in targets if isinstance(one, ast.Name)}
            case ast.AnnAssign(target=ast.Name(name)) | ast.FunctionDef(name=name):
                found[name] = node.lineno
    return found
