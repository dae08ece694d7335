"""Claims that are proved at the worst inputs: corners, or a few inputs that stand for all."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from ..kernel.reading import RealInterval
from . import formulas, values
from .added_noise import check_only_added
from .cones import Vector
from .corners import CornerProof, StatedCorner, StatedRow, check_place
from .derivation import single
from .entry_corners import EntryCorners
from .parameter_spaces import ParameterSpace
from .parametric import At
from .ratios import UnsupportedError
from .regret import Regret
from .statement import Statement

_MOST_ENTRIES = 10_000  # of an output
_SELECTED = {"largest": 1, "smallest": -1}


class WorstInputs(Statement):
    """A claim, and the check that what is proved at some inputs is proved at all."""

    def form(self, given: Any, size: int) -> Vector:
        """Read a linear form."""
        return tuple(self.rational(q) for q in self.entries(given, size))

    def fixed_inputs(self) -> list[list[Any]]:
        """Return the inputs, or the values of their finite entries, with None for reals."""
        if self.is_listed:
            return [single(u) for u in self.inputs]
        kinds = self.derivation.members
        return [list(one) for one in product(*((None,) if m is None else m for m in kinds))]

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
        """Whether α, β and γ are the same at all inputs."""
        named = [tree for tree in (self.beta, *self.levels) if isinstance(tree, list | tuple)]
        used = set().union(*(formulas.names(tree) for tree in named))
        return self.beta is not None and used <= {"alpha", "gamma"}

    def corners_there(self, spaces: list[ParameterSpace]) -> str:
        """Check that corners are the worst inputs, and that none is left out."""
        spec = self.derivation.spec
        name = spec["output_distance"].get("name")
        right = self.is_alike and name in ("discrete", "sup")
        right = right and "name" in spec["input_distance"] and not self.derivation.is_partial
        self.require(right, "corners are not known to be enough for such a claim")
        groups: dict[str, tuple[list[Any], list[ParameterSpace]]] = {}
        for space in spaces:
            self.require(space.corner is not None, "some regions are not corners")
            fixed = [None if isinstance(one, At) else one for one in space.entries]
            groups.setdefault(str(fixed), (fixed, []))[1].append(space)
        self.require({*map(str, self.fixed_inputs())} == set(groups), "a region is missing")
        few = False
        for fixed, own in groups.values():
            corners = [space.corner for space in own if space.corner is not None]
            if any(corner.differs is not None or corner.selects for corner in corners):
                few = True
                self.few_corners(fixed, own)
                continue
            if spec["input_distance"]["name"] == "discrete":
                self.require(len(corners) > 1, "dd may be infinite")
            proof = CornerProof(self, self.derivation, fixed)
            self.derive("worst inputs", _bounded(lambda: proof.check(corners)))  # noqa: B023
        said = f"; {len(spaces)} corners are the worst inputs"
        if few and any(space.corner is not None and space.corner.selects for space in spaces):
            return "; one corner stands for the worst inputs of all ideal outputs: a selection"
        if few:
            return f"{said} and stand for those of all ideal outputs: entries are independent"
        return f"{said}, each for one ideal output"

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
        """Check that a few inputs stand for all, and return how that is known."""
        reasons = {space.stands_for for space in spaces}
        self.require(len(reasons) == 1, "only some regions stand for others")
        right = self.is_alike and self.derivation.spec["input_distance"].get("name") == "discrete"
        self.require(right, "a few inputs are not known to be enough for such a claim")
        if reasons == {"every"}:
            self.require(len(spaces) == 1, "a region is too many")
            what = "errors that are the same at every input"
            self.needed(what, lambda: check_only_added(self, self.derivation))
            return "; noise is only added, so the error is the same at every input"
        inputs = [space.entries for space in spaces]
        self.needed("worst inputs", lambda: self.check_regret(inputs))
        for k, space in enumerate(spaces):
            space.position = k
        return f"; {len(spaces)} inputs have the largest regret, each for one position"

    def check_regret(self, inputs: list[list[Any]]) -> None:
        """Check that inputs are those of the largest regret."""
        alpha, gamma = map(self.constant, self.levels)
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
