"""The public names that the error pages use, over the language alone: no measure, no claims.

`run` draws; `distribution` explores every state of a program without asking how likely it is, so
that what a run refuses is found. What needs a probability raises `NotYet`.
"""

# ruff: noqa: D102, F401, N811

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from exactdp_next.errors import NotYet
from exactdp_next.language.arithmetics import EXACT
from exactdp_next.language.interpret import Interpreter, Returned, Sampled
from exactdp_next.language.program import Program
from exactdp_next.language.samplers import (
    bernoulli,
    choose,
    dlap,
    expmech,
    expo,
    geometric,
    lap,
    observe,
    unif,
)
from exactdp_next.language.source import Source
from exactdp_next.language.types import Dom, Int, Real
from exactdp_next.language.values import INF as inf
from exactdp_next.language.values import List, Value, value_of
from exactdp_next.ring.expr import Expr, alpha, eps, exp, gamma, log, sqrt
from exactdp_next.ring.linear import Linear

MOST_STATES = 500


class Mechanism:
    """A mechanism, read and checked."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @classmethod
    def from_source(cls, text: str, constants: Any = None, name: str = "<mechanism>") -> Mechanism:
        return cls(Program.of_source(Source.of_text(text, constants, name)))

    def _start(self, given: object) -> dict[str, Value]:
        return self.program.given(given)

    def run(self, given: object = (), *at: object, **named: object) -> Value:
        self.program.require_epsilon(at[0] if at else named.get("eps"))
        env, pc = self._start(given), 0
        interpreter = Interpreter(self.program.code, EXACT)
        for _ in range(MOST_STATES):
            found = interpreter.run(pc, env)
            if isinstance(found, Returned):
                return found.output
            if isinstance(found, Sampled):
                ((pc, env),) = found.next
                env = {**env, found.target: 1}
            else:
                pc, env = found.next[-1]
        raise NotYet("graph")

    def distribution(self, given: object = (), **_given: object) -> None:
        todo = [(0, self._start(given), 0)]
        interpreter = Interpreter(self.program.code, EXACT)
        for _ in range(MOST_STATES):
            if not todo:
                return
            pc, env, noises = todo.pop()
            found = interpreter.run(pc, env)
            if isinstance(found, Sampled):
                ((pc, env),) = found.next
                todo.append((pc, {**env, found.target: Linear.name(noises)}, noises + 1))
            else:
                todo += [(pc, env, noises) for pc, env in found.next]

    def noiseless(self) -> Mechanism:
        return Mechanism(self.program.ideal())

    def __call__(self, *given: object) -> Value:
        if isinstance(self, Ideal):
            return self.run(given[0] if len(given) == 1 else given)
        raise NotYet("public")

    def __getattr__(self, name: str) -> Any:
        raise NotYet("public") if not name.startswith("__") else AttributeError(name)


class Ideal(Mechanism):
    """A deterministic function."""


def mechanism(function: Any = None, **options: object) -> Any:
    if options:
        return lambda one: Mechanism(Program.of_source(Source.of(one, **options)))
    return Mechanism(Program.of(function))


def ideal(function: Callable[..., object]) -> Ideal:
    program = Program.of(function)
    program.require_deterministic()
    return Ideal(program)


def Accuracy(mechanism: Mechanism, ideal: object = None, **_given: object) -> None:  # noqa: N802
    if ideal is None:
        mechanism.program.ideal()
