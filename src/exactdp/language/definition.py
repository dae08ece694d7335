"""What reading a source gives: the function as written and the outside names it uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from exactdp.language.syntax import Comprehension, Lambda, Name, Node

if TYPE_CHECKING:
    from exactdp.language.syntax import Function


@dataclass(frozen=True, eq=False)
class Definition:
    """A function of the language with its constants.

    `constants` maps each outside name to a finite value, a Python function, or (for a
    subroutine) a `Definition`. `notes` says how constants were read where that is not plain.
    """

    function: Function
    constants: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "constants", MappingProxyType(dict(self.constants)))

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two definitions the same: text and constants, not places."""
        named = tuple(sorted(self.constants.items(), key=lambda item: item[0]))
        return self.function, tuple((name, _key(value)) for name, value in named)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Definition) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[object, ...]:
        return Definition, (self.function, dict(self.constants), self.notes)

    def subroutines(self) -> Iterator[tuple[str, Definition]]:
        """Return the subroutines that the function calls, by name."""
        for name, value in self.constants.items():
            if isinstance(value, Definition):
                yield name, value


def _key(value: object) -> object:
    return value if isinstance(value, Definition) else (type(value).__name__, value)


def nodes(tree: object) -> Iterator[Node]:
    """Return every node below `tree` (itself included), in source order."""
    if isinstance(tree, Node):
        yield tree
        for name in tree.__dataclass_fields__:
            if name != "place":
                yield from nodes(getattr(tree, name))
    elif type(tree) is tuple:
        for part in tree:
            yield from nodes(part)


def bound_names(tree: object) -> set[str]:
    """Return the variables that comprehensions and lambdas inside a tree bind themselves."""
    found: set[str] = set()
    for node in nodes(tree):
        if isinstance(node, Comprehension):
            for clause in node.clauses:
                found |= {part.id for part in nodes(clause.target) if isinstance(part, Name)}
        elif isinstance(node, Lambda):
            found |= set(node.params)
    return found
