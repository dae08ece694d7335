"""α and γ that are functions of ε: a curve of parameters.

If they are polynomials in ε plus a multiple of 1/ε, then εα and εγ are polynomials in ε, and a
closed form in (ε, εα, εγ) becomes a function of ε alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpq_poly

from exactdp.claims.stated.levels import Range, constant
from exactdp.cones import Cone
from exactdp.errors import ValueRefusedError
from exactdp.language.linear import UNIT, base_of
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly, Interval, eps, nonnegative, solution_set, supremum
from exactdp.reals.curved import CurvedSum
from exactdp.reals.logs import log_combination, lower_bound
from exactdp.reals.numbers import exact, fraction
from exactdp.reals.solutions import SolutionSet
from exactdp.reals.towers import Tower
from exactdp.semantics.properties import independent_units

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement

_FINE = Fraction(1, 10**30)


@dataclass(frozen=True)
class Curve:
    """εα and εγ as polynomials in ε, and their linear dependence on some of them."""

    names: tuple[str, ...]
    """Parameters that are independent: ε first."""
    polynomials: tuple[fmpq_poly, ...]
    forms: Mapping[str, tuple[Fraction, ...]]
    """For α and γ that are functions of ε: their linear forms in the parameters."""

    def around(self, span: Interval) -> Cone:
        """Return a cone around the curve, with a margin on all sides where it is bounded."""
        size = len(self.names)
        sides = [tuple(Fraction(j == k) for j in range(size)) for k in range(size)]
        for k, polynomial in enumerate(self.polynomials[1:], start=1):
            end = supremum(_as_form(polynomial) / eps, span).upper
            if isinstance(end, Fraction):
                sides.append(tuple((end + 1) * (j == 0) - (j == k) for j in range(size)))
        return Cone.of(size, sides)

    def along(self, form: ClosedForm) -> CurvedSum:
        """Return a sum along the curve with the sign of a closed form of the parameters.

        It may have e to polynomials of ε, too.
        """
        parts: dict[tuple[fmpq, ...], fmpq_poly] = {}
        if not isinstance(form, Tower):
            self._add(form.numerator * form.denominator, fmpq_poly([]), parts)
            return CurvedSum.of(parts)
        under = form.rest.denominator
        self._add(form.rest.numerator * under, fmpq_poly([]), parts)
        for exponent, factor in form.parts:
            powers = exponent.numerator.exponentials()
            if exponent.denominator != 1 or factor.denominator != 1 or not powers.keys() <= {0}:
                raise _other_exponent(exponent)
            self._add(
                factor.numerator * under * under, powers.get(Fraction(0), fmpq_poly([])), parts
            )
        return CurvedSum.of(parts)

    def _add(
        self, form: ExpPoly, first: fmpq_poly, parts: dict[tuple[fmpq, ...], fmpq_poly]
    ) -> None:
        """Add a closed form of the parameters times e to a polynomial of ε."""
        for powers, rates, q in form.entries(self.names):
            exponent, part = first, fmpq_poly([q])
            for polynomial, power, rate in zip(self.polynomials, powers, rates, strict=True):
                exponent += polynomial * exact(rate)
                part *= polynomial**power
            key = tuple(exponent.coeffs())
            parts[key] = parts.get(key, fmpq_poly([])) + part

    def inside(self, cone: Cone, on: SolutionSet) -> SolutionSet:
        """Return the set of ε at which the curve is in a cone."""
        for side in cone.inequalities:
            form = fmpq_poly([])
            for polynomial, q in zip(self.polynomials, side, strict=True):
                form += polynomial * exact(Fraction(q))
            on &= solution_set(_as_form(form), width=_FINE)
        return on


def functions_of_eps(
    claim: AccuracyStatement, u: tuple[Value, ...] | None
) -> dict[str, ClosedForm]:
    """Return α and γ if they are functions of ε: at an input, or the same at every input (None)."""
    if all(isinstance(one, Range) or constant(one) is not None for one in claim.levels.values()):
        return {}
    values: dict[str, Any] = {} if u is None else dict(claim.level_values.input_values(u))
    found: dict[str, ClosedForm] = {}
    for name, level in claim.levels.items():
        if isinstance(level, Range) or not level.names() <= values.keys():
            continue
        form = values[name] = level.at(values)
        if form.denominator == 1 and form.numerator.constant() is not None:
            continue
        logs = independent_units(claim.level_logs)
        if logs and scaled_form(form, logs) is None:
            raise ValueRefusedError(
                f"{name} = {level} is not linear in 1 / eps, and there is a logarithm in a level",
                rule="With logarithms, alpha and gamma are a + b / eps + c * log(r) / eps.",
                way_out="Write a rational number close to the logarithm.",
            )
        if not nonnegative(lower_bound(form, form.parameters), claim.epsilon):
            raise ValueRefusedError(
                f"{name} = {level} is negative for some eps",
                rule=f"{name} is a distance, so it is not negative.",
                way_out="Correct it, or restrict epsilon.",
            )
        found[name] = form
    return found


def exact_values(levels: Mapping[str, ClosedForm], point: Fraction) -> dict[str, Fraction] | None:
    """Return the values of levels at an ε; None if one is irrational."""
    found = {name: form.at(point) for name, form in levels.items()}
    if not all(value.is_exact for value in found.values()):
        return None
    return {name: value.lower for name, value in found.items()}


def curve_of(levels: Mapping[str, ClosedForm], *, with_unit: bool = False) -> Curve | None:
    """Return the curve of α and γ, if it is polynomial; optionally with a parameter that is 1."""
    names, rows = ["eps"], [fmpq_poly([0, 1])]
    if with_unit:
        names, rows = [*names, UNIT], [*rows, fmpq_poly([1])]
    forms: dict[str, list[Fraction]] = {}
    for name, level in levels.items():
        polynomial = scaled_polynomial(level)
        if polynomial is None:
            return None
        form = _combination(polynomial, rows)
        if form is None and with_unit:
            return None
        if form is None:
            names.append(name)
            rows.append(polynomial)
            form = [Fraction(0)] * (len(rows) - 1) + [Fraction(1)]
        forms[name] = form
    size = len(names)
    padded = {name: (*form, *(Fraction(0),) * (size - len(form))) for name, form in forms.items()}
    return Curve(tuple(names), tuple(rows), padded)


def _other_exponent(exponent: ClosedForm) -> ValueRefusedError:
    return ValueRefusedError(
        f"beta has exp({exponent}), and alpha or gamma depends on eps",
        rule="Then the exponents of beta are polynomials of eps, alpha and gamma.",
        way_out="Give numbers for alpha and gamma, or bound it by exp of a polynomial.",
    )


def scaled_polynomial(level: ClosedForm) -> fmpq_poly | None:
    """Return εα (or εγ) if it is a polynomial in ε."""
    scaled = level * eps
    parts = scaled.numerator.exponentials()
    if scaled.denominator != 1 or not parts.keys() <= {0}:
        return None
    return parts.get(Fraction(0), fmpq_poly([]))


def scaled_form(level: ClosedForm, units: Sequence[str]) -> dict[str, Fraction] | None:
    """Return εα (or εγ) as a linear form in ε, 1 and logarithms, if it is one.

    The logarithms are combinations of those among the units.
    """
    scaled = level * eps
    if scaled.denominator != 1:
        return None
    logs = [one for one in units if base_of(one) is not None]
    found: dict[str, Fraction] = {}
    for q, powers, rates in scaled.numerator.terms:
        if rates or len(powers) > 1 or any(k != 1 for _, k in powers):
            return None
        name = powers[0][0] if powers else UNIT
        parts = {name: Fraction(1)}
        if (base := base_of(name)) is not None:
            factors = log_combination(base, [base_of(one) or Fraction(1) for one in logs])
            assert factors is not None  # the units are chosen so
            parts = dict(zip(logs, factors, strict=True))
        for one, factor in parts.items():
            found[one] = found.get(one, Fraction(0)) + factor * Fraction(q)
    return found


def _combination(polynomial: fmpq_poly, rows: Sequence[fmpq_poly]) -> list[Fraction] | None:
    """Return a polynomial as a linear combination of one or two others; None if it is not one.

    The first of them is ε.
    """
    if len(rows) == 1:
        rest, factors = polynomial, []
    else:
        k = next(k for k, q in enumerate(rows[1].coeffs()) if q and k != 1)
        factor = polynomial[k] / rows[1][k]
        rest, factors = polynomial - rows[1] * factor, [fraction(factor)]
    if any(q for k, q in enumerate(rest.coeffs()) if k != 1):
        return None
    return [fraction(rest[1]), *factors]


def _as_form(polynomial: fmpq_poly) -> ExpPoly:
    return ExpPoly(
        [(fraction(q), (("eps", k),) if k else (), ()) for k, q in enumerate(polynomial.coeffs())]
    )
