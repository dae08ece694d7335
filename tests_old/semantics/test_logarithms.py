"""log(r)/ε beside reals: the threshold of a stability-based histogram and its kin."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from exactdp import Accuracy, AllReals, ErrorBound, Ideal, Mechanism, alpha, eps, exp, log
from exactdp.errors import ExactdpError
from exactdp.reals.logs import LogForm

ABOVE = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 1 + log(20) / eps")
ONE = Ideal.from_source("def one(q: Real): return q > 1")


def test_probabilities_by_hand() -> None:
    """Pr(lap(ε, q) > 1 + ln(20)/ε) is e^(ε(q − 1))/40 where ε(q − 1) ≤ ln 20."""
    assert str(ABOVE.probability(0, True)) == "1/40*exp(-eps)  for ε in log(20)·(0, ∞)"
    at_three: Any = ABOVE.probability(3, True)
    assert [str(one.on) for one in at_three] == ["(0, 1/2)", "(1/2, ∞)"]
    for at in (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5)):
        x = 2 * float(at)
        by_hand = math.exp(x) / 40 if x <= math.log(20) else 1 - 10 * math.exp(-x)
        assert float(at_three.at(at)) == pytest.approx(by_hand, rel=1e-12)
    runs = ABOVE.sample(3, eps=2, size=20_000, seed=1)
    assert sum(runs) / 20_000 == pytest.approx(float(at_three.at(2)), abs=0.015)


def test_random_programs_beside_rational_numbers() -> None:
    """With a rational number close to log(r) the probabilities are close, and claims alike."""
    for seed in range(12):
        rng = Random(seed)
        r = rng.choice([Fraction(20), Fraction(1, 8), Fraction(9, 4), Fraction(3)])
        rates = [rng.choice(["eps", "eps / 2", "2 * eps"]) for _ in range(2)]
        factor = rng.choice(["1", "2", "1/2", "-3/2"])
        text = (
            "def f(q: Real[2]):\n"
            f"    t = lap({rates[0]}, {factor} * LOG / eps)\n"
            f"    if lap({rates[1]}, q[0]) > t + 1:\n        return 0\n"
            "    return 1 if lap(eps, q[1]) > LOG / eps else 2\n"
        )
        with_log = Mechanism.from_source(text.replace("LOG", f"log({r})"))
        rational = Fraction(math.log(r))
        without = Mechanism.from_source(text.replace("LOG", f"({rational})"))
        u = [Fraction(rng.randint(-8, 8), 2) for _ in range(2)]
        at = Fraction(rng.randint(1, 12), 4)
        for output in range(3):
            one, two = (mech.probability(u, output).at(at) for mech in (with_log, without))
            assert float(one) == pytest.approx(float(two), rel=1e-9, abs=1e-12)
        ideal = Ideal.from_source("def f(q: Real[2]): return 0 if q[0] > 1 else 2")
        beta = Fraction(rng.randint(1, 19), 20)
        ends = at, at + 1
        outcomes = {
            Accuracy(mech, beta, ideal=ideal, inputs=[u], epsilon=ends, input_distance="linf")
            .check()
            .outcome
            for mech in (with_log, without)
        }
        assert len(outcomes) == 1, (text, r, u, at, beta)


@pytest.mark.parametrize("inputs", [[0], [5], [-3, 2], AllReals()])
def test_claims_with_equality(inputs: object) -> None:
    """Below 1 the error is e^(−ε·dd)/40, above it at most 10·e^(−ε·dd), with equality far out."""
    for factor, holds in ((Fraction(10), True), (Fraction(99, 10), False)):
        claim = Accuracy(ABOVE, factor * exp(-alpha * eps), ideal=ONE, inputs=inputs)  # type: ignore[arg-type]
        assert claim.check().holds is (holds or inputs == [0])
    if inputs == [0]:
        assert Accuracy(ABOVE, exp(-alpha * eps) / 40, ideal=ONE, inputs=inputs).check().holds
        verdict = Accuracy(ABOVE, exp(-alpha * eps) / 41, ideal=ONE, inputs=inputs).check()
        (found,) = verdict.counterexamples
        error = math.exp(-found.eps) / 40
        assert float(found.error.lower) == pytest.approx(error, rel=1e-9)
        assert float(found.allowed.lower) < error


def test_other_questions() -> None:
    """The error at 5 is 10·e^(−4ε) from (ln 20)/4 on: at most 1/20 from ln(200)/4 on."""
    claim = Accuracy(ABOVE, Fraction(1, 20), ideal=ONE, inputs=[5])
    found = claim.smallest_epsilon(width="1e-6")
    assert float(found) == pytest.approx(math.log(200) / 4, abs=1e-5)
    kappa = Accuracy(ABOVE, exp(-alpha * eps), ideal=ONE, inputs=[5]).tightest(width="1e-3").kappa
    assert kappa.lower <= Fraction(1, 10) <= kappa.upper
    for at, holds in ((2, True), (1, False)):
        assert Accuracy(ABOVE, "5%", ideal=ONE, inputs=[5], epsilon=at).check().holds is holds


def test_refusals() -> None:
    for ask, message in (
        (lambda: ABOVE.within(0, 1), "depends on eps"),
        (lambda: Accuracy(ABOVE, log(3) * exp(-eps), ideal=ONE), "irrational number"),
        (lambda: Accuracy(ABOVE, "5%", gamma=log(3) * eps, ideal=ONE), "with a logarithm"),
        (lambda: Mechanism.from_source("def f(q: Real): return q > log(-1)/eps"), "positive"),
        (
            lambda: Mechanism.from_source("def f(q: Real): return lap(eps, q) > log(3)").run(0, 1),
            "only a",
        ),
    ):
        with pytest.raises(ExactdpError, match=message):
            ask()


def test_logarithms_as_text() -> None:
    """A counterexample of `exactdp check` is written as text and in LaTeX."""
    mixed = Mechanism.from_source("def f(q: Real): return lap(eps, q) > (log(20) / 2 + 2) / eps")
    piece: Any = mixed.probability(-1, True)
    found = LogForm.of(piece.pieces[0].value)
    assert found is not None
    assert str(found) == "1/40*exp(-eps - 2 + 1/2*log(20))"
    assert found.latex() == r"\frac{1}{40} e^{-\varepsilon - 2 + \frac{1}{2} \ln(20)}"


COUNT = Mechanism.from_source("""
def count(c: Real):
    noisy = lap(eps, c)
    return noisy if noisy > 1 + log(1000) / eps else 0
""")
ITSELF = Ideal.from_source("def itself(c: Real): return c")


def near(c: float, radius: float, e: float) -> float:
    """Return Pr(|output − c| ≤ radius) of `COUNT`, from the distribution function of the noise."""

    def below(t: float) -> float:
        return math.exp(e * (t - c)) / 2 if t < c else 1 - math.exp(-e * (t - c)) / 2

    threshold = 1 + math.log(1000) / e
    released = below(c + radius) - below(max(c - radius, threshold))
    return (below(threshold) if abs(c) <= radius else 0) + max(0, released)


@pytest.mark.parametrize("c", [0, 3, 9, Fraction(-7, 2)])
def test_outputs_within_a_radius(c: Fraction) -> None:
    """The released count, or 0, within a radius of the count: at an input and for all reals."""
    everywhere: Any = COUNT.within(AllReals(), 5, ideal=ITSELF)
    for found in (COUNT.within(c, 5, ideal=ITSELF), everywhere.at(c)):
        for at in (Fraction(1, 9), Fraction(1), Fraction(2), Fraction(5)):
            known = near(float(c), 5, float(at))
            assert float(found.at(at)) == pytest.approx(known, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("added", "number"),
    [
        ("2 / eps", 2.0),
        ("log(20) / eps", math.log(20)),
        ("(1 + log(20) / 2) / eps", 1 + math.log(20) / 2),
    ],
)
def test_finite_inputs(added: str, number: float) -> None:
    """A count in a finite domain: the error at 0 and 1 equals β where ε = ln 80 + the number."""
    program = Mechanism.from_source(f"def f(x: Dom(0, 9)): return lap(eps, x) > 1 + {added}")
    present = Ideal.from_source("def present(x: Dom(0, 9)): return x > 1")
    claim = Accuracy(program, 40 * exp(-alpha * eps), ideal=present)
    verdict = claim.check()
    assert verdict.counterexample is not None
    assert verdict.counterexample.eps > math.log(80) + number
    (stretch,) = claim.epsilons()
    assert stretch.lower == 0
    assert float(stretch.upper) == pytest.approx(math.log(80) + number, rel=1e-10)
    until = Fraction(math.log(80) + number - 0.01)
    assert Accuracy(program, claim.beta, ideal=present, epsilon=(0, until)).check().holds


def test_logarithms_outside_of_a_mechanism() -> None:
    """A threshold may be computed before the mechanism, and is written with it."""
    outside = Mechanism.from_source(
        "def f(c: Real): return lap(eps, c) > T", {"T": 1 + 2 * log(2 / Fraction(1, 500)) / eps}
    )
    inside = Mechanism.from_source("def f(c: Real): return lap(eps, c) > 1 + 2 * log(1000) / eps")
    assert str(outside.probability(3, True)) == str(inside.probability(3, True))
    assert Mechanism.from_source(str(outside)) == outside
    assert str(3 / eps - log(8) + log(0.5) * eps) == "3 / eps - 3 * log(2) + (-1) * log(2) * eps"


def test_captured_logarithms_at_one_epsilon() -> None:
    """A captured threshold with a logarithm, at a single ε: Pr(|output − c| > 3) from the noise."""
    program = Mechanism.from_source(
        "def f(c: Dom(0, 4)):\n    x = lap(eps, c)\n    return x if x > T else 0",
        {"T": 1 + log(1000) / eps},
    )
    risk = ErrorBound(program, within=3, ideal=lambda c: c).risk(eps=1)
    assert float(risk) == pytest.approx(1 - near(4, 3, 1))
    seen = program.sample(4, 2, 4000, seed=1)
    share = sum(abs(one - 4) <= 3 for one in seen) / 4000
    assert abs(share - near(4, 3, 2)) < 0.04
    with pytest.raises(ExactdpError, match="the ideal f depends on eps"):
        ErrorBound(program, within=3, risk="5%")
