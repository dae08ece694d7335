"""The α and γ of a claim: its parts, each a bound with linear conditions.

A condition is linear in α, γ and the inputs; its coefficients are closed forms in ε.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.stated.conditions import ALWAYS, CaseFormula, both
from exactdp.claims.stated.expressions import Comparison, Expression, Maximum
from exactdp.claims.stated.paths import Conjunction
from exactdp.errors import ValueRefusedError
from exactdp.reals import ClosedForm, ExpPoly, Interval, eps, infimum, parameter, supremum
from exactdp.reals.logs import is_constant
from exactdp.reals.numbers import fraction

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement

_NARROW = Fraction(1, 10**9)
_LEVELS = ("alpha", "gamma")
_POWERS = (0, 1, -1, 2, -2)  # of ε, with which conditions are multiplied


@dataclass(frozen=True)
class ClaimPart:
    """A bound, the conditions under which it is claimed, and bounds that it is at least."""

    beta: Expression
    sides: Conjunction = ()
    above: tuple[Expression, ...] = ()


def parts_of(claim: AccuracyStatement, beta: Expression) -> Iterator[ClaimPart]:
    """Yield the parts of a claim with a bound."""
    pieces = beta.pieces if isinstance(beta, CaseFormula) else ((beta, ALWAYS),)
    for formula, cases in pieces:
        for sides in both(claim.conditions, cases):
            if isinstance(formula, Maximum):
                for k, one in enumerate(formula.parts):
                    yield ClaimPart(one, sides, formula.parts[:k] + formula.parts[k + 1 :])
            else:
                yield ClaimPart(formula, sides)


Monomial: TypeAlias = tuple[tuple[str, int], ...]
"""Names, except ε, with their powers."""


def polynomial(given: Comparison, names: Sequence[str]) -> dict[Monomial, ClosedForm]:
    """Return the side of a comparison as a polynomial in some names: closed forms in ε."""
    form = given.form.at({name: parameter(name) for name in names})
    under = form.denominator
    if set(under.parameters) - {"eps"}:
        raise not_linear(given)
    parts: dict[Monomial, list[Any]] = {}
    for c, powers, rates in form.numerator.terms:
        if any(name != "eps" for name, _ in rates):
            raise not_linear(given)
        key = tuple((name, int(k)) for name, k in powers if name != "eps")
        rest = tuple(one for one in powers if one[0] == "eps")
        parts.setdefault(key, []).append((c, rest, rates))
    found = {key: ExpPoly(terms) / under for key, terms in parts.items()}
    return {key: c for key, c in found.items() if c.numerator}


@dataclass(frozen=True)
class LinearSide:
    """Σ a·x + a₀ ≥ 0 with coefficients that are closed forms in ε.

    A name such as eps[20] is log(20)/ε.
    """

    constant: ClosedForm
    coefficients: tuple[tuple[str, ClosedForm], ...]
    strict: bool = False

    @classmethod
    def of(cls, given: Comparison, names: Sequence[str]) -> LinearSide:
        """Return a comparison as a linear side in some names."""
        found: dict[str, ClosedForm] = {"": ExpPoly(0)}
        for powers, c in polynomial(given, names).items():
            if sum(k for _, k in powers) > 1:
                raise not_linear(given)
            name = powers[0][0] if powers else ""
            found[name] = c * eps if is_constant(name) else c
        constant = found.pop("")
        listed = tuple(sorted(found.items(), key=lambda one: one[0]))
        return cls(constant, listed, given.strict)

    def at(self, on: Interval) -> LinearSide:
        """Return the side with numbers as coefficients, if ε is one number and they are rational.

        Otherwise return it unchanged.
        """
        if not on.is_point:
            return self
        point = Fraction(on.lower)
        constant = self.constant.at(point)
        slopes = [(name, slope.at(point)) for name, slope in self.coefficients]
        if not all(value.is_exact for value in (constant, *(value for _, value in slopes))):
            return self
        rest = tuple((name, ExpPoly(value.lower)) for name, value in slopes if value.lower)
        return LinearSide(ExpPoly(constant.lower), rest, self.strict)

    def without(self, name: str, value: Mapping[str, Fraction]) -> LinearSide:
        """Return the side with a linear form in the other names for one of them.

        The form is that of the name times ε, in ε, the unit "" and other names times ε.
        """
        slopes = dict(self.coefficients)
        slope = slopes.pop(name, None)
        if slope is None:
            return self
        constant = self.constant
        for other, factor in value.items():
            if other == "eps":
                constant = constant + slope * factor
            elif other == "":
                constant = constant + slope * factor / eps
            elif factor:
                slopes[other] = slopes.get(other, ExpPoly(0)) + slope * factor
        kept = tuple((one, form) for one, form in sorted(slopes.items()) if form.numerator)
        return LinearSide(constant, kept, self.strict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that occur, except ε."""
        return tuple(name for name, _ in self.coefficients)

    @property
    def power(self) -> int:
        """The power of ε by which the side is divided.

        It is that of the first coefficient of an input, which thus becomes a number; without
        inputs, that of the first coefficient that is a multiple of a power of ε, or 0 if none is.
        A condition on ε alone, such as ε ≥ 2, is divided by its highest power.
        """
        inputs = [slope for name, slope in self.coefficients if _may_be_negative(name)]
        if inputs:
            return _power(inputs[0])
        if not self.coefficients:
            over = self.constant.numerator.exponentials()
            plain = over.keys() <= {0} and self.constant.denominator == 1
            return max(over[Fraction(0)].degree(), 0) if over and plain else 0
        return next((k for _, slope in self.coefficients if (k := _power(slope))), 0)

    def scaled(self) -> LinearSide:
        """Return the side divided by its power of ε."""
        return self.times_eps(-self.power)

    @property
    def is_rational(self) -> bool:
        """Whether its coefficients are rational at rational ε."""
        forms = (self.constant, *(slope for _, slope in self.coefficients))
        parts = (part for form in forms for part in (form.numerator, form.denominator))
        return all(part.exponentials().keys() <= {0} for part in parts)

    def times_eps(self, power: int) -> LinearSide:
        """Return the side times a power of ε."""
        if not power:
            return self
        factor: ClosedForm = eps**power if power > 0 else 1 / eps**-power
        rest = tuple((name, q * factor) for name, q in self.coefficients)
        return LinearSide(self.constant * factor, rest, self.strict)

    def conic(self) -> Mapping[str, Fraction] | None:
        """Return the side as a linear form in ε, the unit "" and scaled names, or None."""
        found: dict[str, Fraction] = {}
        for name, slope in self.coefficients:
            value = slope.numerator.constant() if slope.denominator == 1 else None
            if value is None:
                return None
            found[name] = value
        scaled = self.constant * eps
        parts = scaled.numerator.exponentials()
        if scaled.denominator != 1 or not parts.keys() <= {0}:
            return None
        polynomial = parts.get(Fraction(0))
        if polynomial is None:
            return found
        if polynomial.degree() > 1:
            return None
        found["eps"], found[""] = fraction(polynomial[1]), fraction(polynomial[0])
        return found

    def relaxed(self, on: Interval) -> tuple[int, dict[str, Fraction]] | None:
        """Return p and a form in ε and scaled names that is at least ε^p times the side.

        p is the first power for which there is such a form on an interval of ε; None if there is
        none. α and γ are nonnegative; inputs need not be, so their coefficients must be numbers.
        """
        for power in dict.fromkeys((-self.power, *_POWERS)):
            form = self.times_eps(power)._largest(on)
            if form is not None:
                return power, form
        return None

    @property
    def mixed(self) -> tuple[str, ...]:
        """The inputs, if no power of ε makes the coefficients of all of them numbers."""
        scaled = self.scaled().coefficients
        names = [name for name, _ in scaled if _may_be_negative(name)]
        is_mixed = any(slope.parameters for name, slope in scaled if _may_be_negative(name))
        return tuple(names) if is_mixed else ()

    @property
    def signed(self) -> tuple[str, ...]:
        """The inputs, if their signs help: ε occurs, and no power of it makes the side linear."""
        names = tuple(filter(_may_be_negative, self.names))
        return names if self.is_rational and self.scaled().conic() is None else ()

    def relaxations(
        self, on: Interval, signs: Mapping[str, int], *, with_unit: bool = True
    ) -> list[tuple[int, dict[str, Fraction]]]:
        """Return powers p and forms in ε, the unit "" and scaled names, each at least ε^p·side.

        An input is nonnegative or nonpositive, by its sign, or has a number as its coefficient.
        """
        found = []
        for power in (power - self.power for power in _POWERS):
            side = self.times_eps(power)
            unit, slope, rest = side._constants()
            if not with_unit:
                unit, slope, rest = Fraction(0), Fraction(0), side.constant
            form = LinearSide(rest, side.coefficients)._largest(on, signs)
            if form is not None:
                found.append((power, form | {"": unit, "eps": form["eps"] + slope}))
        return found

    @property
    def uses_unit(self) -> bool:
        """Whether signs of inputs help, and a multiple of 1/ε stands beside them."""
        powers = (power - self.power for power in _POWERS)
        return bool(self.signed) and any(self.times_eps(k)._constants()[0] for k in powers)

    def _constants(self) -> tuple[Fraction, Fraction, ClosedForm]:
        """Return a, b and f with a/ε + b + f the constant."""
        scaled = self.constant * eps
        parts = scaled.numerator.exponentials()
        if scaled.denominator != 1 or not parts.keys() <= {0} or not parts:
            return Fraction(0), Fraction(0), self.constant
        polynomial = parts[Fraction(0)]
        unit, slope = fraction(polynomial[0]), fraction(polynomial[1])
        return unit, slope, self.constant - ExpPoly(unit) / eps - slope

    def _largest(
        self, on: Interval, signs: Mapping[str, int] | None = None
    ) -> dict[str, Fraction] | None:
        """Return the largest coefficients on an interval, the least of a nonpositive input.

        Return None if there are none.
        """
        found: dict[str, Fraction] = {}
        for name, slope in (("eps", self.constant), *self.coefficients):
            sign = (signs or {}).get(name, 0) if _may_be_negative(name) else 1
            if not sign and slope.parameters:
                return None
            if sign < 0:
                end = infimum(slope, on, width=_NARROW).lower
            else:
                end = supremum(slope, on, width=_NARROW).upper
            if not isinstance(end, Fraction):
                return None
            found[name] = end
        return found

    def inside(self, point: Fraction, room: Fraction) -> dict[str, Fraction]:
        """Return a form in ε and scaled names that is at most the side at an ε, and close to it.

        So where it is nonnegative, the side holds, with a margin if the side is strict. Each name
        denotes a nonnegative number, or has a coefficient that is a number.
        """
        found = {"eps": self.constant.at(point).lower - (room if self.strict else 0)}
        return found | {name: slope.at(point).lower for name, slope in self.coefficients}


def _may_be_negative(name: str) -> bool:
    """Whether a name is one of an input, and not α, γ, ε or a logarithm over ε."""
    return name not in ("eps", *_LEVELS) and not is_constant(name)


def _power(form: ClosedForm) -> int:
    """Return the power of ε that a form is a multiple of, or 0 if there is none."""
    over, under = form.numerator.terms, form.denominator.terms
    if len(over) != 1 or len(under) != 1 or over[0][2] or under[0][2]:
        return 0
    return int(dict(over[0][1]).get("eps", 0) - dict(under[0][1]).get("eps", 0))


def not_linear(given: Comparison) -> ValueRefusedError:
    """Return the error for a condition with products that are not decided."""
    return ValueRefusedError(
        f"the condition {given} is not linear",
        rule="Conditions are linear in alpha, gamma and the inputs; coefficients are closed forms "
        "in eps. Products belong to the theory of the reals with multiplication (Th₊,ₓ), which is "
        "not decided here.",
        way_out="At listed inputs, products of inputs are numbers, and alpha * gamma is allowed. "
        "Otherwise bound one of the factors by a number.",
    )


@dataclass(frozen=True)
class LevelEnd:
    """An endpoint of a level as a function of ε, and whether it belongs to the level."""

    form: ClosedForm
    is_open: bool

    @property
    def number(self) -> Fraction | None:
        """The endpoint, if it does not depend on ε."""
        return self.form.numerator.constant() if self.form.denominator == 1 else None


def ends_of(sides: Sequence[LinearSide], name: str) -> tuple[list[LevelEnd], list[LevelEnd]] | None:
    """Return the lower and upper endpoints of a level; None if a side is not an endpoint."""
    lows: list[LevelEnd] = []
    highs: list[LevelEnd] = []
    for side in sides:
        scaled = side.scaled()
        slope = dict(scaled.coefficients)[name]
        value = slope.numerator.constant() if slope.denominator == 1 else None
        if value is None:
            return None
        (lows if value > 0 else highs).append(LevelEnd(-scaled.constant / value, side.strict))
    return lows, highs
