"""Closed forms whose values are known by enclosures only, to as many digits as requested."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluation import Enclosure, refined
from exactdp.reals.numbers import Number, rational, spell

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy
    from numpy.typing import NDArray

_MOST_BITS = 1 << 14  # so many bits, and a value is taken for one that may be 0


class EnclosedForm(ClosedForm):
    """A closed form that is evaluated on balls: a sign at an ε may stay unknown."""

    __slots__ = ()

    @abstractmethod
    def ball(self, eps: Fraction, bits: int) -> arb:
        """Return a ball that contains the value at an ε > 0, computed with `bits` bits."""

    @property
    def first_bits(self) -> int:
        """With how many bits a value has some correct digits."""
        return 64

    def at(self, eps: Number, digits: int = 30, **others: Number) -> Enclosure:
        """Return an enclosure of the value at an ε, to `digits` correct digits."""
        point = rational(eps, "a value of eps")
        if others:
            raise ValueRefusedError(f"the function does not depend on {', '.join(others)}")
        found = refined(lambda bits: self.ball(point, bits), digits, self.first_bits, _MOST_BITS)
        if found is None:
            raise ValueRefusedError(
                f"the value at eps = {spell(point)} cannot be distinguished from 0"
            )
        return found

    def sign_at(self, eps: Fraction) -> int:
        """Return the sign at an ε; refuse if the value is indistinguishable from 0."""
        return self.at(eps, 1).sign

    def values(self, points: Iterable[float]) -> NDArray[numpy.float64]:
        """Return the values at many ε as doubles."""
        import numpy as np  # noqa: PLC0415 imported only when used

        eps = np.asarray(list(points), dtype=float)
        flat = [float(self.at(Fraction(float(x)), 10)) for x in eps.ravel()]
        return np.array(flat, dtype=float).reshape(eps.shape)
