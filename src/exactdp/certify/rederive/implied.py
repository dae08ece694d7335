"""Linear forms that are nonnegative at a state of the ideal, from the comparisons on its runs.

A form is nonnegative at a state if it is so on each edge to it: at the state before, or there
minus a multiple of a condition of the edge (Farkas multipliers, one at a time). A form that is not
found in this way is not proved; it may still be nonnegative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from .linear import LinearForm
from .merged import Asked, Goto, Output, RunGraph, Tree
from .ratios import UnsupportedError

_MOST = 2_000_000  # steps of a search

Side = tuple[tuple[tuple[int, int], ...], int, bool]
"""Coefficients and constant of a form that is not negative, or positive; coprime integers."""
Way = tuple[int, tuple[Side, ...]]


class ImpliedForms:
    """The comparisons of an ideal."""

    def __init__(self, runs: RunGraph) -> None:
        self.ways: dict[int, list[Way]] = {}
        self.ends: list[tuple[Any, Way]] = []
        """Outputs, each with the way to it."""
        self._left = _MOST
        self._known: dict[tuple[int, Side], bool] = {}
        for k in runs.order:
            for end, conditions in _leaves(runs.nodes[k].tree, ()):
                if isinstance(end, Goto):
                    self.ways.setdefault(end.node, []).append((k, conditions))
                else:
                    self.ends.append((end.value, (k, conditions)))
        self._rank = {k: rank for rank, k in enumerate(reversed(runs.order))}
        self._compared: dict[int, dict[int, int]] = {}
        """The unknowns compared on all ways to a node; each with the first node at which it is so
        and which all these ways pass, if there is only one way from there."""
        for k in self._rank:
            ways = self.ways.get(k, ())
            sets = [self._compared[source].keys() | _names(on) for source, on in ways]
            here = dict.fromkeys(frozenset.intersection(*map(frozenset, sets)) if sets else (), k)
            self._compared[k] = here | self._compared[ways[0][0]] if len(ways) == 1 else here

    def holds(self, way: Way, side: Side) -> bool:
        """Whether a form is proved to be nonnegative (or positive) on an edge."""
        source, conditions = way
        return self._on(source, conditions, side)

    def _at(self, k: int, side: Side) -> bool:
        """Whether a form is proved to be nonnegative (or positive) at a node."""
        compared, ranks = self._compared[k], self._rank
        first, rank = k, -1
        for name, _ in side[0]:
            found = compared.get(name)
            if found is None:
                return False
            if ranks[found] > rank:
                first, rank = found, ranks[found]
        if first != k and (self._known.get((first, side)) or self._at(first, side)):
            return True  # all runs that come here were there
        key = k, side
        if key not in self._known:
            self._left -= 1
            if self._left < 0:
                raise UnsupportedError("what is implied by comparisons takes too long to see")
            self._known[key] = all(
                self._on(source, conditions, side) for source, conditions in self.ways.get(k, ())
            )
        return self._known[key]

    def _on(self, source: int, conditions: tuple[Side, ...], side: Side) -> bool:
        slopes, constant, strict = side
        if not slopes:
            return constant > 0 or (constant == 0 and not strict)
        if self._at(source, side):
            return True
        for k, given in enumerate(conditions):
            for less in _less(side, given):
                self._left -= 1
                if self._on(source, conditions[:k] + conditions[k + 1 :], less):
                    return True
        return False


def _less(side: Side, given: Side) -> Iterator[Side]:
    """Yield a form minus multiples of another one, each of which cancels an unknown."""
    own = dict(side[0])
    factors = set()
    for name, c in given[0]:
        here = own.get(name, 0)
        if here * c > 0:
            divisor = gcd(here, c)
            factors.add((abs(here) // divisor, abs(c) // divisor))
    for times, under in sorted(factors, key=lambda one: Fraction(*one)):
        total = {name: under * c for name, c in own.items()}
        for name, c in given[0]:
            total[name] = total.get(name, 0) - times * c
        constant = under * side[1] - times * given[1]
        yield _coprime(total, constant, strict=side[2] and not given[2])


def _coprime(slopes: dict[int, int], constant: int, *, strict: bool) -> Side:
    divisor = gcd(constant, *slopes.values()) or 1
    left = tuple(sorted((name, c // divisor) for name, c in slopes.items() if c))
    return left, constant // divisor, strict


def _names(sides: tuple[Side, ...]) -> frozenset[int]:
    return frozenset(name for side in sides for name, _ in side[0])


def side_of(slopes: Mapping[int, Fraction], constant: Fraction | int, *, strict: bool) -> Side:
    """Return the condition that a form is nonnegative, or positive."""
    scale = lcm(constant.denominator, *(q.denominator for q in slopes.values()))
    found = {name: int(q * scale) for name, q in slopes.items()}
    return _coprime(found, int(constant * scale), strict=strict)


def _signed(form: LinearForm, sign: int, *, strict: bool) -> Side:
    slopes = {name: sign * c for name, c in form.coefficients.items()}
    return side_of(slopes, sign * form.constant, strict=strict)


def _leaves(tree: Tree, before: tuple[Side, ...]) -> Iterator[tuple[Output | Goto, Any]]:
    """Yield the leaves of a tree with the conditions on which they are reached."""
    if not isinstance(tree, Asked):
        yield tree, before
        return
    for truth, rest in ((True, tree.yes), (False, tree.no)):
        op = tree.op
        more: tuple[Side, ...] = ()
        if op in ("==", "!="):
            if truth == (op == "=="):
                more = tuple(_signed(tree.form, sign, strict=False) for sign in (1, -1))
        else:
            sign = 1 if (op[0] == ">") == truth else -1
            more = (_signed(tree.form, sign, strict=(len(op) == 1) == truth),)
        yield from _leaves(rest, (*before, *more))
