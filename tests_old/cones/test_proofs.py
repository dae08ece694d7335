"""Proofs as plain data, checked again from the definitions with code of their own."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from cones.mechanisms import above_threshold, noisy_max, ordered
from exactdp.certify.kernel.reading import CertificateReader
from exactdp.certify.kernel.signs import proved_sign
from exactdp.cones import Cone, OrderedSum, nonnegative_on
from exactdp.reals import exp, parameter

x, y = parameter("x"), parameter("y")
QUADRANT = Cone.of(2, [(1, 0), (0, 1)])

Local = dict[tuple[tuple[int, Fraction], ...], Fraction]


def local(proof: dict[str, Any], cell: dict[str, Any]) -> Local:
    """Return Σ c·∏ sⱼ^kⱼ·exp(−aⱼsⱼ) on a cell, from the terms of f and the rays."""
    rays = [[Fraction(q) for q in ray] for ray in cell["rays"]]
    dominant = [Fraction(q) for q in cell["dominant"]]
    result: Local = {}
    for c, powers, listed in proof["terms"]:
        rates = [Fraction(q) for q in listed]
        decay = [
            top - sum(r * q for r, q in zip(rates, ray, strict=True))
            for top, ray in zip(dominant, rays, strict=True)
        ]
        monomials = {(0,) * len(rays): Fraction(c)}
        for variable, power in enumerate(powers):
            for _ in range(power):  # times θ = Σ sⱼρⱼ
                grown: dict[tuple[int, ...], Fraction] = {}
                for key, d in monomials.items():
                    for j, ray in enumerate(rays):
                        new = (*key[:j], key[j] + 1, *key[j + 1 :])
                        grown[new] = grown.get(new, Fraction(0)) + d * ray[variable]
                monomials = grown
        for key, d in monomials.items():
            place = tuple(zip(key, decay, strict=True))
            result[place] = result.get(place, Fraction(0)) + d
    return {key: c for key, c in result.items() if c}


def shifted(g: Local, axis: int, rate: Fraction) -> Local:
    """Return (∂ⱼ + rate)·g."""
    result: Local = {}
    for key, c in g.items():
        k, a = key[axis]
        for factor, part in (((k - 1, a), k * c), ((k, a), (rate - a) * c)):
            if part:
                new = (*key[:axis], factor, *key[axis + 1 :])
                result[new] = result.get(new, Fraction(0)) + part
    return {key: c for key, c in result.items() if c}


def at_zero(g: Local, axis: int) -> Local:
    """Return g on the face sⱼ = 0."""
    result: Local = {}
    for key, c in g.items():
        if key[axis][0] == 0:
            new = (*key[:axis], (0, Fraction(0)), *key[axis + 1 :])
            result[new] = result.get(new, Fraction(0)) + c
    return {key: c for key, c in result.items() if c}


def shown(g: Local, axis: int = 0) -> bool:
    """Whether (Lᵢ ⋯ L₁ g)(0) ≥ 0 along each axis, the fastest decay first, by the definition."""
    if all(c >= 0 for c in g.values()):
        return True
    if axis == len(next(iter(g))):
        return False
    while g:
        if not shown(at_zero(g, axis), axis + 1):
            return False
        g = shifted(g, axis, max(key[axis][1] for key in g))
    return True


def value(g: Local, point: list[float]) -> float:
    """Return g at a point, in doubles."""
    total = 0.0
    for key, c in g.items():
        total += float(c) * math.prod(
            s**k * math.exp(-a * s) for (k, a), s in zip(key, point, strict=True)
        )
    return total


def boxes_of(tree: Any, box: list[Any]) -> list[list[Any]]:
    """Return the boxes into which a tree cuts one."""
    if not isinstance(tree, dict):
        return [box]
    j, at = tree["axis"], tree["at"]
    below, above = ([*box[:j], ends, *box[j + 1 :]] for ends in ((box[j][0], at), (at, box[j][1])))
    return boxes_of(tree["below"], below) + boxes_of(tree["above"], above)


def check_boxes(g: Local, boxes: list[Any]) -> None:
    """Check that the boxes cover the orthant once, and that g is not negative on samples."""

    def image(end: str | None) -> Fraction:
        return Fraction(1) if end is None else Fraction(end) / (1 + Fraction(end))

    images = [[(image(low), image(high)) for low, high in box] for box in boxes]
    assert sum(math.prod(high - low for low, high in box) for box in images) == 1
    for one, two in combinations(images, 2):
        assert any(a[1] <= b[0] or b[1] <= a[0] for a, b in zip(one, two, strict=True))
    random = np.random.default_rng(4)
    for box in images:
        for u in random.uniform(0, 1, (5, len(box))):
            spots = [float(a + (b - a) * Fraction(t)) for t, (a, b) in zip(u, box, strict=True)]
            assert value(g, [t / (1 - t) if t < 1 else 1e6 for t in spots]) > -1e-12


def check(f: OrderedSum, cone: Cone) -> set[str]:
    """Check the proof of f ≥ 0 as it is after a trip through JSON; return the methods used."""
    decision = nonnegative_on(f, cone)
    assert decision.holds
    proof = json.loads(json.dumps(decision.proof.to_json()))
    cells = [np.array([[float(Fraction(q)) for q in r] for r in c["rays"]]) for c in proof["cells"]]
    random = np.random.default_rng(6)
    generators = [*cone.rays, *cone.lines, *([-e for e in line] for line in cone.lines)]
    for weights in random.exponential(size=(50, len(generators))):
        point = weights @ np.array(generators, dtype=float)
        assert any(np.all(np.linalg.solve(rays.T, point) > -1e-9) for rays in cells)
    for cell in proof["cells"]:
        g = local(proof, cell)
        for step in cell["reductions"]:
            axis = step["axis"]
            slope = shifted(g, axis, Fraction(step["shift"]))
            if step["face"] == "zero":
                assert shown(slope)
                g = at_zero(g, axis)
            else:
                assert step["shift"] == 0
                assert shown({key: -c for key, c in slope.items()})
                g = {key: c for key, c in g.items() if key[axis][1] == 0}
                assert all(key[axis][0] == 0 for key in g)
        method, *rest = cell["proof"]
        if method == "coefficients":
            assert shown(g)
        elif method == "boxes":
            check_boxes(g, boxes_of(rest[0], [("0", None)] * len(cell["rays"])))
        else:
            check_ray(g, *rest)
    return {cell["proof"][0] for cell in proof["cells"]}


def check_ray(g: Local, axis: int, sign: dict[str, Any]) -> None:
    """Check that the proof is one for g, up to a positive factor, and is accepted."""
    proved_sign(CertificateReader(), sign)
    numerator = sign["claim"]["numerator"]
    claimed = {(power, Fraction(rate)): Fraction(c) for c, power, rate in numerator}
    mine = {(key[axis][0], -key[axis][1]): c for key, c in g.items()}
    assert mine.keys() == claimed.keys()
    ratios = {c / claimed[key] for key, c in mine.items()}
    assert len(ratios) == 1
    assert ratios.pop() > 0


PLANE_CASES = {
    "coefficients": (1 - exp(-x) * (1 + x), QUADRANT),
    "cells": ((exp(x) + exp(-x)) * (exp(y) + exp(-y)) - 4, Cone.of(2)),
    "cut": ((exp(-2 * x) - exp(-3 * y)) ** 2, QUADRANT),
    "boxes": (
        (exp(-x) - exp(-y)) ** 2 + (exp(-y) - Fraction(1, 3)) ** 2 + Fraction(1, 10**4),
        QUADRANT,
    ),
    "ray": ((exp(-x) - Fraction(1, 2)) ** 2 + y, QUADRANT),
}


CASES = {name: (OrderedSum(f, ("x", "y")), cone) for name, (f, cone) in PLANE_CASES.items()}


@pytest.mark.parametrize("name", CASES)
def test_proofs_of_small_cases(name: str) -> None:
    methods = check(*CASES[name])
    assert name not in ("coefficients", "boxes", "ray") or name in methods


def test_proofs_of_mechanisms() -> None:
    for m in (2, 3, 4):
        beta, wrong, cone = noisy_max(m)
        assert check(ordered(beta - wrong, cone), cone) == {"coefficients"}
    for k in (1, 2, 3, 4):
        beta, wrong, cone = above_threshold(3, k)
        check(ordered(beta - wrong * Fraction(63, 10), cone), cone)
