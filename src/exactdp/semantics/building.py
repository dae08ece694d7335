"""Building the graph of a program: the machine runs from event to event, once for each state."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import count as count_from
from operator import is_not
from typing import Any

from exactdp.errors import Place, ProgramError
from exactdp.language.limits import STATE_LIMIT
from exactdp.language.linear import made_whole, unit_in, wholes_in, with_whole
from exactdp.language.machine import Compare, Done, Draw, Event, Machine, Selection, State
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.rules import fail
from exactdp.language.values import List, Value
from exactdp.language.wholes import Whole
from exactdp.measure.work import count
from exactdp.semantics.graph import Graph
from exactdp.semantics.linear import Linear
from exactdp.semantics.naming import canonical, is_settled
from exactdp.semantics.nodes import (
    Edge,
    Failure,
    LateDraw,
    Later,
    Node,
    NodeEvent,
    NoiseKinds,
    RoundedInput,
    Rounding,
    forms_of,
    has_integers,
    has_noise,
    looks_at,
    noise_part,
)
from exactdp.semantics.states import Visited


def build(
    machine: Machine,
    start: State,
    look: Callable[[State], State | None] = lambda state: state,
    *,
    late: bool = False,
) -> Graph:
    """Return the graph from a state.

    `look` returns the relevant part of a state, or None to leave it out with the edges to it. With
    `late`, samples are drawn at their first use, which changes no probability.
    """
    numbers: dict[tuple[State, NoiseKinds], int] = {}
    visited = Visited(machine)
    noiseless: dict[int, Value] = {}
    ends = all(loop.counter is not None for loop in machine.code.loops)
    late = late and ends and not has_integers(machine.code)
    serial = count_from(0)
    events: list[tuple[NodeEvent, int]] = []
    kinds: list[NoiseKinds] = []
    edges: list[tuple[Edge, ...]] = []

    def advanced(state: State, known: NoiseKinds) -> Event:
        while True:
            event = _advanced(machine, state, known)
            if not (late and isinstance(event, Draw) and _can_wait(event)):
                return event
            sample = Later(event.noise, event.rate, event.mean, next(serial))
            state = machine.resume(event, Linear.symbol(sample))

    def place_of(event: Event) -> Place:
        return machine.code.instructions[event.state.pc].place

    def visit(state: State, known: NoiseKinds) -> tuple[int, tuple[Linear, ...]] | None:
        event: NodeEvent
        try:
            next_event = advanced(state, known)
            event = _awaited(next_event, known, place_of(next_event))
        except ProgramError as error:
            event = Failure(state, error)
        seen = look(event.state)
        if seen is None:
            return None
        reached, variables = canonical(event, seen, noiseless, known)
        own = known.of(variables) if any(known) else known
        key = reached, own
        number = numbers.get(key)
        if number is None:
            if reached.pc >= 0:
                visited.add(reached)
            if len(numbers) >= STATE_LIMIT:
                raise _too_many(machine, event.state)
            number = numbers[key] = len(events)
            events.append((_renamed(machine, event, reached, own), len(variables)))
            kinds.append(own)
            count(states=1)
        return number, variables

    visit(start, NoiseKinds())
    done = 0
    while done < len(events):
        event, size = events[done]
        ways = []
        for case, state in _ways(machine, event, size, noiseless):
            arrival = visit(state, kinds[done].after(event, size))
            if arrival is not None:
                ways.append(Edge(*arrival, case))
        edges.append(tuple(ways))
        done += 1
    return Graph(
        tuple(Node(event, size, ways) for (event, size), ways in zip(events, edges, strict=True)),
        machine.code,
    )


def _advanced(machine: Machine, state: State, kinds: NoiseKinds) -> Event:
    """Return the next event; rounded inputs that it uses are named in its state.

    A rounding of a form that is whole already, because it consists of integer noise, is that form,
    also in a sum with real noise.
    """
    while True:
        event = machine.advance(state)
        for whole in wholes_in(looks_at(event)):
            if is_settled(whole):
                if unit_in(whole.form.coefficients):
                    raise _by_epsilon(machine.code.instructions[event.state.pc].place)
                known = Linear.symbol(RoundedInput.of(whole))
                break
            if _is_whole(whole.form, kinds.integers):
                known = whole.form
                break
            if kinds.mixes(whole.form):
                known = _divided(whole, kinds, machine.code.instructions[event.state.pc].place)
                break
        else:
            return event
        env = tuple(with_whole(value, whole, known) for value in event.state.env)
        state = State(event.state.pc, env)


def _divided(whole: Whole, kinds: NoiseKinds, place: Place) -> Linear:
    """Return a whole number ⌊z + r⌋ as z + ⌊r⌋, for a whole number z."""
    integers = Linear(
        {name: q for name, q in whole.form.coefficients.items() if name in kinds.integers}
    )
    if not _is_whole(integers, kinds.integers):
        raise _mixed(place)
    rest: Any = whole.form - integers
    found: Linear = integers + made_whole(replace(whole, form=rest, low=None, high=None))
    return found


def _is_whole(form: Linear, integers: frozenset[int]) -> bool:
    """Whether a form consists of integer noise with whole coefficients."""
    numbers = (*form.coefficients.values(), form.constant)
    return all(name in integers for name in form.coefficients) and all(
        q.denominator == 1 for q in numbers
    )


def _too_many(machine: Machine, state: State) -> ProgramError:
    return ProgramError(
        f"the program has more than {STATE_LIMIT:,} states",
        place=machine.code.instructions[state.pc].place,
        rule="A state is a statement with all finite values; they are listed one by one.",
        way_out="Ask for the probability of one output, or keep fewer values at a time.",
    )


def _renamed(machine: Machine, event: NodeEvent, state: State, kinds: NoiseKinds) -> NodeEvent:
    """Return the event of a state with renamed noise."""
    if isinstance(event, Done):
        return Done(state, state.env[0])
    if isinstance(event, Failure):
        return Failure(state, event.error)
    found = machine.advance(state)
    return _awaited(found, kinds, machine.code.instructions[found.state.pc].place)


def _mixed(place: Place) -> ProgramError:
    return fail(
        place,
        "a part of integer noise is rounded together with real noise",
        "The floor of z + r is z plus the floor of r for a whole number z; of z / 2 + r it is no "
        "such sum.",
        "Round each of them, or compare the sum with numbers.",
    )


def _can_wait(event: Draw) -> bool:
    """Whether a sample may be drawn later: its mean is known already."""
    return event.width is None and is_settled(event.mean)


def _by_epsilon(place: Place) -> ProgramError:
    return fail(
        place,
        "a number with 1 / eps in it is rounded",
        "As eps falls it passes every whole number, so there is no finite list of cases.",
        "Compare the rounded number with numbers only, or ask for one eps.",
    )


def _awaited(event: Event, kinds: NoiseKinds, place: Place) -> NodeEvent:
    """Return an event, or the sample or rounding that must precede it."""
    waiting = [looks_at(event)]
    whole = next(wholes_in(waiting[0]), None)
    if whole is not None:
        waiting.append(whole.form)
    for form in (form for value in waiting for form in forms_of(value)):
        for name in form.coefficients:
            if isinstance(name, Later):
                return LateDraw(event.state, name.noise, name.rate, name.mean, sample=name)
    if whole is None:
        return _with_bounded_reals(event, kinds)
    if unit_in(whole.form.coefficients):
        raise _by_epsilon(place)
    is_whole = not kinds.integers.isdisjoint(noise_part(whole.form))
    form = whole.form + Fraction(1, 2) if whole.nearest and not is_whole else whole.form
    return Rounding(event.state, form, whole, is_whole)


def _with_bounded_reals(event: Event, kinds: NoiseKinds) -> NodeEvent:
    """Return an event, or the rounding of real noise that it adds to integer noise.

    Of r = k + f with a whole number k, only 0 ≤ f < 1 remains: see `measure.mixed`.
    """
    if not isinstance(event, Compare | Done):
        return event
    for form in forms_of(looks_at(event)):
        if kinds.mixes(form):
            real = {n: q for n, q in noise_part(form).items() if n not in kinds.integers}
            if not kinds.bounded.issuperset(real):
                part = Linear({name: q for name, q in real.items() if name not in kinds.bounded})
                return Rounding(event.state, part, Whole(part), is_whole=False)
    return event


def _inserted(value: Value, sample: Later, fresh: Linear) -> Value:
    """Return a value with a sample replaced by a variable."""
    if isinstance(value, Linear):
        for whole in wholes_in(value):
            form = _inserted(whole.form, sample, fresh)
            if form is not whole.form:
                value = with_whole(value, whole, made_whole(replace(whole, form=form)))
        return value.substituted({sample: fresh}) if sample in value.coefficients else value
    if isinstance(value, NoisyQuotient):
        return value.mapped(lambda part: _inserted(part, sample, fresh))
    if isinstance(value, tuple):
        parts = [_inserted(part, sample, fresh) for part in value]
        if any(map(is_not, parts, value)):
            return List(parts) if isinstance(value, List) else tuple(parts)
    return value


def _ways(
    machine: Machine, event: NodeEvent, count: int, noiseless: Mapping[int, Value]
) -> Iterator[tuple[int | bool | None, State]]:
    """Yield the cases of an event with the states after them; a new sample is symbol `count`."""
    if isinstance(event, Rounding):
        yield None, _rounded(event, count)
    elif isinstance(event, LateDraw):
        assert event.sample is not None
        fresh = Linear.symbol(count)
        env = tuple(
            value if id(value) in noiseless else _inserted(value, event.sample, fresh)
            for value in event.state.env
        )
        yield None, State(event.state.pc, env)
    elif isinstance(event, Draw):
        fresh = Linear.symbol(count)
        moved = has_noise(event.mean)
        yield None, machine.resume(event, event.mean + fresh if moved else fresh)
    elif isinstance(event, Selection):
        for case, value in enumerate(event.values):
            yield case, machine.resume(event, value)
    elif isinstance(event, Compare):
        for truth in (False, True):
            yield truth, machine.resume(event, truth)


def _rounded(event: Rounding, count: int) -> State:
    """Return the state after a rounding: the variables `count` and `count + 1` are new."""
    env: Any = event.state.env
    whole = Linear.symbol(count)
    env = tuple(with_whole(value, event.whole, whole) for value in env)
    if not event.is_whole:
        noise = noise_part(event.form)
        gone = min(noise, key=lambda v: (abs(noise[v]) != 1, v))
        rest = event.form - Linear({gone: noise[gone]})
        value = (whole + Linear.symbol(count + 1) - rest) / noise[gone]
        env = tuple(_replaced(one, gone, value) for one in env)
    return State(event.state.pc, env)


def _replaced(value: Value, gone: int, form: Linear) -> Value:
    """Return a value with a variable replaced by a form, also inside roundings."""
    if isinstance(value, tuple):
        parts = [_replaced(part, gone, form) for part in value]
        if any(map(is_not, parts, value)):
            return List(parts) if isinstance(value, List) else tuple(parts)
        return value
    if isinstance(value, NoisyQuotient):
        return value.mapped(lambda part: _replaced(part, gone, form))
    if not isinstance(value, Linear):
        return value
    for whole in wholes_in(value):
        if gone in noise_part(whole.form):
            value = with_whole(value, whole, _whole_with(whole, gone, form))
    return value.substituted({gone: form}) if gone in value.coefficients else value


def _whole_with(whole: Whole, gone: int, form: Linear) -> Any:
    """Return a whole number with a variable replaced by a form k + f − ….

    ⌊(k + f)/n + c⌋ is ⌊k/n + c⌋ for a positive integer n and a multiple c of 1/n.
    """
    inner = _replaced(whole.form, gone, form)
    rest = max(noise_part(form))
    q = Fraction(inner.coefficients.get(rest - 1, 0)) if isinstance(inner, Linear) else Fraction(0)
    if not whole.nearest and q > 0 and q.numerator == 1 and inner.coefficients.get(rest) == q:
        alone = len(inner.coefficients) == 2
        if alone and (inner.constant / q).denominator == 1:
            inner = inner - Linear({rest: q})
    return made_whole(replace(whole, form=inner))
