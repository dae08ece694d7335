"""Flat code: a program as a list of basic statements, the form that every run executes.

This is the labelled form of the paper (figure BNFFull): one basic statement per label,
subroutines inlined, noise compared only by `Test`, control flow by jumps. Its expressions
are pure: they sample nothing and compare no noise, and their names are slots of the
environment or Python functions in `Code.functions`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.errors import Place
from exactdp.language.tree import Choose, ExpMech, NoiseCall, OwnNode
from exactdp.reals import Stretch
from exactdp.reals.interval import POSITIVE, Interval
from exactdp.reals.spans import Span

if TYPE_CHECKING:
    from exactdp.language.types import InputType

_PLAIN = frozenset(
    {
        "abs",
        "all",
        "any",
        "bool",
        "enumerate",
        "len",
        "list",
        "max",
        "min",
        "range",
        "reversed",
        "sorted",
        "sum",
        "tuple",
        "zip",
    }
)
"""Functions that do not round."""

# Pure expressions that only flat code has -------------------------------------------------


class Appended(OwnNode):
    """The list `base` with one more item: the result of `append`."""

    _fields = __match_args__ = ("base", "item")
    base: ast.Name
    item: ast.expr


class Updated(OwnNode):
    """The list `base` with one entry replaced: the result of `base[index] = value`."""

    _fields = __match_args__ = ("base", "index", "value")
    base: ast.Name
    index: ast.expr
    value: ast.expr


class Augmented(OwnNode):
    """`base op value` as `base op= value` computes it (a list is extended)."""

    _fields = __match_args__ = ("base", "op", "value")
    base: ast.expr
    op: ast.operator
    value: ast.expr


class Unpacked(OwnNode):
    """The value, which must be a sequence of `count` parts."""

    _fields = __match_args__ = ("value", "count")
    value: ast.expr
    count: int


# Basic statements -------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class BasicStatement:
    """Base class of all basic statements, which have a place."""

    place: Place = field(compare=False, repr=False)


@dataclass(frozen=True)
class Set(BasicStatement):
    """slot ← a pure expression; `binds` is the user's variable, if it is one."""

    slot: str
    value: ast.expr
    binds: str = ""


@dataclass(frozen=True)
class Sample(BasicStatement):
    """slot ← Lap(rate, mean), DLap(rate, mean) or other noise (`words.NOISES`)."""

    slot: str
    draw: NoiseCall
    binds: str = ""


@dataclass(frozen=True)
class Pick(BasicStatement):
    """slot ← one of finitely many values, by the exponential mechanism or by `choose`."""

    slot: str
    choice: ExpMech | Choose


@dataclass(frozen=True)
class Test(BasicStatement):
    """slot ← left op right, where a side may be noise; op is < <= == != >= >."""

    slot: str
    op: str
    left: ast.expr
    right: ast.expr


@dataclass(frozen=True)
class Branch(BasicStatement):
    """Go to `then` or `otherwise`, depending on the truth of a finite value."""

    test: ast.expr
    then: int
    otherwise: int


@dataclass(frozen=True)
class Jump(BasicStatement):
    """Go to `target`."""

    target: int


@dataclass(frozen=True)
class Enter(BasicStatement):
    """Begin a `for` loop: store its items, and that none has been taken yet."""

    items: str
    counter: str
    value: ast.expr


@dataclass(frozen=True)
class Next(BasicStatement):
    """Take the next item and go to `body`, or go to `leave` if there is none.

    `leave` is None where the items are known not to be exhausted.
    """

    items: str
    counter: str
    slot: str
    body: int
    leave: int | None


@dataclass(frozen=True)
class Require(BasicStatement):
    """Stop with an error unless the condition holds: `assert`."""

    test: ast.expr
    message: ast.expr | None
    user: bool = True
    """Whether the user wrote it, and not the prelude."""


@dataclass(frozen=True)
class Check(BasicStatement):
    """Stop with an error unless the value of the slot is of the type."""

    slot: str
    type: InputType
    name: str


@dataclass(frozen=True)
class Release(BasicStatement):
    """Return the value and end."""

    value: ast.expr


@dataclass(frozen=True)
class FallOff(BasicStatement):
    """The end of a function, reached without `return`."""

    name: str


Instruction = (
    Set | Sample | Pick | Test | Branch | Jump | Enter | Next | Require | Check | Release | FallOff
)


@dataclass(frozen=True)
class Loop:
    """A loop as a stretch of code [start, end); `counter` is None for `while`."""

    start: int
    end: int
    counter: str | None
    #: The number of iterations, if it is known, and the slot of the items.
    times: int | None
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Code:
    """Flat code with its slots, functions and loops (outer ones before inner ones)."""

    instructions: tuple[Instruction, ...]
    inputs: tuple[tuple[str, InputType | None], ...]
    slots: tuple[str, ...]
    functions: Mapping[str, Callable[..., Any]] = field(hash=False)
    loops: tuple[Loop, ...]
    epsilon: Interval = POSITIVE
    """The ε for which the code is run."""
    part: Stretch | None = None
    """The part of them on which each `min` and `max` is one fixed argument, if an end of it is
    irrational."""

    @property
    def span(self) -> Span:
        """The ε where probabilities must be valid and `min` and `max` are one fixed argument."""
        return self.part or self.epsilon

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Where control can go after each statement."""
        return tuple(_after(pc, one) for pc, one in enumerate(self.instructions))

    @cached_property
    def is_plainly_linear(self) -> bool:
        """Whether it is seen that reals are only added, compared, and multiplied by numbers.

        Otherwise they may be rounded or divided by each other.
        """
        return all(map(_is_plain, self.nodes()))

    def nodes(self) -> Iterator[ast.AST]:
        """Yield all parts of the expressions in it."""
        for one in self.instructions:
            yield from _nodes(one)

    @cached_property
    def stored_tests(self) -> frozenset[int]:
        """The comparisons whose answers are stored, not only branched on."""
        kept: set[str] = set()
        for one in self.instructions:
            if not (isinstance(one, Branch) and isinstance(one.test, ast.Name)):
                kept |= {node.id for node in _nodes(one) if isinstance(node, ast.Name)}
        return frozenset(
            pc
            for pc, one in enumerate(self.instructions)
            if isinstance(one, Test) and one.slot in kept
        )

    @cached_property
    def compares_pairs(self) -> bool:
        """Whether reals are compared inside two loops, so perhaps each with each other one."""
        tests = (pc for pc, one in enumerate(self.instructions) if isinstance(one, Test))
        return any(len(self.loops_at(pc)) > 1 for pc in tests)

    def loops_at(self, pc: int) -> tuple[Loop, ...]:
        """Return the loops around a statement, the outermost first."""
        return tuple(loop for loop in self.loops if loop.start <= pc < loop.end)


def _after(pc: int, instruction: Instruction) -> tuple[int, ...]:
    match instruction:
        case Branch(_, then, otherwise):
            return (then, otherwise)
        case Jump(target):
            return (target,)
        case Next(_, _, _, body, leave):
            return (body,) if leave is None else (body, leave)
        case Release() | FallOff():
            return ()
    return (pc + 1,)


def _nodes(instruction: Instruction) -> Iterator[ast.AST]:
    for expression in expressions(instruction):
        yield from ast.walk(expression)


def _is_plain(node: ast.AST) -> bool:
    match node:
        case ast.Call(ast.Attribute(_, "index" | "count")):
            return True
        case ast.Call(func=function):
            return isinstance(function, ast.Name) and function.id in _PLAIN
        case ast.BinOp(left, op, right) | Augmented(left, op, right):
            if isinstance(op, ast.Div) and _is_constant(right):
                return True
            is_finite = _is_constant(left) and _is_constant(right)
            return is_finite or isinstance(op, ast.Add | ast.Sub | ast.Mult)
    return True


def _is_constant(expression: ast.expr) -> bool:
    """Whether an expression consists of constants and lengths, such as 2 * len(x)."""
    match expression:
        case ast.Constant() | ast.Call(ast.Name("len")):
            return True
        case ast.BinOp(left, _, right):
            return _is_constant(left) and _is_constant(right)
    return False


def expressions(instruction: Instruction) -> Iterator[ast.expr]:
    """Return the pure expressions that a statement reads."""
    for name in instruction.__dataclass_fields__:
        part = getattr(instruction, name)
        if isinstance(part, ast.expr):
            yield part


def written(instruction: Instruction) -> tuple[str, ...]:
    """Return the slots that a statement assigns."""
    match instruction:
        case Set() | Sample() | Pick() | Test():
            return (instruction.slot,)
        case Enter(items, counter):
            return (items, counter)
        case Next(_, counter, slot):
            return (counter, slot)
    return ()
