"""Refuses questions about all values of finite inputs if there are too many to list."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from exactdp.errors import ValueRefusedError
from exactdp.language.layout import kinds, told_size
from exactdp.language.tree import Param

_MOST = 1_000_000  # values that are examined one by one


def require_few(params: Iterable[Param]) -> None:
    """Refuse a question about all values of finite inputs if there are too many."""
    size = prod(1 if kind is None else len(kind.members) for kind in kinds(params))
    if size > _MOST:
        raise ValueRefusedError(
            f"the finite inputs have {told_size(size)} values, and all of them are asked about",
            rule=f"At most {_MOST:,} are examined one by one.",
            way_out="Give inputs=[u1, u2] for some inputs, or make the domain smaller.",
        )
