"""floor, round, // and % of noise, against sums over the distribution functions of the noise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
    Accuracy,
    AllReals,
    Box,
    ErrorBound,
    ExactdpError,
    Expected,
    Grid,
    Interval,
    Mechanism,
    Privacy,
    Real,
    alpha,
    certify,
    eps,
    exp,
    gamma,
)
from support.examples import examples

FAR = 400  # whole numbers on each side of the mean; beyond, there is no mass to speak of

Distribution = Callable[[float], float]


def laplace(rate: float, mean: float) -> Distribution:
    def below(x: float) -> float:
        t = rate * (x - mean)
        return math.exp(t) / 2 if t < 0 else 1 - math.exp(-t) / 2

    return below


def exponential(rate: float, start: float) -> Distribution:
    return lambda x: 1 - math.exp(-rate * (x - start)) if x > start else 0.0


def uniform(lower: float, upper: float) -> Distribution:
    return lambda x: min(max((x - lower) / (upper - lower), 0.0), 1.0)


def program(noise: str, result: str, inputs: str = "q: Real") -> Mechanism:
    return Mechanism.from_source(f"def f({inputs}):\n    x = {noise}\n    return {result}")


NOISES: dict[str, Callable[[float, float], Distribution]] = {
    "lap(eps / 2, q)": lambda e, q: laplace(e / 2, q),
    "expo(2 * eps, q)": lambda e, q: exponential(2 * e, q),
    "unif(q - 5 / 2, q + 1)": lambda _, q: uniform(q - 2.5, q + 1),
    "3 * lap(eps, q) - 1": lambda e, q: laplace(e / 3, 3 * q - 1),
}
WHOLE: dict[str, Callable[[int], tuple[float, float]]] = {
    # Where the result is k: from … to …
    "math.floor(x)": lambda k: (k, k + 1),
    "math.ceil(x)": lambda k: (k - 1, k),
    "round(x)": lambda k: (k - 0.5, k + 0.5),
    "x // 1": lambda k: (k, k + 1),
    "x // 2 * 2 + 1": lambda k: (k - 1, k + 1) if k % 2 else (0, 0),
    "round(x / 3) * 3": lambda k: (k - 1.5, k + 1.5) if k % 3 == 0 else (0, 0),
    "int(x)": lambda k: (-1, 1) if k == 0 else (k, k + 1) if k > 0 else (k - 1, k),
    "-((-x) // 2)": lambda k: (2 * k - 2, 2 * k),
    "math.floor(round(x) / 2)": lambda k: (2 * k - 0.5, 2 * k + 1.5),
}


@examples(8)
@given(
    st.sampled_from(sorted(NOISES)),
    st.sampled_from(sorted(WHOLE)),
    st.fractions(-3, 3, max_denominator=6),
    st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3)]),
)
def test_probabilities_are_those_of_intervals(
    noise: str, result: str, q: Fraction, e: Fraction
) -> None:
    below = NOISES[noise](float(e), float(q))
    mechanism = program(noise, result)
    for k in (-5, -1, 0, 1, 2, 7):
        start, end = WHOLE[result](k)
        found = float(mechanism.probability(q, k).at(e))
        assert found == pytest.approx(below(end) - below(start), abs=1e-12)
        more = float(program(noise, f"{result} >= {k}").probability(q, True).at(e))
        want = sum(below(b) - below(a) for a, b in map(WHOLE[result], range(k, FAR)))
        assert more == pytest.approx(want, abs=1e-6)
    mean = float(mechanism.expectation(q, lambda _, z: z).at(e))
    ks = range(-FAR, FAR)
    parts = (k * (below(WHOLE[result](k)[1]) - below(WHOLE[result](k)[0])) for k in ks)
    assert mean == pytest.approx(math.fsum(parts), abs=1e-6)


@examples(8)
@given(
    st.sampled_from(sorted(NOISES)),
    st.sampled_from([Fraction(1), Fraction(2), Fraction(5, 3)]),
    st.fractions(-3, 3, max_denominator=6),
)
def test_remainders_are_folded(noise: str, step: Fraction, q: Fraction) -> None:
    """Pr(x % s ≤ t) is the sum of Pr(ks ≤ x ≤ ks + t) over all k; divmod gives both parts."""
    below = NOISES[noise](1.0, float(q))
    size = float(step)
    folded = program(noise, f"x % ({step})").distribution(q)
    for share in (Fraction(1, 7), Fraction(1, 2), Fraction(5, 6)):
        ends = ((k * size, k * size + float(share) * size) for k in range(-200, 200))
        want = math.fsum(below(b) - below(a) for a, b in ends)
        assert float(folded.cumulative(Real, share * step).at(1)) == pytest.approx(want, abs=1e-9)
    both = program(noise, f"divmod(x, {step})")
    inside = both.probability(q, (1, Interval(0, "1/2")))
    want = below(size + 0.5) - below(size)
    assert float(inside.at(1)) == pytest.approx(want, abs=1e-12)


def test_rounded_numbers_are_compared_with_each_other() -> None:
    """Pr(⌊x⌋ > ⌊y⌋) and Pr(⌊x⌋ = ⌊y⌋) are double sums over the probabilities of both."""
    mechanism = Mechanism.from_source("""
def f(q: Real[2]):
    first, second = math.floor(lap(eps, q[0])), math.floor(lap(eps, q[1]))
    return 0 if first == second else 1 if first > second else -1
""")
    one, two = laplace(1, 0.3), laplace(1, 1.25)
    chances = Counter[int]()
    for j in range(-50, 50):
        for k in range(-50, 50):
            share = (one(j + 1) - one(j)) * (two(k + 1) - two(k))
            chances[(j > k) - (j < k)] += share  # type: ignore[assignment]
    found = mechanism.distribution(["0.3", "5/4"])
    for output, chance in found.items():
        assert float(chance.at(1)) == pytest.approx(chances[output], abs=1e-9)


def test_ties_are_rounded_to_even_numbers() -> None:
    """Noise with a density has no ties; inputs and integer noise do."""
    ideal = program("lap(eps, q)", "round(x)").noiseless()
    assert [ideal.run(f"{n}/2") for n in (-5, -3, -1, 1, 3, 5, 7)] == [-2, -2, 0, 0, 2, 2, 4]
    big = Mechanism.from_source("def f(q: Real): return round(q) >= 1 and lap(eps, q) > 0")
    assert float(big.probability("1/2", True).at(1)) == 0
    assert float(big.probability("3/2", True).at(1)) > 0.5
    halves = program("dlap(eps, x)", "round(x / 2)", "x: Dom(0, 3)")
    plain = Mechanism.from_source("def f(x: Dom(0, 3)): return dlap(eps, x)")
    for k in range(-3, 4):
        want = sum(float(plain.probability(1, z).at(1)) for z in range(-9, 10) if round(z / 2) == k)
        assert float(halves.probability(1, k).at(1)) == pytest.approx(want, abs=1e-12)


def test_simulation_rounds_alike() -> None:
    text = """
def f(q: Real, r: Real):
    x = lap(eps, q)
    total = x + expo(eps, r)
    return [round(x), x % 2 < 1, total // 3] if round(total) != 1 else None
"""
    mechanism = Mechanism.from_source(text)
    runs = 20_000
    seen = Counter(map(str, mechanism.sample(("1/3", "1/2"), eps=1, size=runs, seed=7)))
    assert str(mechanism.run(("1/3", "1/2"), eps=1))
    with pytest.raises(ExactdpError, match="was compared with noise that is needed later"):
        mechanism.probability(("1/3", "1/2"), (0, True, 0))
    simple = Mechanism.from_source(text.replace("[round(x), x % 2 < 1, total // 3]", "total // 3"))
    seen = Counter(simple.sample(("1/3", "1/2"), eps=1, size=runs, seed=7))
    for output, count in seen.most_common(4):
        chance = float(simple.probability(("1/3", "1/2"), output).at(1))
        assert abs(count / runs - chance) < 4 * math.sqrt(chance / runs)


ROUNDED = program("lap(eps, q)", "round(x)")


def test_claims_about_rounded_numbers() -> None:
    """|round(x) − round(q)| > 2 needs |x − q| > 2, as q is at most 1/2 from its own rounding."""
    claim = Accuracy(ROUNDED, beta=exp(-gamma * eps), gamma=2, inputs=Box(-1, 1))
    assert claim.check().outcome == "holds"
    assert Accuracy(ROUNDED, beta=exp(-3 * eps), gamma=2, inputs=Box(-1, 1)).check().outcome == (
        "fails"
    )
    listed = Accuracy(ROUNDED, beta=exp(-gamma * eps), gamma=2, inputs=["1/3", "1/2", 7])
    assert listed.check().outcome == "holds"
    assert Privacy(ROUNDED, inputs=Grid(-1, 1, step="1/2")).check().outcome == "holds"
    assert not Privacy(ROUNDED, budget=eps * Fraction(9, 10), inputs=[0, 1]).check()
    assert Expected(ROUNDED, loss="absolute", at_most=2 / eps, inputs=["1/3"]).check()
    within = ErrorBound(ROUNDED, risk="5%", epsilon=1, inputs=["1/3"]).smallest_within()
    assert "γ = 3" in str(within)
    with pytest.raises(ExactdpError, match="all real inputs"):
        Accuracy(ROUNDED, beta=exp(-eps), gamma=2, inputs=AllReals()).check()
    with pytest.raises(ExactdpError, match="all real inputs"):
        Privacy(ROUNDED, inputs=AllReals()).check()


def test_comparisons_of_rounded_numbers_are_for_all_reals() -> None:
    """round(x) ≥ 3 is x ≥ 5/2: the claim of a threshold, with the best constant 2."""
    above = program("lap(eps, q)", "round(x) >= 3")
    claim = Accuracy(above, beta=exp(-alpha * eps), inputs=AllReals())
    assert claim.check().outcome == "holds"
    assert claim.tightest().kappa.whole == "2"
    assert Privacy(above, inputs=AllReals()).check().outcome == "holds"


MEANS: dict[str, Callable[[Fraction], Fraction | int]] = {
    "round(q)": round,
    "math.floor(q)": math.floor,
    "ceil(q / 2) - 1": lambda q: math.ceil(q / 2) - 1,
    "2 * (q // 1) + round(q)": lambda q: 2 * math.floor(q) + round(q),
    "q % 2": lambda q: q % 2,
}
SIXTHS = [Fraction(k, 6) for k in range(-9, 10)]


def above(noise: str, mean: float, e: float) -> float:
    """Return the chance that noise of rate ε around a mean is above 0."""
    if noise == "lap":
        return 1 - laplace(e, mean)(0)
    if noise == "expo":
        return 1 - exponential(e, mean)(0)
    if noise == "geometric":  # mean + k has the chance (1 − e^−ε) e^−εk, k ≥ 0
        return math.exp(-e * max(1 - mean, 0))
    tail = math.exp(-e * abs(1 - mean if mean <= 0 else mean)) / (1 + math.exp(-e))
    return tail if mean <= 0 else 1 - tail


@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("noise", ["lap", "expo", "dlap", "geometric"])
def test_noise_around_rounded_inputs(noise: str, mean: str) -> None:
    """Probabilities, claims at listed inputs, and their certificates, also where q is halfway."""
    if noise in ("dlap", "geometric") and "%" in mean:
        pytest.skip("integer noise around a number that need not be whole")
    mechanism = program(f"{noise}(eps, {mean})", "x > 0")
    chances = {}
    for q in SIXTHS:
        chances[q] = above(noise, float(MEANS[mean](q)), 0.75)
        assert float(mechanism.probability(q, True).at("3/4")) == pytest.approx(chances[q])
    risk = max(1 - p if MEANS[mean](q) > 0 else p for q, p in chances.items())
    for more, outcome in (("1/100", "holds"), ("-1/100", "fails")):
        beta = Fraction(risk).limit_denominator(1000) + Fraction(more)
        if beta < 1:
            claim = Accuracy(
                mechanism, beta=beta, epsilon="3/4", inputs=SIXTHS, input_distance="discrete"
            )
            assert claim.check().outcome == outcome
    added = program(f"{noise}(eps, 0)", f"x + {mean} > 0")
    assert added.probability("1/2", True) == mechanism.probability("1/2", True)


@pytest.mark.parametrize("result", ["lap(eps, round(q))", "lap(eps, 0) + round(q)"])
def test_privacy_of_rounded_inputs(result: str) -> None:
    """1/2 and 3/2 are adjacent, and rounded to 0 and 2: budget 2ε, and no less."""
    rounded = Mechanism.from_source(f"def f(q: Real):\n    return {result}")
    claim = Privacy(rounded, inputs=[Fraction(k, 4) for k in range(7)])
    assert str(claim.tightest().factor) == "2"
    verdict = claim.check()
    assert verdict.counterexample.inputs == (Fraction(1, 2), Fraction(3, 2))
    report = certify.check(verdict.certificate)
    assert report.accepted
    assert not report.taken
    with pytest.raises(ExactdpError, match="all real inputs"):
        Accuracy(rounded, beta=exp(-eps), inputs=AllReals()).check()
    with pytest.raises(ExactdpError, match="all real inputs"):
        Privacy(rounded, inputs=AllReals()).check()


def test_uniform_noise_up_to_a_rounded_input() -> None:
    """unif(−1, round(q)) is above 0 with chance k/(k + 1) for k = round(q)."""
    wide = program("unif(-1, round(q))", "x > 0")
    assert wide.probability("5/2", True) == Fraction(2, 3)
    assert wide.probability("7/2", True) == Fraction(4, 5)
    with pytest.raises(ExactdpError, match="no room"):
        wide.probability(-1, True)
