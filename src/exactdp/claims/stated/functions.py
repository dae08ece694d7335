"""Functions of the input given by a user: as formulas, and as text."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from exactdp.claims.stated.expressions import (
    Alternatives,
    Bindings,
    Expression,
    Values,
    as_expression,
)
from exactdp.errors import ExactdpError, ValueRefusedError, shown
from exactdp.language.helpers import CheckedFunction
from exactdp.language.layout import assembled, entry_names
from exactdp.language.program import Program
from exactdp.semantics.spots import has_spots, watched


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
        try:
            with watched(given):
                return self.function.function(given) if has_spots(given) else self.function(given)
        except ExactdpError:
            raise
        except Exception as error:
            raise ValueRefusedError(
                f"{self.function.name} failed at the input {shown(given)}: {error}",
                rule=f"A function for {self.function.name} takes an input and returns a number.",
            ) from error

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
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    try:
        lines, _ = inspect.findsource(function)
        tree = ast.parse("".join(lines))
    except (OSError, TypeError, SyntaxError):
        return None
    found = [body for node in ast.walk(tree) if (body := _body(node, code)) is not None]
    if len(found) > 1:  # several on one line: bytecode positions identify the right one
        places = set(code.co_positions())
        found = [body for body in found if _place(body) in places]
    return found[0] if len(found) == 1 else None


def _place(body: ast.expr) -> tuple[int | None, ...]:
    return body.lineno, body.end_lineno, body.col_offset, body.end_col_offset


def _body(node: ast.AST, code: CodeType) -> ast.expr | None:
    if isinstance(node, ast.Lambda) and code.co_name == "<lambda>":
        return node.body if node.lineno == code.co_firstlineno else None
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        return None
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    statements = node.body[1:] if ast.get_docstring(node) is not None else node.body
    match statements:
        case [ast.Return(ast.expr() as value)] if first == code.co_firstlineno:
            return value
    return None
