"""The inputs of a program in its graph: a symbol for each real number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from exactdp.language.layout import assembled, entry_names
from exactdp.language.linear import Linear
from exactdp.language.tree import Param
from exactdp.language.types import RealType
from exactdp.language.values import List, Value

Names: TypeAlias = str | tuple[str, ...] | None
"""The representation of an input in a graph: a symbol, a list of symbols, or None for its value."""


def names_of(param: Param) -> Names:
    """Return how an input occurs in a graph."""
    if param.type is None or param.type.finite:
        return None
    return param.name if isinstance(param.type, RealType) else entry_names([param])


def symbols_of(names: str | tuple[str, ...]) -> Value:
    """Return an input whose real numbers are symbols."""
    if isinstance(names, str):
        return Linear.symbol(names)
    return List(Linear.symbol(name) for name in names)


def symbols_for(params: Sequence[Param]) -> tuple[Value, ...]:
    """Return the inputs of a program whose inputs are all real, as symbols."""
    return assembled(params, [Linear.symbol(name) for name in entry_names(params)])
