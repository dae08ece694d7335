"""Minima and maxima of linear forms: the form that attains them, and a short proof."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

from exactdp.reals.numbers import exact, inf
from exactdp.semantics.spots import Spot

Tree: TypeAlias = "Least | Largest | Spot | Fraction | float"


@dataclass(frozen=True)
class Least:
    """The minimum of its parts; infinite if there are none."""

    parts: tuple[Tree, ...]

    @cached_property
    def active(self) -> Any:
        """The form that it equals at the sample."""
        return min(map(_active, self.parts), key=_value, default=inf)


@dataclass(frozen=True)
class Largest:
    """The maximum of its parts; 0 if there are none."""

    parts: tuple[Tree, ...]

    @cached_property
    def active(self) -> Any:
        """The form that it equals at the sample."""
        return max(map(_active, self.parts), key=_value, default=Fraction(0))


def certified(tree: Tree) -> Any:
    """Return the form that a tree equals at the sample, making the comparisons that prove it."""
    form = _active(tree)
    if form != inf:
        _require(tree, form, at_least=True)
        _require(tree, form, at_least=False)
    return form


def _value(form: Any) -> Any:
    """Return the value of a form at the sample."""
    return form.value if isinstance(form, Spot) else exact(form) if form != inf else form


def _active(tree: Tree) -> Any:
    """Return the form that has the value of a tree at the sample."""
    return tree.active if isinstance(tree, Least | Largest) else tree


def _require(tree: Tree, form: Any, *, at_least: bool) -> None:
    """Compare so that a tree is proved to be at least (or at most) a form."""
    if isinstance(tree, Least | Largest):
        if isinstance(tree, Least) == at_least:
            for part in tree.parts:
                _require(part, form, at_least=at_least)
        elif tree.parts:
            _require(_best(tree.parts, form, at_least=at_least), form, at_least=at_least)
        return
    _compare(tree, form, at_least=at_least)


def _best(parts: tuple[Tree, ...], form: Any, *, at_least: bool) -> Tree:
    """Return a part on the right side of a form, if possible one that is known to be."""
    sign = 1 if at_least else -1
    good = [part for part in parts if sign * (_value(_active(part)) - _value(form)) >= 0]
    return min(good, key=lambda part: _cost(part, form, at_least=at_least))


def _cost(tree: Tree, form: Any, *, at_least: bool) -> int:
    """Return the cost of a proof: the number of entries of forms that must still be compared."""
    if isinstance(tree, Least | Largest):
        costs = [_cost(part, form, at_least=at_least) for part in tree.parts]
        if isinstance(tree, Least) == at_least:
            return sum(costs)
        sign = 1 if at_least else -1
        return min(
            cost
            for part, cost in zip(tree.parts, costs, strict=True)
            if sign * (_value(_active(part)) - _value(form)) >= 0
        )
    difference = tree - form
    if not isinstance(difference, Spot):
        return 0
    if not difference or difference.trace.knows(difference.form):
        return 0
    return len([q for q in difference.form if q])


def _compare(one: Any, two: Any, *, at_least: bool) -> None:
    holds = one >= two if at_least else one <= two
    assert holds
