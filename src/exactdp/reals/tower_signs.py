"""The sign of a function with e to a quotient, by certified numbers on boxes of ε.

 * Between two numbers: f is in its mean value form on boxes that are halved until it has a sign.
 * From 0 on: as there, if f or the first of its derivatives that is not 0 at 0 has a sign near 0.
 * Up to ∞: exponents are −b·ε plus what has a limit. Divided by the largest exponential, factors,
   exponents and rest are bounded by their exact extrema on [M, ∞).

A function that touches 0, or is 0 at ∞ after this, stays open. That is reported, never guessed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from flint import arb, ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.exp_poly import ExpPoly, eps
from exactdp.reals.exp_poly import exp as plain_exp
from exactdp.reals.extrema import infimum, supremum
from exactdp.reals.interval import Interval
from exactdp.reals.numbers import exact, inf
from exactdp.reals.signs import nonnegative
from exactdp.reals.towers import Tower

_BITS = 192
_MOST_BOXES = 3_000
_MOST_ORDER = 4  # of a derivative at 0
_ENDS = tuple(Fraction(2) ** k for k in range(3, 12))  # beyond which a limit is examined
_STARTS = tuple(Fraction(1, 2**k) for k in range(1, 14))  # up to where a derivative is
_LOOKS = tuple(Fraction(2) ** k for k in (0, 1, 2, 3, 4, 5, 7, 10, -1, -2, -3, -5, -10, -20, -40))


class TowerSign(NamedTuple):
    """Whether f ≥ 0; if not, where it is negative; if it stays open, why."""

    holds: bool | None
    witness: Fraction | None = None
    why: str = ""


def tower_sign(function: Tower, on: Interval) -> TowerSign:
    """Decide whether f(ε) ≥ 0 for every ε of an interval of ε ≥ 0."""
    if all(
        nonnegative(form, on).holds for form in (function.rest, *(f for _, f in function.parts))
    ):
        return TowerSign(True)
    for point in (_simple(on), *_LOOKS):
        if point in on and _sign_at(function, point) < 0:
            return TowerSign(False, point)
    lower, upper = Fraction(on.lower), on.upper
    if lower == 0:
        start = _from_zero(function, upper)
        if start is None:
            return TowerSign(None, why="no sign is seen near 0")
        lower = start
    if upper == inf:
        end = _to_infinity(function, lower)
        if end is None:
            return TowerSign(None, why="as ε grows no sign is seen")
        upper = end
    assert isinstance(upper, Fraction)
    return _between(function, lower, upper, on)


def _simple(on: Interval) -> Fraction:
    return on.simple_point()


def _sign_at(function: Tower, point: Fraction) -> int:
    """Return the sign at a point, 0 if it is not proved."""
    with ctx.workprec(_BITS):
        ball = function.on_ball(arb(exact(point)))
    return 1 if ball > 0 else -1 if ball < 0 else 0


def _box(lower: Fraction, upper: Fraction) -> tuple[arb, arb]:
    """Return the midpoint of a segment, and a ball that contains all of it."""
    middle, half = exact((lower + upper) / 2), exact((upper - lower) / 2)
    return arb(middle), arb(middle, half)


def _below(function: Tower, slope: ClosedForm, lower: Fraction, upper: Fraction) -> arb:
    """Return a ball with all values on a segment: by mean value, or plainly where that is not."""
    with ctx.workprec(_BITS):
        middle, whole = _box(lower, upper)
        plain = function.on_ball(whole)
        if plain > 0 or plain < 0:
            return plain
        assert isinstance(slope, Tower)
        return function.on_ball(middle) + slope.on_ball(whole) * (whole - middle)


def _between(function: Tower, lower: Fraction, upper: Fraction, on: Interval) -> TowerSign:
    slope = function.derivative()
    waiting = [(lower, upper)] if lower < upper else []
    for _ in range(_MOST_BOXES):
        if not waiting:
            return TowerSign(True)
        low, high = waiting.pop()
        ball = _below(function, slope, low, high)
        if ball > 0:
            continue
        middle = (low + high) / 2
        if ball < 0 or _sign_at(function, middle) < 0:
            inside = Interval(low, high).simple_point()
            point = inside if _sign_at(function, inside) < 0 and inside in on else middle
            return TowerSign(False, point)
        waiting += [(low, middle), (middle, high)]
    low, high = waiting[-1]
    return TowerSign(None, why=f"the value is too close to 0 for ε near {float(low):.6g}")


def _from_zero(function: Tower, upper: Fraction | float) -> Fraction | None:
    """Return a number up to which f ≥ 0 from 0 on, None if none is found."""
    derivative: ClosedForm = function
    for _ in range(_MOST_ORDER + 1):
        assert isinstance(derivative, Tower)
        for end in _STARTS:
            stop = min(end, upper)
            with ctx.workprec(_BITS):
                ball = derivative.on_ball(_box(Fraction(0), Fraction(stop))[1])
            if ball > 0:
                return Fraction(stop)
        if not _vanishes(derivative):
            return None
        derivative = derivative.derivative()
    return None


def _vanishes(function: Tower) -> bool:
    """Whether a function is exactly 0 at 0."""
    try:
        return function.limit(0) == 0
    except ValueRefusedError:
        return False


# Up to ∞ ------------------------------------------------------------------------------


def _growth(form: ClosedForm) -> tuple[Fraction, int]:
    """Return the rate and the power of ε with which a closed form grows or falls."""
    found = []
    for part in (form.numerator, form.denominator):
        rate, polynomial = max(part.exponentials().items())
        found.append((rate, polynomial.degree()))
    (high, power), (low, less) = found
    return high - low, power - less


def _slope(exponent: ClosedForm) -> Fraction:
    """Return b with exponent = b·ε + what has a limit; 0 if there is none."""
    found = (exponent / eps).limit(inf)
    return found if isinstance(found, Fraction) else Fraction(0)


def _to_infinity(function: Tower, lower: Fraction) -> Fraction | None:
    """Return a number such that f ≥ 0 above it, None if none is found."""
    parts = []
    for exponent, factor in function.parts:
        slope = _slope(exponent)
        parts.append((exponent - eps * slope, factor * plain_exp(eps * slope)))
    forms = [factor for _, factor in parts] + [function.rest]
    growths = [_growth(form) for form in forms if form.numerator]
    if not growths:
        return lower
    rate, power = max(growths)
    unit: ClosedForm = plain_exp(eps * -rate)
    unit = unit / eps**power if power >= 0 else unit * eps**-power
    for end in _ENDS:
        on = Interval(max(end, lower), inf)
        found = [_least(function.rest * unit, ExpPoly(0), on)]
        found += [_least(factor * unit, exponent, on) for exponent, factor in parts]
        bounds = [one for one in found if one is not None]
        with ctx.workprec(_BITS):
            if len(bounds) == len(found) and sum(bounds, arb(0)) > 0:
                return Fraction(on.lower)
    return None


def _least(factor: ClosedForm, exponent: ClosedForm, on: Interval) -> arb | None:
    """Return a lower bound of factor·e^exponent on an interval, None if there is none."""
    least = infimum(factor, on).lower
    if not isinstance(least, Fraction):
        return None
    end = infimum(exponent, on).lower if least >= 0 else supremum(exponent, on).upper
    if end == inf:
        return None
    with ctx.workprec(_BITS):
        power = arb(0) if end == -inf else arb(exact(Fraction(end))).exp()
        return arb(exact(least)) * power
