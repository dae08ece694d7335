"""The ring for densities whose breakpoints are linear forms in parameters.

It answers the same questions as `frame.Frame`, with sums of c·θ^k·t^j·e^{ℓ(θ) + at} for elements;
a breakpoint is a `Spot` or, without parameters other than ε, a rational.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from exactdp.measure.joint import antiderivative
from exactdp.reals import ExpPoly, eps, exp, parameter

_T = "noise"


class ParametricFrame:
    """Elements are closed forms in the parameters and the noise variable t."""

    zero = ExpPoly(0)
    one = ExpPoly(1)
    points = 1

    def __init__(self) -> None:
        self.functions: dict[tuple[str, Fraction, Any], Any] = {}
        """Densities of noise made so far, by kind, rate and mean (see `function.noise`)."""

    def rate(self, rate: Fraction) -> Fraction:
        """Return a rate in the units of the frame: the number itself."""
        return rate

    def point(self, point: Any) -> Any:
        """Return a breakpoint in the units of the frame: itself."""
        return point

    def number(self, point: Any) -> Any:
        """Return a breakpoint as a multiple of ε, or as a linear form."""
        return point

    def size(self, rate: Fraction) -> Fraction:
        """Return a rate as a number."""
        return rate

    def exponential(self, coefficient: Fraction, rate: Fraction) -> ExpPoly:
        """Return coefficient·e^{rate·t}."""
        return exp(rate * parameter(_T)) * coefficient

    def at(self, element: ExpPoly, point: Any) -> ExpPoly:
        """Return the element at a point."""
        return _sum(element.substitute(**{_T: place(point)}))

    def shifted(self, element: ExpPoly, by: Any) -> ExpPoly:
        """Return the element with t + by for t."""
        return _sum(element.substitute(**{_T: parameter(_T) + place(by)}))

    def antiderivative(self, element: ExpPoly) -> ExpPoly:
        """Return a function of t whose derivative is the element, 0 at ±∞ where possible."""
        return antiderivative(element, _T)

    def integral(self, parts: Iterable[tuple[ExpPoly, Any, Any]]) -> ExpPoly:
        """Return Σ ∫ element dt between two ends; an end None is infinite, where it is 0."""
        total = self.zero
        for element, lower, upper in parts:
            if element:
                whole = self.antiderivative(element)
                if upper is not None:
                    total = total + self.at(whole, upper)
                if lower is not None:
                    total = total - self.at(whole, lower)
        return total

    def form(self, element: ExpPoly, name: str) -> ExpPoly:
        """Return an element as a closed form in which t has another name."""
        return _sum(element.substitute(**{_T: parameter(name)}))

    def element(self, form: ExpPoly, name: str = "") -> ExpPoly:
        """Return a closed form in the parameter called `name` as an element."""
        return _sum(form.substitute(**{name: parameter(_T)})) if name else form

    def closed_form(self, element: ExpPoly) -> ExpPoly:
        """Return an element without t."""
        return element


def place(point: Any) -> ExpPoly:
    """Return a breakpoint as a closed form; a rational b stands for b·ε."""
    found: ExpPoly = eps * point if isinstance(point, int | Fraction) else point.closed_form()
    return found


def _sum(form: Any) -> ExpPoly:
    assert isinstance(form, ExpPoly)
    return form
