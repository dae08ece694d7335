"""Code: the core program, flat instructions over variables with loops kept; prints, and is JSON.

    set x e                 x becomes the value of e
    sample x noise rate e   x becomes a sample of noise around e
    test a op b else n      go on if a op b, else at instruction n
    jump n                  go on at instruction n
    return e                the output is the value of e

Expressions are pure: a comparison occurs only in a test, a sampler only in a sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..errors import Place
from .values import Value, json_of, key, shown


@dataclass(frozen=True, slots=True, eq=False)
class Const:
    """A finite value, or a number in ε; equal if kind and value are: `True` is not `1`."""

    value: Value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and key(self.value) == key(other.value)

    def __hash__(self) -> int:
        return hash(key(self.value))

    def __str__(self) -> str:
        return shown(self.value)


@dataclass(frozen=True, slots=True)
class Name:
    """The value of a variable."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation on values."""

    op: str
    args: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.args))})"


Expression = Const | Name | Apply


@dataclass(frozen=True, slots=True)
class Set:
    """`target` becomes the value of an expression."""

    target: str
    value: Expression

    def __str__(self) -> str:
        return f"{self.target} = {self.value}"


@dataclass(frozen=True, slots=True)
class Sample:
    """`target` becomes a sample."""

    target: str
    noise: str
    rate: Expression
    mean: Expression

    def __str__(self) -> str:
        return f"{self.target} ~ {self.noise}({self.rate}, {self.mean})"


@dataclass(frozen=True, slots=True)
class Test:
    """Go on if the comparison holds, else at `otherwise`."""

    op: str
    left: Expression
    right: Expression
    otherwise: int

    def __str__(self) -> str:
        return f"unless {self.left} {self.op} {self.right} goto {self.otherwise}"


@dataclass(frozen=True, slots=True)
class Jump:
    """Go on at `to`."""

    to: int

    def __str__(self) -> str:
        return f"goto {self.to}"


@dataclass(frozen=True, slots=True)
class Return:
    """The output."""

    value: Expression

    def __str__(self) -> str:
        return f"return {self.value}"


Instruction = Set | Sample | Test | Jump | Return


@dataclass(frozen=True)
class Code:
    """Instructions; `places` says where in the source each comes from, and is not compared."""

    instructions: tuple[Instruction, ...]
    places: tuple[Place | None, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Code) and self.instructions == other.instructions

    def __hash__(self) -> int:
        return hash(self.instructions)

    def __str__(self) -> str:
        return "\n".join(f"{i:3}  {one}" for i, one in enumerate(self.instructions))

    def __getitem__(self, pc: int) -> Instruction:
        return self.instructions[pc]

    @cached_property
    def live(self) -> tuple[frozenset[str], ...]:
        """For each instruction, the variables that some run from it reads before it assigns them.

        The least solution of live(i) = reads(i) ∪ (⋃ live(next) − assigned(i)); sets only grow, so
        it is reached.
        """
        live: list[frozenset[str]] = [frozenset()] * len(self.instructions)
        changed = True
        while changed:
            changed = False
            for i in reversed(range(len(self.instructions))):
                after = frozenset().union(*(live[j] for j in self._following(i)))
                found = reads(self[i]) | (after - {assigned(self[i])})
                if found != live[i]:
                    live[i], changed = found, True
        return tuple(live)

    def _following(self, pc: int) -> tuple[int, ...]:
        match self[pc]:
            case Return():
                return ()
            case Jump(to):
                return (to,)
            case Test(otherwise=otherwise):
                return (pc + 1, otherwise)
        return (pc + 1,)

    def json(self) -> list[object]:
        """Return the instructions as JSON."""
        return [_json_of(one) for one in self.instructions]


def assigned(one: Instruction) -> str | None:
    """Return the variable that an instruction assigns."""
    return one.target if isinstance(one, (Set, Sample)) else None


def reads(one: Instruction) -> frozenset[str]:
    """Return the variables that an instruction reads."""
    return frozenset(name for e in _expressions(one) for name in _names(e))


def _expressions(one: Instruction) -> tuple[Expression, ...]:
    match one:
        case Set(value=e) | Return(value=e):
            return (e,)
        case Sample(rate=rate, mean=mean):
            return (rate, mean)
        case Test(left=a, right=b):
            return (a, b)
    return ()


def _names(e: Expression) -> Iterator[str]:
    if isinstance(e, Name):
        yield e.name
    elif isinstance(e, Apply):
        for one in e.args:
            yield from _names(one)


def _json_of(one: Instruction) -> list[object]:
    match one:
        case Set(target, e):
            return ["set", target, _json_of_expression(e)]
        case Sample(target, noise, rate, mean):
            return ["sample", target, noise, _json_of_expression(rate), _json_of_expression(mean)]
        case Test(op, a, b, otherwise):
            return ["test", op, _json_of_expression(a), _json_of_expression(b), otherwise]
        case Jump(to):
            return ["jump", to]
        case Return(e):
            return ["return", _json_of_expression(e)]


def _json_of_expression(e: Expression) -> list[object]:
    match e:
        case Const(value):
            return ["const", json_of(value)]
        case Name(name):
            return ["name", name]
        case Apply(op, args):
            return [op, *map(_json_of_expression, args)]
