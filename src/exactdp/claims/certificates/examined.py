"""The regions of parameters that a verdict examined, and their cells, for its certificate.

A listed input is a region in which only ε varies, with one cell. Only this module reads a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from exactdp.claims.decision.problem import Leaf, Problem, Sign
from exactdp.claims.decision.work import proved_quickly
from exactdp.claims.regions.places import OnCone, OnRay
from exactdp.claims.regions.region import Region, Vector
from exactdp.claims.regions.shapes import Shape
from exactdp.claims.stated.claim import Bound
from exactdp.claims.stated.levels import Range
from exactdp.cones import Cone, ConeDecision
from exactdp.errors import UndefinedError, ValueRefusedError, shown
from exactdp.language.layout import assembled, entries, kinds
from exactdp.language.values import Value
from exactdp.polyhedra.cone import dot
from exactdp.reals import ClosedForm, Decision, Interval, nonnegative
from exactdp.reals.certificates import Json, without_head
from exactdp.reals.unexpanded import Unexpanded, no_certificate
from exactdp.semantics.spots import OnFaceError, Trace, has_spots

_MOST_INPUTS = 40_000  # of a certificate
_CLOSER = Fraction(1, 10**36)  # how far dd is rounded up where nothing is claimed
_STEPS = (Fraction(1, 2), 1, -1, 10, -10, 1000, -1000)  # entries that may give another output

if TYPE_CHECKING:
    from exactdp.claims.decision.accuracy import DecidedAccuracy
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.decision.work import Explorer


def examined(verdict: Verdict) -> Iterator[ExaminedRegion]:
    """Yield the regions that a verdict examined, with their cells."""
    claim = verdict.claim
    if any(one.region.stands_for is not None for one in verdict.findings):
        yield from _each(verdict)
        return
    for one in verdict.findings:
        corner = one.region.corner
        if corner is not None and corner.names != one.region.names:
            continue  # a face of a corner, which follows by continuity
        yield ExaminedRegion(claim, one.region, one.cells)


def true_everywhere() -> ValueRefusedError:
    """Return the error for a certificate about a box that was not examined itself."""
    return ValueRefusedError(
        "the claim is true in this box because it is true of all real inputs",
        rule="A certificate is about the inputs of its claim.",
        way_out="Take the certificate of the claim with inputs=AllReals().",
    )


def true_at_one(claim: DecidedAccuracy) -> ValueRefusedError:
    """Return the error for a certificate about inputs of which only one was examined."""
    return ValueRefusedError(
        "the claim was decided at one input, because the error is the same at every input",
        rule="A certificate would list a case for each way to compare the inputs.",
        way_out=f"Take the certificate of the claim with inputs={shown(claim.inputs)}.",
    )


def true_near_few(claim: DecidedAccuracy) -> ValueRefusedError:
    """Return the error for a certificate about a selection that was decided at its worst inputs."""
    return ValueRefusedError(
        "the claim was decided at the inputs close to which the error is largest",
        rule="A certificate would list a case for each way to compare the inputs. What one takes "
        "on trust instead: that no other input is worse (docs/theory.md, section 'All real "
        "inputs').",
        way_out="Take the certificate of the same claim with at most five numbers, or of "
        f"output_distance=discrete with inputs={shown(claim.inputs)}.",
    )


def tight_at_an_end() -> ValueRefusedError:
    """Return the error for a certificate by parts of ε that is not found."""
    return ValueRefusedError(
        "no certificate is found for the parts of eps between which a min or max changes",
        rule="On intervals with rational ends around the parts, each bound is proved, or is the "
        "function that changes times one that is proved.",
        way_out="Ask for the intervals of eps between these changes one by one, or claim slightly "
        "less (multiply β by 1.001).",
    )


def _each(verdict: Verdict) -> Iterator[ExaminedRegion]:
    """Yield the region of each input of a grid whose inputs were examined by classes.

    The obligations at each input of a class are those at its first one; the checker rederives them.
    """
    if verdict.inputs > _MOST_INPUTS:
        raise ValueRefusedError(
            f"a certificate about {verdict.inputs:,} inputs is too large",
            rule=f"A certificate lists the inputs one by one, at most {_MOST_INPUTS:,} of them.",
            way_out="Use a smaller grid, or inputs=AllReals() or Box(lo, hi).",
        )
    claim = verdict.claim
    numbers = claim.scope.grid
    by_input = {
        member: one
        for one in verdict.findings
        if one.region.stands_for is not None
        for member in one.region.stands_for.members(numbers)
    }
    for u in claim.scope.listed():
        one = by_input[tuple(entries(u))]
        region = replace(one.region, entries=tuple(entries(u)), stands_for=None)
        yield ExaminedRegion(claim, region, one.cells)


def require_formulas(verdict: Verdict) -> None:
    """Refuse a claim that a certificate cannot contain."""
    if any(isinstance(one.obligation.probability, Unexpanded) for one, _ in verdict.decided):
        raise no_certificate()


@dataclass(frozen=True)
class ExaminedRegion:
    """A region of parameters and its cells."""

    claim: DecidedAccuracy
    region: Region
    leaves: Sequence[Leaf]

    def _input(self, point: Sequence[int]) -> tuple[Value, ...]:
        """Return the input at a sample."""
        return self.region.input(self.claim.mechanism.inputs, Trace(self.region.names, point))

    def at(self, cell: Leaf) -> tuple[Value, Any, list[Any] | None] | None:
        """Return the ideal output, dd and, if needed, the values of the output distance.

        Return None if the ideal is not defined there.
        """
        claim, work = self.claim, self.claim.obligations
        many = claim.level_values.gamma_follows or isinstance(claim.gamma_level, Range)
        many = many and self.region.gamma is None and self.region.alpha is None
        many = many or (isinstance(claim.gamma_level, Range) and self.region.gamma is None)
        if cell.result and cell.result.obligations and not many:
            first = cell.result.obligations[0]
            return first.output, first.distance, None
        for point in _samples(cell.cone):
            u = self._input(point)
            try:
                output = claim.ideal_function(u)
                distance = work.distance(u)
                if cell.result is None and claim.has_roots and not has_spots(u):
                    distance = work.reach(u, output, distance, _CLOSER)
                found = None
                if many and cell.result is not None:
                    found = [step for step, _ in work.within.steps(u, output)]
            except OnFaceError:
                continue
            except UndefinedError:
                return None
            return output, distance, found
        raise AssertionError("no point of a cell is on no face")

    def near(self, point: Sequence[int]) -> tuple[list[Any], tuple[Fraction, ...] | None] | None:
        """Return a nearest disagreeing input for a point, with a direction if it is a limit."""
        u = self._input(point)
        return self.claim.obligations.approach(u, self.claim.ideal_function(u))

    def another(self, point: Sequence[int]) -> tuple[list[Any], None] | None:
        """Return an input with another ideal output, which differs in one entry.

        Under the discrete distance all inputs are equally near.
        """
        claim, params = self.claim, self.claim.mechanism.inputs
        u = self._input(point)
        output, own = claim.ideal_function(u), [*entries(u)]
        for k, kind in enumerate(kinds(params)):
            for value in _STEPS if kind is None else kind.members:
                there = [*own[:k], value, *own[k + 1 :]]
                if claim.ideal_function(assembled(params, there)) != output:
                    return there, None
        return None


def _samples(cone: Cone) -> Iterator[list[int]]:
    """Yield points inside a cone."""
    for weights in product((2, 5, 11, 23), repeat=len(cone.rays)):
        point = [0] * cone.size
        for weight, ray in zip(weights, cone.rays, strict=True):
            point = [a + weight * b for a, b in zip(point, ray, strict=True)]
        for k, line in enumerate(cone.lines):
            point = [a + (29 + 7 * k) * b for a, b in zip(point, line, strict=True)]
        yield point


class WrittenSign(NamedTuple):
    """Where a proof is written that a function times a square is nonnegative."""

    under: Any
    """The function that is squared, or None for 1."""
    place: int
    kept: Sequence[int]
    """The parameters of the proof."""
    origin: Vector | None = None
    """A multiple of the unit that is the origin of the proof."""


class SignProofs:
    """The proofs of signs, each written once."""

    def __init__(self, verdict: Verdict) -> None:
        self.decisions: dict[tuple[ClosedForm, ClosedForm], Decision] = {}
        self.on_cones: dict[Shape, ConeDecision] = {}
        self.problems: list[Problem] = []
        self.orders: tuple[ClosedForm, ...] = verdict.orders
        self.written: list[Json] = []
        self._places: dict[object, int] = {}
        for one in (verdict, verdict.larger):
            if one is not None:
                self.note(verdict.claim.work, one.decided)

    def note(self, work: Explorer, decided: Iterable[tuple[Problem, Sign]]) -> None:
        """Keep the signs of problems, to write them when requested."""
        for problem, sign in decided:
            if isinstance(sign, Decision):
                self.decisions[problem.obligation.probability, problem.beta] = sign
            elif isinstance(sign, ConeDecision) and sign.holds:
                self.on_cones[work.shape_of(problem, sign)] = sign
                self.problems.append(problem)

    def place(self, region: Region, cell: Leaf, one: Bound, which: int) -> WrittenSign:
        """Return D, the place of the proof that (Pr − 1 + β)·D² ≥ 0, and its parameters."""
        decision = self.decisions.get((one.probability, one.beta[which]))
        if decision is not None:
            return WrittenSign(None, self.decided(decision), (0,))
        if region.is_ray:
            sign = self.proved(one.probability - 1 + one.beta[which], region.on)
            return WrittenSign(None, sign, (0,))
        on = OnCone(region.names, cell.cone, region.window)
        problem = Problem(region, cell, on, one, which)
        shape = self._around(problem)
        under, origin = problem.gap.denominator, None
        if problem.raw_shape in self.on_cones:
            shape, under = problem.raw_shape, (one.probability - 1 + problem.beta).denominator
        elif shape not in self.on_cones:
            for vertex, moved in problem.from_vertices:
                found = self.on_cones.get(moved) or proved_quickly(moved)
                if found is not None:
                    shape, origin = moved, tuple(row[0] for row in vertex)
                    under = (one.probability - 1 + problem.beta).denominator
                    self.on_cones[moved] = found
                    break
        return WrittenSign(None if under == 1 else under, self.on_cone(shape), shape.kept, origin)

    def decided(self, decision: Decision) -> int:
        """Return where a decision about a function of ε is written."""
        key = decision.function, decision.on
        if key not in self._places:
            self._places[key] = len(self.written)
            self.written.append(without_head(decision.certificate))
        return self._places[key]

    def places(self, verdict: Verdict) -> dict[ClosedForm, int]:
        """Return where the proofs of all signs in ε of a verdict are written."""
        found: dict[ClosedForm, int] = {}
        for problem, sign in verdict.decided:
            if isinstance(sign, Decision):
                found[problem.gap] = self.decided(sign)
            elif isinstance(problem.place, OnRay):
                found[problem.gap] = self.proved(problem.gap, problem.place.on)
        return found

    def proved(self, form: ClosedForm, on: Interval) -> int:
        """Return where a function is written that is proved on an interval around a part of ε.

        If it is 0 at an irrational end of the part, it is one that changes its sign there times
        another one.
        """
        decision = nonnegative(form, on)
        if decision.holds:
            return self.decided(decision)
        for k, order in enumerate(self.orders):
            decision = nonnegative(form / order, on)
            if decision.holds:
                self.written.append({"order": k, "factor": without_head(decision.certificate)})
                return len(self.written) - 1
        raise tight_at_an_end()

    def _around(self, one: Problem) -> Shape:
        """Return the shape of a problem, or of one that is decided on a cone around it.

        The latter occurs in a box, if the claim was proved for all real inputs.
        """
        if one.shape in self.on_cones:
            return one.shape
        cone = one.cell.cone
        points = [*cone.rays, *cone.lines, *(tuple(-q for q in line) for line in cone.lines)]
        for other in self.problems:
            here = replace(other.region, cone=one.region.cone) == one.region
            if here and other.gap == one.gap:
                sides = other.cell.cone.inequalities
                if all(dot(side, point) >= 0 for side in sides for point in points):
                    return other.shape
        return one.shape

    def on_cone(self, shape: Shape) -> int:
        """Return where the proof of a shape is written."""
        if shape not in self._places:
            decision = self.on_cones.get(shape)
            if decision is None:
                decision = shape.decision()
            if not decision.holds:
                raise true_everywhere()
            self._places[shape] = len(self.written)
            self.written.append(decision.proof.to_json())
        return self._places[shape]
