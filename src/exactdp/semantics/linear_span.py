"""The linear forms in the variables of a node that matter later, and variables for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

Row = dict[int, Fraction]

_MANY = 3  # noises whose sum justifies a variable of its own; pairs are integrated directly


@dataclass(frozen=True)
class VariableBasis:
    """Independent forms with whole coefficients, each with a variable that occurs in no other."""

    forms: tuple[Row, ...]
    pivots: tuple[int, ...]
    is_everything: bool
    """Whether these are the original variables."""

    def coordinates(self, form: Row) -> Row:
        """Return a form that lies in the span by its coefficients of the forms."""
        found = enumerate(zip(self.pivots, self.forms, strict=True))
        return {j: form[pivot] / own[pivot] for j, (pivot, own) in found if form.get(pivot)}


class LinearSpan:
    """The linear span of some forms."""

    def __init__(self) -> None:
        self._forms: list[Row] = []

    def add(self, form: Row) -> None:
        """Add a form."""
        self._forms.append(form)

    def basis(self, variables: int, compared: Callable[[], set[int]]) -> VariableBasis:
        """Return variables for the span: those that occur, or sums if that pays off.

        It does for sums of many variables that were not compared yet and so are independent.
        """
        used = sorted({name for form in self._forms for name in form})
        # From forms in two variables elimination makes no longer ones.
        is_short = all(len(form) < _MANY for form in self._forms)
        rows = {} if is_short else _echelon(self._forms)
        long = [row for row in rows.values() if len(row) >= _MANY]
        if len(used) == len(rows) or not long or any(map(compared().intersection, long)):
            units = tuple({name: Fraction(1)} for name in used)
            return VariableBasis(units, tuple(used), len(used) == variables)
        pivots = sorted(rows)
        return VariableBasis(tuple(_whole(rows[p]) for p in pivots), tuple(pivots), False)


def _echelon(forms: Iterable[Row]) -> dict[int, Row]:
    """Return the reduced echelon form of some forms, each row with its pivot."""
    rows: dict[int, Row] = {}
    for form in forms:
        rest = dict(form)
        for pivot, row in rows.items():
            _reduce(rest, row, pivot)
        if not rest:
            continue
        pivot = min(rest)
        scale = rest[pivot]
        new = {name: q / scale for name, q in rest.items()}
        for row in rows.values():
            _reduce(row, new, pivot)
        rows[pivot] = new
    return rows


def combined(row: Row, parts: Sequence[Row]) -> Row:
    """Return Σ row[n]·parts[n]."""
    if len(row) == 1:
        ((name, q),) = row.items()
        return parts[name] if q == 1 else {old: q * c for old, c in parts[name].items()}
    found: Row = {}
    for name, q in row.items():
        for old, c in parts[name].items():
            found[old] = found.get(old, Fraction(0)) + q * c
    return {old: q for old, q in found.items() if q}


def _reduce(rest: Row, row: Row, pivot: int) -> None:
    """Subtract the multiple of a row that eliminates its pivot."""
    factor = rest.get(pivot)
    if not factor:
        return
    for name, q in row.items():
        left = rest.get(name, Fraction(0)) - factor * q
        if left:
            rest[name] = left
        else:
            rest.pop(name, None)


def _whole(row: Row) -> Row:
    """Return a row with coprime integers."""
    below = lcm(*(q.denominator for q in row.values()))
    above = gcd(*(int(q * below) for q in row.values()))
    return {name: q * Fraction(below, above) for name, q in row.items()}
