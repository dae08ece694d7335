"""Thresholds, margins and means a + b/ε: against hand calculations, runs and quadrature."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp as e_to
from math import sqrt
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    ExactdpError,
    Grid,
    Ideal,
    Mechanism,
    ProgramError,
    Real,
    alpha,
    eps,
    exp,
)

ABOVE = Mechanism.from_source("def above(q: Real):\n    return lap(eps, q) > 2 + 3 / eps\n")
IDEAL = Ideal.from_source("def ideal(q: Real):\n    return q > 2\n")

HISTOGRAM = Mechanism.from_source(
    """
def histogram(counts: Real[2]):
    released = []
    for i in range(2):
        noisy = lap(eps / 2, counts[i])
        released.append(noisy if noisy > T else None)
    return released
""",
    {"T": 4 / eps + 1},
)

MARGIN = Mechanism.from_source(
    """
def above_threshold(q: Real[2]):
    t = lap(eps / 2, 1 / eps)
    for i in range(2):
        if lap(eps / 4, q[i]) >= t + 2 / eps:
            return i
    return None
"""
)


def tail(t: float) -> float:
    """Return Pr(X > t) for Laplace noise of rate 1."""
    return e_to(-t) / 2 if t >= 0 else 1 - e_to(t) / 2


@pytest.mark.parametrize("q", [0, 5, 7, Fraction(-3, 2)])
def test_a_threshold_by_hand(q: int | Fraction) -> None:
    """Pr(X/ε + q > 2 + 3/ε) = Pr(X > 2ε + 3 − qε); it changes its form where 3/ε = q − 2."""
    found: Any = ABOVE.probability(q, True)
    assert len(found) == (2 if q > 2 else 1)
    for at in (Fraction(1, 10), Fraction(3, 5), Fraction(1), Fraction(4), Fraction(3) / 5):
        assert float(found.at(at)) == pytest.approx(tail(float(2 * at + 3 - q * at)), rel=1e-12)
    if q > 2:
        assert found.at(Fraction(3) / (q - 2)).lower == Fraction(1, 2)


def test_the_stability_based_histogram() -> None:
    """Counts are independent: Pr = Pr(X > (1 + 4/ε − c)·ε/2) for each of them."""
    found = HISTOGRAM.probability([3, 0], [Real, None])
    for at in (Fraction(1, 2), Fraction(2), Fraction(3)):
        first, second = (tail(float((1 - c) * at + 4) / 2) for c in (3, 0))
        assert float(found.at(at)) == pytest.approx(first * (1 - second), rel=1e-12)
    sample = HISTOGRAM.sample([3, 0], 1, 20_000, seed=4)
    share = sum(one[0] is not None and one[1] is None for one in sample) / 20_000
    assert abs(share - float(found.at(1))) < 5 * sqrt(0.25 / 20_000)


@pytest.mark.parametrize("at", [Fraction(1, 2), Fraction(2), Fraction(4)])
def test_a_margin_against_runs(at: Fraction) -> None:
    """Three samples, two margins: simulated with numpy, on each of the intervals of ε."""
    found: Any = MARGIN.distribution([1, 2])
    assert len(found) == 3
    chances = {key: float(value) for key, value in found.at(at).items()}
    assert sum(chances.values()) == pytest.approx(1, rel=1e-12)
    seen = Counter(MARGIN.sample([1, 2], at, 20_000, seed=5))
    for output, chance in chances.items():
        assert abs(seen[output] / 20_000 - chance) < 5 * sqrt(0.25 / 20_000)


def test_at_the_end_of_an_interval_the_program_itself_is_asked() -> None:
    """Where q is compared with 1/ε and no noise, ε = 1/q alone is another case."""
    jumps = Mechanism.from_source("def f(q: Real):\n    return q == 1 / eps\n")
    found: Any = jumps.distribution(2)
    assert [set(piece.value) for piece in found] == [{False}, {False}]
    assert set(found.at("1/2")) == {True}
    assert jumps.run(2, "1/2") is True
    assert jumps.run(2, 1) is False


def test_claims_at_inputs() -> None:
    """At q = 0 the error is e^(−2ε − 3)/2 and e^(−3) is between 0.049 and 0.05."""
    for factor, outcome in ((Fraction(50), "holds"), (Fraction(49), "fails")):
        beta = exp(-2 * eps) / 2 * factor / 1000
        assert Accuracy(ABOVE, beta=beta, ideal=IDEAL, inputs=[0]).check().outcome == outcome


@pytest.mark.parametrize("inputs", [Grid(-3, 8), AllReals()])
def test_claims_at_many_inputs(inputs: Any) -> None:
    """Above 2 the error is at most e³/2·e^(−ε(q − 2)), attained for ε(q − 2) ≥ 3; e³/2 ≈ 10.04."""
    for factor, outcome in ((Fraction(101, 10), "holds"), (10, "fails")):
        claim = Accuracy(ABOVE, beta=factor * exp(-alpha * eps), ideal=IDEAL, inputs=inputs)
        assert claim.check().outcome == outcome


def test_a_claim_about_the_histogram() -> None:
    """A count of 0 is flagged with probability e^(−(ε + 4)/2)/2; 0.0676 < e^(−2)/2 < 0.0677."""
    ideal = Ideal.from_source("def ideal(counts: Real[2]):\n    return [c > 1 for c in counts]\n")
    flags = Mechanism.from_source(
        """
def flags(counts: Real[2]):
    return [lap(eps / 2, c) > 1 + 4 / eps for c in counts]
"""
    )
    one = exp(-eps / 2)
    for factor, outcome in ((Fraction(677, 10_000), "holds"), (Fraction(676, 10_000), "fails")):
        beta = 2 * factor * one - factor**2 * one**2
        claim = Accuracy(flags, beta=beta, ideal=ideal, inputs=[[0, 0]])
        assert claim.check().outcome == outcome


def test_refusals() -> None:
    """What a + b/ε cannot do, each with its place; questions with several answers."""
    for text, said in (
        ("def f(q: Real):\n    return q > eps\n", "only a \\+ b / eps"),
        ("def f(q: Real):\n    return lap(eps, exp(-eps)) > q\n", "only a \\+ b / eps"),
        ("def f(q: Real):\n    return q * (1 / eps) > 0\n", "cannot be combined with eps"),
        ("def f(x: Dom(0, 3)):\n    return x > 1 / eps\n", "not known to the program"),
    ):
        with pytest.raises(ProgramError, match=said):
            Mechanism.from_source(text).run(1, 1)
    jumps = Mechanism.from_source("def f(q: Real):\n    return q == 1 / eps or lap(eps, q) > 2\n")
    claim = Accuracy(jumps, beta=Fraction(1, 2), ideal=IDEAL, inputs=[1])
    with pytest.raises(ExactdpError, match="equal at ε = 1"):
        claim.check()
    with pytest.raises(ExactdpError, match="depends on eps"):
        Accuracy(ABOVE, beta=Fraction(1, 2), inputs=[1])
    with pytest.raises(ExactdpError, match="depends on eps"):
        ABOVE.within(0, 1)


@pytest.mark.parametrize("inputs", [[0, 3], [5, 1], [2, 9], [Fraction(-1, 2), Fraction(7, 2)]])
def test_formulas_for_all_reals(inputs: list[Any]) -> None:
    """At an input and an ε, the piece of the formula has the value of the formula at the input."""
    everywhere: Any = MARGIN.distribution(AllReals())
    alone: Any = MARGIN.distribution(inputs)
    for at in (Fraction(1, 7), Fraction(1), Fraction(9, 2)):
        piece = everywhere.piece(*inputs, eps=at).value
        scaled = {f"q[{k}]": at * q for k, q in enumerate(inputs)}
        for output, known in alone.at(at).items():
            used = {n: x for n, x in scaled.items() if n in piece[output].parameters}
            unit = {"eps[0]": 1} if "eps[0]" in piece[output].parameters else {}
            assert float(piece[output].at(at, **used, **unit)) == pytest.approx(float(known))
    assert str(everywhere.at(*inputs)) == str(alone)
    with pytest.raises(ExactdpError, match="the piece depends on eps"):
        everywhere.piece(*inputs)


def test_conditions_of_formulas() -> None:
    """Conditions are in the inputs and 1/ε, without those that always hold."""
    first, second = ABOVE.probability(AllReals(), True)
    assert {first.conditions, second.conditions} == {("q ≥ 3/ε + 2",), ("3/ε + 2 ≥ q",)}
    shifted = Mechanism.from_source("def f(q: Real): return lap(eps, q) + log(20) / eps")
    assert str(shifted.expectation(AllReals())) == "(q + log(20))/eps  where everywhere"
    assert str(shifted.variance(AllReals())) == "2/eps^2  where everywhere"


def test_chains() -> None:
    """A chain for each interval of ε, and for each cell: its probabilities are those of outputs."""
    found: Any = ABOVE.chain(5)
    known: Any = ABOVE.probability(5, True)
    assert [str(one.on) for one in found] == [str(one.on) for one in known] == ["(0, 1)", "(1, ∞)"]
    for one, other in zip(found, known, strict=True):
        assert one.value.transitions[-1].probability == other.value
        assert "r1 > 3/ε + 2" in one.value.states[-1].conditions
        assert "eps[" not in one.value.dot()
    assert found.at(3) == found.pieces[1].value
    pieces: Any = ABOVE.chain(AllReals())
    assert {one.conditions for one in pieces} == {("q ≥ 3/ε + 2",), ("3/ε + 2 ≥ q",)}


@pytest.mark.parametrize(
    "text",
    [
        "def f(q: Real[2]): return [lap(eps, q[i]) > T[i] for i in range(2)]",
        "def f(q: Real[2]): return [lap(eps, x) > t for x, t in zip(q, T)]",
        "def f(q: Real[2]): return [lap(eps, q[i]) > D['xy'[i]] for i in range(2)]",
    ],
)
def test_thresholds_in_lists_and_tables(text: str) -> None:
    """Thresholds that are computed before the mechanism, one for each count."""
    given = {"T": [1 + 2 / eps, 3 / eps], "D": {"x": 1 + 2 / eps, "y": 3 / eps}}
    found = Mechanism.from_source(text, given).probability([2, 5], [True, True])
    for at in (Fraction(1, 4), Fraction(1), Fraction(3)):
        known = tail(float(2 - at)) * tail(float(3 - 5 * at))
        assert float(found.at(at)) == pytest.approx(known)


@pytest.mark.parametrize(
    "returned", ["lap(eps, x) > level(x)", "lap(eps, level(x)) > 0", "level(x)", "[x, level(x)]"]
)
def test_numbers_with_eps_from_a_python_function(returned: str) -> None:
    """A function may return probabilities, but no thresholds or outputs: these are not seen."""

    def level(x: int) -> Any:
        return 1 + x / eps

    program = Mechanism.from_source(f"def f(x: Dom(0, 1)): return {returned}", {"level": level})
    with pytest.raises(ExactdpError, match="numbers that depend on eps"):
        program.distribution(1)
