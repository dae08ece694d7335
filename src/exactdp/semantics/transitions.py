"""The machine run from state to state: each step is computed once for all graphs of a program.

The graphs for different outputs have most of their states in common. What follows a state does not
depend on the output in question; which part of it is relevant does (`look`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count as count_from
from operator import is_not
from typing import Any, TypeAlias

from exactdp.errors import Place, ProgramError
from exactdp.language.events import Compare, Done, Draw, Event, Selection, State
from exactdp.language.linear import Linear, made_whole, unit_in, wholes_in, with_whole
from exactdp.language.machine import Machine
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.rules import fail
from exactdp.language.stored import StoredAnswer
from exactdp.language.values import List, Value
from exactdp.language.wholes import Whole
from exactdp.semantics.naming import canonical, is_settled
from exactdp.semantics.nodes import (
    Failure,
    LateDraw,
    Later,
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

Look: TypeAlias = Callable[[State], State | None]
"""Returns the relevant part of a state, None if it does not matter at all."""


@dataclass(frozen=True)
class NextEvent:
    """The next event after one outcome of an event, before it is reduced to what is relevant."""

    case: int | bool | None
    event: NodeEvent
    state: State
    """That of the event, without what does not matter for any graph."""
    kinds: NoiseKinds
    arrivals: dict[object, tuple[int, tuple[Linear, ...]]] = field(default_factory=dict)
    """The number of the reduced event, and the meaning of its variables, by what was kept."""


class Transitions:
    """The events of a program in states with renamed noise, and the steps between them.

    With `late`, samples are drawn at their first use, which changes no probability, and stored
    comparisons are made there, too. The looks of
    graphs that share transitions change only the `reduced` slots of a state; `summarised` replaces
    what does not matter for any of them.
    """

    def __init__(
        self,
        machine: Machine,
        *,
        late: bool = False,
        reduced: tuple[int, ...] = (),
        summarised: Callable[[State], State] = lambda state: state,
    ) -> None:
        ends = all(loop.counter is not None for loop in machine.code.loops)
        self._late = late and ends and not has_integers(machine.code)
        self.machine = machine.storing() if self._late else machine
        self._reduced = reduced
        self._summarised = summarised
        self._serial = count_from(0)
        self._noiseless: dict[int, Value] = {}
        self._numbers: dict[tuple[State, NoiseKinds], int] = {}
        self.events: list[tuple[NodeEvent, int]] = []
        """Each event, with its number of variables."""
        self._kinds: list[NoiseKinds] = []
        self._steps: dict[int, tuple[NextEvent, ...]] = {}
        self._starts: dict[State, NextEvent] = {}

    def start(self, state: State) -> NextEvent:
        """Return the step to the first event."""
        if state not in self._starts:
            self._starts[state] = self._step(None, state, NoiseKinds())
        return self._starts[state]

    def steps(self, number: int) -> tuple[NextEvent, ...]:
        """Return the steps from an event, one for each outcome."""
        if number not in self._steps:
            event, size = self.events[number]
            known = self._kinds[number].after(event, size)
            ways = _ways(self.machine, event, size, self._noiseless)
            self._steps[number] = tuple(self._step(case, state, known) for case, state in ways)
        return self._steps[number]

    def arrival(self, step: NextEvent, look: Look) -> tuple[int, tuple[Linear, ...]] | None:
        """Return the event that a step leads to, and its variables; None if it does not matter."""
        seen = look(step.state)
        if seen is None:
            return None
        key = tuple([seen.env[slot] for slot in self._reduced])
        if key not in step.arrivals:
            step.arrivals[key] = self._arrived(step, seen)
        return step.arrivals[key]

    def _step(self, case: int | bool | None, state: State, known: NoiseKinds) -> NextEvent:
        event: NodeEvent
        try:
            found = self._advanced(state, known)
            event = _awaited(found, known, self._place(found))
        except ProgramError as error:
            event = Failure(state, error)
        return NextEvent(case, event, self._summarised(event.state), known)

    def _advanced(self, state: State, known: NoiseKinds) -> Event:
        while True:
            event = _advanced(self.machine, state, known)
            if not (self._late and isinstance(event, Draw) and _can_wait(event)):
                return event
            sample = Later(event.noise, event.rate, event.mean, next(self._serial))
            state = self.machine.resume(event, Linear.symbol(sample))

    def _place(self, event: Event) -> Place:
        return self.machine.code.instructions[event.state.pc].place

    def _arrived(self, step: NextEvent, seen: State) -> tuple[int, tuple[Linear, ...]]:
        known = step.kinds
        reached, variables = canonical(step.event, seen, self._noiseless, known)
        own = known.of(variables) if any(known) else known
        key = reached, own
        number = self._numbers.get(key)
        if number is None:
            self.events.append((_renamed(self.machine, step.event, reached, own), len(variables)))
            self._kinds.append(own)
            number = self._numbers[key] = len(self.events) - 1
        return number, variables


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
    if isinstance(value, NoisyQuotient | StoredAnswer):
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
    if isinstance(value, NoisyQuotient | StoredAnswer):
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
