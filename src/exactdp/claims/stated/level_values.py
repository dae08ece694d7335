"""α, β and γ at an input: numbers, or linear forms in parameters; β as closed forms in ε."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.claims.stated.distances import Distance
from exactdp.claims.stated.expressions import Alternatives, Expression, as_expression
from exactdp.claims.stated.functions import OfInput
from exactdp.claims.stated.hypotheses import at_infinity, falls, scaled_value
from exactdp.claims.stated.inputs import as_given
from exactdp.claims.stated.levels import Range, constant
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import entries
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, eps, nonnegative
from exactdp.reals.numbers import inf
from exactdp.semantics.spots import Spot, Trace

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement


class LevelValues:
    """α, β and γ of a claim, input by input; shared results are computed once."""

    def __init__(self, claim: AccuracyStatement) -> None:
        self.claim = claim
        self._betas: dict[object, Alternatives | None] = {}
        self._radii: dict[Distance, Distance] = {}

    @cached_property
    def gamma_follows(self) -> bool:
        """Whether γ depends on an α that is not fixed."""
        gamma = self.claim.gamma_level
        return (
            isinstance(self.claim.alpha_level, Range)
            and isinstance(gamma, Expression)
            and "alpha" in gamma.names()
        )

    def radius(self, u: tuple[Value, ...]) -> Distance:
        """Return γ at an input, even if nothing is claimed there."""
        gamma = self.claim.gamma_level
        if isinstance(gamma, Range):
            raise ValueRefusedError("gamma is a range", way_out="Give a number for gamma.")
        values = self.input_values(u)
        alpha = self.claim.alpha_level
        if isinstance(alpha, Expression):
            values["alpha"] = self.number(alpha, values, "alpha")
        return self.number(gamma, values, "gamma")

    def gamma_line(self, values: Mapping[str, Distance]) -> tuple[Fraction, Fraction] | None:
        """Return s and c if γ = s·α + c at an input and grows with α, else None."""
        found = self._linear_gamma(values)
        slope = Fraction(0) if found is None else found.get("alpha", Fraction(0))
        return None if found is None or slope <= 0 else (slope, found.get("eps", Fraction(0)))

    def is_gamma_linear(self, values: Mapping[str, Distance]) -> bool:
        """Whether γ is a multiple of α plus a number at an input."""
        return self._linear_gamma(values) is not None

    def _linear_gamma(self, values: Mapping[str, Distance]) -> Mapping[str, Fraction] | None:
        gamma = self.claim.gamma_level
        assert isinstance(gamma, Expression)
        scaled = gamma.at({**_as_forms(values), "alpha": scaled_value("alpha")}) * eps
        return scaled.numerator.linear_form() if scaled.denominator == 1 else None

    def number_of_gamma(self, level: Expression, values: dict[str, Distance]) -> Distance:
        """Return γ at an input; cached if it depends on α alone."""
        if self.claim.uses_inputs:
            return self.number(level, values, "gamma")
        alpha = values["alpha"]
        found = self._radii.get(alpha)
        if found is None:
            found = self._radii[alpha] = self.number(level, values, "gamma")
        return found

    def number(self, level: Expression, values: Mapping[str, Distance], name: str) -> Distance:
        """Return α or γ at an input."""
        number = constant(level)
        if number is not None:
            return number
        if isinstance(level, OfInput):
            found = level.value(values)
            if isinstance(found, Spot):
                return _not_negative(found, level, name)
            level = as_expression(found, name)
        form = level.at(_as_forms(values))
        value: Distance | None = form.numerator.constant() if form.denominator == 1 else None
        trace = _trace_of(values)
        if value is None and trace is not None:
            scaled = form * eps
            value = trace.from_closed_form(scaled.numerator) if scaled.denominator == 1 else None
        if value is None:
            why = "depends on eps" if trace is None else "is not linear in alpha and the inputs"
            raise ValueRefusedError(
                f"{name} = {level} {why}",
                rule="At an input α and γ are numbers; for all real inputs they are numbers, "
                "ranges, numbers plus a multiple of 1/eps, or γ a multiple of α plus a number.",
                way_out="Give numbers for alpha and gamma, or inputs=Grid(lo, hi) or a list.",
            )
        return _not_negative(value, level, name)

    def input_values(self, u: tuple[Value, ...]) -> dict[str, Distance]:
        """Return the numbers of an input by name, if the claim uses them."""
        return self.claim.numbers(entries(u)) if self.claim.uses_inputs else {}

    def beta(
        self,
        u: tuple[Value, ...],
        values: dict[str, Distance],
        alpha: Distance,
        gamma: Distance,
        *,
        given: frozenset[str] = frozenset(),
        beta: Expression | None = None,
    ) -> Alternatives | None:
        """Return β at an input, or None if it is infinite (so the claim says nothing).

        Unless α or γ is `given`, it represents all values below it, and β must be nonincreasing.
        """
        formula = beta
        if formula is None:
            formula = self.claim.beta_at(as_given(self.claim.mechanism, u))
        key: tuple[object, ...] = alpha, gamma, given
        if self.claim.uses_inputs or beta is not None:
            key = (*key, formula, *values.items())
        found = self._betas.get(key, ())
        if found == ():
            bound = formula.bound_to(_as_forms(values))
            found = self._bound(bound, alpha, gamma, given=given, is_part=beta is not None)
            self._betas[key] = found
        return found

    def _bound(
        self,
        formula: Expression,
        alpha: Distance,
        gamma: Distance,
        *,
        given: frozenset[str],
        is_part: bool,
    ) -> Alternatives | None:
        claim = self.claim
        ranges = {name for name, level in claim.levels.items() if isinstance(level, Range)}
        if self.gamma_follows:
            assert isinstance(claim.gamma_level, Expression)
            formula = formula.bound_to({"gamma": claim.gamma_level})
        assert all(falls(formula, name, claim.epsilon) for name in ranges - given)
        values: dict[str, ClosedForm | Fraction] = {}
        endless = []
        for name, value in (("alpha", alpha), ("gamma", gamma)):
            if name in formula.names():
                if value == inf:
                    values[name] = scaled_value(name)
                    endless.append(name)
                else:
                    values[name] = value
        found: list[ClosedForm] = []
        for form in formula.alternatives(_as_forms(values)):
            limit: ClosedForm | float = form
            for name in endless:
                if isinstance(limit, ClosedForm):
                    limit = at_infinity(limit, name)
            if limit == -inf:
                raise ValueRefusedError(
                    f"beta = {formula} is negative where {' or '.join(endless)} is large",
                    rule="beta bounds a probability: it is defined and not negative.",
                    way_out="Correct beta, or restrict alpha and gamma.",
                )
            if isinstance(limit, ClosedForm):
                self._require_bound(limit, formula, is_part=is_part)
                found.append(limit)
        return tuple(dict.fromkeys(found)) or None

    def _require_bound(self, form: ClosedForm, formula: Expression, *, is_part: bool) -> None:
        """Refuse a β that is negative or not defined; one of several may be negative."""
        if form.parameters not in ((), ("eps",)):
            return  # a negative β only makes a claim harder to prove
        decision = nonnegative(form, self.claim.epsilon)
        if decision.holds or (is_part and not decision.is_pole):
            return
        where = decision.witness if decision.witness is not None else decision.root
        problem = "is not defined" if decision.is_pole else "is negative"
        raise ValueRefusedError(
            f"beta = {formula} {problem} at eps = {where}",
            rule="beta bounds a probability: it is defined and not negative for every eps.",
            way_out="Correct beta, or restrict epsilon.",
        )


def _not_negative(value: Distance, level: Expression, name: str) -> Distance:
    if value < 0:
        raise ValueRefusedError(
            f"{name} = {level} is {value} at an input",
            rule=f"{name} is a distance, so it is not negative.",
        )
    return value


def _as_forms(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as closed forms; parameters are scaled by ε, so they are divided by ε."""
    return {
        name: value.closed_form() / eps if isinstance(value, Spot) else value
        for name, value in values.items()
    }


def _trace_of(values: Mapping[str, Any]) -> Trace | None:
    return next((one.trace for one in values.values() if isinstance(one, Spot)), None)
