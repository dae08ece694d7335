"""What is written on the command line: values, intervals, inputs, and changes to claims."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import click

from exactdp.claims import Accuracy, AllReals, Box, Grid
from exactdp.claims.expressions import Expression, as_expression
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language import Real
from exactdp.reals import Interval
from exactdp.reals.numbers import inf, rational

Function = TypeVar("Function", bound=Callable[..., Any])

_NAMES: dict[str, Any] = {"Real": Real, "int": int, "inf": inf}


def read_value(text: str, what: str) -> Any:
    """Return the value that a text spells: numbers (also 1/3), texts, lists, None, Real, …."""
    try:
        return value_of(ast.parse(text.strip(), mode="eval").body)
    except ExactdpError:
        raise
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, MemoryError):
        raise ValueRefusedError(
            f"{text!r} is not {what}",
            rule="A value is written as in Python: 3, -1/2, 0.1, True, None, 'text', [1, 0], "
            "(1, [2]), {'q': 1}; in outputs also Real and Interval(0, 1).",
        ) from None


def value_of(node: ast.expr) -> Any:
    """Return the value of a literal; quotients of numbers are exact. Nothing is run."""
    match node:
        case ast.Constant(value):
            return value
        case ast.List(items):
            return [value_of(item) for item in items]
        case ast.Tuple(items):
            return tuple(value_of(item) for item in items)
        case ast.Dict(keys, values):
            pairs = zip(keys, values, strict=True)
            return {value_of(key): value_of(value) for key, value in pairs if key is not None}
        case ast.UnaryOp(ast.USub(), operand):
            return -value_of(operand)
        case ast.UnaryOp(ast.UAdd(), operand):
            return +value_of(operand)
        case ast.BinOp(left, ast.Div(), right):
            return Fraction(rational(value_of(left)), rational(value_of(right)))
        case ast.Name(name) if name in _NAMES:
            return _NAMES[name]
        case ast.Call(ast.Name("Interval"), [lower, upper], []):
            return Interval(value_of(lower), value_of(upper))
    raise ValueError(ast.dump(node))


def read_interval(text: str) -> Interval:
    """Return an interval of ε: `(0, 1]`, or a single number."""
    if text.strip().startswith(("(", "[")):
        return Interval.parse(text)
    return Interval(text, text)


def read_inputs(text: str) -> Any:
    """Return inputs: `all`, `grid:-1:1`, `grid:-1:1:1/2`, `box:-1:1`, or a list of inputs."""
    kind, *ends = text.strip().split(":")
    if kind == "all" and not ends:
        return AllReals()
    if kind == "grid" and len(ends) in (2, 3):
        return Grid(*ends)
    if kind == "box" and len(ends) == 2:
        return Box(*(read_value(end, "an end of a box") for end in ends))
    if text.strip().startswith(("[", "(")):
        return read_value(text, "a list of inputs")
    raise ValueRefusedError(
        f"{text!r} are not inputs",
        rule="Inputs are all, grid:LOWER:UPPER, grid:LOWER:UPPER:STEP, box:LOWER:UPPER or a list.",
        way_out="Write for example --inputs grid:-1:1 or --inputs '[[0, 1], [1, 1/2]]'.",
    )


@dataclass(frozen=True)
class Changes:
    """What the command line changes in every claim."""

    epsilon: Interval | None = None
    inputs: Any = None
    kappa: Fraction | None = None

    def applied(self, claim: Accuracy) -> Accuracy:
        """Return a claim with the changes."""
        changes: dict[str, Any] = {}
        if self.epsilon is not None:
            changes["epsilon"] = self.epsilon
        if self.inputs is not None:
            changes["inputs"] = self.inputs
        if self.kappa is not None:
            changes["beta"] = _divided(claim.beta, self.kappa)
        return replace(claim, **changes) if changes else claim


def _divided(beta: Any, kappa: Fraction) -> Any:
    if not callable(beta) or isinstance(beta, Expression):
        return as_expression(beta, "beta") / kappa

    def divided(u: Any) -> Expression:
        return as_expression(beta(u), "beta") / kappa

    divided.__name__ = f"{getattr(beta, '__name__', 'beta')}/{kappa}"
    return divided


def _read_kappa(text: str) -> Fraction:
    kappa = rational(text, "a constant κ")
    if kappa <= 0:
        raise ValueRefusedError(f"κ is {kappa}", rule="β is divided by κ, which is positive.")
    return kappa


def change_options(function: Function) -> Function:
    """Add the options that change claims; they arrive as one `Changes` in `changes`."""

    def command(eps: str | None, inputs: str | None, kappa: str | None, **others: Any) -> Any:
        changes = Changes(
            None if eps is None else read_interval(eps),
            None if inputs is None else read_inputs(inputs),
            None if kappa is None else _read_kappa(kappa),
        )
        return function(changes=changes, **others)

    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__dict__.update(function.__dict__)  # click keeps the options there
    options = (
        (
            "--eps",
            "INTERVAL",
            "Only these ε, instead of those of the claim: '(0, 1]', or a number.",
        ),
        ("--inputs", "INPUTS", "These inputs instead: all, grid:-1:1, box:-1:1 or a list."),
        ("--kappa", "K", "Claim β/K instead of β."),
    )
    found: Any = command
    for name, shown, text in reversed(options):
        found = click.option(name, metavar=shown, help=text)(found)
    result: Function = found
    return result
