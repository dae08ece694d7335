"""The general route at one input: α and γ are parameters beside ε (Corollary cor:accpoint).

It is taken where no theorem says which α and γ suffice. The obligation becomes the sign of an
exponential sum on cones of (ε, εα, εγ), or along a curve in them (`slices`) where α and γ are
polynomials of ε plus c/ε. Where they are other functions, ε is cut into pieces, on each of which
the claim is tried for all α and γ that occur there; it is refuted only at values of ε.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from exactdp.claims.inputs import as_given
from exactdp.claims.levels import Range
from exactdp.claims.obligations import Due, MissingHypothesisError
from exactdp.claims.outcomes import ENDLESS, MOST_CELLS, Outcome, at_point
from exactdp.claims.shapes import Part
from exactdp.claims.slices import along_curve, functions_of_eps, says_nothing
from exactdp.claims.vacuity import Content, content_of
from exactdp.claims.verdict import Counterexample
from exactdp.cones import Cone, Window, nonnegative_on
from exactdp.errors import ExactdpError
from exactdp.language.values import Value
from exactdp.reals import ClosedForm, Interval, infimum, supremum
from exactdp.reals.numbers import simplest_inside
from exactdp.semantics.cells import explore
from exactdp.semantics.spots import Trace

if TYPE_CHECKING:
    from exactdp.claims.accuracy import Accuracy

ROUTE = (
    "α or γ moves with ε, or β is not seen to fall in them (Corollary cor:accpoint): the sign of "
    "an exponential sum on cones of (ε, εα, εγ)"
)

_MOST_PIECES = 200
_DEEP, _DEEPEST = 10, 24
_FINE = Fraction(1, 10**9)


def general(claim: Accuracy, u: tuple[Value, ...]) -> Outcome:
    """Decide a claim at one input with α and γ as parameters."""
    levels = functions_of_eps(claim, u)
    if says_nothing(claim, u, levels):
        return Outcome(True, Content.NOTHING)
    missing = ""
    try:
        outcome = along_curve(claim, u, levels) if levels else _over_cones(claim, u)
    except MissingHypothesisError as error:
        outcome, missing = None, str(error)
    if outcome is None and levels:
        outcome = _piece_by_piece(claim, u, levels)
    outcome = outcome or Outcome(None)
    return replace(outcome, missing=outcome.missing or missing)


def _piece_by_piece(
    claim: Accuracy, u: tuple[Value, ...], levels: Mapping[str, ClosedForm]
) -> Outcome:
    """Decide a claim on pieces of ε, on each for all α and γ between their least and largest there.

    What is not proved is asked at a simple ε, and cut there.
    """
    given = as_given(claim.mechanism, u)
    waiting = [(claim.epsilon, 0)]
    content, holds, missing = Content.NOTHING, True, ""
    for _ in range(_MOST_PIECES):
        if not waiting:
            return Outcome(True if holds else None, content, missing=missing)
        piece, depth = waiting.pop()
        around: dict[str, Any] = {name: _between(form, piece) for name, form in levels.items()}
        part = replace(claim, inputs=[given], epsilon=piece, **around)
        try:
            outcome = _over_cones(part, u)
        except (MissingHypothesisError, ExactdpError) as error:
            outcome = Outcome(None, missing=str(error))
        if outcome.holds:
            content = max(content, outcome.content)
            continue
        missing = missing or outcome.missing
        middle = piece.simple_point()
        here = at_point(claim, u, levels, middle)
        if here.counterexample is not None:
            return here
        content, missing = max(content, here.content), missing or here.missing
        if here.holds is None and depth >= _DEEP:
            break  # no counterexample would be found either
        if piece.is_point or depth == _DEEPEST:
            holds = False
            continue
        waiting += [
            (_with_end(piece, upper=middle), depth + 1),
            (_with_end(piece, lower=middle), depth + 1),
        ]
    return Outcome(None, content, missing=missing)


def _between(form: ClosedForm, piece: Interval) -> Interval:
    """Return an interval of numbers that a level has on an interval of ε."""
    lower = max(infimum(form, piece, width=_FINE).lower, Fraction(0))
    return Interval(lower, supremum(form, piece, width=_FINE).upper)


def _with_end(
    piece: Interval, lower: Fraction | None = None, upper: Fraction | None = None
) -> Interval:
    """Return an interval with another end, which belongs to it."""
    return Interval(
        piece.lower if lower is None else lower,
        piece.upper if upper is None else upper,
        lower_open=piece.lower_open and lower is None,
        upper_open=piece.upper_open and upper is None,
    )


def _over_cones(claim: Accuracy, u: tuple[Value, ...]) -> Outcome:
    free_alpha = isinstance(claim.alpha_level, Range)
    free_gamma = isinstance(claim.gamma_level, Range)
    names = ("eps", *("alpha",) * free_alpha, *("gamma",) * free_gamma)
    units = [tuple(int(j == k) for j in range(len(names))) for k in range(len(names))]

    def run(trace: Trace) -> Due | None:
        return claim.obligations.at(
            u,
            trace.spot("alpha") if free_alpha else None,
            trace.spot("gamma") if free_gamma else None,
        )

    content, holds = Content.NOTHING, True
    if free_alpha and claim.boundary == "check":
        outcome = _at_boundary(claim, u)
        if outcome.counterexample is not None:
            return outcome
        content, holds = outcome.content, outcome.holds is True
    for count, cell in enumerate(explore(names, Cone.of(len(names), units), run)):
        if count >= MOST_CELLS:
            return Outcome(None, missing=ENDLESS)
        on = Part(names, cell.cone, Window.of(0, claim.epsilon))
        content = max(content, content_of(cell.result, on.is_at_least_one))
        for one in cell.result or ():
            for beta in one.beta:
                shape = on.shape(one.probability - 1 + beta)
                decision = nonnegative_on(shape.function, shape.cone, window=shape.window)
                if decision.witness is not None:
                    point = shape.completed(cell.cone, shape.lifted(decision.witness))
                    found = _confirmed(claim, u, dict(zip(names, point, strict=True)))
                    if found is not None:
                        return Outcome(False, counterexample=found)
                holds = holds and decision.holds is True
    return Outcome(True if holds else None, content)


def _at_boundary(claim: Accuracy, u: tuple[Value, ...]) -> Outcome:
    """Return what is found where α is the distance to disagreement itself."""
    assert isinstance(claim.alpha_level, Range)
    given = as_given(claim.mechanism, u)
    distance = claim.disagreement(given).distance
    if not isinstance(distance, Fraction) or distance not in claim.alpha_level.interval:
        return Outcome(True, Content.NOTHING)
    verdict = replace(claim, inputs=[given], alpha=distance).check()
    return Outcome(verdict.holds, verdict.content, verdict.counterexample)


def _confirmed(
    claim: Accuracy, u: tuple[Value, ...], point: dict[str, Fraction]
) -> Counterexample | None:
    """Return a counterexample with the α and γ of a point, decided again with them fixed."""
    fixed: dict[str, Any] = {
        name: value / point["eps"] for name, value in point.items() if name != "eps"
    }
    simple: dict[str, Any] = {name: _simple(value) for name, value in fixed.items()}
    levels = {"alpha": claim.alpha_level, "gamma": claim.gamma_level}
    for values in (simple, fixed):
        if not all(
            value in level.interval
            for name, value in values.items()
            if isinstance(level := levels[name], Range)
        ):
            continue
        given = as_given(claim.mechanism, u)
        verdict = replace(claim, inputs=[given], **values).check()
        if verdict.counterexample is not None:
            return verdict.counterexample
    return None


def _simple(value: Fraction) -> Fraction:
    return simplest_inside(value * Fraction(15, 16), value * Fraction(17, 16)) if value else value
