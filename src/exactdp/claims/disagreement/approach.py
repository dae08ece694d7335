"""Finds a point of a polyhedron with parameters by back-substitution after an elimination."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.polyhedra.elimination import project, tightest
from exactdp.polyhedra.form import Name
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron


@dataclass(frozen=True)
class Stages:
    """The unknowns, each with the conditions that remain after eliminating all later ones."""

    stages: tuple[tuple[Name, Polyhedron], ...]

    @classmethod
    def of(cls, rows: Polyhedron, parameters: Collection[Name]) -> Stages:
        """Return the stages of a polyhedron, in which all names but the parameters are unknown."""
        names = dict.fromkeys(name for row in rows for name in row.form.coefficients)
        found: list[tuple[Name, Polyhedron]] = []
        for name in names:
            if name not in parameters:
                own = tuple(row for row in rows if row.coefficient(name))
                left = project(own, [name])
                assert left is not None
                found.append((name, own))
                rows = tightest((*(row for row in rows if not row.coefficient(name)), *left))
        return cls(tuple(reversed(found)))

    def solved(
        self, point: Mapping[Name, Any], wish: Mapping[str, Any]
    ) -> tuple[dict[Name, Any], bool]:
        """Return values of the unknowns, and whether all conditions hold there.

        Otherwise strict ones hold with equality. The numbers may be spots.
        """
        known: dict[Name, Any] = dict(point)
        attained = True
        for name, rows in self.stages:
            lower, upper = (
                [(row.end(name).value(known), row.strict) for row in rows if is_one(row, name)]
                for is_one in (_bounds_below, _bounds_above)
            )
            low: Any = max((end for end, _ in lower), default=None)
            high: Any = min((end for end, _ in upper), default=None)
            value = wish.get(str(name), 0)
            if low is not None and (value < low or (value == low and (low, True) in lower)):
                value = low
            elif high is not None and (value > high or (value == high and (high, True) in upper)):
                value = high
            is_open = (value, True) in lower or (value, True) in upper
            if is_open and low is not None and low == high:
                attained = False
            elif is_open and attained:
                if low is not None and high is not None:
                    value = (low + high) / Fraction(2)
                else:
                    value = value - 1 if low is None else value + 1
            known[name] = value
        return {name: known[name] for name, _ in self.stages}, attained


def _bounds_below(row: Halfspace, name: Name) -> bool:
    return row.coefficient(name) > 0


def _bounds_above(row: Halfspace, name: Name) -> bool:
    return row.coefficient(name) < 0
