"""Certificates of claims of privacy, at listed inputs and with finitely many outputs.

The checker derives pairs, probabilities and bounds again; a certificate has the proofs of signs.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING

from exactdp.certify.rederive.privacy import Privacies
from exactdp.claims.adjacency import Entries, LargestChange, TotalChange
from exactdp.claims.breaches import Breach
from exactdp.claims.certificates import _quotient, _which, interval_json, value_json
from exactdp.claims.certificates_cones import WrittenCones
from exactdp.claims.examined import SignProofs
from exactdp.claims.inputs import is_listed, listed
from exactdp.claims.losses import endless, integers_in
from exactdp.claims.pairs import Pairs
from exactdp.errors import ValueRefusedError
from exactdp.language.layout import entries
from exactdp.reals import ClosedForm, Decision, ExpPoly, nonnegative
from exactdp.reals.certificates import VERSION, Json, precision, seal
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.claims.losses import Chances
    from exactdp.claims.privacy import Privacy
    from exactdp.claims.verdict import Verdict

_ZERO: ClosedForm = ExpPoly(0)
_MOST_OTHERS = 8


def certificate(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict on privacy."""
    claim: Privacy = verdict.claim
    if not is_listed(claim.input_set):
        return _on_cones(verdict, [])
    inputs = [tuple(entries(u)) for u in listed(claim.mechanism, claim.input_set)]
    chances = {u: claim.losses.distribution(u) for u in inputs}
    patterns = [key.env[0] for each in chances.values() for key in each if endless(key.env[0])]
    if any(map(integers_in, patterns)):
        raise _refused("outputs are integers without bound")
    if patterns and claim.delta_form:
        raise _refused("δ is asked, and the outputs hold noise")
    if patterns:
        return _on_cones(verdict, inputs)
    signs = SignProofs(verdict)
    if verdict.holds:
        for _, sign in verdict.decided:
            if isinstance(sign, Decision) and not claim.delta_form:
                signs.decided(sign)
        if claim.delta_form:
            _add_sets(claim, chances, signs)
    body: Json = {
        "format": "exactdp-certificate",
        "version": VERSION,
        "kind": "privacy",
        "claim": _claim(claim, inputs),
        "verdict": {True: "holds", False: "fails", None: "undecided"}[verdict.holds],
        "reason": verdict.missing if verdict.holds is None else "",
        "distributions": [
            [[value_json(key.env[0]), _quotient(chance)] for key, chance in chances[u].items()]
            for u in inputs
        ],
        "counterexamples": [_counterexample(claim, inputs, one) for one in verdict.counterexamples],
        "signs": signs.written,
    }
    return {**body, "seal": seal(body)}


def _on_cones(verdict: Verdict, inputs: list[tuple[object, ...]]) -> Json:
    """Return the certificate of a claim about all reals, or about outputs with real noise."""
    claim = _claim(verdict.claim, inputs)
    cones = WrittenCones(verdict, claim)
    body: Json = {
        "format": "exactdp-certificate",
        "version": VERSION,
        "kind": "privacy_on_cones",
        "claim": claim,
        "verdict": {True: "holds", False: "fails", None: "undecided"}[verdict.holds],
        "reason": verdict.missing if verdict.holds is None else "",
        "slopes": cones.slopes is not None,
        "regions": cones.regions() if verdict.holds else [],
        "counterexamples": [cones.counterexample(one) for one in verdict.counterexamples],
        "signs": cones.signs.written,
    }
    return {**body, "seal": seal(body)}


def _add_sets(
    claim: Privacy, chances: dict[tuple[object, ...], Chances], signs: SignProofs
) -> None:
    """Add the proofs that no set of outputs has more than δ."""
    on = claim.epsilon
    signs.decided(nonnegative(claim.delta_form, on))
    for u, v in claim.pairs:
        always, others = _ZERO, []
        for key, chance in chances[u].items():
            gain = chance - chances[v].get(key, _ZERO) * claim.factor
            never, ever = nonnegative(-gain, on), nonnegative(gain, on)
            for decision in (never, ever):
                if decision.holds:
                    signs.decided(decision)
            if not never.holds and ever.holds:
                always = always + gain
            elif not never.holds:
                others.append(gain)
        if len(others) > _MOST_OTHERS:
            raise _refused("too many outputs change their sign with ε")
        sizes = range(len(others) + 1)
        for chosen in chain.from_iterable(combinations(others, size) for size in sizes):
            signs.decided(nonnegative(claim.delta_form - always - sum(chosen, _ZERO), on))


def _claim(claim: Privacy, inputs: list[tuple[object, ...]]) -> Json:
    adjacency = claim.adjacency
    adjacent: Json
    if isinstance(claim.inputs, Pairs):
        places = {u: k for k, u in enumerate(inputs)}
        adjacent = {"pairs": [[places[u], places[v]] for u, v in claim.pairs]}
    elif isinstance(adjacency, LargestChange | TotalChange):
        name = "linf" if isinstance(adjacency, LargestChange) else "l1"
        adjacent = {name: spell(adjacency.radius)}
    elif isinstance(adjacency, Entries):
        size = None if adjacency.size is None else spell(adjacency.size)
        adjacent = {"entries": [adjacency.count, size]}
    else:
        raise _refused(f"the adjacency {adjacency} is a function")
    return {
        "mechanism": str(claim.mechanism),
        "budget": spell(claim.multiple),
        "delta": _quotient(claim.delta_form),
        "adjacent": adjacent,
        "measure": claim.measure,
        "epsilon": interval_json(claim.epsilon),
        "inputs": _which(claim),
    }


def _counterexample(claim: Privacy, inputs: list[tuple[object, ...]], one: Breach) -> Json:
    places = {u: k for k, u in enumerate(inputs)}
    pair = [places[tuple(entries(claim.mechanism.read_input(u)))] for u in one.inputs]
    gap = one.allowed - one.chance

    def is_enough(bits: int) -> bool:
        checker = Privacies()
        over, under = checker.quotient(_quotient(gap)).terms()
        return checker.sign_at(one.eps, bits, over) * checker.sign_at(one.eps, bits, under) < 0

    return {
        "inputs": pair,
        "outputs": [value_json(output) for output in one.outputs],
        "eps": spell(one.eps),
        "bits": precision(is_enough),
    }


def _refused(why: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"there is no certificate of this verdict on privacy: {why}",
        rule="Certificates of privacy are about finite outputs and real noise, with the "
        "adjacency linf, l1, one_entry, hamming or Pairs.",
        way_out="The signs have proofs of their own: `verdict.decided` lists each problem with its "
        "decision, and the certificate of one on a ray is checked by `exactdp certify`.",
    )
