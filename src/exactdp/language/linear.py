"""Linear forms in named symbols: what a real variable holds in a symbolic run.

1/ε beside reals is a symbol too, called `UNIT`: scaled by ε, as all reals are, it is 1. And so is
log(b)/ε, which is log b then.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import lcm, prod
from typing import Any, TypeAlias

from exactdp.errors import Place, ProgramError
from exactdp.language.terms import EpsTerm, log
from exactdp.language.values import Symbolic
from exactdp.polyhedra.form import Form, Name, Number

Scalar: TypeAlias = "Linear | Number"
"""A real number of a symbolic run."""

UNIT = "eps[0]"
"""The symbol that stands for 1/ε, and the parameter that is 1; no input has this name."""


def log_unit(base: Fraction) -> str:
    """Return the symbol that stands for log(base)/ε."""
    return f"eps[{base}]"


def base_of(name: object) -> Fraction | None:
    """Return b if a symbol stands for log(b)/ε."""
    if not isinstance(name, str) or not name.startswith("eps[") or name == UNIT:
        return None
    return Fraction(name[4:-1])


def unit_in(names: Iterable[object]) -> str | None:
    """Return the symbol for 1/ε or log(b)/ε that is among some names."""
    return next((str(one) for one in names if one == UNIT or base_of(one) is not None), None)


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


def _one_log(logs: Mapping[Fraction, Fraction]) -> dict[str, Fraction]:
    """Return Σ q·log(b) as a multiple of one logarithm."""
    if not logs:
        return {}
    common = lcm(*(q.denominator for q in logs.values()))
    whole = log(prod((base ** int(q * common) for base, q in logs.items()), start=Fraction(1)))
    found = whole.parts() if isinstance(whole, EpsTerm) else {}
    assert found is not None
    return {log_unit(base): q / common for (_, base), q in found.items() if base is not None}


def as_real(term: EpsTerm, place: Place | None = None) -> Scalar:
    """Return a + b/ε as a real: a number where ε is known, else a form in the symbol 1/ε."""
    parts = term.parts()
    if parts is None or not all(k == -1 or (k == 0 and base is None) for k, base in parts):
        raise ProgramError(
            f"{term} cannot stand beside reals: only a + b / eps can",
            place=place,
            rule="Scaled by eps, as all noise is, the numbers of a program are a * eps + b.",
            way_out="Write a + b / eps or a + b * log(r) / eps with rational numbers a, b and r.",
        )
    start = parts.get((0, None), Fraction(0))
    units = {UNIT: parts[-1, None]} if (-1, None) in parts else {}
    units |= _one_log({base: q for (_, base), q in parts.items() if base is not None})
    known = term.known_eps()
    if known is not None:
        start += units.pop(UNIT, Fraction(0)) / known
        if term.is_rough:
            start += sum(
                q * Fraction(math.log(base_of(name) or 1)) / known for name, q in units.items()
            )
            return start
    return Linear.build(units, start)
