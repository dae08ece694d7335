"""Adjacencies given as functions, for all reals; Euclidean and unbounded adjacency."""

# mypy: disable-error-code="valid-type, no-untyped-def, index, misc, name-defined"

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import product
from math import exp as mexp
from math import log
from typing import Any

import pytest

from exactdp import (
    AllReals,
    Box,
    Dom,
    Grid,
    Mechanism,
    Privacy,
    Real,
    VacuousClaimError,
    ValueRefusedError,
    certify,
    eps,
    hamming,
    inf,
    l2,
    lap,
    mechanism,
    one_entry,
)
from exactdp.reals.certificates import seal


@mechanism
def count(q: Real):
    """Release a number with Laplace noise."""
    return lap(eps, q)


@mechanism
def larger(q: Real[2]):
    """Return which of two noisy answers is larger."""
    return 0 if lap(eps / 2, q[0]) >= lap(eps / 2, q[1]) else 1


def near(u, v):
    return abs(u - v) <= 1


def near_strictly(u, v):
    return abs(u - v) < 1


def apart(u, v):
    return abs(u - v) == 1


def from_zero(u, v):
    return abs(u - v) <= 2 and min(u, v) >= 0


def oblong(u, v):
    return abs(u[0] - v[0]) <= 1 and abs(u[1] - v[1]) <= 2


def one_of(u, v):
    return any(u[k] == v[k] and abs(u[1 - k] - v[1 - k]) <= 1 for k in range(2))


def monotone(u, v):
    changes = [u[k] - v[k] for k in range(2)]
    return all(0 <= d <= 1 for d in changes) or all(-1 <= d <= 0 for d in changes)


def one_way(u, v):
    return 0 <= u - v <= 1


def never(u, v):
    return abs(u - v) < 0


def _loss(u: Any, v: Any, e: float) -> float:
    """Return the largest |ln(p/p′)| of `larger`, whose probability is known by hand."""

    def chances(w: Any) -> tuple[float, float]:
        gap = (w[0] - w[1]) * e / 2
        tail = mexp(-abs(gap)) * (2 + abs(gap)) / 4
        return (1 - tail, tail) if gap > 0 else (tail, 1 - tail)

    return max(abs(log(p / q)) for p, q in zip(chances(u), chances(v), strict=True))


@pytest.mark.parametrize("adjacent", [oblong, one_of, monotone])
def test_the_factor_is_that_of_a_search_over_pairs(adjacent: Any) -> None:
    """No pair on a fine grid loses more, and some pair loses nearly as much at a large ε."""
    found = Privacy(larger, adjacent=adjacent, inputs=AllReals()).tightest().factor
    places = [Fraction(k, 2) for k in range(-4, 5)]
    pairs = [
        (u, v)
        for u in ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(0)))
        for v in product(places, repeat=2)
        if adjacent(u, v)
    ]
    seen = max(_loss(u, v, e) / e for u, v in pairs for e in (0.1, 1, 10, 20))
    assert found.is_exact
    assert 0.85 * float(found) < seen <= float(found) + 1e-9


@pytest.mark.parametrize(
    ("adjacent", "factor"), [(near, 1), (near_strictly, 1), (apart, 1), (from_zero, 2)]
)
def test_a_noisy_count(adjacent: Any, factor: int) -> None:
    """The densities of Laplace noise at distance d differ by a factor e^{dε}, and no more."""
    claim = Privacy(count, factor * eps, adjacent=adjacent, inputs=AllReals())
    verdict = claim.check()
    assert verdict.holds
    assert certify.check(verdict.certificate).accepted
    failing = Privacy(count, factor * eps * 9 / 10, adjacent=adjacent, inputs=AllReals()).check()
    u, v = failing.counterexample.inputs
    assert adjacent(u, v)
    assert certify.check(failing.certificate).accepted


def test_a_certificate_with_a_wider_adjacency_is_rejected() -> None:
    """The checker evaluates the function itself."""
    written = Privacy(larger, adjacent=monotone, inputs=AllReals()).check().certificate
    assert certify.check(written).accepted
    claim = written["claim"]
    source = claim["adjacent"]["source"]
    assert "<= 1" in source
    wider = {**claim, "adjacent": {"source": source.replace("<= 1", "<= 3")}}
    changed = {**{key: one for key, one in written.items() if key != "seal"}, "claim": wider}
    report = certify.check({**changed, "seal": seal(changed)})
    assert not report.accepted
    assert "seal" not in report.reason


def test_changes_of_where_inputs_are_adjacent_are_rejected() -> None:
    """The checker looks at each part: adjacent, not adjacent, or in another one."""
    written = Privacy(larger, adjacent=monotone, inputs=AllReals()).check().certificate
    text = json.dumps(written["slopes"])
    places = list(re.finditer(r"true|false|[0-9]+(?=[,}])", text))[::7]
    assert len(places) > 4
    rejected = 0
    for place in places:
        for other in ("true", "false", "0", "null"):
            changed = {key: one for key, one in written.items() if key != "seal"}
            changed["slopes"] = json.loads(text[: place.start()] + other + text[place.end() :])
            report = certify.check({**changed, "seal": seal(changed)})
            # A part without points of positive ε is not looked at; another part may contain one.
            harmless = place.group() == "false" or (place.group().isdigit() and other != "null")
            assert not report.accepted or harmless or other == place.group(), (place, other)
            rejected += not report.accepted
    assert rejected > len(places)


def test_a_box_and_finite_inputs_beside_reals() -> None:
    """In a box of width 1/2 the change is at most 1/2; a bit moves the count by 1."""

    @mechanism
    def both(b: Dom(0, 1), q: Real):
        return lap(eps, q + b)

    def together(u, v):
        return abs(u[0] - v[0]) + abs(u[1] - v[1]) <= 1

    small = Privacy(count, adjacent=near, inputs=Box(0, "1/2")).tightest().factor
    assert small.upper == Fraction(1, 2)
    assert Privacy(both, adjacent=together, inputs=AllReals()).tightest().factor.upper == 1
    assert Privacy(count, inputs=Box(0, inf)).tightest().factor.upper == 1


def test_refusals() -> None:
    """An adjacency is symmetric, returns True or False, and connects some inputs."""
    with pytest.raises(ValueRefusedError, match="in one direction only"):
        Privacy(count, adjacent=one_way, inputs=AllReals())
    with pytest.raises(VacuousClaimError, match="No two different inputs"):
        Privacy(count, adjacent=never, inputs=AllReals()).tightest()
    assert Privacy(count, adjacent=never, inputs=AllReals()).check().outcome == "vacuous"
    with pytest.raises(ValueRefusedError, match="not a polytope"):
        Privacy(larger, adjacent=l2(1), inputs=AllReals())
    with pytest.raises(ValueRefusedError, match="by any amount"):
        Privacy(count, adjacent=one_entry, inputs=AllReals())


def test_a_lambda() -> None:
    """It is read from its source, also inside another one and beside one."""
    asked: list[Any] = [lambda u, v: abs(u - v) <= 2, lambda: Privacy(count, adjacent=asked[0])]
    assert asked[1]().tightest().factor.upper == 2
    nested: Any = [lambda: Privacy(count, adjacent=lambda u, v: abs(u - v) <= 3)]
    assert nested[0]().tightest().factor.upper == 3


def test_euclidean_adjacency() -> None:
    """Of the pairs of a grid, (0, 0) and (1, 1) are at distance √2; Laplace noise adds changes."""
    lists = Mechanism.from_source("def lists(q: Real[2]): return [lap(eps, x) for x in q]")
    for radius, factor in ((1, 1), ("7/5", 1), ("3/2", 2)):
        claim = Privacy(lists, adjacent=l2(radius), inputs=Grid(0, 1))
        assert claim.tightest().factor.upper == factor
    verdict = Privacy(lists, adjacent=l2(1), inputs=Grid(0, 1)).check()
    assert certify.check(verdict.certificate).accepted
    assert Privacy(count, adjacent=l2(2), inputs=AllReals()).tightest().factor.upper == 2


def test_clamped_inputs_may_change_at_will() -> None:
    """After clamping to [0, 1] a change is at most 1."""
    clamped = Mechanism.from_source("def clamped(q: Real): return lap(eps, max(0, min(1, q)))")
    assert Privacy(clamped, adjacent=hamming(1), inputs=AllReals()).tightest().factor.upper == 1
