"""The least input, in an order, of a polyhedron that shrinks as a number a grows.

Inputs u satisfy Σ h·u + k ≥ a·c for each of some rows. An order specifies which entries may be
raised, and which may be lowered, without loss. At the corner, each such entry equals a bound given
by one row; every u of the polyhedron is the corner with some entries raised or lowered. Entries
about which nothing is known, or that no single row bounds, stay free.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

Forms: TypeAlias = dict[str, Fraction]
"""A linear form by the names of its variables; "" is its constant, `LEVEL` is a."""

LEVEL = "a"


@dataclass(frozen=True)
class DominanceRow:
    """Σ h·u + constant ≥ a·width for every input with a given level a."""

    slopes: tuple[tuple[str, Fraction], ...]
    constant: Fraction
    width: Fraction

    @property
    def names(self) -> frozenset[str]:
        """The entries in it."""
        return frozenset(name for name, _ in self.slopes)

    @property
    def is_shift_free(self) -> bool:
        """Whether the row is invariant under adding the same number to all entries."""
        return not sum(q for _, q in self.slopes)

    def form(self) -> Forms:
        """Return the form that must be nonnegative."""
        return {**dict(self.slopes), "": self.constant, LEVEL: -self.width}


@dataclass(frozen=True)
class SignedOrder:
    """The directions in which inputs may be changed without loss."""

    raised: frozenset[str]
    """Entries that may be raised."""
    lowered: frozenset[str]
    shifted: bool
    """Whether all entries may be raised, or lowered, by the same number."""


@dataclass(frozen=True)
class CornerPiece:
    """Where all sides are nonnegative, the entries of the corner: forms in a and free entries."""

    entries: Mapping[str, Forms]
    free: tuple[str, ...]
    sides: tuple[Forms, ...]
    rows: Mapping[str, DominanceRow]
    """The row that bounds an entry."""
    fixed: str | None = None
    """The entry that is 0 after a shift of all."""


def corners(
    names: Sequence[str], rows: Sequence[DominanceRow], order: SignedOrder
) -> Iterator[tuple[CornerPiece, ...]]:
    """Yield the pieces of what may be the corner of a polyhedron, the simplest first.

    Whether a corner is in the polyhedron is not checked. Nothing is yielded if almost all entries
    would stay free.
    """
    unknown = [name for name in names if name not in order.raised and name not in order.lowered]
    ways: list[tuple[tuple[str, ...], list[str]]] = [((), unknown)]
    if order.shifted:
        rows = [row for row in rows if row.is_shift_free]
        used = _most_used(names, rows)
        starts = [*dict.fromkeys((*_most_used(unknown, rows)[:1], *used[:1]))]
        if starts:
            ways = [((name,), [one for one in unknown if one != name]) for name in starts]
    else:
        more = [name for name in _most_used(names, rows) if name not in unknown][:1]
        ways += [((), [*unknown, name]) for name in more]
    for fixed, free in ways:
        found = _corner(names, rows, order, fixed, free)
        if found is not None:
            yield found


def _corner(
    names: Sequence[str],
    rows: Sequence[DominanceRow],
    order: SignedOrder,
    fixed: tuple[str, ...],
    free: list[str],
) -> tuple[CornerPiece, ...] | None:
    """Return the pieces of the corner with a fixed entry and some that stay free, or more."""
    free = list(free)
    while len(free) + 1 < len(names):
        bounds, unbounded = _bounds(names, rows, order, (*free, *fixed))
        several = [name for name, found in bounds.items() if len(found) > 1]
        if unbounded or (several and free):
            free += _most_used(unbounded, rows)[:1] or unbounded[:1] or several[:1]
            continue
        known = {name: {"": Fraction(0)} for name in (*fixed, *_idle(names, rows, order))}
        return tuple(_pieces(rows, bounds, tuple(free), known, fixed))
    return None


def _most_used(names: Sequence[str], rows: Sequence[DominanceRow]) -> list[str]:
    """Return the entries that occur in rows, the most frequent first."""
    found = Counter(name for row in rows for name, _ in row.slopes)
    return sorted((name for name in names if found[name]), key=lambda name: -found[name])


def _idle(names: Sequence[str], rows: Sequence[DominanceRow], order: SignedOrder) -> Iterator[str]:
    """Yield the entries that occur in no row and have no effect."""
    used = frozenset().union(*(row.names for row in rows))
    for name in names:
        if name not in used and name in order.raised and name in order.lowered:
            yield name


Bounds: TypeAlias = dict[str, list[tuple[DominanceRow, Forms]]]


def _bounds(
    names: Sequence[str], rows: Sequence[DominanceRow], order: SignedOrder, known: tuple[str, ...]
) -> tuple[Bounds, list[str]]:
    """Return the bounds of entries in others that are known, and the entries without one."""
    bounds: Bounds = {}
    given = set(known)
    for row in rows:
        left = [(name, q) for name, q in row.slopes if name not in given]
        if len(left) != 1:
            continue
        ((name, q),) = left
        if (q > 0 and name in order.raised) or (q < 0 and name in order.lowered):
            rest = {other: -r / q for other, r in row.slopes if other != name}
            form = {**rest, "": -row.constant / q, LEVEL: row.width / q}
            bounds.setdefault(name, []).append((row, form))
    idle = {*known, *_idle(names, rows, order)}
    for name, found in bounds.items():
        if name in order.raised and name in order.lowered:
            del found[1:]  # any of them will do
        else:
            bounds[name] = _strongest(found, 1 if name in order.raised else -1, _spans(rows, given))
    return bounds, [name for name in names if name not in bounds and name not in idle]


Spans: TypeAlias = dict[tuple[str, int], Forms]
"""Lower (1) and upper (−1) bounds of entries, each by a single row without other entries."""


def _spans(rows: Sequence[DominanceRow], names: set[str]) -> Spans:
    """Return bounds of some entries in a; of several, the last one."""
    found: Spans = {}
    for row in rows:
        if len(row.slopes) == 1 and row.names <= names:
            ((name, q),) = row.slopes
            found[name, 1 if q > 0 else -1] = {"": -row.constant / q, LEVEL: row.width / q}
    return found


def _strongest(
    found: list[tuple[DominanceRow, Forms]], sign: int, spans: Spans
) -> list[tuple[DominanceRow, Forms]]:
    """Drop every bound that another one implies for every a ≥ 0."""
    kept: list[tuple[DominanceRow, Forms]] = []
    for one in found:
        if not any(_implies(other[1], one[1], sign, spans) for other in kept):
            kept = [other for other in kept if not _implies(one[1], other[1], sign, spans)]
            kept.append(one)
    return kept


def _implies(one: Forms, two: Forms, sign: int, spans: Spans) -> bool:
    """Whether a bound is at least as strong as another one; the sign is 1 for lower bounds."""
    least = {"": Fraction(0), LEVEL: Fraction(0)}
    for name, gap in difference(one, two).items():
        q = sign * gap
        if name in least:
            least[name] += q
        elif q:
            end = spans.get((name, 1 if q > 0 else -1))
            if end is None:
                return False
            for part, value in end.items():
                least[part] += q * value
    return min(least.values()) >= 0


def difference(one: Forms, two: Forms) -> Forms:
    """Return the difference of two forms."""
    return {
        name: one.get(name, Fraction(0)) - two.get(name, Fraction(0)) for name in {**one, **two}
    }


def _pieces(
    rows: Sequence[DominanceRow],
    bounds: Bounds,
    free: tuple[str, ...],
    known: Mapping[str, Forms],
    fixed: tuple[str, ...],
) -> Iterator[CornerPiece]:
    """Yield the corner: where an entry has several bounds, the strongest depends on a."""
    sides = [_without(row.form(), fixed) for row in rows if row.names <= {*free, *fixed}]
    sides += _caps(rows)
    cuts = sorted(
        {
            -gap.get("", Fraction(0)) / gap[LEVEL]
            for found in bounds.values()
            for k, (_, one) in enumerate(found)
            for _, two in found[:k]
            if (gap := difference(one, two)).get(LEVEL)
        }
    )
    ends: list[Fraction | None] = [Fraction(0), *(cut for cut in cuts if cut > 0), None]
    for low, high in pairwise(ends):
        assert low is not None
        middle = low + 1 if high is None else (low + high) / 2
        chosen = {name: _active(name, found, middle) for name, found in bounds.items()}
        forms = {name: form for name, (_, form) in chosen.items()}
        between = [{LEVEL: Fraction(1), "": -low}]
        if high is not None:
            between.append({LEVEL: Fraction(-1), "": high})
        yield CornerPiece(
            {**known, **{name: _without(form, fixed) for name, form in forms.items()}},
            free,
            (*sides, *_reached(rows, forms, chosen, fixed), *between),
            {name: row for name, (row, _) in chosen.items()},
            next(iter(fixed), None),
        )


def _reached(
    rows: Sequence[DominanceRow],
    forms: Mapping[str, Forms],
    chosen: Mapping[str, tuple[DominanceRow, Forms]],
    fixed: tuple[str, ...],
) -> Iterator[Forms]:
    """Yield rows at the corner that are at least what they are at any input above it.

    These bound the free entries: all entries of the row but these move away from it.
    """
    sign = {name: 1 if dict(row.slopes)[name] > 0 else -1 for name, (row, _) in chosen.items()}
    for row in rows:
        moved = [(name, q) for name, q in row.slopes if name in forms]
        if not moved or any(q * sign[name] > 0 for name, q in moved):
            continue
        total = {name: q for name, q in row.form().items() if name not in forms}
        for name, q in moved:
            for part, value in forms[name].items():
                total[part] = total.get(part, Fraction(0)) + q * value
        total = _without(total, fixed)
        if any(q for name, q in total.items() if name not in ("", LEVEL)):
            yield total


def _without(form: Forms, names: tuple[str, ...]) -> Forms:
    """Return a form with some entries set to 0."""
    return {name: q for name, q in form.items() if name not in names}


def _active(
    name: str, found: list[tuple[DominanceRow, Forms]], level: Fraction
) -> tuple[DominanceRow, Forms]:
    """Return the strongest bound of an entry at a level; they are all on one side."""
    if len(found) == 1:
        return found[0]
    row, _ = found[0]
    sign = 1 if dict(row.slopes)[name] > 0 else -1

    def value(one: tuple[DominanceRow, Forms]) -> Fraction:
        return sign * (one[1].get("", Fraction(0)) + level * one[1].get(LEVEL, Fraction(0)))

    return max(found, key=value)


def _caps(rows: Sequence[DominanceRow]) -> Iterator[Forms]:
    """Yield how large a can be: two rows with opposite slopes add up to a bound."""
    known: dict[frozenset[tuple[str, Fraction]], list[DominanceRow]] = {}
    for row in rows:
        for other in known.get(frozenset((name, -q) for name, q in row.slopes), ()):
            yield {"": row.constant + other.constant, LEVEL: -(row.width + other.width)}
        known.setdefault(frozenset(row.slopes), []).append(row)
