"""ExpSum: Σ c·θ^k·e^{b·θ/unit}, exact, with any number of parameters θ.

Scaling. The name "eps" stands for ε; every other name x for the *product* ε·x ("alpha" for ε·α,
"x[0]" for ε·x[0]). So rates are plain numbers and no negative power of ε appears. A linear form
stands for ε times it: its constant c for c·ε. Names of constants ("1/eps", "log(2)/eps") are
parameters whose product with ε is a number (see constants.py).

A sum stands on one polynomial of flint (laurent.py). Canonical are its own names (those that occur:
"eps" first, constants last, sorted between), the least unit, no power of e^{θ/unit} inside the
polynomial: equal sums are equal then, and have one hash, whatever route made them. That form is
computed when it is asked for, as what is only added and multiplied need not have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Any, TypeAlias

from flint import arb, arb_series, ctx, fmpq, fmpq_mpoly
from flint.utils.flint_exceptions import DomainError

from . import constants
from .enclose import Terms, fmpq_of, fraction_of, precision, sign
from .laurent import (
    Laurent,
    added,
    canonical,
    common,
    comparable,
    exponential,
    from_exponents,
    linear,
    multiplied,
    number,
    power_in_front,
    reduced,
    substituted,
    united,
)
from .linear import Linear, Rational, Value, form, quotient, signed_sum
from .numbers import read, spell

Key: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""The exponents (k, b) of a term θ^k·e^{b·θ/unit}, in the order of the names."""

Json: TypeAlias = dict[str, Any]
"""What `json.dumps` takes and `json.loads` returns."""

LARGEST_DEGREE = 100_000
"""The degree in B up to which sums are divided: some seconds beyond, and memory for each degree."""

OPEN = 4096
"""Bits up to which the sign of a constant with logarithms is looked for."""


Operand: TypeAlias = "ExpSum | int | Fraction | fmpq"


class ExpSum:
    """Σ c·θ^k·e^{b·θ/unit} with rational c, immutable, with a value for equality and hash."""

    __slots__ = ("_body", "_hash", "_terms")

    _body: Laurent

    def __init__(self, body: Laurent) -> None:
        self._body = body
        self._hash: int | None = None
        self._terms: tuple[int, Terms] | None = None

    # ---- making one

    @staticmethod
    def of(x: Operand) -> ExpSum:
        """Return a sum that is this number, or the sum itself."""
        if isinstance(x, ExpSum):
            return x
        return ExpSum(number(fmpq_of(x)))

    @staticmethod
    def name(x: str) -> ExpSum:
        """Return ε for "eps", and ε·x for any other name x."""
        return ExpSum(linear({x: 1}))

    @staticmethod
    def linear(x: Value) -> ExpSum:
        """Return ε·x for a form or a number x."""
        return ExpSum(linear(_parts(x)))

    @staticmethod
    def exp(x: Value) -> ExpSum:
        """Return e^{ε·x} for a form or a number x; e^q for x = q/ε, p^q for x = q·log(p)/ε."""
        return ExpSum(exponential(_parts(x)))

    @staticmethod
    def from_terms(
        names: tuple[str, ...], unit: int, terms: Mapping[Key, fmpq | Rational]
    ) -> ExpSum:
        """Return Σ c·θ^k·e^{b·θ/unit} from {(k, b): c}, the names in any order, b of any sign."""
        frame = united(names)
        if len(frame.position) < len(names) or unit < 1:
            raise ValueError("a name is given twice, or the unit is not positive")
        place = [names.index(x) for x in frame.names]
        exponents = (
            ((*(k[i] for i in place), *(b[i] for i in place)), fmpq_of(c))
            for (k, b), c in terms.items()
        )
        return ExpSum(from_exponents(frame, unit, exponents))

    # ---- arithmetic

    def __add__(self, other: Operand) -> ExpSum:
        if not isinstance(other, ExpSum):
            if not isinstance(other, (int, Fraction, fmpq)):
                return NotImplemented
            other = ExpSum.of(other)
        if not other._body.poly:
            return self
        if not self._body.poly:
            return other
        return ExpSum(added(self._body, other._body))

    __radd__ = __add__

    def __neg__(self) -> ExpSum:
        return ExpSum(self._body._replace(poly=-self._body.poly))

    def __sub__(self, other: Operand) -> ExpSum:
        return self + -other

    def __rsub__(self, other: Operand) -> ExpSum:
        return -self + other

    def __mul__(self, other: Operand) -> ExpSum:
        if not isinstance(other, ExpSum):
            if not isinstance(other, (int, Fraction, fmpq)):
                return NotImplemented
            if not other:
                return ExpSum.of(0)
            return ExpSum(self._body._replace(poly=self._body.poly * fmpq_of(other)))
        return ExpSum(multiplied(self._body, other._body))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Rational | fmpq) -> ExpSum:
        if not isinstance(divisor, (int, Fraction, fmpq)):
            return NotImplemented
        return self * (1 / fmpq_of(divisor))

    def __pow__(self, n: int) -> ExpSum:
        if not isinstance(n, int):
            return NotImplemented
        if n < 0:
            raise ValueError("a sum has no negative power: that is a Ratio")
        frame, unit, low, poly, _ = self._body
        if not frame.roots:
            return ExpSum(Laurent(frame, unit, tuple(b * n for b in low), poly**n))
        result, square = ExpSum.of(1), self
        while n:
            result, square, n = result * square if n & 1 else result, square * square, n >> 1
        return result

    # ---- equality

    def __bool__(self) -> bool:
        return bool(self._body.poly)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExpSum):
            if not isinstance(other, (int, Fraction, fmpq)):
                return NotImplemented
            other = ExpSum.of(other)
        one, two = self._body, other._body
        if not comparable(one, two):
            one, two = self._canonical(), other._canonical()
        return comparable(one, two) and bool(one.poly == two.poly)

    def __hash__(self) -> int:
        if self._hash is None:
            frame, unit, low, poly, _ = self._canonical()
            q = self.rational()
            self._hash = hash(q if q is not None else (frame.names, unit, low, str(poly)))
        return self._hash

    def __reduce__(self) -> tuple[Callable[[Json], ExpSum], tuple[Json]]:
        return ExpSum.from_json, (self.to_json(),)

    def _canonical(self) -> Laurent:
        """Trim names, raise low, reduce the unit, once."""
        if not self._body.canonical:
            self._body = canonical(self._body)
        return self._body

    # ---- what it is

    @property
    def names(self) -> tuple[str, ...]:
        """The names that occur: "eps" first, constants last."""
        return self._canonical().frame.names

    @property
    def unit(self) -> int:
        """The common denominator of all rates."""
        return self._canonical().unit

    def terms(self) -> dict[Key, fmpq]:
        """Return {(k, b): c}, one entry for each term."""
        frame, _, low, poly, _ = self._canonical()
        n = frame.n
        return {
            (tuple(map(int, m[:n])), tuple(int(b) + a for b, a in zip(m[n:], low, strict=True))): c
            for m, c in zip(poly.monoms(), poly.coeffs(), strict=True)
        }

    def __len__(self) -> int:
        return len(self._body.poly)

    @property
    def is_huge(self) -> bool:
        """Whether a degree of its polynomial is above LARGEST_DEGREE."""
        return is_huge(self._canonical().poly)

    @property
    def is_constant(self) -> bool:
        """Whether it is a number: no name but constants."""
        frame = self._canonical().frame
        return len(frame.numbers) == frame.n

    @property
    def is_line(self) -> bool:
        """Whether it is a function of ε alone."""
        return self._canonical().frame.line

    def rational(self) -> Fraction | None:
        """Return the number if it is rational and known to be."""
        frame, _, _, poly, _ = self._canonical()
        if frame.n:
            return None
        return fraction_of(poly.coefficient(0)) if poly else Fraction(0)

    def bits(self) -> int:
        """Return an n, as small as is seen at once, with all coefficients below 2ⁿ in size.

        On a line constants belong to the coefficients. It says how precisely to compute.
        """
        frame = self._canonical().frame
        if frame.numbers and frame.line:
            balls = (c.abs_upper().man_exp() for c in self._balls().values())
            return max(int(m).bit_length() + int(e) for m, e in balls)
        return max((_bits(c) for c in self._body.poly.coeffs()), default=0)

    # ---- calculus

    def derivative(self, name: str = "eps") -> ExpSum:
        """Return ∂/∂θ for the parameter θ of this name: on a line, for "eps", the derivative.

        With several parameters the other products stay as they are: "alpha" stands for ε·α.
        """
        frame, unit, low, poly, _ = self._body
        if constants.is_constant(name):
            raise ValueError(f"{name} is a constant")
        if name not in frame.position:
            return ExpSum.of(0)
        i = frame.position[name]
        b = frame.n + i
        rates = frame.gens[b] * poly.derivative(b) + poly * low[i]
        slope = poly.derivative(i) + rates * fmpq(1, unit)
        return ExpSum(Laurent(frame, unit, low, slope))

    def substitute(self, values: Mapping[str, Value]) -> ExpSum:
        """Put forms or numbers in place of names: ε·x becomes ε·form, and ε becomes ε·form.

        So {"alpha": 3/2} makes ε·3/2 of ε·α; {"eps": form} is for other coordinates, as the rays
        of a cone, and {"eps": q·"1/eps"} puts the number q in place of ε. All at once.
        """
        body = self._canonical()
        if any(x in values for x in body.frame.numbers):
            raise ValueError("nothing can be put in place of a constant")
        images = {x: _parts(values[x]) for x in body.frame.names if x in values}
        return ExpSum(substituted(body, images)) if images else self

    def at(self, eps: Rational) -> ExpSum:
        """Return the value of a sum on a line at a rational ε, exactly, as a constant."""
        return self.substitute({"eps": form({constants.ONE: eps})})

    # ---- on a line

    def coefficients(self) -> dict[tuple[int, int], ExpSum]:
        """Return {(k, b): c} of Σ c·ε^k·e^{bε/unit}, where c are constants."""
        self._need_line()
        frame = self._canonical().frame
        if frame.names == ("eps",):
            return {(k, b): ExpSum.of(c) for ((k,), (b,)), c in self.terms().items()}
        groups: dict[tuple[int, int], dict[Key, fmpq]] = {}
        first = int("eps" in frame.position)
        for (k, b), c in self.terms().items():
            at = (k[0], b[0]) if first else (0, 0)
            groups.setdefault(at, {})[k[first:], b[first:]] = c
        names, unit = frame.names[first:], self.unit
        return {at: ExpSum.from_terms(names, unit, terms) for at, terms in groups.items()}

    def at_zero(self) -> ExpSum:
        """Return the value at ε = 0, a constant."""
        self._need_line()
        return self.substitute({"eps": 0})

    def order_at_zero(self) -> int:
        """Return the least n such that the n-th derivative at 0 is not 0; the sum is not 0.

        It ends: with N = Σ (highest k + 1) over the different rates a sum that is not 0 solves a
        linear differential equation of order N, so one of its first N derivatives is not 0 at 0.
        """
        if not self:
            raise ValueError("all derivatives of 0 are 0")
        n, f = 0, self
        while not f.at_zero():
            n, f = n + 1, f.derivative()
        return n

    def dominant(self) -> tuple[int, int]:
        """Return (k, b) of the term c·ε^k·e^{bε/unit} that rules for ε → ∞; the sum is not 0."""
        self._need_line()
        if not self:
            raise ValueError("0 has no term")
        if "eps" not in self.names:
            return 0, 0
        return max(((k[0], b[0]) for k, b in self.terms()), key=lambda m: (m[1], m[0]))

    @property
    def lead(self) -> ExpSum:
        """The coefficient of the dominant term, a constant."""
        return self.coefficients()[self.dominant()]

    def sign(self) -> int | None:
        """Return the sign of a constant: 1, -1, 0, or None if OPEN bits do not tell it from 0.

        Without logarithms it is never None, and the loop ends, as the number is not 0.
        """
        if not self.is_constant:
            raise ValueError(f"{self} is no constant")
        logs = any(any(k) for k, _ in self.terms())
        bits = 64 + max(0, self.bits())
        while self and (not logs or bits <= OPEN + max(0, self.bits())):
            with precision(bits):
                if found := sign(self.value()):
                    return found
            bits *= 2
        return None if self else 0

    def odd_part(self) -> tuple[ExpSum, ExpSum]:
        """Return (g, s) with self = g·s², g squarefree as a polynomial in θ and B = e^{θ/N}.

        On a line, without constants, every root ε ≠ 0 of g is simple. For let P be an irreducible
        factor of g and P(ε, e^{ε/N}) = 0. By Lindemann ε and e^{ε/N} are not both algebraic; but
        two coprime polynomials with rational coefficients have common zeros in algebraic points
        only. So no other factor is 0 there, and if the derivative D = ∂P/∂θ + B/N·∂P/∂B is 0 there,
        P divides D. D has no higher degree in θ or B, so then D = c·P for a number c, and that is
        so only for P = B, which has no root. With constants it need not be so: (e^ε - e)·(ε - 1)
        is squarefree, too. Only self = g·s² is always true. Beyond LARGEST_DEGREE no factor is
        looked for, and (self, 1) is returned: roots may be multiple then.
        """
        frame, unit, low, poly, _ = self._canonical()
        if not poly or is_huge(poly):
            return self, ExpSum.of(1)
        content, factors = poly.factor_squarefree()
        odd, square = frame.context.constant(content), frame.context.constant(1)
        for p, n in factors:
            n = int(n)  # noqa: PLW2901 flint gives its own integers
            if n % 2:
                odd = odd * p
            square = square * p ** (n // 2)
        none = (0,) * frame.n
        return ExpSum(reduced(frame, unit, low, odd)), ExpSum(reduced(frame, unit, none, square))

    def divide_exact(self, other: ExpSum) -> ExpSum | None:
        """Return the sum q with self = q·other if their polynomials divide, otherwise None.

        It is not tried for polynomials with a degree above LARGEST_DEGREE.
        """
        if not other:
            raise ZeroDivisionError("a sum is divided by 0")
        one, two = common(self._body, other._body)
        if len(other) > 1 and is_huge(one.poly, two.poly):
            return None
        frame, unit = one.frame, one.unit
        power = power_in_front(frame, two.poly)  # it divides everything
        low = tuple(a - b - c for a, b, c in zip(one.low, two.low, power, strict=True))
        try:
            ratio = one.poly / (two.poly / frame.monomial(power))
        except DomainError:
            return None
        return ExpSum(reduced(frame, unit, low, ratio))

    def gcd(self, other: ExpSum) -> ExpSum:
        """Return a greatest common divisor of the polynomials, with no power of B in front.

        It is 1 for polynomials with a degree above LARGEST_DEGREE, whatever they have in common.
        """
        one, two = common(self._body, other._body)
        if self and other and is_huge(one.poly, two.poly):
            return ExpSum.of(1)
        found = one.poly.gcd(two.poly)
        if not found:
            return ExpSum.of(0)
        low = tuple(-e for e in power_in_front(one.frame, found))
        return ExpSum(reduced(one.frame, one.unit, low, found))

    def content(self) -> ExpSum:
        """Return the term c·θ^k·e^{b·θ/unit} that can be taken out, for a sum that is not 0.

        What is left then has no power of θ or e^{θ/unit} in front, whole coefficients without a
        common divisor, and a positive one at the dominant term (the one with the largest (b, k)).
        """
        names, unit = self.names, self.unit
        terms = self.terms()
        lead = terms[max(terms, key=lambda key: (key[1], key[0]))]
        over = gcd(*(int(c.p) for c in terms.values()))
        under = lcm(*(int(c.q) for c in terms.values()))
        k, b = (tuple(map(min, zip(*part, strict=True))) for part in zip(*terms, strict=True))
        return ExpSum.from_terms(names, unit, {(k, b): fmpq(over if lead > 0 else -over, under)})

    # ---- enclosures

    def value(self, x: arb | Mapping[str, arb] | None = None) -> arb:
        """Return a ball that contains the values where θ lies in these balls.

        On a line `x` is a ball of ε, which a constant does not need. With several parameters it
        is {name: ball}: the ball of ε for "eps", of ε·x for another name x.
        """
        if isinstance(x, Mapping):
            return self._value_at(x)
        if x is None and not self.is_constant:
            raise ValueError(f"{self} has no value without one of ε")
        return self._enclosed().value(arb(0) if x is None else x)

    def series(self, x: arb, n: int) -> arb_series:
        """Return balls of the first n Taylor coefficients at every ε of a ball, on a line.

        flint cuts series in products at `ctx.cap`: compute with them inside `order(n)`.
        """
        return arb_series(self._enclosed().series(x, n), n)

    def _enclosed(self) -> Terms:
        """Return the terms with balls for coefficients, kept for the highest precision so far."""
        bits = ctx.prec
        if self._terms is None or self._terms[0] < bits:
            self._need_line()
            found = [(k, b, c) for (k, b), c in self._balls().items()]
            self._terms = bits, Terms(self.unit, found)
        return self._terms[1]

    def _balls(self) -> dict[tuple[int, int], arb]:
        """Return {(k, b): ball of c} of Σ c·ε^k·e^{bε/unit}."""
        frame, unit, low, poly, _ = self._canonical()
        if frame.names == ("eps",):
            (least,) = low
            pairs = zip(poly.monoms(), poly.coeffs(), strict=True)
            return {(int(k), int(b) + least): arb(c) for (k, b), c in pairs}
        first = int("eps" in frame.position)
        found: dict[tuple[int, int], arb] = {}
        for (k, b), c in self.terms().items():
            ball = arb(c)
            for x, i, j in zip(frame.names[first:], k[first:], b[first:], strict=True):
                ball *= constants.power_of(x, i, fmpq(j, unit))
            at = (k[0], b[0]) if first else (0, 0)
            found[at] = found[at] + ball if at in found else ball
        return found

    def _value_at(self, values: Mapping[str, arb]) -> arb:
        names, unit = self.names, self.unit
        place = [constants.value_of(x) if constants.is_constant(x) else values[x] for x in names]
        total = arb(0)
        for (k, b), c in self.terms().items():
            term, exponent = arb(c), arb(0)
            for x, i, j in zip(place, k, b, strict=True):
                if i:
                    term *= x**i
                if j:
                    exponent += x * j
            total += term * (exponent / unit).exp()
        return total

    def _need_line(self) -> None:
        if not self.is_line:
            raise ValueError(f"a function of ε alone is needed, not of {', '.join(self.names)}")

    # ---- text and JSON

    def to_json(self) -> Json:
        """Return names and sorted terms [c, k, b/unit], rationals as "p/q": canonical."""
        unit = self.unit
        return {
            "names": list(self.names),
            "terms": [
                [spell(c), list(k), [spell(Fraction(e, unit)) for e in b]]
                for (k, b), c in sorted(self.terms().items())
            ],
        }

    @staticmethod
    def from_json(data: Json) -> ExpSum:
        """Return the sum whose `to_json` this is."""
        names = tuple(str(x) for x in data["names"])
        rows = [(read(c), tuple(k), [read(q) for q in b]) for c, k, b in data["terms"]]
        unit = lcm(*(q.denominator for _, _, b in rows for q in b))
        return ExpSum.from_terms(
            names, unit, {(k, tuple(int(q * unit) for q in b)): c for c, k, b in rows}
        )

    def __str__(self) -> str:
        """Return it as `parse` reads it, terms with large rates first, low powers among them."""
        names, unit, rows = self.names, self.unit, []
        for (k, b), c in sorted(
            self.terms().items(), key=lambda row: ([-x for x in row[0][1]], row[0])
        ):
            factors = _factors(names, unit, k, b)
            if c not in (1, -1) or not factors:
                factors.insert(0, spell(abs(c)))
            rows.append((1 if c > 0 else -1, "*".join(factors)))
        return signed_sum(rows)

    def __repr__(self) -> str:
        return f"<ExpSum {self}>"


def is_huge(*polynomials: fmpq_mpoly) -> bool:
    """Whether a degree is too high for algorithms whose time or memory grows with it."""
    return any(d > LARGEST_DEGREE for p in polynomials if p for d in p.degrees())


def _parts(x: Value) -> dict[str, Rational]:
    """Return the coefficients of ε·x by name, with "eps" for the constant of a form."""
    if not isinstance(x, Linear):
        return {"eps": x} if x else {}
    parts: dict[str, Rational] = {}
    for name, c in x.parts.items():
        if not isinstance(name, str) or name == "eps":
            raise ValueError(f"{name} in a form is no parameter")
        parts[name] = c
    if x.constant:
        parts["eps"] = x.constant
    return parts


def _bits(c: fmpq) -> int:
    return int(c.p).bit_length() - int(c.q).bit_length() + 1


def _factors(names: tuple[str, ...], unit: int, ks: Iterable[int], bs: Iterable[int]) -> list[str]:
    """Return the factors of θ^k·e^{b·θ/unit}: 2**(1/3), eps**2, alpha, exp(-alpha*eps/2 + 1)."""
    powers: dict[str, int] = {}
    exponent: list[tuple[Rational, str]] = []
    found = []
    for x, k, b in zip(names, ks, bs, strict=True):
        prime = constants.prime_of(x)
        if k:
            own = x if prime is None else f"log({prime})"
            powers[own] = powers.get(own, 0) + k
            if own == x != "eps":
                powers["eps"] = powers.get("eps", 0) + k
        if b and prime is not None:
            found.append(f"{prime}**({Fraction(b, unit)})")
        elif b:
            product = "" if x == constants.ONE else x if x == "eps" else f"{x}*eps"
            exponent.append((quotient(b, unit), product))
    found += [x if k == 1 else f"{x}**{k}" for x, k in powers.items()]
    return [*found, f"exp({signed_sum(exponent)})"] if exponent else found
