"""Program: a function as a core program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..ring.linear import Linear, Rational
from .code import Code, Sample, Set, assigned
from .read import Inputs, read
from .source import Source
from .values import Value


@dataclass(frozen=True)
class Program:
    """Inputs and code; equal programs have equal meanings, whatever they are called."""

    name: str
    inputs: Inputs
    code: Code

    @classmethod
    def of(
        cls, function: Callable[..., object] | str, constants: Mapping[str, object] | None = None
    ) -> Program:
        """Read a Python function, or the text of one; free names are constants."""
        source = Source.of(function, constants or {})
        return cls(source.tree.name, *read(source))

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the single numbers of an input: q[0], q[1], and so on."""
        return tuple(c for name, kind in self.inputs for c in kind.coordinates(name))

    @cached_property
    def fixed(self) -> Mapping[str, Value]:
        """The inputs that are never assigned, as symbols: they are no part of a state."""
        changed = {assigned(one) for one in self.code.instructions}
        return {x: v for x, v in self.start(self._symbols).items() if x not in changed}

    @property
    def _symbols(self) -> list[Linear]:
        return [Linear.name(x) for x in self.coordinates]

    def start(self, numbers: Sequence[Linear | Rational]) -> dict[str, Value]:
        """Return the variables at the first instruction, for one number a coordinate."""
        left, env = list(numbers), dict[str, Value]()
        for name, kind in self.inputs:
            size = len(kind.coordinates(name))
            mine, left = tuple(left[:size]), left[size:]
            env[name] = mine[0] if kind.length is None else mine
        return env

    def first(self) -> dict[str, Value]:
        """Return the variables at the first instruction, for unknown inputs."""
        return self.start(self._symbols)

    def ideal(self) -> Program:
        """Return the ideal: every sample is replaced by its mean."""
        code = tuple(
            Set(one.target, one.mean) if isinstance(one, Sample) else one
            for one in self.code.instructions
        )
        return replace(self, name=f"ideal of {self.name}", code=Code(code, self.code.places))

    def json(self) -> dict[str, object]:
        """Return the program as JSON."""
        inputs = [[name, str(kind)] for name, kind in self.inputs]
        return {"name": self.name, "inputs": inputs, "code": self.code.json()}
