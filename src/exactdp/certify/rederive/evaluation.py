"""Signs and values at points of sums Σ c·ε^k·e^{qε}, which refute what is claimed of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..kernel import limits
from ..kernel.enclosures import total
from ..kernel.reading import Terms, short, size
from ..kernel.sums import ONE, Sums

Scaled = tuple[Fraction, int]  # (c, e) is the number c·2^e, where e may be huge
ZERO: Scaled = (Fraction(0), 0)


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

    def values(self, terms: Terms, x: Fraction) -> dict[Fraction, Fraction]:
        """Return the values p_q(x) ≠ 0 of Σ_q p_q(ε)·e^{qε} at x ≠ 0; if any, the sum is not 0.

        For the e^{qx} are linearly independent over the rationals (Lindemann, Weierstrass).
        """
        values: dict[Fraction, Fraction] = {}
        for (q, k), c in terms.items():
            self.spend(4, size(c) + k * size(x))
            values[q] = values.get(q, 0) + c * x**k
            self.spend(1, size(values[q]))
        return {q: value for q, value in values.items() if value}

    def sign_at(
        self, x: Fraction, bits: int, n: Terms, bound: Scaled = ZERO, d: Terms = ONE
    ) -> int:
        """Return the sign of n − bound·d at x ≠ 0, seen with this precision."""
        n_values, d_values, (c, e) = self.values(n, x), self.values(d, x), bound
        if e == 0 and n_values == {q: c * value for q, value in d_values.items() if c}:
            return 0  # otherwise it is not 0, by the theorem quoted in `values`
        parts = [(v, 0, self.exp(q * x, bits)) for q, v in n_values.items()]
        parts += [(-c * v, e, self.exp(q * x, bits)) for q, v in d_values.items() if c]
        low, high = total(parts, bits)
        self.require(low > 0 or high < 0, f"a sign is not decided with {bits} bits")
        return 1 if low > 0 else -1

    def encloses(
        self,
        x: Fraction,
        bits: int,
        quotient: tuple[Terms, Terms],
        ends: tuple[Scaled, Scaled],
        sign: int,
        what: str,
    ) -> None:
        """Require that a quotient, whose denominator has this sign at x, is between two numbers."""
        above, below = (sign * self.sign_at(x, bits, quotient[0], end, quotient[1]) for end in ends)
        self.require(sign and above >= 0 >= below, f"{what} is not as stated")
