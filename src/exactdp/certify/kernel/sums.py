"""Arithmetic with sums Σ c·ε^k·e^{qε}: products, and Taylor coefficients at 0."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from math import factorial, isqrt

from . import limits
from .enclosures import PositiveEnclosure, exp_enclosure
from .reading import CertificateReader, Terms, size

ONE: Terms = {(Fraction(0), 0): Fraction(1)}


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

    def exp(self, x: Fraction, bits: int) -> PositiveEnclosure:
        """Enclose e^x."""
        whole = int(abs(x)).bit_length()
        self.require(
            whole <= limits.MAX_EXPONENT_BITS, f"needs e^x for |x| ≥ 2^{limits.MAX_EXPONENT_BITS}"
        )
        self.spend(2 * isqrt(bits) + 10 + whole // 8, bits + size(x))
        return exp_enclosure(x, bits)
