"""Random closed forms, and their values by mpmath, which shares no code with exactdp."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import strategies as st

from exactdp.reals import ClosedForm, ExpPoly, ExpTerm

coefficients = st.fractions(-50, 50, max_denominator=30).filter(bool)
rates = st.builds(Fraction, st.integers(-90, 30), st.sampled_from([1, 2, 3, 4, 8, 9, 36, 72]))
powers = st.integers(0, 3)


def term(coefficient: Fraction, power: int = 0, rate: Fraction | int = 0) -> ExpTerm:
    """Return coefficient·ε^power·e^{rate·ε}."""
    return ExpTerm(
        Fraction(coefficient),
        (("eps", power),) if power else (),
        (("eps", Fraction(rate)),) if rate else (),
    )


@st.composite
def sums(draw: st.DrawFn, most: int = 8, power: int = 3) -> ExpPoly:
    """Draw a sum of up to `most` terms."""
    entries = draw(
        st.lists(st.tuples(coefficients, st.integers(0, power), rates), min_size=0, max_size=most)
    )
    return ExpPoly(term(*entry) for entry in entries)


def by_mpmath(form: ClosedForm, point: Fraction, digits: int = 120) -> Any:
    """Return the value at a rational ε with mpmath."""
    with mpmath.workdps(digits):
        x = mpmath.mpf(point.numerator) / point.denominator

        def number(value: Fraction) -> Any:
            return mpmath.mpf(value.numerator) / value.denominator

        def total(part: ExpPoly) -> Any:
            return mpmath.fsum(
                number(one.coefficient) * x**one.power * mpmath.exp(number(one.rate) * x)
                for one in part.terms
            )

        return total(form.numerator) / total(form.denominator)
