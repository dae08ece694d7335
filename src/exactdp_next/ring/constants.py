"""Constants on a line: e^q, powers of primes, logarithms of primes.

A threshold b/ε or log(r)/ε of a program, scaled by ε, is the number b or log r. So the parameters
"1/eps" and "log(p)/eps" (p prime) are numbers: their products with ε are 1 and log p, and
e^{b·θ} is e^b or p^b.

Normal form of Σ c·e^q·Π p^r·Π (log p)^k with rational c, q and r: 0 ≤ r < 1, the whole part of r
is in c. Then e^q·Π p^r are linearly independent over the rationals: those with one q are
(Besicovitch 1940), and different e^q are over all algebraic numbers (Lindemann). So a sum without
logarithms is 0 only if no term is left. With logarithms that is open (log 2·log 3 and log 5, say,
might be dependent): a sum is taken for 0 only if no term is left, and its sign may stay unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from flint import arb, fmpq, fmpz

from .enclose import point
from .linear import Rational, Value, form

ONE = "1/eps"
"""The parameter whose product with ε is 1."""


@lru_cache(maxsize=4096)
def prime_of(name: str) -> int | None:
    """Return p for the name "log(p)/eps", and None for any other name."""
    if not (name.startswith("log(") and name.endswith(")/eps") and name[4:-5].isdecimal()):
        return None
    p = int(name[4:-5])
    if not fmpz(p).is_prime():
        raise ValueError(f"{p} in {name} is not prime: `logarithm` splits it")
    return p


def is_constant(name: str) -> bool:
    """Whether the product of this parameter with ε is a number."""
    return name == ONE or prime_of(name) is not None


def logarithm(q: Rational) -> Value:
    """Return log(q)/ε for a rational q > 0, as Σ n·"log(p)/eps" over its primes p.

    >>> from fractions import Fraction
    >>> print(logarithm(Fraction(4, 3)))
    2*log(2)/eps - log(3)/eps
    """
    if q <= 0:
        raise ValueError(f"{q} has no logarithm")
    over, under = fmpz(q.numerator).factor(), fmpz(q.denominator).factor()
    powers = [*over, *((p, -n) for p, n in under)]
    return form({f"log({int(p)})/eps": int(n) for p, n in powers})


def value_of(name: str) -> arb:
    """Return a ball around the number that such a parameter is after multiplication with ε."""
    p = prime_of(name)
    return arb(1) if p is None else arb(p).log()


def power_of(name: str, k: int, q: fmpq) -> arb:
    """Return a ball around θ^k·e^{qθ} for such a parameter."""
    p = prime_of(name)
    if p is None:
        return point(q).exp()
    logs = arb(p).log() ** k if k else arb(1)
    return logs * arb(p) ** point(q) if q else logs


Exponents = tuple[int, ...]


def normal(
    terms: Iterable[tuple[Exponents, fmpq]],
    unit: int,
    roots: Iterable[tuple[int, int]],
) -> dict[Exponents, fmpq]:
    """Take whole powers of primes out of terms {exponents: c}; terms that meet are added.

    `roots` are pairs (i, p): exponents[i]/unit is the power of the prime p.
    """
    found: dict[Exponents, fmpq] = {}
    for key, c in terms:
        exponents, factor = list(key), c
        for i, p in roots:
            whole, exponents[i] = divmod(exponents[i], unit)
            factor *= fmpq(p) ** whole
        moved = tuple(exponents)
        found[moved] = found.get(moved, fmpq(0)) + factor
    return found
