"""Directions of the input along which the success probability does not decrease, on merged runs.

The rules are those of `corners`, with the same noise at both inputs. Let V₊ and V₋ be the success
probabilities after a comparison of D with 0. If D grows along a direction, V₋ ≤ V₊ must hold
wherever D = 0: it does if V₋ never succeeds, V₊ always does, or both are the same step with the
same samples up to a multiple of D. A sample moves with its mean. After a random choice all ways
must not decrease; if exponents move apart, those of candidates that always succeed must gain on
the others, which never do.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from .successes import ALWAYS, NEVER, Form, Step, Success

_ZERO = Fraction(0)

Rates = tuple[Fraction, ...]
Slopes = Mapping[int, Fraction]
"""Coefficients of entries, with names below 0."""


class _Known(NamedTuple):
    """Entries (as bits) and samples that may be raised, or lowered, each alone."""

    up: int
    down: int
    samples: tuple[tuple[bool, bool], ...]


class Monotone:
    """The order of one success; `wanted` has the numbers of the wanted output, by entries."""

    def __init__(self, success: Success, wanted: list[Slopes], count: int) -> None:
        self.success = success
        self.wanted = wanted
        self._every = (1 << count) - 1
        self._single: dict[int, _Known] = {}
        self._grown: dict[tuple[int, Rates], bool] = {}
        for k, step in enumerate(success.steps):  # a step leads only to steps with lower numbers
            self._single[k] = self._alone(k, step)

    def grows(self, direction: dict[int, int]) -> bool:
        """Whether success does not become less likely; entries are numbered from 0."""
        if len(direction) == 1:
            ((k, sign),) = direction.items()
            root = self._single[self.success.root]
            if (root.up if sign > 0 else root.down) >> k & 1:
                return True
        self._grown = {}
        moved = {-k - 1: Fraction(sign) for k, sign in direction.items()}
        return self._along(self.success.root, (), moved)

    # Single entries -------------------------------------------------------------------

    def _alone(self, k: int, step: Step) -> _Known:
        if k in (NEVER, ALWAYS):
            return _Known(self._every, self._every, ())
        count = step.outer + len(step.laws)
        up = down = self._every
        samples = [[True, True] for _ in range(count)]
        if step.numbers:
            forms = [*step.numbers, *(law[2] for law in step.laws)]
            used = {n for form in forms for n, _ in form[0]} | {n for w in self.wanted for n in w}
            free = self._every & ~sum(1 << -n - 1 for n in used if n < 0)
            return _Known(free, free, ((False, False),) * step.outer)
        for to, names in step.leads_to:
            known = self._single[to]
            up, down = up & known.up, down & known.down
            for name, (raised, lowered) in zip(names, known.samples, strict=True):
                samples[name][0] &= raised
                samples[name][1] &= lowered
        for exponent in step.exponents:  # entries in them are looked at in `_moves`
            up, down = _limited(exponent, False, False, up, down, samples)
        if step.form is not None:
            rises, falls = _crossings(step)
            up, down = _limited(step.form, rises, falls, up, down, samples)
        for place in reversed(range(step.outer, count)):
            mean = step.laws[place - step.outer][2]
            rises, falls = samples[place]
            up, down = _limited(mean, rises, falls, up, down, samples)
        return _Known(up, down, tuple((a, b) for a, b in samples[: step.outer]))

    # Any direction --------------------------------------------------------------------

    def _along(self, k: int, rates: Rates, moved: Slopes) -> bool:
        """Whether success at a step does not fall as its samples and entries move."""
        if k in (NEVER, ALWAYS):
            return True
        if (k, rates) not in self._grown:
            self._grown[k, rates] = self._moves(self.success.steps[k], rates, moved)
        return self._grown[k, rates]

    def _moves(self, step: Step, outer: Rates, moved: Slopes) -> bool:
        rates = [*outer]
        for _, _, mean in step.laws:
            rates.append(_rate(mean, rates, moved))
        if step.numbers:
            return all(
                _rate(form, rates, moved)
                == sum((q * moved.get(n, _ZERO) for n, q in number.items()), _ZERO)
                for form, number in zip(step.numbers, self.wanted, strict=True)
            )
        speeds = [_rate(one, rates, moved) for one in step.exponents]
        if len(set(speeds)) > 1:
            return _gains(step, speeds)
        rate = _ZERO if step.form is None else _rate(step.form, rates, moved)
        rises, falls = _crossings(step)
        if (rate > 0 and not rises) or (rate < 0 and not falls):
            return False
        return all(
            self._along(to, tuple(rates[n] for n in names), moved) for to, names in step.leads_to
        )


def _rate(form: Form, rates: list[Fraction], moved: Slopes) -> Fraction:
    """Return how fast a form moves."""
    total = _ZERO
    for name, q in form[0]:
        total += q * (rates[name] if name >= 0 else moved.get(name, _ZERO))
    return total


def _gains(step: Step, speeds: list[Fraction]) -> bool:
    """Whether candidates that always succeed gain on all others, which never do."""
    if any(to not in (NEVER, ALWAYS) for to, _ in step.ways):
        return False
    pairs = [*zip(speeds, step.ways, strict=True)]
    own = [speed for speed, (to, _) in pairs if to == ALWAYS]
    return min(own) >= max(speed for speed, (to, _) in pairs if to == NEVER)


def _crossings(step: Step) -> tuple[bool, bool]:
    """Return whether V₋ ≤ V₊, and whether V₊ ≤ V₋, wherever the form of a step is 0."""
    same = _is_like(step)
    rises = same or step.below == NEVER or step.above == ALWAYS
    falls = same or step.above == NEVER or step.below == ALWAYS
    return rises, falls


def _is_like(step: Step) -> bool:
    """Whether both sides are the same where the form is 0."""
    if step.above != step.below or step.form is None:
        return False
    slopes, constant = step.form
    for one, two in zip(step.above_names, step.below_names, strict=True):
        if one != two:
            c = dict(slopes).get(one, _ZERO)
            if not c or constant or dict(slopes) != {one: c, two: -c}:
                return False
    return True


def _limited(
    form: Form, rises: bool, falls: bool, up: int, down: int, samples: list[list[bool]]
) -> tuple[int, int]:
    """Return what may be raised and lowered if a form may be raised, or lowered, or neither."""
    for name, q in form[0]:
        raised, lowered = (rises, falls) if q > 0 else (falls, rises)
        if name >= 0:
            samples[name][0] &= raised
            samples[name][1] &= lowered
        else:
            bit = 1 << -name - 1
            up = up if raised else up & ~bit
            down = down if lowered else down & ~bit
    return up, down
