"""ln of a closed form of which only the exponential is used, as the budget ln(1 + g·(e^ε − 1))."""

from __future__ import annotations

from dataclasses import dataclass

from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.radical_form import RadicalForm


@dataclass(frozen=True)
class Logarithm:
    """The natural logarithm of a closed form in ε.

    >>> from exactdp import eps, exp, log
    >>> print(log((1 + exp(eps)) / 2))
    log(1/2*exp(eps) + 1/2)
    """

    form: ClosedForm

    def __str__(self) -> str:
        if isinstance(self.form, RadicalForm) and self.form.exponent is not None:
            return str(self.form.exponent)
        return f"log({self.form})"

    def latex(self) -> str:
        """Return the logarithm as LaTeX."""
        return rf"\ln\left({self.form.latex()}\right)"

    def pretty(self) -> str:
        """Return the logarithm as text."""
        if isinstance(self.form, RadicalForm) and self.form.exponent is not None:
            return self.form.exponent.pretty()
        return f"ln({self.form.pretty()})"
