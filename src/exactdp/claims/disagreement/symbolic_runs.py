"""Symbolic runs of an ideal on another input v, to find the distance of v from an input u.

The graph of the ideal for one output is traversed once, with linear conditions in place of
densities. The state of a run consists of its variables, as linear forms in v, and a polyhedron in v
and the distance. Entries of v that no longer matter are eliminated, and runs at the same node that
are included in others are dropped. So the cost depends on the number of live values, not of paths.
A run that can no longer end in the output of u leaves the graph; its distance is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from exactdp.claims.disagreement.constraints import Constraint, Constraints, T, can_hold
from exactdp.claims.disagreement.known import Known
from exactdp.claims.stated.distances import DistanceCase, InputDistance
from exactdp.claims.stated.enclosing import picked
from exactdp.claims.stated.pieces import condition
from exactdp.errors import UndefinedError, ValueRefusedError
from exactdp.language.events import Compare, Done, Draw, Selection
from exactdp.language.linear import Linear, Scalar
from exactdp.language.operations import COMPARISONS
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.values import Value
from exactdp.polyhedra.halfspace import Polyhedron
from exactdp.reals.numbers import inf
from exactdp.reals.operators import NEGATED
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import Edge, Failure, Rounding, has_noise, inputs_in, looks_at

History: TypeAlias = "tuple[Any, Polyhedron | DistanceCase] | None"
"""The conditions of a run and how its entries differ from those of u, the last first."""

Differences: TypeAlias = Callable[[Value], Iterable[Polyhedron]]
"""The ways in which an output can differ from that at u."""


@dataclass(frozen=True)
class SymbolicRun:
    """A run so far, on every v that satisfies its conditions."""

    values: tuple[Scalar, ...]
    """The variables of the node, as linear forms in entries of v."""
    rows: tuple[Constraint, ...]
    opened: Mapping[str, tuple[str, ...]]
    """The entries in rows and values, each with what else was introduced for its distance."""
    history: History

    @cached_property
    def by_outer(self) -> Mapping[object, Sequence[Constraint]]:
        """The rows by their parts in v."""
        return _by_outer(self.rows, {})


@dataclass(frozen=True)
class Reach:
    """Inputs with another output: where `when` holds for u, their distance is the largest form."""

    when: Polyhedron
    forms: tuple[Scalar, ...]
    output: Value
    """With forms in v, as far as it is known."""
    history: History = field(compare=False)
    finite: tuple[Value, ...] = field(default=(), compare=False)
    """The finite values of v."""


class Gap(NamedTuple):
    """A case of the distance of two entries: it grows by `more`, or is bounded below by rows."""

    case: DistanceCase
    rows: tuple[Constraint, ...]
    more: Scalar


@dataclass(frozen=True)
class Exploration:
    """The possible runs of an ideal at inputs v with given finite values.

    The graph is for the output at u; `differences` yields how an output at its end differs from it.
    """

    graph: Graph
    distance: InputDistance
    here: Mapping[str, Scalar]
    """The scalars of u by name, as numbers or symbols."""
    there: Mapping[str, Scalar]
    """Those of v: symbols of the same names, and finite values."""
    differences: Differences
    known: Known
    """What is known about u if it is symbolic."""
    gaps: dict[str, tuple[Gap, ...]] = field(default_factory=dict)
    """Cached cases of how entries can differ, shared by all runs that begin alike."""

    prunes: bool = True
    """Whether every other output disagrees, so that runs further away than one are dropped."""

    is_partial: bool = False
    """Whether inputs at which an `assert` fails are ignored."""

    def reaches(self, best: Any = inf) -> Iterator[Reach]:
        """Yield ways to another output: of those that are numbers, each nearer than the best."""
        return _GraphTraversal(self, best).run()


def inserted(value: Any, values: tuple[Scalar, ...], entries: Mapping[str, Any]) -> Any:
    """Return a value with forms for its variables, and entries for its inputs."""
    if isinstance(value, tuple):
        return tuple(inserted(item, values, entries) for item in value)
    if isinstance(value, NoisyQuotient):
        over, under = (inserted(part, values, entries) for part in (value.over, value.under))
        if isinstance(under, Linear):
            raise unknown_neighbours()
        if not under:
            raise ValueRefusedError(
                "the ideal divides by zero",
                rule="The ideal is the program with every sample replaced by its mean.",
                way_out="Test the divisor with `if` first, or leave out such inputs.",
            )
        return over / Fraction(under)
    if not isinstance(value, Linear):
        return value
    total: Any = value.constant
    for name, q in value.coefficients.items():
        part: Any = values[name] if isinstance(name, int) else entries[name]
        total = total + (part if q == 1 else part * q)
    return total


def followed(
    graph: Graph, entries: Mapping[str, Any], answer: Callable[[Compare, Any], bool]
) -> Value:
    """Return the output of the run without noise at an input; `answer` decides comparisons."""
    number = 0
    values: tuple[Any, ...] = ()
    while True:
        node = graph.nodes[number]
        event, case = node.event, None
        if isinstance(event, Done):
            return inserted(event.output, values, entries)
        if isinstance(event, Failure):
            raise event.error.with_traceback(None)
        if isinstance(event, Draw):
            mean = 0 if has_noise(event.mean) else inserted(event.mean, (), entries)
            values = (*values, mean)
        elif isinstance(event, Rounding):
            values = (*values, *event.values(inserted(event.form, values, entries)))
        elif isinstance(event, Selection):
            case = picked(event)
        else:
            case = answer(event, inserted(event.difference, values, entries))
        edge = next(edge for edge in node.edges if edge.case == case)
        number, values = edge.target, inserted(edge.variables, values, entries)


class _GraphTraversal:
    """One traversal of a graph, with nodes in topological order."""

    def __init__(self, asked: Exploration, best: Any) -> None:
        self._graph, self._distance = asked.graph, asked.distance
        self._here, self._there = asked.here, asked.there
        self._differences, self._known = asked.differences, asked.known
        self._needs = asked.graph.mentions
        self._rules = Constraints(asked.known, frozenset(asked.there), asked.distance.by_entry)
        self._best, self._prunes = best, asked.prunes
        self._is_partial = asked.is_partial
        self._gaps = asked.gaps
        self._possible: dict[str, tuple[Gap, ...]] = {}
        self._waiting: dict[int, list[SymbolicRun]] = {0: list(self._starts())}
        self._found: list[Reach] = []

    def run(self) -> Iterator[Reach]:
        for component in self._graph.components:
            left = list(component)
            while left:  # in a loop nodes are visited again
                for number in left:
                    for run in self._waiting.pop(number, ()):
                        if not self._is_far(run.rows):
                            self._visit(number, run)
                        yield from self._found
                        self._found.clear()
                left = [number for number in component if number in self._waiting]

    # Conditions -------------------------------------------------------------------------

    def _gap(self, one: Scalar, two: Scalar) -> Iterator[Gap]:
        """Yield the cases of the distance of two entries."""
        for case in self._distance.cases([one], [two], ()):
            rows = [*map(self._rules.read_halfspace, case.rows)]
            if self._distance.adds:
                yield Gap(case, tuple(rows), case.forms[-1])
            else:
                rows += [self._rules.read(T - form) for form in case.forms if form != 0]
                yield Gap(case, tuple(rows), 0)

    def _starts(self) -> Iterator[SymbolicRun]:
        """Yield the runs at the first node, by cases of the distance of what is known of v."""
        here, there = list(self._here.values()), list(self._there.values())
        if self._distance.by_entry:
            runs = [SymbolicRun((), (), {}, None)]
            for one, two in zip(here, there, strict=True):
                if not isinstance(two, Linear) and one != two:
                    gaps = tuple(self._gap(one, two))
                    runs = [new for run in runs for new in self._apart(run, gaps, ())]
            yield from runs
            return
        opened: dict[str, tuple[str, ...]] = dict.fromkeys(inputs_in(tuple(there)), ())
        for case in self._distance.cases(here, there, ()):
            rows = (
                *map(self._rules.read_halfspace, case.rows),
                *(self._rules.read(T - f) for f in case.forms),
            )
            yield SymbolicRun((), rows, opened, (None, case))

    def _apart(
        self, run: SymbolicRun, gaps: tuple[Gap, ...], names: tuple[str, ...]
    ) -> Iterator[SymbolicRun]:
        """Yield a run with one more pair of entries, by cases of their distance."""
        for gap in gaps:
            rows = run.rows
            if self._distance.adds:
                less = [self._rules.moved(row, gap.more) for row in rows]
                rows = (*less, self._rules.read(T - gap.more))
            opened = {**run.opened, **dict.fromkeys(names, gap.case.helpers)}
            yield SymbolicRun(run.values, (*rows, *gap.rows), opened, (run.history, gap.case))

    def _opened(self, run: SymbolicRun, value: object) -> list[SymbolicRun]:
        """Return a run after it has read the inputs in a value."""
        runs = [run]
        for name in inputs_in(value):
            if runs and name not in runs[0].opened:
                gaps = self._possible.get(name)
                if gaps is None:
                    gaps = self._possible[name] = tuple(self._gaps_of(name))
                runs = [new for old in runs for new in self._apart(old, gaps, (name,))]
        return runs

    def _gaps_of(self, name: str) -> Iterator[Gap]:
        """Yield how an entry can differ, with what is known of u."""
        if name not in self._gaps:
            self._gaps[name] = tuple(self._gap(self._here[name], self._there[name]))
        for gap in self._gaps[name]:
            rows = self._rules.simple(gap.rows)
            if rows is not None:
                yield gap._replace(rows=rows)

    def _without(self, run: SymbolicRun, gone: Iterable[str]) -> tuple[Constraint, ...] | None:
        """Return the conditions of a run without some entries, None if they cannot hold."""
        names = [one for name in gone for one in (name, *run.opened[name])]
        return self._rules.without(run.rows, names)

    def _left(self, run: SymbolicRun) -> tuple[Constraint, ...] | None:
        """Return the conditions of a run on u and the distance, None if they cannot hold."""
        return self._without(run, run.opened) if run.opened else self._rules.simple(run.rows)

    def _includes(self, one: SymbolicRun, two: SymbolicRun, needed: frozenset[str]) -> bool:
        """Whether a run at a node is possible wherever another one is, with the same variables."""
        if len(one.opened) != len(two.opened):
            return False
        given = two.by_outer
        if _are_equal(one.values, two.values):
            if one.opened.keys() != two.opened.keys():
                return False
        else:
            names = self._renaming(one, two, needed)
            if names is None:
                return False
            given = _by_outer(two.rows, names)
        return one.by_outer.keys() <= given.keys() and all(
            any(row is other or self._rules.follows(row, other) for other in given[row.outer])
            for row in one.rows
        )

    def _renaming(
        self, one: SymbolicRun, two: SymbolicRun, needed: frozenset[str]
    ) -> dict[str, str] | None:
        """Return names of the entries in a run for those in another one, None if there are none."""
        names: dict[str, str] = {}
        for a, b in zip(one.values, two.values, strict=True):
            if _is_equal(a, b):
                for name in inputs_in(a):
                    if names.setdefault(name, name) != name:
                        return None
                continue
            x, y = _symbol(a), _symbol(b)
            if x is None or y is None or x in needed or y in needed or names.get(y, x) != x:
                return None
            names[y] = x
            names.update(zip(two.opened[y], one.opened[x], strict=True))
        renamed = {names.get(name, name) for name in two.opened}
        return names if renamed == set(one.opened) and len(renamed) == len(two.opened) else None

    # Steps ------------------------------------------------------------------------------

    def _visit(self, number: int, run: SymbolicRun) -> None:
        node = self._graph.nodes[number]
        event = node.event
        if isinstance(event, Failure):
            is_outside = self._is_partial and isinstance(event.error, UndefinedError)
            if not is_outside and self._left(run) is not None:
                raise event.error.with_traceback(None)
            return
        edges = {edge.case: edge for edge in node.edges}
        if isinstance(event, Compare) and _is_idle(node.edges):
            self._go(run, edges[True])
            return
        for one in self._opened(run, looks_at(event)):
            if isinstance(event, Done):
                output = inserted(event.output, one.values, self._there)
                for rows in self._differences(output):
                    self._leave(self._confined(one, rows), output)
            elif isinstance(event, Draw):
                mean = 0 if has_noise(event.mean) else inserted(event.mean, (), self._there)
                self._go(replace(one, values=(*one.values, mean)), edges.get(None))
            elif isinstance(event, Rounding):
                number = inserted(event.form, one.values, self._there)
                if isinstance(number, Linear):
                    raise unknown_neighbours()
                found = event.values(number)
                self._go(replace(one, values=(*one.values, *found)), edges.get(None))
            elif isinstance(event, Selection):
                self._go(one, edges.get(picked(event)))
            else:
                self._compare(one, event, edges)

    def _compare(self, run: SymbolicRun, event: Compare, edges: dict[Any, Edge]) -> None:
        difference = inserted(event.difference, run.values, self._there)
        if not isinstance(difference, Linear):
            self._go(run, edges.get(COMPARISONS[event.op](difference, 0)))
            return
        for truth in (True, False):
            for rows in condition(difference, event.op if truth else NEGATED[event.op]):
                self._go(self._confined(run, rows), edges.get(truth))

    def _confined(self, run: SymbolicRun, rows: Polyhedron) -> SymbolicRun:
        more = map(self._rules.read_halfspace, rows)
        return replace(run, rows=(*run.rows, *more), history=(run.history, rows))

    def _go(self, run: SymbolicRun, edge: Edge | None) -> None:
        """Take a run to the next node, or out of the graph: to another output."""
        if edge is None:
            self._leave(run, None)
            return
        for one in self._opened(run, edge.variables):
            values = inserted(edge.variables, one.values, self._there)
            needed = self._needs[edge.target].union(inputs_in(values))
            rows = self._without(one, [name for name in one.opened if name not in needed])
            if rows is None or not can_hold(rows):
                continue
            opened = {name: more for name, more in one.opened.items() if name in needed}
            self._arrive(edge.target, SymbolicRun(values, rows, opened, one.history))

    def _arrive(self, target: int, run: SymbolicRun) -> None:
        """Add a run to a node, unless another one there includes it."""
        known = self._waiting.setdefault(target, [])
        needed = self._needs[target]
        if not any(self._includes(other, run, needed) for other in known):
            known[:] = [other for other in known if not self._includes(run, other, needed)]
            known.append(run)

    def _leave(self, run: SymbolicRun, output: Value) -> None:
        """Record the distance to the inputs of a run."""
        rows = self._left(run)
        if rows is None or self._is_far(rows):
            return
        forms = [-row.rest for row in rows if row.factor]
        if self._distance.by_entry:
            forms = [0, *forms]
        elif not forms:
            raise ValueRefusedError(
                "the distance is negative somewhere", rule="A distance is never negative."
            )
        largest = self._known.largest(forms)
        when = tuple(row.halfspace() for row in rows if not row.factor)
        is_number = not when and not any(isinstance(form, Linear) for form in largest)
        if is_number and self._prunes:
            self._best = min(self._best, largest[0])
        self._found.append(Reach(when, largest, output, run.history))

    def _is_far(self, rows: tuple[Constraint, ...]) -> bool:
        """Whether a row proves that the distance is at least the best one so far."""
        if self._best == inf:
            return False
        return any(
            row.factor
            and not row.outer
            and not isinstance(row.rest, Linear)
            and -row.rest >= self._best
            for row in rows
        )


def items(history: History) -> Iterator[Polyhedron | DistanceCase]:
    """Yield the items of a history, the last first."""
    while history is not None:
        history, item = history
        yield item


def _is_idle(edges: tuple[Edge, ...]) -> bool:
    """Whether the answer to a comparison does not matter."""
    return len(edges) == 2 and len({(edge.target, edge.variables) for edge in edges}) == 1


def _symbol(value: Scalar) -> Any:
    """Return the symbol that a value is, None if it is none."""
    if not isinstance(value, Linear) or value.constant or len(value.coefficients) != 1:
        return None
    ((name, q),) = value.coefficients.items()
    return name if q == 1 else None


def unknown_neighbours() -> ValueRefusedError:
    """Return the refusal to look for an input near another one whose rounded output differs."""
    return ValueRefusedError(
        "the output is rounded, a quotient, or noise around a rounded number, and the distance to "
        "inputs with another output is asked",
        rule="Rounded numbers change at every whole number, and quotients are not linear.",
        way_out='Use input_distance="discrete", which is the default here, or ErrorBound.',
    )


def _by_outer(
    rows: Iterable[Constraint], names: Mapping[str, str]
) -> dict[object, list[Constraint]]:
    """Return constraints by their parts in v, with other names for some entries."""
    found: dict[object, list[Constraint]] = {}
    for row in rows:
        outer = row.outer
        if names:
            outer = tuple(sorted((names.get(name, name), q) for name, q in outer))
        found.setdefault(outer, []).append(row)
    return found


def _is_equal(one: Scalar, two: Scalar) -> bool:
    return one == two and isinstance(one, Linear) == isinstance(two, Linear)


def _are_equal(one: Sequence[Scalar], two: Sequence[Scalar]) -> bool:
    return len(one) == len(two) and all(map(_is_equal, one, two))
