"""Certificates of expected losses of programs with a + b/ε or a + log(r)/ε beside reals.

Scaled by ε, 1/ε is the parameter 1 and log(b)/ε the parameter log b: the unit. A region has ε, the
unit, and the real inputs unless they are listed. On each part the checker derives the loss as a
function of all parameters, and the bound minus the loss is proved not to be negative where the unit
has its value.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from ..kernel.cones import PolyhedralCone, UndecidedError, reduced
from . import values
from .claims import Proved
from .derivation import single
from .expected_cones import ExpectedOnCones
from .near_logs import NearLog, cone_at, unit_is_between
from .parametric import At, ProgramOnCone
from .ratios import Ratio, UnsupportedError
from .spaces import ParameterSpace
from .statement import Statement

_COUNTEREXAMPLE = "input part eps log bits"


class ExpectedWithUnit(ExpectedOnCones):
    """One pass over such a certificate; raises if the bound is not proved."""

    unit: Fraction  # 0 for 1/ε, or the base of a logarithm

    def read_claim(self, claim: Any) -> None:
        """Read what is claimed."""
        self.where = "the claim"
        given = dict(claim) if isinstance(claim, dict) else {}
        self.unit = self.rational(given.pop("unit", None))
        self.require(self.unit == 0 or self.unit > 1, "not the base of a logarithm")
        super().read_claim(given)
        self.derivation.base = self.unit or None

    def read_inputs(self, given: Any) -> None:
        """Read the inputs."""
        Statement.read_inputs(self, given)

    def holds(self, listed: list[Any], signs: list[Any]) -> str:
        """Check that the claim holds, and return how that is proved."""
        flat = any(low == high for low, high in self.ends or ())
        self.require(not flat, "a box is flat")
        return super().holds(listed, signs)

    def space(self, k: int, given: Any) -> ParameterSpace:
        """Read a space of parameters; the one after ε is the unit."""
        space = super().space(k, given)
        self.require(space.size > 1 and space.corner is None, "the unit is missing")
        one = tuple(Fraction(j == 1) for j in range(space.size))
        space.unit = At(one)
        region = space.region.cut(one)
        if self.unit == 0:
            for end, sign in ((self.epsilon.lower, 1), (self.epsilon.upper, -1)):
                if isinstance(end, Fraction) and end:  # with a logarithm, all ε are examined
                    pairs = enumerate(one)
                    region = region.cut([sign * ((j == 0) - end * q) for j, q in pairs])
        space.region = region
        return space

    def covering(self, spaces: list[ParameterSpace]) -> set[tuple[object, ...]]:
        """Check that no input is omitted, and that ties of the ideal are separate regions."""
        flats = {space.flat() for space in spaces}
        self.require(len(flats) == len(spaces), "a region occurs twice")
        kinds = self.derivation.members
        wanted = (
            [single(u) for u in self.inputs]
            if self.is_listed
            else [list(u) for u in product(*((None,) if m is None else m for m in kinds))]
        )
        size = 2 + (0 if self.is_listed else kinds.count(None))
        basis = [[Fraction(j == k) for j in range(size)] for k in range(size)]
        for one in wanted:
            self.require((str(one), tuple(reduced(basis))) in flats, "a region is missing")
        if self.loss != "regret" and not self.is_listed:
            try:
                self.faces(spaces)
            except UnsupportedError as error:
                self.require(False, f"the ties of the ideal are not derived: {error}")
        return flats

    def jumps(self, space: ParameterSpace, flats: set[tuple[object, ...]]) -> None:
        """Check that the loss is examined separately wherever inputs are compared without noise."""
        for form, _ in sorted(space.compared):
            self.face(space, form, flats)

    def required(self, space: ParameterSpace, part: PolyhedralCone) -> list[Ratio]:
        """Return the functions that must not be negative on a part: each bound minus the loss."""
        program = ProgramOnCone(self.derivation, part, space.entries, space.unit)
        loss = self.expected_on(program)
        space.compared |= program.mechanism.compared
        return [bound - loss for bound in self.bounds]

    def as_proved(self, function: Ratio) -> Ratio:
        """Return a function as signs state it: e^{unit} is a number where the unit is its log."""
        return function.without_powers(1, self.unit) if self.unit else function

    def is_for_all(self, proof: Proved, places: Any) -> bool:
        """Whether a sign is proved where the unit has its value."""
        if proof.on is not None:
            return False
        if proof.window is None:
            return True
        place, lower, upper = proof.window
        return places[place] == 1 and unit_is_between(self.unit, lower, upper)

    def counterexample(self, given: Any) -> None:
        """Check that at an input and an ε the expected loss is above a part of the bound."""
        stated, part, at, log, bits = self.fields(given, _COUNTEREXAMPLE)
        u = values.an_input(self, stated, self.kinds)
        self.require(self.has_input(u), "the input is not one of the claim")
        eps, precision = self.rational(at), self.bits(bits)
        self.require(self.epsilon.has(eps), "ε is not one of the claim")
        near = NearLog.read(self, self.unit, log, eps, precision) if self.unit else None
        self.require(near is not None or log is None, "there is no logarithm")
        space = cone_at(self, single(u), near)
        unit = space.unit if near is not None else 1 / eps
        try:
            program = ProgramOnCone(self.derivation, space.region, space.entries, unit)
            loss = self.expected_on(program)
        except (UndecidedError, UnsupportedError) as error:
            self.require(False, f"the expected loss is not derived: {error}")
            raise
        self.derived["expected losses"] = self.derived.get("expected losses", 0) + 1
        if near is None:
            self.is_above(loss, part, at, bits)
            return
        bound = self.bounds[self.integer(part, 0, len(self.bounds) - 1)]
        self.require(near.of(bound - loss) < 0, "it is none")
