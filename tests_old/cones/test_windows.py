"""Signs on the part of a cone in a window, against sampling and against all of the cone."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cones.random_sums import sums_of
from exactdp.certify.kernel.orthants import ConeSign
from exactdp.certify.kernel.reading import CertificateReader, RejectedError
from exactdp.cones import Cone, ConeDecision, ConeRatio, OrderedSum, Window, largest_factor
from exactdp.cones import nonnegative_on as decide
from exactdp.reals import ExpPoly, exp, parameter
from exactdp.reals.interval import Interval
from support.examples import examples

NAMES = ("e", "x", "y")
small = st.fractions(min_value=-2, max_value=2, max_denominator=2)
sums = sums_of(NAMES, st.integers(0, 1), small, 4)
cones = st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=0, max_size=3).map(
    lambda rows: Cone.of(3, [(1, 0, 0), *rows])
)
windows = st.sampled_from(["[1, 2]", "[2, inf)", "(0, 1]", "[1, 1]"])


def nonnegative_on(
    f: ExpPoly, cone: Cone, *, budget: int = 5000, window: Window | None = None
) -> ConeDecision:
    return decide(OrderedSum(f, NAMES), cone, budget=budget, window=window)


def accepted(proof: object) -> ConeSign:
    sign = ConeSign(CertificateReader())
    sign.read(json.loads(json.dumps(proof)))
    return sign


@examples(50)
@given(sums, cones, windows)
def test_decisions_agree_with_sampling(f: ExpPoly, cone: Cone, text: str) -> None:
    assume(f)
    assume(any(ray[0] for ray in cone.rays))
    interval = Interval.parse(text)
    window = Window.of(0, interval)
    decision = nonnegative_on(f, cone, budget=100, window=window)
    if decision.holds is False:
        assert decision.witness is not None
        assert decision.witness[0] in Interval(interval.lower, interval.upper)
        assert OrderedSum(f, NAMES).sign_at(decision.witness) < 0
        assert cone.contains(decision.witness)
    if decision.holds:
        generators = [*cone.rays, *cone.lines, *([-e for e in line] for line in cone.lines)]
        random = np.random.default_rng(5)
        for _ in range(60):
            weights = [Fraction(int(w), 16) for w in random.integers(0, 40, len(generators))]
            point = [
                sum((w * g[k] for w, g in zip(weights, generators, strict=True)), Fraction(0))
                for k in range(3)
            ]
            if not point[0]:
                continue
            wanted = min(max(point[0], Fraction(interval.lower)), interval.upper)
            point = [q * Fraction(wanted) / point[0] for q in point]
            assert OrderedSum(f, NAMES).sign_at(point) >= 0
        accepted(decision.proof.to_json())


e, x, y = (parameter(name) for name in NAMES)
CONE = Cone.of(3, [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
BOX = Cone.of(3, [(1, 0, 0), (3, -1, 0), (0, 1, 0), (3, 0, -1), (0, 0, 1)])


def test_true_in_the_window_only() -> None:
    f = exp(x + y) * 2 + e * 1 - 3  # ≥ 0 exactly if ε ≥ 1, at x = y = 0
    assert nonnegative_on(f, CONE).holds is False
    assert nonnegative_on(f, CONE, window=Window(0, Fraction(1), 5)).holds is True
    below = nonnegative_on(f, CONE, window=Window(0, Fraction(99, 100), 5))
    assert below.holds is False
    assert below.witness is not None
    assert Fraction(99, 100) <= below.witness[0] < 1


def in_a_window() -> dict[str, object]:
    """Return a proof on a box in a window, at the lower end of which the sum is least."""
    f = Fraction(3, 5) - exp(x / 4 - e) - exp(y / 4 - e) + exp(x / 4 + y / 4 - 2 * e)
    decision = nonnegative_on(f, BOX, window=Window(0, Fraction(6), Fraction(8)))
    assert decision.holds is True
    proof: dict[str, object] = json.loads(json.dumps(decision.proof.to_json()))
    return proof


def test_the_checker_knows_windows() -> None:
    proof = in_a_window()
    assert accepted(proof).window == (0, Fraction(6), Fraction(8))
    cells = proof["cells"]
    assert isinstance(cells, list)
    assert any(cell["in_window"] for cell in cells)
    wrong_windows = [
        None,
        {"variable": 0, "lower": "1", "upper": "8"},
        {"variable": 0, "lower": "-1", "upper": "8"},  # every box would miss its lower end
    ]
    for change in ({"window": window} for window in wrong_windows):
        with pytest.raises(RejectedError):
            accepted(proof | change)
    for cell in cells:
        if cell["in_window"]:
            wrong = [one | {"in_window": False} if one is cell else one for one in cells]
            with pytest.raises(RejectedError):
                accepted(proof | {"cells": wrong})


def test_the_checker_reads_cones_with_long_numbers() -> None:
    """X from 10²⁰·ε on: e^{−x} ≤ e^{−ε}, of which the cone is known by integers of 21 digits."""
    steep = Cone.of(3, [(1, 0, 0), (-(10**20), 1, 0), (0, 0, 1)])
    decision = nonnegative_on(exp(-e) - exp(-x), steep)
    assert decision.holds is True
    accepted(decision.proof.to_json())


def test_the_largest_factor_in_a_window() -> None:
    """e^{−ε}·κ ≤ 1 for ε ≥ 2 as long as κ ≤ e²; with e^{−x} beside it, the same."""
    one, falling = OrderedSum(ExpPoly(1), NAMES), OrderedSum(exp(-e - x), NAMES)
    quotient = ConeRatio(one, falling, CONE, Window(0, Fraction(2), Fraction(9)))
    found = largest_factor([quotient], "1e-6")
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= Fraction(7389056098, 10**9) <= found.upper + Fraction(1, 10**6)
    assert found.upper - found.lower <= Fraction(1, 10**6)


def test_a_failure_at_an_end_of_the_window() -> None:
    """Only near one corner of box and window the sum is negative, by a hair."""
    thin = Cone.of(3, [(-1, 1, 0), (2, -1, 0), (-1, 0, 1), (2, 0, -1)])  # x and y from ε to 2ε
    window = Window(0, Fraction(1, 3), Fraction(3))
    for bound, holds in ((Fraction(36, 100), True), (Fraction(35826, 10**5), False)):
        # e^{−1/3}/2 = 0.3582656…
        assert nonnegative_on(bound - exp(-x) / 2, thin, window=window).holds is holds


HALF = Cone.of(3, [(-1, 2, 0), (1, -1, 0), (-1, 0, 2), (1, 0, -1)])  # x and y from ε/2 to ε


@pytest.mark.parametrize("text", ["[1, 2]", "[1, inf)", "[1, 1]", "[1, 100]"])
def test_close_to_a_tie_at_an_end_of_the_window(text: str) -> None:
    """2·e^{−ε/8} ≥ κ·(e^{−x} + e^{−y}) from ε = 1 on: least at x = y = ε/2, κ = e^{3/8}."""
    window = Window.of(0, Interval.parse(text))
    for kappa, holds in (("1.454991414", True), ("1.454991415", False)):  # e^{3/8} = 1.4549914146…
        f = 2 * exp(-e / 8) - (exp(-x) + exp(-y)) * Fraction(kappa)
        decision = nonnegative_on(f, HALF, window=window)
        assert decision.holds is holds
        assert decision.steps < 200
        if holds:
            assert "zones" in accepted(decision.proof.to_json()).methods


TIES = {
    "lower": (e - exp(e / 2 - x) / 2 - exp(e / 2 - y) / 2, "[1, 3]", "[999/1000, 3]"),
    "lower, to infinity": (e - exp(e / 2 - x) / 2 - exp(e / 2 - y) / 2, "[1, inf)", "[0.99, inf)"),
    "upper": ((2 - e) * exp(-x) + (y - e / 2) * exp(-e), "(0, 2]", "(0, 2.001]"),
    "both": ((2 - e) * (e - 1) * exp(-x) + (y - e / 2) * exp(-e), "[1, 2]", "[1, 2.001]"),
    "one point": ((e - 1) * exp(-x) + (y - e / 2) * exp(-e), "[1, 1]", "[0.999, 0.999]"),
}


@pytest.mark.parametrize("name", TIES)
def test_ties_at_an_end_of_the_window(name: str) -> None:
    """Each sum is 0 where x = y = ε/2 at an end, and negative there beyond it."""
    f, inside, beyond = TIES[name]
    decision = nonnegative_on(f, HALF, window=Window.of(0, Interval.parse(inside)))
    assert decision.holds is True
    accepted(decision.proof.to_json())
    assert nonnegative_on(f, HALF, window=Window.of(0, Interval.parse(beyond))).holds is False


def test_the_checker_knows_zones() -> None:
    f = (e - Fraction(1, 2)) * (101 - e) * 2 - 80 * exp(-x) - 80 * exp(-y)
    window = Window(0, Fraction(1), Fraction(100))
    proof = json.loads(json.dumps(nonnegative_on(f, HALF, window=window).proof.to_json()))
    assert accepted(proof).methods == {"zones": len(proof["cells"])}
    cell = proof["cells"][0]
    low, middle, high = cell["proof"][1]
    assert (low["in_charts"], middle["in_charts"], high["in_charts"]) == (True, False, True)
    first, *others = low["boxes"]
    wrong_zones = [
        [],
        [low, middle],
        [middle, high],
        [low, high],
        [low | {"lower": "2"}, middle, high],
        [low | {"upper": "2"}, middle, high],
        [low | {"in_charts": False}, middle, high],
        [low | {"boxes": others}, middle, high],
        [low | {"boxes": [None, *others]}, middle, high],
        [low, middle | {"boxes": middle["boxes"][:1]}, high],
        [low, middle | {"in_charts": True}, high],
        [low, middle, high | {"upper": None}],
    ]
    changes: list[dict[str, object]] = [{"proof": ["zones", zones]} for zones in wrong_zones]
    proofs = [["boxes", cell["proof"][1]], ["boxes", first], ["zones"], ["coefficients"]]
    changes.append({"in_window": False})
    changes += [{"proof": one} for one in proofs]
    for change in changes:
        with pytest.raises(RejectedError):
            accepted(proof | {"cells": [cell | change, *proof["cells"][1:]]})
    for wrong in ({"lower": "0.9"}, {"upper": "101"}, {"upper": None}):
        with pytest.raises(RejectedError):
            accepted(proof | {"window": proof["window"] | wrong})
    larger = [["-90", *rest] if c == "-80" else [c, *rest] for c, *rest in proof["terms"]]
    with pytest.raises(RejectedError):
        accepted(proof | {"terms": larger})


@pytest.mark.parametrize("text", ["[1, 2]", "[2, 2]", "(0, 2]"])
def test_a_sum_that_does_not_depend_on_the_variable_of_the_window(text: str) -> None:
    """e^{−d} ≥ κ for d = x − y from 0 to ε/2 ≤ 1: κ = 1/e, reached wherever d is 1."""
    window = Window.of(0, Interval.parse(text))
    band = Cone.of(3, [(1, -1, 0), (-1, 0, 2), (0, 1, -1)])  # ε/2 ≤ y ≤ x ≤ ε
    for kappa, holds in (("0.367879441", True), ("0.367879442", False)):  # 1/e = 0.3678794411…
        for f in (exp(y - x) - Fraction(kappa), (exp(y - x) - Fraction(kappa)) * exp(-x)):
            decision = nonnegative_on(f, band, window=window)
            assert decision.holds is holds
            assert decision.steps < 200
            if holds:
                accepted(decision.proof.to_json())


@pytest.mark.parametrize("in_charts", [False, True])
@pytest.mark.parametrize("terms", [[["-1", [0, 0], ["0", "0"]]], [["-1", [0, 1], ["0", "0"]]]])
def test_zones_are_no_proof_if_nothing_depends_on_the_window(
    terms: list[object], in_charts: bool
) -> None:
    """Then zones have no boxes: −1 and −x would be nonnegative without any."""
    zone = {"lower": "0", "upper": "7", "in_charts": in_charts, "boxes": []}
    cell = {
        "rays": [["1", "0"], ["0", "1"]],
        "dominant": ["0", "0"],
        "reductions": [],
        "in_window": True,
        "proof": ["zones", [zone]],
    }
    forged = {
        "variables": ["eps", "x"],
        "terms": terms,
        "inequalities": [[1, 0], [0, 1]],
        "window": {"variable": 0, "lower": "1", "upper": "5"},
        "cover": {"cell": 0, "multiples": [[[0, "1"]], [[1, "1"]]]},
        "cells": [cell],
    }
    with pytest.raises(RejectedError, match="on which nothing depends"):
        accepted(forged)
