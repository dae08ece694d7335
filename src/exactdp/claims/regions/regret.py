"""The worst inputs of a claim about the regret of a selection, for all reals.

The output is a position of the input x, the ideal output a position o of its maximum, and an output
i is right if x[o] − x[i] ≤ γ. Suppose that the probability of each output does not increase if
another entry is raised, and does not change if all entries are raised by the same number. Let S be
the set of right outputs at x.

- Raising an entry outside S does not increase Pr(S), since S is a set of other outputs. Lowering an
  entry of S does not either, since it does not decrease the probability of any output outside S.
- So Pr(S) at x is at least Pr(S), and hence at least Pr(o), at the input w with w[o] = x[o] and all
  other entries equal to x[o] − γ. By the shift, x[o] = 0.
- Close to w are inputs at which only o is right: those with w[o] raised by any δ > 0. As the
  probabilities are continuous in x, the claim implies that Pr(o) at w is at least 1 − β.

Hence the claim is equivalent to one about m inputs, in which only the ideal output is right. For a
minimum, the same holds with all signs reversed. It also holds in a box if all entries are between
the same two ends, further apart than γ: then w, shifted, and inputs close to it are in the box.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from exactdp.claims.disagreement.reaches import told_apart
from exactdp.claims.stated.conditions import ALWAYS
from exactdp.claims.stated.distances import discrete
from exactdp.claims.stated.levels import constant
from exactdp.claims.stated.output_distances import discrete_outputs, value_gap
from exactdp.errors import ExactdpError
from exactdp.language.layout import assembled, entry_names
from exactdp.language.program import Program
from exactdp.reals.numbers import inf
from exactdp.semantics.engine import Engine
from exactdp.semantics.order import MonotoneDirections

if TYPE_CHECKING:
    from exactdp.claims.regions.accuracy import AccuracyRegions

A = TypeVar("A", bound="AccuracyRegions")

_STEPS = tuple(Fraction(1, 10**k) for k in (1, 2, 4, 8, 16, 32))


def at_worst_inputs(claim: A) -> A | None:
    """Return the equivalent claim about the worst inputs; None if none is known.

    There is none for γ = 0, where the worst input is a tie with several ideal outputs nearby.
    """
    end, gamma = _end(claim), constant(claim.gamma_level)
    best = _best(claim, end, gamma) if end and gamma else None
    if best is None or not gamma:
        return None
    worst = _inputs(claim, best, best - end * gamma)
    return _at(claim, worst, output_distance=discrete_outputs, gamma=0)


def near_worst_inputs(claim: A) -> A | None:
    """Return the claim at some of its inputs, close to the worst ones; None if none are known."""
    end, gamma = _end(claim), constant(claim.gamma_level)
    best = _best(claim, end, gamma) if end and gamma is not None else None
    if best is None or gamma is None:
        return None
    low, high = _ends(claim)
    own = [best + end * one for one in _STEPS if low <= best + end * one <= high]
    return _at(claim, [u for one in own for u in _inputs(claim, one, best - end * gamma)])


def _ends(claim: AccuracyRegions) -> tuple[Any, Any]:
    """Return the ends between which all entries of an input are; reversed if they differ."""
    ends = {*claim.scope.ends}
    return ends.pop() if len(ends) == 1 else (inf, -inf)


def _best(claim: AccuracyRegions, end: int, gamma: Fraction) -> Fraction | None:
    """Return the best entry of a worst input, if possible 0; None if a box is too narrow."""
    low, high = _ends(claim)
    first, last = (low + gamma, high) if end > 0 else (high - gamma, low)
    if not end * first < end * last:
        return None
    if end * first <= 0 < end * last:
        return Fraction(0)
    return Fraction(last) - end if first in (inf, -inf) else Fraction(first)


def _at(claim: A, inputs: list[list[Fraction]], **changes: Any) -> A:
    strategy = replace(claim.strategy, are_worst=True)
    return replace(claim, inputs=inputs, _strategy=strategy, **changes)


def _inputs(claim: AccuracyRegions, own: Fraction, other: Fraction) -> list[list[Fraction]]:
    """Return the inputs with one number at one position, and another number at all others."""
    size = len(claim.entry_names)
    return [[own if k == o else other for k in range(size)] for o in range(size)]


def _end(claim: AccuracyRegions) -> int:
    """Return 1 if the claim is about a position of the maximum whose worst inputs are known.

    −1 for the minimum, 0 for all other claims.
    """
    ideal, (low, high) = claim.ideal_function.program, _ends(claim)
    if (
        claim.output_metric != value_gap
        or ideal is None
        or not claim.strategy.at_corners
        or claim.input_metric != discrete
        or constant(claim.alpha_level) != 0
        or low > high
        or claim.is_beta_of_input
        or claim.has_parts
        or claim.conditions != ALWAYS
        or claim.formula.names()
    ):
        return 0
    try:
        found = ideal.kept(Engine).selection
        end = 0 if found is None else found.end(entry_names(ideal.inputs))
        return end if end and end == claim.mechanism.kept(_order) else 0
    except ExactdpError:  # too many paths
        return 0


def _order(mechanism: Program) -> int:
    """Return 1 if raising another entry never makes an output more likely, −1 if lowering does not.

    0 if neither is known, or if probabilities may change when all entries are raised alike.
    """
    engine = mechanism.kept(Engine)
    if mechanism.meets_eps or engine.has_integers:
        return 0
    names = entry_names(mechanism.inputs)
    end = 0 if engine.selection is None else engine.selection.end(names)
    if end:  # of inputs with independent noise
        return end
    given = assembled(mechanism.inputs, [0] * len(names))
    outputs = engine.outputs_up_to(len(names), given) or ()
    if {*map(told_apart, outputs)} != {*map(told_apart, range(len(names)))}:
        return 0
    orders = [MonotoneDirections(engine.plan(given, o)[0].graph) for o in range(len(names))]
    if not all(order.is_known for order in orders):
        return 0
    if not all(order.grows_along(dict.fromkeys(names, way)) for order in orders for way in (1, -1)):
        return 0
    for sign in (1, -1):
        grow = (order.grows_with(names, -sign) for order in orders)
        if all({*names} - {names[o]} <= found for o, found in enumerate(grow)):
            return sign
    return 0
