"""Linear conditions on the parameters that hold wherever a case of a claim is made.

A condition of a case is linear in α, γ and the inputs, with coefficients that are functions of ε;
or it has products of α and γ. On a part of a group, it is replaced by a linear one that it implies
for the ε of the part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

from ..kernel.reading import RealInterval, RejectedError
from . import formulas
from .cases import Case, Side
from .cones import Vector, axes, axis, dot
from .formulas import Tree
from .linear import is_number
from .near_logs import log_bounds
from .parameter_spaces import ParameterSpace
from .products import bound, ends_of
from .ratios import EPS, Ratio, variable
from .spaces import Flats, between, flat_of
from .worst_inputs import WorstInputs

_LEVELS = ("alpha", "gamma")
_MOST_POWER = 12
_ZERO = Fraction(0)


class Coordinates(NamedTuple):
    """All numbers that move in a group: ε, the unit, real inputs, α and γ where they are free."""

    unit: bool
    reals: int
    free: tuple[str, ...]

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return 1 + self.unit + self.reals + len(self.free)

    def of(self, name: str) -> int:
        """Return the place of α or γ."""
        return 1 + self.unit + self.reals + self.free.index(name)


class Leaf(NamedTuple):
    """A part of a group: the ε of an interval, and linear conditions on its coordinates."""

    case: Case
    at: Coordinates
    fixed: list[Any]
    on: RealInterval
    cuts: tuple[Vector, ...] = ()
    stands_for: str | None = None
    """Why its inputs stand for all, see `ParameterSpace`."""


class LinearCondition(NamedTuple):
    """A form in the coordinates that is nonnegative, or positive."""

    form: Vector
    strict: bool


class CaseConditions(WorstInputs):
    """Derives the linear conditions of a part from the conditions of its case."""

    positive: Sequence[Vector] = ()
    """Linear forms in the coordinates of a part that are above 0 wherever the case is claimed."""
    log: tuple[Fraction, Fraction] | None = None
    """Bounds on the logarithm that the unit is, if they are given for a part."""

    def moved(self, leaf: Leaf) -> Iterator[tuple[Any, bool]]:
        """Yield the single values of the input, and whether they move."""
        for one in leaf.fixed:
            yield one, one is None and not self.is_listed

    def rows(self, leaf: Leaf, given: Any, *, in_box: bool) -> list[Vector]:
        """Return linear conditions on the coordinates that hold wherever the case is claimed."""
        at, on = leaf.at, leaf.on
        units = axes(at.size)
        rows = self.limits(on, at.reals, len(at.free), in_box=in_box)
        ranges = [*self.ranges(leaf)]
        rows += [*(one.form for one in ranges), *leaf.cuts]
        sides = [*leaf.case.when, *(Side(form, False) for form in _equalities(leaf.case, at))]
        positive = [one.form for one in ranges if one.strict]
        self.log = None
        for one in self.entries(given):
            if isinstance(one, dict) and "log" in one:
                low, high = self.log = log_bounds(self, self.fields(one, "log")[0])
                rows += between(units[0], units[1], on.lower / high, on.upper / low)
                continue
            side, row = self.weaker(sides, one, leaf, rows)
            rows.append(row)
            if side.strict:  # a form that is not smaller than a positive one is positive
                positive.append(row)
        self.positive = positive
        return rows

    def face(self, space: ParameterSpace, form: Vector, flats: Flats) -> None:
        """Check that the part of a space where a form is 0 is a space, if the claim is made there.

        It is not if a strict condition is 0 everywhere there.
        """
        places = [space.image(way) for way in flat_of(space.region, form, space.positive)]
        if not self.excludes(places):
            super().face(space, form, flats)

    def excludes(self, directions: Sequence[Sequence[Any]]) -> bool:
        """Whether a strict condition is 0 on everything that some coordinates span."""
        return any(not any(dot(row, way) for way in directions) for row in self.positive)

    def weaker(
        self, sides: Sequence[Side], given: Any, leaf: Leaf, rows: Sequence[Vector]
    ) -> tuple[Side, Vector]:
        """Return a condition, and a linear form that is not smaller than ε^p times it.

        The condition is Σ s(ε)·x with s for each number x that moves, and 1. So v·x is not smaller
        if v ≥ s·ε^p for 1 and for α and γ, which are not negative, and v = s·ε^p for inputs; for
        inputs that `rows` show not to be negative, or not to be positive, v ≥ s·ε^p or v ≤ s·ε^p.
        A multiple of the unit, over ε, stands beside 1. Products of α and γ are first replaced by
        linear bounds on them (`products`).
        """
        has_keep = isinstance(given, dict) and "keep" in given
        names = "side power form keep" if has_keep else "side power form"
        number, power, listed, *keep = self.fields(given, names)
        p, form = self.integer(power, -10, 10), self.form(listed, leaf.at.size)
        self.require(not keep or keep[0] in _LEVELS, "not α or γ")
        side = sides[self.integer(number, 0, len(sides) - 1)]
        slopes = self.slopes(side.form, leaf, _LEVELS.index(keep[0]) if keep else None)
        scale = EPS**p
        for k, (v, slope) in enumerate(zip(form, slopes, strict=True)):
            if k == 1 and leaf.at.unit:
                continue  # beside 1
            gap = Ratio.number(v) - slope * scale
            if k == 0 and leaf.at.unit:
                gap = gap + self.beside_one(form[1] - slopes[1] * scale) / EPS
            is_input = leaf.at.unit < k <= leaf.at.unit + leaf.at.reals
            signs = signs_in(rows, k) if is_input else {1}
            if gap == 0 or len(signs) == 2:
                continue  # an input that is 0
            self.require(signs, "the sign of an input is not seen")
            right = self.never_negative(gap * signs.pop())
            self.require(right, "a condition is not the one of the claim")
        return side, form

    def beside_one(self, gap: Ratio) -> Fraction:
        """Return a number that is at most a multiple of the unit: 1, or a logarithm."""
        factor = gap.constant()
        if factor is None:
            raise RejectedError(f"{self.where}: a logarithm is not multiplied by a number")
        if not self.unit:
            return factor
        if factor >= 0 and self.log is None:
            return _ZERO
        low, high = self.log or (_ZERO, _ZERO)
        self.require(factor >= 0 or self.log is not None, "a condition beside a logarithm")
        return factor * (low if factor >= 0 else high)

    def slopes(self, tree: Tree, leaf: Leaf, keep: int | None) -> list[Ratio]:
        """Return a condition as the functions of ε that the coordinates are multiplied with.

        If it has products of α and γ, it is one that is not smaller; `keep` is the factor that
        remains.
        """
        size = leaf.at.size
        given: dict[str, Ratio] = {}
        if self.unit_name is not None:
            given[self.unit_name] = EPS * variable(1)
        place = 1 + leaf.at.unit
        for name, (value, moves) in zip(self.entry_names, self.moved(leaf), strict=True):
            if moves:
                given[name] = variable(place)
                place += 1
            elif is_number(value):
                given[name] = Ratio.number(value)
        for name in ("alpha", "gamma"):
            if name in leaf.at.free:
                given[name] = variable(leaf.at.of(name))
            else:
                level = self.levels[name == "gamma"]
                if not isinstance(level, RealInterval):
                    (given[name],) = formulas.alternatives(level, given)
        (form,) = formulas.alternatives(tree, given)
        found: list[dict[Any, Fraction]] = [{} for _ in range(size)]
        under = form.under
        right = all(len(powers) < 2 and len(rates) < 2 for powers, rates in under)
        products: dict[tuple[int, ...], dict[Any, Fraction]] = {}
        for (powers, rates), c in form.over.items():
            right = right and len(rates) < 2 and min((0, *powers[1:])) == 0
            self.require(right, "a condition is not linear")
            key = powers[:1] if any(powers[:1]) else (), rates
            if sum(powers[1:]) < 2:
                found[len(powers) - 1 if sum(powers[1:]) else 0][key] = c
            else:
                products.setdefault(powers[1:], {})[key] = c
        slopes = [Ratio(one, under) for one in found]
        for others, one in products.items():
            self.require(keep is not None, "a condition is not linear")
            self.add_bound(slopes, leaf, (*others, *(0,) * size), Ratio(one, under), keep or 0)
        return slopes

    def add_bound(
        self, slopes: list[Ratio], leaf: Leaf, powers: tuple[int, ...], c: Ratio, keep: int
    ) -> None:
        """Add a linear function that is not smaller than a product of α and γ times c."""
        places = [leaf.at.of(name) if name in leaf.at.free else None for name in _LEVELS]
        known = [0 if place is None else powers[place - 1] for place in places]
        self.require(sum(known) == sum(powers) <= _MOST_POWER, "a product of other numbers")
        is_positive = self.never_negative(c)
        self.require(is_positive or self.never_negative(-c), "the sign of a factor is not seen")
        rows = [*leaf.cuts, *(one.form for one in self.ranges(leaf))]
        ends = [(_ZERO, inf) if place is None else ends_of(rows, place) for place in places]
        found = bound((known[0], known[1]), (ends[0], ends[1]), keep, above=is_positive)
        if found is None:
            raise RejectedError(f"{self.where}: a factor of a condition is not bounded")
        slopes[0] = slopes[0] + c * found.constant
        for place, slope in zip(places, found.slopes, strict=True):
            if slope and place is not None:
                slopes[place] = slopes[place] + c * slope

    def ranges(self, leaf: Leaf) -> Iterator[LinearCondition]:
        """Yield conditions that α and γ are in their ranges."""
        size = leaf.at.size
        for name in leaf.at.free:
            level = self.levels[name == "gamma"]
            if isinstance(level, RealInterval):
                unit, eps = axis(leaf.at.of(name), size), axis(0, size)
                for row in between(unit, eps, level.lower, inf):
                    yield LinearCondition(row, not level.lower_closed)
                for row in between(unit, eps, -inf, level.upper):
                    yield LinearCondition(row, not level.upper_closed)

    def never_negative(self, form: Ratio) -> bool:
        """Whether a function of ε is seen or proved not to be negative at the ε of the part."""
        return form.is_nonnegative(self.epsilon) or super().never_negative(form)


def signs_in(rows: Iterable[Vector], place: int) -> set[int]:
    """Return the signs of a number, 1 for ≥ 0, that conditions on it and ε alone show."""
    found = set()
    for row in rows:
        is_alone = not any(q for k, q in enumerate(row) if k not in (0, place))
        if row[place] and is_alone and row[0] <= 0:
            found.add(1 if row[place] > 0 else -1)
    return found


def _equalities(case: Case, at: Coordinates) -> Iterator[Tree]:
    """Yield two forms for each free α or γ, both ≥ 0 where it equals its formula."""
    minus = ("form", Ratio.number(-1))
    for name, level in zip(("alpha", "gamma"), case.levels, strict=True):
        if name in at.free and not isinstance(level, RealInterval):
            gap = ("+", ("name", name), ("*", minus, level))
            yield gap
            yield ("*", minus, gap)
