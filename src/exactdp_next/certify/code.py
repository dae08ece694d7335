"""The core language: a program is read from JSON, and a state is run to its next event."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from keyword import iskeyword
from typing import cast

from .document import Rejected, Work, fields, listed, natural, need, rational, row, text
from .formula import Formula, read_formula
from .sums import Form, form, length, plus, scaled

Value = bool | str | None | Fraction | Form | Formula | tuple["Value", ...]
"""A number is a Fraction, never an int: so `/` never gives a float."""

MOST_INPUTS = 100_000
"""Single numbers of an input: names of more take more memory than a certificate may cause."""

_ADDED = re.compile("#[0-9]+")

Expression = tuple[str, *tuple[object, ...]]
Environment = dict[str, Value]


@dataclass(frozen=True)
class Event:
    """Where a run cannot go on by itself: a sample, a comparison of unknown numbers, or the end."""

    kind: str  # sample | test | return
    what: tuple[object, ...]  # (noise, rate, mean) | (form, strict) | (output,)
    next: tuple[tuple[int, Environment], ...] = ()
    target: str = ""


@dataclass(frozen=True)
class Program:
    """Inputs and instructions."""

    name: str
    inputs: tuple[tuple[str, int | None], ...]
    code: tuple[tuple[object, ...], ...]

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the single numbers of an input."""
        return tuple(
            c
            for x, n in self.inputs
            for c in ([x] if n is None else [f"{x}[{i}]" for i in range(n)])
        )

    def start(self, numbers: list[Fraction | Form]) -> Environment:
        """Return the variables at the first instruction."""
        left, env = iter(numbers), Environment()
        for x, n in self.inputs:
            env[x] = next(left) if n is None else tuple(next(left) for _ in range(n))
        return env

    def symbols(self) -> Environment:
        """Return the variables at the first instruction, for unknown inputs."""
        return self.start([_symbol(x) for x in self.coordinates])

    @cached_property
    def fixed(self) -> Environment:
        """The inputs that are never assigned: they are no part of a state."""
        changed = {one[1] for one in self.code if one[0] in ("set", "sample")}
        return {x: v for x, v in self.symbols().items() if x not in changed}

    def live(self, work: Work) -> list[set[str]]:
        """For each instruction the variables that some run from it reads before it assigns them.

        Sets only grow.
        """
        live: list[set[str]] = [set() for _ in self.code]
        changed = True
        while changed:
            changed = False
            for i in reversed(range(len(self.code))):
                one = self.code[i]
                after = set[str]().union(*(live[j] for j in _following(i, one)))
                work.spend(1 + len(after))
                if one[0] in ("set", "sample"):
                    after.discard(str(one[1]))
                found = after.union(*(_names(e) for e in one if isinstance(e, tuple)))
                if found != live[i]:
                    live[i], changed = found, True
        return live

    def ideal(self) -> Program:
        """Return the program with each sample replaced by its mean."""
        code = tuple(("set", one[1], one[4]) if one[0] == "sample" else one for one in self.code)
        return Program(self.name, self.inputs, code)


def _symbol(x: str | int) -> Form:
    found = form([(x, Fraction(1))], Fraction(0))
    assert isinstance(found, Form)
    return found


def _following(i: int, one: tuple[object, ...]) -> tuple[int, ...]:
    if one[0] in ("return", "end"):
        return ()
    if one[0] == "jump":
        return (int(one[1]),)  # type: ignore[call-overload]
    return (i + 1, int(one[-1])) if one[0] == "test" else (i + 1,)  # type: ignore[call-overload]


def _names(e: object) -> set[str]:
    if not isinstance(e, tuple) or e[0] == "const":
        return set()
    return {e[1]} if e[0] == "name" else set[str]().union(*map(_names, e[1:]))


# -- reading


def read_program(x: object) -> Program:
    """Read a program; what is not in the core language is rejected."""
    name, inputs, code = fields(x, ("name", "inputs", "code"), "a program")
    kinds = []
    for one in listed(inputs, "inputs"):
        variable, kind = row(one, 2, "an input")
        kinds.append((_named(variable), _length(text(kind, "a type"))))
    need(len({v for v, _ in kinds}) == len(kinds), "two inputs with one name")
    need(sum(n or 1 for _, n in kinds) <= MOST_INPUTS, "more inputs than are covered")
    instructions = [
        _read_instruction(listed(one, "an instruction")) for one in listed(code, "code")
    ]
    size = len(instructions)
    ends = (j for i, one in enumerate(instructions) for j in _following(i, one))
    need(size and all(j < size for j in ends), "a jump out of the code")
    return Program(_named(name), tuple(kinds), tuple(instructions))


def _named(x: object) -> str:
    """Return a name of Python: it is read as nothing else where the statement is printed."""
    written = text(x, "a name")
    need(written.isidentifier() and not iskeyword(written), "a name that reads as something else")
    return written


def _variable(x: str) -> str:
    """Return the name of a variable; those that a front end adds are #1, #2, and so on."""
    return x if _ADDED.fullmatch(x) else _named(x)


def _length(kind: str) -> int | None:
    if kind == "Real":
        return None
    need(
        kind.startswith("Real[") and kind.endswith("]") and kind[5:-1].isdecimal(),
        f"an unknown type {kind}",
    )
    need(len(kind) < 12, "a list of inputs that is too long")
    return int(kind[5:-1])


def _read_instruction(x: list[object]) -> tuple[object, ...]:
    match x:
        case ["set", str(target), e]:
            return ("set", _variable(target), _read_expression(e))
        case ["sample", str(target), "lap", rate, mean]:
            around = _read_expression(mean)
            return ("sample", _variable(target), "lap", _read_expression(rate), around)
        case ["test", "<" | "<=" | ">" | ">=", a, b, to]:
            return ("test", x[1], _read_expression(a), _read_expression(b), natural(to, "a place"))
        case ["jump", to]:
            return ("jump", natural(to, "a place"))
        case ["return", e]:
            return ("return", _read_expression(e))
        case ["end"]:
            return ("end",)
    raise Rejected("an unknown instruction")


def _read_expression(x: object) -> Expression:
    match x:
        case ["const", v]:
            return ("const", read_value(v))
        case ["name", str(v)]:
            return ("name", _variable(v))
        case [("+" | "-" | "*" | "/" | "index") as op, a, b]:
            return (op, _read_expression(a), _read_expression(b))
    raise Rejected("an unknown expression")


def read_value(x: object) -> Value:
    """Read a finite value, or a formula in ε."""
    if x is None or type(x) is bool:
        return x
    if type(x) is dict:
        if set(x) == {"text"}:
            return text(x["text"], "a text")
        return read_formula(text(fields(x, ("expr",), "a value")[0], "a formula"))
    if type(x) is list:
        return tuple(read_value(one) for one in x)
    return rational(x, "a number")


# -- running


def run(program: Program, pc: int, variables: Mapping[str, Value], work: Work) -> Event:
    """Run from an instruction to the next event."""
    env = dict(variables)
    work.spend(len(env) >> 4)
    while True:
        work.spend()
        one = program.code[pc]
        match one:
            case ("set", str(x), e):
                env[x] = value(e, env, work)
            case ("jump", int(to)):
                pc = to
                continue
            case ("test", str(op), a, b, int(otherwise)):
                left, right = _number(value(a, env, work)), _number(value(b, env, work))
                d = plus(left, scaled(right, Fraction(-1)))
                if op in ("<", "<="):
                    d = scaled(d, Fraction(-1))
                strict = op in ("<", ">")
                if isinstance(d, Form):
                    return Event("test", (d, strict), ((pc + 1, env), (otherwise, env)))
                if not (d > 0 or (d == 0 and not strict)):
                    pc = otherwise
                    continue
            case ("sample", str(x), str(noise), rate, mean):
                around = _number(value(mean, env, work))
                what = noise, _rate(value(rate, env, work), work), around
                return Event("sample", what, ((pc + 1, env),), x)
            case ("return", e):
                output = value(e, env, work)
                need(_finite(output), "an output that is a formula")  # equal if equal for every ε
                return Event("return", (output,))
            case ("end",):
                raise Rejected("a run that does not return")
        pc += 1


def _finite(v: Value) -> bool:
    return all(map(_finite, v)) if isinstance(v, tuple) else not isinstance(v, Formula)


def value(e: object, env: Environment, work: Work) -> Value:
    """Return the value of an expression."""
    work.spend()
    match e:
        case ("const", v):
            return cast(Value, v)
        case ("name", str(x)):
            need(x in env, f"a variable without a value: {x}")
            return env[x]
        case ("index", a, i):
            values, at = value(a, env, work), value(i, env, work)
            if not isinstance(values, tuple) or not isinstance(at, Fraction):
                raise Rejected("an index")
            need(at.denominator == 1 and -len(values) <= at < len(values), "an index")
            return values[int(at)]
        case (str(op), a, b):
            found = _applied(op, _number(value(a, env, work)), _number(value(b, env, work)))
            for c in _coefficients(found):
                work.number(length(c))
            return found
    raise Rejected("an unknown expression")


def _coefficients(v: Form | Fraction) -> list[Fraction]:
    return [v.constant, *(c for _, c in v.parts)] if isinstance(v, Form) else [v]


def _applied(op: str, a: Form | Fraction, b: Form | Fraction) -> Form | Fraction:
    if op in ("+", "-"):
        return plus(a, scaled(b, Fraction(1 if op == "+" else -1)))
    if op == "/":
        if not isinstance(b, Fraction) or not b:
            raise Rejected("a division")
        return scaled(a, 1 / b)
    if not isinstance(b, Fraction):
        a, b = b, a
    if not isinstance(b, Fraction):
        raise Rejected("a product of unknown numbers")
    return scaled(a, b)


def _number(v: Value) -> Form | Fraction:
    if not isinstance(v, (Form, Fraction)):
        raise Rejected("a value that is no number")
    return v


def _rate(v: Value, work: Work) -> Fraction:
    """Return the rate divided by ε."""
    if not isinstance(v, Formula):
        raise Rejected("a rate that is no formula in ε")
    rate = v.multiple_of_eps(work)
    need(rate > 0, "a rate that is not positive")
    return rate


def same(a: Value, b: Value) -> bool:
    """Whether outputs are equal: kind and value."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b
