"""Claims that are proved at the worst inputs: corners, or a few inputs that stand for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from ..kernel.reading import RealInterval
from . import formulas, values
from .added_noise import check_only_added
from .cells import Cells
from .cones import Vector, axis
from .corners import CornerProof, StatedCorner, StatedRow, check_place
from .entry_corners import EntryCorners
from .parameter_spaces import ParameterSpace
from .parametric import At
from .ratios import UnsupportedError
from .regret import Regret

_MOST_ENTRIES = 10_000  # of an output
_SELECTED = {"largest": 1, "smallest": -1}


class WorstInputs(Cells):
    """A claim, and the check that what is proved at some inputs is proved at all."""

    def corner_space(
        self, given: dict[str, Any], limits: Sequence[Vector], free: Sequence[str]
    ) -> ParameterSpace:
        """Read a space whose inputs are the worst ones; the parameter after ε is not negative."""
        space = self.space({k: v for k, v in given.items() if k != "corner"}, limits, free)
        right = space.size > 1 and not self.is_listed and self.unit is None
        self.require(right, "no corner")
        space.region = space.region.cut(axis(1, space.size))
        space.corner = self.corner(given["corner"], space.entries)
        return space

    def corner(self, given: Any, entries: list[Any]) -> StatedCorner:
        """Read why the inputs of a space are the worst ones, and check where they are."""
        differs = None
        if isinstance(given, dict) and "differs" in given:
            differs = [self.integer(k, 0, _MOST_ENTRIES) for k in self.entries(given["differs"])]
            given = {name: one for name, one in given.items() if name != "differs"}
        selects = 0
        if isinstance(given, dict) and "selects" in given:
            self.require(given["selects"] in _SELECTED and differs is None, "what is selected")
            selects = _SELECTED[given["selects"]]
            given = {name: one for name, one in given.items() if name != "selects"}
        output, listed, bounds = self.fields(given, "output rows bounds")
        count = len(entries)
        found: list[StatedRow] = []
        for one in self.entries(listed):
            slopes, constant, width = self.fields(one, "slopes constant width")
            pairs = [self.entries(pair, 2) for pair in self.entries(slopes)]
            slope = {self.integer(k, 0, count - 1): self.rational(q) for k, q in pairs}
            real = all(isinstance(entries[k], At) and slope[k] for k in slope)
            self.require(real and len(slope) == len(pairs), "a row of a corner is not one")
            found.append(StatedRow(slope, self.rational(constant), self.rational(width)))
        places: list[Any] = []
        for entry, one in zip(entries, self.entries(bounds, count), strict=True):
            if isinstance(entry, At):
                named = one in ("fixed", "idle")
                places.append(one if named else self.integer(one, 0, len(found) - 1))
            else:
                self.require(one is None, "a finite entry has a bound")
                places.append(None)
        corner = StatedCorner(self.in_entries(output, count), found, places, differs, selects)
        forms = [list(one.form) if isinstance(one, At) else [] for one in entries]
        check_place(self, corner, forms, self.derivation.spec["input_distance"])
        return corner

    def in_entries(self, given: Any, count: int) -> Any:
        """Read an output whose numbers are forms in the entries."""
        if isinstance(given, list):
            return tuple(self.in_entries(one, count) for one in given)
        if isinstance(given, dict) and "form" in given:
            return At(self.form(self.fields(given, "form")[0], count + 1))
        return values.value(self, given)

    @property
    def is_alike(self) -> bool:
        """Whether the claim is one case, which is the same at all inputs."""
        return len(self.cases) == 1 and self.cases[0].is_alike

    def corners_there(self, fixed: list[Any], spaces: list[ParameterSpace]) -> str:
        """Check that corners are the worst inputs with some finite entries, and none is left out.

        Return why.
        """
        spec = self.derivation.spec
        name = spec["output_distance"].get("name")
        right = self.is_alike and name in ("discrete", "sup")
        right = right and "name" in spec["input_distance"] and not self.derivation.is_partial
        self.require(right, "corners are not known to be enough for such a claim")
        for space in spaces:
            own = [None if isinstance(one, At) else one for one in space.entries]
            self.require(str(own) == str(fixed), "a region is missing")
        corners = [space.corner for space in spaces if space.corner is not None]
        if any(corner.differs is not None or corner.selects for corner in corners):
            self.few_corners(fixed, spaces)
            if corners[0].selects:
                return "one corner stands for the worst inputs of all ideal outputs: a selection"
            return (
                "{count} corners are the worst inputs and stand for those of all ideal outputs: "
                "entries are independent"
            )
        if spec["input_distance"]["name"] == "discrete":
            self.require(len(corners) > 1, "dd may be infinite")
        proof = CornerProof(self, self.derivation, fixed)
        self.derive("worst inputs", _bounded(lambda: proof.check(corners)))
        return "{count} corners are the worst inputs, each for one ideal output"

    def few_corners(self, fixed: list[Any], spaces: list[ParameterSpace]) -> None:
        """Check that one corner, or those of lists that differ in one entry, stand for all."""
        spec = self.derivation.spec
        right = spec["input_distance"]["name"] in ("linf", "l1", "l2", "discrete")
        right = right and spec["output_distance"].get("name") == "discrete"
        first = spaces[0]
        for space in spaces:
            right = right and (space.alpha, space.gamma) == (first.alpha, first.gamma)
            right = right and space.size == first.size
        self.require(right, "a few corners are not known to stand for all")
        corners = [(space.corner, space.entries) for space in spaces if space.corner is not None]
        one = corners[0][0]

        def check() -> None:
            if one.selects:
                self.require(len(corners) == 1, "a corner that stands for all is not the only one")
                CornerProof(self, self.derivation, fixed).check_for_all(one)
            else:
                EntryCorners(self, self.derivation, fixed, first.region).check(corners)

        self.needed("worst inputs", _bounded(check))

    def few_inputs(self, spaces: list[ParameterSpace]) -> str:
        """Check that a few inputs stand for all, and return why."""
        right = self.is_alike and self.derivation.spec["input_distance"].get("name") == "discrete"
        self.require(right, "a few inputs are not known to be enough for such a claim")
        if spaces[0].stands_for == "every":
            self.require(len(spaces) == 1, "a region is too many")
            what = "errors that are the same at every input"
            self.needed(what, lambda: check_only_added(self, self.derivation))
            return "noise is only added, so the error is the same at every input"
        inputs = [space.entries for space in spaces]
        self.needed("worst inputs", lambda: self.check_regret(inputs))
        for k, space in enumerate(spaces):
            space.position = k
        return "{count} inputs have the largest regret, each for one position"

    def check_regret(self, inputs: list[list[Any]]) -> None:
        """Check that inputs are those of the largest regret."""
        alpha, gamma = map(self.constant, self.cases[0].levels)
        right = not self.is_listed and alpha == 0 and gamma is not None and gamma > 0
        self.require(right, "worst inputs of a selection are for all reals, α = 0 and a γ > 0")
        right = self.derivation.spec["output_distance"].get("name") == "value_gap"
        self.require(right, "the error is not the regret of a selection")
        Regret(self, self.derivation).check(gamma or Fraction(0), inputs)

    def constant(self, level: Any) -> Fraction | None:
        """Return α or γ if it is a number."""
        if isinstance(level, RealInterval) or formulas.names(level):
            return None
        found = formulas.alternatives(level, {})
        return found[0].constant() if len(found) == 1 else None


def _bounded(check: Callable[[], None]) -> Callable[[], None]:
    """Return a check that is not supported where it recurses too deeply."""

    def checked() -> None:
        try:
            check()
        except RecursionError as error:
            raise UnsupportedError("the runs of the program are too long") from error

    return checked
