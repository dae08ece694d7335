"""Operations of the core program: Python's, but exact, and on forms where they are linear.

`applied` finds no place: the interpreter adds that of the operation to what is refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor
from types import MappingProxyType

from ..errors import NotYet, fail
from ..ring import exact
from ..ring.expr import Expr, eps, exp, expr, log, maximum, minimum, sqrt
from ..ring.linear import Linear, quotient, whole
from .foreign import Foreign
from .lists import (
    LONGEST_LIST,
    comprehended,
    dict_of,
    entries,
    entry_of,
    enumerated,
    extended_list,
    iterated,
    length_of,
    maker,
    part_of,
    range_of,
    replaced,
    table_of,
    unpacked,
    weights_of,
    zipped,
)
from .numbers import BINARY, binary, formula, small
from .values import List, Table, Value, is_finite, key, shown, type_name, value_of


def applied(op: str, args: tuple[Value, ...]) -> Value:
    """Return the value of an operation: on finite values, numbers in ε, and linear forms."""
    if op in BINARY:
        return binary(op, *args)
    found = OTHERS[op](*args)
    if isinstance(found, List | tuple | str | range) and len(found) > LONGEST_LIST:
        fail("F19", most=LONGEST_LIST)
    return found


# -- functions of one value


def truth(v: Value) -> bool:
    """Return whether a value counts as true."""
    match v:
        case Linear():
            fail("R13", what="a real")
        case Expr():
            fail("R12")
        case Table():
            return bool(v.items)
    return bool(v)


def _negative(v: Value) -> Value:
    if isinstance(v, Linear | Expr):
        return -v
    if not isinstance(v, int | Fraction | float):
        fail("F05", problem=f"bad operand type for unary -: '{type_name(v)}'")
    return -v


def _positive(v: Value) -> Value:
    if isinstance(v, Linear | Expr):
        return v
    if not isinstance(v, int | Fraction | float):
        fail("F05", problem=f"bad operand type for unary +: '{type_name(v)}'")
    return +v


def _int(v: Value = 0) -> Value:
    match v:
        case int() | Fraction():
            return int(v)
        case str():
            try:
                return int(v)
            except ValueError:
                fail("F31", what=shown(v))
    fail("F05", problem=f"int() of {shown(v)}")


def _fraction(v: Value = 0, over: Value = 1) -> Value:
    if over == 0:
        fail("F01")
    match v, over:
        case ((int() | Fraction()), (int() | Fraction())):
            return quotient(Fraction(v), Fraction(over))
        case str(), 1:
            try:
                return whole(Fraction(v))
            except ValueError:
                fail("F31", what=shown(v))
    fail("F05", problem=f"Fraction of {shown(v)}")


def _round(v: Value, digits: Value = None) -> Value:
    if isinstance(v, List | tuple):
        fail("R08")
    if isinstance(v, Linear):
        raise NotYet("language")
    if not isinstance(v, int | Fraction) or not isinstance(digits, int | None):
        fail("F05", problem=f"{type_name(v)} cannot be rounded so")
    return small(round(Fraction(v), digits) if digits is not None else round(v))


def _string(v: Value = "") -> Value:
    if isinstance(v, Linear):
        fail("R20", function="str", what="a real")
    return v if isinstance(v, str) else shown(v)


def _divmod(a: Value, b: Value) -> Value:
    return (binary("//", a, b), binary("%", a, b))


def _sum(v: Value, start: Value = 0) -> Value:
    found = iterated(v)
    parts = (*found, start)
    numbers = [one for one in parts if isinstance(one, Linear | int | Fraction)]
    if len(numbers) == len(parts) and any(isinstance(one, Linear) for one in parts):
        return Linear.sum(numbers)
    if isinstance(start, List) and not found:  # it is the start itself, under a second name
        fail("F41")
    for one in found:
        if isinstance(one, str):
            fail("F05", problem="sum() adds numbers, not texts")
        start = binary("+", start, one)
    return start


def _absolute(v: Value) -> Value:
    if isinstance(v, Expr):
        return abs(v)
    if not isinstance(v, int | Fraction | float):
        fail("F05", problem=f"bad operand type for abs(): '{type_name(v)}'")
    return small(abs(v))


def _exp(v: Value) -> Value:
    if not isinstance(v, int | Fraction | Expr):
        fail("S32")
    parts = exact.monomials(v) if isinstance(v, Expr) else {(0, None): Fraction(v)}
    if (parts is None or set(parts) - {(1, None)}) and (isinstance(v, Expr) or v):
        fail("S32")
    return exp(v)


def _log(v: Value) -> Value:
    if not isinstance(v, int | Fraction | Expr) or (not isinstance(v, Expr) and v <= 0):
        fail("S44")
    return log(v)


def _sqrt(v: Value) -> Value:
    if not isinstance(v, int | Fraction | Expr):
        fail("S53")
    if (v.names or (v.number or 1) < 0) if isinstance(v, Expr) else v < 0:
        fail("S53")
    found = sqrt(v)
    return found if found.number is None else found.number


def _extreme(how: str) -> Callable[..., Value]:
    def make(*parts: Value) -> Value:
        return (maximum if how == "max" else minimum)(*map(formula, parts))

    return make


def _pairs(v: Value) -> Table:
    if not isinstance(v, Table):
        fail("F05", problem=f"{type_name(v)} has no keys")
    return v


def _declared(v: Value, name: Value, kind: Value, domain: Value) -> Value:
    """Return a value if it is one of the domain with which its variable is declared."""
    assert isinstance(domain, tuple | range)
    if kind != "Real" and all(isinstance(v, Linear) or key(v) != key(one) for one in domain):
        values = ", ".join(map(shown, domain[:10])) + (", …" if len(domain) > 10 else "")
        fail("F07", name=name, domain=kind, value=shown(v), values=values)
    return v


def _swapped(v: Value) -> Value:
    """Return pairs with their parts in the other order."""
    assert isinstance(v, tuple)
    return List(one[::-1] for one in v if isinstance(one, tuple))


def _not_found(v: Value) -> Value:
    fail("F03", what=shown(v))


def _floor(v: Value) -> Value:
    if isinstance(v, Linear):
        raise NotYet("language")
    if not isinstance(v, int | Fraction):
        fail("F05", problem=f"{type_name(v)} cannot be rounded so")
    return floor(v)


def _integer(v: Value) -> int:
    assert isinstance(v, int)
    return v


def _over(scale: Value) -> Value:
    """Return the rate of noise whose scale is given: 1/scale."""
    parts = exact.monomials(scale) if isinstance(scale, Expr) else None
    if parts is not None and parts.keys() == {(-1, None)}:
        return expr(Fraction(1) / parts[-1, None]) * eps
    if not isinstance(scale, Expr) or parts is not None:
        fail("S02", what=shown(scale))
    return 1 / scale


def _called(f: Value, *args: Value) -> Value:
    assert isinstance(f, Foreign)
    if any(not is_finite(one) for one in args):
        fail("N21", function=f.name, what="a real")
    return value_of(f.called(args))


OTHERS: Mapping[str, Callable[..., Value]] = MappingProxyType(
    {
        "neg": _negative,
        "pos": _positive,
        "abs": _absolute,
        "bool": truth,
        "int": _int,
        "Fraction": _fraction,
        "round": _round,
        "str": _string,
        "divmod": _divmod,
        "sum": _sum,
        "exp": _exp,
        "log": _log,
        "sqrt": _sqrt,
        "maximum": _extreme("max"),
        "minimum": _extreme("min"),
        "list": lambda *parts: List(parts),
        "tuple": lambda *parts: parts,
        "table": table_of,
        "index": entry_of,
        "slice": part_of,
        "replace": replaced,
        "len": length_of,
        "iter": entries,
        "entries": comprehended,
        "unpack": unpacked,
        "range": range_of,
        "zip": zipped,
        "enumerate": enumerated,
        "dict": dict_of,
        "as_list": maker(List),
        "as_tuple": maker(tuple),
        "reversed": lambda v: List(reversed(iterated(v))),
        "keys": lambda v: List(k for k, _ in _pairs(v).items),
        "values": lambda v: List(x for _, x in _pairs(v).items),
        "items": lambda v: List(_pairs(v).items),
        "extend": extended_list,
        "weights": weights_of,
        "declare": _declared,
        "over": _over,
        "not_found": _not_found,
        "floor": _floor,
        "ceil": lambda v: -_integer(_floor(_negative(v))),
        "swapped": _swapped,
        "call": _called,
    }
)
"""Operations that are written as functions; their arity is that of their Python names."""
