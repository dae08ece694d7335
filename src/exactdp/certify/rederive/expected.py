"""Certificates of bounds on expected losses: at listed inputs, in a box, and for all reals.

A tree of linear forms cuts each region of inputs into parts; a listed input is a region with one
part. On a part the checker derives the expected loss again from the program's source (`losses`),
and each bound minus it must have a proof on a cone around the part. What is proved inside a part
holds on its sides if the expected loss is continuous there. It may jump where the ideal output
does, and where the mechanism compares inputs without noise: these ties are regions of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..kernel.reading import short
from .cones import PolyhedralCone
from .derivation import single
from .formulas import say
from .losses import LOSSES, LossOnCone
from .near_logs import cone_at, point_at
from .parameter_spaces import ParameterSpace
from .parametric import ProgramOnCone
from .proofs import Proofs
from .ratios import Ratio
from .values import counted

T = TypeVar("T")

_PARTS = "mechanism loss ideal at_most epsilon inputs unit"
_IDEALS = {
    "noiseless": (True,),
    "source": None,
    "table": None,
    "python": None,
    "unused": (True,),
}


class ExpectedLosses(Proofs):
    """One pass over the certificate of a bound on expected losses; raises if it is not proved."""

    def read_claim(self, claim: Any) -> None:
        """Read what is claimed."""
        self.where = "the claim"
        spec = dict(zip(_PARTS.split(), self.fields(claim, _PARTS), strict=True))
        self.known(spec["loss"], {"name": LOSSES, "python": None})
        self.loss = spec["loss"].get("name")
        self.known(spec["ideal"], _IDEALS)
        self.bounds = [self.quotient(one) for one in self.entries(spec["at_most"])]
        self.require(self.bounds, "there is no bound")
        self.read_program(spec)
        self.read_unit(spec["unit"])
        function = self.derivation.mechanism.function
        assert function is not None
        bound = " and ".join(say(("form", one)) for one in self.bounds)
        self.claim = (
            f"the expected loss ({short(self.loss or spec['loss']['python'])}) of "
            f"{short(function.name)} is at most {bound} at "
            f"{self.which()}, for every ε in {self.epsilon.text()}"
            f"{self.facts(spec, 'ideal loss inputs mechanism')}"
        )

    def holds(self, parts: dict[str, Any]) -> str:
        """Check the parts of all regions, and return how the claim is proved."""
        self.where = "the regions"
        listed, limits = self.entries(parts["regions"]), self.limits(self.epsilon, self.reals)
        spaces = [self.space(one, limits) for one in listed]
        flats = self.covering(spaces, self.cone(limits))
        if self.loss != "regret" and not self.is_listed:
            self.needed("ties of the ideal", lambda: self.faces(spaces))
        count = 0
        for k, (space, one) in enumerate(zip(spaces, listed, strict=True)):
            self.where = f"region {k + 1}"
            count += self.parts_are_proved(
                space.region,
                one["tree"],
                "loss",
                lambda part, loss: self.found(
                    loss,
                    lambda: self.required(space, part, loss),  # noqa: B023
                ),
            )
            self.where = f"region {k + 1}"
            self.jumps(space, flats)
        return (
            f"on {counted(count, 'part')} of {counted(len(spaces), 'region')} the bound is proved "
            f"with {counted(len(self.signs), 'sign')}"
        )

    def found(self, stated: Any, how: Callable[[], T]) -> T:
        """Return what is derived from the program; if no loss is stated, it must be derived."""
        return how() if stated is not None else self.needed("expected losses", how)

    def required(
        self, space: ParameterSpace, part: PolyhedralCone, stated: Any = None
    ) -> list[Ratio]:
        """Return what must be proved on a part of a region: each bound minus the loss."""
        program = ProgramOnCone(self.derivation, part, space.entries, space.unit)
        loss = self.loss_on(program, stated)
        space.compared |= program.mechanism.compared
        return [bound - loss for bound in self.bounds]

    def loss_on(self, program: ProgramOnCone, stated: Any) -> Ratio:
        """Return the expected loss; if one is stated for a single input, it may be taken."""
        loss = LossOnCone(self.loss, program)
        if stated is None:
            return loss.expected()
        self.require(program.region.size == 1, "a loss is stated for more than a single input")
        given = self.quotient(stated)
        found = self.derive("expected losses", loss.expected)
        self.require(found is None or found == given, "it is not that of the program")
        return given

    def counterexample(self, given: Any) -> None:
        """Check that at an input and an ε the expected loss is above a part of the bound."""
        names = "input part eps log loss bits"
        listed, which, at, log, stated, precision = self.fields(given, names)
        u = self.input_of_claim(listed)
        bound = self.bounds[self.integer(which, 0, len(self.bounds) - 1)]
        eps, bits = self.rational(at), self.bits(precision)
        self.require(self.epsilon.has(eps), "ε is not one of the claim")
        point = point_at(self, log, eps, bits)
        space = cone_at(self, single(u), point)
        unit = self.unit_at(space, eps)
        program = ProgramOnCone(self.derivation, space.region, space.entries, unit)
        gap = bound - self.found(stated, lambda: self.loss_on(program, stated))
        self.require(self.sign_of(gap, point) < 0, "it is none")
