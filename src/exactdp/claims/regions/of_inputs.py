"""Parts of the inputs as regions: free entries are parameters, and a listed input is a ray.

If a mechanism combines 1/ε or log(r)/ε with reals, constants are parameters beside ε, too, and
listed numbers are forms in these: multiples of ε.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from exactdp.claims.regions.moving import curve_of, scaled_form
from exactdp.claims.regions.region import RAY, Combination, Region, Vector, on_stretch
from exactdp.claims.stated.scope import FREE, Part, Scope, with_zeros_in
from exactdp.cones import Cone
from exactdp.language.layout import kinds
from exactdp.language.linear import UNIT
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval
from exactdp.semantics.by_epsilon import sides_of_eps

_INVERSE = "the mechanism uses 1/eps"
NO_LEVELS: Mapping[str, ClosedForm] = MappingProxyType({})


def basis(names: Sequence[str]) -> dict[str, Vector]:
    """Return each parameter as a form in all of them."""
    return {name: tuple(Fraction(one == name) for one in names) for name in names}


def with_parameters(
    base: Region,
    scope: Scope,
    part: Part,
    units: Sequence[str],
    free: Sequence[str] = (),
    levels: Mapping[str, ClosedForm] = NO_LEVELS,
) -> Region:
    """Return a region at a part of the inputs with parameters beside ε.

    They are constants, the free entries, and some of α and γ; the others are given functions of ε
    that are forms in these.
    """
    reals = scope.free_in(part)
    names = ("eps", *units, *reals, *free)
    unit = basis(names)
    forms = [unit[name] for name in reals]
    sides = sides_of_eps(base.on, units, names)
    if reals:
        sides += sides_within(scope, unit["eps"], forms)
    found = {name: unit[name] for name in ("alpha", "gamma") if name in free}
    for name, level in levels.items():
        form = scaled_form(level, units)
        assert form is not None  # others are refused where they are read
        found[name] = tuple(form.get(one, Fraction(0)) for one in names)
    return replace(
        base,
        names=names,
        cone=Cone.of(len(names), sides),
        entries=entry_forms(scope.program, part, unit["eps"] if units else None, forms),
        alpha=found.get("alpha"),
        gamma=found.get("gamma"),
    )


def region_at(
    scope: Scope, part: Part, units: Sequence[str], on: Interval, others: Sequence[Value] = ()
) -> Region:
    """Return the region of a part of the inputs, or of two listed ones, and other values.

    `units` are the constants among its parameters.
    """
    ray = Region(("eps",), RAY, with_zeros_in(part), on)
    if units or FREE in part:
        found = with_parameters(ray, scope, part, units)
        curve = curve_of({}, with_unit=True) if found.names == ("eps", UNIT) else None
        ray = replace(found, curve=curve, why="" if FREE in part else _INVERSE)
    elif (own := scope.program.definition.part) is not None:
        ray = on_stretch(ray, own)
    return replace(ray, entries=(*ray.entries, *others)) if others else ray


def entry_forms(
    program: Program, part: Part, eps: Vector | None, reals: Iterable[Vector]
) -> tuple[Value | Combination, ...]:
    """Return the entries of one or two inputs, with given forms for those that are free.

    Other real ones are multiples of ε if a form for it is given.
    """
    domains, forms = kinds(program.inputs), iter(reals)
    return tuple(
        Combination(next(forms))
        if value is FREE
        else value
        if eps is None or domains[k % len(domains)] is not None
        else Combination(tuple(Fraction(value) * q for q in eps))
        for k, value in enumerate(part)
    )


def sides_within(scope: Scope, eps: Vector, reals: Sequence[Vector]) -> list[Vector]:
    """Return the sides that restrict an input, given by forms for its free entries."""
    return [combined(side, (eps, *reals)) for side in scope.sides]


def combined(factors: Sequence[Fraction | int], forms: Sequence[Vector]) -> Vector:
    """Return a linear combination of forms."""
    return tuple(
        sum((q * x for q, x in zip(factors, column, strict=True)), Fraction(0))
        for column in zip(*forms, strict=True)
    )
