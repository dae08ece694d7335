"""Linear forms in named symbols: what a real variable holds in a symbolic run.

1/ε beside reals is a symbol too, called `UNIT`: scaled by ε, as all reals are, it is 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from exactdp.errors import Place, ProgramError
from exactdp.language.terms import EpsTerm
from exactdp.language.values import Symbolic
from exactdp.polyhedra.form import Form, Name, Number

Scalar: TypeAlias = "Linear | Number"
"""A real number of a symbolic run."""

UNIT = "eps[0]"
"""The symbol that stands for 1/ε, and the parameter that is 1; no input has this name."""


class Linear(Form, Symbolic):
    """A linear form with at least one symbol.

    A form without symbols is a plain number, so `Machine` decides comparisons of such on the spot.
    """

    __slots__ = ()

    @classmethod
    def build(cls, coefficients: Mapping[Name, Number], constant: Number) -> Scalar:
        """Return the form, or the number if no symbol is left."""
        kept = {name: q for name, q in coefficients.items() if q}
        return cls(kept, constant) if kept else constant

    def __add__(self, other: object) -> Any:
        return super().__add__(as_real(other) if isinstance(other, EpsTerm) else other)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return super().__sub__(as_real(other) if isinstance(other, EpsTerm) else other)

    def __rsub__(self, other: object) -> Any:
        return (-self).__add__(other)


def as_real(term: EpsTerm, place: Place | None = None) -> Scalar:
    """Return a + b/ε as a real: a number where ε is known, else a form in the symbol 1/ε."""
    parts = term.powers()
    if parts is None or not parts.keys() <= {0, -1}:
        raise ProgramError(
            f"{term} cannot stand beside reals: only a + b / eps can",
            place=place,
            rule="Scaled by eps, as all noise is, the numbers of a program are a * eps + b.",
            way_out="Write a + b / eps with rational numbers a and b.",
        )
    start, factor = (parts.get(power, Fraction(0)) for power in (0, -1))
    known = term.known_eps()
    if known is not None:
        return start + factor / known
    return Linear.build({UNIT: factor}, start)
