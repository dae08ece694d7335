"""Reduce states to the part that matters for one pattern of outputs."""

from __future__ import annotations

import ast

from exactdp.language.code import Code, Release, Set
from exactdp.language.events import State
from exactdp.language.flow import read
from exactdp.language.machine import Machine
from exactdp.language.values import Value, as_output
from exactdp.semantics.patterns import ANYTHING, appended_slot, match, prefix_test
from exactdp.semantics.transitions import Look


class _Other:
    """Stands for a value other than the one in question."""

    def __repr__(self) -> str:
        return "…"


class _Matched:
    """Stands for the value in question, so that states for several values are the same."""

    def __repr__(self) -> str:
        return "the output in question"


OTHER = _Other()
MATCHED = _Matched()


class Relevance:
    """Determines what matters in the states of a program."""

    def __init__(self, machine: Machine) -> None:
        code, slots = machine.code, machine.slots
        self._ends = all(loop.counter is not None for loop in code.loops)
        self.returned = tuple(slots[name] for name in sorted(only_returned(code)))
        """The slots that are only returned."""
        appended = appended_slot(code)
        self._appended = None if appended is None else slots[appended]

    def look_for(self, pattern: Value) -> Look:
        """Return the function that reduces states if only the outputs of a pattern count.

        A state that can no longer end in such an output does not matter, except in a program with
        `while` loops, where it may reach a loop that never ends. A value that is only returned or
        discarded matters only if it matches: for example, which index is the best so far, if the
        question is whether it is the last one. If it does, it is replaced by `MATCHED`.
        """
        keep = prefix_test(self._appended, pattern if self._ends else ANYTHING)
        kind = type(pattern) if self._ends and isinstance(pattern, int | str) else None

        def look(state: State) -> State | None:
            if not keep(state):
                return None
            env = list(state.env)
            for slot in self.returned:
                value = env[slot]
                if value is OTHER or value is MATCHED:
                    continue
                if not match(as_output(value), pattern, []):
                    env[slot] = OTHER
                elif type(value) is kind:
                    env[slot] = MATCHED
            return State(state.pc, tuple(env))

        return look


def only_returned(code: Code) -> frozenset[str]:
    """Return the slots that are read only to return them, or to copy them to another such slot.

    The largest such set: slots are removed until all that remain satisfy this.
    """
    slots = found = frozenset(code.slots)
    while True:
        left = found
        for one in code.instructions:
            match one:
                case Release(ast.Name()):
                    continue
                case Set(slot, ast.Name()) if slot in left:
                    continue
            left -= read(one, slots)
        if left == found:
            return found
        found = left
