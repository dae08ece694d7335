"""Functions of ε with irrational rates: sums of c·ε^k·e^{qε}, and their quotients.

c and q are rational or made of one root (`radicals`), as in 1 − (1 + √2)·e^{−√2·ε}. Terms with
different k and q are linearly independent, so a sum is 0 exactly if its terms cancel. Where such a
function is 0 at one ε is not decided by a theorem; its sign is decided by certified numbers
(`radical_signs`), which may leave it open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from flint import arb, ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.enclosed_form import EnclosedForm
from exactdp.reals.evaluation import Enclosure, enclosure_of
from exactdp.reals.exp_poly import ExpPoly, as_sum
from exactdp.reals.exp_ratio import ExpRatio, quotient
from exactdp.reals.numbers import Number, exact, inf, rational, spell
from exactdp.reals.radicals import Radical, Surd, ball_of, radical, sign_of

Terms: TypeAlias = Mapping[tuple[int, Surd], Surd]
"""Coefficients, none of them 0, by the power of ε and the rate of the exponential."""

_ONE: Terms = {(0, Fraction(0)): Fraction(1)}


class RadicalForm(EnclosedForm):
    """A quotient of sums, of which at least one number is irrational.

    >>> from exactdp.reals import exp, eps
    >>> print((1 - exp(-sqrt(2) * eps)) * sqrt(2))
    sqrt(2) - sqrt(2)*exp(-sqrt(2)*eps)
    """

    __slots__ = ("over", "under")

    over: Terms
    under: Terms

    def __init__(self, over: Terms, under: Terms = _ONE) -> None:
        object.__setattr__(self, "over", over)
        object.__setattr__(self, "under", under)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a RadicalForm is immutable")

    def __reduce__(self) -> tuple[object, ...]:
        return RadicalForm, (dict(self.over), dict(self.under))

    # As a closed form ---------------------------------------------------------------------

    @property
    def numerator(self) -> Any:
        """The numerator, a sum."""
        return made(self.over)

    @property
    def denominator(self) -> Any:
        """The denominator, a sum."""
        return made(self.under)

    @property
    def terms(self) -> tuple[tuple[tuple[int, Surd], Surd], ...]:
        """The terms of the numerator."""
        return tuple(self.over.items())

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
        return self.under == _ONE and all(q == 0 and k >= 0 for k, q in self.over)

    def constant(self) -> None:
        """Return None: it is not a rational number."""

    def linear_form(self) -> None:
        """Return None: it is no multiple of ε with a rational factor."""

    @property
    def number(self) -> Radical | None:
        """The number that it is for every ε, else None."""
        if self.under != _ONE or list(self.over) != [(0, Fraction(0))]:
            return None
        (found,) = self.over.values()
        return found if isinstance(found, Radical) else None

    def exponential(self) -> ClosedForm:
        """Return e to this, which must be a multiple of ε."""
        if self.under == _ONE and list(self.over) == [(1, Fraction(0))]:
            (rate,) = self.over.values()
            return made({(0, rate): Fraction(1)})
        raise ValueRefusedError(
            f"exp of {self} is not a closed form",
            rule="exp is taken of a number times eps.",
            way_out="Write for example exp(-sqrt(2) * eps).",
        )

    @property
    def exponent(self) -> str | None:
        """The exponent if this is e to it, else None."""
        if self.under != _ONE or len(self.over) > 1:
            return None
        (((power, rate), factor),) = self.over.items()
        return _multiple(rate) if power == 0 and factor == 1 else None

    def derivative(self, parameter: str = "eps") -> ClosedForm:
        """Return the derivative."""
        if parameter != "eps":
            return ExpPoly(0)
        over, under = self.over, self.under
        if under == _ONE:
            return made(_slope(over))
        return made(
            _sum(product(_slope(over), under), product(over, _slope(under)), -1),
            product(under, under),
        )

    def substitute(self, **values: ClosedForm | Number) -> ClosedForm:
        """Return the function with ε replaced by a multiple of ε."""
        if set(values) <= {"eps"}:
            given = terms_of(values.get("eps", ExpPoly(0)))
            if given is not None and list(given[0]) == [(1, Fraction(0))] and given[1] == _ONE:
                (factor,) = given[0].values()
                return made(_stretched(self.over, factor), _stretched(self.under, factor))
        raise ValueRefusedError(
            f"eps in {self} can only be replaced by a multiple of eps",
            rule="Its rates are irrational.",
        )

    def __bool__(self) -> bool:
        return True

    def __neg__(self) -> ClosedForm:
        return self * -1

    def __add__(self, other: object) -> ClosedForm:
        its = terms_of(other)
        if its is None:
            return NotImplemented
        if its[1] == self.under:
            return made(_sum(self.over, its[0]), self.under)
        over = _sum(product(self.over, its[1]), product(its[0], self.under))
        return made(over, product(self.under, its[1]))

    __radd__ = __add__

    def __sub__(self, other: object) -> ClosedForm:
        return NotImplemented if terms_of(other) is None else self + other * -1  # type: ignore[operator]

    def __rsub__(self, other: object) -> ClosedForm:
        return self * -1 + other  # type: ignore[operator]

    def __mul__(self, other: object) -> ClosedForm:
        its = terms_of(other)
        if its is None:
            return NotImplemented
        return made(product(self.over, its[0]), product(self.under, its[1]))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> ClosedForm:
        its = terms_of(other)
        if its is None:
            return NotImplemented
        return made(product(self.over, its[1]), product(self.under, its[0]))

    def __rtruediv__(self, other: object) -> ClosedForm:
        its = terms_of(other)
        if its is None:
            return NotImplemented
        return made(product(its[0], self.under), product(its[1], self.over))

    def __pow__(self, power: int) -> ClosedForm:
        found: ClosedForm = ExpPoly(1)
        for _ in range(abs(power)):
            found = self * found
        return found if power >= 0 else 1 / found

    def __eq__(self, other: object) -> bool:
        its = None if isinstance(other, float) else terms_of(other)
        if its is None:
            return NotImplemented
        if its[1] == self.under:
            return its[0] == self.over
        return product(self.over, its[1]) == product(its[0], self.under)

    def __hash__(self) -> int:
        if self.under != _ONE:
            return 1  # equal quotients may be written differently
        return hash(frozenset(self.over.items()))

    # Values -------------------------------------------------------------------------------

    def ball(self, eps: Fraction, bits: int) -> arb:
        """Return a ball that contains the value at an ε > 0, computed with `bits` bits."""
        with ctx.workprec(bits):
            return self.on_ball(arb(exact(eps)))

    def on_ball(self, x: arb) -> arb:
        """Return a ball that contains the values on a ball, at the working precision."""
        over = _value(self.over, x)
        return over if self.under == _ONE else over / _value(self.under, x)

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

    # As text ------------------------------------------------------------------------------

    def __str__(self) -> str:
        above = _shown(self.over)
        if self.under == _ONE:
            return above
        return f"{f'({above})' if len(self.over) > 1 else above}/({_shown(self.under)})"

    def pretty(self) -> str:
        """Return the function as text."""
        text = str(self).replace("eps", "ε").replace("*", "·").replace("-", "−")
        return text.replace("sqrt(", "√(")

    def latex(self) -> str:
        """Return the function as LaTeX."""
        import sympy  # noqa: PLC0415 imported only when used

        return str(sympy.latex(self.to_sympy())).replace("eps", r"\varepsilon")

    def to_sympy(self) -> Any:
        """Return the function as a SymPy expression."""
        import sympy  # noqa: PLC0415 imported only when used

        x = sympy.Symbol("eps", positive=True)

        def number(value: Surd) -> Any:
            if isinstance(value, Fraction):
                return sympy.Rational(value.numerator, value.denominator)
            root = value.root.to_sympy()
            return sum(number(part) * root**i for i, part in enumerate(value.parts))

        def whole(terms: Terms) -> Any:
            return sum(number(c) * x**k * sympy.exp(number(q) * x) for (k, q), c in terms.items())

        return whole(self.over) / whole(self.under)


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


def made(over: Terms, under: Terms = _ONE) -> ClosedForm:
    """Return a quotient; a closed form with rational numbers if it has no others."""
    if len(under) == 1 and under != _ONE:
        (((power, rate), factor),) = under.items()
        over = {(k - power, q - rate): c / factor for (k, q), c in over.items()}
        under = _ONE
    if not over:
        return ExpPoly(0)
    if not _is_irrational(over) and not _is_irrational(under):
        return quotient(*_rational(over, under))
    return RadicalForm(over, under)


def scaled(form: ClosedForm, unit: Surd) -> ClosedForm:
    """Return a closed form with ε replaced by a multiple of ε."""
    known = terms_of(form)
    assert known is not None
    return made(_stretched(known[0], unit), _stretched(known[1], unit))


def constant(number: Surd) -> ClosedForm:
    """Return a number as a function of ε."""
    return made({(0, Fraction(0)): number} if number != 0 else {})


def multiple_of_eps(factor: Surd) -> ClosedForm:
    """Return factor·ε."""
    return made({(1, Fraction(0)): factor})


def terms_of(value: object) -> tuple[Terms, Terms] | None:
    """Return numerator and denominator of a closed form or number; None for anything else."""
    if isinstance(value, RadicalForm):
        return value.over, value.under
    if isinstance(value, Radical):
        return {(0, Fraction(0)): value}, _ONE
    form = value if isinstance(value, ExpPoly | ExpRatio) else as_sum(value)
    if form is None or form.parameters not in ((), ("eps",)):
        return None
    return _terms(form.numerator), _terms(form.denominator)


def _terms(form: ExpPoly) -> Terms:
    found: dict[tuple[int, Surd], Surd] = {}
    for (power,), (rate,), coefficient in form.entries(("eps",)):
        found[power, Fraction(rate)] = Fraction(int(coefficient.p), int(coefficient.q))
    return found


def _rational(over: Terms, under: Terms) -> tuple[ExpPoly, ExpPoly]:
    lowest = min(0, *(k for terms in (over, under) for k, _ in terms))

    def form(terms: Terms) -> ExpPoly:
        listed = [
            (c, [("eps", k - lowest)] * (k > lowest), [("eps", q)] * (q != 0))
            for (k, q), c in terms.items()
        ]
        return ExpPoly([(c, tuple(powers), tuple(rates)) for c, powers, rates in listed])

    return form(over), form(under)


def _is_irrational(terms: Terms) -> bool:
    return any(isinstance(x, Radical) for (_, q), c in terms.items() for x in (q, c))


def _sum(one: Terms, two: Terms, sign: int = 1) -> Terms:
    found = dict(one)
    for key, c in two.items():
        found[key] = found.get(key, Fraction(0)) + c * sign
    return {key: c for key, c in found.items() if c != 0}


def product(one: Terms, two: Terms) -> Terms:
    """Return the product of two sums."""
    if two == _ONE:
        return one
    found: dict[tuple[int, Surd], Surd] = {}
    for (k, q), c in one.items():
        for (n, r), d in two.items():
            key = k + n, q + r
            found[key] = found.get(key, Fraction(0)) + c * d
    return {key: c for key, c in found.items() if c != 0}


def _slope(terms: Terms) -> Terms:
    falling = {(k - 1, q): c * k for (k, q), c in terms.items() if k}
    return _sum({(k, q): c * q for (k, q), c in terms.items() if q != 0}, falling)


def _stretched(terms: Terms, factor: Surd) -> Terms:
    return {(k, q * factor): c * factor**k for (k, q), c in terms.items()}


def _value(terms: Terms, x: arb) -> arb:
    total = arb(0)
    for (k, q), c in terms.items():
        total += ball_of(c) * x**k * (ball_of(q) * x).exp()
    return total


# At the ends --------------------------------------------------------------------------


def first_order(terms: Terms) -> tuple[int, Surd]:
    """Return m and a with Σ c·ε^k·e^{qε} = a·ε^m + …, a ≠ 0: the first term of its series at 0."""
    order = min(k for k, _ in terms)
    while (found := coefficient(terms, order)) == 0:
        order += 1
    return order, found


def coefficient(terms: Terms, order: int) -> Surd:
    """Return a coefficient of the series of Σ c·ε^k·e^{qε} at 0."""
    total: Surd = Fraction(0)
    for (k, q), c in terms.items():
        if k <= order:
            total = total + c * q ** (order - k) / math.factorial(order - k)
    return total


def leading(terms: Terms) -> tuple[Surd, int, Surd]:
    """Return the rate, the power and the coefficient of the largest term as ε grows."""
    rate = max(q for _, q in terms)
    power = max(k for k, q in terms if q == rate)
    return rate, power, terms[power, rate]


def end_value(form: RadicalForm, point: Number) -> Surd | float:
    """Return the limit at 0⁺ or ∞."""
    if point == 0:
        (high, a), (low, b) = first_order(form.over), first_order(form.under)
        vanishes, grows, value = high > low, high < low, a / b
    elif point == inf:
        (q, k, a), (r, n, b) = leading(form.over), leading(form.under)
        vanishes, grows, value = (q, k) < (r, n), (q, k) > (r, n), a / b
    else:
        raise ValueRefusedError("limits are taken at 0 and inf", way_out="Ask for at(eps).")
    return Fraction(0) if vanishes else sign_of(value) * inf if grows else value


def _at_zero(form: RadicalForm) -> Enclosure:
    value = end_value(form, 0)
    if isinstance(value, float):
        raise ValueRefusedError("the function has no value at eps = 0")
    with ctx.workprec(256):
        return enclosure_of(ball_of(value))


# Text ---------------------------------------------------------------------------------


def _shown(terms: Terms) -> str:
    found = ""
    order = sorted(terms.items(), key=lambda item: (-float(item[0][1]), item[0][0]))
    for (power, rate), c in order:
        factors = []
        if power > 0:
            factors.append("eps" if power == 1 else f"eps^{power}")
        if rate != 0:
            factors.append(f"exp({_multiple(rate)})")
        sign = sign_of(c)
        size: Surd = c if sign > 0 else -c
        if size != 1 or not factors:
            text = str(size) if isinstance(size, Radical) else spell(size)
            is_long = isinstance(size, Radical) and sum(map(bool, size.parts)) > 1
            factors.insert(
                0, f"({text})" if is_long and (factors or power or len(terms) > 1) else text
            )
        joint = ("-" if sign < 0 else "") if not found else (" - " if sign < 0 else " + ")
        below = "" if power >= 0 else "/eps" if power == -1 else f"/eps^{-power}"
        found += joint + "*".join(factors) + below
    return found or "0"


def _multiple(rate: Surd) -> str:
    if isinstance(rate, Fraction):
        return "-" * (rate < 0) + ("eps" if abs(rate) == 1 else f"{spell(abs(rate))}*eps")
    if sum(map(bool, rate.parts)) > 1:
        return f"({rate})*eps"
    return f"{rate}*eps"
