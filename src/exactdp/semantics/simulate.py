"""Many sampled runs at once: batches that agree on all finite values go on together.

A batch is a state whose real slots hold columns, one entry a run. A comparison splits it
in two; batches that come to the same statement with the same finite values are joined
again, in the order of `Machine.order`, so their number follows the program's finite
values, not its paths.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from fractions import Fraction
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exactdp.errors import shown
from exactdp.language.values import List, Symbolic, Value
from exactdp.semantics.concrete import weights
from exactdp.semantics.machine import Choice, Compare, Done, Draw, Event, Machine, State
from exactdp.semantics.skeleton import filled, skeleton

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COMPARE: dict[str, Any] = {
    "<": np.less,
    "<=": np.less_equal,
    "==": np.equal,
    "!=": np.not_equal,
    ">=": np.greater_equal,
    ">": np.greater,
}


class Column(Symbolic):
    """The values of one number in every run of a batch."""

    __slots__ = ("values",)

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values

    def __add__(self, other: Value) -> Column:
        return Column(self.values + _plain(other))

    __radd__ = __add__

    def __sub__(self, other: Value) -> Column:
        return Column(self.values - _plain(other))

    def __rsub__(self, other: Value) -> Column:
        return Column(_plain(other) - self.values)

    def __mul__(self, other: Value) -> Column:
        return Column(self.values * _plain(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Value) -> Column:
        return Column(self.values / _plain(other))

    def __neg__(self) -> Column:
        return Column(-self.values)

    def __pos__(self) -> Column:
        return self


def _plain(value: Value) -> Any:
    if isinstance(value, Column):
        return value.values
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, int | float):
        return value
    raise TypeError(f"noise and {shown(value)} cannot be combined")


def simulate(machine: Machine, start: State, eps: float, size: int, seed: Any) -> list[Value]:
    """Return the outputs of `size` independent runs."""
    return _Simulation(machine, eps, np.random.default_rng(seed)).run(start, size)


class _Batch(NamedTuple):
    """Runs that have come to the same event, and the columns of its state."""

    event: Event
    runs: NDArray[Any]
    columns: list[Column]


class _Simulation:
    def __init__(self, machine: Machine, eps: float, rng: np.random.Generator) -> None:
        self.machine, self.eps, self.rng = machine, eps, rng
        #: Waiting batches by statement and finite values.
        self.waiting: dict[State, list[_Batch]] = {}
        self.queue: list[tuple[tuple[int, ...], int, State]] = []
        self.pushed = 0

    def run(self, start: State, size: int) -> list[Value]:
        outputs: list[Value] = [None] * size
        self.put(start, np.arange(size))
        while self.queue:
            _, _, key = heapq.heappop(self.queue)
            event, runs = self.joined(key, self.waiting.pop(key))
            if isinstance(event, Done):
                _write(outputs, event.output, runs)
            else:
                self.decide(event, runs)
        return outputs

    def joined(self, key: State, parts: list[_Batch]) -> tuple[Event, NDArray[Any]]:
        """Return the batches that came to one event as one."""
        if len(parts) == 1:
            return parts[0].event, parts[0].runs
        runs = np.concatenate([part.runs for part in parts])
        columns = [
            Column(np.concatenate([column.values for column in same]))
            for same in zip(*(part.columns for part in parts), strict=True)
        ]
        return self.machine.advance(State(key.pc, filled(key.env, columns))), runs

    def put(self, state: State, runs: NDArray[Any]) -> None:
        """Let a batch go on to its next event, and wait there for others to join it."""
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

    def decide(self, event: Event, runs: NDArray[Any]) -> None:
        """Decide an event for every run of a batch."""
        resume = self.machine.resume
        match event:
            case Draw():
                self.put(resume(event, self.draw(event, len(runs))), runs)
            case Compare(_, op, difference):
                assert isinstance(difference, Column)
                truth = _COMPARE[op](difference.values, 0)
                for answer in (True, False):
                    self.put_part(resume(event, answer), runs, truth == answer)
            case Choice(_, values):
                picks = self.rng.choice(len(values), size=len(runs), p=weights(event, self.eps))
                for position, value in enumerate(values):
                    self.put_part(resume(event, value), runs, picks == position)

    def put_part(self, state: State, runs: NDArray[Any], mask: NDArray[Any]) -> None:
        """Let the runs in `mask` go on in a state."""
        if not mask.any():
            return
        if mask.all():
            self.put(state, runs)
            return
        columns: list[Any] = []
        bare = skeleton(state.env, columns)
        kept = [Column(column.values[mask]) for column in columns]
        self.put(State(state.pc, filled(bare, kept)), runs[mask])

    def draw(self, event: Draw, size: int) -> Column:
        """Return a column of samples."""
        rate, mean = float(event.rate) * self.eps, _plain(event.mean)
        if event.noise == "lap":
            return Column(mean + self.rng.laplace(0.0, 1 / rate, size))
        if event.noise == "expo":
            return Column(mean + self.rng.exponential(1 / rate, size))
        scale = 1 / rate
        first, second = (np.floor(self.rng.exponential(scale, size)) for _ in range(2))
        return Column(mean + (first - second).astype(np.int64))


def _write(outputs: list[Value], output: Value, runs: NDArray[Any]) -> None:
    """Write the output of a batch to its runs."""
    for run, value in zip(runs.tolist(), _rows(output), strict=False):
        outputs[run] = value


def _rows(output: Value) -> Iterable[Value]:
    """Return the outputs of all runs of a batch, one by one; without end if they are equal."""
    if isinstance(output, Column):
        return output.values.tolist()  # type: ignore[no-any-return]
    if not isinstance(output, tuple) or not any(_holds_column(part) for part in output):
        return repeat(output)
    rows = zip(*map(_rows, output), strict=False)
    return map(List, rows) if isinstance(output, List) else rows


def _holds_column(value: Value) -> bool:
    if isinstance(value, tuple):
        return any(map(_holds_column, value))
    return isinstance(value, Column)
