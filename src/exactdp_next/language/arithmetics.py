"""The exact arithmetic: finite values, numbers in ε, and linear forms in what is unknown.

With numbers for all inputs and samples it is that of rationals, which is how programs are run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ..errors import fail
from ..ring import exact
from ..ring.enclose import point, sign
from ..ring.expr import Expr, eps
from ..ring.linear import Linear, Rational, whole
from .comparisons import Fork, compared
from .folds import Branch, folded
from .lists import appended
from .numbers import number
from .operations import applied
from .samplers import WHOLE
from .values import Table, Value, is_finite, key, shown

Rate: TypeAlias = Fraction | Expr
"""The rate of noise divided by ε; a formula where it is not rational, or no multiple of ε."""

Weight: TypeAlias = Rational | Expr


@dataclass(frozen=True)
class Exact:
    """Values and forms."""

    def constant(self, value: Value) -> Value:
        """Return the value of a constant: itself."""
        return value

    def applied(self, op: str, args: tuple[Value, ...]) -> Value:
        """Return the value of an operation."""
        return applied(op, args)

    def appended(self, listed: Value, entry: Value) -> Value:
        """Return a list with one more entry."""
        return appended(listed, entry)

    def compared(self, op: str, a: Value, b: Value) -> bool | Fork:
        """Return whether a comparison holds, or on what it depends."""
        return compared(op, a, b)

    def folded(self, how: str, keyed: bool, state: Value) -> Value | Branch:
        """Return the largest, least or sorted entries, or where it depends on a comparison."""
        return folded(how, keyed, state, compared)

    def drawn(self, noise: str, rate: Value, mean: Value) -> tuple[Rate, Linear | Rational]:
        """Return the rate and the mean of noise, or the ends of uniform noise."""
        if noise == "unif":
            return _ends(rate, mean)
        return rate_of(rate, noise), mean_of(mean, noise)

    def choices(self, table: Value) -> list[tuple[Value, Weight]]:
        """Return the values of `choose` with their probabilities, whose sum is 1."""
        if not isinstance(table, Table) or not table.items:
            fail("S21", what=shown(table))
        found = [(v, _weight(v, w)) for v, w in table.items]
        _check_sum([w for _, w in found])
        return found

    def scored(self, rate: Value, scores: Value) -> tuple[Rate, list[tuple[Value, Value]]]:
        """Return the rate and the candidates of `expmech`, each once, with their scores."""
        assert isinstance(scores, tuple)
        pairs: dict[object, tuple[Value, Value]] = {}
        for one in scores:
            assert isinstance(one, tuple)
            candidate, score = one
            if isinstance(score, bool) or not isinstance(score, int | Fraction | Linear):
                fail("S18", candidate=shown(candidate), score=shown(score))
            pairs[len(pairs), key(candidate)] = (candidate, score)
        if not pairs:
            fail("S14")
        return rate_of(rate, "expmech"), [*pairs.values()]


EXACT = Exact()


def rate_of(value: Value, noise: str = "lap") -> Rate:
    """Return the rate of a sampler, a positive number times ε, divided by ε."""
    if isinstance(value, Linear):
        fail("S33", what="a real")
    if not isinstance(value, Expr):
        if isinstance(value, int | Fraction) and value == 0:
            fail("F08", what="0 * eps")
        fail("S01", what=shown(value), way_out="Write a * eps with a rational number a > 0")
    parts = exact.monomials(value)
    if parts is not None and not parts:
        fail("F08", what=str(value))
    if parts is not None and parts.keys() == {(1, None)}:
        rate = parts[1, None]
        if rate < 0:
            fail("S03", what=str(value))
        return Fraction(rate)
    return _other_rate(value, noise)


def _other_rate(value: Expr, noise: str) -> Rate:
    """Return a rate with a root, or a logarithm in exp(ε) for integer noise."""
    if parts := exact.monomials(value):
        if parts.keys() == {(-1, None)}:
            fail("S01", what=str(value), way_out="Write the scale as `scale=…`")
        fail("S01", what=str(value), way_out="Write a * eps with a rational number a > 0")
    over = value / eps
    form = over.lower()
    if form is not None and not (over.at({"eps": 1}) - over.at({"eps": 2})).lower():
        if sign(over.value(point(1))) <= 0:
            fail("S03", what=str(value))
        return over
    if "log" in str(value):
        if noise not in WHOLE:
            fail("S48", what=str(value))
        return value
    fail("S01", what=str(value), way_out="Write a * eps with a rational number a > 0")


def mean_of(value: Value, noise: str) -> Linear | Rational:
    """Return the mean of noise: a number or a form; of noise on the whole numbers one of them."""
    if isinstance(value, tuple | Table | range):
        fail("S08", what="a list")
    if isinstance(value, bool) or not isinstance(value, int | Fraction | Linear | Expr):
        fail("S07", noise=noise, what=shown(value))
    mean = number(value)
    if noise in WHOLE and isinstance(mean, Fraction) and mean.denominator != 1:
        fail("S10", noise=noise, what=shown(mean))
    return mean


def _ends(low: Value, high: Value) -> tuple[Rate, Linear | Rational]:
    """Return the ends of uniform noise."""
    for one in (low, high):
        if isinstance(one, bool) or not isinstance(one, int | Fraction | Linear | Expr):
            fail(
                "K02",
                what=f"{shown(one)}, which is not a number",
                way_out="Give a number, such as 0",
            )
    a, b = number(low), number(high)
    if any(isinstance(one, Linear) and one.noises() for one in (a, b)):
        fail("K02", what="noise", way_out="Add noise to the sample instead: x + unif(0, 1)")
    room = b - a
    if not isinstance(room, Linear) and room <= 0:
        fail("K01", low=shown(low), high=shown(high))
    return a, b  # type: ignore[return-value]


def _weight(v: Value, w: Value) -> Weight:
    if not is_finite(v):
        fail("S29", what="a real")
    if isinstance(w, Linear):
        fail("S30", what="a real")
    if isinstance(w, bool) or not isinstance(w, int | Fraction | Expr):
        fail("S28", what=shown(v), weight=shown(w))
    if isinstance(w, Expr):
        if w.number is not None:
            w = whole(w.number)
        elif exact.monomials(w) and "log" in str(w):
            fail("S45", what=str(w))
    if not isinstance(w, Expr) and w < 0:
        fail("S26", what=shown(v), weight=shown(w))
    return w


def _check_sum(weights: Sequence[Weight]) -> None:
    """Refuse probabilities whose sum is not 1."""
    total = sum(weights[1:], weights[0])
    if not isinstance(total, Expr):
        if total != 1:
            fail("S23", total=shown(total))
        return
    difference = total - 1
    if exact.is_zero(difference):
        return
    if any(word in str(total) for word in ("min", "max", " if ")):
        return  # cases of ε: decided where ε is cut
    at_one = float(total.at(1).lower) if difference.names else float(total.number or 0)
    fail("S24", total=str(total), at_one=f"{at_one:.6g}")
