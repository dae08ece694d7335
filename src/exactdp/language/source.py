"""The text of a mechanism: its location, its places, and the outside names visible to it."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from exactdp.errors import Place, ProgramError
from exactdp.language.limits import SOURCE_LIMIT
from exactdp.language.tree import source_text
from exactdp.language.words import MISSING

DefinitionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Source:
    """A text with its file name, as the user knows it."""

    name: str
    lines: tuple[str, ...]

    def place(self, node: ast.AST, *, until: ast.AST | None = None) -> Place:
        """Return the place of a node, or of the stretch from `node` to the end of `until`."""
        last = node if until is None else until
        row = getattr(node, "lineno", 1)
        text = self._line(row)
        start = self._column(text, getattr(node, "col_offset", 0))
        if getattr(last, "end_lineno", None) == getattr(node, "lineno", None):
            end = self._column(text, getattr(last, "end_col_offset", None) or 0)
        else:
            end = len(text.rstrip()) + 1
        return Place(self.name, row, start, max(end, start + 1), text)

    def _line(self, row: int) -> str:
        return self.lines[row - 1] if 0 < row <= len(self.lines) else ""

    def _column(self, text: str, offset: int) -> int:
        """Return the column (from 1) of a UTF-8 byte offset, the unit that `ast` uses."""
        if text.isascii():
            return offset + 1
        return len(text.encode()[:offset].decode(errors="replace")) + 1

    def at(self, row: int, column: int, width: int = 1) -> Place:
        """Return a place by row and column, both from 1."""
        return Place(self.name, row, column, column + width, self._line(row))

    def segment(self, node: ast.AST) -> str:
        """Return the characters of a node if it is on one line, else an empty string."""
        if getattr(node, "end_lineno", None) != getattr(node, "lineno", None):
            return ""
        return source_text(self.place(node))

    def parse(self) -> ast.Module:
        """Return the text's Python syntax tree, or a located error."""
        text = "\n".join(self.lines)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(text)
        except SyntaxError as error:
            row = min(max(1, error.lineno or 1), len(self.lines) or 1)
            column = max(1, error.offset or 1)
            raise ProgramError(
                f"this is not Python: {error.msg}",
                place=self.at(row, column),
                rule="A mechanism is written in Python's own syntax.",
                way_out="Correct the line.",
            ) from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise ProgramError(
                f"this is not Python that can be read: {error or 'nested too deeply'}",
                place=self.at(1, 1),
                rule="A mechanism is written in Python's own syntax.",
                way_out="Write it in smaller parts, as plain text.",
            ) from None


def text_source(text: str, name: str) -> Source:
    """Return a text as a source, unless it is too long."""
    source = Source(name, tuple(text.split("\n")))
    if len(text) > SOURCE_LIMIT:
        raise ProgramError(
            f"the source has more than {SOURCE_LIMIT:,} characters",
            place=source.at(1, 1),
            rule=f"A source has at most {SOURCE_LIMIT:,} characters.",
            way_out="Give long tables as constants={…}.",
        )
    return source


_AT_A_PROMPT = (
    "The prompt of this Python keeps no source (that of 3.13 does). Write a file, use IPython, or "
    'write Mechanism.from_source("def f(q: Real): return lap(eps, q)").'
)


def function_source(function: object) -> tuple[Source, ast.FunctionDef]:
    """Return the source of a Python function and its definition in it."""
    if not isinstance(function, FunctionType) or function.__name__ == "<lambda>":
        raise ProgramError(
            f"{_what(function)} cannot be a mechanism",
            rule="A mechanism is written as a function with `def`.",
            way_out="Write `@mechanism` on the line before `def`.",
        )
    if hasattr(function, "__wrapped__"):
        raise ProgramError(
            f"{function.__name__} is inside another function, which a decorator made",
            rule="A mechanism is read from its source: what a decorator does around it is not.",
            way_out="Write `@mechanism` alone on the line before `def`.",
        )
    try:
        source, node = definition(function)
    except (OSError, TypeError, AttributeError):
        raise ProgramError(
            f"the source of {function.__name__} cannot be found",
            rule="A mechanism is read from its source, which must be in a file, a notebook "
            "cell or a doctest.",
            way_out=_AT_A_PROMPT
            if function.__code__.co_filename == "<stdin>"
            else "Use Mechanism.from_source(text, constants={…}).",
        ) from None
    if isinstance(node, ast.FunctionDef):
        return source, node
    if isinstance(node, ast.AsyncFunctionDef):
        raise ProgramError(
            "a mechanism cannot be async",
            place=source.place(node),
            rule="A mechanism is written as a function with `def`.",
            way_out="Leave out `async`.",
        )
    raise ProgramError(
        f"the source of {function.__name__} is not a `def`",
        place=source.at(function.__code__.co_firstlineno, 1),
        rule="A mechanism is written as a function with `def`.",
        way_out="Use Mechanism.from_source(text, constants={…}).",
    )


def lambda_source(function: FunctionType) -> tuple[Source, ast.FunctionDef] | None:
    """Return the source of a lambda and a `def` with the same body; None if it is not found."""
    try:
        source, found = definition(function)
    except (OSError, TypeError, ProgramError):
        return None
    if not isinstance(found, ast.Lambda):
        return None
    returned = ast.copy_location(ast.Return(found.body), found.body)
    written = ast.FunctionDef("ideal", found.args, [returned], [])
    return source, ast.copy_location(written, found)


def definition(function: Any) -> tuple[Source, DefinitionNode | None]:
    """Return the source of a Python function, and its definition there if it is found.

    Raise OSError or TypeError if there is no source, and `ProgramError` if it cannot be parsed.
    """
    code = function.__code__
    lines, _ = inspect.findsource(function)
    source = Source(_short(code.co_filename), tuple(line.rstrip("\n") for line in lines))
    here = _definitions(source).get(code.co_firstlineno, [])
    found = [node for node in here if getattr(node, "name", "<lambda>") == code.co_name]
    if len(found) > 1:  # on one line: the smallest that includes all of the bytecode
        found = [node for node in found if _includes(node, code)]
        found.sort(key=lambda node: len(ast.unparse(node)))
    return source, found[0] if found else None


@lru_cache(maxsize=4)  # of the files read last
def _definitions(source: Source) -> dict[int, list[DefinitionNode]]:
    """Return the definitions in a source by their first lines, which may be those of decorators."""
    found: dict[int, list[DefinitionNode]] = {}
    for node in ast.walk(source.parse()):
        if isinstance(node, DefinitionNode):
            above = getattr(node, "decorator_list", [])
            first = min(part.lineno for part in (node, *above))
            found.setdefault(first, []).append(node)
    return found


def _includes(node: DefinitionNode, code: CodeType) -> bool:
    """Whether all instructions of a function are known to come from the text of a definition."""
    first = node.lineno, node.col_offset
    last = node.end_lineno or node.lineno, node.end_col_offset or 0
    known = [
        ((line, column), (end_line, end_column))
        for line, end_line, column, end_column in code.co_positions()
        if None not in (line, end_line, column, end_column)
        and (line, column) != (end_line, end_column)
    ]
    return bool(known) and all(first <= start and end <= last for start, end in known)


def _short(name: str) -> str:
    """Return a file name, relative to the current directory if it is inside it."""
    try:
        relative = os.path.relpath(name)
    except ValueError:
        return name
    inside = os.path.isabs(name) and not relative.startswith("..")
    return relative if inside else name


def _what(found: object) -> str:
    if isinstance(found, FunctionType):
        return "a lambda"
    return f"a value of type {type(found).__name__}"


def surroundings(
    function: Callable[..., Any], local: Mapping[str, object]
) -> Callable[[str], object]:
    """Return the lookup of a function's outside names: closure, globals, builtins.

    `local` are the names at the place of the decorator. They are used only for names that the
    function's closure does not contain, because only its annotations use them.
    """
    code, cells = function.__code__, function.__closure__ or ()
    closure: dict[str, object] = {}
    for name, cell in zip(code.co_freevars, cells, strict=False):
        try:
            closure[name] = cell.cell_contents
        except ValueError:  # assigned later, or the function itself
            closure[name] = MISSING

    def lookup(name: str) -> object:
        for names in (closure, local, function.__globals__):
            if name in names:
                return names[name]
        return getattr(builtins, name, MISSING)

    return lookup


def given(constants: Mapping[str, object]) -> Callable[[str], object]:
    """Return the lookup of explicitly given names; Python's builtins and `math` are known too."""

    def lookup(name: str) -> object:
        if name in constants:
            return constants[name]
        return math if name == "math" else getattr(builtins, name, MISSING)

    return lookup
