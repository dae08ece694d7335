"""Signs and values of sums at points, which refute what is claimed of them.

A term is c·ε^k·L^j·e^{qε + rL}, where L > 0 is a logarithm that is enclosed between rationals.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from ..kernel import limits
from ..kernel.enclosures import PositiveEnclosure, floor, total
from ..kernel.reading import Sum, short, size
from ..kernel.sums import Sums

Rates = tuple[int, Fraction, Fraction]
Scaled = tuple[Fraction, int]  # (c, e) is the number c·2^e, where e may be huge
ZERO: Scaled = (Fraction(0), 0)

_NONE = Fraction(0)
_MOST_POWER = 200
_MOST_SHIFT = 10_000


class EvaluationPoint(NamedTuple):
    """An ε ≠ 0, the precision with which signs are seen, and bounds on the logarithm, if any."""

    eps: Fraction
    bits: int
    log: tuple[Fraction, Fraction] | None = None


class Evaluation(Sums):
    """A reader that can evaluate."""

    def scaled(self, value: Any) -> Scaled:
        """Read a rational, or "m*2^e" with integers m and e."""
        mantissa, star, power = (
            value.partition("*2^") if isinstance(value, str) else (value, "", "")
        )
        m, e = self.rational(mantissa), self.rational(power if star else "0")
        right = not star or (
            m.denominator == e.denominator == 1
            and e.numerator.bit_length() <= limits.MAX_EXPONENT_BITS + 8
        )
        self.require(right, f"{short(value)} is not of the form m*2^e")
        return (m * Fraction(2) ** int(e), 0) if abs(e) <= 4096 else (m, int(e))

    def values(self, at: EvaluationPoint, form: Sum) -> dict[Rates, Fraction]:
        """Return the numbers v ≠ 0 of a sum Σ v·L^j·e^{qε + rL} at a point, by (j, q, r).

        Without a logarithm the sum is 0 only if there are none, because the e^{qε} are linearly
        independent over the rationals (Lindemann, Weierstrass).
        """
        values: dict[Rates, Fraction] = {}
        for (powers, rates), c in form.items():
            (k, j), (q, r) = (*powers, 0, 0)[:2], (*rates, _NONE, _NONE)[:2]
            right = max(len(powers), len(rates)) <= 2 and (at.log is not None or not (j or r))
            right = right and abs(j) <= _MOST_POWER
            self.require(right, "a formula depends on more than ε and one logarithm")
            self.spend(4, size(c) + abs(k) * size(at.eps))
            values[j, q, r] = values.get((j, q, r), 0) + c * at.eps**k
            self.spend(1, size(values[j, q, r]))
        return {key: value for key, value in values.items() if value}

    def sign_at(
        self, at: EvaluationPoint, n: Sum, bound: Scaled = ZERO, d: Sum | None = None
    ) -> int:
        """Return the sign of n − bound·d at a point, seen with its precision."""
        n_values, d_values, (c, e) = self.values(at, n), self.values(at, d or {}), bound
        if e == 0 and n_values == {key: c * value for key, value in d_values.items() if c}:
            return 0
        parts = [(v, 0, self.power(at, *key)) for key, v in n_values.items()]
        parts += [(-c * v, e, self.power(at, *key)) for key, v in d_values.items() if c]
        low, high = total(parts, at.bits)
        self.require(low > 0 or high < 0, f"a sign is not decided with {at.bits} bits")
        return 1 if low > 0 else -1

    def encloses(
        self, at: EvaluationPoint, n: Sum, d: Sum, ends: tuple[Scaled, Scaled], what: str
    ) -> None:
        """Require that a quotient is between two numbers at a point."""
        sign = self.sign_at(at, d)
        above, below = (sign * self.sign_at(at, n, end, d) for end in ends)
        self.require(sign and above >= 0 >= below, f"{what} is not as stated")

    def power(self, at: EvaluationPoint, j: int, q: Fraction, r: Fraction) -> PositiveEnclosure:
        """Enclose L^j·e^{qε + rL}: both factors are monotone in L."""
        if at.log is None:
            return self.exp(q * at.eps, at.bits)
        one, two = (self.exp(q * at.eps + r * x, at.bits) for x in at.log)
        if r < 0:
            one, two = two, one
        lower, upper = (x**j for x in at.log[:: -1 if j < 0 else 1])
        gap = abs(one.exponent - two.exponent)
        self.require(gap <= _MOST_SHIFT, "the bounds on a logarithm are too far apart")
        exponent = min(one.exponent, two.exponent)
        least = floor(lower.numerator, at.bits, lower.denominator)
        most = -floor(-upper.numerator, at.bits, upper.denominator)
        return PositiveEnclosure(
            (one.low << one.exponent - exponent) * least,
            (two.high << two.exponent - exponent) * most,
            exponent - at.bits,
        )
