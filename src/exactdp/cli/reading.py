"""Parses the values, intervals, inputs and changes to claims given on the command line."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import click

from exactdp import AllReals, Box, Expected, Grid, Privacy
from exactdp.claims.constants.trials import divided
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language import Real
from exactdp.reals import Interval
from exactdp.reals.numbers import inf, probability, rational, spell

_NAMES: dict[str, Any] = {"Real": Real, "int": int, "inf": inf}


def read_option(name: str, text: str | None, read: Callable[[str], Any]) -> Any:
    """Return the value of an option, or None if it is not given; errors name the option."""
    try:
        return None if text is None else read(text)
    except ExactdpError as error:
        error.message = f"{name}: {error.message}"
        raise


def read_budget(text: str) -> Fraction:
    """Return one ε."""
    rule = "The privacy budget is positive."
    return _positive("ε", rational(text, "a value of ε"), rule, "Write for example 1/2.")


def _positive(name: str, number: Fraction, rule: str, way_out: str) -> Fraction:
    if number <= 0:
        raise ValueRefusedError(f"{name} is {spell(number)}", rule=rule, way_out=way_out)
    return number


def read_probability(text: str) -> Fraction:
    """Return a probability: 5%, 0.05 or 1/20."""
    return probability(text)


def read_value(text: str, what: str) -> Any:
    """Return the value of a literal: numbers (also 1/3), strings, lists, None, Real, …."""
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
    """Return the value of a literal; quotients of numbers are exact. Nothing is executed."""
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
    raise ValueError(f"{ast.unparse(node)} is not a value")


def read_interval(text: str) -> Interval:
    """Return an interval of ε: `(0, 1]`, or a single number."""
    if text.strip().startswith(("(", "[")):
        found = Interval.parse(text)
    else:
        number = rational(text, "an interval of ε, nor a number")
        found = Interval(number, number)
    if found.lower < 0 or 0 in found:
        raise ValueRefusedError(
            f"the ε in {found} are not all positive",
            rule="The privacy budget is positive.",
            way_out="Write for example --eps '(0, 1]'.",
        )
    return found


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
    """The changes that the command line makes to every claim."""

    epsilon: Interval | None = None
    inputs: Any = None
    kappa: Fraction | None = None

    def applied(self, claim: Any) -> Any:
        """Return a claim with the changes."""
        changes: dict[str, Any] = {}
        if self.epsilon is not None:
            changes["epsilon"] = self.epsilon
        if self.inputs is not None:
            changes["inputs"] = self.inputs
        if self.kappa is not None and isinstance(claim, Privacy):
            raise ValueRefusedError(
                "--kappa is for claims with a bound",
                rule="It divides the bound, and a claim of privacy has none.",
                way_out="Leave it out, or name one claim: FILE::NAME.",
            )
        if self.kappa is not None:
            name = "at_most" if isinstance(claim, Expected) else "beta"
            changes[name] = divided(getattr(claim, name), self.kappa)
        return replace(claim, **changes) if changes else claim


def _read_kappa(text: str) -> Fraction:
    rule = "β is divided by κ, which is positive."
    return _positive("κ", rational(text, "a constant κ"), rule, "Write for example --kappa 2.")


CHANGES = {
    "eps": click.option(
        "--eps",
        metavar="INTERVAL",
        help="Only these ε, instead of those of the claim: '(0, 1]', or a number.",
    ),
    "inputs": click.option(
        "--inputs",
        metavar="INPUTS",
        help="These inputs instead: all, grid:-1:1, box:-1:1 or a list.",
    ),
    "kappa": click.option(
        "--kappa",
        metavar="K",
        help="Claim β/K instead of β (of an expected loss, the bound over K).",
    ),
}
"""The options that change claims, by parameter of `read_changes`."""


def read_changes(eps: str | None, inputs: str | None, kappa: str | None) -> Changes:
    """Return the changes that the options make."""
    return Changes(
        read_option("--eps", eps, read_interval),
        read_option("--inputs", inputs, read_inputs),
        read_option("--kappa", kappa, _read_kappa),
    )
