"""The regret of a selection for all reals: decided at its worst inputs, with and without them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from certify.parts import regions
from exactdp import (
    AllReals,
    Box,
    ErrorBound,
    ExactdpError,
    Mechanism,
    certify,
    ideal,
    inf,
    sup,
    value_gap,
)
from exactdp.certify.rederive.ratios import UnsupportedError


def _largest(m: int, best: str = "max", noise: str = "lap") -> Mechanism:
    return Mechanism.from_source(
        f"def largest(q: Real[{m}]):\n"
        f"    noisy = [{noise}(eps / 2, x) for x in q]\n"
        f"    return {best}(range({m}), key=lambda i: noisy[i])\n"
    )


UNEQUAL = Mechanism.from_source("""
def unequal(q: Real[3]):
    a, b, c = lap(eps / 4, q[0]), lap(eps / 2, q[1]), lap(eps, q[2])
    if a >= b and a >= c:
        return 0
    return 1 if b >= c else 2
""")


def _loss(gap: float, others: int, rate: float) -> float:
    """Return the probability that Laplace noise above `gap` is not the largest, by Simpson's rule.

    The largest of `others` samples around 0 has the distribution function F(r)^others.
    """

    def below(r: float) -> float:
        return math.exp(rate * r) / 2 if r < 0 else 1 - math.exp(-rate * r) / 2

    def inside(r: float) -> float:
        return float(rate / 2 * math.exp(-rate * abs(r - gap)) * below(r) ** others)

    total = 0.0
    for low, high in ((gap - 60, 0.0), (0.0, gap), (gap, gap + 60)):  # smooth between these
        step = (high - low) / 4_000
        values = [inside(low + k * step) for k in range(4_001)]
        total += (
            step / 3 * (values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]))
        )
    return 1 - total


@pytest.mark.parametrize(("m", "best"), [(2, "max"), (4, "min"), (12, "max")])
def test_all_answers_agree_with_an_integral(m: int, best: str) -> None:
    """The worst inputs are next to those that are 0 at one position, and 2 further elsewhere."""
    mechanism = _largest(m, best)
    risk = ErrorBound(mechanism, within=2, inputs=AllReals()).risk(eps=1)
    assert float(risk) == pytest.approx(_loss(2, m - 1, 0.5), abs=1e-8)
    assert not risk.attained
    assert risk.input == [0] + [2 if best == "min" else -2] * (m - 1)
    eps = float(ErrorBound(mechanism, 2, "10%", inputs=AllReals()).smallest_epsilon())
    assert _loss(2, m - 1, eps / 2) == pytest.approx(0.1, abs=1e-8)
    if m < 12:
        within = float(ErrorBound(mechanism, risk="10%", inputs=AllReals()).smallest_within(eps=1))
        assert within == pytest.approx(2 * eps, abs=1e-9)  # only ε·γ matters


@pytest.mark.parametrize(
    ("box", "input"),
    [
        (Box(-1, 2), [0, -1]),
        (Box(5, 8), [6, 5]),
        (Box(-8, "-6.9"), [-7, -8]),
        (Box(0, inf), [1, 0]),
    ],
    ids=str,
)
def test_a_box_that_is_wide_enough(box: Box, input: list[int]) -> None:  # noqa: A002
    """With all entries in the same interval, longer than γ, the worst inputs are in the box."""
    risk = ErrorBound(_largest(2), within=1, inputs=box).risk(eps=1)
    assert float(risk) == pytest.approx(_loss(1, 1, 0.5), abs=1e-8)
    assert risk.input == input
    found = ErrorBound(_largest(2), 1, "20%", inputs=box).check(eps=1).counterexample
    ends = box.ends(2)
    assert all(low <= x <= high for x, (low, high) in zip(found.input, ends, strict=True))
    assert float(found.error) == pytest.approx(float(risk), rel=0.02)


@pytest.mark.parametrize("mechanism", [UNEQUAL, _largest(3, noise="expo")], ids=["lap", "expo"])
def test_all_cells_give_the_same_answer(mechanism: Mechanism) -> None:
    """Just above the worst error the bound holds, and just below it fails, on cells of inputs."""
    risk = ErrorBound(mechanism, within=2, inputs=AllReals()).risk(eps=1)
    for step, outcome in ((Fraction(1, 1000), "holds"), (-Fraction(1, 1000), "fails")):
        (claim,) = ErrorBound(mechanism, 2, risk.upper + step, inputs=AllReals(), epsilon=1).claims
        assert claim.at_worst_inputs is not None
        assert claim.check().outcome == claim.by_cells().check().outcome == outcome


def test_the_counterexample_is_an_input_next_to_the_worst() -> None:
    """With noise of three widths, the worst selection is that of the entry with the least noise."""
    verdict = ErrorBound(UNEQUAL, 2, "10%", inputs=AllReals()).check(eps=1)
    assert verdict.counterexample.input == [-2, -2, Fraction(1, 100)]
    error = 1 - UNEQUAL.probability([-2, -2, Fraction(1, 100)], 2)
    assert float(verdict.counterexample.error) == pytest.approx(float(error.at(1)))


def test_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have an input for each number; if the checker does not see why, cells of up to five."""

    def unseen(*_: object) -> None:
        raise UnsupportedError("not seen")

    few, many = (
        ErrorBound(_largest(m), 2, "10%", inputs=AllReals()).check(eps="[9, inf)") for m in (3, 8)
    )
    assert "largest close to these" in str(few)
    assert len(regions(many.certificate)) == 8
    assert certify.check(many.certificate).accepted
    monkeypatch.setattr("exactdp.certify.rederive.regret.Regret.check", unseen)
    assert len(regions(few.certificate)) > 3
    assert certify.check(few.certificate).accepted
    hidden = ErrorBound(_largest(8), 2, "10%", inputs=AllReals()).check(eps="[9, inf)")
    with pytest.raises(ExactdpError, match="close to which the error is largest"):
        _ = hidden.certificate


@ideal
def smallest(q):  # type: ignore[no-untyped-def]
    """Return the position of the minimum."""
    return min(range(3), key=lambda i: q[i])


OTHERS: dict[str, tuple[Mechanism, dict[str, Any]]] = {
    "clipped": (
        Mechanism.from_source(
            "def clipped(q: Real[3]):\n    n = [lap(eps, max(0, x)) for x in q]\n"
            "    return max(range(3), key=lambda i: n[i])\n"
        ),
        {"output_distance": value_gap},
    ),
    "opposite": (_largest(3), {"ideal": smallest}),
    "narrow box": (_largest(3), {"inputs": Box(0, 1)}),
    "uneven box": (_largest(3), {"inputs": Box([0, 0, 0], [1, 2, 3])}),
    "ties": (_largest(3), {"within": 0}),
    "nearest": (
        Mechanism.from_source(
            "def nearest(q: Real[3]):\n    a, b, c = [lap(eps, x) for x in q]\n"
            "    return 1 if abs(a - b) < abs(b - c) else 0 if a > c else 2\n"
        ),
        {"output_distance": value_gap},
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_where_the_worst_inputs_are_not_known(name: str) -> None:
    """The argument needs an order, a shift, the right end, and an error that is allowed."""
    mechanism, changes = OTHERS[name]
    bound = ErrorBound(mechanism, **{"within": 1, "risk": "5%", "inputs": AllReals(), **changes})
    assert bound.claims[0].at_worst_inputs is None


def test_a_wide_enclosure_is_not_shown_as_a_number() -> None:
    """Six digits are shown only if they are known."""
    risk = ErrorBound(_largest(2), within=1, inputs=AllReals()).risk(eps=1)
    assert "≈ 0.379" in str(risk)
    assert "is between 0.4 and 0.5 at worst" in str(
        replace(risk, lower=Fraction(2, 5), upper=Fraction(1, 2))
    )


@pytest.mark.parametrize(("risk", "least"), [("60%", 1), ("30%", 2)])
def test_the_distance_of_positions_read_as_numbers_is_whole(risk: str, least: int) -> None:
    """If outputs are a few numbers, the least γ is one of their differences, for all reals too.

    At ties of all numbers with 0 the ideal output 2 is missed with probability 3/4, and 0 is
    returned with probability 1/2.
    """
    first = Mechanism.from_source(
        "def first(q: Real[2]):\n    for i in range(2):\n        if lap(eps, q[i]) > 0:\n"
        "            return i\n    return 2\n"
    )
    goal = ErrorBound(first, risk=risk, inputs=AllReals(), output_distance=sup)
    assert goal.smallest_within(eps=1).upper == least


@pytest.mark.parametrize("inputs", [Box("-inf", 0), Box("-inf", -3), Box("-inf", 1)])
@pytest.mark.parametrize("within", [0, 1])
def test_boxes_without_a_lower_end(inputs: Box, within: int) -> None:
    """The error depends on differences, so it is the same in each such box as for all reals."""
    source = "def most(q: Real[2]): n = [lap(eps, x) for x in q]; return n.index(max(n))"
    bound = ErrorBound(Mechanism.from_source(source), within=within, risk="1/3", inputs=inputs)
    everywhere = ErrorBound(
        Mechanism.from_source(source), within=within, risk="1/3", inputs=AllReals()
    )
    assert bound.check(eps=1).outcome == everywhere.check(eps=1).outcome
    assert float(bound.risk(eps=1)) == pytest.approx(float(everywhere.risk(eps=1)))
