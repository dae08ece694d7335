"""Mechanisms that only add noise: the distribution of their error does not depend on the input."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.errors import ExactdpError
from exactdp.language.events import Compare, Done, Draw, State
from exactdp.language.kinds import ValueKind
from exactdp.language.linear import Linear
from exactdp.language.values import Symbolic, Value
from exactdp.semantics.nodes import has_noise, noise_part
from exactdp.semantics.patterns import is_number

if TYPE_CHECKING:
    from exactdp.language.program import Program

_MOST_STATES = 20_000
_MANY = 2_000  # states of a graph in which inputs are symbols


class _NotAddedError(Exception):
    """Noise is compared or rounded, a value is chosen, or the noise scale depends on the input."""


def added_noise(program: Program, inputs: tuple[Value, ...]) -> set[Hashable] | None:
    """Return the noise that is added to the noiseless output along each path of a program.

    Return None if noise is not only added. If no noise is compared, the program without noise
    takes the same path at an input as with noise. So the error is a linear form in the samples
    minus their means: the same random variable on two paths with the same samples and forms.
    """
    try:
        return set(_ways(program, inputs))
    except (_NotAddedError, ExactdpError):
        return None


def _ways(program: Program, inputs: tuple[Value, ...]) -> Iterator[Hashable]:
    # A sample minus its mean is a symbol: the number of samples before it.
    machine = program.machine
    waiting: list[tuple[State, tuple[Hashable, ...]]] = [(machine.start(inputs), ())]
    seen = set(waiting)
    while waiting:
        state, samples = waiting.pop()
        match event := machine.advance(state):
            case Done(output=output):
                yield samples, _deviation(output)
                continue
            case Compare(difference=difference, about=None) if not has_noise(difference):
                found = [(machine.resume(event, truth), samples) for truth in (True, False)]
            case Draw(noise=noise, rate=rate, width=width, base=None) if not _is_form(width):
                value = event.mean + Linear.symbol(len(samples))
                found = [(machine.resume(event, value), (*samples, (noise, rate, width)))]
            case _:
                raise _NotAddedError
        for after, drawn in found:
            one = _without_inputs(program, after), drawn
            if one not in seen:
                seen.add(one)
                waiting.append(one)
        if len(seen) > _MOST_STATES:
            raise _NotAddedError


def compares_inputs_often(program: Program, inputs: tuple[Value, ...]) -> bool:
    """Whether there are many ways to compare inputs before anything is sampled."""
    machine = program.machine
    waiting = [machine.start(inputs)]
    seen = set(waiting)
    while waiting and len(seen) <= _MANY:
        event = machine.advance(waiting.pop())
        if isinstance(event, Compare) and event.about is None:
            after = {machine.resume(event, truth) for truth in (True, False)} - seen
            waiting += after
            seen |= after
    return len(seen) > _MANY


def _is_form(value: Value) -> bool:
    return isinstance(value, Symbolic)


def _without_inputs(program: Program, state: State) -> State:
    """Return a state in which every real is an unknown number plus its noise.

    Each slot has an unknown of its own, so that any two of them may be equal or different: the
    states that follow include those of every input.
    """
    kinds = program.checked.before[state.pc] or {}
    env = (
        value if (kind := kinds.get(name)) is None else _unknown(value, kind, f"#{name}")
        for name, value in zip(program.code.slots, state.env, strict=True)
    )
    return State(state.pc, tuple(env))


def _unknown(value: Value, kind: ValueKind, name: str) -> Value:
    if isinstance(value, tuple):
        items = kind.items if isinstance(kind.items, tuple) else (kind.entry,) * len(value)
        if len(items) != len(value):
            items = (kind.entry,) * len(value)
        pairs = enumerate(zip(value, items, strict=True))
        return type(value)(_unknown(one, each, f"{name}.{k}") for k, (one, each) in pairs)
    if isinstance(value, Linear) or (kind.real and is_number(value)):
        return Linear({**_noise(value), name: Fraction(1)}, Fraction(0))
    return value


def _noise(form: Value) -> dict[int, Fraction]:
    if isinstance(form, Linear) and not all(
        isinstance(one, int | str) for one in form.coefficients
    ):
        raise _NotAddedError  # a number that is rounded
    return noise_part(form)


def _deviation(output: Value) -> Hashable:
    """Return the difference of an output from the noiseless one, as forms in the samples."""
    if isinstance(output, tuple):
        return tuple(map(_deviation, output))
    if isinstance(output, Symbolic) and not isinstance(output, Linear):
        raise _NotAddedError
    return tuple(sorted(_noise(output).items()))
