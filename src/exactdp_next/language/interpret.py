"""The interpreter: it runs a state of a program to its next event.

What numbers are is a parameter, the arithmetic: `EXACT` has finite values, numbers in ε and linear
forms; `kinds.KINDS` knows only what kind a value is, and runs the checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ..errors import ExactdpError, fail
from ..ring.linear import Linear
from .arithmetics import EXACT, Rate, Weight
from .code import (
    Append,
    Apply,
    Choose,
    Code,
    Const,
    Discard,
    End,
    Expression,
    Fail,
    Fold,
    Jump,
    Name,
    Return,
    Sample,
    Select,
    Set,
    Test,
    names,
)
from .comparisons import Fork
from .folds import Branch
from .places import refused_at
from .values import Value

V = TypeVar("V")

Environment = Mapping[str, Value]
Following = tuple[int, dict[str, Value]]

MOST_STEPS = 1_000_000
"""Instructions between two events: seconds."""


class Arithmetic(Protocol[V]):
    """What the values of a run are."""

    def constant(self, value: Value) -> V:
        """Return the value of a constant."""

    def applied(self, op: str, args: tuple[V, ...]) -> V:
        """Return the value of an operation."""

    def appended(self, listed: V, entry: V) -> V:
        """Return a list with one more entry."""

    def compared(self, op: str, a: V, b: V) -> bool | Fork:
        """Return whether a comparison holds, or on what it depends."""

    def folded(self, how: str, keyed: bool, state: V) -> V | Branch:
        """Return the largest, least or sorted entries, or where it depends on a comparison."""

    def drawn(self, noise: str, rate: V, mean: V) -> tuple[Rate, Any]:
        """Return the rate (or the lower end) and the mean (or the upper end) of noise."""

    def choices(self, table: V) -> list[tuple[V, Weight]]:
        """Return the values of `choose` with their probabilities."""

    def scored(self, rate: V, scores: V) -> tuple[Rate, list[tuple[V, Any]]]:
        """Return the rate and the candidates of `expmech` with their scores."""


@dataclass(frozen=True, slots=True)
class Sampled(Generic[V]):
    """A sample of noise around a mean; `target` is not assigned yet in the state after it."""

    noise: str
    rate: Rate
    mean: Any
    target: str
    next: tuple[tuple[int, dict[str, V]]]


@dataclass(frozen=True, slots=True)
class Chosen(Generic[V]):
    """A random choice: a state for each value, with its probability."""

    weights: tuple[Weight, ...]
    next: tuple[tuple[int, dict[str, V]], ...]


@dataclass(frozen=True, slots=True)
class Selected(Generic[V]):
    """A choice of the exponential mechanism: a state for each candidate, with its score."""

    rate: Rate
    scores: tuple[Any, ...]
    next: tuple[tuple[int, dict[str, V]], ...]


@dataclass(frozen=True, slots=True)
class Forked(Generic[V]):
    """A comparison form > 0 (≥ 0 if not strict): the state if it holds, the state if not."""

    form: Linear
    strict: bool
    next: tuple[tuple[int, dict[str, V]], tuple[int, dict[str, V]]]


@dataclass(frozen=True, slots=True)
class Tied(Generic[V]):
    """A comparison form = 0: the state if it holds, the state if not."""

    form: Linear
    next: tuple[tuple[int, dict[str, V]], tuple[int, dict[str, V]]]


@dataclass(frozen=True, slots=True)
class Discarded:
    """A condition of `observe` is false: the run does not count."""

    next: tuple[()] = ()


@dataclass(frozen=True, slots=True)
class Returned(Generic[V]):
    """The end of a run."""

    output: V
    next: tuple[()] = ()


Event = Sampled[V] | Chosen[V] | Selected[V] | Forked[V] | Tied[V] | Discarded | Returned[V]


class Interpreter(Generic[V]):
    """Runs code in an arithmetic."""

    def __init__(self, code: Code, arithmetic: Arithmetic[V]) -> None:
        self.code, self.arithmetic = code, arithmetic

    def run(self, pc: int, env: dict[str, V]) -> Event[V]:
        """Run from an instruction to the next event.

        It ends, or the loop that does not is refused: between two events a run is deterministic,
        so that it never ends if it comes back to a state, which Brent's search for cycles finds.
        """
        steps, kept, mark = 0, (-1, env), 1
        while True:
            found = self.step(pc, env)
            if not isinstance(found, int):
                return found
            if found <= pc:
                if (found, env) == kept:
                    fail("F09", place=self.code.place(pc))
                if steps >= mark:
                    kept, mark = (found, dict(env)), 2 * steps
                if steps > MOST_STEPS:
                    fail("F11", place=self.code.place(pc), most=MOST_STEPS)
            pc, steps = found, steps + 1

    def step(self, pc: int, env: dict[str, V]) -> Event[V] | int:
        """Run one instruction: change the variables, and return the next one or an event."""
        try:
            return self._step(pc, env)
        except ExactdpError as error:
            if error.place is not None:
                raise
            refused_at(error, self.code.place(pc))

    def _step(self, pc: int, env: dict[str, V]) -> Event[V] | int:
        arithmetic = self.arithmetic
        match self.code[pc]:
            case Set(target, e):
                try:
                    env[target] = self.value(e, env)
                except ExactdpError as error:
                    if error.code == "F17" and target in names(e):
                        variable = target.partition("#")[0]
                        fail("F18", place=error.place, name=variable, most=error.data["most"])
                    raise
            case Append(target, e):
                env[target] = arithmetic.appended(self._read(target, env), self.value(e, env))
            case Fold(target, how, keyed):
                found = arithmetic.folded(how, keyed, env[target])
                if isinstance(found, Branch):
                    yes, no = ((pc, {**env, target: one}) for one in (found.yes, found.no))
                    return _forked(found.fork, yes, no)  # type: ignore[arg-type]
                env[target] = found
            case Jump(to):
                return to
            case Test(op, left, right, otherwise):
                fork = arithmetic.compared(op, self.value(left, env), self.value(right, env))
                if isinstance(fork, Fork):
                    return self._branch(fork, pc, right, otherwise, env)
                return pc + 1 if fork else otherwise
            case Sample(target, noise, rate, mean):
                one, two = arithmetic.drawn(noise, self.value(rate, env), self.value(mean, env))
                return Sampled(noise, one, two, target, ((pc + 1, env),))
            case Choose(target, table):
                choices = arithmetic.choices(self.value(table, env))
                after = tuple((pc + 1, {**env, target: v}) for v, _ in choices)
                return Chosen(tuple(w for _, w in choices), after)
            case Select(target, rate, scores):
                a, pairs = arithmetic.scored(self.value(rate, env), self.value(scores, env))
                after = tuple((pc + 1, {**env, target: v}) for v, _ in pairs)
                return Selected(a, tuple(s for _, s in pairs), after)
            case Return(e):
                return Returned(self.value(e, env))
            case Discard():
                return Discarded()
            case Fail(e):
                message = self.value(e, env)
                said = f": {message}" if message != "" else ""
                fail("F06", message=said)
            case End():
                fail("I11")
        return pc + 1

    def _branch(
        self, fork: Fork, pc: int, right: Expression, otherwise: int, env: dict[str, V]
    ) -> Event[V]:
        yes, no = (pc + 1, env), (otherwise, env)
        if fork.negated:
            yes, no = no, yes
        if fork.rest is not None:
            assert isinstance(right, Name)
            no = (pc, {**env, right.name: self.arithmetic.constant(fork.rest)})
        return _forked(fork, yes, no)

    def value(self, e: Expression, env: Mapping[str, V]) -> V:
        """Return the value of an expression."""
        match e:
            case Const(v):
                return self.arithmetic.constant(v)
            case Name(name):
                return self._read(name, env)
            case Apply(op, args, place):
                values = tuple(self.value(a, env) for a in args)
                try:
                    return self.arithmetic.applied(op, values)
                except ExactdpError as error:
                    if error.place is not None:
                        raise
                    refused_at(error, place)

    def _read(self, name: str, env: Mapping[str, V]) -> V:
        if name not in env:
            fail("N04", name=name.partition("#")[0])
        return env[name]


def _forked(fork: Fork, yes: tuple[int, dict[str, V]], no: tuple[int, dict[str, V]]) -> Event[V]:
    return Tied(fork.form, (yes, no)) if fork.tie else Forked(fork.form, fork.strict, (yes, no))


def run(code: Code, pc: int, environment: Environment) -> Event[Value]:
    """Run from an instruction to the next event, with values and forms."""
    return Interpreter(code, EXACT).run(pc, dict(environment))


def value(e: Expression, environment: Environment) -> Value:
    """Return the value of an expression."""
    return Interpreter(Code(()), EXACT).value(e, environment)
