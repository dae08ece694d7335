"""Whether linear conditions can hold together, by eliminating one unknown after the other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from .linear import Form
from .ratios import UnsupportedError
from .runs import Condition

Row = tuple[tuple[Fraction, ...], Fraction, bool]  # c·x + d ≥ 0, or > 0 if strict

_MOST = 2_000  # rows


def rows(conditions: list[Condition], size: int) -> Iterator[list[Row]]:
    """Return conditions as rows, one list for each way to satisfy them."""
    ways: list[list[list[Row]]] = []
    for form, op in conditions:
        signs = {"<": [[-1]], "<=": [[-1]], ">": [[1]], ">=": [[1]], "==": [[1, -1]]}
        strict = op in ("<", ">", "!=")
        ways.append(
            [
                [_row(form, sign, size, strict=strict) for sign in both]
                for both in signs.get(op, [[1], [-1]])
            ]
        )
    if len(ways) > 60 or sum(len(way) > 1 for way in ways) > 8:
        raise UnsupportedError("there are too many conditions on an input")
    for chosen in product(*ways):
        yield [row for way in chosen for row in way]


def _row(form: Form, sign: int, size: int, *, strict: bool) -> Row:
    coefficients = (sign * form.coefficients.get(k, Fraction(0)) for k in range(size))
    return tuple(coefficients), sign * form.constant, strict


def feasible(system: list[Row], size: int) -> bool:
    """Whether all rows hold somewhere (Fourier, Motzkin)."""
    for v in range(size):
        lower = [row for row in system if row[0][v] > 0]
        upper = [row for row in system if row[0][v] < 0]
        system = [row for row in system if row[0][v] == 0]
        if len(lower) * len(upper) > _MOST:
            raise UnsupportedError("there are too many conditions on an input")
        for a, b in product(lower, upper):
            s, t = -b[0][v], a[0][v]
            added = tuple(s * x + t * y for x, y in zip(a[0], b[0], strict=True))
            system.append((added, s * a[1] + t * b[1], a[2] or b[2]))
        system = list(dict.fromkeys(system))
    return all(d > 0 or (d == 0 and not strict) for _, d, strict in system)
