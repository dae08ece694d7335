"""The exact set on which f ≥ 0, as a union of intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import groupby
from typing import TypeAlias

from exactdp.reals.closed_form import ClosedForm
from exactdp.reals.interval import POSITIVE, Interval
from exactdp.reals.numbers import Number, inf, positive_width, rational, spell
from exactdp.reals.parsing import as_form
from exactdp.reals.signs import Atom, landscape
from exactdp.reals.told import Told
from exactdp.reals.zeros import Root, order

Boundary: TypeAlias = Fraction | float | Root
"""An end of a stretch: an exact rational, ±`inf`, or an isolated zero or pole of the function."""


@dataclass(frozen=True, repr=False)
class Stretch(Told):
    """An interval whose ends may be irrational zeros; a single point has equal ends.

    >>> from exactdp import Accuracy, Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> (stretch,) = Accuracy(larger, "5%", inputs=[[0, 2]]).epsilons()
    >>> stretch.upper, 4 in stretch
    (inf, True)
    """

    lower: Boundary
    upper: Boundary
    lower_open: bool
    upper_open: bool

    def __contains__(self, number: Number) -> bool:
        point = rational(number, "a point")
        low, high = _compare(point, self.lower), _compare(point, self.upper)
        above = low > 0 or (low == 0 and not self.lower_open)
        return above and (high < 0 or (high == 0 and not self.upper_open))

    @property
    def is_single(self) -> bool:
        """Whether it is one point, decided exactly."""
        return order_of(self.lower, self.upper) == 0

    def __str__(self) -> str:
        if self.lower == self.upper:
            return f"{{{_show(self.lower)}}}"
        left, right = "[("[self.lower_open], "])"[self.upper_open]
        return f"{left}{_show(self.lower)}, {_show(self.upper)}{right}"


@dataclass(frozen=True, repr=False)
class SolutionSet(Told):
    """A finite union of disjoint stretches in increasing order.

    >>> from exactdp import Accuracy, Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> print(Accuracy(larger, "5%", inputs=[[0, 2]]).epsilons())
    [3.27181206036…, ∞)
    """

    stretches: tuple[Stretch, ...]

    def __iter__(self) -> Iterator[Stretch]:
        return iter(self.stretches)

    def __len__(self) -> int:
        return len(self.stretches)

    def __contains__(self, point: Number) -> bool:
        value = rational(point, "a point")
        return any(value in stretch for stretch in self.stretches)

    def __and__(self, other: SolutionSet) -> SolutionSet:
        """Return the points that are in both sets."""
        found = []
        for one in self.stretches:
            for two in other.stretches:
                lower, lower_open = _inner(one.lower, one.lower_open, two.lower, two.lower_open, 1)
                upper, upper_open = _inner(one.upper, one.upper_open, two.upper, two.upper_open, -1)
                order = order_of(lower, upper)
                if order < 0 or (order == 0 and not (lower_open or upper_open)):
                    found.append(Stretch(lower, upper, lower_open, upper_open))
        return SolutionSet(tuple(found))

    def __or__(self, other: SolutionSet) -> SolutionSet:
        """Return the points that are in one of the sets."""
        found: list[Stretch] = []
        for one in sorted((*self.stretches, *other.stretches), key=cmp_to_key(_starts)):
            if found and _touch(found[-1], one):
                last = found.pop()
                upper, is_open = _outer(last, one)
                one = Stretch(last.lower, upper, last.lower_open, is_open)  # noqa: PLW2901 joined
            found.append(one)
        return SolutionSet(tuple(found))

    def outside(self, whole: Stretch) -> SolutionSet:
        """Return the points of a stretch that are not in the set."""
        found = SolutionSet((whole,))
        for one in self.stretches:
            below = Stretch(whole.lower, one.lower, whole.lower_open, not one.lower_open)
            above = Stretch(one.upper, whole.upper, not one.upper_open, whole.upper_open)
            found &= SolutionSet((below,)) | SolutionSet((above,))
        return found

    def refined(self, width: Number) -> SolutionSet:
        """Return the same set, every irrational end enclosed to a width."""

        def end(boundary: Boundary) -> Boundary:
            return boundary.refined(width) if isinstance(boundary, Root) else boundary

        return SolutionSet(
            tuple(
                Stretch(end(one.lower), end(one.upper), one.lower_open, one.upper_open)
                for one in self.stretches
            )
        )

    def __str__(self) -> str:
        return " ∪ ".join(map(str, self.stretches)) or "∅"


def solution_set(
    f: ClosedForm | Number, on: Interval | str = POSITIVE, width: Number = Fraction(1, 10**12)
) -> SolutionSet:
    """Return the points of an interval at which f ≥ 0; poles are not among them.

    The ends are exact where they are rational, and isolated to `width` otherwise.

    >>> from exactdp import parse, solution_set
    >>> print(solution_set(parse("exp(-eps) - 1/2")))
    (0, 0.69314718056…]
    """
    interval, form, target = Interval.of(on), as_form(f), positive_width(width)
    form.only_eps("Signs are decided")
    return set_of(landscape(form, interval)).refined(target)


def set_of(atoms: Iterable[Atom]) -> SolutionSet:
    """Return the union of the stretches and points at which a function is nonnegative."""
    stretches = []
    for included, run in groupby(atoms, key=lambda atom: atom.sign is not None and atom.sign >= 0):
        if included:
            atom, *rest = run
            last = rest[-1] if rest else atom
            stretches.append(Stretch(atom.lower, last.upper, atom.lower_open, last.upper_open))
    return SolutionSet(tuple(stretches))


def _inner(
    one: Boundary, one_open: bool, two: Boundary, two_open: bool, side: int
) -> tuple[Boundary, bool]:
    """Return the lower (side 1) or upper (side −1) end of an intersection."""
    order = order_of(one, two) * side
    if order == 0:
        return one, one_open or two_open
    return (one, one_open) if order > 0 else (two, two_open)


def _starts(one: Stretch, two: Stretch) -> int:
    """Compare the starts of two stretches."""
    return order_of(one.lower, two.lower) or one.lower_open - two.lower_open


def _touch(one: Stretch, two: Stretch) -> bool:
    """Whether no point lies between a stretch and one that begins no earlier."""
    order = order_of(two.lower, one.upper)
    return order < 0 or (order == 0 and not (one.upper_open and two.lower_open))


def _outer(one: Stretch, two: Stretch) -> tuple[Boundary, bool]:
    """Return the later upper end of two stretches, and whether it is open."""
    order = order_of(one.upper, two.upper)
    if order == 0:
        return one.upper, one.upper_open and two.upper_open
    return (one.upper, one.upper_open) if order > 0 else (two.upper, two.upper_open)


def order_of(one: Boundary, two: Boundary) -> int:
    """Return the sign of one − two."""
    if not isinstance(one, Root):
        return (one > two) - (one < two) if not isinstance(two, Root) else -order_of(two, one)
    if not isinstance(two, Root):
        if isinstance(two, Fraction):
            return -_compare(two, one)
        return -1 if two > 0 else 1
    return order(one, two)


def _compare(point: Fraction, boundary: Boundary) -> int:
    """Return the sign of point − boundary."""
    if not isinstance(boundary, Root):
        return (point > boundary) - (point < boundary)
    root = boundary
    while not root.is_exact and root.lower <= point <= root.upper:
        # An enclosed zero is irrational, so it differs from the point and refining shows the side.
        root = root.refined((root.upper - root.lower) / 16)
    return (point > root.lower) - (point < root.lower)


def _show(boundary: Boundary) -> str:
    if isinstance(boundary, Root):
        return spell(boundary.lower) if boundary.is_exact else f"{float(boundary):.12g}…"
    if isinstance(boundary, Fraction):
        return spell(boundary)
    return "∞" if boundary == inf else "−∞"
