"""The layout of an input: its single values in order, their names and domains."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from exactdp.language.tree import Param
from exactdp.language.types import DomType, ListType
from exactdp.language.values import List, Value

_MANY = 10**15  # inputs of which not every digit is printed


def entry_names(params: Iterable[Param]) -> tuple[str, ...]:
    """Return the names of the single values: `x` for a number, `q[0]`, `q[1]`, … for a list."""
    found: list[str] = []
    for param in params:
        kind = param.type
        if isinstance(kind, ListType):
            found += [f"{param.name}[{j}]" for j in range(kind.length)]
        else:
            found.append(param.name)
    return tuple(found)


def kinds(params: Iterable[Param]) -> list[DomType | None]:
    """Return the finite domain of each single value, None for a real."""
    found: list[DomType | None] = []
    for param in params:
        kind = param.type
        item, times = (kind.item, kind.length) if isinstance(kind, ListType) else (kind, 1)
        found += [item if isinstance(item, DomType) else None] * times
    return found


def entries(u: Iterable[Value]) -> list[Value]:
    """Return the single values of an input."""
    found: list[Value] = []
    for value in u:
        found += value if isinstance(value, List) else [value]
    return found


def assembled(params: Iterable[Param], values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the input with the given single values."""
    rest = iter(values)
    found: list[Value] = []
    for param in params:
        kind = param.type
        if isinstance(kind, ListType):
            found.append(List(next(rest) for _ in range(kind.length)))
        else:
            found.append(next(rest))
    return tuple(found)


def told_size(size: int) -> str:
    """Return a number of inputs in words; of many, only the power of ten."""
    return f"{size:,}" if size < _MANY else f"about 10^{round(math.log10(size))}"
