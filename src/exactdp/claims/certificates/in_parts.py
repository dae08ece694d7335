"""Certificates of verdicts by parts of ε, between which a `min` or `max` of the mechanism changes.

Each part has a certificate of its own, for an interval with rational ends that contains it. Beside
these, the signs of the functions that change are proved where only one of their signs is examined
(`exactdp.certify.rederive.in_parts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING

from exactdp.certify import KINDS
from exactdp.certify.kernel.reading import RejectedError
from exactdp.certify.rederive.orders import UnseenSignError
from exactdp.certify.rederive.points import InsideCone
from exactdp.certify.rederive.ratios import Ratio, UnsupportedError, WrongProgramError
from exactdp.claims.certificates.document import assume_orders, document, quotient_json
from exactdp.claims.certificates.examined import tight_at_an_end
from exactdp.claims.certificates.plain_data import interval_json
from exactdp.claims.decision.deciding import decide
from exactdp.language.code import Pick
from exactdp.language.tree import Choose
from exactdp.reals import ClosedForm, ExpPoly, Interval, nonnegative
from exactdp.reals.certificates import Json, without_head
from exactdp.reals.numbers import spell

if TYPE_CHECKING:
    from exactdp.claims.decision.verdict import Verdict

_SHORT = 2**12  # the denominator of short ends
_MOST_UNSEEN = 12  # signs of one part that the checker does not see
_MOST_TRIED = 16  # inputs at which these are looked for


Writer = Callable[["Verdict"], Json]
"""Returns the certificate of a verdict that is not divided."""


def stating_signs(verdict: Verdict, write: Writer) -> Json:
    """Return the certificate of a verdict with all signs that the checker needs.

    It sees those of simple functions of ε. If a probability of `choose` is another one, the
    certificate has one part, with proofs of these signs.
    """
    try:
        found = write(verdict)
        if not verdict.orders:
            _see_signs(verdict, found)
    except UnseenSignError:
        if verdict.orders:  # a part, to which the sign will be added
            raise
        return certificate_in_parts(verdict, write)
    return found


def _see_signs(verdict: Verdict, found: Json) -> None:
    """Run the program as the checker does, at a few inputs; raise if it does not see a sign."""
    picks = (one for one in verdict.claim.mechanism.code.instructions if isinstance(one, Pick))
    if not any(isinstance(one.choice, Choose) for one in picks):
        return
    checker = KINDS[found["kind"]][0]()
    checker.read_claim(found["claim"])
    every = checker.fixed_inputs()
    for u in every[:: ceil(len(every) / _MOST_TRIED)]:
        with suppress(UnsupportedError, WrongProgramError):  # a check tells why
            try:
                checker.derivation.successes(u)
            except UnsupportedError:  # its runs are not merged
                entries = [Fraction(0) if x is None else x for x in u]
                checker.derivation.ways(entries, InsideCone(checker.ray()))


def certificate_in_parts(verdict: Verdict, write: Writer = lambda one: one.certificate) -> Json:
    """Return the sealed certificate of a verdict by parts of ε."""
    try:
        return _written(verdict, write)
    except RejectedError:
        raise tight_at_an_end() from None


def _written(verdict: Verdict, write: Writer) -> Json:
    first, known = next(_leaves(verdict, ()))
    sample = write(replace(first, holds=None, counterexamples=(), orders=known))  # its claim
    claim = {**sample["claim"], "epsilon": interval_json(verdict.claim.epsilon)}
    examples = []
    for leaf, known in _leaves(verdict, ()):
        for one in leaf.counterexamples:
            alone = replace(leaf, holds=False, counterexamples=(one,), orders=known)
            at = Interval(one.eps, one.eps)
            tree = _Leaf(alone, known, at, write)
            examples.append(
                {
                    "eps": spell(one.eps),
                    "orders": [_proved(form, at) for form in tree.known],
                    "proof": tree.proof,
                }
            )
    parts: Json = {
        "tree": _tree(verdict, (), write) if verdict.holds else None,
        "counterexamples": examples,
    }
    return document(verdict, "in_parts", {"of": sample["kind"], "claim": claim}, parts)


def _leaves(
    verdict: Verdict, known: tuple[ClosedForm, ...]
) -> Iterator[tuple[Verdict, tuple[ClosedForm, ...]]]:
    """Yield the verdicts on parts that are not divided again, with functions that are ≥ 0 there."""
    if not verdict.parts:
        yield verdict, known
    for one in verdict.parts:
        yield from _leaves(one, (*known, *one.orders))


def _tree(verdict: Verdict, known: tuple[ClosedForm, ...], write: Writer) -> Json:
    """Return the proofs on all parts, with the signs of the functions between them."""
    if not verdict.parts:
        return _Leaf(verdict, known, verdict.claim.epsilon, write).written()
    (form,) = verdict.parts[0].orders
    parts: list[tuple[Interval, int, Json]] = []
    for one in verdict.parts:
        try:
            tree = _tree(one, (*known, *one.orders), write)
        except RejectedError:  # its ends are too long numbers, or more was needed inside of them
            one = _with_short_ends(verdict, one)  # noqa: PLW2901
            tree = _tree(one, (*known, *one.orders), write)
        parts.append((one.claim.epsilon, 1 if one.orders == (form,) else -1, tree))
    return _division(form, verdict.claim.epsilon, parts)


def _with_short_ends(whole: Verdict, part: Verdict) -> Verdict:
    """Return the verdict on a part of ε with ends that may be sides of cones: short numbers."""
    lower, upper = part.claim.epsilon.lower, part.claim.epsilon.upper
    if isinstance(lower, Fraction) and lower.denominator > _SHORT:
        lower = Fraction(floor(lower * _SHORT), _SHORT)
    if isinstance(upper, Fraction) and upper.denominator > _SHORT:
        upper = Fraction(ceil(upper * _SHORT), _SHORT)
    wide = part.claim.epsilon
    on = Interval(lower, upper, lower_open=wide.lower_open, upper_open=wide.upper_open)
    is_inside = whole.claim.epsilon.covers(on)
    if on == wide or not is_inside or lower == 0 < wide.lower:
        raise tight_at_an_end()
    claim = whole.claim
    exact = part.claim.mechanism.definition.part
    found = decide(replace(claim, mechanism=claim.mechanism.on(on, exact), epsilon=on))
    if not found.holds or found.parts:
        raise tight_at_an_end()
    return replace(found, orders=part.orders)


def _division(form: ClosedForm, on: Interval, parts: Sequence[tuple[Interval, int, Json]]) -> Json:
    """Return parts by the sign of a function, with proofs where only one sign is examined."""
    ends = sorted({end for part, *_ in parts for end in (part.lower, part.upper)})
    signs = []
    for lower, upper in pairwise(ends) if len(ends) > 1 else [(ends[0], ends[0])]:
        piece = Interval(
            lower,
            upper,
            lower_open=lower == on.lower and on.lower_open,
            upper_open=upper == on.upper and on.upper_open,
        )
        found = {sign for part, sign, _ in parts if part.lower <= lower and upper <= part.upper}
        if len(found) == 1:
            signs.append(_proved(form * found.pop(), piece))
    if form.denominator != 1:
        under = ExpPoly(1) / form.denominator
        signs.append(_proved(under if under.at(on.simple_point()).sign > 0 else -under, on))
    return {
        "order": quotient_json(form),
        "parts": [
            {"on": interval_json(part), "sign": sign, "tree": tree} for part, sign, tree in parts
        ],
        "signs": signs,
    }


def _proved(form: ClosedForm, on: Interval) -> Json:
    """Return the proof that a function is nonnegative on an interval."""
    decision = nonnegative(form, on)
    if not decision.holds:
        raise tight_at_an_end()
    return without_head(decision.certificate)


class _Leaf:
    """The proof on one part; the signs that the checker does not see are added to its orders."""

    def __init__(
        self, verdict: Verdict, known: tuple[ClosedForm, ...], on: Interval, write: Writer
    ) -> None:
        self.on, self.known = on, [*known]
        self.added: list[ClosedForm] = []
        while len(self.added) <= _MOST_UNSEEN:
            try:
                whole = write(replace(verdict, orders=tuple(self.known)))
                make, names = KINDS[whole["kind"]]
                checker = make()
                checker.read_claim({**whole["claim"], "epsilon": interval_json(on)})
                assume_orders(checker, self.known)
                checker.checked(whole)
                break
            except UnseenSignError as error:
                form = _closed(error.form)
                new = [one for one in (form, -form) if nonnegative(one, on).holds]
                if not new:
                    raise tight_at_an_end() from None
                self.added += new[:1]
                self.known += new[:1]
        else:
            raise tight_at_an_end()
        self.proof = {name: whole[name] for name in names.split()}

    def written(self) -> Json:
        """Return the proof, inside of divisions into one part for each sign that is added."""
        found: Json = {"proof": self.proof}
        for form in reversed(self.added):
            found = _division(form, self.on, [(self.on, 1, found)])
        return found


def _closed(form: Ratio) -> ClosedForm:
    """Return a function of the checker as one of the solver."""
    over, under = (
        ExpPoly([(c, (("eps", k),) if k else (), (("eps", q),) if q else ()) for (q, k), c in part])
        for part in (sorted(one.items()) for one in form.terms())
    )
    return over / under
