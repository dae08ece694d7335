"""∫ p^α·q^{1−α} over the real numbers of outputs, enclosed at an ε.

At listed inputs, both densities are Σ c·s^k·e^{rs} in s = ε·output, between multiples of ε. Where
p/q is constant, the integral is that of p, times a power of p/q. On a bounded interval it is
enclosed by acb.integral, unless p and q are single exponentials. The rest, s > T, is at most
e^{(α−1)·loss} times the integral of p there.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from flint import acb, arb

from exactdp.claims.private.outcomes import NAMES
from exactdp.claims.private.patterns import reals_in
from exactdp.cones import Cone
from exactdp.errors import ValueRefusedError
from exactdp.language.events import distinct
from exactdp.language.layout import assembled
from exactdp.language.values import Value
from exactdp.reals import ClosedForm
from exactdp.reals.evaluation import on_ball
from exactdp.reals.exp_term import integrated
from exactdp.reals.numbers import exact, inf

if TYPE_CHECKING:
    from exactdp.claims.private.claim import Privacy
    from exactdp.claims.private.pairs import Entries

_GOAL = -45  # the relative error of integrals, as a power of 2
_MOST = 20_000  # values of an integrand

Terms: TypeAlias = list[tuple[arb, int, Fraction]]
"""c, k and r of Σ c·s^k·e^{rs}."""


@dataclass(frozen=True)
class DensityPiece:
    """The densities p and q of s, between multiples of ε."""

    lower: Fraction | float
    upper: Fraction | float
    one: ClosedForm
    two: ClosedForm

    @property
    def is_apart(self) -> bool:
        """Whether p is positive and q is 0."""
        return bool(self.one.numerator) and not self.two.numerator

    @property
    def ratio(self) -> ClosedForm | None:
        """p/q if it does not depend on s."""
        found = self.one / self.two
        return found if set(found.parameters) <= {"eps"} else None

    def power(self, order: Fraction, e: arb, loss: arb) -> arb:
        """Return ∫ p^α·q^{1−α}, where ln(p/q) is at most `loss`."""
        one, two = _terms(self.one, e), _terms(self.two, e)
        lower, upper = self.lower, self.upper
        if lower == -inf:
            if upper == inf:
                halves = (DensityPiece(a, b, self.one, self.two) for a, b in ((-inf, 0), (0, inf)))
                return sum((half.power(order, e, loss) for half in halves), arb(0))
            lower, upper = -upper, inf
            one, two = _turned(one), _turned(two)
        start = arb(exact(Fraction(lower))) * e
        stop = None if upper == inf else arb(exact(Fraction(upper))) * e
        more, single = arb(exact(order - 1)), _product(one, two, order)
        ratio = self.ratio
        if ratio is not None:
            return (on_ball(ratio, e).log() * more).exp() * _mass(one, start, stop)
        if single is not None and (stop is not None or single[2] < 0):
            return _mass([single], start, stop)
        if stop is not None:
            return _integral(one, two, order, start, stop, e)
        far = start + (float((more * loss).upper()) + 40) / -max(float(rate) for _, _, rate in one)
        rest = (more * loss).exp() * _mass(one, far, None)
        return _integral(one, two, order, start, far, e) + rest.union(arb(0))


def density_pieces(claim: Privacy, u: Entries, v: Entries) -> list[DensityPiece]:
    """Return the densities of real outputs at two listed inputs, in pieces."""
    found: list[DensityPiece] = []
    sides = (claim.outcomes.distribution(x) for x in (u, v))
    patterns = distinct(key.env[0] for side in sides for key in side if reals_in(key.env[0]))
    for pattern in patterns:
        if reals_in(pattern) > 1:
            raise ValueRefusedError(
                "divergences are not computed for outputs with several real numbers",
                rule="Divergences are sums over finite outputs and integers, and integrals over "
                "one real number.",
                way_out="Ask for each number of the output, or tightest() for the factor of ε.",
            )
        found += _of_pattern(claim, u, v, pattern)
    return found


def _of_pattern(claim: Privacy, u: Entries, v: Entries, pattern: Value) -> list[DensityPiece]:
    given = [assembled(claim.mechanism.inputs, x) for x in (u, v)]
    found = []
    for cell in claim.outcomes.density_cells(given, pattern, Cone.of(2, [(1, 0)])):
        rays = (*cell.cone.rays, *cell.cone.lines)
        ends = sorted(Fraction(y, e) for e, y in rays if e)
        far = [y for e, y in rays if not e]
        lower = -inf if any(y < 0 for y in far) else ends[0]
        upper = inf if any(y > 0 for y in far) else ends[-1]
        if lower == upper:
            continue
        if cell.cone.lines:
            lower, upper = -inf, inf
        if cell.result[0].numerator:
            found.append(DensityPiece(lower, upper, *cell.result))
    return found


def _terms(form: ClosedForm, e: arb) -> Terms:
    """Return a density at an ε."""
    under = on_ball(form.denominator, e)
    found: dict[tuple[int, Fraction], arb] = {}
    for (power, k), (rate, steep), q in form.numerator.entries(NAMES):
        term = arb(q) * e**power * (e * arb(exact(rate))).exp() / under
        key = k, Fraction(steep)
        found[key] = found.get(key, arb(0)) + term
    return [(c, k, rate) for (k, rate), c in found.items()]


def _turned(terms: Terms) -> Terms:
    """Return f(−s)."""
    return [(-c if k % 2 else c, k, -rate) for c, k, rate in terms]


def _product(one: Terms, two: Terms, order: Fraction) -> tuple[arb, int, Fraction] | None:
    """Return p^α·q^{1−α} if both are single exponentials."""
    if len(one) != 1 or len(two) != 1 or one[0][1] or two[0][1]:
        return None
    ((c, _, r), (d, _, t)) = one[0], two[0]
    a = arb(exact(order))
    return (a * c.log() + (1 - a) * d.log()).exp(), 0, order * r + (1 - order) * t


def _mass(terms: Terms, start: arb, stop: arb | None) -> arb:
    """Return the integral of a sum from a number on, to another one or to ∞."""
    last = arb(0) if stop is None else _primitive(terms, stop)
    return last - _primitive(terms, start)


def _primitive(terms: Terms, s: arb) -> arb:
    """Return a primitive of Σ c·s^k·e^{rs}, which is 0 at ∞ if all r are negative."""
    total = arb(0)
    for c, k, rate in terms:
        slope = exact(rate)
        total += sum((q * s**j for j, q in integrated(k, slope, c)), arb(0)) * (slope * s).exp()
    return total


def _integral(one: Terms, two: Terms, order: Fraction, start: arb, stop: arb, e: arb) -> arb:
    """Return ∫ p^α·q^{1−α} on a bounded interval."""
    width, a = stop - start, arb(exact(order))
    sides = [[(c, k, arb(exact(rate))) for c, k, rate in terms] for terms in (one, two)]

    def value(terms: list[tuple[arb, int, arb]], s: acb) -> acb:
        total = acb(0)
        for c, k, rate in terms:
            total += c * s**k * (rate * s).exp()
        return total

    def integrand(t: acb, analytic: bool) -> acb:
        s = start + width * t
        logs = [value(terms, s).log(analytic=analytic) for terms in sides]
        return (a * logs[0] + (1 - a) * logs[1]).exp()

    spread = float(e.rad() / e.mid())
    goal = arb(max(2.0**_GOAL, spread / 8))
    found = acb.integral(integrand, 0, 1, rel_tol=goal, abs_tol=goal, eval_limit=_MOST)
    return width * found.real
