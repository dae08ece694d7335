"""Certificates of claims by cases: conditions on α and γ, β by cases, numbers that depend on ε.

Such a claim is written in a normal form (`claim_cases`), and each case is proved on parts of its
parameters (`case_parts`). How the claim was decided does not matter here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from exactdp.claims.certificates.case_parts import CaseWriter
from exactdp.claims.certificates.claim_cases import (
    ClaimCase,
    at_inputs,
    cases_of,
    claim_json,
    equalities,
    has_products,
)
from exactdp.claims.certificates.document import document, unit_of
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.certificates.examples import (
    counterexample_json,
)
from exactdp.claims.stated.admissible import LinearSide
from exactdp.claims.stated.products import PolynomialSide
from exactdp.errors import ValueRefusedError
from exactdp.language.linear import UNIT, base_of, shown_name
from exactdp.reals.certificates import Json
from exactdp.semantics.properties import independent_units

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.stated.statement import AccuracyStatement

_BITS = 1024  # with which conditions are compared with 0
_LOG_BITS = 200  # of the bounds on a logarithm, which are compared with 256


def certificate_by_cases(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict about a claim by cases."""
    claim = verdict.claim.by_cells(whole=True)
    if verdict.holds and claim.has_inverse_eps and claim.mechanism.checked.steps_with_eps:
        raise ValueRefusedError(
            "a claim that holds has no certificate if integer noise is compared with a + b / eps",
            rule="The checker does not examine the eps at which a probability jumps.",
            way_out="Use the verdict without a certificate, or ask for a single eps.",
        )
    cases = cases_of(claim)
    _refuse_products(claim, cases)
    needs_one = _needs_one(claim, cases)
    unit = _unit(claim) or (UNIT if needs_one else None)
    try:
        return _written(verdict, claim, cases, unit)
    except ValueRefusedError as error:
        if unit not in (None, UNIT) and needs_one:
            raise _two_units(unit) from error
        if unit is not None or all(len(case.betas) == 1 for case in cases):
            raise
        return _written(verdict, claim, cases, UNIT, is_cut=True)


def _written(
    verdict: Verdict,
    claim: AccuracyStatement,
    cases: Sequence[ClaimCase],
    unit: str | None,
    *,
    is_cut: bool = False,
) -> Json:
    stated, signs = claim_json(claim, cases, unit), SignProofs(verdict)
    groups: list[Json] = []
    if verdict.holds:
        writer = CaseWriter(verdict, unit, stated, signs, is_cut=is_cut)
        groups = [
            writer.group(k, case, one) for k, case in enumerate(cases) for one in case.places(claim)
        ]
    parts: Json = {
        "regions": groups,
        "counterexamples": [
            counterexample_json(claim, one, stated, unit, verdict.orders)
            for one in verdict.counterexamples
        ],
        "signs": signs.written,
    }
    return document(verdict, "claim", stated, parts)


def _refuse_products(claim: AccuracyStatement, cases: Sequence[ClaimCase]) -> None:
    """Refuse conditions with products that are not bounded on slices of α or γ."""
    names = ("alpha", "gamma", *claim.entry_names)
    for one in (one for case in cases for one in case.when):
        for at in at_inputs(claim, one):
            try:
                if not at.form.names() <= {"alpha", "gamma"}:
                    LinearSide.of(at, names)
                else:
                    PolynomialSide.of(at)
            except ValueRefusedError:
                raise ValueRefusedError(
                    f"a condition with products has no certificate: {at}",
                    rule="The checker proves what is due where linear conditions hold.",
                    way_out="Write it with linear conditions, if there are such: "
                    "alpha**2 <= 4 is alpha <= 2.",
                ) from None


def _unit(claim: AccuracyStatement) -> str | None:
    """Return which of 1/ε and log(b)/ε the mechanism, α or γ has beside reals, if any."""
    own = (unit_of(claim.mechanism),) if claim.mechanism.moves else ()
    units = independent_units([*own, *claim.level_logs, *claim.beta_units])
    if len(units) > 1:
        raise ValueRefusedError(
            "a claim with "
            + " and ".join(shown_name(one).replace("ε", "eps") for one in units)
            + " has no certificate",
            rule="The checker knows one of 1 / eps and log(r) / eps as a parameter, and whole "
            "powers of r.",
            way_out="Use the verdict without a certificate, or write a rational number instead of "
            "one of them.",
        )
    return units[0] if units else None


def _two_units(unit: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"no certificate is found: the mechanism has log({base_of(unit)}) / eps, and alpha, gamma "
        "or a condition has 1 / eps",
        rule="The checker knows one of the two as a parameter, and only bounds on the other.",
        way_out="Write a rational number instead of the logarithm, or give numbers for alpha and "
        "gamma.",
    )


def _needs_one(claim: AccuracyStatement, cases: Sequence[ClaimCase]) -> bool:
    """Whether α, γ or a condition has a multiple of 1/ε."""
    names = ("alpha", "gamma", *claim.entry_names)
    for case in cases:
        for one in (*case.when, *equalities(case, ("alpha", "gamma"))):
            sides = (
                PolynomialSide.of(at).with_one_factor()
                if has_products(at)
                else LinearSide.of(at, names)
                for at in at_inputs(claim, one)
            )
            for side in sides:
                form = side.scaled().conic()
                if side.uses_unit if form is None else form.get(""):
                    return True
    return False
