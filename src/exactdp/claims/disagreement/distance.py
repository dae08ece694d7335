"""The distance to disagreement (Definition 1): from an input to those with another ideal output.

The ideal is piecewise linear, and so is the distance on inputs. `symbolic_runs` finds the distance
to other outputs, with a symbol for each number of u, once for all inputs at which the comparisons
of the ideal have the same answers. At each input, only linear forms are evaluated. If an input has
many numbers, these are used instead of symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.disagreement.approach import Stages
from exactdp.claims.disagreement.bounds import Largest, Least, Tree, certified
from exactdp.claims.disagreement.boxed import BoxedDistance, distance_to_disagreement
from exactdp.claims.disagreement.closures import (
    Closures,
    are_closures,
    beyond_side,
    distance_to_side,
    dual_norm,
)
from exactdp.claims.disagreement.constraints import DISTANCE
from exactdp.claims.disagreement.finite import FiniteSearch
from exactdp.claims.disagreement.known import Known
from exactdp.claims.disagreement.reaches import (
    Point,
    ReadyReach,
    differences,
    ready,
    shortest,
    system,
    told_apart,
)
from exactdp.claims.disagreement.symbolic_runs import (
    Exploration,
    Gap,
    Reach,
    followed,
    unknown_neighbours,
)
from exactdp.claims.stated.distances import (
    Distance,
    InputDistance,
    NonlinearDistance,
    l2,
    not_linear,
)
from exactdp.claims.stated.enclosing import Enclosures, enclosed
from exactdp.claims.stated.ideals import IdealProgram, NonlinearIdeal
from exactdp.claims.stated.inputs import as_given, as_written, show
from exactdp.claims.stated.pieces import NEGATED, condition, pieces
from exactdp.errors import UndefinedError, ValueRefusedError, shown
from exactdp.language.layout import assembled, entries, entry_names, kinds
from exactdp.language.machine import Compare, Done
from exactdp.language.operations import COMPARISONS
from exactdp.language.values import List, Value
from exactdp.polyhedra.elimination import feasible, solution
from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.polyhedra.projection import MOST_CONDITIONS, nearest_point
from exactdp.reals.numbers import fraction, inf
from exactdp.reals.told import Told
from exactdp.semantics.engine import Engine
from exactdp.semantics.events import ANYTHING, shape_of_output
from exactdp.semantics.graph import Graph
from exactdp.semantics.linear import Linear, Scalar
from exactdp.semantics.nodes import Failure
from exactdp.semantics.spots import Spot, has_spots, symbolic, trace_of

if TYPE_CHECKING:
    from exactdp.claims.stated.ideals import IdealFunction
    from exactdp.language.program import Program

_MOST_CLOSURES = 500  # ideal outputs whose inputs are found at once

_MOST_SYMBOLS = 12  # numbers of an input for which distances are found once and for all

Differ: TypeAlias = Callable[[Value], bool]
"""Whether an output disagrees with that at the given input."""


@dataclass(frozen=True, repr=False)
class Disagreement(Told):
    """dd(u), with a nearest input of another ideal output (None if there is none).

    >>> from exactdp import Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> from exactdp import Accuracy
    >>> print(Accuracy(larger, "25%", inputs=[[0, 2]]).disagreement([0, 2]))
    The nearest input with another ideal output is 1 away, at [1, 1], with output 0.
    """

    distance: Distance
    input: Value | None
    output: Value | None
    attained: bool
    """Whether that input itself disagrees; otherwise inputs arbitrarily close to it do."""
    towards: tuple[Fraction, ...] | None = None
    """If it does not: every input + t·towards (entry by entry) with small t > 0 disagrees."""

    def __str__(self) -> str:
        if self.input is None:
            return "No input at a finite distance has another ideal output."
        how = "at" if self.attained else "arbitrarily close to"
        return (
            f"The nearest input with another ideal output is {self.distance} away, "
            f"{how} {show(self.input)}, with output {show(self.output)}."
        )


class _Group:
    """The graph shared by inputs with given finite values and one kind of output."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.reaches: dict[
            object, tuple[ReadyReach, ...]
        ] = {}  # by answers of the ideal's comparisons

    @cached_property
    def has_one_path(self) -> bool:
        """Whether the graph has one path to its end, so that no comparison need be made."""
        if any(self.graph.cyclic):
            return False
        nodes = self.graph.nodes
        paths = [0] * len(nodes)
        for (number,) in reversed(self.graph.components):
            edges = nodes[number].edges
            paths[number] = sum(paths[edge.target] for edge in edges) if edges else 1
        return paths[0] == 1


class _Boxed:
    """Distances found by branch and bound, kept for all claims about a program."""

    def __init__(self, program: Program) -> None:
        del program
        self.found: dict[object, BoxedDistance] = {}


class Disagreements:
    """Distances to disagreement of one ideal function under one distance on inputs."""

    def __init__(self, mechanism: Program, ideal: IdealFunction, distance: InputDistance) -> None:
        self._mechanism = mechanism
        self._ideal = ideal
        self._distance = distance
        self._kinds = kinds(mechanism.inputs)
        program = ideal.program or mechanism
        if isinstance(ideal, IdealProgram) and program.kept(Engine).rounds:
            program = ideal.function  # without noise there may be nothing to round
        self._names = entry_names(program.inputs)  # those in graphs
        self._engine = program.kept(Engine)
        self._releases = program.checked.output.holds_noise
        self._own = {name: f"{name} of u" for name in self._names}
        self._symbols = {name: Linear.symbol(own) for name, own in self._own.items()}
        self._search = FiniteSearch(mechanism, ideal, distance)
        self._last: tuple[Value, ...] | None = None
        self._groups: dict[object, _Group] = {}
        self._gaps: dict[str, tuple[Gap, ...]] = {}  # between symbols
        self._kept_stages: dict[int, Stages] = {}

    @property
    def _multiplies(self) -> bool:
        """Whether the ideal or the distance multiplies reals."""
        is_squared = isinstance(self._distance, NonlinearDistance)
        return is_squared or isinstance(self._ideal, NonlinearIdeal)

    @cached_property
    def _is_bent(self) -> bool:
        """Whether ideal outputs are rounded numbers or quotients, not linear in the inputs."""
        return self._engine.rounds or self._engine.divides

    def distance(self, u: tuple[Value, ...], output: Value, differ: Differ | None) -> Distance:
        """Return dd(u), where `output` is the ideal output at u.

        `differ` determines which outputs disagree; by default, those that are not equal.
        """
        is_symbolic = has_spots(u)
        if not self._distance.by_entry and not is_symbolic:
            self._check_distance(u)
        reals = self._kinds.count(None)
        if not reals:
            return self._search.nearest(u, output, differ)[0]
        if self._multiplies:
            return self._by_boxes(u, output, differ)[0]
        if self._distance.is_all_or_nothing and not is_symbolic:
            other = self._another(u, output, differ)
            if other is not None:
                return self._far(u, other)
        if self._is_bent:
            return self._far(u, self._any_other(u, output, differ))
        if self._distance.is_euclidean and len(self._kinds) > 1:
            if is_symbolic:
                return self._euclidean_bound(u, output, differ)
            return self._euclidean(u, output, differ).distance
        if reals > _MOST_SYMBOLS and not is_symbolic:
            return self._nearest(u, output, differ)[0]
        here, point = self._described(u)
        sides = self._closure(u, output, differ)
        if sides is not None:
            return distance_to_side(sides, self._norm, self._numbers(u))
        possible = self._reaches(u, output, here, every=differ is not None)
        if differ is not None:
            possible = tuple(one for one in possible if differ(one.output))
        if is_symbolic:
            return self._certified(point, list(possible))
        found = min((one.distance(point) for one in possible), default=inf)
        return found if found == inf else self._checked(Fraction(found) / possible[0].scale, u)

    def _described(self, u: tuple[Value, ...]) -> tuple[Mapping[str, Any], dict[Name, Any]]:
        """Return the real numbers of an input as forms, and the values of the symbols in these.

        Each number is a symbol. If there are many, and they are spots, their parameters are the
        symbols: these are few.
        """
        numbers = self._numbers(u)
        if len(numbers) > _MOST_SYMBOLS and has_spots(u):
            trace = trace_of(u)
            here = {name: symbolic(value) for name, value in numbers.items()}
            return here, {name: trace.spot(name) for name in trace.names}
        return self._symbols, {self._own[name]: value for name, value in numbers.items()}

    def _closure(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> Polyhedron | None:
        """Return the closure of the inputs with an output, for many spots, if it is known."""
        if differ is not None or len(self._kinds) <= _MOST_SYMBOLS or not has_spots(u):
            return None
        return None if self._closures is None else self._closures.get(told_apart(output))

    @cached_property
    def _closures(self) -> Closures | None:
        """The closure of the inputs with each ideal output; None if they are not known."""
        program = self._ideal.program
        if self._norm is None or program is None or any(self._kinds):
            return None
        if self._releases or self._ideal.is_partial or self._multiplies or self._is_bent:
            return None
        given = assembled(program.inputs, [0] * len(self._kinds))
        outputs: dict[Hashable, Value] = {}
        for node in self._engine.graph(given, ANYTHING).nodes:
            if isinstance(node.event, Failure):
                return None
            if isinstance(node.event, Done):
                outputs[told_apart(node.event.output)] = node.event.output
        if len(outputs) > _MOST_CLOSURES:
            return None
        enclosures = program.kept(Enclosures)
        around = {key: enclosures.of(given, one) for key, one in outputs.items()}
        found = {key: one.sides for key, one in around.items() if one is not None}
        return found if len(found) == len(around) and are_closures(found) else None

    @cached_property
    def _norm(self) -> Any:
        """The norm dual to the distance; None if it is not known."""
        return dual_norm(self._distance)

    def _far(self, u: tuple[Value, ...], other: tuple[Value, ...]) -> Fraction:
        """Return the distance to another input, if all others are at the same distance."""
        return Fraction(self._distance.between([*map(_sampled, entries(u))], entries(other)))

    def _any_other(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> tuple[Value, ...]:
        """Return any input with another ideal output, for outputs that are rounded numbers.

        Under the discrete distance, any such input is a nearest one.
        """
        if not self._distance.is_all_or_nothing:
            raise unknown_neighbours()
        other = self._another(u, output, differ)
        if other is None:
            raise ValueRefusedError(
                f"no input was found whose ideal output is not {shown(output)}",
                rule="Where numbers are rounded, one entry is moved by some numbers and to some "
                "whole numbers, to see another output.",
                way_out="Use ErrorBound, which needs no other input.",
            )
        return other

    def _another(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> tuple[Value, ...] | None:
        """Return an input with another ideal output and one different entry, if one is found."""
        own = [*map(_sampled, entries(u))]
        reals = [place for place, kind in enumerate(self._kinds) if kind is None]
        for moved in reals:
            steps = (*_STEPS, *(by - own[moved] % 1 for by in (0, *_STEPS)))
            for by in steps:
                there = [x + by if place == moved else x for place, x in enumerate(own)]
                other = assembled(self._mechanism.inputs, there)
                out = self._defined(other)
                if out is not None and (out != output if differ is None else differ(out)):
                    return other
        return None

    def _checked(self, distance: Fraction, u: tuple[Value, ...]) -> Fraction:
        if distance < 0:
            raise ValueRefusedError(
                f"the distance {self._distance} is negative near the input "
                f"{shown(as_given(self._mechanism, u))}",
                rule="A distance is never negative.",
            )
        return distance

    def _check_distance(self, u: tuple[Value, ...]) -> None:
        """Refuse a function of the user that is not a distance at the inputs used."""
        own, given = entries(u), as_given(self._mechanism, u)
        if self._distance.between(own, own) != 0:
            raise ValueRefusedError(
                f"the distance {self._distance} of {shown(given)} from itself is not 0",
                rule="A distance is 0 between an input and itself.",
            )
        moved = [x + 1 if k is None else x for x, k in zip(own, self._kinds, strict=True)]
        for other in (moved, own if self._last is None else entries(self._last)):
            there, back = (self._distance.between(a, b) for a, b in ((own, other), (other, own)))
            if there != back:
                raise ValueRefusedError(
                    f"the distance {self._distance} of {shown(given)} and {shown(other)} "
                    f"is {there} one way and {back} the other",
                    rule="A distance is the same both ways.",
                )
        self._last = u

    def _certified(self, point: Point, reaches: list[ReadyReach]) -> Distance:
        """Return dd at an input with spots, recording the comparisons that prove the form.

        Only comparisons needed for the proof are made: the form is the largest of its own reach,
        and each other reach has some form that is at least as large. If all other inputs are at the
        same distance, a single open reach suffices.
        """
        if self._distance.is_all_or_nothing:
            sample = {name: _sampled(value) for name, value in point.items()}
            near = (one for one in reaches if one.distance(sample) != inf)
            reaches = list(islice(near, 1)) or reaches
        found: list[Tree] = []
        for one in reaches:
            if _is_open(one.when, point):
                values = (form.value(point) / Fraction(one.scale) for form in one.forms)
                found.append(Largest(tuple(values)))
        return certified(Least(tuple(found)))

    # The ways to another output --------------------------------------------------------

    def _numbers(self, u: tuple[Value, ...]) -> dict[str, Any]:
        """Return the real numbers of an input by name."""
        values = zip(self._names, entries(u), self._kinds, strict=True)
        return {name: value for name, value, kind in values if kind is None}

    def _finite(self, u: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(x for x, k in zip(entries(u), self._kinds, strict=True) if k is not None)

    def _group(self, finite: tuple[Value, ...], output: Value, *, every: bool) -> _Group:
        """Return the graph of the ideal for an output, or for all."""
        pattern: Any = output
        if every or self._ideal.is_partial:  # what is left may be no output at all
            pattern = ANYTHING
        elif self._releases:
            pattern = shape_of_output(output)
        kind = told_apart((finite, pattern))
        known = self._groups.get(kind)
        if known is None:
            rest = iter(finite)
            values = [0 if kind is None else next(rest) for kind in self._kinds]
            program = self._ideal.program
            assert program is not None
            graph = self._engine.graph(assembled(program.inputs, values), pattern)
            known = self._groups[kind] = _Group(graph)
        return known

    def _reaches(
        self, u: tuple[Value, ...], output: Value, here: Mapping[str, Any], *, every: bool
    ) -> tuple[ReadyReach, ...]:
        """Return the ways to disagree, for all inputs with the same answers of the ideal.

        Entries of these inputs are `here`, as symbols or as forms in parameters.
        """
        finite = self._finite(u)
        group = self._group(finite, output, every=every)
        answers: list[bool] = []
        key: object = tuple(here.values()), None
        if not (group.has_one_path and key in group.reaches):
            numbers = {name: _sampled(value) for name, value in self._numbers(u).items()}
            followed(group.graph, numbers, _noting(answers))
            if not group.has_one_path:
                key = tuple(here.values()), tuple(answers)
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
        for other in self._finite_parts():
            ask = self._exploration(here, finite, other, output, known, every=every)
            ways = replace(
                ask,
                gaps=self._gaps if here is self._symbols else {},
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
        for name, kind in zip(self._names, self._kinds, strict=True):
            mine[name] = here[name] if kind is None else next(one)
            there[name] = Linear.symbol(name) if kind is None else next(two)
        graph = self._group(other, output, every=every).graph
        return Exploration(
            graph,
            self._distance,
            mine,
            there,
            lambda _: (),
            known,
            is_partial=self._ideal.is_partial,
        )

    def _finite_parts(self) -> Iterator[tuple[Value, ...]]:
        return product(*(kind.members for kind in self._kinds if kind is not None))

    def _nearest(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> tuple[Distance, Reach | None, tuple[Value, ...]]:
        """Return dd at a numeric input, the reach that attains it, and its finite values."""
        best: tuple[Distance, Reach | None, tuple[Value, ...]] = (inf, None, ())
        given, finite = self._numbers(u), self._finite(u)
        every = differ is not None

        def disagreeing(out: Value) -> Iterator[Polyhedron]:
            if differ is None or differ(out):
                yield from differences(out, output, every)

        for other in self._finite_parts():
            ask = self._exploration(given, finite, other, output, Known(()), every=every)
            for one in replace(ask, differences=disagreeing).reaches(best[0]):
                numbers: Any = one.forms
                distance = self._checked(Fraction(max(numbers)), u)
                if distance < best[0]:
                    best = distance, one, other
        return best

    # A nearest input --------------------------------------------------------------------

    def _by_boxes(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> BoxedDistance:
        """Return dd(u) and an input that disagrees, by values for spans of inputs."""
        ideal = self._ideal
        if not isinstance(ideal, NonlinearIdeal | IdealProgram):
            raise not_linear(f"the distance {self._distance}, which multiplies reals,")

        def disagrees(given: Sequence[Any]) -> bool:
            try:
                other = ideal.at(assembled(self._mechanism.inputs, given))
            except UndefinedError:
                return False
            return bool(other != output if differ is None else differ(other))

        source = ideal.function if isinstance(ideal, NonlinearIdeal) else str(ideal.function)
        metric = self._distance
        named = metric.function if isinstance(metric, NonlinearDistance) else metric
        known = self._mechanism.kept(_Boxed).found if differ is None else {}
        key = u, source, named
        if key not in known:
            point = [Fraction(x) for x in entries(u)]
            known[key] = distance_to_disagreement(point, disagrees, metric)
        return known[key]

    def nearest(self, u: tuple[Value, ...], output: Value, differ: Differ | None) -> Disagreement:
        """Return dd(u) with a nearest disagreeing input."""
        if self._multiplies and None in self._kinds:
            distance, place, way = self._by_boxes(u, output, differ)
            if place is None:
                return Disagreement(inf, None, None, attained=False)
            other = assembled(self._mechanism.inputs, place)
            shown_as = as_written(as_given(self._mechanism, other))
            towards = tuple(map(Fraction, way)) if any(way) else None
            return Disagreement(distance, shown_as, self._ideal(other), towards is None, towards)
        if not self._distance.by_entry:
            self._check_distance(u)
        if self._is_bent and None in self._kinds:
            other = self._any_other(u, output, differ)
            shown_as = as_written(as_given(self._mechanism, other))
            return Disagreement(self._far(u, other), shown_as, self._ideal(other), attained=True)
        if None not in self._kinds:
            distance, v = self._search.nearest(u, output, differ)
            if v is None:
                return Disagreement(inf, None, None, attained=False)
            given = as_written(as_given(self._mechanism, v))
            return Disagreement(distance, given, self._search.output(v), attained=True)
        if self._distance.is_euclidean and len(self._kinds) > 1:
            return self._euclidean(u, output, differ)
        distance, reach, finite = self._nearest(u, output, differ)
        if reach is None:
            return Disagreement(inf, None, None, attained=False)
        numbers = self._numbers(u)
        rows = system(reach, adds=self._distance.adds)
        tight = [row.at({DISTANCE: distance}) for row in rows]
        solved = solution(tight, numbers)
        is_open = solved is None
        if solved is None:
            solved = solution((row.closed() for row in tight), numbers)
        assert solved is not None
        point = [*self._filled({**numbers, **solved}, finite)]
        other = assembled(self._mechanism.inputs, point)
        out = self._defined(other)
        given = as_written(as_given(self._mechanism, other))
        if is_open and out is not None:  # on a side of its polyhedron it may disagree all the same
            there = self._distance.between(entries(u), point)
            is_open = there != distance or not (out != output if differ is None else differ(out))
        if not is_open:
            return Disagreement(distance, given, out, attained=True)
        # A segment from the closure of a convex set to a point of the set lies inside it.
        inside = solution([row.at({DISTANCE: distance + 1}) for row in rows], numbers)
        assert inside is not None
        there = [*self._filled({**numbers, **inside}, finite)]
        towards = tuple(
            Fraction(b) - a if kind is None else Fraction(0)
            for a, b, kind in zip(point, there, self._kinds, strict=True)
        )
        return Disagreement(distance, given, self._beyond(point, towards), False, towards)

    def _euclidean(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> Disagreement:
        """Return dd in the Euclidean distance, the minimum over all pieces, and a nearest input."""
        numbers, own = self._numbers(u), entries(u)
        best: tuple[Distance, list[Value], Polyhedron] | None = None
        for rows, finite in self._disagreeing(output, differ):
            if len(rows) > MOST_CONDITIONS:
                raise ValueRefusedError(
                    f"a piece of the ideal has {len(rows)} conditions",
                    rule=f"Under l2 at most {MOST_CONDITIONS} are tried.",
                    way_out="Use linf or l1.",
                )
            there = nearest_point(rows, numbers)
            if there is None:
                continue
            point = [*self._filled(there, finite)]
            distance = self._distance.between(own, point)
            if best is None or distance < best[0]:
                best = distance, point, rows
        if best is None:
            return Disagreement(inf, None, None, attained=False)
        distance, point, rows = best
        other = assembled(self._mechanism.inputs, point)
        out = self._defined(other)
        given = as_written(as_given(self._mechanism, other))
        if out is not None and (out != output if differ is None else differ(out)):
            return Disagreement(distance, given, out, attained=True)
        inside = solution(rows, numbers)
        assert inside is not None
        finite = tuple(x for x, k in zip(point, self._kinds, strict=True) if k is not None)
        aim = [*self._filled({**numbers, **inside}, finite)]
        towards = tuple(
            Fraction(b) - a if kind is None else Fraction(0)
            for a, b, kind in zip(point, aim, self._kinds, strict=True)
        )
        return Disagreement(distance, given, self._beyond(point, towards), False, towards)

    def _sides(self, u: tuple[Value, ...], output: Value) -> Polyhedron:
        """Return halfspaces around the inputs with an output: beyond each of them all disagree."""
        around = None
        if not self._releases and not self._ideal.is_partial:
            around = enclosed(self._group(self._finite(u), output, every=False).graph)
        if around is None or not around.sides:
            raise not_linear(f"the distance to disagreement under {self._distance}")
        return around.sides

    def _euclidean_bound(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> Distance:
        """Return a form that is at least dd in the Euclidean distance, and close to it."""
        if differ is not None:
            raise not_linear(f"the distance to disagreement under {self._distance}")
        point = self._numbers(u)
        return certified(Least(tuple(_away(side, point) for side in self._sides(u, output))))

    def _projected(
        self, u: tuple[Value, ...], output: Value
    ) -> tuple[list[Any], tuple[Fraction, ...]]:
        """Return the nearest input on the nearest side, with spots, and a direction beyond it."""
        point = self._numbers(u)
        sample = {name: _sampled(value) for name, value in point.items()}
        side = min(self._sides(u, output), key=lambda one: _away(one, sample))
        slopes = {name: Fraction(q) for name, q in side.form.coefficients.items()}
        step = side.form.value(point) / sum(q * q for q in slopes.values())
        moved = {name: value - step * slopes.get(name, 0) for name, value in point.items()}
        towards = {name: -slopes.get(name, Fraction(0)) for name in point}
        pairs = zip(self._names, self._kinds, strict=True)
        return (
            [*self._filled(moved, self._finite(u))],
            tuple(towards[name] if kind is None else Fraction(0) for name, kind in pairs),
        )

    def _disagreeing(
        self, output: Value, differ: Differ | None
    ) -> Iterator[tuple[Polyhedron, tuple[Value, ...]]]:
        """Yield the polyhedra of inputs that disagree, with their finite values."""
        if self._ideal.is_partial:
            raise ValueRefusedError(
                "the ideal is partial, and the distance on inputs is l2",
                way_out="Use linf or l1, or an ideal that is defined everywhere.",
            )
        assert isinstance(self._ideal, IdealProgram)
        program = self._ideal.function
        for finite in self._finite_parts():
            rest = iter(finite)
            values = [
                Linear.symbol(name) if kind is None else next(rest)
                for name, kind in zip(self._names, self._kinds, strict=True)
            ]
            for piece in pieces(program.machine, assembled(program.inputs, values)):
                if differ is None or differ(piece.output):
                    for more in differences(piece.output, output, differ is not None):
                        if feasible((*piece.rows, *more)):
                            yield (*piece.rows, *more), finite

    def _defined(self, u: tuple[Value, ...]) -> Value | None:
        """Return the output at an input; None if the ideal is undefined there."""
        try:
            return self._ideal(u)
        except UndefinedError:
            if not self._ideal.is_partial:
                raise
            return None

    def approach(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> tuple[list[Any], tuple[Fraction, ...] | None] | None:
        """Return the entries of a nearest input, and if it does not disagree itself, a direction.

        Inputs a little further in the direction disagree. The entries may be spots, of which the
        sample decides what is nearest. None if no input at a finite distance disagrees.
        """
        reals = self._kinds.count(None)
        is_euclidean = self._distance.is_euclidean and len(self._kinds) > 1
        # With sums of distances, eliminating with symbols costs more than all single inputs do.
        is_searched = is_euclidean or self._is_bent or self._distance.adds
        is_searched = is_searched or self._multiplies or not 0 < reals <= _MOST_SYMBOLS
        if is_searched and not has_spots(u):
            found = self.nearest(u, output, differ)
            if found.input is None:
                return None
            given = found.input if len(self._mechanism.inputs) > 1 else (found.input,)
            listed = (List(one) if isinstance(one, list | tuple) else one for one in given)
            return entries(tuple(listed)), found.towards
        if self._is_bent:
            return entries(self._any_other(u, output, differ)), None
        if is_euclidean:
            return self._projected(u, output)
        here = self._numbers(u)
        sides = self._closure(u, output, differ)
        if sides is not None:
            sampled = {name: _sampled(value) for name, value in here.items()}
            place, way = beyond_side(sides, self._distance, here, sampled)
            there = [place[name] for name in self._names]
            if way is None:
                return there, None
            return there, tuple(way.get(name, Fraction(0)) for name in self._names)
        forms, known = self._described(u)
        sample = {name: _sampled(value) for name, value in known.items()}
        possible = [
            one
            for one in self._reaches(u, output, forms, every=differ is not None)
            if (differ is None or differ(one.output)) and one.distance(sample) != inf
        ]
        if not possible:
            return None
        best = min(possible, key=lambda one: one.distance(sample))
        largest = max(form.value(known) for form in best.forms) / Fraction(best.scale)
        stages = self._stages(best, known)
        values, attained = stages.solved({**known, DISTANCE: largest}, here)
        there = [*self._filled({**here, **values}, best.reach.finite)]
        if attained:
            return there, None
        near = {name: _sampled(value) for name, value in here.items()}
        inside, _ = stages.solved({**sample, DISTANCE: _sampled(largest) + 1}, near)
        both = zip(there, self._filled({**near, **inside}, best.reach.finite), strict=True)
        towards = tuple(
            Fraction(b) - _sampled(a) if kind is None else Fraction(0)
            for (a, b), kind in zip(both, self._kinds, strict=True)
        )
        return there, towards

    def _stages(self, reach: ReadyReach, parameters: Collection[Name]) -> Stages:
        """Return the conditions of a reach on the other input, unknown by unknown."""
        # By identity: reaches with other conditions may be equally long, and groups keep them all.
        kept = self._kept_stages.get(id(reach))
        if kept is None:
            rows = system(reach.reach, adds=self._distance.adds)
            kept = self._kept_stages[id(reach)] = Stages.of(rows, {*parameters, DISTANCE})
        return kept

    def _filled(self, numbers: Mapping[Name, Any], finite: tuple[Value, ...]) -> Iterator[Value]:
        rest = iter(finite)
        for name, kind in zip(self._names, self._kinds, strict=True):
            yield numbers[name] if kind is None else next(rest)

    def _beyond(self, point: Sequence[Value], towards: Sequence[Fraction]) -> Value:
        """Return the output arbitrarily close to a point in a direction."""
        both = zip(point, towards, strict=True)
        values = [x + Linear({_STEP: t}) if t else x for x, t in both]
        finite = tuple(x for x, k in zip(values, self._kinds, strict=True) if k is not None)
        graph = self._group(finite, None, every=True).graph
        numbers = dict(zip(self._names, values, strict=True))
        return _at_zero(followed(graph, numbers, _answer_beyond))


def _away(side: Halfspace, point: Mapping[Name, Any]) -> Any:
    """Return the Euclidean distance from a point to a side, or slightly more."""
    return side.form.value(point) / l2.width(side.form.coefficients.values())


_STEP = "a little"
_STEPS = (1, -1, 10, -10, 1000, -1000)  # by which inputs are moved to change a rounded output


def _answer_beyond(event: Compare, difference: Any) -> bool:
    if isinstance(difference, Linear):
        difference = difference.constant or difference.coefficients[_STEP]
    return COMPARISONS[event.op](difference, 0)


def _at_zero(output: Value) -> Value:
    if isinstance(output, tuple):
        return tuple(map(_at_zero, output))
    return output.constant if isinstance(output, Linear) else output


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


def _sampled(value: int | Fraction | Spot) -> int | Fraction:
    """Return a number, that of a spot at the sample."""
    return fraction(value.value) if isinstance(value, Spot) else value
