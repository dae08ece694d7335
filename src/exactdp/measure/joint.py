"""Densities of several variables: guarded sums over polyhedra.

A joint density is a sum of cells; a cell is a list of linear conditions and a sum of
c·ε^j·x^k·e^{a·x + qε} that counts where they hold. Everything is scaled by ε. One variable is
integrated out of a cell by a case split on its active lower and upper bound; cells without
interior, found by linear programming, have no mass and are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product as pairs
from typing import Any

from exactdp.measure.work import count, heard
from exactdp.polyhedra.combination import has_interior
from exactdp.polyhedra.elimination import room
from exactdp.polyhedra.form import Form
from exactdp.polyhedra.halfspace import Halfspace, at_least
from exactdp.reals import ClosedForm, ExpPoly, ExpTerm, eps, parameter
from exactdp.reals.exp_term import integrated


def name_of(variable: int) -> str:
    """Return the parameter that stands for a variable in a closed form."""
    return f"noise_{variable}"


def noise_in(density: ClosedForm) -> set[int]:
    """Return the variables that a density depends on."""
    noisy = [name for name in density.parameters if name.startswith("noise_")]
    return {int(name.removeprefix("noise_")) for name in noisy}


def with_names(density: ClosedForm, names: Mapping[int, int]) -> ClosedForm:
    """Return a density of renamed variables."""
    return density.substitute(**{name_of(v): parameter(name_of(w)) for v, w in names.items()})


def at_form(density: ClosedForm, variable: int, form: Form) -> ClosedForm:
    """Return a density with a variable replaced by a linear form."""
    value = scaled(form.constant)
    for name, q in form.coefficients.items():
        value = value + q * parameter(name_of(name))
    return density.substitute(**{name_of(variable): value})


@dataclass(frozen=True)
class JointCell:
    """A density where all conditions hold, 0 elsewhere."""

    conditions: frozenset[Halfspace]
    density: Any
    """An `ExpPoly`; a `SurdSum` if rates are irrational."""

    def times(self, other: JointCell) -> JointCell:
        """Return the product of two cells."""
        return JointCell(self.conditions | other.conditions, self.density * other.density)


@dataclass(frozen=True)
class Joint:
    """The sum of its cells."""

    cells: tuple[JointCell, ...]

    @property
    def variables(self) -> frozenset[int]:
        """The variables that occur."""
        found: set[int] = set()
        for cell in self.cells:
            for one in cell.conditions:
                found |= one.variables
            found |= noise_in(cell.density)
        return frozenset(found)

    def times(self, other: Joint) -> Joint:
        """Return the product, without empty cells."""
        found = []
        for a, b in pairs(self.cells, other.cells):
            cell = a.times(b)
            count()
            if has_room(cell.conditions):
                found.append(cell)
        return Joint(tuple(found))

    def restricted(self, conditions: list[Halfspace]) -> Joint:
        """Return the density restricted by further conditions."""
        one = JointCell(frozenset(conditions), ExpPoly(1))
        return self.times(Joint((one,)))

    def substituted(self, variable: int, form: Form) -> Joint:
        """Return the density with a variable replaced by a linear form."""
        cells = []
        for cell in self.cells:
            moved = [one.substituted({variable: form}) for one in cell.conditions]
            if all(one.variables or one.form.constant > 0 for one in moved):
                left = frozenset(one for one in moved if one.variables)
                cells.append(JointCell(left, at_form(cell.density, variable, form).numerator))
        return Joint(tuple(cells))

    def renamed(self, names: dict[int, int]) -> Joint:
        """Return the density of renamed variables."""
        return Joint(
            tuple(
                JointCell(
                    frozenset(one.renamed(names) for one in cell.conditions),
                    with_names(cell.density, names).numerator,
                )
                for cell in self.cells
            )
        )

    def integrated(self, variable: int) -> Joint:
        """Return the density with one variable integrated out."""
        gathered: dict[frozenset[Halfspace], ExpPoly] = {}
        for cell in self.cells:
            for part in _integrated(cell, variable):
                known = gathered.get(part.conditions)
                gathered[part.conditions] = part.density if known is None else known + part.density
        return Joint(tuple(JointCell(c, density) for c, density in gathered.items() if density))


def _integrated(cell: JointCell, variable: int) -> list[JointCell]:
    mine = [one for one in cell.conditions if variable in one.variables]
    others = [one for one in cell.conditions if variable not in one.variables]
    lower = [one.end(variable) for one in mine if one.coefficient(variable) > 0]
    upper = [one.end(variable) for one in mine if one.coefficient(variable) < 0]
    primitive = antiderivative(cell.density, name_of(variable))
    found = []
    for low, high, where in ranges(lower, upper):
        conditions = [*others, *where]
        count()
        if not has_room(conditions):
            continue
        density = _at(primitive, variable, high) - _at(primitive, variable, low)
        if heard():
            count(cells=1, terms=len(density.terms))
        found.append(JointCell(frozenset(c for c in conditions if c.variables), density))
    return found


def ranges(
    lower: Sequence[Form], upper: Sequence[Form], *, first: bool = False
) -> Iterator[tuple[Form | None, Form | None, list[Halfspace]]]:
    """Yield the ends that a range can have, and the conditions under which it has them.

    If several bounds are equal, each of them is an end, or only the first.
    """
    for low, is_low in _active(lower, first, largest=True):
        for high, is_high in _active(upper, first, largest=False):
            where = [*is_low, *is_high]
            if low is not None and high is not None:
                where.append(at_least(high, low))
            yield low, high, where


def _active(
    bounds: Sequence[Form], first: bool, *, largest: bool
) -> Iterator[tuple[Form | None, list[Halfspace]]]:
    """Yield each bound with the conditions under which it is the largest (or smallest)."""
    different = list(dict.fromkeys(bounds))  # equal bounds would all be active
    for j, one in enumerate(different):
        where = []
        for k, two in enumerate(different):
            if k != j:
                pair = (one, two) if largest else (two, one)
                where.append(at_least(*pair, strict=first and k < j))
        yield one, where
    if not different:
        yield None, []


def _at(primitive: ExpPoly, variable: int, bound: Form | None) -> ExpPoly:
    """Return the antiderivative at a bound; at ±∞ it is 0, because densities decay."""
    return ExpPoly(0) if bound is None else at_form(primitive, variable, bound).numerator


def has_room(conditions: Iterable[Halfspace]) -> bool:
    """Whether some point satisfies all conditions strictly.

    If their constants have parameters, variables are eliminated, so that only the constants that
    decide are compared, and nothing that changes when all variables are shifted.
    """
    listed = list(conditions)
    if all(isinstance(one.form.constant, int | Fraction) for one in listed):
        return has_interior(listed)
    constants = room(Halfspace(one.form, strict=True) for one in listed)
    if not constants:
        return constants is not None
    least = min(constants, key=lambda one: one.value)  # compares nothing: values at the sample
    if least.value <= 0:
        return bool(least > 0)
    return all(one > 0 for one in constants)


def scaled(constant: Any) -> ExpPoly:
    """Return a constant as a closed form: a rational q stands for q·ε."""
    found: ExpPoly = (
        eps * constant if isinstance(constant, int | Fraction) else constant.closed_form()
    )
    return found


def antiderivative(form: Any, name: str) -> Any:
    """Return a sum whose derivative in the parameter is the form (see `frame.antiderivative`)."""
    if not isinstance(form, ExpPoly):
        return form.antiderivative(name)
    terms = []
    for coefficient, powers, rates in form.terms:
        rest = tuple(entry for entry in powers if entry[0] != name)
        power, rate = dict(powers).get(name, 0), dict(rates).get(name, 0)
        for k, value in integrated(power, rate, coefficient):
            terms.append(ExpTerm(value, (*rest, (name, k)), rates))
    return ExpPoly(terms)
