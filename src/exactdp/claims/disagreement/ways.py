"""The ways to another ideal output, as bounds on the distance that are linear in the input.

`symbolic_runs` finds them for all inputs at which the comparisons of the ideal have the same
answers, or for one input with its numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

from exactdp.claims.disagreement.approach import Stages
from exactdp.claims.disagreement.bounds import Largest, Least, Tree, certified
from exactdp.claims.disagreement.constraints import DISTANCE
from exactdp.claims.disagreement.ideal_graphs import IdealGraphs
from exactdp.claims.disagreement.known import Known
from exactdp.claims.disagreement.nearest import Differ
from exactdp.claims.disagreement.reaches import (
    Point,
    ReadyReach,
    differences,
    ready,
    shortest,
    system,
)
from exactdp.claims.disagreement.symbolic_runs import Exploration, Gap, Reach, followed
from exactdp.claims.stated.distances import Distance, InputDistance
from exactdp.claims.stated.inputs import as_given
from exactdp.claims.stated.pieces import condition
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.events import Compare
from exactdp.language.linear import Linear, Scalar
from exactdp.language.operations import COMPARISONS
from exactdp.language.values import Value
from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.reals.numbers import inf
from exactdp.reals.operators import NEGATED
from exactdp.semantics.spots import Spot, at_sample


class Ways:
    """The ways to disagree of one ideal function under one distance on inputs."""

    def __init__(self, graphs: IdealGraphs, distance: InputDistance) -> None:
        self._graphs, self._distance = graphs, distance
        # The names of the numbers of u, and these as symbols.
        self.own = {name: f"{name} of u" for name in graphs.names}
        self.symbols = {name: Linear.symbol(own) for name, own in self.own.items()}
        self._gaps: dict[str, tuple[Gap, ...]] = {}  # between symbols
        self._kept_stages: dict[int, Stages] = {}

    def reaches(
        self, u: tuple[Value, ...], output: Value, here: Mapping[str, Any], *, every: bool
    ) -> tuple[ReadyReach, ...]:
        """Return the ways to disagree, for all inputs with the same answers of the ideal.

        Entries of these inputs are `here`, as symbols or as forms in parameters.
        """
        finite = self._graphs.finite(u)
        group = self._graphs.group(finite, output, every=every)
        answers: list[bool] = []
        forms = None if here is self.symbols else tuple(here.values())
        key: object = forms, None
        if not (group.has_one_path and key in group.reaches):
            numbers = {name: at_sample(value) for name, value in self._graphs.numbers(u).items()}
            followed(group.graph, numbers, _noting(answers))
            if not group.has_one_path:
                key = forms, tuple(answers)
        if key not in group.reaches:
            rows: list[Halfspace] = []
            given = iter(answers)

            def again(event: Compare, difference: Any) -> bool:
                truth = next(given)
                op = event.op if truth else NEGATED[event.op]
                if isinstance(difference, Linear) and op != "!=":
                    rows.extend(condition(difference, op)[0])
                return truth

            own = followed(group.graph, here, again)
            found = self._all(here, finite, output, own, Known(rows), every=every)
            group.reaches[key] = ready(shortest(found, Known(rows), every=every))
        return group.reaches[key]

    def nearest(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> tuple[Distance, Reach | None, tuple[Value, ...]]:
        """Return dd at a numeric input, the reach that attains it, and its finite values."""
        best: tuple[Distance, Reach | None, tuple[Value, ...]] = (inf, None, ())
        given, finite = self._graphs.numbers(u), self._graphs.finite(u)
        every = differ is not None

        def disagreeing(out: Value) -> Iterator[Polyhedron]:
            if differ is None or differ(out):
                yield from differences(out, output, every)

        for other in self._graphs.finite_parts():
            ask = self._exploration(given, finite, other, output, Known(()), every=every)
            for one in replace(ask, differences=disagreeing).reaches(best[0]):
                numbers: Any = one.forms
                distance = self.checked(Fraction(max(numbers)), u)
                if distance < best[0]:
                    best = distance, one, other
        return best

    def certified(self, point: Point, reaches: list[ReadyReach]) -> Distance:
        """Return dd at an input with spots, recording the comparisons that prove the form.

        Only comparisons needed for the proof are made: the form is the largest of its own reach,
        and each other reach has some form that is at least as large. If all other inputs are at the
        same distance, a single open reach suffices.
        """
        if self._distance.is_all_or_nothing:
            sample = {name: at_sample(value) for name, value in point.items()}
            near = (one for one in reaches if one.distance(sample) != inf)
            reaches = list(islice(near, 1)) or reaches
        found: list[Tree] = []
        for one in reaches:
            if _is_open(one.when, point):
                values = (form.value(point) / Fraction(one.scale) for form in one.forms)
                found.append(Largest(tuple(values)))
        return certified(Least(tuple(found)))

    def stages(self, reach: ReadyReach, parameters: Collection[Name]) -> Stages:
        """Return the conditions of a reach on the other input, unknown by unknown."""
        # By identity: reaches with other conditions may be equally long, and groups keep them all.
        kept = self._kept_stages.get(id(reach))
        if kept is None:
            rows = system(reach.reach, adds=self._distance.adds)
            kept = self._kept_stages[id(reach)] = Stages.of(rows, {*parameters, DISTANCE})
        return kept

    def _all(
        self,
        here: Mapping[str, Any],
        finite: tuple[Value, ...],
        output: Value,
        own: Value,
        known: Known,
        *,
        every: bool,
    ) -> Iterator[Reach]:
        """Yield the ways to disagree with an input."""
        for other in self._graphs.finite_parts():
            ask = self._exploration(here, finite, other, output, known, every=every)
            ways = replace(
                ask,
                gaps=self._gaps if here is self.symbols else {},
                differences=lambda out: differences(out, own, every),
                prunes=not every,
            )
            yield from (replace(one, finite=other) for one in ways.reaches())

    def _exploration(
        self,
        here: Mapping[str, Any],
        finite: tuple[Value, ...],
        other: tuple[Value, ...],
        output: Value,
        known: Known,
        *,
        every: bool,
    ) -> Exploration:
        one, two = iter(finite), iter(other)
        mine: dict[str, Scalar] = {}
        there: dict[str, Scalar] = {}
        for name, kind in zip(self._graphs.names, self._graphs.kinds, strict=True):
            mine[name] = here[name] if kind is None else next(one)
            there[name] = Linear.symbol(name) if kind is None else next(two)
        graph = self._graphs.group(other, output, every=every).graph
        return Exploration(
            graph,
            self._distance,
            mine,
            there,
            lambda _: (),
            known,
            is_partial=self._graphs.ideal.is_partial,
        )

    def checked(self, distance: Fraction, u: tuple[Value, ...]) -> Fraction:
        """Return a distance from an input, or refuse it if it is negative."""
        if distance < 0:
            raise ValueRefusedError(
                f"the distance {self._distance} is negative near the input "
                f"{shown(as_given(self._graphs.mechanism, u))}",
                rule="A distance is never negative.",
            )
        return distance


def _noting(answers: list[bool]) -> Callable[[Compare, Any], bool]:
    """Return a function that answers comparisons of numbers and records the answers."""

    def answer(event: Compare, difference: Any) -> bool:
        answers.append(COMPARISONS[event.op](difference, 0))
        return answers[-1]

    return answer


def _is_open(rows: Polyhedron, point: Point) -> bool:
    """Whether rows hold at a point with spots; the sides on which that changes are noted."""
    for row in rows:
        value = row.form.value(point)
        if isinstance(value, Spot):
            value.trace.note(value)
        if not row.holds(point):
            return False
    return True
