"""Claims in the normal form of a certificate: cases with conditions, α, γ and formulas for β.

The maximum of the formulas of a case is β. The claim is the conjunction of all cases
(`exactdp.certify.rederive.cases`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, TypeVar

from exactdp.claims.certificates.plain_data import (
    level_json,
    setting_json,
    tree_json,
    value_json,
)
from exactdp.claims.regions.moving import functions_of_eps
from exactdp.claims.stated.conditions import CaseFormula, Cases, bound, read_pieces
from exactdp.claims.stated.expressions import Comparison, Expression, Maximum, Symbol, as_expression
from exactdp.claims.stated.functions import OfInput
from exactdp.claims.stated.hypotheses import scaled_value
from exactdp.claims.stated.inputs import as_given
from exactdp.claims.stated.levels import Level, Range, constant
from exactdp.claims.stated.paths import Conjunction
from exactdp.claims.stated.products import PolynomialSide
from exactdp.claims.stated.scope import FREE
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.layout import entries
from exactdp.language.linear import base_of
from exactdp.language.values import Value
from exactdp.reals.certificates import Json
from exactdp.reals.numbers import spell
from exactdp.semantics.patterns import is_number

if TYPE_CHECKING:
    from exactdp.claims.stated.statement import AccuracyStatement


T = TypeVar("T")
Pieces: TypeAlias = Sequence[tuple[T, Conjunction]]
"""Formulas, or ranges, each with the conditions under which it applies."""


@dataclass(frozen=True)
class ClaimCase:
    """Conditions, α and γ, and formulas whose maximum is β."""

    when: Conjunction
    alpha: Level
    gamma: Level
    betas: tuple[Expression, ...]
    inputs: tuple[tuple[Value, ...], ...] | None = None
    """The inputs at which it is claimed, None for all."""

    def places(self, claim: AccuracyStatement) -> Iterator[tuple[Value, ...]]:
        """Yield the single values of the inputs at which it is claimed, with None for reals."""
        every = fixed_inputs(claim) if self.inputs is None else map(entries, self.inputs)
        yield from dict.fromkeys(tuple(one) for one in every)

    def level(self, name: str) -> Level:
        """Return α or γ."""
        return self.alpha if name == "alpha" else self.gamma

    def to_json(self) -> Json:
        """Return the case as plain data."""
        return {
            "when": [{"form": tree_json(one.form), "strict": one.strict} for one in self.when],
            "alpha": level_json(self.alpha),
            "gamma": level_json(self.gamma),
            "beta": [tree_json(one) for one in self.betas],
            "inputs": None
            if self.inputs is None
            else [[value_json(one) for one in u] for u in self.inputs],
        }


def is_by_cases(claim: AccuracyStatement) -> bool:
    """Whether a claim is written by cases: one α and γ at each input do not suffice."""
    levels = claim.alpha_level, claim.gamma_level
    if claim.is_decided_only or any(isinstance(one, OfInput) for one in levels):
        return True
    if claim.is_beta_of_input and claim.scope.free:
        return True
    if claim.is_beta_of_input:
        every = (as_given(claim.mechanism, u) for u in claim.scope.listed())
        if any(isinstance(claim.beta_at(u), CaseFormula | Maximum) for u in every):
            return True
    u = next(claim.scope.listed(), None)
    return bool(functions_of_eps(claim, u))


def claim_json(
    claim: AccuracyStatement, cases: Sequence[ClaimCase], unit: str | None = None
) -> Json:
    """Return an accuracy claim as plain data, with the unit of its numbers, see `unit_of`."""
    base = None if unit is None else base_of(unit) or Fraction(0)
    return {
        **setting_json(claim),
        "cases": [one.to_json() for one in cases],
        "unit": None if base is None else spell(base),
    }


def one_case(claim: AccuracyStatement) -> tuple[ClaimCase, ...]:
    """Return a claim that is not by cases as one; if β is a table, as one for each β."""
    formula = _one_formula(claim) if claim.is_beta_of_input else claim.formula
    if formula is None:
        return _at_inputs(claim)
    return (ClaimCase((), claim.alpha_level, claim.gamma_level, (formula,)),)


def _one_formula(claim: AccuracyStatement) -> Expression | None:
    """Return a β that is a Python function as one formula, if its text is one at all inputs."""
    levels = {name: scaled_value(name) for name in ("alpha", "gamma")}

    def is_same(formula: Expression, u: tuple[Value, ...]) -> bool:
        numbers = {**levels, **claim.level_values.input_values(u)}
        beta = claim.beta_at(as_given(claim.mechanism, u))
        return {*formula.alternatives(numbers)} == {*beta.alternatives(numbers)}

    try:
        ((formula, when),) = read_pieces(claim.beta, claim.mechanism, "beta")
        every = claim.scope.listed()
        right = not when and all(is_same(formula, u) for u in every)
    except (ExactdpError, ArithmeticError, LookupError, TypeError, ValueError):
        return None
    return formula if right else None


def cases_of(claim: AccuracyStatement) -> tuple[ClaimCase, ...]:
    """Return a claim as cases; Python functions that are not formulas as tables of their values."""
    try:
        return tuple(_cases(claim.conditions, _beta(claim), *_levels(claim)))
    except ValueRefusedError:
        if claim.scope.free:
            raise
    return _at_inputs(claim)


def _at_inputs(claim: AccuracyStatement) -> tuple[ClaimCase, ...]:
    """Return the cases of a claim about listed inputs, each with the inputs at which it is made."""
    inputs: dict[ClaimCase, list[tuple[Value, ...]]] = {}
    for u in claim.scope.listed():
        named = dict(zip(claim.entry_names, entries(u), strict=True))
        numbers = {name: Fraction(one) for name, one in named.items() if is_number(one)}
        beta = claim.beta_at(as_given(claim.mechanism, u)).bound_to(numbers)
        levels = [
            one if isinstance(one, Range) else one.bound_to(named if _is_called(one) else numbers)
            for one in (claim.alpha_level, claim.gamma_level)
        ]
        pieces = ([(one, ())] for one in levels)
        for case in _cases(bound(claim.conditions, numbers), _pieces(beta), *pieces):
            inputs.setdefault(case, []).append(u)
    return tuple(replace(case, inputs=tuple(at)) for case, at in inputs.items())


def _cases(
    conditions: Cases,
    betas: Pieces[Expression],
    alphas: Pieces[Level],
    gammas: Pieces[Level],
) -> Iterator[ClaimCase]:
    """Yield the cases with formulas by cases for α, β and γ."""
    for when, (beta, first), (alpha, second), (gamma, third) in product(
        conditions, betas, alphas, gammas
    ):
        parts = beta.parts if isinstance(beta, Maximum) else (beta,)
        found = ClaimCase((*when, *first, *second, *third), alpha, gamma, parts)
        if _is_possible(found):
            yield found


def _is_possible(case: ClaimCase) -> bool:
    """Whether no condition is a constant that is false."""
    for one in case.when:
        if not one.form.names():
            number = constant(as_expression(one.form.at({}), "a condition"))
            if number is not None and (number < 0 or (number == 0 and one.strict)):
                return False
    return True


def _beta(claim: AccuracyStatement) -> Pieces[Expression]:
    if claim.is_beta_of_input:
        return _read(claim, claim.beta, "beta")
    return _pieces(claim.bound if isinstance(claim.bound, CaseFormula) else claim.formula)


def _pieces(formula: Expression) -> Pieces[Expression]:
    """Return the formulas of one that may be by cases, with their conditions."""
    if not isinstance(formula, CaseFormula):
        return [(formula, ())]
    return [(one, when) for one, cases in formula.pieces for when in cases]


def _levels(claim: AccuracyStatement) -> Iterator[Pieces[Level]]:
    """Yield α and γ, by cases if they are functions of the input."""
    for name, level in claim.levels.items():
        yield _read(claim, level.function.function, name) if _is_called(level) else [(level, ())]


def _is_called(level: Level) -> TypeGuard[OfInput]:
    return isinstance(level, OfInput)


def _read(claim: AccuracyStatement, function: Callable[..., Any], what: str) -> Pieces[Any]:
    """Return a function of the input as formulas with conditions."""
    try:
        return read_pieces(function, claim.mechanism, what)
    except ExactdpError as error:
        raise ValueRefusedError(
            f"{what} is a Python function that a certificate cannot contain: {error.message}",
            rule="A certificate contains formulas: an expression with +, -, *, /, exp, abs, min, "
            "max "
            "and conditions.",
            way_out=f"Write {what} as one expression.",
        ) from None


def fixed_inputs(claim: AccuracyStatement) -> list[tuple[Value, ...]]:
    """Return the inputs, or the values of their finite entries, with None for reals."""
    parts = claim.scope.parts()
    return [tuple(None if one is FREE else one for one in part) for part in parts]


def at_inputs(claim: AccuracyStatement, given: Comparison) -> Iterator[Comparison]:
    """Yield a condition at each listed input, where it may be any function of the input."""
    if claim.scope.free or not given.form.names() & {*claim.entry_names}:
        yield given
        return
    for values in fixed_inputs(claim):
        known = zip(claim.entry_names, values, strict=True)
        yield given.bound_to({name: Fraction(x) for name, x in known if is_number(x)})


def has_products(given: Comparison) -> bool:
    """Whether a condition on α and γ multiplies them."""
    names = given.form.names()
    return names <= {"alpha", "gamma"} and not PolynomialSide.of(given).is_linear


def equalities(case: ClaimCase, free: Sequence[str]) -> Iterator[Comparison]:
    """Yield the conditions that α and γ equal their formulas, if they are free."""
    for name in free:
        level = case.level(name)
        if not isinstance(level, Range):
            gap = Symbol(name) - level
            yield Comparison(gap, strict=False)
            yield Comparison(-gap, strict=False)
