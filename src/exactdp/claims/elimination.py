"""Linear inequalities with named variables: projection, feasibility, solutions. All exact.

Variables are eliminated one after the other (Fourier and Motzkin); a combination of more original
rows than variables eliminated, plus one, follows from others and is dropped (Kohler's rule).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from exactdp.reals.numbers import simplest_inside

Name: TypeAlias = Hashable
Number: TypeAlias = int | Fraction


@dataclass(frozen=True)
class Row:
    """Σ qᵢ·xᵢ + constant ≥ 0, or > 0 if strict; whole numbers without common divisor."""

    entries: tuple[tuple[Name, int], ...]
    constant: int
    strict: bool

    @classmethod
    def of(cls, coefficients: Mapping[Name, Number], constant: Number, *, strict: bool) -> Row:
        """Return the row with common denominators cleared."""
        values = [(name, q) for name, q in coefficients.items() if q]
        scale = lcm(*(q.denominator for _, q in values), constant.denominator)
        whole = [(name, int(q * scale)) for name, q in values]
        offset = int(constant * scale)
        divisor = gcd(*(q for _, q in whole), offset) or 1
        entries = tuple(sorted(((n, q // divisor) for n, q in whole), key=_by_name))
        return cls(entries, offset // divisor, strict)

    def value(self, point: Mapping[Name, Number]) -> Number:
        """Return the left side at a point."""
        total: Number = self.constant
        for name, q in self.entries:
            total += q * point[name]
        return total

    def holds(self, point: Mapping[Name, Number]) -> bool:
        """Whether a point satisfies the row."""
        value = self.value(point)
        return value > 0 or (value == 0 and not self.strict)

    def renamed(self, names: Mapping[Name, Name]) -> Row:
        """Return the row with other names for some variables."""
        entries = sorted(((names.get(name, name), q) for name, q in self.entries), key=_by_name)
        return Row(tuple(entries), self.constant, self.strict)

    def negated(self) -> Row:
        """Return the row that holds where this one does not."""
        opposite = tuple((name, -q) for name, q in self.entries)
        return Row(opposite, -self.constant, strict=not self.strict)

    def at(self, point: Mapping[Name, Number]) -> Row:
        """Return the row with numbers for some variables."""
        if not any(name in point for name, _ in self.entries):
            return self
        constant: Number = self.constant
        rest: dict[Name, Number] = {}
        for name, q in self.entries:
            if name in point:
                constant += q * point[name]
            else:
                rest[name] = q
        return Row.of(rest, constant, strict=self.strict)


def _by_name(entry: tuple[Name, object]) -> str:
    return str(entry[0])


@dataclass(frozen=True)
class _Derived:
    """A row as a mapping, and the original rows that it was made of."""

    coefficients: dict[Name, int]
    row: Row
    sources: frozenset[int]


def project(rows: Iterable[Row], gone: Sequence[Name]) -> tuple[Row, ...] | None:
    """Return the rows on the other variables that say whether `gone` can be chosen.

    None if that is impossible whatever the others are.
    """
    current = [
        _Derived(dict(row.entries), row, frozenset((k,))) for k, row in enumerate(_distinct(rows))
    ]
    left = list(gone)
    count = 0
    while left:
        variable = min(left, key=lambda name: _cost(current, name))
        left.remove(variable)
        count += 1
        current = _without(current, variable, count)
        for one in current:
            if not one.coefficients and (one.row.constant < 0 or _is_false(one.row)):
                return None
    kept = {one.row for one in current if one.coefficients or _is_false(one.row)}
    return None if any(map(_is_false, kept)) else tuple(_tightest(kept))


def _is_false(row: Row) -> bool:
    return not row.entries and (row.constant < 0 or (row.constant == 0 and row.strict))


def _distinct(rows: Iterable[Row]) -> list[Row]:
    return list(dict.fromkeys(rows))


def _cost(rows: list[_Derived], name: Name) -> int:
    """Return by how many rows an elimination makes the system longer."""
    above = sum(1 for one in rows if one.coefficients.get(name, 0) > 0)
    below = sum(1 for one in rows if one.coefficients.get(name, 0) < 0)
    return above * below - above - below


def _without(rows: list[_Derived], name: Name, count: int) -> list[_Derived]:
    lower = [one for one in rows if one.coefficients.get(name, 0) > 0]
    upper = [one for one in rows if one.coefficients.get(name, 0) < 0]
    found: dict[Row, list[_Derived]] = {}
    for one in rows:
        if name not in one.coefficients:
            found.setdefault(one.row, []).append(one)
    for one in lower:
        for two in upper:
            sources = one.sources | two.sources
            if len(sources) > count + 1:
                continue
            combined = _combined(one, two, name)
            # The same row from other sources is another row to Kohler's rule.
            known = found.setdefault(combined, [])
            if not any(other.sources <= sources for other in known):
                known[:] = [other for other in known if not sources <= other.sources]
                known.append(_Derived(dict(combined.entries), combined, sources))
    return [one for listed in found.values() for one in listed]


def _combined(one: _Derived, two: _Derived, name: Name) -> Row:
    a, b = one.coefficients[name], -two.coefficients[name]
    total: dict[Name, Number] = {key: b * q for key, q in one.coefficients.items()}
    for key, q in two.coefficients.items():
        total[key] = total.get(key, 0) + a * q
    constant = b * one.row.constant + a * two.row.constant
    return Row.of(total, constant, strict=one.row.strict or two.row.strict)


def _tightest(rows: Iterable[Row]) -> list[Row]:
    """Return the rows without those that another with the same left side makes needless."""
    best: dict[tuple[tuple[Name, Fraction], ...], tuple[Fraction, bool, Row]] = {}
    for row in rows:
        size = abs(row.entries[0][1])
        key = tuple((name, Fraction(q, size)) for name, q in row.entries)
        rank = (Fraction(row.constant, size), not row.strict)
        if key not in best or rank < best[key][:2]:
            best[key] = (*rank, row)
    return [row for _, _, row in best.values()]


def feasible(rows: Iterable[Row]) -> bool:
    """Whether some point satisfies all rows."""
    listed = list(rows)
    names = {name for row in listed for name, _ in row.entries}
    if any(map(_is_false, listed)):
        return False
    return project(listed, sorted(names, key=str)) is not None


def solution(
    rows: Iterable[Row], wish: Mapping[Name, Number] | None = None
) -> dict[Name, Fraction] | None:
    """Return a simple point that satisfies all rows, if there is one; as wished where it can be."""
    listed = list(rows)
    names = sorted({name for row in listed for name, _ in row.entries}, key=str)
    systems = [listed]
    for name in names:
        smaller = project(systems[-1], [name])
        if smaller is None:
            return None
        systems.append(list(smaller))
    if any(map(_is_false, systems[-1])):
        return None
    point: dict[Name, Fraction] = {}
    for name, system in zip(reversed(names), reversed(systems[:-1]), strict=True):
        wished = None if wish is None else wish.get(name)
        here = [row.at(point) for row in system]
        if wished is not None and all(row.holds({name: wished}) for row in here):
            point[name] = Fraction(wished)
        else:
            point[name] = _chosen(name, here)
    return point


def _chosen(name: Name, rows: list[Row]) -> Fraction:
    """Return the simplest number that rows on one variable leave."""
    lower, upper = Fraction(0), Fraction(0)
    has_lower = has_upper = closed_lower = closed_upper = False
    for row in rows:
        q = dict(row.entries).get(name)
        if q is None:
            continue
        end = Fraction(-row.constant, q)
        if q > 0 and (not has_lower or end > lower or (end == lower and row.strict)):
            lower, has_lower, closed_lower = end, True, not row.strict
        elif q < 0 and (not has_upper or end < upper or (end == upper and row.strict)):
            upper, has_upper, closed_upper = end, True, not row.strict
    if has_lower and has_upper and lower == upper:
        return lower
    inside = simplest_inside(
        lower if has_lower else float("-inf"), upper if has_upper else float("inf")
    )
    ends = [lower] * closed_lower + [upper] * closed_upper
    return min([inside, *ends], key=lambda x: (x.denominator, abs(x)))
