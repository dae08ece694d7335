"""Closed forms with a parameter that is the logarithm of a rational number b > 1.

A whole power of e^(log b) is a rational number, so e^(c·log b) becomes b^⌊c⌋·e^((c − ⌊c⌋)·log b).
Fractional powers of b with different fractions are independent over the rationals if b is not a
power itself, and log b is transcendental. So a sum is 0 if its terms cancel; no theorem excludes
that e^ε at a rational ε, log b and these powers cancel in another way.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluation import Enclosure, enclosure_of
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.numbers import exact, fraction

_MOST_BITS = 2**15


def log_enclosure(base: Fraction, bits: int = 128) -> tuple[Fraction, Fraction]:
    """Return rational bounds on the logarithm of a number."""
    with ctx.workprec(bits + 32):
        found = enclosure_of(arb(exact(base)).log())
    return found.lower, found.upper


def without_powers(form: ClosedForm, unit: str, base: Fraction) -> ClosedForm:
    """Return a closed form in which whole powers of e^unit are numbers; the unit is log base."""
    parts = (_without_powers(part, unit, base) for part in (form.numerator, form.denominator))
    over, under = parts
    return over if under == 1 else over / under


def _without_powers(form: ExpPoly, unit: str, base: Fraction) -> ExpPoly:
    if unit not in form.parameters:
        return form
    found = ExpPoly(0)
    for term in form.terms:
        rates = dict(term.rates)
        whole = math.floor(rates.get(unit, Fraction(0)))
        rates[unit] = rates.get(unit, Fraction(0)) - whole
        kept = tuple((name, q) for name, q in rates.items() if q)
        found = found + ExpPoly([(term.coefficient * base**whole, term.powers, kept)])
    return found


@dataclass(frozen=True)
class LogForm:
    """A function of ε: a closed form in ε and a unit that is the logarithm of a number."""

    form: ClosedForm
    unit: str
    base: Fraction

    @classmethod
    def of(cls, form: ClosedForm) -> LogForm | None:
        """Return a closed form with a parameter such as eps[20], which is log(20); else None."""
        for name in form.parameters:
            if name.startswith("eps[") and name != "eps[0]":
                base = Fraction(name[4:-1])
                return cls(without_powers(form, name, base), name, base)
        return None

    def _with(self, other: object) -> ClosedForm:
        return other.form if isinstance(other, LogForm) else other  # type: ignore[return-value]

    def __add__(self, other: object) -> LogForm:
        return self._like(self.form + self._with(other))

    def __sub__(self, other: object) -> LogForm:
        return self._like(self.form - self._with(other))

    def __rsub__(self, other: object) -> LogForm:
        return self._like(self._with(other) - self.form)

    def __truediv__(self, other: object) -> LogForm:
        return self._like(self.form / self._with(other))

    def _like(self, form: ClosedForm) -> LogForm:
        return LogForm(without_powers(form, self.unit, self.base), self.unit, self.base)

    def at(self, eps: Any, digits: int = 30) -> Enclosure:
        """Return the value at a rational ε, enclosed to `digits` digits."""
        over, under = (list(self._terms(part, Fraction(eps))) for part in _parts(self.form))
        if not over:
            return Enclosure(Fraction(0), Fraction(0))
        if all(not any(key) for key, _ in (*over, *under)):
            value = fraction(over[0][1] / under[0][1])
            return Enclosure(value, value)
        wanted = math.ceil(digits * math.log2(10)) + 2
        bits = 64 + wanted
        while bits <= _MOST_BITS:
            with ctx.workprec(bits):
                ball = self._total(over) / self._total(under)
                if ball.is_finite() and ball.rel_accuracy_bits() >= wanted:
                    return enclosure_of(ball)
            bits *= 2
        raise ValueRefusedError(
            f"the value at eps = {eps} cannot be distinguished from 0",
            rule=f"It is a sum of powers of e and of {self.base}, and of log({self.base}).",
            way_out="Ask at another eps.",
        )

    def _terms(self, form: ExpPoly, eps: Fraction) -> Iterator[tuple[tuple[Any, ...], fmpq]]:
        """Yield (power of log b, exponent of e, exponent of b) with coefficients that are not 0."""
        found: dict[tuple[Any, ...], fmpq] = {}
        for (j, k), (a, c), q in form.entries(("eps", self.unit)):
            key = k, a * eps, c
            found[key] = found.get(key, fmpq(0)) + exact(fraction(q) * eps**j)
        yield from ((key, q) for key, q in found.items() if q)

    def _total(self, terms: list[tuple[tuple[Any, ...], fmpq]]) -> arb:
        size = arb(exact(self.base)).log()
        total = arb(0)
        for (k, x, c), q in terms:
            total += arb(q) * size**k * (arb(exact(x)) + arb(exact(c)) * size).exp()
        return total

    def pretty(self) -> str:
        """Return the function in Unicode, for reading."""
        return self.form.pretty().replace(self.unit, f"log({self.base})")

    def __str__(self) -> str:
        return str(self.form).replace(self.unit, f"log({self.base})")


def _parts(form: ClosedForm) -> tuple[ExpPoly, ExpPoly]:
    return form.numerator, form.denominator
