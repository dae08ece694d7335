"""Certificates of bounds on expected losses: at listed inputs, in a box and for all reals.

The checker rederives the expected losses; a certificate contains the proofs of signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.certify.kernel.cones import PolyhedralCone
from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.expected import ExpectedLosses
from exactdp.certify.rederive.expected_cones import ExpectedOnCones
from exactdp.certify.rederive.expected_units import ExpectedWithUnit
from exactdp.certify.rederive.ratios import MalformedError, Ratio, UnsupportedError
from exactdp.claims.certificates.bound_trees import BoundTree
from exactdp.claims.certificates.document import assume_orders, document, quotient_json
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.certificates.plain_data import (
    ideal_json,
    inputs_json,
    interval_json,
    value_json,
)
from exactdp.claims.certificates.written import region_json
from exactdp.claims.regions.region import Combination, Region
from exactdp.claims.stated.inputs import as_given, as_written, is_listed, listed
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, kinds
from exactdp.language.linear import base_of
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import Json, precision
from exactdp.reals.logs import log_enclosure
from exactdp.reals.numbers import spell
from exactdp.semantics.engine import Engine

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.decision.work import Leaf
    from exactdp.claims.expectations.excesses import Excess
    from exactdp.claims.expected import Expected


def certificate(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict on an expected loss."""
    claim: Expected = verdict.claim
    if claim.formula.names():
        raise _refused("the bound depends on the input")
    if claim.ideal_function is not None and verdict.silent:
        raise _refused("the ideal is not defined at every input")
    if claim.mechanism.moves:
        return _with_unit(verdict)
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
    assume_orders(checker, verdict.orders)
    try:
        found = verdict.findings if verdict.holds else ()
        regions = [_region(checker, signs, one.region, one.cells) for one in found]
        examples = [_failure_on_cones(checker, claim, one) for one in verdict.counterexamples]
    except (RejectedError, MalformedError, UnsupportedError) as error:
        raise _refused(str(error)) from error
    parts: Json = {
        "regions": regions,
        "counterexamples": examples,
        "signs": signs.written if verdict.holds else [],
    }
    return document(verdict, "expected_on_cones", stated, parts)


def _with_unit(verdict: Verdict) -> Json:
    """Return the certificate of a claim about a mechanism with 1/ε or a logarithm beside reals."""
    claim: Expected = verdict.claim
    inputs = claim.mechanism.inputs
    some = [0 if kind is None else kind.members[0] for kind in kinds(inputs)]
    engine = claim.mechanism.kept(Engine)
    symbol = engine.unit(assembled(inputs, some), "A certificate is written")
    base = base_of(symbol) or Fraction(0)
    stated = {**_claim(claim), "unit": spell(base)}
    signs = SignProofs(verdict)
    checker = _UnlimitedWithUnit()
    try:
        checker.read_claim(stated)
        assume_orders(checker, verdict.orders)
        regions = []
        for one in verdict.findings if verdict.holds else ():
            region = replace(one.region, curve=None)
            cells = claim.work.cells(region)
            regions.append(_region(checker, signs, region, cells))
        if verdict.holds:
            fresh = _UnlimitedWithUnit()
            fresh.read_claim(stated)
            assume_orders(fresh, verdict.orders)
            fresh.holds(regions, signs.written)
        examples = [
            _failure_with_unit(checker, claim, one, base) for one in verdict.counterexamples
        ]
    except (RejectedError, MalformedError, UnsupportedError, ValueRefusedError) as error:
        raise _refused(str(error)) from error
    parts: Json = {
        "regions": regions,
        "counterexamples": examples,
        "signs": signs.written if verdict.holds else [],
    }
    return document(verdict, "expected_with_unit", stated, parts)


def _failure_with_unit(
    checker: ExpectedWithUnit, claim: Expected, one: Excess, base: Fraction
) -> Json:
    """Return a counterexample with its input, and bounds on the logarithm."""
    log = [spell(end) for end in log_enclosure(base, 200)] if base else None
    found: Json = {
        "input": [value_json(each) for each in claim.mechanism.read_input(one.input)],
        "part": list(claim.formula.alternatives({})).index(one.claimed),
        "eps": spell(one.eps),
        "log": log,
    }

    def is_enough(bits: int) -> bool:
        checker.counterexample({**found, "bits": bits})
        return True

    found["bits"] = precision(is_enough)
    checker.counterexample(found)
    return found


class _UnlimitedWithUnit(ExpectedWithUnit):
    """A checker without time limits."""

    def spend(self, steps: int, bits: int) -> None:
        """Count nothing."""


class _Unlimited(ExpectedOnCones):
    """A checker without time limits."""

    def spend(self, steps: int, bits: int) -> None:
        """Count nothing."""


def _region(
    checker: ExpectedOnCones, signs: SignProofs, region: Region, cells: Sequence[Leaf]
) -> Json:
    """Return a region with the tree of its parts."""
    head = region_json(region)
    if checker.is_listed:
        head["input"] = [
            value_json(one.form[0]) if isinstance(one, Combination) else value_json(one)
            for one in region.entries
        ]
    space = checker.space(0, {**head, "tree": None})

    def required(part: PolyhedralCone, _: Leaf | None) -> tuple[list[Ratio], Json]:
        return checker.required(space, part), {}

    tree = BoundTree(checker, signs, region, required)
    return {**head, "tree": tree.written(space.region, cells, {"bounds": []})}


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
        "ideal": {"unused": True} if claim.ideal_function is None else ideal_json(claim),
        "at_most": [quotient_json(one) for one in claim.formula.alternatives({})],
        "epsilon": interval_json(claim.epsilon),
        "inputs": inputs_json(claim),
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
