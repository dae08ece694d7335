"""Regions of inputs, without α and γ: those of listed inputs, and forms for all real ones.

If a mechanism combines 1/ε or log(r)/ε with reals, constants are parameters beside ε, and listed
numbers are forms in these: multiples of ε.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactdp.claims.regions.moving import curve_of
from exactdp.claims.regions.region import RAY, Combination, Region, Vector, on_stretch
from exactdp.claims.stated.scope import FREE, Part, Scope
from exactdp.language.layout import kinds
from exactdp.language.linear import UNIT
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import Interval
from exactdp.semantics.by_epsilon import cone_of_constants

_INVERSE = "the mechanism uses 1/eps"


def basis(names: Sequence[str]) -> dict[str, Vector]:
    """Return each parameter as a form in all of them."""
    return {name: tuple(Fraction(one == name) for one in names) for name in names}


def region_at(
    mechanism: Program,
    values: Sequence[Value],
    units: Sequence[str],
    on: Interval,
    others: Sequence[Value] = (),
) -> Region:
    """Return the region of one or two listed inputs, given by their entries, and other values.

    `units` are the constants among its parameters.
    """
    if not units:
        ray = Region(("eps",), RAY, (*values, *others), on)
        own = mechanism.definition.part
        return ray if own is None else on_stretch(ray, own)
    names = ("eps", *units)
    curve = curve_of({}, with_unit=True) if names == ("eps", UNIT) else None
    cone = cone_of_constants(on, units, names)
    given = listed_forms(mechanism, values, len(names))
    return Region(names, cone, (*given, *others), on, curve=curve, why=_INVERSE)


def listed_forms(
    mechanism: Program, values: Sequence[Value], size: int
) -> tuple[Value | Combination, ...]:
    """Return the entries of listed inputs, with reals as multiples of ε."""
    domains, rest = kinds(mechanism.inputs), (Fraction(0),) * (size - 1)
    return tuple(
        value if domains[k % len(domains)] is not None else Combination((Fraction(value), *rest))
        for k, value in enumerate(values)
    )


def real_forms(part: Part, reals: Sequence[Vector]) -> tuple[Value | Combination, ...]:
    """Return the entries of an input with forms for those that are free."""
    forms = iter(reals)
    return tuple(Combination(next(forms)) if value is FREE else value for value in part)


def sides_within(scope: Scope, eps: Vector, reals: Sequence[Vector]) -> list[Vector]:
    """Return the sides that restrict an input, given by forms for its free entries."""
    return [combined(side, (eps, *reals)) for side in scope.sides]


def combined(factors: Sequence[Fraction | int], forms: Sequence[Vector]) -> Vector:
    """Return a linear combination of forms."""
    return tuple(
        sum((q * x for q, x in zip(factors, column, strict=True)), Fraction(0))
        for column in zip(*forms, strict=True)
    )
