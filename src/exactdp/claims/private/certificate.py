"""Certificates of privacy claims: at listed inputs, in boxes and for all reals.

The checker rederives pairs, probabilities and bounds; a certificate contains the proofs of signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from exactdp.claims.certificates.document import document, quotient_json
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.certificates.plain_data import inputs_json, interval_json
from exactdp.claims.private.own_adjacency import Own
from exactdp.claims.private.pairs import Pairs
from exactdp.claims.private.stated_events import StatedEvents
from exactdp.claims.private.written_pairs import WrittenPairs
from exactdp.claims.stated.adjacency import Entries as ChangedEntries
from exactdp.claims.stated.adjacency import WithinRadius
from exactdp.reals.certificates import Json
from exactdp.reals.logarithm import Logarithm
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.private.claim import Privacy
    from exactdp.claims.private.pairs import Entries


def certificate(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict on privacy."""
    events, signs = StatedEvents(verdict), SignProofs(verdict)
    claim = _claim(verdict.claim, events.inputs)
    pairs = WrittenPairs(verdict, claim, events, signs)
    if verdict.holds and events.inputs:
        events.prove(signs, claim)
    parts: Json = {
        "slopes": pairs.how,
        "distributions": events.written,
        "regions": pairs.regions() if verdict.holds else [],
        "counterexamples": [pairs.counterexample(one) for one in verdict.counterexamples],
        "signs": signs.written,
    }
    return document(verdict, "privacy", claim, parts)


def _claim(claim: Privacy, inputs: Sequence[Entries]) -> Json:
    adjacency = claim.adjacency
    adjacent: Json
    if isinstance(claim.inputs, Pairs):
        places = {u: k for k, u in enumerate(inputs)}
        listed = ([places[u], places[v]] for u, v in claim.pairs)  # in both directions
        adjacent = {"pairs": [[i, j] for i, j in listed if i < j]}
    elif isinstance(adjacency, WithinRadius):
        adjacent = {adjacency.norm: spell(adjacency.radius)}
    elif isinstance(adjacency, ChangedEntries):
        size = None if adjacency.size is None else spell(adjacency.size)
        adjacent = {"entries": [adjacency.count, size]}
    else:
        assert isinstance(adjacency, Own)
        adjacent = {"source": str(adjacency.function)}
    return {
        "mechanism": str(claim.mechanism),
        "budget": {"log": quotient_json(claim.factor)}
        if isinstance(claim.budget_form, Logarithm)
        else spell(claim.multiple),
        "delta": quotient_json(claim.delta_form),
        "adjacent": adjacent,
        "measure": claim.measure,
        "epsilon": interval_json(claim.epsilon),
        "inputs": inputs_json(claim.mechanism, claim.input_set),
    }
