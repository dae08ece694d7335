"""The spaces of parameters of a claim on cones, and the check that no input is left out.

A space has parameters θ = (ε, …), and each single number of the input, α and γ, times ε, as a
linear form in them. One space has them all free; on a tie some of them are forms in the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from ..kernel.reading import RealInterval
from . import formulas, values
from .added_noise import why_not_only_added
from .cones import PolyhedralCone, Vector, dot, reduced, whole
from .corners import CornerProof, StatedCorner, StatedRow, misplaced
from .derivation import single
from .entry_corners import EntryCorners
from .linear import holds
from .parametric import At
from .ratios import UnsupportedError
from .regret import Regret
from .statement import Statement

_SPACE = "names input alpha gamma tree"
_ZERO = Fraction(0)
_MOST_ENTRIES = 10_000  # of an output
_REASONS = ("regret", "every")  # why inputs stand for others
_SELECTED = {"largest": 1, "smallest": -1}


@dataclass
class ParameterSpace:
    """Parameters, and the input, α and γ as linear forms in them."""

    size: int
    entries: list[Any]
    alpha: At | None
    gamma: At | None
    region: PolyhedralCone
    compared: set[tuple[Vector, str]] = field(default_factory=set)
    """What the mechanism was seen to compare without noise."""
    distances: set[Vector] = field(default_factory=set)
    """dd minus the least α, as stated on the cells."""
    corner: StatedCorner | None = None
    """Why its inputs are the worst ones; the parameter after ε is the a of `corners`."""
    stands_for: str | None = None
    """Why its input stands for others: it has the largest "regret", or is like "every" one."""
    position: int | None = None
    """The best position of such an input, the only output that counts as right there."""
    unit: At | None = None
    """1/ε, or a logarithm over ε, if such numbers are combined with reals."""

    @property
    def forms(self) -> list[Vector]:
        """The numbers that move, ε first."""
        one = tuple(Fraction(k == 0) for k in range(self.size))
        moving = [self.unit, *self.entries, self.alpha, self.gamma]
        return [one, *(form.form for form in moving if isinstance(form, At))]

    def flat(self, directions: list[Vector] | None = None) -> tuple[object, ...]:
        """Return what identifies the space: its finite values, and the flat of its numbers."""
        if directions is None:
            directions = [
                tuple(Fraction(j == k) for j in range(self.size)) for k in range(self.size)
            ]
        image = [
            tuple(
                sum((a * b for a, b in zip(form, way, strict=True)), _ZERO) for form in self.forms
            )
            for way in directions
        ]
        fixed = str([None if isinstance(one, At) else one for one in self.entries])
        return fixed, tuple(reduced(image))


class Spaces(Statement):
    """A claim, and its spaces of parameters."""

    def ray(self) -> PolyhedralCone:
        """Return the region of a single input: only ε moves."""
        return PolyhedralCone(1, self).cut((Fraction(1),))

    def form(self, given: Any, size: int) -> Vector:
        """Read a linear form."""
        return tuple(self.rational(q) for q in self.entries(given, size))

    def space(self, k: int, given: Any) -> ParameterSpace:
        """Read a space of parameters; what the claim says of them bounds it."""
        self.where = f"region {k + 1}"
        stated = None
        if isinstance(given, dict) and "corner" in given:
            stated = given["corner"]
            given = {name: one for name, one in given.items() if name != "corner"}
        reason = None
        if isinstance(given, dict) and "stands_for" in given:
            reason = given["stands_for"]
            self.require(reason in _REASONS and stated is None, "why a region suffices")
            given = {name: one for name, one in given.items() if name != "stands_for"}
        names, listed, alpha, gamma, _ = self.fields(given, _SPACE)
        names = self.entries(names)
        right = names[:1] == ["eps"] and all(isinstance(one, str) for one in names)
        self.require(right and len(set(names)) == len(names) <= 40, "not names of parameters")
        size = len(names)
        kinds = self.derivation.members
        entries: list[Any] = []
        for one, kind in zip(self.entries(listed, len(kinds)), kinds, strict=True):
            if isinstance(one, dict) and "form" in one:
                right = kind is None and not self.is_listed and reason is None
                self.require(right, "an input that does not move")
                entries.append(At(self.form(self.fields(one, "form")[0], size)))
            else:
                entries.append(values.value(self, one))
                right = kind is not None or self.is_listed or reason is not None
                self.require(right, "a real input that does not move")
                right = reason is None or values.is_entry(entries[-1], kind)
                self.require(right, "an input is not of the kind that the program takes")
        levels = []
        for level, one in zip(self.levels, (alpha, gamma), strict=True):
            self.require(one is None or isinstance(level, RealInterval), "α or γ is fixed")
            levels.append(None if one is None else At(self.form(one, size)))
        region = PolyhedralCone(size, self)
        eps, second = (tuple(Fraction(j == k) for j in range(size)) for k in range(2))
        sides = [eps, *(each.form for each in levels if each is not None)]
        if reason is None and stated is None:  # corners are those of all reals, of a box too
            sides += self.box_sides(entries, eps)
        corner = unit = None
        if stated is not None:
            right = size > 1 and not self.is_listed and self.unit is None
            self.require(right, "no corner")
            sides.append(second)
            corner = self.corner(stated, entries)
        if self.unit is not None:
            self.require(size > 1 and reason is None, "the unit is missing")
            sides.append(second)
            unit = At(second)
            if self.unit == 0:  # with a logarithm, all ε are examined
                sides += between(eps, second, self.epsilon.lower, self.epsilon.upper)
        for side in sides:
            region = region.cut(side)
        return ParameterSpace(
            size, entries, levels[0], levels[1], region, corner=corner, stands_for=reason, unit=unit
        )

    def box_sides(self, entries: Sequence[Any], eps: Vector) -> Iterator[Vector]:
        """Yield the sides that keep an input in the box of the claim; ε is given as a form."""
        real = [one.form for one in entries if isinstance(one, At)]
        for form, (low, high) in zip(real, self.ends or (), strict=False):
            yield from between(form, eps, low, high)

    def unit_at(self, space: ParameterSpace, eps: Fraction) -> Any:
        """Return the unit at an ε: a parameter if it is a logarithm, else the number 1/ε."""
        return 1 / eps if self.unit == 0 else space.unit

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
        wrong = misplaced(corner, forms, self.derivation.spec["input_distance"])
        self.require(wrong is None, wrong or "")
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
            proof = CornerProof(self.derivation, fixed)
            found = self.derive("worst inputs", lambda: (proof.wrong(corners),))  # noqa: B023
            wrong = None if found is None else found[0]
            self.require(wrong is None, wrong or "")
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

        def look() -> str | None:
            if not one.selects:
                return EntryCorners(self.derivation, fixed, first.region).wrong(corners)
            if len(corners) > 1:
                return "a corner that stands for all is not the only one"
            try:
                return CornerProof(self.derivation, fixed).wrong_for_all(one)
            except RecursionError as error:
                raise UnsupportedError("the runs of the program are too long") from error

        wrong = self.needed("worst inputs", look)
        self.require(wrong is None, wrong or "")

    def few_inputs(self, spaces: list[ParameterSpace]) -> str:
        """Check that a few inputs stand for all, and return how that is known."""
        reasons = {space.stands_for for space in spaces}
        self.require(len(reasons) == 1, "only some regions stand for others")
        right = self.is_alike and self.derivation.spec["input_distance"].get("name") == "discrete"
        self.require(right, "a few inputs are not known to be enough for such a claim")
        if reasons == {"every"}:
            self.require(len(spaces) == 1, "a region is too many")
            wrong = self.needed(
                "errors that are the same at every input",
                lambda: why_not_only_added(self.derivation),
            )
            self.require(wrong is None, wrong or "")
            return "; noise is only added, so the error is the same at every input"
        inputs = [space.entries for space in spaces]
        wrong = self.needed("worst inputs", lambda: self.why_not_worst(inputs))
        self.require(wrong is None, wrong or "")
        for k, space in enumerate(spaces):
            space.position = k
        return f"; {len(spaces)} inputs have the largest regret, each for one position"

    def why_not_worst(self, inputs: list[list[Any]]) -> str | None:
        """Return why inputs are not those of the largest regret, None if they are."""
        alpha, gamma = map(self.constant, self.levels)
        spec = self.derivation.spec
        if self.is_listed or alpha != 0 or gamma is None or gamma <= 0:
            return "the worst inputs of a selection are known for all reals, α = 0 and a γ > 0"
        if spec["output_distance"].get("name") != "value_gap":
            return "the error is not the regret of a selection"
        return Regret(self.derivation).wrong(gamma, inputs)

    def constant(self, level: Any) -> Fraction | None:
        """Return α or γ if it is a number."""
        if isinstance(level, RealInterval) or formulas.names(level):
            return None
        found = formulas.alternatives(level, {})
        return found[0].constant() if len(found) == 1 else None

    def all_there(self, spaces: list[ParameterSpace]) -> str:
        """Check that no input is left out, and return how the sides of cells are covered."""
        self.require(spaces, "there are none")
        free = {(space.alpha is None, space.gamma is None) for space in spaces}
        self.require(len(free) == 1, "α or γ moves in some regions only")
        ((fixed_alpha, fixed_gamma),) = free
        if any(space.corner is not None for space in spaces):
            return self.corners_there(spaces)
        if any(space.stands_for is not None for space in spaces):
            return self.few_inputs(spaces)
        frees = (not fixed_alpha) + (not fixed_gamma)
        self.covering(spaces, frees)
        if self.is_listed:
            return "; on the sides of cells it holds by continuity in α and γ" if frees else ""
        if self.is_continuous():
            return (
                "; on the sides of cells it holds by continuity: where dd > 0 in linf or l1, the "
                "inputs around have the same ideal output"
            )
        self.sides(spaces)
        return f"; {len(spaces) - len(self.fixed_inputs())} ties are separate regions"

    def covering(self, spaces: list[ParameterSpace], frees: int = 0) -> set[tuple[object, ...]]:
        """Check that each input is in a region; `frees` of α and γ move in all of them."""
        flats = {space.flat() for space in spaces}
        self.require(len(flats) == len(spaces), "a region occurs twice")
        reals = 0 if self.is_listed else self.derivation.members.count(None)
        first = 1 + (self.unit is not None)
        whole = tuple(reduced(self.directions(first + reals + frees, first)))
        for one in self.fixed_inputs():
            self.require((str(one), whole) in flats, "a region is missing")
        return flats

    def is_continuous(self) -> bool:
        """Whether what holds inside cells is known to hold on their sides, wherever dd > 0."""
        spec = self.derivation.spec
        metric, is_total = spec["input_distance"].get("name"), not self.derivation.is_partial
        is_norm = metric in ("linf", "l1", "l2")
        return is_norm and self.is_by_value and not self.closed and is_total

    @property
    def is_by_value(self) -> bool:
        """Whether two outputs agree exactly if they are equal."""
        spec = self.derivation.spec
        named = spec["output_distance"].get("name") in ("discrete", "sup")
        return spec["agreement"] == "equal" or named

    def sides(self, spaces: list[ParameterSpace]) -> None:
        """Check that sides of cells on which something may jump are regions."""
        self.derive("sides of cells that are examined separately", lambda: self.faces(spaces))
        spec = self.derivation.spec
        metric, gap = (spec[name].get("name") for name in ("input_distance", "output_distance"))
        right = metric in ("linf", "l1", "l2", "discrete")
        if not right or not (self.is_by_value or gap == "value_gap"):
            what = "sides of cells on which dd jumps and the ideal does not"
            reason = "known only for norms and discrete on inputs, and named gaps of outputs"
            self.not_derived.setdefault(what, []).append(reason)

    def directions(self, size: int, first: int) -> list[list[Fraction]]:
        """Return vectors that span all (ε, …, εx, …) of the claim: εx = cε where a box is flat."""
        found = [[Fraction(j == k) for j in range(size)] for k in range(size)]
        flat = []
        for k, (low, high) in enumerate(self.ends or (), start=first):
            if low == high and isinstance(low, Fraction):
                found[0][k] = low
                flat.append(k)
        return [one for k, one in enumerate(found) if k not in flat]

    def faces(self, spaces: list[ParameterSpace]) -> bool:
        """Check that each tie of the ideal is a separate space.

        Between ties the ideal output is the same, or it is undefined, and with it the sets of
        inputs that disagree; so dd is continuous in norms, and constant in the discrete distance.
        Where values of the
        output distance meet, fewer γ remain to be looked at.
        """
        flats = {space.flat() for space in spaces}
        for space in spaces:
            for form in sorted(self.ties(space)):
                self.face(space, form, flats)
        return True

    def ties(self, space: ParameterSpace) -> set[Vector]:
        """Return the forms that the ideal compares with 0, and gaps that decide disagreement.

        A form counts if it is 0 somewhere where the comparisons before it come out as on its path,
        and these do so on a full part of the space: otherwise one of them is 0 there, and the input
        is on the tie of that one, which is a space of its own.
        """
        pairs = zip(space.entries, self.derivation.members, strict=True)
        fixed = [None if members is None else one for one, members in pairs]
        found: set[Vector] = set()
        for path, _ in self.derivation.ideal_paths(fixed):
            region = space.region
            for condition, op in path.conditions:
                total = [condition.constant] + [_ZERO] * (space.size - 1)
                for name, c in condition.coefficients.items():
                    moved = space.entries[name].form
                    total = [a + c * b for a, b in zip(total, moved, strict=True)]
                form = tuple(total)
                if not any(form[1:]):
                    if holds(form[0], op):
                        continue
                    break
                if flat_of(region, form):
                    found.add(form)
                if op != "!=":
                    region = region.cut([-q for q in form] if op[0] == "<" else form)
                if op == "==" or not region.is_full:
                    break
        spec = self.derivation.spec
        if spec["agreement"] != "equal" and spec["output_distance"].get("name") == "value_gap":
            moving = [one.form for one in space.entries if isinstance(one, At)]
            for one, two in combinations(moving, 2):
                found.add(tuple(a - b for a, b in zip(one, two, strict=True)))
        return {form for form in found if any(form[1:])}

    def face(self, space: ParameterSpace, form: Vector, flats: set[tuple[object, ...]]) -> None:
        """Check that the part of a space where a form is 0 is a space, unless it is empty."""
        directions = flat_of(space.region, form)
        right = not directions or space.flat(directions) in flats
        self.require(right, "a tie, at which the claim may jump, is not examined")

    def least(self, space: ParameterSpace, flats: set[tuple[object, ...]]) -> None:
        """Check that inputs at which dd is the least α are examined, if the claim is made there.

        On a cell let D be what is stated of dd, so D ≥ dd, also on its sides, as far as dd is
        continuous there. Where the least α, say a, is below D, the claim is made on the cell for
        α from a on, so what holds on its sides holds by continuity. What is left are inputs with
        a = dd = D, if α may be dd. Either D = a on a flat of fewer parameters, which must be a
        space; or D = a on the whole cell. Then the claim is made there, unless α is a parameter:
        then α = a must be a space.
        """
        level = self.levels[0]
        if not self.closed or (isinstance(level, RealInterval) and not level.lower_closed):
            return
        for form in sorted(space.distances):
            if any(form[1:]):
                self.face(space, form, flats)
            elif form[0] == 0 and space.alpha is not None:
                at = space.alpha.form
                start = (at[0] - Fraction(level.lower), *at[1:])
                if any(start[1:]):
                    self.face(space, start, flats)

    def jumps(self, space: ParameterSpace, flats: set[tuple[object, ...]]) -> None:
        """Check that the probability is continuous, or that its jumps are examined.

        It may jump where the mechanism compares inputs without noise. If each such form is always
        treated as on one of its sides where it is 0, and the forms are independent, then the input
        there behaves as inputs close to it do. In a box these must be in the box: so they are if
        each form is of one number alone, and some input of the box is on the side in question.
        """
        sides: dict[Vector, set[int]] = {}
        for form, op in space.compared:
            direction = tuple(map(Fraction, whole(form)))
            turned = next(q for q in direction if q) < 0
            key = tuple(-q for q in direction) if turned else direction
            side = {">": -1, "<=": -1, ">=": 1, "<": 1}.get(op, 0)
            sides.setdefault(key, set()).add(-side if turned else side)
        unit = tuple(Fraction(k == 0) for k in range(space.size))
        harmless = all(len(one) == 1 and 0 not in one for one in sides.values())
        if self.ends is None:
            harmless = harmless and len(reduced([unit, *sides])) == 1 + len(sides)
        else:
            harmless = harmless and _has_room(space.region, sides)
        if not harmless:
            for form in sorted(sides):
                self.face(space, form, flats)


def between(
    form: Vector, unit: Vector, low: Fraction | float, high: Fraction | float
) -> Iterator[Vector]:
    """Yield the conditions that a form is between two multiples of another one."""
    for end, sign in ((low, 1), (high, -1)):
        if isinstance(end, Fraction):
            yield tuple(sign * (a - end * b) for a, b in zip(form, unit, strict=True))


def _has_room(region: PolyhedralCone, sides: dict[Vector, set[int]]) -> bool:
    """Whether a region is a product of intervals, with points on a side of forms of one number."""
    return all(sum(map(bool, side[1:])) <= 1 for side in region.sides) and all(
        sum(map(bool, form[1:])) == 1
        and any(side * dot(form, ray) > 0 for side in sided for ray in region.generators)
        for form, sided in sides.items()
    )


def flat_of(region: PolyhedralCone, form: Vector) -> list[Vector]:
    """Return vectors that span the part of a region where a form is 0; none if ε is 0 there."""
    tie = region.cut(form).cut([-q for q in form])
    found = [tuple(map(Fraction, ray)) for ray in (*tie.rays, *tie.lines)]
    return found if any(ray[0] for ray in found) else []
