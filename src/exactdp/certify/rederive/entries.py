"""Outputs that are lists of independent entries: each entry from noise of its own.

Let the program append to one list and return it, and do nothing else with it. Then no run depends
on what is in the list, and states that differ only in its contents are one. Suppose that all runs
come to one and the same state whenever an entry has been appended, and that no sample there was
compared before. What follows then has nothing in common with what was before: the entries of the
output are independent, and each is the output of a part of the graph between two of these states.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .flat import FlatCode
from .linear import forms_in
from .merged import (
    Goto,
    Laws,
    Locals,
    MergedNode,
    MergedRuns,
    Moment,
    Output,
    RunGraph,
    Way,
    with_means,
)
from .programs import SourceProgram
from .ratios import UnsupportedError
from .runs import Picked
from .successes import Successes


class _Mark(str):
    """Stands for an entry that was appended before a node."""


_BEFORE = _Mark("appended before")


@dataclass(frozen=True)
class _Appended(Goto):
    """A run goes on at a node; `entries` are in the list there, marks for those known before."""

    entries: tuple[Any, ...]


class _Forgetful(MergedRuns):
    """The graph of all runs; a state has only the length of the list that is returned."""

    def __init__(self, program: SourceProgram, given: list[Any], *, noisy: bool) -> None:
        assert program.function is not None
        self.name = _returned(program.code(program.function, for_graph=True))
        self.lengths: dict[int, int] = {0: 0}
        super().__init__(program, given, noisy=noisy)

    def _at_node(self, laws: Laws, pc: int, local: Locals, introduced: frozenset[int]) -> Goto:
        held = local.get(self.name, [])
        if not isinstance(held, list):
            raise UnsupportedError("the output is not a list that is appended to")
        if self.name in local:
            local = {**local, self.name: [_BEFORE] * len(held)}
        found = super()._at_node(laws, pc, local, introduced)
        if self.lengths.setdefault(found.node, len(held)) != len(held):
            raise UnsupportedError("the list that is returned is made twice")
        return _Appended(found.node, found.names, tuple(held))

    def _within(self, laws: Laws, introduced: frozenset[int], moment: Moment) -> Goto:
        held = moment.local.get(self.name, [])
        found = super()._within(laws, introduced, moment)
        self.lengths[found.node] = len(held)
        return _Appended(found.node, found.names, tuple(held))


class EntryPart:
    """The part of all runs that makes one entry of the output, as a graph with it as its output."""

    def __init__(self, graph: RunGraph, *, noisy: bool) -> None:
        self.graph = graph
        self.noisy = noisy

    @cached_property
    def successes(self) -> Successes:
        """The steps to each value of the entry."""
        return Successes(self.graph)

    @cached_property
    def inputs(self) -> frozenset[int]:
        """The places of the real inputs that are compared, or in the mean of what is."""
        found: set[int] = set()
        for node in self.graph.nodes:
            if node.question is None or isinstance(node.question, Picked):
                continue
            names = frozenset(node.question[0].coefficients)
            found |= {n for n in names if n < 0 or not self.noisy}
            laws = node.ways[0].laws
            drawn = with_means(names & laws.keys(), laws)
            forms = [form for n in drawn if n in laws for form in forms_in(laws[n].mean)]
            found |= {n for form in forms for n in form.coefficients if n < 0}
        return frozenset(-n - 1 if self.noisy else n for n in found)


def entry_parts(program: SourceProgram, given: list[Any], *, noisy: bool) -> list[EntryPart]:
    """Return the part of each entry; of the input, `given` has None for each real number."""
    runs = _Forgetful(program, given, noisy=noisy)
    sizes = {len(one) if isinstance(one, tuple) else 0 for one in runs.outputs()}
    if len(sizes) != 1 or 0 in sizes:
        raise UnsupportedError("the output is not a list of one length")
    (size,) = sizes
    members: list[list[int]] = [[] for _ in range(size)]
    for k in sorted(runs.order):
        if runs.lengths[k] >= size:
            raise UnsupportedError("a run compares after its last entry")
        members[runs.lengths[k]].append(k)
    starts = {0: 0}
    for k in runs.order:
        for one in runs.ends(k):
            if isinstance(one, Goto) and runs.lengths[one.node] > runs.lengths[k]:
                length = runs.lengths[one.node]
                if runs.nodes[one.node].introduced:
                    raise UnsupportedError("entries of the output share a sample")
                if starts.setdefault(length, one.node) != one.node:
                    raise UnsupportedError("an entry of the output depends on earlier ones")
    if len(starts) != size:
        raise UnsupportedError("several entries of the output are made at once")
    return [
        EntryPart(_graph(runs, starts[length], own), noisy=noisy)
        for length, own in enumerate(members)
    ]


def _graph(runs: _Forgetful, start: int, members: list[int]) -> RunGraph:
    """Return the graph of the nodes of one length, from the first of them on."""
    numbers = {k: place for place, k in enumerate([start, *(k for k in members if k != start)])}
    length = runs.lengths[start]

    def cut(way: Way) -> Way:
        """Return a way that ends where the entry is appended."""
        end = way.end
        entries: tuple[Any, ...] = getattr(end, "value" if isinstance(end, Output) else "entries")
        if any(one is not _BEFORE for one in entries[:length]):
            raise UnsupportedError("the list that is returned is made twice")
        if len(entries) == length and isinstance(end, Goto):
            return Way(way.laws, Goto(numbers[end.node], end.names))
        if len(entries) != length + 1:
            raise UnsupportedError("several entries of the output are made at once")
        if any(True for _ in forms_in(entries[-1])):
            raise UnsupportedError("an entry of the output is not a finite value")
        return Way(way.laws, Output(entries[-1]))

    nodes = [runs.nodes[k] for k in numbers]
    if any(isinstance(one.question, Picked) for one in nodes):
        raise UnsupportedError("random choices are not followed by entries")
    return RunGraph(
        [MergedNode(one.laws, one.introduced, one.question, [*map(cut, one.ways)]) for one in nodes]
    )


def _returned(code: FlatCode) -> str:
    """Return the variable that is only set to [], appended to and returned."""
    names = {
        one.node.id for one in code.code if one.kind == "return" and isinstance(one.node, ast.Name)
    }
    if len(names) != 1:
        raise UnsupportedError("the output is not a list that is appended to")
    (name,) = names
    for one in code.code:
        match one.node:
            case ast.Name() if one.kind == "return":
                continue
            case ast.Constant(None) if one.kind == "return":
                continue
            case ast.Assign([ast.Name()], ast.List([])):
                continue
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(base), "append"), [item])) if (
                base == name and not _occurs(name, item)
            ):
                continue
        if one.kind == "return" or (one.node is not None and _occurs(name, one.node)):
            raise UnsupportedError("the list that is returned is used otherwise")
    return str(name)


def _occurs(name: str, node: ast.AST) -> bool:
    """Whether a name occurs in a tree, even if as that of something else."""
    return any(
        (isinstance(one, ast.Name) and one.id == name)
        or (isinstance(one, ast.arg) and one.arg == name)
        or (isinstance(one, ast.FunctionDef) and one.name == name)
        for one in ast.walk(node)
    )
