"""Certificates of verdicts on cones: the trees of cells, what is claimed on each, and the signs.

The comparisons that lead to the cells of a space make a tree: at each node one linear form, and
the cells on its two sides. So it is seen from the tree alone that nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from exactdp.claims.certificates import _value
from exactdp.claims.hypotheses import proved_signs
from exactdp.claims.levels import Range
from exactdp.claims.moving import functions_of_eps
from exactdp.claims.obligations import Obligation
from exactdp.claims.places import OnCone
from exactdp.claims.region import Combination, Region
from exactdp.claims.shapes import Shape, shape_of
from exactdp.claims.work import Leaf, Problem, Sign
from exactdp.cones import Cone, ConeDecision, OrderedSum, Window, nonnegative_on
from exactdp.errors import ValueRefusedError
from exactdp.language.values import Value
from exactdp.polyhedra.cone import dot
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import Json
from exactdp.reals.numbers import inf, spell
from exactdp.semantics.spots import OnFaceError, Spot, Trace, rational_vector

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy
    from exactdp.claims.verdict import Verdict


def spaces_and_signs(verdict: Verdict) -> tuple[list[Json], list[Json]]:
    """Return the spaces of parameters with their cells, and the signs that are used."""
    claim = verdict.claim
    if claim.is_beta_of_input:
        raise ValueRefusedError(
            "a claim on cones whose β is a Python function has no certificate",
            rule="A certificate holds β as a formula.",
            way_out="Write beta as a formula in eps, alpha and gamma, if one bounds it.",
        )
    if moving := sorted({name for one in verdict.findings for name in one.region.levels}):
        raise _moves(moving)
    if verdict.is_everywhere and (moving := list(functions_of_eps(claim, None))):
        raise _moves(moving)
    signs = _Signs([*verdict.decided, *(verdict.larger.decided if verdict.larger else ())])
    spaces = [_Space(claim, one.region).written(one.cells, signs) for one in verdict.findings]
    _say_that_beta_falls(claim, verdict.findings[0].region, signs)
    return spaces, signs.json


def _say_that_beta_falls(claim: Accuracy, region: Region, signs: _Signs) -> None:
    """Add the signs of closed forms in β that show that it falls, where it has to."""
    pairs = (claim.alpha_level, region.alpha), (claim.gamma_level, region.gamma)
    if any(isinstance(level, Range) and form is None for level, form in pairs):
        window = Window.of(0, claim.epsilon)
        for form in proved_signs(claim.formula, claim.epsilon):
            function = OrderedSum(form.numerator * form.denominator, ("eps",))
            signs.place(shape_of(function, Cone.of(1, [(1,)]), window))


def _moves(names: list[str]) -> ValueRefusedError:
    return ValueRefusedError(
        f"a claim whose {' and '.join(names)} moves with eps has no certificate",
        rule="In a certificate α and γ are ranges, or do not depend on ε.",
        way_out=f"Write {names[0]}=ANY if the claim holds for all of them.",
    )


class _Signs:
    """The proofs of signs, each shape once."""

    def __init__(self, decided: Sequence[tuple[Problem, Sign]]) -> None:
        self.decided: dict[Shape, ConeDecision] = {}
        self.problems: list[Problem] = []
        for problem, sign in decided:
            if isinstance(sign, ConeDecision) and sign.holds:
                self.decided[problem.shape] = sign
                self.problems.append(problem)
        self.json: list[Json] = []
        self._places: dict[Shape, int] = {}

    def around(self, one: Problem) -> Shape:
        """Return the shape of a problem, or of one that is decided on a cone around it.

        In a box that is so if the claim was proved for all real inputs.
        """
        if one.shape in self.decided:
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

    def place(self, shape: Shape) -> int:
        """Return where the proof of a shape is written."""
        if shape not in self._places:
            decision = self.decided.get(shape)
            if decision is None:
                decision = nonnegative_on(shape.function, shape.cone, window=shape.window)
            if not decision.holds:
                raise ValueRefusedError(
                    "the claim is true in this box because it is true of all real inputs",
                    rule="A certificate is about the inputs of its claim.",
                    way_out="Take the certificate of the claim with inputs=AllReals().",
                )
            self._places[shape] = len(self.json)
            self.json.append(decision.proof.to_json())
        return self._places[shape]


@dataclass(frozen=True)
class _Space:
    """A region of parameters, to be written."""

    claim: Accuracy
    region: Region

    def written(self, cells: Sequence[Leaf], signs: _Signs) -> Json:
        """Return the space with its cells."""
        region = self.region
        return {
            "names": list(region.names),
            "input": [
                {"form": _spelled(one.form)} if isinstance(one, Combination) else _value(one)
                for one in region.entries
            ],
            "alpha": None if region.alpha is None else _spelled(region.alpha),
            "gamma": None if region.gamma is None else _spelled(region.gamma),
            "tree": self._tree(cells, 0, signs),
        }

    def _tree(self, cells: Sequence[Leaf], depth: int, signs: _Signs) -> Json:
        if not cells:
            return {"cell": None}
        if len(cells) == 1 and len(cells[0].path) == depth:
            return {"cell": self._leaf(cells[0], signs)}
        form = cells[0].path[depth]
        above = [cell for cell in cells if cell.path[depth] == form]
        minus = tuple(-q for q in form)
        below = [cell for cell in cells if cell.path[depth] == minus]
        assert len(above) + len(below) == len(cells)
        return {
            "form": _spelled(form),
            "above": self._tree(above, depth + 1, signs),
            "below": self._tree(below, depth + 1, signs),
        }

    def _leaf(self, cell: Leaf, signs: _Signs) -> Json:
        many = isinstance(self.claim.gamma_level, Range) and self.region.gamma is None
        steps: list[Any] | None = None
        if cell.result and cell.result.obligations and not many:
            first = cell.result.obligations[0]
            output, distance = first.output, first.distance
        else:
            output, distance, steps = self._at(cell, steps=many and cell.result is not None)
        return {
            "output": self._output(output),
            "distance": self._number(distance),
            "steps": None if steps is None else _once(self._number(one) for one in steps),
            "obligations": None
            if cell.result is None
            else [self._obligation(cell, one, signs) for one in cell.result],
        }

    def _at(self, cell: Leaf, *, steps: bool) -> tuple[Value, Any, list[Any] | None]:
        """Return the ideal output, dd and the values of the output distance on a cell."""
        claim = self.claim
        work = claim.obligations
        for weights in product((2, 5, 11, 23), repeat=len(cell.cone.rays)):
            point = [0] * cell.cone.size
            for weight, ray in zip(weights, cell.cone.rays, strict=True):
                point = [a + weight * b for a, b in zip(point, ray, strict=True)]
            for k, line in enumerate(cell.cone.lines):
                point = [a + (29 + 7 * k) * b for a, b in zip(point, line, strict=True)]
            u = self.region.input(claim.mechanism.inputs, Trace(self.region.names, point))
            try:
                output = claim.ideal_function(u)
                differ = work.within.differ(u, output)
                distance = work._disagreements.distance(u, output, differ)
                found = [step for step, _ in work.within.steps(u, output)] if steps else None
            except OnFaceError:
                continue
            return output, distance, found
        raise AssertionError("no point of a cell is on no face")

    def _obligation(self, cell: Leaf, one: Obligation, signs: _Signs) -> Json:
        return {
            "alpha": self._number(one.alpha),
            "alpha_reached": one.alpha_reached,
            "gamma": self._number(one.gamma),
            "gamma_reached": one.gamma_reached,
            "probability": self._quotient(one.probability),
            "beta": [self._alternative(cell, one, k, signs) for k, _ in enumerate(one.beta)],
        }

    def _alternative(self, cell: Leaf, one: Obligation, which: int, signs: _Signs) -> Json:
        region = self.region
        place = OnCone(region.names, cell.cone, region.window)
        problem = Problem(region, cell, place, one, which)
        gap, beta = problem.gap, problem.beta
        shape = signs.around(problem)
        plain = one.probability.denominator == 1 and beta.denominator == 1
        return {
            "form": self._quotient(beta),
            "gap": None if plain else self._quotient(gap),
            "sign": signs.place(shape),
            "kept": list(shape.kept),
        }

    # Numbers --------------------------------------------------------------------------

    def _number(self, value: Any) -> Any:
        """Return a distance as a form, or "inf"."""
        if isinstance(value, Spot):
            return _spelled(rational_vector(value.form))
        if value == inf:
            return "inf"
        return [spell(Fraction(value)), *["0"] * (len(self.region.names) - 1)]

    def _output(self, value: Value) -> Any:
        if isinstance(value, Spot):
            return {"form": _spelled(rational_vector(value.form))}
        if isinstance(value, tuple):
            return [self._output(one) for one in value]
        return _value(value)

    def _quotient(self, form: ClosedForm) -> list[Any]:
        return [self._sum(part) for part in (form.numerator, form.denominator)]

    def _sum(self, form: Any) -> list[Any]:
        return [
            [str(c), list(powers), _spelled(rates)]
            for powers, rates, c in sorted(form.entries(self.region.names))
        ]


def _once(steps: Iterable[Any]) -> list[Any]:
    """Return rising numbers without repetitions: 0 may come as a number and as a form."""
    found: list[Any] = []
    for step in steps:
        if step not in found:
            found.append(step)
    return found


def _spelled(form: Sequence[Fraction | int]) -> list[str]:
    return [spell(Fraction(q)) for q in form]
