"""ExpSum beside Fractions, mpmath and SymPy: 10⁴ random cases each, a sixteenth by default."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import partial

import mpmath
import pytest
import sympy

from exactdp_next.ring.enclose import Taylor, ball, degree_for, ends, order, point, precision
from exactdp_next.ring.expsum import ExpSum
from exactdp_next.ring.linear import Linear, Rational, Value, form
from support.examples import cases
from support.random_sums import (
    NAMES,
    Model,
    added,
    contains,
    derived,
    model,
    model_of,
    mp,
    mp_size,
    mp_text,
    mp_value,
    multiplied,
    small,
    sum_of,
)

PLACES = [
    *(Fraction(0), Fraction(1, 10**6), Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(40)),
    *(Fraction(1, 10**30), Fraction(10**4)),
]

USED = [("eps",), ("eps",), ("eps", *NAMES[3:]), ("eps", "alpha"), NAMES[:3], NAMES]


def drawn(r: random.Random) -> tuple[str, ...]:
    return r.choice(USED)


@pytest.mark.parametrize("part", range(4))
def test_arithmetic_is_that_of_fractions(part: int) -> None:
    r = random.Random(f"fractions {part}")
    for _ in range(cases(2500)):
        one, two = model(r, drawn(r), 6), model(r, drawn(r), 6)
        f, g, q = sum_of(one), sum_of(two), small(r)
        assert model_of(f) == one
        assert model_of(f + g) == added(one, two)
        assert model_of(f - g) == added(one, two, -1)
        assert model_of(f * g) == multiplied(one, two)
        assert model_of(f * q + q) == added(
            multiplied(one, {(ZERO, RATES): q}), {(ZERO, RATES): Fraction(1)}, q
        )
        for i in range(3):
            assert model_of(f.derivative(NAMES[i])) == derived(one, i)
        assert (f == g) == (one == two)


ZERO = (0,) * len(NAMES)
RATES = (Fraction(0),) * len(NAMES)


@pytest.mark.parametrize("part", range(4))
def test_equal_sums_are_one_value_whatever_made_them(part: int) -> None:
    r = random.Random(f"routes {part}")
    for _ in range(cases(2500)):
        one, two = model(r, drawn(r), 4), model(r, drawn(r), 4)
        f, g = sum_of(one), sum_of(two)
        for other in (
            (f + g) - g,
            f * 2 - f,
            -(g - (f + g)),
            (f + g) * (f - g) - f * f + g * g + f,
            ExpSum.from_json(f.to_json()),
            sum((sum_of({key: c}) for key, c in one.items()), ExpSum.of(0)),
        ):
            assert other == f
            assert hash(other) == hash(f)
            assert other.names == f.names
            assert other.unit == f.unit
            assert str(other) == str(f)
            assert other.to_json() == f.to_json()
        product = f * g
        if f and (divided := product.divide_exact(f)) is not None:
            assert divided == g
        else:  # only a product with roots of primes is reduced beyond what polynomials see
            assert not f or any(x.startswith("log") for x in f.names + g.names)


def place(r: random.Random) -> dict[str, Fraction]:
    eps = r.choice([*PLACES[:6], abs(small(r, 12, 9))])
    return {"eps": eps, "alpha": eps * small(r), "x0": eps * small(r)}


@pytest.mark.parametrize("part", range(4))
def test_values_are_those_of_mpmath(part: int) -> None:
    r = random.Random(f"values {part}")
    with mpmath.workdps(60), precision(120):
        for _ in range(cases(2500)):
            names = drawn(r)
            terms, values = model(r, names, 6), place(r)
            f = sum_of(terms)
            theta = {x: mp(q) for x, q in values.items()}
            value, size = mp_value(terms, theta), mp_size(terms, theta)
            found = f.value({x: point(q) for x, q in values.items()})
            assert contains(found, value, size * mpmath.mpf(10) ** -55)
            assert float(found.rad()) <= float(size) * 2.0**-100 or not terms
            if f.is_line:
                on_line = f.value(point(values["eps"]))
                assert contains(on_line, value, size * mpmath.mpf(10) ** -55)
                assert contains(f.at(values["eps"]).value(), value, size * mpmath.mpf(10) ** -55)
            if values["eps"]:
                unscaled = {x: theta[x] / theta["eps"] for x in ("alpha", "x0")}
                text = mp_text(str(f), {"eps": theta["eps"], **unscaled})
                assert abs(text - value) <= size * mpmath.mpf(10) ** -50


@pytest.mark.parametrize("part", range(4))
def test_substitution_is_that_of_mpmath(part: int) -> None:
    r = random.Random(f"substitution {part}")
    with mpmath.workdps(60):
        for _ in range(cases(2500)):
            terms = model(r, NAMES, 5)
            images = {x: image(r) for x in r.sample(NAMES[:3], r.randint(1, 3))}
            moved = sum_of(terms).substitute(images)
            theta = {x: mp(small(r)) for x in NAMES[:3]}
            before = {x: mp_form(images[x], theta) if x in images else theta[x] for x in theta}
            error = (1 + mp_size(terms, before)) * mpmath.mpf(10) ** -45
            assert abs(mp_value(model_of(moved), theta) - mp_value(terms, before)) <= error


def image(r: random.Random) -> Value:
    parts: dict[object, Rational] = {x: small(r) for x in NAMES[1:] if r.random() < 0.4}
    return form(parts, small(r) if r.random() < 0.5 else 0)  # type: ignore[arg-type]


def mp_form(x: Value, theta: dict[str, object]) -> object:
    constants = {"1/eps": mpmath.mpf(1), "log(2)/eps": mpmath.log(2), "log(3)/eps": mpmath.log(3)}
    if not isinstance(x, Linear):
        return mp(Fraction(x)) * theta["eps"]
    products = {**theta, **constants}
    parts = (mp(Fraction(c)) * products[str(y)] for y, c in x.parts.items())
    return mpmath.fsum(parts) + mp(Fraction(x.constant)) * theta["eps"]


def mp_at(terms: Model, eps: object) -> object:
    return mp_value(terms, {"eps": eps})


@pytest.mark.parametrize("part", range(4))
def test_derivatives_and_series_are_those_of_mpmath(part: int) -> None:
    r = random.Random(f"series {part}")
    for _ in range(cases(2500)):
        terms = model(r, r.choice(USED[:3]), 5)
        f, x, n = sum_of(terms), abs(small(r, 30, 7)), r.choice([1, 2, 4, 6])
        with mpmath.workdps(100):
            theta = {"eps": mp(x)}
            right = mpmath.taylor(partial(mp_at, terms), mp(x), n - 1)
            error = (1 + mp_size(terms, theta)) * mpmath.mpf(10) ** -30
            with precision(150):
                found = f.series(point(x), n)
                assert all(contains(found[i], right[i], error) for i in range(n))
                assert all(float(found[i].rad()) <= float(error) for i in range(n))
                if n > 1:
                    assert contains(f.derivative().value(point(x)), right[1], error)


@pytest.mark.parametrize("part", range(4))
def test_segments_contain_their_values(part: int) -> None:
    r = random.Random(f"segments {part}")
    for _ in range(cases(2500)):
        terms = model(r, r.choice(USED[:3]), 6)
        f = sum_of(terms)
        a = r.choice(PLACES)
        b = a + (a or 1) * r.choice([Fraction(1, 10**6), Fraction(1, 50), Fraction(1), Fraction(3)])
        degree = r.choice([1, 2, degree_for(f.bits()), 14])
        with precision(80), mpmath.workdps(50):
            balls = [Taylor(f, degree).over(a, b), f.value(ball(a, b))]
            wide, at = f.series(ball(a, b), 12), f.series(point((a + 2 * b) / 3), 12)
            assert all(at[i].overlaps(wide[i]) for i in range(12))
            for t in (Fraction(0), Fraction(1), Fraction(r.randrange(1000), 1000)):
                x = a + (b - a) * t
                value = mp_value(terms, {"eps": mp(x)})
                error = mp_size(terms, {"eps": mp(x)}) * mpmath.mpf(10) ** -45
                assert all(contains(one, value, error) for one in (*balls, wide[0]))


@pytest.mark.parametrize("part", range(4))
def test_expansion_and_equality_are_those_of_sympy(part: int) -> None:
    r = random.Random(f"sympy {part}")
    theta = {x: sympy.Symbol(x, positive=True) for x in NAMES[:3]}
    constants = {"1/eps": 1, "log(2)/eps": sympy.log(2), "log(3)/eps": sympy.log(3)}
    products = [*theta.values(), *constants.values()]

    def spelled(terms: Model) -> sympy.Expr:
        total = sympy.Integer(0)
        for (k, b), c in terms.items():
            power = sympy.Mul(*(t**n for t, n in zip(products, k, strict=True)))
            rates = (sympy.Rational(str(q)) * t for q, t in zip(b, products, strict=True))
            total += sympy.Rational(str(c)) * power * sympy.exp(sympy.Add(*rates))
        return total

    for _ in range(cases(500)):  # 20 times slower than the others
        names = r.choice([("eps",), ("eps", "1/eps"), NAMES[:3], NAMES])
        one, two, three = (model(r, names, 3) for _ in range(3))
        f = sum_of(one) * sum_of(two) - sum_of(three)
        right = sympy.expand(spelled(one) * spelled(two) - spelled(three))
        assert is_zero(spelled(model_of(f)) - right)
        slope = sympy.diff(right, theta["eps"])
        assert is_zero(spelled(model_of(f.derivative())) - slope)


def is_zero(x: sympy.Expr) -> bool:
    """Whether SymPy finds 0; 12^(1/3) and 2^(2/3)·3^(1/3) are different to it until split."""
    return bool(sympy.expand(sympy.expand(x).replace(is_root, split)) == 0)


def is_root(x: sympy.Expr) -> bool:
    return bool(x.is_Pow and x.base.is_Integer and not x.exp.is_Integer)


def split(x: sympy.Expr) -> sympy.Expr:
    return sympy.Mul(*(p ** (n * x.exp) for p, n in sympy.factorint(x.base).items()))


def test_ten_coefficients_are_not_the_end() -> None:
    """Products of series are cut at ten coefficients by flint, and the others read as 0."""
    f = ExpSum.exp(1) * ExpSum.name("eps")
    with precision(200), order(16):
        product = f.series(point(0), 16) * f.series(point(0), 16)
        square = (f * f).series(point(0), 16)
        assert all(product[i].overlaps(square[i]) and square[i].rad() < 1e-9 for i in range(16))
        assert square[15] > 0
    assert ends(Taylor(f, 15).over(Fraction(0), Fraction(1)))[1] < 3
