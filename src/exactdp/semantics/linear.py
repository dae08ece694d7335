"""Linear forms in named symbols: what a real variable holds in a symbolic run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from exactdp.language.values import Symbolic
from exactdp.polyhedra.form import Form, Name, Number

Scalar: TypeAlias = "Linear | Number"
"""A real number of a symbolic run."""


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
