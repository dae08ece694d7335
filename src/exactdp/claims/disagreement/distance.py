"""The distance to disagreement (Definition 1): from an input to those with another ideal output.

The ideal is piecewise linear, and so is the distance on inputs. `ways` finds the distance to other
outputs, with a symbol for each number of u, once for all inputs at which the comparisons of the
ideal have the same answers. At each input, only linear forms are evaluated. If an input has many
numbers, these are used instead of symbols. This module chooses the method for an ideal, a distance
and an input.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.claims.disagreement.boxed import (
    BoxedDistance,
    distance_to_disagreement,
    over_the_border,
)
from exactdp.claims.disagreement.closer import closer, simple_places
from exactdp.claims.disagreement.closures import (
    Closures,
    are_closures,
    beyond_side,
    distance_to_side,
    dual_norm,
    of_selection,
)
from exactdp.claims.disagreement.constraints import DISTANCE
from exactdp.claims.disagreement.euclidean import EuclideanDisagreements
from exactdp.claims.disagreement.finite import FiniteSearch
from exactdp.claims.disagreement.ideal_graphs import IdealGraphs
from exactdp.claims.disagreement.nearest import Differ, Disagreement, disagrees
from exactdp.claims.disagreement.reaches import system, told_apart
from exactdp.claims.disagreement.symbolic_runs import unknown_neighbours
from exactdp.claims.disagreement.ways import Ways
from exactdp.claims.stated.distances import Distance, InputDistance, NonlinearDistance, not_linear
from exactdp.claims.stated.enclosing import Enclosures
from exactdp.claims.stated.ideals import IdealProgram, NonlinearIdeal
from exactdp.claims.stated.inputs import as_given
from exactdp.errors import UndefinedError, ValueRefusedError, shown
from exactdp.language.layout import assembled, entries
from exactdp.language.linear import Linear
from exactdp.language.values import List, Value
from exactdp.polyhedra.elimination import solution
from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Polyhedron
from exactdp.reals.numbers import inf
from exactdp.reals.square_roots import at_least
from exactdp.semantics.spots import at_sample, has_spots, symbolic, trace_of

if TYPE_CHECKING:
    from exactdp.claims.stated.ideals import IdealFunction
    from exactdp.language.program import Program

_MOST_CLOSURES = 500  # ideal outputs whose inputs are found at once
_MOST_SYMBOLS = 12  # numbers of an input for which distances are found once and for all
_STEPS = (1, -1, 10, -10, 1000, -1000)  # by which inputs are moved to change a rounded output


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
        self._graphs = IdealGraphs(mechanism, ideal)
        self._kinds, self._names = self._graphs.kinds, self._graphs.names
        self._engine = self._graphs.engine
        self._ways = Ways(self._graphs, distance)
        self._euclidean = EuclideanDisagreements(self._graphs, distance)
        self._search = FiniteSearch(mechanism, ideal, distance)
        self._last: tuple[Value, ...] | None = None

    @property
    def _multiplies(self) -> bool:
        """Whether the ideal or the distance multiplies reals."""
        is_squared = isinstance(self._distance, NonlinearDistance)
        return is_squared or isinstance(self._ideal, NonlinearIdeal)

    @cached_property
    def _is_euclidean(self) -> bool:
        """Whether the distance is not linear, but a root; that of one number is linear."""
        return self._distance.is_euclidean and len(self._kinds) > 1

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
        if self._is_euclidean:
            if is_symbolic:
                return self._euclidean.bound(u, output, differ)
            return self._euclidean.nearest(u, output, differ).distance
        sides = self._closure(u, output, differ)
        if sides is not None:
            return distance_to_side(sides, self._norm, self._graphs.numbers(u))
        if reals > _MOST_SYMBOLS and not is_symbolic:
            return self._ways.nearest(u, output, differ)[0]
        here, point = self._described(u)
        possible = self._ways.reaches(u, output, here, every=differ is not None)
        if differ is not None:
            possible = tuple(one for one in possible if differ(one.output))
        if is_symbolic:
            return self._ways.certified(point, list(possible))
        found = min((one.distance(point) for one in possible), default=inf)
        return found if found == inf else self._ways.checked(Fraction(found) / possible[0].scale, u)

    @cached_property
    def is_by_forms(self) -> bool:
        """Whether dd at an input of numbers is the least value of linear forms in these."""
        if any(self._kinds) or not 0 < len(self._kinds) <= _MOST_SYMBOLS:
            return False
        if self._multiplies or self._is_bent or not self._distance.by_entry:
            return False
        return not self._is_euclidean and not self._distance.is_all_or_nothing

    def read(self, output: Value) -> frozenset[int]:
        """Return the places of the numbers on which dd depends at inputs with an ideal output.

        Distances are by entry, so other inputs need not differ in numbers that are not read on the
        way to the output, or to where this is left.
        """
        read = self._graphs.group((), output, every=False).graph.mentions[0]
        return frozenset(place for place, name in enumerate(self._names) if name in read)

    def _described(self, u: tuple[Value, ...]) -> tuple[Mapping[str, Any], dict[Name, Any]]:
        """Return the real numbers of an input as forms, and the values of the symbols in these.

        Each number is a symbol. If there are many, and they are spots, their parameters are the
        symbols: these are few.
        """
        numbers = self._graphs.numbers(u)
        if len(numbers) > _MOST_SYMBOLS and has_spots(u):
            trace = trace_of(u)
            # Parameters may have the names of entries, which are those of the other input.
            own = {name: f"{name} as a parameter" for name in trace.names}
            here = {name: _renamed(symbolic(value), own) for name, value in numbers.items()}
            return here, {own[name]: trace.spot(name) for name in trace.names}
        return self._ways.symbols, {self._ways.own[name]: value for name, value in numbers.items()}

    def _closure(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> Polyhedron | None:
        """Return the closure of the inputs with an output, if it is known.

        It is used for spots with fewer parameters than numbers, or many: otherwise forms for all
        inputs divide cells less. For numbers, forms for all inputs are faster, unless differences
        are added, which is slow to eliminate.
        """
        if differ is not None or not self._has_sides:
            return None
        if not has_spots(u):
            if not self._distance.adds:
                return None
            sides = self._graphs.group((), output, every=False).sides
            if sides is not None:
                return sides
        elif len(self._kinds) <= _MOST_SYMBOLS and len(trace_of(u).names) > len(self._kinds):
            return None
        return None if self._closures is None else self._closures.get(told_apart(output))

    @cached_property
    def _has_sides(self) -> bool:
        """Whether closures of the inputs with an output are looked for."""
        if self._norm is None or any(self._kinds) or self._multiplies or self._is_bent:
            return False
        return not self._graphs.releases and not self._ideal.is_partial

    @cached_property
    def _closures(self) -> Closures | None:
        """The closure of the inputs with each ideal output; None if they are not known."""
        program = self._ideal.program
        if program is None or not self._has_sides:
            return None
        selection = self._engine.selection
        known = None if selection is None else of_selection(selection)
        if known is not None:
            return known
        given = assembled(program.inputs, [0] * len(self._kinds))
        outputs = self._engine.outputs_up_to(_MOST_CLOSURES, given)
        if outputs is None:
            return None
        enclosures = program.kept(Enclosures)
        around = {told_apart(one): enclosures.of(given, one) for one in outputs}
        found: dict[Hashable, Polyhedron]
        found = {key: one.sides for key, one in around.items() if one is not None}
        return found if len(found) == len(around) and are_closures(found) else None

    @cached_property
    def _norm(self) -> Any:
        """The norm dual to the distance; None if it is not known."""
        return dual_norm(self._distance)

    def _far(self, u: tuple[Value, ...], other: tuple[Value, ...]) -> Fraction:
        """Return the distance to another input, if all others are at the same distance."""
        return Fraction(self._distance.between([*map(at_sample, entries(u))], entries(other)))

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
        own = [*map(at_sample, entries(u))]
        reals = [place for place, kind in enumerate(self._kinds) if kind is None]
        for moved in reals:
            steps = (*_STEPS, *(by - own[moved] % 1 for by in (0, *_STEPS)))
            for by in steps:
                there = [x + by if place == moved else x for place, x in enumerate(own)]
                other = assembled(self._mechanism.inputs, there)
                out = self._graphs.defined(other)
                if out is not None and disagrees(out, output, differ):
                    return other
        return None

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

    # A nearest input --------------------------------------------------------------------

    def _by_boxes(
        self,
        u: tuple[Value, ...],
        output: Value,
        differ: Differ | None,
        room: Fraction | None = None,
    ) -> BoxedDistance:
        """Return dd(u) and an input that disagrees, by values for spans of inputs.

        If room is given, the input is one that is close, if possible not further than that, and
        the same one is returned again later.
        """
        ideal = self._ideal
        if not isinstance(ideal, NonlinearIdeal | IdealProgram):
            raise not_linear(f"the distance {self._distance}, which multiplies reals,")

        def differs(given: Sequence[Any]) -> bool:
            try:
                other = ideal.at(assembled(self._mechanism.inputs, given))
            except UndefinedError:
                return False
            return disagrees(other, output, differ)

        source = ideal.function if isinstance(ideal, NonlinearIdeal) else str(ideal.function)
        metric = self._distance
        named = metric.function if isinstance(metric, NonlinearDistance) else metric
        known = self._mechanism.kept(_Boxed).found if differ is None else {}
        key = u, source, named
        point = [Fraction(x) for x in entries(u)]
        if key not in known:
            known[key] = distance_to_disagreement(point, differs, metric)
        found = known[key]
        if room is not None and differ is None and found.other is not None and not found.way:
            wanted = at_least(found.distance, room) * (1 + room)
            if found.reach > wanted:
                far = self._far_from(point)
                place = closer(point, found.other, differs, far, wanted)
                known[key] = found._replace(other=place, reach=far(place))
                for near in simple_places(place):
                    is_nearest = metric.between(point, near) == found.distance
                    if is_nearest and (way := over_the_border(near, differs)) is not None:
                        known[key] = BoxedDistance(found.distance, near, way, far(near))
                        break
        return known[key]

    def _far_from(self, point: list[Fraction]) -> Callable[[Sequence[Fraction]], Fraction]:
        """Return the distance from a point as a function, or a rational just above it."""
        return lambda other: Fraction(at_least(self._distance.between(point, other)))

    def reach(
        self,
        u: tuple[Value, ...],
        output: Value,
        differ: Differ | None,
        distance: Distance,
        room: Fraction,
    ) -> Distance:
        """Return a rational at which an input disagrees, or is a limit of those that do.

        It is not below dd, and if possible, by a factor, not further above it than room.
        """
        if not self._multiplies or None not in self._kinds or distance == inf:
            return at_least(distance, room)
        return self._by_boxes(u, output, differ, room).reach

    def nearest(self, u: tuple[Value, ...], output: Value, differ: Differ | None) -> Disagreement:
        """Return dd(u) with a nearest disagreeing input."""
        if self._multiplies and None in self._kinds:
            distance, place, way, _ = self._by_boxes(u, output, differ)
            if place is None:
                return Disagreement(inf, None, None, attained=False)
            other = assembled(self._mechanism.inputs, place)
            shown_as = self._graphs.shown(other)
            towards = tuple(map(Fraction, way)) if any(way) else None
            is_near = self._distance.between([*map(Fraction, entries(u))], place) != distance
            return Disagreement(
                distance, shown_as, self._ideal(other), towards is None, towards, is_near
            )
        if not self._distance.by_entry:
            self._check_distance(u)
        if self._is_bent and None in self._kinds:
            other = self._any_other(u, output, differ)
            shown_as = self._graphs.shown(other)
            return Disagreement(self._far(u, other), shown_as, self._ideal(other), attained=True)
        if None not in self._kinds:
            distance, v = self._search.nearest(u, output, differ)
            if v is None:
                return Disagreement(inf, None, None, attained=False)
            given = self._graphs.shown(v)
            return Disagreement(distance, given, self._search.output(v), attained=True)
        if self._is_euclidean:
            return self._euclidean.nearest(u, output, differ)
        distance, reach, finite = self._ways.nearest(u, output, differ)
        if reach is None:
            return Disagreement(inf, None, None, attained=False)
        numbers = self._graphs.numbers(u)
        rows = system(reach, adds=self._distance.adds)
        tight = [row.at({DISTANCE: distance}) for row in rows]
        solved = solution(tight, numbers)
        if solved is None:
            solved = solution((row.closed() for row in tight), numbers)
        assert solved is not None
        point = [*self._graphs.filled({**numbers, **solved}, finite)]

        def is_there(out: Value) -> bool:
            there = self._distance.between(entries(u), point)
            return there == distance and disagrees(out, output, differ)

        inside = [row.at({DISTANCE: distance + 1}) for row in rows]
        return self._graphs.nearest_at(distance, point, is_there, inside, numbers)

    def approach(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> tuple[list[Any], tuple[Fraction, ...] | None] | None:
        """Return the entries of a nearest input, and if it does not disagree itself, a direction.

        Inputs a little further in the direction disagree. The entries may be spots, of which the
        sample decides what is nearest. None if no input at a finite distance disagrees.
        """
        reals = self._kinds.count(None)
        # With sums of distances, eliminating with symbols costs more than all single inputs do.
        is_searched = self._is_euclidean or self._is_bent or self._distance.adds
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
        if self._is_euclidean:
            return self._euclidean.projected(u, output)
        here = self._graphs.numbers(u)
        sides = self._closure(u, output, differ)
        if sides is not None:
            sampled = {name: at_sample(value) for name, value in here.items()}
            place, way = beyond_side(sides, self._distance, here, sampled)
            there = [place[name] for name in self._names]
            if way is None:
                return there, None
            return there, tuple(way.get(name, Fraction(0)) for name in self._names)
        forms, known = self._described(u)
        sample = {name: at_sample(value) for name, value in known.items()}
        possible = [
            one
            for one in self._ways.reaches(u, output, forms, every=differ is not None)
            if (differ is None or differ(one.output)) and one.distance(sample) != inf
        ]
        if not possible:
            return None
        best = min(possible, key=lambda one: one.distance(sample))
        largest = max(form.value(known) for form in best.forms) / Fraction(best.scale)
        stages = self._ways.stages(best, known)
        values, attained = stages.solved({**known, DISTANCE: largest}, here)
        there = [*self._graphs.filled({**here, **values}, best.reach.finite)]
        if attained:
            return there, None
        near = {name: at_sample(value) for name, value in here.items()}
        inside, _ = stages.solved({**sample, DISTANCE: at_sample(largest) + 1}, near)
        aim = self._graphs.filled({**near, **inside}, best.reach.finite)
        return there, self._graphs.towards(there, aim)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    return value.renamed(names) if isinstance(value, Linear) else value
