"""Signs of functions that are not expanded, by certified arithmetic.

f = Σ factor·chance + rest. The line is covered from 0 to ∞ with stretches of one sign and crossings:

 * where the closed form that is left when each chance is 0 or 1, whichever is worse, has the sign,
   nothing is evaluated;
 * near 0 chances are their first Taylor polynomials, up to a bound of the next derivative;
 * in between each chance is a polynomial, up to a proven bound (`models`), and stretches are halved
   until the sum has a sign or is monotone;
 * near ∞ the less likely of each event and its opposite is at most C·ε^n·e^{−D·ε}, with C from one
   value (see `Chance`).

At 0 and ∞ a sign of a closed form remains, which is decided exactly. The answer may stay open: for a
function that touches 0, for one that vanishes to second order at 0, or where both sides of a claim
fall with the same exponent as ε grows. Nothing is ever guessed: then the answer is None.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from flint import arb, arb_poly, ctx, fmpq

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.exp_poly import ExpPoly, eps, exp
from exactdp.reals.interval import Interval
from exactdp.reals.models import Model, Models
from exactdp.reals.numbers import exact, inf, positive_width
from exactdp.reals.signs import nonnegative
from exactdp.reals.solutions import SolutionSet, solution_set
from exactdp.reals.unexpanded import Chance, Unexpanded
from exactdp.reals.zeros import Root

_DEGREES = (8, 16, 32, 64)
_TAYLOR = 8  # the degree of closed forms on a stretch
_NARROW = Fraction(1, 2**10)  # of a cell: narrower stretches wait for a higher degree
_NARROWEST = Fraction(1, 2**40)
_MOST_CELLS = 400
_FAR = 4  # times n/D: where a tail would have been seen


@dataclass(frozen=True)
class Seen:
    """A stretch of ε with one sign; 0 if it stays open."""

    lower: Fraction
    upper: Fraction | float
    sign: int
    why: str = ""


@dataclass(frozen=True)
class Crossed:
    """A stretch with exactly one zero, where the sign becomes another one."""

    lower: Fraction
    upper: Fraction
    sign: int
    """The sign before."""


Found: TypeAlias = Seen | Crossed


@dataclass(frozen=True, repr=False)
class EvaluatedRoot(Root):
    """The only zero, between two points, of a function that is not expanded."""

    function: Unexpanded = field(kw_only=True)

    @property
    def is_evaluated(self) -> bool:
        """Whether it is a zero of a function that is evaluated: yes."""
        return True

    def refined(self, width: object) -> EvaluatedRoot:
        """Return the same zero with upper − lower ≤ width: by secants, halving where they miss."""
        target = positive_width(width)
        lower, upper = self.lower, self.upper
        if upper - lower <= target:
            return self
        values = [self._value(lower), self._value(upper)]
        while upper - lower > target:
            size = upper - lower
            share = Fraction(float(values[0] / (values[0] - values[1]))).limit_denominator(10**15)
            guess, near = lower + size * share, max(size / 4096, target / 3)
            for cut in (guess - near, guess + near, (lower + upper) / 2):
                cut = _short(cut, size)
                if not lower < cut < upper or upper - lower <= target:
                    continue
                value = self._value(cut)
                if (value > 0) == (values[0] > 0):
                    lower, values[0] = cut, value
                else:
                    upper, values[1] = cut, value
                if upper - lower < size / 64:
                    break
        return EvaluatedRoot(lower, upper, 1, self.factor, function=self.function)

    def _value(self, point: Fraction) -> arb:
        bits = self.function.first_bits + 64
        while (ball := self.function.ball(point, bits)).rel_accuracy_bits() < 30:
            bits *= 2
        return ball

    def reflected(self) -> Root:
        """Refuse: nothing is known at ε < 0."""
        raise ValueRefusedError("probabilities that are not expanded are known at eps > 0 only")


def _short(value: Fraction, size: Fraction) -> Fraction:
    """Return a short dyadic close to a value, compared with a size."""
    power = size.denominator.bit_length() - size.numerator.bit_length() + 20
    grid = Fraction(1, 2**power) if power > 0 else Fraction(1)
    return grid * round(value / grid)


class Walk:
    """The signs of one function on an interval of ε > 0."""

    def __init__(self, function: Unexpanded, on: Interval) -> None:
        self.function, self.on = function, on
        self._models = [_models_of(chance) for chance, _ in function.parts]
        self._signs = [_constant_sign(factor, on) for _, factor in function.parts]

    # What is known without evaluating -----------------------------------------------------

    def _plain(self, sign: int) -> ClosedForm | None:
        """Return a closed form below sign·function: chances are 0 or 1, whichever is less."""
        total = self.function.rest * sign
        for (_, factor), own in zip(self.function.parts, self._signs, strict=True):
            if own == 0:
                return None
            if own * sign < 0:
                total = total + factor * sign
        return total

    @cached_property
    def _sure(self) -> dict[int, SolutionSet]:
        """Where the function is known to be positive, or negative, at once."""
        found = {}
        for sign in (1, -1):
            form = self._plain(sign)
            found[sign] = SolutionSet(()) if form is None else solution_set(form, self.on)
        return found

    def _is_sure(self, lower: Fraction, upper: Fraction) -> int:
        for sign, known in self._sure.items():
            if any(lower in one and upper in one for one in known):
                return sign
        return 0

    # Pieces -------------------------------------------------------------------------------

    def pieces(self) -> Iterator[Found]:
        """Yield stretches that cover the interval, from left to right."""
        place, end = self.on.lower, self.on.upper
        assert isinstance(place, Fraction)
        if place == 0:
            first = self._start()
            if first is None:
                yield Seen(Fraction(0), end, 0, self._open_at_zero())
                return
            yield first
            assert isinstance(first.upper, Fraction)
            place = first.upper
        widest = self._widest()
        for _ in range(_MOST_CELLS):
            if place >= end:
                return
            if end == inf and (tail := self._tail(place)) is not None:
                yield tail
                return
            upper = min(self._cell_end(place, widest), end)
            assert isinstance(upper, Fraction)
            sign = self._is_sure(place, upper)
            if sign:
                yield Seen(place, upper, sign)
            else:
                if end == inf and self._is_hopeless(place):
                    break
                yield from self._in_cell(place, upper, widest)
            place = upper
        if place < end:
            yield Seen(place, end, 0, self._open_at_infinity())

    def _widest(self) -> Models:
        """Return the models with the narrowest cells: all are asked there."""
        return max(self._models, key=lambda one: one.chance.samples)

    def _cell_end(self, place: Fraction, models: Models) -> Fraction:
        return models.end(models.index(place) + 1)

    # Near 0 -------------------------------------------------------------------------------

    def _start(self) -> Seen | None:
        """Return a stretch from 0 on with one sign."""
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
                        return Seen(Fraction(0), min(upper, self._last), sign)
        return None

    @property
    def _last(self) -> Fraction | float:
        return self.on.upper

    def _near_zero(self, sign: int, order: int) -> ClosedForm | None:
        """Return a closed form below sign·function, from Taylor polynomials at 0."""
        total = self.function.rest * sign
        for (chance, factor), own in zip(self.function.parts, self._signs, strict=True):
            if own == 0:
                return None
            value, slope = chance.start
            rest = chance.bend if order else chance.slope
            if rest is None:
                return None
            change = eps * slope - eps**2 * (rest / 2) * own * sign if order else (
                -eps * rest * own * sign
            )
            total = total + factor * (change + value) * sign
        return total

    def _open_at_zero(self) -> str:
        if any(own == 0 for own in self._signs):
            return "a factor changes its sign"
        return "it is 0 at ε → 0, or no bound on the change near 0 is known"

    # Near ∞ -------------------------------------------------------------------------------

    def _tail(self, place: Fraction) -> Seen | None:
        """Return [place, ∞) if one sign is seen there."""
        for sign in (1, -1):
            if any(place in one and one.upper == inf for one in self._sure[sign]):
                return Seen(place, inf, sign)
            form = self._far(sign, place)
            if form is None:
                continue
            looks = (place * 2**k for k in (0, 1, 2, 4, 8))
            if all(form.at(x, 3).sign > 0 for x in looks) and nonnegative(
                form, Interval(place, inf)
            ):
                return Seen(place, inf, sign)
        return None

    def _far(self, sign: int, place: Fraction) -> ClosedForm | None:
        """Return a closed form below sign·function from a place on."""
        total = self.function.rest * sign
        for (chance, factor), own, models in zip(
            self.function.parts, self._signs, self._models, strict=True
        ):
            if own == 0:
                return None
            event, opposite = chance.costs
            limit: ClosedForm = ExpPoly(int(own * sign < 0))
            if opposite > 0:
                make = _at_most if own * sign > 0 else _at_least
                limit = 1 - make(models, place, opposite, True)
            elif event > 0:
                make = _at_least if own * sign > 0 else _at_most
                limit = make(models, place, event, False)
            total = total + factor * sign * limit
        return total

    def _is_hopeless(self, place: Fraction) -> bool:
        """Whether a tail would have been seen before, if one could be."""
        far = []
        for chance, _ in self.function.parts:
            cost = max(chance.costs)
            if cost == 0:
                return place > 2**12
            far.append(_FAR * (chance.samples + 64) / cost * self._spread)
        return place > max(far)

    @cached_property
    def _spread(self) -> Fraction:
        """How much larger exponents are than the least difference between them."""
        rest = self.function.rest
        rates = [-rate for form in (rest,) for rate in form.numerator.exponentials()]
        found = Fraction(1)
        for chance, _ in self.function.parts:
            cost = max(chance.costs)
            for rate in rates:
                if rate > 0 and rate != cost and cost:
                    found = max(found, cost / abs(cost - rate))
        return min(found, Fraction(2**10))

    def _open_at_infinity(self) -> str:
        return "as ε grows both sides fall with about the same exponent"

    # In between ---------------------------------------------------------------------------

    def _in_cell(self, lower: Fraction, upper: Fraction, cells: Models) -> Iterator[Found]:
        """Yield stretches that cover a part of a cell."""
        index = cells.index(lower)
        whole = cells.end(index), cells.end(index + 1)
        middle, half = (whole[0] + whole[1]) / 2, (whole[1] - whole[0]) / 2
        waiting = [((lower - middle) / half, (upper - middle) / half)]
        found: list[Found] = []
        for degree in _DEGREES:
            models = [one.model(one.index(lower), degree) for one in self._models]
            if any(one is None for one in models):
                continue
            known = [one for one in models if one is not None]
            sheet = _Sheet(self.function, known, middle, half)
            left: list[tuple[Fraction, Fraction]] = []
            while waiting:
                part = waiting.pop()
                here = sheet.look(part, last=degree == _DEGREES[-1])
                if isinstance(here, list):
                    waiting += here
                elif here is None:
                    left.append(part)
                else:
                    found.append(here)
            waiting = left
            if not waiting:
                break
        for a, b in waiting:
            why = "its value is too close to 0"
            found.append(Seen(middle + half * a, middle + half * b, 0, why))
        yield from sorted(found, key=lambda one: one.lower)


class _Sheet:
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

    def look(
        self, part: tuple[Fraction, Fraction], *, last: bool
    ) -> Found | list[tuple[Fraction, Fraction]] | None:
        """Return what is seen on a part, two halves of it to look at, or None."""
        first, end = part
        lower, upper = (self.middle + self.half * x for x in part)
        with ctx.workprec(self.bits):
            value, change, slope, steep, error = self._bounds(first, end)
            if abs(value) > change + error:
                return Seen(lower, upper, 1 if value > 0 else -1)
            if abs(slope) > steep:
                before, after = (self.function.ball(x, self.bits) for x in (lower, upper))
                if (before > 0 and after < 0) or (before < 0 and after > 0):
                    return Crossed(lower, upper, 1 if before > 0 else -1)
                if (before > 0 and after > 0) or (before < 0 and after < 0):
                    return Seen(lower, upper, 1 if before > 0 else -1)
            is_blurred = error > change
        narrow = _NARROWEST if last else _NARROW
        if is_blurred or end - first < narrow:
            return None
        centre = (first + end) / 2
        return [(centre, end), (first, centre)]

    def _bounds(self, first: Fraction, end: Fraction) -> tuple[arb, arb, arb, arb, arb]:
        """Return value and slope at the centre, how far both change, and what is not known.

        As polynomials of τ, −1 ≤ τ ≤ 1, on the part.
        """
        centre, radius = (first + end) / 2, (end - first) / 2
        place, width = self.middle + self.half * centre, self.half * radius
        rest, *weights = (_taylor(one, place, width) for one in self.forms)
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
        listed = total.coeffs()
        sizes = [one.abs_upper() for one in listed]
        change = sum(sizes[1:], arb(0))
        bend = sum((j * one for j, one in enumerate(sizes) if j > 1), arb(0)) + error_slope
        slope = listed[1] if len(listed) > 1 else arb(0)
        return listed[0] if listed else arb(0), change, slope, bend, error


def _taylor(form: ExpPoly, place: Fraction, width: Fraction) -> arb_poly:
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
    """Return sums that are the forms times one positive function."""
    under = ExpPoly(1)
    for one in forms:
        if one.denominator != 1:
            under = under * one.denominator
    if under == 1:
        return [one.numerator for one in forms]
    return [(one * under * under).numerator for one in forms]


def _models_of(chance: Chance) -> Models:
    """Return the models of a chance, which it keeps."""
    return chance.known(Models)


def _constant_sign(factor: ClosedForm, on: Interval) -> int:
    """Return the sign that a factor has on the whole interval; 0 if it changes."""
    if nonnegative(factor, on):
        return 1
    return -1 if nonnegative(-factor, on) else 0


def _at_most(models: Models, place: Fraction, cost: Fraction, is_opposite: bool) -> ExpPoly:
    """Return C·ε^n·e^{−cost·ε}, which is not below a probability from a place on."""
    with ctx.workprec(64):
        scaled = models.value(place, is_opposite) * arb(exact(cost * place)).exp()
        factor = _fraction(scaled.upper())
    return _power(models, place, factor, cost)


def _at_least(models: Models, place: Fraction, cost: Fraction, is_opposite: bool) -> ExpPoly:
    """Return C·ε^n·e^{−K·ε}, which is not above a probability A from a place on.

    A·ε^{−n} is an integral of e^{−cost·ε} over noise with different costs, so its logarithm is
    convex, and from a place on it falls no faster than between half of it and the place. K is that
    speed, or a little more.
    """
    n = models.chance.samples
    with ctx.workprec(64):
        here, before = (models.value(x, is_opposite) for x in (place, place / 2))
        speed = (before / here * arb(2) ** n).log() / exact(place / 2)
        rate = max(_fraction(speed.upper()), cost).limit_denominator(2**20) + Fraction(1, 2**20)
        scaled = here * arb(exact(rate * place)).exp()
        factor = _fraction(scaled.lower())
    return _power(models, place, factor, rate)


def _power(models: Models, place: Fraction, factor: Fraction, rate: Fraction) -> ExpPoly:
    n = models.chance.samples
    return ExpPoly(factor / place**n) * eps**n * exp(-eps * rate)


def _fraction(value: arb) -> Fraction:
    """Return an exact ball as a number."""
    mantissa, exponent = (int(one) for one in value.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


# Answers ------------------------------------------------------------------------------


class OpenSignError(ValueRefusedError):
    """A sign that certified arithmetic does not decide."""


def _open(piece: Seen) -> OpenSignError:
    where = f"ε between {float(piece.lower):.6g} and {float(piece.upper):.6g}"
    return OpenSignError(
        f"a sign stays open for {where}: {piece.why}",
        rule="A probability with too many terms is evaluated, not expanded; evaluation proves a "
        "sign where the function is not 0.",
        way_out="Restrict epsilon, or give inputs with fewer different numbers.",
    )


def evaluated_sign(
    function: Unexpanded, on: Interval, *, strict: bool
) -> tuple[bool, Fraction | None, Root | None]:
    """Return whether f ≥ 0 (or f > 0) on an interval; if not, a point or a zero where it fails.

    Raises `OpenSignError` where that is not seen.
    """
    if on.is_point:
        point = Fraction(on.lower)
        sign = function.sign_at(point)
        holds = sign > 0 or (sign == 0 and not strict)
        return holds, None if holds else point, None
    first_open: Seen | None = None
    for piece in _ordered(function, on):
        if isinstance(piece, Crossed):
            point = piece.upper if piece.sign > 0 else piece.lower
            if point in on:
                return False, _simple_near(function, piece), None
        elif piece.sign < 0:
            return False, _simple_in(piece, on), None
        elif piece.sign == 0:
            first_open = first_open or piece
    if first_open is not None:
        raise _open(first_open)
    return True, None, None


def _ordered(function: Unexpanded, on: Interval) -> Iterator[Found]:
    """Yield a few single points first, where a function that is negative somewhere often is."""
    lower, upper = on.lower, on.upper
    for power in range(-6, 10):
        point = Fraction(2) ** power
        if lower < point < upper and function.sign_near(point) < 0:
            yield Seen(point, point, -1)
    yield from Walk(function, on).pieces()


def _simple_in(piece: Seen, on: Interval) -> Fraction:
    """Return a simple number in a stretch."""
    if piece.lower == piece.upper:
        return piece.lower
    return Interval(piece.lower, piece.upper, lower_open=piece.lower not in on).simple_point()


def _simple_near(function: Unexpanded, piece: Crossed) -> Fraction:
    """Return a number beside a crossing where the function is negative."""
    return piece.upper if piece.sign > 0 else piece.lower


def evaluated_pieces(function: Unexpanded, on: Interval) -> Iterator[Seen | EvaluatedRoot]:
    """Yield stretches of one sign and the zeros between them; raises where a sign stays open."""
    known: Seen | None = None
    for piece in Walk(function, on).pieces():
        if isinstance(piece, Crossed):
            root = EvaluatedRoot(piece.lower, piece.upper, 1, eps, function=function)
            before = known.lower if known is not None else piece.lower
            yield Seen(before, piece.lower, piece.sign)
            yield root
            known = Seen(piece.upper, piece.upper, -piece.sign)
            continue
        if piece.sign == 0:
            raise _open(piece)
        if known is not None and known.sign != piece.sign:
            raise _open(Seen(known.upper, piece.upper, 0, "the sign changes at a rational point"))
        known = Seen(known.lower if known is not None else piece.lower, piece.upper, piece.sign)
    if known is not None:
        yield known
