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
    Instruction,
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

#: A statement of the unrolled program: its position and the iteration of each enclosing loop.
Point = tuple[int, tuple[tuple[int, int], ...]]


@dataclass
class _UnrolledStatement:
    """A statement of the unrolled program, its successors and the versions on entry."""

    point: Point
    after: list[Point]
    versions: dict[str, int] = field(default_factory=dict)


def labelled(code: Code, checked: CheckedCode, name: str) -> str:
    """Return the labelled form of a program."""
    return _Labeller(code, checked).text(name)


class _Labeller:
    def __init__(self, code: Code, checked: CheckedCode) -> None:
        self.code, self.checked, self.flow = code, checked, Flow(code)
        #: The loops over constants by their counters, and the items of each.
        self.known = {loop.counter: loop for loop in code.loops if loop.times is not None}
        self.items = {
            one.counter: items_of(evaluate_closed(one.value, code.functions))
            for one in code.instructions
            if isinstance(one, Enter) and one.counter in self.known
        }
        self.substituted = self._substituted()
        self.lines: dict[Point, _UnrolledStatement] = {}
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

    def _substituted(self) -> set[str]:
        """Return the loop variables that only their loop assigns and reads."""
        found = set()
        for one in self.code.instructions:
            if not isinstance(one, Next) or one.counter not in self.known:
                continue
            loop, slot = self.known[one.counter], one.slot
            outside = any(
                slot in self.flow.reads[pc] or slot in self.flow.writes[pc]
                for pc in range(len(self.code.instructions))
                if not loop.start <= pc < loop.end
            )
            others = any(
                slot in written(other)
                and not (isinstance(other, Next) and other.counter == one.counter)
                for other in self.code.instructions
            )
            if not outside and not others:
                found.add(slot)
        return found

    @cached_property
    def again(self) -> set[str]:
        """The variables assigned in a loop that is not unrolled: they have no versions."""
        open_loops = [
            loop
            for loop in self.code.loops
            if loop.counter is not None and loop.counter not in self.known
        ]
        return {
            slot
            for pc, one in enumerate(self.code.instructions)
            if any(loop.start <= pc < loop.end for loop in open_loops)
            for slot in written(one)
        }

    def landing(self, pc: int, rounds: dict[int, int]) -> Point:
        """Return the next statement to show, after jumps and the iterations of known loops."""
        seen: set[Point] = set()
        while True:
            around = {loop.start for loop in self.code.loops_at(pc)}
            rounds = {start: count for start, count in rounds.items() if start in around}
            one, point = self.code.instructions[pc], (pc, tuple(sorted(rounds.items())))
            if point in seen:  # an empty infinite loop
                return point
            seen.add(point)
            match one:
                case Jump(target):
                    pc = target
                case Check():
                    pc += 1
                case Enter(_, counter) if counter in self.known:
                    rounds[self.known[counter].start] = 0
                    pc += 1
                case Branch(test, then, otherwise):
                    truth = self._closed(self._substitute(test, rounds))
                    if not isinstance(truth, bool):
                        return pc, tuple(sorted(rounds.items()))
                    pc = then if truth else otherwise
                case Next() if one.counter in self.known and (
                    one.slot in self.substituted or self._over(one, rounds)
                ):
                    pc, rounds = self._turn(one, rounds)
                case _:
                    return pc, tuple(sorted(rounds.items()))

    def _over(self, one: Next, rounds: dict[int, int]) -> bool:
        return rounds[self.known[one.counter].start] >= len(self.items[one.counter])

    def _turn(self, one: Next, rounds: dict[int, int]) -> tuple[int, dict[int, int]]:
        start = self.known[one.counter].start
        if self._over(one, rounds):
            assert one.leave is not None
            return one.leave, rounds
        return one.body, {**rounds, start: rounds[start] + 1}

    def unroll(self) -> list[_UnrolledStatement]:
        """Return the statements of the unrolled program, in order."""
        waiting = [self.landing(0, {})]
        while waiting:
            point = waiting.pop()
            if point in self.lines:
                continue
            if len(self.lines) > CODE_LIMIT:
                return []
            pc, rounds = point
            one = self.code.instructions[pc]
            if isinstance(one, Next) and one.counter in self.known:
                after = [self.landing(*self._turn(one, dict(rounds)))]
            else:
                after = [self.landing(there, dict(rounds)) for there in self.code.successors[pc]]
            self.lines[point] = _UnrolledStatement(point, after)
            waiting.extend(after)
        return sorted(self.lines.values(), key=lambda line: self._order(line.point))

    def _order(self, point: Point) -> tuple[int, ...]:
        pc, rounds = point
        key: list[int] = []
        for loop in self.code.loops_at(pc):
            if loop.start in dict(rounds):
                key += [loop.start, dict(rounds)[loop.start]]
        return (*key, pc)

    # Versions -------------------------------------------------------------------------

    def version(
        self, lines: list[_UnrolledStatement]
    ) -> dict[tuple[Point, Point], list[tuple[str, int, int]]]:
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
        # The content of a line: a statement, or the k-th copy on the edge from one to another.
        entries: list[tuple[Point, Point | None, int]] = []
        for line in lines:
            entries.append((line.point, None, 0))
            for goal in dict.fromkeys(line.after):
                count = len(copies.get((line.point, goal), ()))
                entries += [(line.point, goal, k) for k in range(count)]
        labels = {entry: label for label, entry in enumerate(entries, 1)}
        inputs = ", ".join(f"{slot}: {kind}" for slot, kind in self.code.inputs)
        out = [f"{name}({inputs})"]
        for (point, there, k), label in labels.items():
            one, ends = self.code.instructions[point[0]], list[tuple[Point, Point | None, int]]()
            if there is not None:
                slot, old, new = copies[point, there][k]
                text = f"{self._name(slot, new)} ← {self._name(slot, old)}"
                if k + 1 == len(copies[point, there]):
                    ends = [(there, None, 0)]
            else:
                line = self.lines[point]
                text = self._statement(one, line)
                ends = [
                    (point, goal, 0) if (point, goal) in copies else (goal, None, 0)
                    for goal in line.after
                ]
            match [labels[end] for end in ends]:
                case [yes, no] if isinstance(one, Branch):
                    text = f"if {text} goto {yes} else goto {no}"
                case [yes, no]:
                    text = f"{text}; goto {yes}, or goto {no} if there is none"
                case [next_] if next_ != label + 1:
                    text = f"{text}; goto {next_}"
            out.append(f"{label:>{len(str(len(labels)))}}: {text}")
        return "\n".join(out)

    def _statement(self, one: Instruction, line: _UnrolledStatement) -> str:
        def show_in(node: ast.expr) -> str:
            return show(self._renamed(node, line))

        match one:
            case Set(slot, value):
                return f"{self._new(slot, line)} ← {show_in(value)}"
            case Sample(slot, draw):
                return f"{self._new(slot, line)} ← {show_in(draw)}"
            case Pick(slot, choice):
                return f"{self._new(slot, line)} ← {show_in(choice)}"
            case Test(slot, op, left, right):
                return f"{self._new(slot, line)} ← {show_in(left)} {op} {show_in(right)}"
            case Branch(test):
                return show_in(test)
            case Enter(items, _, value):
                return f"{self._name(items, None)} ← {show_in(value)}"
            case Next(items, counter, slot):
                if counter in self.known:
                    return f"{self._new(slot, line)} ← {show_value(self._value(one, line))}"
                return f"{self._new(slot, line)} ← next of {self._name(items, None)}"
            case Require(test):
                return f"assert {show_in(test)}"
            case Release(value):
                return f"return {show_in(value)}"
            case FallOff():
                return "exit"
            case Jump() | Check():
                return "skip"
        raise AssertionError(one)

    def _value(self, one: Next, line: _UnrolledStatement) -> Value:
        rounds = dict(line.point[1])
        return self.items[one.counter][rounds[self.known[one.counter].start]]

    def _new(self, slot: str, line: _UnrolledStatement) -> str:
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

    def _renamed(self, node: Any, line: _UnrolledStatement) -> Any:
        """Return an expression with noise replaced by versions and loop variables by values."""

        def rename(part: Any) -> Any:
            if isinstance(part, ast.Name) and part.id in self.flow.slots:
                return name(self._name(part.id, line.versions.get(part.id)), where(part))
            return rebuilt(part, rename)

        return rename(self._substitute(node, dict(line.point[1])))

    def _substitute(self, node: Any, rounds: dict[int, int]) -> Any:
        """Return an expression with values for loop variables and closed parts evaluated."""
        if isinstance(node, ast.Name) and node.id in self.substituted:
            return self._loop_value(node.id, rounds) or node
        new = rebuilt(node, lambda part: self._substitute(part, rounds))
        if isinstance(new, ast.BinOp | ast.Compare | ast.BoolOp | ast.UnaryOp):
            found = self._closed(new)
            if isinstance(found, int | Fraction):
                return constant(found, where(node))
        return new

    def _closed(self, node: Any) -> Value:
        """Return the value of an expression without variables, or None."""
        if any(isinstance(part, ast.Name) for part in nodes(node)):
            return None
        try:
            return evaluate_closed(node, {})
        except ExactdpError:
            return None

    def _loop_value(self, slot: str, rounds: dict[int, int]) -> ast.Constant | None:
        for one in self.code.instructions:
            if isinstance(one, Next) and one.slot == slot and one.counter in self.known:
                count = rounds.get(self.known[one.counter].start, 0)
                if count:
                    return constant(self.items[one.counter][count - 1], one.place)
        return None
