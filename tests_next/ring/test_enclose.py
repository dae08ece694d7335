"""Balls, ends, proven digits: beside mpmath, Fractions and by hand."""

from __future__ import annotations

import pickle
import random
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx, fmpq

from exactdp_next.ring.enclose import (
    Enclosure,
    accurate,
    ball,
    ends,
    fmpq_of,
    fraction_of,
    point,
    precision,
    sign,
)
from exactdp_next.ring.expsum import ExpSum
from exactdp_next.ring.linear import form
from support.examples import cases


def number(r: random.Random) -> Fraction:
    """Return a rational of any size."""
    q = Fraction(r.randint(-(10**12), 10**12), r.randint(1, 10**9))
    return q * Fraction(10) ** r.choice([0, 0, 0, -3, 5, -30, 40])


def test_balls_contain_what_they_are_made_of() -> None:
    r = random.Random("balls")
    for _ in range(cases(10_000)):
        with precision(r.choice([20, 53, 200])):
            a, b = sorted([number(r), number(r)])
            for x, least, most in ((point(a), a, a), (ball(a, b), a, b)):
                low, high = ends(x)
                assert low <= least <= most <= high
                assert high - low <= (most - least) + (abs(a) + abs(b)) / 2**15
            assert fraction_of(fmpq_of(a)) == a
            assert sign(point(a)) == (a > 0) - (a < 0)
            assert sign(ball(a, b)) in (0, (a > 0) - (a < 0))
            if a < 0 < b:
                assert sign(ball(a, b)) == 0


def test_ends_of_exact_balls_are_exact() -> None:
    """They were rounded to the working precision: an exact number became an interval."""
    for q in (Fraction(2**200 + 1), Fraction(2**200 + 1, 2**300), Fraction(0)):
        with precision(1000):
            x = point(q)
        with precision(53):
            assert ends(x) == (q, q)


def test_ends_that_are_too_long_to_write() -> None:
    with pytest.raises(ValueError, match="not finite"):
        ends(arb.nan())
    with pytest.raises(ValueError, match="too large"):
        ends(arb(2) ** (10**8))
    low, high = ends(arb(2) ** -(10**8))
    assert low == 0 < high < Fraction(1, 10**1000)
    low, high = ends(-(arb(2) ** -(10**8)))
    assert high == 0 > low > Fraction(-1, 10**1000)
    low, high = ends(arb(1) + arb(2) ** -(10**8))
    assert low <= 1 < high
    both = ends((arb(2) ** -(10**8)).union(-(arb(2) ** -(10**8))))
    assert both[0] < 0 < both[1]


def test_an_undecided_comparison_is_not_a_sign() -> None:
    x = arb(0, 1)
    assert not (x > 0)
    assert not (x < 0)
    assert sign(x) == 0
    assert sign(arb.nan()) == 0
    assert sign(arb(1, 0.5)) == 1
    assert sign(arb(-1, 0.5)) == -1


def test_accuracy_is_relative() -> None:
    f = ExpSum.exp(1) - 1 - ExpSum.name("eps")  # x²/2 near 0: 200 bits cancel
    x = point(Fraction(1, 2**100))
    found = accurate(lambda: f.value(x), 64)
    assert found.rel_accuracy_bits() >= 64
    with precision(400):
        assert abs(found - arb(fmpq(1, 2**201))) < arb(2) ** -260
    before = ctx.prec
    zero = accurate(lambda: arb(2).sqrt() ** 2 - 2, 64, most=2000)
    assert zero.contains(0)
    assert ctx.prec == before


def test_digits_are_proven() -> None:
    r = random.Random("digits")
    for _ in range(cases(10_000)):
        middle, digits = number(r), r.randint(1, 25)
        half = abs(middle) * Fraction(r.randint(1, 99), 10 ** r.randint(2, 30))
        x = Enclosure(middle - half, middle + half)
        for text in (str(x), x.text(digits)):
            if text.startswith("["):
                low, high = (Fraction(t) for t in text[1:-1].split(", "))
                assert low <= x.lower <= x.upper <= high
                assert high - low <= 3 * x.width or x.width == 0
                continue
            shown = Fraction(text.rstrip("…"))
            step = unit(text.rstrip("…"))
            assert abs(shown) <= min(abs(x.lower), abs(x.upper))
            assert max(abs(x.lower), abs(x.upper)) < abs(shown) + step
            assert significant(text) <= (40 if text.endswith("…") else digits)
        with mpmath.workdps(50):
            low, high = (mpmath.mpf(q.numerator) / q.denominator for q in (x.lower, x.upper))
            assert low * (1 - mpmath.sign(low) * 1e-40) <= float(x) * (1 + 1e-15) or middle < 0
            assert abs(float(x) - float((low + high) / 2)) <= 1e-15 * abs(float(middle))


def unit(text: str) -> Fraction:
    """Return what one step of the last digit is."""
    mantissa, _, power = text.partition("e")
    places = len(mantissa.partition(".")[2])
    return Fraction(10) ** (int(power or 0) - places)


def significant(text: str) -> int:
    mantissa = text.rstrip("…").partition("e")[0].lstrip("-").replace(".", "")
    return len(mantissa.lstrip("0"))


def test_texts_by_hand() -> None:
    def text(a: str, b: str) -> str:
        return str(Enclosure(Fraction(a), Fraction(b)))

    assert text("0.27831", "0.27838") == "0.2783…"
    assert text("-0.27838", "-0.27831") == "-0.2783…"
    assert text("0.2999", "0.3001") == "[0.29990, 0.30010]"
    assert text("-0.1", "0.2") == "[-0.10, 0.20]"
    assert text("1/3", "1/3") == "1/3"
    assert text("2", "2") == "2"
    assert text("12345", "12345.9") == "12345…"
    assert text("12345", "12346") == "1.234e+4…"  # both ends belong to it
    assert text("123999", "123999.5") == "123999…"
    assert text("123400", "123499") == "1.234e+5…"  # "123400…" would claim two digits more
    assert text("0.00000012", "0.000000121") == "1.2e-7…"
    assert Enclosure(Fraction("0.367879441"), Fraction("0.367879442")).text(6) == "0.367879"
    assert Enclosure(Fraction(2, 3), Fraction(2, 3)).text(3) == "2/3"
    third = Fraction(10**30 + 1, 3 * 10**30)
    assert str(Enclosure(third, third)) == "0.3333333333333333333333333333336666666666…"


def test_an_enclosure_is_a_value() -> None:
    x = Enclosure(Fraction(1, 3), Fraction(1, 2))
    assert x == Enclosure.from_json(x.to_json())
    assert x == pickle.loads(pickle.dumps(x))
    assert hash(x) == hash(Enclosure.from_json(["1/3", "1/2"]))
    assert Fraction(2, 5) in x
    assert Fraction(2, 3) not in x
    assert (x.width, x.sign, x.is_exact) == (Fraction(1, 6), 1, False)
    assert Enclosure(Fraction(0), Fraction(0)).sign == 0
    assert Enclosure(Fraction(-1), Fraction(0)).sign is None
    assert ends(x.ball())[0] <= x.lower
    assert float(Enclosure(Fraction(10) ** 400, Fraction(10) ** 400)) == float("inf")
    with pytest.raises(ValueError, match="above"):
        Enclosure(Fraction(1), Fraction(0))
    with pytest.raises(AttributeError):
        x.lower = Fraction(0)  # type: ignore[misc]


def test_an_enclosure_of_a_value() -> None:
    half = accurate(lambda: ExpSum.exp(form({"1/eps": -1})).value(), 80)
    assert str(Enclosure.of(half)).startswith("0.36787944117144232159552")
    assert Enclosure.of(half).text(6) == "0.367879"


def test_numbers_of_many_digits() -> None:
    """The power of ten was guessed too high, zeros were written out, Python refused to convert."""
    tiny = Fraction(1, 2**100_000)
    assert str(Enclosure(tiny, tiny * Fraction(1001, 1000))) == "1.00e-30103…"
    assert str(Enclosure(1 / tiny, 1 / tiny)).startswith("9.9900209301438")
    assert str(Enclosure(Fraction(0), tiny)) == "[0, 1.1e-30103]"
    x = Enclosure(-tiny, 1 / tiny)
    assert Enclosure.from_json(x.to_json()) == x
    assert pickle.loads(pickle.dumps(x)) == x
    f = ExpSum.exp(1) * (1 / tiny)
    assert ExpSum.from_json(f.to_json()) == f
    assert hash(f) == hash(ExpSum.from_json(f.to_json()))
