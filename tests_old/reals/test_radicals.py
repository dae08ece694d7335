"""Numbers and functions of ε with roots, compared with mpmath and with known zeros."""

import math
import pickle
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import eps, exp, infimum, nonnegative, parse, positive, solution_set, sqrt, supremum
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.reals import radical_signs
from exactdp.reals.radical_form import RadicalForm, constant
from exactdp.reals.radicals import Radical, radical

numbers = st.fractions(-3, 3, max_denominator=9)
ROOT = radical(Fraction(2), Fraction(1, 2))
CUBE = radical(Fraction(4), Fraction(1, 3))


@given(st.sampled_from([ROOT, CUBE]), numbers, numbers, numbers, numbers)
def test_the_field(root: Radical, a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> None:
    x, y = root * a + b, root * root * c + root * d + 1
    with mpmath.workdps(40):
        value = mpmath.mpf(2) ** mpmath.mpf(0.5) if root == ROOT else mpmath.cbrt(4)
        one, two = value * a + b, value * value * c + value * d + 1
        for found, wanted in ((x + y, one + two), (x * y, one * two), (x - y, one - two)):
            assert abs(mpmath.mpf(float(found)) - wanted) < 1e-9
        if y != 0:
            assert abs(mpmath.mpf(float(x / y)) - one / two) < 1e-9
            assert (x / y) * y == x
        if x != y:
            assert (x < y) == (one < two)


def test_roots_are_written_with_the_smallest_number() -> None:
    assert radical(Fraction(8), Fraction(1, 2)) == 2 * ROOT
    assert radical(Fraction(1, 2), Fraction(1, 2)) == ROOT / 2
    assert radical(Fraction(9, 4), Fraction(1, 2)) == Fraction(3, 2)
    assert CUBE * CUBE * CUBE == 4
    assert radical(Fraction(2), Fraction(1, 3)) ** 2 == CUBE
    with pytest.raises(ValueRefusedError, match="are combined"):
        _ = ROOT + CUBE


TERMS = st.lists(
    st.tuples(numbers, numbers, st.integers(0, 2), numbers, numbers), min_size=1, max_size=4
)


@given(TERMS)
def test_signs_and_zeros_agree_with_values(
    terms: list[tuple[Fraction, Fraction, int, Fraction, Fraction]],
) -> None:
    """The set where f ≥ 0 is that seen at many points, for random exponential polynomials."""
    form = sum(
        (eps**k * (sqrt(2) * a + b) * exp((sqrt(2) * c + d) * eps) for a, b, k, c, d in terms),
        0 * eps,
    )

    def value(x: mpmath.mpf) -> mpmath.mpf:
        s = mpmath.sqrt(2)
        return sum((s * a + b) * x**k * mpmath.exp((s * c + d) * x) for a, b, k, c, d in terms)

    if not isinstance(form, RadicalForm):
        return
    try:
        found = solution_set(form)
    except ValueRefusedError:
        return
    holds = nonnegative(form).holds
    with mpmath.workdps(60):
        for n in range(-12, 24):
            x = Fraction(3, 2) ** n
            there = value(mpmath.mpf(x.numerator) / x.denominator)
            assert (x in found) == (there >= 0) or abs(there) < 1e-30
            assert there >= -1e-30 or not holds


def test_zeros_that_are_known() -> None:
    (stretch,) = solution_set(exp(-sqrt(2) * eps) - Fraction(1, 20))
    assert float(stretch.upper) == pytest.approx(math.log(20) / math.sqrt(2), abs=1e-11)
    best = supremum(eps * exp(-sqrt(2) * eps))
    assert best.attained
    assert float(best) == pytest.approx(1 / (math.e * math.sqrt(2)), abs=1e-12)
    assert float(infimum(exp(-sqrt(2) * eps) + exp(sqrt(2) * eps))) == 2
    tight = exp(-sqrt(2) * eps) * exp(sqrt(2) * eps)
    assert tight == 1
    assert (tight - 1) == 0


def test_large_functions_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best value seen is proved to be the bound; zeros of the derivative give the same."""
    forms = [
        eps * exp(-sqrt(2) * eps),
        exp(-eps) - exp(-sqrt(2) * eps),
        (1 - exp(-sqrt(2) * eps)) / eps,
        eps / (1 + sqrt(2) * eps),
    ]
    found = [(supremum(form), infimum(form)) for form in forms]
    monkeypatch.setattr(radical_signs, "_MOST_TERMS", 0)
    for form, both in zip(forms, found, strict=True):
        for one, two in zip((supremum(form), infimum(form)), both, strict=True):
            assert float(one) == pytest.approx(float(two), abs=1e-11)
            assert one.lower <= two.upper
            assert two.lower <= one.upper


def test_an_end_next_to_a_zero_is_not_taken_for_positive() -> None:
    """With κ just above e^(√2 − 1), e^(−ε) − κ·e^(−√2·ε) is negative at 1 by 10^(−81)."""
    with mpmath.workdps(100):
        size = mpmath.exp(mpmath.sqrt(2) - 1)
        kappa = Fraction(int(size * mpmath.mpf(10) ** 81) + 1, 10**81)
    form = exp(-eps) - exp(-sqrt(2) * eps) * kappa
    assert form.at(1).sign < 0
    decision = nonnegative(form, "[1, 2]")
    assert not decision.holds
    assert decision.witness == 1


def test_a_function_that_touches_zero_stays_open() -> None:
    square = (exp(-sqrt(2) * eps) - Fraction(1, 2)) ** 2
    with pytest.raises(ValueRefusedError, match="stays open"):
        nonnegative(square)
    assert nonnegative(square + Fraction(1, 10**6))
    assert positive(square + Fraction(1, 10**6))


def test_text_limits_and_copies() -> None:
    form = parse("1 - sqrt(2)*exp(-sqrt(2)*eps) + eps*sqrt(1/2)")
    assert str(form) == "1 + 1/2*sqrt(2)*eps - sqrt(2)*exp(-sqrt(2)*eps)"
    assert pickle.loads(pickle.dumps(form)) == form
    assert str(form.pretty()) == "1 + 1/2·√(2)·ε − √(2)·e^(−√(2)·ε)"
    ratio = (1 - exp(-sqrt(2) * eps)) / (1 + exp(-sqrt(2) * eps))
    assert (ratio.limit(0), ratio.limit(math.inf)) == (0, 1)
    assert float(ratio.at(1)) == pytest.approx(math.tanh(math.sqrt(2) / 2))
    (symbol,) = ratio.to_sympy().free_symbols
    assert float(ratio.to_sympy().subs(symbol, 1)) == pytest.approx(math.tanh(math.sqrt(2) / 2))
    assert ratio.derivative().at(1).text(8) == str(
        mpmath.nstr(mpmath.sqrt(2) / 2 / mpmath.cosh(mpmath.sqrt(2) / 2) ** 2, 8)
    )
    assert (ratio - ratio) == 0
    assert sqrt(4) == 2
    for wrong in ("sqrt(eps)", "sqrt(-2)", "exp(sqrt(2))", "sqrt(2"):
        with pytest.raises(ExactdpError):
            parse(wrong)


@given(st.sampled_from([ROOT, CUBE]), st.tuples(*[st.integers(-2, 2)] * 6), st.booleans())
@settings(max_examples=100)
def test_text_has_the_value_of_the_form(
    root: Radical, parts: tuple[int, ...], is_quotient: bool
) -> None:
    """Python evaluates the text, so that missing brackets change the value."""
    a, b, c, d, e, f = parts
    r = constant(root)
    form = (a + b * r) + (c + d * r) * eps * exp((e - r) * eps)
    form = form / (1 + eps) if is_quotient else form + (f * r - 1)
    names = {"sqrt": math.sqrt, "exp": math.exp, "eps": 1.5}
    value = eval(str(form).replace("^", "**"), names)
    assert value == pytest.approx(float(form.at(Fraction(3, 2))), abs=1e-9)
