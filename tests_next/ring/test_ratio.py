"""Ratio beside Fractions, mpmath and SymPy; laws of a field; factors that meet."""

from __future__ import annotations

import json
import pickle
import random
from fractions import Fraction
from math import prod

import mpmath
import pytest
import sympy
from flint import arb, arb_series

from exactdp_next.ring.constants import ONE, logarithm
from exactdp_next.ring.enclose import Taylor, point, precision
from exactdp_next.ring.expsum import ExpSum
from exactdp_next.ring.linear import form
from exactdp_next.ring.ratio import Ratio
from support.examples import cases
from support.random_sums import (
    NAMES,
    contains,
    exact,
    model,
    model_of,
    mp,
    mp_text,
    mp_value,
    small,
    sum_of,
)

EPS, ALPHA = ExpSum.name("eps"), ExpSum.name("alpha")
exp = ExpSum.exp


def below(r: random.Random) -> ExpSum:
    """Return a factor such as those of discrete noise, or a random one."""
    a, c = abs(small(r, 3, 3)) or Fraction(1), Fraction(r.choice([1, -1, 2, 3]), 2)
    common = [1 - exp(-a), 1 + exp(a) * c, EPS, EPS + c, exp(a) - exp(-a), EPS * exp(a) - EPS]
    return r.choice(common) if r.random() < 0.8 else sum_of(model(r, ("eps",), 2)) or EPS


def drawn(r: random.Random, names: tuple[str, ...] = NAMES[:2]) -> Ratio:
    """Return a random quotient, some with roots and powers of e."""
    result = Ratio.of(sum_of(model(r, names, 3)))
    for _ in range(r.randint(0, 2)):
        result = result / below(r)
    return result + Ratio.of(small(r)) / below(r) if r.random() < 0.3 else result


def free(f: ExpSum, place: dict[str, tuple[Fraction, Fraction]], unit: int) -> Fraction:
    """Put rationals for θ and for e^{θ/unit}: a homomorphism, as these are independent."""
    total = Fraction(0)
    for (k, b), c in f.terms().items():
        term = Fraction(int(c.p), int(c.q))
        for x, i, j in zip(f.names, k, b, strict=True):
            theta, rate = place[x]
            term *= theta**i * rate ** (j * unit // f.unit)
        total += term
    return total


def at(f: Ratio, place: dict[str, tuple[Fraction, Fraction]], unit: int) -> Fraction:
    under = prod(free(d, place, unit) ** n for d, n in f.factors.items())
    return free(f.num, place, unit) / under


@pytest.mark.parametrize("part", range(4))
def test_arithmetic_is_that_of_fractions(part: int) -> None:
    r = random.Random(f"ratio {part}")
    for _ in range(cases(2500)):
        f, g, h = drawn(r), drawn(r), drawn(r, ("eps",))
        place = {
            x: (Fraction(r.randint(50, 99), 47), Fraction(r.randint(50, 99), 43)) for x in NAMES[:2]
        }
        unit = 12
        values = [at(x, place, unit) for x in (f, g, h)]
        a, b, c = values
        assert at(f + g, place, unit) == a + b
        assert at(f - g, place, unit) == a - b
        assert at(f * g, place, unit) == a * b
        assert at(f * 3 - 1, place, unit) == a * 3 - 1
        assert at((f * g + f).reduced(), place, unit) == a * b + a
        if h:
            assert at(f / h, place, unit) == a / c
            assert at(h**-2, place, unit) == c**-2
        assert (f == g) == (not f - g)
        assert at(f, place, unit) * free(f.den, place, unit) == free(f.num, place, unit)


def test_equal_quotients_are_one_value() -> None:
    r = random.Random("routes")
    for _ in range(cases(4000)):
        names = r.choice([("eps",), NAMES[:2], ("eps", "1/eps", "log(2)/eps")])
        f, g, h = drawn(r, names), drawn(r, names), drawn(r, ("eps", *names[2:]))
        others = [(f + g) - g, f.reduced(), (f * 2 - f).reduced(), -(g - f) + g]
        others += [
            Ratio.from_json(json.loads(json.dumps(f.to_json()))),
            pickle.loads(pickle.dumps(f)),
        ]
        if h:
            others += [f * h / h, (f / h) * h]
        for other in others:
            assert other == f
            assert hash(other) == hash(f)
            assert not other - f
        if f.rational() is not None:
            assert hash(f) == hash(f.rational())


def test_factors_meet() -> None:
    one, two = 1 / Ratio.of(1 - exp(-1)), 1 / Ratio.of(2 * exp(3) - 2 * exp(2))
    assert (one + two).factors == {exp(1) - 1: 1}
    assert (one * two).factors == {exp(1) - 1: 2}
    assert one + two == (exp(1) + exp(-2) / 2) / Ratio.of(exp(1) - 1)
    assert (1 / Ratio.of(EPS - EPS * exp(-1))).factors == {EPS: 1, exp(1) - 1: 1}
    assert Ratio.of(exp(2)) / exp(5) == exp(-3)
    assert Ratio.of(3) / 4 == Fraction(3, 4)
    assert hash(Ratio.of(3) / 4) == hash(Fraction(3, 4))
    assert (Ratio.of(ALPHA) * 2).factors == {}
    assert ALPHA / Ratio.of(EPS) == Ratio.of(ALPHA) / EPS


def test_common_divisors_cancel() -> None:
    f = Ratio.of(exp(2) - 1) * ALPHA / (exp(1) - 1) ** 2
    assert f.reduced().factors == {exp(1) - 1: 1}
    assert f.reduced().num == ALPHA * (exp(1) + 1)
    g = Ratio.of(exp(1) + 1) / (exp(2) - 1)
    assert g.reduced().factors == {exp(1) - 1: 1}
    assert (Ratio.of(EPS) / EPS).reduced().factors == {}
    assert (Ratio.of(EPS) / EPS).rational() == 1
    assert (Ratio.of(exp(1) - 1) / (1 - exp(-1))).rational() is None
    third = Ratio.of(2 * exp(1) - 2) / (3 * exp(1) - 3)
    assert third.rational() == Fraction(2, 3)


def test_roots_of_primes_in_a_denominator() -> None:
    sqrt2 = exp(logarithm(2) * Fraction(1, 2))
    one, two = 1 / Ratio.of(sqrt2 + 1), Ratio.of(sqrt2 - 1)
    assert one == two
    assert hash(one) == hash(two)
    assert one * (sqrt2 + 1) == 1
    assert hash(one * (sqrt2 + 1)) == hash(1)
    e = exp(form({ONE: 1}))
    assert Ratio.of(1) / e == exp(form({ONE: -1}))
    assert ((e**2 - 1) / Ratio.of(e - 1)).reduced() == e + 1


def test_a_denominator_is_a_function_of_eps_that_is_not_zero() -> None:
    with pytest.raises(ValueError, match="alone"):
        1 / Ratio.of(ALPHA)
    with pytest.raises(ZeroDivisionError):
        1 / Ratio.of(EPS - EPS)
    with pytest.raises(ZeroDivisionError):
        (1 / Ratio.of(EPS - 2)).at(2)
    assert (1 / Ratio.of(EPS - 2)).at(4) == Fraction(1, 2)


@pytest.mark.parametrize("part", range(4))
def test_values_derivatives_and_series_are_those_of_mpmath(part: int) -> None:
    r = random.Random(f"ratio values {part}")
    done = 0
    while done < cases(2500):
        f, x = drawn(r, ("eps",)), abs(small(r, 30, 7)) or Fraction(1, 9)

        def right(t: object, f: Ratio = f) -> object:
            result = mp_value(model_of(f.num), {"eps": t})
            for d, n in f.factors.items():
                result = result / mp_value(model_of(d), {"eps": t}) ** n
            return result

        with mpmath.workdps(120), precision(300):
            if any(abs(mp_value(model_of(d), {"eps": mp(x)})) < 1e-3 for d in f.factors):
                continue  # near a pole
            done += 1
            coefficients = mpmath.taylor(right, mp(x), 12 if done % 40 == 0 else 1)
            error = (1 + abs(coefficients[0])) * mpmath.mpf(10) ** -20
            found = f.series(point(x), len(coefficients))
            assert all(contains(found[i], c, error) for i, c in enumerate(coefficients))
            assert float(found[0].rad()) < 1e-30 * (1 + abs(float(found[0].mid())))
            assert contains(f.value(point(x)), coefficients[0], error)
            assert contains(f.derivative().value(point(x)), coefficients[1], error)
            assert contains(f.at(x).value(), coefficients[0], error)
            size = abs(exact(mp_text(str(f), {"eps": mp(x)}) - coefficients[0]))
            assert size <= exact(error)


def test_simplification_is_that_of_sympy() -> None:
    r = random.Random("ratio sympy")
    eps, alpha = sympy.symbols("eps alpha", positive=True)
    names = {"eps": eps, "alpha": alpha}
    for _ in range(cases(500)):
        f, g = drawn(r), drawn(r)
        right = sympy.sympify(str(f), names, rational=True) * sympy.sympify(
            str(g), names, rational=True
        )
        found = sympy.sympify(str((f * g).reduced()), names, rational=True)
        difference = sympy.together(found - right)
        assert sympy.expand(sympy.fraction(difference)[0]) == 0
        slope = sympy.sympify(str((f * g).derivative()), names, rational=True)
        if not any("alpha" in x.names for x in (f, g)):
            difference = sympy.together(slope - sympy.diff(right, eps))
            assert sympy.expand(sympy.fraction(difference)[0]) == 0


def test_substitution_in_a_quotient() -> None:
    f = Ratio.of(exp(form({"alpha": -1})) * ALPHA) / (1 - exp(-1))
    assert f.substitute({"alpha": 2}) == Ratio.of(2 * EPS * exp(-2)) / (1 - exp(-1))
    halved = f.substitute({"eps": Fraction(1, 2)})
    assert halved == Ratio.of(exp(form({"alpha": -1})) * ALPHA) / (1 - exp(Fraction(-1, 2)))
    assert f.names == ("eps", "alpha")
    assert str(f) == "(alpha*eps*exp(eps - alpha*eps))/(exp(eps) - 1)"


def test_a_pole_has_no_finite_value() -> None:
    """Flint raises an error for some series and returns an infinite one for others."""
    f = EPS / Ratio.of(exp(1) - 1)
    for x in (arb(0), arb(0, 1), arb(1, 2)):
        assert not f.value(x).is_finite()
        assert not any(f.series(x, 4)[i].is_finite() for i in range(4))
    assert not Taylor(f, 3).over(Fraction(0), Fraction(1)).is_finite()


def test_long_series_of_quotients_are_not_cut() -> None:
    """Quotients of series end at ten coefficients in flint: the others were read as 0."""
    f = 1 / Ratio.of(EPS - 2)
    series = f.series(point(1), 15)
    assert all((series[i] + 1).contains(0) for i in range(15))
    cut = Taylor(Cut(f), 14)
    with pytest.raises(ValueError, match="10 coefficients"):
        cut.over(Fraction(1, 2), Fraction(1))


class Cut:
    """A function whose author forgot `order`."""

    def __init__(self, f: Ratio) -> None:
        self.f = f

    def value(self, x: arb) -> arb:
        """Return the value."""
        return self.f.value(x)

    def series(self, x: arb, n: int) -> arb_series:
        """Return a product, cut at ten coefficients."""
        return self.f.series(x, n) * 1 * self.f.series(x, n)
