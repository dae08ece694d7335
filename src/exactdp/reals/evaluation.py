"""Values of closed forms: certified enclosures at rational points, doubles for plots."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from flint import arb, arb_poly, ctx, fmpq

from exactdp.errors import ValueRefusedError, shown
from exactdp.reals import limits
from exactdp.reals.numbers import double, exact, fraction, inf, logarithm, spell
from exactdp.reals.told import Told

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from exactdp.reals.closed_form import ClosedForm
    from exactdp.reals.exp_poly import ExpPoly

Exponentials: TypeAlias = dict[fmpq, fmpq]
"""The number Σ v·e^x as {x: v}, no v zero: 0 exactly if empty (Lindemann–Weierstrass)."""

_MOST = 100_000  # digits: more take seconds in one C call, which Ctrl-C cannot interrupt
_MOST_BITS = 2 * 10**6  # number of leading or trailing zeros from which an end is not written out
_MOST_IN_POWER = 128  # bits of the power of ten in a text


@dataclass(frozen=True, repr=False)
class Enclosure(Told):
    """A proven interval [lower, upper] around a real number.

    The ends are `lower_mantissa`·2^`exponent` and `upper_mantissa`·2^`exponent`, so that
    e^(10¹²) can be enclosed too; `lower` and `upper` are those ends as Fractions.

    >>> from exactdp import eps, exp
    >>> value = exp(-eps).at(1)
    >>> value.lower < value.upper, value.text(6)
    (True, '0.367879')
    """

    lower_mantissa: Fraction
    upper_mantissa: Fraction
    exponent: int = 0

    @property
    def lower(self) -> Fraction:
        """The lower end."""
        return self._end(self.lower_mantissa)

    @property
    def upper(self) -> Fraction:
        """The upper end."""
        return self._end(self.upper_mantissa)

    def _end(self, mantissa: Fraction) -> Fraction:
        if abs(self.exponent) > _MOST_BITS + mantissa.numerator.bit_length():
            raise ValueRefusedError(
                f"a number near 2^{self.exponent} has too many digits to be written as a Fraction",
                way_out="Use the mantissas and the exponent, float() or text().",
            )
        return mantissa * Fraction(2) ** self.exponent

    @property
    def is_exact(self) -> bool:
        """Whether the number is this rational exactly."""
        return self.lower_mantissa == self.upper_mantissa

    @property
    def sign(self) -> int:
        """1, -1 or 0, proven; an enclosure with 0 inside raises ValueError."""
        if self.lower_mantissa > 0:
            return 1
        if self.upper_mantissa < 0:
            return -1
        if self.is_exact:
            return 0
        raise ValueRefusedError("the enclosure contains 0, so it does not show a sign")

    def is_within(self, width: Fraction) -> bool:
        """Whether the enclosure is at most this wide."""
        gap = self.upper_mantissa - self.lower_mantissa
        return _order((gap, self.exponent), (width, 0)) <= 0

    def is_below(self, other: Enclosure) -> bool:
        """Whether every number of this enclosure is less than every one of another."""
        mine, its = (self.upper_mantissa, self.exponent), (other.lower_mantissa, other.exponent)
        return _order(mine, its) < 0

    def written(self, width: Fraction) -> tuple[Fraction, Fraction]:
        """Return both ends as Fractions; ends too close to 0 to be written are rounded outwards.

        No end is moved by more than half the width.
        """
        if -self.exponent <= _MOST_BITS + self.lower_mantissa.numerator.bit_length():
            return self.lower, self.upper
        room = Fraction(1, 2 ** (1 + math.ceil(1 / width).bit_length()))
        return -room * (self.lower_mantissa < 0), room * (self.upper_mantissa > 0)

    def __float__(self) -> float:
        return double(self.lower_mantissa, self.exponent)

    def text(self, digits: int) -> str:
        """Return the number to some digits, all of them certified, or the exact short rational.

        If the power of ten itself would be too long, the digits are those of the logarithm: a
        number near 10^(−1.7·10³⁰⁰) is shown as 10^(-1.7371779276e+300).
        """
        if self.is_exact and self.exponent == 0 and self.lower_mantissa.denominator < 10**6:
            return spell(self.lower_mantissa)
        with ctx.workprec(64 + 4 * digits + self.exponent.bit_length()):
            if self.exponent.bit_length() <= _MOST_IN_POWER:
                return str(ball(self).str(digits, radius=False))
            size = abs(ball(replace(self, exponent=0))).log() / arb(10).log()
            power = size + self.exponent * arb.const_log2() / arb(10).log()
            return f"{'-' * (self.sign < 0)}10^({power.str(digits, radius=False)})"

    def __str__(self) -> str:
        """Return all digits that are certified, up to a thousand (40 of an exact number)."""
        width = self.upper_mantissa - self.lower_mantissa
        size = max(abs(self.lower_mantissa), abs(self.upper_mantissa))
        if not width:
            return self.text(40)
        certified = ((size / width).__floor__().bit_length() * 301) // 1000
        return self.text(min(1000, max(1, certified)))


def _order(one: tuple[Fraction, int], two: tuple[Fraction, int]) -> int:
    """Return the sign of a·2^e − b·2^f for (a, e) and (b, f), for exponents of any size."""
    (a, e), (b, f) = one, two
    signs = [(x > 0) - (x < 0) for x in (a, b)]
    if signs[0] != signs[1] or not a:
        return 1 if signs[0] > signs[1] else -1 if signs[0] < signs[1] else 0
    sizes = [x.numerator.bit_length() - x.denominator.bit_length() for x in (a, b)]
    if abs(sizes[0] + e - sizes[1] - f) > 2:
        return signs[0] if sizes[0] + e > sizes[1] + f else -signs[0]
    gap = a * Fraction(2) ** (e - f) - b
    return (gap > 0) - (gap < 0)


def ball(enclosure: Enclosure) -> arb:
    """Return an arb that contains the enclosure, at the working precision."""
    low, high = (arb(exact(m)) for m in (enclosure.lower_mantissa, enclosure.upper_mantissa))
    return low.union(high) * arb(2) ** enclosure.exponent


def enclosure_of(value: arb) -> Enclosure:
    """Return an enclosure of a finite ball: the ball itself, or a slightly wider one.

    If midpoint and radius are many times the working precision apart, as in 1 ± 2^(−10³⁰), the
    smaller one is rounded up.
    """
    (middle, power), (radius, radius_power) = (
        (int(number), int(exponent))
        for number, exponent in (value.mid().man_exp(), value.rad().man_exp())
    )
    fine = 2 * ctx.prec + 128
    if middle and radius and radius_power < power - fine:
        radius, radius_power = 1, power - ctx.prec - 64
    elif middle and radius and power + middle.bit_length() < radius_power - fine:
        middle, radius, radius_power = 0, (radius << 64) + 1, radius_power - 64
    exponent = min(power, radius_power) if middle and radius else power if middle else radius_power
    middle_part = middle << (power - exponent if middle else 0)
    radius_part = radius << (radius_power - exponent if radius else 0)
    return Enclosure(
        Fraction(middle_part - radius_part), Fraction(middle_part + radius_part), exponent
    )


def at(form: ClosedForm, point: Mapping[str, Fraction], digits: int) -> Enclosure:
    """Return the value at a rational point to `digits` significant digits.

    Both ends also round to the same double. A value of 0 is recognised exactly; any other
    rational value is returned exactly; otherwise the value is transcendental, hence neither 0
    nor half-way between two doubles, and doubling the precision terminates the loop.
    """
    if isinstance(digits, bool) or not hasattr(digits, "__index__") or not 1 <= digits <= _MOST:
        raise ValueRefusedError(
            f"digits must be a whole number from 1 to {_MOST}, not {shown(digits)}"
        )
    if missing := [name for name in form.parameters if name not in point]:
        raise ValueRefusedError(
            f"the function depends on {', '.join(missing)} too",
            way_out=f"Give a value, for example at(1, **{{{missing[0]!r}: 2}}).",
        )
    if unknown := [name for name in point if name not in form.parameters and name != "eps"]:
        raise ValueRefusedError(f"the function does not depend on {', '.join(unknown)}")
    over, under = (numbers(part, point) for part in (form.numerator, form.denominator))
    if not under:
        return _at_a_zero_below(form, point)
    value = _rational_value(over, under)
    if value is not None:
        return Enclosure(value, value)

    def ball(bits: int) -> arb:
        with ctx.workprec(bits):
            return total(over) / total(under)

    found = refined(ball, digits, 16)
    assert found is not None
    return found


def refined(
    ball: Callable[[int], arb], digits: int, bits: int, most: int | None = None
) -> Enclosure | None:
    """Return a value to some digits, whose ends round to the same double.

    `ball` computes it with a number of bits: first with `bits` more than the digits need, then with
    twice as many each time. If more than `most` are needed, the value may be 0: return None.
    """
    wanted = math.ceil(digits * math.log2(10)) + 2
    bits = max(64, wanted + bits)
    while most is None or bits <= most:
        value = ball(bits)
        if value.is_finite() and value.rel_accuracy_bits() >= wanted:
            with ctx.workprec(wanted + 64):  # more bits than asked for may have been needed
                found = enclosure_of(+value)
            ends = found.lower_mantissa, found.upper_mantissa
            if len({double(end, found.exponent) for end in ends}) == 1:
                return found
        bits *= 2
    return None


def on_segment(form: ClosedForm, lower: Fraction, upper: Fraction) -> Enclosure | None:
    """Return an enclosure of all values on [lower, upper], lower < upper, if it is finite."""
    segment = (upper - lower) / 2
    bits = 64 + 2 * (math.ceil(1 / segment).bit_length() + upper.numerator.bit_length())
    with ctx.workprec(bits):
        x = arb(exact((lower + upper) / 2), exact(segment))
        value = on_ball(form, x)
        return enclosure_of(value) if value.is_finite() else None


def on_ball(form: ClosedForm, x: arb) -> arb:
    """Return a ball that contains the values of a closed form on a ball."""
    over, under = form.numerator, form.denominator
    return _on_ball(over, x) if under == 1 else _on_ball(over, x) / _on_ball(under, x)


def _on_ball(form: ExpPoly, x: arb) -> arb:
    """Return a ball that contains the values on a ball."""
    result = arb(0)
    for rate, polynomial in form.exponentials().items():
        result += arb_poly(polynomial)(x) * (x * exact(rate)).exp()
    return result


def numbers(form: ExpPoly, point: Mapping[str, Fraction]) -> Exponentials:
    """Return the value of a sum at a rational point as a sum of exponentials of rationals."""
    result: Exponentials = {}
    if form.parameters in ((), ("eps",)):
        x = exact(point.get("eps", Fraction(0)))
        for rate, polynomial in form.exponentials().items():
            exponent = x * exact(rate)  # different rates are equal only at x = 0
            result[exponent] = result.get(exponent, fmpq(0)) + polynomial(x)
    else:
        for exponent, value in _values_at(form, point):
            result[exponent] = result.get(exponent, fmpq(0)) + value
    return {exponent: value for exponent, value in result.items() if value}


def _values_at(form: ExpPoly, point: Mapping[str, Fraction]) -> Iterator[tuple[fmpq, fmpq]]:
    """Yield x and v of the value v·e^x of each term at a rational point."""
    size = len(form._names)
    place = [exact(point.get(name, Fraction(0))) for name in form._names]
    steps = [q * exact(step) for q, step in zip(place, form._step, strict=True)]
    lowest = sum((q * exact(low) for q, low in zip(place, form._low, strict=True)), fmpq(0))
    for key, value in form._poly.to_dict().items():
        exponent = lowest
        for j in range(size):
            if key[j]:
                value *= place[j] ** int(key[j])  # noqa: PLW2901 the factors one by one
            if key[size + j]:
                exponent += steps[j] * int(key[size + j])
        yield exponent, value


def product_of(one: Exponentials, two: Exponentials) -> Exponentials:
    """Return the product of two such numbers."""
    result: Exponentials = {}
    for x, v in one.items():
        for y, w in two.items():
            result[x + y] = result.get(x + y, fmpq(0)) + v * w
    return {exponent: value for exponent, value in result.items() if value}


def total(sums: Exponentials) -> arb:
    """Return Σ v·e^x as a ball at the working precision."""
    return sum((arb(x).exp() * v for x, v in sums.items()), arb(0))


def sign(sums: Exponentials) -> int:
    """Return the sign of Σ v·e^x, which is 0 exactly for the empty sum."""
    if not sums:
        return 0
    bits = 64
    while True:
        with ctx.workprec(bits):
            value = total(sums)
        if value > 0:
            return 1
        if value < 0:
            return -1
        bits *= 2


def sign_at(form: ExpPoly, point: Fraction) -> int:
    """Return the sign of a sum of ε at a rational point."""
    return sign(numbers(form, {"eps": point}))


def _rational_value(over: Exponentials, under: Exponentials) -> Fraction | None:
    """Return the quotient if it is rational: exactly if over = value·under term by term."""
    if not over:
        return Fraction(0)
    if over.keys() != under.keys():
        return None
    ratios = {over[x] / under[x] for x in over}
    return fraction(ratios.pop()) if len(ratios) == 1 else None


def _at_a_zero_below(form: ClosedForm, point: Mapping[str, Fraction]) -> Enclosure:
    value: Fraction | float = inf
    if form.parameters == ("eps",) and point["eps"] == 0:
        value = limits.at_zero(form.numerator, form.denominator)
    if isinstance(value, Fraction):
        return Enclosure(value, value)
    shown = ", ".join(f"{name} = {spell(point[name])}" for name in form.parameters)
    raise ValueRefusedError(
        f"the quotient has no value at {shown}", rule="Its denominator is 0 there."
    )


def values(form: ClosedForm, points: Iterable[float]) -> NDArray[numpy.float64]:
    """Return doubles at many ε, good to about nine digits.

    Exponentials are divided by the largest one, so that none overflows; where the terms cancel
    more than half of their digits the value is computed by `at` instead.
    """
    import numpy as np  # noqa: PLC0415 imported only when used

    try:
        eps = np.asarray(list(points) if isinstance(points, Iterator) else points, dtype=float)
    except (TypeError, ValueError):
        raise ValueRefusedError("the points of a curve must be numbers") from None
    flat = eps.ravel()
    parts = [_scaled(part, flat) for part in (form.numerator, form.denominator)]
    (over, over_size, over_scale), (under, under_size, under_scale) = parts
    with np.errstate(all="ignore"):
        result = over / under * np.exp(over_scale - under_scale)
        doubtful = (np.abs(over) < 1e-6 * over_size) | (np.abs(under) < 1e-6 * under_size)
    for j in np.flatnonzero(doubtful & np.isfinite(flat)):
        try:
            result[j] = float(at(form, {"eps": Fraction(float(flat[j]))}, 17))
        except ValueRefusedError:
            result[j] = np.nan
    return result.reshape(eps.shape)


def _scaled(
    form: ExpPoly, eps: NDArray[numpy.float64]
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """Return sum, sum of sizes and logarithm of the scale by which both were divided."""
    import numpy as np  # noqa: PLC0415 imported only when used

    rates = np.array([double(term.rate) for term in form.terms] or [0.0])
    powers = np.array([term.power for term in form.terms] or [0])
    signs = np.array([1.0 if term.coefficient > 0 else -1.0 for term in form.terms] or [0.0])
    sizes = np.array([logarithm(term.coefficient) for term in form.terms] or [0.0])
    with np.errstate(all="ignore"):
        log = np.where(eps == 0, -np.inf, np.log(np.abs(eps)))[:, None]
        heights = sizes + rates * eps[:, None] + np.where(powers, powers * log, 0.0)
        scale = np.max(heights, axis=1)
        scale = np.where(np.isfinite(scale), scale, 0.0)
        flips = np.where((powers % 2 == 1) & (eps[:, None] < 0), -1.0, 1.0)
        terms = signs * flips * np.exp(heights - scale[:, None])
    return terms.sum(axis=1), np.abs(terms).sum(axis=1), scale
