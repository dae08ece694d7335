"""Read a definition from a Python function, or from source text without executing it."""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any

from exactdp.errors import ProgramError, ValueRefusedError
from exactdp.language.budgets import read_epsilon
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.reader import FunctionReader
from exactdp.language.source import (
    Source,
    function_source,
    given,
    lambda_source,
    surroundings,
)
from exactdp.language.tree import Definition

if TYPE_CHECKING:
    from exactdp.language.types import InputType
    from exactdp.reals import Interval


def read_function(
    function: Callable[..., Any],
    local: Mapping[str, object],
    types: Sequence[InputType | None] = (),
    *,
    lambdas: bool = False,
) -> Definition:
    """Return the definition in the source of a Python function, or of a lambda if allowed.

    An input without a type gets the one in `types`.
    """
    is_lambda = isinstance(function, FunctionType) and function.__name__ == "<lambda>"
    found_there = lambda_source(function) if lambdas and is_lambda else None  # type: ignore[arg-type]
    source, node = found_there or function_source(function)
    reader = FunctionReader(source, surroundings(function, local))
    annotations = getattr(function, "__annotations__", {})
    found = {
        arg.arg: kind
        for arg, kind in zip(node.args.args, types, strict=False)
        if kind is not None and arg.annotation is None
    }
    found |= {name: value for name, value in annotations.items() if not isinstance(value, str)}
    return reader.function(node, found)


def read_text(source: Source, constants: dict[str, object]) -> Definition:
    """Return the definition in a text: constants, subroutines, and the mechanism last."""
    known = dict(constants)
    definition: Definition | None = None
    for node in source.parse().body:
        match node:
            case ast.FunctionDef(name):
                reader = FunctionReader(source, given(known))
                known.pop(name, None)
                definition = reader.function(node, {})
                if node.decorator_list:
                    interval = _declared(reader, node.decorator_list[0])
                    definition = replace(definition, epsilon=interval)
                known[name] = definition
            case ast.Assign([ast.Name(name)], value):
                reader = FunctionReader(source, given(known))
                reader.check_name(name, node.targets[0])
                known[name] = evaluate_closed(reader.expr(value), reader.constants)
            case ast.ImportFrom(module) if (module or "").partition(".")[0] == "exactdp":
                continue
            case ast.Import(aliases) if all(one.name == "exactdp" for one in aliases):
                whole = sys.modules["exactdp"]
                known.update({one.asname or one.name: whole for one in aliases})
            case ast.Import([ast.alias("math", None)]):
                known["math"] = math
            case ast.ImportFrom("math", aliases) if all(hasattr(math, one.name) for one in aliases):
                known.update({one.asname or one.name: getattr(math, one.name) for one in aliases})
            case ast.Expr(ast.Constant(str())):
                continue
            case _:
                raise ProgramError(
                    "a source contains constants and functions only",
                    place=source.place(node),
                    rule="Nothing in it is run; the last `def` is the mechanism.",
                    way_out="Move it into the `def`, or run it outside and give the result in "
                    "constants={…}.",
                )
    if definition is None:
        raise ProgramError(
            "there is no `def` in the source",
            place=source.at(1, 1),
            rule="A mechanism is written as a function; the last `def` is the mechanism.",
            way_out="Write `def mechanism(q: Real): …`.",
        )
    return definition


def _declared(reader: FunctionReader, decorator: ast.expr) -> Interval | None:
    """Return the interval of ε that `@mechanism(epsilon=…)` in a text declares."""
    match decorator:
        case ast.Call(_, [], [ast.keyword("epsilon", value)]):
            try:
                return read_epsilon(evaluate_closed(reader.expr(value), reader.constants))
            except ValueRefusedError as error:
                reader.refuse(value, error.message, error.rule, error.way_out)
    return None
