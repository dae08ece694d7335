"""Sums over integer noise in the checker, against plain enumeration."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from exactdp.certify.kernel.reading import CertificateReader
from exactdp.certify.rederive.cones import PolyhedralCone
from exactdp.certify.rederive.derivation import Derivation
from exactdp.certify.rederive.lattices import LatticeSums, antidifference
from exactdp.certify.rederive.linear import LinearForm
from exactdp.certify.rederive.parametric import ProgramOnCone
from exactdp.certify.rederive.ratios import POSITIVE, Ratio, UnsupportedError

EPS = 1.3
HOLDS = {
    "<": lambda x: x < 0,
    "<=": lambda x: x <= 0,
    ">": lambda x: x > 0,
    ">=": lambda x: x >= 0,
    "==": lambda x: x == 0,
}


def number(found: Ratio) -> float:
    over, under = (
        sum(float(c) * math.exp(float(q) * EPS) * EPS**k for (q, k), c in part.items())
        for part in found.terms()
    )
    return over / under


def mass(kind: str, rate: Fraction, k: int) -> float:
    x = math.exp(-float(rate) * EPS)
    if kind == "dlap":
        return (1 - x) / (1 + x) * x ** abs(k)
    return (1 - x) * x**k if k >= 0 else 0.0


def enumerated(noises: list[tuple[str, Fraction]], conditions: list[Any], most: int) -> float:
    """Return the probability of the conditions, with all noises between −most and most."""
    total = 0.0
    for z in product(range(-most, most + 1), repeat=len(noises)):
        values = (
            (op, form.constant + sum(c * z[name] for name, c in form.coefficients.items()))
            for form, op in conditions
        )
        if all(HOLDS[op](value) for op, value in values):
            total += math.prod(mass(*noise, k) for noise, k in zip(noises, z, strict=True))
    return total


def test_against_enumeration() -> None:
    chance = random.Random(5)
    done = 0
    while done < 40:
        count = chance.choice([1, 2, 2])
        noises = [
            (chance.choice(["dlap", "geometric"]), chance.choice([Fraction(1), Fraction(3, 2)]))
            for _ in range(count)
        ]
        conditions = []
        for _ in range(chance.randint(1, 4)):
            drawn = {k: Fraction(chance.choice([-2, -1, 0, 1, 1])) for k in range(count)}
            coefficients = {k: c for k, c in drawn.items() if c}
            constant = Fraction(chance.randint(-5, 5), chance.choice([1, 2]))
            if coefficients:
                form = LinearForm(coefficients, constant, None)  # type: ignore[arg-type]
                conditions.append((form, chance.choice(list(HOLDS))))
        if not conditions:
            continue
        try:
            found = LatticeSums(lambda _: None).mass(noises, conditions)
        except UnsupportedError:
            continue
        assert number(found) == pytest.approx(enumerated(noises, conditions, 18), abs=1e-7)
        done += 1


@pytest.mark.parametrize("rate", [Fraction(0), Fraction(2), Fraction(-1, 2)])
@pytest.mark.parametrize("power", range(5))
def test_differences(power: int, rate: Fraction) -> None:
    """F(z + 1)·e^{r} − F(z) = z^k at some z."""

    def at(z: int) -> float:
        below = math.exp(abs(float(rate)) * EPS) - 1
        return math.fsum(
            number(Ratio(over)) / (below**m if m else 1) * z**j
            for j, (over, m) in enumerate(antidifference(power, rate))
        )

    for z in (-2, 0, 3):
        gap = at(z + 1) * math.exp(float(rate) * EPS) - at(z)
        assert gap == pytest.approx(z**power, abs=1e-8)


@pytest.mark.parametrize("op", ["==", "!=", "<", ">="])
def test_an_integer_may_be_equal_to_a_real_input(op: str) -> None:
    """Its chance was 0 in the checker; it is (1 − x)/(1 + x)·x^|k| with x = e^{−ε}."""
    source = (
        "def f(q: Real, r: Real):\n    n = dlap(eps, 0)\n    if n >= q:\n"
        f"        return 2 if n {op} r else 1\n    return 0\n"
    )
    spec = {
        "mechanism": source,
        "ideal": {"noiseless": True},
        "output_distance": {"name": "discrete"},
    }
    right: Any = {**HOLDS, "!=": lambda x: x != 0}[op]
    ray = PolyhedralCone(1, CertificateReader()).cut([1])
    derivation = Derivation(spec, None, POSITIVE)
    for q, r in ((-1, 1), (0, 0), (1, 1), (Fraction(1, 2), 1), (Fraction(1, 2), Fraction(3, 2))):
        found = ProgramOnCone(derivation, ray, [q, r]).probability(2, 0)
        seen = (n for n in range(-60, 60) if n >= q and right(n - r))
        assert number(found) == pytest.approx(sum(mass("dlap", Fraction(1), n) for n in seen))
