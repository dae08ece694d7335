"""The limit on the states of a `while` loop, of which the paper's finite DOM has finitely many.

Whether a variable grows without bound is undecidable in general. So there is a limit, which grows
with the loop, and the error names the variables that kept taking new values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from exactdp.errors import ProgramError, counted
from exactdp.language.evaluate import UNSET
from exactdp.language.limits import (
    ENTRIES_LIMIT,
    LOOP_STATES,
    LOOP_STATES_EACH,
    RUN_LIMIT,
)
from exactdp.language.rules import fail

if TYPE_CHECKING:
    from exactdp.language.code import Code, Loop
    from exactdp.language.events import State
    from exactdp.language.machine import Machine


class Visited:
    """The states of `while` loops that an exploration, or a run, reached; too many are refused."""

    def __init__(self, machine: Machine, cost: int = 1) -> None:
        """Start with none; if a state costs more than others, fewer are allowed."""
        self._machine = machine
        self._cost = cost
        self._steps = 0
        self._known: set[State] = set()
        self._loops: dict[tuple[int, ...], list[State]] = {}
        self._lists: dict[int, object] = {}  # by identity, alive
        self._entries = 0

    def add(self, state: State) -> None:
        """Record that the machine is at an event in a state; it counts inside a `while` loop."""
        loop = self._machine.while_around(state.pc)
        if loop is None:
            return
        self._steps += 1
        if self._steps > RUN_LIMIT:
            raise fail(
                loop.place,
                f"this loop made {RUN_LIMIT:,} samples or comparisons and has not ended",
                "A run may make that many inside `while` loops; this one never ends, or seldom.",
                "Ask distribution(u), which tells whether it ends; or run it at another eps.",
            )
        if state in self._known:
            return
        self._known.add(state)
        states = self._loops.setdefault(self._machine.order(state), [])
        states.append(state)
        for value in state.env:
            if isinstance(value, tuple | str) and id(value) not in self._lists:
                self._lists[id(value)] = value
                self._entries += len(value)
        most = (LOOP_STATES + LOOP_STATES_EACH * (loop.end - loop.start)) // self._cost
        if len(states) > most:
            raise self._refused(loop, states, f"{most:,} states")
        if self._entries > ENTRIES_LIMIT:
            raise self._refused(
                loop, states, f"{ENTRIES_LIMIT:,} entries in the lists of its states"
            )

    def _refused(self, loop: Loop, states: list[State], what: str) -> ProgramError:
        size = counted(loop.end - loop.start, "basic statement")
        names = growing(self._machine.code, states)
        return fail(
            loop.place,
            f"this loop has more than {what}",
            "Finite values are of a finite set (DOM of the paper); the limit grows "
            f"with the loop, which has {size}. {told(names)}",
            f"Bound {names[0].name if names else 'its values'}, as in min(n + 1, 100), or count "
            "the rounds with `for`.",
        )


class Growing(NamedTuple):
    """A variable that kept taking new values: how many, and some of them."""

    name: str
    values: int
    some: list[object]


def growing(code: Code, states: Sequence[State]) -> list[Growing]:
    """Return the variables that kept taking new values while states were found, in their order.

    They took a new value in the second half of the states; if none did, the one with most values.
    """
    found: list[tuple[bool, Growing]] = []
    for slot, name in enumerate(code.slots):
        if name.startswith("%"):
            continue
        values: dict[object, None] = {}
        last = 0
        for position, state in enumerate(states):
            if state.env[slot] not in values:
                values[state.env[slot]] = None
                last = position
        some = [value for value in values if value is not UNSET][:3]
        found.append((2 * last >= len(states), Growing(name, len(values), some)))
    found.sort(key=lambda one: (not one[0], -one[1].values))
    return [one for grows, one in found if grows] or [one for _, one in found[:1]]


def told(variables: Sequence[Growing]) -> str:
    """Return a phrase for how many values the variables took, at most three of them."""
    said = [
        f"{one.name} took {one.values:,} values ({', '.join(map(_short, one.some))}, …)"
        for one in variables[:3]
    ]
    return f"So far {' and '.join(said)}." if said else ""


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 20 else f"{text[:19]}…"
