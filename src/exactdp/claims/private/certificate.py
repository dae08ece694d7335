"""Certificates of privacy claims.

The checker rederives pairs, probabilities and bounds; a certificate contains the proofs of signs.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.cones import PolyhedralCone
from exactdp.certify.rederive.evaluation import EvaluationPoint
from exactdp.certify.rederive.parametric import ProgramOnCone
from exactdp.certify.rederive.privacy import Privacies
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.claims.certificates.bound_trees import terms_json
from exactdp.claims.certificates.document import document, quotient_json
from exactdp.claims.certificates.examined import SignProofs
from exactdp.claims.certificates.plain_data import inputs_json, interval_json, value_json
from exactdp.claims.private.breaches import Breach
from exactdp.claims.private.cone_certificate import WrittenCones
from exactdp.claims.private.own_adjacency import Own
from exactdp.claims.private.pairs import Pairs
from exactdp.claims.private.patterns import endless, reals_in
from exactdp.claims.regions.places import OnCone
from exactdp.claims.stated.adjacency import Entries, WithinRadius
from exactdp.cones import Cone, Window
from exactdp.errors import ValueRefusedError
from exactdp.language.events import State
from exactdp.language.layout import assembled, entries
from exactdp.language.nested import holds, leaves
from exactdp.language.types import RealType
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, ExpPoly, Interval, nonnegative
from exactdp.reals.certificates import Json, precision
from exactdp.reals.logarithm import Logarithm
from exactdp.reals.numbers import spell
from exactdp.semantics.cells import explore
from exactdp.semantics.patterns import RealNoiseInterval, WholeInterval

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict
    from exactdp.claims.private.claim import Privacy
    from exactdp.claims.private.outcomes import Chances
    from exactdp.semantics.spots import Trace

_ZERO: ClosedForm = ExpPoly(0)
_MOST_OTHERS = 8


def certificate(verdict: Verdict) -> Json:
    """Return the sealed certificate of a verdict on privacy."""
    claim: Privacy = verdict.claim
    if claim.scope.free:
        return _on_cones(verdict, [])
    inputs = [tuple(entries(u)) for u in claim.scope.listed()]
    chances = {u: claim.outcomes.distribution(u) for u in inputs}
    patterns = [key.env[0] for each in chances.values() for key in each if endless(key.env[0])]
    if any(map(reals_in, patterns)) and not claim.delta_form:
        return _on_cones(verdict, inputs)
    signs = SignProofs(verdict)
    far: dict[Value, list[Value]] = {}
    if patterns:
        examples = None
        if not claim.delta_form and claim.measure == "privacy":
            examples = [output for one in verdict.counterexamples for output in one.outputs]
        together = claim.outcomes.together(inputs, examples, far)
        one_kind = RealNoiseInterval | WholeInterval
        if any(holds(key.env[0], one_kind) for each in together for key in each):
            raise _refused("integer noise and real noise are released in one place")
        chances = dict(zip(inputs, together, strict=True))
        if verdict.holds and far:
            _require_far(_claim(claim, inputs), inputs, chances)
    pieces: list[list[Any]] = []
    if verdict.holds and claim.delta_form:
        events = list(dict.fromkeys(key.env[0] for u in inputs for key in chances[u]))
        real = [one for one in events if has_interval(one)]
        if real:
            _require_derived(_claim(claim, inputs), inputs)
        parted: dict[tuple[object, ...], dict[Value, int]] = {}
        for pair in claim.pairs if real else ():
            pieces.append(_Pieces(claim, signs, pair).written(real, parted))
        for pair in claim.pairs if far else ():
            _add_far(claim, signs, pair, far, parted.setdefault(pair, {}))
        _add_sets(claim, chances, signs, parted)
    elif verdict.holds and (patterns or verdict.implied_by is not None):
        gaps = {
            one.beta[0] - one.chance: None
            for u, v in claim.pairs
            for one in claim.losses.bounds((*u, *v), chances[u], chances[v])
            if one.outputs[0] not in far
        }
        for gap in gaps:
            signs.proved(gap, claim.epsilon)
        for pair in claim.pairs if far else ():
            _add_far(claim, signs, pair, far, {})
    elif verdict.holds:
        signs.places(verdict)
    parts: Json = {
        "distributions": [
            [[value_json(key.env[0]), quotient_json(chance)] for key, chance in chances[u].items()]
            for u in inputs
        ],
        "pieces": pieces,
        "counterexamples": [
            _counterexample(claim, one, {u: chances[u] for u in inputs})
            for one in verdict.counterexamples
        ],
        "signs": signs.written,
    }
    return document(verdict, "privacy", _claim(claim, inputs), parts)


def _on_cones(verdict: Verdict, inputs: list[tuple[object, ...]]) -> Json:
    """Return the certificate of a claim about all reals, or about outputs with real noise."""
    claim = _claim(verdict.claim, inputs)
    cones = WrittenCones(verdict, claim)
    parts: Json = {
        "slopes": cones.how,
        "regions": cones.regions() if verdict.holds else [],
        "counterexamples": [cones.counterexample(one) for one in verdict.counterexamples],
        "signs": cones.signs.written,
    }
    return document(verdict, "privacy_on_cones", claim, parts)


def _require_derived(written: Json, inputs: list[tuple[object, ...]]) -> None:
    """Refuse a mechanism whose densities the checker cannot derive."""
    checker = Privacies()
    try:
        checker.read_claim(written)
        ray = PolyhedralCone(1, checker).cut((Fraction(1),))
        for u in inputs:
            _ = ProgramOnCone(checker.derivation, ray, list(u)).ways
    except (RejectedError, UnsupportedError) as error:
        raise _refused(str(error)) from error


def _add_far(
    claim: Privacy,
    signs: SignProofs,
    pair: tuple[tuple[Any, ...], tuple[Any, ...]],
    far: dict[Value, list[Value]],
    parted: dict[Value, int],
) -> None:
    """Add the proofs that p − e^b·p′ has one sign for large integers, and these signs."""
    given = [assembled(claim.mechanism.inputs, x) for x in pair]
    for event, outputs in far.items():
        gaps = [claim.outcomes.far_gap(given, output) for output in outputs]
        for sign in (-1, 1) if claim.delta_form else (-1,):
            found = [nonnegative(gap * sign, claim.epsilon) for gap in gaps]
            if all(found):
                for decision in found:
                    signs.decided(decision)
                parted[event] = sign
                break
        else:
            raise _refused("far out, the sign of p − e^budget·p′ is not proved")


def _require_far(
    written: Json, inputs: list[tuple[object, ...]], chances: dict[tuple[object, ...], Chances]
) -> None:
    """Refuse a mechanism whose masses far out the checker cannot derive."""
    checker = Privacies()
    try:
        checker.read_claim(written)
        every = dict.fromkeys(key.env[0] for u in inputs for key in chances[u])
        listed = [[[value_json(one), None] for one in every]]
        checker.read_events(listed)
        for u in checker.inputs:
            checker.outcomes(u)
    except (RejectedError, UnsupportedError) as error:
        raise _refused(str(error)) from error


class _Pieces:
    """The signs of p − e^b·p′ on the events of a pair with real numbers."""

    def __init__(
        self, claim: Privacy, signs: SignProofs, pair: tuple[tuple[Any, ...], tuple[Any, ...]]
    ) -> None:
        self.claim, self.signs, self.pair = claim, signs, pair
        self.cells: dict[Value, list[Any]] = {}

    def written(
        self, events: list[Value], parted: dict[tuple[object, ...], dict[Value, int]]
    ) -> list[Any]:
        """Return sign and proof for each event; the signs are added to those of all pairs."""
        found = parted.setdefault(self.pair, {})
        listed = []
        for event in events:
            sign, proof = self._piece(event)
            found[event] = sign
            listed.append([sign, proof])
        return listed

    def _piece(self, event: Value) -> tuple[int, list[Any] | None]:
        pattern, part = _pattern_of(event)
        names = ("eps", "output[0]")
        sides: list[tuple[Any, ...]] = [(1, 0)]
        for end, sign in ((part.lower, 1), (part.upper, -1)):
            if isinstance(end, Fraction):
                sides.append((-sign * end, Fraction(sign)))
        cone = Cone.of(2, sides)

        def run(trace: Trace) -> ClosedForm:
            return self.claim.outcomes.density_gap(self.pair, pattern, trace.spot(names[1]))

        (cell,) = explore(names, cone, run)
        gap: ClosedForm = cell.result
        if not gap.numerator:
            return 1, None
        window = Window.of(0, self.claim.epsilon)
        for sign in (1, -1):
            shape = OnCone(names, cone, window).shape(gap * sign)
            if shape.decision().holds:
                under = None if gap.denominator == 1 else terms_json(gap.denominator, names)
                return sign, [under, self.signs.on_cone(shape), list(shape.kept)]
        raise _refused("the sign of a density is not seen")


def _pattern_of(event: Value) -> tuple[Value, Interval]:
    """Return an event with an interval as its pattern, and the interval."""
    if isinstance(event, Interval):
        return RealType(), event
    assert isinstance(event, tuple)
    parts = [_pattern_of(one) if has_interval(one) else (one, None) for one in event]
    (interval,) = (part for _, part in parts if part is not None)
    return tuple(one for one, _ in parts), interval


def has_interval(event: Value) -> bool:
    """Whether an event has an interval of reals."""
    ends = (one for one in leaves(event) if isinstance(one, Interval))
    return any(one.lower_open and one.upper_open for one in ends)


def _add_sets(
    claim: Privacy,
    chances: dict[tuple[object, ...], Chances],
    signs: SignProofs,
    parted: dict[tuple[object, ...], dict[Value, int]],
) -> None:
    """Add the proofs that no set of outputs has more than δ."""
    on = claim.epsilon
    signs.decided(nonnegative(claim.delta_form, on))
    for u, v in claim.pairs:
        always, others = _ZERO, []
        for key, chance in chances[u].items():
            gain = chance - chances[v].get(key, _ZERO) * claim.factor
            known = parted.get((u, v), {}).get(key.env[0])
            if known is not None:
                always = always + gain if known > 0 else always
                continue
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
            signs.proved(claim.delta_form - always - sum(chosen, _ZERO), on)


def _claim(claim: Privacy, inputs: list[tuple[object, ...]]) -> Json:
    adjacency = claim.adjacency
    adjacent: Json
    if isinstance(claim.inputs, Pairs):
        places = {u: k for k, u in enumerate(inputs)}
        adjacent = {"pairs": [[places[u], places[v]] for u, v in claim.pairs]}
    elif isinstance(adjacency, WithinRadius):
        adjacent = {adjacency.norm: spell(adjacency.radius)}
    elif isinstance(adjacency, Entries):
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


def _counterexample(
    claim: Privacy, one: Breach, chances: dict[tuple[object, ...], Chances]
) -> Json:
    """Return a counterexample in the events of all inputs.

    For large integers, a single event suffices; a set of outputs consists of events.
    """
    given = [claim.mechanism.read_input(x) for x in one.inputs]
    u, v = (tuple(entries(x)) for x in given)
    events = list(dict.fromkeys(key for each in chances.values() for key in each))
    sets = [[event for event in events if _is_part(event.env[0], output)] for output in one.outputs]
    if claim.delta_form:
        outputs = list(dict.fromkeys(event for some in sets for event in some))
    else:
        outputs = [some[0] for some in sets]
    gap = _gap(claim, chances[u], chances[v], outputs)

    def is_enough(bits: int) -> bool:
        checker = Privacies()
        form = checker.quotient(quotient_json(gap))
        return checker.sign_of(form, EvaluationPoint(one.eps, bits)) < 0

    return {
        "inputs": [[value_json(each) for each in x] for x in given],
        "outputs": [value_json(event.env[0]) for event in outputs],
        "eps": spell(one.eps),
        "cell": None,
        "bits": precision(is_enough),
    }


def _gap(claim: Privacy, one: Chances, two: Chances, outputs: list[State]) -> ClosedForm:
    """Return the margin by which the bound on some events holds."""
    if claim.measure == "bounded_range":
        first, second = outputs
        allowed = claim.factor * two.get(first, _ZERO) * one.get(second, _ZERO)
        return allowed - one.get(first, _ZERO) * two.get(second, _ZERO)
    found = claim.delta_form
    for event in outputs:
        found = found + claim.factor * two.get(event, _ZERO) - one.get(event, _ZERO)
    return found


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


def _refused(why: str) -> ValueRefusedError:
    return ValueRefusedError(
        f"there is no certificate of this verdict on privacy: {why}",
        rule="The checker derives pairs and distributions again, and needs a proof of each bound.",
        way_out="The signs have proofs of their own: `verdict.decided` lists each problem with its "
        "decision, and the certificate of one on a ray is checked by `exactdp certify`.",
    )
