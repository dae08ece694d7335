"""Reading and printing formulas, and every way in which a text can be wrong."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Collection
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactdp_next.codec import read, written
from exactdp_next.errors import ExactdpError, ParseError
from exactdp_next.ring.expr import (
    Condition,
    Expr,
    alpha,
    eps,
    exp,
    expr,
    gamma,
    log,
    maximum,
    minimum,
    piecewise,
    sqrt,
)
from exactdp_next.ring.numbers import number
from exactdp_next.ring.text import parse, parse_condition
from support.examples import examples


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 - 2/3*exp(-2/9*eps) + 1/6*eps*exp(-eps)", None),
        ("0.1", Fraction(1, 10)),
        ("1e-40", Fraction(1, 10**40)),
        (".5 + 2.", Fraction(5, 2)),
        ("1_000", 1000),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^-2", Fraction(1, 4)),
        ("2**(-2)", Fraction(1, 4)),
        ("2**3**2", 512),
        ("2**-1**2", Fraction(1, 2)),
        ("-2**-2", Fraction(-1, 4)),
        ("6/2/3", 1),
        ("2 - 3 - 4", -5),
        ("--3", 3),
        ("2*-3", -6),
        ("exp(0)", 1),
        ("exp(eps)*exp(-eps)", 1),
        ("eps - ε", 0),
        ("5%", Fraction(1, 20)),
        ("12.5 % * 8", 1),
        ("1·2×3 − 4", 2),
        ("sqrt(4/9)", Fraction(2, 3)),
        ("8^(2/3)", 4),
        ("sqrt(2)*sqrt(8)", 4),
        ("log(6) - log(2) - log(3)", 0),
        ("exp(2*log(3))", 9),
        ("log(exp(eps)/2) - eps + log(2)", 0),
        ("min(3, 1/2, 2)", Fraction(1, 2)),
        ("maximum(1, 2,)", 2),
        ("abs(-3)", 3),
        ("1 if 2 < 3 else 5", 1),
        ("1 if 2 < 3 < 3 else 4 if True else 5", 4),
        ("(1 - exp(-2*eps))/(1 - exp(-eps)) - exp(-eps)", 1),
        ("(" * 90 + "1" + ")" * 90, 1),
        ("(" * 20000 + "1" + ")" * 20000, 1),
        ("9" * 5000 + "/" + "9" * 5000, 1),
        ("+".join(["eps"] * 20000) + " - 20000*eps", 0),
    ],
)
def test_what_texts_mean(text: str, value: object) -> None:
    if value is None:
        value = 1 - Fraction(2, 3) * exp(eps * Fraction(-2, 9)) + eps * exp(-eps) / 6
    assert parse(text) == value


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("", "E01", 1),
        ("   ", "E01", 4),
        ("1 +", "E02", 4),
        ("(1 + eps", "E04", 1),
        ("exp(eps", "E04", 4),
        ("1 + eps)", "E05", 8),
        ("2 eps", "E06", 3),
        ("2eps", "E06", 2),
        ("1..2", "E06", 3),
        ("5 % 3", "E06", 5),
        ("0x10", "E06", 2),
        ("2^eps", "E33", 1),
        ("eps^eps", "E33", 1),
        ("exp eps", "E09", 1),
        ("foo(eps)", "E08", 1),
        ("__import__('os').system('true')", "E08", 1),
        ("eval(1)", "E08", 1),
        ("(lambda: 1)()", "E03", 8),
        ("eps.real", "E03", 4),
        ("eps.__class__", "E03", 4),
        ("'a'", "E03", 1),
        ("[1]", "E03", 1),
        ("x := 1", "E03", 3),
        ("beta + 1", "E35", 1),
        ("q[0]", "E35", 1),
        ("δ", "E35", 1),
        ("ｅｐｓ", "E35", 1),
        ("1/0", "E31", 1),
        ("1/(eps - eps)", "E31", 1),
        ("0^-1", "E31", 1),
        ("(eps - eps)^-2", "E31", 1),
        ("log(0)", "E36", 1),
        ("log(-1)", "E36", 1),
        ("sqrt(-1)", "E37", 1),
        ("1 @ 2", "E03", 3),
        ("1 + \n 2 *", "E02", 5),
        ("1e999999999", "E34", 1),
        ("1e99999999999999999999", "E34", 1),
        ("10**10**10", "E34", 1),
        ("10**10**9", "E32", 1),
        ("9**9**9", "E32", 1),
        ("nan", "E13", 1),
        ("inf", "E13", 1),
        ("True", "E10", 1),
        ("alpha < 1", "E10", 1),
        ("(alpha < 1) + 1", "E10", 1),
        ("1 + True", "E10", 5),
        ("1 if alpha else 2", "E11", 6),
        ("1 if alpha < 1", "E15", 3),
        ("1 else 2", "E07", 3),
        ("1 + or 2", "E07", 5),
        ("(1 else 2)", "E07", 4),
        ("(1 if 2 < 3)", "E15", 4),
        ("1, 2", "E03", 2),
        ("(1, 2)", "E19", 1),
        ("exp(1, 2)", "E17", 1),
        ("exp()", "E07", 5),
        ("piecewise(1)", "E18", 11),
        ("piecewise((1, 2))", "E18", 11),
        ("not alpha < 1 + 1 or 2", "E11", 22),
        ("(" * 1000, "E02", 1001),
        ("1\x00", "E03", 2),
        ("1 = 2", "E03", 3),
        ("…", "E03", 1),
        ("1+" * 500_000, "E14", None),
    ],
)
def test_wrong_texts(text: str, code: str, column: int | None) -> None:
    """One clear error that names the place, quickly."""
    start = time.process_time()
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.code == code
    assert caught.value.column == column
    assert time.process_time() - start < 1


def refusal(text: str, names: Collection[str] = ()) -> ParseError | None:
    """Return the error that a text gets, None if it is a formula."""
    try:
        parse(text, names)
    except ParseError as error:
        return error
    return None


@pytest.mark.parametrize("text", ["1+" * 99_000, "(" * 199_000, "1" * 199_000, "x" * 199_000])
def test_a_long_text_is_read_or_refused_quickly(text: str) -> None:
    start = time.process_time()
    told = refusal(text)
    assert told is None or len(str(told)) < 1000
    assert time.process_time() - start < 10


@pytest.mark.parametrize("text", [None, 3, b"1", ["1"]])
def test_what_is_no_text(text: Any) -> None:
    with pytest.raises(ExactdpError):
        parse(text)


def test_names() -> None:
    """A name is known with its entries, or one entry alone; with None every name is."""
    assert parse("q[0] + q[1] - x", names={"q", "x"}).names == {"q[0]", "q[1]", "x"}
    assert parse("q[1]", names=["q[1]"]).names == {"q[1]"}
    assert parse("anything[3][4]", names=None).names == {"anything[3][4]"}
    with pytest.raises(ParseError):
        parse("q[0]", names=["q[1]"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0 <= alpha < 1", "0 <= alpha and alpha < 1"),
        ("alpha ≤ 1 or not (eps ≠ 2 and gamma ≥ 1)", "alpha <= 1 or not (eps != 2 and gamma >= 1)"),
        ("not not alpha < 1", "alpha < 1"),
        ("alpha < 1 and True", "alpha < 1"),
        ("alpha < 1 or 2 > 1", "True"),
    ],
)
def test_conditions(text: str, shown: str) -> None:
    found = parse_condition(text)
    assert str(found) == shown
    assert parse_condition(shown) == found


def test_conditions_have_no_truth_value_in_python() -> None:
    """`and`, `or`, chains and `if` would decide at once; `&`, `|`, `~` join."""
    for wrong in (
        lambda: 0 <= alpha < 1,
        lambda: alpha < 1 and eps < 1,
        lambda: not alpha < 1,
        lambda: 1 if alpha < 1 else 2,
        lambda: sorted([alpha, eps]),
    ):
        with pytest.raises(ExactdpError):
            wrong()
    assert str((alpha < 1) & ~(eps >= 1) | (gamma > 1)) == "alpha < 1 and eps < 1 or gamma > 1"
    assert bool(expr(1) < 2)
    assert not log(2) > 1
    assert sqrt(2) * sqrt(3) <= sqrt(6)
    assert maximum(log(2), Fraction(1, 2)) >= log(2)


def test_numbers_in_formulas() -> None:
    """A float is the decimal that it prints as; what is no number is refused."""
    for tenth in (0.1, "0.1", Decimal("0.1"), Fraction(1, 10), np.float64(0.1), "1/10", "10%"):
        assert number(tenth) == Fraction(1, 10)
    assert 0.1 * exp(-eps) == exp(-eps) / 10 == exp(-eps) * Decimal("0.1")
    assert np.int64(3) * eps == 3 * eps == eps * np.int64(3)
    assert 0.5 - eps == Fraction(1, 2) - eps
    assert (eps < 0.1).args[1] == Fraction(1, 10)
    for wrong in (True, float("nan"), float("inf"), -float("inf"), "nan", "1/0", "", "x", None):
        assert number(wrong) is None
    bad: Any
    for bad in (True, float("nan"), float("inf"), Decimal("nan"), np.float64("inf")):
        for use in (
            lambda x: eps + x, lambda x: x * eps, lambda x: eps / x, lambda x: eps < x, exp,
            lambda x: eps**x, lambda x: maximum(eps, x), lambda x: eps.at({"eps": x}),
            eps.at,
        ):  # fmt: skip
            with pytest.raises(ExactdpError):
                use(bad)
    for other in ("1", None, [1], object()):
        with pytest.raises(TypeError):
            eps + other


@pytest.mark.parametrize(
    "formula",
    [
        3 * exp(-alpha * eps / 2),
        1 - exp(-alpha * eps) / 2 - (eps - 1) - (-2 * eps),
        -(alpha * eps) * -3 / (2 * eps) / eps**-2,
        (-2) * eps**3 * (-alpha) ** 2,
        eps ** Fraction(-1, 2) * (1 + eps) ** Fraction(2, 3),
        minimum(1, 3 * exp(-alpha * eps / 2)),
        piecewise((exp(-alpha * eps), alpha < 1), (exp(-eps), True)),
        piecewise((1, "0 <= alpha < 1 or eps > 2"), (abs(alpha - 3), ~(gamma < 1))),
        log(20) / eps + sqrt(2) * log(gamma),
        eps - (alpha - (gamma - 1)),
        2 ** expr(Fraction(1, 3)) * 5 ** expr(-1) * eps,
        (eps**2) ** Fraction(1, 2),
        expr((exp(-eps / 3) * eps - 1 + exp(eps - Fraction(3, 2)) * sqrt(3)).lower()),
        expr((log(3) / (1 - exp(-eps)) / eps - 1).lower()),
        log(expr((1 - exp(-eps)).lower()) + alpha),
        expr(Fraction(-3, 7)),
        abs(expr(exp(-eps).lower())) + minimum(expr(exp(-eps).lower()), alpha),
    ],
)
def test_printing_parses_back(formula: Expr) -> None:
    assert parse(str(formula), names=None) == formula
    assert hash(parse(str(formula))) == hash(formula)
    assert pickle.loads(pickle.dumps(formula)) == formula
    assert read(Expr, written(formula)) == formula
    test = formula <= alpha
    assert read(Condition, written(test)) == test
    assert str(parse(str(formula))) == str(formula)


def test_readable_formulas() -> None:
    f = parse("1 - 2/3*exp(-2/9*eps) + 1/6*eps^2*exp(-eps)")
    lowered = expr(f.lower())
    assert str(f) == "1 - 2/3*exp(-2/9*eps) + 1/6*eps**2*exp(-eps)"
    assert str(lowered) == "1 - 2/3*exp(-2*eps/9) + 1/6*eps**2*exp(-eps)"
    assert lowered.pretty() == "1 − 2/3·e^(−2ε/9) + 1/6·ε²·e^(−ε)"
    assert lowered.latex() == (
        r"1 - \frac{2}{3} e^{-\frac{2 \varepsilon}{9}} "
        r"+ \frac{1}{6} \varepsilon^{2} e^{-\varepsilon}"
    )
    ratio = expr(((1 - exp(-eps)) / (1 + exp(-eps))).lower())
    assert ratio.pretty() == "(e^ε − 1)/(e^ε + 1)"
    assert str(3 * exp(-alpha * eps / 2)) == "3*exp(-alpha*eps/2)"
    assert (3 * exp(-alpha * eps / 2)).pretty() == "3·e^(−α·ε/2)"
    assert (3 * exp(-alpha * eps / 2)).latex() == r"3 e^{-\frac{\alpha \varepsilon}{2}}"
    assert repr(eps + 1) == "Expr('eps + 1')"
    assert str(minimum(1, alpha)) == "minimum(1, alpha)"
    assert parse("q[0]", names=["q"]).latex() == "q_{0}"
    cases_ = piecewise((eps, alpha < 1), (1, True))
    assert str(cases_) == "piecewise((eps, alpha < 1), (1, True))"
    assert cases_.pretty() == "{ε if α < 1; 1 otherwise}"
    assert r"\begin{cases}" in cases_.latex()
    assert expr(0).pretty() == expr(0).latex() == str(expr(0)) == "0"


leaf = st.one_of(
    st.fractions(-9, 9, max_denominator=9).map(expr),
    st.sampled_from([eps, alpha, gamma, exp(-eps), exp(alpha * eps / 3)]),
)


def _tests(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Condition]:
    one = st.builds(
        lambda a, b, op: {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op],
        parts, parts, st.sampled_from(["<", "<=", ">", ">="]),
    )  # fmt: skip
    return st.recursive(
        one,
        lambda x: st.one_of(
            st.builds(lambda a, b: a & b, x, x),
            st.builds(lambda a, b: a | b, x, x),
            x.map(lambda a: ~a),
        ),
        max_leaves=3,
    )


def _grown(parts: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    powers = st.sampled_from([2, 3, -1, Fraction(1, 2), Fraction(-2, 3)])
    return st.one_of(
        st.builds(lambda a, b: a + b, parts, parts),
        st.builds(lambda a, b: a - b, parts, parts),
        st.builds(lambda a, b: a * b, parts, parts),
        st.builds(lambda a, b: a / b if _is_apart(b) else a, parts, parts),
        st.builds(lambda a, n: a**n if a.number is None else a, parts.filter(_is_apart), powers),
        st.builds(lambda a: -a, parts),
        st.builds(exp, parts),
        st.builds(lambda a: log(a) if a.number is None else a, parts),
        st.builds(abs, parts),
        st.builds(minimum, parts, parts),
        st.builds(maximum, parts, parts, parts),
        st.builds(lambda a, b, t: piecewise((a, t), (b, True)), parts, parts, _tests(parts)),
        st.builds(lambda a: expr(a.lower()) if _is_short(a) else a, parts),
    )


def _is_short(a: Expr) -> bool:
    form = a.lower()
    return form is not None and len(str(form)) < 300


def _is_apart(a: Expr) -> bool:
    return a.lower(a.names) != 0


formulas = st.recursive(leaf, _grown, max_leaves=12)


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@examples(2000)
@given(formulas)
def test_printing_any_formula_parses_back(formula: Expr) -> None:
    again = parse(str(formula))
    assert again == formula
    assert hash(again) == hash(formula)
    assert str(parse(str(again))) == str(again)
    formula.pretty()
    formula.latex()


ALPHABET = "0123456789.eps xp()+-*/^ε\n·−%,<>=qif"


@examples(8000)
@given(st.text(alphabet=ALPHABET, max_size=30) | st.text(max_size=15))
def test_any_text_is_a_formula_or_a_located_error(text: str) -> None:
    told = refusal(text)
    if told is None:
        found = parse(text)
        assert parse(str(found)) == found
    else:
        assert told.column is not None


def test_every_prefix_of_a_text_is_read_or_refused() -> None:
    first = "(2^-1*exp(-q[0]*eps/2), 0 <= alpha < 1 and not eps > 2)"
    text = f"piecewise({first}, (5%, True)) if 1<2 else 3"
    for end in range(len(text)):
        told = refusal(text[:end], names=["q"])
        assert told is None or told.column is not None
    assert parse(text, names=["q"]).op == "cases"


def test_deep_formulas() -> None:
    """A thousand operations of each kind inside each other, and ten thousand sums."""
    steps: list[Callable[[Expr, int], Expr]] = [
        lambda f, k: f + exp(-k * eps),
        lambda f, k: f * (eps + k),
        lambda f, k: k - f,
        lambda f, k: log(f) + k,
        lambda f, k: minimum(f, alpha + k),
        lambda f, k: piecewise((f, alpha < k), (k, True)),
        lambda f, _: f + f,
    ]
    for times, step in zip([1000, 200, 1000, 1000, 1000, 1000, 30], steps, strict=True):
        f: Expr = eps + alpha
        for k in range(times):
            f = step(f, k + 1)
        assert f.names >= {"eps", "alpha"}
        hash(f)
        assert f == f.at({"alpha": alpha})
        f.monotone("eps")
        f.degree("alpha")
        f.at({"alpha": 1}).value(Fraction(1, 2))
        f.pieces()
        str(f)
    total = eps
    for k in range(10_000):
        total = total + exp(-k * eps)
    assert parse(str(total)) == total
    assert total.lower() is not None
