"""Outputs with real noise: their patterns, and the densities of their numbers on a cone.

The density of independent noises is the derivative of Pr(each number is at most y) in all y: so it
needs only probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

from ..kernel.reading import Sum
from .cones import axis, reduced
from .distances import is_integer_noise
from .linear import LinearForm
from .parametric import ProgramOnCone
from .points import number_of
from .programs import frozen
from .ratios import Ratio, UnsupportedError, stripped, times


class _RealNumber:
    def __repr__(self) -> str:
        return "Real"


REAL = _RealNumber()
"""Stands for a number with real noise in a pattern of outputs."""


def pattern_of(output: Any) -> Any:
    """Return an output with `REAL` for numbers that hold noise."""
    if isinstance(output, tuple | list):
        return tuple(map(pattern_of, output))
    if isinstance(output, LinearForm):
        if not any(name >= 0 for name in output.coefficients):
            raise UnsupportedError("an output holds an input without noise")
        if is_integer_noise(output):
            raise UnsupportedError("an output is an integer without bound")
        return REAL
    return frozen(output)


def reals_in(pattern: Any) -> int:
    """Return how many numbers of a pattern hold noise."""
    if isinstance(pattern, tuple):
        return sum(map(reals_in, pattern))
    return int(pattern is REAL)


def matches_pattern(pattern: Any, output: Any, numbers: list[Fraction]) -> bool:
    """Whether an output has a pattern; its numbers in the places of noise are added to a list."""
    if pattern is REAL:
        if isinstance(output, bool) or not isinstance(output, int | Fraction):
            return False
        numbers.append(Fraction(output))
        return True
    if not isinstance(pattern, tuple):
        return repr(pattern) == repr(output)
    return (
        isinstance(output, tuple)
        and len(pattern) == len(output)
        and all(matches_pattern(a, b, numbers) for a, b in zip(pattern, output, strict=True))
    )


def noisy_forms(output: Any) -> list[LinearForm]:
    """Return the numbers of an output that hold noise, in order."""
    if isinstance(output, tuple | list):
        return [form for item in output for form in noisy_forms(item)]
    return [output] if isinstance(output, LinearForm) else []


def density(program: ProgramOnCone, wanted: Any, after: int = 0) -> Ratio:
    """Return the density of the numbers of a pattern; `after` them there are other parameters."""
    size = program.region.size
    places = range(size - after - reals_in(wanted), size - after)
    points = [number_of(axis(k, size), program.judge) for k in places]
    total = Ratio.number(0)
    for way in program.ways:
        if repr(pattern_of(way.output)) != repr(wanted):
            continue
        forms = noisy_forms(way.output)
        noises = sorted({name for form in forms for name in form.coefficients if name >= 0})
        rows = [[form.coefficients.get(name, Fraction(0)) for name in noises] for form in forms]
        if len(reduced(rows)) != len(forms):
            raise UnsupportedError("the numbers of an output are not independent noise")
        more = [(form - point, "<=") for form, point in zip(forms, points, strict=True)]
        found = program.mass(way, more)
        for k in places:
            found = derivative(found, k)
        total = total + found
    return total


def is_continuous(program: ProgramOnCone, wanted: Any) -> bool:
    """Whether the density of a pattern at fixed numbers is seen not to jump as the input changes.

    With the numbers fixed, it is an integral over the other noise. That does not jump if the noise
    in the numbers is Laplace noise, whose density is continuous, and each condition either has
    other noise, or is the same for all inputs.
    """
    for way in program.ways:
        if repr(pattern_of(way.output)) != repr(wanted):
            continue
        forms = noisy_forms(way.output)
        noises = {name for form in forms for name in form.coefficients if name >= 0}
        if any(way.path.noises[name][0] != "lap" for name in noises):
            return False
        for condition, _ in way.conditions:
            beside = [*forms, condition]
            has_more = _rank(beside, noise=True) > _rank(forms, noise=True)
            if not has_more and _rank(beside) > _rank(forms):
                return False
    return True


def _rank(forms: Sequence[LinearForm], *, noise: bool = False) -> int:
    """Return the rank of forms in noise and inputs, or of their noise alone."""
    names = sorted({name for form in forms for name in form.coefficients if name >= 0 or not noise})
    rows = [[form.coefficients.get(name, Fraction(0)) for name in names] for form in forms]
    return len(reduced(rows))


def derivative(function: Ratio, k: int) -> Ratio:
    """Return the derivative in a parameter."""
    over, under = function.over, function.under
    if any(len(powers) > k or len(rates) > k for powers, rates in under):
        parts = times(_derivative(over, k), under), times(over, _derivative(under, k))
        return (Ratio(parts[0]) - Ratio(parts[1])) / Ratio(times(under, under))
    return Ratio(_derivative(over, k), under)


def _derivative(terms: Sum, k: int) -> Sum:
    """Return the derivative of a sum in a parameter."""
    found: dict[Any, Fraction] = {}
    for (powers, rates), c in terms.items():
        if len(rates) > k and rates[k]:
            key = powers, rates
            found[key] = found.get(key, Fraction(0)) + c * rates[k]
        if len(powers) > k and powers[k]:
            lower = (*powers[:k], powers[k] - 1, *powers[k + 1 :])
            key = stripped(lower), rates
            found[key] = found.get(key, Fraction(0)) + c * powers[k]
    return {key: c for key, c in found.items() if c}


def substituted(function: Ratio, at: Sequence[Fraction]) -> Ratio:
    """Return a function where each parameter is a multiple of ε."""
    parts = []
    for part in (function.over, function.under):
        found: dict[Any, Fraction] = {}
        for (powers, rates), c in part.items():
            value = prod((x**power for x, power in zip(at, powers, strict=False)), start=c)
            rate = sum((x * q for x, q in zip(at, rates, strict=False)), Fraction(0))
            key = stripped((sum(powers),)), stripped((rate,))
            found[key] = found.get(key, Fraction(0)) + value
        parts.append({key: c for key, c in found.items() if c})
    return Ratio(*parts)
