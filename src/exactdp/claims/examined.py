"""What a verdict examined, as its certificate is to show it: regions of parameters and their cells.

A listed input is a region in which only ε moves, with one cell. Only this module reads a verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, product
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.everywhere import Problem
from exactdp.claims.expressions import Expression
from exactdp.claims.inputs import AllReals, Box, as_given, listed
from exactdp.claims.levels import Range
from exactdp.claims.obligations import ROUTES, Due, Obligation
from exactdp.claims.shapes import Shape, shape_of
from exactdp.claims.slices import functions_of_eps
from exactdp.claims.spaces import Space
from exactdp.cones import Cone, ExpSum, Window, nonnegative_on
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, entries, kinds
from exactdp.language.values import Value
from exactdp.polyhedra.cone import dot
from exactdp.reals import ClosedForm, Decision
from exactdp.reals.certificates import Json, without_head
from exactdp.semantics.cells import Cell, explore
from exactdp.semantics.spots import OnFaceError, Trace

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy
    from exactdp.claims.verdict import Verdict

Leaf: TypeAlias = Cell[Due | None]

_RAY = Space(("eps",), Cone.of(1, [(1,)]), (), False, False)


def examined(verdict: Verdict) -> Iterator[ExaminedRegion]:
    """Yield the regions that a verdict examined, with their cells."""
    claim = verdict.claim
    everywhere = isinstance(claim.input_set, AllReals | Box)
    if not everywhere and verdict.route in ROUTES.values():
        yield from _at_inputs(verdict)
        return
    if callable(claim.beta) and not isinstance(claim.beta, Expression):
        raise ValueRefusedError(
            "a claim on cones whose β is a Python function has no certificate",
            rule="A certificate holds β as a formula.",
            way_out="Write beta as a formula in eps, alpha and gamma, if one bounds it.",
        )
    inputs = [] if everywhere else list(listed(claim.mechanism, claim.input_set))
    if moving := list(functions_of_eps(claim, None if everywhere else inputs[0])):
        raise ValueRefusedError(
            f"a claim whose {' and '.join(moving)} moves with eps has no certificate",
            rule="In a certificate α and γ are ranges, or do not depend on ε.",
            way_out=f"Write {moving[0]}=ANY if the claim holds for all of them.",
        )
    if everywhere:
        leaves: dict[Space, list[Leaf]] = {}
        for space, cell in claim.everywhere.survey.leaves:
            leaves.setdefault(space, []).append(cell)
        for space, cells in leaves.items():
            yield ExaminedRegion.everywhere(claim, space, cells)
    for u in dict.fromkeys(inputs):
        yield from ExaminedRegion.at_input(claim, u)


def _at_inputs(verdict: Verdict) -> Iterator[ExaminedRegion]:
    """Yield the rays of listed inputs, each with one cell."""
    claim = verdict.claim
    by_input = callable(claim.beta) and not isinstance(claim.beta, Expression)
    found = {
        u: list({id(one.obligation): one.obligation for one in group}.values())
        for u, group in groupby(verdict.checked, lambda one: one.obligation.input)
    }
    for u in dict.fromkeys(listed(claim.mechanism, claim.input_set)):
        due = None
        if u in found or _is_due(claim, u):
            due = Due(tuple(found.get(u, ())))
        beta = claim.beta_at(as_given(claim.mechanism, u)) if by_input else None
        values = tuple(entries(u))
        cell = Cell(_RAY.region, due, ())
        yield ExaminedRegion(claim, _RAY, values, (False,) * len(values), [cell], beta)


def _is_due(claim: Accuracy, u: tuple[Value, ...]) -> bool:
    """Whether the claim is made at an input where nothing had to be proved."""
    distance = claim.obligations.distance(u)
    closed = claim.boundary == "check"
    level = claim.alpha_level
    if isinstance(level, Range):
        return level.reaches_below(distance, closed=closed)
    number = level.at(claim.obligations.input_values(u)).numerator.constant()
    return number is not None and (number < distance or (closed and number == distance))


@dataclass(frozen=True)
class ExaminedRegion:
    """A region of parameters and its cells; the entries of the input are forms there, or values."""

    claim: Accuracy
    space: Space
    entries: tuple[Value | tuple[Fraction, ...], ...]
    moves: tuple[bool, ...]
    """Which entries are forms."""
    leaves: Sequence[Leaf]
    own_beta: Expression | None = None
    """β here, if it is a Python function of the input."""

    @classmethod
    def everywhere(cls, claim: Accuracy, space: Space, leaves: Sequence[Leaf]) -> ExaminedRegion:
        """Return a region in which the real inputs move."""
        finite = iter(space.finite)
        moves = tuple(kind is None for kind in kinds(claim.mechanism.inputs))
        found = tuple(
            _form_of(space, name) if real else next(finite)
            for name, real in zip(claim.entry_names, moves, strict=True)
        )
        return cls(claim, space, found, moves, leaves)

    @classmethod
    def at_input(cls, claim: Accuracy, u: tuple[Value, ...]) -> Iterator[ExaminedRegion]:
        """Yield the region of ε and the α and γ that are free, at one input.

        If the claim is made at the least α only, because that is dd, another one has this α.
        """
        level = claim.alpha_level
        alpha, gamma = (isinstance(one, Range) for one in (level, claim.gamma_level))
        names = ("eps", *("alpha",) * alpha, *("gamma",) * gamma)
        units = [tuple(int(j == k) for j in range(len(names))) for k in range(len(names))]
        space = Space(names, Cone.of(len(names), units), (), alpha, gamma)
        found = tuple(entries(u))
        yield cls(claim, space, found, (False,) * len(found), ())._explored()
        if isinstance(level, Range) and claim.boundary == "check" and level.has(level.lower):
            face = space.face((-level.lower, Fraction(1), *(Fraction(0),) * gamma))
            if claim.obligations.distance(u) == level.lower and face is not None:
                yield cls(claim, face, found, (False,) * len(found), ())._explored()

    def _explored(self) -> ExaminedRegion:
        """Return the same with its cells."""

        def run(trace: Trace) -> Due | None:
            spots = self.space.spots(trace)
            return self.claim.obligations.at(
                self._input(trace),
                spots["alpha"] if self.space.free_alpha else None,
                spots["gamma"] if self.space.free_gamma else None,
            )

        cells = list(explore(self.space.names, self.space.region, run))
        return replace(self, leaves=cells)

    def form_of(self, name: str) -> tuple[Fraction, ...]:
        """Return what a parameter is here, where it may be a form in others."""
        return _form_of(self.space, name)

    def _input(self, trace: Trace) -> tuple[Value, ...]:
        """Return the input at a sample."""
        names = self.space.names
        return assembled(
            self.claim.mechanism.inputs,
            [
                trace.of(dict(zip(names, one, strict=True))) if moves else one
                for one, moves in zip(self.entries, self.moves, strict=True)
            ],
        )

    def at(self, cell: Leaf) -> tuple[Value, Any, list[Any] | None]:
        """Return the ideal output, dd and, where they matter, the values of the output distance."""
        claim, work = self.claim, self.claim.obligations
        many = work.gamma_follows or isinstance(claim.gamma_level, Range)
        many = many and not self.space.free_gamma and not self.space.free_alpha
        many = many or (isinstance(claim.gamma_level, Range) and not self.space.free_gamma)
        if cell.result and cell.result.obligations and not many:
            first = cell.result.obligations[0]
            return first.output, first.distance, None
        for point in _samples(cell.cone):
            u = self._input(Trace(self.space.names, point))
            try:
                output = claim.ideal_function(u)
                distance = work.distance(u)
                found = None
                if many and cell.result is not None:
                    found = [step for step, _ in work.within.steps(u, output)]
            except OnFaceError:
                continue
            return output, distance, found
        raise AssertionError("no point of a cell is on no face")

    def near(self, point: Sequence[int]) -> tuple[list[Any], tuple[Fraction, ...] | None] | None:
        """Return a nearest input that disagrees, seen from a point, and the way to such inputs."""
        u = self._input(Trace(self.space.names, point))
        return self.claim.obligations.approach(u, self.claim.ideal_function(u))


def _samples(cone: Cone) -> Iterator[list[int]]:
    """Yield points inside a cone."""
    for weights in product((2, 5, 11, 23), repeat=len(cone.rays)):
        point = [0] * cone.size
        for weight, ray in zip(weights, cone.rays, strict=True):
            point = [a + weight * b for a, b in zip(point, ray, strict=True)]
        for k, line in enumerate(cone.lines):
            point = [a + (29 + 7 * k) * b for a, b in zip(point, line, strict=True)]
        yield point


def _form_of(space: Space, name: str) -> tuple[Fraction, ...]:
    """Return what a parameter is in a space, in which it may be a form in others."""
    made = dict(space.made_of)
    if name in made:
        return made[name]
    return tuple(Fraction(one == name) for one in space.names)


class SignProofs:
    """The proofs of signs, each once."""

    def __init__(self, verdict: Verdict) -> None:
        self.claim = verdict.claim
        self.decisions = {
            (one.obligation.probability, one.obligation.beta[one.alternative]): one.decision
            for one in verdict.checked
        }
        self.on_cones = {problem.shape: decision for problem, decision in verdict.cells}
        self.problems = [problem for problem, _ in verdict.cells]
        self.written: list[Json] = []
        self._places: dict[object, int] = {}

    def place(
        self, region: ExaminedRegion, cell: Leaf, one: Obligation, beta: ClosedForm
    ) -> tuple[Any, int, Sequence[int]]:
        """Return D, the place of the proof that (Pr − 1 + β)·D² ≥ 0, and its parameters."""
        decision = self.decisions.get((one.probability, beta))
        if decision is not None:
            return None, self.decided(decision), (0,)
        gap = beta - (1 - one.probability)
        names = region.space.names
        function = ExpSum.from_closed_form(gap.numerator * gap.denominator, names)
        own = shape_of(function, cell.cone, Window.of(0, self.claim.epsilon))
        error = 1 - one.probability
        problem = Problem(region.space, cell.cone, one, error, beta, cell.path, own)
        shape = self._around(problem)
        under = None if gap.denominator == 1 else gap.denominator
        return under, self._on_cone(shape), shape.kept

    def decided(self, decision: Decision) -> int:
        """Return where a decision about a function of ε is written."""
        if decision.function not in self._places:
            self._places[decision.function] = len(self.written)
            self.written.append(without_head(decision.certificate))
        return self._places[decision.function]

    def _around(self, one: Problem) -> Shape:
        """Return the shape of a problem, or of one that is decided on a cone around it.

        In a box that is so if the claim was proved for all real inputs.
        """
        if one.shape in self.on_cones:
            return one.shape
        points = [
            *one.cone.rays,
            *one.cone.lines,
            *(tuple(-q for q in line) for line in one.cone.lines),
        ]
        for other in self.problems:
            here = replace(other.space, region=one.space.region) == one.space
            if here and (other.error, other.beta) == (one.error, one.beta):
                sides = other.cone.inequalities
                if all(dot(side, point) >= 0 for side in sides for point in points):
                    return other.shape
        return one.shape

    def _on_cone(self, shape: Shape) -> int:
        """Return where the proof of a shape is written."""
        if shape not in self._places:
            decision = self.on_cones.get(shape)
            if decision is None:
                decision = nonnegative_on(shape.function, shape.cone, window=shape.window)
            if not decision.holds:
                raise ValueRefusedError(
                    "the claim is true in this box because it is true of all real inputs",
                    rule="A certificate is about the inputs of its claim.",
                    way_out="Take the certificate of the claim with inputs=AllReals().",
                )
            self._places[shape] = len(self.written)
            self.written.append(decision.proof.to_json())
        return self._places[shape]
