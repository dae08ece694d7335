"""The interpreter: it runs a state of a program to its next event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ..ring.linear import Linear, Rational
from .arithmetics import Fork, applied, compared, rate_of
from .code import Apply, Code, Const, Expression, Jump, Name, Return, Sample, Set, Test
from .values import Value

Environment = Mapping[str, Value]
Following = tuple[int, dict[str, Value]]


@dataclass(frozen=True, slots=True)
class Sampled:
    """A sample of noise around a mean; `target` is not assigned yet in the state after it."""

    noise: str
    rate: Fraction
    mean: Linear | Rational
    target: str
    next: tuple[Following]


@dataclass(frozen=True, slots=True)
class Forked:
    """A comparison form > 0 (≥ 0 if not strict): the state if it holds, the state if not."""

    form: Linear
    strict: bool
    next: tuple[Following, Following]


@dataclass(frozen=True, slots=True)
class Returned:
    """The end of a run."""

    output: Value


def run(code: Code, pc: int, environment: Environment) -> Sampled | Forked | Returned:
    """Run from an instruction to the next event."""
    env = dict(environment)
    while True:
        match code[pc]:
            case Set(target, e):
                env[target] = value(e, env)
            case Jump(to):
                pc = to
                continue
            case Test(op, left, right, otherwise):
                holds = compared(op, value(left, env), value(right, env))
                if isinstance(holds, Fork):
                    return Forked(holds.form, holds.strict, ((pc + 1, env), (otherwise, env)))
                if not holds:
                    pc = otherwise
                    continue
            case Sample(target, noise, rate, mean):
                around = value(mean, env)
                assert isinstance(around, (int, Fraction, Linear))
                return Sampled(noise, rate_of(value(rate, env)), around, target, ((pc + 1, env),))
            case Return(e):
                return Returned(value(e, env))
        pc += 1


def value(e: Expression, env: Environment) -> Value:
    """Return the value of an expression."""
    match e:
        case Const(v):
            return v
        case Name(name):
            return env[name]
        case Apply(op, args):
            return applied(op, tuple(value(a, env) for a in args))
