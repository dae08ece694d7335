"""Functions of ε with irrational rates: sums of c·ε^k·e^{qε}, and their quotients.

c and q are rational or made of one root (`radicals`), as in 1 − (1 + √2)·e^{−√2·ε}. Terms with
different k and q are linearly independent, so a sum is 0 exactly if its terms cancel. Where such a
function is 0 at one ε is not decided by a theorem; its sign is decided by certified numbers
(`radical_signs`), which may leave it open.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals import limits
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.enclosed_form import EnclosedForm
from exactdp.reals.evaluation import Enclosure, enclosure_of
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.exp_ratio import ExpRatio, QuotientForm, quotient
from exactdp.reals.exp_term import ExpTerm
from exactdp.reals.numbers import Number, exact, inf, rational, spell
from exactdp.reals.radicals import Radical, Surd, ball_of, radical
from exactdp.reals.surd_sum import SurdSum

_ONE = SurdSum({(0, Fraction(0)): Fraction(1)})


class RadicalForm(QuotientForm, EnclosedForm):
    """A quotient of sums, of which at least one number is irrational.

    >>> from exactdp.reals import exp, eps
    >>> print((1 - exp(-sqrt(2) * eps)) * sqrt(2))
    sqrt(2) - sqrt(2)*exp(-sqrt(2)*eps)
    """

    __slots__ = ()

    over: SurdSum
    under: SurdSum

    def __init__(self, over: SurdSum, under: SurdSum = _ONE) -> None:
        self._fill(over, under)

    def __reduce__(self) -> tuple[object, ...]:
        return RadicalForm, (self.over, self.under)

    # As a closed form ---------------------------------------------------------------------

    @property
    def numerator(self) -> Any:
        """The numerator, a sum without negative powers of ε."""
        return self._with_powers(self.over)

    @property
    def denominator(self) -> Any:
        """The denominator, a sum."""
        return self._with_powers(self.under)

    def _with_powers(self, part: SurdSum) -> ClosedForm:
        lowest = min(0, *(k for k, _, _ in self.over.rows()))
        return made(part * SurdSum({(-lowest, Fraction(0)): Fraction(1)}))

    @property
    def terms(self) -> tuple[ExpTerm, ...]:
        """The terms of the numerator: the largest rate first, then the smallest power."""
        rows = sorted(self.over.rows(), key=lambda row: (-float(row[1]), row[0]))
        return tuple(
            ExpTerm(c, (("eps", k),) * (k != 0), (("eps", q),) * (q != 0))  # type: ignore[arg-type]
            for k, q, c in rows
        )

    @property
    def parameters(self) -> tuple[str, ...]:
        """The only parameter."""
        return ("eps",)

    @property
    def is_irrational(self) -> bool:
        """Always True."""
        return True

    @property
    def is_polynomial(self) -> bool:
        """Whether it has no exponentials and no denominator."""
        return self.under == _ONE and all(q == 0 and k >= 0 for k, q in self.over.terms)

    def constant(self) -> None:
        """Return None: it is not a rational number."""

    def linear_form(self) -> None:
        """Return None: it is no multiple of ε with a rational factor."""

    @property
    def number(self) -> Radical | None:
        """The number that it is for every ε, else None."""
        if self.under != _ONE or list(self.over.terms) != [(0, Fraction(0))]:
            return None
        (found,) = self.over.terms.values()
        return found if isinstance(found, Radical) else None

    def exponential(self) -> ClosedForm:
        """Return e to this, which must be a multiple of ε."""
        rate = _factor_of_eps((self.over, self.under))
        if rate is not None:
            return made(SurdSum({(0, rate): Fraction(1)}))
        raise ValueRefusedError(
            f"exp of {self} is not a closed form",
            rule="exp is taken of a number times eps.",
            way_out="Write for example exp(-sqrt(2) * eps).",
        )

    @property
    def exponent(self) -> ClosedForm | None:
        """The exponent if this is e to it, else None."""
        if self.under != _ONE or len(self.over) > 1:
            return None
        ((power, rate, factor),) = self.over.rows()
        return multiple_of_eps(rate) if power == 0 and factor == 1 else None

    def derivative(self, parameter: str = "eps") -> ClosedForm:
        """Return the derivative."""
        if parameter != "eps":
            return ExpPoly(0)
        over, under = self.over, self.under
        if under == _ONE:
            return made(over.derivative())
        return made(over.derivative() * under - over * under.derivative(), under * under)

    def substitute(self, **values: ClosedForm | Number) -> ClosedForm:
        """Return the function with ε replaced by a multiple of ε."""
        if set(values) <= {"eps"}:
            given = terms_of(values.get("eps", ExpPoly(0)))
            factor = None if given is None else _factor_of_eps(given)
            if factor is not None:
                return scaled(self, factor)
        raise ValueRefusedError(
            f"eps in {self} can only be replaced by a multiple of eps",
            rule="Its rates are irrational.",
        )

    @staticmethod
    def parts_of(value: object) -> tuple[SurdSum, SurdSum] | None:
        """Return numerator and denominator of a closed form or number; None for anything else."""
        return terms_of(value)

    @staticmethod
    def quotient(over: SurdSum, under: SurdSum) -> ClosedForm:
        """Return a quotient; with rational numbers if it has no others."""
        return made(over, under)

    def __pow__(self, power: int) -> ClosedForm:
        found: ClosedForm = ExpPoly(1)
        for _ in range(abs(power)):
            found = self * found
        return found if power >= 0 else 1 / found

    def __hash__(self) -> int:
        if self.under != _ONE:
            return 1  # equal quotients may be written differently
        return hash(self.over)

    # Values -------------------------------------------------------------------------------

    def ball(self, eps: Fraction, bits: int) -> arb:
        """Return a ball that contains the value at an ε > 0, computed with `bits` bits."""
        with ctx.workprec(bits):
            return self.on_ball(arb(exact(eps)))

    def on_ball(self, x: arb) -> arb:
        """Return a ball that contains the values on a ball, at the working precision."""
        over = self.over.on_ball(x)
        return over if self.under == _ONE else over / self.under.on_ball(x)

    def at(self, eps: Number, digits: int = 30, **others: Number) -> Enclosure:
        """Return an enclosure of the value at an ε, to `digits` correct digits."""
        if not others and rational(eps, "a value of eps") == 0:
            return _at_zero(self)
        return super().at(eps, digits, **others)

    def limit(self, point: Number) -> Fraction | float:
        """Return the limit at 0⁺ or ∞ where it is rational or infinite."""
        found = end_value(self, point)
        if isinstance(found, Radical):
            raise ValueRefusedError(f"the limit is {found}, which is irrational")
        return found


def sqrt(number: Number) -> Any:
    """Return the square root of a positive rational number, for rates and bounds.

    A rational root is a Fraction; any other number may be multiplied with `eps` and used in `exp`.

    >>> from exactdp import eps, exp, sqrt
    >>> print(sqrt(4), exp(-sqrt(2) * eps), (sqrt(2) * eps) ** 2)
    2 exp(-sqrt(2)*eps) 2*eps^2
    """
    base = rational(number, "a number under a root")
    if base <= 0:
        raise ValueRefusedError(
            f"the square root of {spell(base)}", rule="Square roots are of positive numbers."
        )
    found = radical(base, Fraction(1, 2))
    return found if isinstance(found, Fraction) else constant(found)


def no_radical_certificate() -> ValueRefusedError:
    """Return the error for a certificate that cannot be written."""
    return ValueRefusedError(
        "a function with irrational rates has no certificate",
        rule="A certificate contains closed forms with rational numbers; this sign was decided by "
        "certified numbers.",
        way_out="Use rational rates, or check the verdict by values.",
    )


def made(over: SurdSum, under: SurdSum = _ONE) -> ClosedForm:
    """Return a quotient; a closed form with rational numbers if it has no others."""
    if len(under) == 1 and under != _ONE:
        ((power, rate, factor),) = under.rows()
        over = SurdSum({(k - power, q - rate): c / factor for k, q, c in over.rows()})
        under = _ONE
    if not over:
        return ExpPoly(0)
    if over.is_irrational or under.is_irrational:
        return RadicalForm(over, under)
    lowest = min(0, *(k for part in (over, under) for k, _, _ in part.rows()))
    above, below = (
        ExpPoly([(c, (("eps", k - lowest),), (("eps", q),)) for k, q, c in part.rows()])
        for part in (over, under)
    )
    return quotient(above, below)


def scaled(form: ClosedForm, unit: Surd) -> ClosedForm:
    """Return a closed form with ε replaced by a multiple of ε."""
    known = terms_of(form)
    assert known is not None
    stretched = (SurdSum({(k, q * unit): c * unit**k for k, q, c in part.rows()}) for part in known)
    return made(*stretched)


def constant(number: Surd) -> ClosedForm:
    """Return a number as a function of ε."""
    return made(SurdSum({(0, Fraction(0)): number}))


def multiple_of_eps(factor: Surd) -> ClosedForm:
    """Return factor·ε."""
    return made(SurdSum({(1, Fraction(0)): factor}))


def terms_of(value: object) -> tuple[SurdSum, SurdSum] | None:
    """Return numerator and denominator of a closed form or number; None for anything else."""
    if isinstance(value, RadicalForm):
        return value.over, value.under
    if isinstance(value, ExpRatio):
        over, under = SurdSum.of(value.numerator), SurdSum.of(value.denominator)
    else:
        over, under = SurdSum.of(value), _ONE
    is_known = over is not None and under is not None and over.names == under.names == _ONE.names
    return (over, under) if is_known else None  # type: ignore[return-value]


def _factor_of_eps(given: tuple[SurdSum, SurdSum]) -> Surd | None:
    """Return the factor if a quotient is a multiple of ε, else None."""
    over, under = given
    return over.terms.get((1, Fraction(0))) if len(over) == 1 and under == _ONE else None


# At the ends --------------------------------------------------------------------------


def end_value(form: RadicalForm, point: Number) -> Surd | float:
    """Return the limit at 0⁺ or ∞."""
    if point not in (0, inf):
        raise ValueRefusedError("limits are taken at 0 and inf", way_out="Ask for at(eps).")
    limit = limits.at_zero if point == 0 else limits.at_infinity
    found: Surd | float = limit(form.over, form.under)
    return found


def _at_zero(form: RadicalForm) -> Enclosure:
    value = end_value(form, 0)
    if isinstance(value, float):
        raise ValueRefusedError("the function has no value at eps = 0")
    with ctx.workprec(256):
        return enclosure_of(ball_of(value))
