"""Certificates of claims by cases, with conditions on ε, α, γ and the input.

A case has conditions that are linear in α, γ and the inputs, with coefficients that are functions
of ε; a range or a formula for each of α and γ; and formulas whose maximum is β. The claim is the
conjunction of all cases. For each case, and each input or each value of the finite entries, a
tree cuts the parameters by values of ε and by linear forms, so its leaves cover everything. At a
leaf the conditions are replaced by linear ones that they imply for its ε: a stronger statement than
the claim is proved. Then the leaf is a region as in `claims`.

If 1/ε is combined with reals, or occurs in conditions, it is an additional variable: scaled by ε it
is the parameter 1, the unit. It is log b for a number b if log(b)/ε is combined with reals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any, NamedTuple

from ..kernel.cones import PolyhedralCone, UndecidedError, Vector, leaves, reduced
from ..kernel.reading import RealInterval, RejectedError, counted
from . import formulas, values
from .claims import Claims, Proved
from .derivation import single
from .formulas import Tree
from .linear import is_number
from .near_logs import NearLog, cone_at, unit_is_between
from .obligations import Levels
from .orders import covers
from .parametric import At, ProgramOnCone
from .points import vector_of
from .products import bound, ends_of
from .ratios import EPS, Ratio, variable
from .spaces import ParameterSpace
from .statement import levels_said

_PARTS = (
    "mechanism ideal cases input_distance output_distance boundary agreement epsilon inputs unit"
)
_GROUP = "case input free tree"
_LEVELS = ("alpha", "gamma")
_MOST_POWER = 12
_ZERO = Fraction(0)


class Side(NamedTuple):
    """A formula that is nonnegative, or positive."""

    form: Tree
    strict: bool


class Case(NamedTuple):
    """Conditions, α and γ, and formulas of which β is the largest."""

    when: list[Side]
    levels: tuple[values.Level, values.Level]
    betas: list[Tree]

    def said(self) -> str:
        """Return the case in words."""
        beta = formulas.say(self.betas[0])
        if len(self.betas) > 1:
            beta = f"maximum({', '.join(map(formulas.say, self.betas))})"
        when = "".join(
            f"{', ' if k else ' where '}{formulas.say(one.form)} {'>' if one.strict else '≥'} 0"
            for k, one in enumerate(self.when)
        )
        return f"{levels_said(self.levels)} and β = {beta}{when}"


class Coordinates(NamedTuple):
    """All numbers that move in a group: ε, the unit, real inputs, α and γ where they are free."""

    unit: bool
    reals: int
    free: tuple[str, ...]

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return 1 + self.unit + self.reals + len(self.free)

    def of(self, name: str) -> int:
        """Return the place of α or γ."""
        return 1 + self.unit + self.reals + self.free.index(name)


class Leaf(NamedTuple):
    """A part of a group: the ε of an interval, and linear conditions on its coordinates."""

    at: Coordinates
    fixed: list[Any]
    on: RealInterval
    cuts: tuple[Vector, ...]


class CaseClaims(Claims):
    """One pass over the certificate of a claim by cases; raises if something is not proved."""

    cases: list[Case]
    whole: RealInterval  # all ε of the claim; `epsilon` is the part that is examined
    unit: Fraction | None  # 0 for 1/ε, or the base of a logarithm

    def read_claim(self, claim: Any) -> None:
        """Read what is claimed."""
        self.where = "the claim"
        spec = dict(zip(_PARTS.split(), self.fields(claim, _PARTS), strict=True))
        self.read_setting(spec)
        self.whole = self.epsilon
        self.unit = None if spec["unit"] is None else self.rational(spec["unit"])
        self.require(self.unit in (None, 0) or self.unit > 1, "not the base of a logarithm")
        self.derivation.base = self.unit or None
        self.cases = []
        for one in self.entries(spec["cases"]):
            when, alpha, gamma, betas = self.fields(one, "when alpha gamma beta")
            sides = []
            for side in self.entries(when):
                form, strict = self.fields(side, "form strict")
                self.require(type(strict) is bool, "a condition is strict or not")
                sides.append(Side(formulas.read(self, form), strict))
            levels = values.level(self, alpha), values.level(self, gamma)
            trees = [formulas.read(self, tree) for tree in self.entries(betas)]
            self.require(trees, "there is no β")
            self.cases.append(Case(sides, levels, trees))
        self.levels, self.beta = (), None  # type: ignore[assignment]
        self.claim = self.sentence(spec)

    def levels_said(self) -> str:
        """Return α, β and γ in words."""
        return "; and ".join(case.said() for case in self.cases[:5]) + "; …" * (len(self.cases) > 5)

    # That it holds --------------------------------------------------------------------

    def holds(self, listed: list[Any], signs: list[Any]) -> str:
        """Check that the claim holds, and return how that is proved."""
        for k, one in enumerate(signs):
            self.where = f"sign {k}"
            self.signs.append(self.sign(one))
        wanted = [(k, one) for k in range(len(self.cases)) for one in self.fixed_inputs()]
        self.where = "the regions"
        groups = self.entries(listed, len(wanted))
        regions = 0
        for number, (given, (k, fixed)) in enumerate(zip(groups, wanted, strict=True), 1):
            self.where = f"group {number}"
            case, entries, free, tree = self.fields(given, _GROUP)
            right = self.integer(case, 0, len(self.cases) - 1) == k
            found = [
                None if one is None else values.value(self, one) for one in self.entries(entries)
            ]
            self.require(right and found == fixed, "a case or an input is left out")
            at = self.coordinates(free, fixed)
            for leaf, node in self.parts(Leaf(at, fixed, self.whole, ()), tree):
                regions += self.group_leaf(self.cases[k], leaf, node)
        return (
            f"{counted(self.leaves, 'cell')} of {counted(regions, 'region')} cover the cases, it "
            f"says nothing on {self.silent} of them, {counted(len(self.signs), 'sign')} prove the "
            "others"
        )

    def fixed_inputs(self) -> list[list[Any]]:
        """Return the inputs, or the values of their finite entries, with None for reals."""
        if self.is_listed:
            return [single(u) for u in self.inputs]
        kinds = self.derivation.members
        return [list(one) for one in product(*((None,) if m is None else m for m in kinds))]

    def coordinates(self, free: Any, fixed: list[Any]) -> Coordinates:
        """Read which of α and γ are free."""
        names = tuple(self.entries(free))
        right = names in ((), ("alpha",), ("gamma",), ("alpha", "gamma"))
        self.require(right, "not α or γ")
        return Coordinates(self.unit is not None, fixed.count(None) * (not self.is_listed), names)

    def parts(self, leaf: Leaf, tree: Any) -> Iterator[tuple[Leaf, Any]]:
        """Yield the parts into which a tree cuts a group, with the statements about each."""
        waiting = [(leaf, tree)]
        while waiting:
            part, node = waiting.pop()
            if isinstance(node, dict) and "at" in node:
                at, below, above = self.fields(node, "at below above")
                point = self.rational(at)
                self.require(part.on.lower < point < part.on.upper, "a cut outside")
                lower = part.on._replace(upper=point, upper_closed=True)
                upper = part.on._replace(lower=point, lower_closed=True)
                waiting += [(part._replace(on=upper), above), (part._replace(on=lower), below)]
            elif isinstance(node, dict) and "form" in node:
                listed, above, below = self.fields(node, "form above below")
                form = self.form(listed, part.at.size)
                minus = tuple(-q for q in form)
                waiting += [
                    (part._replace(cuts=(*part.cuts, minus)), below),
                    (part._replace(cuts=(*part.cuts, form)), above),
                ]
            else:
                yield part, node

    def group_leaf(self, case: Case, leaf: Leaf, given: Any) -> int:
        """Check a part of a group: its conditions, that its regions are all, and these."""
        part, sides, listed = self.fields(given, "part sides regions")
        self.enter(case, self.integer(part, 0, len(case.betas)), leaf)
        rows = self.rows(case, leaf, sides)
        cone = PolyhedralCone(leaf.at.size, self)
        for row in rows:
            cone = cone.cut(row)
        found = self.entries(listed)
        if not any(ray[0] for ray in cone.generators):
            self.require(not found, "a region without ε")
            return 0
        spaces = [self.case_space(leaf, rows, one) for one in found]
        self.require(spaces, "a region is missing")
        flats = [space.flat() for space in spaces]
        wanted = str([None if is_moving else one for one, is_moving in self.moved(leaf)])
        whole = (wanted, tuple(reduced(cone.generators)))
        self.require(flats[0] == whole, "the first region is not the whole part")
        self.continuous(spaces)
        here = self.where
        for k, (space, one) in enumerate(zip(spaces, found, strict=True)):
            self.where = f"{here}, region {k + 1}"
            for region, cell in leaves(space.region, one["tree"]):
                self.leaf(space, region, cell)
            self.case_jumps(space, rows, leaf, set(flats))
            self.least(space, set(flats))
        if any(isinstance(one, RealInterval) for one in self.levels):
            for beta in case.betas if part == len(case.betas) else [self.beta]:
                self.falls(beta, spaces[0])
        self.where = here
        return len(spaces)

    def beyond(
        self, space: ParameterSpace, region: PolyhedralCone, dd: Any
    ) -> tuple[Fraction, ...]:
        """Return dd minus the least α, or minus α where it is a parameter, as a form."""
        if space.alpha is None:
            return super().beyond(space, region, dd)
        pairs = zip(vector_of(dd, space.size), space.alpha.form, strict=True)
        return tuple(d - a for d, a in pairs)

    def least(self, space: ParameterSpace, flats: set[tuple[object, ...]]) -> None:
        """Check that α = dd is examined, where the claim is made.

        On a cell let D be what is stated of dd, so D ≥ dd, also on its sides. Where α < D, the
        claim is proved on the cell and, by continuity, on its sides. What is left are α = dd = D:
        D = α on the whole cell, where the claim is made; or on a flat, which must be a space.
        """
        if space.alpha is None:
            super().least(space, flats)
            return
        for form in sorted(space.distances):
            if any(form[1:]):
                self.face(space, form, flats)

    def enter(self, case: Case, part: int, leaf: Leaf) -> None:
        """Examine one formula for β of a case, or a mean of all of them, at the ε of a part.

        The mean Σ β³ / Σ β² has nonnegative weights, so it is nowhere above the largest β.
        """
        self.levels, self.epsilon = case.levels, leaf.on
        is_mean = part == len(case.betas)
        self.beta = formulas.mean(case.betas) if is_mean else case.betas[part]

    def moved(self, leaf: Leaf) -> Iterator[tuple[Any, bool]]:
        """Yield the single values of the input, and whether they move."""
        for one in leaf.fixed:
            yield one, one is None and not self.is_listed

    # Conditions -----------------------------------------------------------------------

    def rows(self, case: Case, leaf: Leaf, given: Any) -> list[Vector]:
        """Return linear conditions on the coordinates that hold wherever the case is claimed."""
        at, on = leaf.at, leaf.on
        size = at.size
        units = [tuple(Fraction(j == k) for j in range(size)) for k in range(size)]
        rows = [units[0], *units[1 : 1 + at.unit], *units[1 + at.unit + at.reals :]]
        if self.unit == 0:
            for end, sign in ((on.lower, 1), (on.upper, -1)):
                if isinstance(end, Fraction):
                    rows.append(
                        tuple(sign * (a - end * b) for a, b in zip(units[0], units[1], strict=True))
                    )
        for form, (low, high) in zip(units[1 + at.unit :], self.ends or (), strict=False):
            rows += _between(form, units[0], low, high)
        rows += self.ranges(leaf)
        sides = [*(one.form for one in case.when), *_equalities(case, at)]
        for tree, one in zip(sides, self.entries(given, len(sides)), strict=True):
            if one is not None:
                rows.append(self.weaker(tree, leaf, one))
        return [*rows, *leaf.cuts]

    def weaker(self, tree: Tree, leaf: Leaf, given: Any) -> Vector:
        """Return a linear form that is not smaller than ε^p times a condition.

        The condition is Σ s(ε)·x with s for each number x that moves, and 1. So v·x is not smaller
        if v ≥ s·ε^p for 1 and for α and γ, which are not negative, and v = s·ε^p for inputs.
        Products of α and γ are first replaced by linear bounds on them (`products`).
        """
        has_keep = isinstance(given, dict) and "keep" in given
        power, listed, *keep = self.fields(given, "power form keep" if has_keep else "power form")
        p, form = self.integer(power, -10, 10), self.form(listed, leaf.at.size)
        self.require(not keep or keep[0] in _LEVELS, "not α or γ")
        slopes = self.slopes(tree, leaf, _LEVELS.index(keep[0]) if keep else None)
        scale = EPS**p
        for k, (v, slope) in enumerate(zip(form, slopes, strict=True)):
            if k == 1 and leaf.at.unit:
                continue  # beside 1
            gap = Ratio.number(v) - slope * scale
            if k == 0 and leaf.at.unit and form[1]:
                self.require(self.unit == 0, "a condition beside a logarithm")
                gap = gap + form[1] / EPS
            is_input = 0 < k <= leaf.at.unit + leaf.at.reals
            right = gap == 0 if is_input else self.never_negative(gap)
            self.require(right, "a condition is not the one of the claim")
        return form

    def slopes(self, tree: Tree, leaf: Leaf, keep: int | None) -> list[Ratio]:
        """Return a condition as the functions of ε that the coordinates are multiplied with.

        If it has products of α and γ, it is one that is not smaller; `keep` is the factor that
        remains.
        """
        size = leaf.at.size
        given: dict[str, Ratio] = {}
        place = 1 + leaf.at.unit
        for name, (value, moves) in zip(self.entry_names, self.moved(leaf), strict=True):
            if moves:
                given[name] = variable(place)
                place += 1
            elif is_number(value):
                given[name] = Ratio.number(value)
        for name in ("alpha", "gamma"):
            if name in leaf.at.free:
                given[name] = variable(leaf.at.of(name))
            else:
                level = self.levels[name == "gamma"]
                if not isinstance(level, RealInterval):
                    (given[name],) = formulas.alternatives(level, given)
        (form,) = formulas.alternatives(tree, given)
        found: list[dict[Any, Fraction]] = [{} for _ in range(size)]
        under = form.under
        right = all(len(powers) < 2 and len(rates) < 2 for powers, rates in under)
        products: dict[tuple[int, ...], dict[Any, Fraction]] = {}
        for (powers, rates), c in form.over.items():
            right = right and len(rates) < 2 and min((0, *powers[1:])) == 0
            self.require(right, "a condition is not linear")
            key = powers[:1] if any(powers[:1]) else (), rates
            if sum(powers[1:]) < 2:
                found[len(powers) - 1 if sum(powers[1:]) else 0][key] = c
            else:
                products.setdefault(powers[1:], {})[key] = c
        slopes = [Ratio(one, under) for one in found]
        for others, one in products.items():
            self.require(keep is not None, "a condition is not linear")
            self.add_bound(slopes, leaf, (*others, *(0,) * size), Ratio(one, under), keep or 0)
        return slopes

    def add_bound(
        self, slopes: list[Ratio], leaf: Leaf, powers: tuple[int, ...], c: Ratio, keep: int
    ) -> None:
        """Add a linear function that is not smaller than a product of α and γ times c."""
        places = [leaf.at.of(name) if name in leaf.at.free else None for name in _LEVELS]
        known = [0 if place is None else powers[place - 1] for place in places]
        self.require(sum(known) == sum(powers) <= _MOST_POWER, "a product of other numbers")
        is_positive = self.never_negative(c)
        self.require(is_positive or self.never_negative(-c), "the sign of a factor is not seen")
        ends = [
            (_ZERO, inf) if place is None else ends_of([*leaf.cuts, *self.ranges(leaf)], place)
            for place in places
        ]
        found = bound((known[0], known[1]), (ends[0], ends[1]), keep, above=is_positive)
        if found is None:
            raise RejectedError(f"{self.where}: a factor of a condition is not bounded")
        slopes[0] = slopes[0] + c * found.constant
        for place, slope in zip(places, found.slopes, strict=True):
            if slope and place is not None:
                slopes[place] = slopes[place] + c * slope

    def ranges(self, leaf: Leaf) -> Iterator[Vector]:
        """Yield conditions that α and γ are in their ranges."""
        size = leaf.at.size
        for name in leaf.at.free:
            level = self.levels[name == "gamma"]
            if isinstance(level, RealInterval):
                unit, one = (
                    tuple(Fraction(j == k) for j in range(size)) for k in (leaf.at.of(name), 0)
                )
                yield from _between(unit, one, level.lower, level.upper)

    def never_negative(self, form: Ratio) -> bool:
        """Whether a function of ε is seen or proved not to be negative at the ε of the part."""
        number = form.constant()
        if number is not None:
            return number >= 0
        if form.sign() == 1 or form.is_nonnegative(self.epsilon):
            return True
        return any(
            one.on is not None and covers(one.on, self.epsilon) and one.function == form
            for one in self.signs
        )

    # Regions --------------------------------------------------------------------------

    def case_space(self, leaf: Leaf, rows: Sequence[Vector], given: Any) -> ParameterSpace:
        """Read a region of a part."""
        names, listed, alpha, gamma, _ = self.fields(given, "names input alpha gamma tree")
        size = len(self.entries(names))
        self.require(0 < size <= 40 and names[0] == "eps", "not names of parameters")
        entries: list[Any] = []
        for (value, moves), one in zip(
            self.moved(leaf), self.entries(listed, len(leaf.fixed)), strict=True
        ):
            if moves:
                entries.append(At(self.form(self.fields(one, "form")[0], size)))
            else:
                self.require(values.value(self, one) == value, "another input")
                entries.append(value)
        levels = []
        for name, one in (("alpha", alpha), ("gamma", gamma)):
            self.require((one is not None) == (name in leaf.at.free), "α or γ is not free")
            levels.append(None if one is None else At(self.form(one, size)))
        unit = None
        if leaf.at.unit:
            self.require(size > 1, "the unit is missing")
            unit = At(tuple(Fraction(k == 1) for k in range(size)))
        space = ParameterSpace(
            size, entries, levels[0], levels[1], PolyhedralCone(size, self), unit=unit
        )
        forms = space.forms
        for row in rows:
            moved = [_ZERO] * size
            for q, form in zip(row, forms, strict=True):
                moved = [a + q * b for a, b in zip(moved, form, strict=True)]
            space.region = space.region.cut(moved) if any(moved) else space.region
        return space

    def continuous(self, spaces: list[ParameterSpace]) -> None:
        """Check that what holds inside cells holds on their sides, or that these are regions."""
        spec = self.derivation.spec
        metric, gap = (spec[name].get("name") for name in ("input_distance", "output_distance"))
        by_value = spec["agreement"] == "equal" or gap in ("discrete", "sup")
        is_total = not self.derivation.is_partial
        is_norm = metric in ("linf", "l1", "l2")
        if self.is_listed or (is_norm and by_value and not self.closed and is_total):
            return
        self.derive("sides of cells that are examined separately", lambda: self.faces(spaces))
        if metric not in ("linf", "l1", "l2", "discrete") or not (by_value or gap == "value_gap"):
            what = "sides of cells on which dd jumps and the ideal does not"
            reason = "known only for norms and discrete on inputs, and named gaps of outputs"
            self.not_derived.setdefault(what, []).append(reason)

    def case_jumps(
        self,
        space: ParameterSpace,
        rows: Sequence[Vector],
        leaf: Leaf,
        flats: set[tuple[object, ...]],
    ) -> None:
        """Check that the probability is continuous, or that its jumps are examined.

        Conditions on inputs may leave no room beside such a jump.
        """
        first = 1 + leaf.at.unit
        reals = range(first, first + leaf.at.reals)
        alone = self.unit is None and self.ends is None
        if alone and not any(row[k] for row in rows for k in reals):
            self.jumps(space, flats)
            return
        for form, _ in sorted(space.compared):
            self.face(space, form, flats)

    # Signs ----------------------------------------------------------------------------

    def is_for_all(self, proof: Proved, places: Sequence[int]) -> bool:
        """Whether a sign is proved for all ε of the part; `places` are those of its variables."""
        if proof.on is not None:
            return places == [0] and covers(proof.on, self.epsilon)
        if proof.window is None:
            return True
        variable_, lower, upper = proof.window
        if places[variable_] == 0:
            return lower <= self.epsilon.lower and upper >= self.epsilon.upper
        return (
            places[variable_] == 1
            and self.unit is not None
            and unit_is_between(self.unit, lower, upper)
        )

    def as_proved(self, function: Ratio) -> Ratio:
        """Return a function as signs state it: e^{unit} is a number where the unit is its log."""
        return function.without_powers(1, self.unit) if self.unit else function

    def sign_known(self, form: Ratio) -> int | None:
        """Return the sign of a closed form at every ε of the part, by a proof if need be."""
        seen = form.sign()
        if seen is not None:
            return seen
        return 1 if self.never_negative(form) else -1 if self.never_negative(-form) else None

    # Counterexamples ------------------------------------------------------------------

    def counterexample(self, given: Any) -> None:
        """Check that at an input, ε, α and γ of the claim the probability is below 1 − β."""
        parts, boxes = self.example(given)
        u = values.an_input(self, parts["input"], self.kinds)
        self.require(self.has_input(u), "the input is not one of the claim")
        eps, alpha, gamma = (self.rational(parts[name]) for name in ("eps", "alpha", "gamma"))
        self.require(self.whole.has(eps) and min(alpha, gamma) >= 0, "not one of the claim")
        output, dd = values.value(self, parts["output"]), values.distance(self, parts["distance"])
        bits = self.bits(parts["bits"])
        near = self.near_log(parts, eps, bits)
        space = cone_at(self, single(u), near)
        unit = space.unit if near is not None or self.unit is None else 1 / eps
        program = ProgramOnCone(self.derivation, space.region, space.entries, unit)
        found = self.derive("ideal outputs", lambda: (program.ideal(),))
        self.require(found is None or found[0] == output, "the ideal output is another one")
        chance, beta = (self.quotient(parts[one], space.size) for one in ("probability", "beta"))
        try:
            derived = self.derive("closed forms", lambda: program.probability(output, gamma))
        except UndecidedError as error:
            raise RejectedError(f"{self.where}: the logarithm is not known enough") from error
        right = derived is None or self.as_proved(derived) == self.as_proved(chance)
        self.require(right, "the program has another probability")
        for case in self.cases:
            self.levels = case.levels
            if self.is_made(case, space, (eps, alpha, gamma), bits):
                break
        else:
            self.require(False, "the claim is not made here")
        self.levels = RealInterval(_ZERO, True, inf, False), RealInterval(_ZERO, True, inf, False)
        self.claimed(space, (eps, alpha, gamma), output, dd, boxes)
        forms = [
            (self.betas(one, Levels(alpha, True, gamma, True), space) or [beta])
            for one in case.betas
        ]
        self.require(any(beta in some for some in forms), "β is not as claimed")
        if near is None:
            self.refuted(eps, bits, chance, beta, (parts["actual"], parts["required"]))
        else:
            for form, ends in ((chance, parts["actual"]), (1 - beta, parts["required"])):
                low, high = (self.scaled(end) for end in self.pair(ends))
                self.require(near.encloses(form, (low, high)), "a value is not as stated")
        for some in forms:
            gaps = [chance - 1 + one for one in some]
            right = any(
                self.is_below(eps, bits, gap) if near is None else near.of(gap) < 0 for gap in gaps
            )
            self.require(right, "one of the formulas for β is not exceeded")

    def near_log(self, parts: dict[str, Any], eps: Fraction, bits: int) -> NearLog | None:
        """Read bounds on the logarithm of the unit, if it is one."""
        if not self.unit:
            self.require("log" not in parts, "there is no logarithm")
            return None
        self.require("log" in parts, "bounds on the logarithm are missing")
        return NearLog.read(self, self.unit, parts["log"], eps, bits)

    def is_below(self, eps: Fraction, bits: int, form: Ratio) -> bool:
        """Whether a function of ε is seen to be negative at an ε."""
        over, under = form.terms()
        return self.sign_at(eps, bits, over) * self.sign_at(eps, bits, under) < 0

    def is_made(
        self, case: Case, space: ParameterSpace, at: tuple[Fraction, ...], bits: int
    ) -> bool:
        """Whether a case is claimed at an ε, α and γ."""
        eps, alpha, gamma = at
        numbers = {
            name: Ratio.number(Fraction(value))
            for name, value in zip(self.entry_names, space.entries, strict=True)
            if is_number(value)
        }
        for level, number in zip(case.levels, (alpha, gamma), strict=True):
            if isinstance(level, RealInterval):
                if not level.has(number):
                    return False
                continue
            (form,) = formulas.alternatives(level, {**numbers, "alpha": Ratio.number(alpha)})
            if form.at(eps) != number:
                return False
        given = {**numbers, "alpha": Ratio.number(alpha), "gamma": Ratio.number(gamma)}
        for side in case.when:
            (form,) = formulas.alternatives(side.form, given)
            over, under = form.terms()
            sign = self.sign_at(eps, bits, over) * self.sign_at(eps, bits, under)
            if sign < 0 or (sign == 0 and side.strict):
                return False
        return True


def _equalities(case: Case, at: Coordinates) -> Iterator[Tree]:
    """Yield two forms for each free α or γ, both ≥ 0 where it equals its formula."""
    minus = ("form", Ratio.number(-1))
    for name, level in zip(("alpha", "gamma"), case.levels, strict=True):
        if name in at.free and not isinstance(level, RealInterval):
            gap = ("+", ("name", name), ("*", minus, level))
            yield gap
            yield ("*", minus, gap)


def _between(
    form: Vector, unit: Vector, low: Fraction | float, high: Fraction | float
) -> Iterator[Vector]:
    """Yield the conditions that a number, scaled by ε, is between two others."""
    for end, sign in ((low, 1), (high, -1)):
        if isinstance(end, Fraction):
            yield tuple(sign * (a - end * b) for a, b in zip(form, unit, strict=True))
