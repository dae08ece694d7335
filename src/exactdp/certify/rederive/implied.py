"""Linear forms that are nonnegative at a state of the ideal, from the comparisons on its runs.

A form is nonnegative at a state if it is so on each edge to it. On an edge it is so

- if it is a multiple of one of the conditions of the edge, plus a constant ≥ 0;
- else, if all its unknowns were compared on every way to the state before: if it is so there, or so
  minus the multiple of a condition of the edge that cancels an unknown, or if the opposite of a
  condition holds there, so that no run takes the edge;
- else, if it is so minus the multiple of a condition that cancels an unknown that was not.

A form that is not proved in this way may still be nonnegative.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from .linear import LinearForm
from .merged import Goto, RunGraph
from .ratios import UnsupportedError
from .runs import Picked, Question

_MOST = 10_000_000  # steps

Inequality = tuple[tuple[tuple[int, int], ...], int, bool]
"""Coefficients and constant of a form that is not negative, or positive; coprime integers."""
Way = tuple[int, tuple[Inequality, ...]]


class ImpliedForms:
    """The comparisons of an ideal."""

    def __init__(self, runs: RunGraph) -> None:
        self.ways: dict[int, list[Way]] = {}
        self.ends: list[tuple[Any, Way]] = []
        """Outputs, each with the way to it."""
        self._left = _MOST
        self._known: dict[Inequality, dict[int, bool]] = {}
        for k in runs.order:
            question = runs.nodes[k].question
            for answer, end in enumerate(runs.ends(k)):
                way = k, _conditions(question, truth=answer == 0)
                if isinstance(end, Goto):
                    self.ways.setdefault(end.node, []).append(way)
                else:
                    self.ends.append((end.value, way))
        self._compared: dict[int, frozenset[int]] = {}
        """The unknowns compared on all ways to a node."""
        for k in reversed(runs.order):
            sets = [self._compared[source] | _names(on) for source, on in self.ways.get(k, ())]
            self._compared[k] = frozenset.intersection(*sets) if sets else frozenset()
        self._single = {
            k: (ways[0][0], {_unknowns(side) for side in ways[0][1]})
            for k, ways in self.ways.items()
            if len(ways) == 1
        }
        """Nodes with only one way to them: the node before, and which unknowns it compares."""

    def holds(self, way: Way, side: Inequality) -> bool:
        """Whether a form is proved to be nonnegative (or positive) on an edge."""
        source, conditions = way
        return self._on(source, conditions, side)

    def _at(self, k: int, side: Inequality) -> bool:
        """Whether a form is proved to be nonnegative (or positive) at a node."""
        start, unknowns = k, _unknowns(side)
        known = self._known.setdefault(side, {})
        while k not in known:
            self._left -= 1
            if self._left < 0:
                raise UnsupportedError("what is implied by comparisons takes too long to see")
            before, compared = self._single.get(k, (k, ()))
            if (
                before != k
                and unknowns not in compared
                and self._compared[before].issuperset(unknowns)
            ):
                k = before  # the only way to the node says nothing of the form
            else:
                ways = self.ways.get(k, ())
                known[k] = bool(ways) and all(self._on(*way, side) for way in ways)
        known[start] = known[k]
        return known[k]

    def _on(self, source: int, conditions: tuple[Inequality, ...], side: Inequality) -> bool:
        slopes, constant, strict = side
        if not slopes:
            return constant > 0 or (constant == 0 and not strict)
        if any(_implies(given, side) for given in conditions):
            return True
        new = [name for name, _ in slopes if name not in self._compared[source]]
        if not new:
            rest = (_without(side, given, name) for given in conditions for name, _ in slopes)
            return (
                self._at(source, side)
                or any(one is not None and self._on(source, (), one) for one in rest)
                or self._is_never_taken(source, conditions)
            )
        for k, given in enumerate(conditions):
            less = _without(side, given, new[0])
            if less is not None:
                return self._on(source, conditions[:k] + conditions[k + 1 :], less)
        return False

    def _is_never_taken(self, source: int, conditions: tuple[Inequality, ...]) -> bool:
        """Whether the opposite of a condition of an edge holds where it begins."""
        compared = self._compared[source]
        return any(
            self._at(source, (tuple((name, -c) for name, c in slopes), -constant, not strict))
            for slopes, constant, strict in conditions
            if compared.issuperset(name for name, _ in slopes)
        )


def _implies(given: Inequality, side: Inequality) -> bool:
    """Whether a condition implies another one with the same slopes."""
    if _unknowns(given) != _unknowns(side):
        return False
    less = _without(side, given, side[0][0][0])
    if less is None or less[0]:
        return False
    return less[1] > 0 or (less[1] == 0 and not less[2])


def _without(side: Inequality, given: Inequality, name: int) -> Inequality | None:
    """Return a form minus the multiple ≥ 0 of another one that cancels an unknown, if any."""
    own = dict(side[0])
    here, there = own[name], dict(given[0]).get(name, 0)
    if here * there <= 0:
        return None
    divisor = gcd(here, there)
    times, under = abs(here) // divisor, abs(there) // divisor
    total = {key: under * c for key, c in own.items()}
    for key, c in given[0]:
        total[key] = total.get(key, 0) - times * c
    constant = under * side[1] - times * given[1]
    return _coprime(total, constant, strict=side[2] and not given[2])


def _coprime(slopes: dict[int, int], constant: int, *, strict: bool) -> Inequality:
    divisor = gcd(constant, *slopes.values()) or 1
    if divisor == 1:
        return tuple(sorted([one for one in slopes.items() if one[1]])), constant, strict
    left = tuple(sorted((name, c // divisor) for name, c in slopes.items() if c))
    return left, constant // divisor, strict


def _unknowns(side: Inequality) -> tuple[int, ...]:
    return tuple([name for name, _ in side[0]])


def _names(sides: tuple[Inequality, ...]) -> frozenset[int]:
    return frozenset(name for side in sides for name, _ in side[0])


def side_of(
    slopes: Mapping[int, Fraction], constant: Fraction | int, *, strict: bool
) -> Inequality:
    """Return the condition that a form is nonnegative, or positive."""
    scale = lcm(constant.denominator, *(q.denominator for q in slopes.values()))
    found = {name: int(q * scale) for name, q in slopes.items()}
    return _coprime(found, int(constant * scale), strict=strict)


def _signed(form: LinearForm, sign: int, *, strict: bool) -> Inequality:
    slopes = {name: sign * c for name, c in form.coefficients.items()}
    return side_of(slopes, sign * form.constant, strict=strict)


def _conditions(question: Question | None, *, truth: bool) -> tuple[Inequality, ...]:
    """Return the conditions of an edge, on which a question has an answer."""
    if question is None:
        return ()
    if isinstance(question, Picked):
        raise UnsupportedError("an ideal chooses at random")
    form, op = question
    if op in ("==", "!="):
        is_equal = truth == (op == "==")
        return tuple(_signed(form, sign, strict=False) for sign in (1, -1)) if is_equal else ()
    sign = 1 if (op[0] == ">") == truth else -1
    return (_signed(form, sign, strict=(len(op) == 1) == truth),)
