"""Expr: the formulas that users write and that are claimed, as a DAG that is never changed.

Inner nodes are + - * / ^ exp log sqrt abs min max and `cases`; leaves are a rational, a name, an
exact form (`ExpSum` or `Ratio`), and an evaluated function, known only by its values. A `Condition`
compares two of them, or joins conditions by and, or, not; `cases` holds pairs (condition, value),
and its value is that of the first condition that holds.

A formula keeps the shape in which it was written, so that it prints as it was written; numbers are
folded. What it means is decided elsewhere: `exact` finds its exact form where there is one,
`values` encloses it, `cuts` divides it at min, max and cases, `printing` writes it.

Two formulas are equal if their exact forms are; parts without an exact form must have the same
shape. Every pass is a loop over `dag.postorder`, so a formula may be nested as deeply as memory
allows, and a part that occurs twice is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from numbers import Rational as RationalNumber
from typing import Any, Protocol, TypeVar, overload, runtime_checkable

from flint import arb, arb_series, fmpq, fmpz

from ..errors import fail
from . import cuts, exact, growth, limits, values
from .enclose import Enclosure, Smooth
from .expsum import ExpSum
from .linear import Rational, whole
from .node import Node, read
from .numbers import rational_or_none, short
from .ratio import Ratio

T = TypeVar("T")

LARGEST_EXPONENT = 2**31 - 1
"""Counts fit into 32 bits, as everywhere."""


@runtime_checkable
class Evaluated(Smooth, Protocol):
    """A function that is known by enclosures only, such as the density of many queries."""

    @property
    def names(self) -> Iterable[str]:
        """The names on which it depends."""


class Expr(Node):
    """A formula in ε, α, γ and inputs."""

    __slots__ = ()

    is_formula = True
    args: tuple[Any, ...]

    def __add__(self, other: object) -> Expr:
        return _operation(_sum, self, other)

    def __radd__(self, other: object) -> Expr:
        return _operation(_sum, other, self)

    def __sub__(self, other: object) -> Expr:
        return _operation(_difference, self, other)

    def __rsub__(self, other: object) -> Expr:
        return _operation(_difference, other, self)

    def __mul__(self, other: object) -> Expr:
        return _operation(_product, self, other)

    def __rmul__(self, other: object) -> Expr:
        return _operation(_product, other, self)

    def __truediv__(self, other: object) -> Expr:
        return _operation(_quotient, self, other)

    def __rtruediv__(self, other: object) -> Expr:
        return _operation(_quotient, other, self)

    def __neg__(self) -> Expr:
        return _negative(self)

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return _absolute(self)

    def __pow__(self, exponent: object) -> Expr:
        return _operation(_power, self, exponent)

    def __rpow__(self, base: object) -> Expr:
        return _operation(_power, base, self)

    def __eq__(self, other: object) -> bool:
        number = rational_or_none(other)
        if isinstance(other, ExpSum | Ratio):
            other = expr(other)
        return Node.__eq__(self, other if number is None else _number(number))

    __hash__ = Node.__hash__

    def __lt__(self, other: object) -> Condition:
        return _operation(partial(compared, "<"), self, other)

    def __le__(self, other: object) -> Condition:
        return _operation(partial(compared, "<="), self, other)

    def __gt__(self, other: object) -> Condition:
        return _operation(partial(compared, ">"), self, other)

    def __ge__(self, other: object) -> Condition:
        return _operation(partial(compared, ">="), self, other)

    def __bool__(self) -> bool:
        form = self.lower()
        if form is None:
            fail("E22", what=str(self))
        return bool(form)

    @property
    def number(self) -> Rational | None:
        """The rational number that it is, or None."""
        return self.data if self.op == "number" else None

    @overload
    def at(self, given: Mapping[str, object]) -> Expr: ...

    @overload
    def at(self, given: Rational | float | str, digits: int = ...) -> Enclosure: ...

    def at(self, given: Any, digits: int = 30) -> Any:
        """Substitute for names, or enclose the value at a number ε to so many digits.

        >>> print((exp(-alpha * eps) + eps).at({"alpha": 2}))
        exp(-2*eps) + eps
        """
        if isinstance(given, Mapping):
            put = {name: expr(value) for name, value in given.items()}
            return self.substituted(put)
        return values.enclosure(self, given, digits)

    def lower(self, scaled: Iterable[str] = ()) -> ExpSum | Ratio | None:
        """Return the exact form, or None where there is none.

        The form is in ε alone, or also in ε·x for each name x in `scaled`; a formula in which such
        a name is not multiplied by ε has a form with a power of ε as denominator.
        """
        if not self.names <= {"eps", *scaled}:
            return None
        return exact.form(self)

    def value(self, x: Rational | arb) -> arb:
        """Enclose the value of a formula in ε alone, at a rational or on a ball."""
        return values.value(self, x)

    def series(self, x: Rational | arb, n: int) -> arb_series:
        """Enclose n coefficients of the Taylor series at the points of a ball of ε."""
        return values.series(self, x, n)

    def limit(self, at: object) -> Expr | float:
        """Return the limit for ε → 0 (at=0) or ε → ∞ (at=inf) of a formula in ε alone.

        >>> print((1 / (1 + exp(-eps))).limit(0))
        1/2
        """
        found = limits.limit(self, at)
        return found if isinstance(found, float) else expr(found)

    def derivative(self) -> Expr:
        """Return the derivative by ε of a formula in ε alone that has an exact form."""
        return expr(limits.derivative(self))

    def degree(self, name: str) -> int | None:
        """Return a bound of the degree as a polynomial in a name, None if it is none."""
        return growth.degree(self, name)

    def monotone(self, name: str) -> int | None:
        """Return 1 or −1 if it is nondecreasing or nonincreasing in a name, 0 if constant.

        That is for all ε > 0 and α, γ ≥ 0 at which it is defined; None if no rule shows it.
        """
        return growth.monotone(self, name)

    def pieces(self) -> list[tuple[tuple[Condition, ...], Expr]] | None:
        """Return formulas without min, max, abs, cases, and the comparisons where each counts.

        None if there are too many. Where no case applies, there is no piece.
        """
        return cuts.pieces(self)


class Condition(Node):
    """A comparison of two formulas, or conditions joined by `&`, `|` and `~`.

    Python's own `and`, `or`, `not` and a < b < c ask for a truth value at once, which a condition
    has only where it does not depend on any name; in texts they can be used.
    """

    __slots__ = ("known", "negated")

    known: bool | None
    negated: Condition

    def __and__(self, other: object) -> Condition:
        return _connected("and", self, other)

    def __rand__(self, other: object) -> Condition:
        return _connected("and", other, self)

    def __or__(self, other: object) -> Condition:
        return _connected("or", self, other)

    def __ror__(self, other: object) -> Condition:
        return _connected("or", other, self)

    def __invert__(self) -> Condition:
        try:
            return self.negated
        except AttributeError:  # the first time
            object.__setattr__(self, "negated", negation(self))
            return self.negated

    def at(self, given: Mapping[str, object]) -> Condition:
        """Substitute formulas or numbers for names, all at once."""
        put = {name: expr(value) for name, value in given.items()}
        return self.substituted(put)  # type: ignore[no-any-return]

    def truth(self) -> bool | None:
        """Return whether it holds everywhere, or nowhere; None if that is not seen."""
        try:
            return self.known
        except AttributeError:  # the first time
            object.__setattr__(self, "known", cuts.truth(self))
            return self.known

    def __bool__(self) -> bool:
        found = self.truth()
        if found is None:
            fail("E22", what=str(self))
        return found


# -- what users give


def expr(x: object, what: str = "a part of a formula") -> Expr:
    """Return a formula, a number, an exact form or an evaluated function as a formula."""
    if isinstance(x, Expr):
        return x
    if isinstance(x, ExpSum | Ratio):
        q = x.rational()
        return Expr("exact", data=x) if q is None else _number(q)
    number = rational_or_none(x)
    if number is not None:
        return Expr("number", data=number)
    if isinstance(x, Evaluated) and not isinstance(x, Node):
        return Expr("leaf", data=x)
    fail("E20", what=what, value=x)


def condition(x: object) -> Condition:
    """Return a condition, or the one that a text spells.

    A truth value is refused: it comes from `alpha == 1`, which asks whether two formulas are equal.
    """
    if isinstance(x, Condition):
        return x
    if isinstance(x, str):
        return read(x, False)  # type: ignore[no-any-return]
    fail("E21", value=x)


def _is_operand(x: object) -> bool:
    """Whether an operator takes it, or refuses it in words; for others Python says what it is."""
    kinds = Expr | ExpSum | Ratio | int | float | Decimal | RationalNumber | fmpq | fmpz
    return isinstance(x, kinds)


def _operation(build: Callable[[Expr, Expr], T], one: object, two: object) -> T:
    if not (_is_operand(one) and _is_operand(two)):
        return NotImplemented  # type: ignore[no-any-return]
    return build(expr(one), expr(two))


def _connected(op: str, one: object, two: object) -> Condition:
    if not all(isinstance(x, Condition | bool) for x in (one, two)):
        return NotImplemented  # type: ignore[no-any-return]
    return joined(op, condition(one), condition(two))


# -- operations; each folds numbers and leaves the rest as it is written


def _number(x: Rational) -> Expr:
    return Expr("number", data=whole(x))


def _sum(one: Expr, two: Expr) -> Expr:
    a, b = one.number, two.number
    if a is not None and b is not None:
        return _number(a + b)
    if a == 0 or b == 0:
        return two if a == 0 else one
    return Expr("+", (one, two))


def _negative(one: Expr) -> Expr:
    if one.number is not None:
        return _number(-one.number)
    return one.args[0] if one.op == "-" else Expr("-", (one,))


def _difference(one: Expr, two: Expr) -> Expr:
    return _sum(one, _negative(two))


def _product(one: Expr, two: Expr) -> Expr:
    a, b = one.number, two.number
    if a is not None and b is not None:
        return _number(a * b)
    if a == 1 or b == 1:
        return two if a == 1 else one
    if a == 0 or b == 0:
        return _number(0)
    return Expr("*", (one, two))


def _quotient(one: Expr, two: Expr) -> Expr:
    a, b = one.number, two.number
    if b == 0 or (b is None and exact.is_zero(two)):
        fail("E31", what=str(two))
    if a is not None and b is not None:
        return _number(Fraction(a) / b)
    if a == 0 or b == 1:
        return one
    return Expr("/", (one, two))


def _power(one: Expr, two: Expr) -> Expr:
    a, n = one.number, two.number
    if n is None:
        fail("E33", what=str(two))
    if abs(n.numerator) > LARGEST_EXPONENT or n.denominator > LARGEST_EXPONENT:
        fail("E34")
    if n == 0:
        return _number(1)
    if n == 1:
        return one
    if n < 0 and exact.is_zero(one):
        fail("E31", what=str(one))
    if a is not None:
        found = _number_to(a, Fraction(n))
        if found is not None:
            return _number(found)
    if one.op == "^" and isinstance(n, int) and isinstance(one.args[1].data, int):
        return _power(one.args[0], _number(one.args[1].data * n))
    return Expr("^", (one, two))


def _number_to(a: Rational, n: Fraction) -> Rational | None:
    """Return a^n where that is rational; an irrational root stays a formula."""
    if n.denominator == 1:
        size = max(abs(a.numerator), a.denominator)
        if size > 1 and size.bit_length() * abs(n.numerator) > exact.LARGEST_NUMBER:
            fail("E32", what=f"{short(a)}**{n}", most=exact.LARGEST_NUMBER)
        return whole(Fraction(a) ** n.numerator)
    if a < 0:
        fail("E37", what=str(a))
    if a == 0:
        return 0
    over, under = (_root(part, n.denominator) for part in (a.numerator, a.denominator))
    if over is None or under is None:
        return None
    return _number_to(Fraction(over, under), Fraction(n.numerator))


def _root(m: int, n: int) -> int | None:
    """Return the whole n-th root of a positive whole number, or None."""
    if n >= m.bit_length():
        return 1 if m == 1 else None
    root = int(fmpz(m).root(n))
    return root if root**n == m else None


def _absolute(one: Expr) -> Expr:
    if one.number is not None:
        return _number(max(one.number, -one.number))
    return one if one.op == "abs" else Expr("abs", (one,))


def _extreme(op: str, *parts: Expr) -> Expr:
    if len(parts) == 1:
        return parts[0]
    numbers = [part.number for part in parts if part.number is not None]
    if len(numbers) == len(parts):
        return _number(min(numbers) if op == "min" else max(numbers))
    return Expr(op, parts)


def by_cases(*parts: Any) -> Expr:
    """Return the formula with these conditions and values, one after the other."""
    kept: list[Node] = []
    for test, value in zip(parts[::2], parts[1::2], strict=True):
        if test.op == "truth" and not test.data:
            continue
        kept += [test, value]
        if test.op == "truth":
            break
    if len(kept) == 2 and kept[0].op == "truth":
        return kept[1]  # type: ignore[return-value]
    return Expr("cases", tuple(kept))


# -- conditions


def compared(op: str, one: Expr, two: Expr) -> Condition:
    """Return the comparison `one op two`; of two numbers it is a truth value."""
    found = Condition(op, (one, two))
    if one.op == two.op == "number":
        return Condition("truth", data=found.truth())
    return found


def joined(op: str, *parts: Condition) -> Condition:
    """Return the conjunction ("and") or disjunction ("or") of conditions."""
    decides = op == "or"  # a part with this truth value decides
    rest = [part for part in parts if part.op != "truth" or part.data is decides]
    if any(part.op == "truth" for part in rest):
        return Condition("truth", data=decides)
    if not rest:
        return Condition("truth", data=not decides)
    return rest[0] if len(rest) == 1 else Condition(op, tuple(rest))


def negation(one: Condition) -> Condition:
    """Return the condition that holds where this one does not."""
    if one.op == "truth":
        return Condition("truth", data=not one.data)
    if one.op in cuts.NEGATED:
        return Condition(cuts.NEGATED[one.op], one.args)
    return one.args[0] if one.op == "not" else Condition("not", (one,))  # type: ignore[return-value]


# -- public functions


def exp(x: object) -> Expr:
    """Return e to the power of a formula or number."""
    one = expr(x, "what exp is taken of")
    return _number(1) if one.number == 0 else Expr("exp", (one,))


def log(x: object) -> Expr:
    """Return the natural logarithm of a formula or number."""
    one = expr(x, "what log is taken of")
    if one.number is not None and one.number <= 0:
        fail("E36", what=str(one))
    return _number(0) if one.number == 1 else Expr("log", (one,))


def sqrt(x: object) -> Expr:
    """Return the square root of a formula or number."""
    one = expr(x, "what sqrt is taken of")
    if one.number is not None:
        found = _number_to(one.number, Fraction(1, 2))
        if found is not None:
            return _number(found)
    return Expr("sqrt", (one,))


def minimum(*parts: object) -> Expr:
    """Return the least of formulas or numbers.

    >>> print(minimum(1, 3 * exp(-alpha * eps / 2)))
    minimum(1, 3*exp(-alpha*eps/2))
    """
    if not parts:
        fail("E23", what="minimum", way_out="minimum(a, b)")
    return _extreme("min", *(expr(part, "a part of minimum") for part in parts))


def maximum(*parts: object) -> Expr:
    """Return the largest of formulas or numbers."""
    if not parts:
        fail("E23", what="maximum", way_out="maximum(a, b)")
    return _extreme("max", *(expr(part, "a part of maximum") for part in parts))


def piecewise(*parts: tuple[object, object]) -> Expr:
    """Return the formula whose value is that of the first condition that holds.

    A condition compares formulas, as `alpha < 1` or its text "alpha < 1"; the last may be True.

    >>> print(piecewise((exp(-alpha * eps), alpha < 1), (exp(-eps), True)))
    piecewise((exp(-alpha*eps), alpha < 1), (exp(-eps), True))
    """
    if not parts:
        fail("E23", what="piecewise", way_out="piecewise((a, True))")
    flat: list[Node] = []
    for part in parts:
        if not isinstance(part, tuple) or len(part) != 2:
            fail("E18", value=part)
        is_rest = part is parts[-1] and part[1] is True
        test = Condition("truth", data=True) if is_rest else condition(part[1])
        flat += [test, expr(part[0], "a part of piecewise")]
    return by_cases(*flat)


def name(x: str) -> Expr:
    """Return the formula that is a name: "eps", "alpha", an input such as "q[0]"."""
    return Expr("name", data=x)


eps, alpha, gamma = name("eps"), name("alpha"), name("gamma")

Expr.builders = {
    "+": _sum,
    "-": _negative,
    "*": _product,
    "/": _quotient,
    "^": _power,
    "exp": exp,
    "log": log,
    "sqrt": sqrt,
    "abs": _absolute,
    "min": lambda *parts: _extreme("min", *parts),
    "max": lambda *parts: _extreme("max", *parts),
    "cases": by_cases,
}
Condition.builders = {
    "and": lambda *parts: joined("and", *parts),
    "or": lambda *parts: joined("or", *parts),
    "not": negation,
    **{op: partial(compared, op) for op in cuts.NEGATED},
}
