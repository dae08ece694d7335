"""Projections of polyhedra along variables, and points in them.

Variables are eliminated one by one (Fourier–Motzkin). A combination of more original halfspaces
than the number of eliminated variables plus one is redundant and is dropped (Kohler's rule).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import gcd
from typing import Any, NamedTuple

from exactdp.polyhedra.form import Name, Number
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron, quotient
from exactdp.reals.numbers import simplest_inside


class _Row(NamedTuple):
    """Σ c·x + constant ≥ 0, or > 0, in integers, and the set of halfspaces that it combines.

    The set is a bit mask. A constant with parameters is not an integer.
    """

    coefficients: dict[Name, int]
    constant: Any
    strict: bool
    sources: int

    def is_false(self) -> bool:
        """Whether the row cannot hold for any values of the parameters."""
        return (
            not self.coefficients
            and isinstance(self.constant, int)
            and (self.constant < 0 or (self.constant == 0 and self.strict))
        )


def project(halfspaces: Iterable[Halfspace], gone: Iterable[Name]) -> Polyhedron | None:
    """Return the projection of a polyhedron along the variables `gone`.

    Return None if it is known to be empty, which is decided if no other variables are left.
    """
    rows = _eliminated(halfspaces, gone)
    if rows is None:
        return None
    return tightest(
        Halfspace.of(row.coefficients, row.constant, strict=row.strict)
        for row in rows
        if row.coefficients
    )


def tightest(halfspaces: Iterable[Halfspace]) -> Polyhedron:
    """Return halfspaces without those that contain a parallel one."""
    best: dict[object, Halfspace] = {}
    for one in halfspaces:
        known = best.get(one.direction)
        if known is None or one.weakness < known.weakness:
            best[one.direction] = one
    return tuple(best.values())


def feasible(halfspaces: Iterable[Halfspace]) -> bool:
    """Whether some point is in all halfspaces."""
    return room(halfspaces) is not None


def room(halfspaces: Iterable[Halfspace]) -> list[Any] | None:
    """Return the numbers that must be positive for a point to be in all open halfspaces.

    They are constants with parameters; None if there is no point for any values of the parameters.
    For halfspaces that are not strict, the numbers must be nonnegative.
    """
    listed = list(halfspaces)
    rows = _eliminated(listed, dict.fromkeys(n for one in listed for n in one.form.coefficients))
    if rows is None:
        return None
    return list(dict.fromkeys(row.constant for row in rows if not isinstance(row.constant, int)))


def _eliminated(halfspaces: Iterable[Halfspace], gone: Iterable[Name]) -> list[_Row] | None:
    """Return equivalent rows with some variables eliminated, None if one is false."""
    rows = [_row(one, k) for k, one in enumerate(dict.fromkeys(halfspaces))]
    left = list(gone)
    for count in range(1, len(left) + 1):
        if any(row.is_false() for row in rows):
            return None
        variable = _cheapest(rows, left)
        left.remove(variable)
        rows = _without(rows, variable, count)
    return None if any(row.is_false() for row in rows) else rows


def _row(one: Halfspace, index: int) -> _Row:
    constant = one.form.constant
    coefficients: dict[Name, Any] = dict(one.form.coefficients)
    if isinstance(constant, Fraction):
        constant, scale = constant.numerator, constant.denominator
        if scale > 1:
            coefficients = {name: c * scale for name, c in coefficients.items()}
    return _Row(coefficients, constant, one.strict, 1 << index)


def _cheapest(rows: list[_Row], names: list[Name]) -> Name:
    """Return the variable whose elimination adds the fewest rows."""
    if len(names) == 1:
        return names[0]
    above, below = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for row in rows:
        for name, c in row.coefficients.items():
            if name in above:
                (above if c > 0 else below)[name] += 1
    return min(names, key=lambda n: above[n] * below[n] - above[n] - below[n])


def _without(rows: list[_Row], name: Name, count: int) -> list[_Row]:
    """Return the rows without a variable, the one eliminated as number `count`."""
    lower: list[_Row] = []
    upper: list[_Row] = []
    found: dict[object, list[_Row]] = {}
    for row in rows:
        c = row.coefficients.get(name, 0)
        if c:
            (lower if c > 0 else upper).append(row)
        else:
            found.setdefault(_key(row), []).append(row)
    for one in lower:
        for two in upper:
            sources = one.sources | two.sources
            if sources.bit_count() > count + 1:
                continue
            row = _combined(one, two, name)
            # The same row from other sources is a different row for Kohler's rule.
            known = found.setdefault(_key(row), [])
            if not any(other.sources & ~sources == 0 for other in known):
                known[:] = [other for other in known if sources & ~other.sources]
                known.append(row)
    return [row for listed in found.values() for row in listed]


def _key(row: _Row) -> object:
    return frozenset(row.coefficients.items()), row.constant, row.strict


def _combined(one: _Row, two: _Row, name: Name) -> _Row:
    """Return the sum of multiples of two rows that eliminates a variable."""
    up, down = -two.coefficients[name], one.coefficients[name]
    total = {key: up * c for key, c in one.coefficients.items()}
    for key, c in two.coefficients.items():
        total[key] = total.get(key, 0) + down * c
    total = {key: c for key, c in total.items() if c}
    constant = one.constant * up + two.constant * down
    divisor = gcd(*total.values(), constant) if isinstance(constant, int) else gcd(*total.values())
    if divisor > 1:
        total = {key: c // divisor for key, c in total.items()}
        constant = quotient(constant, divisor)
    return _Row(total, constant, one.strict or two.strict, one.sources | two.sources)


def solution(
    halfspaces: Iterable[Halfspace], wish: Mapping[Name, Number] | None = None
) -> dict[Name, Fraction] | None:
    """Return a simple point in all halfspaces, if there is one; with wished values if possible."""
    systems = [tuple(halfspaces)]
    if project(systems[0], ()) is None:
        return None
    names = sorted({name for one in systems[0] for name in one.form.coefficients}, key=str)
    for name in names:
        smaller = project(systems[-1], [name])
        if smaller is None:
            return None
        systems.append(smaller)
    point: dict[Name, Fraction] = {}
    for name, system in zip(reversed(names), reversed(systems[:-1]), strict=True):
        wished = None if wish is None else wish.get(name)
        here = [one.at(point) for one in system]
        if wished is not None and all(one.holds({name: wished}) for one in here):
            point[name] = Fraction(wished)
        else:
            point[name] = _chosen(name, here)
    return point


def _chosen(name: Name, here: list[Halfspace]) -> Fraction:
    """Return the simplest number that halfspaces of one variable allow."""
    lower, lower_open = max(_ends(name, here, 1), default=(None, False))
    upper, upper_closed = min(_ends(name, here, -1), default=(None, False))
    if lower is not None and lower == upper:
        return lower
    ends = [lower] if lower is not None and not lower_open else []
    ends += [upper] if upper is not None and upper_closed else []
    inside = simplest_inside(
        float("-inf") if lower is None else lower, float("inf") if upper is None else upper
    )
    return min([inside, *ends], key=lambda x: (x.denominator, abs(x)))


def _ends(name: Name, here: list[Halfspace], sign: int) -> Iterator[tuple[Fraction, bool]]:
    """Yield the ends on one side, each so that the one that binds is the largest or smallest."""
    for one in here:
        if one.coefficient(name) * sign > 0:
            yield Fraction(one.end(name).constant), one.strict == (sign > 0)
