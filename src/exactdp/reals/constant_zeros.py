"""Where a closed form with constants (1 and logarithms) beside ε is nonnegative.

With rational bounds in place of the constants, the form f is between two closed forms f⁻ ≤ f ≤ f⁺
of ε alone, whose solution sets are exact. They differ near the zeros of f only: where an end of one
set has a counterpart in the other, f has opposite signs on both sides, and one zero in between if
its derivative has none there. An end without a counterpart means that f comes close to 0 without
a proved change of its sign. Then a claim is tight there, and the set stays open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb, ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.curved_zeros import open_at
from exactdp.reals.evaluated_zeros import EvaluatedRoot
from exactdp.reals.exp_poly import ExpPoly, eps, parameter
from exactdp.reals.interval import Interval
from exactdp.reals.logs import ONE, LogForm, constant_enclosure, enclosed, lower_bound
from exactdp.reals.numbers import exact, inf, simplest_inside
from exactdp.reals.solutions import Boundary, SolutionSet, Stretch, solution_set
from exactdp.reals.spans import around, as_stretch, between
from exactdp.reals.zeros import Root

_BITS = 256
_FINE = Fraction(1, 10**30)
_HIGHEST_ORDER = 32
_MOST_HALVINGS = 120


@dataclass(frozen=True)
class _Signed:
    """A function of ε and constants, by which a closed form has its sign."""

    form: ExpPoly
    units: tuple[str, ...]
    ends: tuple[EvaluatedRoot, ...] = ()
    """Linear forms in the constants at which a zero is looked for."""

    @cached_property
    def function(self) -> LogForm:
        return LogForm.made(self.form, self.units)

    @cached_property
    def slope(self) -> _Signed:
        return _Signed(self.form.derivative(), self.units)

    def sign_at(self, point: Fraction) -> int | None:
        """Return the sign at a point; None if it cannot be distinguished from 0."""
        try:
            return self.function.at(point, 5).sign
        except ValueRefusedError:
            return None

    def sign_on(self, lower: Fraction, upper: Fraction) -> int:
        """Return the sign on a segment, 0 if it is not proved."""
        middle, half = exact((lower + upper) / 2), exact((upper - lower) / 2)
        with ctx.workprec(_BITS):
            ball = self.function.on_ball(arb(middle, half))
        return 1 if ball > 0 else -1 if ball < 0 else 0

    def from_zero(self, end: Fraction | float) -> tuple[int, Fraction] | None:
        """Return the sign on (0, x], and x ≤ end; None if none is found.

        Up to the order m all derivatives are 0 at 0, so f(x) = f⁽ᵐ⁾(y)·xᵐ/m! with 0 < y < x.
        """
        derivative = self
        for _ in range(_HIGHEST_ORDER):
            found = derivative.sign_at(Fraction(0))
            if found is None:
                return None
            if found:
                stop = Fraction(min(end, Fraction(1)))
                for _ in range(_MOST_HALVINGS):
                    if derivative.sign_on(Fraction(0), stop) == found:
                        return found, stop
                    stop /= 2
                return None
            derivative = derivative.slope
        return None

    def _is_zero_at(self, end: EvaluatedRoot) -> bool:
        """Whether the function is 0 at a linear form in the constants: all its terms cancel."""
        assert isinstance(end.function, LogForm)
        constants = eps - end.function.form
        there = LogForm.made(self.form.substitute(eps=constants), self.units).form
        return not _with_one(there.numerator)

    def boundary(self, low: Fraction, high: Fraction) -> Boundary | None:
        """Return the zero between two close points; None if there is none."""
        ends = [self.sign_at(x) for x in (low, high)]
        if None in ends or not self.slope.sign_on(low, high):
            raise open_at(low)
        point = simplest_inside(low, high)
        for x in (low, high, point):
            if self.sign_at(x) == 0:
                return x
        for end in self.ends:
            near = end.refined((high - low) / 8)
            if low <= near.lower and near.upper <= high and self._is_zero_at(end):
                return end
        if ends[0] == ends[1]:
            return None
        return EvaluatedRoot(low, high, 1, eps, function=self.function)


def constant_solutions(form: ClosedForm, units: Sequence[str], where: Stretch) -> SolutionSet:
    """Return the ε at which a closed form in ε and constants is nonnegative.

    The ε of a stretch are examined, and perhaps some that are close to it.
    """
    on = around(where)
    reduced = LogForm.made(form, tuple(units)).form
    ends = tuple(one for one in (where.lower, where.upper) if isinstance(one, EvaluatedRoot))
    whole_form = _with_one(reduced.numerator * reduced.denominator)
    signed = _Signed(_without_factors(whole_form), tuple(units), ends)
    whole = SolutionSet((as_stretch(on),))
    if not signed.form:
        return whole
    if on.is_point:
        sign = signed.sign_at(Fraction(on.lower))
        if sign is None:
            raise open_at(Fraction(on.lower))
        return whole if sign >= 0 else SolutionSet(())
    found = SolutionSet(())
    if on.lower == 0:
        start = signed.from_zero(on.upper)
        if start is None:
            raise open_at(Fraction(0))
        if start[0] > 0:
            found |= SolutionSet((Stretch(Fraction(0), start[1], on.lower_open, False),))
        if start[1] == on.upper:
            return found & whole
        on = Interval(start[1], on.upper, upper_open=on.upper_open)
    return (found | _between_bounds(signed, on)) & whole


def _between_bounds(signed: _Signed, on: Interval) -> SolutionSet:
    """Return the set from those of a lower and an upper bound."""
    low, high = lower_bound(signed.form, signed.units), -lower_bound(-signed.form, signed.units)
    sure, maybe = (solution_set(one, on, _FINE) for one in (low, high))
    found: list[Stretch] = []
    for outer in maybe:
        inner = [one for one in sure if (x := between(one.lower, one.upper)) and x in outer]
        if len(inner) != 1:
            raise open_at(Fraction(around(outer).lower))
        (one,) = inner
        lower = _end(signed, outer.lower, one.lower)
        upper = _end(signed, one.upper, outer.upper)
        found.append(
            Stretch(
                outer.lower if lower is None else lower,
                outer.upper if upper is None else upper,
                outer.lower_open and lower is None,
                outer.upper_open and upper is None,
            )
        )
    return SolutionSet(tuple(found))


def _end(signed: _Signed, one: Boundary, two: Boundary) -> Boundary | None:
    """Return the zero between the ends of two sets; None if they are the same number."""
    low = one.lower if isinstance(one, Root) else one
    high = two.upper if isinstance(two, Root) else two
    if low == high:
        return None
    if not isinstance(low, Fraction) or not isinstance(high, Fraction):
        raise open_at(Fraction(low))
    return signed.boundary(low, high)


def _with_one(form: ExpPoly) -> ExpPoly:
    """Return a sum without powers of the parameter that is 1."""
    return ExpPoly(
        [
            (c, tuple(one for one in powers if one[0] != ONE), rates)
            for c, powers, rates in form.terms
        ]
    )


def _without_factors(form: ExpPoly) -> ExpPoly:
    """Return a sum divided by a positive number, a power of ε, and powers of e^ε and e.

    So sums that differ by such factors are equal, and so are their zeros.
    """
    if not form:
        return form
    split = [(c, dict(powers), dict(rates)) for c, powers, rates in form.terms]
    least = min(powers.get("eps", 0) for _, powers, _ in split)
    _, _, first = min(split, key=lambda one: tuple(one[2].get(name, 0) for name in ("eps", ONE)))
    for _, powers, _ in split:
        powers["eps"] = powers.get("eps", 0) - least
    shift = {name: first.get(name, Fraction(0)) for name in ("eps", ONE)}
    for _, _, rates in split:
        for name, rate in shift.items():
            rates[name] = rates.get(name, Fraction(0)) - rate
    found = [(c, _nonzero(powers), _nonzero(rates)) for c, powers, rates in split]
    size = abs(min(found, key=lambda one: one[1:])[0])
    return ExpPoly([(c / size, powers, rates) for c, powers, rates in found])


def _nonzero(exponents: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted((name, q) for name, q in exponents.items() if q))


def stretch_at_constants(
    sides: Iterable[Sequence[int | Fraction]], units: Sequence[str], on: Interval
) -> Stretch | None:
    """Return the ε of an interval with a·ε + Σ b·constant ≥ 0 for all (a, b, …); None if empty."""
    values = [*map(constant_enclosure, units)]
    found = SolutionSet((as_stretch(on),))
    for slope, *rest in sides:
        if not slope:
            if enclosed(rest, values)[1] < 0:
                return None
            continue
        factors = [Fraction(b) / -slope for b in rest]
        point = _linear_zero(factors, units, enclosed(factors, values))
        half = Stretch(point, inf, False, True) if slope > 0 else Stretch(-inf, point, True, False)
        found &= SolutionSet((half,))
    stretches = [one for one in found if not one.is_single]
    return stretches[0] if stretches else None


def _linear_zero(
    factors: Sequence[Fraction], units: Sequence[str], ends: tuple[Fraction, Fraction]
) -> Boundary:
    """Return the number Σ b·constant."""
    if ends[0] == ends[1]:
        return ends[0]
    form: ClosedForm = eps
    for factor, name in zip(factors, units, strict=True):
        form = form - parameter(name) * factor
    return EvaluatedRoot(*ends, 1, eps, function=LogForm.made(form, tuple(units)))
