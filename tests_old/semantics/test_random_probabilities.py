"""Random programs: mass exactly 1, both ways of integration agree, and so does the oracle."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exactdp import Mechanism
from exactdp.measure import density
from exactdp.reals import ClosedForm, ExpPoly
from support.compared import agree_with_oracle
from support.examples import examples

RATES = ["eps", "eps / 2", "2 * eps", "eps / 3"]
OPS = ["<", "<=", ">", ">="]


@st.composite
def programs(draw: st.DrawFn, most: int = 4, kinds: tuple[str, ...] = ("lap", "expo")) -> str:
    """Draw a program with a few noises and linear comparisons of them."""
    count = draw(st.integers(1, most))
    lines = []
    for j in range(count):
        kind = draw(st.sampled_from(kinds))
        rate = draw(st.sampled_from(RATES))
        mean = draw(st.sampled_from(["0", "1", "-2", "q[0]", "q[1]", "q[0] + 1"]))
        if kind == "lap" and j and draw(st.booleans()):
            mean = f"x{draw(st.integers(0, j - 1))}"
        if kind == "dlap":
            mean = draw(st.sampled_from(["0", "1", "-2"]))
        lines.append(f"    x{j} = {kind}({rate}, {mean})")
    tests = []
    for _ in range(draw(st.integers(1, 3))):
        sides = []
        for _ in range(2):
            terms = draw(
                st.lists(
                    st.tuples(st.sampled_from([1, 1, -1, 2]), st.integers(0, count - 1)),
                    min_size=0,
                    max_size=2,
                )
            )
            constant = draw(st.integers(-2, 2))
            sides.append(" + ".join([f"{c} * x{v}" for c, v in terms] + [str(constant)]))
        ops = [*OPS, "==", "!="] if "dlap" in kinds else OPS
        tests.append(f"{sides[0]} {draw(st.sampled_from(ops))} {sides[1]}")
    lines.append(f"    return [{', '.join(tests)}]")
    return "def program(q: Real[2]):\n" + "\n".join(lines) + "\n"


inputs = st.tuples(*[st.sampled_from([0, 1, -1, Fraction(1, 2), Fraction(-7, 3)])] * 2)


def total(found: dict[object, ClosedForm]) -> ClosedForm:
    result: ClosedForm = ExpPoly(0)
    for chance in found.values():
        result = result + chance
    return result


def agrees_with_simulation(
    mechanism: Mechanism, u: object, found: dict[object, ClosedForm]
) -> None:
    """Five standard deviations at two values of ε; those of ten runs if fewer are expected."""
    runs = 20_000
    for eps, seed in (("1", 1), ("1/3", 2)):
        counts = Counter(mechanism.sample(u, eps, runs, seed))
        for output, chance in found.items():
            p = float(chance.at(eps))
            assert -1e-12 <= p <= 1 + 1e-12
            slack = 5 * math.sqrt(max(p * (1 - p), 10 / runs) / runs)
            assert abs(counts[output] / runs - p) < slack, (output, p, counts[output])
        assert set(counts) <= set(found)


@examples(40)
@given(programs(3), inputs)
def test_real_noise(source: str, u: tuple[Fraction, Fraction]) -> None:
    agree_with_oracle(source, u, Mechanism.from_source(source).distribution(u))


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(programs(), inputs)
def test_up_to_four_noises(source: str, u: tuple[Fraction, Fraction]) -> None:
    """Integrals over four noises by simulation: the oracle would take long."""
    mechanism = Mechanism.from_source(source)
    found = dict(mechanism.distribution(u))
    assert total(found) == ExpPoly(1)
    agrees_with_simulation(mechanism, u, found)


@examples(15)
@given(programs(2, ("dlap",)), inputs)
def test_integer_noise(source: str, u: tuple[Fraction, Fraction]) -> None:
    mechanism = Mechanism.from_source(source)
    found = dict(mechanism.distribution(u))
    agree_with_oracle(source, u, found)
    agrees_with_simulation(mechanism, u, found)


def both_ways_agree(source: str, u: tuple[Fraction, Fraction]) -> None:
    """Compare the closed forms by functions of one variable with those by polyhedra."""
    by_functions = dict(Mechanism.from_source(source).distribution(u))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(density, "_is_pair", lambda _: False)
        by_polyhedra = dict(Mechanism.from_source(source).distribution(u))
    assert by_functions == by_polyhedra


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(programs(3), inputs)
def test_functions_and_polyhedra_agree(source: str, u: tuple[Fraction, Fraction]) -> None:
    both_ways_agree(source, u)
