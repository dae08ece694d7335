"""Event: what is asked of an output."""

from __future__ import annotations

from dataclasses import dataclass

from ..language.values import Value, key


@dataclass(frozen=True)
class Equals:
    """The output is this value."""

    output: Value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equals) and key(self.output) == key(other.output)

    def __hash__(self) -> int:
        return hash(key(self.output))

    def happens(self, output: Value) -> bool:
        """Return whether an output is in the event."""
        return key(output) == key(self.output)


Event = Equals
