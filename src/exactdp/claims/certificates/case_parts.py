"""Proofs of the cases of a claim: parts of the parameters, and regions on each of them.

For each case, the parameters are divided by values of ε and by linear forms, until all obligations
on each part are proved on cones, where conditions are replaced by linear consequences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.certify.rederive.case_conditions import Coordinates as CheckedCoordinates
from exactdp.certify.rederive.case_conditions import Leaf, signs_in
from exactdp.certify.rederive.products import LevelEnds, ends_of
from exactdp.certify.rederive.products import bound as linear_bound
from exactdp.claims.certificates.claim_cases import ClaimCase, equalities, has_products
from exactdp.claims.certificates.examined import ExaminedRegion, SignProofs
from exactdp.claims.certificates.parts import Completed, checker_of
from exactdp.claims.certificates.plain_data import interval_json
from exactdp.claims.certificates.written import WrittenRegion
from exactdp.claims.decision.largest import above, exponential
from exactdp.claims.decision.progress import nobody
from exactdp.claims.regions.region import Combination, Region, Vector
from exactdp.claims.stated.admissible import LinearSide
from exactdp.claims.stated.expressions import Comparison, Expression
from exactdp.claims.stated.hypotheses import falls, proved_signs
from exactdp.claims.stated.levels import Range, constant
from exactdp.claims.stated.products import PolynomialSide
from exactdp.cones import Cone
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.layout import kinds
from exactdp.language.linear import UNIT, base_of
from exactdp.language.values import Value
from exactdp.reals import ExpPoly, Interval, eps, nonnegative
from exactdp.reals.certificates import Json
from exactdp.reals.logs import log_enclosure
from exactdp.reals.numbers import inf, spell
from exactdp.reals.unexpanded import Unexpanded, no_certificate

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.decision.work import Explored


_MOST_LEAVES = 120  # parts of one group
_DEEPEST = 14
_LOG_BITS = 64  # of bounds on a logarithm


def _refused(problem: str) -> ValueRefusedError:
    return ValueRefusedError(
        problem,
        rule="On each part of the parameters what is due must be proved on cones, with room where "
        "a condition is no linear one.",
        way_out="Claim slightly less (multiply β by 1.001), or write one claim for each "
        "case, with numbers.",
    )


class CaseWriter:
    """Writes the groups of one claim."""

    def __init__(
        self,
        verdict: Verdict,
        unit: str | None,
        stated: Json,
        signs: SignProofs,
        *,
        is_cut: bool = False,
    ) -> None:
        self.claim, self.unit, self.signs = verdict.claim.by_cells(whole=True), unit, signs
        self.is_cut = is_cut
        """Whether α is a parameter, so that parts are cut where two bounds are equal."""
        base = None if unit is None else base_of(unit)
        one = Fraction(1)
        self.log = (one, one) if base is None else log_enclosure(base, _LOG_BITS)
        """Bounds on the unit: 1, or a logarithm."""
        cases = stated["cases"]
        self.varying = {k for k in ("alpha", "gamma") if any(c[k] != cases[0][k] for c in cases)}
        """Those of α and γ that jump between cases: where two cases meet, neither is left out."""
        self.checker = checker_of(stated, verdict.orders)

    def group(self, number: int, case: ClaimCase, fixed: tuple[Value, ...]) -> Json:
        """Return the proof of a case at an input, or at values of the finite entries."""
        group = _Group(self, number, case, fixed)
        return {"free": list(group.free), "tree": group.tree(self.claim.epsilon, (), 0)}


class _Group:
    """One case at an input, or at values of the finite entries."""

    def __init__(
        self, writer: CaseWriter, number: int, case: ClaimCase, fixed: tuple[Value, ...]
    ) -> None:
        self.writer, self.claim, self.number = writer, writer.claim, number
        self.case, self.fixed = case, fixed
        self.left = _MOST_LEAVES
        self._positive: list[Vector] = []  # forms that strict conditions exclude from being 0
        self.reals = self.claim.scope.free
        unit = () if writer.unit is None else (writer.unit,)
        self.names: tuple[str, ...] = ("eps", *unit, *self.reals, *self.free)

    @cached_property
    def free(self) -> tuple[str, ...]:
        """The parameters among α and γ: those for which no theorem determines sufficient values."""
        case, claim = self.case, self.claim
        used = frozenset().union(*(one.form.names() for one in case.when))
        noisy = claim.mechanism.checked.output.holds_noise

        def fall(name: str) -> bool:
            return all(falls(one, name, claim.epsilon) for one in case.betas)

        alpha, gamma = case.alpha, case.gamma
        follows = isinstance(gamma, Expression) and "alpha" in gamma.names()
        is_free = {
            "alpha": "alpha" in used or follows or self.writer.is_cut or not fall("alpha")
            if isinstance(alpha, Range)
            else constant(alpha) is None or "alpha" in self.writer.varying
        }
        is_free["gamma"] = (
            "gamma" in used or noisy or is_free["alpha"] or not fall("gamma")
            if isinstance(gamma, Range)
            else constant(gamma) is None or "gamma" in self.writer.varying
        )
        return tuple(name for name, free in is_free.items() if free)

    # The tree -------------------------------------------------------------------------

    def tree(self, on: Interval, cuts: tuple[Vector, ...], depth: int) -> Json:
        """Return the parts of the group for some ε."""
        self.left -= 1
        leaf = self._leaf(on, cuts)
        count = len(self.case.betas)
        has_mean = count > 1 and self.names != ("eps",)
        for part in range(count + has_mean):  # the last is a mean of all
            sides, rows = self._sides(on, leaf)
            regions = self._explored(on, rows, part)
            if all(sign.holds for _, steps in regions for _, found in steps for _, sign in found):
                return self._written(leaf, part, sides, rows, regions)
        if depth >= _DEEPEST or self.left <= 0:
            raise _refused("no certificate is found: the claim is tight, or has too many cases")
        form = self._cut(cuts) or self._sign_cut(leaf) or self._product_cut(leaf, depth)
        if form is not None:
            return {
                "form": [spell(q) for q in form],
                "above": self.tree(on, (*cuts, form), depth + 1),
                "below": self.tree(on, (*cuts, tuple(-q for q in form)), depth + 1),
            }
        if on.is_point:
            raise _refused("no certificate is found: the claim is tight, or has too many cases")
        point = on.simple_point()
        if not on.lower < point < on.upper:
            assert isinstance(on.upper, Fraction)
            point = (Fraction(on.lower) + on.upper) / 2
        below = Interval(on.lower, point, lower_open=on.lower_open)
        above = Interval(point, on.upper, upper_open=on.upper_open)
        return {
            "at": spell(point),
            "below": self.tree(below, cuts, depth + 1),
            "above": self.tree(above, cuts, depth + 1),
        }

    def _cut(self, cuts: Sequence[Vector]) -> Vector | None:
        """Return a linear form that separates parts with different largest formulas for β."""
        if len(self.case.betas) < 2:
            return None
        names = [name for name in self.names if name != self.writer.unit]
        found = []
        values: dict[str, Any] = {n: ExpPoly([(1, ((n, 1),), ())]) / eps for n in names[1:]}
        for beta in self.case.betas:
            bound = beta.bound_to(self._known)
            try:
                (form,) = bound.alternatives(values)
            except (ExactdpError, ValueError):
                return None
            known = exponential(form)
            if known is None:
                return None
            found.append(known)
        for k, one in enumerate(found):
            for other in found[:k]:
                gap = above(one, other, self.names)
                minus = tuple(-q for q in gap)
                if any(gap[1:]) and gap not in cuts and minus not in cuts:
                    return gap
        return None

    @cached_property
    def _known(self) -> dict[str, Any]:
        """The constant numbers of the input by name, and α and γ if they are numbers."""
        named = zip(self.claim.entry_names, self.fixed, strict=True)
        found: dict[str, Any] = {
            name: Fraction(value) for name, value in named if isinstance(value, int | Fraction)
        }
        for name in ("alpha", "gamma"):
            level = self.case.level(name)
            if name not in self.free and isinstance(level, Expression):
                found[name] = constant(level)
        return found

    # Conditions -----------------------------------------------------------------------

    def _sides(self, on: Interval, leaf: Leaf) -> tuple[list[Json], list[Vector]]:
        """Return linear conditions that follow from those of the case, as data; and all rows."""
        log: list[Json] = []
        if self.writer.unit not in (None, UNIT):
            log = [{"log": [spell(end) for end in self.writer.log]}]
        rows = self.writer.checker.rows(leaf, log, in_box=True)
        written = [(False, one) for one in log]
        known = [*rows, *self._plain_rows]
        self._positive = []
        for k, one in enumerate((*self.case.when, *equalities(self.case, self.free))):
            bound = one.bound_to(self._known)
            keep: Json = {}
            side: LinearSide | None
            if has_products(bound):
                side, keep = self._bounded(bound, on, leaf), {"keep": self._kept(bound)}
            else:
                side = LinearSide.of(bound, (*self.reals, *self.free))
            found = [] if side is None else self._weaker(side, on, known)
            last = side is not None and bool(side.signed)  # others may show the signs it needs
            written += [
                (last, {"side": k, "power": p, "form": [spell(q) for q in form], **keep})
                for p, form in found
            ]
            rows += [form for _, form in found]
            if one.strict:
                self._positive += [form for _, form in found]
        return [one for _, one in sorted(written, key=lambda each: each[0])], rows

    @cached_property
    def _linear_sides(self) -> list[LinearSide]:
        """The conditions without products."""
        given = (*self.case.when, *equalities(self.case, self.free))
        bound = [one.bound_to(self._known) for one in given]
        names = (*self.reals, *self.free)
        return [LinearSide.of(one, names) for one in bound if not has_products(one)]

    @cached_property
    def _plain_rows(self) -> list[Vector]:
        """The conditions that are linear in the parameters, without the unit."""
        forms = (side.scaled().conic() for side in self._linear_sides)
        return [self._form(form) for form in forms if form is not None and not form.get("")]

    def _signs(self, side: LinearSide, rows: Sequence[Vector]) -> dict[str, int]:
        """Return the signs of the inputs of a condition that others show, 0 if they are 0."""
        found = {name: signs_in(rows, self.names.index(name)) for name in side.signed}
        return {name: sum(signs) for name, signs in found.items() if signs}

    def _sign_cut(self, leaf: Leaf) -> Vector | None:
        """Return an input whose sign helps to replace a condition by a linear one."""
        limits = self.writer.checker.limits(leaf.on, leaf.at.reals, len(leaf.at.free))
        known = [*limits, *leaf.cuts, *self._plain_rows]
        for side in self._linear_sides:
            signs = self._signs(side, known)
            for name in side.signed:
                if name not in signs:
                    return self._at(self.names.index(name), Fraction(0))
        return None

    def _kept(self, given: Comparison) -> str:
        """Return the factor of products that is not bounded by cuts: γ, if α occurs in one."""
        terms = PolynomialSide.of(given).terms
        return "gamma" if any(j for j, k in terms if j + k > 1) else "alpha"

    def _bounded(self, given: Comparison, on: Interval, leaf: Leaf) -> LinearSide | None:
        """Return a linear condition that holds where one with products does; None if none does."""
        side = PolynomialSide.of(given)
        keep = ("alpha", "gamma").index(self._kept(given))
        ends = self._ends(leaf, "alpha"), self._ends(leaf, "gamma")
        terms = {key: c for key, c in side.terms.items() if sum(key) < 2}
        for key, c in side.terms.items():
            if sum(key) < 2:
                continue
            above, below = nonnegative(c, on), nonnegative(-c, on)
            if not above.holds and not below.holds:
                return None
            found = linear_bound(key, ends, keep, above=bool(above.holds))
            if found is None:
                return None
            if c.parameters:
                self.writer.signs.decided(above if above.holds else below)
            bounds = ((0, 0), found.constant), ((1, 0), found.slopes[0]), ((0, 1), found.slopes[1])
            for new, q in bounds:
                if q:
                    terms[new] = terms.get(new, ExpPoly(0)) + c * q
        kept = {key: c for key, c in terms.items() if c.numerator}
        return PolynomialSide(kept, given.strict, given).linear()

    def _ends(self, leaf: Leaf, name: str) -> LevelEnds:
        """Return between which numbers α or γ is."""
        if name not in self.free:
            return Fraction(0), inf
        ranges = (one.form for one in self.writer.checker.ranges(leaf))
        return ends_of([*leaf.cuts, *ranges], leaf.at.of(name))

    def _product_cut(self, leaf: Leaf, depth: int) -> Vector | None:
        """Return a cut of the factor of products that is bounded by numbers."""
        given = [one.bound_to(self._known) for one in self.case.when]
        products = [one for one in given if has_products(one)]
        if not products or depth >= _DEEPEST - 2:
            return None
        name = "gamma" if self._kept(products[0]) == "alpha" else "alpha"
        low, high = self._ends(leaf, name)
        place = self.names.index(name)
        for one in products:
            side = PolynomialSide.of(one)
            alone = side.alone()
            for point in side.ends(alone) if alone == name else ():
                if low < point < high:
                    return self._at(place, point)
        if not isinstance(high, Fraction):
            return self._at(place, max(2 * low, Fraction(1)))
        if low == 0 and depth % 2:
            return self._at(place, high / 4)
        return self._at(place, (low + high) / 2)

    def _at(self, place: int, point: Fraction) -> Vector:
        """Return the form that is nonnegative where a number is at least a point."""
        return tuple(Fraction(k == place) - point * (k == 0) for k in range(len(self.names)))

    def _weaker(
        self, side: LinearSide, on: Interval, rows: Sequence[Vector]
    ) -> list[tuple[int, Vector]]:
        """Return powers p and forms that are at least ε^p times a condition."""
        signs = self._signs(side, rows)
        for name in (name for name, sign in signs.items() if not sign):
            side = side.without(name, {})
        conic = side.scaled().conic()
        if conic is not None and (not conic.get("") or self.writer.unit is not None):
            return [(-side.power, self._form(conic))]
        plain = side.relaxed(on)
        found = [] if plain is None or side.mixed else [plain]
        if side.signed and signs.keys() >= {*side.signed}:
            found += side.relaxations(on, signs, with_unit=self.writer.unit == UNIT)
        for power, form in found:
            scaled = side.times_eps(power)
            slopes = (
                ("eps", scaled.constant - form.get("", Fraction(0)) / eps),
                *scaled.coefficients,
            )
            for name, slope in slopes:
                gap = (form[name] - slope) * signs.get(name, 1)
                if gap.parameters:
                    self.writer.signs.decided(nonnegative(gap, on))
        return [(power, self._form(form)) for power, form in found]

    def _form(self, given: Mapping[str, Fraction]) -> Vector:
        """Return a form in ε, the number "" and names as a vector; if need be, a larger one."""
        named, one, unit = dict(given), given.get("", Fraction(0)), self.writer.unit or UNIT
        low, high = self.writer.log
        named[unit] = named.get(unit, Fraction(0)) + one / (low if one > 0 else high)
        return tuple(named.get(name, Fraction(0)) for name in self.names)

    # Regions --------------------------------------------------------------------------

    def _explored(
        self, on: Interval, rows: Sequence[Vector], part: int
    ) -> list[tuple[Region, list[tuple[Explored, list[Any]]]]]:
        """Return the regions of a part with their cells, and the signs that are due there."""
        claim = self.claim
        unit = {name: tuple(Fraction(n == name) for n in self.names) for name in self.names}
        places = iter(self.reals)
        moves = claim.has_inverse_eps
        domains = kinds(claim.mechanism.inputs)

        def entry(value: Value, kind: object) -> Any:
            if kind is not None:
                return value
            if self.reals:
                return Combination(unit[next(places)])
            if not moves:
                return value
            assert isinstance(value, int | Fraction)
            return Combination(tuple(value * q for q in unit["eps"]))

        whole = Region(
            self.names,
            Cone.of(len(self.names), rows),
            tuple(map(entry, self.fixed, domains)),
            on,
            unit["alpha"] if "alpha" in self.free else None,
            unit["gamma"] if "gamma" in self.free else None,
            beta=self.case.betas[part % len(self.case.betas)],
            above=self.case.betas[1:] if part == len(self.case.betas) else (),
            positive=tuple(self._positive),
        ).hull()
        if whole is None:
            return []
        found = []
        for region, _ in claim.work.with_faces((whole,), nobody):
            if self.writer.unit is not None and self.writer.unit not in region.names:
                only = spell(Fraction(region.on.lower))
                raise _refused(
                    f"no certificate: at an input the conditions leave only eps = {only}"
                )
            steps = []
            for step in claim.work.steps(region):
                decided = [(one, claim.work.sign(one)) for one in step.problems(region)]
                if any(isinstance(o.obligation.probability, Unexpanded) for o, _ in decided):
                    raise no_certificate()
                steps.append((step, decided))
            found.append((region, steps))
        return found

    def _leaf(self, on: Interval, cuts: tuple[Vector, ...]) -> Leaf:
        """Return a part as the checker has it."""
        checker = self.writer.checker
        at = CheckedCoordinates(self.writer.unit is not None, len(self.reals), self.free)
        case, within = checker.cases[self.number], checker.interval(interval_json(on))
        checker.enter(case, 0, within)
        return Leaf(case, at, list(self.fixed), within, cuts)

    def _written(
        self,
        leaf: Leaf,
        part: int,
        sides: Sequence[Json],
        rows: Sequence[Vector],
        explored: Sequence[tuple[Region, Any]],
    ) -> Json:
        """Return the proof of one part."""
        signs = self.writer.signs
        signs.decisions.clear()  # of other ε
        signs.note(
            self.claim.work, (one for _, steps in explored for _, found in steps for one in found)
        )
        for name in ("alpha", "gamma"):
            if isinstance(self.case.level(name), Range) and name not in self.free:
                betas = self.case.betas
                for beta in betas if part == len(betas) else (betas[part],):
                    for form in proved_signs(beta, self.claim.epsilon):
                        signs.decided(nonnegative(form, self.claim.epsilon))
        checker = self.writer.checker
        checker.enter(leaf.case, part, leaf.on)
        completed = Completed(checker, leaf, rows)
        written = [
            WrittenRegion(
                ExaminedRegion(self.claim, region, self.claim.work.cells(region)), signs, completed
            ).written()
            for region, _ in explored
        ]
        return {"part": part, "sides": list(sides), "regions": written}
