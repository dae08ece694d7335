"""`while` loops of choices: Markov chains, left with probabilities that solve a linear system.

A state is the values of the variables that may still be read, before the test of the loop. From
each state that is reached, one iteration is run along all its paths, which gives the next states
and the exits with their probabilities. The loop ends with probability 1 if from each state an exit
can be reached by steps whose probabilities are positive at every ε > 0; then the system has one
solution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .flat import RETURNED
from .linear import spelled_key
from .ratios import EndlessRunError, Ratio, UnsupportedError
from .runs import NoisyLoopError, Path, Picked, paths

_MOST_STATES = 60
_MOST_TERMS = 150  # of a probability, while states are removed

Variables = dict[str, Any]


class After(NamedTuple):
    """What follows an iteration: the next instruction, and what is returned there, if anything."""

    pc: int
    local: Variables
    value: Any = None


Iteration = Callable[[Path, Variables], After]


class LoopChain:
    """The chain of one loop, from its beginning; `live` has the variables read from there on."""

    def __init__(
        self, outer: Path, iteration: Iteration, start: After, live: Sequence[frozenset[str]]
    ) -> None:
        self.outer, self.iteration, self.head, self.live = outer, iteration, start.pc, live
        self.exits: dict[object, After] = {}
        self.rows: dict[object, dict[object, Ratio]] = {}
        """The probabilities of the next states, and of exits, from each state."""
        self.sure: dict[object, set[object]] = {}
        self.start = self._key(start)
        waiting = [start]
        while waiting:
            waiting += self._explored(waiting.pop())

    def chances(self) -> tuple[Picked, list[After]]:
        """Return the exits, as a choice with their probabilities."""
        self._require_end()
        rows = {state: _numerators(row) for state, row in self.rows.items()}
        while len(rows) > 1:
            state = next(reversed(rows))
            _eliminate(rows, state)
        row = {to: chance for to, chance in rows[self.start].items() if to != self.start}
        total = _sum(row.values())
        chances = tuple(chance / total for chance in row.values())
        return Picked(chances, ()), [self.exits[to] for to in row]

    def _key(self, after: After) -> object:
        """Return what two states, or exits, share only if no run can tell them apart."""
        if after.pc == RETURNED:
            return RETURNED, spelled_key(after.value)
        if any(map(callable, after.local.values())):  # it may read any variable
            raise NoisyLoopError("a variable of a loop of choices holds a function")
        live = sorted(self.live[after.pc] & after.local.keys())
        return after.pc, tuple((name, spelled_key(after.local[name])) for name in live)

    def _explored(self, start: After) -> list[After]:
        """Run an iteration along all paths; return the states that are new."""
        here = self._key(start)
        if here in self.rows:
            return []
        if len(self.rows) >= _MOST_STATES:
            raise UnsupportedError(f"a loop of choices has more than {_MOST_STATES} states")
        row, sure, found = dict[object, Ratio](), set[object](), list[After]()
        self.rows[here], self.sure[here] = row, sure
        outer = self.outer

        def run(path: Path) -> After:
            path.unit, path.base = outer.unit, outer.base
            return self.iteration(path, dict(start.local))

        for path, after in paths(run, noisy=True, inputs=outer.inputs, orders=outer.orders):
            picks = [*path.picks()]
            if path.noises or path.conditions or any(one.has_unknowns for one, _ in picks):
                raise NoisyLoopError("a loop of choices has noise")
            if not path.weight.over:
                continue
            to = self._key(after)
            row[to] = row[to] + path.weight if to in row else path.weight
            if all(one.chances[k].is_positive() for one, k in picks if one.chances):
                sure.add(to)
            if after.pc == self.head:
                found.append(after)
            else:
                self.exits.setdefault(to, after)
        return found

    def _require_end(self) -> None:
        """Require that from each state an exit is reached by steps of positive probability."""
        if not self.exits:
            raise EndlessRunError("a loop of the program has no exit")
        ending = set(self.exits)
        while True:
            more = {state for state, to in self.sure.items() if state not in ending and to & ending}
            if not more:
                break
            ending |= more
        if not self.rows.keys() <= ending:
            raise UnsupportedError("a loop of choices is not seen to end with probability 1")


def _eliminate(rows: dict[object, dict[object, Ratio]], state: object) -> None:
    """Remove a state: other rows go on to what follows it; rows are known up to factors.

    From row i, with a·x to this state and the row Σ b·y from it, of which those to itself do not
    count: Σ b·(the rest of row i) + a·(Σ b·y) is a multiple of the new row.
    """
    own = {to: chance for to, chance in rows.pop(state).items() if to != state}
    total = _sum(own.values())
    for other, row in rows.items():
        if state not in row:
            continue
        factor = row.pop(state)
        found = {to: chance * total for to, chance in row.items()}
        for to, chance in own.items():
            more = factor * chance
            found[to] = found[to] + more if to in found else more
        if any(len(chance.over) > _MOST_TERMS for chance in found.values()):
            raise UnsupportedError("the probabilities of a loop of choices have too many terms")
        rows[other] = found


def _numerators(row: Mapping[object, Ratio]) -> dict[object, Ratio]:
    """Return a row times a common denominator."""
    unders: list[Any] = []
    for chance in row.values():
        if chance.under not in unders:
            unders.append(chance.under)
    found = {}
    for to, chance in row.items():
        found[to] = Ratio(chance.over)
        for under in unders:
            if under != chance.under:
                found[to] = found[to] * Ratio(under)
    return found


def _sum(chances: Any) -> Ratio:
    total = Ratio.number(0)
    for chance in chances:
        total = total + chance
    return total
