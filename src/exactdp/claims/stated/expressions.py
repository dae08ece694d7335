"""Expressions in ε, α, γ and the inputs, for claimed bounds β.

An expression is a small tree. With numbers substituted for α, γ and the inputs, it becomes a closed
form in ε, or the minimum of several (`minimum`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

from exactdp.errors import ExactdpError, ValueRefusedError, shown, typed
from exactdp.language.linear import units_in
from exactdp.language.terms import EpsTerm
from exactdp.reals import ClosedForm, ExpPoly, Interval, nonnegative
from exactdp.reals.formula import Formula
from exactdp.reals.interval import POSITIVE
from exactdp.reals.logs import lower_bound
from exactdp.reals.numbers import rational
from exactdp.reals.radical_form import constant as radical_constant
from exactdp.reals.radicals import Radical
from exactdp.reals.towers import Tower, exp

Values: TypeAlias = Mapping[str, ClosedForm | Fraction]
Bindings: TypeAlias = "Mapping[str, ClosedForm | Fraction | Expression]"
Alternatives: TypeAlias = tuple[ClosedForm, ...]
"""Closed forms that stand for their pointwise minimum."""


class Expression(Formula, ABC):
    """A formula in ε, α, γ and the inputs, built with + - * / **, `exp`, `minimum`, `maximum`.

    A formula with `maximum`, or with cases, is kept as the largest of formulas, case by case.
    """

    is_by_cases = False

    def __repr__(self) -> str:
        return str(self)

    @abstractmethod
    def alternatives(self, values: Values) -> Alternatives:
        """Return the closed forms whose minimum is the expression, at given values."""

    def operands(self) -> tuple[Expression, ...]:
        """Return the expressions of which this one is made."""
        return tuple(one for one in vars(self).values() if isinstance(one, Expression))

    def rebuilt(self, operands: Iterable[Expression]) -> Expression:
        """Return the same operation on other operands."""
        names = [name for name, one in vars(self).items() if isinstance(one, Expression)]
        return replace(self, **dict(zip(names, operands, strict=True)))  # type: ignore[type-var]

    def names(self) -> frozenset[str]:
        """Return the names that occur, except ε."""
        return frozenset().union(*(part.names() for part in self.operands()))

    def bound_to(self, values: Bindings) -> Expression:
        """Return the expression with values or expressions substituted for some names."""
        operands = self.operands()
        return self.rebuilt(one.bound_to(values) for one in operands) if operands else self

    def at(self, values: Values) -> ClosedForm:
        """Return the closed form at given values, for an expression without `minimum`."""
        (form, *others) = self.alternatives(values)
        if others:
            raise ValueRefusedError(
                f"{self} is the least of several functions",
                rule="`minimum` may be used in beta only.",
            )
        return form

    def spread(
        self, function: Callable[[Expression], Expression], slope: int, text: str
    ) -> Expression | None:
        """Return a function of the formula as one with the same parts; None if it has none.

        The slope is 1 if the function is nondecreasing, −1 if it is nonincreasing, else 0.
        """
        del function, slope, text
        return None

    def exponential(self) -> Expression:
        """Return e to the power of this expression (called by `exactdp.exp`)."""
        whole = Exponential(self)
        found = self.spread(Expression.exponential, 1, str(whole))
        return whole if found is None else found

    def __add__(self, other: object) -> Expression:
        return _combined(Sum, self, other)

    def __radd__(self, other: object) -> Expression:
        return _combined(Sum, other, self)

    def __sub__(self, other: object) -> Expression:
        return self + -_operand(other) if _is_operand(other) else NotImplemented

    def __rsub__(self, other: object) -> Expression:
        return -self + other

    def __mul__(self, other: object) -> Expression:
        return _combined(Product, self, other)

    def __rmul__(self, other: object) -> Expression:
        return _combined(Product, other, self)

    def __truediv__(self, other: object) -> Expression:
        return _combined(Quotient, self, other)

    def __rtruediv__(self, other: object) -> Expression:
        return _combined(Quotient, other, self)

    def __neg__(self) -> Expression:
        return _combined(Product, Constant(ExpPoly(-1)), self)

    def __pos__(self) -> Expression:
        return self

    def __pow__(self, power: int) -> Expression:
        if not isinstance(power, int) or isinstance(power, bool) or power < 0:
            raise ValueRefusedError(
                f"{self} to the power {shown(power)}",
                rule="A power in beta is a whole number, 0 or more.",
            )
        whole = Power(self, power)
        slope = 1 if self.is_by_cases or sign_of(self) in (0, 1) else 0
        found = self.spread(lambda one: one**power, slope, str(whole))
        return whole if found is None else found

    def __ge__(self, other: object) -> Comparison:
        return _compared(self, ">=", other)

    def __gt__(self, other: object) -> Comparison:
        return _compared(self, ">", other)

    def __le__(self, other: object) -> Comparison:
        return _compared(self, "<=", other)

    def __lt__(self, other: object) -> Comparison:
        return _compared(self, "<", other)

    def __bool__(self) -> bool:
        raise ValueRefusedError(
            f"{self} is neither true nor false",
            rule="An expression has a value only if eps, alpha and gamma have values.",
            way_out="Use minimum(a, b) instead of comparing.",
        )


@dataclass(frozen=True, repr=False)
class Comparison:
    """The condition that an expression is ≥ 0, or > 0."""

    form: Expression
    strict: bool
    text: str = field(default="", compare=False)

    def negated(self) -> Comparison:
        """Return the negation."""
        return Comparison(-self.form, strict=not self.strict)

    def bound_to(self, values: Bindings) -> Comparison:
        """Return the comparison with values or expressions substituted for some names."""
        return Comparison(self.form.bound_to(values), self.strict)

    def __bool__(self) -> bool:
        raise ValueRefusedError(
            f"{self} is neither true nor false",
            rule="A comparison has a value only if eps, alpha and gamma have values.",
            way_out="Give it as a condition, as in region=alpha >= 1, or write a function.",
        )

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return self.text or f"{self.form} {'>' if self.strict else '>='} 0"


@dataclass(frozen=True, repr=False)
class Constant(Expression):
    """A closed form in ε alone."""

    form: ClosedForm

    def alternatives(self, values: Values) -> Alternatives:
        """Return the form."""
        del values
        return (self.form,)

    def __str__(self) -> str:
        return str(self.form)


@dataclass(frozen=True, repr=False)
class Symbol(Expression):
    """α, γ or a number of the input.

    >>> from exactdp import alpha, eps, exp
    >>> print(3 * exp(-alpha * eps / 2))
    3*exp(-alpha*eps/2)
    """

    name: str

    def alternatives(self, values: Values) -> Alternatives:
        """Return the value of the name."""
        if self.name not in values:
            known = ", ".join(sorted({"alpha", "gamma", *values}))
            raise ValueRefusedError(
                f"{self.name} is not known here", rule=f"The names beside eps are {known}."
            )
        return (_form(values[self.name]),)

    def names(self) -> frozenset[str]:
        """Return the name."""
        return frozenset((self.name,))

    def bound_to(self, values: Bindings) -> Expression:
        """Return the value of the name if there is one."""
        if self.name not in values:
            return self
        value = values[self.name]
        return value if isinstance(value, Expression) else Constant(_form(value))

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, repr=False)
class _BinaryOperation(Expression):
    """A binary operation on two expressions."""

    left: Expression
    right: Expression

    def rebuilt(self, operands: Iterable[Expression]) -> Expression:
        """Return the operation on two other expressions."""
        left, right = operands
        return _combined(type(self), left, right)


class Sum(_BinaryOperation):
    """left + right; the sum of two minima is the minimum of all sums."""

    def alternatives(self, values: Values) -> Alternatives:
        """Return all sums."""
        one, two = self.left.alternatives(values), self.right.alternatives(values)
        return _distinct(a + b for a, b in product(one, two))

    def __str__(self) -> str:
        right = str(self.right)
        return f"{self.left} - {right[1:]}" if right.startswith("-") else f"{self.left} + {right}"


class Product(_BinaryOperation):
    """left · right; a minimum may be multiplied only by a nonnegative expression."""

    def alternatives(self, values: Values) -> Alternatives:
        """Return all products."""
        one, two = self.left.alternatives(values), self.right.alternatives(values)
        for factors, others in ((one, two), (two, one)):
            if len(others) > 1:
                _require_nonnegative(factors, self)
        return _distinct(a * b for a, b in product(one, two))

    def __str__(self) -> str:
        if self.left == Constant(ExpPoly(-1)):
            return f"-{_factor(self.right)}"
        return f"{_factor(self.left, first=True)}*{_factor(self.right)}"


class Quotient(_BinaryOperation):
    """left / right."""

    def alternatives(self, values: Values) -> Alternatives:
        """Return all quotients."""
        under = self.right.at(values)
        over = self.left.alternatives(values)
        if len(over) > 1:
            _require_nonnegative((under,), self)
        return _distinct(a / under for a in over)

    def __str__(self) -> str:
        return f"{_factor(self.left, first=True)}/{_factor(self.right, strict=True)}"


@dataclass(frozen=True, repr=False)
class Power(Expression):
    """base to an integer power."""

    base: Expression
    power: int

    def alternatives(self, values: Values) -> Alternatives:
        """Return the power of the base."""
        return (self.base.at(values) ** self.power,)

    def __str__(self) -> str:
        return f"{_factor(self.base, strict=True)}**{self.power}"


@dataclass(frozen=True, repr=False)
class Exponential(Expression):
    """e to an expression that is a rational multiple of ε once α, γ and the inputs are known."""

    exponent: Expression

    def alternatives(self, values: Values) -> Alternatives:
        """Return e to the exponent."""
        exponent = self.exponent.at(values)
        if exponent.denominator != 1 and exponent.parameters != ("eps",):
            raise ValueRefusedError(
                "an exponent in beta is not a sum of multiples of eps",
                rule="For ranges of alpha and gamma, and for all inputs at once, an exponent is a "
                "sum of multiples of eps, alpha * eps, gamma * eps and of inputs times eps.",
                way_out="Write a linear exponent, or give numbers for alpha and gamma and a list "
                "of inputs.",
            )
        return (exp(exponent),)

    def __str__(self) -> str:
        return f"exp({self.exponent})"


@dataclass(frozen=True, repr=False)
class _Extreme(Expression):
    """The pointwise minimum or maximum of several expressions."""

    parts: tuple[Expression, ...]

    def operands(self) -> tuple[Expression, ...]:
        """Return all parts."""
        return self.parts

    def rebuilt(self, operands: Iterable[Expression]) -> Expression:
        """Return the minimum or maximum of other parts."""
        return type(self)(tuple(operands))

    def spread(
        self, function: Callable[[Expression], Expression], slope: int, text: str
    ) -> Expression | None:
        """Return the same of a nondecreasing function, the opposite of a nonincreasing one."""
        del text
        if not slope:
            return None
        is_least = isinstance(self, Minimum) == (slope > 0)
        return (minimum if is_least else maximum)(*map(function, self.parts))

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()}({', '.join(map(str, self.parts))})"


class Minimum(_Extreme):
    """The pointwise minimum of several expressions."""

    def alternatives(self, values: Values) -> Alternatives:
        """Return the closed forms of all parts."""
        return _distinct(form for part in self.parts for form in part.alternatives(values))


class Maximum(_Extreme):
    """The pointwise maximum of several expressions; each is claimed separately."""

    def alternatives(self, values: Values) -> Alternatives:
        """Raise an error: the parts are separated before evaluation."""
        del values
        raise ValueRefusedError(
            f"{self} is inside another formula",
            rule="`maximum` may be added, and multiplied by what is never negative, or never "
            "positive.",
            way_out="Write the largest of whole formulas, such as maximum(a * c, b * c).",
        )


_ONE = Constant(ExpPoly(1))

#: The distance to disagreement that a claim requires, and the error that it allows.
alpha, gamma = Symbol("alpha"), Symbol("gamma")


def minimum(*parts: object) -> Expression:
    """Return the minimum of several expressions or numbers.

    >>> from exactdp import alpha, eps, exp, minimum
    >>> print(minimum(1, 3 * exp(-alpha * eps / 2)))
    minimum(1, 3*exp(-alpha*eps/2))
    """
    return _extreme(Minimum, parts)


def maximum(*parts: object) -> Expression:
    """Return the maximum of several expressions or numbers.

    >>> from exactdp import alpha, eps, exp, maximum
    >>> print(maximum(exp(-alpha * eps), exp(-eps)))
    maximum(exp(-alpha*eps), exp(-eps))
    """
    return _extreme(Maximum, parts)


def _extreme(kind: type[Minimum | Maximum], given: tuple[object, ...]) -> Expression:
    """Return the minimum or maximum of formulas, as one case by case, or of minima."""
    name = kind.__name__.lower()
    if not given:
        raise ValueRefusedError(f"{name}() of nothing", way_out=f"Write {name}(a, b).")
    parts = [as_expression(part, f"a part of {name}") for part in given]
    whole = kind(tuple(parts))
    for k, part in sorted(enumerate(parts), key=lambda one: not one[1].is_by_cases):
        if part.is_by_cases or (kind is Minimum and isinstance(part, Maximum)):

            def combined(x: Expression, k: int = k) -> Expression:
                return _extreme(kind, (*parts[:k], x, *parts[k + 1 :]))

            found = part.spread(combined, 1, str(whole))
            assert found is not None
            return found
    flat = (x for part in parts for x in (part.parts if isinstance(part, kind) else (part,)))
    return kind(tuple(flat))


def as_expression(value: object, what: str) -> Expression:
    """Return a number, closed form or expression as an expression."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, Tower):
        return _from_tower(value)
    if isinstance(value, ClosedForm):
        return Constant(value)
    try:
        return Constant(ExpPoly(rational(value)))
    except ExactdpError:
        if isinstance(value, EpsTerm):
            raise ValueRefusedError(
                f"{what} is {value}, with an irrational number",
                rule="The numbers of a bound are rational; log(r) stands in mechanisms, as in "
                "log(r) / eps, and log(r) with r in exp(eps) is a budget of privacy.",
                way_out="Write a number close to each logarithm, such as "
                "Fraction(6907755, 10**6) for log(1000), rounded so that the claim is stronger. "
                "Instead of gamma=log(k / d) / eps and beta=d, claim gamma=ANY and "
                "beta=k * exp(-gamma * eps).",
            ) from None
        if isinstance(value, str):
            raise ValueRefusedError(
                f"{what} is a string: {shown(value)}",
                rule="A formula is written with eps, alpha, gamma, exp and minimum from exactdp.",
                way_out="Leave out the quotation marks, as in 3 * exp(-alpha * eps / 2).",
            ) from None
        raise ValueRefusedError(
            f"{what} is {typed(value)}",
            rule="A formula is a number or written with eps, alpha, gamma, exp and minimum.",
            way_out="Write for example 3 * exp(-alpha * eps / 2).",
        ) from None


def _from_tower(value: Tower) -> Expression:
    """Return Σ factor·e^exponent + rest as an expression."""
    found: Expression | None = Constant(value.rest) if value.rest.numerator else None
    for exponent, factor in value.parts:
        part: Expression = Exponential(Constant(exponent))
        if factor != ExpPoly(1):
            part = Product(Constant(factor), part)
        found = part if found is None else Sum(found, part)
    return Constant(ExpPoly(0)) if found is None else found


def _is_operand(value: object) -> bool:
    return isinstance(value, Expression | ClosedForm | int | Fraction | float | str) and not (
        isinstance(value, bool | str)
    )


def _operand(value: object) -> Expression:
    return as_expression(value, "a part of a formula")


def _combined(kind: type[_BinaryOperation], left: object, right: object) -> Expression:
    if not (_is_operand(left) and _is_operand(right)):
        return NotImplemented  # type: ignore[no-any-return]
    one, two = _operand(left), _operand(right)
    if isinstance(one, Constant) and isinstance(two, Constant):
        return Constant(kind(one, two).at({}))
    if kind is not Sum and two == _ONE:
        return one
    if kind is Product and one == _ONE:
        return two
    found = _spread(kind, one, two)
    return kind(one, two) if found is None else found


def _compared(left: Expression, op: str, right: object) -> Comparison:
    if not _is_operand(right):
        return NotImplemented  # type: ignore[no-any-return]
    sides = (left, _operand(right)) if op[0] == ">" else (_operand(right), left)
    return Comparison(sides[0] - sides[1], strict=len(op) == 1, text=f"{left} {op} {right}")


def _slope(factor: Expression) -> int:
    """Return whether a product with a factor is nondecreasing, 1, nonincreasing, −1, or either."""
    sign = sign_of(factor)
    return 0 if sign is None else sign or 1


def _spread(kind: type[_BinaryOperation], one: Expression, two: Expression) -> Expression | None:
    """Return an operation on a formula with parts as a formula with parts, or None."""
    for k, part in sorted(enumerate((one, two)), key=lambda x: not x[1].is_by_cases):
        if part.is_by_cases or isinstance(part, Maximum | Minimum):
            slope = 1
            if kind is not Sum and not part.is_by_cases:
                slope = 0 if kind is Quotient and k else _slope((two, one)[k])

            def combined(x: Expression, k: int = k) -> Expression:
                return _combined(kind, *((one, x) if k else (x, two)))

            found = part.spread(combined, slope, str(kind(one, two)))
            if found is not None:
                return found
    return None


def sign_of(part: Expression, on: Interval = POSITIVE) -> int | None:
    """Return 1 if an expression is seen to be nonnegative, −1 if nonpositive, 0 if zero.

    α, γ and ε are not negative. None if the sign is unknown.
    """
    match part:
        case Exponential() | Symbol("alpha" | "gamma"):
            return 1
        case Constant(form) if form.parameters in ((), ("eps",)) or units_in(form.parameters):
            if not form.numerator:
                return 0
            return 1 if never_negative(form, on) else -1 if never_negative(-form, on) else None
        case Sum() | Minimum() | Maximum():
            return together(sign_of(one, on) for one in part.operands())
        case Product(left, right) | Quotient(left, right):
            one, two = sign_of(left, on), sign_of(right, on)
            return None if one is None or two is None else one * two
        case Power(base, power):
            return 1 if power % 2 == 0 else sign_of(base, on)
    return None


def never_negative(form: ClosedForm, on: Interval = POSITIVE) -> bool:
    """Whether a closed form in ε is nonnegative; 1 and logarithms may be parameters, too."""
    units = units_in(form.parameters)
    return bool(nonnegative(lower_bound(form, units) if units else form, on))


def together(signs: Iterable[int | None]) -> int | None:
    """Return the sign of a sum of numbers with these signs; None if it is unknown."""
    found = {*signs} - {0}
    return found.pop() if len(found) == 1 else None if found else 0


def _form(value: Any) -> ClosedForm:
    if isinstance(value, Radical):
        return radical_constant(value)
    return value if isinstance(value, ClosedForm) else ExpPoly(value)


def _distinct(forms: Iterable[ClosedForm]) -> Alternatives:
    return tuple(dict.fromkeys(forms))


def _require_nonnegative(forms: Alternatives, where: Expression) -> None:
    for form in forms:
        if not never_negative(form):
            raise ValueRefusedError(
                f"in {where} a minimum is multiplied by {form}, which is negative somewhere",
                rule="A minimum may be added, and multiplied by what is never negative.",
                way_out="Write the formula as a minimum of formulas.",
            )


def _factor(part: Expression, *, strict: bool = False, first: bool = False) -> str:
    """Return a part, in parentheses if a product needs them (strict: after / or before **)."""
    text = str(part)
    simple = isinstance(part, Symbol | Exponential | Minimum)
    if isinstance(part, Constant):
        simple = not any(sign in text[1:] for sign in "+-") and not (
            strict and set(text) & set("*/")
        )
        simple = simple and not (strict and text.startswith("-"))
    if isinstance(part, Product | Quotient | Power):
        simple = not strict and (first or not text.startswith("-"))
    return text if simple else f"({text})"
