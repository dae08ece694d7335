"""Sums Σ c·θ^k·exp(ℓ·θ) in several variables: c rational, k powers, ℓ a rational vector.

A sum is kept as {ℓ: polynomial}, one sparse flint polynomial for each exponential. Exponentials
with different rates are linearly independent over the polynomials, so two sums are the same
function exactly if they have the same parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from flint import Ordering, arb, ctx, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import Number, exact, fraction, rational, spell

if TYPE_CHECKING:
    from exactdp.reals.exp_poly import ExpPoly

Vector: TypeAlias = tuple[Fraction, ...]
"""A rational point or linear form, one entry a variable."""

TermKey: TypeAlias = tuple[tuple[int, ...], Vector]
"""Powers and rates of a term θ^k·exp(ℓ·θ), one entry a variable."""

WholeTerm: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], int]
"""Powers, rates and coefficient of a term, the last two times common denominators."""


class ExpSum:
    """A finite sum of c·θ^k·exp(ℓ·θ) over named variables: exact, immutable, hashable.

    >>> x, y = ExpSum.variables("x", "y")
    >>> f = 1 - exp(x - y) * (1 + x / 2)
    >>> print(f)
    1 - exp(x - y) - 1/2*x*exp(x - y)
    """

    __slots__ = ("_key", "names", "parts")

    names: tuple[str, ...]
    parts: Mapping[Vector, fmpq_mpoly]
    _key: tuple[int, int, frozenset[WholeTerm]] | None

    def __init__(self, names: Sequence[str], parts: Mapping[Vector, fmpq_mpoly]) -> None:
        put = object.__setattr__
        put(self, "names", tuple(names))
        put(self, "parts", {rates: part for rates, part in parts.items() if part})
        put(self, "_key", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an ExpSum does not change")

    # Building

    @classmethod
    def from_dict(cls, names: Sequence[str], terms: Mapping[Any, Number]) -> ExpSum:
        """Return Σ c·θ^k·exp(ℓ·θ) from {(k, ℓ): c}, k and ℓ tuples with one entry a variable."""
        gathered: dict[Vector, dict[tuple[int, ...], fmpq]] = {}
        for (powers, rates), coefficient in terms.items():
            if len(powers) != len(names) or len(rates) != len(names):
                raise ValueRefusedError(
                    f"a term has {len(powers)} powers and {len(rates)} rates "
                    f"for {len(names)} variables"
                )
            if any(power < 0 for power in powers):
                raise ValueRefusedError(f"a power in {tuple(powers)} is negative")
            part = gathered.setdefault(tuple(rational(rate) for rate in rates), {})
            key = tuple(powers)
            part[key] = part.get(key, fmpq(0)) + exact(rational(coefficient))
        ring = ring_of(len(names))
        return cls(names, {rates: ring.from_dict(part) for rates, part in gathered.items()})

    @classmethod
    def from_closed_form(cls, form: ExpPoly, names: Sequence[str]) -> ExpSum:
        """Return a sum of `exactdp.reals` as a sum over these variables, in this order."""
        if missing := [name for name in form.parameters if name not in names]:
            raise ValueRefusedError(f"the function depends on {', '.join(missing)} too")
        gathered: dict[Vector, dict[tuple[int, ...], fmpq]] = {}
        for powers, rates, coefficient in form.entries(names):
            gathered.setdefault(rates, {})[powers] = coefficient
        ring = ring_of(len(names))
        return cls(names, {rates: ring.from_dict(part) for rates, part in gathered.items()})

    @classmethod
    def constant(cls, names: Sequence[str], value: Number) -> ExpSum:
        """Return a constant."""
        zero = (Fraction(0),) * len(names)
        return cls(names, {zero: ring_of(len(names)).constant(exact(rational(value)))})

    @classmethod
    def variables(cls, *names: str) -> tuple[ExpSum, ...]:
        """Return each variable as a sum."""
        zero = (Fraction(0),) * len(names)
        return tuple(cls(names, {zero: gen}) for gen in ring_of(len(names)).gens())

    @classmethod
    def exponential(cls, names: Sequence[str], rates: Iterable[Number]) -> ExpSum:
        """Return exp(ℓ·θ)."""
        return cls(
            names, {tuple(rational(rate) for rate in rates): ring_of(len(names)).constant(1)}
        )

    # Parts

    def to_dict(self) -> dict[TermKey, Fraction]:
        """Return {(k, ℓ): c}."""
        return {
            (tuple(int(k) for k in powers), rates): fraction(coefficient)
            for rates, part in self.parts.items()
            for powers, coefficient in part.to_dict().items()
        }

    def __len__(self) -> int:
        """Return the number of terms."""
        return sum(len(part) for part in self.parts.values())

    def __bool__(self) -> bool:
        return bool(self.parts)

    def linear_form(self) -> Vector | None:
        """Return ℓ if this is the linear form ℓ·θ, else None."""
        form = [Fraction(0)] * len(self.names)
        for (powers, rates), coefficient in self.to_dict().items():
            if sum(powers) != 1 or any(rates):
                return None
            form[powers.index(1)] = coefficient
        return tuple(form)

    # Arithmetic

    def _other(self, other: ExpSum | Number) -> ExpSum:
        if not isinstance(other, ExpSum):
            return ExpSum.constant(self.names, other)
        if other.names != self.names:
            raise ValueRefusedError(f"variables {self.names} and {other.names} do not match")
        return other

    def __neg__(self) -> ExpSum:
        return ExpSum(self.names, {rates: -part for rates, part in self.parts.items()})

    def __add__(self, other: ExpSum | Number) -> ExpSum:
        parts = dict(self.parts)
        for rates, part in self._other(other).parts.items():
            parts[rates] = parts[rates] + part if rates in parts else part
        return ExpSum(self.names, parts)

    __radd__ = __add__

    def __sub__(self, other: ExpSum | Number) -> ExpSum:
        return self + -self._other(other)

    def __rsub__(self, other: Number) -> ExpSum:
        return -self + other

    def __mul__(self, other: ExpSum | Number) -> ExpSum:
        if not isinstance(other, ExpSum):
            return self.scaled(rational(other))
        parts: dict[Vector, fmpq_mpoly] = {}
        for rates, part in self.parts.items():
            for more, second in self._other(other).parts.items():
                total = tuple(a + b for a, b in zip(rates, more, strict=True))
                product = part * second
                parts[total] = parts[total] + product if total in parts else product
        return ExpSum(self.names, parts)

    __rmul__ = __mul__

    def __truediv__(self, other: Number) -> ExpSum:
        return self.scaled(1 / rational(other))

    def __pow__(self, power: int) -> ExpSum:
        result = ExpSum.constant(self.names, 1)
        for _ in range(power):
            result *= self
        return result

    def scaled(self, factor: Fraction) -> ExpSum:
        """Return the sum times a rational."""
        c = exact(factor)
        return ExpSum(self.names, {rates: part * c for rates, part in self.parts.items()})

    def reordered(self, order: Sequence[int], names: Sequence[str]) -> ExpSum:
        """Return the sum with only these of its variables, in this order, under other names.

        It must not depend on the others.
        """
        ring = ring_of(len(names))
        return ExpSum(
            names,
            {
                tuple(rates[k] for k in order): ring.from_dict(
                    {
                        tuple(int(powers[k]) for k in order): coefficient
                        for powers, coefficient in part.to_dict().items()
                    }
                )
                for rates, part in self.parts.items()
            },
        )

    def substituted(self, matrix: Sequence[Sequence[Number]], names: Sequence[str]) -> ExpSum:
        """Return s ↦ f(M·s) for a rational matrix M: one row a variable of f, one column an s."""
        rows = [[rational(entry) for entry in row] for row in matrix]
        if len(rows) != len(self.names) or any(len(row) != len(names) for row in rows):
            raise ValueRefusedError("the matrix does not fit the variables")
        ring = ring_of(len(names))
        images = [
            sum((gen * exact(q) for gen, q in zip(ring.gens(), row, strict=True)), ring.constant(0))
            for row in rows
        ]
        parts: dict[Vector, fmpq_mpoly] = {}
        for rates, part in self.parts.items():
            new = tuple(
                sum((rate * row[j] for rate, row in zip(rates, rows, strict=True)), Fraction(0))
                for j in range(len(names))
            )
            image = part.compose(*images, ctx=ring) if images else ring.constant(part.coeffs()[0])
            parts[new] = parts[new] + image if new in parts else image
        return ExpSum(names, parts)

    # Values

    def at(self, point: Sequence[Number], bits: int = 64) -> arb:
        """Return a ball around the value at a rational point, computed with that many bits."""
        place = [rational(entry) for entry in point]
        with ctx.workprec(bits):
            result = arb(0)
            for exponent, value in self._numbers(place).items():
                result += arb(exact(exponent)).exp() * value
            return result

    def _numbers(self, place: Sequence[Fraction]) -> dict[Fraction, fmpq]:
        """Return the value at a rational point as {x: v} for Σ v·e^x, no v zero."""
        if len(place) != len(self.names):
            raise ValueRefusedError(f"{len(place)} numbers for {len(self.names)} variables")
        values = [exact(entry) for entry in place]
        found: dict[Fraction, fmpq] = {}
        for rates, part in self.parts.items():
            exponent = sum((a * b for a, b in zip(rates, place, strict=True)), Fraction(0))
            found[exponent] = found.get(exponent, fmpq(0)) + part(*values)
        return {exponent: value for exponent, value in found.items() if value}

    def sign_at(self, point: Sequence[Number]) -> int:
        """Return the exact sign at a rational point.

        The value is Σ v·e^x with different rational x. By the Lindemann–Weierstrass theorem it
        is 0 only if every v is 0, so doubling the precision ends.
        """
        if not self._numbers([rational(entry) for entry in point]):
            return 0
        bits = 64
        while True:
            value = self.at(point, bits)
            if value > 0:
                return 1
            if value < 0:
                return -1
            bits *= 2

    # Identity and text

    def whole_terms(self) -> list[WholeTerm]:
        """Return powers, rates and coefficients, the last two times common denominators."""
        return list(self._identity()[2])

    def _identity(self) -> tuple[int, int, frozenset[WholeTerm]]:
        """Return the terms in whole numbers, which are quick to compare, and two denominators."""
        if self._key is None:
            under = math.lcm(*(rate.denominator for rates in self.parts for rate in rates))
            terms = [
                (tuple(map(int, powers)), whole, coefficient)
                for rates, part in self.parts.items()
                for whole in [tuple(q.numerator * (under // q.denominator) for q in rates)]
                for powers, coefficient in part.to_dict().items()
            ]
            scale = math.lcm(*(int(coefficient.denominator) for _, _, coefficient in terms))
            found = frozenset((powers, whole, int(c * scale)) for powers, whole, c in terms)
            object.__setattr__(self, "_key", (under, scale, found))
        assert self._key is not None
        return self._key

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExpSum):
            return NotImplemented
        return self.names == other.names and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.names, self._identity()))

    def __reduce__(self) -> tuple[Callable[..., ExpSum], tuple[object, ...]]:
        return ExpSum.from_dict, (self.names, self.to_dict())

    def __str__(self) -> str:
        def order(item: tuple[TermKey, Fraction]) -> tuple[object, ...]:
            (powers, rates), _ = item
            return any(rates), [-rate for rate in rates], sum(powers), powers

        text = ""
        for (powers, rates), coefficient in sorted(self.to_dict().items(), key=order):
            factors = [
                name if power == 1 else f"{name}**{power}"
                for name, power in zip(self.names, powers, strict=True)
                if power
            ]
            if any(rates):
                factors.append(f"exp({_linear_text(self.names, rates)})")
            text += _summand(coefficient, factors, not text)
        return text or "0"

    def __repr__(self) -> str:
        return f"ExpSum({', '.join(self.names)}: {self})"


def exp(form: ExpSum) -> ExpSum:
    """Return the exponential of a linear form."""
    rates = form.linear_form()
    if rates is None:
        raise ValueRefusedError(
            f"exp({form}) is not in the language",
            rule="An exponent is a linear form in the variables, without a constant.",
        )
    return ExpSum.exponential(form.names, rates)


def ring_of(size: int) -> fmpq_mpoly_ctx:
    """Return the polynomials in that many variables."""
    return fmpq_mpoly_ctx.get([f"x{i}" for i in range(size)], Ordering.lex)


def _linear_text(names: Sequence[str], form: Vector) -> str:
    text = ""
    for name, coefficient in zip(names, form, strict=True):
        if coefficient:
            text += _summand(coefficient, [name], not text)
    return text


def _summand(coefficient: Fraction, factors: list[str], first: bool) -> str:
    sign = "-" if coefficient < 0 else "+"
    size = abs(coefficient)
    body = "*".join(([spell(size)] if size != 1 or not factors else []) + factors)
    if first:
        return f"-{body}" if sign == "-" else body
    return f" {sign} {body}"
