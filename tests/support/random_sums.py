"""Random sums of exponentials, and what they are to Fractions and to mpmath.

The model of a sum is a dictionary {(powers, rates): coefficient} of Fractions over `NAMES`. It
knows nothing of polynomials, units or canonical forms: what the ring computes is met by it from
outside.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from operator import add
from typing import Any, TypeAlias

import mpmath
from flint import arb

from exactdp_next.ring.enclose import ends
from exactdp_next.ring.expsum import ExpSum

NAMES = ("eps", "alpha", "x0", "1/eps", "log(2)/eps", "log(3)/eps")
PRIMES = {4: 2, 5: 3}

Model: TypeAlias = dict[tuple[tuple[int, ...], tuple[Fraction, ...]], Fraction]


def small(r: random.Random, below: int = 6, under: int = 4) -> Fraction:
    """Return a small rational."""
    return Fraction(r.randint(-below, below), r.randint(1, under))


def model(r: random.Random, names: tuple[str, ...] = ("eps",), terms: int = 4) -> Model:
    """Return a random sum in some of the names."""
    result: Model = {}
    for _ in range(r.randint(1, terms)):
        used = [x in names and r.random() < 0.7 for x in NAMES]
        k = tuple(
            r.randint(0, 2) if u and x != "1/eps" else 0 for u, x in zip(used, NAMES, strict=True)
        )
        b = tuple(small(r) if u else Fraction(0) for u in used)
        result[k, b] = small(r, 20, 12) or Fraction(1)
    return normal(result)


def normal(terms: Mapping[Any, Fraction]) -> Model:
    """Take whole powers of primes out, drop the powers of 1 = ε·1/ε, and what is 0."""
    result: Model = {}
    for (k, b), c in terms.items():
        rates, factor = list(b), Fraction(c)
        for i, p in PRIMES.items():
            whole = rates[i].__floor__()
            rates[i] -= whole
            factor *= Fraction(p) ** whole
        key = (*k[:3], 0, *k[4:]), tuple(rates)
        result[key] = result.get(key, Fraction(0)) + factor
    return {key: c for key, c in result.items() if c}


def added(one: Model, two: Model, factor: Fraction | int = 1) -> Model:
    """Return one + factor·two."""
    result = dict(one)
    for key, c in two.items():
        result[key] = result.get(key, Fraction(0)) + factor * c
    return normal(result)


def multiplied(one: Model, two: Model) -> Model:
    """Return the product."""
    result: Model = {}
    for (k, b), c in one.items():
        for (m, d), e in two.items():
            key = tuple(map(add, k, m)), tuple(map(add, b, d))
            result[key] = result.get(key, Fraction(0)) + c * e
    return normal(result)


def derived(one: Model, i: int) -> Model:
    """Return the derivative by the product that the i-th name stands for."""
    result: Model = {}
    for (k, b), c in one.items():
        lower = tuple(x - (j == i) for j, x in enumerate(k))
        for key, factor in (((lower, b), Fraction(k[i])), ((k, b), b[i])):
            result[key] = result.get(key, Fraction(0)) + c * factor
    return normal(result)


def sum_of(terms: Model) -> ExpSum:
    """Return the sum of the ring, made term by term."""
    unit = lcm(*(q.denominator for _, b in terms for q in b))
    return ExpSum.from_terms(
        NAMES, unit, {(k, tuple(int(q * unit) for q in b)): c for (k, b), c in terms.items()}
    )


def model_of(f: ExpSum) -> Model:
    """Read a sum of the ring."""
    place, result = [NAMES.index(x) for x in f.names], {}
    for (k, b), c in f.terms().items():
        powers, rates = [0] * len(NAMES), [Fraction(0)] * len(NAMES)
        for i, x, y in zip(place, k, b, strict=True):
            powers[i], rates[i] = x, Fraction(y, f.unit)
        result[tuple(powers), tuple(rates)] = Fraction(int(c.p), int(c.q))
    return result


def mp(q: Fraction) -> mpmath.mpf:
    """Return a rational at the working precision of mpmath."""
    return mpmath.mpf(q.numerator) / q.denominator


def mp_value(terms: Model, place: Mapping[str, Any]) -> Any:
    """Return the value where "eps" and the products of the other names with ε have these values."""
    theta = [place.get(x, mpmath.mpf(x == "1/eps")) for x in NAMES]
    for i, p in PRIMES.items():
        if any(k[i] or b[i] for k, b in terms):
            theta[i] = mpmath.log(p)
    total = mpmath.mpf(0)
    for (k, b), c in terms.items():
        power = mpmath.fprod(map(pow, theta, k))
        total += mp(c) * power * mpmath.exp(mpmath.fdot(map(mp, b), theta))
    return total


def mp_text(text: str, place: Mapping[str, Any]) -> Any:
    """Return the value of the text of a sum or quotient, read as Python over numbers of mpmath."""
    exact = re.sub(r"(?<![\w.])(\d+)", r"number(\1)", text)
    names = {"exp": mpmath.exp, "log": mpmath.log, "number": mpmath.mpf}
    return eval(exact, {**names, **place})


def mp_size(terms: Model, place: Mapping[str, Any]) -> Any:
    """Return the sum of the sizes of the terms: what rounding errors are relative to."""
    return mpmath.fsum(abs(mp_value({key: c}, place)) for key, c in terms.items())


def exact(x: Any) -> Fraction:
    """Return a number of mpmath as a Fraction."""
    return Fraction(*map(int, mpmath.libmp.to_rational(x._mpf_)))


def contains(ball: arb, value: Any, error: Any) -> bool:
    """Whether a ball contains a number of mpmath that may be off by the error."""
    lower, upper = ends(ball)
    return lower - exact(error) <= exact(value) <= upper + exact(error)
