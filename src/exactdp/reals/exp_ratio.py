"""Quotients of sums of exponentials: the field that contains every probability."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.divisors import lowest_terms
from exactdp.reals.exp_poly import ONE, ExpPoly, as_sum
from exactdp.reals.exp_term import ExpTerm
from exactdp.reals.numbers import Number, rational


class QuotientForm(ClosedForm):
    """over/under, for sums of one kind; what follows from numerators and denominators."""

    __slots__ = ("over", "under")

    over: Any
    under: Any

    def _fill(self, over: object, under: object) -> None:
        object.__setattr__(self, "over", over)
        object.__setattr__(self, "under", under)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    @staticmethod
    @abstractmethod
    def parts_of(value: object) -> tuple[Any, Any] | None:
        """Return numerator and denominator of a number or closed form; None if it has none."""

    @staticmethod
    @abstractmethod
    def quotient(over: Any, under: Any) -> ClosedForm:
        """Return the quotient of two sums."""

    def __bool__(self) -> bool:
        return bool(self.over)

    def __neg__(self) -> ClosedForm:
        return self.quotient(-self.over, self.under)

    def __add__(self, other: object) -> ClosedForm:
        its = self.parts_of(other)
        if its is None:
            return NotImplemented
        over, under = its
        if under == self.under:
            return self.quotient(self.over + over, under)
        return self.quotient(self.over * under + over * self.under, self.under * under)

    def __mul__(self, other: object) -> ClosedForm:
        its = self.parts_of(other)
        return NotImplemented if its is None else self._times(*its)

    def __truediv__(self, other: object) -> ClosedForm:
        its = self.parts_of(other)
        return NotImplemented if its is None else self._times(its[1], its[0])

    def __rtruediv__(self, other: object) -> ClosedForm:
        its = self.parts_of(other)
        if its is None:
            return NotImplemented
        return self.quotient(its[0] * self.under, its[1] * self.over)

    def _times(self, over: Any, under: Any) -> ClosedForm:
        return self.quotient(self.over * over, self.under * under)

    def __eq__(self, other: object) -> bool:
        its = None if isinstance(other, float) else self.parts_of(other)
        if its is None:
            return NotImplemented
        over, under = its
        if under == self.under:
            return bool(over == self.over)
        return bool(over * self.under == self.over * under)

    @abstractmethod
    def __hash__(self) -> int: ...


class ExpRatio(QuotientForm):
    """A quotient of two `ExpPoly` in lowest terms, immutable and hashable.

    (If the exponents span hundreds of steps, only sparse divisors are cancelled.)
    The denominator is normalised: its largest rate is 0 and the coefficient of the term printed
    first is 1. Two quotients are equal exactly if they are the same function.

    >>> from exactdp.reals import eps, exp
    >>> print((1 - exp(-2 * eps)) / (1 - exp(-eps)) / eps)
    (1 + exp(-eps))/eps
    """

    __slots__ = ()

    over: ExpPoly
    under: ExpPoly

    def __init__(
        self, numerator: ClosedForm | Number, denominator: ClosedForm | Number = 1
    ) -> None:
        over, under = _form(numerator), _form(denominator)
        if not under.numerator:
            raise _division_by_zero(over)
        self._fill(*_normal(over.numerator * under.denominator, over.denominator * under.numerator))

    @property
    def numerator(self) -> ExpPoly:
        """The numerator, in lowest terms."""
        return self.over

    @property
    def denominator(self) -> ExpPoly:
        """The denominator, in lowest terms and normalised."""
        return self.under

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that the quotient depends on, `eps` first."""
        found = {*self.over.parameters, *self.under.parameters}
        return ("eps",) * ("eps" in found) + tuple(sorted(found - {"eps"}))

    @staticmethod
    def parts_of(value: object) -> tuple[ExpPoly, ExpPoly] | None:
        """Return numerator and denominator of a closed form or number; None for anything else."""
        form = value if isinstance(value, ExpRatio) else as_sum(value)
        return None if form is None else (form.numerator, form.denominator)

    @staticmethod
    def quotient(over: ExpPoly, under: ExpPoly) -> ClosedForm:
        """Return over/under in lowest terms."""
        return quotient(over, under)

    def __neg__(self) -> ExpRatio:
        return _build(-self.over, self.under)

    def __pow__(self, power: int) -> ClosedForm:
        if not isinstance(power, int):
            return NotImplemented
        if power < 0:
            return quotient(self.under**-power, self.over**-power)
        return _build(self.over**power, self.under**power)

    def derivative(self, parameter: str = "eps") -> ClosedForm:
        """Return the derivative with respect to one parameter."""
        over, under = self.over, self.under
        # With g = gcd(D, D′) the derivative is (N′·D/g − N·D′/g)/(D·D/g): no common factor of D.
        slope = under.derivative(parameter)
        if not slope:
            return quotient(over.derivative(parameter), under)
        rest, slope = lowest_terms(under, slope)
        return quotient(over.derivative(parameter) * rest - over * slope, under * rest)

    def substitute(self, **values: ClosedForm | Number) -> ClosedForm:
        """Return the quotient with parameters replaced (see `ClosedForm.substitute`)."""
        over, under = self.over.substitute(**values), self.under.substitute(**values)
        return over / under

    def __hash__(self) -> int:
        if self.under == ONE:
            return hash(self.over)
        above, below = self.over.ends(), self.under.ends()
        return hash(tuple(_divided(a, b) for a, b in zip(above, below, strict=True)))

    def __reduce__(self) -> tuple[object, ...]:
        return _build, (self.over, self.under)


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
