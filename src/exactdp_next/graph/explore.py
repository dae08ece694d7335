"""States: everything a program can do, explored once for all events.

A state is an instruction with the values of its live variables; the live noise in them is numbered
in order. The order of states and the numbers of noise are part of the format of certificates:

- states are numbered as a breadth-first search meets them, the side on which a comparison holds
first;
- the noise of a state is numbered by its first occurrence in the variables sorted by name, in a
form by its number in
  the state before; a fresh sample has the number after the largest one of the state before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..errors import NotYet
from ..language.interpret import Following, Forked, Returned, Sampled, run
from ..language.program import Program
from ..language.values import Value, key
from ..ring.linear import Linear, Rational
from ..run import progress

STATES = 1_000_000
"""A state takes some 2 kB: more than this is beyond the memory of a laptop."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A state that comes next; its noise i is the noise `noise[i]` of the state before."""

    to: int
    noise: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """A sample is drawn; it has the number `fresh`."""

    noise: str
    rate: Fraction
    mean: Linear | Rational
    fresh: int
    next: tuple[Edge]


@dataclass(frozen=True, slots=True)
class Compare:
    """Is a form positive (≥ 0 if not strict)? The edge if it is, the edge if not."""

    form: Linear
    strict: bool
    next: tuple[Edge, Edge]


@dataclass(frozen=True, slots=True)
class End:
    """The run returns an output."""

    output: Value
    next: tuple[()] = ()


State = Draw | Compare | End


def explore(program: Program) -> tuple[State, ...]:
    """Return the states of a program; the first one is its start.

    It terminates because a program without loops of random length has finitely many states.
    """
    explorer = _Explorer(program)
    explorer.enter((0, program.first()))
    return explorer.run()


class _Explorer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.numbers: dict[object, int] = {}
        self.todo: deque[Following] = deque()

    def run(self) -> tuple[State, ...]:
        found = list[State]()
        while self.todo:
            pc, env = self.todo.popleft()
            found.append(self.state(pc, env))
            progress(len(found), None, "exploring state")
            if len(self.numbers) > STATES:
                raise NotYet("graph")
        return tuple(found)

    def state(self, pc: int, env: dict[str, Value]) -> State:
        """Run a state to its event, and enter the states after it."""
        match run(self.program.code, pc, {**self.program.fixed, **env}):
            case Sampled(noise, Fraction() as rate, mean, target, ((after, later),)):
                fresh = 1 + max(_noise(env.values()), default=-1)
                edge = self.enter((after, {**later, target: Linear.name(fresh)}))
                return Draw(noise, rate, mean, fresh, (edge,))
            case Forked(form, strict, (yes, no)):
                return Compare(form, strict, (self.enter(yes), self.enter(no)))
            case Returned(output):
                return End(output)
        raise NotYet("graph")

    def enter(self, following: Following) -> Edge:
        """Return the edge to a state, which is numbered when it is met first."""
        pc, env = following
        live, fixed = self.program.code.live[pc], self.program.fixed
        kept = [(x, env[x]) for x in sorted(env) if x in live and x not in fixed]
        noise = tuple(dict.fromkeys(_noise(v for _, v in kept)))
        index = {old: new for new, old in enumerate(noise)}
        values = {x: _renamed(v, index) for x, v in kept}
        state = (pc, tuple((x, key(v)) for x, v in values.items()))
        if state not in self.numbers:
            self.numbers[state] = len(self.numbers)
            self.todo.append((pc, values))
        return Edge(self.numbers[state], noise)


def _noise(values: Iterable[Value]) -> Iterable[int]:
    """Return the noise in values, in order."""
    for v in values:
        if isinstance(v, Linear):
            yield from sorted(v.noises())
        elif isinstance(v, tuple):
            yield from _noise(v)


def _renamed(v: Value, index: dict[int, int]) -> Value:
    if isinstance(v, Linear):
        return v.renamed(index)
    return tuple(_renamed(one, index) for one in v) if isinstance(v, tuple) else v
