"""Check exactdp certificates, with nothing but integers and fractions.

A certificate states that for every ε in an interval I the quotient f = N/D of two finite sums
Σ c·ε^k·e^{qε} (c, q rational) is ≥ 0, or > 0, or that this fails; and it carries a proof. A point
of I where f is undefined counts as failing; at ε = 0, and only there, f means its continuous
extension. The format is published as docs/schema/certificate-v1.json.

Why to believe an acceptance: all arithmetic is exact or rounded to the safe side, so too little
precision can only cause a rejection. Each rule of proof is one method with its inequality in the
docstring. Whatever is not understood, or exceeds a limit below, is rejected.

The file also runs alone: python certify.py CERTIFICATE.json
(exit code 0: accepted, 1: rejected, 2: no claim of a certificate can be read in it).
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import count
from math import factorial, inf, isqrt, lcm
from typing import Any, NamedTuple

MAX_TEXT = 50_000_000  # characters of JSON
MAX_DIGITS = 200_000  # characters of a rational number
MAX_DEGREE = 10_000  # k in ε^k, powers of factors, degrees of Taylor polynomials
PRECISIONS = [1 << n for n in range(6, 17)]  # bits tried where a certificate states none
MAX_BITS = PRECISIONS[-1]
MAX_EXPONENT = 1 << 64  # |x| in e^x
MAX_WORK = 50_000_000  # steps of arithmetic, one or two microseconds each
_RATIONAL = re.compile(r"(0|-?[1-9][0-9]*)(/[1-9][0-9]*)?")

Terms = dict[tuple[Fraction, int], Fraction]  # Σ c·ε^k·e^{qε} as {(q, k): c}, all c ≠ 0
Scaled = tuple[Fraction, int]  # (c, e) is the number c·2^e, where e may be huge
Groups = list[tuple[Fraction, tuple[int, int], int, list[int]]]  # see `_Checker.groups`
_ONE: Terms = {(Fraction(0), 0): Fraction(1)}
_ZERO: Scaled = (Fraction(0), 0)


class Report(NamedTuple):
    """What `check` found. A proved refutation ("the claim fails") is accepted, too."""

    accepted: bool
    reason: str
    claim: str

    def __bool__(self) -> bool:
        return self.accepted


class _RejectedError(Exception):
    """The certificate proves nothing; the message says why."""


def _floor(n: int, e: int, d: int = 1) -> int:
    """Return ⌊n·2^e/d⌋, also where e is far below 0."""
    if e >= 0:
        return (n << e) // d
    return n // (d << -e) if -e <= n.bit_length() else -(n < 0)


class Enclosure(NamedTuple):
    """A positive real number between low·2^exponent and high·2^exponent, 0 ≤ low ≤ high."""

    low: int
    high: int
    exponent: int

    def times(self, other: Enclosure, bits: int) -> Enclosure:
        """Enclose the product, rounded outwards to `bits` bits."""
        low, high = self.low * other.low, self.high * other.high
        excess = max(0, high.bit_length() - bits)
        exponent = self.exponent + other.exponent + excess
        return Enclosure(low >> excess, -(-high >> excess), exponent)


def total(parts: list[tuple[Fraction, int, Enclosure]], bits: int) -> tuple[int, int]:
    """Enclose Σ c·2^e·x over the parts (c, e, x), in units of 2^−bits of the largest part."""
    sizes = [
        c.numerator.bit_length() - c.denominator.bit_length() + x.high.bit_length() + x.exponent + e
        for c, e, x in parts
    ]
    unit, low, high = max(sizes, default=0) - bits, 0, 0
    for c, e, x in parts:
        least, most = (x.low, x.high) if c > 0 else (x.high, x.low)
        low += _floor(c.numerator * least, x.exponent + e - unit, c.denominator)
        high -= _floor(-c.numerator * most, x.exponent + e - unit, c.denominator)
    return low, high


_EXACTLY_1 = Enclosure(1, 1, 0)


def exp_enclosure(x: Fraction | int, bits: int) -> Enclosure:
    """Enclose e^x for a rational x, with a relative width of about 2^−bits.

    With y = |x|/2^h < 1/4 the Taylor series at y is summed in units of 2^−scale, once rounding
    down and once up, until a term is at most one unit; each later term is less than half of the
    one before, so they add up to less than the last. The sum is squared h times (doubling the
    relative error each time, hence h more bits of scale), and inverted if x < 0.
    """
    if x == 0:
        return _EXACTLY_1
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
    e = Enclosure(sum_low, sum_high + term_high, -scale)
    for _ in range(halvings):
        e = e.times(e, scale)
    if x < 0:
        one = 1 << 2 * scale
        e = Enclosure(one // e.high, -(-one // e.low), -e.exponent - 2 * scale)
    return e.times(_EXACTLY_1, bits)


def _short(value: object) -> str:
    text = ascii(value).strip("'")
    return text if len(text) <= 50 else f"{text[:20]}...{text[-20:]}"


def _say_sum(terms: list[list[Any]]) -> str:
    parts = [f"{_short(c)}·ε^{k}·e^({_short(q)}·ε)" for c, k, q in terms[:20]]
    text = " + ".join(parts + ["…"] * (len(terms) > 20)) or "0"
    return "(" + text.replace("·ε^0", "").replace("·e^(0·ε)", "") + ")"


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
        self.require(self.work <= MAX_WORK, f"checking takes more than {MAX_WORK} steps")

    def certificate(self, document: Any) -> str:
        """Check everything and return what was proved, as a sentence."""
        names = "format version kind claim verdict proof seal"
        name, version, kind, claim, verdict, proof, seal = self.fields(document, names)
        right = name == "exactdp-certificate" and self.integer(version, 1, 1) and kind == "sign"
        self.require(right, "not an exactdp certificate of version 1 and of the kind 'sign'")
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
        self.require(right, f"{_short(value)} is not an integer from {least} to {most}")
        return int(value)

    def rational(self, value: Any) -> Fraction:
        """Read a rational in its only spelling: "p", or "p/q" in lowest terms with q > 1."""
        right = isinstance(value, str) and len(value) <= MAX_DIGITS and _RATIONAL.fullmatch(value)
        self.require(right, f"{_short(value)} is not a rational number")
        self.spend(1, 4 * len(value))
        n, d = (int(Decimal(part)) for part in f"{value}/1".split("/")[:2])  # int() has a limit
        x = Fraction(n, d)
        reduced = x.denominator == d and not value.endswith("/1")
        self.require(reduced, f"{_short(value)} is not in lowest terms")
        return x

    def scaled(self, value: Any) -> Scaled:
        """Read a rational, or "m*2^e" with integers m and e."""
        mantissa, star, power = (
            value.partition("*2^") if isinstance(value, str) else (value, "", "")
        )
        m, e = self.rational(mantissa), self.rational(power if star else "0")
        right = not star or (m.denominator == e.denominator == 1 and len(power) <= 20)
        self.require(right, f"{_short(value)} is not of the form m*2^e")
        return (m * Fraction(2) ** int(e), 0) if abs(e) <= 4096 else (m, int(e))

    def terms(self, value: Any) -> Terms:
        """Read a sum of [c, k, q], sorted by (q, k), without repetitions and zeros."""
        terms: Terms = {}
        for entry in self.entries(value):
            c, k, q = self.entries(entry, 3)
            key, last = (self.rational(q), self.integer(k)), next(reversed(terms), None)
            terms[key] = self.rational(c)
            right = terms[key] != 0 and (last is None or last < key)
            self.require(right, f"the term {_short(entry)} is 0, or not in the order of (q, k)")
        return terms

    def read_claim(self, claim: Any) -> None:
        self.where = "the claim"
        relation, n, d, on = self.fields(claim, "relation numerator denominator on")
        self.require(relation in (">=", ">"), f"the relation {_short(relation)} is unknown")
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
        ends = f"{'(['[low_closed]}{_short(low)}, {_short(high)}{')]'[high_closed]}"
        self.claim = f"{_say_sum(n)} / {_say_sum(d)} {relation} 0 for every ε in {ends}"

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
        """Return the order at 0 of a sum and its first Taylor coefficient that is not 0.

        There is one: the sum is not 0, and solves a linear equation with constant coefficients.
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
        """Return the values p_q(x) ≠ 0 of Σ_q p_q(ε)·e^{qε} at x ≠ 0; if any, the sum is not 0.

        For the e^{qx} are linearly independent over the rationals (Lindemann, Weierstrass).
        """
        values: dict[Fraction, Fraction] = {}
        for (q, k), c in terms.items():
            self.spend(4, _size(c) + k * _size(x))
            values[q] = values.get(q, 0) + c * x**k
            self.spend(1, _size(values[q]))
        return {q: value for q, value in values.items() if value}

    def exp(self, x: Fraction, bits: int) -> Enclosure:
        self.require(abs(x) <= MAX_EXPONENT, f"needs e^x for |x| > {MAX_EXPONENT}")
        self.spend(2 * isqrt(bits) + 10, bits + _size(x))
        return exp_enclosure(x, bits)

    def sign_at(self, x: Fraction, n: Terms, bound: Scaled = _ZERO, d: Terms = _ONE) -> int:
        """Return the sign of n − bound·d at x ≠ 0."""
        n_values, d_values, (c, e) = self.values(n, x), self.values(d, x), bound
        if e == 0 and n_values == {q: c * value for q, value in d_values.items() if c}:
            return 0  # otherwise it is not 0, by the theorem quoted in `values`
        for bits in PRECISIONS:
            parts = [(v, 0, self.exp(q * x, bits)) for q, v in n_values.items()]
            parts += [(-c * v, e, self.exp(q * x, bits)) for q, v in d_values.items() if c]
            low, high = total(parts, bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
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
        here, begin, groups = self.where, on.lower, self.groups(terms)
        for number, piece in enumerate(pieces, 1):
            self.where, right, end = f"{here}, piece {number}", False, on.upper
            match piece:
                case ["linear"] if len(pieces) == 1:
                    right = self.linear(terms, on, weak)
                case ["start", upper, degree] if number == 1 and begin == 0:
                    end, (order, _) = self.rational(upper), self.leading(terms)
                    self.require(end > 0 and order <= self.integer(degree), "too small a start")
                    for bits in PRECISIONS:
                        margin = self.box(groups, bits, Fraction(0), end, degree, "lower", order)
                        right = margin > 0
                        if right or -margin >> bits // 2:  # so much is no matter of rounding
                            break
                case ["box", upper, shift, degree, bits, at] if begin > 0:
                    end, by, low = self.rational(upper), self.rational(shift), Fraction(begin)
                    degree, bits = self.integer(degree), self.integer(bits, 1, MAX_BITS) + 32
                    right = low < end or (low == end == on.upper and number == 1)
                    shifted = [(q - by, gap, n, p) for q, gap, n, p in groups]  # e^{−by·ε}F
                    right = right and self.box(shifted, bits, low, end - low, degree, at, 0) > 0
                case ["tail", bits] if begin > 0 and number == len(pieces):
                    end, bits = inf, self.integer(bits, 1, MAX_BITS)
                    right = self.tail(terms, Fraction(begin), bits + 32)
            self.require(right, f"{_short(piece)} does not prove the sign there")
            begin = end
        self.where = here
        self.require(begin == on.upper, "the pieces do not end where the interval does")

    def linear(self, terms: Terms, on: _Interval, weak: bool) -> bool:
        """Prove F = a + bε ≥ 0 at the ends of J, so > 0 inside; 0 at an end in J only if weak."""
        zero = Fraction(0)
        if not terms.keys() <= {(zero, 0), (zero, 1)}:
            return False
        a, b = terms.get((zero, 0), zero), terms.get((zero, 1), zero)
        lower = a + b * Fraction(on.lower)
        upper = a + b * Fraction(on.upper) if on.upper < inf else b or a
        vanishes = (lower == 0 and on.lower_closed) or (upper == 0 and on.upper_closed)
        return lower >= 0 and upper >= 0 and (weak or not vanishes)

    def groups(self, terms: Terms) -> Groups:
        """Write Σ_q p_q(ε)·e^{qε} as (q, gap to the q before, d, integers d·p_q), sorted."""
        polynomials: dict[Fraction, dict[int, Fraction]] = {}
        for q, k in sorted(terms):
            polynomials.setdefault(q, {})[k] = terms[q, k]
        groups: Groups = []
        for q, p in polynomials.items():
            gap, d = q - groups[-1][0] if groups else q, 1
            for c in p.values():
                d = lcm(d, c.denominator)
                self.spend(2, d.bit_length() + _size(c))
            self.spend(max(p) + 2, d.bit_length())
            integers = [int(d * p.get(k, 0)) for k in range(max(p) + 1)]
            groups.append((q, gap.as_integer_ratio(), d, integers))
        return groups

    def weights(self, groups: Groups, x: Fraction, bits: int) -> list[Enclosure]:
        """Enclose e^{qx} for each group, by way of the gaps: these are often equal."""
        weights: list[Enclosure] = []
        steps: dict[tuple[int, int], Enclosure] = {}
        for q, gap, _, _ in groups:
            if weights and gap not in steps:
                steps[gap] = self.exp(Fraction(*gap) * x, bits)
            weights += [weights[-1].times(steps[gap], bits) if weights else self.exp(q * x, bits)]
        return weights

    def expansion(
        self, groups: Groups, m: Fraction, r: Fraction, degree: int, bits: int
    ) -> tuple[list[int], int]:
        """Return g_j and R with F(m + r·t) = Σ_j (g_j + d_j)·t^j and Σ_j |d_j| ≤ R.

        Here g_j = 0 for j > degree, and all is in units of some power of two. For F = Σ p_q·e^{qε}
        and p_q(m + rt) = Σ_k a_k·t^k, F is the sum of a_k·e^{qm}·(qr)^i/i!·t^{k+i} over q, k and i.
        Without signs and at t = 1 the sum over i is |a_k|·e^{qm + |q|r}, so an upper bound of the
        sum of all, M, is known. For j = k + i ≤ degree, g_j adds lower bounds of their sizes, with
        the signs; R is M without all of these: what was rounded off or left out.
        """
        d = lcm(m.denominator, r.denominator)
        centre, radius = int(m * d), int(r * d)
        below = sum(q.numerator < 0 for q, *_ in groups)
        at_m = self.weights(groups, m, bits)
        most = self.weights(groups[:below], m - r, bits)
        most += self.weights(groups[below:], m + r, bits)
        digits = bits + 2 * min(degree, int(max(abs(groups[0][0]), abs(groups[-1][0])) * r))
        rows, top = [], []
        for (q, _, scaling, integers), low, high in zip(groups, at_m, most, strict=True):
            size = len(integers) * (centre + radius + d).bit_length() + scaling.bit_length()
            size += _size(q) + max(map(int.bit_length, integers))
            steps = min(len(integers), degree + 1) * (len(integers) + degree + 5)
            self.spend(steps * (1 + size // 1000), digits)
            # Horner: a_k·scaling·power for k ≤ degree; the other |a_k| add up to at most `mass`.
            a, mass, power = [integers[-1]], 0, 1
            for c in integers[-2::-1]:
                a = [x * centre + y * radius for x, y in zip([*a, 0], [0, *a], strict=True)]
                power *= d
                a[0] += c * power
                mass = mass * (centre + radius) + (abs(a.pop()) if len(a) > degree + 1 else 0)
            mass, scale = (mass + sum(map(abs, a))) * high.high, scaling * power
            slope = abs(q.numerator) * radius, q.denominator * d  # |q|·r as a quotient
            rows.append((a, scale, low, mass, high.exponent, slope, q.numerator < 0))
            top.append(high.exponent + mass.bit_length() - scale.bit_length())
        # Errors are relative to M, but e^{qm} may be less by e^{−|q|r}: hence more digits.
        unit, g, rest = max(top) - digits, [0] * (degree + 1), 0
        for a, scale, low, mass, exponent, slope, falls in rows:
            rest -= _floor(-mass, exponent - unit, scale)
            step = (slope[0] << digits) // slope[1]
            for k, x in enumerate(a):
                term, sign = _floor(abs(x) * low.low, low.exponent - unit, scale), (x > 0) - (x < 0)
                for j in range(k, degree + 1):
                    if not term:
                        break
                    g[j] += sign * term
                    rest -= term
                    term = (term * step >> digits) // (j - k + 1)
                    sign = -sign if falls else sign
        return g, rest

    def box(
        self, groups: Groups, bits: int, a: Fraction, h: Fraction, degree: int, at: Any, order: int
    ) -> int:
        """Return a number that is > 0 only if F > 0 on [a, a + h] (if order > 0: without a).

        Expanded in the middle F ≥ g_0 − Σ_{1≤j≤degree} |g_j| − R, as |t| ≤ 1. At the lower end
        0 ≤ t ≤ 1, so min(0, g_j) takes the place of −|g_j|; at the upper end t has the other sign.
        If F is known to have this order at the lower end, the same holds for F/t^order, g_order, …
        """
        if at not in ("lower", "middle", "upper"):
            return 0
        self.spend(4, _size(a) + _size(h))
        r = h / 2 if at == "middle" else h
        m = a if at == "lower" else a + r
        g, rest = self.expansion(groups, m, r, degree, bits)
        g = [-x if j % 2 else x for j, x in enumerate(g)] if at == "upper" else g
        worst = sum(-abs(x) if at == "middle" else min(0, x) for x in g[order + 1 :])
        return g[order] + worst - rest

    def tail(self, terms: Terms, b: Fraction, bits: int) -> bool:
        """Prove F > 0 on [b, ∞), b > 0: the dominant term C·ε^K·e^{Qε} exceeds all negative ones.

        Divided by ε^K·e^{Qε}, another one is c·ε^{k−K}·e^{−δε} with δ = Q − q ≥ 0. Its derivative
        has the sign of c·(k − K − δε), so if k − K ≤ δ·b its absolute value is largest at b.
        """
        top, degree = max(terms)  # Q and K
        parts = [(terms[top, degree], 0, _EXACTLY_1)]
        for (q, k), c in terms.items():
            if c < 0:
                if k - degree > (top - q) * b:
                    return False
                self.spend(3, _size(c) + bits + abs(k - degree) * _size(b))
                parts.append((c * b ** (k - degree), 0, self.exp((q - top) * b, bits)))
        return total(parts, bits)[0] > 0

    # -- proofs that the claim fails

    def fails(self, proof: Any) -> str:
        """Check a refutation in one of its three forms."""
        match proof:
            case {"at": at, "value": value, **rest} if not rest:
                return self.fails_at(at, self.entries(value, 2))
            case {"pole": at, **rest} if not rest:
                return self.fails_at(at, None)
        return self.fails_between(*self.fields(proof, "zero_of factor cofactor between"))

    def fails_at(self, at: Any, value: Any) -> str:
        """Check that f(at) lies between the two numbers in value, below 0; or that it is a pole."""
        x, n, d = self.rational(at), self.numerator, self.denominator
        self.require(self.on.has(x), f"{_short(at)} is not in the interval")
        if x == 0:  # the value there is rational or a pole: go on with a constant, elsewhere
            constant, x = self.at_zero(), Fraction(1)
            n = {(Fraction(0), 0): constant} if constant else {}
            d = {} if constant is None else _ONE
        sign = self.sign_at(x, d)
        if value is None:
            self.require(sign == 0, f"{_short(at)} is not a pole")
            return f"the claim fails at ε = {_short(at)}, where the quotient is not defined"
        low, high = (self.scaled(end) for end in value)
        if low == high == _ZERO:
            self.require(self.strict, "the value 0 does not contradict ≥ 0")
        else:
            width = [(*high, _EXACTLY_1), (low[0] * Fraction(-999, 1000), low[1], _EXACTLY_1)]
            right = high[0] < 0 and total(width, 128)[1] <= 0
            self.require(right, "the value is not enclosed below 0 to one part in a thousand")
        above, below = (sign * self.sign_at(x, n, end, d) for end in (low, high))
        self.require(sign and above >= 0 >= below, f"the value at {_short(at)} is not as stated")
        return f"the claim fails at ε = {_short(at)}, where the value is as stated"

    def fails_between(self, zero_of: Any, factor: Any, cofactor: Any, between: Any) -> str:
        """Check that a factor of D, or of N if f > 0 is claimed, changes its sign inside I."""
        right = zero_of == "denominator" or (zero_of == "numerator" and self.strict)
        self.require(right, f"a zero of the {_short(zero_of)} does not refute the claim")
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


def check(certificate: Mapping[str, Any] | str) -> Report:
    """Check a certificate (a mapping or JSON text); never raise, always terminate.

    Accepted exactly if the verdict that it states, "holds" or "fails", is proved by it.
    """
    checker = _Checker()
    try:
        text: Any = certificate
        if isinstance(certificate, Mapping):
            text = json.dumps(dict(certificate), allow_nan=False)
        checker.require(isinstance(text, str) and len(text) <= MAX_TEXT, "not a text, or too long")
        document = json.loads(text, object_pairs_hook=_unique)
        return Report(True, checker.certificate(document), checker.claim)
    except (_RejectedError, ValueError, TypeError, RecursionError) as error:
        return Report(False, str(error), checker.claim)


def main(arguments: list[str]) -> int:
    """Check the certificate in a file, say in a sentence what was found, return the exit code."""
    try:
        (path,) = arguments
        with open(path, encoding="utf-8") as file:
            report = check(file.read(MAX_TEXT + 1))
    except (OSError, ValueError) as error:
        report = Report(False, f"{error} (usage: certify.py CERTIFICATE.json)", _Checker.claim)
    code = 0 if report else 2 if report.claim == _Checker.claim else 1
    verdict = ["accepted", "rejected", "not a readable certificate"][code]
    encoding = sys.stdout.encoding or "utf-8"
    text = f"{verdict}: {report.reason}\nclaim: {report.claim}"
    print(text.encode(encoding, "backslashreplace").decode(encoding))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
