"""One claim end to end.

Noisy max at one input, from its text to a verdict, a counterexample, a certificate, its replay.
"""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import exp as float_exp
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from tests_next.slice.mechanisms import answer_or_none, between, noisy_max, one_or

from exactdp_next import certify
from exactdp_next.claims.accuracy import probability
from exactdp_next.claims.part import Part
from exactdp_next.errors import NotYet
from exactdp_next.geometry.domain import Domain
from exactdp_next.public.claims import Accuracy
from exactdp_next.ring.enclose import ends, point
from exactdp_next.ring.expr import Expr, alpha, eps, exp

LEMMA = 3 * exp(-alpha * eps / 2)


def by_quadrature(q: Sequence[float], i: int, x: float) -> float:
    """Return the probability that the i-th of independent Laplace samples is the largest."""

    def density(t: float, mean: float) -> float:
        return x / 4 * float_exp(-x / 2 * abs(t - mean))

    def below(t: float, mean: float) -> float:
        tail = float_exp(-x / 2 * abs(t - mean)) / 2
        return tail if t < mean else 1 - tail

    def integrand(t: float) -> float:
        product = density(t, q[i])
        for j, mean in enumerate(q):
            product *= 1 if j == i else below(t, mean)
        return product

    cuts = [min(q) - 80 / x, *sorted(q), max(q) + 80 / x]
    return sum(float(quad(integrand, a, b, limit=200)[0]) for a, b in pairwise(cuts))


numbers = st.fractions(-3, 3, max_denominator=4)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(numbers, min_size=2, max_size=4),
    st.sampled_from([Fraction(1, 4), Fraction(1), Fraction(4)]),
)
def test_probabilities_are_those_of_quadrature(q: list[Fraction], x: Fraction) -> None:
    part = Part(noisy_max(len(q)).program, tuple(q), Domain.line())
    found = [probability(part, i) for i in range(len(q))]
    assert sum(found[1:], found[0]) == 1
    for i, p in enumerate(found):
        low, high = ends(p.value(point(x)))
        assert float(low) == pytest.approx(by_quadrature([*map(float, q)], i, float(x)), abs=1e-9)
        assert high - low < Fraction(1, 10**9)


def test_the_lemma_holds_and_its_certificate_is_accepted() -> None:
    verdict = Accuracy(noisy_max(3), LEMMA, [[1, 0, 0]]).check()
    assert verdict
    assert verdict.sentence.startswith("Holds: noisy_max is (α, β, γ)-accurate")
    accepted = certify.accepted(json.loads(json.dumps(verdict.certificate)))
    assert accepted.trusted == ()
    assert "[1, 0, 0]" in accepted.text
    assert "β = 3*exp(-alpha*eps/2)" in accepted.text


def test_a_counterexample_is_one() -> None:
    verdict = Accuracy(noisy_max(3), LEMMA / 5, [[1, 0, 0]]).check()
    found = verdict.counterexample
    assert verdict.fails
    assert found is not None
    assert found.alpha < Fraction(1, 2)  # dd is half of the difference of the two largest
    error = 1 - by_quadrature([1, 0, 0], 0, float(found.eps))
    allowed = 3 / 5 * float_exp(-float(found.alpha * found.eps) / 2)
    assert error > allowed
    assert float(found.error) == pytest.approx(error)
    assert float(found.allowed) == pytest.approx(allowed)


def test_a_tie_claims_nothing() -> None:
    assert Accuracy(noisy_max(3), LEMMA, [[0, 0, -1]]).check().outcome == "vacuous"


@settings(max_examples=15, deadline=None)
@given(st.lists(numbers, min_size=3, max_size=3), st.fractions(1, 6, max_denominator=3))
def test_verdicts_are_those_of_quadrature(q: list[Fraction], kappa: Fraction) -> None:
    verdict = Accuracy(noisy_max(3), LEMMA / kappa, [q]).check()
    top, second, _ = sorted(q, reverse=True)
    assert (verdict.outcome == "vacuous") == (top == second)
    if top == second:
        return
    winner, gap = q.index(top), float(top - second) / 2
    margins = []
    for x in (0.05, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0):
        error = 1 - by_quadrature([*map(float, q)], winner, x)
        margins.append(3 / float(kappa) * float_exp(-gap * x / 2) - error)
    if verdict:
        assert min(margins) > -1e-9
        assert certify.accepted(verdict.certificate)
    if min(margins) < -1e-6:
        assert verdict.fails


def test_an_output_that_moves_with_the_input_is_not_compared() -> None:
    """At every neighbour the ideal output is another number: dd is 0, and not 5."""
    with pytest.raises(NotYet):
        Accuracy(answer_or_none, 0 * eps, [[5]]).check()


def test_a_program_with_another_kind_of_output_is_another_one() -> None:
    """They are remembered: 1 and True are two outputs, 1 and 1 are one."""
    claim = 0 * eps, [[5]]
    assert one_or(True).program != one_or(1).program
    assert Accuracy(one_or(True), *claim).check().fails
    with pytest.raises(NotYet):  # the ideal output never changes
        Accuracy(one_or(1), *claim).check()


def test_noise_compared_twice_with_the_same_noise_waits() -> None:
    with pytest.raises(NotYet):
        Accuracy(between, LEMMA, [[5, 0]]).check()


# -- the checker


def certificate(beta: Expr = LEMMA) -> dict[str, object]:
    verdict = Accuracy(noisy_max(3), beta, [[1, 0, 0]]).check()
    return json.loads(json.dumps(verdict.certificate))  # type: ignore[no-any-return]


def test_the_checker_needs_nothing_of_the_solver() -> None:
    code = (
        "import sys, json\n"
        "import exactdp_next.certify as c\n"
        "c.accepted(json.load(sys.stdin))\n"
        "for x in sys.modules:\n"
        "    package = [*x.split('.'), ''][1] if x.startswith('exactdp_next.') else 'certify'\n"
        "    assert package in ('certify', 'errors', 'messages', 'unwritten'), x\n"
        "assert 'flint' not in sys.modules\n"
    )
    written = json.dumps(certificate()).encode()
    subprocess.run([sys.executable, "-c", code], input=written, check=True, timeout=60)


def places(x: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """All paths to something that can be changed."""
    if isinstance(x, dict):
        for key, value in x.items():
            yield (*path, key)
            yield from places(value, (*path, key))
    elif isinstance(x, list):
        for i, value in enumerate(x):
            yield (*path, i)
            yield from places(value, (*path, i))


CHANGES: list[Callable[[object], object]] = [
    lambda x: x + 1 if type(x) is int else None,
    lambda x: x - 1 if type(x) is int else [],
    lambda x: not x if type(x) is bool else {},
    lambda x: x + "0" if type(x) is str else "1/3",
    lambda x: x[:-1] if isinstance(x, list) else 0,
    lambda x: [*x, *x[-1:]] if isinstance(x, list) else -1,
    lambda _: float("nan"),
    lambda _: 10**5000,
]


def test_no_changed_certificate_proves_another_statement() -> None:
    """Every change is rejected, or a proof of the same, or shows in the printed statement."""
    original = certificate()
    statement = certify.accepted(original).text
    paths, rng = list(places(original)), random.Random(1)
    accepted = 0
    for _ in range(500):
        path, change = rng.choice(paths), rng.choice(CHANGES)
        forged = copy.deepcopy(original)
        inside: object = forged
        for step in path[:-1]:
            inside = inside[step]  # type: ignore[index]
        inside[path[-1]] = change(inside[path[-1]])  # type: ignore[index]
        try:
            found = certify.accepted(forged)
        except certify.Rejected:
            continue
        accepted += 1
        if path[0] != "statement":
            assert found.text == statement, path
        else:
            assert found.text != statement or forged == original, path
    assert accepted < 100


@pytest.mark.parametrize(
    "forged", [None, [], {}, "", 1, {"format": "exactdp certificate", "version": 3}]
)
def test_what_is_no_certificate_is_rejected(forged: object) -> None:
    with pytest.raises(certify.Rejected):
        certify.accepted(forged)


def test_a_false_statement_with_a_true_proof_is_rejected() -> None:
    true = certificate()
    for beta in (
        "3*exp(-alpha*eps)",
        "exp(-alpha*eps/2)/5",
        "0",
        "3*exp(-alpha*eps/2)/4 + alpha - alpha",
    ):
        forged = copy.deepcopy(true)
        forged["statement"]["beta"] = beta  # type: ignore[index]
        with pytest.raises(certify.Rejected):
            certify.accepted(forged)


PUBLIC = """
import json
from exactdp import Accuracy, Real, alpha, certify, eps, exp, lap, mechanism

def noisy_max(m):
    @mechanism
    def noisy_max(q: Real[m]):
        best, top = 0, lap(eps / 2, q[0])
        for i in range(1, m):
            r = lap(eps / 2, q[i])
            if r > top:
                best, top = i, r
        return best
    return noisy_max

verdict = Accuracy(noisy_max(3), beta=3 * exp(-alpha * eps / 2), inputs=[[1, 0, 0]]).check()
print(verdict)
print(certify.accepted(json.dumps(verdict.certificate)).text)
print(Accuracy(noisy_max(3), beta=exp(-alpha * eps / 2) / 2, inputs=[[1, 0, 0]]).check())
"""


def test_the_public_names_of_the_new_column(tmp_path: Path) -> None:
    script = tmp_path / "claim.py"
    script.write_text(PUBLIC)
    ran = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "EXACTDP_CORE": "new"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stdout.startswith("Holds: noisy_max is (α, β, γ)-accurate")
    assert "with probability at least 1 − β, where β = 3*exp(-alpha*eps/2)." in ran.stdout
    assert "Fails: it is not true that" in ran.stdout
