"""Functions of a Gumbel variable: sums of distribution functions and of densities.

With a rate a and weight w = e^{a·mean} a Gumbel variable is at most t with probability
F_w(t) = exp(−w·e^{−at}), so e^{−a·variable} is exponential noise of rate w, and comparing such
variables is a race. Products stay in the family: F_w·F_v = F_{w+v}, and for the densities
F_w′·F_v = w/(w + v)·F′_{w+v}. So the probabilities of comparisons of Gumbel noises of one rate are
rational functions of the weights; a comparison with a number has no closed form.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.errors import ProgramError
from exactdp.measure.frame import Element, Frame
from exactdp.reals import ClosedForm, ExpPoly, eps, exp

Terms = dict[ExpPoly, ClosedForm]
"""Coefficients by weight."""


class Race:
    """Σ tails[w]·F_w(±t) + Σ densities[w]·F_w′(±t), for Gumbel noise of one rate."""

    __slots__ = ("densities", "frame", "kind", "tails")

    pieces = ()
    """It has no pieces, unlike other functions of one variable."""

    def __init__(
        self, frame: Frame, kind: tuple[Fraction, int], tails: Terms, densities: Terms
    ) -> None:
        self.frame = frame
        self.kind = kind
        """The rate, and 1, or −1 if the variable is Gumbel noise times −1."""
        self.tails = {w: c for w, c in tails.items() if c.numerator}
        self.densities = {w: c for w, c in densities.items() if c.numerator}

    @classmethod
    def noise(cls, frame: Frame, rate: Fraction, mean: int) -> Race:
        """Return the density of a sample."""
        return cls(frame, (rate, 1), {}, {_power(frame, rate, mean): ExpPoly(1)})

    def __bool__(self) -> bool:
        return bool(self.tails or self.densities)

    def __mul__(self, other: object) -> Race:
        if not isinstance(other, Race) or other.kind != self.kind:
            raise only_compared()
        tails: Terms = {}
        densities: Terms = {}
        for w, c in self.tails.items():
            for v, d in other.tails.items():
                _add(tails, w + v, c * d)
        for one, two in ((self, other), (other, self)):
            for w, c in one.densities.items():
                for v, d in two.tails.items():
                    _add(densities, w + v, c * d * (w / (w + v)))
        assert not (self.densities and other.densities)
        return Race(self.frame, self.kind, tails, densities)

    def __add__(self, other: object) -> Race:
        if not isinstance(other, Race) or other.kind != self.kind:
            raise only_compared()
        tails, densities = dict(self.tails), dict(self.densities)
        for found, more in ((tails, other.tails), (densities, other.densities)):
            for w, c in more.items():
                _add(found, w, c)
        return Race(self.frame, self.kind, tails, densities)

    def times(self, factor: Element) -> Race:
        """Return the function times an element without t."""
        form = self.frame.closed_form(factor)
        both = ({w: c * form for w, c in part.items()} for part in (self.tails, self.densities))
        return Race(self.frame, self.kind, *both)

    def negated(self) -> Race:
        """Return −f."""
        return self.times(-self.frame.one)

    def total(self) -> ClosedForm:
        """Return the integral over the whole line."""
        return sum(self.densities.values(), ExpPoly(0))

    def below(self) -> Race:
        """Return ∫_{−∞}^t of the function."""
        return self._integral(1)

    def above(self) -> Race:
        """Return ∫_t^∞ of the function."""
        return self._integral(-1)

    def _integral(self, side: int) -> Race:
        if side == self.kind[1]:
            return Race(self.frame, self.kind, self.densities, {})
        found: Terms = {w: -c for w, c in self.densities.items()}
        _add(found, ExpPoly(0), self.total())
        return Race(self.frame, self.kind, found, {})

    def shifted(self, by: Any) -> Race:
        """Return t ↦ f(t + by)."""
        if not by:
            return self
        rate, sign = self.kind
        factor = _power(self.frame, -rate * sign, by)
        both = ({w * factor: c for w, c in part.items()} for part in (self.tails, self.densities))
        return Race(self.frame, self.kind, *both)

    def stretched(self, factor: Fraction) -> Race:
        """Return t ↦ f(factor·t); refuse if it is not in the family."""
        if abs(factor) != 1:
            raise only_compared()
        rate, sign = self.kind
        return Race(self.frame, (rate, sign * int(factor)), self.tails, self.densities)

    def at(self, point: Any) -> Element:
        """Refuse: the value at a point is not a closed form."""
        del point
        raise only_compared()


def only_compared() -> ProgramError:
    """Return the error for anything but comparisons of Gumbel noises of one rate."""
    return ProgramError(
        "gumbel noise is used other than in comparisons with gumbel noise of the same rate",
        rule="The largest of gumbel noises is the exponential mechanism; other questions about "
        "gumbel noise have no closed form.",
        way_out="Return what the comparison decides, or use lap or expo.",
    )


def _add(found: Terms, weight: ExpPoly, more: ClosedForm) -> None:
    known = found.get(weight)
    found[weight] = more if known is None else known + more


def _power(frame: Frame, rate: Fraction, point: Any) -> ExpPoly:
    """Return e^{rate·point} for a breakpoint of the frame."""
    number = frame.number(point)
    if isinstance(number, int | Fraction):
        return exp(number * rate * eps)
    return exp(number.closed_form() * rate)  # type: ignore[no-any-return]
