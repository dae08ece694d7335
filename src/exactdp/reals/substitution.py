"""Parameters of a sum replaced by numbers, or by other closed forms."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from operator import mul

from flint import fmpq

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.exp_poly import ExpPoly, build, ring
from exactdp.reals.exp_term import ExpTerm
from exactdp.reals.numbers import Number, common_step, exact, rational

_ZERO, _ONE = Fraction(0), Fraction(1)


def substituted(given: ExpPoly, values: Mapping[str, ClosedForm | Number]) -> ClosedForm:
    """Return a sum with parameters replaced (see `ClosedForm.substitute`)."""
    forms: dict[str, ClosedForm] = {
        name: value if isinstance(value, ClosedForm) else ExpPoly(rational(value))
        for name, value in values.items()
    }
    linear = {
        name: form.linear_form() if isinstance(form, ExpPoly) else None
        for name, form in forms.items()
    }
    known = {name: form for name, form in linear.items() if form is not None}
    if len(known) == len(linear):
        return _linearly(given, {name: known[name] for name in given._names if name in known})
    grouped: dict[tuple[tuple[str, int], ...], list[ExpTerm]] = {}
    for coefficient, powers, rates in given.terms:
        exponent: dict[str, Fraction] = {}
        for name, rate in rates:
            form = linear[name] if name in forms else {name: _ONE}
            if form is None:
                raise _not_a_ray(name, forms[name])
            for target, weight in form.items():
                exponent[target] = exponent.get(target, _ZERO) + rate * weight
        kept = tuple(entry for entry in powers if entry[0] not in forms)
        gone = tuple(entry for entry in powers if entry[0] in forms)
        new_rates = tuple((name, rate) for name, rate in exponent.items() if rate)
        grouped.setdefault(gone, []).append(ExpTerm(coefficient, kept, new_rates))
    result: ClosedForm = ExpPoly()
    for gone, terms in grouped.items():
        product: ClosedForm = ExpPoly(terms)
        for name, power in gone:
            product = product * forms[name] ** power
        result = result + product
    return result


def _linearly(given: ExpPoly, forms: Mapping[str, Mapping[str, Fraction]]) -> ExpPoly:
    """Return a sum with some of its parameters replaced by linear forms."""
    if not forms:
        return given
    old, size = given._names, len(given._names)
    others = {name for name in old if name not in forms}.union(*forms.values()) - {"eps"}
    names = ("eps", *sorted(others))
    # The rate of a new parameter is low + Σ step·(a whole number)·(an exponent of the old one).
    low, step, wholes = [], [], []
    for name in names:
        weights = [
            forms[one].get(name, _ZERO) if one in forms else Fraction(one == name) for one in old
        ]
        parts = [weight * one for weight, one in zip(weights, given._step, strict=True)]
        low.append(sum(map(mul, weights, given._low), _ZERO))
        step.append(common_step(parts) or _ONE)
        wholes.append([(size + j, int(q / step[-1])) for j, q in enumerate(parts) if q])
    place = {name: j for j, name in enumerate(old)}
    kept = [None if name in forms else place.get(name) for name in names]
    gone = [place[name] for name in forms]
    rows = []
    for key, coefficient in given._poly.to_dict().items():
        powers = [0 if j is None else int(key[j]) for j in kept]
        exponents = [sum(int(key[j]) * q for j, q in whole) for whole in wholes]
        rows.append((tuple(int(key[j]) for j in gone), powers, exponents, coefficient))
    least = [min(column) for column in zip(*(row[2] for row in rows), strict=True)]
    grouped: dict[tuple[int, ...], dict[tuple[int, ...], fmpq]] = {}
    for raised, powers, exponents, coefficient in rows:
        moved = (*powers, *(n - first for n, first in zip(exponents, least, strict=True)))
        group = grouped.setdefault(raised, {})
        group[moved] = group.get(moved, 0) + coefficient
    context = ring(names)
    parameters = context.gens()
    values = [
        sum((parameters[names.index(t)] * exact(q) for t, q in form.items()), 0 * parameters[0])
        for form in forms.values()
    ]
    result = 0 * parameters[0]
    for raised, group in grouped.items():
        product = context.from_dict(group)
        for value, power in zip(values, raised, strict=True):
            if power:
                product *= value**power
        result += product
    shifted = (a + n * q for a, n, q in zip(low, least or [0] * len(low), step, strict=True))
    return build(names, result, tuple(step), tuple(shifted))


def _not_a_ray(name: str, value: ClosedForm) -> ValueRefusedError:
    return ValueRefusedError(
        f"{name} occurs in an exponent and cannot become {value}",
        rule="e to a constant is irrational, and only e to a linear form is a closed form.",
        way_out=f"Substitute a multiple of another parameter, for example {name}=2 * eps.",
    )
