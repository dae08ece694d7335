"""The kinds of values: which variables may hold reals, integer noise, lists, or be unset.

A kind describes a value on every path that leads to a point of the program. Kinds form a
finite lattice, so the analysis in `checker` terminates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

#: The site of lists that are inputs or constants: they can never be changed.
SHARED = 0

_DEPTH = 6


@dataclass(frozen=True)
class ValueKind:
    """What a value may be; several may be true at once.

    `items` are the kinds of the entries of a sequence: one for each entry, or a single
    one for all if the length is not known. `single` means that a finite value is True, False
    or None. `sites` are the places where the list may have been created: even for the latest
    list created there, odd for earlier ones. `mixed` means that it may be a list or a tuple.
    """

    finite: bool = False
    real: bool = False
    integer: bool = False
    function: bool = False
    term: bool = False
    unset: bool = False
    single: bool = False
    items: tuple[ValueKind, ...] | ValueKind | None = None
    sites: frozenset[int] = frozenset()
    mixed: bool = False

    @property
    def noise(self) -> bool:
        """Whether it may be a real or integer noise itself."""
        return self.real or self.integer

    @property
    def only_single(self) -> bool:
        """Whether it may be no finite value other than True, False and None."""
        return self.single or not self.finite

    @property
    def word(self) -> str:
        """The word for the real or the integer, sampled or rounded, that it is or contains."""
        return "a real" if self.holds("real") else "an unbounded integer"

    @property
    def parts(self) -> tuple[ValueKind, ...]:
        """The kinds of the entries of the sequence that it may be."""
        return (self.items,) if isinstance(self.items, ValueKind) else self.items or ()

    @property
    def entry(self) -> ValueKind:
        """The kind of any entry of the sequence that it may be.

        Where only the sites of its lists are known, an entry may be one of these lists.
        """
        own = ValueKind(finite=True, sites=self._opaque) if self.finite else NOTHING
        return joined((*self.parts, own))

    @property
    def _opaque(self) -> frozenset[int]:
        return self.sites if self.items is None else frozenset()

    @property
    def may_be_list(self) -> bool:
        """Whether it may be a list, or another sequence."""
        return self.items is not None or bool(self.sites)

    def holds(self, name: str) -> bool:
        """Whether it, or an entry at any depth, may be `real`, `integer`, `mixed` and so on."""
        if getattr(self, name):
            return True
        return any(part.holds(name) for part in self.parts)

    @property
    def holds_noise(self) -> bool:
        """Whether it is or contains noise."""
        return self.holds("real") or self.holds("integer")

    def all_sites(self) -> frozenset[int]:
        """Return the sites of the lists that it is or contains."""
        return self.sites.union(*(part.all_sites() for part in self.parts))

    def aged(self, site: int) -> ValueKind:
        """Return the kind after another list was made at `site`."""
        if not self.sites and self.items is None:
            return self
        items = self.items
        if isinstance(items, ValueKind):
            items = items.aged(site)
        elif items is not None:
            items = tuple(item.aged(site) for item in items)
        sites = self.sites
        if site in sites:
            sites = (sites - {site}) | {site + 1}
        return (
            self
            if items is self.items and sites is self.sites
            else replace(self, items=items, sites=sites)
        )


NOTHING = ValueKind()
FINITE = ValueKind(finite=True)
SINGLE = ValueKind(finite=True, single=True)
REAL = ValueKind(real=True)
INTEGER = ValueKind(integer=True)
FUNCTION = ValueKind(function=True)
TERM = ValueKind(term=True)
UNKNOWN = ValueKind(unset=True)
CONSTANT = ValueKind(finite=True, sites=frozenset({SHARED}))


def opaque(sites: frozenset[int]) -> ValueKind:
    """Return the kind of a finite value whose lists, at any depth, were made at these sites."""
    inner = ValueKind(finite=True, sites=sites)
    return replace(inner, items=inner)


def sequence(
    items: tuple[ValueKind, ...] | ValueKind, sites: frozenset[int] = frozenset()
) -> ValueKind:
    """Return the kind of a sequence."""
    found = ValueKind(items=items, sites=sites)
    return found if _depth(found) <= _DEPTH else _summary(found)


def _depth(kind: ValueKind) -> int:
    return 1 + max(map(_depth, kind.parts), default=0)


def _summary(kind: ValueKind) -> ValueKind:
    """Return a kind of bounded depth that covers a deeper one."""
    inner = ValueKind(
        finite=True,
        real=kind.holds("real"),
        integer=kind.holds("integer"),
        function=kind.holds("function"),
        term=kind.holds("term"),
        sites=kind.all_sites(),
        mixed=kind.holds("mixed"),
    )
    return replace(inner, items=inner)


def join(left: ValueKind, right: ValueKind) -> ValueKind:
    """Return the kind of a value that is of one kind or the other."""
    if left is right or right in (left, NOTHING):
        return left
    if left == NOTHING:
        return right
    items: tuple[ValueKind, ...] | ValueKind | None
    both_known = left.items is not None and right.items is not None
    if left.items is None or right.items is None:
        items = right.items if left.items is None else left.items
    elif (
        isinstance(left.items, tuple)
        and isinstance(right.items, tuple)
        and len(left.items) == len(right.items)
    ):
        items = tuple(join(one, two) for one, two in zip(left.items, right.items, strict=True))
    else:
        items = joined((*left.parts, *right.parts))
    return ValueKind(
        left.finite or right.finite,
        left.real or right.real,
        left.integer or right.integer,
        left.function or right.function,
        left.term or right.term,
        left.unset or right.unset,
        left.only_single and right.only_single and (left.finite or right.finite),
        items,
        left.sites | right.sites,
        left.mixed or right.mixed or (both_known and bool(left.sites) != bool(right.sites)),
    )


def joined(kinds: tuple[ValueKind, ...] | list[ValueKind]) -> ValueKind:
    """Return the kind of a value that is of one of the kinds."""
    found = NOTHING
    for kind in kinds:
        found = join(found, kind)
    return found


def whole_number(kind: ValueKind) -> ValueKind:
    """Return the kind of a rounded number."""
    return ValueKind(finite=kind.finite, integer=True) if kind.noise else number(kind)


def number(kind: ValueKind) -> ValueKind:
    """Return the kind of a number computed from values of a kind: reals cover the others."""
    if kind.noise:
        return ValueKind(finite=kind.finite, real=kind.real, integer=not kind.real)
    return TERM if kind.term else FINITE
