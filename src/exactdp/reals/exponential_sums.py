"""Sums Σ c·x^k·e^{P(x)} with constants c and polynomials P: values, and the sign near ∞."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from flint import arb, arb_series, ctx

from exactdp.reals.numbers import exact, inf
from exactdp.reals.radicals import Surd, ball_of, sign_of
from exactdp.reals.sign_walk import Seen
from exactdp.reals.taylor_walk import TaylorFunction, series_of

Exponent: TypeAlias = tuple[Surd, ...]
"""The coefficients of x, x², … in P; the last one is not 0."""


class ExponentialSum(TaylorFunction):
    """{P: {k: c}}; a kind of sum says what its constants c are."""

    first_bits = 192

    @property
    @abstractmethod
    def terms(self) -> Mapping[Exponent, Mapping[int, Any]]:
        """The constants, none of them 0, by exponent and power."""

    @staticmethod
    @abstractmethod
    def constant_ball(constant: Any, /) -> arb:
        """Return an enclosure of a constant at the working precision."""

    @staticmethod
    @abstractmethod
    def constant_sign(constant: Any, /) -> int | None:
        """Return the sign of a constant, None if it is not known."""

    def ball(self, eps: Fraction, bits: int) -> arb:
        """Return a ball with the value at a point over the largest exponential."""
        with ctx.workprec(bits):
            return self.scaled_series(arb(exact(eps)), 1)[0]

    def series(self, x: arb, length: int) -> list[arb]:
        """Return Taylor coefficients as balls, valid at every point of a ball."""
        return self._series(self.terms.items(), x, length)

    def scaled_series(self, x: arb, length: int) -> list[arb]:
        """Return Taylor coefficients of the sum over its largest exponential, on a ball.

        Its signs are the same, and nothing grows as x does.
        """
        return self._series(self._scaled, x, length)

    def _series(
        self, terms: Iterable[tuple[Exponent, Mapping[int, Any]]], x: arb, length: int
    ) -> list[arb]:
        with series_of(length):
            variable = arb_series([x, 1], prec=length)
            result = arb_series([0], prec=length)
            for exponent, powers in terms:
                part = arb_series([0], prec=length)
                for k in range(max(powers), -1, -1):
                    part = part * variable
                    if k in powers:
                        part += self.constant_ball(powers[k])
                if exponent:
                    grown = arb_series([0], prec=length)
                    for q in reversed(exponent):
                        grown = (grown + ball_of(q)) * variable
                    part = part * grown.exp()
                result += part
            return [result[k] for k in range(length)]

    @cached_property
    def _leading(self) -> tuple[Exponent, int, int | None]:
        """The exponent and the power of the term that dominates as x grows, and its sign."""
        longest = max(map(len, self.terms))
        exponent = max(self.terms, key=lambda one: _growth(one, longest))
        power = max(self.terms[exponent])
        return exponent, power, self.constant_sign(self.terms[exponent][power])

    @cached_property
    def _scaled(self) -> list[tuple[Exponent, Mapping[int, Any]]]:
        """The terms divided by the largest exponential."""
        if not self.terms:
            return []
        ruler = self._leading[0]
        return [
            (() if exponent == ruler else _difference(exponent, ruler), powers)
            for exponent, powers in self.terms.items()
        ]

    def tail(self, place: Fraction, bits: int) -> Seen | None:
        """Return the sign on [place, ∞) if one term is larger than all others from there on."""
        ruler, power, sign = self._leading
        if not sign:
            return Seen(place, inf, 0, "as ε grows no sign is seen")
        with ctx.workprec(bits):
            x, rest = arb(exact(place)), arb(0)
            size = abs(self.constant_ball(self.terms[ruler][power]))
            for exponent, powers in self.terms.items():
                slower = _difference(exponent, ruler)
                grown = sum((ball_of(q) * x ** (j + 1) for j, q in enumerate(slower)), arb(0)).exp()
                for k, c in powers.items():
                    if exponent == ruler and k == power:
                        continue
                    if not _falls_from(slower, k - power, place):
                        return None
                    rest += abs(self.constant_ball(c)) * x ** (k - power) * grown
            if rest < size:
                return Seen(place, inf, sign)
        return None if size > 0 else self.tail(place, 2 * bits)


def _growth(exponent: Exponent, size: int) -> tuple[Surd, ...]:
    """Return the coefficients that order polynomials by growth, the highest first."""
    return (*(Fraction(0),) * (size - len(exponent)), *reversed(exponent))


def _difference(one: Exponent, two: Exponent) -> Exponent:
    size = max(len(one), len(two))
    pairs = zip(_growth(one, size), _growth(two, size), strict=True)
    return tuple(a - b for a, b in reversed([*pairs]))


def _falls_from(exponent: Sequence[Surd], power: int, point: Fraction) -> bool:
    """Whether x^power·e^{P(x)} is proved to decrease from a point on.

    Its slope has the sign of power + x·P′(x), whose coefficients around the point are all ≤ 0.
    """
    listed: list[Surd] = [Fraction(power), *((j + 1) * q for j, q in enumerate(exponent))]
    for start in range(len(listed)):
        for j in range(len(listed) - 2, start - 1, -1):
            listed[j] = listed[j] + listed[j + 1] * point
    return all(sign_of(q) <= 0 for q in listed)
