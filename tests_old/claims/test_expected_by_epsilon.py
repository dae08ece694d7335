"""Expected losses of mechanisms with a + b/ε or log(r)/ε, compared with quadrature."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from scipy.integrate import quad

from exactdp import AllReals, Box, Expected, Grid, Ideal, Mechanism, certify, eps
from exactdp.errors import ExactdpError
from exactdp.reals.certificates import seal

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/certificate-v2.json").read_text(encoding="utf-8")
)

TRUTH = Ideal.from_source("def truth(q: Real): return q")
KEPT = Mechanism.from_source("""
def kept(q: Real):
    y = lap(eps, q)
    return y if y > 1 + 2 / eps else 0
""")
WITH_LOG = Mechanism.from_source("""
def with_log(q: Real):
    y = lap(eps, q)
    return y if y > 1 + log(20) / eps else 0
""")
SIZE = {KEPT: 2.0, WITH_LOG: math.log(20)}


def loss(mechanism: Mechanism, q: float, x: float) -> float:
    """Return the expected absolute error by quadrature."""
    bar = 1 + SIZE[mechanism] / x

    def density(y: float) -> float:
        return x / 2 * math.exp(-x * abs(y - q))

    above = quad(lambda y: abs(y - q) * density(y), bar, max(bar, q) + 50 / x, points=[max(q, bar)])
    below = quad(density, min(bar, q) - 50 / x, bar, points=[min(q, bar)])
    return float(above[0] + below[0] * abs(q))


def worst(mechanism: Mechanism, at_most: tuple[float, float]) -> float:
    """Return the least (a + b/ε)/loss on a grid of ε, at the inputs 1 and 3."""
    a, b = at_most
    points = [1.05**k for k in range(-80, 80)]
    return min((a + b / x) / max(loss(mechanism, q, x) for q in (1, 3)) for x in points)


def claim(mechanism: Mechanism, a: int, b: int, inputs: object = (1, 3)) -> Expected:
    given = list(inputs) if isinstance(inputs, tuple) else inputs
    return Expected(mechanism, at_most=a + b / eps, ideal=TRUTH, inputs=given)


@pytest.mark.parametrize("mechanism", [KEPT, WITH_LOG])
def test_bounds_and_the_best_constant(mechanism: Mechanism) -> None:
    assert claim(mechanism, 4, 3).check()
    best = claim(mechanism, 4, 3).tightest(width="1e-2").kappa
    assert float(best.lower) <= worst(mechanism, (4, 3)) <= 1.001 * float(best.upper)
    found = claim(mechanism, 0, 1).check().counterexample
    assert found is not None
    there = loss(mechanism, float(found.input), float(found.eps))
    assert float(found.size) == pytest.approx(there, rel=1e-6)
    assert there > 1 / found.eps


def test_boxes_grids_and_the_smallest_eps() -> None:
    assert claim(KEPT, 3, 2, Box(0, 3)).check()
    assert claim(KEPT, 3, 3, Grid(-1, 1)).check()
    found = claim(KEPT, 1, 0, Box(0, 3)).check().counterexample
    assert found is not None
    assert loss(KEPT, float(found.input), float(found.eps)) > 1
    # At ε = 1 the threshold is 3: half of the answers 3 ± 1 are kept, and the others are 0.
    assert float(claim(KEPT, 2, 0).smallest_epsilon()) == pytest.approx(1)
    assert loss(KEPT, 3, 1) == pytest.approx(2)


def test_what_is_refused() -> None:
    with pytest.raises(ExactdpError, match="the best constant at each input is asked for"):
        claim(KEPT, 2, 0).tightest(at_each=True)
    short = Expected(WITH_LOG, at_most=4 + 3 / eps, ideal=TRUTH, inputs=[1], epsilon="[1, 3]")
    with pytest.raises(ExactdpError, match="there is no certificate"):
        _ = short.check().certificate


@pytest.mark.parametrize(
    ("mechanism", "inputs"), [(KEPT, Box(0, 3)), (WITH_LOG, (1, 3)), (KEPT, Grid(-1, 1))]
)
def test_certificates(mechanism: Mechanism, inputs: object) -> None:
    """What is proved is noticed not to be proved for a smaller bound, threshold or other inputs."""
    for a, b, verdict in ((4, 3, "holds"), (0, 1, "fails")):
        found = json.loads(json.dumps(claim(mechanism, a, b, inputs).check().certificate))
        report = certify.check(found)
        assert report.accepted, report.reason
        assert report.taken == ()
        assert (found["kind"], found["verdict"]) == ("expected", verdict)
        jsonschema.Draft202012Validator(SCHEMA).validate(found)
        other = claim(mechanism, 4 - a, 4 - b, inputs).check().certificate["claim"]["at_most"]
        source = found["claim"]["mechanism"].replace("> 1 +", "> 2 +")
        changes: list[dict[str, Any]] = [
            {"unit": "21"},
            {"mechanism": source} if verdict == "holds" else {"epsilon": at(1000)},
            {"inputs": {"list": [["77"]]}},
            {"at_most": other if verdict == "fails" else small()},
        ]
        for change in changes:
            wrong = {**found, "claim": {**found["claim"], **change}}
            del wrong["seal"]
            assert not certify.check({**wrong, "seal": seal(wrong)}).accepted, change
        part = "regions" if verdict == "holds" else "counterexamples"
        wrong = {**found, part: found[part][1:]}
        del wrong["seal"]
        assert not certify.check({**wrong, "seal": seal(wrong)}).accepted


def at(point: int) -> dict[str, Any]:
    """Return an interval of one ε."""
    ends = {"lower": str(point), "upper": str(point)}
    return {**ends, "lower_closed": True, "upper_closed": True}


def small() -> Any:
    """Return the bound 1/100 as it is written."""
    return (
        Expected(KEPT, at_most="1/100", ideal=TRUTH, inputs=[1])
        .check()
        .certificate["claim"]["at_most"]
    )


def test_several_constants_at_an_input() -> None:
    """E|L + b| = b + e^(−b) with b = 1 + log 2: with 1/ε and a logarithm at listed inputs."""
    shifted = Mechanism.from_source("def f(q: Real): return lap(eps, q) + (log(2) + 1) / eps")
    plain = Mechanism.from_source("def plain(q: Real): return q")
    size = 1 + math.log(2)
    known = size + math.exp(-size)
    (found,) = Expected(shifted, at_most=1, ideal=plain, inputs=[0, 3]).epsilons()
    assert float(found.lower) == pytest.approx(known, abs=1e-12)
    assert Expected(shifted, at_most=Fraction(188, 100) / eps, ideal=plain, inputs=[0]).check()
    excess = Expected(shifted, at_most=Fraction(187, 100) / eps, ideal=plain, inputs=[0]).check()
    assert excess.outcome == "fails"
    with pytest.raises(ExactdpError, match="multiples of 1 / eps"):
        Expected(shifted, at_most=2 / eps, ideal=plain, inputs=AllReals()).check()
