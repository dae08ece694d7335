"""Operators and known functions on finite values, within the documented limits."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from exactdp.errors import Place, ProgramError, ValueRefusedError, shown
from exactdp.language.limits import BITS_LIMIT, GROWN_LIMIT, LENGTH_LIMIT, UNROLL_LIMIT
from exactdp.language.quotients import NoisyQuotient, refused_quotient
from exactdp.language.rules import (
    IDENTITY,
    SAME_LENGTH,
    SINGLE_OBJECTS,
    TARGETS,
    WRITE_EQUAL,
    fail,
)
from exactdp.language.terms import EpsTerm, extreme, root
from exactdp.language.terms import exp as exp_of_term
from exactdp.language.terms import log as log_of_number
from exactdp.language.values import List, Symbolic, Table, Value, plain, read_decimal, settled


def python_fail(place: Place, error: Exception) -> ProgramError:
    """Return a Python exception on finite values as the located error of a program."""
    text = str(error.args[0]) if error.args else type(error).__name__
    match error:
        case ZeroDivisionError():
            text, way_out = "division by zero", "Test the divisor with `if` before."
        case KeyError():
            key = f"{shown(error.args[0])} is " if error.args else ""
            text = f"{key}not in the table"
            way_out = "Test `key in table` before."
        case IndexError():
            way_out = "Test the index with `if` before; `len(xs)` is the number of entries."
        case ValueError():
            way_out = "See that the values stay within what the operation is defined for."
        case _:
            way_out = "See that the values are of the kinds that the operation takes."
    text = _OUR_NAMES.sub(lambda found: _THEIR_NAMES[found[1]], text)
    return fail(place, text, "Python's own rules hold for finite values.", way_out)


_THEIR_NAMES = {
    "List": "'list'",
    "Table": "'dict'",
    "Linear": "a real",
    "EpsTerm": "an expression in eps",
}
"""The user's names for our types, for Python's messages."""

_OUR_NAMES = re.compile(r"""['"]?\b(List|Table|Linear|EpsTerm)\b['"]?""")


def grown(error: ProgramError, variable: str) -> ProgramError:
    """Return the error of an assignment, naming the variable if its value grows too large."""
    if not variable or error.message != TOO_LARGE or error.place is None:
        return error
    return fail(
        error.place,
        f"{variable} grows to a number of more than {BITS_LIMIT:,} bits",
        f"Numbers have at most {BITS_LIMIT:,} bits.",
        f"Round {variable}, or let the loop around it end earlier.",
    )


TOO_LARGE = f"a number has more than {BITS_LIMIT:,} bits"

# Arithmetic -------------------------------------------------------------------------------


def _small(value: Value) -> Value:
    if isinstance(value, int):
        if value.bit_length() > BITS_LIMIT:
            raise ValueError(TOO_LARGE)
    elif isinstance(value, str | tuple) and len(value) > LENGTH_LIMIT:
        raise ValueError(f"a list or string has more than {LENGTH_LIMIT:,} entries")
    elif isinstance(value, Fraction):
        size = max(value.numerator.bit_length(), value.denominator.bit_length())
        if size > BITS_LIMIT:
            raise ValueError(TOO_LARGE)
    return value


def _grown(value: Value) -> Value:
    if isinstance(value, tuple) and len(value) > GROWN_LIMIT:
        raise ValueError(f"a list has grown to more than {GROWN_LIMIT:,} entries")
    return _small(value)


def multiply(left: Value, right: Value) -> Value:
    """Return left * right, unless it would be huge."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | tuple) and isinstance(other, int):
            if len(one) * other > LENGTH_LIMIT:
                raise ValueError(f"a list or string has more than {LENGTH_LIMIT:,} entries")
            return one * other
    if isinstance(left, Symbolic) and isinstance(right, Symbolic):
        left, right = settled(left), settled(right)
    return _small(left * right)


def divide(left: Value, right: Value) -> Value:
    """Return left / right exactly; division by noise gives a quotient that is only compared."""
    if isinstance(right, Symbolic):
        if isinstance(right, NoisyQuotient):
            raise refused_quotient()
        return NoisyQuotient(left, right)
    if isinstance(left, int | Fraction) and isinstance(right, int | Fraction):
        return _small(plain(Fraction(left) / right))
    return left / right


def power(left: Value, right: Value) -> Value:
    """Return left ** right for a whole exponent, unless it would be huge."""
    if isinstance(left, EpsTerm):
        return left**right
    left, right = settled(left), settled(right)
    if isinstance(right, Fraction) and right.denominator > 1:
        return _as_plain(root(left, right))
    if not isinstance(left, int | Fraction) or not isinstance(right, int):
        raise TypeError("only a rational number can be raised, and only to a rational power")
    bits = max(Fraction(left).numerator.bit_length(), Fraction(left).denominator.bit_length())
    if bits * abs(right) > BITS_LIMIT:
        raise ValueError(TOO_LARGE)
    return plain(Fraction(left) ** right) if right < 0 else left**right


def _as_plain(value: Value) -> Value:
    return plain(value) if isinstance(value, Fraction) else value


def remainder(left: Value, right: Value) -> Value:
    """Return left % right for numbers."""
    if isinstance(left, str):
        raise TypeError("formatting strings is not in the language")
    if isinstance(left, Symbolic):
        return left - quotient(left, right) * right
    return left % right


def quotient(left: Value, right: Value) -> Value:
    """Return left // right: ⌊left / right⌋, also for noise."""
    if isinstance(left, Symbolic):
        return (left / right).rounded(nearest=False)
    return left // right


def floor(value: Value) -> Value:
    """Return ⌊value⌋, also for noise."""
    return value.rounded(nearest=False) if isinstance(value, Symbolic) else math.floor(value)


def ceil(value: Value) -> Value:
    """Return ⌈value⌉, also for noise."""
    return -floor(-value)


def rounded(value: Value, digits: Value = None) -> Value:
    """Return the nearest whole number, or decimal with `digits` digits; ties go to even."""
    if not isinstance(value, Symbolic):
        return round(value, digits)
    if digits is None:
        return value.rounded(nearest=True)
    unit = Fraction(10) ** operator.index(digits)
    scaled: Any = value * unit  # type: ignore[operator]
    return scaled.rounded(nearest=True) / unit


def _bits(op: Callable[[int, int], int]) -> Callable[[Value, Value], Value]:
    def run(left: Value, right: Value) -> Value:
        if not isinstance(left, int) or not isinstance(right, int):
            raise TypeError("operators on bits take whole numbers and truth values")
        return op(left, right)

    return run


def _shifted(left: int, right: int) -> int:
    if left.bit_length() + right > BITS_LIMIT:
        raise ValueError(TOO_LARGE)
    return left << right


OPERATORS: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda left, right: _grown(left + right),
    "-": lambda left, right: _small(left - right),
    "*": multiply,
    "/": divide,
    "//": quotient,
    "%": remainder,
    "**": power,
    "&": _bits(operator.and_),
    "|": _bits(operator.or_),
    "^": _bits(operator.xor),
    "<<": _bits(_shifted),
    ">>": _bits(operator.rshift),
}


def _compare(op: Callable[[Any, Any], Any]) -> Callable[[Value, Value], bool]:
    def run(left: Value, right: Value) -> bool:
        if isinstance(left, EpsTerm) or isinstance(right, EpsTerm):
            raise TypeError("a program cannot branch on the value of eps")
        return bool(op(left, right))

    return run


def same(left: Value, right: Value) -> bool:
    """Return `left is right`, which is defined for values that are single objects in Python."""
    if left is None or right is None or (isinstance(left, bool) and isinstance(right, bool)):
        return left is right
    raise ValueRefusedError(IDENTITY, rule=SINGLE_OBJECTS, way_out=WRITE_EQUAL)


COMPARISONS: dict[str, Callable[[Value, Value], bool]] = {
    "<": _compare(operator.lt),
    "<=": _compare(operator.le),
    "==": _compare(operator.eq),
    "!=": _compare(operator.ne),
    ">=": _compare(operator.ge),
    ">": _compare(operator.gt),
    "in": _compare(lambda left, right: left in right),
    "not in": _compare(lambda left, right: left not in right),
    "is": same,
    "is not": lambda left, right: not same(left, right),
}


def items_of(value: Value) -> Any:
    """Return the items of an iterable; refuse too many."""
    if not isinstance(value, tuple | range | str | Table):
        raise TypeError(f"{shown(value)} is not a list, tuple, range or string")
    if len(value) > UNROLL_LIMIT:
        raise ValueError(
            f"a loop would iterate {len(value):,} times; the limit is {UNROLL_LIMIT:,}"
        )
    return tuple(value) if isinstance(value, str | Table) else value


def _is_number(value: Value) -> bool:
    return isinstance(value, int | Fraction | EpsTerm) and not isinstance(value, bool)


def _extreme(function: Callable[..., Any]) -> Callable[..., Value]:
    def run(*args: Value, **keywords: Any) -> Value:
        items = list(items_of(args[0])) if len(args) == 1 else args
        if any(isinstance(item, EpsTerm) for item in items) and not keywords:
            if not all(_is_number(item) for item in items):
                raise TypeError("an expression in eps cannot be compared with such values")
            return extreme(function.__name__, items)
        return function(items, **keywords)

    return run


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Fraction": lambda *args: plain(_fraction(*args)),
    "abs": abs,
    "all": lambda items: all(items_of(items)),
    "any": lambda items: any(items_of(items)),
    "bool": bool,
    "dict": lambda items=(): Table(unpacked_pair(item) for item in items_of(items)),
    "ceil": ceil,
    "divmod": lambda left, right: (quotient(left, right), remainder(left, right)),
    "enumerate": lambda items, start=0: tuple(enumerate(items_of(items), start)),
    "exp": exp_of_term,
    "floor": floor,
    "int": lambda value=0: int(value),
    "len": len,
    "log": log_of_number,
    "list": lambda items=(): List(items_of(items)),
    "max": _extreme(max),
    "min": _extreme(min),
    "range": lambda *ends: range(*map(settled, ends)),
    "reversed": lambda items: tuple(reversed(items_of(items))),
    "round": lambda number, ndigits=None: rounded(number, ndigits),
    "sqrt": lambda number: _as_plain(root(settled(number))),
    "sorted": lambda items, **keywords: List(sorted(items_of(items), **keywords)),
    "str": lambda value="": str(value),
    "sum": lambda items, start=0: _sum(items_of(items), start),
    "trunc": math.trunc,
    "tuple": lambda items=(): tuple(items_of(items)),
    "zip": lambda *items, strict=False: tuple(zip(*map(items_of, items), strict=strict)),
}


def _fraction(above: Value = 0, below: Value = 1) -> Fraction:
    """Return a fraction of numbers, or the number that a string spells."""
    if isinstance(above, str):
        spelled = read_decimal(above)
        if spelled is None:
            raise ValueError(f"{shown(above)} does not spell a number")
        above = spelled
    return Fraction(above, below)


def unpacked_pair(item: Value) -> tuple[Value, Value]:
    """Return a key and its value."""
    if not isinstance(item, tuple) or len(item) != 2:
        raise TypeError(f"{shown(item)} is not a key with its value")
    if isinstance(item[0], List):
        raise TypeError("a list cannot be a key; use a tuple")
    return item[0], item[1]


def _sum(items: Any, start: Value) -> Value:
    if isinstance(start, List) and not items:
        raise TypeError("sum() of nothing returns its start: one list would have two names")
    for item in items:
        start = _small(start + item)
    return start


def updated(base: Value, index: Value, value: Value) -> List:
    """Return the list with one entry replaced."""
    if isinstance(base, Table):
        raise ValueRefusedError(
            "a dictionary cannot be changed",
            rule="Dictionaries are read-only.",
            way_out="Keep the values in a list and index it by position.",
        )
    if not isinstance(base, List):
        raise TypeError("only an entry of a list can be assigned")
    position = operator.index(settled(index))
    if not -len(base) <= position < len(base):
        raise IndexError("list assignment index out of range")
    position %= len(base)
    return List((*base[:position], value, *base[position + 1 :]))


def appended(base: Value, item: Value) -> List:
    """Return the list with one more item."""
    if not isinstance(base, List):
        raise TypeError("append needs a list")
    return _grown(List((*base, item)))  # type: ignore[no-any-return]


def augmented(op: str, base: Value, value: Value) -> Value:
    """Return the result of `base op= value`."""
    if op == "+" and isinstance(base, List):
        return _grown(List((*base, *items_of(value))))
    return OPERATORS[op](base, value)


def unpacked(value: Value, count: int, place: Place) -> Any:
    """Return the parts of a value that is assigned to `count` targets."""
    if not isinstance(value, tuple | range | str):
        raise fail(
            place, f"{shown(value)} cannot be split into {count} parts", SAME_LENGTH, TARGETS
        )
    if len(value) != count:
        message = f"{len(value)} values cannot be assigned to {count} targets"
        raise fail(place, message, SAME_LENGTH, TARGETS)
    return value


def entry_of(base: Value, index: Value) -> Value:
    """Return one entry of a sequence or table."""
    index = settled(index)
    if isinstance(base, Table):
        return base[index]
    if not isinstance(base, tuple | range | str):
        raise TypeError("only a list, tuple, range, string or table has entries")
    position = operator.index(index)
    if isinstance(base, List) and not -len(base) <= position < len(base):
        raise IndexError("list index out of range")
    return base[position]


def _position(items: Value, item: Value) -> int:
    """Return the position of the first occurrence of an item."""
    if item not in items_of(items):
        raise ValueError(f"{shown(item)} is not in the list")
    return int(items_of(items).index(item))


METHODS: dict[str, Callable[[Value, Value], Value]] = {
    "index": _position,
    "count": lambda items, item: items_of(items).count(item),
}
