"""Masses on integer noise: guarded sums over the integer points of polyhedra.

A mass is a sum of cells. A cell has integer linear conditions and a density, a sum of
f(ε)·∏ z^k·e^{a·ε·z} with closed forms f; it counts where the conditions hold. A variable z may be
confined to a residue class: then the cell speaks of z′ with z = modulus·z′ + residue. One variable
is summed out by splitting the others into residue classes until its bounds are integers, then on
which lower and which upper bound is the active one, and by geometric sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product as tuples
from math import comb, gcd, lcm

from exactdp.measure.work import count
from exactdp.polyhedra.form import Form, Number
from exactdp.polyhedra.halfspace import Halfspace, at_least
from exactdp.polyhedra.program import has_interior
from exactdp.reals import ClosedForm, ExpPoly, eps, exp

Monomial = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, Fraction], ...]]
"""∏ z^k and the rates a of e^{a·ε·z}, both by variable."""


@dataclass(frozen=True)
class LatticeCell:
    """A density on the integer points that satisfy all bounds, which are `sharpened`."""

    bounds: frozenset[Halfspace]
    density: dict[Monomial, ClosedForm]
    residues: dict[int, tuple[int, int]]

    @property
    def variables(self) -> frozenset[int]:
        """The variables that occur."""
        found = set(self.residues)
        for one in self.bounds:
            found |= one.variables
        for powers, rates in self.density:
            found |= {name for name, _ in (*powers, *rates)}
        return frozenset(found)

    def is_empty(self) -> bool:
        """Whether linear programming shows that there is no point.

        Integer points of a bound are inside of it when it is moved outward by 1/2.
        """
        return not has_interior(Halfspace(one.form + Fraction(1, 2)) for one in self.bounds)

    def substituted(self, variable: int, form: Form) -> LatticeCell:
        """Return the cell with an integer form for a variable; its residue class is forgotten."""
        density: dict[Monomial, ClosedForm] = {}
        for (powers, rates), factor in self.density.items():
            k, rate = dict(powers).get(variable, 0), dict(rates).get(variable, Fraction(0))
            rest = tuple(entry for entry in powers if entry[0] != variable)
            moved = {name: a for name, a in rates if name != variable}
            for name, c in form.coefficients.items():
                moved[name] = moved.get(name, Fraction(0)) + rate * c
            scale = factor * exp(rate * form.constant * eps)
            for new_powers, number in _power(form, k):
                key = _product(rest, new_powers), _clean(moved)
                _add(density, key, scale * number)
        residues = {name: r for name, r in self.residues.items() if name != variable}
        bounds = frozenset(one.substituted({variable: form}).sharpened() for one in self.bounds)
        return LatticeCell(bounds, density, residues)

    def split(self, variable: int, modulus: int) -> Iterator[LatticeCell]:
        """Yield the cell on each residue class of a variable, finer by a factor."""
        old_modulus, old_residue = self.residues.get(variable, (1, 0))
        for r in range(modulus):
            part = self.substituted(variable, Form({variable: modulus}, r)) if modulus > 1 else self
            residues = {**part.residues}
            residues[variable] = old_modulus * modulus, old_residue + old_modulus * r
            yield replace(part, residues=residues)

    def refined(self, variable: int, modulus: int, residue: int) -> LatticeCell | None:
        """Return the cell on a residue class of a modulus that its own divides, None if empty."""
        own, mine = self.residues.get(variable, (1, 0))
        if (residue - mine) % own:
            return None
        r = (residue - mine) // own
        part = self.substituted(variable, Form({variable: modulus // own}, r))
        return replace(part, residues={**part.residues, variable: (modulus, residue)})

    def bounded(self, bound: Halfspace) -> LatticeCell:
        """Return the cell with a bound on the variables themselves."""
        forms = {name: Form({name: m}, r) for name, (m, r) in self.residues.items()}
        return replace(self, bounds=self.bounds | {bound.substituted(forms).sharpened()})


@dataclass(frozen=True)
class Lattice:
    """The sum of its cells."""

    cells: tuple[LatticeCell, ...]

    @property
    def variables(self) -> frozenset[int]:
        """The variables that occur."""
        return frozenset().union(*(cell.variables for cell in self.cells))

    def times(self, other: Lattice) -> Lattice:
        """Return the product of two masses."""
        found = []
        for one, two in tuples(self.cells, other.cells):
            count()
            found += _times(one, two)
        return Lattice(tuple(cell for cell in found if not cell.is_empty()))

    def restricted(self, bounds: list[Halfspace]) -> Lattice:
        """Return the mass where further bounds hold."""
        cells = []
        for cell in self.cells:
            for one in bounds:
                cell = cell.bounded(one)  # noqa: PLW2901 the cell narrows
            if not cell.is_empty():
                cells.append(cell)
        return Lattice(tuple(cells))

    def renamed(self, names: dict[int, int]) -> Lattice:
        """Return the mass on renamed variables."""
        return Lattice(
            tuple(
                LatticeCell(
                    frozenset(one.renamed(names) for one in cell.bounds),
                    {
                        (
                            tuple(sorted((names[v], k) for v, k in powers)),
                            tuple(sorted((names[v], a) for v, a in rates)),
                        ): factor
                        for (powers, rates), factor in cell.density.items()
                    },
                    {names[v]: r for v, r in cell.residues.items()},
                )
                for cell in self.cells
            )
        )

    def summed(self, variable: int) -> Lattice:
        """Return the mass with one variable summed out."""
        gathered: dict[object, LatticeCell] = {}
        for cell in self.cells:
            for part in _summed(cell, variable):
                count(cells=1, terms=len(part.density))
                key = part.bounds, frozenset(part.residues.items())
                known = gathered.get(key)
                if known is not None:
                    density = dict(known.density)
                    for monomial, factor in part.density.items():
                        _add(density, monomial, factor)
                    part = replace(part, density=density)  # noqa: PLW2901 the cells are added
                gathered[key] = part
        return Lattice(tuple(cell for cell in gathered.values() if cell.density))

    def ranges(self, variable: int) -> list[tuple[int, int]] | None:
        """Return the range of the only variable in each cell, None if one is not bounded."""
        found = []
        for cell in self.cells:
            modulus, residue = cell.residues.get(variable, (1, 0))
            mine = cell.bounds
            lower = [_end(one, variable).constant for one in mine if one.coefficient(variable) > 0]
            upper = [_end(one, variable).constant for one in mine if one.coefficient(variable) < 0]
            if not lower or not upper:
                return None
            found.append((modulus * max(lower) + residue, modulus * min(upper) + residue))
        return found

    def number(self) -> ClosedForm:
        """Return the total of a mass without variables."""
        total: ClosedForm = ExpPoly(0)
        for cell in self.cells:
            if all(one.form.constant >= 0 for one in cell.bounds):
                for factor in cell.density.values():
                    total = total + factor
        return total


def discrete_laplace(variable: int, rate: Fraction, mean: int) -> Lattice:
    """Return e^{−rate·ε·|z − mean|}; its sum is (1 + e^{−rate·ε})/(1 − e^{−rate·ε})."""
    cells = []
    for sign, start in ((1, mean), (-1, mean - 1)):
        bound = Halfspace.of({variable: sign}, -sign * start)
        monomial: Monomial = ((), ((variable, -sign * rate),))
        cells.append(LatticeCell(frozenset([bound]), {monomial: exp(sign * rate * mean * eps)}, {}))
    return Lattice(tuple(cells))


def _times(one: LatticeCell, two: LatticeCell) -> list[LatticeCell]:
    """Return the product of two cells: one cell, or none if their residue classes differ."""
    for name in {*one.residues, *two.residues}:
        (m, r), (n, s) = one.residues.get(name, (1, 0)), two.residues.get(name, (1, 0))
        common = lcm(m, n)
        both = [t for t in range(common) if t % m == r % m and t % n == s % n]
        if not both:
            return []
        first, second = one.refined(name, common, both[0]), two.refined(name, common, both[0])
        if first is None or second is None:
            return []
        one, two = first, second
    density: dict[Monomial, ClosedForm] = {}
    for (powers, rates), f in one.density.items():
        for (more_powers, more_rates), g in two.density.items():
            total = dict(rates)
            for name, a in more_rates:
                total[name] = total.get(name, Fraction(0)) + a
            _add(density, (_product(powers, more_powers), _clean(total)), f * g)
    return [LatticeCell(one.bounds | two.bounds, density, one.residues)]


def _summed(cell: LatticeCell, variable: int) -> Iterator[LatticeCell]:
    """Yield the cells that a cell becomes when a variable is summed out."""
    mine = [one for one in cell.bounds if one.coefficient(variable)]
    moduli: dict[int, int] = {}
    for one in mine:
        size = abs(one.coefficient(variable))
        for name, c in one.form.coefficients.items():
            if name != variable:
                moduli[name] = lcm(moduli.get(name, 1), size // gcd(size, int(c)))
    for name, modulus in moduli.items():
        if modulus > 1:
            for part in cell.split(name, modulus):
                if not part.is_empty():
                    yield from _summed(part, variable)
            return
    others = frozenset(one for one in cell.bounds if not one.coefficient(variable))
    lower = list(
        dict.fromkeys(_end(one, variable) for one in mine if one.coefficient(variable) > 0)
    )
    upper = list(
        dict.fromkeys(_end(one, variable) for one in mine if one.coefficient(variable) < 0)
    )
    residues = {name: r for name, r in cell.residues.items() if name != variable}
    for low, low_bounds in _active(lower, 1):
        for high, high_bounds in _active(upper, -1):
            bounds = {*others, *low_bounds, *high_bounds}
            if low is not None and high is not None:
                bounds.add(at_least(high, low).sharpened())
            left = frozenset(one for one in bounds if one.variables or one.form.constant < 0)
            part = LatticeCell(left, {}, {})
            if not part.is_empty():
                density = _sum(cell, variable, low, high)
                yield LatticeCell(part.bounds, density, residues)


def _end(bound: Halfspace, variable: int) -> Form:
    """Return the form in integers at which a bound ends the range of a variable."""
    c, form = bound.coefficient(variable), bound.form
    rest = {name: -d // c for name, d in form.coefficients.items() if name != variable}
    # c·z ≥ −rest: from below ⌈−d/c⌉, from above ⌊−d/c⌋, where everything else is divisible by c.
    return Form(rest, -(form.constant // c) if c > 0 else form.constant // -c)


def _active(ends: list[Form], sign: int) -> list[tuple[Form | None, list[Halfspace]]]:
    """Return each end with the bounds under which it is the first largest (sign 1) or smallest."""
    if not ends:
        return [(None, [])]
    result: list[tuple[Form | None, list[Halfspace]]] = []
    for j, one in enumerate(ends):
        bounds = []
        for k, other in enumerate(ends):
            if k != j:
                pair = (one, other) if sign > 0 else (other, one)
                bounds.append(at_least(*pair, strict=k < j).sharpened())
        result.append((one, bounds))
    return result


def _sum(
    cell: LatticeCell, variable: int, low: Form | None, high: Form | None
) -> dict[Monomial, ClosedForm]:
    """Return Σ of the density over low ≤ variable ≤ high, T(high + 1) − T(low)."""
    empty = LatticeCell(frozenset(), cell.density, {})
    if low is not None and low == high:
        return empty.substituted(variable, low).density
    summed: dict[Monomial, ClosedForm] = {}
    for (powers, rates), factor in cell.density.items():
        k, rate = dict(powers).get(variable, 0), dict(rates).get(variable, Fraction(0))
        rest = tuple(entry for entry in powers if entry[0] != variable)
        for i, coefficient in enumerate(_discrete_primitive(k, rate)):
            key = _product(rest, ((variable, i),) if i else ()), rates
            _add(summed, key, factor * coefficient)
    primitive = LatticeCell(frozenset(), summed, {})
    result: dict[Monomial, ClosedForm] = {}
    if high is not None:
        result = primitive.substituted(variable, high + 1).density
    if low is not None:
        for key, factor in primitive.substituted(variable, low).density.items():
            _add(result, key, -factor)
    return result


def _discrete_primitive(k: int, rate: Fraction) -> list[ClosedForm]:
    """Return p with T(z) = Σ pᵢ·z^i·w^z and T(z + 1) − T(z) = z^k·w^z, where w = e^{rate·ε}.

    Comparing the coefficients of z^j in w·P(z + 1) − P(z) = z^k, from the top down.
    """
    if rate:
        w = exp(rate * eps)
        found: list[ClosedForm] = [ExpPoly(0)] * (k + 1)
        for j in range(k, -1, -1):
            known: ClosedForm = ExpPoly(int(j == k))
            for i in range(j + 1, k + 1):
                known = known - w * comb(i, j) * found[i]
            found[j] = known / (w - 1)
        return found
    whole = [Fraction(0)] * (k + 2)
    for j in range(k, -1, -1):
        left = Fraction(int(j == k)) - sum(comb(i, j) * whole[i] for i in range(j + 2, k + 2))
        whole[j + 1] = left / (j + 1)
    return [ExpPoly(value) for value in whole]


def _power(form: Form, k: int) -> list[tuple[tuple[tuple[int, int], ...], Number]]:
    """Return the monomials of (Σ c·z + d)^k with their coefficients."""
    result: dict[tuple[tuple[int, int], ...], Number] = {(): 1}
    for _ in range(k):
        grown: dict[tuple[tuple[int, int], ...], Number] = {}
        for powers, number in result.items():
            for name, c in form.coefficients.items():
                key = _product(powers, ((name, 1),))
                grown[key] = grown.get(key, 0) + number * c
            grown[powers] = grown.get(powers, 0) + number * form.constant
        result = grown
    return [(powers, number) for powers, number in result.items() if number]


def _product(
    one: tuple[tuple[int, int], ...], two: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    total = dict(one)
    for name, k in two:
        total[name] = total.get(name, 0) + k
    return tuple(sorted(total.items()))


def _clean(rates: dict[int, Fraction]) -> tuple[tuple[int, Fraction], ...]:
    return tuple(sorted((name, a) for name, a in rates.items() if a))


def _add(density: dict[Monomial, ClosedForm], key: Monomial, factor: ClosedForm) -> None:
    known = density.get(key)
    total = factor if known is None else known + factor
    if total.numerator:
        density[key] = total
    else:
        density.pop(key, None)
