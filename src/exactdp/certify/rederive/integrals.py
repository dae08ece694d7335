"""The probability that independent noises satisfy linear conditions, by integrating them out.

All is scaled by ε: a noise of rate aε is z/ε with z of rate a, and a condition Σ c·x + d ≥ 0
becomes Σ c·z + dε ≥ 0. One variable after the other is integrated over [L, U], for each choice of
the largest lower bound L and the smallest upper bound U; which bounds these are is a condition on
the variables that are left. Sets of measure zero are neglected. A smaller unit than ε makes all
rates and constants whole; integers are faster than fractions.

On a cone of parameters (ε, εx, …) instead of ε alone the constant d is a linear form in them, and a
judge returns its sign inside the cone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import gcd, lcm

from ..kernel.limits import MAX_TEXT
from ..kernel.reading import Sum
from . import limits
from .lattices import WHOLE
from .linear import Rational, as_int
from .ratios import UnsupportedError
from .runs import Condition

Row = tuple[Rational, ...]  # coefficients of the variables, then of ε (…); the row is ≥ 0
Rows = frozenset[Row]
Monomial = tuple[tuple[int, ...], Row]  # powers and rates of the same
Density = dict[Monomial, Rational]
Cells = dict[Rows, Density]
Law = tuple[str, int, Row]  # the kind of a noise, its rate and its mean
Polynomial = dict[tuple[int, ...], Rational]

SignJudge = Callable[[Row], int]  # the sign of Σ q·parameter

_ZERO = Fraction(0)


def _sign(form: Row) -> int:
    """Return the sign of a multiple of ε."""
    (q,) = form
    return (q > 0) - (q < 0)


class Integrals:
    """Integrals with a common limit on the work; equal ones are done once.

    In a form, the unknown k ≥ 0 is a noise and −k is the parameter number k; ε is number 0.
    """

    def __init__(
        self,
        parameters: int = 1,
        judge: SignJudge = _sign,
        payer: Integrals | None = None,
        length: int = MAX_TEXT,
    ) -> None:
        least, more = limits.INTEGRATION
        self.most = min(limits.MAX_INTEGRATION, least + more * length)
        self.left = self.most
        self.payer = payer  # whose limit it is
        self.parameters = parameters
        self.judge = judge
        self._known: dict[object, Sum] = {}

    def density(
        self,
        noises: list[tuple[str, Fraction]],
        conditions: list[Condition],
        powers: tuple[int, ...] = (),
    ) -> Sum:
        """Return the probability of the conditions as a sum in the parameters.

        With `powers`, the names of noises, perhaps repeated: the integral of their product.
        """
        names = {*powers, *(name for form, _ in conditions for name in form.coefficients)}
        used = sorted(name for name in names if name >= 0)
        if any(noises[name][0] in WHOLE for name in used):
            raise UnsupportedError("moments of integer noise are not re-derived")
        place = {name: k for k, name in enumerate(used)}
        rows: list[Row] = []
        for form, op in conditions:
            sign = 1 if op[0] == ">" else -1
            row: list[Rational] = [0] * (len(used) + self.parameters)
            row[len(used)] = as_int(sign * form.constant)
            for name, c in form.coefficients.items():
                row[place[name] if name >= 0 else len(used) - name] = as_int(sign * c)
            rows.append(tuple(row))
        start = self.tidy(rows)
        if start is None:
            return {}
        if powers:
            raised = tuple(powers.count(name) for name in used)
            return self._integral(tuple(noises[name] for name in used), start, raised)
        key = _ordered(tuple(noises[name] for name in used), start)
        if key not in self._known:
            self._known[key] = self._integral(*key, (0,) * len(used))
        return self._known[key]

    def _integral(
        self, noises: tuple[tuple[str, Fraction], ...], start: Rows, raised: tuple[int, ...]
    ) -> Sum:
        """Return the integral of powers over the points of rows, in units of ε/(size·finer).

        A noise is `size` times as large as in these units.
        """
        count, width = len(noises), len(noises) + self.parameters
        size = lcm(*(rate.denominator for _, rate in noises))
        finer = lcm(*(q.denominator for row in start for q in row[count:]))
        scaled = frozenset((*row[:count], *(int(q * finer) for q in row[count:])) for row in start)
        powers = (*raised, *(0,) * self.parameters)
        lengths = sum(raised) + sum(kind == "unif" for kind, _ in noises)
        cells: Cells = {scaled: {(powers, (0,) * width): size**lengths}}
        waiting, divisor = set(range(count)), 1
        while waiting:
            v = min(waiting, key=lambda k: (_splits(cells, k), k))
            waiting.remove(v)
            kind, rate = noises[v]
            if kind != "unif":  # which has the density 1 between its ends, that are rows
                cells = self.drawn(cells, v, (kind, int(rate * size), (0,) * width))
            cells, by = self.eliminated(cells, v)
            divisor *= by * (2 if kind == "lap" else 1)
        return self.total(cells, divisor, Fraction(1, size * finer))

    def total(self, cells: Cells, divisor: int, unit: Fraction) -> Sum:
        """Return densities of no variables, in a unit, as a sum in the parameters."""
        found: Sum = {}
        for density in cells.values():
            for (powers, rates), c in density.items():
                own = tuple(q * unit for q in rates[-self.parameters :])
                key = powers[-self.parameters :], own
                found[key] = found.get(key, _ZERO) + c * unit ** sum(powers) / Fraction(divisor)
        return {key: c for key, c in found.items() if c}

    def drawn(self, cells: Cells, v: int, law: Law) -> Cells:
        """Multiply by the density of a noise, R·e^{−R·|v − mean|} (over 2, for `lap`)."""
        kind, rate, mean = law
        found: Cells = {}
        away = tuple((k == v) - q for k, q in enumerate(mean))
        for side in (1, -1) if kind == "lap" else (1,):
            row = tuple(side * q for q in away)
            for rows, density in cells.items():
                into = found.setdefault(rows | {row}, {})
                for (powers, rates), c in density.items():
                    moved = tuple([q - rate * r for q, r in zip(rates, row, strict=True)])
                    into[powers, moved] = into.get((powers, moved), 0) + c * rate
                self.spend(2 * len(density) + 20)
        return found

    def eliminated(self, cells: Cells, v: int) -> tuple[Cells, int]:
        """Integrate a variable out of all cells; cells with equal conditions are added.

        The returned densities have integer coefficients and must be divided by the returned number.
        """
        keys = {(key[0][v], key[1][v]) for density in cells.values() for key in density}
        whole = lcm(*(r.numerator ** (k + 1) if r else k + 1 for k, r in keys))
        found: Cells = {}
        for rows, density in cells.items():
            weighted = {key: c * whole for key, c in density.items()}
            self.spend(30 * (len(rows) + 1))
            for new_rows, low, high in self._bounds(rows, v):
                self.spend(15 * (len(new_rows) + 1))
                into = found.setdefault(new_rows, {})
                if high is not None:
                    self._add(into, weighted, v, high, 1)
                if low is not None:
                    self._add(into, weighted, v, low, -1)
        kept = {rows: left for rows, density in found.items() if (left := _nonzero(density))}
        return kept, whole

    def _add(self, into: Density, density: Density, v: int, bound: Row, sign: int) -> None:
        """Add sign times the antiderivative in a variable at a bound.

        Of z^k·e^{rz} it is e^{rz}·Σ_j (−1)^j·k!/(k−j)!·z^{k−j}/r^{j+1}, or z^{k+1}/(k+1) if r = 0.
        """
        powers_of: list[Polynomial] = [{(0,) * len(bound): sign}]
        for (powers, rates), c in density.items():
            k, r = powers[v], rates[v]
            rest = (*powers[:v], 0, *powers[v + 1 :])
            at = tuple([as_int(q + r * b) for q, b in zip(rates, bound, strict=True)])
            at = (*at[:v], 0, *at[v + 1 :])
            steps: list[tuple[int, Rational]] = []
            if r == 0:
                steps = [(k + 1, _quotient(c, k + 1))]
            else:
                factor = _quotient(c, r)
                for j in range(k + 1):
                    steps.append((k - j, factor))
                    factor = _quotient(factor * (j - k), r)
            for power, factor in steps:
                while len(powers_of) <= power:
                    powers_of.append(self._times(powers_of[-1], bound))
                for more, d in powers_of[power].items():
                    key = tuple(map(int.__add__, rest, more)), at
                    into[key] = into.get(key, 0) + factor * d
                self.spend(2 * len(powers_of[power]))

    def _times(self, polynomial: Polynomial, bound: Row) -> Polynomial:
        found: Polynomial = {}
        for powers, c in polynomial.items():
            for k, b in enumerate(bound):
                if b:
                    key = (*powers[:k], powers[k] + 1, *powers[k + 1 :])
                    found[key] = found.get(key, 0) + c * b
        self.spend(len(found))
        return found

    def tidy(self, rows: Iterable[Row]) -> Rows | None:
        """Return the rows normalized, only the tightest of parallel ones; None if infeasible."""
        tightest: dict[Row, Row] = {}
        for row in rows:
            direction, constant = row[: -self.parameters], row[-self.parameters :]
            below = lcm(*[c.denominator for c in direction])
            above = gcd(*[c.numerator * (below // c.denominator) for c in direction])
            if above == 0:
                if self.judge(constant) < 0:
                    return None
                continue
            key, value = direction, constant
            if below != 1 or above != 1:
                scale = Fraction(below, above)
                key = tuple(int(c * scale) for c in direction)
                value = tuple(as_int(c * scale) for c in constant)
            if key not in tightest or self.judge(_minus(value, tightest[key])) < 0:
                tightest[key] = value
        for key, value in tightest.items():
            opposite = tightest.get(tuple(-c for c in key))
            if opposite is not None and self.judge(_plus(opposite, value)) <= 0:
                return None
        return frozenset((*key, *value) for key, value in tightest.items())

    def _bounds(self, rows: Rows, v: int) -> list[tuple[Rows, Row | None, Row | None]]:
        """Return the choices of the largest lower and the smallest upper bound of a variable."""
        lower: list[Row] = []
        upper: list[Row] = []
        rest: list[Row] = []
        for row in rows:
            if row[v] == 0:
                rest.append(row)
            else:
                slope = -row[v] if row[v] in (1, -1) else -1 / Fraction(row[v])
                bound = tuple([as_int(c * slope) for c in row])
                bound = (*bound[:v], 0, *bound[v + 1 :])
                self._place(lower if row[v] > 0 else upper, bound, 1 if row[v] > 0 else -1)
        found: list[tuple[Rows, Row | None, Row | None]] = []
        lows: list[Row | None] = [*lower] or [None]
        highs: list[Row | None] = [*upper] or [None]
        for low in lows:
            for high in highs:
                more = list(rest)
                if low is not None:
                    more += [_minus(low, other) for other in lower if other is not low]
                if high is not None:
                    more += [_minus(other, high) for other in upper if other is not high]
                if low is not None and high is not None:
                    more.append(_minus(high, low))
                tidy = self.tidy(more)
                if tidy is not None:
                    found.append((tidy, low, high))
        return found

    def _place(self, bounds: list[Row], bound: Row, sign: int) -> None:
        """Add a bound, unless one that differs by a constant is as tight (sign 1: lower)."""
        n = self.parameters
        for k, other in enumerate(bounds):
            if other[:-n] == bound[:-n]:
                if sign * self.judge(_minus(bound[-n:], other[-n:])) > 0:
                    bounds[k] = bound
                return
        bounds.append(bound)

    def spend(self, steps: int) -> None:
        """Count steps, about a microsecond each."""
        if self.payer is not None:
            self.payer.spend(steps)
            return
        self.left -= steps
        if self.left < 0:
            raise UnsupportedError(f"the integrals take more than {self.most} steps")


def _quotient(c: Rational, r: Rational) -> Rational:
    """Return c/r, as an integer where it is one."""
    if type(c) is int and type(r) is int and c % r == 0:
        return c // r
    return Fraction(c) / r


def _ordered(
    noises: tuple[tuple[str, Fraction], ...], rows: Rows
) -> tuple[tuple[tuple[str, Fraction], ...], Rows]:
    """Return an integral with its variables in an order that does not depend on their names.

    Variables that look alike stay as they are: then an equal integral may be done again.
    """
    count = len(noises)
    shapes = [(row, sorted(row[:count]), row[count:]) for row in rows]
    looks = [
        (noises[k], sorted((row[k], own, rest) for row, own, rest in shapes)) for k in range(count)
    ]
    order = sorted(range(count), key=lambda k: looks[k])
    moved = frozenset((*[row[k] for k in order], *row[count:]) for row in rows)
    return tuple(noises[k] for k in order), moved


def _nonzero(density: Density) -> Density:
    return {key: c for key, c in density.items() if c}


def _minus(a: Row, b: Row) -> Row:
    return tuple([x - y for x, y in zip(a, b, strict=True)])


def _plus(a: Row, b: Row) -> Row:
    return tuple([x + y for x, y in zip(a, b, strict=True)])


def _splits(cells: Cells, v: int) -> int:
    """Return about how many cells integrating a variable out makes."""
    total = 0
    for rows in cells:
        above = sum(row[v] > 0 for row in rows)
        below = sum(row[v] < 0 for row in rows)
        total += (above + 1) * (below + 1)
    return total
