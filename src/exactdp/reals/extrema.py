"""The supremum and infimum of a closed form on an interval, and their places.

The supremum is the largest of: the values at the critical points (zeros of the derivative), the
values or limits at the ends, and +∞ at a pole. There are finitely many of these, and each value
can be enclosed as narrowly as required, so the largest can too.

Whether two candidates are equal is decided exactly where one of them is a rational number L (a
limit at 0 or ∞, or a rational value): f(c) = L at a critical point c exactly if c is a zero of
f − L of multiplicity at least two, which `zeros` computes. Two values at rational points are
compared by the Lindemann–Weierstrass theorem. Two critical points remain, or one and an end with a
transcendental value. These are enclosed very narrowly; candidates that still cannot be
distinguished are all reported (`ties`), and `attained` is None if one of them is only approached.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from exactdp.errors import ValueRefusedError
from exactdp.reals import limits
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluation import Enclosure, numbers, on_segment, product_of, sign_at
from exactdp.reals.interval import POSITIVE, Interval
from exactdp.reals.numbers import Number, double, inf, positive_width, spell
from exactdp.reals.parsing import as_form
from exactdp.reals.radical_form import RadicalForm
from exactdp.reals.signs import Atom, reduced
from exactdp.reals.told import Told
from exactdp.reals.zeros import Root, apart, roots, zeros

Where: TypeAlias = Fraction | float | Root

# How closely two candidates are compared, relative to their size, before both are returned.
_FIRST, _LAST = Fraction(1, 2**60), Fraction(1, 2**1260)
_MOST_BITS = 200_000  # before the point, of a value that is enclosed to a width


@dataclass(frozen=True, repr=False)
class Extremum(Told):
    """A supremum or infimum: proven to lie in [lower, upper], both `inf` or `-inf` if infinite.

    >>> from exactdp import eps, exp, supremum
    >>> print(supremum(eps * exp(-eps)).at)
    1
    """

    lower: Fraction | float
    upper: Fraction | float
    at: Where
    """Where it is attained, or the end or pole at which it is approached."""
    attained: bool | None
    ties: tuple[Where, ...] = ()
    """Further places with the same value, as far as the enclosures show."""

    @property
    def is_finite(self) -> bool:
        """Whether the value is a real number."""
        return isinstance(self.lower, Fraction)

    def __float__(self) -> float:
        if not isinstance(self.lower, Fraction) or not isinstance(self.upper, Fraction):
            return float(self.lower)
        return double((self.lower + self.upper) / 2)

    def __str__(self) -> str:
        how = {True: "attained at", False: "approached at", None: "attained or approached at"}[
            self.attained
        ]
        value = _show(self.lower) if self.lower == self.upper else f"≈ {float(self):.12g}"
        return f"{value}, {how} ε {_show(self.at, '= ')}"


def supremum(
    f: ClosedForm | Number, on: Interval | str = POSITIVE, width: Number = Fraction(1, 10**12)
) -> Extremum:
    """Return the least upper bound of f on an interval, enclosed to a width.

    >>> from exactdp import parse, supremum
    >>> print(supremum(parse("eps*exp(-eps)")))
    ≈ 0.367879441171, attained at ε = 1
    """
    interval, form, target = Interval.of(on), as_form(f), positive_width(width)
    form.only_eps("Bounds are found")
    if isinstance(form, RadicalForm):
        from exactdp.reals.radical_signs import radical_supremum  # noqa: PLC0415 needs Extremum

        return radical_supremum(form, interval, target)
    constant = form.numerator.constant() if form.denominator == 1 else None
    if constant is not None:
        return Extremum(constant, constant, interval.simple_point(), attained=True)
    form, candidates = _candidates(form, interval)
    for one in candidates:
        if one.value == inf:
            return Extremum(inf, inf, one.where, attained=False)
    finite = [one for one in candidates if one.value != -inf]
    if not finite:
        return Extremum(-inf, -inf, candidates[0].where, attained=False)
    share = _FIRST
    while True:
        finite = _leaders([one.enclosed(form, target, share) for one in finite])
        finite = _merged(form, finite)
        if len(finite) == 1 or (share <= _LAST and not _can_be_told_apart(finite)):
            break
        share /= 2**60
    best = min(finite, key=lambda one: not one.attained)
    ties = tuple(one.where for one in finite if one is not best) + best.ties
    ends = [one.known.written(target) for one in finite]
    lower, upper = (max(end) for end in zip(*ends, strict=True))
    attained = best.attained if len({one.attained for one in finite}) == 1 else None
    return Extremum(lower, upper, best.where, attained, ties)


def infimum(
    f: ClosedForm | Number, on: Interval | str = POSITIVE, width: Number = Fraction(1, 10**12)
) -> Extremum:
    """Return the greatest lower bound of f on an interval, enclosed to a width.

    >>> from exactdp import infimum, parse
    >>> print(infimum(parse("1 + exp(-eps)")))
    1, approached at ε = ∞
    """
    found = supremum(-as_form(f), on, width)
    return replace(found, lower=-found.upper, upper=-found.lower)


@dataclass(frozen=True)
class _Candidate:
    """A place and the value or limit there: exact, infinite, or to be enclosed."""

    where: Where
    attained: bool
    value: Fraction | float | None = None
    enclosure: Enclosure | None = None
    ties: tuple[Where, ...] = ()

    @property
    def known(self) -> Enclosure:
        """The value, once it is enclosed."""
        assert self.enclosure is not None
        return self.enclosure

    def enclosed(self, f: ClosedForm, width: Fraction, share: Fraction) -> _Candidate:
        """Return the candidate with its value enclosed to a width and a share of its size."""
        if isinstance(self.value, Fraction):
            return replace(self, enclosure=Enclosure(self.value, self.value))
        if self.enclosure is not None and _is_close(self.enclosure, width, share):
            return self
        if isinstance(self.where, Root) and not self.where.is_exact:
            return self._enclosed_at_root(f, self.where, width, share)
        assert not isinstance(self.where, float)
        point = self.where if isinstance(self.where, Fraction) else self.where.lower
        digits = 4 + len(str(math.ceil(1 / share)))
        while not _is_close(enclosure := f.at(point, digits), width, share):
            _refuse_endless(enclosure)
            digits *= 2
        return replace(self, enclosure=enclosure)

    def _enclosed_at_root(
        self, f: ClosedForm, root: Root, width: Fraction, share: Fraction
    ) -> _Candidate:
        may_be_zero = True
        while True:
            enclosure = on_segment(f, root.lower, root.upper)
            if enclosure is not None and enclosure.is_within(width):
                if _is_close(enclosure, width, share):
                    return replace(self, where=root, enclosure=enclosure)
                if may_be_zero and enclosure.lower_mantissa <= 0 <= enclosure.upper_mantissa:
                    around = Interval(root.lower, root.upper)
                    if any(zero.multiplicity > 1 for zero in roots(f, around)):
                        zero = Fraction(0)
                        return replace(
                            self, where=root, value=zero, enclosure=Enclosure(zero, zero)
                        )
                    may_be_zero = False
            elif enclosure is not None:
                _refuse_endless(enclosure)
            size = root.upper - root.lower
            root = root.refined(min(size / 16, size**2))


def _is_close(value: Enclosure, width: Fraction, share: Fraction) -> bool:
    """Whether a value is enclosed to a width and to a share of its size."""
    least = min(abs(value.lower_mantissa), abs(value.upper_mantissa))
    has_sign = value.lower_mantissa > 0 or value.upper_mantissa < 0
    gap = value.upper_mantissa - value.lower_mantissa
    return not gap or (has_sign and gap <= share * least and value.is_within(width))


def _refuse_endless(value: Enclosure) -> None:
    """Refuse to enclose a number to a width if it has too many digits before the point."""
    least = min(abs(value.lower_mantissa), abs(value.upper_mantissa))
    is_rough = value.upper_mantissa - value.lower_mantissa > least
    if value.exponent > _MOST_BITS and not is_rough:
        raise ValueRefusedError(
            f"a bound near {value.text(7)} has too many digits to be enclosed to a width",
            way_out="Ask for a bound on a shorter interval, or of a quotient that grows less.",
        )


def _leaders(candidates: list[_Candidate]) -> list[_Candidate]:
    """Return the candidates that may still be the largest."""
    return [
        one for one in candidates if not any(one.known.is_below(two.known) for two in candidates)
    ]


def _candidates(f: ClosedForm, on: Interval) -> tuple[ClosedForm, list[_Candidate]]:
    """Return every place at which the supremum may be attained or approached, and f reduced."""
    if on.is_point:
        return f, [_Candidate(on.simple_point(), attained=True)]
    inside = Interval(on.lower, on.upper, lower_open=True, upper_open=True)
    # Only a quotient has poles, and then the signs beside them matter.
    f, atoms = (f, []) if f.denominator == 1 else reduced(f, inside)
    found = [
        _at_end(f, on.lower, atoms[:1], is_open=on.lower_open, from_left=False),
        _at_end(f, on.upper, atoms[-1:], is_open=on.upper_open, from_left=True),
    ]
    for left, pole, right in zip(atoms, atoms[1:], atoms[2:], strict=False):
        if pole.sign is None and 1 in (left.sign, right.sign):
            found.append(_Candidate(pole.lower, attained=False, value=inf))
    found += [_Candidate(root, attained=True) for root in _critical(f, inside)]
    if 0 in inside and isinstance(value := limits.at_zero(f.numerator, f.denominator), Fraction):
        found.append(_Candidate(Fraction(0), attained=True, value=value))
    return f, found


def _critical(f: ClosedForm, inside: Interval) -> list[Root]:
    """Return the zeros of the derivative other than 0.

    With f = N/D in lowest terms they are the zeros of W = N′D − ND′ but for the zeros of D of
    multiplicity m > 1, where W has one of multiplicity m − 1. No quotient is reduced for this:
    each such zero of D is that zero of W which refining does not separate from it.
    """
    over, under = f.numerator, f.denominator
    slope = over.derivative() * under - over * under.derivative()
    if not slope:
        return []
    found = [root for root in apart(zeros(slope, inside)) if root.lower or root.upper]
    for pole in zeros(under, inside) if found else ():
        if pole.multiplicity > 1 and (pole.lower or pole.upper):
            found = _without(found, pole)
    return found


def _without(found: list[Root], pole: Root) -> list[Root]:
    """Return the zeros, which are apart, without the one that is this pole."""
    while True:
        near = [root for root in found if root.lower <= pole.upper and pole.lower <= root.upper]
        if len(near) == 1:
            return [root for root in found if root is not near[0]]
        pole = pole.refined((pole.upper - pole.lower) / 16)


def _at_end(
    f: ClosedForm, end: Fraction | float, beside: list[Atom], *, is_open: bool, from_left: bool
) -> _Candidate:
    """Return the value or limit at an end; `beside` is the stretch of a quotient next to it."""
    if not isinstance(end, Fraction):
        return _Candidate(end, attained=False, value=f.limit(end))
    if end == 0:
        over, under = f.numerator, f.denominator
        if from_left:
            over, under = over.reflected(), under.reflected()
        value = limits.at_zero(over, under)
        return _Candidate(end, not is_open and isinstance(value, Fraction), value)
    if sign_at(f.denominator, end) == 0:
        return _Candidate(end, attained=False, value=inf * (beside[0].sign or 1))
    here = f.at(end)
    return _Candidate(end, not is_open, here.lower if here.is_exact else None)


def _can_be_told_apart(candidates: list[_Candidate]) -> bool:
    """Whether some two values are known to differ, so that looking closer will show how."""
    exact = [one for one in candidates if isinstance(one.value, Fraction)]
    rational_places = [one for one in candidates if isinstance(one.where, Fraction)]
    return bool(exact) or len(rational_places) > 1


def _merged(f: ClosedForm, candidates: list[_Candidate]) -> list[_Candidate]:
    """Return the candidates with those proven equal merged, an attained one first."""
    result: list[_Candidate] = []
    for one in sorted(candidates, key=lambda one: not one.attained):
        for j, kept in enumerate(result):
            if _are_equal(f, kept, one):
                result[j] = replace(kept, ties=(*kept.ties, one.where, *one.ties))
                break
        else:
            result.append(one)
    return result


def _are_equal(f: ClosedForm, one: _Candidate, two: _Candidate) -> bool:
    """Whether two values are proven equal (see above for when that is decided)."""
    if not isinstance(two.value, Fraction):
        one, two = two, one
    if not isinstance(two.value, Fraction):
        if isinstance(one.where, Fraction) and isinstance(two.where, Fraction):
            return _same_value(f, one.where, two.where)
        return False
    if isinstance(one.value, Fraction):
        return one.value == two.value
    if isinstance(one.where, Fraction):
        return False  # a value that is not an exact rational is transcendental
    assert isinstance(one.where, Root)
    around = Interval(one.where.lower, one.where.upper)
    return any(root.multiplicity > 1 for root in roots(f - two.value, around))


def _same_value(f: ClosedForm, one: Fraction, two: Fraction) -> bool:
    """Whether f(one) = f(two): sums of exponentials of rationals, equal if the same terms."""
    over, under = (
        [numbers(part, {"eps": x}) for x in (one, two)] for part in (f.numerator, f.denominator)
    )
    return product_of(over[0], under[1]) == product_of(over[1], under[0])


def _show(where: Where, equals: str = "") -> str:
    if isinstance(where, Root):
        return where.text(equals)
    if isinstance(where, Fraction):
        return equals + spell(where)
    return equals + ("∞" if where == inf else "−∞")
