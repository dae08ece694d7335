"""Claims of privacy: known answers, met from outside by quadrature, search and simulation."""

# mypy: disable-error-code="valid-type, no-untyped-def, index, misc, name-defined"

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import e as e_
from math import log
from typing import Any

import pytest
from mpmath import exp as mexp
from mpmath import log as mlog
from mpmath import mp, mpf, quad

from exactdp import (
    Accuracy,
    AllReals,
    Box,
    Breach,
    Dom,
    ExactdpError,
    Grid,
    Mechanism,
    Pairs,
    Privacy,
    Real,
    ValueRefusedError,
    choose,
    dlap,
    eps,
    exp,
    expmech,
    expo,
    hamming,
    inf,
    l1,
    lap,
    linf,
    mechanism,
    one_entry,
)
from exactdp.claims.decision.work import Explorer
from exactdp.claims.regions.places import PlaceDecision
from language.corpus import load

GRID = Grid(-1, 1)


def noisy_max(m: int) -> Mechanism:
    @mechanism
    def noisy_max(q: Real[m]):
        best, top = 0, lap(eps / 2, q[0])
        for i in range(1, m):
            r = lap(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return noisy_max


def exponential_max(m: int) -> Mechanism:
    @mechanism
    def exponential_max(q: Real[m]):
        best, top = 0, expo(eps / 2, q[0])
        for i in range(1, m):
            r = expo(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best

    return exponential_max


def rounded_max(m: int, low: int, high: int) -> Mechanism:
    """Release the noisy maximum itself, rounded to a whole number between two."""

    @mechanism
    def rounded_max(q: Real[m]):
        top = lap(eps / 2, q[0])
        for i in range(1, m):
            r = lap(eps / 2, q[i])
            top = max(top, r)
        for z in range(low, high):
            if top < z + 1 / 2:
                return z
        return high

    return rounded_max


def sparse(m: int, rates: tuple[Any, Any], c: int | None = 1, again: bool = False) -> Mechanism:
    """Return the sparse vector technique with rates for threshold and queries (None: no noise)."""
    threshold_rate, query_rate = rates
    limit = m + 1 if c is None else c
    noisy = query_rate is not None
    rate = query_rate if noisy else 1

    @mechanism
    def sparse(q: Real[m]):
        threshold = lap(threshold_rate * eps, 0)
        out = []
        for i in range(m):
            r = lap(rate * eps, q[i]) if noisy else q[i]
            if r >= threshold:
                out.append(True)
                if sum(out) == limit:
                    break
                if again:
                    threshold = lap(threshold_rate * eps, 0)
            else:
                out.append(False)
        return out

    return sparse


@mechanism
def randomized_response(b: Dom(0, 1)):
    return choose({b: exp(eps) / (exp(eps) + 1), 1 - b: 1 / (exp(eps) + 1)})


HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)

KNOWN = {
    "noisy max": (noisy_max(3), 1),
    "noisy max, exponential noise": (exponential_max(3), 1),
    "svt": (sparse(3, (HALF, QUARTER)), 1),
    "svt, thresholds drawn again": (sparse(3, (HALF, QUARTER), again=True), 1),
    "svt without query noise": (sparse(3, (HALF, None)), None),
    "svt, 1/4 and 3/4": (sparse(3, (QUARTER, 3 * QUARTER)), None),
    "svt without cut-off": (sparse(3, (HALF, HALF), c=None), None),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_answers(name: str) -> None:
    """Barthe et al. 2020 and Lyu, Su, Li 2017 say which of these are ε-private."""
    program, private = KNOWN[name]
    verdict = Privacy(program, inputs=GRID).check()
    assert verdict.outcome == ("holds" if private else "fails")
    assert (verdict.counterexample is None) == bool(private)


def test_all_pairs() -> None:
    """In each of three entries 7 of the 9 pairs of −1, 0, 1 are adjacent; 27 pairs are equal."""
    claim = Privacy(noisy_max(3), inputs=GRID)
    assert len(claim.pairs) == 7**3 - 27
    assert claim.check().inputs < len(claim.pairs) / 4  # those with the largest ratios suffice
    assert len(Privacy(noisy_max(3), inputs=GRID, adjacent=one_entry(1)).pairs) == 3 * 9 * 4
    assert len(Privacy(noisy_max(3), inputs=GRID, adjacent=l1(1)).pairs) == 3 * 9 * 4
    assert len(Privacy(noisy_max(3), inputs=GRID, adjacent=hamming(1)).pairs) == 27 * 6


# Factors, and probabilities by quadrature ---------------------------------------------


def below(x: Any, rate: Any) -> Any:
    """Return the chance that Laplace noise is below x."""
    return mexp(rate * x) / 2 if x < 0 else 1 - mexp(-rate * x) / 2


def density(x: Any, rate: Any) -> Any:
    return rate / 2 * mexp(-rate * abs(x))


def integral(function: Callable[[Any], Any], points: Sequence[int], rate: Any) -> Any:
    far = 40 / rate
    return quad(function, [min(points) - far, *sorted(set(points)), max(points) + far])


def by_quadrature_max(q: tuple[int, ...], output: int, e: Any) -> Any:
    rate = e / 2

    def here(x: Any) -> Any:
        value = density(x - q[output], rate)
        for j, other in enumerate(q):
            if j != output:
                value *= below(x - other, rate)
        return value

    return integral(here, q, rate)


def by_quadrature_svt(first: Any, second: Any) -> Callable[..., Any]:
    def chance(q: tuple[int, ...], output: tuple[bool, ...], e: Any) -> Any:
        def here(t: Any) -> Any:
            value = density(t, first * e)
            for x, above in zip(q, output, strict=False):
                under = below(t - x, second * e)
                value *= 1 - under if above else under
            return value

        return integral(here, (0, *q), min(first, second) * e)

    return chance


FACTORS = {
    "noisy max": (noisy_max(3), Fraction(1), by_quadrature_max),
    "svt": (sparse(3, (HALF, QUARTER)), Fraction(3, 4), by_quadrature_svt(0.5, 0.25)),
    "svt 4": (sparse(3, (QUARTER, 3 * QUARTER)), Fraction(7, 4), by_quadrature_svt(0.25, 0.75)),
    "svt 6": (
        sparse(3, (HALF, HALF), c=None),
        Fraction(3, 2),
        by_quadrature_svt(0.5, 0.5),
    ),
}


@pytest.mark.parametrize("name", FACTORS)
def test_factors_against_a_search(name: str) -> None:
    """No pair, output and ε of a search has a larger loss, and where a is decided it is close.

    The loss of the deciding pair tends to a like a + c/ε, so at ε = 20 it is within 0.15.
    """
    program, factor, chance = FACTORS[name]
    found = Privacy(program, inputs=GRID).tightest()
    assert found.factor.lower == found.factor.upper == factor
    assert found.inputs is not None
    assert found.outputs is not None
    output = found.outputs[0]
    u, v = (tuple(side) for side in found.inputs)
    with mp.workdps(30):
        e = mpf(20)
        loss = mlog(chance(u, output, e) / chance(v, output, e)) / e
        assert float(factor) - 0.15 < loss <= float(factor) + 0.001
    with mp.workdps(10):
        pairs = [(u, v), ((0, 0, 0), (1, 1, -1)), ((1, 0, -1), (0, 1, 0)), ((0, 1, 1), (1, 0, 0))]
        for (one, two), e in product(pairs[1:3], [mpf(2)]):
            chances = program.distribution(list(one))
            for each in chances:
                p, other = chance(one, each, e), chance(two, each, e)
                assert abs(float(chances[each].at(Fraction(str(e)))) - p) < 1e-6
                assert mlog(p / other) / e <= float(factor) + 1e-6


def test_the_six_of_the_gallery() -> None:
    """Lyu, Su, Li 2017, with c = 1 and m = 3: the least cost of a coupling (see `test_all_reals`).

    1 and 2: min(3/4, 1/2 + 2/4). 3 gives its threshold away: 3/2. 4: min(9/4, 1/4 + 6/4). 5 has no
    noise that could. 6 has any number of answers: each makes up for itself, 3/2.
    """
    gallery = load("svt_variants")
    programs = gallery.svt1(3, 1), gallery.svt2(3, 1), gallery.svt4(3, 1), gallery.svt6(3)
    deciding = Pairs(([0, 0, 0], [1, 1, -1]))
    found = [Privacy(one, inputs=deciding).tightest().factor.upper for one in programs]
    assert found == [Fraction(3, 4), Fraction(3, 4), Fraction(7, 4), Fraction(3, 2)]
    third = Privacy(gallery.svt3(3, 1), inputs=Pairs(([-1, -1, -1], [0, 0, 0]))).tightest()
    assert third.factor.upper == Fraction(3, 2)
    assert Privacy(gallery.svt5(3), inputs=deciding).tightest().factor.upper == inf


def test_no_factor_will_do() -> None:
    """Without noise on the queries an output has probability 0 at one of two adjacent inputs."""
    found = Privacy(sparse(3, (HALF, None)), inputs=GRID).tightest()
    assert found.factor.upper == inf
    assert "Not a·ε-private for any a" in str(found)


def test_a_factor_between_the_limits() -> None:
    """Flip with probability 1/(1 + e^{ε} + ε·e^{−ε}): ln(p/p′)/ε = 1 + ln(1 + ε·e^{−2ε})/ε.

    It is 2 at ε → 0, falling, since ln(1 + ε·e^{−2ε})/ε ≤ e^{−2ε}; with ε² for ε it is 1 at both
    ends and largest between, where a search on a fine grid finds it.
    """

    @mechanism
    def flip(b: Dom(0, 1)):
        rest = exp(eps) + eps**2 * exp(-eps)
        return choose({b: rest / (1 + rest), 1 - b: 1 / (1 + rest)})

    found = Privacy(flip, adjacent=hamming(1)).tightest()
    with mp.workdps(20):
        best = max(
            mlog(mexp(e) + e**2 * mexp(-e)) / e for e in (mpf(k) / 1000 for k in range(1, 5000))
        )
    assert best <= float(found.factor.upper) < best + 2e-6
    assert found.factor.upper - found.factor.lower <= Fraction(1, 10**6)
    assert isinstance(found.eps, Fraction)
    assert 0.3 < found.eps < 0.9


# Counterexamples ----------------------------------------------------------------------


def test_a_counterexample_by_simulation() -> None:
    program = sparse(3, (QUARTER, 3 * QUARTER))
    failure = Privacy(program, inputs=GRID).check().counterexample
    assert isinstance(failure, Breach)
    size = 40_000
    for u, enclosure in zip(failure.inputs, failure.probabilities, strict=True):
        seen = Counter(map(tuple, program.sample(u, failure.eps, size, seed=1)))
        share = seen[tuple(failure.output)] / size
        assert abs(share - float(enclosure)) < 5 * (float(enclosure) / size) ** 0.5
    one, two = map(float, failure.probabilities)
    assert one > float(failure.limit) == pytest.approx(two * 2.718281828 ** float(failure.eps))


def test_the_maximum_itself_is_not_private() -> None:
    """Moving all three queries by 1 moves the maximum: e^{3ε/2} far out, as in the histogram."""
    claim = Privacy(rounded_max(3, -1, 1), inputs=GRID)
    assert claim.check().outcome == "fails"
    assert claim.tightest().factor.upper == Fraction(3, 2)


def test_a_histogram_under_l1() -> None:
    """Counts with Laplace noise of rate ε, rounded by comparisons with 1/2."""

    @mechanism
    def histogram(q: Real[2]):
        return [lap(eps, q[0]) > 1 / 2, lap(eps, q[1]) > 1 / 2]

    assert Privacy(histogram, inputs=GRID, adjacent=l1(1)).check()
    assert Privacy(histogram, inputs=GRID, adjacent=linf(1)).check().outcome == "fails"
    assert Privacy(histogram, 2 * eps, inputs=GRID, adjacent=linf(1)).check()


def test_randomized_response() -> None:
    claim = Privacy(randomized_response, adjacent=hamming(1))
    assert claim.check()
    assert claim.tightest().factor.upper == 1
    assert Privacy(randomized_response, eps / 2, adjacent=hamming(1)).check().outcome == "fails"


# Bounded range ------------------------------------------------------------------------


def permute_and_flip(m: int) -> Mechanism:
    """McKenna and Sheldon 2020, as a noisy maximum with exponential noise (Ding et al. 2021)."""
    return exponential_max(m)


def exponential_mechanism() -> Mechanism:
    @mechanism
    def exponential_mechanism(x: Dom(0, 1), y: Dom(0, 1)):
        return expmech(eps / 2, lambda z: x if z == 0 else y if z == 1 else 0, range(3))

    return exponential_mechanism


def test_permute_and_flip_is_private_but_not_bounded_range() -> None:
    """OpenDP (issue 2911) reported the zCDP of the exponential mechanism for permute-and-flip."""
    flip = permute_and_flip(3)
    assert Privacy(flip, inputs=GRID).check()
    verdict = Privacy(flip, inputs=GRID, measure="bounded_range").check()
    assert verdict.outcome == "fails"
    failure = verdict.counterexample
    u, v = failure.inputs
    one, two = failure.outputs
    at = failure.eps
    p, q = flip.distribution(u), flip.distribution(v)
    ratio = (p[one] / q[one]) / (p[two] / q[two])
    assert float(ratio.at(at)) > float(exp(eps).at(at))
    told = str(Privacy(permute_and_flip(2), inputs=GRID, measure="bounded_range").tightest())
    assert told.startswith("Bounded range a·ε for a = ")


def test_the_exponential_mechanism_has_bounded_range() -> None:
    """p_o(u)/p_o(u′) is e^{ε/2·(s_o(u) − s_o(u′))} up to a constant, so within e^ε."""
    assert Privacy(exponential_mechanism(), measure="bounded_range").check()


# Inputs and adjacency -----------------------------------------------------------------


def test_pairs_are_taken_in_both_directions() -> None:
    claim = Privacy(noisy_max(2), inputs=Pairs(([0, 0], [1, -1])))
    assert claim.check().inputs == 2
    assert "1 given pair" in str(claim)


def test_own_adjacency() -> None:
    def close(u, v):
        return abs(u[0] - v[0]) <= 1 and u[1] == v[1]

    assert len(Privacy(noisy_max(2), inputs=GRID, adjacent=close).pairs) == 3 * 4


def test_own_adjacency_must_be_symmetric() -> None:
    def above(u, v):
        return u[0] <= v[0]

    with pytest.raises(ValueRefusedError, match="in one direction only"):
        Privacy(noisy_max(2), inputs=GRID, adjacent=above).check()


def test_a_claim_without_pairs_says_nothing() -> None:
    verdict = Privacy(noisy_max(2), inputs=[[0, 0], [5, 5]]).check()
    assert verdict.outcome == "vacuous"
    assert "no two different inputs are adjacent" in verdict.sentence


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"budget": 1}, "not a multiple of eps"),
        ({"budget": eps**2}, "not a multiple of eps"),
        ({"budget": -eps}, "negative"),
        ({"delta": 2}, "above 1"),
        ({"delta": -eps}, "negative"),
        ({"adjacent": linf}, "not an adjacency"),
        ({"measure": "zcdp"}, "measure"),
        ({"measure": "bounded_range", "delta": 0.1}, "no δ"),
    ],
)
def test_refusals(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueRefusedError, match=message):
        Privacy(noisy_max(2), inputs=GRID, **wrong)
    with pytest.raises(ValueRefusedError):
        linf(0)
    with pytest.raises(ValueRefusedError):
        hamming(0)


def test_accuracy_is_as_before() -> None:
    claim = Accuracy(noisy_max(2), beta=2 * exp(-eps / 2), alpha=1, inputs=GRID)
    assert "distance to disagreement" in str(claim.check())


# All reals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "factor"),
    [
        (noisy_max(3), 1),
        (exponential_max(3), 1),
        (sparse(2, (HALF, QUARTER)), Fraction(1, 2)),
        (sparse(2, (QUARTER, 3 * QUARTER)), Fraction(3, 2)),
    ],
)
def test_all_reals(program: Mechanism, factor: Fraction) -> None:
    """Compare with the least cost of a coupling, which the loss at ε → ∞ attains.

    Let all queries but the last rise by 1 and the last one fall. Either the noise of each of the m
    queries makes up for its change, at the cost m·r, or the threshold rises by 1 and the noise of
    the last query by 2, at the cost t + 2r: a = min(m·r, t + 2r), for r = 1/4 and t = 1/2 that is
    1/2 if m = 2 and 3/4 if m = 3. In NoisyMax the noise of the winner rises by 2: 2·1/2.
    """
    claim = Privacy(program, inputs=AllReals())
    found = claim.tightest()
    assert found.factor.lower == found.factor.upper == factor
    assert claim.check().outcome == ("holds" if factor <= 1 else "fails")


def test_all_reals_by_random_pairs() -> None:
    """No pair of random adjacent inputs has a larger loss than is proved for all of them."""
    program = noisy_max(3)
    assert Privacy(program, inputs=AllReals()).check()
    source = random.Random(5)
    for _ in range(10):
        u = [Fraction(source.randint(-40, 40), 13) for _ in range(3)]
        v = [x + Fraction(source.randint(-13, 13), 13) for x in u]
        one, two = program.distribution(u), program.distribution(v)
        for at in (Fraction(1, 3), Fraction(5)):
            for output in one:
                assert float(one[output].at(at)) <= float((two[output] * exp(eps)).at(at))


def test_a_box_narrower_than_the_adjacency() -> None:
    """lap(2ε, q) > 0 is steeper than ε, but in a box of width 1/2 it falls by e^{−ε} at most."""

    @mechanism
    def above(q: Real):
        return lap(2 * eps, q) > 0

    assert Privacy(above, inputs=Box(0, 0.5)).check()
    assert Privacy(above, inputs=Box(0, 0.75)).check().outcome == "fails"
    assert Privacy(above, inputs=AllReals()).check().outcome == "fails"


def test_a_pair_that_no_simple_input_shows() -> None:
    """Above 10 the noise has twice the rate; only a cone of pairs finds that."""

    @mechanism
    def above(q: Real):
        r = lap(eps, q)
        if r > 10:
            return lap(3 * eps, q) > 12
        return False

    verdict = Privacy(above, 2 * eps, inputs=AllReals()).check()
    assert verdict.outcome == "fails"
    (u, v), failure = verdict.counterexample.inputs, verdict.counterexample
    p, q = (above.probability(x, failure.output) for x in (u, v))
    assert float(p.at(failure.eps)) > float((q * exp(2 * eps)).at(failure.eps))


def test_a_jump_is_seen() -> None:
    """What compares inputs without noise is not private, however flat it is beside the jump."""

    @mechanism
    def jump(q: Real):
        return lap(eps, 1 if q > 7 / 3 else 0) > 0

    assert Privacy(jump, eps / 2, inputs=AllReals()).check().outcome != "holds"
    assert Privacy(jump, eps, inputs=AllReals()).check()

    @mechanism
    def at_one_input(q: Real):
        return lap(eps, 1 if q == 7 / 3 else 0) > 0

    verdict = Privacy(at_one_input, eps / 2, inputs=AllReals()).check()
    assert verdict.outcome == "fails"
    assert Fraction(7, 3) in verdict.counterexample.inputs


def test_an_input_that_is_released() -> None:
    @mechanism
    def released(q: Real):
        return [q, lap(eps, q)]

    assert Privacy(released, inputs=[0, 1]).check().outcome == "fails"


@pytest.mark.parametrize(
    ("adjacent", "message"), [(one_entry, "by any amount"), (lambda u, v: u == v, "function")]
)
def test_refused_for_all_reals(adjacent: object, message: str) -> None:
    with pytest.raises(ExactdpError, match=message):
        Privacy(noisy_max(2), inputs=AllReals(), adjacent=adjacent)


# Real outputs -------------------------------------------------------------------------


@mechanism
def laplace(q: Real):
    return lap(eps, q)


@mechanism
def clamped(q: Real):
    return min(max(lap(eps, q), 0), 1)


@mechanism
def two_numbers(q: Real[2]):
    return [lap(eps, q[0]), lap(eps, q[1])]


def releasing(m: int) -> Mechanism:
    """Return Algorithm 3 of Lyu, Su, Li 2017 with c = 1: the compared sample is released."""

    @mechanism
    def releasing(q: Real[m]):
        threshold = lap(eps / 2, 0)
        out = []
        for i in range(m):
            r = lap(eps / 2, q[i])
            if r >= threshold:
                out.append(r)
                break
            out.append(None)
        return out

    return releasing


@mechanism
def numeric_sparse(q: Real[2]):
    threshold = lap(eps / 4, 0)
    for i in range(2):
        if lap(eps / 4, q[i]) >= threshold:
            return [i, lap(eps / 4, q[i])]
    return None


@pytest.mark.parametrize(
    ("program", "adjacent", "inputs", "factor"),
    [
        (laplace, linf(1), GRID, 1),
        (laplace, linf(1), AllReals(), 1),
        (clamped, linf(1), GRID, 1),
        (clamped, linf(1), AllReals(), 1),
        (two_numbers, l1(1), Pairs(([0, 0], [0.5, -0.5])), 1),
        (two_numbers, linf(1), Pairs(([-1, 0], [0, -1])), 2),
        (releasing(2), linf(1), Pairs(([-1, -1], [0, 0])), 1),
        (releasing(3), linf(1), Pairs(([-1, -1, -1], [0, 0, 0])), Fraction(3, 2)),
        (numeric_sparse, linf(1), Pairs(([0, 0], [1, -1])), Fraction(3, 4)),
    ],
)
def test_real_outputs(program: Mechanism, adjacent: Any, inputs: Any, factor: Any) -> None:
    """Of m samples released each costs its rate; Algorithm 3 gives away its threshold.

    There the density at r needs m − 1 samples below a threshold that is itself below r: each of m
    samples, of rate 1/2, must make up for its change, so a = m/2. In `numeric_sparse` the answer
    costs 1/4 and its comparison 1/4 + 1/4, as there is one query before.
    """
    claim = Privacy(program, inputs=inputs, adjacent=adjacent)
    found = claim.tightest()
    assert found.factor.lower == found.factor.upper == factor
    assert claim.check().outcome == ("holds" if factor <= 1 else "fails")


def test_sums_of_noise_for_all_reals() -> None:
    """Both samples follow q, so their sum moves by 2; the noise of the smaller rate hides it."""

    @mechanism
    def total(change: Real):
        return lap(eps / 2, change) + lap(2 * eps, change)

    assert Privacy(total, inputs=AllReals()).check()
    assert Privacy(total, 3 * eps / 4, inputs=AllReals()).check().outcome == "fails"


def test_delta_with_atoms_by_quadrature() -> None:
    """The clamped Laplace mechanism: positive parts of its two atoms and of its density."""

    @mechanism
    def inside(x: Dom(0, 1)):
        return min(max(lap(eps, x), 0), 1)

    curve = Privacy(inside, eps / 2).smallest_delta()
    with mp.workdps(15):
        for at in (mpf("0.3"), mpf(4)):
            most = mexp(at / 2)
            low = below(mpf(0), at) - most * below(mpf(-1), at)
            high = 1 - below(mpf(1), at) - most * (1 - below(mpf(0), at))
            middle = quad(
                lambda y, e=at, k=most: max(0, density(y, e) - k * density(y - 1, e)),
                [0, mpf(1) / 4, 1],
            )
            expected = max(low, 0) + max(high, 0) + middle
            assert float(curve.at(str(at))) == pytest.approx(float(expected), abs=1e-9)


def test_a_density_that_refutes() -> None:
    """(ε/2)²·e^{−ε(|y₁ − q₁| + |y₂ − q₂|)} at both inputs, by hand."""
    failure = Privacy(two_numbers, inputs=GRID).check().counterexample
    e, (y, z) = float(failure.eps), map(float, failure.output)
    for q, value in zip(failure.inputs, failure.probabilities, strict=True):
        by_hand = (e / 2) ** 2 * 2.718281828459045 ** (-e * (abs(y - q[0]) + abs(z - q[1])))
        assert float(value) == pytest.approx(by_hand)
    assert failure.what == "density"


def test_numbers_that_follow_from_each_other() -> None:
    @mechanism
    def twice(q: Real):
        r = lap(eps, q)
        return [r, r]

    with pytest.raises(ValueRefusedError, match="not independent"):
        Privacy(twice, inputs=[0, 1]).check()


# Integers without bound ---------------------------------------------------------------


@mechanism
def geometric(x: Dom(-2, 2)):
    return dlap(eps, x)


@mechanism
def geometric_or_constant(x: Dom(0, 1)):
    if choose({True: 1 / 2, False: 1 / 2}):
        return 9 + x
    return dlap(eps, x)


def test_integers() -> None:
    claim = Privacy(geometric)
    assert claim.check()
    assert claim.tightest().factor.upper == 1
    assert Privacy(geometric, eps / 2).check().outcome == "fails"


def test_a_histogram_of_integers() -> None:
    """Two counts with geometric noise of rate ε: private for one count that moves by 1."""

    @mechanism
    def histogram(x: Dom(0, 1), y: Dom(0, 1)):
        return [dlap(eps, x), dlap(eps, y)]

    assert Privacy(histogram, adjacent=l1(1)).check()
    found = Privacy(histogram).tightest()
    assert found.factor.lower == found.factor.upper == 2


@pytest.mark.parametrize("body", ["[z, z]", "[z, z + dlap(eps, 0)]"])
def test_integers_that_are_refused(body: str) -> None:
    """Numbers that depend on each other have no own tails."""
    text = f"def program(x: Dom(0, 1)):\n    z = dlap(eps, x)\n    return {body}"
    with pytest.raises(ValueRefusedError):
        Privacy(Mechanism.from_source(text)).check()


def test_a_constant_far_out() -> None:
    """9 and 10 are not in the geometric tail, although it has no other end than 0 and 1.

    10 has the probability 1/2 + c·s⁹ at x = 1 and c·s¹⁰ at x = 0, so p − e^ε·p′ is 1/2.
    """
    assert Privacy(geometric_or_constant).check().outcome == "fails"
    (piece,) = Privacy(geometric_or_constant).smallest_delta().pieces
    assert piece.delta == Fraction(1, 2)
    assert 10 in piece.outputs


# δ ------------------------------------------------------------------------------------


@mechanism
def thresholded(x: Dom(0, 3)):
    """Release a count if it is 4 or more with noise; of nobody there is no count."""
    if x == 0:
        return None
    z = dlap(eps, x)
    return z if z >= 4 else None


@mechanism
def thresholded_laplace(x: Dom(0, 3)):
    if x == 0:
        return None
    z = lap(eps, x)
    return z if z >= 4 else None


@mechanism
def truncated(x: Dom(0, 1)):
    """Noise beyond 1 is cut off: its mass goes to the ends."""
    return min(max(dlap(eps, x), x - 1), x + 1)


@mechanism
def plain_laplace(x: Dom(0, 1)):
    return lap(eps, x)


S = exp(-eps)

DELTAS = {
    # Pr(1 + Z ≥ 4) = s³/(1 + s) for geometric noise, e^{−3ε}/2 for Laplace noise.
    "thresholded": (Privacy(thresholded), S**3 / (1 + S)),
    "thresholded Laplace": (Privacy(thresholded_laplace), S**3 / 2),
    # Balle, Wang 2018: 1 − e^{(b − ε)/2} for the Laplace mechanism at b < ε.
    "Laplace": (Privacy(plain_laplace, eps / 2), 1 - exp(-eps / 4)),
    # Kairouz, Oh, Viswanath 2015: (e^ε − e^b)/(1 + e^ε) for randomized response.
    "randomized response": (
        Privacy(randomized_response, eps / 3),
        (exp(eps) - exp(eps / 3)) / (1 + exp(eps)),
    ),
    "private": (Privacy(randomized_response), 0 * eps),
}


@pytest.mark.parametrize("name", DELTAS)
def test_the_smallest_delta(name: str) -> None:
    claim, delta = DELTAS[name]
    curve = claim.smallest_delta()
    (piece,) = curve.pieces
    assert piece.delta == delta
    assert replace(claim, delta=delta).check()
    if delta:
        assert replace(claim, delta=delta * Fraction(99, 100)).check().outcome == "fails"
        assert float(curve.at(1)) == pytest.approx(float(delta.at(1)))


def test_delta_of_the_truncated_geometric_mechanism() -> None:
    """−1 occurs at 0 only, with Pr(Z ≤ −1) = s/(1 + s). 1 has s/(1 + s) and (1 − s)/(1 + s).

    So s − e^ε·(1 − s) = 1 + s − e^ε counts, too, where it is positive: below ln((1 + √5)/2).
    """
    first, second = Privacy(truncated).smallest_delta().pieces
    assert first.delta == (1 + 2 * S - exp(eps)) / (1 + S)
    assert second.delta == S / (1 + S)
    assert Fraction(4812, 10**4) in first.where
    assert Fraction(4813, 10**4) in second.where


def test_the_atom_at_the_threshold() -> None:
    """OpenDP (issue 2922) left out the mass at the threshold itself: Pr(1 + Z > 4)."""
    verdict = Privacy(thresholded, delta=S**4 / (1 + S)).check()
    assert verdict.outcome == "fails"
    failure = verdict.counterexample
    assert failure.inputs == (1, 0)
    runs = thresholded.sample(1, failure.eps, 40_000, seed=3)
    share = sum(one is not None for one in runs) / len(runs)
    assert share == pytest.approx(float(failure.probabilities[0]), abs=0.005)


def test_delta_of_noisy_max_by_brute_force() -> None:
    """Pieces in ε: at each ε the largest sum of positive parts over all pairs."""
    few = [[0, 0], [1, -1], [0, 1], [1, 1], [-1, 0]]
    claim = Privacy(noisy_max(2), eps / 2, inputs=few)
    curve = claim.smallest_delta()
    for at in (Fraction(1, 3), Fraction(2), Fraction(9)):
        best = 0.0
        for u, v in claim.pairs:
            p, q = noisy_max(2).distribution(list(u)), noisy_max(2).distribution(list(v))
            gains = (float((p[o] - q[o] * exp(eps / 2)).at(at)) for o in p)
            best = max(best, sum(g for g in gains if g > 0))
        assert float(curve.at(at)) == pytest.approx(best)


def test_the_smallest_budget() -> None:
    """(e^ε − e^{aε})/(1 + e^ε) ≤ (e^ε − e^{ε/3})/(1 + e^ε) for a ≥ 1/3."""
    claim, delta = DELTAS["randomized response"]
    found = claim.smallest_budget(delta=delta, width="1e-4")
    assert found.lower == found.upper == Fraction(1, 3)


def test_no_budget_suffices_for_a_constant_delta() -> None:
    """Of Laplace noise redrawn until it is within 2, [−2, −1] is impossible at 1, however small ε.

    Towards ε = 0 it has probability 1/4 at 0, so δ = 1/10 is too small for any budget. With the
    exact δ, e^{−ε}/(2(1 + e^{−ε})), the budget ε suffices, and no smaller multiple of it for all ε.
    """
    body = "z = lap(eps, q)\n    observe(abs(z - q) <= 2)\n    return z"
    claim = Privacy(Mechanism.from_source(f"def redrawn(q: Real):\n    {body}"), inputs=[0, 1])
    assert claim.smallest_budget(delta="0.1").upper == inf
    exact = claim.smallest_budget(delta=exp(-eps) / 2 / (1 + exp(-eps)), width="1e-3")
    assert 1 - Fraction(1, 1000) <= exact.lower < exact.upper == 1


def test_delta_for_all_reals() -> None:
    """A comparison with noise of rate ε: δ = p − e^{ε/2}·p′ is below 1 − e^{−ε/4}, as above."""

    @mechanism
    def above(q: Real):
        return lap(eps, q) > 0

    assert Privacy(above, eps / 2, 1 - exp(-eps / 4), inputs=AllReals()).check()
    weaker = (1 - exp(-eps / 4)) / 2
    assert Privacy(above, eps / 2, weaker, inputs=AllReals()).check().outcome == "fails"


# Rényi divergence and zCDP ------------------------------------------------------------


def by_search(p: list[float], q: list[float], order: float) -> float:
    return log(sum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))) / (order - 1)


def test_the_smallest_delta_of_a_box() -> None:
    """Above a threshold, δ = sup F(u) − e^{ε/2}·F(u + 1) is attained at the lower end u = 2."""
    above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 1")
    (piece,) = Privacy(above, eps / 2, inputs=Box(2, 4)).smallest_delta().pieces
    assert piece.delta == (exp(-eps) - exp(-3 * eps / 2)) / 2
    with pytest.raises(ValueRefusedError, match="the worst pair changes with ε"):
        Privacy(above, eps / 2, inputs=AllReals()).smallest_delta()


def test_renyi_divergence() -> None:
    """Randomized response at ε = 1, order 2: ln(p²/q + q²/p), by hand."""
    p, q = e_ / (1 + e_), 1 / (1 + e_)
    found = Privacy(randomized_response).renyi(2, at=1)
    assert found.lower <= log(p * p / q + q * q / p) <= found.upper
    assert found.upper - found.lower <= 1e-6
    wide = Privacy(randomized_response).renyi(2, at="[1/2, 1]")
    assert wide.lower == pytest.approx(found.lower, abs=2e-6)
    assert wide.eps == pytest.approx(1, abs=1e-3)


def test_zcdp() -> None:
    """The largest D_α/α on a fine grid of orders; for randomized response that is D₁, KL."""
    found = Privacy(randomized_response).zcdp(at=1)
    assert found.lower <= (e_ - 1) / (e_ + 1) <= found.upper + 1e-9
    claim = Privacy(exponential_max(3), inputs=Pairs(([0, 0, 0], [1, -1, -1])))
    found = claim.zcdp(at=2)
    best = 0.0
    for u, v in claim.pairs:
        one, two = (exponential_max(3).distribution(list(x)) for x in (u, v))
        p, q = ([float(side[o].at(2)) for o in range(3)] for side in (one, two))
        best = max(best, *(by_search(p, q, 1 + k / 50) / (1 + k / 50) for k in range(1, 2000)))
    assert best <= found.upper
    assert found.lower <= best * 1.05


def test_the_exponential_mechanism_has_the_zcdp_of_its_range() -> None:
    """Bounded range ε gives ε²/8 (Cesar, Rogers 2021), which permute-and-flip exceeds."""
    assert Privacy(exponential_mechanism()).zcdp(at=1).upper <= 1 / 8
    assert (
        Privacy(permute_and_flip(3), inputs=Pairs(([0, 0, 0], [1, -1, -1]))).zcdp(at=1).lower
        > 1 / 8
    )


def test_infinite_divergence() -> None:
    assert Privacy(sparse(2, (HALF, None)), inputs=GRID).zcdp(at=1).upper == inf
    with pytest.raises(ValueRefusedError, match="positive ends"):
        Privacy(randomized_response).zcdp(at="(0, 1]")


def test_a_sign_that_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound on densities that is not decided leaves the claim undecided."""
    monkeypatch.setattr(Explorer, "sign", lambda *_: PlaceDecision(None))
    verdict = Privacy(laplace, inputs=[0, 1]).check()
    assert verdict.outcome == "undecided"
    assert "left open" in verdict.sentence
