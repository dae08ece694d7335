"""Products of reals at listed inputs: in conditions on α and γ, in distances, and in an ideal."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from claims.mechanisms import NOISY
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Mechanism,
    ValueRefusedError,
    alpha,
    certify,
    eps,
    exp,
    gamma,
    ideal,
    parse,
)
from exactdp.certify.rederive.products import bound
from exactdp.reals.certificates import seal

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/certificate-v2.json").read_text(encoding="utf-8")
)
LARGER = Mechanism.from_source("""
def larger(q: Real[2]): return 0 if lap(eps / 2, q[0]) >= lap(eps / 2, q[1]) else 1
""")
CONDITIONS = [
    "alpha*gamma >= {}",
    "alpha*gamma <= {}",
    "gamma >= {}*alpha*alpha",
    "gamma <= {}*alpha*alpha",
    "gamma*gamma <= {}",
    "alpha*alpha + gamma <= {}",
    "gamma*gamma - 3*gamma + {} >= 0",
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions_against_the_definition(condition: str) -> None:
    """The error is e^(−γε), and dd is 1: α is below 1."""
    random = Random(condition)
    region = condition.format(random.choice([1, 2]))
    slope, rate = random.choice([0, 1]), random.choice([Fraction(1, 2), Fraction(3, 2)])
    bound = exp(-(slope * alpha + rate * gamma) * eps)
    verdict = Accuracy(NOISY, bound, gamma=ANY, region=region, inputs=[0]).check()
    if verdict.outcome == "fails":
        found = verdict.counterexample
        assert found is not None
        assert found.alpha < 1
        assert eval(region, {"alpha": found.alpha, "gamma": found.gamma})
        assert found.gamma < slope * found.alpha + rate * found.gamma
    else:
        assert verdict.outcome in ("holds", "vacuous")
        levels = [Fraction(k, 12) for k in range(60)]
        for a, c in product(levels[:12], levels):
            if eval(region, {"alpha": a, "gamma": c}):
                assert c >= slope * a + rate * c


def test_irrational_ends() -> None:
    """The least γ with γ² ≥ 2 is √2, which is between 7/5 and 3/2."""
    for rate, outcome in ((Fraction(7, 5), "holds"), (Fraction(3, 2), "fails")):
        claim = Accuracy(NOISY, exp(-rate * eps), alpha=0, region="gamma*gamma >= 2", inputs=[0])
        assert claim.check().outcome == outcome
    claim = Accuracy(LARGER, exp(-alpha * eps / 2), region="alpha*alpha <= 2", inputs=AllReals())
    assert claim.check().outcome == "holds"
    assert certify.check(claim.check().certificate).accepted


CERTIFIED: list[tuple[str, str, Any]] = [  # a region, a larger one, and β that holds for the first
    ("gamma*gamma >= 2", "gamma*gamma >= 1", exp(-Fraction(7, 5) * eps)),
    ("alpha*gamma >= 1", "alpha*gamma >= 1/2", exp(-Fraction(9, 10) * eps)),
    ("gamma >= 3 - alpha*alpha", "gamma >= 2 - alpha*alpha", exp(-Fraction(9, 5) * eps)),
    ("eps*alpha*gamma >= 3", "eps*alpha*gamma >= 1", parse("1/4")),
    ("gamma*gamma - 3*gamma + 2 <= 0", "gamma*gamma - 3*gamma + 1 <= 0", exp(-eps * 4 / 5)),
]


@pytest.mark.parametrize(("region", "larger", "beta"), CERTIFIED)
def test_conditions_with_products_have_certificates(region: str, larger: str, beta: Any) -> None:
    """Dd is 1 and the error e^(−γε); what is proved for one region is not for a larger one."""
    claim = Accuracy(NOISY, beta, gamma=ANY, region=region, inputs=[0])
    found = json.loads(json.dumps(claim.check().certificate))
    report = certify.check(found)
    assert report.accepted, report.reason
    assert report.taken == ()
    assert found["verdict"] == "holds"
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    refuted = replace(claim, region=larger).check().certificate
    assert refuted["verdict"] == "fails"
    assert certify.check(refuted).accepted
    for wrong in ({**found, "claim": refuted["claim"]}, {**refuted, "claim": found["claim"]}):
        del wrong["seal"]
        assert not certify.check({**wrong, "seal": seal(wrong)}).accepted
    text = json.dumps(found["regions"])
    assert '"keep"' in text
    for other in (text.replace('"keep"', '"kept"'), text.replace(', "keep": "gamma"', "")):
        if other != text:
            wrong = {**found, "regions": json.loads(other)}
            del wrong["seal"]
            assert not certify.check({**wrong, "seal": seal(wrong)}).accepted


def test_linear_bounds_on_products() -> None:
    """At random points between the ends, on both sides."""
    random = Random(5)
    for _ in range(300):
        ends = [sorted(Fraction(random.randint(0, 8), 3) for _ in range(2)) for _ in range(2)]
        powers = random.choice([(2, 0), (0, 3), (1, 1), (2, 1), (1, 3)])
        pairs = (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1])
        a, c = (low + (high - low) * Fraction(random.randint(0, 5), 5) for low, high in pairs)
        value = a ** powers[0] * c ** powers[1]
        for keep, above in product((0, 1), (True, False)):
            found = bound(powers, pairs, keep, above=above)
            assert found is not None
            line = found.constant + found.slopes[0] * a + found.slopes[1] * c
            assert line >= value if above else line <= value
    assert bound((2, 0), ((Fraction(0), math.inf), (Fraction(0), math.inf)), 1, above=True) is None


def squares(u, v):  # type: ignore[no-untyped-def]
    return (u[0] - v[0]) ** 2 + (u[1] - v[1]) ** 2


def weighted(u, v):  # type: ignore[no-untyped-def]
    return abs(u[0] - v[0]) * (1 + abs(u[1] * v[1])) + abs(u[1] - v[1])


@pytest.mark.parametrize(
    ("distance", "u", "expected"),
    [
        (squares, [3, 1], 2),  # the nearest point of the diagonal is (2, 2)
        (squares, [0, 1], 0.5),
        (squares, [1, 1], 0),
        (weighted, [3, 1], 2),  # moving the second entry alone
    ],
)
def test_distances_by_hand(distance: Any, u: list[int], expected: float) -> None:
    claim = Accuracy(LARGER, exp(-alpha * eps), input_distance=distance, inputs=[u])
    found: Any = claim.disagreement(u).distance
    ends: list[Any] = [getattr(found, "below", found), getattr(found, "above", found)]
    assert ends[0] <= Fraction(expected) <= ends[1]
    assert float(ends[1]) == pytest.approx(expected, rel=0.01)


def test_a_claim_with_such_a_distance() -> None:
    """At (3, 1) dd is 2 and the error (2 + ε)/4·e^(−ε), so that κ = inf of 2e^(−ε/4)/error is 4."""
    claim = Accuracy(LARGER, 2 * exp(-alpha * eps / 8), input_distance=squares, inputs=[[3, 1]])
    assert claim.check().outcome == "holds"
    kappa = claim.tightest().kappa
    least = min(8 * math.exp(0.75 * e) / (2 + e) for e in (k / 100 for k in range(1, 400)))
    assert float(kappa.lower) == pytest.approx(least, rel=0.01)
    with pytest.raises(ValueRefusedError, match="Th₊,ₓ"):
        Accuracy(LARGER, exp(-alpha * eps), input_distance=squares, inputs=AllReals())


@ideal
def apart(q):  # type: ignore[no-untyped-def]
    return 0 if q[0] * q[1] >= 1 else 1


def test_a_decorated_ideal() -> None:
    """At (4, 1) the nearest other output is found where (4 − t)(1 − t) = 1."""
    claim = Accuracy(LARGER, 3 * exp(-alpha * eps / 2), ideal=apart, inputs=[[4, 1]])
    expected = (5 - math.sqrt(13)) / 2
    assert float(claim.disagreement([4, 1]).distance) == pytest.approx(expected, rel=1e-12)
    assert claim.check().outcome in ("holds", "fails")
