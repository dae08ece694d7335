"""Certificates of verdicts on cones: the trees of cells, what is claimed on each, and the signs.

The comparisons that lead to the cells of a space make a tree: at each node one linear form, and
the cells on its two sides. So it is seen from the tree alone that nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.certificates import _value
from exactdp.claims.everywhere import Problem
from exactdp.claims.expressions import Expression
from exactdp.claims.hypotheses import proved_signs
from exactdp.claims.inputs import AllReals, Box, as_given, listed
from exactdp.claims.levels import Range
from exactdp.claims.obligations import Due, Obligation
from exactdp.claims.shapes import Shape, shape_of
from exactdp.claims.slices import functions_of_eps
from exactdp.claims.spaces import Space
from exactdp.cones import Cone, ConeDecision, OrderedSum, Window, nonnegative_on
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, entries, kinds
from exactdp.language.values import Value
from exactdp.polyhedra.cone import dot
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import Json
from exactdp.reals.numbers import inf, spell
from exactdp.semantics.cells import Cell, explore
from exactdp.semantics.spots import OnFaceError, Spot, Trace, rational_vector

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy
    from exactdp.claims.verdict import Verdict

Leaf: TypeAlias = Cell[Due | None]


def spaces_and_signs(verdict: Verdict) -> tuple[list[Json], list[Json]]:
    """Return the spaces of parameters with their cells, and the signs that are used."""
    claim = verdict.claim
    if callable(claim.beta) and not isinstance(claim.beta, Expression):
        raise ValueRefusedError(
            "a claim on cones whose β is a Python function has no certificate",
            rule="A certificate holds β as a formula.",
            way_out="Write beta as a formula in eps, alpha and gamma, if one bounds it.",
        )
    if isinstance(claim.input_set, AllReals | Box):
        if moving := list(functions_of_eps(claim, None)):
            raise _moves(moving)
        found = [_Space.everywhere(claim, space) for space in _in_order(verdict)]
        leaves = [
            [cell for other, cell in claim.everywhere.survey.leaves if other == one.space]
            for one in found
        ]
    else:
        inputs = list(listed(claim.mechanism, claim.input_set))
        if moving := list(functions_of_eps(claim, inputs[0])):
            raise _moves(moving)
        found = [one for u in inputs for one in _Space.at_input(claim, u)]
        leaves = [list(one.explored()) for one in found]
    signs = _Signs(verdict.cells)
    spaces = [one.written(cells, signs) for one, cells in zip(found, leaves, strict=True)]
    _say_that_beta_falls(claim, found[0].space, signs)
    return spaces, signs.json


def _say_that_beta_falls(claim: Accuracy, space: Space, signs: _Signs) -> None:
    """Add the signs of closed forms in β that show that it falls, where it has to."""
    pairs = (claim.alpha_level, space.free_alpha), (claim.gamma_level, space.free_gamma)
    if any(isinstance(level, Range) and not is_free for level, is_free in pairs):
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


def _in_order(verdict: Verdict) -> list[Space]:
    survey = verdict.claim.everywhere.survey
    return list(dict.fromkeys(space for space, _ in survey.leaves))


class _Signs:
    """The proofs of signs, each shape once."""

    def __init__(self, decided: Sequence[tuple[Problem, ConeDecision]]) -> None:
        self.decided = {problem.shape: decision for problem, decision in decided}
        self.problems = [problem for problem, _ in decided]
        self.json: list[Json] = []
        self._places: dict[Shape, int] = {}

    def around(self, one: Problem) -> Shape:
        """Return the shape of a problem, or of one that is decided on a cone around it.

        In a box that is so if the claim was proved for all real inputs.
        """
        if one.shape in self.decided:
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
    """A space of parameters, and what the entries of the input are in it: forms or values."""

    claim: Accuracy
    space: Space
    entries: tuple[Value | tuple[Fraction, ...], ...]
    moves: tuple[bool, ...]
    """Which entries are forms."""

    @classmethod
    def everywhere(cls, claim: Accuracy, space: Space) -> _Space:
        """Return a space in which the real inputs move."""
        finite = iter(space.finite)
        moves = tuple(kind is None for kind in kinds(claim.mechanism.inputs))
        found = tuple(
            _form_of(space, name) if real else next(finite)
            for name, real in zip(claim.entry_names, moves, strict=True)
        )
        return cls(claim, space, found, moves)

    @classmethod
    def at_input(cls, claim: Accuracy, u: tuple[Value, ...]) -> Iterator[_Space]:
        """Yield the space of ε and the α and γ that are free, at one input.

        If the claim is made at the least α only, because that is dd, another one has this α.
        """
        level = claim.alpha_level
        alpha, gamma = (isinstance(one, Range) for one in (level, claim.gamma_level))
        names = ("eps", *("alpha",) * alpha, *("gamma",) * gamma)
        units = [tuple(int(j == k) for j in range(len(names))) for k in range(len(names))]
        space = Space(names, Cone.of(len(names), units), (), alpha, gamma)
        found = tuple(entries(u))
        yield cls(claim, space, found, (False,) * len(found))
        if isinstance(level, Range) and claim.boundary == "check" and level.has(level.lower):
            distance = claim.disagreement(as_given(claim.mechanism, u)).distance
            face = space.face((-level.lower, Fraction(1), *(Fraction(0),) * gamma))
            if distance == level.lower and face is not None:
                yield cls(claim, face, found, (False,) * len(found))

    def input(self, trace: Trace) -> tuple[Value, ...]:
        """Return the input at a sample."""
        names = self.space.names
        return assembled(
            self.claim.mechanism.inputs,
            [
                trace.of(dict(zip(names, one, strict=True))) if moves else one
                for one, moves in zip(self.entries, self.moves, strict=True)
            ],
        )

    def explored(self) -> Iterator[Leaf]:
        """Return the cells."""

        def run(trace: Trace) -> Due | None:
            spots = self.space.spots(trace)
            return self.claim.obligations.at(
                self.input(trace),
                spots["alpha"] if self.space.free_alpha else None,
                spots["gamma"] if self.space.free_gamma else None,
            )

        return explore(self.space.names, self.space.region, run)

    def written(self, cells: Sequence[Leaf], signs: _Signs) -> Json:
        """Return the space with its cells."""
        space = self.space
        return {
            "names": list(space.names),
            "input": [
                {"form": _spelled(one)} if moves else _value(one)
                for one, moves in zip(self.entries, self.moves, strict=True)
            ],
            "alpha": _spelled(_form_of(space, "alpha")) if space.free_alpha else None,
            "gamma": _spelled(_form_of(space, "gamma")) if space.free_gamma else None,
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
        many = isinstance(self.claim.gamma_level, Range) and not self.space.free_gamma
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
            u = self.input(Trace(self.space.names, point))
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
            "beta": [self._alternative(cell, one, beta, signs) for beta in one.beta],
        }

    def _alternative(self, cell: Leaf, one: Obligation, beta: ClosedForm, signs: _Signs) -> Json:
        gap = beta - (1 - one.probability)
        names = self.space.names
        function = OrderedSum(gap.numerator * gap.denominator, names)
        own = shape_of(function, cell.cone, Window.of(0, self.claim.epsilon))
        error = 1 - one.probability
        shape = signs.around(Problem(self.space, cell.cone, one, error, beta, cell.path, own))
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
        return [spell(Fraction(value)), *["0"] * (len(self.space.names) - 1)]

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
            for powers, rates, c in sorted(form.entries(self.space.names))
        ]


def _once(steps: Iterable[Any]) -> list[Any]:
    """Return rising numbers without repetitions: 0 may come as a number and as a form."""
    found: list[Any] = []
    for step in steps:
        if step not in found:
            found.append(step)
    return found


def _form_of(space: Space, name: str) -> tuple[Fraction, ...]:
    """Return what a parameter is in a space, in which it may be a form in others."""
    made = dict(space.made_of)
    if name in made:
        return made[name]
    return tuple(Fraction(one == name) for one in space.names)


def _spelled(form: Sequence[Fraction | int]) -> list[str]:
    return [spell(Fraction(q)) for q in form]
