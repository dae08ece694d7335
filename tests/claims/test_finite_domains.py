"""`Dom` in place of `Real` is another claim: Definition 1 then knows the finite domain only.

The distance to disagreement is found by enumeration and the error by quadrature; neither knows
exactdp. The paper's tables hold with real inputs and fail with the finite domains of its programs.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import product

import pytest

from claims import oracle
from claims.published import EXPERIMENTS, Experiment
from exactdp import Accuracy, Ideal, Mechanism

HOLDING = [
    one
    for one in EXPERIMENTS
    if one.source == "artifact"
    and one.expect == "holds"
    and one.program != "laplace"
    and one.m <= 3
]
BUDGETS = (1, 2, 3, 4, 10, 12, 15, 17, 20, 22, 25, 45, 52, 60, 87)

Input = tuple[int, ...]


def ideal(one: Experiment, u: Input) -> object:
    if one.program == "noisy_max":
        return u.index(max(u))
    out: list[object] = []
    above = 0
    for x in u:
        is_above = x >= 0
        released = x if is_above else None
        out.append(released if one.program == "numeric_sparse" else is_above)
        above += is_above
        if above == one.c:
            break
    return out


def distance(one: Experiment, u: Input, v: Input) -> float:
    pairs = list(zip(u, v, strict=True))
    if one.program == "numeric_sparse" and any(a != b and min(a, b) >= 0 for a, b in pairs):
        return math.inf
    return max(abs(a - b) for a, b in pairs)


def error(one: Experiment, u: Input, budget: float) -> float:
    if one.program == "sparse":
        return 1 - oracle.sparse(u, one.c, budget)
    if one.program == "sparse_variant":
        return 1 - oracle.sparse_variant(u, one.c, budget, artifact=True)
    if one.program == "noisy_max":
        return 1 - oracle.noisy_max(u, [u.index(max(u))], budget)
    return 1 - oracle.numeric_sparse(u, one.c, one.gamma, budget, artifact=True)


def allowed(one: Experiment, apart: float, budget: float) -> float:
    m, c = one.m, one.c
    if one.program == "noisy_max":
        beta = m * math.exp(-apart * budget / 2)
    elif one.program == "numeric_sparse":
        beta = (2 * m + 1) * c * math.exp(-one.alpha * budget / (9 * c))
    else:
        beta = 2 * m * c * math.exp(-apart * budget / (8 * c))
    return beta / one.kappa


def refuted(one: Experiment) -> bool:
    """Return whether the error is above the bound somewhere, the distance being in the domain."""
    low, high = one.grid
    domain = list(product(range(low, high + 1), repeat=one.m))
    wanted = {u: ideal(one, u) for u in domain}
    for u in domain:
        others = [distance(one, u, v) for v in domain if wanted[v] != wanted[u]]
        apart = min(others, default=math.inf)
        if apart < one.alpha:
            continue
        if any(error(one, u, e) > allowed(one, apart, e) + 1e-9 for e in BUDGETS):
            return True
    return False


def test_there_are_37_rows() -> None:
    assert len(HOLDING) == 37


@pytest.mark.parametrize("one", HOLDING, ids=str)
def test_a_row_that_holds_fails_on_its_finite_domain(one: Experiment) -> None:
    assert refuted(one)
    claim = one.claim()
    low, high = one.grid
    text = re.sub(r"Real\[(\d)\]", rf"Dom({low}, {high})[\1]", str(claim.mechanism))
    finite = replace(claim, mechanism=Mechanism.from_source(text), inputs=None)
    assert finite.check().outcome == "fails"
    strictly = replace(finite, boundary="skip").check().outcome
    assert strictly == ("holds" if one.program == "numeric_sparse" else "fails")


def test_a_program_without_inputs() -> None:
    """It has one input, (), and no other at any distance: each of three outputs has Pr 1/3."""
    three = Mechanism.from_source("""
def three():
    found = 2 * bernoulli(0.5) + bernoulli(0.5)
    observe(found < 3)
    return found
""")
    zero = Ideal.from_source("def zero(): return 0")
    best = Accuracy(three, "2/3", ideal=zero).tightest()
    assert (best.kappa.lower, best.kappa.upper) == (1, 1)
