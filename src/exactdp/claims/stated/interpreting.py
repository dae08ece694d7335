"""Users' conditions and formulas: Python functions and texts, read from source and interpreted.

Numbers are exact: 0.1 and 1/10 are one tenth. A function that is called with unknown numbers is
interpreted, too; with numbers it is called.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any

from exactdp.claims.stated.expressions import Expression, as_expression, maximum, minimum
from exactdp.claims.stated.features import has_exponential, number_of
from exactdp.claims.stated.functions import definition_of, statements_of
from exactdp.claims.stated.paths import (
    FunctionPath,
    UninterpretedError,
    UnknownNumber,
    extreme,
    opened,
)
from exactdp.errors import ExactdpError
from exactdp.language.nested import holds
from exactdp.reals import ClosedForm
from exactdp.reals.numbers import inf, rational
from exactdp.reals.towers import exp

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: Fraction(a) / b if isinstance(a, int) else a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a ** (int(b) if isinstance(b, Fraction) and b.denominator == 1 else b),
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.GtE: lambda a, b: a >= b,
    ast.Gt: lambda a, b: a > b,
    ast.LtE: lambda a, b: a <= b,
    ast.Lt: lambda a, b: a < b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}
_ON_UNKNOWNS = (abs, all, any, enumerate, len, list, range, reversed, sorted, sum, tuple, zip)
_FORMULAS = (exp, minimum, maximum)
WORDS: Mapping[str, Any] = {
    one.__name__: one for one in (*_ON_UNKNOWNS, min, max, *_FORMULAS, Fraction)
}
"""The functions that may be used in a text."""


class _Returned(Exception):  # noqa: N818 not an error
    """A function has returned a value."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):  # noqa: N818 not an error
    """`break`."""


class _Continue(Exception):  # noqa: N818 not an error
    """`continue`."""


def value_of(tree: ast.expr, names: Mapping[str, Any], path: FunctionPath) -> Any:
    """Return the value of an expression on a path; an unknown number as a formula."""
    return _guarded(lambda: _Frame(path, {}, names).read(tree))


def called(function: Callable[..., Any], given: Mapping[str, Any], path: FunctionPath) -> Any:
    """Return the value of a function on a path; an unknown number as a formula."""
    return _guarded(lambda: _interpreted(function, (), given, path))


def _guarded(run: Callable[[], Any]) -> Any:
    try:
        return opened(run())
    except (ExactdpError, UninterpretedError, RecursionError):
        raise
    except Exception as error:
        raise UninterpretedError(str(error) or type(error).__name__) from None


def _interpreted(
    function: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any], path: FunctionPath
) -> Any:
    """Interpret a Python function."""
    node = definition_of(function)
    if node is None:
        name = getattr(function, "__name__", "the function")
        raise UninterpretedError(f"the source of {name} is not available")
    assert isinstance(function, FunctionType)
    bound = inspect.signature(function).bind(*given, **named)
    bound.apply_defaults()
    inside = inspect.getclosurevars(function).nonlocals
    outside = ChainMap(dict(inside), function.__globals__, vars(builtins))
    frame = _Frame(path, dict(bound.arguments), outside)
    if isinstance(node, ast.Lambda):
        return frame.read(node.body)
    try:
        frame.follow(statements_of(node))
    except _Returned as found:
        return found.value
    raise UninterpretedError(f"{node.name} ends without return")


@dataclass(frozen=True)
class _Frame:
    """The names of one call, and its statements and expressions as values."""

    path: FunctionPath
    names: dict[str, Any]
    outside: Mapping[str, Any]

    # Statements ---------------------------------------------------------------------------

    def follow(self, statements: Sequence[ast.stmt]) -> None:
        """Execute statements; the value that they return is raised."""
        for one in statements:
            match one:
                case ast.Return(value) if value is not None:
                    raise _Returned(self.read(value))
                case ast.If(test, body, orelse):
                    self.follow(body if self.read(test) else orelse)
                case ast.Assign(targets, value):
                    found = self.read(value)
                    for target in targets:
                        self._assign(target, found)
                case ast.AnnAssign(target, _, value) if value is not None:
                    self._assign(target, self.read(value))
                case ast.AugAssign(ast.Name(name), op, value) if type(op) in _OPERATORS:
                    before = self.read(ast.Name(name))
                    self.names[name] = self._computed(op, before, self.read(value))
                case ast.For(target, items, body, []):
                    self._loop(target, self.read(items), body)
                case ast.Break():
                    raise _Break
                case ast.Continue():
                    raise _Continue
                case ast.Pass():
                    pass
                case _:
                    raise _not_understood(one)

    def _loop(self, target: ast.expr, items: Any, body: Sequence[ast.stmt]) -> None:
        try:
            for item in items:
                self._assign(target, item)
                try:
                    self.follow(body)
                except _Continue:
                    continue
        except _Break:
            pass

    def _assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(name):
                self.names[name] = value
            case ast.Tuple(parts) | ast.List(parts):
                for part, item in zip(parts, value, strict=True):
                    self._assign(part, item)
            case _:
                raise _not_understood(target)

    # Expressions --------------------------------------------------------------------------

    def read(self, node: ast.expr) -> Any:
        """Return the value of an expression."""
        return self._shown(self._read(node))

    def _read(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value):
                return value
            case ast.Name(name):
                return self._named(name)
            case ast.BoolOp(op, values):
                return self._joined(isinstance(op, ast.And), values)
            case ast.UnaryOp(ast.Not(), operand):
                return not self.read(operand)
            case ast.UnaryOp(ast.USub(), operand):
                return -self.read(operand)
            case ast.UnaryOp(ast.UAdd(), operand):
                return self.read(operand)
            case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
                return self._computed(op, self.read(left), self.read(right))
            case ast.Compare(left, ops, others):
                return self._compared(left, ops, others)
            case ast.IfExp(test, body, orelse):
                return self.read(body if self.read(test) else orelse)
            case ast.Subscript(value, ast.Slice(lower, upper, step)):
                ends = [None if end is None else self.read(end) for end in (lower, upper, step)]
                return self.read(value)[slice(*ends)]
            case ast.Subscript(value, index):
                return self.read(value)[_index(self.read(index))]
            case ast.Attribute(value, name) if isinstance(found := self.read(value), ModuleType):
                return getattr(found, name)
            case ast.Call(function, given, keywords):
                named = {one.arg: self.read(one.value) for one in keywords if one.arg}
                arguments = [self.read(one) for one in given]
                return self._called(node, self.read(function), arguments, named)
            case ast.Tuple(items) | ast.List(items):
                return [self.read(one) for one in items]
            case ast.GeneratorExp(item, parts) | ast.ListComp(item, parts):
                found = _Frame(self.path, dict(self.names), self.outside)._each(item, parts)
                return found if isinstance(node, ast.GeneratorExp) else list(found)
        raise _not_understood(node)

    def _shown(self, value: Any) -> Any:
        """Return a formula as an unknown number, and a number as an exact one."""
        if isinstance(value, tuple | list):
            return [self._shown(one) for one in value]
        if isinstance(value, float) and abs(value) != inf:
            return rational(value)
        if isinstance(value, ClosedForm | Expression):
            value = UnknownNumber(as_expression(value, "a formula"), self.path)
        if isinstance(value, UnknownNumber) and (number := number_of(value.form)) is not None:
            return number
        return value

    def _named(self, name: str) -> Any:
        for names in (self.names, self.outside):
            if name in names:
                return names[name]
        if name == "log":
            raise UninterpretedError("log(r) is irrational: write a rational number close to it")
        raise UninterpretedError(f"{name} is not known")

    def _joined(self, is_and: bool, values: Sequence[ast.expr]) -> Any:
        found: Any = is_and
        for one in values:
            found = self.read(one)
            if bool(found) != is_and:
                break
        return found

    def _computed(self, op: ast.operator, one: Any, two: Any) -> Any:
        return _OPERATORS[type(op)](one, two)

    def _compared(
        self, left: ast.expr, ops: Sequence[ast.cmpop], others: Sequence[ast.expr]
    ) -> bool:
        one = self.read(left)
        for op, other in zip(ops, others, strict=True):
            two = self.read(other)
            match op:
                case ast.In() | ast.NotIn():
                    truth = any(one == item for item in two) == isinstance(op, ast.In)
                case _ if type(op) in _COMPARISONS:
                    truth = _COMPARISONS[type(op)](one, two)
                case _:
                    raise UninterpretedError("only <, <=, ==, !=, >=, > and in are understood")
            if not truth:
                return False
            one = two
        return True

    def _called(
        self, node: ast.Call, function: Any, given: list[Any], named: dict[str, Any]
    ) -> Any:
        if function in (min, max) and not named:
            items = list(given[0] if len(given) == 1 else given)
            if not any(isinstance(one, UnknownNumber) for one in items):
                return function(items)
            forms = [as_expression(opened(one), "a compared value") for one in items]
            if any(map(has_exponential, forms)):  # its cases would not be linear
                return maximum(*forms) if function is max else minimum(*forms)
            return extreme(items, self.path, is_largest=function is max)
        if function in _ON_UNKNOWNS:
            return function(*given, **named)
        if function in _FORMULAS:
            return function(*map(opened, given))
        if not holds((*given, *named.values()), UnknownNumber):
            return function(*given, **named)
        if isinstance(function, FunctionType):
            return _interpreted(function, given, named, self.path)
        raise _not_understood(node)

    def _each(self, item: ast.expr, parts: Sequence[ast.comprehension]) -> Iterator[Any]:
        """Yield the items of a comprehension."""
        if not parts:
            yield self.read(item)
            return
        for one in self.read(parts[0].iter):
            self._assign(parts[0].target, one)
            if all(self.read(test) for test in parts[0].ifs):
                yield from self._each(item, parts[1:])


def _index(value: Any) -> Any:
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value


def _not_understood(node: ast.AST) -> UninterpretedError:
    return UninterpretedError(f"{ast.unparse(node)} is not understood")
