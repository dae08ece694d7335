"""Claims in the normal form of a certificate: cases with conditions, α, γ and formulas for β.

The maximum of the formulas of a case is β. The claim is the conjunction of all cases
(`exactdp.certify.rederive.cases`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from exactdp.claims.certificates.plain_data import level_json, tree_json
from exactdp.claims.regions.moving import functions_of_eps
from exactdp.claims.stated.conditions import CaseFormula, Cases, read_pieces
from exactdp.claims.stated.expressions import Comparison, Expression, Maximum, Symbol, as_expression
from exactdp.claims.stated.functions import OfInput
from exactdp.claims.stated.inputs import as_given, is_listed, listed
from exactdp.claims.stated.levels import Level, Range, constant
from exactdp.claims.stated.paths import Conjunction
from exactdp.claims.stated.products import PolynomialSide
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.layout import entries, kinds
from exactdp.language.values import Value
from exactdp.reals.certificates import Json
from exactdp.semantics.events import is_number

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy


@dataclass(frozen=True)
class ClaimCase:
    """Conditions, α and γ, and formulas whose maximum is β."""

    when: Conjunction
    alpha: Level
    gamma: Level
    betas: tuple[Expression, ...]

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
        }


def is_by_cases(claim: Accuracy) -> bool:
    """Whether a claim is written by cases: one α and γ at each input do not suffice."""
    levels = claim.alpha_level, claim.gamma_level
    if claim.is_decided_only or any(isinstance(one, OfInput) for one in levels):
        return True
    if claim.is_beta_of_input and not is_listed(claim.input_set):
        return True
    if claim.is_beta_of_input:
        every = (as_given(claim.mechanism, u) for u in listed(claim.mechanism, claim.input_set))
        if any(isinstance(claim.beta_at(u), CaseFormula | Maximum) for u in every):
            return True
    u = next(listed(claim.mechanism, claim.input_set)) if is_listed(claim.input_set) else None
    return bool(functions_of_eps(claim, u))


def cases_of(claim: Accuracy) -> tuple[ClaimCase, ...]:
    """Return a claim as cases."""
    found = [
        ClaimCase((*conditions, *first, *second, *third), alpha, gamma, betas)
        for conditions in claim.conditions
        for betas, first in _betas(claim)
        for alpha, second in _levels(claim, claim.alpha_level, "alpha")
        for gamma, third in _levels(claim, claim.gamma_level, "gamma")
    ]
    return tuple(one for one in found if _is_possible(one))


def _is_possible(case: ClaimCase) -> bool:
    """Whether no condition is a constant that is false."""
    for one in case.when:
        if not one.form.names():
            number = constant(as_expression(one.form.at({}), "a condition"))
            if number is not None and (number < 0 or (number == 0 and one.strict)):
                return False
    return True


def _betas(claim: Accuracy) -> Iterator[tuple[tuple[Expression, ...], Conjunction]]:
    bound = claim.bound
    if claim.is_beta_of_input:
        pieces = [(one, Cases((when,))) for one, when in _read(claim, claim.beta, "beta")]
    elif isinstance(bound, CaseFormula):
        pieces = list(bound.pieces)
    else:
        pieces = [(claim.formula, Cases(((),)))]
    for formula, cases in pieces:
        parts = formula.parts if isinstance(formula, Maximum) else (formula,)
        yield from ((parts, when) for when in cases)


def _levels(claim: Accuracy, level: Level, name: str) -> Iterator[tuple[Level, Conjunction]]:
    if isinstance(level, OfInput):
        yield from _read(claim, level.function.function, name)
    else:
        yield level, ()


def _read(
    claim: Accuracy, function: Callable[..., Any], what: str
) -> list[tuple[Expression, Conjunction]]:
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


def fixed_inputs(claim: Accuracy) -> list[tuple[Value, ...]]:
    """Return the inputs, or the values of their finite entries, with None for reals."""
    if is_listed(claim.input_set):
        return [tuple(entries(u)) for u in listed(claim.mechanism, claim.input_set)]
    domains = kinds(claim.mechanism.inputs)
    return list(product(*((None,) if kind is None else kind.members for kind in domains)))


def at_inputs(claim: Accuracy, given: Comparison) -> Iterator[Comparison]:
    """Yield a condition at each listed input, where it may be any function of the input."""
    if not is_listed(claim.input_set) or not given.form.names() & {*claim.entry_names}:
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
