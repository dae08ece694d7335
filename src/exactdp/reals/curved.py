"""Sums Σ p(x)·exp(P(x)) with rational polynomials p and P: values of closed forms along a curve.

If α is a polynomial of ε plus c/ε, then εα is a polynomial of ε, and so is every exponent. The sign
of such a sum is decided without a conjecture (`taylor_walk`) unless it touches 0 at an irrational
point without changing sign: at a rational point every Taylor coefficient is Σ q·e^r with rationals
q and r, so its sign is exact (Lindemann–Weierstrass), and so is that of the dominant term near ∞.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from flint import fmpq, fmpq_poly, fmpq_series

from exactdp.reals.evaluation import Exponentials, sign, total
from exactdp.reals.exponential_sums import Exponent, ExponentialSum
from exactdp.reals.numbers import exact, fraction
from exactdp.reals.taylor_walk import series_of

Polynomial: TypeAlias = tuple[fmpq, ...]
"""Its coefficients, the constant first; the last one is not 0."""


@dataclass(frozen=True)
class CurvedSum(ExponentialSum):
    """Σ p(x)·exp(P(x)), stored as {P: p}; different P give independent functions."""

    parts: Mapping[Polynomial, fmpq_poly]

    constant_ball = staticmethod(total)
    constant_sign = staticmethod(sign)

    @classmethod
    def of(cls, parts: Mapping[Polynomial, fmpq_poly]) -> CurvedSum:
        """Return a sum without the parts that are 0."""
        return cls({exponent: part for exponent, part in parts.items() if part})

    @property
    def reduced(self) -> CurvedSum:
        """The sum divided by a positive number and by one exponential: its sign is the same.

        So sums that differ by such factors are equal, and so are their zeros.
        """
        if not self.parts:
            return self
        size = max(map(len, self.parts))
        padded = {
            (*exponent, *(fmpq(0),) * (size - len(exponent))): part
            for exponent, part in self.parts.items()
        }
        first = min(padded)
        scale = max(abs(one) for one in padded[first].coeffs())
        shifted = (
            (fmpq_poly([one - two for one, two in zip(exponent, first, strict=True)]), part)
            for exponent, part in padded.items()
        )
        return CurvedSum({tuple(exponent.coeffs()): part / scale for exponent, part in shifted})

    @cached_property
    def terms(self) -> Mapping[Exponent, Mapping[int, Exponentials]]:
        """The constants Σ q·e^r by what else is in the exponent, and the power of x."""
        found: dict[Exponent, dict[int, Exponentials]] = {}
        for exponent, part in self.parts.items():
            constant, *rest = exponent or (fmpq(0),)
            powers = found.setdefault(tuple(map(fraction, rest)), {})
            for k, q in enumerate(part.coeffs()):
                if q:
                    powers.setdefault(k, {})[constant] = q
        return found

    def sign_at(self, point: Fraction) -> int:
        """Return the sign at a rational point, exactly."""
        return self.coefficient_sign(point, 0)

    def coefficient_sign(self, point: Fraction, order: int) -> int:
        """Return the sign of a Taylor coefficient at a rational point, exactly."""
        found: Exponentials = {}
        length = order + 1
        move = fmpq_poly([exact(point), 1])
        with series_of(length):
            for exponent, part in self.parts.items():
                constant, *moving = (*fmpq_poly(list(exponent))(move).coeffs(), fmpq(0))
                grown = fmpq_series([0, *moving[:order]], prec=length).exp()
                series = fmpq_series(part(move).coeffs()[:length], prec=length) * grown
                found[constant] = found.get(constant, fmpq(0)) + series[order]
        return sign({x: q for x, q in found.items() if q})
