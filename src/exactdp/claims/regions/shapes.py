"""Sign problems up to the names of their parameters, so that equal ones are decided once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import blake2b
from typing import Any

from exactdp.cones import Cone, ConeDecision, OrderedSum, Window, nonnegative_on
from exactdp.polyhedra.elimination import project, solution
from exactdp.polyhedra.form import Name, Number


@dataclass(frozen=True)
class Shape:
    """A sum (or two) on a cone, in as few parameters as it depends on, in a standard order.

    A parameter with a window is one of them, and the first.
    """

    function: OrderedSum
    cone: Cone
    second: OrderedSum | None = None
    window: Window | None = None
    kept: tuple[int, ...] = field(default=(), compare=False)
    """The indices of these among the original parameters."""

    @property
    def digest(self) -> bytes:
        """A hash that is the same in all processes."""
        sums = (None if one is None else _written(one) for one in (self.function, self.second))
        told = repr((*sums, self.cone.size, self.cone.inequalities, self.window))
        return blake2b(told.encode(), digest_size=16).digest()

    def decision(self, **options: Any) -> ConeDecision:
        """Decide whether the first sum is nonnegative; for options, see `nonnegative_on`."""
        return nonnegative_on(self.function, self.cone, window=self.window, **options)

    def lifted(self, point: Sequence[Fraction]) -> dict[int, Fraction]:
        """Return a point with the original parameters."""
        return dict(zip(self.kept, point, strict=True))

    def completed(
        self, cone: Cone, point: Mapping[int, Fraction], *, odd: bool = False
    ) -> tuple[Fraction, ...]:
        """Return an inner point of the original cone with given values of the kept parameters.

        The others are simple, or deliberately `odd`.
        """
        known: dict[Name, Number] = dict(point.items())
        inside = [one.at(known) for one in cone.halfspaces(strict=True)]
        wish: dict[Name, Number] = {k: Fraction(2 * k + 3, 7) for k in range(cone.size)}
        found = solution(inside, wish if odd else None)
        assert found is not None
        rest = wish if odd else {}
        return tuple(
            Fraction(point[k]) if k in point else Fraction(found.get(k, rest.get(k, 0)))
            for k in range(cone.size)
        )


def shape_of(
    function: OrderedSum, cone: Cone, window: Window | None = None, second: OrderedSum | None = None
) -> Shape:
    """Return the shape of one or two sums on a cone, or on the part of it in a window."""
    sums = [one for one in (function, second) if one is not None]
    terms = [list(one.whole[2]) for one in sums]
    used = {
        k
        for listed in terms
        for powers, rates, _ in listed
        for k in range(cone.size)
        if powers[k] or rates[k]
    }
    totals = [[(q, sum(powers), sum(rates)) for powers, rates, q in listed] for listed in terms]
    if window is not None:
        used.add(window.variable)
    gone = [k for k in range(cone.size) if k not in used]
    sides = _sides(cone, gone)

    def signature(k: int) -> tuple[object, ...]:
        own = [
            sorted(
                (powers[k], rates[k], *total)
                for (powers, rates, _), total in zip(listed, whole, strict=True)
            )
            for listed, whole in zip(terms, totals, strict=True)
        ]
        return own, sorted((side.get(k, 0), sum(side.values())) for side in sides)

    order = sorted(used, key=lambda k: (window is None or k != window.variable, *signature(k)))
    smaller = Cone.of(len(order), sorted(tuple(side.get(k, 0) for k in order) for side in sides))
    renamed = [one.reordered(order) for one in sums]
    both = renamed[1] if second is not None else None
    first = None if window is None else replace(window, variable=0)
    return Shape(renamed[0], smaller, both, first, tuple(order))


def _written(one: OrderedSum) -> tuple[object, ...]:
    under, over, terms = one.whole
    return under, over, sorted(terms)


def _sides(cone: Cone, gone: list[int]) -> list[Mapping[Name, Number]]:
    """Return the sides of the cone's projection along some parameters."""
    left = project(cone.halfspaces(strict=False), gone)
    assert left is not None
    return [one.form.coefficients for one in left]
