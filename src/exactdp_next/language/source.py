"""Source: the text of a function, the constants that it captures, and the places of its parts."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType

from ..errors import NotYet, Place, fail


@dataclass(frozen=True)
class Source:
    """A function as it is written; free names are constants, taken when it is read."""

    tree: ast.FunctionDef
    constants: Mapping[str, object]
    file: str
    lines: tuple[str, ...]
    first_line: int
    indent: int

    @classmethod
    def of(cls, function: Callable[..., object] | str, constants: Mapping[str, object]) -> Source:
        """Read a Python function, or the text of one."""
        if isinstance(function, str):
            return cls._of_text(function, constants, "<text>", 1)
        if not isinstance(function, FunctionType):
            fail("not-a-function", what=type(function).__name__)
        captured = inspect.getclosurevars(function).nonlocals
        lines, first = inspect.getsourcelines(function)
        scopes = ChainMap(dict(captured), function.__globals__, vars(builtins))
        return cls._of_text("".join(lines), scopes, inspect.getfile(function), first)

    @classmethod
    def _of_text(cls, text: str, constants: Mapping[str, object], file: str, first: int) -> Source:
        flat = textwrap.dedent(text)
        (tree,) = ast.parse(flat).body
        if not isinstance(tree, ast.FunctionDef):
            fail("not-a-function", what=type(tree).__name__)
        indent = len(text.split("\n", 1)[0]) - len(flat.split("\n", 1)[0])
        return Source(tree, constants, file, tuple(text.splitlines()), first, indent)

    def constant(self, name: str) -> object:
        """Return what a free name stands for."""
        if name not in self.constants:
            raise NotYet("language")
        return self.constants[name]

    def place(self, node: ast.AST) -> Place:
        """Return where a part of the tree stands."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + self.indent
        end = getattr(node, "end_col_offset", column) + self.indent
        text = self.lines[line - 1]
        return Place(self.file, self.first_line + line - 1, column + 1, end + 1, text)
