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
from math import comb, floor, gcd, lcm

from exactdp.measure.work import count
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.polyhedra.program import has_interior
from exactdp.reals import ClosedForm, ExpPoly, eps, exp

Affine = tuple[dict[int, int], int]
"""Σ c·z + constant with integers."""


@dataclass(frozen=True)
class Bound:
    """Σ cᵢ·zᵢ + constant ≥ 0 with coprime integers c and an integer constant."""

    coefficients: tuple[tuple[int, int], ...]
    constant: int

    @classmethod
    def of(
        cls, coefficients: dict[int, Fraction], constant: Fraction, *, strict: bool = False
    ) -> Bound:
        """Return Σ q·z + constant ≥ 0 (or > 0), sharpened to integers."""
        kept = {name: Fraction(q) for name, q in coefficients.items() if q}
        if not kept:
            holds = constant > 0 if strict else constant >= 0
            return cls((), 0 if holds else -1)
        common = lcm(*(q.denominator for q in kept.values()))
        whole = {name: int(q * common) for name, q in kept.items()}
        divisor = gcd(*whole.values())
        scaled = Fraction(constant) * common / divisor
        sharp = floor(scaled)
        if strict and sharp == scaled:
            sharp -= 1
        return cls(tuple(sorted((name, c // divisor) for name, c in whole.items())), sharp)

    @property
    def variables(self) -> frozenset[int]:
        """The variables that occur."""
        return frozenset(name for name, _ in self.coefficients)

    def coefficient(self, variable: int) -> int:
        """Return the coefficient of a variable."""
        return dict(self.coefficients).get(variable, 0)

    def negated(self) -> Bound:
        """Return Σ cᵢ·zᵢ + constant < 0."""
        if not self.coefficients:
            return Bound((), -1 - self.constant)
        return Bound(tuple((name, -c) for name, c in self.coefficients), -self.constant - 1)

    def substituted(self, variable: int, form: Affine) -> Bound:
        """Return the bound with an affine form for a variable."""
        factor = self.coefficient(variable)
        if not factor:
            return self
        result = {name: Fraction(c) for name, c in self.coefficients if name != variable}
        for name, c in form[0].items():
            result[name] = result.get(name, Fraction(0)) + factor * c
        return Bound.of(result, Fraction(self.constant + factor * form[1]))

    def renamed(self, names: dict[int, int]) -> Bound:
        """Return the bound on renamed variables."""
        return Bound(tuple(sorted((names[v], c) for v, c in self.coefficients)), self.constant)

    def relaxed(self) -> Halfspace:
        """Return a condition on reals that every integer point of the bound satisfies strictly."""
        return Halfspace.of(
            {name: Fraction(c) for name, c in self.coefficients}, self.constant + Fraction(1, 2)
        )


Monomial = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, Fraction], ...]]
"""∏ z^k and the rates a of e^{a·ε·z}, both by variable."""


@dataclass(frozen=True)
class Cell:
    """A density on the integer points that satisfy all bounds."""

    bounds: frozenset[Bound]
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
        """Whether linear programming shows that there is no point."""
        return not has_interior(one.relaxed() for one in self.bounds)

    def substituted(self, variable: int, form: Affine) -> Cell:
        """Return the cell with an affine form for a variable (its residue class is forgotten)."""
        density: dict[Monomial, ClosedForm] = {}
        for (powers, rates), factor in self.density.items():
            k, rate = dict(powers).get(variable, 0), dict(rates).get(variable, Fraction(0))
            rest = tuple(entry for entry in powers if entry[0] != variable)
            moved = {name: a for name, a in rates if name != variable}
            for name, c in form[0].items():
                moved[name] = moved.get(name, Fraction(0)) + rate * c
            scale = factor * exp(rate * form[1] * eps)
            for new_powers, number in _power(form, k):
                key = _product(rest, new_powers), _clean(moved)
                _add(density, key, scale * number)
        residues = {name: r for name, r in self.residues.items() if name != variable}
        bounds = frozenset(one.substituted(variable, form) for one in self.bounds)
        return Cell(bounds, density, residues)

    def split(self, variable: int, modulus: int) -> Iterator[Cell]:
        """Yield the cell on each residue class of a variable, finer by a factor."""
        old_modulus, old_residue = self.residues.get(variable, (1, 0))
        for r in range(modulus):
            part = self.substituted(variable, ({variable: modulus}, r)) if modulus > 1 else self
            residues = {**part.residues}
            residues[variable] = old_modulus * modulus, old_residue + old_modulus * r
            yield replace(part, residues=residues)

    def refined(self, variable: int, modulus: int, residue: int) -> Cell | None:
        """Return the cell on a residue class of a modulus that its own divides, None if empty."""
        own, mine = self.residues.get(variable, (1, 0))
        if (residue - mine) % own:
            return None
        r = (residue - mine) // own
        part = self.substituted(variable, ({variable: modulus // own}, r))
        return replace(part, residues={**part.residues, variable: (modulus, residue)})

    def bounded(self, bound: Bound) -> Cell:
        """Return the cell with a bound on the variables themselves."""
        for name in bound.variables:
            modulus, residue = self.residues.get(name, (1, 0))
            bound = bound.substituted(name, ({name: modulus}, residue))
        return replace(self, bounds=self.bounds | {bound})


@dataclass(frozen=True)
class Lattice:
    """The sum of its cells."""

    cells: tuple[Cell, ...]

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

    def restricted(self, bounds: list[Bound]) -> Lattice:
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
                Cell(
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
        gathered: dict[object, Cell] = {}
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
            lower = [_end(one, variable)[1] for one in cell.bounds if one.coefficient(variable) > 0]
            upper = [_end(one, variable)[1] for one in cell.bounds if one.coefficient(variable) < 0]
            if not lower or not upper:
                return None
            found.append((modulus * max(lower) + residue, modulus * min(upper) + residue))
        return found

    def number(self) -> ClosedForm:
        """Return the total of a mass without variables."""
        total: ClosedForm = ExpPoly(0)
        for cell in self.cells:
            if all(one.constant >= 0 for one in cell.bounds):
                for factor in cell.density.values():
                    total = total + factor
        return total


def discrete_laplace(variable: int, rate: Fraction, mean: int) -> Lattice:
    """Return e^{−rate·ε·|z − mean|}; its sum is (1 + e^{−rate·ε})/(1 − e^{−rate·ε})."""
    cells = []
    for sign, start in ((1, mean), (-1, mean - 1)):
        bound = Bound.of({variable: Fraction(sign)}, Fraction(-sign * start))
        monomial: Monomial = ((), ((variable, -sign * rate),))
        cells.append(Cell(frozenset([bound]), {monomial: exp(sign * rate * mean * eps)}, {}))
    return Lattice(tuple(cells))


def _times(one: Cell, two: Cell) -> list[Cell]:
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
    return [Cell(one.bounds | two.bounds, density, one.residues)]


def _summed(cell: Cell, variable: int) -> Iterator[Cell]:
    """Yield the cells that a cell becomes when a variable is summed out."""
    mine = [one for one in cell.bounds if one.coefficient(variable)]
    moduli: dict[int, int] = {}
    for one in mine:
        size = abs(one.coefficient(variable))
        for name, c in one.coefficients:
            if name != variable:
                moduli[name] = lcm(moduli.get(name, 1), size // gcd(size, c))
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
                bounds.add(_at_least(high, low))
            part = Cell(
                frozenset(one for one in bounds if one.coefficients or one.constant < 0), {}, {}
            )
            if not part.is_empty():
                density = _sum(cell, variable, low, high)
                yield Cell(part.bounds, density, residues)


_Frozen = tuple[tuple[tuple[int, int], ...], int]


def _end(bound: Bound, variable: int) -> _Frozen:
    """Return the integer affine form that a bound gives for the end of a variable's range."""
    c = bound.coefficient(variable)
    form = tuple((name, -d // c) for name, d in bound.coefficients if name != variable)
    # c·z ≥ −rest: from below ⌈−d/c⌉, from above ⌊−d/c⌋, where everything else is divisible by c.
    constant = -(bound.constant // c) if c > 0 else bound.constant // -c
    return form, constant


def _active(ends: list[_Frozen], sign: int) -> list[tuple[_Frozen | None, list[Bound]]]:
    """Return each end with the bounds under which it is the first largest (sign 1) or smallest."""
    if not ends:
        return [(None, [])]
    result: list[tuple[_Frozen | None, list[Bound]]] = []
    for j, one in enumerate(ends):
        bounds = []
        for k, other in enumerate(ends):
            if k != j:
                pair = (one, other) if sign > 0 else (other, one)
                bounds.append(_at_least(*pair, strict=k < j))
        result.append((one, bounds))
    return result


def _at_least(one: _Frozen, two: _Frozen, *, strict: bool = False) -> Bound:
    """Return the bound one ≥ two, or one > two."""
    form = {name: Fraction(c) for name, c in one[0]}
    for name, c in two[0]:
        form[name] = form.get(name, Fraction(0)) - c
    return Bound.of(form, Fraction(one[1] - two[1]), strict=strict)


def _sum(
    cell: Cell, variable: int, low: _Frozen | None, high: _Frozen | None
) -> dict[Monomial, ClosedForm]:
    """Return Σ of the density over low ≤ variable ≤ high, T(high + 1) − T(low)."""
    empty = Cell(frozenset(), cell.density, {})
    if low is not None and low == high:
        return empty.substituted(variable, (dict(low[0]), low[1])).density
    summed: dict[Monomial, ClosedForm] = {}
    for (powers, rates), factor in cell.density.items():
        k, rate = dict(powers).get(variable, 0), dict(rates).get(variable, Fraction(0))
        rest = tuple(entry for entry in powers if entry[0] != variable)
        for i, coefficient in enumerate(_discrete_primitive(k, rate)):
            key = _product(rest, ((variable, i),) if i else ()), rates
            _add(summed, key, factor * coefficient)
    primitive = Cell(frozenset(), summed, {})
    result: dict[Monomial, ClosedForm] = {}
    if high is not None:
        result = primitive.substituted(variable, (dict(high[0]), high[1] + 1)).density
    if low is not None:
        for key, factor in primitive.substituted(variable, (dict(low[0]), low[1])).density.items():
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


def _power(form: Affine, k: int) -> list[tuple[tuple[tuple[int, int], ...], int]]:
    """Return the monomials of (Σ c·z + d)^k with their coefficients."""
    result: dict[tuple[tuple[int, int], ...], int] = {(): 1}
    for _ in range(k):
        grown: dict[tuple[tuple[int, int], ...], int] = {}
        for powers, number in result.items():
            for name, c in form[0].items():
                key = _product(powers, ((name, 1),))
                grown[key] = grown.get(key, 0) + number * c
            grown[powers] = grown.get(powers, 0) + number * form[1]
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
