"""Formulas in ε, α and γ as functions of numbers: rates, probabilities, claimed bounds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

Numbers = Any
"""A number or an array of floats."""


@dataclass(frozen=True)
class Formula:
    """A function of the values of names: ε is a vector of floats, a fraction or a decimal."""

    at: Callable[[Mapping[str, Numbers]], Numbers]

    def __add__(self, other: Any) -> Formula:
        return _joined(lambda a, b: a + b, self, other)

    def __mul__(self, other: Any) -> Formula:
        return _joined(lambda a, b: a * b, self, other)

    def __sub__(self, other: Any) -> Formula:
        return _joined(lambda a, b: a - b, self, other)

    def __rsub__(self, other: Any) -> Formula:
        return _joined(lambda a, b: b - a, self, other)

    def __truediv__(self, other: Any) -> Formula:
        return _joined(lambda a, b: a / b, self, other)

    def __rtruediv__(self, other: Any) -> Formula:
        return _joined(lambda a, b: b / a, self, other)

    def __pow__(self, other: int) -> Formula:
        return _joined(lambda a, b: a**b, self, other)

    def __neg__(self) -> Formula:
        return self * -1

    __radd__, __rmul__ = __add__, __mul__


def _joined(f: Callable[..., Numbers], one: Any, two: Any) -> Formula:
    a, b = formula(one), formula(two)
    return Formula(lambda values: f(a.at(values), b.at(values)))


def formula(value: Any) -> Formula:
    """Return a number as a formula."""
    if isinstance(value, Formula):
        return value
    exact, close = Fraction(value), float(Fraction(value))

    def number(values: Mapping[str, Numbers]) -> Numbers:
        eps = values["eps"]
        if isinstance(eps, Fraction):
            return exact
        return Decimal(exact.numerator) / exact.denominator if isinstance(eps, Decimal) else close

    return Formula(number)


def name(symbol: str) -> Formula:
    """Return the formula that is the value of a name."""
    return Formula(lambda values: values[symbol])


def exp(power: Any) -> Formula:
    """Return e to a formula."""
    inner = formula(power)

    def power_of_e(values: Mapping[str, Numbers]) -> Numbers:
        found = inner.at(values)
        return found.exp() if isinstance(found, Decimal) else np.exp(found)

    return Formula(power_of_e)


def minimum(*some: Any) -> Formula:
    """Return the least of formulas."""
    parts = [formula(one) for one in some]

    def least(values: Mapping[str, Numbers]) -> Numbers:
        found = parts[0].at(values)
        for part in parts[1:]:
            found = np.minimum(found, part.at(values))
        return found

    return Formula(least)


NAMES: dict[str, Any] = {
    "eps": name("eps"),
    "alpha": name("alpha"),
    "gamma": name("gamma"),
    "exp": exp,
    "minimum": minimum,
    "Fraction": Fraction,
}


def value(text: str, **names: Any) -> Any:
    """Return what an expression of a claim is, with numbers kept exact."""
    tree = ast.fix_missing_locations(Exact().visit(ast.parse(text, mode="eval")))
    return eval(compile(tree, "<formula>", "eval"), {**NAMES, "divided_": divided, **names})


class Exact(ast.NodeTransformer):
    """Makes Python's numbers exact: 1 / 3 is a fraction, 0.1 is one tenth; annotations go."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replace a quotient by a call."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        return ast.Call(ast.Name("divided_", ast.Load()), [node.left, node.right], [])

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Replace a float by the decimal that it spells."""
        if not isinstance(node.value, float):
            return node
        text = ast.Constant(repr(node.value))
        return ast.Call(ast.Name("Fraction", ast.Load()), [text], [])

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Drop the type of an argument."""
        return ast.arg(node.arg)


def divided(a: Any, b: Any) -> Any:
    """Return a quotient, exactly."""
    return Fraction(a) / b if isinstance(a, int) and not isinstance(b, Formula) else a / b
