"""Masses on integer noise: guarded sums over the integer points of polyhedra.

A mass is a sum of cells. A cell has integer linear conditions and a density, a closed form in ε and
the ε·z that counts where the conditions hold: as for real noise (`joint`), everything is scaled by
ε. A variable z may be confined to a residue class: then the cell is stated in terms of z′ with
z = modulus·z′ + residue. One variable is summed out by splitting the others into residue classes
until its bounds are integers, then by a case split on the active lower and upper bound, and by
geometric sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product as tuples
from math import comb, gcd, lcm
from typing import Final, NamedTuple

from exactdp.errors import ValueRefusedError
from exactdp.measure.joint import at_form, name_of, noise_in, ranges, with_names
from exactdp.measure.work import count
from exactdp.polyhedra.combination import has_interior
from exactdp.polyhedra.form import Form
from exactdp.polyhedra.halfspace import Halfspace, between
from exactdp.reals import ClosedForm, ExpPoly, eps, exp, parameter


@dataclass(frozen=True)
class LatticeCell:
    """A density on the integer points that satisfy all bounds, which are `sharpened`."""

    bounds: frozenset[Halfspace]
    density: ClosedForm
    residues: dict[int, tuple[int, int]]

    @property
    def variables(self) -> frozenset[int]:
        """The variables that occur."""
        found = set(self.residues)
        for one in self.bounds:
            found |= one.variables
        return frozenset(found | noise_in(self.density))

    def is_empty(self) -> bool:
        """Whether linear programming shows that there is no point.

        Integer points of a bound are inside of it when it is moved outward by 1/2.
        """
        return not has_interior(Halfspace(one.form + Fraction(1, 2)) for one in self.bounds)

    def substituted(self, variable: int, form: Form) -> LatticeCell:
        """Return the cell with an integer form for a variable; drop its residue class."""
        residues = {name: r for name, r in self.residues.items() if name != variable}
        bounds = frozenset(one.substituted({variable: form}).sharpened() for one in self.bounds)
        return LatticeCell(bounds, at_form(self.density, variable, form), residues)

    def refined(self, variable: int, modulus: int, residue: int) -> LatticeCell:
        """Return the cell on a residue class that is a part of its own."""
        own, mine = self.residues.get(variable, (1, 0))
        form = Form({variable: modulus // own}, (residue - mine) // own)
        part = self.substituted(variable, form)
        return replace(part, residues={**part.residues, variable: (modulus, residue)})

    def range(self, variable: int) -> tuple[int | None, int | None]:
        """Return the range that bounds on one variable alone allow for it."""
        own = [one for one in self.bounds if one.variables == {variable}]
        lower = [int(_end(one, variable).constant) for one in own if one.coefficient(variable) > 0]
        upper = [int(_end(one, variable).constant) for one in own if one.coefficient(variable) < 0]
        return max(lower, default=None), min(upper, default=None)

    def bounded(self, bound: Halfspace) -> LatticeCell:
        """Return the cell with a bound on the variables themselves."""
        forms = {name: Form({name: m}, r) for name, (m, r) in self.residues.items()}
        return replace(self, bounds=self.bounds | {bound.substituted(forms).sharpened()})


@dataclass(frozen=True)
class Lattice:
    """The sum of its cells."""

    cells: tuple[LatticeCell, ...]
    base: ClosedForm | None = None
    """If not None, ε in the densities stands for the logarithm of this."""

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
        return Lattice(
            tuple(cell for cell in found if not cell.is_empty()), _same_base(self, other)
        )

    def restricted(self, bounds: list[Halfspace]) -> Lattice:
        """Return the mass restricted by further bounds."""
        cells = []
        for cell in self.cells:
            for one in bounds:
                cell = cell.bounded(one)  # noqa: PLW2901 the cell narrows
            if not cell.is_empty():
                cells.append(cell)
        return replace(self, cells=tuple(cells))

    def renamed(self, names: dict[int, int]) -> Lattice:
        """Return the mass on renamed variables."""
        return replace(
            self,
            cells=tuple(
                LatticeCell(
                    frozenset(one.renamed(names) for one in cell.bounds),
                    with_names(cell.density, names),
                    {names[v]: r for v, r in cell.residues.items()},
                )
                for cell in self.cells
            ),
        )

    def summed(self, variable: int) -> Lattice:
        """Return the mass with one variable summed out."""
        gathered: dict[object, LatticeCell] = {}
        for cell in self.cells:
            for part in _summed(cell, variable):
                count(cells=1, terms=len(part.density.numerator.terms))
                key = part.bounds, frozenset(part.residues.items())
                known = gathered.get(key)
                density = part.density if known is None else known.density + part.density
                gathered[key] = replace(part, density=density)
        found = tuple(cell for cell in gathered.values() if cell.density.numerator)
        return replace(self, cells=found if len(found) < _FEW_CELLS else disjoint(found))

    def ranges(self, variable: int) -> list[tuple[int, int]] | None:
        """Return the range of the only variable in each cell, None if one is not bounded."""
        found = []
        for cell in self.cells:
            modulus, residue = cell.residues.get(variable, (1, 0))
            low, high = cell.range(variable)
            if low is None or high is None:
                return None
            found.append((modulus * low + residue, modulus * high + residue))
        return found

    def number(self) -> ClosedForm:
        """Return the total of a mass without variables."""
        total: ClosedForm = ExpPoly(0)
        for cell in self.cells:
            if all(one.form.constant >= 0 for one in cell.bounds):
                total = total + cell.density
        return total if self.base is None else at_base(total, self.base)


def integer_noise(
    kind: str, variable: int, rate: Fraction, mean: int, base: ClosedForm | None = None
) -> tuple[Lattice, ClosedForm]:
    """Return e^{−rate·ε·|z − mean|} on the support of a kind of noise, and 1 over its sum.

    With a base, ε stands for the logarithm of the base in both.
    """
    cells = []
    for sign in _SIDES[kind]:
        start = mean if sign > 0 else mean - 1
        bound = Halfspace.of({variable: sign}, -sign * start)
        density = exp(sign * rate * (mean * eps - parameter(name_of(variable))))
        cells.append(LatticeCell(frozenset([bound]), density, {}))
    small = exp(-rate * eps)
    factor: ClosedForm = (1 - small) / (1 + small if len(cells) > 1 else ExpPoly(1))
    return Lattice(tuple(cells), base), factor if base is None else at_base(factor, base)


def at_base(form: ClosedForm, base: ClosedForm) -> ClosedForm:
    """Return a rational function of e^ε with e^ε replaced by a closed form."""
    over, under = (_at_base(part, base) for part in (form.numerator, form.denominator))
    return over / under


def _at_base(form: ExpPoly, base: ClosedForm) -> ClosedForm:
    """Return a sum with e^{qε} replaced by base^q; powers of ε are those that scale the noise."""
    total: ClosedForm = ExpPoly(0)
    for rate, polynomial in form.exponentials().items():
        if rate.denominator != 1:
            raise ValueRefusedError(
                "the rate log(r) of integer noise is divided",
                rule="Powers of r with whole exponents are closed forms in eps.",
                way_out="Give a whole multiple of log(r) as a rate.",
            )
        factor: ClosedForm = ExpPoly(0)
        for power in range(polynomial.degree() + 1):
            coefficient = polynomial[power]
            factor = factor + Fraction(int(coefficient.p), int(coefficient.q)) * eps**power
        total = total + base ** int(rate) * factor
    return total


def _same_base(one: Lattice, two: Lattice) -> ClosedForm | None:
    """Return the base of a product; masses without noise of their own have none."""
    bases = {mass.base for mass in (one, two) if any(map(_has_rate, mass.cells))}
    if len(bases) > 1:
        raise ValueRefusedError(
            "integer noises with different rates log(r) and a * eps are compared with each other",
            rule="The probabilities are not closed forms.",
            way_out="Give both the same rate, or compare each with a number.",
        )
    return next(iter(bases), None)


def _has_rate(cell: LatticeCell) -> bool:
    """Whether a density has exponentials, so that its ε has a meaning."""
    parts = cell.density.numerator, cell.density.denominator
    return any(rates for part in parts for _, _, rates in part.terms)


_SIDES: Final = {"dlap": (1, -1), "geometric": (1,)}
"""On which sides of its mean each kind of integer noise lies."""


_FEW_CELLS = 3  # number of cells that are not worth merging
_SHORT = 12  # points of an interval on which densities are compared one by one


def disjoint(cells: tuple[LatticeCell, ...]) -> tuple[LatticeCell, ...]:
    """Return a mass of one variable on disjoint intervals, merged where equality is detected.

    A sum of n discrete Laplace noises then has two cells, not about n² that overlap.
    """
    variables = frozenset().union(*(cell.variables for cell in cells))
    if len(variables) != 1 or any(cell.residues for cell in cells):
        return cells
    (variable,) = variables
    ranges = [cell.range(variable) for cell in cells]
    starts = sorted(
        {low for low, _ in ranges if low is not None}
        | {high + 1 for _, high in ranges if high is not None}
    )
    found: list[_IntegerRange] = []
    for low, after in zip([None, *starts], [*starts, None], strict=True):
        high = None if after is None else after - 1
        density: ClosedForm = ExpPoly(0)
        for cell, (first, last) in zip(cells, ranges, strict=True):
            below = first is None or (low is not None and first <= low)
            above = last is None or (high is not None and high <= last)
            if below and above:
                density = density + cell.density
        found.append(_IntegerRange(low, high, density))
    merged = _merged(_merged(found, variable)[::-1], variable)[::-1]
    return tuple(one.cell(variable) for one in merged if one.density.numerator)


class _IntegerRange(NamedTuple):
    """A density between two integers, None for an infinite end."""

    low: int | None
    high: int | None
    density: ClosedForm

    def has(self, density: ClosedForm, variable: int) -> bool:
        """Whether another density is known to be the same on the range."""
        gap = density - self.density
        if not gap.numerator:
            return True
        if self.low is None or self.high is None or self.high - self.low > _SHORT:
            return False
        points = range(self.low, self.high + 1)
        return all(at_form(gap, variable, Form({}, k)).numerator == 0 for k in points)

    def joined(self, other: _IntegerRange, density: ClosedForm) -> _IntegerRange:
        """Return two adjacent ranges as one."""
        low = None if None in (self.low, other.low) else min(self.low or 0, other.low or 0)
        high = None if None in (self.high, other.high) else max(self.high or 0, other.high or 0)
        return _IntegerRange(low, high, density)

    def cell(self, variable: int) -> LatticeCell:
        """Return the range as a cell."""
        return LatticeCell(between(variable, self.low, self.high), self.density, {})


def _merged(adjacent: list[_IntegerRange], variable: int) -> list[_IntegerRange]:
    """Return adjacent ranges, each merged with the one before if they share a density."""
    found: list[_IntegerRange] = []
    for one in adjacent:
        if found and one.has(found[-1].density, variable):
            found[-1] = found[-1].joined(one, found[-1].density)
        elif found and found[-1].has(one.density, variable):
            found[-1] = found[-1].joined(one, one.density)
        else:
            found.append(one)
    return found


def _times(one: LatticeCell, two: LatticeCell) -> list[LatticeCell]:
    """Return the product of two cells: one cell, or none if their residue classes differ."""
    for name in {*one.residues, *two.residues}:
        (m, r), (n, s) = one.residues.get(name, (1, 0)), two.residues.get(name, (1, 0))
        common = lcm(m, n)
        both = [t for t in range(common) if t % m == r % m and t % n == s % n]
        if not both:
            return []
        one, two = (cell.refined(name, common, both[0]) for cell in (one, two))
    return [LatticeCell(one.bounds | two.bounds, one.density * two.density, one.residues)]


def _summed(cell: LatticeCell, variable: int) -> Iterator[LatticeCell]:
    """Yield the cells that result from summing out a variable of a cell."""
    mine = [one for one in cell.bounds if one.coefficient(variable)]
    moduli: dict[int, int] = {}
    for one in mine:
        size = abs(one.coefficient(variable))
        for name, c in one.form.coefficients.items():
            if name != variable:
                moduli[name] = lcm(moduli.get(name, 1), size // gcd(size, int(c)))
    for name, modulus in moduli.items():
        if modulus > 1:
            coarse, start = cell.residues.get(name, (1, 0))
            for r in range(modulus):
                part = cell.refined(name, coarse * modulus, start + coarse * r)
                if not part.is_empty():
                    yield from _summed(part, variable)
            return
    others = frozenset(one for one in cell.bounds if not one.coefficient(variable))
    lower = [_end(one, variable) for one in mine if one.coefficient(variable) > 0]
    upper = [_end(one, variable) for one in mine if one.coefficient(variable) < 0]
    residues = {name: r for name, r in cell.residues.items() if name != variable}
    for low, high, where in ranges(lower, upper, first=True):
        bounds = {*others, *(one.sharpened() for one in where)}
        left = frozenset(one for one in bounds if one.variables or one.form.constant < 0)
        part = LatticeCell(left, ExpPoly(0), residues)
        if not part.is_empty():
            yield replace(part, density=_sum(cell.density, variable, low, high))


def _end(bound: Halfspace, variable: int) -> Form:
    """Return the form in integers at which a bound ends the range of a variable."""
    c, form = bound.coefficient(variable), bound.form
    rest = {name: -d // c for name, d in form.coefficients.items() if name != variable}
    # c·z ≥ −rest: from below ⌈−d/c⌉, from above ⌊−d/c⌋, where everything else is divisible by c.
    return Form(rest, -(form.constant // c) if c > 0 else form.constant // -c)


def _sum(density: ClosedForm, variable: int, low: Form | None, high: Form | None) -> ClosedForm:
    """Return Σ of a density over low ≤ variable ≤ high, T(high + 1) − T(low)."""
    if low is not None and low == high:
        return at_form(density, variable, low)
    over, under = _primitive(density.numerator, name_of(variable))
    total = ExpPoly(0) if high is None else at_form(over, variable, high + 1).numerator
    if low is not None:
        total = total - at_form(over, variable, low).numerator
    return total / (under * density.denominator)


def _primitive(form: ExpPoly, name: str) -> tuple[ExpPoly, ExpPoly]:
    """Return N and D with T = N/D and T(z + 1) − T(z) = form, where ε·z is the parameter `name`."""
    over, under = ExpPoly(0), ExpPoly(1)
    for rate, by_power in form.by_powers(name).items():
        most = max(by_power)
        base = exp(rate * eps) - 1
        own = ExpPoly(0)
        for k, coefficient in by_power.items():
            factor = _power_primitive(k, rate, parameter(name))
            own = own + coefficient * factor * (base ** (most - k) if rate else 1)
        own_under = base ** (most + 1) if rate else eps
        over, under = over * own_under + own * under, under * own_under
    return over, under


def _power_primitive(k: int, rate: Fraction, t: ExpPoly) -> ExpPoly:
    """Return N with T(z) = N/D·w^z and T(z + 1) − T(z) = t^k·w^z, w = e^{rate·ε}, t = ε·z.

    D is (w − 1)^(k + 1), or ε if w is 1. With P(z) for N/D it is w·P(z + 1) − P(z) = ε^k·z^k:
    compare coefficients from the top down.
    """
    if not rate:
        whole = [Fraction(0)] * (k + 2)
        for j in range(k, -1, -1):
            left = Fraction(int(j == k)) - sum(comb(i, j) * whole[i] for i in range(j + 2, k + 2))
            whole[j + 1] = left / (j + 1)
        return sum((q * eps ** (k + 1 - i) * t**i for i, q in enumerate(whole)), ExpPoly(0))
    w = exp(rate * eps)
    found = [ExpPoly(0)] * k + [ExpPoly(1)]  # times z^i/(w − 1)^(k + 1 − i)
    for j in range(k - 1, -1, -1):
        for i in range(j + 1, k + 1):
            found[j] = found[j] - w * comb(i, j) * found[i] * (w - 1) ** (i - j - 1)
    return sum((q * (w - 1) ** i * eps ** (k - i) * t**i for i, q in enumerate(found)), ExpPoly(0))
