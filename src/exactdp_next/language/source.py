"""Source: the text of a function, the constants that it captures, and the places of its parts."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import textwrap
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from types import FunctionType, MappingProxyType

from ..errors import ExactdpError, Place, fail
from ..ring.epsilon import Interval
from ..ring.expr import eps, exp, log, maximum, minimum, sqrt
from .samplers import SAMPLERS
from .types import Dom, Int, Real
from .values import INF, value_of

NESTED = 120
"""Expressions and blocks inside each other: Python's own stack has room for some more."""

LONGEST = 1_000_000
"""Characters of a source: data belongs into constants."""

WORDS: Mapping[str, object] = MappingProxyType(
    {
        "eps": eps,
        "exp": exp,
        "log": log,
        "sqrt": sqrt,
        "inf": INF,
        "Real": Real,
        "Dom": Dom,
        "Int": Int,
        **SAMPLERS,
    }
)
"""The words of the language: what they mean in each mechanism."""

FORMULAS = ("exp", "log", "sqrt")
KNOWN: Mapping[str, object] = MappingProxyType(
    {**WORDS, "maximum": maximum, "minimum": minimum, "Fraction": Fraction}
)
"""What a text may use without importing it."""


@dataclass(frozen=True)
class Source:
    """A function as it is written; free names are constants, taken when it is read."""

    tree: ast.FunctionDef
    constants: Mapping[str, object]
    file: str
    lines: tuple[str, ...]
    first_line: int = 1
    indent: int = 0
    functions: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    """The other functions of a text."""
    assigned: Mapping[str, ast.expr] = field(default_factory=dict)
    """The constants of a text, which are computed where they are used."""
    annotations: Mapping[str, object] = field(default_factory=dict)
    """The types of inputs where Python has computed them: they need not be in a closure."""
    epsilon: object = None
    """The interval of ε for which it is defined, as it was given; it may stand in the text."""

    @classmethod
    def of(cls, function: Callable[..., object], epsilon: object = None) -> Source:
        """Read a Python function; its closure and its globals are constants."""
        _require_function(function)
        assert isinstance(function, FunctionType)
        captured = inspect.getclosurevars(function).nonlocals
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            fail("P45", name=function.__name__)
        scopes = ChainMap(dict(captured), function.__globals__, vars(builtins))
        text, file = "".join(lines), inspect.getfile(function)
        flat = textwrap.dedent(text)
        indent = len(text.split("\n", 1)[0]) - len(flat.split("\n", 1)[0])
        body = _parsed(flat, file, first).body
        source = cls(_NOTHING, scopes, file, tuple(text.splitlines()), first, indent)
        one = body[0] if body else None
        if isinstance(one, ast.AsyncFunctionDef):
            fail("P42", place=source.place(one, headline=True))
        if not isinstance(one, ast.FunctionDef) or one.name != function.__name__:
            fail("P50", name=function.__name__)
        types = function.__annotations__
        return replace(source, tree=one, annotations=types, epsilon=epsilon)

    @classmethod
    def of_text(
        cls, text: object, constants: Mapping[str, object] | None = None, file: str = "<mechanism>"
    ) -> Source:
        """Read a text: constants and functions, of which the last one is meant."""
        if not isinstance(text, str):
            fail("I31", what=type(text).__name__)
        tree = _parsed(text, file, 1)
        found = dict(constants or {})
        source = cls(_NOTHING, found, file, tuple(text.splitlines()))
        functions: dict[str, ast.FunctionDef] = {}
        assigned: dict[str, ast.expr] = {}
        for one in tree.body:
            match one:
                case ast.FunctionDef():
                    functions[one.name] = one
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    assigned[name] = value
                case ast.Expr(value=ast.Constant(value=str())):
                    pass
                case ast.ImportFrom(module="exactdp") | ast.ImportFrom(module="fractions"):
                    pass
                case ast.AsyncFunctionDef():
                    fail("P42", place=source.place(one, headline=True))
                case _:
                    fail("P47", place=source.place(one))
        if not functions:
            place = Place(file, 1, 1, 2, source.lines[0] if source.lines else "")
            fail("P46", place=place)
        last = [*functions.values()][-1]
        scopes = ChainMap(found, dict(KNOWN), vars(builtins))
        return cls(last, scopes, file, source.lines, 1, 0, functions, assigned)

    @cached_property
    def interval(self) -> Interval:
        """The interval of ε for which the function is defined."""
        given, place = self.epsilon, self.place(self.tree, headline=True)
        for one in self.tree.decorator_list:
            for k in one.keywords if isinstance(one, ast.Call) else ():
                if k.arg == "epsilon" and isinstance(k.value, ast.Constant):
                    given, place = k.value.value, self.place(k.value)
        found = Interval.of("(0, inf)" if given is None else given)
        if not Interval.of("(0, inf)").covers(found):
            fail("S38", place=place, interval=str(found))
        return found

    def place(self, node: ast.AST, headline: bool = False) -> Place:
        """Return where a part of the tree stands; of a block only its first line counts."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        end = getattr(node, "end_col_offset", None)
        if headline or getattr(node, "end_lineno", line) != line or end is None:
            end = len(text.encode()) - self.indent
            if isinstance(node, ast.stmt):
                end = len(text.rstrip().encode()) - self.indent
        begin, stop = (_characters(text, n + self.indent) for n in (column, end))
        return Place(self.file, self.first_line + line - 1, begin + 1, stop + 1, text)

    def written(self, node: ast.AST) -> str:
        """Return a part of the tree as it is written, if it stands on one line."""
        place = self.place(node)
        return place.text[place.column - 1 : place.end_column - 1]


_NOTHING = ast.FunctionDef("", ast.arguments([], [], None, [], [], None, []), [], [])


def _characters(line: str, size: int) -> int:
    """Return how many characters so many bytes of a line are: ast counts bytes."""
    return len(line.encode()[:size].decode(errors="ignore"))


def _require_function(function: object) -> None:
    if not isinstance(function, FunctionType):
        fail("P43", what=type(function).__name__)
    if function.__name__ == "<lambda>":
        fail("P44")
    if getattr(function, "__wrapped__", None):
        fail("P50", name=function.__name__)


def _parsed(text: str, file: str, first: int) -> ast.Module:
    """Return the tree of a text, or refuse it where Python does."""
    if len(text) > LONGEST:
        fail("X03", most=LONGEST)
    lines = text.splitlines() or [""]
    old = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(max(old, 20 * NESTED + 2000))
        tree = ast.parse(text)
    except SyntaxError as error:
        line = min(error.lineno or 1, len(lines))
        column = error.offset or 1
        place = Place(file, first + line - 1, column, column + 1, lines[line - 1])
        fail("P01", place=place, problem=error.msg)
    except (RecursionError, MemoryError):
        fail("X02")
    except ValueError as error:
        fail("P01", problem=str(error))
    finally:
        sys.setrecursionlimit(old)
    for node in _too_deep(tree):
        line, column = node.lineno, node.col_offset
        end = node.end_col_offset or column + 1
        fail(
            "L10",
            most=NESTED,
            place=Place(file, first + line - 1, column + 1, end + 1, lines[line - 1]),
        )
    return tree


def _too_deep(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield the expressions and blocks that are nested too deeply."""
    todo: list[tuple[ast.AST, int]] = [(tree, 0)]
    while todo:
        node, depth = todo.pop()
        deeper = depth + isinstance(node, ast.expr | ast.stmt)
        if deeper > NESTED and isinstance(node, ast.expr | ast.stmt):
            yield node
        chain = isinstance(node, ast.If) and len(node.orelse) == 1
        for child in ast.iter_child_nodes(node):
            elif_branch = chain and isinstance(node, ast.If) and child is node.orelse[0]
            todo.append((child, depth if elif_branch else deeper))


def captured(name: str, x: object) -> object:
    """Return a constant: a value, with texts that spell numbers as numbers; or a function."""
    if callable(x) or type(x).__name__ == "module":
        return x
    try:
        return value_of(x, spelled=True)
    except ExactdpError as error:
        if error.code == "N10":
            fail("N10", what=name)
        fail("N09", what=name, value=x)
