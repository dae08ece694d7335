"""The pairs of a grid that suffice, by the order of probabilities.

If the probability of an output does not decrease along an entry of the input (coupling), the ratio
p(u)/p(u′) does not decrease if that entry of u grows, nor if that of u′ falls. So a pair need not
be examined for an output if a neighbouring pair of the grid has a ratio at least as large. Such
steps end at a pair that is examined: each raises Σ s·(u − u′), where s are the directions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from exactdp.claims.private.pairs import Entries, Pair, Pairs
from exactdp.claims.stated.inputs import as_given
from exactdp.language.layout import assembled, entry_names, kinds
from exactdp.semantics.engine import Engine
from exactdp.semantics.order import MonotoneDirections

if TYPE_CHECKING:
    from exactdp.claims.private.claim import Privacy

_FEW = 100  # pairs that are examined one by one


def worst_pairs(claim: Privacy) -> Pairs | None:
    """Return pairs that suffice for a claim about a grid; None if the order is not known."""
    numbers = claim.scope.grid
    if numbers is None or claim.delta_form or claim.measure != "privacy":
        return None
    outputs = claim.mechanism.kept(Engine).distinct_outputs
    if outputs is None or any(kinds(claim.mechanism.inputs)):
        return None
    if claim.has_inverse_eps or len(claim.pairs) <= _FEW:
        return None
    signs = [_signs(claim, output) for output in outputs]
    if not all(map(any, signs)):
        return None  # all pairs would have to be examined
    every, beside = set(claim.pairs), _beside(numbers)
    left = [
        pair for pair in claim.pairs if not all(_is_exceeded(pair, s, every, beside) for s in signs)
    ]
    told = [
        [as_given(claim.mechanism, assembled(claim.mechanism.inputs, x)) for x in pair]
        for pair in left
    ]
    return Pairs(*told)


def _signs(claim: Privacy, output: Any) -> list[int]:
    """Return the direction of each entry along which the probability does not fall; 0 if none."""
    names = entry_names(claim.mechanism.inputs)
    zeros = assembled(claim.mechanism.inputs, [Fraction(0) for _ in names])
    plan, _ = claim.mechanism.kept(Engine).plan(zeros, output)
    order = MonotoneDirections(plan.graph)
    if not order.is_known:
        return [0 for _ in names]
    up, down = (order.grows_with(names, sign) for sign in (1, -1))
    return [1 if name in up else -1 if name in down else 0 for name in names]


def _beside(numbers: Sequence[Any]) -> Mapping[tuple[Any, int], Any]:
    """Return the next number of a grid in each direction."""
    listed = sorted(numbers)
    found = {(a, 1): b for a, b in pairwise(listed)}
    return found | {(b, -1): a for (a, _), b in found.items()}


def _is_exceeded(
    pair: Pair, signs: list[int], every: set[Pair], beside: Mapping[tuple[Any, int], Any]
) -> bool:
    """Whether a neighbouring pair has a ratio at least as large; that of u and u is 1."""
    return any(one == two or (one, two) in every for one, two in _steps(pair, signs, beside))


def _steps(
    pair: Pair, signs: list[int], beside: Mapping[tuple[Any, int], Any]
) -> Iterator[tuple[Entries, Entries]]:
    """Yield the pairs with one entry moved to the next number of the grid."""
    u, v = pair
    for k, sign in enumerate(signs):
        if sign and (u[k], sign) in beside:
            yield (*u[:k], beside[u[k], sign], *u[k + 1 :]), v
        if sign and (v[k], -sign) in beside:
            yield u, (*v[:k], beside[v[k], -sign], *v[k + 1 :])
