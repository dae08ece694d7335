"""Users' functions run with unknown numbers: each path through them, with its conditions.

An unknown number is a formula. Where a run compares it, every possible outcome is followed in a
run of its own, so the runs of a function are its cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from exactdp.claims.stated.expressions import (
    Comparison,
    Expression,
    as_expression,
)
from exactdp.errors import ExactdpError
from exactdp.language.replays import Replay, runs
from exactdp.reals import parameter
from exactdp.reals.operators import OrderedNumber

Conjunction: TypeAlias = tuple[Comparison, ...]


class UninterpretedError(Exception):
    """A part of a function or a text that is not interpreted."""


def paths(run: Callable[[FunctionPath], Any]) -> Iterator[tuple[Conjunction, Any]]:
    """Yield the conditions of each path of a function, and its value there."""

    def on_path(choices: Replay) -> tuple[Conjunction, Any]:
        path = FunctionPath(choices)
        value = run(path)
        return tuple(path.sides), value

    return runs(on_path)


class FunctionPath:
    """One path: the ways taken so far, and what is known on it."""

    def __init__(self, choices: Replay) -> None:
        self.sides: list[Comparison] = []
        self._choices = choices
        self._known: dict[_Key, bool] = {}  # forms that are ≥ 0; whether they are > 0

    def holds(self, side: Comparison) -> bool:
        """Return whether a condition holds on this path."""
        return not self.among([(side,), (side.negated(),)])

    def among(self, ways: Sequence[Conjunction]) -> int:
        """Return the number of the way that this path takes, of several that cover all cases."""
        keys = [[_key(side.form) for side in way] for way in ways]
        known = [
            [self._truth(key, side.strict) for key, side in zip(here, way, strict=True)]
            for here, way in zip(keys, ways, strict=True)
        ]
        kept = [k for k, truths in enumerate(known) if False not in truths]
        implied = [k for k in kept if None not in known[k]]
        if implied or len(kept) < 2:
            return (implied or kept or [0])[0]
        chosen = self._choices.choose(kept)
        for key, side, truth in zip(keys[chosen], ways[chosen], known[chosen], strict=True):
            if truth is None:
                self.sides.append(side)
                self._known[key] = self._known.get(key, False) or side.strict
        return chosen

    def _truth(self, key: _Key, strict: bool) -> bool | None:
        """Return whether a form is ≥ 0, or > 0; None if that is not known."""
        if not isinstance(key, Expression) and all(not names for names, _ in key):
            number = sum(q for _, q in key)
            return number > 0 or (number == 0 and not strict)
        if key in self._known and (self._known[key] or not strict):
            return True
        other = _key(-key) if isinstance(key, Expression) else tuple((n, -q) for n, q in key)
        return False if other in self._known and (self._known[other] or strict) else None


_Key: TypeAlias = Expression | tuple[tuple[tuple[tuple[str, int], ...], Fraction], ...]
"""A polynomial up to a positive factor, so that equal ones are equal; or any other formula."""


@lru_cache(1024)  # each path compares the same formulas again
def _key(form: Expression) -> _Key:
    try:
        found = form.at({name: parameter(name) for name in form.names()})
    except ExactdpError:
        return form
    if found.is_irrational or found.denominator != 1:
        return form
    terms = found.numerator.terms
    if any(rates for _, _, rates in terms):
        return form
    return tuple((powers, q / abs(terms[-1].coefficient)) for q, powers, _ in terms)


class UnknownNumber(OrderedNumber):
    """A number given by a formula; its comparisons have an outcome on a path."""

    __slots__ = ("form", "path")

    def __init__(self, form: Expression, path: FunctionPath) -> None:
        self.form, self.path = form, path

    def _with(self, found: Any) -> Any:
        return NotImplemented if found is NotImplemented else UnknownNumber(found, self.path)

    def __add__(self, other: Any) -> Any:
        return self._with(self.form + opened(other))

    def __radd__(self, other: Any) -> Any:
        return self._with(opened(other) + self.form)

    def __mul__(self, other: Any) -> Any:
        return self._with(self.form * opened(other))

    def __rmul__(self, other: Any) -> Any:
        return self._with(opened(other) * self.form)

    def __truediv__(self, other: Any) -> Any:
        return self._with(self.form / opened(other))

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(opened(other) / self.form)

    def __pow__(self, power: Any) -> Any:
        return self._with(self.form**power)

    def __neg__(self) -> Any:
        return self._with(-self.form)

    def __abs__(self) -> Any:
        return extreme([self, -self], self.path, is_largest=True)

    def _compared(self, op: str, other: Any) -> bool:
        above, below = _at_least(self, other), _at_least(other, self)
        if op in ("==", "!="):
            ways = [(above, below), (below.negated(),), (above.negated(),)]
            return (self.path.among(ways) == 0) is (op == "==")
        if op in ("<", "<="):
            above, below = below, above
        return self.path.holds(above) if op[1:] else not self.path.holds(below)

    def __bool__(self) -> bool:
        raise UninterpretedError(f"{self.form} is neither true nor false")

    def __repr__(self) -> str:
        return str(self.form)


def opened(value: Any) -> Any:
    """Return the formula of an unknown number; other values unchanged."""
    return value.form if isinstance(value, UnknownNumber) else value


def extreme(items: Sequence[Any], path: FunctionPath, *, is_largest: bool) -> Any:
    """Return the largest or smallest of several numbers on a path; where several are, any."""
    ways = [
        tuple(
            _at_least(one, other) if is_largest else _at_least(other, one)
            for j, other in enumerate(items)
            if j != k
        )
        for k, one in enumerate(items)
    ]
    return items[path.among(ways)]


def _at_least(one: Any, two: Any) -> Comparison:
    left, right = (as_expression(opened(x), "a compared value") for x in (one, two))
    return Comparison(left - right, strict=False)
