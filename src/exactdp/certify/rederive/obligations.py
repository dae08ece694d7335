"""Which α and γ a claim must be checked at, at one input or on a cell of inputs.

α is fixed, or all of a range are meant: β falls in α, so the largest below dd suffices (its limit,
if the claim is made only below it). γ likewise: between two values of the output distance the
event is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from ..kernel.reading import RealInterval
from . import formulas
from .ratios import UnsupportedError
from .values import Level


class Levels(NamedTuple):
    """α and γ, and whether the claim is made at them or only below."""

    alpha: Any
    alpha_reached: bool
    gamma: Any
    gamma_reached: bool


class Required(NamedTuple):
    """The probability of being within the radius is claimed for all these γ."""

    point: Levels
    radius: Any


def top(level: RealInterval, dd: Any, *, closed: bool) -> tuple[Any, bool] | None:
    """Return the largest α of a range and whether it is reached; None if nothing is claimed."""
    allowed = level.lower < dd or (closed and level.lower == dd and level.lower_closed)
    if not allowed:
        return None
    alpha = min(dd, level.upper)
    below = alpha < dd or (closed and alpha != inf)
    return alpha, bool(below and (level.upper_closed or alpha < level.upper))


def follows(alpha: Level, gamma: Level) -> bool:
    """Whether γ changes with an α that is not fixed."""
    is_range = isinstance(alpha, RealInterval)
    return is_range and not isinstance(gamma, RealInterval) and "alpha" in formulas.names(gamma)


def due(
    levels: tuple[Level, Level],
    alpha: tuple[Any, bool],
    steps: list[Any],
    radius: Callable[[Any], Any],
) -> Iterator[Required]:
    """Return what must be shown; `steps` are the values of the output distance, `radius` is γ at α.

    If γ follows α, all of these are numbers.
    """
    gamma = levels[1]
    for least, limit in pairwise(steps):
        if isinstance(gamma, RealInterval):
            if gamma.upper < least or (gamma.upper == least and not gamma.upper_closed):
                continue
            if gamma.lower >= limit:
                continue
            highest = min(limit, gamma.upper)
            yield Required(Levels(*alpha, highest, highest < limit and gamma.upper_closed), least)
        else:
            yield from _following(levels, alpha, (least, limit), radius)


def _following(
    levels: tuple[Level, Level],
    alpha: tuple[Any, bool],
    step: tuple[Any, Any],
    value: Callable[[Any], Any],
) -> Iterator[Required]:
    """Return what must be shown for γ = slope·α + start in [radius, limit)."""
    start, one, two = (Fraction(value(Fraction(k))) for k in (0, 1, 2))
    slope = one - start
    if two - one != slope or slope <= 0 or not _is_line(levels[1]):
        raise UnsupportedError("γ does not grow linearly with α")
    (highest, is_reached), (radius, limit) = alpha, step
    stop = inf if limit == inf else (Fraction(limit) - start) / slope
    least = (Fraction(radius) - start) / slope
    reached = is_reached and highest < stop
    highest = min(highest, stop)
    if least > highest or (least == highest and not reached):
        return
    lowest = levels[0].lower
    if lowest > highest or (lowest == highest and not reached):
        return
    gamma = inf if highest == inf else slope * Fraction(highest) + start
    yield Required(Levels(highest, reached, gamma, reached), radius)


def _is_line(tree: object) -> bool:
    """Whether the form of a formula shows that it is linear in α."""
    match tree:
        case ("form", _) | ("name", _):
            return True
        case ("+", left, right):
            return _is_line(left) and _is_line(right)
        case ("*", left, right):
            flat = "alpha" not in formulas.names(left) or "alpha" not in formulas.names(right)
            return flat and _is_line(left) and _is_line(right)
        case ("/", left, right):
            return "alpha" not in formulas.names(right) and _is_line(left)
    return "alpha" not in formulas.names(tree)
