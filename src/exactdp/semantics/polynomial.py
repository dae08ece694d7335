"""Numbers that are polynomials in the noise of an output and in parameters.

A Python function of an input and an output is called with such numbers. Sums and products are again
polynomials; the `Decider` of the call decides and records comparisons of linear ones. So a
piecewise polynomial function is called once for each of its pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isinf
from typing import Any, Protocol, TypeAlias

from exactdp.errors import ValueRefusedError
from exactdp.language.linear import Linear
from exactdp.language.operations import COMPARISONS
from exactdp.language.sampling import closed_form
from exactdp.language.terms import EpsTerm
from exactdp.language.values import freeze_result, plain
from exactdp.reals import ClosedForm, ExpPoly, eps, exp
from exactdp.reals.operators import OrderedNumber

Variable: TypeAlias = int | str
"""A noise by its position, or a parameter by its name."""
Monomial: TypeAlias = tuple[tuple[Variable, int], ...]
"""Variables with their powers, in order."""
Coefficient: TypeAlias = Any
"""A `Fraction`, or a closed form in ε."""

_MOST_TERMS = 5_000


class Decider(Protocol):
    """Decides the comparisons of one call of a function."""

    def decide(self, form: Linear, op: str) -> bool:
        """Return whether form op 0 on the piece of the call."""

    def sign_of_term(self, form: ClosedForm) -> int | None:
        """Return the sign of a function of ε if it is the same for all ε, else None."""

    def is_negative_term(self, form: ClosedForm) -> bool:
        """Whether a function of ε is nowhere positive, if it does not change its sign."""


class PolynomialNumber(OrderedNumber):
    """Σ coefficient·∏ variable^power; the coefficients are rational, or functions of ε."""

    __slots__ = ("path", "terms")

    def __init__(self, terms: Mapping[Monomial, Coefficient], path: Decider) -> None:
        self.terms = {key: c for key, c in terms.items() if c}
        self.path = path
        if len(self.terms) > _MOST_TERMS:
            raise ValueRefusedError(
                f"the function has more than {_MOST_TERMS:,} terms",
                rule="The powers of its numbers are multiplied out.",
                way_out="Ask for a function of lower degree, or of fewer numbers.",
            )

    @classmethod
    def of(cls, form: Linear | ClosedForm, path: Decider) -> PolynomialNumber:
        """Return a linear form, or an output that is a function of ε, as a polynomial."""
        if isinstance(form, ClosedForm):
            return cls({(): form}, path)
        terms: dict[Monomial, Coefficient] = {(): Fraction(form.constant)}
        for name, q in form.coefficients.items():
            assert isinstance(name, int | str)
            terms[((name, 1),)] = Fraction(q)
        return cls(terms, path)

    # Arithmetic -----------------------------------------------------------------------

    def _terms(self, other: object) -> Mapping[Monomial, Coefficient] | None:
        if isinstance(other, PolynomialNumber):
            return other.terms
        if isinstance(other, float) and not isinf(other):
            other = freeze_result(other)  # only if it is exact
        if isinstance(other, int | Fraction):
            return {(): Fraction(other)}
        return {(): other} if isinstance(other, ClosedForm) else None

    def __add__(self, other: object) -> Any:
        terms = self._terms(other)
        if terms is None:
            return NotImplemented
        found = dict(self.terms)
        for key, c in terms.items():
            found[key] = found[key] + c if key in found else c
        return PolynomialNumber(found, self.path)

    def __neg__(self) -> PolynomialNumber:
        return PolynomialNumber({key: -c for key, c in self.terms.items()}, self.path)

    def __mul__(self, other: object) -> Any:
        terms = self._terms(other)
        if terms is None:
            return NotImplemented
        found: dict[Monomial, Coefficient] = {}
        for one, c in self.terms.items():
            for two, d in terms.items():
                key = _product(one, two)
                found[key] = found[key] + c * d if key in found else c * d
        return PolynomialNumber(found, self.path)

    def __truediv__(self, other: object) -> Any:
        if isinstance(other, float) and not isinf(other):
            other = freeze_result(other)
        if isinstance(other, int | Fraction):
            return self * (1 / Fraction(other))
        return self * (ExpPoly(1) / other) if isinstance(other, ClosedForm) else NotImplemented

    def __pow__(self, power: object) -> Any:
        if not isinstance(power, int) or power < 0:
            return NotImplemented
        found: Any = PolynomialNumber({(): Fraction(1)}, self.path)
        for _ in range(power):
            found = found * self
        return found

    # Comparisons ----------------------------------------------------------------------

    def _linear(self) -> Linear | int | Fraction:
        """Return the polynomial as a linear form, or refuse it."""
        factors: dict[Variable, Fraction] = {}
        constant = Fraction(0)
        for key, c in self.terms.items():
            if not isinstance(c, Fraction):
                raise ValueRefusedError(
                    "the function compares a number that depends on eps with noise or an input",
                    rule="A function of the output is polynomial on pieces with linear sides; "
                    "eps is in no comparison, also not in abs, min or max.",
                    way_out="Let the mechanism subtract it: return lap(eps, x) - 1 / eps, and "
                    "compare that with numbers and inputs.",
                )
            if sum(power for _, power in key) > 1:
                raise ValueRefusedError(
                    "the function compares numbers that are not linear in the noise and the input",
                    rule="A function of the output is polynomial on pieces with linear sides.",
                    way_out="Compare the numbers themselves, not their squares or products.",
                )
            if key:
                factors[key[0][0]] = c
            else:
                constant = c
        return Linear.build(dict(factors), plain(constant))

    def _term(self) -> ClosedForm | None:
        """Return the function of ε that this is, if there is no noise in it."""
        if self.terms.keys() != {()} or not isinstance(self.terms[()], ClosedForm):
            return None
        found: ClosedForm = self.terms[()]
        return found

    def _compared(self, op: str, other: Any) -> bool:
        if op == "!=":
            return not self._compared("==", other)
        if isinstance(other, float) and isinf(other):
            return COMPARISONS[op](0, other)
        difference = self - other
        if (term := difference._term()) is not None:
            sign = self.path.sign_of_term(term)
            if sign is None:
                raise ValueRefusedError(
                    f"whether {term} {op} 0 depends on eps",
                    rule="A function of the output compares expressions in eps that have one sign "
                    "for all eps that are asked for; abs may be taken of others.",
                    way_out="Ask for an interval of eps on which the sign does not change.",
                )
            return COMPARISONS[op](sign, 0)
        form = difference._linear()
        if not isinstance(form, Linear):
            return COMPARISONS[op](form, 0)
        return self.path.decide(form, op)

    def __abs__(self) -> PolynomialNumber:
        if (term := self._term()) is not None:  # it is continuous where the sign changes
            return -self if self.path.is_negative_term(term) else self
        return -self if self < 0 else self

    # Properties -----------------------------------------------------------------------

    @property
    def degree(self) -> int:
        """The highest degree of a term."""
        return max((sum(power for _, power in key) for key in self.terms), default=0)

    def at(self, values: Mapping[Variable, Fraction]) -> ClosedForm:
        """Return the value at numbers for the variables, a function of ε."""
        total: ClosedForm = ExpPoly(0)
        for key, c in self.terms.items():
            factor = Fraction(1)
            for variable, power in key:
                factor *= values[variable] ** power
            total = total + c * factor
        return total

    def __repr__(self) -> str:
        return "a number with noise"


def _product(one: Monomial, two: Monomial) -> Monomial:
    if not one or not two:
        return one or two
    powers = dict(one)
    for variable, power in two:
        powers[variable] = powers.get(variable, 0) + power
    return tuple(sorted(powers.items(), key=lambda item: (isinstance(item[0], str), item)))


def lifted(value: Any, number: Callable[[Linear | ClosedForm], Any]) -> Any:
    """Return a value with Python lists, and each linear form replaced by a number."""
    if isinstance(value, tuple):
        return [lifted(item, number) for item in value]
    if isinstance(value, EpsTerm):
        return closed_form(value, eps, exp)
    return number(value) if isinstance(value, Linear | ClosedForm) else value
