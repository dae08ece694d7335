"""Input types: `Real`, `Real[m]`, `Dom(lo, hi)`, `Dom([values])`, `Dom(…)[m]`, `bool`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from exactdp.errors import ValueRefusedError, counted, shown
from exactdp.language.values import List, Value, freeze, plain, read_decimal


@dataclass(frozen=True)
class RealType:
    """The real numbers; `Real[m]` is a list of m of them.

    >>> from exactdp import Real
    >>> print(Real[3])
    Real[3]
    """

    def __getitem__(self, length: int) -> ListType:
        return ListType(self, _length(length))

    def __str__(self) -> str:
        return "Real"

    __repr__ = __str__

    @property
    def finite(self) -> bool:
        """Whether there are finitely many inputs of this type."""
        return False

    def read(self, value: object) -> Value:
        """Return a number as an exact rational, or refuse it."""
        return read_number(value)

    def values(self) -> Iterator[Value]:
        """Refuse: the reals cannot be enumerated."""
        raise ValueRefusedError(
            "the real numbers cannot be enumerated",
            rule="Only a finite domain has a list of all its values.",
            way_out="Name the inputs, or use Dom(lo, hi).",
        )


@dataclass(frozen=True, repr=False)
class DomType:
    """A finite set of values, in a stated order; `Dom(…)[m]` is a list of m of them."""

    members: tuple[Value, ...]
    name: str = ""

    def __getitem__(self, length: int) -> ListType:
        return ListType(self, _length(length))

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return self.name or f"Dom([{', '.join(map(_literal, self.members))}])"

    @property
    def finite(self) -> bool:
        """Whether there are finitely many inputs of this type."""
        return True

    def read(self, value: object) -> Value:
        """Return the given member, or refuse a value outside the domain."""
        found = _as_value(value)
        for member in self.members:
            if member == found and isinstance(member, bool) == isinstance(found, bool):
                return member
        raise ValueRefusedError(
            f"{shown(value)} is outside {self}",
            rule=f"The value must be one of {_few(self.members)}.",
            way_out="Give one of them, or widen the domain.",
        )

    def values(self) -> Iterator[Value]:
        """Return every value of the domain, in order."""
        return iter(self.members)


@dataclass(frozen=True, repr=False)
class ListType:
    """A list of `length` inputs of one type."""

    item: RealType | DomType
    length: int

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{self.item}[{self.length}]"

    @property
    def finite(self) -> bool:
        """Whether there are finitely many inputs of this type."""
        return self.item.finite

    def read(self, value: object) -> Value:
        """Return the given numbers as a list of exact values, or refuse them."""
        if hasattr(value, "tolist"):
            value = value.tolist()
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise ValueRefusedError(
                f"{shown(value)} is not a list of {self.length} values",
                rule=f"The input is {self}: a list or tuple of {self.length}.",
                way_out="Put the values in a list.",
            )
        items = list(value)
        if len(items) != self.length:
            raise ValueRefusedError(
                f"{counted(len(items), 'value')} given where {self.length} are needed",
                rule=f"The input is {self}: a list or tuple of {self.length}.",
                way_out="Give one value for each entry.",
            )
        return List(self.item.read(item) for item in items)

    def values(self) -> Iterator[Value]:
        """Return every list of the type, the last entry changing fastest."""
        for items in itertools.product(tuple(self.item.values()), repeat=self.length):
            yield List(items)


@dataclass(frozen=True)
class RecordType:
    """A list with a type for each entry, None for a finite entry.

    No input has this type: distances use it for outputs.
    """

    entries: tuple[InputType | None, ...]

    @property
    def length(self) -> int:
        """The number of entries."""
        return len(self.entries)

    @property
    def finite(self) -> bool:
        """Whether no entry is real."""
        return all(kind is None or kind.finite for kind in self.entries)

    def read(self, value: object) -> Value:
        """Return a given list as a value."""
        return freeze(value)

    def values(self) -> Iterator[Value]:
        """Refuse: some entries are real."""
        return Real.values()


InputType = RealType | DomType | ListType | RecordType

#: The type of a real input: `q: Real`, `q: Real[m]`.
Real = RealType()

#: The type of a truth value: `x: bool`.
Bool = DomType((False, True), "bool")


def Dom(  # noqa: N802 (a type in the user's eyes)
    low: int | Iterable[object], high: int | None = None
) -> DomType:
    """Return the finite domain {low, …, high}, or the domain of the listed values.

    >>> from exactdp import Dom
    >>> print(Dom(0, 3))
    Dom(0, 3)
    """
    if high is None:
        if isinstance(low, str) or not isinstance(low, Iterable):
            raise ValueRefusedError(
                f"Dom({shown(low)}) is not a domain",
                rule="A domain is a range of ints or a list of values.",
                way_out="Write Dom(lo, hi) or Dom([value, …]).",
            )
        members = tuple(dict.fromkeys(freeze(value) for value in low))
        if not members:
            raise ValueRefusedError(
                "a domain needs at least one value",
                rule="An input has one of the values of its domain.",
                way_out="Write Dom([value, …]).",
            )
        return DomType(members)
    if type(low) is not int or type(high) is not int:
        raise ValueRefusedError(
            f"the ends of Dom({shown(low)}, {shown(high)}) are not ints",
            rule="Dom(lo, hi) holds the whole numbers from lo to hi.",
            way_out="Write Dom([value, …]) for other values.",
        )
    if low > high:
        raise ValueRefusedError(
            f"Dom({low}, {high}) is empty",
            rule="Dom(lo, hi) holds the whole numbers from lo to hi.",
            way_out=f"Write Dom({high}, {low}).",
        )
    if high - low > 1_000_000:
        raise ValueRefusedError(
            f"Dom({low}, {high}) has more than a million values",
            rule="A domain has at most a million values.",
            way_out="Make it smaller, or use Real.",
        )
    return DomType(tuple(range(low, high + 1)), f"Dom({low}, {high})")


def read_number(value: object) -> int | Fraction:
    """Return an int, Fraction, Decimal, decimal string or float as the rational it denotes."""
    if isinstance(value, str):
        number = read_decimal(value)
        if number is not None:
            return plain(number)
    elif not isinstance(value, bool):
        try:
            found = freeze(value)
        except ValueRefusedError:
            found = None
        if isinstance(found, int):
            return found
        if isinstance(found, Fraction):
            return plain(found)
    infinite = isinstance(value, float) and math.isinf(value)
    raise ValueRefusedError(
        f"{shown(value)} is not a {'finite ' if infinite else ''}number",
        rule="A real input is an int, a Fraction, a decimal or a string that spells one.",
        way_out="Give a number such as 1, Fraction(1, 3) or '0.1'.",
    )


def _as_value(value: object) -> Value:
    try:
        return freeze(value)
    except ValueRefusedError:
        return value


def _length(length: object) -> int:
    if type(length) is not int or length < 0 or length > 100_000:
        raise ValueRefusedError(
            f"{shown(length)} is not a length",
            rule="The length of a list input is a constant int, at most 100,000.",
            way_out="Write a number, such as Real[3].",
        )
    return length


def _literal(value: Value) -> str:
    return (
        f"Fraction({value.numerator}, {value.denominator})"
        if isinstance(value, Fraction)
        else repr(value)
    )


def _few(members: tuple[Value, ...]) -> str:
    first = ", ".join(map(shown, members[:6]))
    if len(members) > 7:
        return f"{first}, …, {shown(members[-1])}"
    return ", ".join(map(shown, members))


def over_reals(kind: InputType | None) -> InputType | None:
    """Return the type with reals for finite numbers; None if not all its values are numbers."""
    match kind:
        case RealType():
            return kind
        case DomType(members) if all(type(one) in (int, Fraction) for one in members):
            return RealType()
        case ListType(item, length):
            inner = over_reals(item)
            return ListType(inner, length) if isinstance(inner, RealType) else None
    return None
