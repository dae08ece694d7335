"""Certificates for ideals and distances that multiply reals: inputs that disagree, and boxes."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from certify.parts import regions
from exactdp import Accuracy, Mechanism, alpha, certify, discrete, eps, exp, l1, l2, linf
from exactdp.certify.rederive.choices import Choices, always
from exactdp.certify.rederive.moving import MovingGerm, MovingInterval
from exactdp.reals.certificates import seal
from exactdp.reals.square_roots import at_least

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/certificate-v2.json").read_text(encoding="utf-8")
)
FIRST = Mechanism.from_source("def first(q: Real[2]):\n    return lap(eps, q[0]) >= 1")
PAIR = Mechanism.from_source("def pair(x: Real, y: Real):\n    return lap(eps, x) >= 1")
BOUND = exp(-alpha * eps)


def outside(q):  # type: ignore[no-untyped-def]
    return q[0] ** 2 + q[1] * q[1] >= 4


def of_two(x, y):  # type: ignore[no-untyped-def]
    return x * y >= 1


def cube(q):  # type: ignore[no-untyped-def]
    return q[0] ** 3 > 8


def never(q):  # type: ignore[no-untyped-def]
    return q[0] * q[0] + 1 <= 0


def on_the_right(q):  # type: ignore[no-untyped-def]
    assert q[0] > 0, "on the right"
    return q[0] * q[1] >= 1


def squares(u, v):  # type: ignore[no-untyped-def]
    return (u[0] - v[0]) ** 2 + (u[1] - v[1]) ** 2


CASES: list[tuple[Any, ...]] = [
    (FIRST, outside, [3, 1], l1),
    (FIRST, cube, [3, 2], l2),
    (PAIR, of_two, (3, 2), linf),
    (FIRST, cube, [0, 2], linf),  # dd is 2, and no input at this distance disagrees
    (FIRST, on_the_right, [3, 2], squares),
    (PAIR, of_two, (3, 2), discrete),
]


def sealed(claim: Accuracy) -> Any:
    found = json.loads(json.dumps(claim.check().certificate))
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    return found


def resealed(found: Any) -> Any:
    return {**found, "seal": seal({k: v for k, v in found.items() if k != "seal"})}


@pytest.mark.parametrize(("mechanism", "ideal", "u", "metric"), CASES)
def test_both_verdicts_are_certified(mechanism: Mechanism, ideal: Any, u: Any, metric: Any) -> None:
    """A claim that holds needs an input that disagrees, one that fails boxes around the input."""
    for beta, verdict in ((exp(-alpha * eps / 10), "holds"), (BOUND / 1000, "fails")):
        claim = Accuracy(mechanism, beta, ideal=ideal, inputs=[u], input_distance=metric)
        found = sealed(claim)
        report = certify.check(found)
        assert report.accepted, report.reason
        assert report.taken == ()
        assert found["verdict"] == verdict


def test_no_input_disagrees() -> None:
    claim = Accuracy(FIRST, BOUND, ideal=never, inputs=[[0, 2]])
    found = sealed(claim)
    assert found["verdict"] == "fails"
    assert certify.check(found).taken == ()
    assert certify.check(found).accepted


def test_an_input_that_does_not_disagree_is_noticed() -> None:
    """Also one that is closer than the nearest, and a direction that leads nowhere."""
    found = sealed(Accuracy(FIRST, BOUND, ideal=outside, inputs=[[3, 1]]))
    (region,) = regions(found)
    near = region["tree"]["cell"]["parts"]["near"]
    for at in (["3", "1"], ["2", "1"], [*near["at"][:1], "1"]):
        wrong = copy.deepcopy(found)
        regions(wrong)[0]["tree"]["cell"]["parts"]["near"]["at"] = at
        assert not certify.check(resealed(wrong)).accepted
    exact = sealed(Accuracy(FIRST, exp(-alpha * eps / 10), ideal=cube, inputs=[[0, 2]]))
    near = regions(exact)[0]["tree"]["cell"]["parts"]["near"]
    assert near["towards"] is not None
    for towards in (None, ["-1", "0"], ["0", "1"]):
        wrong = copy.deepcopy(exact)
        regions(wrong)[0]["tree"]["cell"]["parts"]["near"]["towards"] = towards
        assert not certify.check(resealed(wrong)).accepted


def test_an_input_that_only_moves_away_is_at_distance_1() -> None:
    """Under the discrete distance; once a dd of 0 was believed, at which nothing is claimed."""
    found = sealed(Accuracy(FIRST, BOUND, ideal=cube, inputs=[[2, 2]], alpha=0))
    cell = regions(found)[0]["tree"]["cell"]
    assert cell["distance"] == ["0"]
    assert cell["parts"]["near"]["towards"] == ["1", "0"]
    assert certify.check(found).accepted
    found["claim"]["input_distance"] = {"name": "discrete"}
    report = certify.check(resealed(found))
    assert not report.accepted
    assert "not as far away as stated" in report.reason
    cell["parts"]["near"]["germs"] = False
    assert not certify.check(resealed(found)).accepted  # nor is it taken from the solver


def leaves(tree: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if isinstance(tree, str):
        return [path]
    return [one for side in ("below", "above") for one in leaves(tree[side], (*path, side))]


def test_changes_of_boxes_are_noticed() -> None:
    """A larger distance, another input, boxes that are too large, and cuts outside are rejected."""
    claim = Accuracy(FIRST, BOUND / 1000, ideal=outside, inputs=[[3, 1]], input_distance=squares)
    found = sealed(claim)
    (example,) = found["counterexamples"]
    tree = example["boxes"]
    assert len(leaves(tree)) > 4
    dd = claim.disagreement([3, 1]).distance
    for change in ({"distance": str(2 * at_least(dd))}, {"alpha": "100"}, {"input": [["2", "1"]]}):
        wrong = copy.deepcopy(found)
        wrong["counterexamples"][0] |= change
        assert not certify.check(resealed(wrong)).accepted
    wrong = copy.deepcopy(found)
    for leaf in (None, "far", "agrees"):
        wrong["counterexamples"][0]["boxes"] = leaf
        assert not certify.check(resealed(wrong)).accepted
    for cut, axis in (("1000", 0), ("1", 2), ("1", -1)):
        wrong = copy.deepcopy(found)
        node = wrong["counterexamples"][0]["boxes"]
        while isinstance(node["below"], dict):
            node = node["below"]
        same = node["below"]
        node["below"] = {"axis": axis, "at": cut, "below": same, "above": same}
        report = certify.check(resealed(wrong))
        assert not report.accepted, (cut, axis)


FORMS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda s, t: s * t - 3 * s + 2,
    lambda s, t: s * s + abs(t) - s * 2,
    lambda s, t: (s + t) * (s - t) / 2,
    lambda s, t: 1 - s * (t * s),
)


def span(ends: list[Fraction], answers: Choices) -> MovingInterval:
    return MovingInterval(ends[0], ends[1], answers)


def test_spans_contain_all_values() -> None:
    """Polynomials at random points of random boxes, and comparisons with both answers."""
    random = Random(3)
    for _ in range(200):
        ends = sorted(Fraction(random.randint(-6, 6), 2) for _ in range(2))
        more = sorted(Fraction(random.randint(-6, 6), 3) for _ in range(2))
        answers = Choices()
        x, y = span(ends, answers), span(more, answers)
        a, b = (
            low + (high - low) * Fraction(random.randint(0, 4), 4) for low, high in (ends, more)
        )
        for f in FORMS:
            found = f(x, y)
            assert found.lower <= f(a, b) <= found.upper
        assert x.power(3).lower <= a**3 <= x.power(3).upper
        assert x.power(2).lower <= a**2 <= x.power(2).upper
        seen: list[bool] = []

        def compared(given: Choices, low: Any = ends, other: Any = more, seen: Any = seen) -> bool:
            seen.append(span(low, given) < span(other, given))
            return True

        assert always(compared, 8)
        assert (a < b) in seen
    endless = MovingInterval(-inf, Fraction(-1), Choices())
    assert (endless * endless).lower == 1
    assert (endless * MovingInterval(Fraction(0), Fraction(2), Choices())).upper == 0
    assert (1 / endless).lower == -1
    assert (1 / endless).upper == 0


def test_germs_have_the_sign_of_small_values() -> None:
    t = MovingGerm((Fraction(0), Fraction(1)))
    assert t > 0
    assert t * t < t
    assert (t - 1) * (t - 1) < 1
    assert not t * t - t * t
    assert (2 + t).power(3) > 8
