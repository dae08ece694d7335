"""The labelled form of the paper: one basic statement per line, loops over constants unrolled.

Real and integer variables are assigned at most once in any run: each assignment is to a
new version (`top_2`), and where two paths meet with different versions, the older one is
copied to the newer. Labels are the line numbers; control falls through unless a jump is shown.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from exactdp.errors import ExactdpError
from exactdp.language.checker import CheckedCode
from exactdp.language.code import (
    Branch,
    Check,
    Code,
    Enter,
    FallOff,
    Jump,
    Next,
    Pick,
    Release,
    Require,
    Sample,
    Set,
    Test,
    written,
)
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.flow import Flow
from exactdp.language.limits import CODE_LIMIT
from exactdp.language.operations import items_of
from exactdp.language.printer import show, show_value
from exactdp.language.tree import constant, name, nodes, rebuilt, where
from exactdp.language.values import Value

Rounds = dict[int, int]
"""The iteration of each unrolled loop around a statement, by the start of the loop."""
Point = tuple[int, tuple[tuple[int, int], ...]]
"""A statement of the unrolled program: its position, and its rounds in order."""
Copy = tuple[str, int, int]
"""A slot, with an old version and the newer one that it is copied to."""


@dataclass
class _Line:
    """A statement of the unrolled program, its successors and the versions on entry."""

    point: Point
    after: list[Point]
    versions: dict[str, int] = field(default_factory=dict)


def labelled(code: Code, checked: CheckedCode, name: str) -> str:
    """Return the labelled form of a program."""
    return _Labeller(code, checked).text(name)


class _Labeller:
    def __init__(self, code: Code, checked: CheckedCode) -> None:
        self.code, self.flow = code, Flow(code)
        #: The loops over constants by their counters, and the items of each.
        self.known = {loop.counter: loop for loop in code.loops if loop.times is not None}
        self.items = {
            one.counter: items_of(evaluate_closed(one.value, code.functions))
            for one in code.instructions
            if isinstance(one, Enter) and one.counter in self.known
        }
        #: The loop variables that only their loop assigns and reads, with its counter.
        self.fixed = {
            one.slot: one.counter
            for one in code.instructions
            if isinstance(one, Next) and one.counter in self.known and self._is_own(one)
        }
        self.names: dict[str, str] = {}
        #: Slots that hold a real or integer number somewhere, and the version of each
        #: assignment to them.
        self.noisy = {
            slot
            for kinds in checked.before
            if kinds is not None
            for slot, kind in kinds.items()
            if kind.noise
        }
        self.own: dict[tuple[Point, str], int] = {}
        self.counts: dict[str, int] = {}

    # Unrolling ------------------------------------------------------------------------

    def _is_own(self, taken: Next) -> bool:
        """Whether only the loop that assigns a variable uses it."""
        loop, slot, flow = self.known[taken.counter], taken.slot, self.flow
        for pc, one in enumerate(self.code.instructions):
            if slot in flow.reads[pc] and not loop.start <= pc < loop.end:
                return False
            takes = isinstance(one, Next) and one.counter == taken.counter
            if slot in flow.writes[pc] and not takes:
                return False
        return True

    @cached_property
    def again(self) -> set[str]:
        """The variables assigned in a loop that is not unrolled: they have no versions."""
        inside = {
            pc
            for loop in self.code.loops
            if loop.counter is not None and loop.counter not in self.known
            for pc in range(loop.start, loop.end)
        }
        return {slot for pc in inside for slot in self.flow.writes[pc]}

    def _at(self, pc: int, rounds: Rounds) -> Point:
        around = {loop.start for loop in self.code.loops_at(pc)}
        return pc, tuple(sorted((start, k) for start, k in rounds.items() if start in around))

    def _step(self, point: Point) -> tuple[bool, list[Point]]:
        """Return whether a statement is shown, and where control goes after it."""
        pc, rounds = point[0], dict(point[1])
        one = self.code.instructions[pc]
        match one:
            case Enter(_, counter) if counter in self.known:
                return False, [self._at(pc + 1, {**rounds, self.known[counter].start: 0})]
            case Branch(test, then, otherwise):
                truth = _closed(self._substituted(test, rounds))
                if isinstance(truth, bool):
                    return False, [self._at(then if truth else otherwise, rounds)]
            case Next(_, counter, slot, body, leave) if counter in self.known:
                start = self.known[counter].start
                if rounds[start] < len(self.items[counter]):
                    further = self._at(body, {**rounds, start: rounds[start] + 1})
                    return slot not in self.fixed, [further]
                assert leave is not None
                return False, [self._at(leave, rounds)]
        return not isinstance(one, Jump | Check), self._successors(point)

    def _successors(self, point: Point) -> list[Point]:
        pc, rounds = point
        return [self._at(there, dict(rounds)) for there in self.code.successors[pc]]

    def _landing(self, point: Point) -> Point:
        """Return the next statement to show, after jumps and the iterations of known loops."""
        seen: set[Point] = set()
        while point not in seen:  # else an empty infinite loop
            seen.add(point)
            is_shown, after = self._step(point)
            if is_shown:
                break
            (point,) = after
        return point

    def unroll(self) -> list[_Line]:
        """Return the statements of the unrolled program, in order."""
        lines: dict[Point, _Line] = {}
        waiting = [self._landing((0, ()))]
        while waiting:
            point = waiting.pop()
            if point in lines:
                continue
            if len(lines) > CODE_LIMIT:
                return []
            is_shown, after = self._step(point)
            after = [*map(self._landing, after if is_shown else self._successors(point))]
            lines[point] = _Line(point, after)
            waiting += after
        return sorted(lines.values(), key=lambda line: self._order(line.point))

    def _order(self, point: Point) -> tuple[int, ...]:
        pc, rounds = point[0], dict(point[1])
        loops = [loop.start for loop in self.code.loops_at(pc) if loop.start in rounds]
        return (*(number for start in loops for number in (start, rounds[start])), pc)

    # Versions -------------------------------------------------------------------------

    def version(self, lines: list[_Line]) -> dict[tuple[Point, Point], list[tuple[str, int, int]]]:
        """Give every assignment of noise its version; return the copies needed on edges."""
        latest: dict[str, int] = {}
        arriving: dict[Point, list[tuple[Point, dict[str, int]]]] = {}
        copies: dict[tuple[Point, Point], list[tuple[str, int, int]]] = {}
        for line in lines:
            pc = line.point[0]
            came = arriving.get(line.point, [])
            for slot in sorted(self.flow.live[pc]):
                found = {versions[slot] for _, versions in came if slot in versions}
                if not found:
                    continue
                line.versions[slot] = newest = max(found)
                for source, versions in came:
                    if slot in versions and versions[slot] != newest:
                        edge = copies.setdefault((source, line.point), [])
                        edge.append((slot, versions[slot], newest))
            versions = dict(line.versions)
            for slot in written(self.code.instructions[pc]):
                versions.pop(slot, None)
                if slot in self.noisy and slot not in self.again:
                    latest[slot] = versions[slot] = latest.get(slot, 0) + 1
                    self.own[line.point, slot] = latest[slot]
            for there in line.after:
                arriving.setdefault(there, []).append((line.point, versions))
        self.counts = latest
        return copies

    # Text -----------------------------------------------------------------------------

    def text(self, name: str) -> str:
        """Return the labelled form."""
        lines = self.unroll()
        if not lines:
            return f"{name}: more than {CODE_LIMIT:,} statements when unrolled"
        copies = self.version(lines)
        # Each statement, and after it the k-th copy on the edge from it to another one, with the
        # statements or copies to which control goes.
        rows: dict[tuple[Point, Point | None, int], tuple[str, list[Any]]] = {}
        for line in lines:
            here = line.point
            goals = [
                (here, goal, 0) if (here, goal) in copies else (goal, None, 0)
                for goal in line.after
            ]
            rows[here, None, 0] = self._statement(line), goals
            for goal in dict.fromkeys(line.after):
                moves = copies.get((here, goal), [])
                for k, (slot, old, new) in enumerate(moves, 1):
                    text = f"{self._name(slot, new)} ← {self._name(slot, old)}"
                    rows[here, goal, k - 1] = text, [(goal, None, 0)] if k == len(moves) else []
        labels = {row: label for label, row in enumerate(rows, 1)}
        inputs = ", ".join(f"{slot}: {kind}" for slot, kind in self.code.inputs)
        out = [f"{name}({inputs})"]
        for (row, (text, goals)), label in zip(rows.items(), labels.values(), strict=True):
            is_branch = isinstance(self.code.instructions[row[0][0]], Branch)
            match [labels[goal] for goal in goals]:
                case [yes, no] if is_branch:
                    told = f"if {text} goto {yes} else goto {no}"
                case [yes, no]:
                    told = f"{text}; goto {yes}, or goto {no} if there is none"
                case [further] if further != label + 1:
                    told = f"{text}; goto {further}"
                case _:
                    told = text
            out.append(f"{label:>{len(str(len(labels)))}}: {told}")
        return "\n".join(out)

    def _statement(self, line: _Line) -> str:
        def shown(node: ast.expr) -> str:
            return show(self._renamed(node, line))

        one = self.code.instructions[line.point[0]]
        match one:
            case Set(slot, value) | Sample(slot, value) | Pick(slot, value):
                return f"{self._new(slot, line)} ← {shown(value)}"
            case Test(slot, op, left, right):
                return f"{self._new(slot, line)} ← {shown(left)} {op} {shown(right)}"
            case Branch(test):
                return shown(test)
            case Enter(items, _, value):
                return f"{self._name(items, None)} ← {shown(value)}"
            case Next(_, counter, slot) if counter in self.known:
                item = self.items[counter][dict(line.point[1])[self.known[counter].start]]
                return f"{self._new(slot, line)} ← {show_value(item)}"
            case Next(items, _, slot):
                return f"{self._new(slot, line)} ← next of {self._name(items, None)}"
            case Require(test):
                return f"assert {shown(test)}"
            case Release(value):
                return f"return {shown(value)}"
            case FallOff():
                return "exit"
        return "skip"

    def _new(self, slot: str, line: _Line) -> str:
        """Return the name of a slot after a statement assigns it."""
        return self._name(slot, self.own.get((line.point, slot)))

    def _name(self, slot: str, version: int | None) -> str:
        shown = slot
        if slot.startswith("%"):
            kind = slot.strip("%0123456789'")
            taken = sum(1 for name in self.names if name.strip("%0123456789'") == kind)
            shown = self.names.setdefault(slot, f"_{kind}{taken + 1}")
        if version is None or self.counts.get(slot, 1) == 1:
            return shown
        return f"{shown}_{version}"

    def _renamed(self, node: Any, line: _Line) -> Any:
        """Return an expression with noise replaced by versions and loop variables by values."""

        def rename(part: Any) -> Any:
            if isinstance(part, ast.Name) and part.id in self.flow.slots:
                return name(self._name(part.id, line.versions.get(part.id)), where(part))
            return rebuilt(part, rename)

        return rename(self._substituted(node, dict(line.point[1])))

    def _substituted(self, node: Any, rounds: Rounds) -> Any:
        """Return an expression with values for loop variables and closed parts evaluated."""
        if isinstance(node, ast.Name):
            counter = self.fixed.get(node.id, "")
            count = rounds.get(self.known[counter].start, 0) if counter else 0
            return constant(self.items[counter][count - 1], where(node)) if count else node
        new = rebuilt(node, lambda part: self._substituted(part, rounds))
        if isinstance(new, ast.BinOp | ast.Compare | ast.BoolOp | ast.UnaryOp):
            found = _closed(new)
            if isinstance(found, int | Fraction):
                return constant(found, where(node))
        return new


def _closed(node: Any) -> Value:
    """Return the value of an expression without variables, or None."""
    if any(isinstance(part, ast.Name) for part in nodes(node)):
        return None
    try:
        return evaluate_closed(node, {})
    except ExactdpError:
        return None
