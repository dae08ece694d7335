"""Strict conditions: the claim is not made on their boundary, where the mechanism may jump."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from claims.mechanisms import LARGER
from exactdp import Accuracy, AllReals, Box, Mechanism, alpha, certify, discrete, eps, exp
from support.examples import examples


def _steps(name: str, at: int, values: tuple[int, int, int]) -> Mechanism:
    """Return a function with certain values below, at and above a number."""
    return Mechanism.from_source(f"""
def {name}(q: Real):
    if q < {at}:
        return {values[0]}
    return {values[1]} if q == {at} else {values[2]}
""")


OPERATORS: dict[str, Any] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "!=": lambda a, b: a != b,
    "==": lambda a, b: a == b,
}
_BITS = st.tuples(*[st.integers(0, 1)] * 3)
_SIDE = st.tuples(st.sampled_from([*OPERATORS]), st.integers(-1, 1))


@examples(120)
@given(st.integers(-1, 1), _BITS, st.integers(-1, 1), _BITS, _SIDE, _SIDE, st.booleans())
@example(0, (0, 0, 1), 0, (0, 1, 1), (">", 0), (">", -1), True)
@example(0, (0, 1, 1), 0, (0, 0, 1), ("!=", 0), ("<", 1), True)
@example(0, (0, 1, 0), 1, (0, 0, 0), ("<", 0), (">", 0), False)
def test_functions_without_noise(
    c: int,
    one: tuple[int, int, int],
    d: int,
    two: tuple[int, int, int],
    first: tuple[str, int],
    second: tuple[str, int],
    both: bool,
) -> None:
    """Whether two step functions differ where a condition holds is seen at a few points."""

    def value(q: Fraction, at: int, values: tuple[int, int, int]) -> int:
        return values[(q > at) - (q < at) + 1]

    def is_claimed(q: Fraction) -> bool:
        answers = [OPERATORS[op](q, number) for op, number in (first, second)]
        return all(answers) if both else any(answers)

    claim = Accuracy(
        _steps("mechanism", c, one),
        0,
        alpha=0,
        ideal=_steps("ideal", d, two).noiseless(),
        input_distance=discrete,
        inputs=AllReals(),
        region=f" {'and' if both else 'or'} ".join(f"q {op} {k}" for op, k in (first, second)),
    )
    points = [q for k in range(-4, 5) if is_claimed(q := Fraction(k, 2))]
    verdict = claim.check()
    if not points:
        assert verdict.outcome == "vacuous"
    elif any(value(q, c, one) != value(q, d, two) for q in points):
        at = verdict.counterexample.input
        assert is_claimed(at)
        assert value(at, c, one) != value(at, d, two)
    else:
        assert verdict.outcome == "holds"
        assert certify.check(verdict.certificate)


@pytest.mark.parametrize("inputs", [[[3, 1]], Box([3, 1], [3, 1])])
@pytest.mark.parametrize("boundary", ["skip", "check"])
def test_no_alpha_is_above_the_distance(inputs: Any, boundary: str) -> None:
    """At [3, 1] the distance to disagreement is 1, so nothing is claimed for α > 1."""
    claim = Accuracy(
        LARGER, exp(-5 * alpha * eps), region="alpha > 1", inputs=inputs, boundary=boundary
    )
    assert claim.check().outcome == "vacuous"


@pytest.mark.parametrize("boundary", ["skip", "check"])
@pytest.mark.parametrize("region", ["alpha*eps > 1", "alpha*eps >= 1", "alpha > 1", "alpha >= 1"])
@pytest.mark.parametrize(("rate", "factor"), [(1, 1), (2, Fraction(1, 3))])
def test_outcomes_at_the_boundary_by_brute_force(
    boundary: str, region: str, rate: int, factor: Fraction
) -> None:
    """All α and ε of a grid: dd is q and the error e^{−qε}/2. Nothing claimed is vacuous."""
    above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 0")
    numbers = [Fraction(k, 8) for k in range(1, 33)]
    for on, least, most in (("(0, 1]", 0, 1), ("[1, 2]", 1, 2), ("(0, inf)", 0, 4)):
        for q in (1, 2):
            claimed = [
                (float(a), float(e))
                for a in numbers
                for e in numbers
                if (a < q or (boundary == "check" and a == q))
                and least <= e <= most
                and eval(region, {"alpha": a, "eps": e})
            ]
            fails = any(
                math.exp(-q * e) / 2 > factor * math.exp(-rate * a * e) + 1e-9 for a, e in claimed
            )
            wanted = "fails" if fails else "holds" if claimed else "vacuous"
            claim = Accuracy(
                above,
                factor * exp(-rate * alpha * eps),
                region=region,
                inputs=[q],
                epsilon=on,
                boundary=boundary,
            )
            assert claim.check().outcome == wanted, (on, q)
