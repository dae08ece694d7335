"""Facts about flat code that hold on every path: liveness, progress, and a path between points."""

from __future__ import annotations

from collections import deque
from collections.abc import Set
from functools import cached_property

from exactdp.language.code import (
    Branch,
    Check,
    Code,
    Instruction,
    Next,
    expressions,
    written,
)
from exactdp.language.tree import free_names, source_text


def read(instruction: Instruction, slots: frozenset[str]) -> frozenset[str]:
    """Return the slots that a statement reads."""
    found = {
        name for part in expressions(instruction) for name in free_names(part) if name in slots
    }
    match instruction:
        case Next(items, counter):
            found |= {items, counter}
        case Check(slot):
            found.add(slot)
    return frozenset(found)


class Flow:
    """The control flow of flat code."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.slots = frozenset(code.slots)
        self.reads = tuple(read(one, self.slots) for one in code.instructions)
        self.writes = tuple(frozenset(written(one)) for one in code.instructions)

    def holders(self, tests: Set[int]) -> frozenset[str]:
        """Return the slots that may hold the answers of some comparisons, perhaps in a list."""
        found = {name for pc in tests for name in self.writes[pc]}
        before = -1
        while len(found) > before:
            before = len(found)
            for reads, writes in zip(self.reads, self.writes, strict=True):
                if not found.isdisjoint(reads):
                    found |= writes
        return frozenset(found)

    @cached_property
    def live(self) -> tuple[frozenset[str], ...]:
        """The slots whose value on entry to each statement may still be read.

        The least solution of live = reads ∪ ⋃ (live there − written on the way there), by
        backward iteration until nothing changes; it terminates because the sets only grow.
        """
        size = len(self.code.instructions)
        live: list[frozenset[str]] = [frozenset()] * size
        changed = True
        while changed:
            changed = False
            for pc in reversed(range(size)):
                now = self.reads[pc]
                for there in self.code.successors[pc]:
                    now |= live[there] - self.written_towards(pc, there)
                if now != live[pc]:
                    live[pc] = now
                    changed = True
        return tuple(live)

    def written_towards(self, pc: int, there: int) -> frozenset[str]:
        """Return the slots that a statement assigns when control goes on to `there`.

        A loop that ends takes no further item.
        """
        one = self.code.instructions[pc]
        if isinstance(one, Next) and there == one.leave:
            return frozenset()
        return self.writes[pc]

    @cached_property
    def reachable(self) -> frozenset[int]:
        """The statements that control can reach from the start."""
        seen, waiting = {0}, [0]
        while waiting:
            for there in self.code.successors[waiting.pop()]:
                if there not in seen:
                    seen.add(there)
                    waiting.append(there)
        return frozenset(seen)

    def path_without(self, slot: str, goal: int) -> str:
        """Describe a shortest path from the start to `goal` that never assigns `slot`."""
        came: dict[int, tuple[int, int] | None] = {0: None}
        waiting = deque([0])
        while waiting:
            pc = waiting.popleft()
            if pc == goal:
                return self._describe(came, goal)
            for choice, there in enumerate(self.code.successors[pc]):
                if slot in self.written_towards(pc, there):
                    continue
                if there not in came:
                    came[there] = (pc, choice)
                    waiting.append(there)
        return ""

    def _describe(self, came: dict[int, tuple[int, int] | None], goal: int) -> str:
        steps: list[str] = []
        step = came[goal]
        while step is not None:
            pc, choice = step
            one = self.code.instructions[pc]
            if isinstance(one, Branch):
                truth = "false" if choice else "true"
                steps.append(f"`{source_text(one.place)}` on line {one.place.line} is {truth}")
            elif isinstance(one, Next) and choice == 1:
                steps.append(f"the loop on line {one.place.line} ends")
            step = came[pc]
        return ", then ".join(dict.fromkeys(reversed(steps)))
