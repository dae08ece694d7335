"""Expressions in ε as values: rates (`eps / 2`) and probabilities (`1 / (1 + exp(eps))`).

A term is a small tree, so it can be stored in a variable, hashed and printed. It
becomes a closed form (`exactdp.reals`) only when its exact value is needed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpz

from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.radical_form import constant
from exactdp.reals.radicals import Radical, Surd, radical

Number = int | Fraction

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": operator.pow,
    "neg": operator.neg,
    "log": math.log,
    "min": min,
    "max": max,
}
_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "**": 4}


def _operator(op: str, *, swapped: bool = False) -> Callable[[EpsTerm, object], EpsTerm]:
    """Return the method of an operator, with the operands in this or the other order."""

    def method(self: EpsTerm, other: object) -> EpsTerm:
        return _binary(op, other, self) if swapped else _binary(op, self, other)

    return method


@dataclass(frozen=True)
class EpsTerm:
    """A term in ε: `op` is "eps", "exp", "log", "root", "neg", "min", "max" or one of + - * / **.

    Its leaves are rational; "eps" has its value as an argument if it is known, and "root" a base
    and a power, as an irrational number.
    """

    op: str
    args: tuple[EpsTerm | Number, ...] = ()

    __add__ = _operator("+")
    __radd__ = _operator("+", swapped=True)
    __sub__ = _operator("-")
    __rsub__ = _operator("-", swapped=True)
    __mul__ = _operator("*")
    __rmul__ = _operator("*", swapped=True)
    __rtruediv__ = _operator("/", swapped=True)

    def __truediv__(self, other: object) -> EpsTerm:
        if isinstance(other, int | Fraction) and other == 0:
            raise ZeroDivisionError("division by zero")
        return _binary("/", self, other)

    def __pow__(self, other: object) -> EpsTerm:
        if not isinstance(other, int) or abs(other) > 1000:
            raise TypeError("an expression in eps can only be raised to a small constant integer")
        return _binary("**", self, other)

    def __neg__(self) -> EpsTerm:
        return EpsTerm("neg", (self,))

    def __pos__(self) -> EpsTerm:
        return self

    def __bool__(self) -> bool:
        raise TypeError("a program cannot branch on the value of eps")

    def __str__(self) -> str:
        return _show(self, 0)

    def nodes(self) -> Iterator[EpsTerm]:
        """Yield the term and all terms inside it."""
        yield self
        for part in self.args:
            if isinstance(part, EpsTerm):
                yield from part.nodes()

    def fold(self, eps: Any, exp: Callable[[Any], Any]) -> Any:
        """Return the value of the term, built with the given `eps` and `exp`."""
        if self.op == "eps":
            return eps
        if self.op == "root":
            found = self.number()
            return float(found) if isinstance(eps, float) else constant(found)
        values = [part.fold(eps, exp) if isinstance(part, EpsTerm) else part for part in self.args]
        return exp(*values) if self.op == "exp" else _FUNCTIONS[self.op](*values)

    def at(self, eps: float) -> float:
        """Return the value of the term at a number ε, as a float (for simulation only)."""
        return float(self.fold(float(eps), math.exp))

    def parts(self) -> dict[tuple[int, Fraction | None], Fraction] | None:
        """Return {(k, b): q} if the term is Σ q·ε^k·log b, else None; b is None without log."""
        parts: list[dict[tuple[int, Fraction | None], Fraction] | None] = [
            part.parts() if isinstance(part, EpsTerm) else {(0, None): Fraction(part)}
            for part in self.args
        ]
        if self.op == "eps":
            return {(1, None): Fraction(1)}
        if self.op == "log":
            (base,) = self.args
            return {(0, base): Fraction(1)} if isinstance(base, Fraction) else None
        if self.op == "**":
            form = self.monomial()
            if form is None or isinstance(form[0], Radical):
                return None
            return {(form[1], None): form[0]}
        if self.op in ("exp", "min", "max", "root") or any(part is None for part in parts):
            return None
        known = [part for part in parts if part is not None]
        if self.op == "neg":
            return {key: -q for key, q in known[0].items()}
        left, right = known
        found: dict[tuple[int, Fraction | None], Fraction] = {}
        if self.op in ("+", "-"):
            found = dict(left)
            for key, q in right.items():
                found[key] = found.get(key, Fraction(0)) + (q if self.op == "+" else -q)
        elif self.op == "*" or len(right) == 1:
            for (k, one), q in left.items():
                for (n, two), r in right.items():
                    if two is not None and (self.op == "/" or one is not None):
                        return None
                    if self.op == "/" and r == 0:
                        return None
                    power, value = (k + n, q * r) if self.op == "*" else (k - n, q / r)
                    key = power, one or two
                    found[key] = found.get(key, Fraction(0)) + value
        else:
            return None
        return {key: q for key, q in found.items() if q}

    def log_rate(self) -> tuple[Fraction, EpsTerm] | None:
        """Return (q, r) if the term is q·log r with an expression r in ε, else None."""
        if self.op == "log":
            (inner,) = self.args
            return (Fraction(1), inner) if isinstance(inner, EpsTerm) else None
        if self.op not in ("*", "/"):
            return None
        left, right = self.args
        if isinstance(left, EpsTerm) and not isinstance(right, EpsTerm):
            found = left.log_rate()
            if found is None:
                return None
            factor = Fraction(right) if self.op == "*" else 1 / Fraction(right)
            return found[0] * factor, found[1]
        if isinstance(right, EpsTerm) and not isinstance(left, EpsTerm) and self.op == "*":
            found = right.log_rate()
            return None if found is None else (found[0] * Fraction(left), found[1])
        return None

    def known_eps(self) -> Fraction | None:
        """Return the value of ε if the term contains it."""
        known = (one.args[0] for one in self.nodes() if one.op == "eps" and one.args)
        return next((Fraction(value) for value in known), None)  # type: ignore[arg-type]

    @property
    def has_log(self) -> bool:
        """Whether the term contains a logarithm."""
        return any(one.op == "log" for one in self.nodes())

    @property
    def has_root(self) -> bool:
        """Whether the term contains an irrational root."""
        return any(one.op == "root" for one in self.nodes())

    def number(self) -> Surd:
        """Return the number that a root is."""
        base, power = self.args
        assert isinstance(base, Fraction)
        assert isinstance(power, Fraction)
        return radical(base, power)

    @property
    def is_rough(self) -> bool:
        """Whether the known ε is that of sampled runs, which may round."""
        return any(one.op == "eps" and len(one.args) > 1 for one in self.nodes())

    def at_eps(self, eps: EpsTerm) -> EpsTerm:
        """Return the term with a known ε."""
        if self.op == "eps":
            return eps
        parts = (part.at_eps(eps) if isinstance(part, EpsTerm) else part for part in self.args)
        return EpsTerm(self.op, tuple(parts))

    def monomial(self) -> tuple[Surd, int] | None:
        """Return (q, k) if the term is q·ε^k for a number q and an integer k, else None."""
        if self.op == "root":
            return self.number(), 0
        parts: list[tuple[Surd, int] | None] = [
            part.monomial() if isinstance(part, EpsTerm) else (Fraction(part), 0)
            for part in self.args
        ]
        if self.op == "eps":
            return Fraction(1), 1
        if self.op in ("min", "max", "log"):
            return None
        if self.op == "exp" or any(part is None for part in parts):
            return (Fraction(1), 0) if self.op == "exp" and parts[0] == (Fraction(0), 0) else None
        known = [part for part in parts if part is not None]
        first, power = known[0]
        if self.op == "neg":
            return -first, power
        second, other = known[1]
        match self.op:
            case "*":
                return _monomial(first * second, power + other)
            case "/":
                return _monomial(first / second, power - other) if second else None
            case "**":
                assert isinstance(second, Fraction)  # a small whole number
                if first == 0 and second <= 0:
                    return None
                return _monomial(first ** int(second), power * int(second))
        sign = 1 if self.op == "+" else -1
        if first == 0 or second == 0 or power == other:
            return _monomial(first + sign * second, power if first else other)
        return None


def _monomial(coefficient: Surd, power: int) -> tuple[Surd, int]:
    return (coefficient, power) if coefficient != 0 else (Fraction(0), 0)


def _binary(op: str, left: object, right: object) -> EpsTerm:
    if isinstance(left, ClosedForm) or isinstance(right, ClosedForm):
        from exactdp.language.values import freeze  # noqa: PLC0415 which imports this module

        left, right = freeze(left), freeze(right)
    for part in (left, right):
        if isinstance(part, bool) or not isinstance(part, EpsTerm | int | Fraction):
            return NotImplemented  # type: ignore[no-any-return]
    assert isinstance(left, EpsTerm | int | Fraction)
    assert isinstance(right, EpsTerm | int | Fraction)
    return EpsTerm(op, (left, right))


def _show(part: EpsTerm | Number, outer: int) -> str:
    if not isinstance(part, EpsTerm):
        text = str(part)
        plain = isinstance(part, int) or part.denominator == 1
        return f"({text})" if outer and (part < 0 or (not plain and outer > 1)) else text
    if part.op == "eps":
        return "eps"
    if part.op == "root":
        base, power = part.args
        if power == Fraction(1, 2):
            return f"sqrt({base})"
        return f"{_show(base, 5)}**({power})"
    if part.op in ("exp", "log"):
        return f"{part.op}({_show(part.args[0], 0)})"
    if part.op in ("min", "max"):
        return f"{part.op}({', '.join(_show(one, 0) for one in part.args)})"
    binding = _BINDING[part.op]
    if part.op == "neg":
        text = f"-{_show(part.args[0], binding)}"
    elif part.op == "**":
        text = f"{_show(part.args[0], binding + 1)}**{_show(part.args[1], binding)}"
    else:
        left, right = part.args
        text = f"{_show(left, binding)} {part.op} {_show(right, binding + 1)}"
    return f"({text})" if binding < outer else text


def extreme(op: str, parts: Sequence[EpsTerm | Number]) -> EpsTerm | Number:
    """Return the least ("min") or the largest ("max") of several terms."""
    found, *others = parts
    for part in others:
        found = EpsTerm(op, (found, part))
    return found


#: The privacy budget ε.
EPS = EpsTerm("eps")


def exp(exponent: object) -> EpsTerm | int:
    """Return e to the power q·ε; anything else in the exponent is refused."""
    if isinstance(exponent, int | Fraction) and exponent == 0:
        return 1
    form = exponent.monomial() if isinstance(exponent, EpsTerm) else None
    if form is None or not (form[1] == 1 or form[0] == 0):
        raise ValueError("exp takes a rational number times eps, such as exp(-eps / 2)")
    assert isinstance(exponent, EpsTerm)
    return EpsTerm("exp", (exponent,))


def root(number: object, power: Fraction = Fraction(1, 2)) -> EpsTerm | Fraction:
    """Return a power of a positive rational number: a number, or an irrational root."""
    if isinstance(number, bool) or not isinstance(number, int | Fraction) or number <= 0:
        raise ValueError("roots are of positive rational numbers, such as sqrt(2) * eps")
    found = radical(Fraction(number), power)
    return found if isinstance(found, Fraction) else EpsTerm("root", (Fraction(number), power))


def log(number: object) -> EpsTerm | int:
    """Return the logarithm of a rational number, as a multiple of log b with b not a power.

    The logarithm of an expression in ε is a rate of integer noise.
    """
    if isinstance(number, EpsTerm) and not number.has_log:
        return EpsTerm("log", (number,))
    if isinstance(number, bool) or not isinstance(number, int | Fraction) or number <= 0:
        raise ValueError("log takes a positive rational number, such as log(20) / eps")
    value = Fraction(number)
    if value == 1:
        return 0
    sign, size = (1, value) if value > 1 else (-1, 1 / value)
    for power in range(size.numerator.bit_length(), 1, -1):
        parts = [fmpz(part).root(power) for part in (size.numerator, size.denominator)]
        base = Fraction(int(parts[0]), int(parts[1]))
        if base**power == size:
            term = EpsTerm("log", (base,))
            return term if sign * power == 1 else sign * power * term
    whole = EpsTerm("log", (size,))
    return whole if sign > 0 else -1 * whole
