"""The tails of integer noise in an output: where its probabilities become geometric sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exactdp.errors import ValueRefusedError
from exactdp.language.values import Value
from exactdp.measure.joint import name_of
from exactdp.measure.lattice import LatticeCell
from exactdp.polyhedra.form import Number
from exactdp.reals import ClosedForm
from exactdp.semantics.densities import pattern_at, refuse_dependent
from exactdp.semantics.exact import Arrival, moved
from exactdp.semantics.nodes import Edge, forms_of, noise_part
from exactdp.semantics.plan import PreparedEdge, constant_part

Rates = Mapping[Fraction, int]
"""Rates, and the number of powers k = 0, 1, … of each."""


@dataclass(frozen=True)
class Tails:
    """Below `low` and above `high` the probabilities of z are sums of z^k·e^{rate·ε·z}."""

    low: int
    high: int
    rates: tuple[Rates, Rates]
    """The rates below and above, none if there is no probability."""


def tails(
    found: Sequence[Arrival], pattern: Value, inputs: Mapping[str, Number]
) -> tuple[Tails, ...]:
    """Return where each integer of a pattern becomes a sum of geometric sequences."""
    ends: list[list[int]] = []
    bases: set[ClosedForm | None] = set()
    rates: list[tuple[dict[Fraction, int], dict[Fraction, int]]] = []
    for arrival in found:
        if not arrival.density.products or pattern_at(arrival, inputs) != pattern:
            continue
        forms = tuple(form for form in forms_of(arrival.output) if noise_part(form))
        refuse_dependent(forms, pattern)
        for form in forms:
            numbers = (*noise_part(form).values(), constant_part(form, inputs))
            if any(q.denominator != 1 for q in numbers):
                raise _not_whole()
        while len(ends) < len(forms):
            ends.append([0])
            rates.append(({}, {}))
        way = PreparedEdge.of(Edge(0, forms, None), arrival.variables)
        for part in moved(arrival.density, way, inputs).products:
            for v in range(len(forms)):
                mass = part.lattice_of(v)
                bases.add(mass.base)
                if mass.variables != {v}:
                    raise _refused("the integers of the output depend on each other")
                for cell in mass.cells:
                    _add(cell, v, ends[v], rates[v])
    is_mixed = any(sum(side.values()) > 1 for both in rates for side in both)
    if len(bases) > 1 or (is_mixed and bases != {None}):
        raise _refused("far out the probabilities are no geometric sequences")
    return tuple(Tails(min(each), max(each), both) for each, both in zip(ends, rates, strict=True))


def _add(
    cell: LatticeCell,
    v: int,
    ends: list[int],
    rates: tuple[dict[Fraction, int], dict[Fraction, int]],
) -> None:
    """Add the ends of a cell of a variable, and its rates if it is unbounded."""
    if any(modulus > 1 for modulus, _ in cell.residues.values()):
        raise _refused("the output is a multiple of integer noise")
    is_open = [True, True]
    for bound in cell.bounds:
        c = bound.coefficient(v)
        ends += [int(-bound.form.constant // c) - 1, int(-bound.form.constant // c) + 1]
        is_open[0 if c > 0 else 1] = False
    for side in (0, 1):
        for _, powers, listed in cell.density.numerator.terms if is_open[side] else ():
            rate = dict(listed).get(name_of(v), Fraction(0))
            power = dict(powers).get(name_of(v), 0)
            rates[side][rate] = max(rates[side].get(rate, 0), power + 1)


def _not_whole() -> ValueRefusedError:
    return ValueRefusedError(
        "the output has integer noise, and may not be a whole number",
        rule="Outputs with integer noise without bound are compared at all whole numbers.",
        way_out="Release a whole number: a multiple of the output, or integer noise around a "
        "whole number.",
    )


def _refused(problem: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"{problem}, and it is any integer",
        rule="Integers without bound are compared one by one, and far out as sums of geometric "
        "sequences.",
        way_out="Clamp the output, as in min(max(z, -10), 10).",
    )
