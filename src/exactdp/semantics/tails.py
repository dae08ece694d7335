"""How integer noise in an output ends: from where on its probabilities are a geometric sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.errors import ValueRefusedError
from exactdp.language.values import Value
from exactdp.measure.joint import name_of
from exactdp.measure.lattice import LatticeCell
from exactdp.polyhedra.form import Number
from exactdp.semantics.densities import is_integer, pattern_at
from exactdp.semantics.exact import Arrival, moved
from exactdp.semantics.graph import Edge, forms_of
from exactdp.semantics.plan import PreparedEdge, noise_part


@dataclass(frozen=True)
class Tails:
    """Below `low` and above `high` the probabilities of z are multiples of e^{rate·ε·z}."""

    low: int
    high: int
    rates: tuple[Fraction | None, Fraction | None]
    """The rates below and above; None where there is no probability."""


def tails(found: Sequence[Arrival], pattern: Value, inputs: Mapping[str, Number]) -> Tails:
    """Return where the only integer of a pattern becomes geometric."""
    ends: list[int] = [0]
    rates: tuple[set[Fraction], set[Fraction]] = set(), set()
    for arrival in found:
        if not arrival.density.products or pattern_at(arrival, inputs) != pattern:
            continue
        forms = [form for form in forms_of(arrival.output) if noise_part(form)]
        if len(forms) != 1 or not is_integer(arrival, forms[0]):
            raise _refused("the output has several numbers with noise")
        density = moved(
            arrival.density, PreparedEdge.of(Edge(0, (forms[0],), None), arrival.variables), inputs
        )
        for part in density.products:
            for cell in part.lattice_of(0).cells:
                _add(cell, ends, rates)
    for listed in rates:
        if len(listed) > 1:
            raise _refused("far out the probabilities are no geometric sequence")
    low, high = (next(iter(listed), None) for listed in rates)
    return Tails(min(ends), max(ends), (low, high))


def _add(cell: LatticeCell, ends: list[int], rates: tuple[set[Fraction], set[Fraction]]) -> None:
    """Add the ends of a cell, and its rates where it has no end."""
    if any(modulus > 1 for modulus, _ in cell.residues.values()):
        raise _refused("the output is a multiple of integer noise")
    is_open = [True, True]
    for bound in cell.bounds:
        c = bound.coefficient(0)
        ends += [int(-bound.form.constant // c) - 1, int(-bound.form.constant // c) + 1]
        is_open[0 if c > 0 else 1] = False
    for side in (0, 1):
        for _, powers, listed in cell.density.numerator.terms if is_open[side] else ():
            if name_of(0) in dict(powers):
                raise _refused("far out the probabilities are no geometric sequence")
            rates[side].add(dict(listed).get(name_of(0), Fraction(0)))


def _refused(problem: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"{problem}, and it is any integer",
        rule="Integers without bound are compared one by one, and far out by the ratio of two "
        "geometric sequences.",
        way_out="Clamp the output, as in min(max(z, -10), 10).",
    )
