"""Signs of functions of ε and log b at an ε, where log b is enclosed between rationals.

A term is c·ε^k·L^j·e^{qε + rL} with L = log b > 0. Both L^j and e^{rL} are monotone in L, so their
values at the two bounds enclose it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from ..kernel.enclosures import PositiveEnclosure, exp_enclosure, floor, total
from ..kernel.reading import CertificateReader, Sum
from ..kernel.sums import Sums
from .cones import PolyhedralCone
from .evaluation import ZERO, Scaled
from .parametric import At
from .ratios import Ratio, plus
from .spaces import ParameterSpace
from .statement import Statement

_BITS = 256  # with which logarithms are compared with numbers
_MOST_POWER = 200
_MOST_SHIFT = 10_000


def unit_is_between(unit: Fraction, lower: Fraction, upper: Fraction | float) -> bool:
    """Whether 1 (if the unit is 0), or the logarithm of a base, is between two numbers."""
    if not unit:
        return lower <= 1 <= upper
    low = exp_enclosure(lower, _BITS)
    right = low.high * Fraction(2) ** low.exponent <= unit
    if isinstance(upper, Fraction):
        high = exp_enclosure(upper, _BITS)
        right = right and high.low * Fraction(2) ** high.exponent >= unit
    return right


class NearLog(NamedTuple):
    """An ε, bounds on a logarithm, and the precision with which signs are seen."""

    reader: Sums
    eps: Fraction
    low: Fraction
    high: Fraction
    bits: int

    @classmethod
    def read(cls, reader: Statement, given: Any, eps: Fraction, bits: int) -> NearLog | None:
        """Read bounds on the logarithm that the unit is, and check them; None if it is none."""
        if not reader.unit:
            reader.require(given is None, "there is no logarithm")
            return None
        low, high = (reader.rational(end) for end in reader.pair(given))
        right = 0 < low < high and unit_is_between(reader.unit, low, high)
        reader.require(right, "not bounds on the logarithm")
        return cls(reader, eps, low, high, bits)

    def sign(self, form: Sum, bound: Scaled = ZERO, under: Sum | None = None) -> int:
        """Return the sign of form − bound·under, seen with this precision."""
        c, e = bound
        parts = self._parts(form, Fraction(1), 0)
        if c and under:
            if e == 0 and not plus(form, {key: -c * q for key, q in under.items()}):
                return 0
            parts += self._parts(under, -c, e)
        low, high = total(parts, self.bits)
        if not parts:
            return 0
        self.reader.require(low > 0 or high < 0, f"a sign is not decided with {self.bits} bits")
        return 1 if low > 0 else -1

    def of(self, form: Ratio) -> int:
        """Return the sign of a quotient."""
        return self.sign(form.over) * self.sign(form.under)

    def encloses(self, form: Ratio, ends: tuple[Scaled, Scaled]) -> bool:
        """Whether a quotient is seen to be between two numbers."""
        sign = self.sign(form.under)
        above, below = (sign * self.sign(form.over, end, form.under) for end in ends)
        return bool(sign) and above >= 0 >= below

    def _parts(
        self, form: Sum, factor: Fraction, shift: int
    ) -> list[tuple[Fraction, int, PositiveEnclosure]]:
        """Return the terms of a sum, as the arithmetic of enclosures takes them."""
        found: list[Any] = []
        for (powers, rates), c in form.items():
            k, j = (*powers, 0, 0)[:2]
            q, r = (*rates, Fraction(0), Fraction(0))[:2]
            right = len(powers) <= 2 and len(rates) <= 2 and max(abs(k), abs(j)) <= _MOST_POWER
            self.reader.require(right, "a formula depends on more than ε and one logarithm")
            found.append((factor * c * self.eps**k, shift, self._between(j, q * self.eps, r)))
        return found

    def _between(self, power: int, constant: Fraction, rate: Fraction) -> PositiveEnclosure:
        """Enclose L^power·e^{constant + rate·L}."""
        bits = self.bits
        one, two = (self.reader.exp(constant + rate * x, bits) for x in (self.low, self.high))
        if rate < 0:
            one, two = two, one
        lower, upper = (x**power for x in (self.low, self.high)[:: -1 if power < 0 else 1])
        gap = abs(one.exponent - two.exponent)
        self.reader.require(gap <= _MOST_SHIFT, "the bounds on a logarithm are too far apart")
        exponent = min(one.exponent, two.exponent)
        least = floor(lower.numerator, bits, lower.denominator)
        most = -floor(-upper.numerator, bits, upper.denominator)
        return PositiveEnclosure(
            (one.low << one.exponent - exponent) * least,
            (two.high << two.exponent - exponent) * most,
            exponent - bits,
        )


def cone_at(reader: CertificateReader, entries: list[Any], near: NearLog | None) -> ParameterSpace:
    """Return the ray of an input; with a logarithm, a cone around (ε, log b) for this ε."""
    if near is None:
        ray = PolyhedralCone(1, reader).cut((Fraction(1),))
        return ParameterSpace(1, entries, None, None, ray)
    region = PolyhedralCone(2, reader).cut((Fraction(1), Fraction(0)))
    region = region.cut((-near.low, near.eps)).cut((near.high, -near.eps))
    unit = At((Fraction(0), Fraction(1)))
    return ParameterSpace(2, entries, None, None, region, unit=unit)
