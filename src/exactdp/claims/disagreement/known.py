"""Facts about an input that follow from the run of the ideal on it; they simplify distances."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, TypeAlias

from exactdp.language.linear import Linear, Scalar
from exactdp.polyhedra.form import Form, Name, Number
from exactdp.polyhedra.halfspace import Halfspace, quotient

_ZERO = "0"  # stands for the number beside the entries

Bound: TypeAlias = tuple[Number, bool]
"""A lower bound, and whether it is strict; the larger of two bounds is the stronger."""


class Known:
    """Halfspaces that contain an input, and the resulting bounds on differences of entries."""

    def __init__(self, halfspaces: Iterable[Halfspace]) -> None:
        self._least: dict[object, Bound] = {}
        self._differences: list[tuple[Name, Name, Bound]] = []
        for one in halfspaces:
            bound = -one.form.constant, one.strict
            self._least[one.direction] = max(bound, self._least.get(one.direction, bound))
            ends = _ends(one.form)
            if ends is not None:
                self._differences.append((*ends[:2], (ends[2], one.strict)))

    @cached_property
    def _bounds(self) -> dict[Name, dict[Name, Bound]]:
        """The largest known b with x − y ≥ b: longest paths, by Floyd and Warshall."""
        found: dict[Name, dict[Name, Bound]] = {}
        for x, y, bound in self._differences:
            row = found.setdefault(x, {})
            row[y] = max(bound, row.get(y, bound))
        for middle, onwards in [*found.items()]:
            for x, row in found.items():
                first = row.get(middle)
                if first is None or x == middle:
                    continue
                for y, second in onwards.items():
                    if x != y:
                        bound = first[0] + second[0], first[1] or second[1]
                        row[y] = max(bound, row.get(y, bound))
        return found

    def is_positive(self, form: Scalar, *, strict: bool = False) -> bool:
        """Whether a form is known to be nonnegative; if strict, positive."""
        if not isinstance(form, Linear):
            return form > 0 if strict else form >= 0
        if not self._least:
            return False
        ends = _ends(form)
        if ends is not None:
            known = self._bounds.get(ends[0], {}).get(ends[1])
            return known is not None and known >= (ends[2], strict)
        one = Halfspace.of(form.coefficients, form.constant)
        known = self._least.get(one.direction)
        return known is not None and known >= (-one.form.constant, strict)

    def largest(self, forms: Iterable[Scalar]) -> tuple[Scalar, ...]:
        """Return those of some forms that can be the largest."""
        kept: list[Scalar] = []
        for form in forms:
            if not any(self.is_positive(other - form) for other in kept):
                kept = [other for other in kept if not self.is_positive(form - other)]
                kept.append(form)
        return tuple(kept)


def _ends(form: Form) -> tuple[Name, Name, Number] | None:
    """Return x, y and b if form ≥ 0 means x − y ≥ b, with 0 as a name."""
    entries: list[tuple[Name, Any]] = [*form.coefficients.items()]
    if len(entries) == 1:
        ((x, q),) = entries
        bound = quotient(-form.constant, abs(q))
        return (x, _ZERO, bound) if q > 0 else (_ZERO, x, bound)
    if len(entries) == 2 and entries[0][1] == -entries[1][1]:
        (x, q), (y, _) = entries
        bound = quotient(-form.constant, abs(q))
        return (x, y, bound) if q > 0 else (y, x, bound)
    return None
