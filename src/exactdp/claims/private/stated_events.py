"""What certificates of privacy state of listed inputs: probabilities of events, and their bounds.

The distribution of each input is stated once, and each bound that is a function of ε is proved
once, however many pairs it belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.privacy import Privacies
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.claims.certificates.document import quotient_json
from exactdp.claims.certificates.plain_data import value_json
from exactdp.errors import ValueRefusedError
from exactdp.language.events import State
from exactdp.language.layout import assembled, entries
from exactdp.language.nested import holds, leaves
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly, Interval, nonnegative
from exactdp.semantics.patterns import RealNoiseInterval, WholeInterval

if TYPE_CHECKING:
    from exactdp.claims.certificates.examined import SignProofs
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.private.claim import Privacy
    from exactdp.claims.private.outcomes import Chances
    from exactdp.claims.private.pairs import Entries, Pair
    from exactdp.reals.certificates import Json

_ZERO: ClosedForm = ExpPoly(0)
_MOST_OTHERS = 8


class StatedEvents:
    """The events of the pairs that a verdict is about: all, or those of its counterexamples."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.claim: Privacy = verdict.claim
        claim = self.claim
        self.inputs: list[Entries] = []
        self.far: dict[Value, list[Value]] = {}
        """Large integers with several rates, with the numbers d_j that determine their signs."""
        self.chances: dict[Entries, Chances] = {}
        if claim.scope.free:
            return
        self.inputs = [tuple(entries(u)) for u in claim.scope.listed()]
        finite = [one for one in verdict.counterexamples if not one.compares_densities]
        pairs = claim.pairs if verdict.holds else [self._pair(one.inputs) for one in finite]
        examples = None
        if not claim.delta_form and claim.measure == "privacy":
            examples = [output for one in finite for output in one.outputs]
        self.chances = claim.outcomes.together(pairs, examples, self.far)
        one_kind = RealNoiseInterval | WholeInterval
        if any(holds(key.env[0], one_kind) for each in self.chances.values() for key in each):
            raise refused("integer noise and real noise are released in one place")

    def _pair(self, inputs: tuple[Value, Value]) -> Pair:
        one, two = (tuple(entries(self.claim.mechanism.read_input(x))) for x in inputs)
        return one, two

    @property
    def written(self) -> list[Any]:
        """The distribution at each input, or None where it is not needed."""
        return [
            None
            if (side := self.chances.get(u)) is None
            else [[value_json(key.env[0]), quotient_json(chance)] for key, chance in side.items()]
            for u in self.inputs
        ]

    @property
    def have_reals(self) -> bool:
        """Whether densities are compared."""
        return any(has_reals(key.env[0]) for side in self.chances.values() for key in side)

    def outputs(self, listed: tuple[Value, ...]) -> list[Value]:
        """Return the events of which a set of outputs consists; without δ, one for each output."""
        every = dict.fromkeys(key for side in self.chances.values() for key in side)
        sets = [[one for one in every if _is_part(one.env[0], output)] for output in listed]
        if self.claim.delta_form:
            return [one.env[0] for one in dict.fromkeys(one for some in sets for one in some)]
        return [some[0].env[0] for some in sets]

    def gap(self, inputs: tuple[Value, Value], outputs: Sequence[Value]) -> ClosedForm:
        """Return the margin by which the bound on some events holds."""
        one, two = (self.chances[u] for u in self._pair(inputs))
        states = [State(-1, (output,)) for output in outputs]
        if self.claim.measure == "bounded_range":
            first, second = states
            allowed = self.claim.factor * two.get(first, _ZERO) * one.get(second, _ZERO)
            return allowed - one.get(first, _ZERO) * two.get(second, _ZERO)
        found = self.claim.delta_form
        for event in states:
            found = found + self.claim.factor * two.get(event, _ZERO) - one.get(event, _ZERO)
        return found

    # Proofs ---------------------------------------------------------------------------

    def prove(self, signs: SignProofs, claim: Json) -> None:
        """Add the proofs of all bounds that are functions of ε."""
        if self.far:
            self._require_far(claim)
        if self.claim.delta_form:
            signs.decided(nonnegative(self.claim.delta_form, self.claim.epsilon))
            for pair in self.claim.pairs:
                self._add_sets(signs, pair, self._add_far(signs, pair))
            return
        every = (key.env[0] for side in self.chances.values() for key in side)
        if self.verdict.implied_by is None and not any(map(_has_integers, every)):
            signs.places(self.verdict)
            return
        gaps: dict[ClosedForm, None] = {}
        for pair in self.claim.pairs:
            one, two = (
                {
                    key: chance
                    for key, chance in self.chances[u].items()
                    if key.env[0] not in self.far and not has_reals(key.env[0])
                }
                for u in pair
            )
            for bound in self.claim.losses.bounds((*pair[0], *pair[1]), one, two):
                gaps[bound.beta[0] - bound.chance] = None
            self._add_far(signs, pair)
        for gap in gaps:
            signs.proved(gap, self.claim.epsilon)

    def _require_far(self, claim: Json) -> None:
        """Refuse a mechanism whose masses far out the checker cannot derive."""
        checker = Privacies()
        try:
            checker.read_claim(claim)
            checker.read_distributions(self.written)
            checker.derive_distributions()
        except (RejectedError, UnsupportedError) as error:
            raise refused(str(error)) from error
        for reasons in checker.not_derived.values():
            raise refused(reasons[0])

    def _add_far(self, signs: SignProofs, pair: Pair) -> dict[Value, int]:
        """Return the signs of p − e^b·p′ for large integers, and add their proofs."""
        given = [assembled(self.claim.mechanism.inputs, x) for x in pair]
        known: dict[Value, int] = {}
        for event, outputs in self.far.items():
            gaps = [self.claim.outcomes.far_gap(given, output) for output in outputs]
            for sign in (-1, 1) if self.claim.delta_form else (-1,):
                found = [nonnegative(gap * sign, self.claim.epsilon) for gap in gaps]
                if all(found):
                    for decision in found:
                        signs.decided(decision)
                    known[event] = sign
                    break
            else:
                raise refused("far out, the sign of p − e^budget·p′ is not proved")
        return known

    def _add_sets(self, signs: SignProofs, pair: Pair, far: dict[Value, int]) -> None:
        """Add the proofs that no set of outputs has more than δ."""
        on, (one, two) = self.claim.epsilon, (self.chances[u] for u in pair)
        always, others = _ZERO, []
        for key, chance in one.items():
            gain = chance - two.get(key, _ZERO) * self.claim.factor
            never = nonnegative(-gain, on)
            if key.env[0] in far or has_reals(key.env[0]):  # proved of each of its outputs
                always = always if never.holds else always + gain
                continue
            ever = nonnegative(gain, on)
            for decision in (never, ever):
                if decision.holds:
                    signs.decided(decision)
            if not never.holds and ever.holds:
                always = always + gain
            elif not never.holds:
                others.append(gain)
        if len(others) > _MOST_OTHERS:
            raise refused("too many outputs change their sign with ε")
        sizes = range(len(others) + 1)
        for chosen in chain.from_iterable(combinations(others, size) for size in sizes):
            signs.proved(self.claim.delta_form - always - sum(chosen, _ZERO), on)


def has_reals(event: Value) -> bool:
    """Whether an event has an interval of reals."""
    ends = (one for one in leaves(event) if isinstance(one, Interval))
    return any(one.lower_open and one.upper_open for one in ends)


def _has_integers(event: Value) -> bool:
    """Whether an event has an interval of integers."""
    ends = (one for one in leaves(event) if isinstance(one, Interval))
    return any(not (one.lower_open and one.upper_open) for one in ends)


def _is_part(event: Value, output: Value) -> bool:
    """Whether an event is one of the outputs, or in an interval of integers."""
    if isinstance(event, tuple) and isinstance(output, tuple):
        pairs = zip(event, output, strict=True)
        return len(event) == len(output) and all(_is_part(*pair) for pair in pairs)
    if not isinstance(output, Interval):
        return State(-1, (event,)) == State(-1, (output,))
    if isinstance(event, Interval):
        return output.lower <= event.lower and event.upper <= output.upper
    return isinstance(event, int) and not isinstance(event, bool) and Fraction(event) in output


def refused(why: str) -> ValueRefusedError:
    """Return the error for a certificate that cannot be written."""
    return ValueRefusedError(
        f"there is no certificate of this verdict on privacy: {why}",
        rule="The checker derives pairs and distributions again, and needs a proof of each bound.",
        way_out="The signs have proofs of their own: `verdict.decided` lists each problem with its "
        "decision, and the certificate of one on a ray is checked by `exactdp certify`.",
    )
