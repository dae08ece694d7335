"""Functions of the input given by a user: as formulas, and as text."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

from exactdp.claims.stated.expressions import (
    Alternatives,
    Bindings,
    Expression,
    Values,
    as_expression,
)
from exactdp.claims.stated.inputs import with_zeros
from exactdp.errors import ExactdpError, ProgramError, ValueRefusedError, shown
from exactdp.language.helpers import CheckedFunction
from exactdp.language.layout import assembled, entry_names
from exactdp.language.linear import Linear
from exactdp.language.program import Program
from exactdp.language.source import definition
from exactdp.language.values import Value
from exactdp.semantics.spots import Spot, has_spots, watched


@dataclass(frozen=True)
class OfInput(Expression):
    """α or γ, given by a user as a function of the input."""

    function: CheckedFunction
    program: Program

    def value(self, values: Mapping[str, Any]) -> Any:
        """Return the value of the function for numbers of the input, which may be spots."""
        names = entry_names(self.program.inputs)
        u = assembled(self.program.inputs, [values[name] for name in names])
        given = u[0] if len(u) == 1 else u
        rule = f"A function for {self.function.name} takes an input and returns a number."
        try:
            return called(self.function, self.function.name, rule, given)
        except ValueRefusedError:
            if has_spots(given):
                self._refuse_logarithms()
            raise

    def _refuse_logarithms(self) -> None:
        """Refuse log(r) / eps, which cannot be added to symbolic numbers, with a clear message."""
        with contextlib.suppress(TypeError, ArithmeticError, LookupError):
            u = next(with_zeros(self.program))
            as_expression(self.function.function(u[0] if len(u) == 1 else u), self.function.name)

    def alternatives(self, values: Values) -> Alternatives:
        """Return the closed form at an input."""
        found = self.value(values)
        return as_expression(found, self.function.name).alternatives(values)

    def names(self) -> frozenset[str]:
        """Return the names of all numbers of the input."""
        return frozenset(entry_names(self.program.inputs))

    def bound_to(self, values: Bindings) -> Expression:
        """Return the formula at an input, if all its numbers are known."""
        if not self.names() <= values.keys():
            return self
        return as_expression(self.value(values), self.function.name).bound_to(values)

    def __str__(self) -> str:
        return written(self.function.function)


def called(function: Callable[..., Any], what: str, rule: str, *arguments: Value) -> Any:
    """Return the value of a function of the user at values that may contain spots."""
    try:
        with watched(arguments):
            if isinstance(function, CheckedFunction) and has_spots(arguments):
                return function.answer(arguments, {})  # not cached: its comparisons are recorded
            return function(*arguments)
    except ExactdpError:
        raise
    except Exception as error:
        if has_spots(arguments):
            raise ValueRefusedError(
                f"{what} cannot be computed for all inputs at once: {_without_names(str(error))}",
                rule="There numbers of the input can be added, compared, and multiplied by "
                "numbers.",
                way_out="Write it piecewise linear, or give inputs=Grid(lo, hi) or a list.",
            ) from error
        where = "the input " if len(arguments) == 1 else ""
        raise ValueRefusedError(
            f"{what} failed at {where}{', '.join(map(shown, arguments))}: {error}", rule=rule
        ) from error


def _without_names(text: str) -> str:
    """Return a Python error message without the names of internal types."""
    for name in (Spot.__name__, Linear.__name__):
        text = text.replace(f"'{name}'", "an input").replace(name, "an input")
    return text


def written(function: Callable[..., Any]) -> str:
    """Return the source of the value that a function of the input returns, or a call by name.

    `lambda u: exp(-u * eps)` gives `exp(-u * eps)`, and so does a function that only returns this.
    A callable object with its own `__str__` is shown by that.
    """
    if "__str__" in vars(type(function)):
        return str(function)
    name = getattr(function, "__name__", "")
    expression = expression_of(function)
    if expression is not None:
        return ast.unparse(expression)
    return f"{name}(u)" if name.isidentifier() else "a function of the input"


def expression_of(function: Callable[..., Any]) -> ast.expr | None:
    """Return the one expression that a function consists of, read from its source."""
    node = definition_of(function)
    if isinstance(node, ast.Lambda):
        return node.body
    match statements_of(node) if node is not None else ():
        case [ast.Return(ast.expr() as value)]:
            return value
    return None


def statements_of(node: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statements of a function, without its docstring."""
    return node.body[1:] if ast.get_docstring(node) is not None else node.body


def definition_of(function: Callable[..., Any]) -> ast.Lambda | ast.FunctionDef | None:
    """Return the definition of a function, read from its source."""
    return (
        _definition(function) if isinstance(getattr(function, "__code__", None), CodeType) else None
    )


@lru_cache(256)  # conditions are interpreted once for each of their cases
def _definition(function: Callable[..., Any]) -> ast.Lambda | ast.FunctionDef | None:
    try:
        _, found = definition(function)
    except (OSError, TypeError, ProgramError):
        return None
    return None if isinstance(found, ast.AsyncFunctionDef) else found
