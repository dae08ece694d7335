"""Values that may be lists of lists: their single values, and the same lists of other values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import is_not
from typing import Any


def leaves(value: Any) -> Iterator[Any]:
    """Yield the single values of nested lists or tuples, in order."""
    if isinstance(value, tuple | list):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def holds(value: Any, kind: Any) -> bool:
    """Whether a value is, or contains, one of a type."""
    return any(isinstance(one, kind) for one in leaves(value))


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return nested lists or tuples with each single value changed."""
    if not isinstance(value, tuple | list):
        return change(value)
    found = [mapped(item, change) for item in value]
    return found if isinstance(value, list) else tuple(found)


def with_parts(value: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    """Return a list or a tuple of the language with each part changed; itself if none is."""
    parts = [change(part) for part in value]
    return type(value)(parts) if any(map(is_not, parts, value)) else value
