"""Regions with the results on each of their cells, as the plain data of certificates.

Anything that the checker can rederive is only stated. The regions and their cells are those of
`examined`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.claims.certificates.document import sum_in_eps
from exactdp.claims.certificates.examined import ExaminedRegion, SignProofs
from exactdp.claims.certificates.parts import Completed, Near
from exactdp.claims.certificates.plain_data import form_json, sum_in, value_json
from exactdp.claims.certificates.products import multiplies
from exactdp.claims.regions.corners import Corner
from exactdp.claims.regions.obligations import Obligation
from exactdp.claims.regions.region import Combination, Region
from exactdp.claims.stated.enclosing import as_form
from exactdp.claims.stated.levels import constant
from exactdp.language.values import Value
from exactdp.reals import ClosedForm
from exactdp.reals.certificates import Json
from exactdp.reals.numbers import inf, spell
from exactdp.reals.square_roots import at_least
from exactdp.semantics.patterns import NUMBER
from exactdp.semantics.spots import Spot, rational_vector

if TYPE_CHECKING:
    from exactdp.certify.rederive.parameter_spaces import ParameterSpace
    from exactdp.claims.decision.problem import Leaf


class WrittenRegion:
    """Writes one region."""

    def __init__(
        self,
        one: ExaminedRegion,
        signs: SignProofs,
        completed: Completed,
        stands_for: str | None = None,
    ) -> None:
        self.one = one
        self.stands_for = stands_for
        self.signs = signs
        self.completed = completed
        self.size = len(one.region.names)

    def written(self) -> Json:
        """Return the region with its cells."""
        return {**self.head, "tree": cell_tree(self.one.leaves, self._leaf)}

    def _corner(self, corner: Corner) -> Json:
        """Return the reason why the inputs of the region are the worst ones."""
        names = self.one.claim.entry_names
        places = {name: k for k, name in enumerate(names)}
        used = [*dict.fromkeys(corner.piece.rows.values())]
        numbers = iter(corner.numbers)

        def output(pattern: Value) -> Any:
            if isinstance(pattern, tuple):
                return [output(one) for one in pattern]
            if pattern is not NUMBER:
                return value_json(pattern)
            form = as_form(next(numbers))
            rest = (form.coefficients.get(name, 0) for name in names)
            return {"form": form_json([form.constant, *rest])}

        def bound(name: str, value: Any) -> Any:
            if not isinstance(value, Combination):
                return None
            if name in corner.piece.rows:
                return used.index(corner.piece.rows[name])
            return "fixed" if name == corner.piece.fixed else "idle"

        return {
            "output": output(corner.pattern),
            "rows": [
                {
                    "slopes": [[places[name], spell(q)] for name, q in row.slopes],
                    "constant": spell(row.constant),
                    "width": spell(row.width),
                }
                for row in used
            ],
            "bounds": [*map(bound, names, self.one.region.entries)],
            **({} if corner.differs is None else {"differs": [*corner.differs]}),
            **({} if corner.selects is None else {"selects": corner.selects}),
        }

    def _leaf(self, cell: Leaf | None) -> Json:
        return {"cell": None if cell is None else self._cell(cell)}

    @cached_property
    def _space(self) -> ParameterSpace:
        return self.completed.space(self.head)

    def _parts(self, cell: Leaf, written: Json, near: Near) -> Json | None:
        """Return what is written of a cell with the tree of its parts, if it has inputs."""
        if self.size == 1:  # a ray has no parts
            return {**written, "parts": {"near": near([1])}}
        parts = self.completed.parts(self._space, cell.cone.inequalities, written, near)
        return None if parts is None else {**written, "parts": parts}

    @cached_property
    def head(self) -> Json:
        """The region without its cells."""
        region = self.one.region
        why: Json = {} if region.corner is None else {"corner": self._corner(region.corner)}
        return {**why, **region_json(region, listed=not self.one.claim.scope.free)}

    def _cell(self, cell: Leaf) -> Json | None:
        known = self.one.at(cell)
        if known is None:
            nothing = dict.fromkeys(("distance", "steps", "obligations"))
            outside: Json = {"output": {"undefined": True}, **nothing}
            return self._parts(cell, outside, lambda _: None)
        output, distance, steps = known
        written: Json = {
            "output": self._output(output),
            "distance": self._number(distance),
            "steps": None if steps is None else _once(self._number(one) for one in steps),
            "obligations": None
            if cell.result is None
            else [self._obligation(cell, one) for one in cell.result],
        }

        def near(point: Sequence[int]) -> Json | None:
            found: tuple[list[Any], Any] | None = None
            if self.stands_for == "every" and distance != inf:
                found = self.one.another(point)
            found = found or self.one.near(point)
            if found is None:
                return None
            at, towards = found
            return {
                "at": [self._output(one) for one in at],
                "towards": None if towards is None else form_json(towards),
                "germs": towards is not None and self.size == 1 and multiplies(self.one.claim),
            }

        return self._parts(cell, written, near)

    def _obligation(self, cell: Leaf, one: Obligation) -> Json:
        return {
            "alpha": self._number(one.alpha),
            "alpha_reached": one.alpha_reached,
            "gamma": self._number(self._gamma(one)),
            "gamma_reached": one.gamma_reached,
            "probability": self._quotient(one.probability),
            "beta": [self._alternative(cell, one, k) for k in range(len(one.beta))],
        }

    def _gamma(self, one: Obligation) -> Any:
        """Return γ; the worst inputs of a regret were examined with the ideal output alone."""
        return constant(self.one.claim.gamma_level) if self.stands_for == "regret" else one.gamma

    def _alternative(self, cell: Leaf, one: Obligation, which: int) -> Json:
        found = self.signs.place(self.one.region, cell, one, which)
        return {
            "form": self._quotient(one.beta[which]),
            "under": None if found.under is None else self._sum(found.under),
            "sign": found.place,
            "kept": list(found.kept),
            **({} if found.origin is None else {"origin": form_json(found.origin)}),
        }

    def _number(self, value: Any) -> Any:
        """Return a distance as a form, or "inf"."""
        if isinstance(value, Spot):
            return form_json(rational_vector(value.form))
        value = at_least(value)
        if value == inf:
            return "inf"
        return [spell(Fraction(value)), *["0"] * (self.size - 1)]

    def _output(self, value: Value) -> Any:
        if isinstance(value, Spot):
            return {"form": form_json(rational_vector(value.form))}
        if isinstance(value, tuple):
            return [self._output(one) for one in value]
        return value_json(value)

    def _quotient(self, form: ClosedForm) -> list[Any]:
        return [self._sum(part) for part in (form.numerator, form.denominator)]

    def _sum(self, form: Any) -> list[Any]:
        if self.size == 1:
            return sum_in_eps(form)
        return sum_in(form, self.one.region.names)


def region_json(region: Region, *, listed: bool) -> Json:
    """Return the parameters of a region; α, γ and an input that moves are forms in them."""

    def entry(value: Any) -> Any:
        if not isinstance(value, Combination):
            return value_json(value)
        return value_json(value.form[0]) if listed else {"form": form_json(value.form)}

    return {
        "names": list(region.names),
        "input": [*map(entry, region.entries)],
        **({} if region.alpha is None else {"alpha": form_json(region.alpha)}),
        **({} if region.gamma is None else {"gamma": form_json(region.gamma)}),
    }


def cell_tree(cells: Sequence[Leaf], leaf: Callable[[Leaf | None], Json], depth: int = 0) -> Json:
    """Return the comparisons that lead to cells as a tree; a leaf without a cell is empty."""
    if not cells:
        return leaf(None)
    if len(cells) == 1 and len(cells[0].path) == depth:
        return leaf(cells[0])
    form = cells[0].path[depth]
    above = [cell for cell in cells if cell.path[depth] == form]
    minus = tuple(-q for q in form)
    below = [cell for cell in cells if cell.path[depth] == minus]
    assert len(above) + len(below) == len(cells)
    return {
        "form": form_json(form),
        "above": cell_tree(above, leaf, depth + 1),
        "below": cell_tree(below, leaf, depth + 1),
    }


def _once(steps: Iterable[Any]) -> list[Any]:
    """Return increasing numbers without repetitions: 0 may occur as a number and as a form."""
    found: list[Any] = []
    for step in steps:
        if step not in found:
            found.append(step)
    return found
