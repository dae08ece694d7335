"""A program run under many hypotheses about its noise at once.

Each hypothesis knows some comparisons. A comparison that a hypothesis does not know may be true or
false under it. Runs that meet at a statement, in the same round of every loop, continue as one run
with unsure values. So the time does not depend on the number of paths. The result contains every
output that is possible under a hypothesis, and perhaps others.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from exactdp.errors import ProgramError
from exactdp.language.code import Branch, Next, Sample, Test, expressions
from exactdp.language.evaluate import UNSET, Env
from exactdp.language.events import Done, Draw
from exactdp.language.linear import Linear
from exactdp.language.machine import Machine
from exactdp.language.program import Program
from exactdp.language.steps import compared
from exactdp.language.tree import free_names
from exactdp.language.values import Symbolic, Value, as_output
from exactdp.semantics.unsure import (
    Scene,
    TooUnsureError,
    Unsure,
    UnsureCompiler,
    UnsureError,
    cases_of,
    first_unsure,
    merged,
)

_MOST_STEPS = 60_000  # basic statements that are run

_MOST_OUTPUTS = 3_000  # lists that an output may be

Answers = Callable[[str, Linear], tuple[int, int]]
"""Returns the hypotheses under which difference op 0 may be true, and may be false."""


@dataclass(frozen=True)
class SampleLaw:
    """The distribution of a sample."""

    noise: str
    rate: Any
    mean: Value


@dataclass
class _HypotheticalRun:
    """Runs that are at the same statement: their values, and the hypotheses under which."""

    env: Env
    active: int
    laps: dict[int, int]
    """How often each `while` loop around the statement was entered again."""


class HypotheticalRuns:
    """Runs a program at inputs with symbols, under hypotheses."""

    def __init__(self, program: Program, inputs: tuple[Value, ...]) -> None:
        self._inputs = inputs
        self._scene = Scene()
        compiler = partial(UnsureCompiler, scene=self._scene)
        self._machine = Machine(program.code, program.flow, compiler=compiler)
        self._code = program.code.instructions
        self._loops = [program.code.loops_at(pc) for pc in range(len(self._code))]
        compiled = self._machine.compiled
        self._sides = {
            pc: (compiled(one.left), compiled(one.right))
            for pc, one in enumerate(self._code)
            if isinstance(one, Test)
        }
        self._tests = {
            pc: compiled(one.test) for pc, one in enumerate(self._code) if isinstance(one, Branch)
        }
        self._heap: list[tuple[tuple[int, ...], int]] = []
        self._waiting: dict[tuple[int, ...], list[_HypotheticalRun]] = {}
        self._outputs: list[tuple[Value, int]] = []
        self._answers: Answers = lambda *_: (0, 0)
        self._known: dict[tuple[str, int, int], tuple[int, int]] = {}
        self._differences: dict[tuple[str, int, int], tuple[bool | Symbolic, Value, Value]] = {}
        self._symbols: dict[object, Linear] = {}
        self.laws: dict[object, SampleLaw] = {}
        """The samples by name, in the order in which they are drawn."""

    def outputs(self, answers: Answers, every: int) -> dict[Value, int]:
        """Return each output with the hypotheses under which it is returned.

        `every` is the mask of all hypotheses, which know `answers`. Raise `TooUnsureError` if it is
        not seen that there is one output under each.
        """
        self._answers = answers
        self._heap, self._waiting, self._outputs, self._known = [], {}, [], {}
        start = self._machine.start(self._inputs)
        ahead = [(start.pc, _HypotheticalRun(list(start.env), every, {}))]
        for _ in range(_MOST_STEPS):
            if not ahead:
                if not self._heap:
                    return self._by_output(every)
                key, pc = heapq.heappop(self._heap)
                ahead = [(pc, self._joined(pc, self._waiting.pop(key)))]
            after = self._after(*ahead.pop())
            if len(after) == 1 and not self._heap:
                ahead = after
            else:
                for place, one in after:
                    self._put(place, one)
        raise TooUnsureError

    def _put(self, pc: int, run: _HypotheticalRun) -> None:
        key = self._key(pc, run)
        if key not in self._waiting:
            self._waiting[key] = []
            heapq.heappush(self._heap, (key, pc))
        self._waiting[key].append(run)

    def _key(self, pc: int, run: _HypotheticalRun) -> tuple[int, ...]:
        """Return a key that increases along every run."""
        key: list[int] = []
        one = self._code[pc]
        for loop in self._loops[pc]:
            if loop.counter is None:
                key += (loop.start, run.laps.get(loop.start, 0))
                continue
            counter = run.env[self._machine.slots[loop.counter]]
            if isinstance(counter, Unsure):
                raise TooUnsureError
            key += (loop.start, sys.maxsize if counter is UNSET else counter)
            if isinstance(one, Next) and one.counter == loop.counter:
                return (*key, sys.maxsize, pc)  # after the body
        return (*key, pc)

    def _joined(self, pc: int, runs: list[_HypotheticalRun]) -> _HypotheticalRun:
        """Return several runs at a statement as one."""
        first = runs[0]
        for slot in self._machine.dead_at(pc):
            for one in runs:
                one.env[slot] = UNSET
        if len(runs) == 1:
            return first
        active = 0
        for one in runs:
            active |= one.active
        env = [
            values[0]
            if all(value is values[0] for value in values)
            else merged((value, one.active) for value, one in zip(values, runs, strict=True))
            for values in zip(*(one.env for one in runs), strict=True)
        ]
        return _HypotheticalRun(env, active, first.laps)

    def _after(self, pc: int, run: _HypotheticalRun) -> list[tuple[int, _HypotheticalRun]]:
        """Return the runs after a statement."""
        self._scene.active = run.active
        try:
            return self._stepped(pc, run)
        except ProgramError as error:
            raise TooUnsureError from error
        except UnsureError as error:
            return [
                after for one in self._split(pc, run, error.value) for after in self._after(pc, one)
            ]

    def _split(
        self, pc: int, run: _HypotheticalRun, value: Unsure | None
    ) -> list[_HypotheticalRun]:
        """Return a run for each case of an unsure value that a statement needs."""
        slots = self._machine.slots
        read = [
            slots[name]
            for tree in expressions(self._code[pc])
            for name in free_names(tree)
            if name in slots
        ]
        one = self._code[pc]
        if isinstance(one, Next):
            read.append(slots[one.items])
        for slot in read:
            is_there = _contains(run.env[slot], value)
            found = value if is_there else first_unsure([run.env[slot]])
            if found is not None:
                return [
                    _HypotheticalRun([_replaced(x, found, case) for x in run.env], mask, run.laps)
                    for case, mask in cases_of(found, run.active)
                ]
        raise TooUnsureError

    def _stepped(self, pc: int, run: _HypotheticalRun) -> list[tuple[int, _HypotheticalRun]]:
        env, one = run.env, self._code[pc]
        match one:
            case Test(slot, op):
                left, right = (side(env) for side in self._sides[pc])
                env[self._machine.slots[slot]] = self._tested(op, left, right, one)
                return self._at(pc, pc + 1, run)
            case Branch(_, then, otherwise):
                return self._branched(pc, run, then, otherwise)
            case Sample(slot):
                event = self._machine.event_at(pc, env)
                assert isinstance(event, Draw)
                env[self._machine.slots[slot]] = self._sampled(event, self._key(pc, run))
                return self._at(pc, pc + 1, run)
        there = self._machine.step(pc, env)
        if there >= 0:
            return self._at(pc, there, run)
        event = self._machine.event_at(pc, env)
        if not isinstance(event, Done):
            raise TooUnsureError
        self._outputs.append((event.output, run.active))
        return []

    def _at(self, pc: int, there: int, run: _HypotheticalRun) -> list[tuple[int, _HypotheticalRun]]:
        """Return the run at the next statement; `while` loops count their rounds."""
        for loop in self._loops[pc]:
            if loop.counter is None:
                laps = dict(run.laps)
                if there == loop.start:
                    laps[loop.start] = laps.get(loop.start, 0) + 1
                elif not loop.start <= there < loop.end:
                    laps.pop(loop.start, None)
                run.laps = laps
        return [(there, run)]

    def _branched(
        self, pc: int, run: _HypotheticalRun, then: int, otherwise: int
    ) -> list[tuple[int, _HypotheticalRun]]:
        value = self._tests[pc](run.env)
        yes, no = self._scene.truth(value)
        if not (yes and no):
            return self._at(pc, then if yes else otherwise, run)
        found = []
        for mask, there, truth in ((yes, then, True), (no, otherwise, False)):
            env = run.env
            if isinstance(value, Unsure):
                cases = [case for case in cases_of(value, mask) if bool(case[0]) is truth]
                known = merged(cases)
                env = [known if x is value else x for x in env]
            found += self._at(pc, there, _HypotheticalRun(list(env), mask, run.laps))
        return found

    def _tested(self, op: str, left: Value, right: Value, one: Test) -> Value:
        """Return the truth of a comparison, by what the hypotheses know."""
        yes = no = 0
        for a, first in cases_of(left, self._scene.active):
            for b, second in cases_of(right, first):
                true, false = self._compared(op, a, b, one)
                yes |= true & second
                no |= false & second
        return self._scene.either(yes, no)

    def _compared(self, op: str, a: Value, b: Value, one: Test) -> tuple[int, int]:
        """Return the hypotheses under which a op b may be true, and may be false."""
        key = op, id(a), id(b)
        known = self._known.get(key)
        if known is None:
            if key not in self._differences:
                # The values are kept, so that their ids are theirs.
                self._differences[key] = compared(op, a, b, one.place), a, b
            found = self._differences[key][0]
            if isinstance(found, bool):
                known = (-1, 0) if found else (0, -1)
            elif isinstance(found, Linear):
                known = self._answers(op, found)
            else:
                raise TooUnsureError
            self._known[key] = known
        return known

    def _sampled(self, event: Draw, key: tuple[int, ...]) -> Linear:
        law = SampleLaw(event.noise, event.rate, event.mean)
        names = event.mean.coefficients if isinstance(event.mean, Linear) else ()
        if event.width is not None or event.base is not None or isinstance(event.mean, Unsure):
            raise TooUnsureError
        if not all(isinstance(name, str) for name in names):
            raise TooUnsureError
        if self.laws.setdefault(key, law) != law:
            raise TooUnsureError
        return self._symbols.setdefault(key, Linear.symbol(key))

    def _by_output(self, every: int) -> dict[Value, int]:
        found: dict[Value, int] = {}
        for value, active in self._outputs:
            for one, mask in _spelled_out(value, active):
                output = as_output(one)
                found[output] = found.get(output, 0) | mask
        if sum(map(int.bit_count, found.values())) != every.bit_count():
            raise TooUnsureError
        if len({(type(one), one) for one in found}) != len(found):
            raise TooUnsureError
        return found


def _spelled_out(value: Value, active: int) -> Iterator[tuple[Value, int]]:
    """Yield the values, without unsure parts, that are possible under some hypotheses."""
    if isinstance(value, tuple):
        cases: list[tuple[Value, int]] = [(type(value)(), active)]
        for one in value:
            parts = list(_spelled_out(one, active))
            cases = [
                (type(value)((*items, part)), known & mask)
                for items, known in cases
                for part, mask in parts
                if known & mask
            ]
            if len(cases) > _MOST_OUTPUTS:
                raise TooUnsureError
        yield from cases
        return
    for one, mask in cases_of(value, active):
        if isinstance(one, tuple):
            yield from _spelled_out(one, mask)
        else:
            yield one, mask


def _contains(value: Value, part: Unsure | None) -> bool:
    if isinstance(value, tuple):
        return any(_contains(one, part) for one in value)
    return part is not None and value is part


def _replaced(value: Value, part: Unsure, known: Value) -> Value:
    """Return a value with an unsure part replaced."""
    if value is part:
        return known
    if isinstance(value, tuple) and _contains(value, part):
        return type(value)(_replaced(one, part, known) for one in value)
    return value
