"""The distance l2: dd is the root of a rational at inputs, and bounded by forms for all reals."""

from __future__ import annotations

import copy
import json
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from certify.parts import regions
from certify.specimens import seal
from exactdp import (
    Accuracy,
    AllReals,
    Box,
    Ideal,
    Mechanism,
    ValueRefusedError,
    alpha,
    certify,
    eps,
    exp,
    l2,
)
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.polyhedra.projection import nearest_point
from exactdp.reals.radicals import Radical
from exactdp.reals.square_roots import at_least, at_most, square_root

MAX = Mechanism.from_source("""
def noisy_max(q: Real[3]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 3):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
""")
ABOVE = Mechanism.from_source("""
def above(q: Real[2]):
    t = lap(eps / 2, 0)
    for i in range(2):
        if lap(eps / 4, q[i]) >= t:
            return i
    return None
""")
BITS = Mechanism.from_source("""
def response(x: Dom(0, 1)[2]):
    return [choose({b: exp(eps) / (1 + exp(eps)), 1 - b: 1 / (1 + exp(eps))}) for b in x]
""")
TRUE_BITS = Ideal.from_source("def bits(x: Dom(0, 1)[2]): return [x[0], x[1]]")


def test_roots_are_compared_by_squares() -> None:
    root = square_root(Fraction(2))
    assert isinstance(root, Radical)
    assert Fraction(141421356, 10**8) < root < Fraction(141421357, 10**8)
    assert at_most(root) ** 2 < 2 < at_least(root) ** 2
    assert at_least(root) - at_most(root) < Fraction(1, 10**8)
    several: list[Any] = [Fraction(3, 2), root, Fraction(1), float("inf")]
    assert sorted(several)[1] is root
    assert square_root(Fraction(9, 4)) == Fraction(3, 2)


def test_nearest_points_of_random_polyhedra() -> None:
    """No point of the polyhedron is nearer: the way to each makes no acute angle (projection)."""
    source = random.Random(3)
    for _ in range(60):
        names = ("x", "y", "z")
        rows = [
            Halfspace.of(
                {name: source.randint(-3, 3) for name in names}, source.randint(-4, 4), strict=False
            )
            for _ in range(source.randint(1, 5))
        ]
        here = {name: Fraction(source.randint(-9, 9), 2) for name in names}
        found = nearest_point(rows, here)
        others = [
            {name: Fraction(source.randint(-30, 30), 3) for name in names} for _ in range(200)
        ]
        inside = [one for one in others if all(row.holds(one) for row in rows)]
        if found is None:
            assert not inside
            continue
        assert all(row.form.value(found) >= 0 for row in rows)
        for one in inside:
            turn = sum((here[n] - found[n]) * (one[n] - found[n]) for n in names)
            assert turn <= 0


def test_distances_at_random_inputs() -> None:
    """NoisyMax: half of the gap to the second largest, times √2. AboveThreshold: by hand."""
    source = random.Random(4)
    for _ in range(12):
        q = [Fraction(source.randint(-8, 8), 2) for _ in range(3)]
        claim = Accuracy(MAX, 3 * exp(-alpha * eps / 2), input_distance=l2, inputs=[q])
        first, second, _ = sorted(q, reverse=True)
        assert claim.disagreement(q).distance == square_root((first - second) ** 2 / 2)
        u = q[:2]
        rival = Accuracy(ABOVE, exp(-eps), input_distance="l2", inputs=[u])
        if u[0] >= 0:
            wanted = u[0]
        elif u[1] >= 0:
            wanted = min(-u[0], u[1])
        else:
            wanted = min(-u[0], -u[1])
        assert rival.disagreement(u).distance == wanted


def certified(claim: Accuracy, outcome: bool) -> Any:
    verdict = claim.check()
    assert verdict.holds is outcome
    found = json.loads(json.dumps(verdict.certificate))
    report = certify.check(found)
    assert report.accepted, report.reason
    assert report.taken == ()
    return found


def test_claims_at_inputs_and_for_all_reals() -> None:
    """The gap 1 makes dd = √(1/2). For two values the error is e^(−ε/2)(1/2 + ε/8)."""
    claim = Accuracy(MAX, 3 * exp(-alpha * eps / 2), input_distance=l2, inputs=[[0, 1, -5]])
    found = certified(claim, True)
    stated = Fraction(regions(found)[0]["tree"]["cell"]["distance"][0])
    assert stated**2 > Fraction(1, 2) > (stated - Fraction(1, 10**8)) ** 2
    for given in (AllReals(), Box(-1, 1)):
        certified(replace(claim, inputs=given), True)
        certified(Accuracy(ABOVE, 6 * exp(-alpha * eps / 8), input_distance=l2, inputs=given), True)
    false = certified(replace(claim, beta=exp(-alpha * eps) / 2, inputs=AllReals()), False)
    for name, value in (("distance", "100"), ("alpha", "99")):
        wrong = copy.deepcopy(false)
        wrong["counterexamples"][0][name] = value
        assert not certify.check(seal(wrong)).accepted
    wrong = copy.deepcopy(found)
    cell = regions(wrong)[0]["tree"]["cell"]
    cell["distance"] = cell["obligations"][0]["alpha"] = ["1/2"]  # √(1/2) is larger
    assert not certify.check(seal(wrong)).accepted


def test_the_best_constant_is_between() -> None:
    """β/error at one ε, with α = √(1/2), is above κ; κ is the least such quotient."""
    larger = Mechanism.from_source(
        "def larger(q: Real[2]): return 0 if lap(eps / 2, q[0]) >= lap(eps / 2, q[1]) else 1"
    )
    claim = Accuracy(larger, 3 * exp(-alpha * eps / 2), input_distance=l2, inputs=[[0, 1]])
    kappa = claim.tightest(width="1e-2").kappa
    values = []
    for k in range(1, 120):
        e = k / 10
        error = 2.718281828459045 ** (-e / 2) * (0.5 + e / 8)
        values.append(3 * 2.718281828459045 ** (-(0.5**0.5) * e / 2) / error)
    assert float(kappa.lower) <= min(values) <= float(kappa.upper) + 0.05
    assert str(claim.epsilons()) == "(0, ∞)"


def test_outputs_under_l2() -> None:
    """One wrong bit is 1 away, two are √2 away: p = 1/(1 + e^ε) each."""
    for gamma, beta in ((1, exp(-eps)), (Fraction(7, 5), exp(-eps)), (0, 2 * exp(-eps))):
        claim = Accuracy(
            BITS, beta, alpha=0, gamma=gamma, ideal=TRUE_BITS,
            input_distance="discrete", output_distance="l2", inputs=[[0, 1]],
        )  # fmt: skip
        certified(claim, True)
    everything = replace(claim, gamma=Fraction(3, 2))
    assert everything.check().outcome == "vacuous"
    noisy = Mechanism.from_source("def noisy(q: Real[2]): return [lap(eps, x) for x in q]")
    with pytest.raises(ValueRefusedError, match="Th₊,ₓ"):
        Accuracy(noisy, "5%", alpha=0, gamma=1, output_distance=l2, inputs=[[0, 0]]).check()


def test_what_is_no_linear_form_is_refused() -> None:
    """Where the inputs with an output are no polyhedron, nothing is proved for all reals."""
    loop = Mechanism.from_source("""
def middle(q: Real[2]):
    r = lap(eps, q[0])
    return r >= 0 if lap(eps, q[1]) >= 1 else r <= 0
""")
    claim = Accuracy(loop, exp(-alpha * eps / 9), input_distance=l2, inputs=[[1, 3]])
    assert claim.check().holds is not None
    with pytest.raises(ValueRefusedError, match="Th₊,ₓ"):
        claim.disagreement(AllReals())
