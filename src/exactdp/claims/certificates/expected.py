"""Certificates of bounds on expected losses: at listed inputs, in a box and for all reals.

The checker rederives the expected losses; a certificate contains the proofs of signs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exactdp.certify.kernel.cones import PolyhedralCone
from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.expected import ExpectedLosses
from exactdp.certify.rederive.expected_cones import ExpectedOnCones
from exactdp.certify.rederive.ratios import MalformedError, Ratio, UnsupportedError
from exactdp.claims.certificates.accuracy import (
    _ideal,
    _which,
    interval_json,
    quotient_json,
    region_json,
    value_json,
)
from exactdp.claims.certificates.bound_trees import BoundTree
from exactdp.claims.certificates.document import document
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.stated.inputs import as_given, as_written, is_listed, listed
from exactdp.errors import ValueRefusedError
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import Json, precision
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.claims.decision.findings import Finding
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.decision.work import Leaf
    from exactdp.claims.expectations.excesses import Excess
    from exactdp.claims.expected import Expected


def certificate(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict on an expected loss."""
    claim: Expected = verdict.claim
    if claim.formula.names():
        raise _refused("the bound depends on the input")
    if claim.mechanism.moves:
        raise _refused("the mechanism uses 1/eps beside reals")
    if claim.ideal_function is not None and verdict.silent:
        raise _refused("the ideal is not defined at every input")
    if not is_listed(claim.input_set):
        return _on_cones(verdict)
    inputs = [as_written(as_given(claim.mechanism, u)) for u in _inputs(claim)]
    losses = [claim.exact(u) for u in inputs]
    signs = SignProofs(verdict)
    if verdict.holds:
        signs.all_decided(verdict)
    parts: Json = {
        "losses": [quotient_json(one) for one in losses if isinstance(one, ClosedForm)],
        "counterexamples": [_failure(claim, inputs, one) for one in verdict.counterexamples],
        "signs": signs.written,
    }
    return document(verdict, "expected", _claim(claim), parts)


def _on_cones(verdict: Verdict) -> Json:
    """Return the certificate of a claim about all real inputs, or those of a box."""
    claim: Expected = verdict.claim
    stated = _claim(claim)
    signs = SignProofs(verdict)
    checker = _Unlimited()
    checker.read_claim(stated)
    try:
        regions = [_region(checker, signs, one) for one in verdict.findings if verdict.holds]
        examples = [_failure_on_cones(checker, claim, one) for one in verdict.counterexamples]
    except (RejectedError, MalformedError, UnsupportedError) as error:
        raise _refused(str(error)) from error
    parts: Json = {
        "regions": regions,
        "counterexamples": examples,
        "signs": signs.written if verdict.holds else [],
    }
    return document(verdict, "expected_on_cones", stated, parts)


class _Unlimited(ExpectedOnCones):
    """A checker without time limits."""

    def spend(self, steps: int, bits: int) -> None:
        """Count nothing."""


def _region(checker: ExpectedOnCones, signs: SignProofs, one: Finding) -> Json:
    """Return a region with the tree of its parts."""
    head = region_json(one.region)
    space = checker.space(0, {**head, "tree": None})

    def required(part: PolyhedralCone, _: Leaf | None) -> tuple[list[Ratio], Json]:
        return checker.required(space, part), {}

    tree = BoundTree(checker, signs, one.region, required)
    return {**head, "tree": tree.written(space.region, one.cells, {"bounds": []})}


def _failure_on_cones(checker: ExpectedOnCones, claim: Expected, one: Excess) -> Json:
    """Return a counterexample with its input."""
    found: Json = {
        "input": [value_json(each) for each in claim.mechanism.read_input(one.input)],
        "part": list(claim.formula.alternatives({})).index(one.claimed),
        "eps": spell(one.eps),
    }

    def is_enough(bits: int) -> bool:
        checker.counterexample({**found, "bits": bits})
        return True

    found["bits"] = precision(is_enough)
    checker.counterexample(found)
    return found


def _inputs(claim: Expected) -> list[tuple[Any, ...]]:
    return list(listed(claim.mechanism, claim.input_set))


def _claim(claim: Expected) -> Json:
    is_named = isinstance(claim.loss, str)
    return {
        "mechanism": str(claim.mechanism),
        "loss": {"name" if is_named else "python": claim.function.name},
        "ideal": {"unused": True} if claim.ideal_function is None else _ideal(claim),
        "at_most": [quotient_json(one) for one in claim.formula.alternatives({})],
        "epsilon": interval_json(claim.epsilon),
        "inputs": _which(claim),
    }


def _failure(claim: Expected, inputs: list[Any], one: Excess) -> Json:
    gap = one.claimed - one.expected
    bounds = list(claim.formula.alternatives({}))

    def is_enough(bits: int) -> bool:
        checker = ExpectedLosses()
        over, under = checker.quotient(quotient_json(gap)).terms()
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
        rule="The checker derives expected losses again, at inputs or on cones of inputs; the loss "
        "has a name, and the bound is a formula in eps.",
        way_out="The signs have proofs of their own: `verdict.decided` lists each problem with its "
        "decision, and the certificate of one on a ray is checked by `exactdp certify`.",
    )
