"""Decide completely whether f ≥ 0 or f > 0 on a whole interval, with a certificate.

The line is cut at the zeros and poles of f (see `zeros` for why they can all be found); between
two cuts the sign is that at any rational point, which is known exactly. Factors with an even
exponent never change the sign, so `nonnegative` need not compute their zeros.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from exactdp.errors import ValueRefusedError
from exactdp.reals import certificates
from exactdp.reals.certificates import Json
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.derivatives import rises_from_zero
from exactdp.reals.enclosed_form import EnclosedForm
from exactdp.reals.evaluated_zeros import OpenSignError
from exactdp.reals.evaluation import sign_at
from exactdp.reals.exact_walk import Stuck
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.exp_ratio import in_lowest_terms
from exactdp.reals.interval import POSITIVE, Interval
from exactdp.reals.limits import order_at_zero
from exactdp.reals.numbers import Number, spell
from exactdp.reals.parsing import as_form
from exactdp.reals.radical_form import RadicalForm, no_radical_certificate
from exactdp.reals.told import Told
from exactdp.reals.towers import Tower, no_tower_certificate
from exactdp.reals.unexpanded import Unexpanded, no_certificate
from exactdp.reals.zeros import CLOSE, FactorSurvey, Root, apart, surveys


@dataclass(frozen=True, repr=False)
class Decision(Told):
    """Whether `function` `relation` 0 holds at every point of `on`, and why.

    >>> from exactdp import eps, exp, nonnegative
    >>> nonnegative(exp(-eps) - 1 + eps).holds
    True
    """

    function: ClosedForm
    relation: str
    on: Interval
    holds: bool
    witness: Fraction | None = None
    """A rational point at which it fails; None if it holds or fails at irrational points only."""
    root: Root | None = None
    """The zero (or pole) at which it fails, if it fails at irrational points only."""
    is_pole: bool = False
    """Whether it fails because the function has a pole."""
    _proof: Json | dict[str, _Side | None] | None = field(
        default_factory=dict, repr=False, compare=False
    )

    def __bool__(self) -> bool:
        return self.holds

    def __reduce__(self) -> tuple[object, ...]:
        # The proof is recomputed on demand: that is fast, and the proof may be long.
        found = (self.function, self.relation, self.on, self.holds, self.witness, self.root)
        return Decision, (*found, self.is_pole, None)

    @cached_property
    def certificate(self) -> Json:
        """The decision as plain JSON, for `exactdp.certify`."""
        if isinstance(self.function, Unexpanded):
            raise no_certificate()
        if isinstance(self.function, Tower):
            raise no_tower_certificate()
        if isinstance(self.function, RadicalForm):
            raise no_radical_certificate()
        if self._proof is None:
            return _surveyed(self.function, self.on, strict=self.relation == ">").certificate
        verdict = "holds" if self.holds else "fails"
        proof = {
            name: part.proof() if isinstance(part, _Side) else part
            for name, part in self._proof.items()
        }
        return certificates.certificate(self.function, self.on, self.relation, verdict, proof)

    def __str__(self) -> str:
        relation = {">=": "≥", ">": ">"}[self.relation]
        claim = f"{self.function.pretty()} {relation} 0 for every ε in {self.on}"
        if self.holds:
            return f"Holds: {claim}."
        if self.root is not None:
            where = f"ε {self.root.text('= ')}"
        else:
            where = f"ε = {spell(self.witness or Fraction(0))}"
        if self.is_pole:
            return f"Fails: {claim}: there is a pole at {where}."
        value = "0" if self.root is not None else self.function.at(self.witness or 0).text(7)
        return f"Fails: {claim}: the value is {value} at {where}."


def nonnegative(f: ClosedForm | Number, on: Interval | str = POSITIVE) -> Decision:
    """Decide whether f(ε) ≥ 0 for every ε of an interval; f fails where it has a pole.

    >>> from exactdp import nonnegative, parse
    >>> print(nonnegative(parse("1 - exp(-eps)")))
    Holds: 1 − e^(−ε) ≥ 0 for every ε in (0, ∞).
    >>> nonnegative(parse("exp(-eps) - 1/2"), on="(0, 1/2]").holds
    True
    """
    return _decided(as_form(f), Interval.of(on), strict=False)


def positive(f: ClosedForm | Number, on: Interval | str = POSITIVE) -> Decision:
    """Decide whether f(ε) > 0 for every ε of an interval; f fails where it has a pole.

    >>> from exactdp import parse, positive
    >>> positive(parse("exp(-eps)")).holds
    True
    """
    return _decided(as_form(f), Interval.of(on), strict=True)


def _decided(f: ClosedForm, on: Interval, *, strict: bool) -> Decision:
    f.only_eps("Signs are decided")
    if isinstance(f, EnclosedForm):
        return _evaluated(f, on, strict=strict)
    is_allowed = on.lower >= 0 and not (strict and 0 in on)
    if is_allowed and isinstance(f, ExpPoly) and rises_from_zero(f):
        return Decision(f, ">" if strict else ">=", on, holds=True, _proof=None)
    return _surveyed(f, on, strict=strict)


def _surveyed(f: ClosedForm, on: Interval, *, strict: bool) -> Decision:
    """Decide by the zeros and poles of a function, with a proof that can be checked."""
    try:
        return _decide(f, on, strict=strict, close=CLOSE)
    except Stuck:
        # A quotient of large degree, not in lowest terms yet: a zero and a pole are one point.
        return _decide(in_lowest_terms(f), on, strict=strict, close=None)


def _decide(f: ClosedForm, on: Interval, *, strict: bool, close: Fraction | None) -> Decision:
    over, under = f.numerator, f.denominator
    relation = ">" if strict else ">="
    if not over:
        return _constant_zero(f, relation, on)
    sides = _sides(over, under, on, strict=strict, close=close)
    views = {name: side for name, side in sides.items() if side is not None}
    # A negative value is the simplest refutation, then a rational zero or pole, then any other.
    for name, side in views.items():
        if (point := side.negative_point()) is not None:
            return _fails_at(f, relation, on, -point if name == "negative" else point)
    if 0 in on and (fault := _fault_at_zero(f, strict=strict)) is not None:
        return _fails_at(f, relation, on, Fraction(0), is_pole=fault == "pole")
    faults = [
        fault.reflected() if name == "negative" else fault
        for name, side in views.items()
        for fault in side.faults()
    ]
    if faults:
        worst = min(faults, key=lambda fault: (not fault.root.is_exact, fault.root.lower))
        if worst.root.is_exact:
            return _fails_at(f, relation, on, worst.root.lower, is_pole=worst.is_pole)
        return _fails_at_root(f, relation, on, worst)
    return Decision(f, relation, on, holds=True, _proof=sides)


def _evaluated(f: EnclosedForm, on: Interval, *, strict: bool) -> Decision:
    """Decide by certified numbers, or by expansion if that leaves it open and is possible.

    Raises `OpenSignError` if neither decides.
    """
    from exactdp.reals.certified import evaluated_sign  # noqa: PLC0415 needs signs

    if strict and isinstance(f, Unexpanded):
        return _decided(f.expanded(), on, strict=True)
    try:
        return Decision(f, ">" if strict else ">=", on, *evaluated_sign(f, on, strict=strict))
    except OpenSignError:
        if not isinstance(f, Unexpanded):
            raise
        try:
            exact = f.expanded()
        except ValueRefusedError:
            exact = None
        if exact is None:
            raise
    return _decided(exact, on, strict=False)


@dataclass(frozen=True)
class _Fault:
    """A zero of the numerator or denominator, and that sum divided by the factor it belongs to."""

    root: Root
    cofactor: ExpPoly
    is_pole: bool

    def reflected(self) -> _Fault:
        return _Fault(self.root.reflected(), self.cofactor.reflected(), self.is_pole)


@dataclass(frozen=True)
class _Side:
    """f = over/under on a part of (0, ∞): its factors, its cuts and its signs between them."""

    over: ExpPoly
    under: ExpPoly
    on: Interval
    tops: list[FactorSurvey]
    bottoms: list[FactorSurvey]
    cuts: tuple[Root, ...]
    strict: bool

    @cached_property
    def stretches(self) -> list[tuple[Root | None, Root | None]]:
        """The stretches between two cuts, or a cut and an end, that are not empty."""
        if self.on.is_point:
            return [] if self.cuts else [(None, None)]
        ends = [None, *self.cuts, None]
        pairs = pairwise(ends)
        return [
            (a, b)
            for a, b in pairs
            if (self.on.lower if a is None else a.upper) < (self.on.upper if b is None else b.lower)
        ]

    @cached_property
    def samples(self) -> list[Fraction]:
        """One simple rational in each stretch."""
        return [self._between(*stretch) for stretch in self.stretches]

    def _between(self, left: Root | None, right: Root | None, *, wide: bool = False) -> Fraction:
        """Return the simplest rational between two cuts, or between the outer ends of both."""
        lower, upper = self.on.lower, self.on.upper
        if left is not None:
            lower = left.lower if wide else left.upper
        if right is not None:
            upper = right.upper if wide else right.lower
        return Interval(lower, upper).simple_point()

    def simplest(self, left: Root | None, right: Root | None) -> Fraction:
        """Return the rational with the smallest denominator of all between two cuts."""
        found = []
        if left is None and not self.on.lower_open:
            found.append(Fraction(self.on.lower))
        if right is None and not self.on.upper_open:
            found.append(Fraction(self.on.upper))
        while True:
            inside, outside = self._between(left, right), self._between(left, right, wide=True)
            if inside.denominator == outside.denominator:
                return min(*found, inside, key=_simplicity) if found else inside
            left, right = (
                end.refined(_narrower(end)) if end and not end.is_exact else end
                for end in (left, right)
            )

    def sign(self, point: Fraction) -> int:
        """Return the sign of f at a point that is not a pole."""
        return sign_at(self.over, point) * sign_at(self.under, point)

    def negative_point(self) -> Fraction | None:
        """Return the rational with the smallest denominator at which f is negative."""
        if not self.cuts:
            listed = [*self.tops, *self.bottoms]
            signs = [self._factor_sign(one) for one in listed if one.power % 2]
            if math.prod(signs) > 0:
                return None
        found = [
            self.simplest(*stretch)
            for stretch, point in zip(self.stretches, self.samples, strict=True)
            if self.sign(point) < 0
        ]
        return min(found, key=_simplicity, default=None)

    def faults(self) -> list[_Fault]:
        """Return the poles and, if strict, the zeros."""
        found = []
        for listed, is_pole in ((self.tops, False), (self.bottoms, True)):
            for survey in listed:
                if (is_pole or self.strict) and (mine := self._cuts_of(survey)):
                    cofactor = _product(listed, without=survey)
                    found += [_Fault(root, cofactor, is_pole) for root in mine]
        return found

    def _cuts_of(self, survey: FactorSurvey) -> list[Root]:
        return [root for root in self.cuts if root.factor is survey.factor]

    def atoms(self) -> list[Atom]:
        """Return cuts and stretches in order (only for a strict side, which knows all zeros)."""
        poles = {id(survey.factor) for survey in self.bottoms}
        cuts = [
            (cut.lower if cut.is_exact else cut, None if id(cut.factor) in poles else 0)
            for cut in self.cuts
        ]
        return atoms_of(self.on, cuts, map(self.sign, self.samples))

    def proof(self) -> Json:
        """Return the proof that f ≥ 0 (or > 0, if the even factors were walked too)."""

        def signed(listed: list[FactorSurvey]) -> list[tuple[FactorSurvey, int]]:
            return [(survey, self._factor_sign(survey)) for survey in listed]

        tops = [
            (survey, sign if self.strict or survey.power % 2 else 0)
            for survey, sign in signed(self.tops)
        ]
        bottoms = signed(self.bottoms)
        if not self.samples and math.prod(s**one.power for one, s in (*tops, *bottoms) if s) < 0:
            # At a single point, where the numerator is 0, a factor that is 0 has either sign.
            place = next(k for k, (one, _) in enumerate(tops) if self._vanishes(one))
            tops[place] = (tops[place][0], -tops[place][1])
        return certificates.half(tops, bottoms)

    def _vanishes(self, survey: FactorSurvey) -> bool:
        """Whether a linear factor of odd power is 0 at the only point."""
        is_odd = survey.is_linear and survey.power % 2 == 1
        return is_odd and sign_at(survey.factor, Fraction(self.on.lower)) == 0

    def _factor_sign(self, survey: FactorSurvey) -> int:
        if survey.is_linear:
            # At a single point the linear factor may be 0, with either sign.
            return sign_at(survey.factor, (*self.samples, Fraction(self.on.lower))[0]) or 1
        return survey.pieces[0].sign if survey.pieces else 0


def _narrower(root: Root) -> Fraction:
    """Return a width with twice as many digits, relative to the zero, or a sixteenth at least."""
    width = root.upper - root.lower
    return width * min(Fraction(1, 16), width / abs(root.upper))


def _simplicity(point: Fraction) -> tuple[int, int]:
    return point.denominator, abs(point.numerator)


def _sides(
    over: ExpPoly, under: ExpPoly, on: Interval, *, strict: bool, close: Fraction | None
) -> dict[str, _Side | None]:
    """Return f(−ε) where −ε is in the interval, and f(ε), each on its part of (0, ∞)."""
    sides: dict[str, _Side | None] = {"negative": None, "positive": None}
    if (half := on.reflected().positive_part()) is not None:
        mirrored = over.reflected(), under.reflected()
        sides["negative"] = _side(*mirrored, half, strict=strict, close=close)
    if (half := on.positive_part()) is not None:
        sides["positive"] = _side(over, under, half, strict=strict, close=close)
    return sides


def _side(
    over: ExpPoly, under: ExpPoly, half: Interval, *, strict: bool, close: Fraction | None
) -> _Side:
    """Return f on a part of (0, ∞); raise `Stuck` if a zero and a pole are too `close`."""
    tops, bottoms = surveys(over, half, skip_even=not strict), surveys(under, half)
    found = [root for survey in (*tops, *bottoms) for root in survey.zeros(half)]
    cuts = apart(found, None if under.is_unit else close)
    return _Side(
        over, under, half, tops, bottoms, tuple(_inside(root, half) for root in cuts), strict
    )


def _inside(root: Root, on: Interval) -> Root:
    """Return a zero refined until its enclosure is inside the interval and not too wide."""
    while not root.is_exact and (
        root.lower <= on.lower
        or root.upper >= on.upper
        or (root.upper - root.lower) * 64 > root.lower
    ):
        root = root.refined((root.upper - root.lower) / 4)
    return root


def _product(listed: list[FactorSurvey], *, without: FactorSurvey) -> ExpPoly:
    """Return the product of all factors, one of them with its exponent reduced by one."""
    result = ExpPoly(1)
    for survey in listed:
        result = result * survey.factor ** (survey.power - (survey is without))
    return result


def _fault_at_zero(f: ClosedForm, *, strict: bool) -> str | None:
    """Return the fault at ε = 0: "pole", "value" or None."""
    (high, above), (low, below) = order_at_zero(f.numerator), order_at_zero(f.denominator)
    if high < low:
        return "pole"
    if high > low:
        return "value" if strict else None
    return "value" if above * below < 0 else None


def _fails_at(
    f: ClosedForm, relation: str, on: Interval, point: Fraction, *, is_pole: bool = False
) -> Decision:
    if is_pole:
        proof = certificates.pole_at(point)
    else:
        proof = certificates.value_at(point, f.at(point, 10))
    return Decision(f, relation, on, holds=False, witness=point, is_pole=is_pole, _proof=proof)


def _fails_at_root(f: ClosedForm, relation: str, on: Interval, fault: _Fault) -> Decision:
    part = "denominator" if fault.is_pole else "numerator"
    proof = certificates.zero_between(part, fault.root, fault.cofactor)
    return Decision(
        f, relation, on, holds=False, root=fault.root, is_pole=fault.is_pole, _proof=proof
    )


def _constant_zero(f: ClosedForm, relation: str, on: Interval) -> Decision:
    if relation == ">":
        return _fails_at(f, relation, on, on.simple_point())
    proof = {
        "negative": certificates.half([], []) if on.reflected().positive_part() else None,
        "positive": certificates.half([], []) if on.positive_part() else None,
    }
    return Decision(f, relation, on, holds=True, _proof=proof)


@dataclass(frozen=True)
class Atom:
    """A stretch of the line on which f has one sign; `sign` is None at a pole."""

    lower: Fraction | float | Root
    upper: Fraction | float | Root
    lower_open: bool
    upper_open: bool
    sign: int | None


def atoms_of(
    on: Interval, cuts: Iterable[tuple[Fraction | float | Root, int | None]], signs: Iterator[int]
) -> list[Atom]:
    """Return the stretches between cuts, with their signs, and the cuts with theirs, in order."""
    result: list[Atom] = []
    lower: Fraction | float | Root = on.lower
    is_open = on.lower_open
    for cut, sign in cuts:
        if cut != on.lower:
            result.append(Atom(lower, cut, is_open, True, next(signs)))
        result.append(Atom(cut, cut, False, False, sign))
        lower, is_open = cut, True
    if lower != on.upper or not result:
        result.append(Atom(lower, on.upper, is_open, on.upper_open, next(signs)))
    return result


def landscape(f: ClosedForm, on: Interval) -> list[Atom]:
    """Return zeros, poles and the stretches between them, in order, covering an interval."""
    if isinstance(f, EnclosedForm):
        from exactdp.reals.certified import evaluated_landscape  # noqa: PLC0415 needs signs

        return evaluated_landscape(f, on)
    return reduced(f, on)[1]


def reduced(f: ClosedForm, on: Interval) -> tuple[ClosedForm, list[Atom]]:
    """Return f, written without a common zero of numerator and denominator, and its landscape."""
    try:
        return f, _landscape(f, on, CLOSE)
    except Stuck:
        f = in_lowest_terms(f)
        return f, _landscape(f, on, None)


def _landscape(f: ClosedForm, on: Interval, close: Fraction | None) -> list[Atom]:
    over, under = f.numerator, f.denominator
    if not over:
        return [Atom(on.lower, on.upper, on.lower_open, on.upper_open, 0)]
    atoms: list[Atom] = []
    sides = _sides(over, under, on, strict=True, close=close)
    if (left := sides["negative"]) is not None:
        for atom in reversed(left.atoms()):
            lower, upper = (
                end.reflected() if isinstance(end, Root) else -end
                for end in (atom.upper, atom.lower)
            )
            atoms.append(Atom(lower, upper, atom.upper_open, atom.lower_open, atom.sign))
    if 0 in on:
        (high, above), (low, below) = order_at_zero(over), order_at_zero(under)
        value = None if high < low else 0 if high > low else 1 if above * below > 0 else -1
        atoms.append(Atom(Fraction(0), Fraction(0), False, False, value))
    right = sides["positive"]
    return atoms + (right.atoms() if right is not None else [])
