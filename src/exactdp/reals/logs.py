"""Closed forms with parameters that are constants: 1, and logarithms of rational numbers b > 1.

`eps[0]` is 1 and `eps[20]` is log 20, as in a + b/ε and log(20)/ε scaled by ε. A whole power of
e^(log b) is a rational number, so e^(c·log b) becomes b^⌊c⌋·e^((c − ⌊c⌋)·log b). Fractional powers
of b with different fractions are independent over the rationals if b is not a power itself, and
log b is transcendental. So a sum is 0 if its terms cancel; no theorem excludes that e^ε at a
rational ε, e, logarithms and such powers cancel in another way. By Baker's theorem, 1 and
logarithms of multiplicatively independent numbers are linearly independent over the algebraic
numbers, so linear forms in them are compared by enclosures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any, TypeAlias

from flint import arb, ctx, fmpq, fmpq_mat, fmpz

from exactdp.errors import ValueRefusedError
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluation import Enclosure, enclosure_of, refined
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.numbers import common_step, exact, fraction

UNIT = "eps[0]"
"""The parameter that is 1."""
_MOST_BITS = 2**15
_SHORT = 2**40  # denominator of bounds that are sides of cones
_LONG_BASE = 256  # bits
_BITS = 192  # of the numbers that replace constants

Ends: TypeAlias = tuple[Fraction, Fraction]
Row: TypeAlias = tuple[Sequence[int], Sequence[Fraction], fmpq]
"""Powers, rates and coefficient of a term."""


def base_of(name: object) -> Fraction | None:
    """Return b if a parameter is log b."""
    if not isinstance(name, str) or not name.startswith("eps[") or name == UNIT:
        return None
    return Fraction(name[4:-1])


def is_constant(name: object) -> bool:
    """Whether a parameter is 1 or a logarithm."""
    return name == UNIT or base_of(name) is not None


def log_enclosure(base: Fraction, bits: int = 128) -> Ends:
    """Return rational bounds on the logarithm of a number."""
    with ctx.workprec(bits + 32):
        found = enclosure_of(arb(exact(base)).log())
    return found.lower, found.upper


def constant_enclosure(name: str) -> Ends:
    """Return rational bounds on a parameter that is 1 or a logarithm."""
    base = base_of(name)
    return (Fraction(1), Fraction(1)) if base is None else log_enclosure(base)


def ratio_enclosure(name: str, unit: str) -> Ends:
    """Return short rational bounds on the quotient of two constants."""
    (least, most), (low, high) = constant_enclosure(name), constant_enclosure(unit)
    lower, upper = math.floor(least / high * _SHORT), math.ceil(most / low * _SHORT)
    return Fraction(lower, _SHORT), Fraction(upper, _SHORT)


def enclosed(form: Sequence[Fraction | int], ends: Sequence[Ends]) -> Ends:
    """Return bounds on a linear form in numbers that are enclosed."""
    pairs = [(q * low, q * high) for q, (low, high) in zip(form, ends, strict=True)]
    lower = sum((min(pair) for pair in pairs), Fraction(0))
    return lower, sum((max(pair) for pair in pairs), Fraction(0))


def independent_bases(bases: Iterable[Fraction]) -> tuple[Fraction, ...]:
    """Return some of the numbers such that all logarithms are combinations of theirs.

    No product of powers of these is 1, unless all powers are 0.
    """
    found: list[Fraction] = []
    for base in bases:
        if log_combination(base, found) is None:
            found.append(base)
    return tuple(found)


def log_combination(base: Fraction, bases: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
    """Return rationals q with log(base) = Σ q·log(b) for independent b; None if there are none.

    They are a solution for the exponents of primes, by unique factorisation.
    """
    rows = [*map(_exponents, bases), _exponents(base)]
    primes = sorted({p for row in rows for p in row})
    matrix = fmpq_mat(len(primes), len(rows), [row.get(p, 0) for p in primes for row in rows])
    reduced, rank = matrix.rref()
    count = len(bases)
    if any(reduced[k, count] and not any(reduced[k, j] for j in range(count)) for k in range(rank)):
        return None
    return tuple(fraction(reduced[k, count]) for k in range(count))


def as_one_log(logs: Mapping[Fraction, Fraction]) -> dict[Fraction, Fraction]:
    """Return a sum of multiples q of log(b), by b, as one such multiple, if b does not get long.

    >>> as_one_log({Fraction(3): Fraction(2), Fraction(20): Fraction(2)})
    {Fraction(60, 1): Fraction(2, 1)}
    """
    powers: dict[int, Fraction] = {}
    for base, q in logs.items():
        for p, k in _exponents(base).items():
            powers[p] = powers.get(p, Fraction(0)) + k * q
    powers = {p: q for p, q in powers.items() if q}
    if not powers:
        return {}
    factor = common_step([*powers.values()])
    whole = {p: int(q / factor) for p, q in powers.items()}
    if sum(abs(k) * p.bit_length() for p, k in whole.items()) > _LONG_BASE:
        return {base: q for base, q in logs.items() if q}
    base = Fraction(1)
    for p, k in whole.items():
        base *= Fraction(p) ** k
    return {base: factor} if base > 1 else {1 / base: -factor}


def _exponents(base: Fraction) -> dict[int, int]:
    """Return the exponents of primes in a positive number."""
    over, under = fmpz(base.numerator).factor(), fmpz(base.denominator).factor()
    return {int(p): k for p, k in over} | {int(p): -k for p, k in under}


def named_constants(text: str) -> str:
    """Return the text of a closed form with 1 and logarithms instead of parameters.

    >>> named_constants("1/2*exp(-eps - 2*eps[0])*eps[0]")
    '1/2*exp(-eps - 2)'
    >>> named_constants("2·e^(−ε − 3eps[0]/2 − eps[20]/4)")
    '2·e^(−ε − 3/2 − log(20)/4)'
    """
    one = re.escape(UNIT)
    text = re.sub(rf"[*·]{one}(\^\d+)?", "", text)
    text = re.sub(rf"(\d){one}(?!\^)", r"\1", text)
    text = re.sub(rf"{one}(\^\d+|[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?", "1", text)
    text = re.sub(r"/\((eps(?:\^\d+)?)\)$", r"/\1", text)
    text = re.sub(r"^\(([^()]*)\)/1$", r"\1", text).removesuffix("/1")
    return re.sub(r"eps\[([\d/]+)\]", r"log(\1)", text)


def told_form(form: ClosedForm, *, pretty: bool = False) -> str:
    """Return a closed form as text, with 1 and logarithms instead of parameters."""
    found = LogForm.of(form)
    known = form if found is None else found.form
    return named_constants(known.pretty() if pretty else str(known))


def without_powers(form: ClosedForm, bases: Mapping[str, Fraction]) -> ClosedForm:
    """Return a closed form in which whole powers of e^(log b) are numbers."""
    parts = (_without_powers(part, bases) for part in (form.numerator, form.denominator))
    over, under = parts
    return over if under == 1 else over / under


def _without_powers(form: ExpPoly, bases: Mapping[str, Fraction]) -> ExpPoly:
    if not bases.keys() & {*form.parameters}:
        return form
    found = []
    for term in form.terms:
        rates, factor = dict(term.rates), Fraction(term.coefficient)
        for name, base in bases.items():
            whole = math.floor(rates.get(name, Fraction(0)))
            rates[name] = rates.get(name, Fraction(0)) - whole
            factor *= base**whole
        kept = tuple((name, q) for name, q in rates.items() if q)
        found.append((factor, term.powers, kept))
    return ExpPoly(found)


def lower_bound(
    form: ClosedForm, names: Iterable[str], nonnegative: Sequence[str] = ("eps", "alpha", "gamma")
) -> ClosedForm:
    """Return a closed form that is negative wherever a form is, and close to it.

    In it, the constants among some names are replaced by rational numbers; all other parameters
    that occur with a constant are nonnegative, or have even powers; a constant next to others is
    kept. The denominator of the form is positive.
    """
    gone = {name for name in names if is_constant(name)}
    has_some = gone & {*form.denominator.parameters}
    whole = form.numerator * form.denominator if has_some else form.numerator
    parts: dict[Any, list[Any]] = {}
    found = []
    for c, powers, rates in whole.terms:
        inner = tuple((name, k) for name, k in powers if name in gone)
        inside = tuple((name, q) for name, q in rates if name in gone)
        others = tuple(one for one in powers if one[0] not in gone)
        if any(k % 2 for name, k in others if name not in nonnegative):
            found.append((c, powers, rates))
            continue
        rest = others, tuple(one for one in rates if one[0] not in gone)
        parts.setdefault(rest, []).append((c, inner, inside))
    for (powers, rates), terms in parts.items():
        found.append((_lowest(terms), powers, rates))
    low = ExpPoly(found)
    return low if has_some or form.denominator == 1 else low / form.denominator


def _lowest(terms: Sequence[tuple[Any, Any, Any]]) -> Fraction:
    """Return a rational number that is at most Σ c·∏ x^k·e^(q·x) over constants x, and close."""
    if all(not inner and not inside for _, inner, inside in terms):
        return sum((Fraction(c) for c, _, _ in terms), Fraction(0))
    names = sorted({name for _, *listed in terms for part in listed for name, _ in part})
    rows = (
        ([dict(inner).get(n, 0) for n in names], [dict(inside).get(n, 0) for n in names], exact(c))
        for c, inner, inside in terms
    )
    with ctx.workprec(_BITS):
        return enclosure_of(_total(rows, [*map(_ball, names)])).lower


def _total(rows: Iterable[Row], sizes: Sequence[arb]) -> arb:
    """Return Σ q·∏ x^k·e^{Σ c·x} for rows (k, c, q) at numbers x, at the working precision."""
    total = arb(0)
    for powers, rates, q in rows:
        part, exponent = arb(q), arb(0)
        for size, k, c in zip(sizes, powers, rates, strict=True):
            part *= size**k
            exponent += arb(exact(c)) * size
        total += part * exponent.exp()
    return total


def _ball(name: str) -> arb:
    base = base_of(name)
    return arb(1) if base is None else arb(exact(base)).log()


@dataclass(frozen=True)
class LogForm:
    """A function of ε: a closed form in ε and constants, one of them a logarithm."""

    form: ClosedForm
    units: tuple[str, ...]

    @classmethod
    def of(cls, form: ClosedForm) -> LogForm | None:
        """Return a closed form with a parameter such as eps[20], which is log(20); else None."""
        units = tuple(sorted(filter(is_constant, form.parameters)))
        return cls.made(form, units) if any(name != UNIT for name in units) else None

    @classmethod
    def made(cls, form: ClosedForm, units: tuple[str, ...]) -> LogForm:
        """Return a closed form whose parameters are ε and some constants."""
        bases = {name: base for name in units if (base := base_of(name)) is not None}
        return cls(without_powers(form, bases), units)

    def _with(self, other: object) -> tuple[ClosedForm, tuple[str, ...]]:
        if isinstance(other, LogForm):
            return other.form, tuple(sorted({*self.units, *other.units}))
        return other, self.units  # type: ignore[return-value]

    def __float__(self) -> float:
        if "eps" in self.form.parameters:
            raise TypeError(f"{self} depends on eps")
        return float(self.at(1))

    def __add__(self, other: object) -> LogForm:
        given, units = self._with(other)
        return self.made(self.form + given, units)

    def __sub__(self, other: object) -> LogForm:
        given, units = self._with(other)
        return self.made(self.form - given, units)

    def __rsub__(self, other: object) -> LogForm:
        given, units = self._with(other)
        return self.made(given - self.form, units)

    def __truediv__(self, other: object) -> LogForm:
        given, units = self._with(other)
        return self.made(self.form / given, units)

    def at(self, eps: Any, digits: int = 30) -> Enclosure:
        """Return the value at a rational ε, enclosed to `digits` digits."""
        over, under = (self._rows_at(part, Fraction(eps)) for part in _parts(self.form))
        if not over:
            return Enclosure(Fraction(0), Fraction(0))
        if not any(any(powers) or any(rates) for powers, rates, _ in (*over, *under)):
            value = fraction(over[0][2] / under[0][2])
            return Enclosure(value, value)

        def ball(bits: int) -> arb:
            with ctx.workprec(bits):
                sizes = [arb(1), *map(_ball, self.units)]
                return _total(over, sizes) / _total(under, sizes)

        found = refined(ball, digits, 64, _MOST_BITS)
        if found is None:
            raise ValueRefusedError(
                f"the value at eps = {eps} cannot be distinguished from 0",
                rule=f"It is a sum of powers of e and of {', '.join(self._bases)}, and of their "
                "logarithms.",
                way_out="Ask at another eps.",
            )
        return found

    first_bits = _BITS

    def ball(self, eps: Fraction, bits: int) -> arb:
        """Return a ball that contains the value at an ε, computed with `bits` bits."""
        with ctx.workprec(bits):
            return self.on_ball(arb(exact(eps)))

    def on_ball(self, x: arb) -> arb:
        """Return a ball that contains the values on a ball of ε, at the working precision."""
        names, sizes = ("eps", *self.units), [x, *map(_ball, self.units)]
        over, under = (_total(part.entries(names), sizes) for part in _parts(self.form))
        return over if self.form.denominator == 1 else over / under

    def _rows_at(self, form: ExpPoly, eps: Fraction) -> list[Row]:
        """Return the terms at an ε, none of them 0: powers, rates (first that of 1) and number."""
        logs = [int(name != UNIT) for name in self.units]
        found: dict[tuple[Any, ...], fmpq] = {}
        for (j, *powers), (a, *rates), q in form.entries(("eps", *self.units)):
            one = sum((c for c, is_log in zip(rates, logs, strict=True) if not is_log), a * eps)
            key = (0, *map(mul, powers, logs)), (one, *map(mul, rates, logs))
            found[key] = found.get(key, fmpq(0)) + exact(fraction(q) * eps**j)
        return [(powers, rates, q) for (powers, rates), q in found.items() if q]

    @property
    def _bases(self) -> tuple[str, ...]:
        return tuple(str(base_of(name)) for name in self.units if name != UNIT)

    def pretty(self) -> str:
        """Return the function in Unicode, for reading."""
        return named_constants(self.form.pretty())

    def latex(self) -> str:
        """Return the function in LaTeX, without delimiters."""
        one = r"\\mathrm\{eps\[0\]\}"
        text = re.sub(rf"([\d}}]) {one}", r"\1", self.form.latex())
        text = re.sub(one, "1", text)
        return re.sub(r"\\mathrm\{eps\[([\d/]+)\]\}", r"\\ln(\1)", text)

    def __str__(self) -> str:
        return named_constants(str(self.form))


def _parts(form: ClosedForm) -> tuple[ExpPoly, ExpPoly]:
    return form.numerator, form.denominator
