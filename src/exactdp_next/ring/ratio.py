"""Ratio: a sum over a product of sums in ε alone, which are kept apart.

Discrete noise, `expmech`, `choose` and loops leave denominators such as 1 - e^{-ε} and
1 + e^{-ε/2}. Kept as {factor: power}, equal ones meet: sums have the least common denominator
without a division of polynomials. `reduced` cancels what numerator and factors have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import prod
from typing import TypeAlias

from flint import arb, arb_series, fmpq

from ..run import remembered
from .constants import ONE
from .enclose import order
from .expsum import ExpSum, Json
from .laurent import united
from .linear import Rational, Value, form

Factors: TypeAlias = Mapping[ExpSum, int]

Operand: TypeAlias = "Ratio | ExpSum | int | Fraction | fmpq"


class Ratio:
    """num / Π factorⁿ, immutable; two are equal if they are equal as quotients.

    A factor is a sum in ε (and constants) without its content: no power of ε or e^{ε/N} in front,
    whole coefficients with no common divisor, a positive one at the dominant term; or it is ε (or
    log p) itself. Its sign is not assumed: whoever divides knows that it is not 0 in the window.
    """

    __slots__ = ("_hash", "factors", "num")

    num: ExpSum
    factors: Factors

    def __init__(self, num: ExpSum, factors: Factors) -> None:
        """Take over a numerator and factors in normal form: `of`, `/` and `inverse` make them."""
        self.num, self.factors = num, factors if num else {}
        self._hash: int | None = None

    @staticmethod
    def of(x: Operand) -> Ratio:
        """Return a sum or a number over 1."""
        return x if isinstance(x, Ratio) else Ratio(ExpSum.of(x), {})

    @property
    def den(self) -> ExpSum:
        """The product of all factors, expanded."""
        return _expanded(self.factors)

    @property
    def names(self) -> tuple[str, ...]:
        """The names that occur in the numerator or in a factor."""
        return united(self.num.names, *(f.names for f in self.factors)).names

    @property
    def is_line(self) -> bool:
        """Whether it is a function of ε alone."""
        return self.num.is_line

    def rational(self) -> Fraction | None:
        """Return the number if it is rational and known to be."""
        one = self.reduced()
        return None if one.factors else one.num.rational()

    # ---- arithmetic

    def __add__(self, other: Operand) -> Ratio:
        if not isinstance(other, Ratio):
            if not isinstance(other, (ExpSum, int, Fraction, fmpq)):
                return NotImplemented
            other = Ratio.of(other)
        if not other.num:
            return self
        if not self.num:
            return other
        if self.factors == other.factors:
            return Ratio(self.num + other.num, self.factors)
        factors = dict(self.factors)
        for f, n in other.factors.items():
            factors[f] = max(n, factors.get(f, 0))
        return Ratio(_over(self, factors) + _over(other, factors), factors)

    __radd__ = __add__

    def __neg__(self) -> Ratio:
        return Ratio(-self.num, self.factors)

    def __sub__(self, other: Operand) -> Ratio:
        return self + -other

    def __rsub__(self, other: Operand) -> Ratio:
        return -self + other

    def __mul__(self, other: Operand) -> Ratio:
        if not isinstance(other, Ratio):
            if not isinstance(other, (ExpSum, int, Fraction, fmpq)):
                return NotImplemented
            return Ratio(self.num * other, self.factors)
        return Ratio(self.num * other.num, _product(self.factors, other.factors))

    __rmul__ = __mul__

    def inverse(self) -> Ratio:
        """Return 1 / self; the numerator is in ε alone and not 0."""
        over, factors = _factored(self.num)
        return Ratio(over * self.den, factors)

    def __truediv__(self, other: Operand) -> Ratio:
        if not isinstance(other, (Ratio, ExpSum, int, Fraction, fmpq)):
            return NotImplemented
        return self * Ratio.of(other).inverse()

    def __rtruediv__(self, other: Operand) -> Ratio:
        return self.inverse() * other

    def __pow__(self, n: int) -> Ratio:
        if not isinstance(n, int):
            return NotImplemented
        if n < 0:
            return self.inverse() ** -n
        return Ratio(self.num**n, {f: n * m for f, m in self.factors.items() if n})

    def reduced(self) -> Ratio:
        """Cancel what the polynomials of the numerator and of each factor have in common."""
        num, left = self.num, dict[ExpSum, int]()
        for f, n in self.factors.items():
            rest, times = f, n
            while times and (quotient := num.divide_exact(rest)) is not None:
                num, times = quotient, times - 1
            for _ in range(times):
                common = num.gcd(rest)
                if common.rational() is not None:
                    left = dict(_product(left, {rest: 1}))
                    continue
                num, part = _divided(num, common), _divided(rest, common)
                over, factors = _factored(part)
                num, left = num * over, dict(_product(left, factors))
        return Ratio(num, left)

    # ---- equality

    def __bool__(self) -> bool:
        return bool(self.num)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Ratio, ExpSum, int, Fraction, fmpq)):
            return NotImplemented
        other = Ratio.of(other)
        if self.factors == other.factors:
            return self.num == other.num
        return not self - other

    def __hash__(self) -> int:
        """Return the hash of numerator and denominator without a common divisor.

        With roots of primes, which are algebraic, such a quotient is not unique: all of them that
        are not free of roots have one hash; so have those of huge degree.
        """
        if self._hash is None:
            rooted = any(x.startswith("log(") for x in self.names)
            one = Ratio.of(self.num) / self.den if rooted else self
            one = one.reduced()
            is_huge = one.num.is_huge or any(f.is_huge for f in one.factors)
            if is_huge or any(x.startswith("log(") for x in one.names):
                self._hash = 1
            else:
                self._hash = hash((one.num, one.den)) if one.factors else hash(one.num)
        return self._hash

    def __reduce__(self) -> tuple[Callable[[Json], Ratio], tuple[Json]]:
        return Ratio.from_json, (self.to_json(),)

    # ---- calculus and values

    def substitute(self, values: Mapping[str, Value]) -> Ratio:
        """Put forms or numbers in place of names, as in ExpSum; no factor may become 0."""
        num = self.num.substitute(values)
        if "eps" not in values:
            return Ratio(num, self.factors)
        result = Ratio.of(num)
        for f, n in self.factors.items():
            result = result * Ratio.of(f.substitute(values)).inverse() ** n
        return result

    def at(self, eps: Rational) -> Ratio:
        """Return the value of a quotient on a line at a rational ε, exactly, of constants."""
        return self.substitute({"eps": form({ONE: eps})})

    def derivative(self, name: str = "eps") -> Ratio:
        """Return ∂/∂θ for the parameter θ of this name; see ExpSum.derivative."""
        result = Ratio(self.num.derivative(name), self.factors)
        for f, n in self.factors.items():
            if slope := f.derivative(name):
                result = result - Ratio(self.num * slope * n, _product(self.factors, {f: 1}))
        return result

    def value(self, x: arb | Mapping[str, arb] | None = None) -> arb:
        """Return a ball around the values (ExpSum.value); not finite where a factor may be 0."""
        result = self.num.value(x)
        for f, n in self.factors.items():
            result = result / f.value(x) ** n
        return result

    def series(self, x: arb, n: int) -> arb_series:
        """Return balls of the first n Taylor coefficients at every ε of a ball, on a line.

        They are not finite where a factor may be 0.
        """
        with order(n):
            result = self.num.series(x, n)
            for f, m in self.factors.items():
                below = f.series(x, n)
                if below[0].contains(0):
                    return arb_series([arb.nan()] * n, n)
                result = result / below**m
        return result

    # ---- text and JSON

    def to_json(self) -> Json:
        """Return the numerator and the sorted factors with their powers."""
        rows = [[f.to_json(), n] for f, n in self.factors.items()]
        return {"num": self.num.to_json(), "factors": sorted(rows, key=str)}

    @staticmethod
    def from_json(data: Json) -> Ratio:
        """Return the quotient whose `to_json` this is."""
        factors = {ExpSum.from_json(f): n for f, n in data["factors"]}
        return Ratio(ExpSum.from_json(data["num"]), factors)

    def __str__(self) -> str:
        """Return it as an expression of Python, which `parse` reads back."""
        if not self.factors:
            return str(self.num)
        rows = sorted((str(f), n) for f, n in self.factors.items())
        below = "*".join(f"({text}){f'**{n}' if n > 1 else ''}" for text, n in rows)
        return f"({self.num})/{below if len(rows) == 1 else f'({below})'}"

    def __repr__(self) -> str:
        return f"<Ratio {self}>"


def _product(one: Factors, two: Factors) -> Factors:
    if not one or not two:
        return one or two
    result = dict(one)
    for f, n in two.items():
        result[f] = result.get(f, 0) + n
    return result


def _expanded(factors: Factors) -> ExpSum:
    powers = [f if n == 1 else f**n for f, n in factors.items()]
    return prod(powers[1:], start=powers[0]) if powers else ExpSum.of(1)


def _over(one: Ratio, factors: Factors) -> ExpSum:
    """Return the numerator over a multiple of the denominator."""
    missing = {f: n - one.factors.get(f, 0) for f, n in factors.items()}
    return one.num * _expanded({f: n for f, n in missing.items() if n})


def _divided(f: ExpSum, divisor: ExpSum) -> ExpSum:
    result = f.divide_exact(divisor)
    assert result is not None
    return result


@remembered(most=1024)
def _factored(f: ExpSum) -> tuple[ExpSum, Factors]:
    """Return (u, factors in normal form) with 1/f = u / Π factorⁿ, u = c·e^{bε/N}."""
    if not f.is_line:
        raise ValueError(f"a denominator must be a function of ε alone, not of {f.names}")
    if not f:
        raise ZeroDivisionError("a quotient is divided by 0")
    content = f.content()
    (((k, b), c),) = content.terms().items()
    none = (0,) * len(k)
    over = ExpSum.from_terms(content.names, content.unit, {(none, tuple(-x for x in b)): 1 / c})
    factors = {ExpSum.name(x): n for x, n in zip(content.names, k, strict=True) if n}
    rest = _divided(f, content)
    return over, factors if rest == 1 else {**factors, rest: 1}
