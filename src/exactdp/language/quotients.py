"""Quotients of noise, which can only be compared, or released to be compared.

n/d > c is n > c·d if d > 0, and n < c·d if d < 0: linear comparisons, once the sign of d is
decided. Noise with a density is almost surely not 0; if d can be 0, that is a division by zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from exactdp.errors import ValueRefusedError
from exactdp.language.values import Symbolic
from exactdp.reals.operators import FLIPPED, Additive


@dataclass(frozen=True)
class NoisyQuotient(Additive, Symbolic):
    """over / under; `sign` is that of the denominator: 1, −1 or ZERO, None if it is not known.

    It is NOT_POSITIVE if the denominator is only known not to be positive.
    """

    over: Any
    under: Any
    sign: int | None = None

    def __bool__(self) -> bool:
        return super().__bool__()

    def mapped(self, change: Callable[[Any], Any]) -> NoisyQuotient:
        """Return the quotient with both parts changed."""
        over, under = change(self.over), change(self.under)
        if over is self.over and under is self.under:
            return self
        return replace(self, over=over, under=under)

    def __add__(self, other: object) -> NoisyQuotient:
        if isinstance(other, int | Fraction):
            return replace(self, over=self.over + self.under * other)
        if isinstance(other, NoisyQuotient) and other.under == self.under:
            return replace(self, over=self.over + other.over)
        raise refused_quotient()

    def __neg__(self) -> NoisyQuotient:
        return replace(self, over=-self.over)

    def __mul__(self, other: object) -> Any:
        if not isinstance(other, int | Fraction):
            raise refused_quotient()
        return replace(self, over=self.over * other) if other else 0

    def __truediv__(self, other: object) -> Any:
        if not isinstance(other, int | Fraction):
            raise refused_quotient()
        return replace(self, over=self.over * (1 / Fraction(other)))

    def rounded(self, *, nearest: bool) -> Any:
        """Refuse to round: a quotient can only be compared."""
        del nearest
        raise refused_quotient()

    def compared(self, op: str) -> tuple[str, Any]:
        """Return (op, form) such that the quotient op 0 where form op 0; the sign is known."""
        return (op if self.sign == 1 else FLIPPED[op]), self.over


ZERO: Final = 0
NOT_POSITIVE: Final = -2


@dataclass(frozen=True)
class Denominator:
    """A question about a denominator: whether it is positive or, if not, negative."""

    under: Any
    is_negative: bool

    def learned(self, quotient: NoisyQuotient, truth: bool) -> NoisyQuotient:
        """Return a quotient updated with the answer."""
        if quotient.under != self.under:
            return quotient
        if self.is_negative:
            return replace(quotient, sign=-1 if truth else ZERO)
        return replace(quotient, sign=1 if truth else NOT_POSITIVE)


def refused_quotient() -> ValueRefusedError:
    """Return the error for an unsupported operation on a quotient of noise."""
    return ValueRefusedError(
        "a quotient of noise is combined with other noise, or rounded",
        rule="A quotient of noise is only compared with numbers, or released; numbers may be added "
        "to it, and it may be multiplied by them.",
        way_out="Compare it with a number, such as `abs(total / count - 3) <= 1`.",
    )
