"""Check exactdp certificates, with nothing but integers and fractions.

A certificate states that for every ε in an interval I the quotient f = N/D of two finite sums
Σ c·ε^k·e^{qε} (c, q rational) is ≥ 0, or > 0, or that this fails; and it carries a proof. A point
of I where f is undefined counts as failing; at ε = 0, and only there, f means its continuous
extension. The format is published as docs/schema/certificate-v1.json.

Why to believe an acceptance: `Enclosure` and `exp_enclosure` are the only inexact arithmetic, and
they round outwards, so too little precision can only cause a rejection. All the rest is exact.
Each rule of proof is one method of `_Checker` with its inequality in the docstring. Whatever is
not understood, or exceeds a limit below, is rejected.

The file also runs alone: python certify.py CERTIFICATE.json
(exit code 0: accepted, 1: rejected, 2: not a readable certificate).
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, count, repeat
from math import comb, factorial, inf, isqrt
from operator import mul
from typing import Any, NamedTuple

MAX_TEXT = 50_000_000  # characters of JSON
MAX_DIGITS = 200_000  # characters of a rational number
MAX_DEGREE = 10_000  # k in ε^k, powers of factors, degrees of Taylor polynomials
PRECISIONS = [1 << n for n in range(6, 17)]  # bits tried where a certificate states none
MAX_BITS = PRECISIONS[-1]
MAX_EXPONENT = 1 << 64  # |x| in e^x
MAX_WORK = 50_000_000  # steps of arithmetic, one or two microseconds each

Terms = dict[tuple[Fraction, int], Fraction]  # Σ c·ε^k·e^{qε} as {(q, k): c}, all c ≠ 0
Scaled = tuple[Fraction, int]  # (c, e) is the number c·2^e, where e may be huge
_ONE: Terms = {(Fraction(0), 0): Fraction(1)}
_ZERO: Scaled = (Fraction(0), 0)


@dataclass(frozen=True)
class Report:
    """What `check` found. A proved refutation ("the claim fails") is accepted, too."""

    accepted: bool
    reason: str
    claim: str

    def __bool__(self) -> bool:
        return self.accepted


class _RejectedError(Exception):
    """The certificate proves nothing; the message says why."""


# -- real numbers, rounded outwards


def _shifted(x: int, by: int) -> int:
    return x << by if by >= 0 else x >> -by  # ⌊x·2^by⌋


class Enclosure:
    """A real number between low·2^exponent and high·2^exponent, kept to `bits` bits."""

    __slots__ = ("bits", "exponent", "high", "low")

    def __init__(self, low: int, high: int, exponent: int, bits: int) -> None:
        excess = max(abs(low), abs(high)).bit_length() - bits
        if excess > 0:
            low, high, exponent = low >> excess, -(-high >> excess), exponent + excess
        self.low, self.high, self.exponent, self.bits = low, high, exponent, bits

    @classmethod
    def of(cls, x: Fraction | int, bits: int, exponent: int = 0) -> Enclosure:
        """Enclose x·2^exponent for a rational x, with a relative width of at most 2^{2−bits}."""
        n, d = x.numerator, x.denominator
        shift = 0 if d == 1 else bits + 1 + d.bit_length() - n.bit_length()
        low, rest = divmod(n << max(shift, 0), d << max(-shift, 0))
        return cls(low, low + (rest > 0), exponent - shift, bits)

    def __add__(self, other: Enclosure) -> Enclosure:
        if self.low == self.high == 0 or other.low == other.high == 0:
            return other if self.low == self.high == 0 else self
        # What is more than `bits` digits below the larger number may be rounded away at once.
        ends = self.exponent, other.exponent
        base = max(min(ends), max(ends) - self.bits)
        low = _shifted(self.low, ends[0] - base) + _shifted(other.low, ends[1] - base)
        high = -_shifted(-self.high, ends[0] - base) - _shifted(-other.high, ends[1] - base)
        return Enclosure(low, high, base, self.bits)

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.high, -self.low, self.exponent, self.bits)

    def __sub__(self, other: Enclosure) -> Enclosure:
        return self + -other

    def __mul__(self, other: Enclosure) -> Enclosure:
        a, b, c, d = self.low, self.high, other.low, other.high
        ends = (a * c, b * d) if a >= 0 and c >= 0 else (a * c, a * d, b * c, b * d)
        return Enclosure(min(ends), max(ends), self.exponent + other.exponent, self.bits)

    def __abs__(self) -> Enclosure:
        if self.low < 0 < self.high:
            return Enclosure(0, max(-self.low, self.high), self.exponent, self.bits)
        return -self if self.low < 0 else self


def exp_enclosure(x: Fraction | int, bits: int) -> Enclosure:
    """Enclose e^x for a rational x, with a relative width of about 2^−bits.

    With y = |x|/2^h < 1/4 the Taylor series at y is summed twice in units of 2^−scale, once
    rounding each term down and once up. It stops when the last term is at most one unit; as each
    later term is less than half of the one before, all later ones add up to less than the last.
    The sum is squared h times (each squaring doubles the relative error, hence h more bits of
    scale), and inverted if x < 0.
    """
    if x == 0:
        return Enclosure.of(1, bits)
    n, d = abs(x.numerator), x.denominator
    halvings = max(0, n.bit_length() - d.bit_length() + 3 + isqrt(bits))
    scale = bits + halvings + 16
    y_low = (n << bits + 16) // d  # y lies between y_low and y_low + 1 units
    term_low = term_high = sum_low = sum_high = 1 << scale
    for j in count(1):
        term_low = (term_low * y_low >> scale) // j
        term_high = -((-term_high * (y_low + 1) >> scale) // j)
        sum_low, sum_high = sum_low + term_low, sum_high + term_high
        if term_high <= 1:
            break
    e = Enclosure(sum_low, sum_high + term_high, -scale, scale)
    for _ in range(halvings):
        e = e * e
    if x < 0:
        one = 1 << 2 * scale
        e = Enclosure(one // e.high, -(-one // e.low), -e.exponent - 2 * scale, scale)
    return Enclosure(e.low, e.high, e.exponent, bits)


# -- reading and saying things

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_RATIONAL = re.compile(r"(0|-?[1-9][0-9]*)(/[1-9][0-9]*)?")


def _short(text: str) -> str:
    return text if len(text) <= 50 else f"{text[:20]}…{text[-20:]}"


def _quote(value: object) -> str:
    return _short(ascii(value))


def _say_sum(terms: list[list[Any]]) -> str:
    parts = [
        _short(c) + f"·ε^{k}" * (k > 0) + f"·e^({_short(q)}·ε)" * (q != "0")
        for c, k, q in terms[:40]
    ]
    parts += [f"… ({len(terms) - 40} more terms)"] * (len(terms) > 40)
    return re.sub(r"(?<![\w/])1·|\^1\b", "", " + ".join(parts).replace("+ -", "- ")) or "0"


def _say_claim(relation: str, n: list[Any], d: list[Any], on: dict[str, Any]) -> str:
    f = _say_sum(n) if _say_sum(d) == "1" else f"({_say_sum(n)}) / ({_say_sum(d)})"
    ends = f"{_short(on['lower'])}, {_short(on['upper'])}".replace("inf", "∞")
    interval = f"{'(['[on['lower_closed']]}{ends}{')]'[on['upper_closed']]}"
    return f"{f} {relation.replace('>=', '≥')} 0 for every ε in {interval}"


class _Interval(NamedTuple):
    lower: Fraction | float  # a float only if infinite
    lower_closed: bool
    upper: Fraction | float
    upper_closed: bool

    def has(self, x: Fraction) -> bool:
        above = self.lower < x or (self.lower_closed and self.lower == x)
        return above and (x < self.upper or (self.upper_closed and x == self.upper))


def _size(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()


class _Checker:
    """One pass over one certificate; what is not proved raises."""

    claim = "no claim could be read"
    where = "the certificate"  # what is being read
    work = 0
    strict: bool  # whether the relation is > and not ≥
    numerator: Terms
    denominator: Terms
    on: _Interval

    def require(self, condition: object, otherwise: str) -> None:
        if not condition:
            raise _RejectedError(f"{self.where}: {otherwise}")

    def spend(self, steps: int, bits: int) -> None:
        """Count steps with numbers of this size; the time of a division is as its square."""
        self.work += steps * (1 + (bits // 1000) ** 2)
        if self.work > MAX_WORK:
            raise _RejectedError(f"{self.where}: checking takes more than {MAX_WORK} steps")

    def certificate(self, document: Any) -> str:
        """Check everything and return what was proved, as a sentence."""
        names = "format version kind claim verdict proof seal"
        _, version, kind, claim, verdict, proof, seal = self.fields(document, names)
        self.require(self.integer(version, 1, 1) and kind == "sign", "not of the kind 'sign'")
        self.read_claim(claim)
        self.where = "the certificate"
        sealed = {name: document[name] for name in document if name != "seal"}
        text = json.dumps(sealed, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        right = seal == hashlib.sha256(text.encode("ascii")).hexdigest()
        self.require(right, "the seal does not fit, so something was changed")
        self.require(verdict in ("holds", "fails"), "the verdict is neither 'holds' nor 'fails'")
        self.where = "the proof"
        return self.holds(proof) if verdict == "holds" else self.fails(proof)

    # -- reading

    def fields(self, value: Any, names: str) -> list[Any]:
        right = isinstance(value, dict) and value.keys() == set(names.split())
        self.require(right, f"not an object with exactly the keys {names}")
        return [value[name] for name in names.split()]

    def entries(self, value: Any, length: int | None = None) -> list[Any]:
        right = isinstance(value, list) and length in (None, len(value))
        self.require(right, "not a list, or not of the right length")
        return list(value)

    def integer(self, value: Any, least: int = 0, most: int = MAX_DEGREE) -> int:
        right = type(value) is int and least <= value <= most
        self.require(right, f"{_quote(value)} is not an integer from {least} to {most}")
        return int(value)

    def rational(self, value: Any) -> Fraction:
        """Read a rational in its only spelling: "p", or "p/q" in lowest terms with q > 1."""
        right = isinstance(value, str) and len(value) <= MAX_DIGITS and _RATIONAL.fullmatch(value)
        self.require(right, f"{_quote(value)} is not a rational number")
        self.spend(1, 4 * len(value))
        n, d = (int(Decimal(part)) for part in f"{value}/1".split("/")[:2])  # int() has a limit
        x = Fraction(n, d)
        reduced = x.denominator == d and not value.endswith("/1")
        self.require(reduced, f"{_quote(value)} is not in lowest terms")
        return x

    def scaled(self, value: Any) -> Scaled:
        """Read a rational, or "m*2^e" with integers m and e."""
        mantissa, star, exponent = value.partition("*2^") if isinstance(value, str) else [value] * 3
        if not star:
            return self.rational(value), 0
        m = self.rational(mantissa)
        right = m.denominator == 1 and len(exponent) <= 20 and _INTEGER.fullmatch(exponent)
        self.require(right, f"{_quote(value)} is not of the form m*2^e")
        e = int(exponent)
        return (m * Fraction(2) ** e, 0) if abs(e) <= 4096 else (m, e)

    def terms(self, value: Any) -> Terms:
        """Read a sum of [c, k, q], sorted by (q, k), without repetitions and zeros."""
        terms: Terms = {}
        last = None
        for entry in self.entries(value):
            c, k, q = self.entries(entry, 3)
            key = self.rational(q), self.integer(k)
            terms[key] = self.rational(c)
            right = terms[key] != 0 and (last is None or last < key)
            self.require(right, f"the term {_quote(entry)} is 0, or not in the order of (q, k)")
            last = key
        return terms

    def read_claim(self, claim: Any) -> None:
        self.where = "the claim"
        relation, n, d, on = self.fields(claim, "relation numerator denominator on")
        self.require(relation in (">=", ">"), f"the relation {_quote(relation)} is unknown")
        self.strict = relation == ">"
        self.numerator, self.denominator = self.terms(n), self.terms(d)
        self.require(self.denominator, "the denominator is 0")
        names = "lower lower_closed upper upper_closed"
        low, low_closed, high, high_closed = self.fields(on, names)
        lower = -inf if low == "-inf" else self.rational(low)
        upper = inf if high == "inf" else self.rational(high)
        right = {type(low_closed), type(high_closed)} == {bool}
        right = right and not (low_closed and lower == -inf) and not (high_closed and upper == inf)
        right = right and (lower < upper or (lower == upper and low_closed and high_closed))
        self.require(right, "the interval is empty, or closed at an infinite end")
        self.on = _Interval(lower, low_closed, upper, high_closed)
        self.claim = _say_claim(relation, n, d, on)

    # -- arithmetic with sums

    def times(self, a: Terms, b: Terms) -> Terms:
        product: Terms = {}
        for (p, j), c in a.items():
            for (q, k), d in b.items():
                key = p + q, j + k
                product[key] = product.get(key, 0) + c * d
                self.spend(3, _size(product[key]) + _size(key[0]))
        return {key: c for key, c in product.items() if c}

    def leading(self, terms: Terms) -> tuple[int, Fraction]:
        """Return the order at 0 of a nonzero sum and its first nonzero Taylor coefficient.

        There is one: Σ_q p_q(ε)·e^{qε} solves a linear differential equation with constant
        coefficients of order Σ_q (deg p_q + 1); if the first so many were 0, all would be.
        """
        for j in count():
            g = Fraction(0)
            for (q, k), c in terms.items():
                g += c * q ** (j - k) / factorial(j - k) if k <= j else 0
                self.spend(3, _size(g) + j * (_size(q) + 14))
            if g:
                break
        return j, g

    def at_zero(self) -> Fraction | None:
        """Return the value at 0 of the continuous extension of f, or None for a pole."""
        if not self.numerator:
            return Fraction(0)
        (n, a), (d, b) = self.leading(self.numerator), self.leading(self.denominator)
        return None if n < d else a / b if n == d else Fraction(0)

    def values(self, terms: Terms, x: Fraction) -> dict[Fraction, Fraction]:
        """Return the values p_q(x) ≠ 0 of a sum Σ_q p_q(ε)·e^{qε} at x ≠ 0.

        The sum is 0 at x only if there are none: by the theorem of Lindemann and Weierstrass the
        numbers e^{qx} for different q are linearly independent over the rationals.
        """
        values: dict[Fraction, Fraction] = {}
        for (q, k), c in terms.items():
            self.spend(3, _size(c) + k * _size(x))
            values[q] = values.get(q, 0) + c * x**k
            self.spend(1, _size(values[q]))
        return {q: value for q, value in values.items() if value}

    def exp(self, x: Fraction, bits: int) -> Enclosure:
        self.require(abs(x) <= MAX_EXPONENT, f"needs e^x for |x| > {MAX_EXPONENT}")
        self.spend(2 * isqrt(bits) + 10, bits + _size(x))
        return exp_enclosure(x, bits)

    def enclose(self, values: dict[Fraction, Fraction], x: Fraction, bits: int) -> Enclosure:
        """Enclose Σ_q values[q]·e^{qx}."""
        total = Enclosure.of(0, bits)
        for q, value in values.items():
            self.spend(3, bits + _size(value))
            total += Enclosure.of(value, bits) * self.exp(q * x, bits)
        return total

    def sign_at(self, x: Fraction, n: Terms, bound: Scaled = _ZERO, d: Terms = _ONE) -> int:
        """Return the sign of n − bound·d at x ≠ 0."""
        n_values, d_values, (c, e) = self.values(n, x), self.values(d, x), bound
        if e == 0 and n_values == {q: c * value for q, value in d_values.items() if c}:
            return 0  # otherwise it is not 0, by the theorem quoted in `values`
        for bits in PRECISIONS:
            other = Enclosure.of(c, bits, e) * self.enclose(d_values, x, bits)
            total = self.enclose(n_values, x, bits) - other
            if total.low > 0 or total.high < 0:
                return 1 if total.low > 0 else -1
        raise _RejectedError(f"{self.where}: a sign is not decided with {MAX_BITS} bits")

    # -- proofs that the claim holds

    def holds(self, proof: Any) -> str:
        """Check both halves, f on I ∩ (0, ∞) and f(−ε) on −I ∩ (0, ∞), and decide ε = 0."""
        positive, negative = self.fields(proof, "positive negative")
        n, d, on = self.numerator, self.denominator, self.on
        self.half(positive, "the positive half", on, n, d)
        n, d = ({(-q, k): (-1) ** k * c for (q, k), c in terms.items()} for terms in (n, d))
        flipped = _Interval(-on.upper, on.upper_closed, -on.lower, on.lower_closed)
        self.half(negative, "the negative half", flipped, n, d)
        if on.has(Fraction(0)):
            self.where, value = "the point 0", self.at_zero()
            right = value is not None and (value > 0 or (value == 0 and not self.strict))
            self.require(right, "it is in the interval, and the claim is false there")
        return "the claim holds, as proved in the certificate"

    def half(self, half: Any, name: str, on: _Interval, n: Terms, d: Terms) -> None:
        """Check that N/D has the right sign on J = on ∩ (0, ∞), as products of factors.

        A numerator factor may vanish where f may, and then an even power of it needs no sign.
        """
        self.where = name
        if on.upper <= 0:
            self.require(half is None, "must be null, for the interval has no such points")
            return
        on = on if on.lower > 0 else on._replace(lower=Fraction(0), lower_closed=False)
        sign, sides = 1, self.fields(half, "numerator denominator")
        for side, factors, whole in zip(("numerator", "denominator"), sides, (n, d), strict=True):
            product, weak = _ONE, side == "numerator" and not self.strict
            for number, factor in enumerate(self.entries(factors), 1):
                self.where = f"{name}, {side} factor {number}"
                entry, power, its_sign, pieces = self.fields(factor, "terms power sign pieces")
                terms = self.terms(entry)
                for _ in range(self.integer(power, 1)):
                    product = self.times(product, terms)
                if self.integer(its_sign, -1, 1) == 0:
                    right = weak and power % 2 == 0 and pieces == []
                    self.require(right, "its sign is needed")
                    continue
                sign *= its_sign**power
                self.positive({key: its_sign * c for key, c in terms.items()}, pieces, on, weak)
            self.where = name
            right = product == whole if whole else weak and not factors
            self.require(right, f"the product of the factors is not the {side}")
        self.require(sign == 1 or not n, "the signs make the quotient negative")

    def positive(self, terms: Terms, pieces: Any, on: _Interval, weak: bool) -> None:
        """Check that F > 0 on J (if weak: ≥ 0 at the ends), by pieces that cover J without gaps."""
        self.require(terms and self.entries(pieces), "there is no proof of its sign")
        here, begin = self.where, on.lower
        for number, piece in enumerate(pieces, 1):
            self.where, right, end = f"{here}, piece {number}", False, on.upper
            match piece:
                case ["linear"] if len(pieces) == 1:
                    right = self.linear(terms, on, weak)
                case ["start", upper, degree] if number == 1 and begin == 0:
                    end = self.rational(upper)
                    right = end > 0 and self.start(terms, end, self.integer(degree))
                case ["box", upper, shift, degree, bits] if begin > 0:
                    end, by = self.rational(upper), self.rational(shift)
                    degree, bits = self.integer(degree), self.integer(bits, 1, MAX_BITS)
                    shifted = {(q - by, k): c for (q, k), c in terms.items()}  # F·e^{−by·ε}
                    right = begin < end or (begin == end == on.upper and number == 1)
                    right = right and self.box(shifted, Fraction(begin), end, degree, bits + 32)
                case ["tail", bits] if begin > 0 and number == len(pieces):
                    bits, end = self.integer(bits, 1, MAX_BITS), inf
                    right = self.tail(terms, Fraction(begin), bits + 32)
            self.require(right, f"{_quote(piece)} does not prove the sign there")
            begin = end
        self.where = here
        self.require(begin == on.upper, "the pieces do not end where the interval does")

    def linear(self, terms: Terms, on: _Interval, weak: bool) -> bool:
        """Prove F = a + bε > 0 inside J: F ≥ 0 at the ends, and F is not 0.

        At an end that belongs to J it may be 0 only if weak.
        """
        zero = Fraction(0)
        if not terms.keys() <= {(zero, 0), (zero, 1)}:
            return False
        a, b = terms.get((zero, 0), zero), terms.get((zero, 1), zero)
        lower = a + b * Fraction(on.lower)
        upper = a + b * Fraction(on.upper) if on.upper < inf else b or a
        vanishes = (lower == 0 and on.lower_closed) or (upper == 0 and on.upper_closed)
        return lower >= 0 and upper >= 0 and (weak or not vanishes)

    def expansion(
        self, terms: Terms, m: Fraction, r: Fraction, degree: int, bits: int
    ) -> tuple[list[Enclosure], Enclosure]:
        """Return G_j·r^j for j ≤ degree and R with |F(m + t) − Σ_j G_j·t^j| ≤ R for |t| ≤ r.

        For m ≥ 0. F = Σ_q p_q(ε)·e^{qε} has the Taylor series Σ_j G_j·t^j at m, the sum of the
        products of p_q(m + t) and w_q·Σ_j (q·t)^j/j!, where w_q = e^{qm}. With |q| for q there, and
        the absolute values of the coefficients of p_q, called p̂_q, it becomes Σ_j Ĝ_j·t^j; and
        |G_j| ≤ Ĝ_j. At t = r this is M = Σ_q w_q·p̂_q(m + r)·e^{|q|r}, hence
        R = M − Σ_{j≤degree} Ĝ_j·r^j bounds the rest.
        """
        zero, one, top = Enclosure.of(0, bits), Enclosure.of(1, bits), max(k for _, k in terms)
        self.spend(3 * top + degree, bits + _size(m) + _size(r))
        m_powers, r_powers, end_powers = (
            list(accumulate(repeat(Enclosure.of(x, bits), top), mul, initial=one))
            for x in (m, r, m + r)
        )
        inverses = [Enclosure.of(Fraction(1, j), bits) for j in range(1, degree + 1)]
        g, rest = [zero] * (degree + 1), zero
        polynomials: dict[Fraction, dict[int, Enclosure]] = {}
        for (q, k), coefficient in terms.items():
            self.spend(2, bits + _size(coefficient))
            polynomials.setdefault(q, {})[k] = Enclosure.of(coefficient, bits)
        for q, p in polynomials.items():
            ks = range(min(degree, max(p)) + 1)
            self.spend((6 * len(p) + 4 * degree) * len(ks), bits)
            series, step = [self.exp(q * m, bits)], Enclosure.of(q * r, bits)
            for inverse in inverses:
                series.append(series[-1] * step * inverse)  # w·(qr)^j/j!
            sizes = list(accumulate(map(abs, series)))
            at_end = self.exp(q * m + abs(q) * r, bits)
            for n, c in p.items():
                rest += abs(c) * end_powers[n] * at_end
            for k in ks:
                a = a_hat = zero  # the coefficients of t^k in p(m + t) and p̂(m + t), times r^k
                for n, c in p.items():
                    if n >= k:
                        x = Enclosure.of(comb(n, k), bits) * m_powers[n - k] * r_powers[k]
                        a, a_hat = a + c * x, a_hat + abs(c) * x
                for j in range(k, degree + 1):
                    g[j] += a * series[j - k]
                rest -= a_hat * sizes[degree - k]
        return g, rest

    def start(self, terms: Terms, r: Fraction, degree: int) -> bool:
        """Prove F > 0 on (0, r]: with ρ the order of F at 0, F(ε)/ε^ρ is smallest at r.

        That is, if what is known is replaced by what is worst: G_j by min(0, G_j) for
        ρ < j ≤ degree, and the rest of the series by −R; all that then falls as ε grows.
        """
        order, coefficient = self.leading(terms)
        if coefficient < 0 or order > degree:
            return False
        for bits in PRECISIONS:
            g, rest = self.expansion(terms, Fraction(0), r, degree, bits)
            margin = g[order] - rest
            for x in g[order + 1 :]:
                margin += x if x.low < 0 else Enclosure.of(0, bits)
            if margin.low > 0 or margin.high <= 0:
                return margin.low > 0
        return False

    def box(self, terms: Terms, lower: Fraction, upper: Fraction, degree: int, bits: int) -> bool:
        """Prove F > 0 on [m − r, m + r]: there F ≥ G_0 − Σ_{1≤j≤degree} |G_j|·r^j − R."""
        g, rest = self.expansion(terms, (upper + lower) / 2, (upper - lower) / 2, degree, bits)
        return sum(map(abs, g[1:]), start=rest - g[0]).high < 0

    def tail(self, terms: Terms, b: Fraction, bits: int) -> bool:
        """Prove F > 0 on [b, ∞), b > 0: the dominant term C·ε^K·e^{Qε} exceeds all negative ones.

        Divided by ε^K·e^{Qε}, another one is c·ε^{k−K}·e^{−δε} with δ = Q − q ≥ 0. Its derivative
        has the sign of c·(k − K − δε), so if k − K ≤ δ·b its absolute value is largest at b.
        """
        top, degree = max(terms)  # Q and K
        margin = Enclosure.of(terms[top, degree], bits)
        for (q, k), c in terms.items():
            if c < 0:
                if k - degree > (top - q) * b:
                    return False
                self.spend(3, _size(c) + bits + abs(k - degree) * _size(b))
                margin += Enclosure.of(c * b ** (k - degree), bits) * self.exp((q - top) * b, bits)
        return margin.low > 0

    # -- proofs that the claim fails

    def fails(self, proof: Any) -> str:
        """Check a refutation in one of its three forms."""
        match proof:
            case {"at": at, "value": value, **rest} if not rest:
                return self.fails_at(at, value)
            case {"pole": pole, **rest} if not rest:
                return self.fails_at_pole(pole)
        return self.fails_between(*self.fields(proof, "zero_of factor cofactor between"))

    def fails_at(self, at: Any, value: Any) -> str:
        """Check that f(at) lies between the two numbers in value, and that these refute."""
        x, n, d = self.rational(at), self.numerator, self.denominator
        self.require(self.on.has(x), f"{_quote(at)} is not in the interval")
        low, high = (self.scaled(end) for end in self.entries(value, 2))
        if low == high == _ZERO:
            self.require(self.strict, "the value 0 does not contradict ≥ 0")
        else:
            limit = Enclosure.of(low[0] * Fraction(999, 1000), 128, low[1])
            right = high[0] < 0 and (Enclosure.of(high[0], 128, high[1]) - limit).high <= 0
            self.require(right, "the value is not enclosed below 0 to one part in a thousand")
        if x == 0:  # the value there is rational: go on with a constant, at another point
            constant = self.at_zero()
            self.require(constant is not None, "f has no value at 0, but a pole")
            n, d, x = ({(x, 0): constant} if constant else {}), _ONE, Fraction(1)
        sign = self.sign_at(x, d)
        above, below = (sign * self.sign_at(x, n, end, d) for end in (low, high))
        self.require(sign and above >= 0 >= below, f"the value at {_quote(at)} is not as stated")
        return f"the claim fails at ε = {_short(at)}, where the value is as stated"

    def fails_at_pole(self, pole: Any) -> str:
        """Check that the denominator is 0 (at 0: of higher order than the numerator)."""
        x = self.rational(pole)
        right = self.at_zero() is None if x == 0 else not self.values(self.denominator, x)
        self.require(right and self.on.has(x), f"{_quote(pole)} is not a pole in the interval")
        return f"the claim fails at ε = {_short(pole)}, where the quotient is not defined"

    def fails_between(self, zero_of: Any, factor: Any, cofactor: Any, between: Any) -> str:
        """Check that a factor of D, or of N if f > 0 is claimed, changes its sign inside I."""
        right = zero_of == "denominator" or (zero_of == "numerator" and self.strict)
        self.require(right, f"a zero of the {_quote(zero_of)} does not refute the claim")
        terms, others = self.terms(factor), self.terms(cofactor)
        whole = self.numerator if zero_of == "numerator" else self.denominator
        self.require(self.times(terms, others) == whole, f"these are not factors of the {zero_of}")
        low, high = (self.rational(x) for x in self.entries(between, 2))
        right = self.on.has(low) and self.on.has(high) and low < high and low * high > 0
        self.require(right, "not between two points of the interval on one side of 0")
        right = self.sign_at(low, terms) * self.sign_at(high, terms) < 0
        self.require(right, "the factor does not change its sign between the points")
        return f"the claim fails between {_short(between[0])} and {_short(between[1])}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key is repeated")
    return dict(pairs)


def _read(certificate: object) -> dict[str, Any]:
    try:
        if isinstance(certificate, Mapping):
            certificate = json.dumps(dict(certificate), allow_nan=False)
        if not isinstance(certificate, str) or len(certificate) > MAX_TEXT:
            raise ValueError(f"not a text of at most {MAX_TEXT} characters")
        document = json.loads(certificate, object_pairs_hook=_unique)
    except (ValueError, TypeError, RecursionError) as error:
        raise _RejectedError(f"this cannot be read as JSON ({error})") from None
    if not isinstance(document, dict) or document.get("format") != "exactdp-certificate":
        raise _RejectedError("this is JSON, but not an exactdp certificate")
    return document


def check(certificate: Mapping[str, Any] | str) -> Report:
    """Check a certificate (a mapping or JSON text); never raise, always terminate.

    Accepted exactly if the verdict that it states, "holds" or "fails", is proved by it.
    """
    checker = _Checker()
    try:
        return Report(True, checker.certificate(_read(certificate)), checker.claim)
    except (_RejectedError, RecursionError) as error:
        return Report(False, str(error), checker.claim)


def main(arguments: list[str]) -> int:
    """Check the certificate in a file, say in a sentence what was found, return the exit code."""
    try:
        if len(arguments) != 1:
            raise _RejectedError("usage: certify.py CERTIFICATE.json")
        with open(arguments[0], encoding="utf-8") as file:
            document = _read(file.read(MAX_TEXT + 1))
    except (_RejectedError, OSError, UnicodeDecodeError) as error:
        code, text = 2, f"not a readable certificate: {error}"
    else:
        report = check(document)
        code, verdict = (0, "accepted") if report else (1, "rejected")
        text = f"{verdict}: {report.reason}\nclaim: {report.claim}"
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
