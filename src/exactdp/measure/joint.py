"""Densities of several variables: guarded sums over polyhedra.

A joint density is a sum of cells; a cell is a list of linear conditions and a sum of
c·ε^j·x^k·e^{a·x + qε} that counts where they hold. Everything is scaled by ε. One variable is
integrated out of a cell by splitting on which of its lower and which of its upper bounds is the
active one; cells without interior have no mass and are dropped by linear programming.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product as pairs
from typing import Any

from exactdp.measure.polyhedron import Condition, has_interior
from exactdp.measure.work import count, heard
from exactdp.reals import ExpPoly, Term, eps, parameter

Bound = tuple[dict[int, Fraction], Fraction]
"""Σ q·x + constant·ε, an end of the range of a variable."""


def name_of(variable: int) -> str:
    """Return the parameter that stands for a variable in a closed form."""
    return f"noise_{variable}"


@dataclass(frozen=True)
class Cell:
    """A density where all conditions hold, 0 elsewhere."""

    conditions: frozenset[Condition]
    density: ExpPoly

    def times(self, other: Cell) -> Cell:
        """Return the product of two cells."""
        return Cell(self.conditions | other.conditions, self.density * other.density)


@dataclass(frozen=True)
class Joint:
    """The sum of its cells."""

    cells: tuple[Cell, ...]

    @property
    def variables(self) -> frozenset[int]:
        """The variables that occur."""
        found: set[int] = set()
        for cell in self.cells:
            for one in cell.conditions:
                found |= one.variables
            noisy = [name for name in cell.density.parameters if name.startswith("noise_")]
            found |= {int(name.removeprefix("noise_")) for name in noisy}
        return frozenset(found)

    def times(self, other: Joint) -> Joint:
        """Return the product, without empty cells."""
        found = []
        for a, b in pairs(self.cells, other.cells):
            cell = a.times(b)
            count()
            if has_interior(cell.conditions):
                found.append(cell)
        return Joint(tuple(found))

    def restricted(self, conditions: list[Condition]) -> Joint:
        """Return the density where further conditions hold."""
        one = Cell(frozenset(conditions), ExpPoly(1))
        return self.times(Joint((one,)))

    def substituted(self, variable: int, form: dict[int, Fraction], constant: Fraction) -> Joint:
        """Return the density with Σ form·x + constant·ε for a variable."""
        value = scaled(constant)
        for name, q in form.items():
            value = value + q * parameter(name_of(name))
        cells = []
        for cell in self.cells:
            density = cell.density.substitute(**{name_of(variable): value})
            assert isinstance(density, ExpPoly)
            moved = frozenset(one.substituted(variable, form, constant) for one in cell.conditions)
            cells.append(Cell(moved, density))
        return Joint(tuple(cells))

    def renamed(self, names: dict[int, int]) -> Joint:
        """Return the density of renamed variables."""
        values = {name_of(v): parameter(name_of(w)) for v, w in names.items()}
        cells = []
        for cell in self.cells:
            density = cell.density.substitute(**values)
            assert isinstance(density, ExpPoly)
            cells.append(Cell(frozenset(one.renamed(names) for one in cell.conditions), density))
        return Joint(tuple(cells))

    def integrated(self, variable: int) -> Joint:
        """Return the density with one variable integrated out."""
        gathered: dict[frozenset[Condition], ExpPoly] = {}
        for cell in self.cells:
            for part in _integrated(cell, variable):
                known = gathered.get(part.conditions)
                gathered[part.conditions] = part.density if known is None else known + part.density
        return Joint(tuple(Cell(c, density) for c, density in gathered.items() if density))


def _integrated(cell: Cell, variable: int) -> list[Cell]:
    lower: list[Bound] = []
    upper: list[Bound] = []
    others = []
    for one in cell.conditions:
        q = one.coefficient(variable)
        if not q:
            others.append(one)
            continue
        form = {name: -c / q for name, c in one.coefficients if name != variable}
        (lower if q > 0 else upper).append((form, -one.constant / q))
    primitive = antiderivative(cell.density, name_of(variable))
    found = []
    for low in _active(lower, largest=True):
        for high in _active(upper, largest=False):
            conditions = [*others, *low[1], *high[1]]
            if low[0] is not None and high[0] is not None:
                conditions.append(_at_least(high[0], low[0]))
            count()
            if not has_interior(conditions):
                continue
            density = _at(primitive, variable, high[0]) - _at(primitive, variable, low[0])
            if heard():
                count(cells=1, terms=len(density.terms))
            found.append(Cell(frozenset(c for c in conditions if c.coefficients), density))
    return found


def _active(bounds: list[Bound], *, largest: bool) -> list[tuple[Bound | None, list[Condition]]]:
    """Return each bound with the conditions under which it is the largest (or smallest)."""
    if not bounds:
        return [(None, [])]
    # Equal bounds would both be active: the first stands for all.
    different = [one for j, one in enumerate(bounds) if one not in bounds[:j]]
    result: list[tuple[Bound | None, list[Condition]]] = []
    for one in different:
        conditions = [
            _at_least(one, other) if largest else _at_least(other, one)
            for other in different
            if other is not one
        ]
        result.append((one, conditions))
    return result


def _at_least(one: Bound, two: Bound) -> Condition:
    """Return the condition one ≥ two."""
    form = dict(one[0])
    for name, q in two[0].items():
        form[name] = form.get(name, Fraction(0)) - q
    return Condition.of(form, one[1] - two[1])


def _at(primitive: ExpPoly, variable: int, bound: Bound | None) -> ExpPoly:
    """Return the antiderivative at a bound; at ±∞ it is 0, because densities decay."""
    if bound is None:
        return ExpPoly(0)
    form, constant = bound
    value = scaled(constant)
    for name, q in form.items():
        value = value + q * parameter(name_of(name))
    result = primitive.substitute(**{name_of(variable): value})
    assert isinstance(result, ExpPoly)
    return result


def scaled(constant: Any) -> ExpPoly:
    """Return a constant as a closed form: a rational stands for that times ε."""
    found: ExpPoly = (
        eps * constant if isinstance(constant, int | Fraction) else constant.closed_form()
    )
    return found


def antiderivative(form: ExpPoly, name: str) -> ExpPoly:
    """Return a sum whose derivative by the parameter is the form (see `frame.antiderivative`)."""
    terms = []
    for coefficient, powers, rates in form.terms:
        rate = dict(rates).get(name, Fraction(0))
        k = dict(powers).get(name, 0)
        rest = tuple(entry for entry in powers if entry[0] != name)
        if rate == 0:
            terms.append(Term(coefficient / (k + 1), (*rest, (name, k + 1)), rates))
            continue
        value = coefficient / rate
        for i in range(k, -1, -1):
            mine = ((name, i),) if i else ()
            terms.append(Term(value, (*rest, *mine), rates))
            value = -value * i / rate
    return ExpPoly(terms)
