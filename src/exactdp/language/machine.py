"""One step function for all semantics of a program.

A `State` is a value: the next statement and the content of each slot. `Machine.advance` runs
a state through everything that is deterministic and stops at an `Event`: a sample, a
choice, a comparison of symbolic values, or the output. The caller decides the event and
continues with `resume`. Concrete runs, simulation and exact probabilities differ only in
how they handle events.

At an event every dead slot is empty, so two states that agree on all live slots are equal.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from exactdp.errors import Place, ProgramError
from exactdp.language.code import (
    Code,
    Loop,
    Pick,
    Sample,
    Test,
)
from exactdp.language.evaluate import UNSET, Compiler, Env
from exactdp.language.events import Compare, Done, Draw, Event, Selection, Settle, State
from exactdp.language.limits import STEP_LIMIT
from exactdp.language.linear import Inquiry, Linear, asked, made_whole, with_sign, with_whole
from exactdp.language.quotients import Denominator
from exactdp.language.rules import fail
from exactdp.language.steps import CompiledCode
from exactdp.language.stored import StoredAnswer, with_answer
from exactdp.language.values import Symbolic, UnsettledError, Value, alike
from exactdp.language.wholes import Whole
from exactdp.language.words import NOISES
from exactdp.reals.radicals import Surd

if TYPE_CHECKING:
    from exactdp.language.flow import Flow


#: After this many steps `advance` starts to check for a repeated state.
_LOOK = 1024


class Machine:
    """Runs flat code on values of any domain."""

    def __init__(
        self,
        code: Code,
        flow: Flow,
        *,
        is_rough: bool = False,
        settles: bool = False,
        unit: Surd | None = None,
        compiler: Callable[..., Compiler] = Compiler,
        stores: bool = False,
    ) -> None:
        self.code, self._flow, self._unit = code, flow, unit
        self._settles = settles
        stored = code.stored_tests if stores else frozenset[int]()
        steps = CompiledCode(
            code, is_rough=is_rough, settles=settles, unit=unit, compiler=compiler, stores=stored
        )
        self.slots, self.compiled = steps.slots, steps.compiled
        self._steps, self._events = steps.listed, steps.facts
        self._inputs = [self.slots[name] for name, _ in code.inputs]
        self._loops = [code.loops_at(pc) for pc in range(len(code.instructions))]
        everything = frozenset(code.slots)
        self._dead = [
            tuple(self.slots[name] for name in sorted(everything - live)) for live in flow.live
        ]
        self._targets = [
            self.slots[one.slot] if isinstance(one, Sample | Pick | Test) else -1
            for one in code.instructions
        ]

        self._holders = [self.slots[name] for name in sorted(flow.holders(stored))]
        """The slots that may hold stored answers."""

    def storing(self) -> Machine:
        """Return the machine that makes a stored comparison where its answer is needed."""
        if not self.code.stored_tests or self._settles:
            return self
        return Machine(self.code, self._flow, unit=self._unit, stores=True)

    def start(self, inputs: Mapping[str, Value] | tuple[Value, ...]) -> State:
        """Return the first state for given values of the inputs, in order or by name."""
        env: Env = [UNSET] * len(self.slots)
        names = [name for name, _ in self.code.inputs]
        values = [inputs[name] for name in names] if isinstance(inputs, Mapping) else inputs
        for slot, value in zip(self._inputs, values, strict=True):
            env[slot] = value
        return State(0, tuple(env))

    def run(self, inputs: tuple[Value, ...]) -> Value:
        """Return the exact output of a run that samples nothing."""
        event = self.advance(self.start(inputs))
        if isinstance(event, Done):
            return event.output
        raise ProgramError(
            "the program samples, so it has no exact output",
            place=self.code.instructions[event.state.pc].place,
            rule="Only deterministic programs run exactly.",
            way_out="Use run(u, eps, rng), or noiseless().",
        )

    def advance(self, state: State) -> Event:
        """Run until the next event.

        Terminates: every `for` loop is bounded, and a `while` loop either changes its values,
        which the step limit bounds, or repeats a state, which is detected.
        """
        env: Env = list(state.env)
        pc, steps, count = state.pc, self._steps, 0
        seen_pc, seen_env, next_look = -1, env, _LOOK
        try:
            while (pc := steps[pc](env)) >= 0:
                count += 1
                if count < _LOOK:
                    continue
                if pc == seen_pc and env == seen_env and all(map(alike, env, seen_env)):
                    raise self._endless(pc)
                if count >= next_look:
                    if count > STEP_LIMIT:
                        raise self._endless(pc, surely=False)
                    seen_pc, seen_env, next_look = pc, list(env), 2 * next_look
            pc = ~pc
            kind, *facts = self._events[pc](env)
        except UnsettledError as error:
            kind, *facts = self._unsettled(error.value, self.code.instructions[pc].place)
        for slot in self._dead[pc]:
            env[slot] = UNSET
        event: Event = kind(State(pc, tuple(env)), *facts)
        return event

    def step(self, pc: int, env: Env) -> int:
        """Run one statement in an environment; return the next one, or ~pc if it is an event."""
        return self._steps[pc](env)

    def event_at(self, pc: int, env: Env) -> Event:
        """Return the event of a statement in an environment."""
        kind, *facts = self._events[pc](env)
        return kind(State(pc, tuple(env)), *facts)  # type: ignore[no-any-return]

    def dead_at(self, pc: int) -> tuple[int, ...]:
        """Return the slots whose values are not read from a statement on."""
        return self._dead[pc]

    @staticmethod
    def _unsettled(value: Symbolic, place: Place) -> tuple[Any, ...]:
        """Return the facts of an event that narrows down a number whose value is needed.

        A whole number between two bounds is found by bisection.
        """
        if isinstance(value, StoredAnswer):
            return Compare, value.op, value.form, value
        if not isinstance(value, Linear):
            return Settle, value
        for whole in value.coefficients:
            if isinstance(whole, Whole) and None not in (whole.low, whole.high):
                assert whole.low is not None
                assert whole.high is not None
                k = (whole.low + whole.high + 1) // 2
                found = asked(*whole.condition(k))
                if isinstance(found, bool):
                    found = Inquiry(*whole.condition(k))
                return Compare, found.op, found.form, found.about or (whole, k)
        raise fail(
            place,
            "integer noise is used as a finite value where its range is not known",
            "Between two numbers with which it was compared it is one of finitely many values.",
            "Clamp it first, as in `min(max(z, 0), 10)`.",
        )

    def resume(self, event: Draw | Selection | Compare, value: Value) -> State:
        """Return the state after an event was decided: the sample, the pick or the truth."""
        pc, env = event.state
        if isinstance(event, Compare) and self._holders:
            env = self._with_answer(env, event, value)
            if isinstance(event.about, StoredAnswer):
                return State(pc, env)
        if isinstance(event, Compare) and event.about is not None:
            if isinstance(event.about, Denominator):
                return State(pc, tuple(with_sign(one, event.about, value) for one in env))
            assert isinstance(event.about, tuple)
            whole, k = event.about
            known = made_whole(whole.bounded(k, value))
            return State(pc, tuple(with_whole(one, whole, known) for one in env))
        if self._settles and isinstance(event, Draw) and isinstance(value, Linear):
            value = value.rounded(nearest=False) if NOISES[event.noise].is_whole else value
        slot = self._targets[pc]
        return State(pc + 1, (*env[:slot], value, *env[slot + 1 :]))

    def _with_answer(
        self, env: tuple[Value, ...], event: Compare, truth: bool
    ) -> tuple[Value, ...]:
        """Return an environment with the stored answers that follow from a comparison."""
        if not isinstance(event.difference, Linear):
            return env
        found = list(env)
        for slot in self._holders:
            found[slot] = with_answer(env[slot], event.op, event.difference, truth)
        return tuple(found)

    def order(self, state: State) -> tuple[int, ...]:
        """Return a key that increases along every run, except inside a `while` loop.

        The key is the statement, preceded for each enclosing `for` loop by the loop's
        start and its iteration; all states inside an outermost `while` loop share one key.
        If states are processed in the order of their keys, all predecessors of a state
        have been processed before it.
        """
        key: list[int] = []
        for loop in self._loops[state.pc]:
            key.append(loop.start)
            if loop.counter is None:
                return tuple(key)
            counter = state.env[self.slots[loop.counter]]
            # The iteration is dropped where no further one can follow: that is the end.
            key.append(sys.maxsize if counter is UNSET else counter)
        return (*key, state.pc)

    def while_around(self, pc: int) -> Loop | None:
        """Return the outermost `while` loop around a statement."""
        return next((loop for loop in self._loops[pc] if loop.counter is None), None)

    def _endless(self, pc: int, *, surely: bool = True) -> ProgramError:
        loops = self._loops[pc]
        place = loops[-1].place if loops else self.code.instructions[pc].place
        if surely:
            return fail(
                place,
                "this loop never ends",
                "It comes back to the same values without sampling anything.",
                "Change a value that its condition reads, or `break`.",
            )
        return fail(
            place,
            f"this loop ran {STEP_LIMIT:,} statements without sampling anything",
            "Between two samples a program may run that many statements at most.",
            "Compute the finite values in a Python function outside.",
        )
