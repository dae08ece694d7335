"""An unnormalised density over the live variables: weights, factors and conditions.

A density is a sum of products. A product has a weight, factors (a `Univariate` function, or
a `Joint` density of several) and linear conditions that couple its variables. A dead variable
is integrated out: if each of its conditions couples it with one other variable, with the
piecewise functions of `function`; otherwise with the polyhedra of `joint`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import chain
from typing import Any, NamedTuple

from exactdp.measure.frame import MOST_KEPT, Element, Frame
from exactdp.measure.function import Univariate, step
from exactdp.measure.joint import Joint, JointCell, name_of
from exactdp.measure.lattice import Lattice, LatticeCell
from exactdp.measure.pairs import ends, joined
from exactdp.measure.race import Race, only_compared
from exactdp.measure.work import count
from exactdp.polyhedra.form import Form
from exactdp.polyhedra.halfspace import Halfspace, between
from exactdp.reals import ClosedForm, ExpPoly, parameter


class Summand(NamedTuple):
    """weight / ∏ under · ∏ functions[v](x_v) · ∏ joints · ∏ [condition].

    Denominators come from choices and loops. They are kept as factors with exponents, so that
    adding needs no greatest common divisor; the closed form at the end is in lowest terms.
    """

    weight: Element
    functions: dict[int, Any]
    """Each a `Univariate`, or a `Race` of Gumbel noise."""
    joints: tuple[Joint, ...] = ()
    conditions: tuple[Halfspace, ...] = ()
    under: frozenset[tuple[ExpPoly, int]] = frozenset()
    lattices: tuple[Lattice, ...] = ()
    bounds: tuple[Halfspace, ...] = ()

    @property
    def integers(self) -> frozenset[int]:
        """The variables that are integer noise."""
        found: frozenset[int] = frozenset()
        for one in self.lattices:
            found |= one.variables
        return found

    def bounded(self, bound: Halfspace) -> Summand | None:
        """Return the product restricted by a bound on integer noise."""
        if not bound.variables:
            return self if bound.form.constant >= 0 else None
        tightest = _tightest(self.bounds, bound)
        return None if tightest is None else self._replace(bounds=tightest)

    def defined(self, new: int, part: dict[int, Fraction], constant: Fraction) -> Summand:
        """Return the product with one more integer variable, equal to Σ part·z + constant."""
        gap = {new: Fraction(1), **{name: -q for name, q in part.items()}}
        over = Halfspace.of(gap, -constant)
        both = frozenset([over.sharpened(), over.opposite().sharpened()])
        free = Lattice((LatticeCell(both, ExpPoly(1), {}),))
        return self._replace(lattices=(*self.lattices, free))

    def lattice_of(self, variable: int) -> Lattice:
        """Return the joint mass of integer noise and the variables coupled with it."""
        whole = reduce(Lattice.times, (one for one in self.lattices if variable in one.variables))
        return whole.restricted([one for one in self.bounds if variable in one.variables])

    def _summed(self, variable: int, frame: Frame) -> Summand | None:
        """Return the product with integer noise summed out."""
        found = self.lattice_of(variable).summed(variable)
        rest = self._replace(
            lattices=tuple(one for one in self.lattices if variable not in one.variables),
            bounds=tuple(one for one in self.bounds if variable not in one.variables),
        )
        if not found.cells:
            return None
        if found.variables:
            return rest._replace(lattices=(*rest.lattices, found))
        total = found.number()
        return rest.times(total, frame) if total.numerator else None

    def times(self, factor: ClosedForm, frame: Frame) -> Summand:
        """Return the product times a closed form in ε."""
        weight = self.weight * frame.element(factor.numerator)
        if factor.denominator == 1:
            return self._replace(weight=weight)
        counts = dict(self.under)
        counts[factor.denominator] = counts.get(factor.denominator, 0) + 1
        return self._replace(weight=weight, under=frozenset(counts.items()))

    def times_power(self, variable: int, power: int, frame: Frame) -> Summand:
        """Return the product times a power of a variable."""
        form = parameter(name_of(variable)) ** power
        if variable in self.integers:
            cell = LatticeCell(frozenset(), form, {})
            return self._replace(lattices=(*self.lattices, Lattice((cell,))))
        if variable in self.functions:
            if isinstance(self.functions[variable], Race):
                raise only_compared()
            piece = frame.element(form, name_of(variable))
            return self.with_function(variable, Univariate(frame, (), (piece,)))
        return self._replace(joints=(*self.joints, Joint((JointCell(frozenset(), form),))))

    def with_weight(self, factor: Element) -> Summand:
        """Return a product without variables: weight times an element, over the denominators."""
        return Summand(self.weight * factor, {}, under=self.under)

    def over(self, under: frozenset[tuple[ExpPoly, int]], frame: Frame) -> Summand:
        """Return the product with a larger denominator."""
        if under == self.under:
            return self
        mine = dict(self.under)
        weight = self.weight
        for factor, power in under:
            for _ in range(power - mine.get(factor, 0)):
                weight = weight * frame.element(factor)
        return self._replace(weight=weight, under=under)

    def number(self, frame: Frame) -> ClosedForm:
        """Return the value of a product without variables."""
        weight, under = self.weight, self.under
        if not under:
            return frame.closed_form(weight)
        if type(weight) is not Element:  # of a frame with irrational rates
            return frame.closed_form(weight) / _product(under)
        # Many outputs of choices have the same probability, and lowest terms are expensive.
        key = weight.low, frozenset(weight.poly.to_dict().items()), under
        known: ClosedForm | None = frame.quotients.get(key)
        if known is None:
            if len(frame.quotients) >= MOST_KEPT:
                frame.quotients.clear()
            known = frame.quotients[key] = frame.closed_form(weight) / _product(under)
        return known

    def substituted(self, variable: int, form: Form, frame: Frame) -> Summand | None:
        """Return the product with a variable replaced by a linear form (without a Jacobian)."""
        rest = self._replace(
            functions={v: f for v, f in self.functions.items() if v != variable},
            joints=tuple(one for one in self.joints if variable not in one.variables),
            conditions=tuple(one for one in self.conditions if variable not in one.variables),
        )
        changed = [one for one in self.joints if variable in one.variables]
        mine = self.functions.get(variable)
        if mine is not None and list(form.coefficients.values()) == [1]:
            (other,) = form.coefficients
            rest = rest.with_function(other, mine.shifted(frame.point(form.constant)))
        elif isinstance(mine, Race) and len(form.coefficients) == 1:
            ((other, factor),) = form.coefficients.items()
            moved = mine.shifted(frame.point(form.constant)).stretched(Fraction(factor))
            rest = rest.with_function(other, moved)
        elif mine is not None:
            changed.append(as_joint(mine, variable))
        current: Summand | None = rest
        for joint in changed:
            if current is not None:
                current = current.with_joint(joint.substituted(variable, form), frame)
        for one in self.conditions:
            if current is not None and variable in one.variables:
                current = current.restricted(one.substituted({variable: form}), frame)
        return current

    def require_other_than_gumbel(self, variables: Iterable[int]) -> None:
        """Refuse variables that are Gumbel noise."""
        if any(isinstance(self.functions.get(v), Race) for v in variables):
            raise only_compared()

    def length(self, variable: int) -> int:
        """Return the number of pieces of a variable's function, 0 if it has none."""
        function = self.functions.get(variable)
        return 0 if function is None else len(function.pieces)

    def with_function(self, variable: int, function: Univariate | Race) -> Summand:
        """Return the product with one more factor of one variable."""
        known = self.functions.get(variable)
        if known is not None and isinstance(known, Race) != isinstance(function, Race):
            raise only_compared()
        new = function if known is None else known * function
        return self._with({**self.functions, variable: new}, self.conditions)

    def _with(self, functions: dict[int, Any], conditions: tuple[Halfspace, ...]) -> Summand:
        """Return the product with other functions and conditions (faster than `_replace`)."""
        weight, _, joints, _, under, lattices, bounds = self
        return Summand(weight, functions, joints, conditions, under, lattices, bounds)

    def restricted(self, condition: Halfspace, frame: Frame) -> Summand | None:
        """Return the product restricted by a condition; None if that has no mass."""
        coefficients = condition.form.coefficients
        if not coefficients:
            return self if condition.form.constant > 0 else None
        if len(coefficients) == 1:
            ((variable, c),) = coefficients.items()
            if isinstance(self.functions.get(variable), Race):
                raise only_compared()
            bound = step(frame, frame.point(condition.end(variable).constant), above=c > 0)
            cut = self.with_function(variable, bound)
            return cut if cut.functions[variable] else None
        conditions = joined(self.conditions, condition)
        return None if conditions is None else self._with(self.functions, conditions)

    def renamed(self, names: dict[int, int]) -> Summand:
        """Return the product with its variables renamed."""
        return self._replace(
            functions={names[v]: f for v, f in self.functions.items()},
            joints=tuple(one.renamed(names) for one in self.joints),
            conditions=tuple(one.renamed(names) for one in self.conditions),
            lattices=tuple(one.renamed(names) for one in self.lattices),
            bounds=tuple(one.renamed(names) for one in self.bounds),
        )

    def without(self, variable: int, frame: Frame) -> list[Summand]:
        """Return products whose sum is this one with a variable integrated out."""
        if self.lattices and variable in self.integers:
            return _listed(self._summed(variable, frame))
        functions = {v: f for v, f in self.functions.items() if v != variable}
        mine = [one for one in self.conditions if variable in one.variables]
        joint = [one for one in self.joints if variable in one.variables]
        if not mine and not joint:
            total = self.functions[variable].total()
            if isinstance(total, ClosedForm):
                return _listed(_nonzero(self._replace(functions=functions).times(total, frame)))
            weight = self.weight * total
            return _listed(_nonzero(self._replace(weight=weight, functions=functions)))
        kept = tuple(one for one in self.conditions if variable not in one.variables)
        rest = self._with(functions, kept)
        if not joint and all(map(_is_pair, mine)):
            return rest._times_integral(self.functions[variable], variable, mine)
        if joint:
            others_left = tuple(one for one in self.joints if variable not in one.variables)
            rest = rest._replace(joints=others_left)
        factors = [*joint]
        if variable in self.functions:
            factors.append(as_joint(self.functions[variable], variable))
        whole = reduce(Joint.times, factors).restricted(mine)
        return _listed(rest.with_joint(whole.integrated(variable), frame))

    def without_all(self, variables: Iterable[int], frame: Frame) -> list[Summand]:
        """Return products whose sum is this one with variables integrated out, the simplest first.

        The simplest is one coupled with few others, so that chains are resolved from their ends;
        then one with a short function, whose integral is known, so that long ones do not grow.
        """
        found = []
        waiting = [(self, list(variables))]
        while waiting:
            current, left = waiting.pop()
            if not left:
                found.append(current)
                continue
            least = min(left, key=current._cost) if len(left) > 1 else left[0]
            rest = [v for v in left if v != least]
            count()
            parts = current.without(least, frame)
            if rest:
                waiting += [(one, rest) for one in parts]
            else:
                found += parts
        return found

    def _cost(self, variable: int) -> tuple[int, int]:
        coupled = [*(one.variables for one in self.conditions), *(j.variables for j in self.joints)]
        others = {v for listed in coupled if variable in listed for v in listed}
        return len(others), self.length(variable)

    def _times_integral(
        self, function: Univariate | Race, variable: int, mine: list[Halfspace]
    ) -> list[Summand]:
        """Multiply by ∫ function over the range that the conditions allow for its variable.

        That is F at the upper end minus F at the lower one: for each bound that may be an end, a
        product restricted to where it is.
        """
        frame = function.frame
        has_upper = any(one.coefficient(variable) < 0 for one in mine)
        tails = function.below() if has_upper else function.above()
        found: list[tuple[Summand, int, Any]] = []
        for end, is_upper, conditions in ends(variable, mine):
            current: Summand | None = self
            for one in conditions:
                current = None if current is None else current.restricted(one, frame)
            if current is None:
                continue
            ((other, factor),) = end.coefficients.items()
            tail = tails.shifted(frame.point(end.constant)).stretched(Fraction(factor))
            if has_upper and not is_upper:
                tail = tail.negated()
            if found and found[-1][0] is current:  # both ends by one variable
                tail = found.pop()[2] + tail
            found.append((current, other, tail))
        return [current.with_function(other, tail) for current, other, tail in found]

    def with_joint(self, joint: Joint, frame: Frame) -> Summand | None:
        """Return the product with a joint factor, simplified if possible."""
        if not joint.cells:
            return None
        variables = joint.variables
        if not variables:
            total = sum((cell.density for cell in joint.cells), ExpPoly(0))
            return _nonzero(self._replace(weight=self.weight * frame.element(total)))
        if len(variables) == 1:
            (variable,) = variables
            return self.with_function(variable, as_function(joint, variable, frame))
        return self._replace(joints=(*self.joints, joint))


def _tightest(bounds: tuple[Halfspace, ...], new: Halfspace) -> tuple[Halfspace, ...] | None:
    """Return bounds and one more, only the tightest of parallel ones; None if two contradict."""
    direction, constant = new.form.coefficients, new.form.constant
    opposite = {name: -c for name, c in direction.items()}
    kept = []
    for one in bounds:
        if one.form.coefficients == direction:
            if one.form.constant <= constant:
                return bounds
            continue
        if one.form.coefficients == opposite and one.form.constant + constant < 0:
            return None
        kept.append(one)
    return (*kept, new)


@lru_cache(maxsize=1024)
def _product(factors: frozenset[tuple[ExpPoly, int]]) -> ExpPoly:
    result = ExpPoly(1)
    for factor, power in factors:
        result = result * factor**power
    return result


def _listed(product: Summand | None) -> list[Summand]:
    return [] if product is None else [product]


def _nonzero(product: Summand) -> Summand | None:
    return product if product.weight else None


def _is_pair(condition: Halfspace) -> bool:
    return len(condition.form.coefficients) == 2


def as_joint(function: Univariate | Race, variable: int) -> Joint:
    """Return a function of one variable as a joint density."""
    if isinstance(function, Race):
        raise only_compared()
    frame, name = function.frame, name_of(variable)
    ends = (None, *map(frame.number, function.breakpoints), None)
    cells = (
        JointCell(between(variable, lower, upper), frame.closed_form(piece, name))
        for piece, lower, upper in zip(function.pieces, ends, ends[1:], strict=False)
        if piece
    )
    return Joint(tuple(cells))


def as_function(joint: Joint, variable: int, frame: Frame) -> Univariate:
    """Return a joint density of one variable as a piecewise function."""
    total: Univariate | None = None
    name = name_of(variable)
    for cell in joint.cells:
        piece = frame.element(cell.density, name)
        function = Univariate(frame, (), (piece,))
        for one in cell.conditions:
            end = frame.point(one.end(variable).constant)
            function = function * step(frame, end, above=one.coefficient(variable) > 0)
        total = function if total is None else total + function
    assert total is not None
    return total


class Density:
    """A sum of products over the variables of one node."""

    __slots__ = ("frame", "products")

    def __init__(self, frame: Frame, products: tuple[Summand, ...]) -> None:
        self.frame = frame
        self.products = products

    def __add__(self, other: Density) -> Density:
        return Density(self.frame, (*self.products, *other.products))

    def size(self) -> tuple[int, int]:
        """Return the number of cells, and that of the terms in them."""
        cells = terms = 0
        for one in self.products:
            sizes = [len(piece) for f in one.functions.values() for piece in f.pieces]
            sizes += [len(cell.density.terms) for joint in one.joints for cell in joint.cells]
            sizes += [
                len(cell.density.numerator.terms) for mass in one.lattices for cell in mass.cells
            ]
            cells, terms = cells + len(sizes), terms + sum(sizes)
        return cells, terms

    def simplified(self, variables: int) -> Density:
        """Return the same density with products merged that differ in one factor only."""
        if len(self.products) < 2:
            return self
        gathered: dict[object, Summand] = {}
        for number, one in enumerate(self.products):
            key: object = ("separate", number)
            if (
                not (one.joints or one.conditions or one.lattices)
                and len(one.functions) == variables
            ):
                kind = type(one.functions.get(0))
                key = kind, *(id(one.functions[v]) for v in range(1, variables))
            known = gathered.get(key)
            gathered[key] = one if known is None else _sum(known, one, self.frame)
        return Density(self.frame, tuple(one for one in gathered.values() if one.weight))

    def by_kind(self) -> list[Density]:
        """Return the parts in which the same variables are integer noise."""
        if all(not one.lattices for one in self.products):
            return [self]
        found: dict[frozenset[int], list[Summand]] = {}
        for one in self.products:
            found.setdefault(one.integers, []).append(one)
        return [Density(self.frame, tuple(listed)) for listed in found.values()]

    def times(self, factor: ClosedForm) -> Density:
        """Return the density times a closed form in ε."""
        if not factor.numerator:
            return Density(self.frame, ())
        return Density(self.frame, tuple(one.times(factor, self.frame) for one in self.products))

    def times_powers(self, powers: Mapping[int, int]) -> Density:
        """Return the density times powers of variables."""
        found = []
        for one in self.products:
            for variable, power in powers.items():
                one = one.times_power(variable, power, self.frame)  # noqa: PLW2901 it grows
            found.append(one)
        return Density(self.frame, tuple(found))

    def number(self) -> ClosedForm:
        """Return the value of a density without variables."""
        total = self.simplified(0).products
        return total[0].number(self.frame) if total else ExpPoly(0)

    def without(self, variables: Iterable[int]) -> Density:
        """Return the density with variables integrated out."""
        gone = list(variables)
        found = (one.without_all(gone, self.frame) for one in self.products)
        return Density(self.frame, tuple(chain.from_iterable(found)))

    def integer_range(self, variable: int) -> tuple[int, int] | None:
        """Return bounds on the only variable left, integer noise; None if it is not bounded."""
        ends: list[tuple[int, int]] = []
        for one in self.products:
            found = one.lattice_of(variable).ranges(variable)
            if found is None:
                return None
            ends += found
        return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None

    def restricted(self, condition: Halfspace) -> Density:
        """Return the density restricted by a condition on real noise."""
        cut = (one.restricted(condition, self.frame) for one in self.products)
        return Density(self.frame, tuple(one for one in cut if one is not None))

    def bounded(self, bound: Halfspace) -> Density:
        """Return the density restricted by a bound on integer noise."""
        cut = (one.bounded(bound) for one in self.products)
        return Density(self.frame, tuple(one for one in cut if one is not None))


def _sum(one: Summand, two: Summand, frame: Frame) -> Summand:
    """Return the sum of two products that differ only in weights, denominators, first functions."""
    if one.under != two.under:
        counts = dict(one.under)
        for factor, power in two.under:
            counts[factor] = max(power, counts.get(factor, 0))
        under = frozenset(counts.items())
        one, two = one.over(under, frame), two.over(under, frame)
    if not one.functions:
        return one._replace(weight=one.weight + two.weight)
    first, second = (
        part.functions[0] if part.weight is frame.one else part.functions[0].times(part.weight)
        for part in (one, two)
    )
    return one._replace(weight=frame.one, functions={**one.functions, 0: first + second})
