"""Claims for all real inputs at once, and formulas in the inputs."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    Dom,
    Grid,
    Mechanism,
    Real,
    ValueRefusedError,
    alpha,
    certify,
    discrete,
    eps,
    exp,
    gamma,
    lap,
    maximum,
    mechanism,
    numeric,
    sup,
    value_gap,
)
from exactdp.claims.regions.of_claim import regions_of
from exactdp.reals import ClosedForm
from exactdp.semantics.cells import estimated_cells
from language.corpus import FACTORIES
from support.examples import examples

ALL = AllReals()


def noisy_max_claim(m: int, kappa: int = 1, **more: Any) -> Accuracy:
    beta = m * exp(-alpha * eps / 2) / kappa
    return Accuracy(FACTORIES["noisy_max"](m), beta=beta, inputs=ALL, **more)


def sparse_claim(name: str, m: int, c: int, kappa: int = 1, **constants: Any) -> Accuracy:
    beta = 2 * m * c * exp(-alpha * eps / (8 * c)) / kappa
    return Accuracy(FACTORIES[name](m, c, **constants), beta=beta, inputs=ALL)


# What the paper claims ----------------------------------------------------------------


@pytest.mark.parametrize("m", [2, 3, 4])
def test_noisy_max(m: int) -> None:
    verdict = noisy_max_claim(m).check()
    assert verdict.holds is True
    assert "no conjecture is used" in verdict.assumptions


def test_the_best_whole_constant_of_noisy_max() -> None:
    assert noisy_max_claim(3, 4).check().holds is True
    refuted = noisy_max_claim(3, 5).check()
    assert refuted.holds is False
    found = refuted.counterexample
    assert found is not None
    assert found.actual.upper < found.required.lower


def test_cells_that_permute_inputs_are_decided_once() -> None:
    claim = noisy_max_claim(3).by_cells(whole=True)
    assert claim.check().inputs == 6
    assert len({problem.shape for problem, _ in claim.check().decided}) == 1


@pytest.mark.parametrize(("m", "c"), [(m, c) for m in (1, 2, 3) for c in range(1, m + 1)])
@pytest.mark.parametrize("name", ["sparse", "sparse_variant"])
def test_sparse(name: str, m: int, c: int) -> None:
    assert sparse_claim(name, m, c).check().holds is True


@pytest.mark.parametrize(("m", "c"), [(2, 2), (3, 2)])
def test_the_variant_that_the_authors_ran(m: int, c: int) -> None:
    assert sparse_claim("sparse_variant", m, c, artifact=True).check().holds is True


def test_the_best_whole_constant_of_sparse() -> None:
    assert sparse_claim("sparse", 3, 1, 6).check().holds is True
    assert sparse_claim("sparse", 3, 1, 7).check().holds is False


@pytest.mark.parametrize(("m", "c"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2)])
def test_numeric_sparse_for_all_alpha_and_gamma(m: int, c: int) -> None:
    rate = eps / (9 * c)
    beta = 2 * m * c * exp(-alpha * rate) + c * exp(-gamma * rate)
    claim = Accuracy(
        FACTORIES["numeric_sparse"](m, c),
        beta=beta,
        gamma=ANY,
        input_distance=numeric,
        output_distance=sup,
        inputs=ALL,
    )
    assert claim.check().holds is True


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_laplace_for_all_gamma(k: int) -> None:
    """For one number the bound is the tail itself: equality everywhere, which holds."""
    claim = Accuracy(
        FACTORIES["laplace"](k),
        beta=k * exp(-gamma * eps),
        alpha=0,
        gamma=ANY,
        input_distance=discrete,
        output_distance=sup,
        inputs=ALL,
    )
    assert claim.check().holds is True


def test_a_wrong_theorem_is_refuted_simply() -> None:
    """The bound of Lemma 3 with rate αε instead of αε/2."""
    wrong = Accuracy(FACTORIES["noisy_max"](3), beta=3 * exp(-alpha * eps), inputs=ALL).check()
    assert wrong.holds is False
    found = wrong.counterexample
    assert found is not None
    assert all(abs(x) <= 5 and Fraction(x).denominator <= 4 for x in found.input)
    assert found.alpha < found.distance
    assert found.actual.upper < found.required.lower


def test_true_on_the_grid_and_false_between() -> None:
    @mechanism
    def above_half(q: Real):  # type: ignore[no-untyped-def, valid-type]
        return q + lap(eps, 0) >= 0.5

    beta = exp(-eps / 2) / 2
    assert Accuracy(above_half, beta=beta, alpha=0, inputs=Grid(-5, 5)).check().holds is True
    verdict = Accuracy(above_half, beta=beta, alpha=0, inputs=ALL).check()
    assert verdict.holds is False
    assert verdict.counterexample is not None
    assert Fraction(verdict.counterexample.input).denominator > 1


# Conventions and routes ---------------------------------------------------------------


def test_both_formulations_of_noisy_max() -> None:
    """On ties the ideal changes: those inputs are looked at on their own."""
    by_value = Accuracy(
        FACTORIES["noisy_max"](3),
        beta=3 * exp(-gamma * eps / 4),
        alpha=0,
        gamma=ANY,
        input_distance=discrete,
        output_distance=value_gap,
        inputs=ALL,
    )
    assert by_value.check().holds is True
    assert by_value.check().inputs > 6

    def tied(u: Any, i: int, j: int) -> int:
        return 0 if u[i] == u[j] else 1

    claim = noisy_max_claim(3, output_distance=tied, agreement="output_distance")
    assert claim.check().holds is True


def test_a_face_can_refute() -> None:
    """Only at q = 0 is the ideal output 1, and there the claim fails."""

    @mechanism
    def at_zero(q: Real):  # type: ignore[no-untyped-def, valid-type]
        return 0 if lap(eps, q) > -10 else 1

    def ideal(q):  # type: ignore[no-untyped-def]
        return 1 if q == 0 else 0

    claim = Accuracy(
        at_zero,
        beta=exp(-eps),
        alpha=0,
        ideal=ideal,
        input_distance=discrete,
        inputs=Box(-1, 1),
    )
    verdict = claim.check()
    assert verdict.holds is False
    assert verdict.counterexample is not None
    assert verdict.counterexample.input == 0


def test_boundary_inputs_are_checked_on_request() -> None:
    """At q = 0 both outputs have probability 1/2, and dd = 0: only "check" looks at that."""

    @mechanism
    def above(q: Real):  # type: ignore[no-untyped-def, valid-type]
        return lap(eps, q) >= 0

    for beta, boundary, expected in (
        (exp(-alpha * eps) / 2, "skip", True),
        (exp(-alpha * eps) / 2, "check", True),
    ):
        assert Accuracy(above, beta=beta, boundary=boundary, inputs=ALL).check().holds is expected

    def other(q):  # type: ignore[no-untyped-def]
        return q > 0 or q == 0

    def strange(q):  # type: ignore[no-untyped-def]
        return q != 0

    assert Accuracy(above, beta=exp(-alpha * eps) / 2, ideal=other, inputs=ALL).check().holds
    odd = Accuracy(above, beta=exp(-alpha * eps), ideal=strange, boundary="check", inputs=Box(0, 1))
    assert odd.check().holds is True
    odd = Accuracy(
        above, beta=exp(-alpha * eps) / 3, ideal=strange, boundary="check", inputs=Box(0, 1)
    )
    assert odd.check().holds is False


def test_gamma_that_follows_alpha() -> None:
    claim = Accuracy(
        FACTORIES["numeric_sparse"](2),
        beta=5 * exp(-alpha * eps / 9),
        gamma=alpha,
        input_distance=numeric,
        output_distance=sup,
        inputs=ALL,
    )
    assert claim.check().holds is True


def test_a_bound_that_does_not_fall() -> None:
    claim = Accuracy(
        FACTORIES["noisy_max"](2), beta=(1 + alpha * eps) * exp(-alpha * eps / 2), inputs=ALL
    )
    assert claim.check().holds is True


def test_boxes_thresholds_and_finite_inputs() -> None:
    assert Accuracy(
        FACTORIES["sparse"](2, 1, 1), beta=4 * exp(-alpha * eps / 8), inputs=ALL
    ).check()
    near = Accuracy(FACTORIES["noisy_max"](2), beta=exp(-eps / 2), alpha=1, inputs=Box(0, 1))
    assert near.check().vacuous

    @mechanism
    def shifted(x: Dom(0, 1), q: Real):  # type: ignore[no-untyped-def, valid-type]
        return lap(eps, q) > x

    assert Accuracy(shifted, beta=exp(-alpha * eps) / 2, inputs=ALL).check().holds is True
    refuted = Accuracy(shifted, beta=exp(-alpha * eps) / 3, inputs=ALL).check()
    assert refuted.holds is False


def test_a_part_of_epsilon() -> None:
    assert noisy_max_claim(2, epsilon="(0, 1]").check().holds is True
    refuted = noisy_max_claim(3, 5, epsilon="[2, 3]").check()
    assert refuted.holds is False
    assert refuted.counterexample is not None
    assert 2 <= refuted.counterexample.eps <= 3


def test_a_noisy_median() -> None:
    """Three noises that are compared with each other; the checker integrates in its own way."""
    median = Mechanism.from_source("""
def median(q: Real[3]):
    a, b, c = lap(eps / 2, q[0]), lap(eps / 2, q[1]), lap(eps / 2, q[2])
    if a < b:
        if b < c:
            return 1
        return 2 if a < c else 0
    if a < c:
        return 0
    return 2 if b < c else 1
""")
    beta = 3 * exp(-alpha * eps / 4)
    proved = Accuracy(median, beta=beta / 4, inputs=ALL).check()
    assert proved.holds is True
    assert proved.inputs <= 12  # 6 orders, 2 distances to another one
    assert "closed forms (12)" in certify.check(proved.certificate).reason
    refuted = Accuracy(median, beta=beta / 5, inputs=ALL).check()
    assert refuted.holds is False
    assert refuted.counterexample is not None
    alone = Accuracy(median, beta=beta / 5, inputs=[refuted.counterexample.input]).check()
    assert alone.holds is False


# The best constant --------------------------------------------------------------------


def test_a_clipped_sum() -> None:
    """Any other input is as far as any other, so one that disagrees is proof enough."""
    clipped = Mechanism.from_source("""
def clipped(q: Real[2]):
    total = 0
    for x in q:
        total += min(max(x, -1), 1)
    return lap(eps / 2, total)
""")
    claim = Accuracy(
        clipped,
        exp(-gamma * eps / 2),
        alpha=0,
        gamma=ANY,
        input_distance=discrete,
        output_distance=sup,
        inputs=ALL,
    )
    verdict = claim.check()
    assert verdict.holds
    assert verdict.silent == 0
    assert verdict.inputs < 50  # 5 · 5 cells and faces where inputs are clipped, and few besides
    assert replace(claim, beta=claim.beta * Fraction(99, 100)).check().holds is False
    for u in ([0, 0], [5, 7], [-1, 1], [-2, 0]):
        found = claim.disagreement(u)
        assert found.distance == 1
        assert clipped.noiseless().run(found.input) != clipped.noiseless().run(u)


@pytest.mark.parametrize(
    ("body", "cells"),
    [
        ("return lap(eps / 2, q[0]) - lap(eps, q[1]) + lap(eps, q[2])", 1),
        ("a = lap(eps, q[0])\n    b = a + lap(eps / 2, q[1])\n    return [a, b, b - q[2]]", 1),
        ("return sum([lap(eps, x) for x in q]) >= 1", 2),
    ],
)
def test_sums_of_noise(body: str, cells: int) -> None:
    """What a sum does around its mean is the same for all inputs: few cells, exact in each."""
    program = Mechanism.from_source(f"def total(q: Real[3]):\n    {body}\n")
    formula = program.within(ALL, gamma)
    assert len(formula.pieces) == cells
    source = random.Random(cells)
    for _ in range(4):
        u = [Fraction(source.randint(-6, 6), source.randint(1, 3)) for _ in range(3)]
        radius = Fraction(source.randint(0, 6), 4)
        assert formula.at(*u, radius) == program.within(u, radius)


def test_best_constants() -> None:
    """Those that scale: the best over all reals is that of a direction on the grid."""
    for claim in (noisy_max_claim(3), sparse_claim("sparse", 3, 1)):
        everywhere = claim.tightest(width="1/10000")
        on_grid = Accuracy(claim.mechanism, beta=claim.beta, inputs=Grid(-1, 1)).tightest()
        assert everywhere.kappa.upper - everywhere.kappa.lower <= Fraction(1, 10000)
        assert everywhere.kappa.lower <= on_grid.kappa.upper
        assert everywhere.integer == on_grid.integer
        here = Accuracy(claim.mechanism, beta=claim.beta, inputs=[everywhere.input]).tightest()
        assert here.kappa.lower <= everywhere.kappa.upper + Fraction(1, 1000)


# From outside -------------------------------------------------------------------------

SOURCES = (
    "r = lap({a} * eps, q[0]); s = lap({b} * eps, q[1]); return r > s",
    "r = lap({a} * eps, q[0]); s = expo({b} * eps, q[1]); return r + s > {c}",
    "r = lap({a} * eps, q[0]); s = lap({b} * eps, q[1]); t = lap(eps, r); return t - s > {c}",
    "r = lap({a} * eps, q[0]); return (r > q[1]) and (lap({b} * eps, r) < {c})",
    "r = lap({a} * eps, q[0] - q[1]); s = lap({b} * eps, 0); return abs(r) > s + {c}",
)


def programs() -> st.SearchStrategy[Mechanism]:
    rates = st.sampled_from(["1", "2", "Fraction(1, 2)"])

    def build(source: str, a: str, b: str, c: int) -> Mechanism:
        text = source.format(a=a, b=b, c=c)
        body = "\n".join(f"    {line.strip()}" for line in text.split(";"))
        return Mechanism.from_source(
            f"def program(q: Real[2]):\n{body}\n",
            {"Real": Real, "Fraction": Fraction, "eps": eps, "lap": lap},
        )

    return st.builds(build, st.sampled_from(SOURCES), rates, rates, st.integers(-1, 1))


@examples(15)
@given(programs(), st.integers(0, 2**32))
def test_formulas_agree_with_single_inputs(program: Mechanism, seed: int) -> None:
    formula = program.probability(ALL, True)
    source = random.Random(seed)
    for _ in range(5):
        u = [Fraction(source.randint(-12, 12), source.randint(1, 4)) for _ in range(2)]
        assert formula.at(*u) == program.probability(u, True)


@examples(15)
@given(programs(), st.sampled_from([1, 2, 3, 5, 8]), st.integers(0, 2**32))
def test_verdicts_agree_with_single_inputs(program: Mechanism, k: int, seed: int) -> None:
    claim = Accuracy(program, beta=exp(-alpha * eps / 2) * 2 / k, inputs=ALL)
    verdict = claim.check()
    if verdict.holds is False:
        found = verdict.counterexample
        assert found is not None
        assert found.actual.upper < found.required.lower
        return
    source = random.Random(seed)
    inputs = [
        [Fraction(source.randint(-12, 12), source.randint(1, 4)) for _ in range(2)]
        for _ in range(6)
    ]
    alone = Accuracy(program, beta=claim.beta, inputs=inputs).check()
    assert verdict.holds is None or alone.holds is True


def test_every_input_is_in_a_cell() -> None:
    formula = FACTORIES["sparse"](3, 2).probability(ALL, (True, False, True))
    for u in product((-2, -1, 0, 1, 2), repeat=3):
        assert formula.piece(*u) is not None
    assert formula.at(1, -1, 1) == FACTORIES["sparse"](3, 2).probability(
        [1, -1, 1], (True, False, True)
    )


def test_the_papers_product() -> None:
    """Section 5.1: p₁·p₂ in x₁, x₂ and γ, for x₁ < 0 < x₂."""
    program = FACTORIES["numeric_sparse"](2)
    formula = program.within(ALL, gamma)
    for u, radius in (((-1, 2), 1), (("-1/2", "1/3"), "5/7"), ((-3, 1), 4)):
        assert formula.at(*u, radius) == program.within(list(u), radius)
    assert "q[1] ≥ 0" in formula.piece(-1, 2, 1).conditions
    assert "0 ≥ q[0]" in formula.piece(-1, 2, 1).conditions


# Interrupted and refused --------------------------------------------------------------


def test_an_interrupted_proof_goes_on() -> None:
    claim = sparse_claim("sparse", 3, 2).by_cells()
    calls = 0

    def stop(done: int, total: int) -> None:
        nonlocal calls
        del done, total
        calls += 1
        if calls in (7, 20, 45):
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            claim.check(progress=stop)
    verdict = claim.check(progress=stop)
    assert verdict.holds is True
    assert verdict.inputs == sparse_claim("sparse", 3, 2).by_cells().check().inputs


@pytest.mark.parametrize(
    "claim",
    [sparse_claim("sparse", 3, 2).by_cells(), noisy_max_claim(3, boundary="check").by_cells()],
)
def test_progress_grows_to_the_end(claim: Accuracy) -> None:
    told: list[tuple[int, int]] = []
    claim.check(progress=lambda done, total: told.append((done, total)))
    shares = [Fraction(*one) for one in told]
    assert shares == sorted(shares)
    assert shares[0] < Fraction(1, 10)
    assert shares[-1] > Fraction(9, 10)
    assert len(set(shares)) > 10


def test_other_refusals() -> None:
    with pytest.raises(ValueRefusedError, match="not a sum of multiples of eps"):
        Accuracy(FACTORIES["noisy_max"](2), beta=exp(-alpha), inputs=ALL).check()
    with pytest.raises(ValueRefusedError, match="the box has"):
        Accuracy(FACTORIES["noisy_max"](2), beta="1/2", inputs=Box([0, 0, 0], [1, 1, 1]))
    with pytest.raises(ValueRefusedError, match="at each listed input"):
        noisy_max_claim(2).tightest(at_each=True)
    added = Mechanism.from_source("def added(x: Real): return lap(sqrt(2) * eps, x)")
    noise = Accuracy(
        added, "1/2", 0, 1, input_distance="discrete", output_distance="sup", inputs=ALL
    )
    with pytest.raises(ValueRefusedError, match="at each listed input"):  # not that at one input
        noise.tightest(at_each=True)
    with pytest.raises(ValueRefusedError, match="no real input"):
        FACTORIES["exponential"](2).distribution(ALL)


def test_an_output_that_is_none() -> None:
    @mechanism
    def nothing_below(q: Real):  # type: ignore[no-untyped-def, valid-type]
        return 1 if lap(eps, q) > 0 else None

    claim = Accuracy(nothing_below, beta=exp(-alpha * eps) / 2, inputs=ALL)
    assert claim.check().holds is True
    assert nothing_below.probability(ALL, None).at(-1) == nothing_below.probability(-1, None)


def test_too_many_cells_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the work starts, with the number."""
    monkeypatch.setattr("exactdp.semantics.cells._FEW", 1)
    monkeypatch.setattr("exactdp.semantics.cells.MOST_CELLS", 3)
    with pytest.raises(ValueRefusedError, match=r"about [0-9]+ cells"):
        noisy_max_claim(3).by_cells(whole=True).check()
    with pytest.raises(ValueRefusedError, match=r"about [0-9]+ cells"):
        FACTORIES["noisy_max"](3).distribution(ALL)


@pytest.mark.parametrize(
    ("claim", "cells"),
    [
        (noisy_max_claim(5).by_cells(whole=True), 120),
        (sparse_claim("sparse", 4, 1).by_cells(), 55),
        (sparse_claim("sparse", 4, 4).by_cells(), 184),
    ],
)
def test_the_number_of_cells_is_about_right(claim: Accuracy, cells: int) -> None:
    """The numbers of cells are those that `make bench` found."""
    ((region,),) = regions_of(claim)
    about = estimated_cells(region.names, region.cone, partial(claim.due, region), 10**6)
    assert cells / 4 <= about <= cells * 4


# Not every ε --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def above_one() -> Mechanism:
    return Mechanism.from_source(
        "def above_one(q: Real[2]):\n"
        "    t = lap(eps/2, 0)\n"
        "    for i in range(2):\n"
        "        if lap(eps/4, q[i]) >= t + 1:\n"
        "            return i\n"
        "    return -1\n"
    )


@pytest.mark.parametrize("inputs", [ALL, Box(-3, 3)])
@pytest.mark.parametrize(
    ("epsilon", "bound", "holds"),
    [
        ("[4, inf)", Fraction(1, 2), True),
        ("[1, 2]", Fraction(3, 4), True),
        ("[1, 2]", Fraction(1, 2), False),
        ("[2, 2]", Fraction(1, 2), False),
        ("(0, 1]", Fraction(7, 10), False),
        ("(0, 1]", Fraction(4, 5), True),
    ],
)
def test_an_interval_of_eps(
    above_one: Mechanism, inputs: AllReals | Box, epsilon: str, bound: Fraction, holds: bool
) -> None:
    """Fixed α, a bound that does not fall with ε, and cells that depend on ε."""
    claim = Accuracy(above_one, beta=bound, alpha=1, gamma=0, inputs=inputs, epsilon=epsilon)
    verdict = claim.check()
    assert verdict.holds is holds
    if holds:
        assert certify.check(verdict.certificate).accepted
        assert replace(claim, inputs=Grid(-3, 3, step="1/2")).check().holds is True
    else:
        example = verdict.counterexample
        assert example is not None
        assert example.eps in claim.epsilon
        assert example.actual.upper < example.required.lower


def test_the_best_constant_on_an_interval_of_eps() -> None:
    claim = Accuracy(
        FACTORIES["noisy_max"](2), beta=exp(-eps / 2), alpha=1, inputs=ALL, epsilon="[1, 2]"
    )
    found = claim.tightest(width="1e-4")
    # The error is largest at a gap of 2: e^{−ε}(1/2 + ε/4), at rates ε/2; so κ = e^{ε/2}·4/(2 + ε).
    expected = min(math.exp(e / 2) * 4 / (2 + e) for e in (1 + k / 1000 for k in range(1001)))
    assert float(found.kappa.lower) <= expected * (1 + 1e-9)
    assert expected <= float(found.kappa.upper) * (1 + 1e-9)
    assert found.kappa.upper - found.kappa.lower <= Fraction(1, 10**4)


def test_the_best_constant_at_a_corner_of_box_and_interval() -> None:
    """With two equal queries the error is 1/2, so β = e^{−ε/8}/κ needs κ ≤ 2·e^{−1/4} at ε = 2."""
    claim = Accuracy(
        FACTORIES["noisy_max"](2),
        beta=exp(-eps / 8),
        alpha=0,
        inputs=Box([0, 1], [2, 3]),
        epsilon="[1, 2]",
    )
    best = Fraction("1.5576015661428098")  # 2·e^{−1/4} = 1.55760156614280974…
    found = claim.tightest(width="1e-8").kappa
    assert found.lower <= best <= found.upper + Fraction(1, 10**15)
    assert found.upper - found.lower <= Fraction(1, 10**8)
    verdict = replace(claim, beta=exp(-eps / 8) / Fraction("1.557601566")).check()
    assert verdict.holds is True
    assert certify.check(verdict.certificate).accepted
    assert replace(claim, beta=exp(-eps / 8) / Fraction("1.557601567")).check().holds is False


# α and γ that move with ε --------------------------------------------------------------


def test_gamma_that_moves() -> None:
    """One number within 2/ε: the error is e^{−2} = 0.13534 for every ε and input."""
    release = Mechanism.from_source("def release(x: Real):\n    return lap(eps, x)\n")
    claim = Accuracy(
        release,
        beta="0.1354",
        alpha=0,
        gamma=2 / eps,
        inputs=ALL,
        output_distance=sup,
        boundary="check",
    )
    assert claim.check().holds is True
    verdict = replace(claim, beta="0.1353").check()
    assert verdict.counterexample is not None
    assert verdict.counterexample.gamma == 2 / verdict.counterexample.eps
    assert certify.check(claim.check().certificate).accepted


@pytest.mark.parametrize("level", [1 / eps, 2 / eps + 1])
@pytest.mark.parametrize("inputs", [ALL, Box(-3, 3)])
def test_alpha_that_moves(level: ClosedForm, inputs: AllReals | Box) -> None:
    """The best constant is met from both sides, and by the grid inside the box."""
    claim = Accuracy(
        FACTORIES["noisy_max"](2), beta=exp(-alpha * eps / 2), alpha=level, inputs=inputs
    )
    best = claim.tightest(width="1e-3").kappa
    assert isinstance(best.lower, Fraction)
    below, above = (best.lower * Fraction(99, 100), best.upper * Fraction(101, 100))
    assert replace(claim, beta=claim.formula / below).check().holds is True
    verdict = replace(claim, beta=claim.formula / above).check()
    found = verdict.counterexample
    assert found is not None
    assert found.alpha == level.at(found.eps).lower
    assert found.actual.upper < found.required.lower
    grid = replace(claim, beta=claim.formula / below, inputs=Grid(-3, 3))
    assert grid.check().holds is True


def test_what_may_not_move() -> None:
    with pytest.raises(ValueRefusedError, match="is irrational at ε = 1"):
        noisy_max_claim(2, alpha=exp(-eps), epsilon="[1, 1]").check()
    with pytest.raises(ValueRefusedError, match="negative for some eps"):
        noisy_max_claim(2, alpha=1 / eps - 1).check()


@pytest.mark.parametrize(
    ("epsilon", "beta", "holds"),
    [
        ("[1, 2]", exp(-eps) / 7, True),
        ("(1, 2)", exp(-eps) / 8, False),
        ("[1, 2]", "0.0498", True),
        ("[1, 2]", "0.0497", False),
        ("(99/100, 2]", "0.0498", False),
        ("(0, 1/2)", "0.0821", False),
        ("[1/2, inf)", "0.0821", True),
        ("[3, 3]", "0.00674", True),
        ("[3, 3]", "0.00673", False),
    ],
)
def test_gamma_that_moves_in_an_interval(epsilon: str, beta: Any, holds: bool) -> None:
    """One number within 2/ε + 1: the error is e^{−2−ε}, 0.04979 at 1, 0.08208 at 1/2."""
    release = Mechanism.from_source("def release(x: Real):\n    return lap(eps, x)\n")
    claim = Accuracy(
        release,
        beta,
        alpha=0,
        gamma=2 / eps + 1,
        inputs=Box(-2, 2),
        output_distance=sup,
        input_distance=discrete,
        epsilon=epsilon,
    )
    verdict = claim.check()
    assert verdict.holds is holds
    if not holds:
        assert verdict.counterexample is not None
        assert verdict.counterexample.eps in claim.epsilon


# Which ε ------------------------------------------------------------------------------


def test_the_smallest_eps_for_all_inputs() -> None:
    """One number: e^{−2ε} ≤ 1/20 from ε = ln 20 / 2 on."""
    release = Mechanism.from_source("def release(x: Real):\n    return lap(eps, x)\n")
    claim = Accuracy(
        release, "1/20", alpha=0, gamma=2, inputs=ALL, output_distance=sup, boundary="check"
    )
    found = claim.smallest_epsilon(width="1e-9")
    assert found.lower <= Fraction("1.4978661367769954970") <= found.upper
    assert found.upper - found.lower <= Fraction(1, 10**9)
    assert found.exists
    assert found.is_complete  # the error does not depend on the input
    assert not replace(claim, epsilon="(0, 1]").smallest_epsilon().exists
    bound = replace(claim, beta=exp(-gamma * eps)).smallest_epsilon()
    assert str(bound).startswith("The claim holds for every ε > 0")
    none = noisy_max_claim(2).smallest_epsilon(beta="1/20")
    assert not none.is_complete
    assert "No ε up to" in str(none)
    assert "arbitrarily close to a tie" in str(none)


BOTH_KINDS = """
def f(q: Real[2], k: Dom(0, 1)):
    n = dlap(eps / 2, k)
    x = lap(eps, q[0])
    if n >= 1:
        return 1 if x > 0 else 0
    return 1 if x > lap(eps / 2, q[1]) else 2
"""


def test_integer_noise_beside_real_noise() -> None:
    """Both kinds in one program, compared apart: what holds, holds at inputs one by one, too."""
    program = Mechanism.from_source(BOTH_KINDS)
    grid = list(product(product((-2, 0, Fraction(1, 2), 3), (-1, 0, Fraction(3, 2))), (0, 1)))
    for bound in (exp(-alpha * eps / 40) + exp(-eps / 9), exp(-alpha * eps)):
        verdict = Accuracy(program, bound, inputs=AllReals()).check()
        assert certify.check(verdict.certificate).accepted
        listed = Accuracy(program, bound, inputs=grid).check()
        if verdict.holds:
            assert listed.holds
        else:
            (found, *_) = verdict.counterexamples
            alone = Accuracy(program, bound, alpha=found.alpha, inputs=[found.input]).check()
            assert alone.outcome == "fails"
    assert (
        Accuracy(program, exp(-eps / 50), inputs=AllReals(), epsilon="(0, 1]").check().outcome
        != "undecided"
    )


def test_released_integers_for_all_reals() -> None:
    """Pr(|lap(ε)| > 1) = e^(−ε); with integer noise beside it the bound must grow."""
    program = Mechanism.from_source(
        "def f(q: Real, k: Dom(0, 2)): return (lap(eps, q), dlap(eps, k))"
    )
    miss = exp(-eps) + 2 * exp(-2 * eps) / (1 + exp(-eps))  # of both, by the union bound
    about: Any = partial(Accuracy, program, alpha=0, inputs=AllReals())
    assert about(beta=miss, gamma=1).check().holds
    assert about(beta=exp(-eps), gamma=1).check().outcome == "fails"
    with pytest.raises(ValueRefusedError, match="a case for each whole number below γ"):
        about(beta=miss, gamma=ANY).check()


@pytest.mark.parametrize("inputs", [Box(-3, 3), AllReals()])
@pytest.mark.parametrize(
    ("bound", "outcome"),
    [
        # The error probability is exp(-2 * eps) at every input.
        (lambda u: exp(-2 * eps) * (1 + abs(u)), "holds"),
        (lambda u: abs(u) / 10 + exp(-2 * eps), "holds"),
        (lambda u: exp(-2 * eps) * (Fraction(9, 10) + abs(u) / 10), "fails"),
        (lambda u: exp(-2 * eps) / (1 + abs(u) / 100), "fails"),
        (lambda u: maximum(exp(-2 * eps), abs(u)), "holds"),
        (lambda u: maximum(exp(-3 * eps), abs(u)), "fails"),
        (lambda u: exp(-2 * eps) if u > 1 else 2 * exp(-2 * eps), "holds"),
    ],
)
def test_bounds_that_are_functions_of_the_input(inputs: Any, bound: Any, outcome: str) -> None:
    """They are read as formulas, so that inputs and exponentials may be combined in any way."""
    noisy = Mechanism.from_source("def noisy(q: Real): return lap(eps, q)")
    verdict = Accuracy(noisy, bound, alpha=0, gamma=2, inputs=inputs).check()
    assert verdict.outcome == outcome
    assert certify.check(verdict.certificate).outcome == "accepted"
