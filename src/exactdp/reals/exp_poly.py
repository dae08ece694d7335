"""Sums Σ c·θ^k·exp(ℓ(θ)): c rational, ℓ a linear form with rational coefficients.

The parameters θ are ε and, for all inputs, also inputs, α and γ multiplied by ε. On a ray only ε
remains.

A sum is stored as one sparse flint polynomial in the parameters θⱼ and in yⱼ = exp(θⱼ·stepⱼ),
times exp(Σ lowⱼ·θⱼ). Steps and lows are rationals, so exponents of any sign and denominator
become small nonnegative integers, and only the existing terms take space. Neither step
nor low is unique, but the function is: by Lindemann's theorem (or simply because exponentials with
different rates are linearly independent over the polynomials) two sums are the same function
exactly if they have the same terms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any, Protocol, TypeVar, overload

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpq_poly

from exactdp.errors import ValueRefusedError, shown
from exactdp.reals import native
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.exp_term import ExpTerm, read_term
from exactdp.reals.numbers import Number, common_step, exact, fraction, rational

T_co = TypeVar("T_co", covariant=True)


_ZERO, _ONE = Fraction(0), Fraction(1)
_LARGEST_POWER = 100_000
_MOST_TERMS, _MOST_BITS = 10**6, 10**9  # of a power


class ExpPoly(ClosedForm):
    """A finite sum of c·ε^k·e^{qε}, exact, immutable, hashable; equal exactly if the same function.

    >>> from exactdp.reals import eps, exp
    >>> f = 1 - exp(-2 * eps / 9) / 3
    >>> print(f * f)
    1 - 2/3*exp(-2/9*eps) + 1/9*exp(-4/9*eps)
    """

    __slots__ = ("_hash", "_low", "_names", "_parts", "_poly", "_step", "_terms")

    _names: tuple[str, ...]
    _poly: fmpq_mpoly
    _step: tuple[Fraction, ...]
    _low: tuple[Fraction, ...]
    _terms: tuple[ExpTerm, ...] | None
    _hash: int | None
    _parts: dict[Fraction, fmpq_poly] | None

    def __init__(self, terms: Iterable[ExpTerm | tuple[Any, ...]] | Number = ()) -> None:
        if isinstance(terms, str) or not isinstance(terms, Iterable):
            terms = [ExpTerm(rational(terms))]
        given = [read_term(term) for term in terms]
        others = {name for term in given for name, _ in (*term.powers, *term.rates)} - {"eps"}
        names = ("eps", *sorted(others))
        powers = [dict(term.powers) for term in given]
        rates = [dict(term.rates) for term in given]
        low, step = [], []
        for name in names:
            mine = [rate.get(name, _ZERO) for rate in rates]
            low.append(min(mine, default=_ZERO))
            step.append(common_step([rate - low[-1] for rate in mine]) or _ONE)
        gathered: dict[tuple[int, ...], fmpq] = {}
        for term, power, rate in zip(given, powers, rates, strict=True):
            key = tuple(power.get(name, 0) for name in names) + tuple(
                int((rate.get(name, _ZERO) - low[j]) / step[j]) for j, name in enumerate(names)
            )
            gathered[key] = gathered.get(key, fmpq(0)) + exact(term.coefficient)
        self._fill(names, ring(names).from_dict(gathered), tuple(step), tuple(low))

    def _fill(
        self,
        names: tuple[str, ...],
        poly: fmpq_mpoly,
        step: tuple[Fraction, ...],
        low: tuple[Fraction, ...],
    ) -> None:
        put = object.__setattr__
        put(self, "_names", names)
        put(self, "_poly", poly)
        put(self, "_step", step)
        put(self, "_low", low)
        put(self, "_terms", None)
        put(self, "_hash", None)
        put(self, "_parts", None)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an ExpPoly is immutable")

    def _like(self, poly: fmpq_mpoly, low: tuple[Fraction, ...] | None = None) -> ExpPoly:
        """Return the sum with another polynomial over the same parameters and steps."""
        return build(self._names, poly, self._step, self._low if low is None else low)

    # Parts

    @property
    def terms(self) -> tuple[ExpTerm, ...]:
        """The summands: the largest rate first, then the smallest power."""
        if self._terms is None:
            entries = sorted(
                self.entries(self._names), key=lambda entry: ([-q for q in entry[1]], entry[0])
            )
            terms = tuple(
                ExpTerm(fraction(coefficient), self._named(powers), self._named(rates))
                for powers, rates, coefficient in entries
            )
            object.__setattr__(self, "_terms", terms)
        assert self._terms is not None
        return self._terms

    def entries(
        self, names: Sequence[str]
    ) -> Iterator[tuple[tuple[int, ...], tuple[Fraction, ...], fmpq]]:
        """Yield powers, rates and coefficient of each term, one entry for each of the names.

        The names include those that the sum depends on; the terms are in no particular order.
        """
        size = len(self._names)
        place = [self._names.index(name) if name in self._names else None for name in names]
        known: list[dict[Any, Fraction]] = [{} for _ in self._names]
        for key, coefficient in self._poly.to_dict().items():
            rates = []
            for j in place:
                if j is None:
                    rates.append(_ZERO)
                    continue
                n = key[size + j]
                if (rate := known[j].get(n)) is None:
                    rate = known[j][n] = self._low[j] + int(n) * self._step[j]
                rates.append(rate)
            powers = tuple(0 if j is None else int(key[j]) for j in place)
            yield powers, tuple(rates), coefficient

    def _named(self, entries: Iterable[Any]) -> tuple[tuple[str, Any], ...]:
        return tuple(
            (name, entry) for name, entry in zip(self._names, entries, strict=True) if entry
        )

    @property
    def numerator(self) -> ExpPoly:
        """The sum itself."""
        return self

    @property
    def denominator(self) -> ExpPoly:
        """1."""
        return ONE

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that the sum depends on, `eps` first."""
        if self._names == ("eps",):
            return () if self.constant() is not None else self._names
        size = len(self._names)
        columns = list(zip(*self._poly.monoms(), strict=True)) or [()] * (2 * size)
        return tuple(
            name
            for j, name in enumerate(self._names)
            if any(columns[j])
            or any(self._low[j] + int(n) * self._step[j] for n in set(columns[size + j]))
        )

    @property
    def is_unit(self) -> bool:
        """Whether the sum is c·exp(ℓ) with c ≠ 0: it divides everything and has no zero."""
        return len(self._poly) == 1 and not self.terms[0].powers

    def constant(self) -> Fraction | None:
        """Return the value of a constant sum, None if it is not constant."""
        if not self._poly:
            return _ZERO
        if len(self._poly) == 1 and not self.terms[0].powers and not self.terms[0].rates:
            return self.terms[0].coefficient
        return None

    def linear_form(self) -> dict[str, Fraction] | None:
        """Return {parameter: coefficient} of a linear form without constant, else None."""
        form = {}
        for coefficient, powers, rates in self.terms:
            if rates or len(powers) != 1 or powers[0][1] != 1:
                return None
            form[powers[0][0]] = coefficient
        return form

    def exponentials(self) -> dict[Fraction, fmpq_poly]:
        """Return {q: p} with f(ε) = Σ p(ε)·e^{qε}, smallest q first; only for functions of ε."""
        if self._parts is not None:
            return self._parts
        gathered: dict[int, dict[int, fmpq]] = {}
        for key, coefficient in self._poly.to_dict().items():
            rest = key[len(self._names) + 1 :]
            if any(key[1 : len(self._names)]) or any(rest):
                self.only_eps("Signs and values are decided")
            gathered.setdefault(int(key[len(self._names)]), {})[int(key[0])] = coefficient
        result = {}
        for n in sorted(gathered):
            powers = gathered[n]
            dense = [powers.get(k, 0) for k in range(max(powers) + 1)]
            result[self._low[0] + n * self._step[0]] = fmpq_poly(dense)
        object.__setattr__(self, "_parts", result)
        return result

    def rows(self) -> list[tuple[int, fmpq, fmpq]]:
        """Return the power, the rate and the coefficient of each term; only for functions of ε."""
        return [
            (k, exact(rate), c)
            for rate, polynomial in self.exponentials().items()
            for k, c in enumerate(polynomial.coeffs())
            if c
        ]

    # Arithmetic

    def __bool__(self) -> bool:
        return bool(self._poly)

    def __neg__(self) -> ExpPoly:
        return self._like(-self._poly)

    @overload
    def __add__(self, other: ExpPoly | int | Fraction | float) -> ExpPoly: ...
    @overload
    def __add__(self, other: ClosedForm) -> ClosedForm: ...
    def __add__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        summand = as_sum(other)
        if summand is None:
            return NotImplemented
        return _combined(self, summand, fmpq_mpoly.__add__)

    __radd__ = __add__

    @overload
    def __sub__(self, other: ExpPoly | int | Fraction | float) -> ExpPoly: ...
    @overload
    def __sub__(self, other: ClosedForm) -> ClosedForm: ...
    def __sub__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        summand = as_sum(other)
        if summand is None:
            return NotImplemented
        return _combined(self, summand, fmpq_mpoly.__sub__)

    def __rsub__(self, other: int | Fraction | float) -> ExpPoly:
        return -self + other

    @overload
    def __mul__(self, other: ExpPoly | int | Fraction | float) -> ExpPoly: ...
    @overload
    def __mul__(self, other: ClosedForm) -> ClosedForm: ...
    def __mul__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        if isinstance(other, float):
            other = rational(other)
        if isinstance(other, Rational):
            return self._like(self._poly * fmpq(int(other.numerator), int(other.denominator)))
        if not isinstance(other, ExpPoly):
            return NotImplemented
        one, two = same_steps(self, other)
        low = tuple(a + b for a, b in zip(one._low, two._low, strict=True))
        return one._like(native.product(one._poly, two._poly), low)

    __rmul__ = __mul__

    @overload
    def __truediv__(self, other: int | Fraction | float) -> ExpPoly: ...
    @overload
    def __truediv__(self, other: ClosedForm) -> ClosedForm: ...
    def __truediv__(self, other: ClosedForm | int | Fraction | float) -> ClosedForm:
        divisor = as_sum(other)
        if divisor is None:
            return NotImplemented
        from exactdp.reals.exp_ratio import quotient  # noqa: PLC0415 a quotient is made of sums

        return quotient(self, divisor)

    def __rtruediv__(self, other: int | Fraction | float) -> ClosedForm:
        dividend = as_sum(other)
        if dividend is None:
            return NotImplemented
        return dividend / self

    def __pow__(self, power: int) -> Any:
        """Return the integer power; a negative power of anything but a unit is an `ExpRatio`."""
        if not isinstance(power, int):
            return NotImplemented
        if self._is_long(abs(power)):
            raise ValueRefusedError(
                f"the power {power} of a sum would have too many terms or digits",
                rule=f"A sum has at most {_MOST_TERMS:,} terms, {_MOST_BITS:,} bits in all, and "
                f"powers of a parameter of at most {_LARGEST_POWER:,}.",
            )
        if power < 0:
            return ONE / self**-power
        low = tuple(power * one for one in self._low)
        return self._like(self._poly**power, low)

    def _is_long(self, power: int) -> bool:
        """Whether a power is too long to expand, by an upper estimate."""
        if power < 2 or not self._poly:
            return False
        size, degrees = len(self._poly), [int(n) for n in self._poly.degrees()]
        if power * max(degrees[: len(self._names)]) > _LARGEST_POWER:
            return True
        terms = min(
            math.comb(power + size - 1, size - 1) if size < power or size < 100 else _MOST_BITS,
            math.prod(power * n + 1 for n in degrees),
        )
        bits = max(int(abs(c.p) * c.q).bit_length() - 1 for c in self._poly.coeffs())
        return terms > _MOST_TERMS or terms * power * (bits + size.bit_length() - 1) > _MOST_BITS

    def inverse_unit(self) -> ExpPoly:
        """Return 1/self for a unit."""
        coefficient, _, rates = self.terms[0]
        return ExpPoly([ExpTerm(1 / coefficient, (), tuple((name, -rate) for name, rate in rates))])

    # Calculus and substitution

    def derivative(self, parameter: str = "eps") -> ExpPoly:
        """Return the derivative with respect to one parameter."""
        if not isinstance(parameter, str):
            raise ValueRefusedError(f"{shown(parameter)} is not the name of a parameter")
        if parameter not in self._names:
            return ExpPoly()
        j = self._names.index(parameter)
        size = len(self._names)
        y = self._poly.context().gens()[size + j]
        result = self._poly.derivative(j)
        result += y * self._poly.derivative(size + j) * exact(self._step[j])
        return self._like(result + self._poly * exact(self._low[j]))

    def substitute(self, **values: ClosedForm | Number) -> ClosedForm:
        """Return the sum with parameters replaced (see `ClosedForm.substitute`)."""
        from exactdp.reals.substitution import substituted  # noqa: PLC0415 it makes sums

        return substituted(self, values)

    def over_unit(self, term: ExpTerm) -> ExpPoly:
        """Return the sum divided by c·exp(Σ q·θ), the unit of a term."""
        rates = dict(term.rates)
        if not rates.keys() <= set(self._names):
            return self * ExpPoly([ExpTerm(term.coefficient, (), term.rates)]).inverse_unit()
        pairs = zip(self._names, self._low, strict=True)
        low = tuple(least - rates.get(name, _ZERO) for name, least in pairs)
        return self._like(self._poly / exact(term.coefficient), low)

    def by_powers(self, name: str) -> dict[Fraction, dict[int, ExpPoly]]:
        """Return the sums f with Σ f·θ^k, by the rate of a parameter θ in f and its power k."""
        if name not in self._names:
            return {_ZERO: {0: self}} if self._poly else {}
        place, size = self._names.index(name), len(self._names)
        grouped: dict[tuple[int, int], dict[tuple[int, ...], fmpq]] = {}
        for key, coefficient in self._poly.to_dict().items():
            row = tuple(map(int, key))
            rest = (*row[:place], 0, *row[place + 1 :])
            grouped.setdefault((row[size + place], row[place]), {})[rest] = coefficient
        found: dict[Fraction, dict[int, ExpPoly]] = {}
        for (n, power), group in grouped.items():
            rate = self._low[place] + n * self._step[place]
            found.setdefault(rate, {})[power] = self._like(ring(self._names).from_dict(group))
        return found

    def reflected(self) -> ExpPoly:
        """Return f(−ε)."""
        flipped = self.substitute(eps=-eps)
        assert isinstance(flipped, ExpPoly)
        return flipped

    # Identity

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rational):
            return self.constant() == other
        if not isinstance(other, ExpPoly):
            return NotImplemented
        if len(self._poly) != len(other._poly):
            return False
        if self._names == other._names and self._step == other._step and self._low == other._low:
            return bool(self._poly == other._poly)
        return self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            value = self.constant()
            found = hash(self.ends()) if value is None else hash(value)
            object.__setattr__(self, "_hash", found)
        assert self._hash is not None
        return self._hash

    def ends(self) -> tuple[ExpTerm, ExpTerm]:
        """Return the terms with the largest and the smallest powers of parameters, then rates.

        The ends of a product are the products of its factors' ends, so a quotient has them too.
        """
        keys = self._poly.monoms()  # in this order, which depends neither on the step nor on low
        return self._term(keys[0]), self._term(keys[-1])

    def first_term(self) -> ExpTerm:
        """Return the first of the terms."""
        if self._terms is not None:
            return self._terms[0]
        size, keys = len(self._names), self._poly.monoms()
        return self._term(min(keys, key=lambda key: ([-n for n in key[size:]], key[:size])))

    def _term(self, key: tuple[Any, ...]) -> ExpTerm:
        """Return the term with given powers in the polynomial."""
        size = len(self._names)
        above = zip(self._low, key[size:], self._step, strict=True)
        rates = (low + int(n) * step for low, n, step in above)
        coefficient = fraction(self._poly[key])
        return ExpTerm(coefficient, self._named(map(int, key[:size])), self._named(rates))

    def __reduce__(self) -> tuple[object, ...]:
        powers: Sequence[int] = [int(n) for exponents in self._poly.monoms() for n in exponents]
        if max(powers, default=0) < 256:
            powers = bytes(powers)  # much faster to read
        coefficients = self._poly.coeffs()
        over = tuple([int(q.p) for q in coefficients])
        under = tuple([int(q.q) for q in coefficients])
        return unpacked, (self._names, powers, over, under, self._step, self._low)

    @property
    def written(self) -> str:
        """The sum as it is stored: equal strings mean equal sums, but not conversely."""
        return f"{self._names} {self._poly} {self._step} {self._low}"


def build(
    names: tuple[str, ...],
    poly: fmpq_mpoly,
    step: tuple[Fraction, ...],
    low: tuple[Fraction, ...],
) -> ExpPoly:
    """Return the sum poly(θ, exp(step·θ))·exp(low·θ)."""
    result = ExpPoly.__new__(ExpPoly)
    result._fill(names, poly, step, low)
    return result


def unpacked(
    names: tuple[str, ...],
    powers: Sequence[int],
    over: tuple[int, ...],
    under: tuple[int, ...],
    step: tuple[Fraction, ...],
    low: tuple[Fraction, ...],
) -> ExpPoly:
    """Return a pickled sum, given the concatenated exponents and the coefficients."""
    rows = zip(*[iter(powers)] * (2 * len(names)), strict=True)
    coefficients = map(fmpq, over, under)
    return build(
        names, ring(names).from_dict(dict(zip(rows, coefficients, strict=True))), step, low
    )


def as_sum(value: object) -> ExpPoly | None:
    """Return a sum or a rational constant as an `ExpPoly`, anything else as None.

    A float is the decimal that it prints as.
    """
    if isinstance(value, ExpPoly):
        return value
    if isinstance(value, Rational | float) and not isinstance(value, bool):
        return _constant(rational(value))
    return None


def _constant(value: Fraction) -> ExpPoly:
    poly = ring(("eps",)).from_dict({(0, 0): exact(value)} if value else {})
    return build(("eps",), poly, (_ONE,), (_ZERO,))


class HasExponential(Protocol[T_co]):
    """An object with its own exponential: a formula of a claim."""

    def exponential(self) -> T_co:
        """Return e to the power of this."""


@overload
def exp(exponent: HasExponential[T_co]) -> T_co: ...
@overload
def exp(exponent: ClosedForm | int | Fraction) -> ExpPoly: ...
def exp(exponent: Any) -> Any:
    """Return e to a linear form in parameters without a constant, such as `-2 * eps / 9`.

    If the exponent has a method `exponential` (a formula of a claim), return its result.

    >>> from exactdp import eps, exp
    >>> print(3 * exp(-eps / 2))
    3*exp(-1/2*eps)
    """
    if hasattr(exponent, "exponential"):
        return exponent.exponential()
    form = as_sum(exponent)
    linear = None if form is None else form.linear_form()
    if linear is None:
        raise ValueRefusedError(
            f"exp of {exponent} is not a closed form",
            rule="exp is taken of a rational multiple of eps (or a sum of such multiples).",
            way_out="Write for example exp(-eps / 2). In beta, exp of a number is allowed, too.",
        )
    return ExpPoly([ExpTerm(_ONE, (), tuple(linear.items()))])


def same_steps(one: ExpPoly, two: ExpPoly) -> tuple[ExpPoly, ExpPoly]:
    """Return the two sums over the same parameters and the same steps."""
    one, two = _same_names(one, two)
    if one._step == two._step:
        return one, two
    step = tuple(common_step([a, b]) for a, b in zip(one._step, two._step, strict=True))
    finer = (build(x._names, _rescaled(x, step, x._low), step, x._low) for x in (one, two))
    return next(finer), next(finer)


def _same_names(one: ExpPoly, two: ExpPoly) -> tuple[ExpPoly, ExpPoly]:
    if one._names == two._names:
        return one, two
    names = ("eps", *sorted({*one._names, *two._names} - {"eps"}))
    return _over(one, names), _over(two, names)


def _combined(
    one: ExpPoly, two: ExpPoly, operation: Callable[[fmpq_mpoly, fmpq_mpoly], fmpq_mpoly]
) -> ExpPoly:
    if not one._poly or not two._poly:  # an empty sum must not coarsen or refine the steps
        return one if one._poly else (two if operation is fmpq_mpoly.__add__ else -two)
    one, two = _same_names(one, two)
    step, low = one._step, one._low
    if step != two._step or low != two._low:
        steps = zip(step, two._step, low, two._low, strict=True)
        step = tuple([common_step([s, t, a - b]) for s, t, a, b in steps])
        low = tuple(map(min, low, two._low))
    polys = _rescaled(one, step, low), _rescaled(two, step, low)
    return build(one._names, operation(*polys), step, low)


def _over(form: ExpPoly, names: tuple[str, ...]) -> ExpPoly:
    """Return the sum over more parameters."""
    if form._names == names:
        return form
    places = [names.index(name) for name in form._names]
    size, wide = len(form._names), len(names)
    moved = {}
    for key, coefficient in form._poly.to_dict().items():
        new = [0] * (2 * wide)
        for j, place in enumerate(places):
            new[place], new[wide + place] = int(key[j]), int(key[size + j])
        moved[tuple(new)] = coefficient
    step, low = [_ONE] * wide, [_ZERO] * wide
    for j, place in enumerate(places):
        step[place], low[place] = form._step[j], form._low[j]
    return build(names, ring(names).from_dict(moved), tuple(step), tuple(low))


def _rescaled(form: ExpPoly, step: tuple[Fraction, ...], low: tuple[Fraction, ...]) -> fmpq_mpoly:
    """Return the polynomial for steps that divide those of a sum, and lows whole steps below."""
    poly = form._poly
    if form._step != step:
        factors = [int(mine / new) for mine, new in zip(form._step, step, strict=True)]
        poly = poly.inflate([1] * len(step) + factors)
    if form._low != low:
        up = [int((a - b) / s) for a, b, s in zip(form._low, low, step, strict=True)]
        poly = poly * ring(form._names).term(exp_vec=[0] * len(up) + up, coeff=1)
    return poly


@lru_cache(maxsize=256)
def ring(names: tuple[str, ...]) -> fmpq_mpoly_ctx:
    """Return the ring of polynomials in the parameters and their exponentials."""
    return fmpq_mpoly_ctx.get((*names, *(f"exp_{name}" for name in names)), Ordering.lex)


_NAME = re.compile(r"[^\W\d]\w*(\[\d+(/\d+)?\])?")


def parameter(name: str) -> ExpPoly:
    """Return a parameter as a function of itself."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name == "exp":
        raise ValueRefusedError(
            f"{shown(name)} is not the name of a parameter",
            way_out="Use a name such as 'x1' or 'q[0]'.",
        )
    return ExpPoly([ExpTerm(_ONE, ((name, 1),))])


ONE = ExpPoly(1)
eps = parameter("eps")
