"""Certificates of bounds on expected losses: at listed inputs, in a box and for all reals.

The checker rederives the expected losses; a certificate contains the proofs of signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.cones import PolyhedralCone
from exactdp.certify.rederive.expected import ExpectedLosses
from exactdp.certify.rederive.ratios import MalformedError, Ratio, UnsupportedError
from exactdp.claims.certificates.bound_trees import BoundTree
from exactdp.claims.certificates.document import assume_orders, document, quotient_json, unit_of
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.certificates.parts import without_limits
from exactdp.claims.certificates.plain_data import (
    ideal_json,
    inputs_json,
    interval_json,
    value_json,
)
from exactdp.claims.certificates.written import region_json
from exactdp.claims.regions.region import Region
from exactdp.claims.stated.inputs import as_given, as_written
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import entries
from exactdp.language.linear import base_of
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import Json, precision
from exactdp.reals.logs import log_enclosure
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.claims.decision.problem import Leaf
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.expectations.claim import Expected
    from exactdp.claims.expectations.excesses import Excess


def certificate(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict on an expected loss."""
    claim: Expected = verdict.claim
    if claim.formula.names():
        raise _refused("the bound depends on the input")
    if claim.ideal_function is not None and verdict.silent:
        raise _refused("the ideal is not defined at every input")
    unit = _unit(claim) if claim.mechanism.moves else None
    stated = _claim(claim, unit)
    writer = _Writer(verdict, unit)
    try:
        writer.checker.read_claim(stated)
        assume_orders(writer.checker, verdict.orders)
        regions = writer.regions() if verdict.holds else []
        if regions and unit is not None:
            fresh = without_limits(ExpectedLosses)
            fresh.read_claim(stated)
            assume_orders(fresh, verdict.orders)
            fresh.read_signs(writer.signs.written)
            fresh.holds({"regions": regions})
        examples = [writer.counterexample(one) for one in verdict.counterexamples]
    except (RejectedError, MalformedError, UnsupportedError, ValueRefusedError) as error:
        raise _refused(str(error)) from error
    parts: Json = {
        "regions": regions,
        "counterexamples": examples,
        "signs": writer.signs.written if verdict.holds else [],
    }
    return document(verdict, "expected", stated, parts)


class _Writer:
    """Writes the regions and counterexamples of one verdict."""

    def __init__(self, verdict: Verdict, unit: Fraction | None) -> None:
        self.verdict, self.unit = verdict, unit
        self.claim: Expected = verdict.claim
        self.signs = SignProofs(verdict)
        self.checker = without_limits(ExpectedLosses)
        self.bounds = list(self.claim.formula.alternatives({}))

    @property
    def is_listed(self) -> bool:
        """Whether the expected loss is stated at single inputs."""
        return self.unit is None and not self.claim.scope.free

    def regions(self) -> list[Json]:
        """Return the regions, each with the tree of its parts."""
        if self.is_listed:
            places = self.signs.places(self.verdict)
            inputs = dict.fromkeys(self.claim.scope.listed())
            return [self._single(u, places) for u in inputs]
        found = []
        for one in self.verdict.findings:
            region, cells = one.region, one.cells
            if self.unit is not None:
                region = replace(region, curve=None)
                cells = self.claim.work.cells(region)
            found.append(self._region(region, cells))
        return found

    def _single(self, u: tuple[Any, ...], places: dict[ClosedForm, int]) -> Json:
        """Return the region of a listed input, with its loss."""
        loss = self._loss(as_written(as_given(self.claim.mechanism, u)))
        proofs: list[Any] = []
        for bound in self.bounds:
            gap = bound - loss
            if gap and gap not in places:
                places[gap] = self.signs.proved(gap, self.claim.epsilon)
            proofs.append([None, places[gap], [0]] if gap else None)
        return {
            "names": ["eps"],
            "input": [value_json(one) for one in entries(u)],
            "tree": {"loss": quotient_json(loss), "bounds": proofs},
        }

    def _loss(self, u: Any) -> ClosedForm:
        found = self.claim.exact(u)
        if not isinstance(found, ClosedForm):
            raise _refused("an expected loss has no closed form")
        return found

    def _region(self, region: Region, cells: Sequence[Leaf]) -> Json:
        """Return a region with the tree of its parts."""
        checker = self.checker
        head = region_json(region, listed=checker.is_listed)
        limits = checker.limits(checker.epsilon, checker.reals)
        space = checker.space({**head, "tree": None}, limits)

        def required(part: PolyhedralCone, _: Leaf | None) -> tuple[list[Ratio], Json]:
            return checker.required(space, part), {"loss": None}

        tree = BoundTree(checker, self.signs, region, required)
        return {**head, "tree": tree.written(space.region, cells, {"loss": None, "bounds": []})}

    def counterexample(self, one: Excess) -> Json:
        """Return a counterexample with its input, and bounds on the logarithm if there is one."""
        u = self.claim.mechanism.read_input(one.input)
        found: Json = {
            "input": [value_json(each) for each in u],
            "part": self.bounds.index(one.claimed),
            "eps": spell(one.eps),
            "log": [spell(end) for end in log_enclosure(self.unit, 200)] if self.unit else None,
            "loss": quotient_json(self._loss(one.input)) if self.is_listed else None,
        }

        def is_enough(bits: int) -> bool:
            self.checker.counterexample({**found, "bits": bits})
            return True

        found["bits"] = precision(is_enough)
        self.checker.counterexample(found)
        return found


def _unit(claim: Expected) -> Fraction:
    """Return 0 if 1/ε is combined with reals, or the base of the logarithm that is."""
    return base_of(unit_of(claim.mechanism)) or Fraction(0)


def _claim(claim: Expected, unit: Fraction | None) -> Json:
    is_named = isinstance(claim.loss, str)
    return {
        "mechanism": str(claim.mechanism),
        "loss": {"name" if is_named else "python": claim.function.name},
        "ideal": {"unused": True}
        if claim.ideal_function is None
        else ideal_json(claim.mechanism, claim.ideal, claim.ideal_function),
        "at_most": [quotient_json(one) for one in claim.formula.alternatives({})],
        "epsilon": interval_json(claim.epsilon),
        "inputs": inputs_json(claim.mechanism, claim.input_set),
        "unit": None if unit is None else spell(unit),
    }


def _refused(why: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"there is no certificate of this verdict on an expected loss: {why}",
        rule="The checker derives expected losses again, at inputs or on cones of inputs; the loss "
        "has a name, and the bound is a formula in eps.",
        way_out="The signs have proofs of their own: `verdict.decided` lists each problem with its "
        "decision, and the certificate of one on a ray is checked by `exactdp certify`.",
    )
