"""The inputs offered to the reader of a report, and the exact curve at each of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.constants.curves import ErrorCurve
from exactdp.claims.decision.verdict import Verdict
from exactdp.claims.stated.inputs import as_given, as_written
from exactdp.errors import ExactdpError
from exactdp.language.values import Value
from exactdp.report.shown import Shown, candidates, choose, curve_at, one_gamma, text

MOST_INPUTS = 64  # if there are more, only the most informative ones are shown
MOST_CURVES = 8


@dataclass
class OfferedCurve:
    """A curve, and all inputs that have this error curve."""

    shown: Shown
    inputs: dict[str, str] = field(default_factory=dict)
    """The inputs as text, each with a note on why it is special."""


@dataclass(frozen=True)
class OfferedCurves:
    """The choices offered to a reader, the most informative first."""

    all: tuple[OfferedCurve, ...]
    left_out: str
    """A sentence on the inputs that are not shown; empty if all are."""


def choices(claim: Accuracy, verdict: Verdict) -> OfferedCurves:
    """Return the counterexample, the input that determines κ, and all inputs of a small set."""
    first = choose(claim, verdict)
    found: dict[object, OfferedCurve] = {}

    def add(shown: Shown, special: str = "") -> bool:
        """Add a curve; return whether it is shown."""
        key = _key(shown.curve)
        if key not in found and len(found) == MOST_CURVES:
            return False
        found.setdefault(key, OfferedCurve(shown)).inputs.setdefault(
            text(shown.curve.input), special
        )
        return True

    what = {"a counterexample": first.counterexample is not None, "the least κ": first.decides}
    add(first, ", ".join(name for name, is_so in what.items() if is_so))
    part = one_gamma(claim)
    if first.counterexample is not None and first.best is not None:
        best = first.best
        if best.input is not None:
            u = claim.mechanism.read_input(best.input)
            add(Shown(claim, curve_at(part, u, best.gamma), best), "the least κ")
    several = list(islice(candidates(part), MOST_INPUTS + 1))
    if len(several) > MOST_INPUTS:
        return OfferedCurves(tuple(found.values()), "Other inputs are not shown: there are many.")
    missed = 0
    for u in several:
        written = text(as_written(as_given(claim.mechanism, u)))
        if not any(written in one.inputs for one in found.values()):
            curve = _curve(part, u)
            missed += curve is None or not add(Shown(claim, curve, first.best))
    words = f"{missed} more inputs are not shown." if missed > 1 else "1 more input is not shown."
    return OfferedCurves(tuple(found.values()), words if missed else "")


def _key(curve: ErrorCurve) -> object:
    return curve.alpha, curve.gamma, curve.exact, curve.claimed


def _curve(claim: Accuracy, u: tuple[Value, ...]) -> ErrorCurve | None:
    try:
        return curve_at(claim, u)
    except ExactdpError:  # there is no single curve at this input
        return None
