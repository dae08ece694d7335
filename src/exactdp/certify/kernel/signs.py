"""The rules of proof: the sign of a quotient of sums on an interval."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import inf, lcm
from typing import Any

from .enclosures import EXACTLY_1, PositiveEnclosure, floor, total
from .reading import CertificateReader, RealInterval, RejectedError, Terms, short, size, unknown
from .sums import ONE, Sums

Groups = list[tuple[Fraction, tuple[int, int], int, list[int]]]  # see `SignProof.groups`


class SignProof(Sums):
    """One pass over one statement and its proof; raises if something is not proved."""

    strict: bool  # whether the relation is > and not ≥
    numerator: Terms
    denominator: Terms
    on: RealInterval

    def read_claim(self, claim: Any) -> None:
        """Read the inequality and the interval."""
        self.where = "the claim"
        relation, n, d, on = self.fields(claim, "relation numerator denominator on")
        self.require(relation in (">=", ">"), f"the relation {short(relation)} is unknown")
        self.strict = relation == ">"
        self.numerator, self.denominator = self.terms(n), self.terms(d)
        self.require(self.denominator, "the denominator is 0")
        self.on = self.interval(on)

    def at_zero(self) -> Fraction | None:
        """Return the value at 0 of the continuous extension of f, or None for a pole."""
        if not self.numerator:
            return Fraction(0)
        (n, a), (d, b) = self.leading(self.numerator), self.leading(self.denominator)
        return None if n < d else a / b if n == d else Fraction(0)

    def holds(self, proof: Any) -> None:
        """Check both halves, f on I ∩ (0, ∞) and f(−ε) on −I ∩ (0, ∞), and decide ε = 0."""
        positive, negative = self.fields(proof, "positive negative")
        n, d, on = self.numerator, self.denominator, self.on
        self.half(positive, "the positive half", on, n, d)
        n, d = ({(-q, k): (-1) ** k * c for (q, k), c in terms.items()} for terms in (n, d))
        flipped = RealInterval(-on.upper, on.upper_closed, -on.lower, on.lower_closed)
        self.half(negative, "the negative half", flipped, n, d)
        if on.has(Fraction(0)):
            self.where, value = "the point 0", self.at_zero()
            right = value is not None and (value > 0 or (value == 0 and not self.strict))
            self.require(right, "it is in the interval, and the claim is false there")

    def half(self, half: Any, name: str, on: RealInterval, n: Terms, d: Terms) -> None:
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
            product, weak = ONE, side == "numerator" and not self.strict
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

    def positive(self, terms: Terms, pieces: Any, on: RealInterval, weak: bool) -> None:
        """Check that F > 0 on J (if weak: ≥ 0 at the ends), by pieces that cover J without gaps."""
        self.require(terms and self.entries(pieces), "there is no proof of its sign")
        here, begin, groups = self.where, on.lower, self.groups(terms)
        for number, piece in enumerate(pieces, 1):
            self.where, right, end = f"{here}, piece {number}", False, on.upper
            match piece:
                case ["linear"] if len(pieces) == 1:
                    right = self.linear(terms, on, weak)
                case ["start", upper, degree, bits] if number == 1 and begin == 0:
                    end, degree, bits = self.rational(upper), self.integer(degree), self.bits(bits)
                    right = end > 0 and self.start(terms, groups, end, degree, bits)
                case ["box", upper, shift, degree, bits, at] if begin > 0:
                    end, by, low = self.rational(upper), self.rational(shift), Fraction(begin)
                    degree, bits = self.integer(degree), self.bits(bits) + 32
                    right = low < end or (low == end == on.upper and number == 1)
                    shifted = [(q - by, gap, n, p) for q, gap, n, p in groups]  # e^{−by·ε}F
                    right = right and self.box(shifted, bits, low, end - low, degree, at, 0) > 0
                case ["span", upper, power, rate, bits] if begin > 0:
                    end = inf if upper == "inf" else self.rational(upper)
                    term, bits = (self.rational(rate), self.integer(power)), self.bits(bits)
                    right = begin < end and self.span(terms, Fraction(begin), end, term, bits + 32)
                case [str(rule), *_]:
                    self.require(rule in ("linear", "start", "box", "span"), unknown(rule))
            self.require(right, f"{short(piece)} does not prove the sign there")
            begin = end
        self.where = here
        self.require(begin == on.upper, "the pieces do not end where the interval does")

    def linear(self, terms: Terms, on: RealInterval, weak: bool) -> bool:
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
                self.spend(2, d.bit_length() + size(c))
            self.spend(max(p) + 2, d.bit_length())
            integers = [int(d * p.get(k, 0)) for k in range(max(p) + 1)]
            groups.append((q, gap.as_integer_ratio(), d, integers))
        return groups

    def weights(self, groups: Groups, x: Fraction, bits: int) -> list[PositiveEnclosure]:
        """Enclose e^{qx} for each group, by way of the gaps: these are often equal."""
        weights: list[PositiveEnclosure] = []
        steps: dict[tuple[int, int], PositiveEnclosure] = {}
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
            width = len(integers) * (centre + radius + d).bit_length() + scaling.bit_length()
            width += size(q) + max(map(int.bit_length, integers))
            steps = min(len(integers), degree + 1) * (len(integers) + degree + 5)
            self.spend(steps * (1 + width // 1000), digits)
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
            rest -= floor(-mass, exponent - unit, scale)
            step = (slope[0] << digits) // slope[1]
            for k, x in enumerate(a):
                term, sign = floor(abs(x) * low.low, low.exponent - unit, scale), (x > 0) - (x < 0)
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
        1 ≥ t ≥ t² ≥ … ≥ 0, so F ≥ S − R, S the least of the sums g_0 + … + g_j: Σ g_j·t^j is a
        mean of them, with the weights t^j − t^{j+1}. At the upper end t has the other sign. If F is
        known to have this order at the lower end, the same holds for F/t^order and g_order, …
        """
        if at not in ("lower", "middle", "upper"):
            return 0
        self.spend(4, size(a) + size(h))
        r = h / 2 if at == "middle" else h
        m = a if at == "lower" else a + r
        g, rest = self.expansion(groups, m, r, degree, bits)
        g = [-x if j % 2 else x for j, x in enumerate(g)] if at == "upper" else g
        if at == "middle":
            return g[0] - sum(map(abs, g[1:])) - rest
        return min(accumulate(g[order:])) - rest

    def start(self, terms: Terms, groups: Groups, end: Fraction, degree: int, bits: int) -> bool:
        """Prove F > 0 on (0, end]: expanded at 0, of which the order is known exactly."""
        order, _ = self.leading(terms)
        if order > degree:
            return False
        return self.box(groups, bits, Fraction(0), end, degree, "lower", order) > 0

    def span(
        self, terms: Terms, a: Fraction, b: Fraction | float, term: tuple[Fraction, int], bits: int
    ) -> bool:
        """Prove F > 0 on [a, b], or on [a, ∞), 0 < a: C·ε^K·e^{Qε} exceeds all negative terms.

        Divided by ε^K·e^{Qε}, another one is c·ε^{k−K}·e^{(q−Q)ε}. Its derivative has the sign of
        c·(k − K + (q − Q)ε), so its absolute value is largest at a, at b or at (k − K)/(Q − q). If
        b = ∞ and (q, k) < (Q, K), it tends to 0. The sum of the values is at least the largest.
        """
        top, power = term
        parts = [(terms.get(term, Fraction(0)), 0, EXACTLY_1)]
        for (q, k), c in terms.items():
            if c < 0:
                if b == inf and (q, k) > term:
                    return False
                peak = (k - power) / (top - q) if q < top else a
                for x in {a, peak if a < peak < b else a, a if b == inf else Fraction(b)}:
                    self.spend(3, size(c) + bits + abs(k - power) * size(x))
                    parts.append((c * x ** (k - power), 0, self.exp((q - top) * x, bits)))
        return total(parts, bits)[0] > 0


def proved_sign(reader: CertificateReader, given: Any) -> SignProof:
    """Check the proof that a sign holds, in another certificate; what it is about is returned."""
    claim, proof = reader.fields(given, "claim proof")
    checker = SignProof()
    checker.work, checker.length = reader.work, reader.length
    try:
        checker.read_claim(claim)
        checker.holds(proof)
    except RejectedError as error:
        reader.require(False, str(error))
    reader.work = checker.work
    return checker
