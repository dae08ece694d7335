"""Certificates of claims by cases: conditions on α and γ, β by cases, numbers that depend on ε.

Such a claim is written in a normal form (`claim_cases`), and each case is proved on parts of its
parameters (`case_parts`). How the claim was decided does not matter here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.cases import CaseClaims
from exactdp.certify.rederive.evaluation import EvaluationPoint
from exactdp.certify.rederive.near_logs import PointLevel
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.claims.certificates.case_parts import CaseSigns, CaseWriter
from exactdp.claims.certificates.claim_cases import (
    ClaimCase,
    at_inputs,
    cases_of,
    equalities,
    fixed_inputs,
    has_products,
)
from exactdp.claims.certificates.document import document, unit_of
from exactdp.claims.certificates.examples import (
    counterexample_json,
    example_json,
    level_at_json,
)
from exactdp.claims.certificates.parts import without_limits
from exactdp.claims.certificates.plain_data import quotient_in, setting_json
from exactdp.claims.stated.admissible import LinearSide
from exactdp.claims.stated.products import PolynomialSide
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import entries
from exactdp.language.linear import UNIT, base_of, shown_name
from exactdp.reals import eps
from exactdp.reals.certificates import Json, precision
from exactdp.reals.logs import log_enclosure
from exactdp.reals.numbers import spell
from exactdp.reals.radical_form import no_radical_certificate
from exactdp.reals.radicals import Radical
from exactdp.semantics.properties import independent_units

if TYPE_CHECKING:
    from exactdp.claims.decision.counterexamples import Counterexample
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
    stated = _claim(claim, cases, unit)
    signs = CaseSigns()
    groups: list[Json] = []
    if verdict.holds:
        writer = CaseWriter(verdict, unit, stated, signs, is_cut=is_cut)
        groups = [
            writer.group(k, case, one)
            for k, case in enumerate(cases)
            for one in fixed_inputs(claim)
            if case.is_at(one)
        ]
    parts: Json = {
        "regions": groups,
        "counterexamples": [
            counterexample_json(claim, one, _case_of(claim, one, stated), verdict.orders)
            if unit is None or unit == UNIT
            else _with_log(claim, one, unit, stated)
            for one in verdict.counterexamples
        ],
        "signs": signs.written,
    }
    return document(verdict, "claim_by_cases", stated, parts)


def _case_of(claim: AccuracyStatement, one: Counterexample, stated: Json) -> int:
    """Return the first case that is claimed at a counterexample."""
    checker = without_limits(CaseClaims)
    checker.read_claim(stated)
    u = [*entries(claim.mechanism.read_input(one.input))]
    if isinstance(one.alpha, Radical) or isinstance(one.gamma, Radical):
        raise no_radical_certificate()
    at = [PointLevel.read(checker, level_at_json(x)) for x in (one.alpha, one.gamma)]
    log = log_enclosure(checker.unit, _BITS) if checker.unit else None
    for k, case in enumerate(checker.cases):
        with contextlib.suppress(RejectedError, UnsupportedError):
            if checker.is_made(case, u, at, EvaluationPoint(one.eps, _BITS, log)):
                return k
    return 0  # the checker will report why


def _with_log(claim: AccuracyStatement, one: Counterexample, unit: str, stated: Json) -> Json:
    """Return a counterexample with a logarithm, and bounds on it that suffice."""
    base = base_of(unit)
    assert base is not None
    forms: dict[str, Any] = {"probability": one.probability, "beta": one.beta}
    at_one = {UNIT: eps / one.eps}  # that is 1 there
    written: Json = {
        **example_json(claim, one, _case_of(claim, one, stated)),
        **{
            key: quotient_in(getattr(form, "form", form).substitute(**at_one), ("eps", unit))
            for key, form in forms.items()
        },
    }
    low, high = log_enclosure(base, _LOG_BITS)

    def attempt(bits: int) -> Json:
        return {**written, "log": [spell(low), spell(high)], "bits": bits}

    def is_enough(bits: int) -> bool:
        checker = without_limits(CaseClaims)
        checker.read_claim(stated)
        checker.counterexample(attempt(bits))
        return True

    return attempt(precision(is_enough))


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


def _claim(claim: AccuracyStatement, cases: Sequence[ClaimCase], unit: str | None) -> Json:
    base = None if unit is None else base_of(unit) or Fraction(0)
    return {
        **setting_json(claim),
        "cases": [one.to_json() for one in cases],
        "unit": None if base is None else spell(base),
    }


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
