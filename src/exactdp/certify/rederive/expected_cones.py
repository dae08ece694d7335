"""Certificates of bounds on expected losses on cones: for all real inputs, or those of a box.

A tree of linear forms cuts each region of inputs into parts; on a part the expected loss is derived
again from the program's source, and the bound minus it must have a proof on a cone around the part.
What is proved inside a part holds on its sides if the expected loss is continuous there. It may
jump where the ideal output does, and where the mechanism compares inputs without noise: these ties
are regions of their own.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from ..kernel.cones import PolyhedralCone, UndecidedError, leaves, reduced
from ..kernel.reading import counted
from . import values
from .claims import Claims
from .expected import ExpectedLosses
from .parametric import ProgramOnCone
from .ratios import Ratio, UnsupportedError
from .spaces import ParameterSpace
from .statement import Statement

_COUNTEREXAMPLE = "input part eps bits"


class ExpectedOnCones(ExpectedLosses):
    """One pass over the certificate of a bound on expected losses; raises if it is not proved."""

    levels = Fraction(0), Fraction(0)
    closed = False

    def read_inputs(self, given: Any) -> None:
        """Read the inputs: a box, or all reals."""
        Statement.read_inputs(self, given)
        self.require(not self.is_listed, "the inputs are listed")

    def checked(self, parts: dict[str, Any]) -> str:
        """Check everything and return what was proved, as a sentence."""
        return Claims.checked(self, parts)

    def holds(self, listed: list[Any], signs: list[Any]) -> str:
        """Check that the claim holds, and return how that is proved."""
        for k, one in enumerate(signs):
            self.where = f"sign {k}"
            self.signs.append(self.sign(one))
        return self.everywhere(listed)

    def everywhere(self, listed: list[Any]) -> str:
        """Check the parts of all regions, and return how the claim is proved."""
        spaces = [self.space(k, one) for k, one in enumerate(listed)]
        self.where = "the regions"
        flats = self.covering(spaces)
        count = 0
        for k, (space, one) in enumerate(zip(spaces, listed, strict=True)):
            for part, leaf in leaves(space.region, one["tree"]):
                self.where = f"region {k + 1}, part {count + 1}"
                (bounds,) = self.fields(leaf, "bounds")
                if not part.is_full:
                    self.require(bounds == [], "a part without points")
                    continue
                count += 1
                functions = self.on_part(space, part)
                for function, given in zip(
                    functions, self.entries(bounds, len(functions)), strict=True
                ):
                    self.bound_is_proved(part, function, given)
            self.where = f"region {k + 1}"
            self.jumps(space, flats)
        return (
            f"on {counted(count, 'part')} of {counted(len(spaces), 'region')} the bound is proved "
            f"with {counted(len(self.signs), 'sign')}"
        )

    def covering(self, spaces: list[ParameterSpace]) -> set[tuple[object, ...]]:
        """Check that no input is omitted, and that ties of the ideal are separate regions."""
        right = all(space.corner is None and space.stands_for is None for space in spaces)
        self.require(right, "no input is known to stand for others in expected losses")
        flats = {space.flat() for space in spaces}
        self.require(len(flats) == len(spaces), "a region occurs twice")
        kinds = self.derivation.members
        whole = tuple(reduced(self.directions(1 + kinds.count(None))))
        for one in product(*((None,) if members is None else members for members in kinds)):
            self.require((str(list(one)), whole) in flats, "a region is missing")
        if self.loss != "regret":
            try:
                self.faces(spaces)
            except UnsupportedError as error:
                self.require(False, f"the ties of the ideal are not derived: {error}")
        return flats

    def on_part(self, space: ParameterSpace, part: PolyhedralCone) -> list[Ratio]:
        """Return what must be proved on a part of a region; what is not derived is rejected."""
        try:
            found = self.required(space, part)
        except (UndecidedError, UnsupportedError) as error:
            self.require(False, str(error))
            raise
        what = "expected losses on parts"
        self.derived[what] = self.derived.get(what, 0) + 1
        return found

    def required(self, space: ParameterSpace, part: PolyhedralCone) -> list[Ratio]:
        """Return the functions that must not be negative on a part: each bound minus the loss."""
        program = ProgramOnCone(self.derivation, part, space.entries)
        loss = self.expected_on(program)
        space.compared |= program.mechanism.compared
        return [bound - loss for bound in self.bounds]

    def counterexample(self, given: Any) -> None:
        """Check that at an input and an ε the expected loss is above a part of the bound."""
        stated, part, eps, bits = self.fields(given, _COUNTEREXAMPLE)
        u = values.an_input(self, stated, self.kinds)
        self.require(self.has_input(u), "the input is not one of the claim")
        try:
            loss = self.expected(u)
        except UnsupportedError as error:
            self.require(False, f"the expected loss is not derived: {error}")
            raise
        self.derived["expected losses"] = self.derived.get("expected losses", 0) + 1
        self.is_above(loss, part, eps, bits)
