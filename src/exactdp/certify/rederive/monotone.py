"""Directions of the input along which the success probability does not decrease, on merged runs.

The rules are those of `corners`, with the same noise at both inputs. Let V₊ and V₋ be the success
probabilities after a comparison of D with 0. If D grows along a direction, V₋ ≤ V₊ must hold
wherever D = 0: it does if V₋ never succeeds, V₊ always does, or both are the same step with the
same samples up to a multiple of D. A sample moves with its mean. After a random choice all ways
must not decrease; if exponents move apart, those of candidates that always succeed must gain on
the others, which never do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .linear import Rational
from .successes import ALWAYS, NEVER, Form, Step, Success

Rates = tuple[Rational, ...]
Slopes = Mapping[int, Rational]
"""Coefficients of entries, with names below 0."""


class Monotone:
    """The order of one success; `wanted` has the numbers of the wanted output, by entries."""

    def __init__(self, success: Success, wanted: Sequence[Slopes]) -> None:
        self.success = success
        self.wanted = wanted
        self._grown: dict[tuple[int, Rates], bool] = {}
        self._moved = 0  # entries, as bits
        self._entries = [0, 0]  # those that matter from each step on
        for step in success.steps[2:]:  # a step leads only to steps with lower numbers
            forms = [*step.numbers, *step.exponents, *(law[2] for law in step.laws)]
            forms += [step.form] if step.form is not None else []
            own = [dict(form[0]) for form in forms] + [*wanted] * bool(step.numbers)
            found = _bits(n for slopes in own for n in slopes)
            for to, _ in step.leads_to:
                found |= self._entries[to]
            self._entries.append(found)

    def grows(self, direction: dict[int, int]) -> bool:
        """Whether success does not become less likely; entries are numbered from 0."""
        moved = {-k - 1: sign for k, sign in direction.items()}
        self._grown, self._moved = {}, _bits(moved)
        return self._along(self.success.root, (), moved)

    def _along(self, k: int, rates: Rates, moved: Slopes) -> bool:
        """Whether success at a step does not fall as its samples and entries move."""
        if not any(rates) and not self._entries[k] & self._moved:
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
                == sum((q * moved.get(n, 0) for n, q in number.items()), 0)
                for form, number in zip(step.numbers, self.wanted, strict=True)
            )
        speeds = [_rate(one, rates, moved) for one in step.exponents]
        if len(set(speeds)) > 1:
            return _gains(step, speeds)
        rate = 0 if step.form is None else _rate(step.form, rates, moved)
        rises, falls = _crossings(step)
        if (rate > 0 and not rises) or (rate < 0 and not falls):
            return False
        return all(
            self._along(to, tuple(rates[n] for n in names), moved) for to, names in step.leads_to
        )


def _bits(names: Iterable[int]) -> int:
    """Return entries, which have names below 0, as bits."""
    found = 0
    for name in names:
        found |= 1 << -name - 1 if name < 0 else 0
    return found


def _rate(form: Form, rates: list[Rational], moved: Slopes) -> Rational:
    """Return how fast a form moves."""
    total: Rational = 0
    for name, q in form[0]:
        total += q * (rates[name] if name >= 0 else moved.get(name, 0))
    return total


def _gains(step: Step, speeds: list[Rational]) -> bool:
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
            c = dict(slopes).get(one, 0)
            if not c or constant or dict(slopes) != {one: c, two: -c}:
                return False
    return True
