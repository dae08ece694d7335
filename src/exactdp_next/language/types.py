"""What an input may be.

The annotations of a mechanism's parameters, and the flat coordinates of an input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..errors import fail
from ..ring.linear import whole
from ..ring.numbers import rational_or_none
from .values import List, Value, key, shown, value_of

LONGEST_INPUT = 100_000
"""A list input has as many entries as a loop may have rounds."""

LARGEST_DOMAIN = 1_000_000
"""Values of a domain: each of them is an input that may be asked for."""


@dataclass(frozen=True)
class InputType:
    """A real number, an integer, or one of finitely many values; or a list of `length` of them.

    >>> Real[3], Dom(0, 2)
    (Real[3], Dom(0, 2))
    """

    name: str
    domain: tuple[Value, ...] | range | None = None
    length: int | None = None

    def __getitem__(self, length: int) -> InputType:
        if type(length) is not int or not 0 < length <= LONGEST_INPUT:
            fail("I02", value=length, most=LONGEST_INPUT, name=self.name)
        return replace(self, length=length)

    def __repr__(self) -> str:
        return self.name if self.length is None else f"{self.name}[{self.length}]"

    @property
    def entry(self) -> InputType:
        """The type of one entry."""
        return replace(self, length=None)

    def coordinates(self, name: str) -> tuple[str, ...]:
        """Return the names of the single numbers: `q`, or `q[0]`, `q[1]`, and so on."""
        if self.length is None:
            return (name,)
        return tuple(f"{name}[{i}]" for i in range(self.length))

    def values(self) -> list[Value]:
        """Return all values of a finite domain."""
        if self.domain is None:
            fail("I26", what="real numbers" if self.name == "Real" else "integers")
        return list(self.domain)

    def holds(self, value: Value) -> bool:
        """Whether a finite value is one of the domain."""
        if isinstance(self.domain, range):
            return type(value) is int and value in self.domain
        return any(key(value) == key(one) for one in self.domain or ())

    def given(self, value: object, name: str, function: str) -> Value:
        """Return what a user gives for an input as its value."""
        told: dict[str, Any] = {"name": name, "function": function}
        if self.length is None:
            return self._single(value, told)
        if not isinstance(value, list | tuple):
            fail("I16", **told, value=value, size=self.length, type=str(self))
        if len(value) != self.length:
            fail("I17", **told, given=len(value), size=self.length, type=str(self))
        return List(self._single(one, told) for one in value)

    def _single(self, value: object, told: dict[str, Any]) -> Value:
        """Return a single number, or a value of the domain."""
        if self.domain is not None:
            found = value_of(value)
            if not self.holds(found):
                some = ", ".join(map(shown, self.domain[:10]))
                more = ", …" if len(self.domain) > 10 else ""
                fail("I13", **told, value=shown(found), type=str(self.entry), values=some + more)
            return found
        number = rational_or_none(value)
        if number is None and isinstance(value, str):
            try:
                number = whole(Fraction(value))
            except (ValueError, ZeroDivisionError):
                number = None
        if number is None:
            if isinstance(value, float):
                fail("I15", **told, value=value)
            fail("I14", **told, value=value)
        if self.name == "Int" and not isinstance(number, int):
            fail("I13", **told, value=shown(number), type="Int", values="…, -1, 0, 1, …")
        return number


Real = InputType("Real")
Int = InputType("Int")
BOOL = InputType("bool", (False, True))


def Dom(*given: object) -> InputType:  # noqa: N802
    """Return the type of whole numbers from lo to hi, or of the values of a list.

    >>> Dom([0, "none"])
    Dom([0, 'none'])
    """
    match given:
        case (low, high):
            if type(low) is not int or type(high) is not int:
                fail("I04", low=value_of(low), high=value_of(high))
            if low > high:
                fail("I03", low=low, high=high)
            if high - low >= LARGEST_DOMAIN:
                fail("I05", low=low, high=high)
            return InputType(f"Dom({low}, {high})", range(low, high + 1))
        case (list() | tuple() as values,):
            if not values:
                fail("I06")
            found = tuple(value_of(v) for v in values)
            return InputType(f"Dom({shown(List(found))})", found)
    what = ", ".join(shown(value_of(v)) for v in given)
    fail("I07", what=what, high=what if len(given) == 1 else "hi")


def sample_of(domain: Sequence[Value] | range, most: int) -> list[Value]:
    """Return values of a domain, its ends among them, at most so many."""
    if len(domain) <= most:
        return list(domain)
    return [domain[i * (len(domain) - 1) // (most - 1)] for i in range(most)]
