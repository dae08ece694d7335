"""Distances on inputs and on outputs, by name or by their source."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from .linear import Coefficients, LinearForm, is_number, plain
from .orders import Orders, UnseenSignError
from .programs import SourceProgram
from .ratios import MalformedError, Ratio, UnsupportedError
from .runs import Condition, Path

Values = list[Any]  # single values of an input


def norm(name: Any, gaps: Values) -> Any:
    """Return the distance of inputs whose entries differ by these gaps; under l2 its square."""
    if name in ("l1", "l2"):
        return sum((gap * gap if name == "l2" else gap for gap in gaps), Fraction(0))
    return max(gaps, default=Fraction(0))


def is_beyond(name: Any, least: Any, radius: Fraction, *, strict: bool) -> bool:
    """Whether a distance, as `norm` returns it, is not below a radius (if not strict: above)."""
    limit = radius**2 if name == "l2" else radius
    return bool(least >= limit if strict else least > limit)


def between_inputs(spec: dict[str, Any], u: Values, v: Values) -> Any:
    """Return the distance of two inputs; their numbers may be forms."""
    name = spec.get("name")
    if name == "discrete":
        return Fraction(0 if u == v else 1)
    if name not in ("linf", "l1", "numeric"):
        raise UnsupportedError("the distance on inputs is not known")
    for a in (*u, *v):
        if not isinstance(a, bool | int | Fraction | LinearForm):
            raise MalformedError("the distance on inputs needs numbers")
    if name == "numeric":
        threshold = Fraction(spec["threshold"])
        for a, b in zip(u, v, strict=True):
            if a >= threshold and b >= threshold and a != b:
                return inf
    return norm(name, [abs(a - b) for a, b in zip(u, v, strict=True)])


def squared(u: Values, v: Values) -> tuple[Coefficients, Fraction]:
    """Return a form and a number c with d² = c·form² for the Euclidean distance of two inputs.

    Where a form has an infinitesimal t, that is 0. Where only numbers differ the form is 1.
    """
    gaps = []
    for a, b in zip(u, v, strict=True):
        gap = a - b
        rest = dict(gap.coefficients) if isinstance(gap, LinearForm) else {}
        rest.pop(0, None)
        rest[1] = Fraction(gap.constant if isinstance(gap, LinearForm) else gap)
        gaps.append({name: q for name, q in rest.items() if q})
    unit = next((gap for gap in gaps if gap), {1: Fraction(1)})
    return unit, sum((ratio(gap, unit) ** 2 for gap in gaps), Fraction(0))


def ratio(form: Coefficients, unit: Coefficients) -> Fraction:
    """Return q with form = q·unit; 1 is the name of the constant."""
    if not form:
        return Fraction(0)
    name = next(iter(unit))
    q = Fraction(form.get(name, Fraction(0))) / unit[name]
    if form != {key: q * c for key, c in unit.items()}:
        raise UnsupportedError("a distance l2 is not a multiple of a linear form")
    return q


def squared_outputs(one: Any, two: Any) -> Any:
    """Return the square of the Euclidean distance of two finite outputs."""
    if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
        parts = [squared_outputs(a, b) for a, b in zip(one, two, strict=True)]
        return sum(parts, Fraction(0))
    if is_number(one) and is_number(two):
        return Fraction(one - two) ** 2
    if isinstance(one, LinearForm) or isinstance(two, LinearForm):
        raise UnsupportedError("the distance l2 is known of numbers without noise")
    return Fraction(0) if one == two and type(one) is type(two) else inf


def between_outputs(
    spec: dict[str, Any], u: list[Any], one: Any, two: Any, own: SourceProgram | None
) -> Any:
    """Return the distance of two finite outputs at an input (a value for each parameter)."""
    if own is not None:
        given: Any = u[0] if len(u) == 1 else tuple(u)
        found = own.run(Path(), [given, one, two])
        if not (is_number(found) or found == inf) or found < 0:
            raise UnsupportedError("the distance on outputs is not a distance")
        return found
    match spec.get("name"):
        case "discrete":
            return Fraction(0 if one == two else 1)
        case "sup":
            return _sup(one, two)
        case "value_gap" if len(u) == 1 and isinstance(u[0], list):
            for position in (one, two):
                if type(position) is not int or not 0 <= position < len(u[0]):
                    raise UnsupportedError("an output is not a position")
            return abs(Fraction(0) + u[0][one] - u[0][two])
    raise UnsupportedError("the distance on outputs is not known")


def _sup(one: Any, two: Any) -> Any:
    if isinstance(one, tuple) and isinstance(two, tuple):
        if len(one) != len(two):
            return inf
        return max((_sup(a, b) for a, b in zip(one, two, strict=True)), default=Fraction(0))
    if all(is_number(x) or isinstance(x, LinearForm) for x in (one, two)):
        return abs(one - two)
    return Fraction(0) if one == two else inf


def holds_noise(output: Any) -> bool:
    """Whether a number of an output is unknown even if the input is known."""
    if isinstance(output, tuple):
        return any(map(holds_noise, output))
    return isinstance(output, LinearForm) and any(name >= 0 for name in output.coefficients)


def holds_terms(output: Any) -> bool:
    """Whether a number of an output is a function of ε."""
    if isinstance(output, tuple):
        return any(map(holds_terms, output))
    return isinstance(output, Ratio) and output.constant() is None


def is_integer_noise(value: Any) -> bool:
    """Whether a value is a number with integer noise."""
    return (
        isinstance(value, LinearForm)
        and isinstance(value.judge, Path)
        and value.judge.is_whole(value)
    )


def matches(
    output: Any, ideal: Any, radius: Any, conditions: list[Condition], orders: Orders | None = None
) -> bool:
    """Whether an output can be within a radius of the ideal one in `sup` (None: equal to it).

    The conditions on noise in the output are appended to `conditions`. Numbers that are functions
    of ε are compared by the `orders`.
    """
    if isinstance(output, tuple) or isinstance(ideal, tuple):
        if not (
            isinstance(output, tuple) and isinstance(ideal, tuple) and len(output) == len(ideal)
        ):
            return False
        pairs = zip(output, ideal, strict=True)
        return all(matches(a, b, radius, conditions, orders) for a, b in pairs)
    if isinstance(output, Ratio):
        number = output.constant()
        if number is None:
            return _is_near(output, ideal, radius or Fraction(0), orders)
        output = plain(number)
    numbers = [is_number(x) or isinstance(x, LinearForm) for x in (output, ideal)]
    if holds_noise(output):
        if not numbers[1]:
            return False
        if radius is None:
            if is_integer_noise(output):
                conditions.append((output - ideal, "=="))
                return True
            return False  # real noise equals a number with probability 0
        for form in (output - ideal + radius, -output + ideal + radius):
            conditions.append((form, ">="))
        return True
    if radius is not None and all(numbers):
        return bool(abs(output - ideal) <= radius)
    # Without a radius True differs from 1; with one it is at distance 0 from it.
    has_form = isinstance(output, LinearForm) or isinstance(ideal, LinearForm)
    are_alike = numbers[0] == numbers[1] or (radius is not None and not has_form)
    return are_alike and bool(output == ideal)


def _is_near(output: Ratio, ideal: Any, radius: Any, orders: Orders | None) -> bool:
    """Whether a function of ε is within a radius of a number at all ε that are examined.

    On an interval of ε, False means that it is nowhere closer than the radius: then a probability
    that leaves it out is not too large, which suffices for claims that hold. At a single ε, the
    answer is exact. Elsewhere, and without orders that are stated, nothing is derived.
    """
    if not is_number(ideal):
        return False
    if orders is None or not is_number(radius):
        raise UnsupportedError("an output that is a function of ε is not compared here")
    at = orders.point
    slacks = [Ratio.number(radius) - (output - ideal), Ratio.number(radius) + (output - ideal)]
    far = False
    for slack in slacks:
        if orders.is_nonnegative(slack) or (at is not None and slack.is_zero_at(at)):
            continue
        if not orders.is_nonnegative(-slack) or (at is None and not orders.known):
            raise UnseenSignError(slack, "whether an output is close to the ideal one is not seen")
        far = True
    return not far


def entries_match(
    kinds: list[str], u: list[Any], output: Any, ideal: Any, radius: Any, sides: list[Condition]
) -> bool:
    """Whether each entry of an output can be within a radius of that of the ideal one.

    An entry is a value, a position in the input, whose error is the difference of the values there,
    or any. The conditions on noise in the output are appended to `sides`.
    """
    both = isinstance(output, tuple) and isinstance(ideal, tuple)
    if not both or len(output) != len(ideal) or len(output) > len(kinds):
        raise UnsupportedError("outputs have different entries")
    for kind, a, b in zip(kinds, output, ideal, strict=False):  # some outputs have fewer entries
        if kind == "position":
            if type(a) is not int or type(b) is not int:
                raise MalformedError("an entry is not a position in the input")
            gap = between_outputs({"name": "value_gap"}, u, a, b, None)
            if not bool(gap <= radius):
                return False
        elif kind == "value" and not matches(a, b, radius, sides):
            return False
    return True
