"""The smallest δ as a function of ε, and the smallest budget for a δ.

At a pair of inputs, δ(ε) is the sum of p − e^b·p′ over the outputs at which that is positive. Over
all pairs and sets of outputs, it is the maximum of finitely many closed forms, piecewise in ε.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.claims.constants.envelopes import largest, start
from exactdp.claims.decision.deciding import decide
from exactdp.claims.decision.problem import Problem
from exactdp.claims.decision.survey import Gathering, GatheringQuestion, gathered
from exactdp.claims.private.loss_factor import Best, Factor, Ray
from exactdp.claims.private.losses import Loss
from exactdp.claims.private.pairs import Pairs
from exactdp.claims.stated.inputs import show
from exactdp.errors import ValueRefusedError
from exactdp.language.values import Value
from exactdp.reals import (
    ClosedForm,
    Enclosure,
    ExpPoly,
    Root,
    Stretch,
    eps,
)
from exactdp.reals.numbers import Number, inf, positive_width, rational, simplest_inside
from exactdp.reals.spans import around
from exactdp.reals.told import Told
from exactdp.running.conduct import Progress

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.private.claim import Privacy

_MOST_STEPS = 100  # trials of the smallest budget
_MOST_PAIRS = 12  # trials of the smallest δ for all reals
_ZERO: ClosedForm = ExpPoly(0)


@dataclass(frozen=True, repr=False)
class DeltaPiece(Told):
    """The smallest δ on a set of ε, and the pair and the set of outputs that determine it.

    >>> from exactdp import Mechanism, Privacy, hamming
    >>> coin = Mechanism.from_source(
    ...     "def coin(b: Dom(0, 1)): return choose({b: 3 / 4, 1 - b: 1 / 4})"
    ... )
    >>> first, *_ = Privacy(coin, adjacent=hamming(1)).smallest_delta().pieces
    >>> str(first).split(" for ")[0]
    'δ = -1/4*exp(eps) + 3/4'
    """

    where: Stretch
    delta: ClosedForm
    inputs: tuple[Value, Value] | None
    """None where δ = 0 suffices."""
    outputs: tuple[Value, ...]

    def __str__(self) -> str:
        if self.inputs is None:
            return f"δ = 0 for ε in {self.where}"
        u, v = map(show, self.inputs)
        outputs = ", ".join(map(show, self.outputs))
        return (
            f"δ = {self.delta} for ε in {self.where}, decided by the inputs {u} and {v} "
            f"and the output{'s' * (len(self.outputs) > 1)} {outputs}"
        )


@dataclass(frozen=True, repr=False)
class DeltaCurve(Told):
    """The smallest δ as an exact, piecewise function of ε."""

    pieces: tuple[DeltaPiece, ...]

    @property
    def forms(self) -> tuple[ClosedForm, ...]:
        """Closed forms; at each ε, δ is the maximum of these and 0."""
        return tuple(dict.fromkeys(one.delta for one in self.pieces))

    def at(self, point: Number, digits: int = 30) -> Enclosure:
        """Return δ at a rational ε, enclosed."""
        where = rational(point, "ε")
        for one in self.pieces:
            if where in one.where:
                return one.delta.at(where, digits)
        raise ValueRefusedError(
            f"ε = {point} is not among the ε of the claim", way_out="Ask for one that is."
        )

    def values(self, points: Any) -> Any:
        """Return δ at many ε, as floats for a plot."""
        import numpy  # noqa: PLC0415

        return numpy.maximum.reduce(
            [0 * numpy.asarray(points), *(f.values(points) for f in self.forms)]
        )

    def __str__(self) -> str:
        return "; ".join(map(str, self.pieces)) + "."


def smallest_delta(claim: Privacy, progress: Progress | None) -> DeltaCurve:
    """Return the smallest δ for which a claim is true, as a function of ε."""
    if claim.measure != "privacy":
        raise ValueRefusedError(
            f"the smallest δ is not computed for the claim that {claim}",
            rule="Bounded range has no δ.",
            way_out="Leave out measure.",
        )
    if claim.scope.free:
        return _everywhere(claim, progress)
    # With a nonzero δ, the bounds are about sets of outputs.
    asked = replace(claim, delta=Fraction(1, 2))
    _, found = gathered(asked, DeltasAsked(), progress)
    pieces = []
    for form, where in largest((_ZERO, *found), claim.epsilon):
        loss = found.get(form)
        pair = None if loss is None else claim.both(loss)
        outputs = () if loss is None else loss.outputs
        pieces += [DeltaPiece(stretch, form, pair, outputs) for stretch in where]
    return DeltaCurve(tuple(sorted(pieces, key=lambda one: start(one.where))))


def _everywhere(claim: Privacy, progress: Progress | None) -> DeltaCurve:
    """Return the smallest δ for all reals: that of a few pairs, if it is proved to suffice.

    A counterexample to it is another pair.
    """
    few = claim.weaker()
    pairs = [] if few is None else [claim.told(u, v) for u, v in few.pairs]
    for _ in range(_MOST_PAIRS):
        if not pairs:
            break
        found = smallest_delta(replace(claim, inputs=Pairs(*pairs)), progress)
        verdict = _first_failure(claim, found, progress)
        if verdict is None:
            return found
        if verdict.counterexample is None:
            break
        pairs.append(verdict.counterexample.inputs)
    raise _not_found(claim)


def _not_found(claim: Privacy) -> ValueRefusedError:
    return ValueRefusedError(
        f"the smallest δ is not found for the claim that {claim}",
        rule="For all reals it is a closed form if a few pairs of inputs determine it; often the "
        "worst pair changes with ε.",
        way_out="Give inputs=Grid(lo, hi), a list, or Pairs(…); or check the claim with a delta.",
    )


def _first_failure(claim: Privacy, curve: DeltaCurve, progress: Progress | None) -> Verdict | None:
    """Return the first verdict that does not hold for the δ of a curve, if any."""
    for piece in curve.pieces:
        ends = piece.where.lower, piece.where.upper
        if any(isinstance(end, Root) for end in ends):
            raise _not_found(claim)
        asked = replace(claim, delta=piece.delta, epsilon=around(piece.where))
        verdict = decide(asked, progress=progress)
        if not verdict.holds:
            return verdict
    return None


class _DeltasSought(Gathering):
    """The forms whose maximum is δ, with bounds that they belong to."""

    found: dict[ClosedForm, Loss]

    def take(self, problem: Problem) -> None:
        """Process another problem."""
        one = problem.obligation
        assert isinstance(one, Loss)
        self.found.setdefault(one.chance - one.other * self.claim.factor, one)


class DeltasAsked(GatheringQuestion):
    """The question for the smallest δ."""

    asked = "the smallest δ"
    gathering = _DeltasSought


def smallest_budget(
    claim: Privacy, delta: object, width: Number, progress: Progress | None
) -> Factor:
    """Return the smallest a such that a mechanism is (a·ε, δ)-private, for every ε.

    A counterexample to some a is a pair and a set of outputs with p > e^{aε}·p′ + δ at some ε. They
    need at least the supremum of ln((p − δ)/p′)/ε, which is the next a: Newton's method. It
    converges quadratically; as soon as a step is short, a slightly larger, simple a is tried.
    """
    target = positive_width(width)
    best, before = Best(), -target
    for _ in range(_MOST_STEPS):
        trial = found = Fraction(best.factor.upper)
        if 0 < trial - before < target:
            trial = simplest_inside(trial, trial + target)
        asked = replace(claim, budget=trial * eps, delta=delta)
        verdict = decide(asked, progress=progress)
        if verdict.holds:
            return best.factor if trial == found else Factor(best.factor.lower, trial)
        if verdict.holds is None:
            raise ValueRefusedError(
                f"whether {verdict.claim} is undecided: {verdict.missing}",
                way_out="Ask for a wider enclosure, or at listed inputs.",
            )
        one = verdict.counterexample
        rays = {Ray(claim.epsilon, one.chance - asked.delta_form, one.other): None}
        before, needed = found, Best(Factor(trial, trial))
        best = needed.with_limits(rays).raised(rays, target)
        if best.factor.upper == inf:
            return best.factor
    raise ValueRefusedError(
        f"a budget of {best.factor}·ε is too small for this δ, and the smallest is not found",
        way_out="Give a larger delta, or inputs one by one.",
    )
