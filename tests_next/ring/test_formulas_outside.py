"""Formulas beside mpmath and SymPy: 10⁴ random ones, a sixteenth by default."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
import sympy
from flint import arb

from exactdp_next.errors import ExactdpError
from exactdp_next.ring.enclose import point, precision
from exactdp_next.ring.expr import Expr, expr
from exactdp_next.ring.printing import latex, pretty
from exactdp_next.ring.text import parse, parse_condition
from support.examples import cases
from support.random_formulas import (
    Tree,
    UndefinedError,
    holds,
    names_of,
    parts_of,
    tree,
    value,
    written,
)

PLACES = [Fraction(1, 7), Fraction(1), Fraction(23, 10)]
LEVELS = [Fraction(0), Fraction(2, 3), Fraction(3)]


def places(r: random.Random) -> list[dict[str, Fraction]]:
    return [{"eps": x, "alpha": r.choice(LEVELS), "gamma": r.choice(LEVELS)} for x in PLACES]


def contains(found: arb, expected: mpmath.mpf) -> bool:
    """Whether a ball contains a number that mpmath knows to fifty digits."""
    text = mpmath.nstr(expected, 50)
    slack = arb(mpmath.nstr(abs(expected) * mpmath.mpf(10) ** -28 + mpmath.mpf(10) ** -28, 5))
    return bool((found - arb(text)).overlaps(slack.union(-slack))) and bool(found.is_finite())


def made(one: Tree, at: list[dict[str, Fraction]]) -> Expr | None:
    """Return the formula; one that is refused must have a part that has no value anywhere."""
    try:
        return parse(written(one))
    except ExactdpError:
        assert any(all(is_undefined(part, values) for values in at) for part in parts_of(one))
        return None


def is_undefined(one: Tree, values: dict[str, Fraction]) -> bool:
    try:
        value(one, values)
    except UndefinedError:
        return True
    return False


def scaled(values: Mapping[str, Fraction]) -> dict[str, arb]:
    """Return the values of ε and of the products with ε, as exact forms have them."""
    eps = values["eps"]
    return {x: point(q if x == "eps" else q * eps) for x, q in values.items()}


@pytest.mark.parametrize("part", range(4))
def test_values_are_those_of_mpmath(part: int) -> None:
    """The formula, its exact form, its pieces, and its text read back, at three ε."""
    r = random.Random(f"values {part}")
    exact = undefined = 0
    with mpmath.workdps(60), precision(160):
        for _ in range(cases(2500)):
            one, at = tree(r, r.randint(1, 4)), places(r)
            f = made(one, at)
            if f is None:
                continue
            again = parse(str(f))
            assert again == f, written(one)
            assert hash(again) == hash(f)
            assert f.names <= names_of(one)
            assert latex(f)
            assert pretty(f)
            form = f.lower(("alpha", "gamma"))
            exact += form is not None
            assert form is None or parse(str(form)) == f
            pieces = f.pieces()
            for values in at:
                try:
                    expected = value(one, values)
                except UndefinedError:
                    undefined += 1
                    continue
                assert contains(f.at(values).value(1), expected), (written(one), values)
                try:
                    line = f.at({x: q for x, q in values.items() if x != "eps"})
                except ExactdpError:  # for an ε at which another case counts
                    continue
                found = line.value(values["eps"])
                assert contains(found, expected), (written(one), values)
                if form is not None:
                    assert contains(form.value(scaled(values)), expected), (str(f), values)
                if pieces is not None:
                    check_pieces(pieces, values, expected)
    assert exact > cases(2500) / 4
    assert undefined < cases(2500) * 2


def check_pieces(pieces: list, values: dict[str, Fraction], expected: mpmath.mpf) -> None:  # type: ignore[type-arg]
    """Check that a piece counts at the point, and that each that does has the value."""
    known = 0
    for where, piece in pieces:
        assert all(one.op not in ("min", "max", "abs", "cases") for one in piece.args)
        try:
            tests = [test.at(values).truth() for test in where]
        except ExactdpError:  # its comparisons have no value there
            continue
        if False in tests:
            continue
        if None not in tests:
            assert contains(piece.at(values).value(1), expected), (where, piece, values)
        known += 1
    assert known


@pytest.mark.parametrize("part", range(4))
def test_derivatives_are_those_of_mpmath(part: int) -> None:
    r = random.Random(f"series {part}")
    with mpmath.workdps(60), precision(160):
        for _ in range(cases(500)):
            one = tree(r, r.randint(1, 3), ("eps",), smooth=True)
            f = made(one, [{"eps": x} for x in PLACES])
            if f is None:
                continue
            x = r.choice(PLACES)
            try:
                expected = derivatives(one, x)
            except (UndefinedError, ValueError):
                continue
            found = f.series(x, 3)
            form = f.lower()
            for n, c in enumerate(expected):
                assert contains_roughly(found[n], c), (written(one), x, n)
                if form is not None:
                    assert contains_roughly(form.series(point(x), 3)[n], c), (written(one), x, n)


def derivatives(one: Tree, x: Fraction) -> list[mpmath.mpf]:
    """Return the first three Taylor coefficients, by differences of values close by."""
    h = Fraction(1, 10**12)
    low, mid, high = (value(one, {"eps": x + k * h}) for k in (-1, 0, 1))
    step = mpmath.mpf(10) ** -12
    return [mid, (high - low) / (2 * step), (high - 2 * mid + low) / (2 * step**2)]


def contains_roughly(found: arb, expected: mpmath.mpf) -> bool:
    gap = abs(mpmath.mpf(str(found.mid().str(40, radius=False))) - expected)
    return bool(gap <= (abs(expected) + 1) * mpmath.mpf(10) ** -8) and bool(found.is_finite())


@pytest.mark.parametrize("name", ["eps", "alpha"])
def test_what_is_called_monotone_is(name: str) -> None:
    r = random.Random(f"monotone {name}")
    known = 0
    with mpmath.workdps(40):
        for _ in range(cases(5000)):
            one = tree(r, r.randint(1, 3))
            f = made(one, places(r))
            direction = None if f is None else f.monotone(name)
            if direction is None:
                continue
            known += 1
            for values in places(r):
                try:
                    row = [value(one, values | {name: q}) for q in (*PLACES, Fraction(4))]
                except UndefinedError:
                    continue
                tiny = mpmath.mpf(10) ** -30
                gaps = [b - a for a, b in pairwise(row)]
                assert all(gap * direction >= -tiny for gap in gaps), written(one)
                assert direction or all(abs(gap) < tiny for gap in gaps), written(one)
    assert known > cases(5000) / 4


def test_degrees_are_those_of_differences() -> None:
    """A polynomial of degree d has no (d + 1)-th difference."""
    r = random.Random("degree")
    known = 0
    with mpmath.workdps(60):
        for _ in range(cases(2000)):
            one = tree(r, 3)
            f = made(one, places(r))
            d = None if f is None else f.degree("alpha")
            if d is None or d > 6:
                continue
            base = places(r)[1]
            try:
                row = [value(one, base | {"alpha": Fraction(k + 1, 2)}) for k in range(d + 3)]
            except UndefinedError:
                continue
            size = max(map(abs, row)) + 1
            for _ in range(d + 1):
                row = [b - a for a, b in pairwise(row)]
            assert all(abs(gap) < size * mpmath.mpf(10) ** -40 for gap in row), written(one)
            known += d > 0
    assert known > cases(2000) / 40


def test_sympy_has_the_same_values() -> None:
    r = random.Random("sympy")
    symbols = {x: sympy.Symbol(x, positive=True) for x in ("eps", "alpha", "gamma")}
    with mpmath.workdps(40):
        for _ in range(cases(400)):
            one = tree(r, r.randint(1, 3))
            f = made(one, places(r))
            if f is None:
                continue
            values = {"eps": Fraction(2, 3), "alpha": Fraction(5, 7), "gamma": Fraction(3, 2)}
            put = {
                symbols[x]: sympy.Rational(q.numerator, q.denominator) for x, q in values.items()
            }
            try:
                expected = value(one, values)
                shown = f.to_sympy()
            except (UndefinedError, ValueError):  # SymPy compares no complex numbers in a minimum
                continue
            found = sympy.N(shown.subs(put), 30)
            gap = abs(mpmath.mpf(str(found)) - expected)
            assert gap <= (1 + abs(expected)) * mpmath.mpf(10) ** -24, written(one)


def test_equal_formulas_are_equal_in_sympy() -> None:
    """Formulas that are told to be equal are; rewritten ones that have an exact form are told."""
    r = random.Random("equality")
    told = 0
    for _ in range(cases(300)):
        names = ("eps",)
        one, two = (tree(r, 2, names, smooth=True) for _ in range(2))
        at = [{"eps": x} for x in PLACES]
        f, g = made(one, at), made(two, at)
        if f is None or g is None:
            continue
        pairs = [((f + g) * (f - g), f * f - g * g), ((f + g) ** 2, f**2 + 2 * f * g + g**2)]
        for a, b in pairs:
            if a.lower() is not None and b.lower() is not None:
                assert a == b
                assert hash(a) == hash(b)
                told += 1
        if f.lower() is not None and g.lower() is not None:
            shown = sympy.simplify(f.to_sympy() - g.to_sympy()) if r.random() < 0.1 else None
            if shown is not None and shown == 0:
                assert f == g
        assert (f == g) == (expr(f) == g)
    assert told > cases(300) / 3


def test_conditions_have_the_truth_values_of_mpmath() -> None:
    r = random.Random("conditions")
    known = 0
    with mpmath.workdps(60), precision(160):
        for _ in range(cases(2000)):
            one = tree(r, 3)
            if one[0] != "cases":
                continue
            test = one[1][0]
            values = places(r)[0]
            try:
                expected = holds(test, values)
                found = parse_condition(written(test)).at(values).truth()
            except (UndefinedError, ExactdpError):
                continue
            assert found == expected, written(one)
            known += 1
    assert known > cases(2000) / 100
