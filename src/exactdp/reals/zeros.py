"""The zeros of a closed form, isolated, with multiplicity and refinable to any width.

**Why this is complete.** Write f(ε) = P(ε, e^{step·ε}) with a polynomial P over ℚ.

 * Two coprime polynomials P, Q have only finitely many common zeros (x, y), all of them
   algebraic. If ε ≠ 0 were a common zero of f and g, then ε and e^{step·ε} would both be
   algebraic, which Lindemann's theorem excludes. So coprime factors have no common zero but 0.
 * f′ comes from DP = ∂P/∂ε + step·y·∂P/∂y, whose degrees are not larger than those of P. If P is
   irreducible and divides DP, then f′ = c·f, so f is an exponential and has no zero; otherwise P
   and DP are coprime and f, f′ have no common zero but 0. So zeros of irreducible, hence of
   squarefree, sums are simple, and the multiplicity of a zero ε ≠ 0 of f is the exponent of the
   factor it belongs to.
 * Rational (indeed algebraic) zeros ε ≠ 0 are those of the content, the common divisor of the
   coefficients of the exponentials (Lindemann–Weierstrass); they are split off exactly.
 * The order of the zero at 0 is read off the Taylor series.

So after splitting, every walk (`exact_walk`) encounters only simple zeros, and terminates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from flint import arb, ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals import divisors
from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.evaluation import numbers, sign_at, total
from exactdp.reals.exact_walk import ExactWalk, Stuck
from exactdp.reals.exp_poly import ExpPoly, eps
from exactdp.reals.exp_ratio import in_lowest_terms
from exactdp.reals.interval import POSITIVE, Interval
from exactdp.reals.limits import order_at_zero
from exactdp.reals.numbers import Number, double, exact, fraction, positive_width, spell
from exactdp.reals.parsing import as_form
from exactdp.reals.sign_walk import Crossed, Seen, Touched
from exactdp.reals.told import Told

Factors: TypeAlias = list[tuple[ExpPoly, int]]

# Steps shorter than these shares of ε suggest a multiple zero and a finer factorisation.
_COARSE, _FINE = Fraction(1, 2**12), Fraction(1, 2**100)
# The length of the relations between exponents that are kept, in successive tries.
_RELATIONS = (divisors.SHORT, 12, 40)
# Two zeros closer than this share of them may be one: the quotient may not be in lowest terms.
CLOSE = Fraction(1, 2**80)


@dataclass(frozen=True, repr=False)
class Root(Told):
    """A zero: the rational `lower` = `upper`, or the only zero of `factor` between the two.

    >>> from exactdp import Accuracy, Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> (stretch,) = Accuracy(larger, "5%", inputs=[[0, 2]]).epsilons()
    >>> print(stretch.lower)
    ≈ 3.27181206036
    """

    lower: Fraction
    upper: Fraction
    multiplicity: int
    factor: ExpPoly

    @property
    def is_exact(self) -> bool:
        """Whether the zero is this rational."""
        return self.lower == self.upper

    @property
    def is_evaluated(self) -> bool:
        """Whether it is a zero of a function that is evaluated, not of `factor`."""
        return False

    def is_known_as(self, other: Root) -> bool:
        """Whether another zero is proved to be the same, as both are zeros of one function."""
        del other
        return False

    def refined(self, width: Number) -> Root:
        """Return the same zero with upper − lower ≤ width.

        Guesses by Newton's method and keeps the guess only if the factor, which changes its sign
        exactly once between the ends, does so around the guess; otherwise halves.
        """
        target = positive_width(width)
        lower, upper = self.lower, self.upper
        if upper - lower <= target:
            return self
        before = sign_at(self.factor, lower)
        while upper - lower > target:
            aim = max(target, (upper - lower) ** 2 / (1 + abs(upper)))
            for cut in (*self._around_guess(lower, upper, aim), (lower + upper) / 2):
                if lower < cut < upper:
                    if sign_at(self.factor, cut) == before:
                        lower = cut
                    else:
                        upper = cut
        return Root(lower, upper, self.multiplicity, self.factor)

    def _around_guess(self, lower: Fraction, upper: Fraction, aim: Fraction) -> list[Fraction]:
        """Return two short rationals less than `aim` apart, hopefully around the zero."""
        middle = (lower + upper) / 2
        place = {"eps": middle}
        grid = Fraction(1, 2 ** max(0, 3 + math.ceil(1 / aim).bit_length()))
        with ctx.workprec(64 + 2 * grid.denominator.bit_length()):
            slope = total(numbers(self.factor.derivative(), place))
            step = total(numbers(self.factor, place)) / slope
            guess = arb(exact(middle)) - step
            if not (guess.is_finite() and guess > exact(lower) and guess < exact(upper)):
                return []
            index = (guess / exact(grid)).mid().floor().unique_fmpz()
        return [] if index is None else [grid * (int(index) - 2), grid * (int(index) + 3)]

    def reflected(self) -> Root:
        """Return the zero of f(−ε)."""
        return Root(-self.upper, -self.lower, self.multiplicity, self.factor.reflected())

    def __float__(self) -> float:
        tight = self
        while double(tight.lower) != double(tight.upper):
            tight = tight.refined((tight.upper - tight.lower) / 2**20)
        return double(tight.lower)

    def text(self, equals: str = "") -> str:
        """Return the zero as a short number: exact, with `equals` before it, or after ≈."""
        return equals + spell(self.lower) if self.is_exact else f"≈ {float(self):.12g}"

    def __str__(self) -> str:
        return self.text() + (f" ({self.multiplicity} times)" if self.multiplicity > 1 else "")


def roots(
    f: ClosedForm | Number, on: Interval | str = POSITIVE, width: Number | None = None
) -> tuple[Root, ...]:
    """Return the zeros of f on an interval in increasing order, each isolated from the others.

    Rational zeros are exact. With `width` the others are refined to it. The zero function has no
    isolated zeros and is refused.

    >>> from exactdp import parse, roots
    >>> print(*roots(parse("exp(-eps) - 1/2")))
    ≈ 0.69314718056
    """
    interval, form = Interval.of(on), as_form(f)
    form.only_eps("Zeros are found")
    if not form.numerator:
        raise ValueRefusedError("every number is a zero of the function that is 0 everywhere")
    over, under = form.numerator, form.denominator
    found = zeros(over, interval, under)
    if found and not under.is_unit:
        try:
            apart([*found, *(root for root in zeros(under, interval) if root.lower)], CLOSE)
        except Stuck:
            over, under = divisors.lowest_terms(over, under, 0)
            found = zeros(over, interval, under)
    result = apart(found)
    return result if width is None else tuple(root.refined(width) for root in result)


def zeros(form: ExpPoly, on: Interval, under: ExpPoly | None = None) -> list[Root]:
    """Return the zeros of a sum (over a coprime one) on an interval, in no particular order."""
    found: list[Root] = []
    if (half := on.reflected().positive_part()) is not None:
        found += [root.reflected() for root in positive_zeros(form.reflected(), half)]
    if 0 in on:
        order = order_at_zero(form)[0] - (0 if under is None else order_at_zero(under)[0])
        if order > 0:
            found.append(Root(Fraction(0), Fraction(0), order, eps))
    if (half := on.positive_part()) is not None:
        found += positive_zeros(form, half)
    return found


def positive_zeros(form: ExpPoly, on: Interval) -> list[Root]:
    """Return the zeros of a sum on a part of (0, ∞)."""
    return [root for survey in surveys(form, on) for root in survey.zeros(on)]


@dataclass(frozen=True)
class FactorSurvey:
    """A factor of a sum, its exponent, and the pieces of its walk (none if it is linear)."""

    factor: ExpPoly
    power: int
    pieces: tuple[Seen | Crossed, ...]

    @property
    def is_linear(self) -> bool:
        """Whether the factor is a + bε."""
        return is_linear(self.factor)

    def zeros(self, on: Interval) -> list[Root]:
        """Return the zeros of the factor on the interval surveyed."""
        if self.is_linear:
            zero = linear_zero(self.factor)
            if zero is None or zero not in on:
                return []
            return [Root(zero, zero, self.power, self.factor)]
        return [
            Root(piece.lower, piece.upper, self.power, self.factor)
            for piece in self.pieces
            if isinstance(piece, Crossed)
        ]


def surveys(form: ExpPoly, on: Interval, *, skip_even: bool = False) -> list[FactorSurvey]:
    """Return factors of the form, whose product it is, each walked on a part of (0, ∞).

    With `skip_even` the factors with an even exponent are not walked.
    """
    for factors, finest in _factorisations(form):
        try:
            return [
                FactorSurvey(
                    factor,
                    power,
                    ()
                    if is_linear(factor) or (skip_even and power % 2 == 0)
                    else _walked(factor, on, finest),
                )
                for factor, power in factors
            ]
        except Stuck:
            continue
    raise AssertionError("the last factorisation is squarefree, its walk is not limited")


def _walked(factor: ExpPoly, on: Interval, finest: Fraction | None) -> tuple[Seen | Crossed, ...]:
    pieces = ExactWalk(factor, on, finest).pieces()
    return tuple(one for one in pieces if not isinstance(one, Touched))


def _factorisations(form: ExpPoly) -> Iterator[tuple[Factors, Fraction | None]]:
    """Yield finer and finer factorisations, each with the shortest step its walk may take."""
    content = divisors.content(form)
    simple: Factors = []
    primitive = form
    if content.degree() > 0:
        primitive = divisors.divided(form, content)
        leading = fraction(content[content.degree()])
        for factor, power in content.factor()[1]:
            leading /= fraction(factor[factor.degree()]) ** int(power)
            simple.append((divisors.polynomial_form(factor), int(power)))
        primitive = primitive * leading
    if is_linear(primitive):
        if primitive != 1 or not simple:
            simple.append((primitive, 1))
        yield simple, None
        return
    # Squares are recognised for any degree, and often nothing else is to be found.
    constant, base, power = Fraction(1), primitive, 1
    while not base.is_unit and (found := divisors.square_root(base)) is not None:
        constant, base, power = constant * found[0] ** power, found[1], 2 * power
    if constant != 1:
        simple.append((ExpPoly(constant), 1))
    yield [*simple, (base, power)], _COARSE
    for relations in _RELATIONS if divisors.is_large(base) else ():
        yield [*simple, *_raised(divisors.squarefree(base, relations), power)], _FINE
    yield [*simple, *_raised(divisors.squarefree(base, 0), power)], None


def _raised(factors: Factors, power: int) -> Factors:
    return [(factor, power * own) for factor, own in factors]


def is_linear(form: ExpPoly) -> bool:
    """Whether the form is a + bε."""
    return all(not term.rates and term.power <= 1 for term in form.terms)


def linear_zero(form: ExpPoly) -> Fraction | None:
    """Return the zero of a + bε, None if b = 0."""
    parts = {term.power: term.coefficient for term in form.terms}
    return -parts.get(0, Fraction(0)) / parts[1] if 1 in parts else None


def apart(found: list[Root], finest: Fraction | None = None) -> tuple[Root, ...]:
    """Return different zeros in increasing order with disjoint closed enclosures.

    Different numbers are separated by refining far enough. If two of them might be equal,
    `finest` is the share of their size at which the search gives up and raises `Stuck`.
    """
    ordered = list(found)
    while True:
        ordered.sort(key=lambda root: (root.lower, root.upper))
        clash = [j for j in range(1, len(ordered)) if ordered[j].lower <= ordered[j - 1].upper]
        if not clash:
            return tuple(ordered)
        for j in {*clash, *(j - 1 for j in clash)}:
            width = ordered[j].upper - ordered[j].lower
            if finest is not None and 0 < width < finest * abs(ordered[j].upper):
                raise Stuck
            ordered[j] = ordered[j].refined(width / 4) if width else ordered[j]


def order(one: Root, two: Root) -> int:
    """Return the sign of the difference of two zeros, also of different functions.

    Two coprime sums have no common zero but 0 (Lindemann), so zeros that refining does not
    separate are searched for in the greatest common divisor.
    """
    share: ExpPoly | None = None
    while one.lower <= two.upper and two.lower <= one.upper:
        if one.is_exact and two.is_exact:
            return 0
        if one.is_evaluated or two.is_evaluated:
            if one.is_known_as(two):
                return 0
            one, two = _evaluated_apart(one, two)
            continue
        if share is None and _width(one) < CLOSE and _width(two) < CLOSE:
            rest = divisors.lowest_terms(one.factor, two.factor, 0)[0]
            share = in_lowest_terms(one.factor / rest).numerator
        if share is not None:
            hull = Interval(min(one.lower, two.lower), max(one.upper, two.upper))
            if len(zeros(share, hull)) == 1:
                return 0
        one, two = (
            root if root.is_exact else root.refined(_width(root) / 2**20) for root in (one, two)
        )
    return 1 if one.lower > two.lower else -1


def _evaluated_apart(one: Root, two: Root) -> tuple[Root, Root]:
    """Return two zeros enclosed more narrowly; their equality cannot be proved."""
    if _width(one) < CLOSE and _width(two) < CLOSE:
        raise ValueRefusedError(
            f"two zeros near {float(one.lower):.12g} cannot be distinguished",
            rule="Probabilities that are not expanded are evaluated, which proves no equality.",
        )
    return (
        one if one.is_exact else one.refined(_width(one) / 2**20),
        two if two.is_exact else two.refined(_width(two) / 2**20),
    )


def _width(root: Root) -> Fraction:
    return root.upper - root.lower
