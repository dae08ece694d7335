"""Decide whether an input within a distance of another one has a different ideal output.

The inputs that disagree satisfy linear conditions, one set for each path of the ideal. Whether
conditions can hold together is decided by eliminating the unknowns one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from .derivation import UNDEFINED, Derivation
from .linear import LinearForm, is_number
from .points import Point
from .ratios import UnsupportedError
from .runs import Condition, Path

SystemRow = tuple[tuple[Fraction, ...], Fraction, bool]  # c·x + d ≥ 0, or > 0 if strict

_ZERO = Fraction(0)
_MOST = 2_000  # rows
_MOST_FACES = 12  # rows whose flats are tried under l2
_MOST_SIGNS = 8  # numbers in an input under l1


def agrees(
    derivation: Derivation, u: Point, output: Any, radius: Fraction, *, strict: bool
) -> bool:
    """Whether no input this close disagrees (if not strict: nor is one arbitrarily close to it)."""
    size = len(u)
    for others in product(*derivation.domains()):
        if None not in others:
            if _is_near(derivation, u, output, list(others), radius, strict=strict):
                return False
            continue
        for path, other in derivation.ideal_paths(others):
            if other is UNDEFINED:
                continue
            for extra in _differences(derivation, u, output, other):
                for inside in rows(path.conditions, size):
                    if derivation.spec["input_distance"].get("name") == "l2":
                        least = _least_square([*inside, *extra], u, others)
                        far = least is None or least > radius**2 or (strict and least == radius**2)
                        if not far and feasible([*inside, *extra], size):
                            return False
                        continue
                    for near, shape in _near(derivation, u, others, radius, strict=strict):
                        system = [*inside, *extra, *shape]
                        if not feasible(system, size):
                            continue  # otherwise its closure is: the same, none strict
                        if not strict:
                            system = [(c, d, False) for c, d, _ in system]
                        if feasible([*system, *near], size):
                            return False
    return True


def _is_near(
    derivation: Derivation, u: Point, output: Any, v: Point, radius: Fraction, *, strict: bool
) -> bool:
    """Whether an input of finite domains disagrees, within the radius (if strict: closer)."""
    found = derivation.reached(u, output, v, None, Path((), noisy=False))
    if derivation.spec["input_distance"].get("name") == "l2" and found is not None:
        unit, square = found
        found, radius = square * unit[1] ** 2, radius**2
    return found is not None and (found < radius or (found == radius and not strict))


def _differences(
    derivation: Derivation, u: Point, output: Any, other: Any
) -> list[list[SystemRow]]:
    """Return the ways in which the output at another input disagrees with the one at u."""
    size, spec = len(u), derivation.spec
    named = spec["output_distance"].get("name") in ("discrete", "sup")
    if spec["agreement"] != "equal" and not named:
        differs = derivation.differ(derivation.assembled(u), output, other)
        return [[]] if differs else []
    if isinstance(other, tuple) and isinstance(output, tuple) and len(other) == len(output):
        pairs = zip(output, other, strict=True)
        return [one for a, b in pairs for one in _differences(derivation, u, a, b)]
    if not (is_number(output) and isinstance(other, LinearForm)):
        return [[]] if output != other else []
    form = other - output
    return [[_row(form, sign, size, strict=True)] for sign in (1, -1)]


def _near(
    derivation: Derivation, u: Point, others: tuple[Any, ...], radius: Fraction, *, strict: bool
) -> Iterator[tuple[list[SystemRow], list[SystemRow]]]:
    """Return conditions for d(u, v) ≤ radius (if strict: below it).

    They bound each piece of the distance, and state where that piece applies.
    """
    spec, size = derivation.spec["input_distance"], len(u)
    name = spec.get("name")
    if name == "discrete":
        if radius > 1 or (radius == 1 and not strict):
            yield [], []
        return
    if name not in ("linf", "l1", "numeric") or not all(
        is_number(one) or one is None for one in (*u, *others)
    ):
        raise UnsupportedError("how far it is to disagreement is not re-derived here")
    units = [tuple(Fraction(j == k) for j in range(size)) for k in range(size)]
    zero = (Fraction(0),) * size
    gaps = [  # v − u, by its coefficients and constant
        (unit, -Fraction(mine)) if other is None else (zero, Fraction(other) - mine)
        for unit, mine, other in zip(units, u, others, strict=True)
    ]
    bound: list[SystemRow] = []
    if name == "l1":
        if size > _MOST_SIGNS:
            raise UnsupportedError("there are too many numbers in an input")
        for signs in product((1, -1), repeat=size):
            up = tuple(
                -sum((s * c[j] for s, (c, _) in zip(signs, gaps, strict=True)), Fraction(0))
                for j in range(size)
            )
            there = radius - sum(s * d for s, (_, d) in zip(signs, gaps, strict=True))
            bound.append((up, there, strict))
        yield bound, []
        return
    for c, d in gaps:
        bound.append((c, radius + d, strict))
        bound.append((_negative(c), radius - d, strict))
    shape: list[list[list[SystemRow]]] = []
    for (c, d), mine, other in zip(gaps, u, others, strict=True):
        threshold = Fraction(spec["threshold"]) if name == "numeric" else None
        if threshold is None or mine < threshold:
            continue
        same: list[SystemRow] = [(c, d, False), (_negative(c), -d, False)]
        below: SystemRow = (_negative(c), threshold - Fraction(other or 0), True)
        shape.append([same, [below]])  # equal, or one below the threshold
    for chosen in product(*shape):
        yield bound, [row for way in chosen for row in way]


def _least_square(system: list[SystemRow], u: Point, others: tuple[Any, ...]) -> Fraction | None:
    """Return the least square of the Euclidean distance of u from where rows ≥ 0; None if nowhere.

    The nearest point is on a face, and is the nearest one of the flat where the rows of the face
    are 0. So the least over all flats that some rows make, at points where all rows are ≥ 0, is it.
    """
    if not all(is_number(one) or one is None for one in (*u, *others)):
        raise UnsupportedError("the distance l2 needs numbers")
    moving = [k for k, one in enumerate(others) if one is None]
    fixed = sum(
        (Fraction(o - m) ** 2 for o, m in zip(others, u, strict=True) if o is not None), _ZERO
    )
    flat = [(tuple(c[k] for k in moving), d) for c, d, _ in dict.fromkeys(system)]
    here = [Fraction(u[k]) for k in moving]
    if len(flat) > _MOST_FACES:
        raise UnsupportedError("there are too many conditions on an input")
    found: list[Fraction] = []
    for count in range(min(len(flat), len(moving)) + 1):
        for chosen in combinations(flat, count):
            point = _projected(here, chosen)
            if point is not None and all(
                sum((a * x for a, x in zip(c, point, strict=True)), d) >= 0 for c, d in flat
            ):
                gaps = (a - b for a, b in zip(point, here, strict=True))
                found.append(sum((gap**2 for gap in gaps), fixed))
    return min(found, default=None)


def _projected(
    point: list[Fraction], flat: tuple[tuple[tuple[Fraction, ...], Fraction], ...]
) -> list[Fraction] | None:
    """Return the nearest point at which all rows are 0; None if the rows are not independent."""
    found = list(point)
    basis: list[tuple[tuple[Fraction, ...], Fraction]] = []
    for slopes, constant in flat:  # made orthogonal to those before, on the same flat
        row = slopes, constant
        for other, e in basis:
            factor = _dot(row[0], other) / _dot(other, other)
            left = tuple(a - factor * b for a, b in zip(row[0], other, strict=True))
            row = left, row[1] - factor * e
        if not any(row[0]):
            return None
        basis.append(row)
        step = (_dot(row[0], found) + row[1]) / _dot(row[0], row[0])
        found = [x - step * a for x, a in zip(found, row[0], strict=True)]
    return found


def _dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), _ZERO)


def _negative(c: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(-q for q in c)


def rows(conditions: list[Condition], size: int) -> Iterator[list[SystemRow]]:
    """Return conditions as rows, one list for each way to satisfy them."""
    ways: list[list[list[SystemRow]]] = []
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


def _row(form: LinearForm, sign: int, size: int, *, strict: bool) -> SystemRow:
    coefficients = (sign * form.coefficients.get(k, Fraction(0)) for k in range(size))
    return tuple(coefficients), sign * form.constant, strict


def feasible(system: list[SystemRow], size: int) -> bool:
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
