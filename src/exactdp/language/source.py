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
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

from exactdp.errors import Place, ProgramError
from exactdp.language.limits import SOURCE_LIMIT
from exactdp.language.tree import source_text
from exactdp.language.words import MISSING


@dataclass(frozen=True)
class Source:
    """A text with its file name and first line, as the user knows them."""

    name: str
    lines: tuple[str, ...]
    first_line: int = 1
    #: The number of lines inserted before the text so that it parses.
    extra: int = 0

    def place(self, node: ast.AST, *, until: ast.AST | None = None) -> Place:
        """Return the place of a node, or of the stretch from `node` to the end of `until`."""
        last = node if until is None else until
        row = getattr(node, "lineno", 1 + self.extra) - self.extra
        text = self.lines[row - 1] if 0 < row <= len(self.lines) else ""
        start = self._column(text, getattr(node, "col_offset", 0))
        if getattr(last, "end_lineno", None) == getattr(node, "lineno", None):
            end = self._column(text, getattr(last, "end_col_offset", None) or 0)
        else:
            end = len(text.rstrip()) + 1
        return Place(self.name, self.first_line + row - 1, start, max(end, start + 1), text)

    @cached_property
    def _plain(self) -> bool:
        return all(map(str.isascii, self.lines))

    def _column(self, text: str, offset: int) -> int:
        """Return the column (from 1) of a UTF-8 byte offset, the unit that `ast` uses."""
        if self._plain:
            return offset + 1
        return len(text.encode()[:offset].decode(errors="replace")) + 1

    def at(self, row: int, column: int, width: int = 1) -> Place:
        """Return a place by row (from 1, in this text) and column (from 1)."""
        text = self.lines[row - 1] if 0 < row <= len(self.lines) else ""
        return Place(self.name, self.first_line + row - 1, column, column + width, text)

    def segment(self, node: ast.AST) -> str:
        """Return the characters of a node if it is on one line, else an empty string."""
        if getattr(node, "end_lineno", None) != getattr(node, "lineno", None):
            return ""
        return source_text(self.place(node))

    def parse(self) -> ast.Module:
        """Return the text's Python syntax tree, or a located error."""
        text = "\n".join(self.lines)
        if len(text) > SOURCE_LIMIT:
            raise ProgramError(
                f"the source has more than {SOURCE_LIMIT:,} characters",
                place=self.at(1, 1),
                rule=f"A source has at most {SOURCE_LIMIT:,} characters.",
                way_out="Give long tables as constants={…}.",
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse("if 1:\n" * self.extra + text)
        except SyntaxError as error:
            row = max(1, (error.lineno or 1) - self.extra)
            row = min(row, len(self.lines) or 1)
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
    """Return a text as a source."""
    return Source(name, tuple(text.split("\n")))


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
    try:
        source, tree = _parsed(function)
    except (OSError, TypeError, IndexError, SyntaxError):
        raise ProgramError(
            f"the source of {function.__name__} cannot be found",
            rule="A mechanism is read from its source, which must be in a file, a notebook "
            "cell or a doctest.",
            way_out=_AT_A_PROMPT
            if function.__code__.co_filename == "<stdin>"
            else "Use Mechanism.from_source(text, constants={…}).",
        ) from None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
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
        place=source.at(1, 1),
        rule="A mechanism is written as a function with `def`.",
        way_out="Use Mechanism.from_source(text, constants={…}).",
    )


def _parsed(function: FunctionType) -> tuple[Source, ast.Module]:
    """Return the source of a function and its syntax tree."""
    lines, start = inspect.findsource(inspect.unwrap(function))
    source = _as_source(function, lines[start : start + _length(lines[start:])], start + 1)
    try:
        return source, source.parse()
    except ProgramError:  # a line inside brackets or a string is not indented
        source = _as_source(function, *inspect.getsourcelines(function))
        return source, source.parse()


def _as_source(function: FunctionType, lines: list[str], first: int) -> Source:
    stripped = tuple(line.rstrip("\n") for line in lines)
    indented = bool(stripped) and stripped[0][:1].isspace()
    return Source(_short(function.__code__.co_filename), stripped, max(first, 1), int(indented))


def _length(lines: list[str]) -> int:
    """Return how many lines a function has, decorators included: the indented ones after `def`.

    `inspect.getsourcelines` reads all tokens instead. If this is too short, it does not parse.
    """
    starts = (k for k, line in enumerate(lines) if line.lstrip().startswith(("def ", "async ")))
    head = next(starts, 0)
    margin, last = _margin(lines[0]), head
    for k, line in enumerate(lines[head + 1 :], head + 1):
        if line.strip() and not line.lstrip().startswith("#"):
            if _margin(line) <= margin:
                break
            last = k
    return last + 1


def _margin(line: str) -> int:
    text = line.expandtabs()
    return len(text) - len(text.lstrip())


def lambda_source(function: FunctionType) -> tuple[Source, ast.FunctionDef] | None:
    """Return the source of a lambda and a `def` with the same body; None if it is not found."""
    code = function.__code__
    try:
        lines, _ = inspect.findsource(function)
        tree = ast.parse("".join(lines))
    except (OSError, TypeError, SyntaxError):
        return None
    nodes = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
    ]
    nodes = [node for node in nodes if len(nodes) == 1 or _is_of(node.body, code)]
    if not nodes:
        return None
    found = max(nodes, key=lambda node: (node.lineno, node.col_offset))  # the innermost one
    returned = ast.copy_location(ast.Return(found.body), found.body)
    written = ast.FunctionDef("ideal", found.args, [returned], [])
    source = Source(_short(code.co_filename), tuple(line.rstrip("\n") for line in lines))
    return source, ast.copy_location(written, found)


def _is_of(body: ast.expr, code: CodeType) -> bool:
    """Whether all positions in the bytecode of a function are known to be in an expression."""
    first = body.lineno, body.col_offset
    last = body.end_lineno or body.lineno, body.end_col_offset or 0
    known = [
        ((line, column), (end_line, end_column))
        for line, end_line, column, end_column in code.co_positions()
        if None not in (line, end_line, column, end_column) and end_column
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
