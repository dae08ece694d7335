"""Runs at inputs, each done once for all inputs at which its comparisons come out the same.

A run has unknowns −1, −2, … for the real numbers of its input, and the numbers themselves only
decide comparisons. So at another input, if these come out the same, the run is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Generic, TypeVar

from .linear import Form, Judge, holds, is_number, plain

T = TypeVar("T")

Point = list[Any]  # single values of an input; numbers may hold an infinitesimal t > 0, unknown 0


def at(value: Any, point: Point) -> Any:
    """Return an output, or a form, with the numbers of a point for unknowns of names < 0."""
    if isinstance(value, tuple):
        return tuple(at(one, point) for one in value)
    if not isinstance(value, Form):
        return value
    noise = {name: c for name, c in value.coefficients.items() if name >= 0}
    found: Any = Form(noise, value.constant, value.judge) if noise else value.constant
    for name, c in value.coefficients.items():
        if name < 0:
            found = found + c * point[-name - 1]
    return plain(Fraction(found)) if is_number(found) else found


def unknown(k: int, judge: Judge) -> Form:
    """Return the unknown −k."""
    return Form({-k: Fraction(1)}, Fraction(0), judge)


class AtPoint:
    """Decides comparisons of unknowns by the numbers of a point, and keeps the answers."""

    def __init__(self, point: Point) -> None:
        self.point = point
        self.made: list[tuple[Form, str, bool]] = []

    def decide(self, form: Form, op: str) -> bool:
        """Return whether form op 0; of an infinitesimal the sign counts where all else is 0."""
        found = at(form, self.point)
        number = found.constant or found.coefficients[0] if isinstance(found, Form) else found
        self.made.append((form, op, holds(number, op)))
        return self.made[-1][2]


class Remembered(Generic[T]):
    """What was found at points, as a tree of comparisons."""

    def __init__(self) -> None:
        self.question: tuple[Form, str] | None = None
        self.answers: dict[bool, Remembered[T]] = {}
        self.found: list[T] = []

    def at(self, point: Point, find: Callable[[Judge], T]) -> T:
        """Return what is known at a point, or find it; `find` asks a judge for all comparisons."""
        judge, node = AtPoint(point), self
        while node.question is not None:
            truth = judge.decide(*node.question)
            if truth not in node.answers:
                break
            node = node.answers[truth]
        if not node.found:
            judge, node = AtPoint(point), self
            found = find(judge)
            for form, op, truth in judge.made:
                node.question = form, op
                node = node.answers.setdefault(truth, Remembered())
            node.found.append(found)
        return node.found[0]
