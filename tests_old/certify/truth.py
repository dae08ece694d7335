"""What is true, asked of mpmath: an opinion from outside about what a certificate states."""

from __future__ import annotations

import functools
from typing import Any

import mpmath

Json = Any

mp = mpmath.mp.clone()  # not the one that everybody shares
mp.dps = 40
NEARLY_0 = mp.mpf(10) ** -15  # stands for ε = 0, where only a limit may exist
SMALL = mp.mpf(10) ** -30


@functools.cache
def number(text: str) -> Any:
    """Read "p/q", "m*2^e", "inf" or "-inf"."""
    if "*2^" in text:
        mantissa, exponent = text.split("*2^")
        return mp.ldexp(mp.mpf(mantissa), int(exponent))
    numerator, _, denominator = text.partition("/")
    return mp.mpf(numerator) / mp.mpf(denominator or 1)


def parts(terms: Json, x: Any) -> list[Any]:
    return [number(c) * x**k * mp.exp(number(q) * x) for c, k, q in terms]


def value(terms: Json, x: Any) -> Any:
    return mp.fsum(parts(terms, x))


def sign(terms: Json, x: Any) -> int:
    """Return the sign, 0 if all but nothing is left of the parts."""
    each = parts(terms, x)
    total, size = mp.fsum(each), mp.fsum(map(abs, each))
    return 0 if abs(total) <= SMALL * size else int(mp.sign(total))


def contains(on: Json, x: Any) -> bool:
    lower, upper = number(on["lower"]), number(on["upper"])
    above = x > lower or (x == lower and on["lower_closed"])
    return bool(above and (x < upper or (x == upper and on["upper_closed"])))


def violated(claim: Json, x: Any) -> bool:
    """Whether the claim is wrong at a point of its interval."""
    numerator, denominator = claim["numerator"], claim["denominator"]
    if x == 0:
        limit = value(numerator, NEARLY_0) / value(denominator, NEARLY_0)
        pole = abs(limit) > 10**10
        return bool(pole or limit < -(10**-10) or (claim["relation"] == ">" and limit < 10**-10))
    signs = sign(numerator, x) * sign(denominator, x)
    return signs < 0 or (signs == 0 and (claim["relation"] == ">" or sign(denominator, x) == 0))


def samples(on: Json) -> list[Any]:
    """Return points of the interval, among them its ends, 0, and points close to 0 and far out."""
    lower, upper = max(number(on["lower"]), -100), min(number(on["upper"]), 100)
    steps = [lower + (upper - lower) * i / 24 for i in range(25 if lower < upper else 1)]
    near = [mp.mpf(i) / 5 for i in range(-20, 21)]
    far = [s * mp.mpf(8) ** i for i in range(-8, 6) for s in (-1, 1)]
    return [x for x in [*steps, *near, *far] if contains(on, x)]


def is_true(certificate: Json) -> bool:
    """Whether what the certificate states survives sampling."""
    claim, proof = certificate["claim"], certificate["proof"]
    if certificate["verdict"] == "holds":
        return not any(violated(claim, x) for x in samples(claim["on"]))
    if "at" in proof or "pole" in proof:
        x = number(proof.get("at", proof.get("pole")))
        return contains(claim["on"], x) and violated(claim, x)
    low, high = map(number, proof["between"])
    whole = claim[proof["zero_of"]]
    ends = value(proof["factor"], low) * value(proof["factor"], high)
    same = all(
        mp.almosteq(value(proof["factor"], x) * value(proof["cofactor"], x), value(whole, x))
        for x in (low, high, (2 * low + high) / 3)
    )
    inside = contains(claim["on"], low) and contains(claim["on"], high) and low < high
    refutes = proof["zero_of"] == "denominator" or claim["relation"] == ">"
    return bool(inside and refutes and same and ends < 0)
