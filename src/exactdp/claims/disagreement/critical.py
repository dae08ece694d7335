"""Numbers of which one is dd, if an ideal or a distance multiplies reals: zeros of polynomials.

dd is the least distance r from u to a point v of the closure of the inputs that disagree. The ideal
is constant where no polynomial p that it compares with 0 changes its sign, so some of them are 0 at
the nearest v. Let A be those, and restrict them to the flat of points at distance r whose distance
has the same formula: under linf, entries with the largest difference move with r, and others are
free; under l1, entries without a difference stay, and the differences of the others add up to r.

If the gradients of A in the free entries were independent, A could be used as coordinates, and a
point closer to u would be in the same closure. So they are dependent: for some subset of A of size
k, all its minors of size k vanish (none, if there are fewer than k free entries). Polynomials that
are 0 on the whole flat are left out of this: if all gradients of A in v are independent, they stay
0 on the way to the closer point, which is still in the closure. So there are two kinds of
equations, those on the flat and those with minors in v of a subset that has such a polynomial.

The free entries are eliminated from the equations by resultants, which vanish at common zeros, so r
is a zero of one of finitely many polynomials. For l2, and for a distance that is a polynomial w of
v, no entry moves with r: the equation w = r is added, and the gradient of w to those of A.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from flint import ctx, fmpq_mpoly, fmpq_poly, fmpz_poly

from exactdp.claims.stated.distances import InputDistance, NonlinearDistance, l1, l2, linf
from exactdp.claims.stated.unknowns import Compared, PolynomialQuotient
from exactdp.reals.numbers import exact, fraction
from exactdp.reals.radicals import Surd, real_zeros, zero_of

Polynomial = fmpq_mpoly

_MOST_ENTRIES = 3
_MOST_POLYNOMIALS = 6
_MOST_WORK = 400  # the product of the degrees of two polynomials whose resultant is taken
_BITS = 128

R = "r"  # the distance, or for l2 its square


class _EndlessError(Exception):
    """Raised where the equations have infinitely many solutions, or are too large."""


@dataclass(frozen=True)
class Zero:
    """A real zero of an irreducible polynomial, between two numbers."""

    polynomial: tuple[int, ...]
    lower: Fraction
    upper: Fraction

    def number(self) -> Surd:
        """Return the zero as a number."""
        return zero_of(fmpq_poly(list(self.polynomial)), self.lower, self.upper)


@dataclass(frozen=True)
class Candidates:
    """Finitely many numbers, one of which is dd if dd is finite; 0 is one of them."""

    zeros: frozenset[Zero]

    def only_between(self, lower: Fraction, upper: Fraction, power: int) -> Zero | None:
        """Return the only one whose power is between two numbers; None if there are several."""
        close = [
            one
            for one in self.zeros
            if one.upper**power >= lower and max(one.lower, Fraction(0)) ** power <= upper
        ]
        return close[0] if len(close) == 1 else None

    def are_below(self, number: Fraction, power: int) -> bool:
        """Whether the powers of all are below a number."""
        return all(one.upper**power < number for one in self.zeros)


def candidates(
    point: Sequence[Fraction], disagrees: Callable[[list[Any]], bool], metric: InputDistance
) -> Candidates | None:
    """Return numbers of which one is dd at a point, unless it is ∞; None if none are found."""
    size = len(point)
    if size > _MOST_ENTRIES:
        return None
    names = [f"v{k}" for k in range(size)]
    compared = Compared([*names, R])
    *gens, r = compared.ring.gens()
    unknowns = [compared.unknown(one) for one in gens]
    if compared.results(disagrees, unknowns) is None:
        return None
    whole = _irreducible(compared.polynomials)
    if len(whole) > _MOST_POLYNOMIALS:
        return None
    try:
        found = {Zero((0, 1), Fraction(0), Fraction(0))}
        for flat, free, value in _flats(point, gens, r, metric, compared):
            for equations in _systems(whole, flat, free, value):
                eliminated = _eliminated(equations, free)
                if eliminated is not None:
                    found |= _zeros(eliminated, is_square=metric == l2 and size > 1)
    except _EndlessError:
        return None
    return Candidates(frozenset(found))


def _irreducible(polynomials: Sequence[Polynomial]) -> list[Polynomial]:
    found: list[Polynomial] = []
    for one in polynomials:
        for factor, _ in one.factor()[1]:
            if factor not in found:
                found.append(factor)
    return found


_Flat = tuple[list[Polynomial], list[str], Polynomial | None]
"""The entries as polynomials, the names of those that are free, and an equation for r."""


def _flats(
    point: Sequence[Fraction],
    gens: Sequence[Polynomial],
    r: Polynomial,
    metric: InputDistance,
    compared: Compared,
) -> Iterator[_Flat]:
    """Yield the flats of the points at distance r."""
    own = [compared.ring.constant(exact(x)) for x in point]
    names = [f"v{k}" for k in range(len(point))]
    if isinstance(metric, NonlinearDistance):
        yield [*gens, r], names, r - _own_distance(metric, point, gens, compared)
    elif metric == l2 and len(point) > 1:
        yield [*gens, r], names, r - sum((x - u) ** 2 for x, u in zip(gens, own, strict=True))
    elif metric == l1 and len(point) > 1:
        for signs in product((0, 1, -1), repeat=len(point)):
            moved = [k for k, sign in enumerate(signs) if sign]
            if moved:
                *free, last = moved
                flat = [gens[k] if k in free else own[k] for k in range(len(point))]
                left = r - sum((signs[k] * (gens[k] - own[k]) for k in free), 0 * r)
                flat[last] = own[last] + signs[last] * left
                yield [*flat, r], [names[k] for k in free], None
    elif metric in (linf, l1, l2):
        for signs in product((0, 1, -1), repeat=len(point)):
            if any(signs):
                flat = [
                    u + sign * r if sign else x for x, u, sign in zip(gens, own, signs, strict=True)
                ]
                rest = [name for name, sign in zip(names, signs, strict=True) if not sign]
                yield [*flat, r], rest, None
    else:
        raise _EndlessError


def _own_distance(
    metric: NonlinearDistance,
    point: Sequence[Fraction],
    gens: Sequence[Polynomial],
    compared: Compared,
) -> Polynomial:
    """Return a distance that is one polynomial."""
    before = len(compared.polynomials)
    own = [compared.unknown(compared.ring.constant(exact(x))) for x in point]
    unknowns = [compared.unknown(one) for one in gens]
    found = compared.results(lambda given: metric.at(own, given), unknowns)
    if found is None or len(found) != 1 or len(compared.polynomials) != before:
        raise _EndlessError
    (value,) = found
    if not isinstance(value, PolynomialQuotient) or not value.under.is_constant():
        raise _EndlessError
    return value.over * (1 / value.under.leading_coefficient())


def _systems(
    whole: Sequence[Polynomial],
    flat: list[Polynomial],
    free: Sequence[str],
    value: Polynomial | None,
) -> Iterator[list[Polynomial]]:
    """Yield the equations for each set of polynomials that may be 0 at a nearest point."""
    more = [] if value is None else [value]
    here = [one.compose(*flat) for one in whole]
    for count in range(1, len(free) + 2 - len(more)):
        for chosen in combinations([one for one in here if not one.is_zero()], count):
            rows = [[one.derivative(name) for name in free] for one in (*more, *chosen)]
            yield [*more, *chosen, *_minors(rows)]
    names = [f"v{k}" for k in range(len(flat) - 1)]
    for count in range(1, len(names) + 2):
        for places in combinations(range(len(whole)), count):
            if any(here[k].is_zero() for k in places):
                rows = [[whole[k].derivative(name) for name in names] for k in places]
                minors = [one.compose(*flat) for one in _minors(rows)]
                yield [*(here[k] for k in places), *minors]


def _minors(rows: list[list[Polynomial]]) -> Iterator[Polynomial]:
    """Yield the minors of a matrix whose size is its number of rows."""
    for columns in combinations(range(len(rows[0])), len(rows)):
        yield _determinant([[row[k] for k in columns] for row in rows])


def _determinant(rows: list[list[Polynomial]]) -> Polynomial:
    first, *others = rows
    if not others:
        return first[0]
    total = 0 * first[0]
    for k, entry in enumerate(first):
        total += entry * _determinant([[*row[:k], *row[k + 1 :]] for row in others]) * (-1) ** k
    return total


def _eliminated(equations: list[Polynomial], free: Sequence[str]) -> Polynomial | None:
    """Return a polynomial in r that is 0 wherever all equations hold; None if they never do."""
    left = [one for one in equations if not one.is_zero()]
    for name in free:
        with_it = [one for one in left if one.degrees()[_place(one, name)] > 0]
        if not with_it:
            continue
        pivot = min(with_it, key=lambda one: (one.degrees()[_place(one, name)], one.total_degree()))
        with_it.remove(pivot)
        left = [one for one in left if one not in with_it and one != pivot]
        for one in with_it:
            if one.total_degree() * pivot.total_degree() > _MOST_WORK:
                raise _EndlessError
            left.append(one.resultant(pivot, name))
        left = [one for one in left if not one.is_zero()]
    if any(one.is_constant() for one in left):
        return None
    if not left:
        raise _EndlessError
    return min(left, key=lambda one: one.total_degree())


def _place(polynomial: Polynomial, name: str) -> int:
    return list(polynomial.context().names()).index(name)


def _zeros(polynomial: Polynomial, *, is_square: bool) -> set[Zero]:
    """Return the positive zeros of a polynomial in r, or of one in r²."""
    place = _place(polynomial, R)
    terms = {powers[place]: c for powers, c in polynomial.to_dict().items()}
    step = 2 if is_square else 1
    coefficients: list[Any] = [0] * (step * max(terms) + 1)
    for power, c in terms.items():
        coefficients[step * power] = c
    found = set()
    whole = fmpq_poly(coefficients)
    for factor, _ in (whole * whole.denom()).numer().factor()[1]:
        for lower, upper in _real_zeros(factor):
            if upper > 0:
                found.add(Zero(tuple(int(c) for c in factor.coeffs()), lower, upper))
    return found


def _real_zeros(polynomial: fmpz_poly) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield intervals around the real zeros of an irreducible polynomial, each with one of them."""
    if polynomial.degree() == 1:
        zero = Fraction(-int(polynomial[0]), int(polynomial[1]))
        yield zero, zero
        return
    with ctx.workprec(_BITS):
        for ball in real_zeros(polynomial):
            middle, radius = fraction(ball.mid().fmpq()), fraction(ball.rad().fmpq())
            yield middle - radius, middle + radius
