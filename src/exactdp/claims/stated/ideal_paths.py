"""The paths of an ideal through its comparisons, as a tree that grows with the inputs asked for.

Without noise, a program compares linear forms in the numbers of its input. The program is run once
for each path, with symbols for these numbers, and with means for samples; other inputs follow the
tree of comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from exactdp.claims.stated.enclosing import picked
from exactdp.errors import ExactdpError
from exactdp.language.events import Compare, Done, Draw, Selection, State
from exactdp.language.layout import assembled, entry_names, kinds
from exactdp.language.linear import Linear
from exactdp.language.operations import COMPARISONS
from exactdp.language.program import Program
from exactdp.language.values import Symbolic, Value, plain
from exactdp.semantics.nodes import inputs_in

_DEEPEST = 1_000  # comparisons on a path; a loop might go on comparing


class IdealPath:
    """The inputs on one path, and the output there: its real numbers are forms in the input."""

    __slots__ = ("_output", "_places", "names")

    def __init__(self, output: Value, places: dict[str, int]) -> None:
        self._output, self._places = output, places
        self.names = frozenset(inputs_in(output))
        """The numbers of the input in the output."""

    def output(self, given: Sequence[Value]) -> Value:
        """Return the output at the input with these entries."""
        return self._at(self._output, given) if self.names else self._output

    def _at(self, value: Value, given: Sequence[Value]) -> Value:
        if isinstance(value, tuple):
            return tuple([self._at(item, given) for item in value])
        if not isinstance(value, Linear):
            return value
        total: Any = value.constant
        for name, q in value.coefficients.items():
            total += q * given[self._places[name]]
        return plain(total)


class _Fork:
    """A comparison of Σ q·x + constant with 0, and what follows each answer."""

    __slots__ = ("answers", "constant", "event", "next", "terms")

    def __init__(self, event: Compare, places: dict[str, int]) -> None:
        form = event.difference
        assert isinstance(form, Linear)
        self.event = event
        self.terms = [(places[name], q) for name, q in form.coefficients.items()]
        self.constant: Any = form.constant
        self.answers: Callable[[Any, int], bool] = COMPARISONS[event.op]
        self.next: dict[bool, _Step] = {}


_Step: TypeAlias = _Fork | IdealPath | None
"""None where a path is not followed: it fails, is too long, or does more than compare forms."""


class IdealPaths:
    """The paths of one ideal, given by a program that computes it apart from noise."""

    def __init__(self, program: Program) -> None:
        self._machine, self._params = program.machine, program.inputs
        self._kinds = kinds(program.inputs)
        self._names = entry_names(program.inputs)
        self.places = {name: place for place, name in enumerate(self._names)}
        self._starts: dict[State, _Step] = {}

    def find(self, given: Sequence[Value]) -> IdealPath | None:
        """Return the path at the input with these entries, which are numbers where it is real."""
        finite = [x for x, kind in zip(given, self._kinds, strict=True) if kind is not None]
        key = State(-1, tuple(finite))
        if key not in self._starts:
            self._starts[key] = self._after(self._start(finite))
        step = self._starts[key]
        for _ in range(_DEEPEST):
            if not isinstance(step, _Fork):
                return step
            total = step.constant
            for place, q in step.terms:
                total += q * given[place]
            answer = step.answers(total, 0)
            if answer not in step.next:
                step.next[answer] = self._after(self._machine.resume(step.event, answer))
            step = step.next[answer]
        return None

    def _start(self, finite: list[Value]) -> State:
        rest: Iterator[Value] = iter(finite)
        values = [
            Linear.symbol(name) if kind is None else next(rest)
            for name, kind in zip(self._names, self._kinds, strict=True)
        ]
        return self._machine.start(assembled(self._params, values))

    def _after(self, state: State) -> _Step:
        try:
            event = self._machine.advance(state)
            while isinstance(event, Draw | Selection):
                mean = event.mean if isinstance(event, Draw) else event.values[picked(event)]
                event = self._machine.advance(self._machine.resume(event, mean))
        except ExactdpError:
            return None  # the error is reported by the run at the input
        if isinstance(event, Done):
            return IdealPath(event.output, self.places) if self._is_plain(event.output) else None
        if not isinstance(event, Compare) or event.about is not None:
            return None
        return _Fork(event, self.places) if self._is_form(event.difference) else None

    def _is_form(self, value: object) -> bool:
        return isinstance(value, Linear) and value.coefficients.keys() <= self.places.keys()

    def _is_plain(self, value: Value) -> bool:
        """Whether the real numbers of an output are forms in the input."""
        if isinstance(value, tuple):
            return all(map(self._is_plain, value))
        return not isinstance(value, Symbolic) or self._is_form(value)
