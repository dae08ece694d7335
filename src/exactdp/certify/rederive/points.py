"""Runs at inputs, each made once for all inputs with the same answers to its comparisons.

A run has unknowns −1, −2, … for the real numbers of its input. Their values (numbers, or forms in
the parameters on a cone of inputs) only decide comparisons. So at other inputs with the same
answers the run is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Generic, TypeVar

from .cones import PolyhedralCone, Vector
from .linear import Judge, LinearForm, holds, is_number, plain
from .ratios import UnsupportedError

T = TypeVar("T")

_ZERO = Fraction(0)

Point = list[Any]
"""Single values of an input. Numbers may be forms in the parameters −1, −2, … of a cone, divided by
ε, and hold an infinitesimal t > 0, unknown 0."""


def at(value: Any, point: Point) -> Any:
    """Return an output, or a form, with the numbers of a point for unknowns of names < 0."""
    if isinstance(value, tuple):
        return tuple(at(one, point) for one in value)
    if not isinstance(value, LinearForm):
        return value
    constant, rest, judge = value.constant, dict[int, Fraction](), value.judge
    is_noisy = any(name >= 0 for name in value.coefficients)
    for name, c in value.coefficients.items():
        one = {name: c} if name >= 0 else point[-name - 1]
        if isinstance(one, LinearForm):
            judge = judge if is_noisy else one.judge
            constant += c * one.constant
            one = {inner: c * d for inner, d in one.coefficients.items()}
        if isinstance(one, dict):
            for inner, d in one.items():
                rest[inner] = rest.get(inner, _ZERO) + d
        else:
            constant += one if c == 1 else c * one
    found = {name: c for name, c in rest.items() if c}
    return LinearForm(found, constant, judge) if found else plain(Fraction(constant))


def unknown(k: int, judge: Judge) -> LinearForm:
    """Return the unknown −k."""
    return LinearForm({-k: Fraction(1)}, Fraction(0), judge)


class InsideCone:
    """Decides comparisons of forms in the parameters of a cone, inside it."""

    def __init__(self, region: PolyhedralCone) -> None:
        self.region = region
        self.compared: set[tuple[Vector, str]] = set()

    def decide(self, form: LinearForm, op: str) -> bool:
        """Return whether form op 0; of an infinitesimal the sign counts where all else is 0."""
        if any(name > 0 for name in form.coefficients):
            raise UnsupportedError("noise is compared as if it were known")
        vector = vector_of(form, self.region.size)
        sign = self.region.judge(vector)
        if any(vector[1:]):
            self.compared.add((vector, op))
        return holds(sign or form.coefficients.get(0, 0), op)


def vector_of(value: Any, size: int) -> Vector:
    """Return a number, or a form in the parameters, by its coefficients."""
    if is_number(value):
        return (Fraction(value), *(Fraction(0),) * (size - 1))
    found = [Fraction(value.constant)] + [Fraction(0)] * (size - 1)
    for name, c in value.coefficients.items():
        if name < 0:
            found[-name] = c
    return tuple(found)


def number_of(form: Vector, judge: Judge) -> Any:
    """Return a form as a number to calculate with."""
    rest = {-k: q for k, q in enumerate(form) if k and q}
    return LinearForm(rest, form[0], judge) if rest else plain(form[0])


class AtPoint:
    """Decides comparisons of unknowns by the numbers of a point, and keeps the answers."""

    def __init__(self, point: Point, judge: Judge) -> None:
        self.point = point
        self.judge = judge
        self.made: list[tuple[LinearForm, str, bool]] = []

    def decide(self, form: LinearForm, op: str) -> bool:
        """Return whether form op 0."""
        found = at(form, self.point)
        truth = self.judge.decide(found, op) if isinstance(found, LinearForm) else holds(found, op)
        self.made.append((form, op, truth))
        return truth


class Remembered(Generic[T]):
    """What was found at points, as a tree of comparisons."""

    def __init__(self) -> None:
        self.question: tuple[LinearForm, str] | None = None
        self.answers: dict[bool, Remembered[T]] = {}
        self.found: list[T] = []

    def at(self, point: Point, inside: Judge, find: Callable[[Judge], T]) -> T:
        """Return what is known at a point, or find it; `find` asks a judge for all comparisons."""
        judge, node = AtPoint(point, inside), self
        while node.question is not None:
            truth = judge.decide(*node.question)
            if truth not in node.answers:
                break
            node = node.answers[truth]
        if not node.found:
            judge, node = AtPoint(point, inside), self
            found = find(judge)
            for form, op, truth in judge.made:
                node.question = form, op
                node = node.answers.setdefault(truth, Remembered())
            node.found.append(found)
        return node.found[0]
