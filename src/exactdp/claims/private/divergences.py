"""Rényi divergences and zCDP by certified numbers, at an ε or on a bounded interval of ε.

D_α(P, Q) = ln Σ p^α·q^{1−α} / (α − 1). A bound c·ε² on it involves e^{c·ε²}, which is not a closed
form here, so it is not decided for every ε; instead, the largest divergence is enclosed by ball
arithmetic.

zCDP requires the least ρ with D_α ≤ ρ·α for all α > 1 (Bun, Steinke 2016). D_α is nondecreasing in
α, so D_α/α is at most D_b/a for α between a and b, and at most D_∞/a beyond a: finitely many orders
enclose ρ. Real outputs contribute integrals (`density_powers`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from flint import arb, ctx

from exactdp.claims.private.density_powers import DensityPiece, density_pieces
from exactdp.claims.private.pairs import Pairs
from exactdp.claims.stated.inputs import show
from exactdp.errors import ValueRefusedError
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval, eps
from exactdp.reals.evaluation import on_ball
from exactdp.reals.numbers import Number, exact, inf, positive_width, rational
from exactdp.reals.told import Told

if TYPE_CHECKING:
    from exactdp.claims.private.claim import Privacy

_BITS = 200
_ROUGH = Fraction(1, 50)  # the width of the best factor of densities
_MOST_BOXES = 4_000
_MOST_PARTS = 400  # parts of an interval of ε
_FARTHEST = 2.0**20  # the order beyond which D_∞/α is used

Bounds: TypeAlias = tuple[float, float]


@dataclass(frozen=True, repr=False)
class Divergence(Told):
    """The largest divergence over all pairs: proven to lie in [lower, upper]."""

    lower: float
    upper: float
    inputs: tuple[Value, Value] | None
    """A pair at which it is at least `lower`."""
    eps: Fraction | None
    """An ε at which it is at least `lower`."""

    def __float__(self) -> float:
        return self.upper

    def __str__(self) -> str:
        if self.inputs is None:
            return "0: adjacent inputs have the same probabilities."
        u, v = map(show, self.inputs)
        where = f"at the inputs {u} and {v} and ε = {float(self.eps or 0):.6g}"
        if self.upper == inf:
            return f"∞, {where}."
        low, high = f"{self.lower:.9g}", f"{self.upper:.9g}"
        return f"≈ {high}, {where}." if low == high else f"between {low} and {high}, {where}."


def renyi(claim: Privacy, order: Number, at: object, width: Number) -> Divergence:
    """Return the largest Rényi divergence of an order over all pairs of a claim."""
    number = rational(order, "the order")
    if number <= 1:
        raise ValueRefusedError(
            f"the order is {number}", rule="The order of a Rényi divergence is above 1."
        )
    return _largest(claim, at, width, lambda pair, e: _ends(pair.at(e).divergence(number)))


def zcdp(claim: Privacy, at: object, width: Number) -> Divergence:
    """Return the least ρ such that the mechanism is ρ-zCDP at the given ε."""
    share = float(positive_width(width)) / 4
    return _largest(claim, at, width, lambda pair, e: _concentrated(pair, e, share))


@dataclass(frozen=True)
class _PairOfInputs:
    """The probabilities at two inputs, of the outputs that occur at the first."""

    inputs: tuple[Value, Value]
    chances: tuple[tuple[ClosedForm, ClosedForm], ...]
    pieces: tuple[DensityPiece, ...] = ()
    """The densities of outputs with a real number."""
    factor: Fraction = Fraction(0)
    """A number a with p ≤ e^{aε}·p′ for densities."""

    def at(self, e: arb) -> _PairAtEps:
        """Return the pair at an ε."""
        logs = [(on_ball(one, e).log(), on_ball(two, e).log()) for one, two in self.chances]
        return _PairAtEps(self, e, logs)


@dataclass(frozen=True)
class _PairAtEps:
    """The logarithms of the probabilities at two inputs, at an ε."""

    pair: _PairOfInputs
    eps: arb
    logs: list[tuple[arb, arb]]

    @property
    def loss(self) -> float:
        """An upper bound on ln(p/p′)."""
        found = [_ends(one - two)[1] for one, two in self.logs]
        if self.pair.pieces:
            found.append(_ends(self.eps * arb(exact(self.pair.factor)))[1])
        return max(found, default=0.0)

    def divergence(self, order: Fraction) -> arb:
        """Return D_α."""
        a, total = arb(exact(order)), arb(0)
        for one, two in self.logs:
            total += (a * one + (1 - a) * two).exp()
        if self.pair.pieces:
            loss = self.eps * arb(exact(self.pair.factor))
            for piece in self.pair.pieces:
                total += piece.power(order, self.eps, loss)
        return total.log() / (a - 1)


def _largest(
    claim: Privacy, at: object, width: Number, measure: Callable[[_PairOfInputs, arb], Bounds]
) -> Divergence:
    """Return the largest value of a measure over all pairs and ε, by branch and bound."""
    target = float(positive_width(width))
    on = _points(claim, at)
    pairs = []
    for pair in _pairs(claim, on):
        apart = (not other.numerator for _, other in pair.chances)
        if any(apart) or any(piece.is_apart for piece in pair.pieces):
            return Divergence(inf, inf, pair.inputs, on[0])
        pairs.append(_with_factor(claim, pair, on))
    if not pairs:
        return Divergence(0.0, 0.0, None, None)
    before = ctx.prec
    ctx.prec = _BITS
    try:
        return _searched(pairs, on, target, measure)
    finally:
        ctx.prec = before


def _searched(
    pairs: list[_PairOfInputs],
    on: tuple[Fraction, Fraction],
    target: float,
    measure: Callable[[_PairOfInputs, arb], Bounds],
) -> Divergence:
    best, where, at = 0.0, pairs[0], on[0]
    order = count()
    waiting: list[tuple[float, int, _PairOfInputs, Fraction, Fraction]] = []

    def add(pair: _PairOfInputs, low: Fraction, high: Fraction) -> None:
        nonlocal best, where, at
        middle = (low + high) / 2
        found = measure(pair, _ball(middle, middle))
        if found[0] > best:
            best, where, at = found[0], pair, middle
        upper = measure(pair, _ball(low, high))[1] if low < high else found[1]
        if low < high or on[0] == on[1]:
            heappush(waiting, (-upper, next(order), pair, low, high))

    for pair in pairs:
        add(pair, *on)
        if on[0] < on[1]:  # the maximum is often at an endpoint
            add(pair, on[0], on[0])
            add(pair, on[1], on[1])
    for _ in range(_MOST_PARTS):
        upper, _, pair, low, high = waiting[0]
        if -upper <= best + target or low == high:
            return Divergence(best, max(best, -upper), where.inputs, at)
        heappop(waiting)
        middle = (low + high) / 2
        add(pair, low, middle)
        add(pair, middle, high)
    return Divergence(best, -waiting[0][0], where.inputs, at)


def _concentrated(pair: _PairOfInputs, e: arb, share: float) -> Bounds:
    """Return bounds on the largest D_α/α over all α > 1."""
    point = pair.at(e)
    loss = point.loss
    best = 0.0
    waiting: list[tuple[float, Fraction, Fraction]] = []
    known: dict[Fraction, Bounds] = {}

    def ends(order: Fraction) -> Bounds:
        if order not in known:
            known[order] = _ends(point.divergence(order))
        return known[order]

    def add(low: Fraction, high: Fraction) -> None:
        nonlocal best
        below, above = ends(high)
        best = max(best, below / float(high))
        heappush(waiting, (-above / float(low), low, high))

    edge = Fraction(2)
    add(Fraction(1), edge)
    while loss / float(edge) > best + share and edge < _FARTHEST:
        add(edge, 2 * edge)
        edge *= 2
    tail = loss / float(edge)
    for _ in range(_MOST_BOXES):
        upper, low, high = waiting[0]
        if -upper <= max(best, tail) + share:
            break
        below, above = ends(high)
        if above == inf or 2 * (above - below) / float(low) >= -upper - best:
            break  # it is the ball of ε that is too wide, not the range of orders
        heappop(waiting)
        middle = (low + high) / 2
        add(low, middle)
        add(middle, high)
    # The numbers are floats: one step outwards compensates for rounding.
    return best * (1 - 1e-12), max(-waiting[0][0], tail, best) * (1 + 1e-12)


def _pairs(claim: Privacy, on: tuple[Fraction, Fraction]) -> Iterator[_PairOfInputs]:
    """Yield the pairs with distinct probabilities, without duplicates."""
    asked = replace(claim, delta=0, measure="privacy", epsilon=Interval(*on))
    seen: set[object] = set()
    for u, v in asked.pairs:
        # For large integers, p/p′ is the same for all integers of an event: one output suffices.
        one, two = asked.outcomes.chances(u, v)
        chances = tuple((chance, two.get(key, _zero(chance))) for key, chance in one.items())
        pieces = tuple(density_pieces(asked, u, v))
        key = frozenset(chances), frozenset(pieces)
        same = all(a == b for a, b in chances) and all(x.one == x.two for x in pieces)
        if key not in seen and not same:
            seen.add(key)
            yield _PairOfInputs(asked.told(u, v), chances, pieces)


def _with_factor(
    claim: Privacy, pair: _PairOfInputs, on: tuple[Fraction, Fraction]
) -> _PairOfInputs:
    """Return a pair with a bound on the ratio of its densities."""
    if not pair.pieces:
        return pair
    asked = replace(
        claim,
        budget=eps,
        delta=0,
        measure="privacy",
        inputs=Pairs(pair.inputs),
        epsilon=Interval(*on),
    )
    try:
        factor = asked.tightest(width=_ROUGH).factor.upper
    except ValueRefusedError:  # no factor is large enough
        factor = inf
    if not isinstance(factor, Fraction):
        raise ValueRefusedError(
            "the ratio of the densities at two inputs has no bound",
            rule="The integral over large outputs is bounded by it.",
            way_out="Clamp the output, or ask for finite outputs.",
        )
    return replace(pair, factor=factor)


def _zero(form: ClosedForm) -> ClosedForm:
    return form - form


def _points(claim: Privacy, at: object) -> tuple[Fraction, Fraction]:
    """Return the endpoints of the requested range of ε."""
    claim.scope.require_listed(
        "divergences are not computed for all real inputs",
        rule="Divergences are enclosed at listed inputs.",
        way_out="Give inputs=Grid(lo, hi), a list, or Pairs(…).",
    )
    if isinstance(at, Interval) or (isinstance(at, str) and at.strip().startswith(("[", "("))):
        on = Interval.of(at)
        low, high = on.lower, on.upper
    else:
        low = high = rational(at, "ε")
    if not isinstance(low, Fraction) or not isinstance(high, Fraction) or low <= 0:
        raise ValueRefusedError(
            f"the ε are {at}",
            rule="A divergence is enclosed at one ε, or on an interval with positive ends.",
            way_out="Write at=1 or at='[1/2, 2]'.",
        )
    return low, high


def _ball(low: Fraction, high: Fraction) -> arb:
    return arb(exact(low)).union(arb(exact(high)))


def _ends(value: arb) -> Bounds:
    """Return floats that enclose a ball."""
    if not value.is_finite():
        return 0.0, inf
    low, high = float(value.lower()), float(value.upper())
    return low - abs(low) * 1e-15, high + abs(high) * 1e-15
