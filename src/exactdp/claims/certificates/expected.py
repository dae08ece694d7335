"""Certificates of bounds on expected losses, at listed inputs.

The checker rederives the expected losses; a certificate contains the proofs of signs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exactdp.certify.rederive.expected import ExpectedLosses
from exactdp.claims.certificates.accuracy import _ideal, _quotient, _which, interval_json
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.stated.inputs import as_given, as_written, is_listed, listed
from exactdp.errors import ValueRefusedError
from exactdp.reals import ClosedForm, Decision
from exactdp.reals.certificates import VERSION, Json, precision, seal
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.expectations.excesses import Excess
    from exactdp.claims.expected import Expected


def certificate(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict on an expected loss."""
    claim: Expected = verdict.claim
    if not is_listed(claim.input_set):
        raise _refused("the claim is about all real inputs")
    if claim.formula.names():
        raise _refused("the bound depends on the input")
    if claim.ideal_function is not None and verdict.silent:
        raise _refused("the ideal is not defined at every input")
    inputs = [as_written(as_given(claim.mechanism, u)) for u in _inputs(claim)]
    losses = [claim.exact(u) for u in inputs]
    signs = SignProofs(verdict)
    if verdict.holds:
        for _, sign in verdict.decided:
            if isinstance(sign, Decision):
                signs.decided(sign)
    body: Json = {
        "format": "exactdp-certificate",
        "version": VERSION,
        "kind": "expected",
        "claim": _claim(claim),
        "verdict": {True: "holds", False: "fails", None: "undecided"}[verdict.holds],
        "reason": verdict.missing if verdict.holds is None else "",
        "losses": [_quotient(one) for one in losses if isinstance(one, ClosedForm)],
        "counterexamples": [_failure(claim, inputs, one) for one in verdict.counterexamples],
        "signs": signs.written,
    }
    return {**body, "seal": seal(body)}


def _inputs(claim: Expected) -> list[tuple[Any, ...]]:
    return list(listed(claim.mechanism, claim.input_set))


def _claim(claim: Expected) -> Json:
    is_named = isinstance(claim.loss, str)
    return {
        "mechanism": str(claim.mechanism),
        "loss": {"name" if is_named else "python": claim.function.name},
        "ideal": {"unused": True} if claim.ideal_function is None else _ideal(claim),
        "at_most": [_quotient(one) for one in claim.formula.alternatives({})],
        "epsilon": interval_json(claim.epsilon),
        "inputs": _which(claim),
    }


def _failure(claim: Expected, inputs: list[Any], one: Excess) -> Json:
    gap = one.claimed - one.expected
    bounds = list(claim.formula.alternatives({}))

    def is_enough(bits: int) -> bool:
        checker = ExpectedLosses()
        over, under = checker.quotient(_quotient(gap)).terms()
        return checker.sign_at(one.eps, bits, over) * checker.sign_at(one.eps, bits, under) < 0

    return {
        "input": inputs.index(one.input),
        "part": bounds.index(one.claimed),
        "eps": spell(one.eps),
        "bits": precision(is_enough),
    }


def _refused(why: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"there is no certificate of this verdict on an expected loss: {why}",
        rule="Certificates of expected losses are about listed inputs, and the bound is a formula "
        "in eps.",
        way_out="The signs have proofs of their own: `verdict.decided` lists each problem with its "
        "decision, and the certificate of one on a ray is checked by `exactdp certify`.",
    )
