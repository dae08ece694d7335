"""The probability that independent integer noises satisfy linear conditions, by summing them up.

A noise of rate aε has masses that are multiples of e^{−aε|k|}. One variable after the other is
summed over [L, U], for each choice of the largest lower bound L and the smallest upper bound U;
which bounds these are is a condition on the variables that are left, with ties decided by order. A
variable is summed where it has the coefficients ±1, so that L and U are whole. With F(z + 1)·e^{r}
− F(z) = z^k, the sum of z^k·e^{rz} is F·e^{rz} at U + 1 less that at L; F is a polynomial in z
whose coefficients are quotients by powers of e^{rε} − 1. Variables may be left, as parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import ceil, comb, floor, gcd, lcm

from ..kernel.reading import Sum
from .linear import LinearForm
from .ratios import Ratio, UnsupportedError, plus, times

WHOLE = ("dlap", "geometric")

WholeRow = tuple[int, ...]  # coefficients of the variables and a constant; the row is ≥ 0
WholeRows = frozenset[WholeRow]
Factors = tuple[tuple[Fraction, int], ...]  # (r, m): (e^{rε} − 1)^m below, r > 0
MassKey = tuple[tuple[int, ...], tuple[Fraction, ...], Factors]  # powers and rates of the variables
Masses = dict[MassKey, Sum]
Noise = tuple[str, Fraction]

_ONE: Sum = {((), ()): Fraction(1)}
_ZERO = Fraction(0)
_MOST_CELLS = 2_000


def grown(rate: Fraction) -> Sum:
    """Return e^{rε}."""
    return {((), (rate,) if rate else ()): Fraction(1)}


class LatticeSums:
    """Sums over integer noise, which count their steps."""

    def __init__(self, spend: Callable[[int], None]) -> None:
        self.spend = spend
        self._known: dict[object, Ratio] = {}

    def mass(self, noises: list[Noise], conditions: list[tuple[LinearForm, str]]) -> Ratio:
        """Return the probability of conditions on integer noises, which are given by name."""
        names = sorted({name for form, _ in conditions for name in form.coefficients})
        rows = whole_rows(conditions, names)
        key = tuple(noises[name] for name in names), rows
        if rows is None:
            return Ratio.number(0)
        if key not in self._known:
            found = self.summed([noises[name] for name in names], rows, 0)
            self._known[key] = total_of(found.get(frozenset(), {})) * scale(noises, names)
        return self._known[key]

    def summed(self, noises: list[Noise], rows: WholeRows, kept: int) -> dict[WholeRows, Masses]:
        """Return the sums over noises, without `scale`; so many variables behind them are left."""
        count = len(noises)
        start: MassKey = (0,) * (count + kept), (_ZERO,) * (count + kept), ()
        cells: dict[WholeRows, Masses] = {rows: {start: _ONE}}
        waiting = set(range(count))
        while waiting:
            free = [v for v in waiting if all(abs(row[v]) <= 1 for rows in cells for row in rows)]
            if not free:
                raise UnsupportedError("sums over multiples of integer noise are not re-derived")
            v = min(free, key=lambda k: (sum(row[k] != 0 for rows in cells for row in rows), k))
            waiting.remove(v)
            cells = self._without(cells, v, *noises[v])
        return cells

    def _without(
        self, cells: dict[WholeRows, Masses], v: int, kind: str, rate: Fraction
    ) -> dict[WholeRows, Masses]:
        """Sum a variable up in all cells; cells with equal conditions are added."""
        found: dict[WholeRows, Masses] = {}
        for rows, masses in cells.items():
            size = len(next(iter(masses))[0])
            unit = tuple(int(k == v) for k in range(size))
            halves = [((*unit, 0), -rate)]
            if kind == "dlap":
                halves.append(((*(-c for c in unit), -1), rate))
            for half, slope in halves:
                weighted = {
                    (powers, _raised(rates, v, slope), under): over
                    for (powers, rates, under), over in masses.items()
                }
                for left, low, high in _bounds({*rows, half}, v):
                    into = found.setdefault(left, {})
                    if len(found) > _MOST_CELLS:
                        raise UnsupportedError("a sum over integer noise has too many parts")
                    if high is not None:
                        after = (*high[:-1], high[-1] + 1)
                        self._add(into, weighted, v, after, 1)
                    if low is not None:
                        self._add(into, weighted, v, low, -1)
        return {
            rows: kept
            for rows, masses in found.items()
            if (kept := {key: over for key, over in masses.items() if over})
        }

    def _add(self, into: Masses, masses: Masses, v: int, end: WholeRow, sign: int) -> None:
        """Add sign·F·e^{rz} with z at an end, for each term."""
        for (powers, rates, under), over in masses.items():
            r, k = rates[v], powers[v]
            at = tuple(
                _ZERO if j == v else q + r * c
                for j, (q, c) in enumerate(zip(rates, end[:-1], strict=True))
            )
            moved = times(over, grown(r * end[-1]))
            for power, (factor, below) in enumerate(antidifference(k, r)):
                more = _merged(under, ((abs(r), below),) if below else ())
                for grows, c in _power(end, power).items():
                    self.spend(10 + 4 * len(moved) * len(factor))
                    key = tuple(
                        0 if j == v else a + b
                        for j, (a, b) in enumerate(zip(powers, grows, strict=True))
                    )
                    term = times(moved, {one: sign * c * q for one, q in factor.items()})
                    into[key, at, more] = plus(into.get((key, at, more), {}), term)


def antidifference(k: int, r: Fraction) -> list[tuple[Sum, int]]:
    """Return F of z^k·e^{rz}, power by power: numerators, and powers of e^{|r|ε} − 1 below.

    With q = e^{rε} ≠ 1: F_k = (z^k − q·Σ_{i<k} C(k, i)·F_i)/(q − 1). For r = 0:
    F_k = (z^{k+1} − Σ_{i<k} C(k+1, i)·F_i)/(k + 1).
    """
    if not r:
        plain: list[list[Fraction]] = []
        for n in range(k + 1):
            row = [_ZERO] * (n + 2)
            row[n + 1] = Fraction(1)
            for i in range(n):
                for j, c in enumerate(plain[i]):
                    row[j] -= comb(n + 1, i) * c
            plain.append([c / (n + 1) for c in row])
        return [({((), ()): c} if c else {}, 0) for c in plain[k]]
    q, less = grown(r), plus(grown(r), {((), ()): Fraction(-1)})
    table: list[list[Sum]] = []  # the coefficient of z^j in F_n is table[n][j]/(q − 1)^(n − j + 1)
    for n in range(k + 1):
        row_of: list[Sum] = []
        for j in range(n):
            total: Sum = {}
            for i in range(j, n):
                part = times(table[i][j], {((), ()): Fraction(-comb(n, i))})
                total = plus(total, _times_power(part, less, n - i - 1))
            row_of.append(times(q, total))
        table.append([*row_of, _ONE])
    found = []
    for j, over in enumerate(table[k]):
        below = k - j + 1
        turn = _ONE
        if r < 0:  # q − 1 = −q·(1/q − 1)
            turn = {key: c * (-1) ** below for key, c in grown(-r * below).items()}
        found.append((times(over, turn), below))
    return found


def scale(noises: list[Noise], names: Iterable[int]) -> Ratio:
    """Return the product of the masses at 0: (1 − x)/(1 + x), one-sided 1 − x, with x = e^{−aε}."""
    found = Ratio.number(1)
    for name in names:
        kind, rate = noises[name]
        x = Ratio(grown(-rate))
        found = found * ((1 - x) / (1 + x) if kind == "dlap" else 1 - x)
    return found


def whole_rows(conditions: list[tuple[LinearForm, str]], names: list[int]) -> WholeRows | None:
    """Return conditions on integers as rows with whole numbers; None if there are no points."""
    place = {name: k for k, name in enumerate(names)}
    found: list[WholeRow] = []
    for form, op in conditions:
        for sign in (1, -1) if op == "==" else (1,) if op[0] == ">" else (-1,):
            row = [_ZERO] * len(names)
            for name, c in form.coefficients.items():
                row[place[name]] = Fraction(sign * c)
            size = lcm(*(c.denominator for c in row))
            constant = sign * form.constant * size
            last = ceil(constant) - 1 if op in ("<", ">") else floor(constant)
            found.append((*(int(c * size) for c in row), last))
    return _tidy(found)


def _tidy(rows: Iterable[WholeRow]) -> WholeRows | None:
    """Return the rows normalized, only the tightest of parallel ones; None if infeasible."""
    tightest: dict[WholeRow, int] = {}
    for row in rows:
        by = gcd(*row[:-1])
        if by == 0:
            if row[-1] < 0:
                return None
            continue
        key, last = tuple(c // by for c in row[:-1]), row[-1] // by
        tightest[key] = min(last, tightest.get(key, last))
    for key, last in tightest.items():
        opposite = tightest.get(tuple(-c for c in key))
        if opposite is not None and opposite + last < 0:
            return None
    return frozenset((*key, last) for key, last in tightest.items())


def _bounds(
    rows: set[WholeRow], v: int
) -> list[tuple[WholeRows, WholeRow | None, WholeRow | None]]:
    """Return the choices of the largest lower and the smallest upper bound of a variable."""
    ends: dict[int, list[WholeRow]] = {1: [], -1: []}
    rest = []
    for row in sorted(rows):
        if row[v] == 0:
            rest.append(row)
        else:
            bound = tuple(-row[v] * c for c in row)
            ends[row[v]].append((*bound[:v], 0, *bound[v + 1 :]))
    lower, upper = ends[1], ends[-1]
    found = []
    lows: list[WholeRow | None] = [*lower] or [None]
    highs: list[WholeRow | None] = [*upper] or [None]
    for low in lows:
        for high in highs:
            more = [*rest, *_first(low, lower, 1), *_first(high, upper, -1)]
            if low is not None and high is not None:
                more.append(_minus(high, low))
            tidy = _tidy(more)
            if tidy is not None:
                found.append((tidy, low, high))
    return found


def _first(one: WholeRow | None, bounds: list[WholeRow], sign: int) -> list[WholeRow]:
    """Return the conditions that a bound is the tightest, and the first of equal ones."""
    if one is None:
        return []
    place = bounds.index(one)
    found = []
    for k, other in enumerate(bounds):
        if k != place:
            gap = _minus(one, other) if sign > 0 else _minus(other, one)
            found.append((*gap[:-1], gap[-1] - (k < place)))
    return found


def _minus(a: WholeRow, b: WholeRow) -> WholeRow:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _raised(rates: tuple[Fraction, ...], v: int, by: Fraction) -> tuple[Fraction, ...]:
    return (*rates[:v], rates[v] + by, *rates[v + 1 :])


def _power(end: WholeRow, power: int) -> dict[tuple[int, ...], int]:
    """Return a power of a linear form as a polynomial in the variables."""
    count = len(end) - 1
    found: dict[tuple[int, ...], int] = {(0,) * count: 1}
    for _ in range(power):
        longer: dict[tuple[int, ...], int] = {}
        for powers, c in found.items():
            for k, b in enumerate(end):
                if b:
                    key = (*powers[:k], powers[k] + 1, *powers[k + 1 :]) if k < count else powers
                    longer[key] = longer.get(key, 0) + c * b
        found = longer
    return found


def _times_power(one: Sum, factor: Sum, power: int) -> Sum:
    for _ in range(power):
        one = times(one, factor)
    return one


def _merged(a: Factors, b: Factors) -> Factors:
    found = dict(a)
    for r, m in b:
        found[r] = found.get(r, 0) + m
    return tuple(sorted(found.items()))


def total_of(masses: Masses) -> Ratio:
    """Return the sum of masses over their common denominator, whatever variables they have."""
    common: dict[Fraction, int] = {}
    for _, _, under in masses:
        for r, m in under:
            common[r] = max(m, common.get(r, 0))

    def below(factors: dict[Fraction, int]) -> Sum:
        found = _ONE
        for r, m in factors.items():
            found = _times_power(found, plus(grown(r), {((), ()): Fraction(-1)}), m)
        return found

    over: Sum = {}
    for (_, _, under), part in masses.items():
        own = dict(under)
        missing = {r: m - own.get(r, 0) for r, m in common.items()}
        over = plus(over, times(part, below(missing)))
    return Ratio(over, below(common))
