"""The probability of success: densities of samples, propagated along the steps of merged runs.

A density is a sum of exponentials and powers on cells, as in `integrals`. A sample is multiplied
in where it is drawn, a comparison restricts, and what no later step needs is integrated out at
once. Densities that arrive at the same step are added. Equal densities are one object, and each
step processes it once: so outputs that differ in the order of equal inputs cost little more than
one of them.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

from ..kernel.reading import Sum
from .cones import Vector
from .integrals import Cells, Density, Integrals, Law, Row
from .linear import Rational, as_int
from .ratios import UnsupportedError
from .successes import ALWAYS, NEVER, Form, Step, Success

_ZERO = Fraction(0)


class Placed(NamedTuple):
    """A step with numbers for entries: forms are coefficients of samples, then of parameters."""

    outer: int
    laws: tuple[Law, ...]
    conditions: tuple[Row, ...]
    kept: tuple[int, ...]


class _Content(NamedTuple):
    """A density, up to a divisor."""

    cells: Cells
    divisor: int


class Flows:
    """Probabilities of successes, in units of ε/(size·finer), see `integrals`."""

    def __init__(self, integrals: Integrals) -> None:
        self.integrals = integrals
        self._contents: list[_Content] = []
        self._numbers: dict[object, int] = {}
        self._done: dict[tuple[int, Placed], int] = {}
        self._added: dict[tuple[int, int], int] = {}
        self.size = self.finer = 1

    def chance(
        self, success: Success, entries: list[Vector | None], numbers: list[Vector], radius: Any
    ) -> Sum:
        """Return the probability of success at an input.

        `numbers` are those of the wanted output, `radius` is how close they must be.
        """
        if success.root in (NEVER, ALWAYS):
            return {((), ()): Fraction(1)} if success.root == ALWAYS else {}
        reached = self._reached(success)
        self._scale([success.steps[k] for k in reached], entries, numbers, radius)
        wide = self.integrals.parameters
        start = self._numbered({frozenset(): {((0,) * wide, (0,) * wide): 1}}, 1)
        waiting: dict[int, int] = {success.root: start}
        for k in reached:  # a step comes after all that lead to it
            here, step = waiting.pop(k, None), success.steps[k]
            if here is None:
                continue
            for to, placed in self._ways(step, entries, numbers, radius):
                found = self._after(here, placed)
                waiting[to] = self._sum(waiting[to], found) if to in waiting else found
        if ALWAYS not in waiting:
            return {}
        unit = Fraction(1, self.size * self.finer)
        return self.integrals.total(*self._contents[waiting[ALWAYS]], unit)

    def _reached(self, success: Success) -> list[int]:
        """Return the relevant steps in order; a step leads only to steps with lower numbers."""
        found = {success.root}
        for k in range(success.root, ALWAYS, -1):
            if k in found:
                found |= {to for to, _ in success.steps[k].leads_to} - {NEVER, ALWAYS}
        return sorted(found, reverse=True)

    # Units ----------------------------------------------------------------------------

    def _scale(
        self, steps: list[Step], entries: list[Vector | None], numbers: list[Vector], radius: Any
    ) -> None:
        """Choose units in which all numbers are integers; a change of units clears the cache."""
        rates = {law[1].denominator for step in steps for law in step.laws}
        forms = [form for step in steps for form in (*(law[2] for law in step.laws), *step.numbers)]
        forms += [step.form for step in steps if step.form is not None]
        slopes = {q.denominator for form in forms for _, q in form[0]}
        constants = {form[1].denominator for form in forms}
        vectors = [*numbers, *(one for one in entries if one is not None)]
        vectors += [radius] if radius is not None else []
        constants |= {q.denominator for one in vectors for q in one}
        size, finer = lcm(self.size, *rates), lcm(self.finer, lcm(*slopes) * lcm(*constants))
        if (size, finer) != (self.size, self.finer):
            self.size, self.finer = size, finer
            self._contents, self._numbers, self._done, self._added = [], {}, {}, {}

    def _row(self, form: Form, count: int, entries: list[Vector | None]) -> Row:
        """Return a form in samples and parameters."""
        wide = self.integrals.parameters
        own: list[Rational] = [0] * count
        rest = [form[1], *(_ZERO,) * (wide - 1)]
        for name, q in form[0]:
            if name >= 0:
                own[name] = as_int(q)
                continue
            entry = entries[-name - 1]
            if entry is None:
                raise UnsupportedError("an entry is not a number")
            rest = [a + q * b for a, b in zip(rest, entry, strict=True)]
        return (*own, *(as_int(q * self.finer) for q in rest))

    def _ways(
        self, step: Step, entries: list[Vector | None], numbers: list[Vector], radius: Any
    ) -> list[tuple[int, Placed]]:
        """Return where a step leads, and on which conditions."""
        if step.ways:
            raise UnsupportedError("random choices are not followed on merged runs")
        count = step.outer + len(step.laws)
        laws = tuple(
            (kind, int(rate * self.size), self._row(mean, count, entries))
            for kind, rate, mean in step.laws
        )
        if step.numbers:
            wanted = []
            for form, number in zip(step.numbers, numbers, strict=True):
                gap = self._row(form, count, entries)
                own = (*(0,) * count, *(as_int(q * self.finer) for q in number))
                around = (*(0,) * count, *(as_int(q * self.finer) for q in radius))
                wanted.append(tuple(a - b + c for a, b, c in zip(gap, own, around, strict=True)))
                wanted.append(tuple(b - a + c for a, b, c in zip(gap, own, around, strict=True)))
            return [(ALWAYS, Placed(step.outer, laws, tuple(wanted), ()))]
        if step.form is None:
            return [(step.above, Placed(step.outer, laws, (), step.above_names))]
        row = self._row(step.form, count, entries)
        minus = tuple(-q for q in row)
        found = [
            (step.above, Placed(step.outer, laws, (row,), step.above_names)),
            (step.below, Placed(step.outer, laws, (minus,), step.below_names)),
        ]
        return [one for one in found if one[0] != NEVER]

    # Densities ------------------------------------------------------------------------

    def _numbered(self, cells: Cells, divisor: int) -> int:
        """Return the number of a density."""
        common = gcd(divisor, *(c for density in cells.values() for c in _integers(density)))
        if common > 1:
            divisor //= common
            cells = {
                rows: {key: _over(c, common) for key, c in density.items()}
                for rows, density in cells.items()
            }
        key = divisor, frozenset((rows, frozenset(d.items())) for rows, d in cells.items())
        if key not in self._numbers:
            self._numbers[key] = len(self._contents)
            self._contents.append(_Content(cells, divisor))
        return self._numbers[key]

    def _sum(self, one: int, two: int) -> int:
        key = min(one, two), max(one, two)
        if key not in self._added:
            a, b = self._contents[one], self._contents[two]
            divisor = lcm(a.divisor, b.divisor)
            total: Cells = {}
            for content in (a, b):
                factor = divisor // content.divisor
                for rows, density in content.cells.items():
                    into = total.setdefault(rows, {})
                    for name, c in density.items():
                        into[name] = into.get(name, 0) + factor * c
            kept = {
                rows: left
                for rows, density in total.items()
                if (left := {name: c for name, c in density.items() if c})
            }
            self._added[key] = self._numbered(kept, divisor)
        return self._added[key]

    def _after(self, here: int, step: Placed) -> int:
        """Return a density after a step."""
        if (here, step) not in self._done:
            cells, divisor = self._contents[here]
            cells = self._wider(cells, step.outer, len(step.laws))
            for k, law in enumerate(step.laws):
                cells = self.integrals.drawn(cells, step.outer + k, law)
                divisor *= 2 if law[0] == "lap" else 1
            cells = self._cut(cells, step.conditions)
            count = step.outer + len(step.laws)
            waiting = {*range(count)} - {*step.kept}
            while waiting:
                v = min(waiting, key=lambda k: (_uses(cells, k), k))
                waiting.remove(v)
                cells, by = self.integrals.eliminated(cells, v)
                divisor *= by
            order = [*step.kept, *range(count, count + self.integrals.parameters)]
            self._done[here, step] = self._numbered(_reordered(cells, order), divisor)
        return self._done[here, step]

    def _wider(self, cells: Cells, outer: int, more: int) -> Cells:
        """Return cells with places for more samples."""
        if not more:
            return cells
        new = (0,) * more

        def wide(row: Any) -> Any:
            return (*row[:outer], *new, *row[outer:])

        return {
            frozenset(map(wide, rows)): {(wide(p), wide(r)): c for (p, r), c in density.items()}
            for rows, density in cells.items()
        }

    def _cut(self, cells: Cells, conditions: tuple[Row, ...]) -> Cells:
        """Return the part where conditions hold."""
        found: Cells = {}
        for rows, density in cells.items():
            tidy = self.integrals.tidy([*rows, *conditions])
            self.integrals.spend(5 * (len(rows) + 1))
            if tidy is not None:
                into = found.setdefault(tidy, {})
                for key, c in density.items():
                    into[key] = into.get(key, 0) + c
        return found


def _integers(density: Density) -> list[int]:
    """Return the coefficients; 1 if there are fractions among them."""
    return [c if type(c) is int else 1 for c in density.values()]


def _over(c: Rational, by: int) -> Rational:
    return c // by if type(c) is int else Fraction(c) / by


def _uses(cells: Cells, v: int) -> int:
    return sum(1 for rows in cells for row in rows if row[v])


def _reordered(cells: Cells, order: list[int]) -> Cells:
    """Return cells with other places for samples."""
    found: Cells = {}
    for rows, density in cells.items():
        moved = frozenset(tuple([row[k] for k in order]) for row in rows)
        into = found.setdefault(moved, {})
        for (powers, rates), c in density.items():
            key = tuple([powers[k] for k in order]), tuple([rates[k] for k in order])
            into[key] = into.get(key, 0) + c
    return found
