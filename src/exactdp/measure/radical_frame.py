"""The ring of densities with irrational rates, at an input: `frame` with numbers in Q(α).

A density of one variable t is, between two breakpoints b·ε with rational b, a finite sum of
c·ε^j·t^k·e^{at + qε}, where a, c and q are rational or made of one root: a `SurdSum` in ε and t. So
is a density of several variables (`joint`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.measure.frame import OtherFrame, TooCoarseError
from exactdp.reals.radical_form import RadicalForm, made
from exactdp.reals.surd_sum import SurdSum

_T = "t"
_ZERO = Fraction(0)


class RadicalFrame(OtherFrame):
    """Breakpoints are multiples of ε/D; rates need no units."""

    def __init__(self, fine: int = 1) -> None:
        super().__init__(1, fine)
        self.zero = SurdSum({}, ("eps", _T))
        self.one = self.exponential(Fraction(1), _ZERO)

    def _refuse(self, rates: int, fine: int) -> TooCoarseError:
        del rates
        return TooCoarseError(RadicalFrame(fine))

    def rate(self, rate: Any) -> Any:
        """Return the rate itself."""
        return rate

    def size(self, rate: Any) -> Any:
        """Return the rate itself."""
        return rate

    def exponential(self, coefficient: Any, rate: Any) -> Any:
        """Return coefficient·e^{rate·t}."""
        return SurdSum({(0, 0, _ZERO, rate): coefficient}, ("eps", _T))

    def at(self, element: Any, point: Any) -> Any:
        """Return the element at a point."""
        return element.substitute(t={"eps": self.number(point)})

    def shifted(self, element: Any, by: Any) -> Any:
        """Return the element with t replaced by t + by."""
        return element.substitute(t={_T: Fraction(1), "eps": self.number(by)})

    def stretched(self, element: Any, factor: Fraction) -> Any:
        """Return the element with t replaced by factor·t."""
        return element.substitute(t={_T: factor})

    def antiderivative(self, element: Any) -> Any:
        """Return a function of t whose derivative is the element, 0 at ±∞ if possible."""
        return element.antiderivative(_T)

    def element(self, form: Any, name: str = "") -> Any:
        """Return a closed form in ε, with `name` standing for t, as an element."""
        if isinstance(form, RadicalForm):
            return form.over
        found = SurdSum.of(form)
        assert found is not None
        return found.substitute(**{name: {_T: Fraction(1)}}) if name else found

    def closed_form(self, element: Any, name: str = "") -> Any:
        """Return an element as a closed form, or as a sum in which t is named `name`."""
        if name:
            return element.substitute(t={name: Fraction(1)})
        return made(element.in_names(("eps",)))
