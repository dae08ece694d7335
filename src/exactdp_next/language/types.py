"""What an input may be.

The annotations of a mechanism's parameters, and the flat coordinates of an input.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InputType:
    """A real number, or a list of `length` of them.

    >>> Real[3]
    Real[3]
    """

    name: str
    length: int | None = None

    def __getitem__(self, length: int) -> InputType:
        return InputType(self.name, length)

    def __repr__(self) -> str:
        return self.name if self.length is None else f"{self.name}[{self.length}]"

    def coordinates(self, name: str) -> tuple[str, ...]:
        """Return the names of the single numbers: `q`, or `q[0]`, `q[1]`, and so on."""
        if self.length is None:
            return (name,)
        return tuple(f"{name}[{i}]" for i in range(self.length))


Real = InputType("Real")
