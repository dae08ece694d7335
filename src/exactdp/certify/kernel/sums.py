"""Arithmetic with sums Σ c·ε^k·e^{qε}: products, values and signs at points."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from math import factorial, isqrt

from . import limits
from .enclosures import PositiveEnclosure, exp_enclosure, total
from .reading import CertificateReader, Scaled, Terms, size

ONE: Terms = {(Fraction(0), 0): Fraction(1)}
ZERO: Scaled = (Fraction(0), 0)


class Sums(CertificateReader):
    """A reader that can calculate."""

    def times(self, a: Terms, b: Terms) -> Terms:
        """Return the product of two sums."""
        product: Terms = {}
        for (p, j), c in a.items():
            for (q, k), d in b.items():
                key = p + q, j + k
                product[key] = product.get(key, 0) + c * d
                self.spend(3, size(product[key]) + size(key[0]))
        return {key: c for key, c in product.items() if c}

    def leading(self, terms: Terms) -> tuple[int, Fraction]:
        """Return the order at 0 of a sum and its first Taylor coefficient that is not 0.

        There is one: the sum is not 0, and solves a linear equation with constant coefficients.
        """
        for j in count():
            g = Fraction(0)
            for (q, k), c in terms.items():
                g += c * q ** (j - k) / factorial(j - k) if k <= j else 0
                self.spend(3, size(g) + j * (size(q) + 14))
            if g:
                break
        return j, g

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

    def exp(self, x: Fraction, bits: int) -> PositiveEnclosure:
        """Enclose e^x."""
        whole = int(abs(x)).bit_length()
        self.require(
            whole <= limits.MAX_EXPONENT_BITS, f"needs e^x for |x| ≥ 2^{limits.MAX_EXPONENT_BITS}"
        )
        self.spend(2 * isqrt(bits) + 10 + whole // 8, bits + size(x))
        return exp_enclosure(x, bits)

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
