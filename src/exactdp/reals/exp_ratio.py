"""Quotients of sums of exponentials: the field that contains every probability."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.divisors import lowest_terms
from exactdp.reals.exp_poly import ONE, ExpPoly, as_sum
from exactdp.reals.exp_term import ExpTerm
from exactdp.reals.numbers import Number, rational


class ExpRatio(ClosedForm):
    """A quotient of two `ExpPoly` in lowest terms, immutable and hashable.

    (If the exponents span hundreds of steps, only sparse divisors are cancelled.)
    The denominator is normalised: its largest rate is 0 and the coefficient of the term printed
    first is 1. Two quotients are equal exactly if they are the same function.

    >>> from exactdp.reals import eps, exp
    >>> print((1 - exp(-2 * eps)) / (1 - exp(-eps)) / eps)
    (1 + exp(-eps))/eps
    """

    __slots__ = ("_over", "_under")

    _over: ExpPoly
    _under: ExpPoly

    def __init__(
        self, numerator: ClosedForm | Number, denominator: ClosedForm | Number = 1
    ) -> None:
        over, under = _form(numerator), _form(denominator)
        if not under.numerator:
            raise _division_by_zero(over)
        self._fill(*_normal(over.numerator * under.denominator, over.denominator * under.numerator))

    def _fill(self, over: ExpPoly, under: ExpPoly) -> None:
        object.__setattr__(self, "_over", over)
        object.__setattr__(self, "_under", under)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an ExpRatio is immutable")

    @property
    def numerator(self) -> ExpPoly:
        """The numerator, in lowest terms."""
        return self._over

    @property
    def denominator(self) -> ExpPoly:
        """The denominator, in lowest terms and normalised."""
        return self._under

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that the quotient depends on, `eps` first."""
        found = {*self._over.parameters, *self._under.parameters}
        return ("eps",) * ("eps" in found) + tuple(sorted(found - {"eps"}))

    def __bool__(self) -> bool:
        return bool(self._over)

    def __neg__(self) -> ExpRatio:
        return _build(-self._over, self._under)

    def __pos__(self) -> ExpRatio:
        return self

    def __add__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        summand = _operand(other)
        if summand is None:
            return NotImplemented
        if summand.denominator == self._under:
            return quotient(self._over + summand.numerator, self._under)
        return quotient(
            self._over * summand.denominator + summand.numerator * self._under,
            self._under * summand.denominator,
        )

    __radd__ = __add__

    def __sub__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        subtrahend = _operand(other)
        return NotImplemented if subtrahend is None else self + -subtrahend

    def __rsub__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        return -self + other

    def __mul__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        factor = _operand(other)
        if factor is None:
            return NotImplemented
        return quotient(self._over * factor.numerator, self._under * factor.denominator)

    __rmul__ = __mul__

    def __truediv__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        divisor = _operand(other)
        if divisor is None:
            return NotImplemented
        return quotient(self._over * divisor.denominator, self._under * divisor.numerator)

    def __rtruediv__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        dividend = _operand(other)
        if dividend is None:
            return NotImplemented
        return quotient(dividend.numerator * self._under, dividend.denominator * self._over)

    def __pow__(self, power: int) -> ClosedForm:
        if not isinstance(power, int):
            return NotImplemented
        if power < 0:
            return quotient(self._under**-power, self._over**-power)
        return _build(self._over**power, self._under**power)

    def derivative(self, parameter: str = "eps") -> ClosedForm:
        """Return the derivative with respect to one parameter."""
        over, under = self._over, self._under
        # With g = gcd(D, D′) the derivative is (N′·D/g − N·D′/g)/(D·D/g): no common factor of D.
        slope = under.derivative(parameter)
        if not slope:
            return quotient(over.derivative(parameter), under)
        rest, slope = lowest_terms(under, slope)
        return quotient(over.derivative(parameter) * rest - over * slope, under * rest)

    def substitute(self, **values: ClosedForm | Number) -> ClosedForm:
        """Return the quotient with parameters replaced (see `ClosedForm.substitute`)."""
        over, under = self._over.substitute(**values), self._under.substitute(**values)
        return over / under

    def __eq__(self, other: object) -> bool:
        form = None if isinstance(other, float) else _operand(other)
        if form is None:
            return NotImplemented
        if form.denominator == self._under:
            return form.numerator == self._over
        return form.numerator * self._under == self._over * form.denominator

    def __hash__(self) -> int:
        if self._under == ONE:
            return hash(self._over)
        above, below = self._over.ends(), self._under.ends()
        return hash(tuple(_divided(a, b) for a, b in zip(above, below, strict=True)))

    def __reduce__(self) -> tuple[object, ...]:
        return _build, (self._over, self._under)


def quotient(over: ExpPoly, under: ExpPoly) -> ClosedForm:
    """Return over/under in lowest terms, as an `ExpPoly` if the denominator divides."""
    if not under:
        raise _division_by_zero(over)
    if under.is_unit:
        return over * under.inverse_unit()
    over, under = _normal(over, under)
    return over if under == ONE else _build(over, under)


def in_lowest_terms(f: ClosedForm) -> ClosedForm:
    """Return the same quotient, reduced by the greatest common divisor of any degree."""
    return _build(*_scaled(*lowest_terms(f.numerator, f.denominator, 0)))


def _normal(over: ExpPoly, under: ExpPoly) -> tuple[ExpPoly, ExpPoly]:
    """Return the same quotient in lowest terms with a normalised denominator."""
    return _scaled(*lowest_terms(over, under))


def _scaled(over: ExpPoly, under: ExpPoly) -> tuple[ExpPoly, ExpPoly]:
    """Return the same quotient with a normalised denominator."""
    first = under.first_term()
    return over.over_unit(first), under.over_unit(first)


def _build(over: ExpPoly, under: ExpPoly) -> ExpRatio:
    result = ExpRatio.__new__(ExpRatio)
    result._fill(over, under)
    return result


def _form(value: ClosedForm | Number) -> ClosedForm:
    return value if isinstance(value, ClosedForm) else ExpPoly(rational(value))


def _operand(value: object) -> ClosedForm | None:
    if isinstance(value, ExpPoly | ExpRatio):
        return value
    return as_sum(value)


def _divided(above: ExpTerm, below: ExpTerm) -> ExpTerm:
    """Return the quotient of two terms, as the ends of an equal `ExpPoly` would show it."""

    def difference(one: tuple[Any, ...], two: tuple[Any, ...]) -> tuple[Any, ...]:
        result = dict(one)
        for name, value in two:
            result[name] = result.get(name, 0) - value
        order = sorted(result, key=lambda name: (name != "eps", name))
        return tuple((name, result[name]) for name in order if result[name])

    return ExpTerm(
        above.coefficient / below.coefficient,
        difference(above.powers, below.powers),
        difference(above.rates, below.rates),
    )


def _division_by_zero(over: ClosedForm) -> ValueRefusedError:
    return ValueRefusedError(
        f"{over} is divided by zero",
        rule="A quotient needs a denominator that is not identically 0.",
    )
