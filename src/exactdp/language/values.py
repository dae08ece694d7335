"""Finite values: what a variable of the language may hold besides noise, all hashable.

They are ints, bools, Fractions, strings, None, ±inf, expressions in ε, ranges, tables (read-only
dictionaries), and tuples and lists of values. A list is an immutable `List`, because program
states must be comparable; `kinds` refuses the programs that could tell the difference.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias, overload

from exactdp.errors import ValueRefusedError
from exactdp.language.terms import EPS, EpsTerm, extreme, root
from exactdp.language.terms import exp as exp_of_term

#: A finite value, a real or integer noise of the current domain, or a structure of both.
Value: TypeAlias = Any

_NUMERAL = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?(\s*/\s*\d+)?\s*")

#: A float that a Python function returns counts as exact if its denominator is at most this.
_EXACT_FLOAT = 1024


class List(tuple[Value, ...]):
    """A list of the language: an immutable, hashable value that is not equal to a tuple."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        # Tuples of different lengths are compared entry by entry, which is slow for long ones.
        return isinstance(other, List) and len(self) == len(other) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __add__(self, other: object) -> List:
        return List((*self, *other)) if isinstance(other, List) else NotImplemented

    def __mul__(self, times: Any) -> List:
        return List(tuple.__mul__(self, times))

    __rmul__ = __mul__

    @overload  # type: ignore[override]
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> List: ...
    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return List(found) if isinstance(index, slice) else found

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


class Table(Mapping[Value, Value]):
    """A read-only dictionary of finite values."""

    def __init__(self, items: Iterable[tuple[Value, Value]]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Value) -> Value:
        return self._items[key]

    def __iter__(self) -> Iterator[Value]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._items == other._items

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)


def over_parts(value: tuple[Value, ...], change: Callable[[Value], Value]) -> Value:
    """Return a list or tuple with its parts changed; the same object if none of them is."""
    parts = [change(part) for part in value]
    if all(one is two for one, two in zip(parts, value, strict=True)):
        return value
    return List(parts) if isinstance(value, List) else tuple(parts)


def alike(left: Value, right: Value) -> bool:
    """Whether no program can tell two equal values apart.

    `str` and Python functions tell True from 1, and a loop tells {0: a, 1: b} from {1: b, 0: a}.
    """
    if left is right:
        return True
    if isinstance(left, tuple):
        return all(map(alike, left, right))
    if isinstance(left, Table):
        one, two = tuple(left.items()), tuple(right.items())
        return one == two and alike(one, two)
    if isinstance(left, range):
        return repr(left) == repr(right)
    return isinstance(left, bool) == isinstance(right, bool)


def same(left: Value, right: Value) -> bool:
    """Whether two values are equal, and of the same kinds: True is not 1."""
    return bool(left == right) and alike(left, right)


def read_decimal(text: str) -> Fraction | None:
    """Return the rational number in `text` (`0.1`, `-2`, `1e-3`, `2/3`), or None."""
    if not _NUMERAL.fullmatch(text):
        return None
    above, _, below = text.partition("/")
    if below and int(below) == 0:
        return None
    return Fraction(Decimal(above.strip())) / (int(below) if below else 1)


def plain(number: Fraction) -> int | Fraction:
    """Return a whole number as an int."""
    return number.numerator if number.denominator == 1 else number


def freeze(value: object, note: Callable[[str], None] | None = None) -> Value:
    """Return a Python value as a value of the language, or refuse it.

    A float is read as the decimal that it prints as, and a string that denotes a number as
    that number; `note` is called for each.
    """
    if isinstance(value, bool | int | str | List) or value is None:
        number = read_decimal(value) if isinstance(value, str) else None
        if number is not None and note is not None:
            note(f"the string {value!r} is read as the number {number}")
            return plain(number)
        return value
    if isinstance(value, Fraction):
        return plain(value)
    if isinstance(value, EpsTerm):
        return value
    if isinstance(value, float):
        if math.isinf(value):
            return value
        if math.isnan(value):
            raise ValueRefusedError(
                "nan is not a number",
                rule="A float is read as the decimal that it spells.",
                way_out="Give a number, or None where there is none.",
            )
        exact = plain(Fraction(repr(float(value))))  # numpy prints otherwise
        if note is not None and not isinstance(exact, int):
            note(f"the float {value!r} is read as the decimal it spells, {exact}")
        return exact
    if isinstance(value, Decimal) and value.is_finite():
        return plain(Fraction(value))
    if isinstance(value, range):
        return value
    if isinstance(value, tuple | list):
        items = (freeze(item, note) for item in value)
        return tuple(items) if isinstance(value, tuple) else List(items)
    if isinstance(value, Mapping):
        return Table((freeze(key), freeze(item, note)) for key, item in value.items())
    return _freeze_foreign(value)


def _freeze_foreign(value: object) -> Value:
    kind = type(value)
    if kind.__module__.partition(".")[0] == "numpy":
        if hasattr(value, "tolist"):
            return freeze(value.tolist())
    elif kind.__module__.startswith(("exactdp.reals", "exactdp.claims.stated.expressions")):
        return _term(value)
    raise ValueRefusedError(
        f"a value of type {kind.__name__} is not a finite value",
        rule="Finite values are ints, bools, Fractions, decimals, strings, None, and tuples, "
        "lists and dictionaries of them.",
        way_out="Turn it into one of these first.",
    )


_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: Fraction(a, b) if type(a) is type(b) is int else a / b,
    ast.Pow: operator.pow,
}


def _term(value: object) -> EpsTerm:
    """Return a closed form in ε of `exactdp.reals` as a term, by its text."""

    def build(node: ast.AST) -> Any:
        match node:
            case ast.Expression(body):
                return build(body)
            case ast.Constant(int() as number):
                return number
            case ast.Name("eps"):
                return EPS
            case ast.Call(ast.Name("exp"), [argument]):
                return exp_of_term(build(argument))
            case ast.Call(ast.Name("min" | "max" | "minimum" | "maximum" as word), arguments):
                return extreme(word[:3], [build(argument) for argument in arguments])
            case ast.Call(ast.Name("sqrt"), [argument]):
                return root(build(argument))
            case ast.UnaryOp(ast.USub(), operand):
                return -build(operand)
            case ast.BinOp(left, ast.Pow(), ast.BinOp(above, ast.Div(), below)):
                return root(build(left), Fraction(build(above), build(below)))
            case ast.BinOp(left, op, right):
                return _ARITHMETIC[type(op)](build(left), build(right))
        raise SyntaxError

    try:
        found: EpsTerm = build(ast.parse(str(value).replace("^", "**"), mode="eval"))
    except (SyntaxError, ValueError, TypeError, ZeroDivisionError) as error:
        raise ValueRefusedError(
            f"{value} is not an expression in eps alone",
            rule="A closed form in a mechanism is rational in eps and exp(q * eps).",
            way_out="Write it with eps, exp, numbers and + - * / **.",
        ) from error
    return found


def thaw(value: Value) -> Any:
    """Return a value of the language as plain Python, to pass to a Python function."""
    if isinstance(value, List):
        return [thaw(item) for item in value]
    if isinstance(value, tuple):
        return tuple(thaw(item) for item in value)
    if isinstance(value, Table):
        return {thaw(key): thaw(item) for key, item in value.items()}
    return plain(value) if isinstance(value, Fraction) else value


def freeze_result(value: object) -> Value:
    """Return what a Python function returned as a value of the language.

    A float is accepted only if it is certainly exact: 0.5 is, 0.1 and 1/3 are not.
    """
    if isinstance(value, float) and not math.isinf(value):
        if math.isnan(value) or value.as_integer_ratio()[1] > _EXACT_FLOAT:
            raise ValueRefusedError(
                f"the float {value!r} is not exact",
                rule="Python functions return exact values.",
                way_out="Compute with Fraction, so that the result is the number you mean.",
            )
        return plain(Fraction(value))
    if isinstance(value, tuple | list):
        items = (freeze_result(item) for item in value)
        return tuple(items) if isinstance(value, tuple) else List(items)
    return freeze(value)


def as_output(value: Value) -> Value:
    """Return an output: lists and ranges become tuples, so that equal outputs are equal."""
    if isinstance(value, tuple | range):
        return tuple(as_output(item) for item in value)
    if isinstance(value, Fraction):
        return plain(value)
    return value


class UnsettledError(Exception):
    """Noise occurs where a finite value is needed: its value must be determined first."""

    def __init__(self, value: Symbolic) -> None:
        super().__init__("noise is not a finite value")
        self.value = value


def settled(value: Value) -> Value:
    """Return a value in which all noise is determined."""
    if isinstance(value, Symbolic):
        return value.settled()
    if isinstance(value, tuple):
        for item in value:
            settled(item)
    return value


class Symbolic:
    """A number that is not a single number yet: a linear form in noise, a column of samples.

    Each semantics of programs defines its own subclass with + - and * / by rationals.
    Values that are not symbolic are compared immediately; symbolic ones by the semantics.
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        raise TypeError("noise is not a condition")

    def settled(self) -> Value:
        """Return the finite value that it is, or raise if it is not known yet."""
        raise UnsettledError(self)

    def rounded(self, *, nearest: bool) -> Any:
        """Return ⌊x⌋, or the nearest whole number, with ties to even."""
        raise NotImplementedError
