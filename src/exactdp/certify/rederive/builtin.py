"""Operators and known functions of the language, on exact values of bounded size."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import ceil, floor, trunc
from typing import Any

from ..kernel.reading import size
from .limits import MAX_NUMBER
from .linear import LinearForm, is_number, plain
from .moving import Moving
from .ratios import BrokenRunError, Ratio, UnsupportedError

LONGEST = 10_000  # items of a list


def bounded(items: Any) -> Any:
    """Return items to iterate over; a long range is refused before it is built."""
    if isinstance(items, range):
        if len(items) > LONGEST:
            raise UnsupportedError("a range is too long")
        return list(items)
    if not isinstance(items, list | tuple | str | dict):
        raise UnsupportedError("a loop iterates over something that is not a list")
    if len(items) > LONGEST:
        raise UnsupportedError("a list is too long")
    return items


def _tamed(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def made(left: Any, right: Any) -> Any:
        found = operate(left, right)
        if isinstance(found, float):
            raise UnsupportedError("a number is not exact")
        if not is_number(found):
            return _short(found)
        if size(Fraction(found)) > MAX_NUMBER:
            raise UnsupportedError("a number is too large")
        return plain(Fraction(found))

    return made


def _short(value: Any) -> Any:
    return bounded(value) if isinstance(value, list | tuple | str) else value


def _divide(left: Any, right: Any) -> Any:
    return Fraction(left) / right if is_number(left) and is_number(right) else left / right


def _multiply(left: Any, right: Any) -> Any:
    for one, two in ((left, right), (right, left)):
        if isinstance(one, list | tuple | str) and (
            type(two) is not int or len(one) * two > LONGEST
        ):
            raise UnsupportedError("a list is too long")
    return left * right


def _power(left: Any, right: Any) -> Any:
    if isinstance(left, Ratio):
        return left**right
    if isinstance(left, Moving):
        return left.power(right)
    if not (is_number(left) and type(right) is int and abs(right) <= 10_000):
        raise UnsupportedError("a power is not understood")
    bits = Fraction(left).numerator.bit_length() + Fraction(left).denominator.bit_length()
    if bits * abs(right) > 100_000:
        raise UnsupportedError("a power is too large")
    return Fraction(left) ** right


def _remainder(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        raise BrokenRunError("the program formats a text")
    return _known(left) % _known(right)


def _known(value: Any) -> Any:
    """Return a value that holds no unknown and no ε: what fails with it fails in Python too."""
    if isinstance(value, LinearForm | Ratio | Moving) or callable(value):
        raise UnsupportedError("not a number where one must be")
    return value


OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: _tamed(operator.add),
    ast.Sub: _tamed(operator.sub),
    ast.Mult: _tamed(_multiply),
    ast.Div: _tamed(_divide),
    ast.FloorDiv: _tamed(operator.floordiv),
    ast.Mod: _tamed(_remainder),
    ast.Pow: _tamed(_power),
}


def _exp(value: Any) -> Ratio:
    if is_number(value) and value == 0:
        return Ratio.number(1)
    if not isinstance(value, Ratio):
        raise UnsupportedError("exp of something that is not a multiple of ε")
    return value.exp()


def _range(*ends: int) -> list[int]:
    found: list[int] = bounded(range(*ends))
    return found


def _int(value: Any) -> int:
    return int(_known(value))


def _whole(make: Callable[[Fraction], int]) -> Callable[[Any], int]:
    """Return a rounding function for numbers; `round` rounds halves to the even integer."""

    def made(value: Any) -> int:
        if not is_number(value):
            raise UnsupportedError("what is rounded is not a number")
        return make(Fraction(value))

    return made


def _fraction(*parts: Any) -> int | Fraction:
    return plain(Fraction(*map(_known, parts)))


def _flat(make: Callable[..., Iterable[Any]]) -> Callable[..., list[Any]]:
    def made(*arguments: Any, **named: Any) -> list[Any]:
        return list(make(*map(bounded, arguments), **named))

    return made


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def made(*arguments: Any, **named: Any) -> Any:
        return choose(*(arguments if len(arguments) > 1 else map(bounded, arguments)), **named)

    return made


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Fraction": _fraction,
    "abs": abs,
    "all": lambda items: all(bounded(items)),
    "any": lambda items: any(bounded(items)),
    "bool": bool,
    "ceil": _whole(ceil),
    "dict": lambda items: dict(bounded(items)),
    "enumerate": lambda items, start=0: [(start + k, one) for k, one in enumerate(bounded(items))],
    "exp": _exp,
    "floor": _whole(floor),
    "int": _int,
    "len": len,
    "list": lambda items=(): list(bounded(items)),
    "max": _extreme(max),
    "min": _extreme(min),
    "range": _range,
    "reversed": _flat(reversed),
    "round": _whole(round),
    "sorted": _flat(sorted),
    "sum": sum,  # see `FunctionCall.total`
    "trunc": _whole(trunc),
    "tuple": lambda items=(): tuple(bounded(items)),
    "zip": _flat(zip),
}

METHODS: dict[str, Callable[..., Any]] = {
    "count": lambda items, one: bounded(items).count(one),
    "index": lambda items, one: bounded(items).index(one),
}
