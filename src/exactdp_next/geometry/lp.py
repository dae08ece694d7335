"""Exact linear programs, with multipliers that prove the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from ..ring.enclose import fmpq_of, fraction_of
from ..ring.linear import Rational, whole

Vector = tuple[Rational, ...]


@dataclass(frozen=True)
class Optimum:
    """The largest value, a point where it is attained, and why there is no larger one.

    The multipliers y ≥ 0 of the rows have Σ yᵢ·rowᵢ = objective and Σ yᵢ·boundᵢ = value.
    """

    value: Rational
    point: Vector
    multipliers: Vector


@dataclass(frozen=True)
class Unbounded:
    """The point and every step in the direction satisfy all rows; the objective grows with it."""

    point: Vector
    direction: Vector


@dataclass(frozen=True)
class Infeasible:
    """No point satisfies all rows: multipliers y ≥ 0 with Σ yᵢ·rowᵢ = 0 and Σ yᵢ·boundᵢ < 0."""

    multipliers: Vector


def maximize(
    objective: Sequence[Rational],
    rows: Sequence[Sequence[Rational]],
    bounds: Sequence[Rational],
) -> Optimum | Unbounded | Infeasible:
    """Return the answer to: maximize objective·x subject to rowᵢ·x ≤ boundᵢ, the x of any sign."""
    tableau = _Tableau(objective, rows, bounds)
    tableau.enter_free_variables()
    if not tableau.make_feasible():
        return Infeasible(tableau.multipliers(tableau.infeasibility))
    column = tableau.improve(tableau.objective)
    if column is not None:
        return Unbounded(tableau.point(), tableau.direction(column))
    value = whole(fraction_of(tableau.objective[-1]))
    return Optimum(value, tableau.point(), tableau.multipliers(tableau.objective))


class _Tableau:
    """The dictionary of the simplex method.

    Each basic variable is a form Σ row[j]·(nonbasic variable j) + row[-1]. The variables are x, of
    any sign, with the numbers 0 … n − 1, the slack bound − row·x ≥ 0 of each row from n on, and
    last an artificial one, 0 in the end. Nonbasic variables are 0 at the current point.

    Bland's rule (the smallest number enters, the smallest number leaves among equals) never visits
    a basis twice, and there are finitely many: so the loops end.
    """

    def __init__(
        self,
        objective: Sequence[Rational],
        rows: Sequence[Sequence[Rational]],
        bounds: Sequence[Rational],
    ) -> None:
        self.n, self.m = len(objective), len(rows)
        self.nonbasic = list(range(self.n))
        self.basic = [self.n + i for i in range(self.m)]
        self.rows = [
            [*(-fmpq_of(a) for a in row), fmpq_of(b)] for row, b in zip(rows, bounds, strict=True)
        ]
        self.objective = [*map(fmpq_of, objective), fmpq(0)]
        self.infeasibility: list[fmpq] = []

    @property
    def artificial(self) -> int:
        return self.n + self.m

    def enter_free_variables(self) -> None:
        """Make each x basic that some row contains; the others change no row and stay 0."""
        for x in range(self.n):
            column = self.nonbasic.index(x)
            for i, variable in enumerate(self.basic):
                if variable >= self.n and self.rows[i][column]:
                    self._pivot(i, column)
                    break

    def make_feasible(self) -> bool:
        """Return whether there is a point, and go to one."""
        worst = min(self._bounded(), key=lambda i: self.rows[i][-1], default=None)
        if worst is None or self.rows[worst][-1] >= 0:
            return True
        # Add an artificial variable to each slack; enter it where that makes all of them ≥ 0.
        for i, row in enumerate(self.rows):
            row.insert(-1, fmpq(int(self.basic[i] >= self.n)))
        self.objective.insert(-1, fmpq(0))
        self.infeasibility = [*(fmpq(0) for _ in self.nonbasic), fmpq(-1), fmpq(0)]
        self.nonbasic.append(self.artificial)
        self._pivot(worst, len(self.nonbasic) - 1)
        self.improve(self.infeasibility)
        if self.infeasibility[-1] < 0:
            return False
        if self.artificial in self.basic:  # it is 0: any other variable may take its place
            i = self.basic.index(self.artificial)
            column = next((j for j, c in enumerate(self.rows[i][:-1]) if c), None)
            if column is None:
                del self.rows[i], self.basic[i]
            else:
                self._pivot(i, column)
        if self.artificial in self.nonbasic:
            column = self.nonbasic.index(self.artificial)
            for row in (*self.rows, self.objective):
                del row[column]
            del self.nonbasic[column]
        return True

    def improve(self, goal: list[fmpq]) -> int | None:
        """Go to the largest value of a goal; return a column along which it grows for ever."""
        while True:
            entering = [j for j, x in enumerate(self.nonbasic) if self._grows(goal[j], x)]
            if not entering:
                return None
            column = min(entering, key=lambda j: self.nonbasic[j])
            up = self.nonbasic[column] >= self.n or goal[column] > 0
            limits = [
                (self.rows[i][-1] / abs(self.rows[i][column]), self.basic[i], i)
                for i in self._bounded()
                if (self.rows[i][column] < 0) == up and self.rows[i][column]
            ]
            if not limits:
                return column
            *_, leaving = min(limits)
            self._pivot(leaving, column)

    def _grows(self, c: fmpq, variable: int) -> bool:
        """Whether a goal grows when a nonbasic variable changes: a free one may fall, too."""
        return bool(c > 0 or (c and variable < self.n))

    def _bounded(self) -> list[int]:
        return [i for i, variable in enumerate(self.basic) if variable >= self.n]

    def _pivot(self, i: int, column: int) -> None:
        """Exchange a basic and a nonbasic variable."""
        row = self.rows[i]
        scale = row[column]
        solved = [-c / scale for c in row]
        solved[column] = 1 / scale
        self.rows[i] = solved
        others = [r for k, r in enumerate(self.rows) if k != i]
        for other in (*others, self.objective, self.infeasibility):
            if other and (c := other[column]):
                other[column] = fmpq(0)
                for j, a in enumerate(solved):
                    other[j] += c * a
        self.basic[i], self.nonbasic[column] = self.nonbasic[column], self.basic[i]

    def point(self) -> Vector:
        """Return the current x."""
        values = dict(zip(self.basic, (row[-1] for row in self.rows), strict=True))
        return tuple(_rational(values.get(x, fmpq(0))) for x in range(self.n))

    def direction(self, column: int) -> Vector:
        """Return how x changes when the variable of a column does, so that the objective grows."""
        step = 1 if self.objective[column] > 0 else -1
        changes = {v: row[column] * step for v, row in zip(self.basic, self.rows, strict=True)}
        changes[self.nonbasic[column]] = fmpq(step)
        return tuple(_rational(changes.get(x, fmpq(0))) for x in range(self.n))

    def multipliers(self, goal: list[fmpq]) -> Vector:
        """Return for each row minus the coefficient of its slack in a goal."""
        found = dict(zip(self.nonbasic, goal[:-1], strict=True))
        return tuple(_rational(-found.get(self.n + i, fmpq(0))) for i in range(self.m))


def _rational(q: fmpq) -> Rational:
    return whole(Fraction(int(q.p), int(q.q)))
