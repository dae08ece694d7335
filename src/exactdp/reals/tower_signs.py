"""The sign of a function with e to a quotient, by certified numbers (see `taylor_walk`).

At 0 the first of its derivatives that is not 0 has to be one of the first few. Near ∞ exponents are
−b·ε plus what has a limit: divided by the largest exponential, factors, exponents and rest are
bounded by their exact extrema on [M, ∞). A function that is 0 at ∞ after this stays open.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.exp_poly import ExpPoly, eps
from exactdp.reals.exp_poly import exp as plain_exp
from exactdp.reals.extrema import infimum, supremum
from exactdp.reals.interval import Interval
from exactdp.reals.numbers import exact, inf
from exactdp.reals.sign_walk import Seen
from exactdp.reals.signs import nonnegative
from exactdp.reals.taylor_walk import TaylorFunction
from exactdp.reals.towers import Tower

_BITS = 192
_MOST_ORDER = 4  # of a derivative at 0
_FIRST_END, _LAST_END = 8, 2**11  # between which a limit is examined


class TowerFunction(TaylorFunction):
    """A function with e to a quotient, with its derivatives and its behaviour near ∞."""

    first_bits = _BITS
    rule = (
        "e to a quotient is compared by certified numbers, which prove a sign where the function "
        "is not 0."
    )
    way_out = "Restrict epsilon, or give a bound with a little more room."

    def __init__(self, function: Tower) -> None:
        self.function = function
        self._derivatives: list[Tower] = [function]

    def ball(self, eps: Fraction, bits: int) -> arb:
        """Return a ball that contains the value at an ε."""
        return self.function.ball(eps, bits)

    def series(self, x: arb, length: int) -> list[arb]:
        """Return Taylor coefficients at every point of a ball, at the working precision."""
        return self.function.series(x, length)

    def coefficient_sign(self, point: Fraction, order: int) -> int | None:
        """Return the sign of a Taylor coefficient by its value; at 0, whether it is exactly 0."""
        with ctx.workprec(_BITS):
            ball = self.series(arb(exact(point)), order + 1)[order]
        if ball > 0 or ball < 0:
            return 1 if ball > 0 else -1
        if point or order > _MOST_ORDER:
            return None
        while len(self._derivatives) <= order:
            self._derivatives.append(self._derivatives[-1].derivative())
        try:
            return 0 if self._derivatives[order].limit(0) == 0 else None
        except ValueRefusedError:
            return None

    def tail(self, place: Fraction, bits: int) -> Seen | None:
        """Return the sign on [place, ∞) if lower bounds of all parts prove it."""
        if place < _FIRST_END:
            return None
        ball = self.ball(place, bits)
        if ball > 0 and _is_positive_from(self.function, place):
            return Seen(place, inf, 1)
        if ball < 0 and _is_positive_from(-self.function, place):
            return Seen(place, inf, -1)
        if place > _LAST_END:
            return Seen(place, inf, 0, "as ε grows no sign is seen")
        return None


def is_sum_of_nonnegatives(function: Tower, on: Interval) -> bool:
    """Whether all factors and the rest are nonnegative on an interval."""
    forms = (function.rest, *(factor for _, factor in function.parts))
    return all(nonnegative(form, on).holds for form in forms)


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


def _is_positive_from(function: Tower, place: Fraction) -> bool:
    """Whether a function is proved to be positive on [place, ∞)."""
    parts = []
    for exponent, factor in function.parts:
        slope = _slope(exponent)
        parts.append((exponent - eps * slope, factor * plain_exp(eps * slope)))
    forms = [factor for _, factor in parts] + [function.rest]
    rate, power = max(_growth(form) for form in forms if form.numerator)
    unit: ClosedForm = plain_exp(eps * -rate)
    unit = unit / eps**power if power >= 0 else unit * eps**-power
    on = Interval(place, inf)
    total = arb(0)
    for exponent, factor in ((ExpPoly(0), function.rest), *parts):
        least = _least(factor * unit, exponent, on)
        if least is None:
            return False
        with ctx.workprec(_BITS):
            total += least
    return bool(total > 0)


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
