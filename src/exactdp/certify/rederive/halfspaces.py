"""That no input close to a given one disagrees: halfspaces that contain all inputs that do.

The inputs v that disagree with u satisfy linear conditions, one system for each path of the ideal
and each way to disagree. An ideal that selects the best of many numbers has too many paths; there
another number is as good as the one that is best at u. A certificate has multiples ≥ 0 of the
conditions of each system; they add up to g·v + h ≥ 0. If g is 0 and h < 0, there are no such
inputs. Otherwise v is at least as far away from u as the halfspace is: −(g·u + h)/‖g‖, with the
norm that is dual to the distance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from ..kernel.reading import CertificateReader
from .cones import axis
from .derivation import UNDEFINED, Derivation
from .distances import is_beyond, norm
from .linear import LinearForm, is_number
from .points import Point
from .ratios import UnsupportedError
from .runs import Condition, Path
from .selections import SelectedOutputs

SystemRow = tuple[tuple[Fraction, ...], Fraction, bool]  # c·x + d ≥ 0, or > 0 if strict

_ZERO = Fraction(0)
_MANY = 8
"""From so many numbers on, an ideal that selects one of them is not run path by path."""


class DisagreeingInputs(NamedTuple):
    """Inputs with these finite entries, None for reals, at which all rows hold."""

    entries: tuple[Any, ...]
    rows: list[SystemRow]


def agree_around(
    reader: CertificateReader,
    derivation: Derivation,
    u: Point,
    output: Any,
    near: tuple[Fraction, bool],
    given: Any,
) -> bool:
    """Whether no input closer than a radius disagrees (if not strict: nor arbitrarily close)."""
    systems = []
    for one in disagreeing(derivation, u, output):
        reader.spend(4 * len(u) * (1 + len(one.rows)), 0)
        systems.append(one)
    metric, (radius, strict) = derivation.spec["input_distance"], near
    return all(
        is_far(reader, metric, u, one, near, multiples)
        for one, multiples in zip(systems, reader.entries(given, len(systems)), strict=True)
    ) and not any(
        _is_near(derivation, u, output, list(v), radius, strict=strict)
        for v in product(*derivation.domains())
        if None not in v
    )


def is_far(
    reader: CertificateReader,
    metric: dict[str, Any],
    u: Point,
    v: DisagreeingInputs,
    near: tuple[Fraction, bool],
    multiples: Any,
) -> bool:
    """Whether multiples show that no input of v is closer to u than a radius (or as close)."""
    slopes, constant, is_strict = [_ZERO] * len(u), _ZERO, False
    for place, multiple in (reader.entries(pair, 2) for pair in reader.entries(multiples)):
        c, d, positive = v.rows[reader.integer(place, 0, len(v.rows) - 1)]
        q = reader.rational(multiple)
        reader.require(q > 0, "a multiple is not positive")
        slopes = [a + q * b for a, b in zip(slopes, c, strict=True)]
        constant, is_strict = constant + q * d, is_strict or positive
    if not any(slopes) and (constant < 0 or (constant == 0 and is_strict)):
        return True  # there is no such input
    least = _least(metric["name"], u, v, slopes, constant)
    return is_beyond(metric["name"], least, near[0], strict=near[1])


def _least(
    name: str, u: Point, v: DisagreeingInputs, slopes: list[Fraction], constant: Fraction
) -> Fraction:
    """Return a distance that inputs of a halfspace have at least from u; under l2 its square."""
    if name == "discrete":
        return Fraction(1)
    gaps = [abs(Fraction(b - a)) for a, b in zip(u, v.entries, strict=True) if b is not None]
    here = constant + sum((q * x for q, x in zip(slopes, u, strict=True) if q), _ZERO)
    below, sizes = max(-here, _ZERO), [abs(q) for q in slopes if q] or [Fraction(1)]
    rest: Fraction = norm(name, gaps)
    match name:
        case "l1":
            return below / max(sizes) + rest
        case "l2":
            return below**2 / sum((q**2 for q in sizes), _ZERO) + rest
    return max(below / sum(sizes, _ZERO), rest)


def _is_near(
    derivation: Derivation, u: Point, output: Any, v: Point, radius: Fraction, *, strict: bool
) -> bool:
    """Whether an input of finite domains disagrees, within the radius (if strict: closer)."""
    found = derivation.reached(u, output, v, None, Path((), noisy=False))
    if derivation.spec["input_distance"].get("name") == "l2" and found is not None:
        unit, square = found
        found, radius = square * unit[1] ** 2, radius**2
    return found is not None and (found < radius or (found == radius and not strict))


def disagreeing(derivation: Derivation, u: Point, output: Any) -> Iterator[DisagreeingInputs]:
    """Yield all inputs with reals that disagree and are not infinitely far away."""
    metric = derivation.spec["input_distance"]
    for entries in product(*derivation.domains()):
        if None not in entries:
            continue
        selected = _selected(derivation, u, output, entries)
        if selected is not None:
            yield from selected
            continue
        for path, other in derivation.ideal_paths(entries):
            differences = [] if other is UNDEFINED else _differences(derivation, u, output, other)
            if differences and not _is_known(metric, (*u, *entries)):
                raise UnsupportedError("how far it is to disagreement is not re-derived here")
            for difference in differences:
                for ways in product(rows(path.conditions, len(u)), _finite(metric, u, entries)):
                    found = [*difference, *(row for way in ways for row in way)]
                    yield DisagreeingInputs(entries, found)


def _selected(
    derivation: Derivation, u: Point, output: Any, entries: tuple[Any, ...]
) -> list[DisagreeingInputs] | None:
    """Return inputs where another number is as good as the best one of u; None if none is best."""
    size, zero = len(u), [_ZERO] * len(u)
    if size < _MANY or any(one is not None for one in entries):
        return None
    for sign in (1, -1):
        try:
            runs = derivation.merged([*entries], noisy=False)
            outputs = SelectedOutputs(runs, size, sign=sign, ties=True).outputs
        except (UnsupportedError, RecursionError):
            continue
        if not _is_known(derivation.spec["input_distance"], u) or output not in outputs:
            return None
        found, best = [], outputs.index(output)
        for k, other in enumerate(outputs):
            slopes = [*zero]
            slopes[k], slopes[best] = Fraction(sign), Fraction(-sign)
            for difference in _differences(derivation, u, output, other):
                row = tuple(slopes), _ZERO, False
                found += [
                    DisagreeingInputs(entries, [*difference, row, *way])
                    for way in _finite(derivation.spec["input_distance"], u, entries)
                ]
        return found
    return None


def _is_known(metric: dict[str, Any], values: Iterable[Any]) -> bool:
    """Whether a distance of such values is one of those below."""
    numbers = all(is_number(one) or one is None for one in values)
    name = metric.get("name")
    return name == "discrete" or (name in ("linf", "l1", "l2", "numeric") and numbers)


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


def _finite(
    metric: dict[str, Any], u: Point, entries: tuple[Any, ...]
) -> Iterator[list[SystemRow]]:
    """Yield the ways in which a distance is finite: the numeric one needs a number below."""
    ways: list[list[list[SystemRow]]] = []
    for k, (mine, other) in enumerate(zip(u, entries, strict=True)):
        if metric.get("name") != "numeric" or mine < Fraction(metric["threshold"]):
            continue
        unit, value = axis(k, len(u)), _ZERO
        if other is not None:
            unit, value = (_ZERO,) * len(u), Fraction(other)
        minus = tuple(-q for q in unit)
        same = [(unit, value - mine, False), (minus, mine - value, False)]
        ways.append([same, [(minus, Fraction(metric["threshold"]) - value, True)]])
    for chosen in product(*ways):
        yield [row for way in chosen for row in way]


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
