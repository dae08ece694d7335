"""The sign of a function on a stretch of ε, from polynomials close to its probabilities."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, arb_poly, ctx

from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.exp_poly import ExpPoly, eps, exp
from exactdp.reals.models import Model
from exactdp.reals.numbers import exact
from exactdp.reals.sign_walk import Crossed, Found, Part, Seen
from exactdp.reals.taylor_walk import OnUnit
from exactdp.reals.unexpanded import Unexpanded

_TAYLOR = 8  # the degree of closed forms on a stretch
_NARROW = Fraction(1, 2**10)  # share of a cell: narrower stretches wait for a higher degree
_NARROWEST = Fraction(1, 2**40)
_DEEP = 6  # halvings of a stretch for the sign of a closed form


class Sheet:
    """The function on one cell, with models of its chances."""

    def __init__(
        self, function: Unexpanded, models: list[Model], middle: Fraction, half: Fraction
    ) -> None:
        self.function, self.models = function, models
        self.middle, self.half = middle, half
        rest: ClosedForm = function.rest
        weights: list[ClosedForm] = []
        for (_, factor), model in zip(function.parts, models, strict=True):
            if model.is_opposite:
                rest = rest + factor
                factor = -factor  # noqa: PLW2901
            weights.append(factor * exp(-eps * model.rate))
        self.forms = _without_denominators([rest, *weights])
        self.bits = 64 + max(chance.first_bits for chance, _ in function.parts)

    def look(self, part: Part, *, last: bool) -> list[Found | Part] | None:
        """Return the result on a part, its two halves to examine, or None."""
        first, end = part
        lower, upper = (self.middle + self.half * x for x in part)
        with ctx.workprec(self.bits):
            here = self._bounds(first, end)
            if here.sign:
                return [Seen(lower, upper, here.sign)]
            if here.is_monotone:
                before, after = (self.function.ball(x, self.bits) for x in (lower, upper))
                if (before > 0 and after < 0) or (before < 0 and after > 0):
                    return [Crossed(lower, upper, 1 if before > 0 else -1)]
                if (before > 0 and after > 0) or (before < 0 and after < 0):
                    return [Seen(lower, upper, 1 if before > 0 else -1)]
            is_blurred = here.error > here.change
        narrow = _NARROWEST if last else _NARROW
        if is_blurred or end - first < narrow:
            return None
        centre = (first + end) / 2
        return [(first, centre), (centre, end)]

    def _bounds(self, first: Fraction, end: Fraction) -> OnUnit:
        """Return bounds of the function of τ, −1 ≤ τ ≤ 1, on the part."""
        centre, radius = (first + end) / 2, (end - first) / 2
        place, width = self.middle + self.half * centre, self.half * radius
        rest, *weights = (taylor(one, place, width) for one in self.forms)
        total = rest
        error = error_slope = arb(0)
        line = arb_poly([arb(exact(centre)), arb(exact(radius))])
        for weight, model in zip(weights, self.models, strict=True):
            # The weight of e^{−rate·ε}, where the model has e^{−rate·(ε − c)}.
            factor = weight * (arb(exact(model.rate * self.middle))).exp()
            total = total + factor * model.polynomial(line)
            sizes = [one.abs_upper() for one in factor.coeffs()]
            most = sum(sizes, arb(0))
            steepest = sum((j * one for j, one in enumerate(sizes)), arb(0))
            error += most * model.error
            error_slope += steepest * model.error + most * model.slope_error * exact(radius)
        return OnUnit.of(total.coeffs(), error, error_slope)


def taylor(form: ExpPoly, place: Fraction, width: Fraction) -> arb_poly:
    """Return a sum at ε = place + width·τ as a polynomial of τ.

    The rest of e^x, from x^{d+1} on, is a ball as the coefficient of τ^{d+1}: its value is at most
    |x|^{d+1}/(d+1)!·e^{|x|}, and its derivative d + 1 times that over |τ|.
    """
    line = arb_poly([arb(exact(place)), arb(exact(width))])
    total = arb_poly([])
    for rate, polynomial in form.exponentials().items():
        speed = exact(rate * width)
        power = arb(1)
        listed = [power]
        for j in range(1, _TAYLOR + 2):
            power = power * speed / j
            listed.append(power)
        most = (abs(listed[-1]) * arb(abs(speed)).exp()).upper()
        listed[-1] = arb(0, most)
        shifted = arb_poly(polynomial)(line)
        total += arb_poly(listed) * shifted * arb(exact(rate * place)).exp()
    return total


def _without_denominators(forms: list[ClosedForm]) -> list[ExpPoly]:
    """Return sums equal to the forms times a common positive function."""
    under = ExpPoly(1)
    for one in forms:
        if one.denominator != 1:
            under = under * one.denominator
    if under == 1:
        return [one.numerator for one in forms]
    return [(one * under * under).numerator for one in forms]


def is_positive(form: ExpPoly, lower: Fraction, upper: Fraction) -> bool:
    """Whether a sum is proved to be positive on [lower, upper], in a few parts."""
    waiting = [(lower, upper, 0)]
    while waiting:
        a, b, depth = waiting.pop()
        with ctx.workprec(128):
            here = OnUnit.of(taylor(form, (a + b) / 2, (b - a) / 2).coeffs())
            if here.sign > 0:
                continue
            if depth == _DEEP or not here.value > 0:
                return False
        middle = (a + b) / 2
        waiting += [(a, middle, depth + 1), (middle, b, depth + 1)]
    return True
