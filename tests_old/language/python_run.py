"""The outside judge: a program's source run by Python itself, with the samplers patched.

`lap(rate, mean)` returns mean + the next number of a given list, and so on, so that a
program and its Python twin see the same noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from exactdp import Mechanism
from exactdp.language.events import Compare, Done, Draw, Selection, State
from exactdp.language.linear import Linear
from exactdp.language.machine import Machine


class _Eps:
    """A stand-in for eps in the patched run, where rates do not matter."""

    def __truediv__(self, other: object) -> _Eps:
        return self

    __mul__ = __rmul__ = __neg__ = __truediv__


def by_python(text: str, name: str, args: Sequence[Any], noise: Sequence[Any]) -> Any:
    """Return what the function `name` of a source returns when Python runs it."""
    numbers = iter(noise)

    def sampler(rate: object, mean: Any = 0) -> Any:
        del rate
        return mean + next(numbers)

    def choose(chances: dict[Any, Any]) -> Any:
        keys = list(chances)
        return keys[int(abs(next(numbers))) % len(keys)]

    def expmech(rate: object, score: Any, candidates: Any) -> Any:
        del rate
        for candidate in candidates:
            score(candidate)
        return list(candidates)[int(abs(next(numbers))) % len(list(candidates))]

    names: dict[str, Any] = {
        "lap": sampler,
        "dlap": sampler,
        "expo": sampler,
        "choose": choose,
        "expmech": expmech,
        "eps": _Eps(),
        "Fraction": Fraction,
        "Real": dict.fromkeys(range(20)),
        "Dom": lambda *_: dict.fromkeys(range(20)),
    }
    exec(text.replace("Real,", "None,").replace("Real)", "None)"), names)
    return _tuples(names[name](*args))


def _tuples(value: Any) -> Any:
    if isinstance(value, list | tuple | range):
        return tuple(_tuples(part) for part in value)
    return value


def by_numbers(mechanism: Mechanism, u: Any, noise: Sequence[Any]) -> Any:
    """Return what our machine returns for the same noise, run on exact numbers."""
    machine, numbers = mechanism.machine, iter(noise)
    event = machine.advance(machine.start(mechanism.read_input(u)))
    while not isinstance(event, Done):
        assert not isinstance(event, Compare)
        event = machine.advance(machine.resume(event, _decide(event, numbers)))
    return event.output


def _decide(event: Draw | Selection, numbers: Iterator[Any]) -> Any:
    if isinstance(event, Draw):
        return event.mean + next(numbers)
    return event.values[int(abs(next(numbers))) % len(event.values)]


def by_symbols(mechanism: Mechanism, u: Any, noise: Sequence[Any]) -> Any:
    """Return the same from a symbolic run: samples are symbols, comparisons are events."""
    machine, numbers = mechanism.machine, iter(noise)
    known: dict[int, Any] = {}
    event = machine.advance(machine.start(mechanism.read_input(u)))
    while not isinstance(event, Done):
        if isinstance(event, Compare):
            assert isinstance(event.difference, Linear)
            answer: Any = _holds(event.op, value_of(event.difference, known))
        elif isinstance(event, Draw):
            known[len(known)] = next(numbers)
            answer = event.mean + Linear.symbol(len(known) - 1)
        else:
            answer = event.values[int(abs(next(numbers))) % len(event.values)]
        event = machine.advance(machine.resume(event, answer))
    return _valued(event.output, known)


def value_of(form: Linear, known: dict[int, Any]) -> Any:
    """Return the value of a linear form where its symbols have the known values."""
    total: Any = form.constant
    for name, q in form.coefficients.items():
        assert isinstance(name, int)
        total += q * known[name]
    return total


def _holds(op: str, value: Any) -> bool:
    return bool(
        {
            "<": value < 0,
            "<=": value <= 0,
            "==": value == 0,
            "!=": value != 0,
            ">=": value >= 0,
            ">": value > 0,
        }[op]
    )


def _valued(output: Any, known: dict[int, Any]) -> Any:
    if isinstance(output, Linear):
        return value_of(output, known)
    if isinstance(output, tuple):
        return tuple(_valued(part, known) for part in output)
    return output


def orders(machine: Machine, start: State, noise: Sequence[Any]) -> list[tuple[int, ...]]:
    """Return the order keys of the states that a run comes through."""
    numbers = iter(noise)
    event = machine.advance(start)
    found = [machine.order(event.state)]
    while not isinstance(event, Done):
        assert not isinstance(event, Compare)
        event = machine.advance(machine.resume(event, _decide(event, numbers)))
        found.append(machine.order(event.state))
    return found
