"""Wrong claims and programs nobody chose: what they are told never shows how exactdp is made."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    ExactdpError,
    Grid,
    Interval,
    Mechanism,
    Real,
    alpha,
    choose,
    discrete,
    dlap,
    eps,
    exp,
    expmech,
    gamma,
    inf,
    l1,
    lap,
    linf,
    score_gap,
    sup,
    value_gap,
)
from exactdp.errors import shown, typed
from support.examples import examples


class Odd:
    """A class of the user, with Python's own `repr`."""


ODD = Odd()

#: What a reader cannot have written: addresses, classes, our types, Python's `repr` of a fraction.
INSIDE = re.compile(
    r"<(?!=|lambda>|mechanism>)\S|object at|Traceback|\bclass\b|\b_[A-Z]"
    r"|Spot|Linear|fmpq|\barb\b|(?:Real|Dom|List|Record)Type|ExpPoly|ExpRatio|Symbol|Constant"
    r"|(?<!such as 1, )(?<!example 3, )(?<!β = )Fraction\("
)


def inside(text: str) -> list[str]:
    """Return the lines of a message that show what they should not; quoted source is the user's."""
    lines = [line for line in text.splitlines() if not re.match(r" +\d* \|", line)]
    return [line for line in lines if INSIDE.search(line)]


REALS: list[Any] = [AllReals(), Grid(-1, 1), Box(-1, 1), [Fraction(1, 2)]]
#: Programs, each with inputs that fit.
PROGRAMS: list[tuple[str, list[Any]]] = [
    ("def m(q: Real): return lap(eps, q)", REALS),
    ("def m(q: Real[2]): return 1 if lap(eps, q[1]) > lap(eps, q[0]) else 0", [[[0, 1]], *REALS]),
    ("def m(x: Dom(-2, 2)): return dlap(eps, x)", [None, [0]]),
    ("def m(x: Dom(-1, 1)[2]): return expmech(eps, lambda v: x[v], range(2))", [None, [[0, 1]]]),
    ("def m(q: Real, x: Dom(0, 1)): return [lap(eps, q), x, None]", [*REALS, [(0, 1)]]),
    ("def m(x: Dom(0, 1)): return [dlap(eps, x), x]", [None, [0]]),
    ("def m(): return lap(eps, 0) > 1", [None]),
    ("def m(q: Real): return (q + lap(eps, 0) > 0, None)", REALS),
]
MECHANISMS = [(Mechanism.from_source(text), inputs) for text, inputs in PROGRAMS]

#: What no argument is meant to be.
WRONG: list[Any] = [
    *[
        None,
        True,
        3,
        -1,
        0.5,
        Fraction(1, 3),
        "x",
        [1],
        (1, Fraction(1, 2)),
        {},
        {1: Fraction(1, 2)},
    ],
    *[ODD, Odd, int, Real, len, lambda u: u, inf, float("nan"), 1j, b"x", range(3), {1}],
    *[np.float64(0.5), np.array([1, 2]), eps, alpha, exp(-eps), ANY, AllReals(), AllReals],
    *[Grid(-1, 1), Box(-1, 1), Interval(0, 1), MECHANISMS[0][0], sup, linf, ...],
]
CHOICES: dict[str, list[Any]] = {
    "output_distance": [
        *[discrete, sup, value_gap, score_gap, "sup", "nix"],
        *[score_gap(lambda u, v: u[v]), score_gap(lambda *_: None), score_gap(lambda u, v: u * v)],
        *[lambda _u, a, b: abs(a - b), lambda u, _a, _b: u, lambda _u, _a: 1],
    ],
    "input_distance": [linf, l1, discrete, lambda a, b: abs(a - b), lambda _a, b: b, lambda u: u],
    "alpha": [ANY, 0, 1, gamma, 2 / eps, (0, 1), "1/2"],
    "gamma": [ANY, 0, 1, alpha, 2 / eps, (0, 1), "1/2"],
    "ideal": [lambda u: u, lambda _: Fraction(1, 2), lambda u: [u], {0: 1}, lambda _: ODD],
    "epsilon": [Interval(0, 1), "(0, 1]", (0, 1), (Fraction(1, 2), Fraction(1, 3))],
    "boundary": ["check", "x"],
    "agreement": ["output_distance", "x"],
}
BETAS: list[Any] = [exp(-eps), 2 * exp(-gamma * eps / 2), lambda u: u, lambda _: ODD, 5, "x"]


@st.composite
def claims(draw: Any) -> tuple[Any, Any, dict[str, Any], str]:
    """Draw a mechanism, a β, other arguments, and a question."""
    mechanism, inputs = draw(st.sampled_from(MECHANISMS))
    names = draw(st.lists(st.sampled_from(sorted(CHOICES)), max_size=3, unique=True))
    facts = {name: draw(st.sampled_from(CHOICES[name])) for name in names}
    facts["inputs"] = draw(st.sampled_from(inputs))
    beta = draw(st.sampled_from(BETAS))
    wrong = draw(st.sampled_from(["", "", "beta", "mechanism", "inputs", *CHOICES]))
    if wrong:
        value = draw(st.sampled_from(WRONG))
        if wrong == "beta":
            beta = value
        elif wrong == "mechanism":
            mechanism = value
        else:
            facts[wrong] = value
    return mechanism, beta, facts, draw(st.sampled_from(["check", "tightest", "epsilons"]))


@given(claims())
@examples(120)
def test_claims(drawn: tuple[Any, Any, dict[str, Any], str]) -> None:
    """Whatever is wrong is refused, and no other error comes out."""
    mechanism, beta, facts, question = drawn
    try:
        text = str(getattr(Accuracy(mechanism, beta, **facts), question)())
    except ExactdpError as error:
        text = str(error)
    assert inside(text) == []


ATOMS = [
    *["q", "x", "r", "z", "third", "0", "-1", '"a"', "None", "True", "[x, third]", "(x, q)"],
    *["{x: 1/2}", "table", "odd", "Odd", "fn", "eps", "1/eps", "exp(-eps)", "range(3)", "inf"],
]
SHAPES = [
    *["{} + {}", "{} * {}", "{} > {}", "{} == {}", "{}[{}]", "max({}, {})", "[{}, {}]"],
    *["fn({})", "bad({})", "fails({})", "abs({})", "len({})", "sum({})", "({} if {} else {})"],
    *["lap(eps, {})", "lap({}, {})", "dlap(eps, {})", "choose({})", "choose({{{}: {}, 2: 1/2}})"],
    *["expmech({}, fn, {})", "expmech(eps, bad, {})"],
]
NAMES: dict[str, Any] = {
    "third": Fraction(1, 3),
    "odd": ODD,
    "Odd": Odd,
    "table": {Fraction(1, 2): [Fraction(1, 3)], "a": None},
    "fn": lambda *_: Fraction(1, 3),
    "bad": lambda *_: ODD,
    "fails": lambda *_: 1 / 0,
    "inf": inf,
    "eps": eps,
    "exp": exp,
    "lap": lap,
    "dlap": dlap,
    "expmech": expmech,
    "choose": choose,
}


@st.composite
def expressions(draw: Any, depth: int = 2) -> str:
    """Draw an expression that is most likely wrong."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        found: str = draw(st.sampled_from(ATOMS))
        return found
    shape: str = draw(st.sampled_from(SHAPES))
    count = shape.replace("{{", "").count("{}")
    return shape.format(*(draw(expressions(depth - 1)) for _ in range(count)))


@given(expressions(), expressions(1))
@examples(200)
def test_programs(output: str, other: str) -> None:
    text = (
        "def m(q: Real, x: Dom(0, 2)):\n    r = lap(eps, q)\n    z = dlap(eps, x)\n"
        f"    y = {other}\n    return {output}\n"
    )
    said = ""
    try:
        mechanism = Mechanism.from_source(text, constants=NAMES)
        mechanism.distribution((Fraction(1, 2), 1))
        Accuracy(mechanism, exp(-eps), inputs=AllReals()).check()
    except ExactdpError as error:
        said = str(error)
    assert inside(said) == []


class Silent:
    """A class of the user whose `repr` fails."""

    def __repr__(self) -> str:
        raise RuntimeError


def function() -> None:
    """Have a name."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 3), "1/3"),
        ([Fraction(1, 2), (Fraction(2),), {"a": Fraction(1, 4)}], "[1/2, (2,), {'a': 1/4}]"),
        (int, "int"),
        (ODD, "an Odd"),
        (Silent(), "a Silent"),
        (function, "the function function"),
        (len, "the function len"),
        (lambda: None, "a lambda"),
        (MECHANISMS[0][0], "the mechanism m"),
        (exp(-eps), "exp(-eps)"),
        (Interval(0, 1), "[0, 1]"),
        (sup, "sup"),
        ("a", "'a'"),
        (10**5000, "a very long number"),
    ],
    ids=range(14),
)
def test_values_in_messages(value: object, text: str) -> None:
    assert shown(value) == text


def test_types_in_messages() -> None:
    """They are told where they may be what is wrong, and are Python's own."""
    assert typed("3") == "'3' (str)"
    assert typed(Fraction(1, 3)) == "1/3"
    assert typed(ODD) == "an Odd"


def test_integer_noise_with_any_gamma() -> None:
    """Infinitely many values of γ matter: below 1, a nonzero sample (1 − tanh(ε/2)) is an error."""
    for number in (2, 5):
        mechanism, _ = MECHANISMS[number]
        verdict = Accuracy(mechanism, exp(-gamma * eps), gamma=ANY, output_distance=sup).check()
        found = verdict.counterexample
        assert verdict.holds is False
        assert 0 < found.gamma < 1
        assert 1 - math.tanh(found.eps / 2) > math.exp(-found.gamma * found.eps)
        way_out = Accuracy(mechanism, exp(-gamma * eps), gamma=1, output_distance=sup)
        assert way_out.check().holds
