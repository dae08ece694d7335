"""The distance to disagreement as a piecewise linear function of the inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from exactdp.claims.stated.inputs import AllReals, Box
from exactdp.claims.stated.scope import Scope
from exactdp.errors import UndefinedError
from exactdp.language.linear import Linear
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.polyhedra.form import Form
from exactdp.reals.numbers import inf, spell
from exactdp.semantics.piecewise import Piece, Piecewise, piecewise
from exactdp.semantics.spots import Spot, symbolic


def disagreement(
    mechanism: Program, distance: Callable[[tuple[Value, ...]], Any], u: AllReals | Box
) -> PiecewiseDistance:
    """Return dd for all inputs of a set, without those at which the ideal is undefined."""

    def run(given: tuple[Value, ...], _: dict[str, Spot]) -> DistanceForm | None:
        try:
            found = distance(given)
        except UndefinedError:
            return None
        return DistanceForm(symbolic(found))

    def alone(given: Value, _: tuple[Value, ...]) -> Any:
        return DistanceForm(distance(mechanism.read_input(given)))

    found = piecewise(mechanism, Scope(mechanism, u).sides, run, alone)
    defined = (one for one in found.pieces if one.value is not None)
    return PiecewiseDistance(replace(found, pieces=tuple(defined)))


@dataclass(frozen=True, eq=False, repr=False)
class DistanceForm:
    """A linear form in the inputs, or a number."""

    form: Any

    def at(self, values: dict[str, Fraction]) -> Fraction | float:
        """Return the distance at numbers of an input."""
        found = self.form.value(values) if isinstance(self.form, Linear) else self.form
        return inf if found == inf else Fraction(found)

    def __str__(self) -> str:
        if self.form == inf:
            return "∞"
        form = Form({}, 0) + self.form
        text = ""
        for name, q in (("", form.constant), *form.coefficients.items()):
            if q:
                size = "" if abs(q) == 1 and name else f"{spell(abs(q))}{'·' if name else ''}"
                sign = (" − " if text else "−") if q < 0 else (" + " if text else "")
                text += f"{sign}{size}{name}"
        return text or "0"

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, repr=False)
class PiecewiseDistance:
    """The distance to disagreement, a linear form on each of finitely many pieces."""

    found: Piecewise[DistanceForm]

    @property
    def pieces(self) -> tuple[Piece[DistanceForm], ...]:
        """The pieces, each with its form as `value` and its `conditions`."""
        return self.found.pieces

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Any:
        return iter(self.found)

    def at(self, *values: Any) -> Fraction | float:
        """Return the distance at given numbers of an input."""
        found = self.found.at(*values)
        named = self.found.named(values)
        return found.at({n: Fraction(v) for n, v in named.items() if n in self.found.names})

    def __str__(self) -> str:
        return str(self.found)

    def _repr_html_(self) -> str:
        return self.found._repr_html_()

    def __repr__(self) -> str:
        return f"<PiecewiseDistance: the distance to disagreement, linear on {len(self)} pieces>"
