"""Functions of ε with e to a closed form: Σ factor·e^exponent + rest, such as a Hoeffding bound.

e to a quotient, as in exp(2·(1 − e^ε)/(1 + e^ε)), is not in the field of closed forms. No theorem
decides where such a function is exactly 0, so its sign is decided by certified numbers
(`tower_signs`), which may leave it open. At one ε it is exact if all exponents are rational there.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NoReturn

from flint import arb, arb_series, ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluation import on_ball, sign_at
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.exp_poly import eps as epsilon
from exactdp.reals.exp_poly import exp as plain_exp
from exactdp.reals.numbers import Number, exact, inf, rational
from exactdp.reals.radical_form import RadicalForm
from exactdp.reals.taylor_walk import series_of
from exactdp.reals.weighted_form import WeightedForm

Parts = tuple[tuple[ClosedForm, ClosedForm], ...]


class Tower(WeightedForm):
    """Σ factor·e^exponent + rest, with closed forms in ε alone.

    It can be evaluated and plotted, and its sign decided; it has no numerator and denominator.
    """

    __slots__ = ()

    parts: Parts

    def __init__(self, parts: Iterable[tuple[ClosedForm, ClosedForm]], rest: ClosedForm) -> None:
        found: dict[ClosedForm, ClosedForm] = {}
        for exponent, factor in parts:
            known = found.get(exponent)
            found[exponent] = factor if known is None else known + factor
        kept = tuple((e, f) for e, f in found.items() if f.numerator)
        super().__init__(kept, rest)

    def __reduce__(self) -> tuple[object, ...]:
        return Tower, (self.parts, self.rest)

    # As a closed form ---------------------------------------------------------------------

    @property
    def numerator(self) -> NoReturn:
        """Refuse: there is none."""
        raise _no_quotient(self)

    @property
    def denominator(self) -> NoReturn:
        """Refuse: there is none."""
        raise _no_quotient(self)

    def derivative(self, parameter: str = "eps") -> Tower:
        """Return the derivative, of the same kind."""
        parts = ((e, f.derivative(parameter) + f * e.derivative(parameter)) for e, f in self.parts)
        return Tower(parts, self.rest.derivative(parameter))

    def substitute(self, **values: ClosedForm | Number) -> ClosedForm:
        """Return the function with ε replaced."""
        parts = ((e.substitute(**values), f.substitute(**values)) for e, f in self.parts)
        return Tower(parts, self.rest.substitute(**values))

    def __add__(self, other: Any) -> Tower:
        if isinstance(other, RadicalForm):
            raise _no_quotient(self)
        return super().__add__(other)

    def __mul__(self, other: Any) -> Tower:
        if isinstance(other, Tower):
            pairs = [(e + d, f * g) for e, f in self.parts for d, g in other.parts]
            pairs += [(e, f * other.rest) for e, f in self.parts]
            pairs += [(e, f * self.rest) for e, f in other.parts]
            return Tower(pairs, self.rest * other.rest)
        return super().__mul__(other)

    def __rtruediv__(self, other: object) -> NoReturn:
        raise _no_quotient(self)

    def __pow__(self, power: int) -> ClosedForm:
        found: ClosedForm = ExpPoly(1)
        for _ in range(power):
            found = self * found
        return found

    # Values -------------------------------------------------------------------------------

    def ball(self, eps: Fraction, bits: int) -> arb:
        """Return a ball that contains the value at an ε, computed with `bits` bits."""
        with ctx.workprec(bits):
            return self.on_ball(arb(exact(eps)))

    def on_ball(self, x: arb) -> arb:
        """Return a ball that contains the values on a ball, at the working precision."""
        total = on_ball(self.rest, x)
        for exponent, factor in self.parts:
            total += on_ball(factor, x) * on_ball(exponent, x).exp()
        return total

    def sign_at(self, eps: Fraction) -> int:
        """Return the sign at an ε: exactly, if all exponents are rational numbers there."""
        same = self.rest  # at this ε, with exponents that are multiples of it
        for exponent, factor in self.parts:
            value = _rational_at(exponent, eps)
            if value is None:
                return super().sign_at(eps)
            same = same + factor * plain_exp(epsilon * (value / eps))
        return sign_at(same.numerator, eps) * sign_at(same.denominator, eps)

    def series(self, x: arb, length: int) -> list[arb]:
        """Return Taylor coefficients on a ball, at the working precision."""
        with series_of(length):
            total = _series(self.rest, x, length)
            for exponent, factor in self.parts:
                total += _series(factor, x, length) * _series(exponent, x, length).exp()
            return [total[k] for k in range(length)]

    def limit(self, point: Number) -> Fraction | float:
        """Return the limit at 0⁺ or ∞ where it is rational or infinite."""
        total = self.rest
        for exponent, factor in self.parts:
            end = exponent.limit(point)
            if end == 0:
                total = total + factor
            elif end != -inf or abs(factor.limit(point)) == inf:
                raise ValueRefusedError("the limit is not known to be a rational number")
        return total.limit(point)

    # As text ------------------------------------------------------------------------------

    def __str__(self) -> str:
        listed = [f"exp({e})" if f == ExpPoly(1) else f"({f})*exp({e})" for e, f in self.parts]
        if self.rest.numerator or not listed:
            listed.append(str(self.rest))
        return " + ".join(listed)

    def pretty(self) -> str:
        """Return the function as text."""
        return str(self)

    def latex(self) -> str:
        """Return the function as LaTeX."""
        listed = [rf"\left({f.latex()}\right) e^{{{e.latex()}}}" for e, f in self.parts]
        return " + ".join([*listed, self.rest.latex()])

    def to_sympy(self) -> Any:
        """Return the function as a SymPy expression."""
        import sympy  # noqa: PLC0415 imported only when used

        parts = (f.to_sympy() * sympy.exp(e.to_sympy()) for e, f in self.parts)
        return sum(parts, self.rest.to_sympy())


def _rational_at(form: ClosedForm, point: Fraction) -> Fraction | None:
    """Return the value of a quotient of polynomials at a point, None for other closed forms."""
    found = []
    for part in (form.numerator, form.denominator):
        polynomials = part.exponentials()
        if any(polynomials.keys()):
            return None
        found.append(
            sum((rational(one(exact(point))) for one in polynomials.values()), Fraction(0))
        )
    over, under = found
    return over / under if point and under else None


def _series(form: ClosedForm, x: arb, length: int) -> arb_series:
    """Return the Taylor series of a closed form on a ball; at a pole nothing is known."""
    variable = arb_series([x, 1], prec=length)
    found = []
    for part in (form.numerator, form.denominator):
        total = arb_series([0], prec=length)
        for rate, polynomial in part.exponentials().items():
            value = arb_series([0], prec=length)
            for q in reversed(polynomial.coeffs()):
                value = value * variable + arb(q)
            total += value * (variable * exact(rate)).exp()
        found.append(total)
    over, under = found
    if form.denominator == 1:
        return over
    try:
        return over / under
    except (ZeroDivisionError, ValueError):
        return arb_series([arb("nan")] * length, prec=length)


def exp(exponent: Any) -> Any:
    """Return e to a formula: a multiple of ε, or any closed form in ε, such as a quotient.

    With e to a quotient β is decided by certified numbers, and such a verdict has no certificate.

    >>> from exactdp import eps, exp
    >>> print(3 * exp(-eps / 2))
    3*exp(-1/2*eps)
    >>> print(exp(2 * (1 - exp(eps)) / (1 + exp(eps))).at(1).text(6))
    0.396835
    """
    if isinstance(exponent, Tower):
        raise _no_quotient(exponent)
    if isinstance(exponent, int | Fraction) and not isinstance(exponent, bool):
        exponent = ExpPoly(exponent)
    is_plain = isinstance(exponent, ClosedForm) and exponent.parameters in ((), ("eps",))
    if not is_plain or hasattr(exponent, "exponential"):
        return plain_exp(exponent)
    if exponent.denominator == 1 and exponent.numerator.linear_form() is not None:
        return plain_exp(exponent)
    return Tower([(exponent, ExpPoly(1))], ExpPoly(0))


def no_tower_certificate() -> ValueRefusedError:
    """Return the error for a certificate that cannot be written."""
    return ValueRefusedError(
        "a bound with e to a quotient has no certificate",
        rule="A certificate holds closed forms; this bound was compared by certified numbers.",
        way_out="Give a bound with exp of multiples of eps, or check the verdict by values.",
    )


def _no_quotient(form: Tower) -> ValueRefusedError:
    return ValueRefusedError(
        f"{form} is not a closed form",
        rule="e to a quotient is compared with probabilities by certified numbers, at listed or "
        "finite inputs; other questions need exp of multiples of eps.",
        way_out="Ask check() at listed inputs, or bound it by exp of a multiple of eps.",
    )
