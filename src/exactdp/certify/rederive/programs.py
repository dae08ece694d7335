"""A small, independent interpreter of the mechanisms' language.

Unsupported constructs and values that are too large raise `UnsupportedError`: then the report
states that this part was not re-derived. See `interpreter` for statements and expressions.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..kernel.limits import MAX_TEXT
from . import limits
from .allowed import check_text
from .builtin import FUNCTIONS, LONGEST, bounded
from .flat import FlatCode
from .interpreter import FAILURES, UNKNOWN, FunctionCall
from .linear import LinearForm, plain
from .ratios import BrokenRunError, EndlessRunError, UnsupportedError
from .runs import Path

# So the printer of programs names what it cannot print.
_OUTSIDE = re.compile(r"^# (\w+)[\w.]* is ", re.MULTILINE)

_HOLD_MORE = (list, tuple, dict, str)
_OF_PYTHON = (ArithmeticError, LookupError, TypeError, ValueError)


@dataclass(frozen=True)
class InputKind:
    """What an input is: values of a finite domain, or reals; alone, or a list of them."""

    members: tuple[Any, ...] | None
    length: int | None


class Steps:
    """How many steps are left for all programs together, by the length of the certificate."""

    def __init__(self, length: int = MAX_TEXT) -> None:
        self.most = min(limits.MAX_STEPS, limits.STEPS[0] + limits.STEPS[1] * length)
        self.left = self.most
        self.least = 0

    def begin(self) -> None:
        """Begin another run."""
        self.least = self.left - limits.MAX_RUN

    def spend(self, steps: int = 1) -> None:
        """Count steps."""
        self.left -= steps
        if self.left < 0:
            raise UnsupportedError(f"running the programs takes more than {self.most} steps")
        if self.left < self.least:
            raise EndlessRunError(f"a run of the program takes more than {limits.MAX_RUN} steps")

    def weigh(self, *values: Any) -> None:
        """Count all items of lists in lists, as often as they occur: each may be gone over."""
        waiting = [one for one in values if isinstance(one, _HOLD_MORE)]
        while waiting:
            one = waiting.pop()
            self.spend(1 + len(one) // 4)
            if not isinstance(one, str):
                items = one.values() if isinstance(one, dict) else one
                waiting += [item for item in items if isinstance(item, _HOLD_MORE)]


class SourceProgram:
    """The last function of a source text, with the constants and functions before it."""

    def __init__(self, source: str, steps: Steps) -> None:
        self.steps = steps
        if len(source) > limits.MAX_SOURCE:
            raise UnsupportedError("the program is too long")
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise UnsupportedError("the program cannot be read") from error
        check_text(tree)
        self.constants: dict[str, Any] = {}
        self.unlike_chains: set[int] = set()
        """The `while` loops that are not examined as chains (see `chains`)."""
        self._codes: dict[object, FlatCode] = {}
        self.outside = set(_OUTSIDE.findall(source))
        self.function: ast.FunctionDef | None = None
        nobody = FunctionCall(self, None, {}, 0)
        for node in tree.body:
            match node:
                case ast.FunctionDef(name):
                    self.constants[name] = self.function = node
                case ast.Assign([ast.Name(name)], value):
                    for part in ast.walk(value):
                        _exact(part, source)
                    try:
                        self.constants[name] = nobody.guarded(value)
                    except UnsupportedError:
                        self.constants[name] = UNKNOWN
        if self.function is None:
            raise UnsupportedError("the program has no function")
        self.constants.pop(self.function.name, None)  # nothing can refer to it
        self.has_assertions = any(isinstance(node, ast.Assert) for node in ast.walk(tree))
        for part in ast.walk(tree):
            _exact(part, source)

    def code(self, node: ast.FunctionDef, *, for_graph: bool = False) -> FlatCode:
        """Return the code of a function, for runs along paths or for a graph of runs."""
        key = id(node), for_graph
        if key not in self._codes:
            known = frozenset(FUNCTIONS.keys() - self.outside - self.constants.keys())
            self._codes[key] = FlatCode(node, known if for_graph else None)
        return self._codes[key]

    @property
    def parameters(self) -> list[str]:
        """The names of the inputs."""
        assert self.function is not None
        return [one.arg for one in self.function.args.args]

    def kinds(self) -> list[InputKind]:
        """Return what the inputs are, by their annotations."""
        assert self.function is not None
        found = [self._kind(one.annotation) for one in self.function.args.args]
        if sum(one.length or 1 for one in found) > LONGEST:
            raise UnsupportedError("an input is too long")
        return found

    def _kind(self, node: ast.expr | None) -> InputKind:
        nobody = FunctionCall(self, None, {}, 0)
        match node:
            case ast.Name("Real"):
                return InputKind(None, None)
            case ast.Name("bool"):
                return InputKind((False, True), None)
            case ast.Subscript(base, length):
                count = nobody.guarded(length)
                if type(count) is not int or not 0 < count <= LONGEST:
                    raise UnsupportedError("the length of an input is not known")
                return InputKind(self._kind(base).members, count)
            case ast.Call(ast.Name("Dom"), [low, high]):
                ends = nobody.guarded(low), nobody.guarded(high)
                return InputKind(tuple(bounded(range(ends[0], ends[1] + 1))), None)
            case ast.Call(ast.Name("Dom"), [members]):
                return InputKind(tuple(dict.fromkeys(nobody.guarded(members))), None)
        raise UnsupportedError("the kind of an input is not known")

    def run(self, run: Path, arguments: list[Any]) -> Any:
        """Return the output for given arguments, lists as tuples."""
        assert self.function is not None
        walk = FunctionCall(self, run, {}, 0)
        self.steps.begin()
        run.pay = self.steps.spend
        try:
            return frozen(walk.called(self.function, arguments))
        except FAILURES as error:
            # With forms in it, an operation may fail only here; without, it fails in Python too.
            own = isinstance(error, _OF_PYTHON) and LinearForm.__name__ not in str(error)
            kind = BrokenRunError if own else UnsupportedError
            raise kind(f"a run of the program fails: {error}") from error


def frozen(value: Any) -> Any:
    """Return a value with tuples for lists."""
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    return plain(value) if isinstance(value, Fraction) else value


def _exact(node: ast.AST, source: str) -> None:
    """Read a decimal as the rational that it spells."""
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        spelled = ast.get_source_segment(source, node) or ""
        if len(spelled) > 100 or abs(int(spelled.lower().partition("e")[2] or 0)) > 1000:
            raise UnsupportedError("a decimal is too long")
        node.value = plain(Fraction(spelled))  # type: ignore[assignment]
