"""What is known of an input because its ideal output is known, used to simplify distances."""

from __future__ import annotations

from collections.abc import Iterable

from exactdp.polyhedra.form import Form, Number
from exactdp.polyhedra.halfspace import Halfspace, at_least


class Home:
    """Halfspaces that contain the piece of the ideal in which an input lies."""

    def __init__(self, halfspaces: Iterable[Halfspace]) -> None:
        self._least: dict[object, Number] = {}
        for one in halfspaces:
            constant = one.form.constant
            known = self._least.get(one.direction)
            self._least[one.direction] = constant if known is None else min(known, constant)

    def largest(self, forms: tuple[Form, ...]) -> tuple[Form, ...]:
        """Return those of some forms that can be the largest."""
        kept: list[Form] = []
        for form in forms:
            if not any(self._is_at_least(other, form) for other in kept):
                kept = [other for other in kept if not self._is_at_least(form, other)]
                kept.append(form)
        return tuple(kept)

    def _is_at_least(self, one: Form, two: Form) -> bool:
        """Whether a form is known not to be below another one."""
        where = at_least(one, two)
        if not where.direction:
            return bool(where.form.constant >= 0)
        known = self._least.get(where.direction)
        return known is not None and known <= where.form.constant
