"""Sign problems up to the names of their parameters, so that equal ones are decided once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from exactdp.cones import Cone, OrderedSum, Window, nonnegative_on
from exactdp.polyhedra.elimination import project, solution
from exactdp.polyhedra.form import Name, Number
from exactdp.reals import ClosedForm

_FAR = 1_000  # where a bound that falls at all is far below 1


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
    """Which of the original parameters these are."""

    def lifted(self, point: Sequence[Fraction]) -> dict[int, Fraction]:
        """Return a point with the original parameters."""
        return dict(zip(self.kept, point, strict=True))

    def completed(
        self, cone: Cone, point: Mapping[int, Fraction], *, odd: bool = False
    ) -> tuple[Fraction, ...]:
        """Return an inner point of the original cone with given values of the kept parameters.

        The others are simple, or on purpose `odd`.
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


@dataclass(frozen=True)
class Part:
    """A cone of named parameters, or the part of it in a window, on which signs are asked."""

    names: tuple[str, ...]
    cone: Cone
    window: Window | None

    def shape(self, form: ClosedForm) -> Shape:
        """Return the problem whether a closed form is never negative here."""
        return shape_of(self._signed(form), self.cone, self.window)

    def is_at_least_one(self, form: ClosedForm) -> bool:
        """Whether a closed form is seen to be at least 1 everywhere here."""
        function = self._signed(form - 1)
        point = self.cone.interior_point()
        if self.window is None:
            scale = Fraction(_FAR)
        else:
            scale = self.window.simple_point() / point[self.window.variable]
        if function.sign_at([scale * x for x in point]) < 0:
            return False
        shape = shape_of(function, self.cone, self.window)
        return nonnegative_on(shape.function, shape.cone, window=shape.window).holds is True

    def _signed(self, form: ClosedForm) -> OrderedSum:
        """Return a sum with the sign of a closed form."""
        return OrderedSum(form.numerator * form.denominator, self.names)


def shape_of(
    function: OrderedSum, cone: Cone, window: Window | None = None, second: OrderedSum | None = None
) -> Shape:
    """Return the shape of a sum on a cone, or on the part in a window; of two sums, of both."""
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


def _sides(cone: Cone, gone: list[int]) -> list[Mapping[Name, Number]]:
    """Return the sides of the cone's projection along some parameters."""
    left = project(cone.halfspaces(strict=False), gone)
    assert left is not None
    return [one.form.coefficients for one in left]
