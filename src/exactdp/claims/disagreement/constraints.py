"""Linear constraints on an input u, another input v and their distance, with implications."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from exactdp.claims.disagreement.known import Known
from exactdp.claims.stated.pieces import condition
from exactdp.language.linear import Linear, Scalar
from exactdp.polyhedra.elimination import feasible
from exactdp.polyhedra.form import Name, Number
from exactdp.polyhedra.halfspace import Halfspace

DISTANCE = "the distance"
T = Linear.symbol(DISTANCE)


class Constraint(NamedTuple):
    """Σ outer + factor·T + rest ≥ 0, or > 0: outer in entries of v, T the distance, rest in u.

    Scaled so that the first coefficient of outer is ±1 or, if there is none, the factor is 1.
    """

    outer: tuple[tuple[str, Number], ...]
    factor: Number
    rest: Scalar
    strict: bool

    def coefficient(self, name: str) -> Number:
        """Return the coefficient of an entry of v."""
        for other, q in self.outer:
            if other == name:
                return q
        return 0

    def halfspace(self) -> Halfspace:
        """Return a constraint that does not involve the distance as a halfspace."""
        form = Linear.build(dict(self.outer), 0) + self.rest
        return condition(form, ">" if self.strict else ">=")[0][0]


def _scaled(outer: dict[str, Number], factor: Number, rest: Any, strict: bool) -> Constraint:
    entries = tuple(sorted((name, q) for name, q in outer.items() if q))
    scale: Any = abs(entries[0][1] if entries else factor)
    if scale in (0, 1):
        return Constraint(entries, factor, rest, strict)
    part = 1 / Fraction(scale)
    outer_part = tuple((name, q * part) for name, q in entries)
    return Constraint(outer_part, factor * part, rest * part, strict)


def _sum(one: Constraint, two: Constraint, name: str) -> Constraint:
    """Return a positive combination of two constraints in which an entry of v cancels."""
    up, down = -two.coefficient(name), one.coefficient(name)
    outer = {other: up * q for other, q in one.outer}
    for other, q in two.outer:
        outer[other] = outer.get(other, 0) + down * q
    rest = (one.rest if up == 1 else one.rest * up) + (two.rest if down == 1 else two.rest * down)
    factor = one.factor * up + two.factor * down
    return _scaled(outer, factor, rest, one.strict or two.strict)


def can_hold(rows: tuple[Constraint, ...]) -> bool:
    """Whether conditions on several entries can hold together."""
    several = [row for row in rows if not row.factor and len(row.outer) > 1]
    return len(several) < 2 or feasible(row.halfspace() for row in rows if not row.factor)


@dataclass(frozen=True)
class Constraints:
    """Reads and simplifies constraints, using what is known about u."""

    known: Known
    entries: frozenset[str]
    """The names of the entries of v."""
    nonnegative: bool
    """Whether the distance is known to be nonnegative."""

    def read(self, form: Scalar, *, strict: bool = False) -> Constraint:
        """Return where a form in u, v and the distance is at least 0, or above it."""
        if not isinstance(form, Linear):
            return Constraint((), 0, form, strict)
        outer: dict[str, Number] = {}
        inner: dict[Name, Number] = {}
        for name, q in form.coefficients.items():
            if name != DISTANCE:
                (outer if name in self.entries or name[0] == "|" else inner)[name] = q
        factor = form.coefficients.get(DISTANCE, 0)
        return _scaled(outer, factor, Linear.build(inner, form.constant), strict)

    def read_halfspace(self, one: Halfspace) -> Constraint:
        """Return a halfspace as a constraint."""
        return self.read(Linear.build(one.form.coefficients, one.form.constant), strict=one.strict)

    def moved(self, row: Constraint, more: Scalar) -> Constraint:
        """Return a constraint after the distance has grown."""
        form = Linear.build(dict(row.outer), 0) + row.rest + (T - more) * row.factor
        return self.read(form, strict=row.strict)

    def without(
        self, rows: Iterable[Constraint], names: Iterable[str]
    ) -> tuple[Constraint, ...] | None:
        """Eliminate some entries from constraints; return None if they cannot hold.

        Entries are eliminated one after the other (Fourier–Motzkin).
        """
        found: tuple[Constraint, ...] | None = tuple(rows)
        for name in names:
            if found is None:
                return None
            lower: list[Constraint] = []
            upper: list[Constraint] = []
            rest: list[Constraint] = []
            for row in found:
                q = row.coefficient(name)
                (rest if not q else lower if q > 0 else upper).append(row)
            rest += [_sum(one, two, name) for one in lower for two in upper]
            found = self.simple(rest)
        return found

    def simple(self, rows: Iterable[Constraint]) -> tuple[Constraint, ...] | None:
        """Drop every constraint implied by another; return None if one cannot hold."""
        kept: dict[object, list[Constraint]] = {}
        for row in rows:
            if not row.outer:
                if not row.factor and self.known.is_positive(-row.rest, strict=not row.strict):
                    return None
                if self.nonnegative or not row.factor:
                    strict = row.strict and not row.factor
                    if self.known.is_positive(row.rest, strict=strict):
                        continue
            group = kept.get(row.outer)
            if group is None:
                kept[row.outer] = [row]
            elif not any(self.follows(row, other) for other in group):
                group[:] = [other for other in group if not self.follows(other, row)]
                group.append(row)
        return tuple(row for group in kept.values() for row in group)

    def follows(self, one: Constraint, two: Constraint) -> bool:
        """Whether a constraint follows from another one with the same part in v.

        If it involves the distance, strictness does not matter: distances are infima.
        """
        if one.factor < two.factor if self.nonnegative else one.factor != two.factor:
            return False
        if not one.factor and one.strict and not two.strict:
            return False
        return self.known.is_positive(one.rest - two.rest)
