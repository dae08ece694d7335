"""Kinds: the arithmetic of the checks, in which a value is known, or only what kind it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce

from ..ring.expr import Expr
from ..ring.linear import Linear
from .comparisons import Fork
from .foreign import Foreign
from .types import InputType
from .values import List, Table, Value, key

NOISE = frozenset({"real", "integer"})
NUMBERS = frozenset({"bool", "int", "fraction", "inf"})
SCALARS = NUMBERS | {"none", "formula"}
ANYTHING = NUMBERS | {"none", "text", "range", "table", "list", "tuple"}
UNKNOWN = Fork(Linear({}))
"""A comparison of which only the kinds of its sides are known."""

DEEPEST = 6
"""Lists inside each other of which kinds are told apart: further in, all are one kind."""

Site = tuple[int, bool]
"""The instruction that makes a list, and whether it has made another one since."""

GIVEN = (-1, False)
"""The site of inputs and constants, which cannot be changed."""


@dataclass(frozen=True)
class Kind:
    """What is known of a value: its value, or its types; of a list its entries, or what each is.

    `unknown` noise is that of a sample, not an input; `compared` integer noise may be finite;
    `unset` variables may have no value at all; `sites` say where a list was made.
    """

    types: frozenset[str]
    known: tuple[Value] | None = None
    entries: tuple[Kind, ...] | None = None
    each: Kind | None = None
    sites: frozenset[Site] = frozenset()
    sampled: bool = False
    compared: bool = False
    unset: bool = False

    def value(self) -> tuple[Value] | None:
        """Return the value, in a tuple, if it is known, or None."""
        if self.known is not None:
            return self.known
        if self.entries is not None and self.types in ({"list"}, {"tuple"}):
            parts = [one.value() for one in self.entries]
            values = [one[0] for one in parts if one is not None]
            if len(values) == len(parts):
                return (List(values) if self.types == {"list"} else tuple(values),)
        return None

    def all(self) -> Iterator[Kind]:
        """Yield the kind and those of all entries."""
        yield self
        for one in self.entries or ((self.each,) if self.each else ()):
            yield from one.all()

    @property
    def noisy(self) -> bool:
        """Whether it is surely a number that is unknown: an input or noise."""
        return bool(self.types) and self.types <= NOISE

    def holds(self, *types: str) -> bool:
        """Whether a value in it may have one of the types."""
        return any(one.types & set(types) for one in self.all())


def of(value: Value, sites: frozenset[Site] = frozenset()) -> Kind:
    """Return the kind of a known value."""
    match value:
        case List() | tuple():
            parts = tuple(of(one, sites) for one in value)
            name = "list" if isinstance(value, List) else "tuple"
            return Kind(frozenset({name}), None, parts, joined(parts), sites)
        case range():
            return Kind(frozenset({"range"}), (value,), each=INT)
        case Table(items):
            each = joined(of(k) for k, _ in items)
            return Kind(frozenset({"table"}), (value,), None, each, sites)
        case Linear():
            return REAL
        case Foreign():
            return Kind(frozenset({"function"}), (value,))
    return Kind(frozenset({_name(value)}), (value,))


def _name(value: Value) -> str:
    match value:
        case bool():
            return "bool"
        case int():
            return "int"
        case str():
            return "text"
        case None:
            return "none"
        case float():
            return "inf"
        case Expr():
            return "formula"
    return "fraction"


def some(*types: str, each: Kind | None = None) -> Kind:
    """Return the kind of an unknown value of these types."""
    return Kind(frozenset(types), each=each)


INT, BOOL, TEXT, NUMBER = some("int"), some("bool"), some("text"), some("int", "fraction")
REAL, FORMULA = some("real"), some("formula")
ANY = Kind(frozenset(ANYTHING), each=Kind(frozenset(ANYTHING)))


def join(a: Kind, b: Kind, depth: int = 0) -> Kind:
    """Return what is known of a value that is one or the other."""
    if a == b:
        return a
    if depth > DEEPEST:
        noise = {"real"} if a.holds(*NOISE) or b.holds(*NOISE) else set[str]()
        return Kind(a.types | b.types | noise, sites=sites_in((a, b)))
    known = a.known
    if known is None or b.known is None or key(known[0]) != key(b.known[0]):
        known = None
    entries = None
    if a.entries is not None and b.entries is not None and len(a.entries) == len(b.entries):
        pairs = zip(a.entries, b.entries, strict=True)
        entries = tuple(join(x, y, depth + 1) for x, y in pairs)
    each = join(a.each, b.each, depth + 1) if a.each and b.each else a.each or b.each
    return Kind(
        a.types | b.types, known, entries, each, a.sites | b.sites, a.sampled or b.sampled,
        a.compared and b.compared, a.unset or b.unset,
    )  # fmt: skip


def joined(kinds: Iterable[Kind]) -> Kind | None:
    """Return what is known of one of several values; None if there are none."""
    found = list(kinds)
    return reduce(join, found) if found else None


def sites_in(kinds: Iterable[Kind]) -> frozenset[Site]:
    """Return where the lists in values may have been made."""
    return frozenset(site for kind in kinds for one in kind.all() for site in one.sites)


def with_sites(kind: Kind, sites: frozenset[Site]) -> Kind:
    """Return a kind in which a list of unknown origin may be any of those of these sites."""
    entries = kind.entries and tuple(with_sites(one, sites) for one in kind.entries)
    each = kind.each and with_sites(kind.each, sites)
    own = kind.sites or (sites if kind.types & {"list", "tuple", "table"} else kind.sites)
    return replace(kind, entries=entries, each=each, sites=own)


def of_input(kind: InputType) -> Kind:
    """Return the kind of an input."""
    if kind.length is not None:
        one = of_input(kind.entry)
        return Kind(frozenset({"list"}), None, (one,) * kind.length, one, frozenset({GIVEN}))
    if kind.name == "Real":
        return REAL
    if kind.name == "Int":
        return some("integer")
    if isinstance(kind.domain, range):
        return INT if len(kind.domain) > 1 else of(kind.domain[0])
    found = joined(of(v, frozenset({GIVEN})) for v in kind.domain or ())
    assert found
    return replace(found, known=None) if len(kind.domain or ()) > 1 else found


def described(kind: Kind) -> str:
    """Return what a value is, for a message."""
    names = {"list": "a list", "tuple": "a tuple", "real": "a real", "text": "a text"}
    if "real" in kind.types:
        return "a real"
    if "integer" in kind.types:
        return "an unbounded integer"
    return names.get(next(iter(sorted(kind.types)), ""), "a finite value")


def noise_in(kind: Kind) -> str:
    """Return the words for the noise or the real inputs in a value."""
    return "a real" if kind.holds("real") else "an unbounded integer"


def known_value(kind: Kind) -> Value:
    """Return a value that is known."""
    found = kind.value()
    assert found is not None
    return found[0]


def known_text(kind: Kind) -> str:
    """Return a text that is known."""
    return str(known_value(kind))
