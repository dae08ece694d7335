"""Linear conditions on variables, and whether they leave any room: exact linear programming."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from exactdp.reals.numbers import exact

_ZERO = Fraction(0)
_UNITS = Fraction(1), Fraction(-1)


class Bound(NamedTuple):
    """factor·other + constant, an upper or a lower bound of a variable."""

    other: int
    factor: Fraction
    constant: Fraction
    is_upper: bool


@dataclass(frozen=True)
class Condition:
    """Σ qᵢ·xᵢ + constant ≥ 0, the variables sorted, no q zero; scaled so that |q₁| = 1."""

    coefficients: tuple[tuple[int, Fraction], ...]
    constant: Fraction

    @classmethod
    def of(cls, coefficients: dict[int, Fraction], constant: Fraction) -> Condition:
        """Return the condition Σ qᵢ·xᵢ + constant ≥ 0."""
        kept = sorted((name, q) for name, q in coefficients.items() if q)
        if not kept or kept[0][1] in _UNITS:
            return cls(tuple(kept), constant)
        scale = 1 / abs(kept[0][1])
        return cls(tuple((name, q * scale) for name, q in kept), constant * scale)

    @cached_property
    def variables(self) -> frozenset[int]:
        """The variables that occur."""
        return frozenset(name for name, _ in self.coefficients)

    @cached_property
    def difference(self) -> tuple[int, int] | None:
        """The variables x and y if the condition is x − y + constant ≥ 0, else None."""
        weights = [q for _, q in self.coefficients]
        if len(weights) != 2 or weights[0] != -weights[1]:  # the first is ±1
            return None
        (x, q), (y, _) = self.coefficients
        return (x, y) if q > 0 else (y, x)

    @cached_property
    def bounds(self) -> dict[int, Bound]:
        """What a condition on two variables says of each of them."""
        (x, q), (y, r) = self.coefficients
        return {
            x: Bound(y, -r / q, -self.constant / q, is_upper=q < 0),
            y: Bound(x, -q / r, -self.constant / r, is_upper=r < 0),
        }

    def coefficient(self, variable: int) -> Fraction:
        """Return the coefficient of a variable."""
        return dict(self.coefficients).get(variable, _ZERO)

    def negated(self) -> Condition:
        """Return Σ qᵢ·xᵢ + constant ≤ 0."""
        return Condition(tuple((name, -q) for name, q in self.coefficients), -self.constant)

    def renamed(self, names: dict[int, int]) -> Condition:
        """Return the condition on renamed variables."""
        return Condition.of({names[v]: q for v, q in self.coefficients}, self.constant)

    def substituted(
        self, variable: int, form: dict[int, Fraction], constant: Fraction
    ) -> Condition:
        """Return the condition with a linear form for a variable."""
        factor = self.coefficient(variable)
        if not factor:
            return self
        result = {name: q for name, q in self.coefficients if name != variable}
        for name, q in form.items():
            result[name] = result.get(name, Fraction(0)) + factor * q
        return Condition.of(result, self.constant + factor * constant)


def has_interior(conditions: Iterable[Condition]) -> bool:
    """Whether some point satisfies all conditions strictly.

    Maximises the slack s ≤ 1 with every left side ≥ s by the simplex method with Bland's rule,
    which cannot cycle; x = 0 with a small enough s is where it starts.
    """
    rows = []
    names: dict[int, int] = {}
    for one in conditions:
        if not one.coefficients:
            if one.constant <= 0:
                return False
            continue
        for name, _ in one.coefficients:
            names.setdefault(name, len(names))
        rows.append(one)
    if not rows:
        return True
    if not all(isinstance(one.constant, Fraction) for one in rows):
        return _has_interior_around(rows)
    lowest = min(Fraction(0), *(one.constant for one in rows))
    # Columns: σ, then x⁺ and x⁻ for every variable; s = lowest + σ.
    width = 1 + 2 * len(names)
    unit = [exact(1)] + [exact(0)] * (width - 1)
    tableau = []
    for one in rows:
        line = list(unit)
        for name, q in one.coefficients:
            j = 1 + 2 * names[name]
            line[j], line[j + 1] = -exact(q), exact(q)
        tableau.append((line, exact(one.constant - lowest)))
    tableau.append((list(unit), exact(1 - lowest)))
    return bool(_maximum(tableau, unit, exact(-lowest)) > exact(-lowest))


def _has_interior_around(rows: list[Condition]) -> bool:
    """Whether conditions with parameters in their constants leave room.

    Variables are eliminated (Fourier and Motzkin), so that only what decides is compared, and
    nothing that moves when all variables are moved. A combination of more conditions than
    variables eliminated, plus one, follows from others (Kohler's rule).
    """
    current = [(frozenset((k,)), one) for k, one in enumerate(dict.fromkeys(rows))]
    left = {name for one in rows for name in one.variables}
    for gone in range(1, len(left) + 1):
        variable = min(left, key=lambda name: (_pairs(current, name), name))
        left.remove(variable)
        weighted = [(made_of, one, one.coefficient(variable)) for made_of, one in current]
        current = [(made_of, one) for made_of, one, q in weighted if not q]
        for (these, one, q), (those, two, r) in product(weighted, repeat=2):
            if q > 0 > r and len(these | those) <= gone + 1:
                current.append((these | those, _without(variable, one, two)))
    constants = list(dict.fromkeys(one.constant for _, one in current))
    least = min(constants, key=_at_sample, default=Fraction(1))
    if _at_sample(least) <= 0:
        return bool(least > 0)
    return all(one > 0 for one in constants)


def _pairs(rows: list[tuple[frozenset[int], Condition]], variable: int) -> int:
    """Return how many pairs of conditions bound a variable from both sides."""
    signs = [q > 0 for _, one in rows if (q := one.coefficient(variable))]
    return sum(signs) * (len(signs) - sum(signs))


def _without(variable: int, above: Condition, below: Condition) -> Condition:
    """Return the sum of multiples of two conditions in which a variable is gone."""
    up, down = -below.coefficient(variable), above.coefficient(variable)
    total = {name: up * q for name, q in above.coefficients}
    for name, q in below.coefficients:
        total[name] = total.get(name, _ZERO) + down * q
    return Condition.of(total, above.constant * up + below.constant * down)


def _at_sample(constant: Any) -> Any:
    """Return a constant without comparing it: that of a form at its sample."""
    return exact(constant) if isinstance(constant, Fraction) else constant.value


def _maximum(tableau: list[tuple[list[Any], Any]], unit: list[Any], enough: Any) -> Any:
    """Return the maximum of the first variable, or any value above `enough` once one is found."""
    width = len(unit)
    rows = [[*line, right] for line, right in tableau]
    basis = list(range(width, width + len(rows)))
    # Nonbasic variables by column; a pivot swaps the names of its row and column.
    columns = list(range(width))
    goal = list(unit)
    value = 0 * enough
    while value <= enough:
        candidates = [j for j in range(width) if goal[j] > 0]
        if not candidates:
            return value
        enter = min(candidates, key=lambda j: columns[j])
        ratios = [
            (row[-1] / row[enter], basis[i], i) for i, row in enumerate(rows) if row[enter] > 0
        ]
        if not ratios:
            return enough + 1  # unbounded cannot happen: σ is bounded
        leave = min(ratios)[2]
        pivot_row = rows[leave]
        pivot = pivot_row[enter]
        new_row = [entry / pivot for entry in pivot_row]
        new_row[enter] = 1 / pivot
        rows[leave] = new_row
        for i, row in enumerate(rows):
            if i != leave and row[enter]:
                factor = row[enter]
                updated = [a - factor * b for a, b in zip(row, new_row, strict=True)]
                updated[enter] = -factor / pivot
                rows[i] = updated
        factor = goal[enter]
        value += factor * new_row[-1]
        goal = [a - factor * b for a, b in zip(goal, new_row, strict=False)]
        goal[enter] = -factor / pivot
        basis[leave], columns[enter] = columns[enter], basis[leave]
    return value
