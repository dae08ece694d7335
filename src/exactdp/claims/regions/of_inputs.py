"""Regions of inputs, without α and γ: those of listed inputs, and forms for all real ones.

If a mechanism combines 1/ε or log(r)/ε with reals, constants are parameters beside ε, and listed
numbers are forms in these: multiples of ε.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from exactdp.claims.regions.moving import curve_of, scaled_form
from exactdp.claims.regions.region import RAY, Combination, Region, Vector, on_stretch
from exactdp.claims.stated.scope import FREE, Part, Scope
from exactdp.language.layout import kinds
from exactdp.language.linear import UNIT
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval
from exactdp.semantics.by_epsilon import cone_of_constants

_INVERSE = "the mechanism uses 1/eps"


def basis(names: Sequence[str]) -> dict[str, Vector]:
    """Return each parameter as a form in all of them."""
    return {name: tuple(Fraction(one == name) for one in names) for name in names}


def level_forms(
    names: Sequence[str], units: Sequence[str], levels: Mapping[str, ClosedForm]
) -> dict[str, Vector]:
    """Return α and γ, scaled by ε, as forms in parameters: themselves, or given functions of ε."""
    found = {name: form for name, form in basis(names).items() if name in ("alpha", "gamma")}
    for name, level in levels.items():
        form = scaled_form(level, units)
        assert form is not None  # others are refused where they are read
        found[name] = tuple(form.get(one, Fraction(0)) for one in names)
    return found


def with_parameters(
    base: Region, units: Sequence[str], free: Sequence[str], levels: Mapping[str, ClosedForm]
) -> Region:
    """Return a region at a listed input with constants, and some of α and γ, as parameters.

    The others are given functions of ε that are forms in these.
    """
    names = ("eps", *units, *free)
    forms = level_forms(names, units, levels)
    return replace(
        base,
        names=names,
        cone=cone_of_constants(base.on, units, names),
        entries=tuple(
            Combination((*one.form, *(Fraction(0),) * (len(names) - len(one.form))))
            if isinstance(one, Combination)
            else one
            for one in base.entries
        ),
        alpha=forms.get("alpha"),
        gamma=forms.get("gamma"),
    )


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
