"""Where a closed form with constants (1 and logarithms) beside ε is nonnegative.

It is a sum Σ c·ε^k·e^{qε} whose numbers c are made of the constants. That c = 0 is known if its
terms cancel; no theorem excludes that it is 0 in another way (see `logs`), so a sign may stay open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluated_zeros import EvaluatedRoot, OpenSignError
from exactdp.reals.exp_poly import ExpPoly, eps, parameter
from exactdp.reals.exponential_sums import Exponent, ExponentialSum
from exactdp.reals.interval import Interval
from exactdp.reals.logs import UNIT, LogForm, constant_enclosure, enclosed
from exactdp.reals.numbers import inf
from exactdp.reals.solutions import Boundary, SolutionSet, Stretch
from exactdp.reals.spans import around, as_stretch


@dataclass(frozen=True)
class LogSum(ExponentialSum):
    """A function of ε and constants, without a denominator."""

    form: ExpPoly
    units: tuple[str, ...]

    @classmethod
    def of(cls, form: ClosedForm, units: Sequence[str]) -> LogSum:
        """Return a sum with the sign of a closed form in ε and constants."""
        reduced = LogForm.made(form, tuple(units)).form
        whole = _with_one(reduced.numerator * reduced.denominator)
        return cls(_without_factors(whole), tuple(units))

    @cached_property
    def _derivatives(self) -> list[LogForm]:
        return [LogForm.made(self.form, self.units)]

    @cached_property
    def terms(self) -> dict[Exponent, dict[int, LogForm]]:
        """The constants by the rate and the power of ε."""
        found: dict[tuple[Fraction, int], list[tuple[Any, ...]]] = {}
        for c, powers, rates in self.form.terms:
            key = dict(rates).get("eps", Fraction(0)), dict(powers).get("eps", 0)
            rest = (tuple(one for one in listed if one[0] != "eps") for listed in (powers, rates))
            found.setdefault(key, []).append((c, *rest))
        result: dict[Exponent, dict[int, LogForm]] = {}
        for (rate, power), listed in found.items():
            constant = LogForm.made(ExpPoly(listed), self.units)
            result.setdefault((rate,) if rate else (), {})[power] = constant
        return result

    @staticmethod
    def constant_ball(constant: LogForm) -> arb:
        """Return an enclosure of a constant at the working precision."""
        return constant.on_ball(arb(0))

    @staticmethod
    def constant_sign(constant: LogForm) -> int | None:
        """Return the sign of a constant, None if it cannot be distinguished from 0."""
        return _sign(constant, Fraction(0))

    def coefficient_sign(self, point: Fraction, order: int) -> int | None:
        """Return the sign of a derivative at a point, None if it cannot be told from 0."""
        known = self._derivatives
        while len(known) <= order:
            known.append(LogForm.made(known[-1].form.derivative(), self.units))
        return _sign(known[order], point)

    def sign_at(self, point: Fraction) -> int:
        """Return the sign at a rational point."""
        found = self.coefficient_sign(point, 0)
        if found is None:
            raise OpenSignError(
                f"the value at eps = {float(point):.6g} cannot be distinguished from 0"
            )
        return found

    def is_zero_at(self, end: EvaluatedRoot) -> bool:
        """Whether the function is 0 at a linear form in the constants: all its terms cancel."""
        if not isinstance(end.function, LogForm):
            return False
        constants = eps - end.function.form
        there = LogForm.made(self.form.substitute(eps=constants), self.units).form
        return not _with_one(there.numerator)


def _sign(function: LogForm, point: Fraction) -> int | None:
    try:
        return function.at(point, 5).sign
    except ValueRefusedError:
        return None


def log_solutions(form: ClosedForm, units: Sequence[str], where: Stretch) -> SolutionSet:
    """Return the ε at which a closed form in ε and constants is nonnegative.

    The ε of a stretch are examined, and perhaps some that are close to it.
    """
    from exactdp.reals.certified import evaluated_solutions  # noqa: PLC0415 needs this

    function = LogSum.of(form, units)
    ends = [one for one in (where.lower, where.upper) if isinstance(one, EvaluatedRoot)]

    def known(bound: Boundary) -> Boundary:
        """Return the end of the stretch that a zero is equal to, if it is."""
        if isinstance(bound, EvaluatedRoot):
            for end in ends:
                near = end.refined((bound.upper - bound.lower) / 8)
                is_inside = bound.lower <= near.lower and near.upper <= bound.upper
                if is_inside and function.is_zero_at(end):
                    return end
        return bound

    return SolutionSet(
        tuple(
            Stretch(known(one.lower), known(one.upper), one.lower_open, one.upper_open)
            for one in evaluated_solutions(function, around(where))
        )
    )


def _with_one(form: ExpPoly) -> ExpPoly:
    """Return a sum without powers of the parameter that is 1."""
    return ExpPoly(
        [
            (c, tuple(one for one in powers if one[0] != UNIT), rates)
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
    _, _, first = min(split, key=lambda one: tuple(one[2].get(name, 0) for name in ("eps", UNIT)))
    for _, powers, _ in split:
        powers["eps"] = powers.get("eps", 0) - least
    shift = {name: first.get(name, Fraction(0)) for name in ("eps", UNIT)}
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
