"""dd in the Euclidean distance: the nearest points of the pieces of the ideal.

At an input it is a square root. For all reals it is bounded from above by a linear form, the
distance to the nearest side of a polyhedron around the inputs with the same output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from exactdp.claims.disagreement.bounds import Least, certified
from exactdp.claims.disagreement.ideal_graphs import IdealGraphs
from exactdp.claims.disagreement.nearest import Differ, Disagreement, disagrees
from exactdp.claims.disagreement.reaches import differences
from exactdp.claims.stated.distances import Distance, InputDistance, l2, not_linear
from exactdp.claims.stated.enclosing import enclosed
from exactdp.claims.stated.ideals import IdealProgram
from exactdp.claims.stated.pieces import pieces
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, entries
from exactdp.language.linear import Linear
from exactdp.language.values import Value
from exactdp.polyhedra.elimination import feasible
from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.polyhedra.projection import MOST_CONDITIONS, nearest_point
from exactdp.reals.numbers import inf
from exactdp.semantics.spots import at_sample


class EuclideanDisagreements:
    """Distances to disagreement of one ideal function in the Euclidean distance."""

    def __init__(self, graphs: IdealGraphs, distance: InputDistance) -> None:
        self._graphs, self._distance = graphs, distance

    def nearest(self, u: tuple[Value, ...], output: Value, differ: Differ | None) -> Disagreement:
        """Return dd in the Euclidean distance, the minimum over all pieces, and a nearest input."""
        numbers, own = self._graphs.numbers(u), entries(u)
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
            point = [*self._graphs.filled(there, finite)]
            distance = self._distance.between(own, point)
            if best is None or distance < best[0]:
                best = distance, point, rows
        if best is None:
            return Disagreement(inf, None, None, attained=False)
        distance, point, rows = best

        def is_there(out: Value) -> bool:
            return disagrees(out, output, differ)

        return self._graphs.nearest_at(distance, point, is_there, rows, numbers)

    def bound(self, u: tuple[Value, ...], output: Value, differ: Differ | None) -> Distance:
        """Return a form that is at least dd in the Euclidean distance, and close to it."""
        if differ is not None:
            raise not_linear(f"the distance to disagreement under {self._distance}")
        point = self._graphs.numbers(u)
        return certified(Least(tuple(_away(side, point) for side in self._sides(u, output))))

    def projected(
        self, u: tuple[Value, ...], output: Value
    ) -> tuple[list[Any], tuple[Fraction, ...]]:
        """Return the nearest input on the nearest side, with spots, and a direction beyond it."""
        point = self._graphs.numbers(u)
        sample = {name: at_sample(value) for name, value in point.items()}
        side = min(self._sides(u, output), key=lambda one: _away(one, sample))
        slopes = {name: Fraction(q) for name, q in side.form.coefficients.items()}
        step = side.form.value(point) / sum(q * q for q in slopes.values())
        moved = {name: value - step * slopes.get(name, 0) for name, value in point.items()}
        towards = {name: -slopes.get(name, Fraction(0)) for name in point}
        pairs = zip(self._graphs.names, self._graphs.kinds, strict=True)
        return (
            [*self._graphs.filled(moved, self._graphs.finite(u))],
            tuple(towards[name] if kind is None else Fraction(0) for name, kind in pairs),
        )

    def _sides(self, u: tuple[Value, ...], output: Value) -> Polyhedron:
        """Return halfspaces around the inputs with an output: beyond each of them all disagree."""
        around = None
        if not self._graphs.releases and not self._graphs.ideal.is_partial:
            around = enclosed(self._graphs.group(self._graphs.finite(u), output, every=False).graph)
        if around is None or not around.sides:
            raise not_linear(f"the distance to disagreement under {self._distance}")
        return around.sides

    def _disagreeing(
        self, output: Value, differ: Differ | None
    ) -> Iterator[tuple[Polyhedron, tuple[Value, ...]]]:
        """Yield the polyhedra of inputs that disagree, with their finite values."""
        assert isinstance(self._graphs.ideal, IdealProgram)
        program = self._graphs.ideal.function
        for finite in self._graphs.finite_parts():
            rest = iter(finite)
            values = [
                Linear.symbol(name) if kind is None else next(rest)
                for name, kind in zip(self._graphs.names, self._graphs.kinds, strict=True)
            ]
            given = assembled(program.inputs, values)
            is_partial = self._graphs.ideal.is_partial
            for piece in pieces(program.machine, given, is_partial=is_partial):
                if differ is None or differ(piece.output):
                    for more in differences(piece.output, output, differ is not None):
                        if feasible((*piece.rows, *more)):
                            yield (*piece.rows, *more), finite


def _away(side: Halfspace, point: Mapping[Name, Any]) -> Any:
    """Return the Euclidean distance from a point to a side, or slightly more."""
    return side.form.value(point) / l2.width(side.form.coefficients.values())
