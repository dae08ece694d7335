"""Conditions and formulas as users write them: texts, lambdas and functions with statements."""

from __future__ import annotations

import inspect
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.mechanisms import LARGER, NOISY
from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    Mechanism,
    Range,
    ValueRefusedError,
    alpha,
    certify,
    eps,
    exp,
    gamma,
    inf,
    maximum,
    minimum,
    parse,
    piecewise,
)
from exactdp.claims.stated.conditions import (
    CaseFormula,
    Cases,
    holds_at,
    read_cases,
    read_formula,
    read_pieces,
)
from exactdp.claims.stated.expressions import Expression, Maximum, Minimum
from support.examples import examples

THREE = Mechanism.from_source("def three(q: Real[3]): return lap(eps, q[0]) > q[1] + q[2]")
BOUND = exp(-alpha * eps / 2)

LIMIT = Fraction(1, 10)


def is_far(one: Any, two: Any, margin: Any = LIMIT) -> Any:
    return abs(one - two) >= margin


def branches(u: Any, alpha: Any) -> Any:
    """Return after assignments, in several ways."""
    gap = u[0] - u[1]
    low, high = min(u), max(u)
    if gap < 0:
        gap = -gap
    elif high == 2:
        return alpha != 1
    gap += 1 / 2
    return gap >= alpha and low <= high


def loops(u: Any, alpha: Any) -> Any:
    total, count = 0, 0
    for k, x in enumerate(u):
        if x < 0:
            continue
        if x > alpha + k:
            break
        total, count = total + x, count + 1
    return total <= 2 * alpha if count > 1 else sorted(u)[1] >= 0.5


def calls(u: Any, alpha: Any) -> Any:
    tops = [max(x, alpha) for x in u[1:] if x >= 0]
    return any(is_far(x, u[0]) for x in tops) or all(is_far(alpha, x, margin=1) for x in u)


PREDICATES: list[Any] = [
    branches,
    loops,
    calls,
    lambda u: sum(u) >= 1 and u[-1] <= len(u),
    lambda u, alpha: not 0 <= u[0] <= alpha < 2,
    lambda q, alpha: alpha in (0, 1) or q[0] not in (q[1], q[2]),
    lambda u, alpha: (alpha if u[0] > u[1] else 2 * alpha) <= abs(u[2]) + Fraction(1, 3),
    lambda u, alpha, margin=LIMIT: is_far(u[0], u[1], margin=margin) and alpha >= 0,
]
NUMBERS = st.sampled_from([Fraction(k, 2) for k in range(-5, 7)] + [Fraction(1, 10)])


@cache
def cases_of(function: Any) -> Cases:
    return read_cases(function, THREE, "region")


@examples(10)
@given(st.lists(NUMBERS, min_size=3, max_size=3), NUMBERS)
def test_cases_are_true_where_the_function_is(u: list[Fraction], level: Fraction) -> None:
    """Each function is also called by Python, with numbers."""
    values = {f"q[{k}]": x for k, x in enumerate(u)} | {"alpha": level}
    for one in PREDICATES:
        names = inspect.signature(one).parameters
        known = {"alpha": level, "u": u, "q": u, "margin": LIMIT}
        expected = one(**{name: known[name] for name in names})
        assert holds_at(cases_of(one), values) == bool(expected), one


def test_numbers_in_functions_are_exact() -> None:
    """0.1 is one tenth, 1/3 is a third, also in functions that are called."""
    cases = read_cases(lambda u: is_far(u[0], 1 / 3, 0.1), THREE, "region")
    at = Fraction(1, 3) + Fraction(1, 10)
    zeros = {"q[1]": Fraction(0), "q[2]": Fraction(0)}
    assert holds_at(cases, {"q[0]": at, **zeros})
    assert not holds_at(cases, {"q[0]": at - Fraction(1, 10**30), **zeros})


def value(formula: Expression, values: dict[str, Any]) -> Fraction:
    """Evaluate a formula without ε from its definition."""
    if isinstance(formula, CaseFormula):
        (found, *others) = [one for one, cases in formula.pieces if holds_at(cases, values)]
        results = {value(one, values) for one in (found, *others)}
        assert len(results) == 1  # cases that overlap agree
        return results.pop()
    if isinstance(formula, Maximum | Minimum):
        parts = [value(one, values) for one in formula.parts]
        return max(parts) if isinstance(formula, Maximum) else min(parts)
    forms = formula.alternatives(values)
    return min(form.at(1).lower for form in forms)


def case(one: Any, two: Any) -> Any:
    return piecewise((one, alpha < 1), (two, True))


FORMULAS: list[tuple[Any, Any]] = [
    (2 * maximum(alpha, 1) + gamma, lambda a, g: 2 * max(a, 1) + g),
    (1 - minimum(alpha, gamma) / 2, lambda a, g: 1 - min(a, g) / 2),
    (-maximum(alpha, gamma) + 3, lambda a, g: 3 - max(a, g)),
    (minimum(maximum(alpha, 1), gamma), lambda a, g: min(max(a, 1), g)),
    (maximum(minimum(alpha, gamma), 1), lambda a, g: max(min(a, g), 1)),
    (maximum(alpha, maximum(1, gamma)), lambda a, g: max(a, 1, g)),
    (case(alpha, gamma) * gamma, lambda a, g: (a if a < 1 else g) * g),
    (case(alpha, gamma) - case(1, alpha), lambda a, g: a - 1 if a < 1 else g - a),
    (maximum(case(alpha, 2), gamma) ** 2, lambda a, g: max(a if a < 1 else 2, g) ** 2),
    (alpha * minimum(1, case(2, gamma)) / 3, lambda a, g: a * min(1, 2 if a < 1 else g) / 3),
    (2 / case(1, alpha), lambda a, _: 2 / (1 if a < 1 else a)),
    (read_formula("max(alpha, min(gamma, 1)) + abs(alpha - gamma)"),
     lambda a, g: max(a, min(g, 1)) + abs(a - g)),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "expected"), FORMULAS)
def test_formulas_with_maximum_and_cases(formula: Any, expected: Any) -> None:
    points = [Fraction(k, 4) for k in range(13)]
    for a, g in product(points, points):
        assert value(formula, {"alpha": a, "gamma": g}) == expected(a, g)


SPELLINGS: list[dict[str, Any]] = [
    {"alpha": (eps, inf)},
    {"alpha": "[eps, inf)"},
    {"alpha": "[ε, ∞)"},
    {"alpha": ("eps", inf)},
    {"alpha": Range("eps", "inf")},
    {"alpha": (lambda eps: eps, inf)},
    {"alpha": Range(lambda u, eps: eps + 0 * u[0], inf)},
    {"region": "alpha >= eps"},
    {"region": lambda alpha, eps: alpha >= eps},
    {"region": alpha >= eps},
]


@pytest.mark.parametrize("inputs", [[[2, 0], [0, 3]], Box(0, inf), AllReals()], ids=str)
def test_spellings_of_one_region(inputs: Any) -> None:
    """The second region of the paper's example, α ≥ ε: the same claims, the same answers."""
    found = set()
    for given_as in SPELLINGS:
        claim = Accuracy(LARGER, BOUND / 3, inputs=inputs, **given_as)
        verdict = claim.check()
        found.add(str(verdict.counterexample))
        assert Accuracy(LARGER, BOUND, inputs=inputs, **given_as).check().outcome == "holds"
    assert len(found) == 1
    assert found != {"None"}


@pytest.mark.parametrize("inputs", [[-2, 0, 3], Box(-1, inf), AllReals()], ids=str)
def test_spellings_of_levels_of_the_input(inputs: Any) -> None:
    """γ = 1 + |q|: the error is e^{−(1 + |q|)ε}, so the bound is an equality."""
    for level in (
        lambda u, eps: 1 + abs(u) + 0 * eps,
        "1 + abs(q)",
        "(1 + max(q, -q)) / (1)",
        Range("1 + abs(q)", "1 + abs(q)"),
        maximum(1 + read_formula("q", NOISY), 1 - read_formula("q", NOISY)),
    ):
        for beta, outcome in (
            ("exp(-(1 + abs(q)) * eps)", "holds"),
            (lambda u: exp(-(1 + abs(u)) * eps) * parse("99/100"), "fails"),
        ):
            verdict = Accuracy(NOISY, beta, alpha=0, gamma=level, inputs=inputs).check()
            assert verdict.outcome == outcome
            assert level != "1 + abs(q)" or certify.check(verdict.certificate).accepted


def test_two_functions_on_one_line() -> None:
    """A conditional expression has no bytecode of its own: the smallest lambda around is taken."""
    one, two = lambda alpha: 1 if alpha < 1 else 2, lambda alpha: 3 if alpha < 1 else 4
    found = [read_pieces(function, LARGER, "beta") for function in (one, two)]
    assert [[str(value) for value, _ in pieces] for pieces in found] == [["2", "1"], ["4", "3"]]


def test_bounds_of_which_a_part_is_negative() -> None:
    """1/2 − ε is negative beyond 1/2, where it is not the largest, or does not apply.

    The error at [4, 0] is (1/2 + ε/2)·e^{−2ε}.
    """
    for bound in (
        maximum(BOUND, parse("1/2") - eps),
        piecewise((parse("1/2") - eps, "eps < 1/4"), (BOUND, True)),
    ):
        assert Accuracy(LARGER, bound, inputs=[[4, 0]]).check().holds is not None
    with pytest.raises(ValueRefusedError, match="negative"):
        Accuracy(LARGER, parse("1/2") - eps, alpha=0, inputs=[[4, 0]]).check()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"region": lambda u: u.index(0) > 1}, "u.index is not understood"),
        ({"region": lambda u, v: u[0] > v[0]}, "v is neither an input nor alpha"),
        ({"region": lambda u: __import__("random").random() > u[0]}, "uses random"),
        ({"region": lambda u: u[7] > 1}, "out of range"),
        ({"region": "q[0] > 1 or open('x')"}, "open is not known"),
        ({"region": "q.__class__"}, "not understood"),
        ({"inputs": lambda u: u[0]}, "neither true nor false"),
        ({"alpha": "[0, much]"}, "much is not known"),
        ({"gamma": (lambda _: "a", inf)}, "string"),
        ({"beta": "1 +"}, "no expression"),
    ],
)
def test_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueRefusedError, match=words):
        Accuracy(LARGER, **{"beta": BOUND, "inputs": [[2, 0]], **wrong}).check()


def test_a_function_without_end() -> None:
    def forever(u: Any) -> Any:
        return forever(u)

    def returns_nothing(u: Any) -> Any:
        if u[0] > 0:
            return True

    for function, words in ((forever, "without end"), (returns_nothing, "without return")):
        with pytest.raises(ValueRefusedError, match=words):
            Accuracy(LARGER, BOUND, region=function)


def test_no_conditions() -> None:
    assert read_cases(lambda _: True, THREE, "region") == Cases(((),))
    assert Accuracy(NOISY, exp(-eps), alpha=0, gamma=ANY, region="gamma >= 1").check().holds
