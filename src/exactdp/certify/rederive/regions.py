"""Whether linear conditions can hold together, by eliminating one unknown after the other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

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


def ball(
    spec: dict[str, Any], u: list[Fraction], radius: Fraction, *, strict: bool
) -> Iterator[tuple[list[Row], list[Row]]]:
    """Return the inputs within a distance of u (if strict: closer), as a union of sets.

    Each has rows that say where the distance is a maximum, and rows that bound this maximum.
    """
    size, name = len(u), spec.get("name")

    def unit(k: int, sign: int, d: Fraction, is_strict: bool) -> Row:
        return tuple(Fraction(sign * (j == k)) for j in range(size)), d, is_strict

    def same(k: int) -> list[Row]:
        return [unit(k, 1, -u[k], False), unit(k, -1, u[k], False)]

    near = [unit(k, 1, radius - u[k], strict) for k in range(size)]
    near += [unit(k, -1, radius + u[k], strict) for k in range(size)]
    if name == "linf":
        yield [], near
    elif name == "l1" and size <= 8:
        system: list[Row] = []
        for signs in product((1, -1), repeat=size):
            shift = sum((s * x for s, x in zip(signs, u, strict=True)), Fraction(0))
            system.append((tuple(Fraction(-s) for s in signs), radius + shift, strict))
        yield [], system
    elif name == "numeric" and size <= 8:
        threshold = Fraction(spec["threshold"])
        ways: list[list[list[Row]]] = [
            [[]] if u[k] < threshold else [same(k), [unit(k, -1, threshold, True)]]
            for k in range(size)
        ]
        for chosen in product(*ways):
            yield [row for way in chosen for row in way], near
    elif name == "discrete":
        if radius > 1 or (radius == 1 and not strict):
            yield [], []
        elif radius > 0 or not strict:
            yield [row for k in range(size) for row in same(k)], []
    else:
        raise UnsupportedError("the distance on inputs is not known")
