"""Chooses the input that a plot or report shows, the range of its curve, and its readings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Any

from exactdp.claims.accuracy import Accuracy
from exactdp.claims.constants.curves import ErrorCurve, error_curve
from exactdp.claims.constants.tightness import Tightness
from exactdp.claims.decision.counterexamples import Counterexample
from exactdp.claims.decision.verdict import Verdict
from exactdp.claims.regions.listed import regions_at
from exactdp.claims.regions.obligations import Obligation
from exactdp.claims.stated.claim import Due
from exactdp.claims.stated.inputs import (
    as_given,
)
from exactdp.claims.stated.levels import Range
from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.parted import by_parts
from exactdp.language.values import Value, plain
from exactdp.reals import Interval, Root
from exactdp.reals.numbers import inf, simplest_inside, spell
from exactdp.running.conduct import Progress

_MOST_TRIED = 2_000  # inputs, in search of one at which the claim says something
_MANTISSAS = tuple(Fraction(digits) for digits in ("1", "1.5", "2", "3", "4", "5", "7"))
_SMALLEST_ERROR = 1e-6


@dataclass(frozen=True)
class Shown:
    """A claim at its most informative input: a counterexample, or the one that determines κ."""

    claim: Accuracy
    curve: ErrorCurve
    best: Tightness | None = None
    """The largest κ, if it is known."""
    counterexample: Counterexample | None = None

    @property
    def kappa(self) -> Fraction | None:
        """A proven κ: the claim with β/κ is true."""
        lower = self.best.kappa.lower if self.best is not None else None
        return lower if isinstance(lower, Fraction) and lower > 0 else None

    @property
    def decides(self) -> bool:
        """Whether this input determines κ."""
        best = self.best
        return best is not None and text(best.input) == text(self.curve.input)

    @property
    def marked(self) -> tuple[Fraction, ...]:
        """The ε that a plot must contain."""
        found = [self.counterexample.eps] if self.counterexample is not None else []
        if self.best is not None and self.decides:
            where = self.best.eps
            where = where.lower if isinstance(where, Root) else where
            found += [where] if isinstance(where, Fraction) and _is_drawn(where) else []
        return tuple(found)

    def span(self) -> tuple[float, float]:
        """Return the range of ε in which to draw the curve."""
        return span(self.curve, self.claim.epsilon, self.marked)


def choose(
    claim: Accuracy,
    verdict: Verdict | None = None,
    u: object = None,
    *,
    tight: bool = True,
    progress: Progress | None = None,
) -> Shown:
    """Return what to show of a claim, at a given input or at the most informative one."""
    verdict = verdict if verdict is not None else claim.check(progress=progress)
    best = best_constant(claim, progress) if tight else None
    one = verdict.counterexample
    if u is None and one is not None:
        curve = _refuted(claim, one, is_part=bool(verdict.parts))
        return Shown(claim, curve, best, one if _is_drawn(one.eps) else None)
    part = one_gamma(claim)
    if u is not None:
        return Shown(claim, curve_at(part, claim.mechanism.read_input(u)), best)
    # For all reals, κ may be approached only at unrealistic inputs.
    if best and best.input is not None and (best.attained or not claim.scope.free):
        found = claim.mechanism.read_input(best.input)
        return Shown(claim, curve_at(part, found, best.gamma), best)
    return Shown(claim, curve_at(part, _telling(part)), best)


def _is_drawn(eps: Fraction) -> bool:
    """Whether an ε can be marked in a plot: no axis reaches 10³⁰⁰⁰."""
    return 1e-100 < eps < 1e100


def one_gamma(claim: Accuracy) -> Accuracy:
    """Return a claim with a single γ instead of one about infinitely many."""
    alpha, gamma = claim.alpha_level, claim.gamma_level
    if not claim.mechanism.checked.output.holds_noise:
        return claim  # one curve for each of finitely many distances
    if isinstance(gamma, Range):
        return replace(claim, gamma=_some(gamma.interval, Fraction(1)))
    if isinstance(alpha, Range) and "alpha" in gamma.names():
        return replace(claim, alpha=_some(alpha.interval, Fraction(1, 2)))
    return claim


def _some(interval: Interval, wish: Fraction) -> Fraction:
    """Return a simple number in an interval, the wished one if possible."""
    if wish in interval:
        return wish
    if interval.is_point:
        return Fraction(interval.lower)
    return simplest_inside(interval.lower, interval.upper)


def _refuted(claim: Accuracy, one: Counterexample, *, is_part: bool) -> ErrorCurve:
    """Return the curve of a counterexample, with all of β and not only the part that fails."""
    moves = claim.has_inverse_eps or claim.mechanism.checked.releases_eps
    levels: dict[str, Any] = {"alpha": one.alpha, "gamma": one.gamma}
    if moves or is_part:  # its probability is the closed form on an interval of ε only
        alone = claim if claim.level_logs else replace(claim, **levels)
        return error_curve(alone, claim.mechanism.read_input(one.input))
    values = claim.level_values.input_values(claim.mechanism.read_input(one.input))
    beta = claim.beta_at(one.input).alternatives({**values, **levels})
    return ErrorCurve(one.input, one.alpha, one.gamma, 1 - one.probability, beta)


def best_constant(claim: Accuracy, progress: Progress | None = None) -> Tightness | None:
    """Return the largest κ, or None if it is not known."""
    try:
        found = claim.tightest(progress=progress)
    except ExactdpError:
        return None
    assert isinstance(found, Tightness)
    return found


def curve_at(claim: Accuracy, u: tuple[Value, ...], gamma: object = None) -> ErrorCurve:
    """Return the error curve at an input, for one γ if there are several."""
    if claim.has_inverse_eps or claim.mechanism.checked.releases_eps:
        return error_curve(claim, u)
    due = by_parts(claim, lambda one: _due(one, u), lambda _: None)
    found = () if due is None else due.obligations
    for one in found:
        if len(found) == 1 or gamma in (None, one.gamma):
            given = as_given(claim.mechanism, u)
            return ErrorCurve(given, one.alpha, one.gamma, 1 - one.probability, one.beta)
    return error_curve(claim, u)


def _is_ray(claim: Accuracy, u: tuple[Value, ...]) -> bool:
    """Whether theorems determine which α and γ suffice at an input."""
    return all(region.is_ray for region in regions_at(claim, u))


def _due(claim: Accuracy, u: tuple[Value, ...]) -> Due[Obligation] | None:
    """Return what must be proved at an input, if it is known which α and γ suffice."""
    return claim.obligations.at(u) if _is_ray(claim, u) else None


def _telling(claim: Accuracy) -> tuple[Value, ...]:
    """Return the first input at which the claim says something, or the first."""
    first = None
    for u in islice(candidates(claim), _MOST_TRIED):
        first = first or u
        if not _is_ray(claim, u) or claim.obligations.at(u):
            return u
    if first is None:
        raise ValueRefusedError("the claim is about no input")
    return first


def candidates(claim: Accuracy) -> Iterator[tuple[Value, ...]]:
    """Yield inputs of a claim: all listed ones, or a sample of all reals or of a box."""
    return claim.scope.with_free(_whole if claim.scope.has_all else _inside)


def _whole(low: object, high: object) -> list[Value]:
    """Return a few numbers."""
    del low, high
    return [-1, 0, 1]


def _inside(low: Fraction | float, high: Fraction | float) -> list[Value]:
    """Return the middle, the ends and the quarters of a range."""
    first, last = _finite(low, high)
    return [plain(first + (last - first) * k / 4) for k in (2, 0, 4, 1, 3)]


def _finite(low: Fraction | float, high: Fraction | float) -> tuple[Fraction, Fraction]:
    """Return finite endpoints inside a range that may be infinite."""
    if isinstance(low, Fraction):
        return low, high if isinstance(high, Fraction) else low + 4
    return (high - 4, high) if isinstance(high, Fraction) else (Fraction(-2), Fraction(2))


def span(
    curve: ErrorCurve, interval: Interval, marked: Iterable[Fraction] = ()
) -> tuple[float, float]:
    """Return the range of ε in which a curve varies, within those of the claim."""
    import numpy as np  # noqa: PLC0415 only for pictures

    points = np.geomspace(1e-3, 1e4, 141)
    errors = curve.values(points)
    moved = points[np.abs(errors - errors[0]) > 0.05 * np.abs(errors[0])]
    last = float(errors[-1])
    settled = 1e-3 * float(errors.max()) if last > _SMALLEST_ERROR else _SMALLEST_ERROR
    alive = points[np.abs(errors - last) > settled]
    starts = [*map(float, marked), 0.1, *moved[:1]]
    low = 10.0 ** np.floor(np.log10(min(starts)))
    high = max([*map(float, marked), 10.0, *alive[-1:]]) * 1.5
    if interval.is_point:
        return float(interval.lower) / 10, float(interval.lower) * 10
    if interval.lower > 0:
        low = float(interval.lower)
    if interval.upper != inf:
        high = float(interval.upper)
        low = min(low, high / 100) if interval.lower == 0 else low
    return float(low), float(high)


def readings(shown: Shown) -> list[Fraction]:
    """Return the ε at which a report states values: round numbers, and the marked ones."""
    low, high = shown.span()
    interval = shown.claim.epsilon
    power = Fraction(10) ** -4
    found = set()
    if shown.counterexample is not None:
        found.add(shown.counterexample.eps)
    if interval.is_point:
        return [Fraction(interval.lower)]
    while power <= high:
        found |= {power * digits for digits in _MANTISSAS}
        power *= 10
    return sorted(
        value
        for value in found
        if value in interval and low * (1 - 1e-9) <= value <= high * (1 + 1e-9)
    )


def text(value: Any) -> str:
    """Return an input or output as a user writes it."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(text, value))}]"
    if isinstance(value, Fraction):
        return spell(value)
    return "∞" if value == inf else str(value)
