"""The general route at one input: α and γ are parameters beside ε (Corollary cor:accpoint).

It is taken where no theorem says which α and γ suffice. The obligation becomes the sign of an
exponential sum on cones of (ε, εα, εγ). Where α or γ is a function of ε, the claim is first tried
for all of them, and refuted only at values of ε where it is really made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.claims.expressions import Expression
from exactdp.claims.inputs import as_given
from exactdp.claims.levels import ANY, Range
from exactdp.claims.obligations import MissingHypothesisError, Obligation
from exactdp.claims.shapes import shape_of
from exactdp.claims.verdict import Counterexample
from exactdp.cones import Cone, ExpSum, nonnegative_on
from exactdp.errors import ExactdpError
from exactdp.language.noisy import samples_integers
from exactdp.language.values import Value
from exactdp.reals import Interval
from exactdp.reals.numbers import simplest_inside
from exactdp.semantics.cells import explore
from exactdp.semantics.spots import Trace

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy

ROUTE = (
    "α or γ moves with ε, or β is not seen to fall in them (Corollary cor:accpoint): the sign of "
    "an exponential sum on cones of (ε, εα, εγ)"
)


@dataclass(frozen=True)
class Outcome:
    """What the general route found at an input."""

    holds: bool | None
    silent: bool = False
    counterexample: Counterexample | None = None


def general(claim: Accuracy, u: tuple[Value, ...]) -> Outcome:
    """Decide a claim at one input with α and γ as parameters."""
    moving = {name for name in ("alpha", "gamma") if _moves(claim, name)}
    if not moving:
        try:
            return _over_cones(claim, u)
        except MissingHypothesisError:
            return Outcome(None)
    every: dict[str, Any] = dict.fromkeys(moving, ANY)
    wider = replace(claim, inputs=[as_given(claim.mechanism, u)], **every)
    try:
        outcome = _over_cones(wider, u)
    except (MissingHypothesisError, ExactdpError):
        outcome = Outcome(None)
    if outcome.holds:
        return outcome
    return _at_points(claim, u, moving)


def _moves(claim: Accuracy, name: str) -> bool:
    """Whether α or γ is a formula in ε."""
    level = claim.alpha_level if name == "alpha" else claim.gamma_level
    if isinstance(level, Range):
        return False
    values = dict.fromkeys((*claim.entry_names, "alpha"), Fraction(1))
    form = level.at(values)
    return form.denominator != 1 or form.numerator.constant() is None


def _over_cones(claim: Accuracy, u: tuple[Value, ...]) -> Outcome:
    if samples_integers(claim.mechanism.definition):
        return Outcome(None)
    free_alpha = isinstance(claim.alpha_level, Range)
    free_gamma = isinstance(claim.gamma_level, Range)
    names = ("eps", *("alpha",) * free_alpha, *("gamma",) * free_gamma)
    units = [tuple(int(j == k) for j in range(len(names))) for k in range(len(names))]

    def run(trace: Trace) -> list[Obligation] | None:
        return claim.obligations.at(
            u,
            trace.spot("alpha") if free_alpha else None,
            trace.spot("gamma") if free_gamma else None,
        )

    silent, holds = True, True
    if free_alpha and claim.boundary == "check":
        outcome = _at_boundary(claim, u)
        if outcome.counterexample is not None:
            return outcome
        silent, holds = outcome.silent, outcome.holds is True
    for cell in explore(names, Cone.of(len(names), units), run):
        silent = silent and cell.result is None
        for one in cell.result or ():
            for beta in one.beta:
                gap = one.probability - 1 + beta
                signed = ExpSum.from_closed_form(gap.numerator * gap.denominator, names)
                shape = shape_of(signed, cell.cone)
                decision = nonnegative_on(shape.function, shape.cone)
                if decision.witness is not None:
                    point = shape.completed(cell.cone, shape.lifted(decision.witness))
                    found = _confirmed(claim, u, dict(zip(names, point, strict=True)))
                    if found is not None:
                        return Outcome(False, counterexample=found)
                holds = holds and decision.holds is True
    return Outcome(True if holds else None, silent=silent)


def _at_boundary(claim: Accuracy, u: tuple[Value, ...]) -> Outcome:
    """Return what is found where α is the distance to disagreement itself."""
    assert isinstance(claim.alpha_level, Range)
    given = as_given(claim.mechanism, u)
    distance = claim.disagreement(given).distance
    if not isinstance(distance, Fraction) or distance not in claim.alpha_level.interval:
        return Outcome(True, silent=True)
    verdict = replace(claim, inputs=[given], alpha=distance).check()
    return Outcome(verdict.holds, verdict.silent == 1, verdict.counterexample)


def _confirmed(
    claim: Accuracy, u: tuple[Value, ...], point: dict[str, Fraction]
) -> Counterexample | None:
    """Return a counterexample with the α and γ of a point, decided again with them fixed."""
    fixed: dict[str, Any] = {
        name: value / point["eps"] for name, value in point.items() if name != "eps"
    }
    simple: dict[str, Any] = {name: _simple(value) for name, value in fixed.items()}
    for values in (simple, fixed):
        given = as_given(claim.mechanism, u)
        verdict = replace(claim, inputs=[given], **values).check()
        if verdict.counterexample is not None:
            return verdict.counterexample
    return None


def _simple(value: Fraction) -> Fraction:
    return simplest_inside(value * Fraction(15, 16), value * Fraction(17, 16)) if value else value


def _at_points(claim: Accuracy, u: tuple[Value, ...], moving: set[str]) -> Outcome:
    """Look for a counterexample at simple values of ε."""
    given = as_given(claim.mechanism, u)
    silent = True
    for eps in _simple_points(claim.epsilon):
        fixed: dict[str, Any] = {}
        for name in ("alpha", "gamma"):
            level = claim.alpha_level if name == "alpha" else claim.gamma_level
            if name in moving and isinstance(level, Expression):
                values = {**claim.obligations.input_values(u), **fixed}
                enclosed = level.at(values).at(eps)
                if not enclosed.is_exact:
                    return Outcome(None)
                fixed[name] = enclosed.lower
        here = replace(claim, inputs=[given], epsilon=Interval(eps, eps), **fixed)
        verdict = here.check()
        silent = silent and verdict.vacuous
        if verdict.counterexample is not None:
            return Outcome(False, counterexample=verdict.counterexample)
    return Outcome(None, silent=silent)


def _simple_points(on: Interval) -> Iterator[Fraction]:
    """Yield simple fractions of an interval, the simplest first."""
    seen = set()
    for below in (1, 2, 3, 4, 8, 16, 64):
        for above in range(1, 41):
            point = Fraction(above, below)
            if point in on and point not in seen:
                seen.add(point)
                yield point
