"""Many sampled runs at once: runs that agree on all finite values continue as one batch.

A batch is a state whose real slots hold columns, one entry per run. A comparison splits it
in two; batches that reach the same statement with the same finite values are merged
again, in the order of `Machine.order`, so their number depends on the program's finite
values, not on its paths.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from fractions import Fraction
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exactdp.errors import ValueRefusedError, shown
from exactdp.language.events import Compare, Done, Draw, Event, Selection, Settle, State
from exactdp.language.machine import Machine
from exactdp.language.nested import holds
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.values import List, Value
from exactdp.language.words import NOISES
from exactdp.reals import Interval
from exactdp.semantics.columns import Column, Reals, Wholes, whole
from exactdp.semantics.concrete import at_budget, placed, read_budget, scale_of, weights
from exactdp.semantics.skeleton import filled, skeleton
from exactdp.semantics.states import Visited

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from exactdp.language.program import Program


def sample(program: Program, u: object, eps: object, size: int, seed: Any) -> list[Value]:
    """Return the outputs of `size` independent runs at an input."""
    if type(size) is not int or size < 0:
        raise ValueRefusedError(
            f"{shown(size)} is not a number of runs",
            rule="The size is the number of outputs: an int, 0 or more.",
            way_out="Give an int, such as size=1000.",
        )
    given, budget = program.read_input(u), read_budget(eps)
    machine = program.on(Interval(budget, budget)).rough_machine
    if program.deterministic:
        return [machine.run(given)] * size
    with np.errstate(all="ignore"):  # an overflow is refused when it is compared
        return _Simulation(machine, budget, np.random.default_rng(seed)).run(
            machine.start(given), size
        )


class _Batch(NamedTuple):
    """Runs that have reached the same event, and the columns of its state."""

    event: Event
    runs: NDArray[Any]
    columns: list[Column]


class _Simulation:
    def __init__(self, machine: Machine, eps: Fraction, rng: np.random.Generator) -> None:
        self.machine, self.eps, self.rng = machine, eps, rng
        #: Waiting batches by statement and finite values.
        self.waiting: dict[State, list[_Batch]] = {}
        self.queue: list[tuple[tuple[int, ...], int, State]] = []
        self.pushed = 0
        self.visited = Visited(machine)

    def run(self, start: State, size: int) -> list[Value]:
        outputs: list[Value] = [None] * size
        self.put(start, np.arange(size))
        while self.queue:
            _, _, key = heapq.heappop(self.queue)
            self.visited.add(key)
            event, runs = self.joined(key, self.waiting.pop(key))
            if isinstance(event, Done):
                _write(outputs, at_budget(event.output, self.eps), runs)
            else:
                self.decide(event, runs)
        return outputs

    def joined(self, key: State, parts: list[_Batch]) -> tuple[Event, NDArray[Any]]:
        """Return the batches that reached one event as one batch."""
        if len(parts) == 1:
            return parts[0].event, parts[0].runs
        runs = np.concatenate([part.runs for part in parts])
        columns = [
            first.joined(others)
            for first, *others in zip(*(part.columns for part in parts), strict=True)
        ]
        return self.machine.advance(State(key.pc, filled(key.env, columns))), runs

    def put(self, state: State, runs: NDArray[Any]) -> None:
        """Advance a batch to its next event, where it waits for others to join it."""
        event = self.machine.advance(state)
        columns: list[Any] = []
        key = State(event.state.pc, skeleton(event.state.env, columns))
        batch = _Batch(event, runs, columns)
        if key in self.waiting:
            self.waiting[key].append(batch)
            return
        self.waiting[key] = [batch]
        self.pushed += 1
        heapq.heappush(self.queue, (self.machine.order(event.state), self.pushed, key))

    def decide(self, event: Event | Settle, runs: NDArray[Any]) -> None:
        """Decide an event for every run of a batch."""
        resume = self.machine.resume
        match event:
            case Settle(state):
                self.settle(state, runs)
            case Draw():
                self.put(resume(event, self.draw(event, len(runs))), runs)
            case Compare(_, op, difference):
                assert isinstance(difference, Column)
                truth = placed(self.machine, event, lambda: difference.truth(op))
                for answer in (True, False):
                    self.put_part(resume(event, answer), runs, truth == answer)
            case Selection(_, values):
                picks = self.rng.choice(len(values), size=len(runs), p=weights(event, self.eps))
                for position, value in enumerate(values):
                    self.put_part(resume(event, value), runs, picks == position)

    def settle(self, state: State, runs: NDArray[Any]) -> None:
        """Separate runs that differ in the first integer noise of a state."""
        columns: list[Any] = []
        bare = skeleton(state.env, columns)
        place = next(k for k, column in enumerate(columns) if isinstance(column, Wholes))
        values = columns[place].values
        for value in np.unique(values):
            mask = values == value
            kept = [column.with_values(column.values[mask]) for column in columns]
            kept[place] = kept[place].settled()
            self.put(State(state.pc, filled(bare, kept)), runs[mask])

    def put_part(self, state: State, runs: NDArray[Any], mask: NDArray[Any]) -> None:
        """Continue the runs in `mask` in a state."""
        if not mask.any():
            return
        if mask.all():
            self.put(state, runs)
            return
        columns: list[Any] = []
        bare = skeleton(state.env, columns)
        kept = [column.with_values(column.values[mask]) for column in columns]
        self.put(State(state.pc, filled(bare, kept)), runs[mask])

    def draw(self, event: Draw, size: int) -> Column:
        """Return a column of samples."""
        noise: Column
        kind = NOISES[event.noise]
        if kind.has_ends:
            width = float(event.width)
            noise = Reals.near((self.rng.random(size) - 0.5) * width, 0.0, width)
            return noise + event.mean  # type: ignore[no-any-return]
        scale = float(placed(self.machine, event, lambda: scale_of(event, self.eps)))
        if kind.is_whole:
            # The difference of two geometric variables is discrete Laplace noise.
            noise = Wholes(whole(np.floor(self.rng.exponential(scale, size))))
            if not kind.is_above:
                noise = noise - Wholes(whole(np.floor(self.rng.exponential(scale, size))))
        else:
            sample = self.rng.standard_exponential if kind.is_above else self.rng.laplace
            sample = self.rng.gumbel if event.noise == "gumbel" else sample
            noise = Reals.near(sample(size=size) * scale, 0.0, scale)
        return noise + event.mean  # type: ignore[no-any-return]


def _write(outputs: list[Value], output: Value, runs: NDArray[Any]) -> None:
    """Write the output of a batch to its runs."""
    for run, value in zip(runs.tolist(), _rows(output), strict=False):
        outputs[run] = value


def _rows(output: Value) -> Iterable[Value]:
    """Return the outputs of all runs of a batch; an infinite iterator if they are equal."""
    if isinstance(output, Column):
        return output.rows()
    if isinstance(output, NoisyQuotient):
        pairs = zip(_rows(output.over), _rows(output.under), strict=False)
        return (float(over) / float(under) for over, under in pairs)
    if not isinstance(output, tuple) or not holds(output, Column | NoisyQuotient):
        return repeat(output)
    rows = zip(*map(_rows, output), strict=False)
    return map(List, rows) if isinstance(output, List) else rows
