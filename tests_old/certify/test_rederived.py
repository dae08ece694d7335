"""What the checker derives from a program's source agrees with the solver."""

from __future__ import annotations

import random
from fractions import Fraction
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import Mechanism
from exactdp.certify.kernel.reading import CertificateReader, RealInterval
from exactdp.certify.rederive import formulas
from exactdp.certify.rederive.cones import PolyhedralCone
from exactdp.certify.rederive.derivation import Derivation
from exactdp.certify.rederive.halfspaces import agree_around, disagreeing
from exactdp.certify.rederive.parametric import ProgramOnCone
from exactdp.certify.rederive.ratios import (
    EPS,
    POSITIVE,
    MalformedError,
    Ratio,
    UnsupportedError,
    WrongProgramError,
    variable,
)
from exactdp.claims.certificates.apart import multiples
from exactdp.reals.certificates import terms
from language.corpus import FACTORIES
from support.examples import examples

RATIONALS = st.fractions(-3, 3, max_denominator=4)


def as_ratio(form: Any) -> Ratio:
    """Return a closed form of the solver in the checker's arithmetic."""
    over, under = (
        {(Fraction(q), k): Fraction(c) for c, k, q in terms(part)}
        for part in (form.numerator, form.denominator)
    )
    return Ratio.of(over, under)


def agrees(mine: Derivation, u: list[Any], output: Any, radius: Fraction, *, strict: bool) -> bool:
    """Whether the checker sees with the solver's multiples that no input so close disagrees."""
    metric = mine.spec["input_distance"]["name"]
    given = [
        [[k, str(q)] for k, q in multiples(metric, u, one, radius, strict=strict).items()]
        for one in disagreeing(mine, u, output)
    ]
    return agree_around(CertificateReader(), mine, u, output, (radius, strict), given)


def derivation(source: str, output_distance: str = "discrete") -> Derivation:
    spec = {
        "mechanism": source,
        "ideal": {"noiseless": True},
        "agreement": "equal",
        "input_distance": {"name": "linf"},
        "output_distance": {"name": output_distance},
    }
    return Derivation(spec, None, POSITIVE)


def on_ray(mine: Derivation, u: list[Any]) -> ProgramOnCone:
    """Return the program at an input: only ε moves."""
    return ProgramOnCone(mine, PolyhedralCone(1, CertificateReader()).cut((Fraction(1),)), u)


def probability(mine: Derivation, u: list[Any], output: Any, radius: Fraction) -> Ratio:
    return on_ray(mine, u).probability(output, radius)


def outputs(mechanism: Mechanism, u: Any) -> list[Any]:
    return list(mechanism.distribution(u))


SMALL = {
    "noisy_max": (3,),
    "noisy_max_exponential": (3,),
    "noisy_max_figure": (3,),
    "above_threshold": (3,),
    "sparse": (3, 2),
    "sparse_variant": (3, 2),
}


@pytest.mark.parametrize("name", SMALL)
def test_finite_outputs(name: str) -> None:
    mechanism = FACTORIES[name](*SMALL[name])
    mine = derivation(str(mechanism))
    source = random.Random(name)
    for _ in range(4):
        u = [Fraction(source.randint(-6, 6), source.choice([1, 2, 3])) for _ in range(3)]
        total = Ratio.number(0)
        for output in outputs(mechanism, u):
            found = probability(mine, u, output, Fraction(0))
            assert found == as_ratio(mechanism.probability(u, output))
            total = total + found
        assert total == 1
        assert on_ray(mine, u).ideal() == mechanism.noiseless().run(u)


@settings(max_examples=20)
@given(st.lists(RATIONALS, min_size=2, max_size=2), st.fractions(0, 3, max_denominator=3))
def test_outputs_with_noise(u: list[Fraction], radius: Fraction) -> None:
    for name in ("numeric_sparse", "numeric_sparse_artifact"):
        mechanism = FACTORIES[name](2)
        mine = derivation(str(mechanism), "sup")
        ideal = on_ray(mine, u).ideal()
        assert probability(mine, u, ideal, radius) == as_ratio(mechanism.within(u, radius))


PROGRAMS = {
    "a sum of noises": "return lap(eps, q[0]) + lap(eps / 2, q[1]) > 1",
    "a mean that is noise": "x = lap(eps, q[0])\n    return lap(2 * eps, x) > q[1]",
    "one-sided noise": "return expo(eps, q[0]) - expo(eps / 3, q[1]) > 0",
    "absolute values": "return abs(lap(eps, q[0])) < max(lap(eps, q[1]), 0.5)",
    "rates by scale": "return lap(scale=3 / eps, mean=q[0]) <= lap(scale=1 / eps, mean=2 * q[1])",
    "three noises in one condition": "xs = [lap(eps, z) for z in q] + [lap(eps, 0)]\n"
    "    return sum(xs) > 0 and xs[0] < xs[1]",
    "a choice": "p = exp(eps) / (1 + exp(eps))\n"
    "    x = choose({1: p, 0: 1 - p})\n    return x + (lap(eps, q[0]) > q[1])",
    "the exponential mechanism": "return expmech(eps / 2, lambda k: 2 * k, [0, 1, 2])",
    "a loop with a break": "n = 0\n    for z in q:\n        if lap(eps, z) > 0:\n"
    "            break\n        n += 1\n    else:\n        n = 7\n    return n",
    "conditions again": "x = lap(eps, q[0])\n    y = x > q[1]\n"
    "    return (y, x <= q[1], x > q[1] + 1, not y)",
    "sorting": "return [z > 0 for z in sorted([lap(eps, q[0]), lap(eps, q[1]), 0.25])]",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_other_programs(name: str) -> None:
    mechanism = Mechanism.from_source(f"def f(q: Real[2]):\n    {PROGRAMS[name]}")
    mine = derivation(str(mechanism))
    for u in ([0, 0], [1, Fraction(-1, 2)], [Fraction(1, 3), 2]):
        for output in outputs(mechanism, u):
            found = probability(mine, u, output, Fraction(0))
            assert found == as_ratio(mechanism.probability(u, output))


COMPARED = {
    "cases": "return lap(eps, q[0] - q[1]) > 0 if q[0] > q[1] else lap(eps, q[1]) > 2",
    "ties": "return 0 if q[0] == q[1] else 1 if lap(eps, q[0]) > q[1] else 2",
    "a failure": "x = lap(eps, q[0])\n    assert q[1] < 3 or x < 0\n    return x > 1",
    "only numbers will do": "return lap(eps, q[0] * q[1]) > q[0] ** 2",
    "the largest": "return lap(eps, max(q)) > lap(eps, min(q)) + abs(q[0])",
}


@pytest.mark.parametrize("name", COMPARED)
def test_runs_at_many_inputs_are_those_at_each(name: str) -> None:
    """One derivation for all inputs, in any order, finds what a new one for each input does."""
    source = f"def f(q: Real[2]):\n    {COMPARED[name]}"
    numbers = [Fraction(k, 2) for k in range(-3, 8, 2)] + [Fraction(0), Fraction(1)]
    inputs = [[a, b] for a in numbers for b in numbers]
    random.Random(name).shuffle(inputs)

    def found(mine: Derivation, u: list[Fraction]) -> list[Any]:
        listed: list[Any] = []
        for ask in (
            lambda: on_ray(mine, u).ideal(),
            lambda: [probability(mine, u, output, Fraction(0)) for output in (0, 1, 2)],
            lambda: on_ray(mine, u).reached(
                on_ray(mine, u).ideal(), u, [Fraction(1), Fraction(-2)], with_germs=False
            ),
        ):
            try:
                listed.append(ask())
            except (UnsupportedError, WrongProgramError) as error:
                listed.append((type(error), str(error)))
        return listed

    shared = derivation(source)
    for u in inputs:
        assert found(shared, u) == found(derivation(source), u), u


def test_subroutines_are_followed() -> None:
    text = "def noisy(z, a):\n    return lap(a * eps, z)\n\n"
    text += "def f(q: Real[2]):\n    return noisy(q[0], 1) > noisy(q[1], 2)"
    mechanism = Mechanism.from_source(text)
    mine = derivation(str(mechanism))
    assert probability(mine, [0, 1], True, Fraction(0)) == as_ratio(
        mechanism.probability([0, 1], True)
    )


@pytest.mark.parametrize(
    "body",
    [
        "return 10 ** 10 ** 10",
        "return [0] * 10 ** 12",
        "return sum(range(10 ** 12))",
        "while True:\n        pass",
        "x = 'a'\n    for i in range(9999):\n        x = x + x\n    return x",
        "import os\n    return os.getcwd()",
        "return q.__class__",
        "return (lambda f: f(f))(lambda f: f(f))",
        "x = 3\n    for i in range(99):\n        x = x * x\n    return x",
        "return f(q)",
    ],
)
def test_programs_out_of_bounds_end(body: str) -> None:
    mine = derivation(f"def f(q: Real[2]):\n    {body}")
    mine.steps.left = 100_000
    with pytest.raises(UnsupportedError):
        on_ray(mine, [0, 1]).ideal()


@pytest.mark.parametrize("body", ["return q[5]", "return 1 / 0"])
def test_programs_that_fail_are_wrong(body: str) -> None:
    with pytest.raises(WrongProgramError):
        on_ray(derivation(f"def f(q: Real[2]):\n    {body}"), [0, 1]).ideal()


# dd ------------------------------------------------------------------------------------


@examples(30)
@given(st.lists(RATIONALS, min_size=3, max_size=3))
def test_disagreement_from_below(u: list[Fraction]) -> None:
    """For NoisyMax dd is half the gap of the two largest; for AboveThreshold see the paper."""
    mine = derivation(str(FACTORIES["noisy_max"](3)))
    largest, second = sorted(u)[:-3:-1]
    dd = (largest - second) / 2
    ideal = on_ray(mine, u).ideal()
    assert agrees(mine, u, ideal, dd, strict=True)
    assert not agrees(mine, u, ideal, dd, strict=False)
    assert not agrees(mine, u, ideal, dd + Fraction(1, 100), strict=True)
    if dd:
        assert agrees(mine, u, ideal, dd * Fraction(99, 100), strict=False)


def test_disagreement_under_the_other_distances() -> None:
    mine = derivation(str(FACTORIES["above_threshold"](2)))
    for name, dd in (("linf", 1), ("l1", 1), ("l2", 1), ("discrete", 1)):
        mine.spec["input_distance"] = {"name": name}
        assert agrees(mine, [-1, -2], (False, False), Fraction(dd), strict=True)
        assert not agrees(mine, [-1, -2], (False, False), Fraction(dd), strict=False)
    mine.spec["input_distance"] = {"name": "numeric", "threshold": "0"}
    assert agrees(mine, [2, 0], (True,), Fraction(2), strict=True)
    assert not agrees(mine, [2, 0], (True,), Fraction(2), strict=False)


# β -------------------------------------------------------------------------------------

ONE = [["1", 0, "0"]]
E = ["form", [["1", 1, "0"]], ONE]


def number(value: str) -> Any:
    return ["form", [[value, 0, "0"]], ONE]


def decayed(name: str, rate: str) -> Any:
    return ["exp", ["*", ["*", number(rate), ["name", name]], E]]


def tree(formula: Any) -> Any:
    return formulas.read(CertificateReader(), formula)


def beta(formula: Any, values: dict[str, Any]) -> list[Ratio]:
    """Return the forms of β at numbers; those that are infinite are variables that grow."""
    given, endless = {}, []
    for k, (name, value) in enumerate(values.items(), start=1):
        given[name] = variable(k) / EPS if value == inf else Ratio.number(value)
        endless += [k] * (value == inf)
    return formulas.beta(formula, given, endless)


def test_values_and_limits_of_beta() -> None:
    falls = tree(["+", ["*", number("3"), decayed("alpha", "-1/2")], number("1/7")])
    (found,) = beta(falls, {"alpha": Fraction(4)})
    assert found == 3 * (EPS * -2).exp() + Fraction(1, 7)
    (limit,) = beta(falls, {"alpha": inf})
    assert limit == Fraction(1, 7)
    both = tree(["*", decayed("alpha", "-1"), decayed("gamma", "-1")])
    assert beta(both, {"alpha": inf, "gamma": inf}) == [Ratio.number(0)]
    grows = tree(decayed("alpha", "1"))
    assert beta(grows, {"alpha": inf}) == []
    quotient = tree(["/", ["name", "alpha"], ["+", number("2"), ["name", "alpha"]]])
    assert beta(quotient, {"alpha": inf}) == [Ratio.number(1)]
    assert beta(quotient, {"alpha": Fraction(2)}) == [Ratio.number(Fraction(1, 2))]
    least = tree(["*", number("2"), ["min", number("1"), decayed("alpha", "-1")]])
    assert beta(least, {"alpha": Fraction(1)}) == [Ratio.number(2), 2 * (-EPS).exp()]
    named = tree(["*", ["name", "q[0]"], E])
    assert beta(named, {"q[0]": Fraction(1, 3)}) == [EPS / 3]


def test_what_falls() -> None:
    assert formulas.falls(tree(decayed("alpha", "-1")), "alpha")
    assert formulas.falls(tree(decayed("alpha", "-1")), "gamma")
    assert not formulas.falls(tree(decayed("alpha", "1")), "alpha")
    assert not formulas.falls(tree(["name", "gamma"]), "gamma")
    assert formulas.falls(tree(["/", number("1"), ["+", number("1"), ["name", "alpha"]]]), "alpha")
    product = ["*", ["+", number("1"), ["name", "alpha"]], decayed("alpha", "-1")]
    assert not formulas.falls(tree(product), "alpha")
    assert formulas.falls(tree(["min", decayed("alpha", "-1"), number("1")]), "alpha")
    assert formulas.falls(tree(["**", decayed("alpha", "-1"), 3]), "alpha")
    assert not formulas.falls(tree(["*", number("-1"), decayed("alpha", "-1")]), "alpha")


def test_formulas_that_make_no_sense() -> None:
    for wrong in (["exp", number("1")], ["exp", ["exp", E]], ["name", "delta"]):
        with pytest.raises(MalformedError):
            beta(tree(wrong), {"alpha": Fraction(1)})
    with pytest.raises(UnsupportedError):
        formulas.beta(tree(["*", number("-1"), ["min", E, number("1")]]), {})


def test_arithmetic_of_ratios() -> None:
    x = (EPS * 2).exp() / (1 + EPS)
    assert x * (1 + EPS) == (EPS * 2).exp()
    assert x - x == 0
    assert x / x == 1
    assert (x**2) * (1 + EPS) ** 2 == (4 * EPS).exp()
    assert variable(1) / EPS * EPS == variable(1)
    one = Fraction(1)
    assert (1 / EPS).terms() == ({(Fraction(0), 0): one}, {(Fraction(0), 1): one})
    assert RealInterval(Fraction(0), False, inf, False).text() == "(0, inf)"
