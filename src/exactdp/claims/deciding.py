"""Deciding a claim at given inputs: each obligation is one sign for all ε."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from exactdp.claims.inputs import how_many, listed
from exactdp.claims.obligations import ROUTES, MissingHypothesisError, Obligation
from exactdp.claims.vacuity import Contents, content_of
from exactdp.claims.verdict import Checked, Counterexample, Verdict
from exactdp.reals import ClosedForm, Decision, nonnegative
from exactdp.reals.numbers import inf

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many inputs are done and how many there are."""


_FAR = 1_000  # an ε at which most bounds are below 1


@dataclass
class Signs:
    """Sign decisions of one claim; equal problems are decided once."""

    claim: Accuracy

    def __post_init__(self) -> None:
        self._known: dict[tuple[ClosedForm, ClosedForm], Decision] = {}
        self._at_least_one: dict[ClosedForm, bool] = {}

    def at_least_one(self, beta: ClosedForm) -> bool:
        """Whether β ≥ 1 for every ε of the claim; seen at once where it falls below 1 far out."""
        if beta not in self._at_least_one:
            on, excess = self.claim.epsilon, beta - 1
            far = on.lower + _FAR if on.upper == inf else on.simple_point()
            self._at_least_one[beta] = bool(
                excess.at(far, digits=1).sign >= 0 and nonnegative(excess, on)
            )
        return self._at_least_one[beta]

    def decisions(self, one: Obligation) -> list[Decision]:
        """Return the decisions of Pr − 1 + β ≥ 0, one for each alternative of β."""
        found = []
        for beta in one.beta:
            key = one.probability, beta
            if key not in self._known:
                self._known[key] = nonnegative(one.probability - 1 + beta, self.claim.epsilon)
            found.append(self._known[key])
        return found


def decide(claim: Accuracy, *, every: bool, progress: Progress | None) -> Verdict:
    """Decide a claim at a grid or a list of inputs."""
    begin = time.perf_counter()
    signs = Signs(claim)
    total = how_many(claim.mechanism, claim.input_set)
    checked: list[Checked] = []
    failures: list[Counterexample] = []
    contents = Contents()
    missing = ""
    route = ROUTES[claim.obligations.route]
    for u in listed(claim.mechanism, claim.input_set):
        try:
            obligations = claim.obligations.at(u)
            content = content_of(obligations, signs.at_least_one)
        except MissingHypothesisError as error:
            from exactdp.claims import general  # noqa: PLC0415 it asks this module in turn

            route = general.ROUTE
            outcome = general.general(claim, u)
            obligations, content = None, outcome.content
            if outcome.counterexample is not None:
                failures.append(outcome.counterexample)
            elif outcome.holds is None:
                missing = outcome.missing or str(error)
        contents = contents.and_one(content)
        for one in obligations or ():
            for position, decision in enumerate(signs.decisions(one)):
                checked.append(Checked(one, position, decision))
                if not decision.holds:
                    failures.append(Counterexample.of(claim, one, decision))
                    break
        if progress is not None:
            progress(contents.examined, total)
        if failures and not every:
            break
    holds = None if missing and not failures else not failures
    return Verdict(
        claim,
        holds=holds,
        route=route,
        contents=contents,
        counterexamples=tuple(failures),
        checked=tuple(checked),
        missing=missing,
        seconds=time.perf_counter() - begin,
    )
