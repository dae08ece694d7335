"""Signs of functions that are not expanded, by certified arithmetic.

f = Σ factor·chance + rest. (0, ∞) is covered with stretches of one sign and crossings:

 * nothing is evaluated where the sign follows from the closed form with each chance replaced by 0
   or 1, whichever is worse;
 * near 0 chances are their first Taylor polynomials, up to a bound on the next derivative;
 * in between each chance is a polynomial, up to a proven bound (`models`), and stretches are halved
   until the sum has a sign or is monotone;
 * near ∞ the less likely of each event and its complement is at most C·ε^n·e^{−D·ε}, with C from
   one value (see `Chance`).

At 0 and ∞ the sign of a closed form remains, which is decided exactly. The answer may stay open:
for a function that touches 0, for one that vanishes to second order at 0, or if both sides of a
claim fall with the same exponent as ε grows. Then it is reported as open, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cached_property, partial
from typing import TypeAlias

from flint import arb, ctx

from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.envelopes import at_least, at_most, between
from exactdp.reals.exp_poly import ExpPoly, eps
from exactdp.reals.interval import Interval
from exactdp.reals.models import EpsilonCells, Models
from exactdp.reals.numbers import inf
from exactdp.reals.sheets import Sheet, is_positive
from exactdp.reals.sign_walk import Found, Part, Seen, SignWalk, Touched, bisected
from exactdp.reals.signs import nonnegative
from exactdp.reals.solutions import SolutionSet, solution_set
from exactdp.reals.unexpanded import Chance, Unexpanded, ball_at
from exactdp.reals.zeros import Root

_DEGREES = (8, 16, 32, 64)
_MOST_LOOKS = 200  # at parts of a cell with one degree
_SPLITS = (1, 2, 4)  # of a cell, before polynomials are made
_FAR = 4  # times n/D: where a tail would have been seen

Bound: TypeAlias = Callable[[Models, bool], ClosedForm | None]
"""A lower bound on a chance, if true, or an upper one."""


class ChanceWalk(SignWalk):
    """The signs of a function with chances on an interval of ε > 0."""

    rule = (
        "A probability with too many terms is evaluated; that proves a sign where the function is "
        "not 0."
    )
    way_out = "Restrict epsilon, or give inputs with fewer different numbers."

    def __init__(self, function: Unexpanded, on: Interval) -> None:
        super().__init__(on)
        self.function = function
        self._models = [_models_of(chance) for chance, _ in function.parts]
        self._grid = EpsilonCells(max(chance.samples for chance, _ in function.parts))
        self._signs = [_constant_sign(factor, on) for _, factor in function.parts]

    # Without evaluation -------------------------------------------------------------------

    def _below(self, sign: int, bound: Bound) -> ClosedForm | None:
        """Return a closed form below sign·function, from a lower or upper bound on each chance."""
        total = self.function.rest * sign
        for (_, factor), own, models in zip(
            self.function.parts, self._signs, self._models, strict=True
        ):
            known = bound(models, own * sign > 0) if own else None
            if known is None:
                return None
            total = total + factor * known * sign
        return total

    def _plain(self, sign: int) -> ClosedForm | None:
        """Return a closed form below sign·function, with chances 0 or 1, whichever is less."""
        return self._below(sign, lambda _, is_lower: ExpPoly(int(not is_lower)))

    @cached_property
    def _sure(self) -> dict[int, SolutionSet]:
        """The ε where the function is known to be positive, or negative, without evaluation."""
        found = {}
        for sign in (1, -1):
            form = self._plain(sign)
            found[sign] = SolutionSet(()) if form is None else solution_set(form, self.on)
        return found

    def is_sure(self, lower: Fraction, upper: Fraction) -> int:
        """Return the sign between two points if it is known without evaluation, else 0."""
        for sign, known in self._sure.items():
            if any(lower in one and upper in one for one in known):
                return sign
        return 0

    # Near 0 -------------------------------------------------------------------------------

    def start(self, place: Fraction) -> list[Seen | Touched]:
        """Return a stretch from 0 on with one sign, if the interval begins there."""
        if place:
            return []
        for sign in (1, -1):
            for form in (self._plain(sign), self._near_zero(sign, 1), self._near_zero(sign, 0)):
                if form is None:
                    continue
                whole = Interval(0, 1, lower_open=True)
                found = solution_set(form, whole).stretches
                if found and found[0].lower == 0:
                    end = found[0].upper
                    upper = end.lower if isinstance(end, Root) else Fraction(end)
                    if upper > 0:
                        return [Seen(Fraction(0), min(upper, self.on.upper), sign)]
        return [Seen(Fraction(0), self.on.upper, 0, self._open_at_zero())]

    def _near_zero(self, sign: int, order: int) -> ClosedForm | None:
        """Return a closed form below sign·function, from Taylor polynomials at 0."""

        def bound(models: Models, is_lower: bool) -> ClosedForm | None:
            value, slope = models.chance.start
            rest = models.chance.bend if order else models.chance.slope
            if rest is None:
                return None
            most = eps**2 * (rest / 2) if order else eps * rest
            line = eps * slope + value if order else ExpPoly(value)
            return line - most if is_lower else line + most

        return self._below(sign, bound)

    def _open_at_zero(self) -> str:
        if any(own == 0 for own in self._signs):
            return "a factor changes its sign"
        return "it is 0 at ε → 0, or no bound on the change near 0 is known"

    # Near ∞ -------------------------------------------------------------------------------

    def tail(self, place: Fraction) -> Seen | None:
        """Return [place, ∞) if one sign is proved there; open if it would have been before."""
        for sign in (1, -1):
            if any(place in one and one.upper == inf for one in self._sure[sign]):
                return Seen(place, inf, sign)
            form = self.far(sign, place)
            if form is None:
                continue
            looks = (place * 2**k for k in (0, 1, 2, 4, 8))
            if all(form.at(x, 3).sign > 0 for x in looks) and nonnegative(
                form, Interval(place, inf)
            ):
                return Seen(place, inf, sign)
        if self._is_hopeless(place) and not self.is_sure(place, self.next_end(place)):
            why = "as ε grows both sides fall with about the same exponent"
            return Seen(place, inf, 0, why)
        return None

    def far(self, sign: int, place: Fraction) -> ClosedForm | None:
        """Return a closed form below sign·function from a place on."""

        def bound(models: Models, is_lower: bool) -> ClosedForm:
            event, opposite = models.chance.costs
            if opposite > 0:
                make = at_most if is_lower else at_least
                return 1 - make(models, place, opposite, True)
            if event > 0:
                make = at_least if is_lower else at_most
                return make(models, place, event, False)
            return ExpPoly(int(not is_lower))

        return self._below(sign, bound)

    def _is_hopeless(self, place: Fraction) -> bool:
        """Whether a tail would have been found before, if there were one."""
        far = []
        for chance, _ in self.function.parts:
            cost = max(chance.costs)
            if cost == 0:
                return place > 2**12
            far.append(_FAR * (chance.samples + 64) / cost * self._spread)
        return place > max(far)

    @cached_property
    def _spread(self) -> Fraction:
        """The ratio of the exponents to the least difference between them."""
        rest = self.function.rest
        rates = [-rate for form in (rest,) for rate in form.numerator.exponentials()]
        found = Fraction(1)
        for chance, _ in self.function.parts:
            cost = max(chance.costs)
            for rate in rates:
                if rate > 0 and rate != cost and cost:
                    found = max(found, cost / abs(cost - rate))
        return min(found, Fraction(2**10))

    # In between ---------------------------------------------------------------------------

    def next_end(self, place: Fraction) -> Fraction:
        """Return the end of the cell of a place."""
        return self._grid.cell(place)[1]

    def between(self, lower: Fraction, upper: Fraction) -> Iterator[Found]:
        """Yield stretches that cover a cell, or a part of it."""
        sign = self.is_sure(lower, upper) or self._by_convexity(lower, upper)
        if sign:
            yield Seen(lower, upper, sign)
        else:
            yield from self._in_cell(lower, upper)

    def _by_convexity(self, lower: Fraction, upper: Fraction) -> int:
        """Return the sign on a stretch if a few values prove it, else 0.

        Between two points a probability is at most C·ε^n·e^{−K·ε} with equality at both, since
        the logarithm of A·ε^{−n} is convex.
        """
        signs = [self.sign(x) for x in (lower, upper)]
        if not signs[0] or signs[0] != signs[1]:
            return 0
        for parts in _SPLITS:
            ends = [lower + (upper - lower) * j / parts for j in range(parts + 1)]
            if all(map(self._is_between, ends, ends[1:], [signs[0]] * parts)):
                return signs[0]
        return 0

    def ball(self, point: Fraction, accuracy: int = 30) -> arb:
        """Return the value at a point, with chances to `accuracy` bits."""
        rest = self.function.rest
        total = arb(0)
        with ctx.workprec(accuracy + 34):
            for (_, factor), models in zip(self.function.parts, self._models, strict=True):
                is_opposite = models.is_opposite(point, accuracy)
                if is_opposite:
                    rest = rest + factor
                weight = ball_at(factor, point)
                value = models.value(point, is_opposite, accuracy)
                total += value * (-weight if is_opposite else weight)
            return total + ball_at(rest, point)

    def sign(self, point: Fraction) -> int:
        """Return the sign at a point if a quick evaluation shows it."""
        for accuracy in (30, 200):
            ball = self.ball(point, accuracy)
            if ball > 0 or ball < 0:
                return 1 if ball > 0 else -1
        return 0

    def quick_sign(self, point: Fraction) -> int:
        """Return the sign at a point unless it is known anyway."""
        return 0 if self.is_sure(point, point) else self.sign(point)

    def _is_between(self, lower: Fraction, upper: Fraction, sign: int) -> bool:
        """Whether bounds from both ends show a sign in between."""

        def bound(models: Models, is_lower: bool) -> ClosedForm:
            is_opposite = models.is_opposite(lower)
            known = ExpPoly(0)
            if is_lower == is_opposite:
                known = between(models, lower, upper, is_opposite)
            return 1 - known if is_opposite else known

        total = self._below(sign, bound)
        if total is None:
            return False
        over, under = total.numerator, total.denominator
        return is_positive(over * under if under != 1 else over, lower, upper)

    def _in_cell(self, lower: Fraction, upper: Fraction) -> Iterator[Found]:
        """Yield stretches that cover a part of a cell."""
        whole = self._grid.cell(lower)
        middle, half = (whole[0] + whole[1]) / 2, (whole[1] - whole[0]) / 2
        waiting: list[Part] = [((lower - middle) / half, (upper - middle) / half)]
        found: list[Found] = []
        for degree in _DEGREES:
            models = [one.model(whole, degree) for one in self._models]
            if any(one is None for one in models) or not waiting:
                continue
            known = [one for one in models if one is not None]
            sheet = Sheet(self.function, known, middle, half)
            look = partial(sheet.look, last=degree == _DEGREES[-1])
            parts, waiting = waiting, []
            for one in bisected(parts, look, _MOST_LOOKS):
                if isinstance(one, tuple):
                    waiting.append(one)
                else:
                    found.append(one)
        for a, b in waiting:
            why = "its value is too close to 0"
            found.append(Seen(middle + half * a, middle + half * b, 0, why))
        yield from sorted(found, key=lambda one: one.upper)


def _models_of(chance: Chance) -> Models:
    """Return the models of a chance, which caches them."""
    return chance.known(Models)


def _constant_sign(factor: ClosedForm, on: Interval) -> int:
    """Return the sign that a factor has on the whole interval; 0 if it changes."""
    if nonnegative(factor, on):
        return 1
    return -1 if nonnegative(-factor, on) else 0
