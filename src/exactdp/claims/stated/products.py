"""Conditions with products of α and γ at a listed input, as linear conditions.

A polynomial in one of them with rational coefficients holds on intervals, whose ends are algebraic;
rationals just outside replace them. Other products are bounded on slices: where a ≤ α ≤ b, a term
c·α^j·γ with c ≥ 0 is at most c·b^j·γ. So the linear conditions hold wherever the given ones do. A
counterexample is checked with the conditions as given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, TypeAlias

from exactdp.claims.stated.admissible import LinearSide, not_linear, polynomial
from exactdp.claims.stated.expressions import Comparison, Symbol
from exactdp.reals import (
    ClosedForm,
    ExpPoly,
    Interval,
    Root,
    nonnegative,
    parameter,
    solution_set,
)
from exactdp.reals.numbers import inf, simplest_inside

_LEVELS = ("alpha", "gamma")
_RATIO = Fraction(9, 8)  # of the ends of a slice
_SLICES = 64
_FINE = Fraction(1, 10**12)
_NEAR = Fraction(1, 10**4)
_SIMPLE = 10**4  # a denominator

Ends: TypeAlias = tuple[Fraction, Fraction | float]
Powers: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class PolynomialSide:
    """Σ c·α^j·γ^k ≥ 0, or > 0, with closed forms c in ε."""

    terms: Mapping[Powers, ClosedForm]
    strict: bool
    given: Comparison

    @classmethod
    def of(cls, given: Comparison) -> PolynomialSide:
        """Return a comparison as a polynomial in α and γ."""
        terms = {}
        for powers, c in polynomial(given, _LEVELS).items():
            alpha, gamma = (dict(powers).get(name, 0) for name in _LEVELS)
            terms[alpha, gamma] = c
        return cls(terms, given.strict, given)

    @property
    def is_linear(self) -> bool:
        """Whether it has no products."""
        return all(j + k <= 1 for j, k in self.terms)

    def linear(self) -> LinearSide:
        """Return the side, if it has no products."""
        slopes = (self.terms.get((1, 0)), self.terms.get((0, 1)))
        pairs = zip(_LEVELS, slopes, strict=True)
        found = tuple((name, slope) for name, slope in pairs if slope is not None)
        return LinearSide(self.terms.get((0, 0), ExpPoly(0)), found, self.strict)

    def with_one_factor(self) -> LinearSide:
        """Return the side with 1 for all factors of products but the last."""
        found: dict[Powers, ClosedForm] = {}
        for (j, k), c in self.terms.items():
            key = (0, 1) if k else (1, 0) if j else (0, 0)
            found[key] = found.get(key, ExpPoly(0)) + c
        return PolynomialSide(found, self.strict, self.given).linear()

    def alone(self) -> str | None:
        """Return α or γ if it is a polynomial in this one with rational coefficients; else None."""
        names = {name for key in self.terms for name, k in zip(_LEVELS, key, strict=True) if k}
        are_numbers = all(_number(c) is not None for c in self.terms.values())
        return min(names) if len(names) == 1 and are_numbers else None

    def intervals(self, name: str) -> Iterator[list[Comparison]]:
        """Yield linear conditions on α or γ alone, one of which holds where this does."""
        place = _LEVELS.index(name)
        form = ExpPoly([(_number(c), (("eps", key[place]),), ()) for key, c in self.terms.items()])
        for part in solution_set(form, Interval(0, inf), _FINE):
            low, high = part.lower, part.upper
            lower = low.lower if isinstance(low, Root) else low
            upper = high.upper if isinstance(high, Root) else high
            found = [Comparison(Symbol(name) - lower, self.strict and lower != 0)]
            if upper != inf:  # a rational above an irrational end is not reached
                is_open = self.strict or (isinstance(high, Root) and not high.is_exact)
                found.append(Comparison(upper - Symbol(name), is_open))
            yield found

    def ends(self, name: str) -> Iterator[Fraction]:
        """Yield simple rationals outside of the ends of the intervals on which it holds."""
        for part in self.intervals(name):
            for one in part:
                end = LinearSide.of(one, (name,)).constant.numerator.constant()
                if end and end.denominator <= _SIMPLE:
                    yield abs(end)
                elif end:  # −lower, or upper
                    yield simplest_inside(*sorted((abs(end), abs(end) + end * _NEAR)))

    def with_number(self, place: int, value: Fraction) -> PolynomialSide:
        """Return the side with a number for α (0) or γ (1)."""
        found: dict[Powers, ClosedForm] = {}
        for key, c in self.terms.items():
            rest = (0, key[1]) if place == 0 else (key[0], 0)
            found[rest] = found.get(rest, ExpPoly(0)) + c * value ** key[place]
        return PolynomialSide(found, self.strict, self.given)

    def rises(self, on: Interval) -> bool:
        """Whether it is nondecreasing in α."""
        return all(nonnegative(c, on).holds for (j, _), c in self.terms.items() if j)

    def sliced(self, place: int, ends: Ends, on: Interval) -> LinearSide | None:
        """Return a linear side that holds where this does and α (or γ) is between two numbers.

        Return None if nothing is known there.
        """
        found: dict[Powers, ClosedForm] = {}
        for key, c in self.terms.items():
            if sum(key) > 1 and key[place]:
                if key[1 - place] > 1:
                    raise not_linear(self.given)
                is_positive = bool(nonnegative(c, on).holds)
                if not is_positive and not nonnegative(-c, on).holds:
                    raise not_linear(self.given)
                end = ends[is_positive]
                if not isinstance(end, Fraction):
                    return None
                new = (0, key[1]) if place == 0 else (key[0], 0)
                found[new] = found.get(new, ExpPoly(0)) + c * end ** key[place]
            elif sum(key) > 1:
                raise not_linear(self.given)
            else:
                found[key] = found.get(key, ExpPoly(0)) + c
        return PolynomialSide(found, False, self.given).linear()


def _number(form: ClosedForm) -> Fraction | None:
    return form.numerator.constant() if form.denominator == 1 else None


def _above(name: str, end: Fraction, sign: int = 1, *, strict: bool) -> LinearSide:
    """Return the condition sign·name ≥ end."""
    return LinearSide(ExpPoly(-end), ((name, ExpPoly(sign)),), strict)


def linear_sides(
    given: Sequence[Comparison], on: Interval, largest: Fraction | float, *, is_falling: bool
) -> Iterator[list[LinearSide]]:
    """Yield linear conditions on α and γ, some of which hold wherever all the given ones do.

    α is below `largest`. If the bound `is_falling` in α, the largest α suffices.
    """
    sides = [PolynomialSide.of(one) for one in given]
    if is_falling and _only_rise(sides, on):
        sides = [_at_largest(one, largest) if one.terms else one for one in sides]
    choices: list[list[list[LinearSide]]] = []
    left: list[PolynomialSide] = []
    for side in sides:
        if side.is_linear:
            choices.append([[side.linear()]])
        elif (name := side.alone()) is not None:
            parts = side.intervals(name)
            choices.append([[PolynomialSide.of(one).linear() for one in part] for part in parts])
        else:
            left.append(side)
    place = int(not any(j for side in left for (j, k), _ in side.terms.items() if j + k > 1))
    for chosen in product(*choices):
        known = [side for part in chosen for side in part]
        if not left:
            yield known
            continue
        for low, high in _slices(largest if place == 0 else inf):
            bounds = [_above(_LEVELS[place], low, strict=False)]
            if isinstance(high, Fraction):
                bounds.append(_above(_LEVELS[place], -high, -1, strict=False))
            more = [side.sliced(place, (low, high), on) for side in left]
            yield [*known, *bounds, *(one for one in more if one is not None)]


def has_products(cases: Sequence[Sequence[Comparison]]) -> bool:
    """Whether a condition multiplies α or γ with one of them."""
    for one in (one for conjunction in cases for one in conjunction):
        names = tuple(one.form.names())
        form = one.form.at({name: parameter(name) for name in names})
        for _, powers, _ in form.numerator.terms:
            levels = sum(k for name, k in powers if name in _LEVELS)
            if levels > 1:
                return True
    return False


def without_powers(given: Sequence[Comparison]) -> Iterator[tuple[Comparison, ...]]:
    """Yield conditions in which those on powers of α alone, or of γ alone, are linear."""
    choices: list[list[list[Comparison]]] = []
    for one in given:
        choices.append([[one]])
        if one.form.names() in ({"alpha"}, {"gamma"}):
            side = PolynomialSide.of(one)
            name = None if side.is_linear else side.alone()
            if name is not None:
                choices[-1] = [*side.intervals(name)]
    for chosen in product(*choices):
        yield tuple(one for part in chosen for one in part)


def _only_rise(sides: Sequence[PolynomialSide], on: Interval) -> bool:
    """Whether conditions with products are satisfied by larger α, and no other bounds α."""
    has_products = any(not side.is_linear and side.alone() is None for side in sides)
    return has_products and all(side.rises(on) for side in sides)


def _at_largest(side: PolynomialSide, largest: Fraction | float) -> PolynomialSide:
    """Return a condition on γ: that it holds for the largest α."""
    if not any(j for j, _ in side.terms):
        return side
    if isinstance(largest, Fraction):
        found = side.with_number(0, largest)
        return PolynomialSide(found.terms, True, side.given)
    free = any(j and not k for j, k in side.terms)  # any γ will do, otherwise any that is not 0
    terms = {(0, 0): ExpPoly(1)} if free else {(0, 1): ExpPoly(1)}
    return PolynomialSide(terms, True, side.given)


def _slices(largest: Fraction | float) -> Iterator[Ends]:
    """Yield intervals that cover all numbers from 0 to the largest, the last ones first."""
    top = largest if isinstance(largest, Fraction) else _RATIO ** (_SLICES // 2)
    points = [top / _RATIO**k for k in range(_SLICES)]
    ends: list[Any] = [Fraction(0), *reversed(points)]
    if not isinstance(largest, Fraction):
        ends.append(inf)
    yield from reversed([*pairwise(ends)])
