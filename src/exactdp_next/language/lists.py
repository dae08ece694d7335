"""Lists, texts and tables: what Python's operations on them are, with limits."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import NotYet, fail
from ..ring.linear import Linear
from .values import List, Table, Value, equal, inside, shown, type_name

LONGEST_LIST = 1_000_000
"""Entries of a list or text made by an operation: some 10 MB."""

LONGEST_APPENDED = 20_000
"""Entries of a list made one by one: each is a new list, so the time is quadratic."""

MOST_ROUNDS = 100_000
"""Rounds of a loop over a range: seconds."""

Sequence = List | tuple | range | str  # type: ignore[type-arg]


def extended(a: List, b: Value) -> Value:
    """Return a list with more entries."""
    more = iterated(b)
    if len(a) + len(more) > LONGEST_LIST:
        fail("F19", most=LONGEST_LIST)
    return List((*a, *more))


def iterated(v: Value) -> tuple[Value, ...] | range:
    """Return the entries that a loop goes over."""
    match v:
        case tuple() | range():
            return v
        case str():
            return tuple(v)
        case Table(items):
            return tuple(k for k, _ in items)
        case Linear():
            fail("R16", what="a real")
    fail("L09", what=shown(v))


def entries(v: Value) -> Value:
    """Return what a loop goes over; a list is kept as it is."""
    if len(found := iterated(v)) > MOST_ROUNDS:
        fail("L08", most=MOST_ROUNDS)
    return found


def comprehended(v: Value) -> Value:
    """Return what a comprehension goes over."""
    if len(found := iterated(v)) > MOST_ROUNDS:
        fail("F22", most=MOST_ROUNDS, given=len(found))
    return found


def entry_of(a: Value, at: Value) -> Value:
    """Return an entry of a list, text or table."""
    if isinstance(a, Table):
        try:
            return a[at]
        except KeyError:
            fail("F04", what=shown(at))
    if isinstance(a, Linear):
        fail("R17", what="a real")
    if not isinstance(a, Sequence):
        fail("F30")
    if isinstance(at, Linear):
        raise NotYet("language")
    if not isinstance(at, int):
        fail("F05", problem=f"an index is a whole number, not {shown(at)}")
    if not -len(a) <= at < len(a):
        kind = "list" if isinstance(a, List) else type_name(a)
        fail("F02", what=kind, size=len(a))
    return a[at]


def part_of(a: Value, *ends: Value) -> Value:
    """Return a slice."""
    if not isinstance(a, Sequence):
        fail("F33")
    if any(one is not None and not isinstance(one, int) for one in ends):
        fail("F05", problem="the ends of a slice are whole numbers")
    if ends[2] == 0:
        fail("F05", problem="slice step cannot be zero")
    start, stop, step = (one if isinstance(one, int) else None for one in ends)
    part = a[slice(start, stop, step)]
    return type(a)(part) if isinstance(a, tuple) else part


def replaced(a: Value, at: Value, v: Value) -> Value:
    """Return a list with another entry."""
    if isinstance(a, Table):
        fail("F15")
    if not isinstance(a, List):
        fail("F27")
    if not isinstance(at, int):
        fail("F05", problem=f"an index is a whole number, not {shown(at)}")
    if not -len(a) <= at < len(a):
        fail("F28", size=len(a))
    at %= len(a)
    return List((*a[:at], v, *a[at + 1 :]))


def appended(a: Value, v: Value) -> Value:
    """Return a list with one more entry."""
    if not isinstance(a, List):
        fail("F29")
    if len(a) >= LONGEST_APPENDED:
        fail("F40", most=LONGEST_APPENDED)
    return List((*a, v))


def table_of(*parts: Value) -> Value:
    """Return a dictionary of keys and values in turn; the last one of a key counts."""
    found = Table(())
    for k, v in zip(parts[::2], parts[1::2], strict=True):
        _require_key(k)
        items = [(a, v if equal(a, k) else b) for a, b in found.items]
        found = Table(tuple(items if any(equal(a, k) for a, _ in items) else [*items, (k, v)]))
    return found


def _require_key(k: Value) -> None:
    if any(isinstance(one, List | Table) for one in inside(k)):
        fail("F16", what="list" if isinstance(k, List | tuple) else "dictionary")


def dict_of(v: Value = Table(())) -> Value:  # noqa: B008
    """Return the dictionary of a list of pairs."""
    if isinstance(v, Table):
        return v
    parts: list[Value] = []
    for one in iterated(v):
        if not isinstance(one, tuple) or len(one) != 2:
            fail("F26", what=shown(one))
        parts += one
    return table_of(*parts)


def unpacked(v: Value, size: Value) -> Value:
    """Return as many values as there are targets."""
    assert isinstance(size, int)
    if isinstance(v, Linear):
        fail("R19", what="a real", size=size)
    if not isinstance(v, Sequence | Table):
        fail("F05", problem=f"cannot unpack {shown(v)}")
    found = iterated(v)
    if len(found) != size:
        fail("F21", given=len(found), size=size)
    return tuple(found)


def length_of(v: Value) -> Value:
    """Return how many entries there are."""
    if not isinstance(v, Sequence | Table):
        fail("F05", problem=f"{type_name(v)} has no length")
    return len(v)


def range_of(*ends: Value) -> Value:
    """Return a range."""
    if not 1 <= len(ends) <= 3 or any(not isinstance(one, int) for one in ends):
        fail("F05", problem="range takes one to three whole numbers")
    if len(ends) == 3 and ends[2] == 0:
        fail("F05", problem="range() arg 3 must not be zero")
    found = range(*map(int, ends))  # type: ignore[arg-type]
    try:
        len(found)
    except OverflowError:
        fail("F19", most=LONGEST_LIST)
    return found


def zipped(*lists: Value) -> Value:
    """Return the tuples of entries at the same places."""
    return List(tuple(one) for one in zip(*map(iterated, lists), strict=False))


def enumerated(v: Value, start: Value = 0) -> Value:
    """Return the entries with their places."""
    assert isinstance(start, int)
    return List(enumerate(iterated(v), start))


def maker(kind: type[List] | type[tuple[Value, ...]]) -> Callable[..., Value]:
    """Return what makes a list, or a tuple, of entries."""

    def make(v: Value = ()) -> Value:
        found = iterated(v)
        if len(found) > LONGEST_LIST:
            fail("F19", most=LONGEST_LIST)
        return kind(found)

    return make


def extended_list(a: Value, b: Value) -> Value:
    """Return a list with more entries; nothing else has them."""
    if not isinstance(a, List):
        fail("F29")
    return extended(a, b)


def weights_of(*parts: Value) -> Value:
    """Return what `choose` lists: each value once, with its probability."""
    found = table_of(*parts)
    assert isinstance(found, Table)
    if len(found) < len(parts) // 2:
        seen: list[Value] = []
        for k in parts[::2]:
            if any(equal(k, one) for one in seen):
                fail("S27", what=shown(k))
            seen.append(k)
    return found
