"""Signs of sums on a line.

A proof that a sum is ≥ 0 for every ε of a window is followed step by step.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import factorial

from .document import Work, fields, listed, natural, need, rational, row
from .enclosures import Exponentials, enclosed
from .sums import HIGHEST as HIGHEST_POWER
from .sums import LONGEST_RATE, Sum, length, multiplied, number

Window = tuple[Fraction, Fraction | None]

HIGHEST = 200
"""Degree of a Taylor polynomial; those of the solver have some ten."""


def nonnegative(f: Sum, on: Window, proof: object, work: Work) -> None:
    """Reject unless the proof shows f ≥ 0 for every ε of the open window."""
    need(type(proof) is dict and "kind" in proof, "a proof without a kind")
    assert isinstance(proof, dict)
    if proof["kind"] == "zero":
        need(not f.terms, "a sum that is not 0")
    elif proof["kind"] == "square":
        _, odd, root, inner = fields(proof, ("kind", "odd", "root", "proof"), "a square")
        g, s = read_sum(odd), read_sum(root)
        product = multiplied(multiplied(s, s, work), g, work)
        need(not (f - product).terms, "a product that is another one")
        _walked(g, on, inner, work)
    else:
        _walked(f, on, proof, work)


def _walked(f: Sum, on: Window, proof: object, work: Work) -> None:
    kind, *rest = fields(proof, ("kind", "order", "near", "far", "ends", "degree"), "a walk")
    need(kind == "walk" and f.terms, "an unknown proof")
    order, degree = natural(rest[0], "an order"), natural(rest[4], "a degree")
    ends = [rational(x, "an end") for x in listed(rest[3], "ends")]
    top = max(f.terms, key=lambda m: (m[1], m[0]))
    f = Sum({(k, b - top[1]): c for (k, b), c in f.terms.items()}, f.unit)  # a positive factor less
    bits = _bits(f, ends)
    low, high = on
    start, end = low, high
    if low == 0:
        start = rational(rest[1], "near")
        _near(f, order, start, bits, work)
    if high is None:
        end = rational(rest[2], "far")
        _far(f, (top[0], 0), end, bits, work)
    assert end is not None
    if start < end:
        _boxes(f, start, end, ends, degree, bits, work)


def _near(f: Sum, order: int, near: Fraction, bits: int, work: Work) -> None:
    """Reject unless the first derivative that is not 0 at 0 is positive on [0, near]."""
    need(near > 0 and order <= HIGHEST, "near")
    for _ in range(order):
        work.spend(len(f.terms))
        need(f.at_zero() == 0, "the order at 0")
        f = f.derivative()
    need(
        enclosed(f, Exponentials(f.unit, bits, Fraction(0), near, work), work)[0] > 0,
        "the sign near 0",
    )


def _far(f: Sum, top: tuple[int, int], far: Fraction, bits: int, work: Work) -> None:
    """Beyond far the dominant term is larger than all others.

    Their quotients decrease from there on, and their sum is < 1.
    """
    need(far > 0 and f.terms[top] > 0, "the sign at infinity")
    e, others = Exponentials(f.unit, bits, far, far, work), Fraction(0)
    for (k, b), c in f.terms.items():
        work.number(abs(k - top[0]) * length(far) + bits + length(c) + length(f.terms[top]))
        if (k, b) != top:
            need((k - top[0]) * f.unit <= -b * far, "a term that still grows")
            power = far ** (k - top[0]) * Fraction(e.power(b)[1], 1 << bits)
            others += abs(c / f.terms[top]) * power
    need(others < 1, "the dominant term does not rule yet")


def _boxes(
    f: Sum, start: Fraction, end: Fraction, ends: list[Fraction], degree: int, bits: int, work: Work
) -> None:
    """Reject unless on each box the sum or its Taylor polynomial with its remainder is positive."""
    need(len(ends) > 1 and ends[0] <= start and end <= ends[-1], "boxes that do not meet the ends")
    need(0 < degree <= HIGHEST, "a degree")
    derivatives = [f]
    for _ in range(degree):
        derivatives.append(derivatives[-1].derivative())
        work.spend(len(derivatives[-1].terms))
    for a, b in pairwise(ends):
        need(0 < a < b, "boxes in disorder")
        middle, half = (a + b) / 2, (b - a) / 2
        at = Exponentials(f.unit, bits, middle, middle, work)
        over = Exponentials(f.unit, bits, a, b, work)
        if enclosed(f, over, work)[0] > 0:
            continue
        low = Fraction(enclosed(f, at, work)[0])
        for i in range(1, degree + 1):
            least, most = enclosed(derivatives[i], at if i < degree else over, work)
            size = half**i / factorial(i)
            low -= max(0, -least) * size if i % 2 == 0 else max(-least, most) * size
        need(low > 0, f"a box that is not clear, near ε = {float(a):.6g}")


def _bits(f: Sum, ends: list[Fraction]) -> int:
    """Return how many bits enclosures need.

    More for large coefficients and for ends close to each other.
    """
    sizes = [c.numerator.bit_length() - c.denominator.bit_length() for c in f.terms.values()]
    sizes += [x.denominator.bit_length() for x in ends]
    return 96 + max(0, *sizes)


def read_sum(x: object) -> Sum:
    """Read {"unit": N, "terms": [[k, b, c], …]}."""
    unit, terms = fields(x, ("unit", "terms"), "a sum")
    found = {}
    for one in listed(terms, "terms"):
        k, b, c = row(one, 3, "a term")
        power = natural(k, "a power")
        need(type(b) is int, "an exponent")
        assert isinstance(b, int)
        need(power <= HIGHEST_POWER and b.bit_length() <= LONGEST_RATE, "a power that is too high")
        found[power, b] = rational(c, "a coefficient")
    size = natural(unit, "a unit")
    need(size > 0 and len(found) == len(listed(terms, "terms")) and all(found.values()), "a sum")
    return Sum(found, size) if found else number(Fraction(0))
