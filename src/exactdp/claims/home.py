"""What is known of an input because its ideal output is known, used to simplify distances."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd

from exactdp.claims.elimination import Name, Row


class Home:
    """Linear forms that are not negative on the piece of the ideal in which an input lies."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._least: dict[tuple[tuple[Name, int], ...], Fraction] = {}
        for row in rows:
            direction, constant = _primitive(dict(row.entries), row.constant)
            known = self._least.get(direction)
            self._least[direction] = constant if known is None else min(known, constant)

    def largest(self, forms: tuple[Row, ...]) -> tuple[Row, ...]:
        """Return those of some forms that can be the largest."""
        kept: list[Row] = []
        for form in forms:
            if not any(self._is_at_least(other, form) for other in kept):
                kept = [other for other in kept if not self._is_at_least(form, other)]
                kept.append(form)
        return tuple(kept)

    def _is_at_least(self, one: Row, two: Row) -> bool:
        """Whether a form is known not to be below another one."""
        difference: dict[Name, int] = dict(one.entries)
        for name, q in two.entries:
            difference[name] = difference.get(name, 0) - q
        direction, constant = _primitive(difference, one.constant - two.constant)
        if not direction:
            return constant >= 0
        known = self._least.get(direction)
        return known is not None and known <= constant


def _primitive(
    coefficients: Mapping[Name, int], constant: int
) -> tuple[tuple[tuple[Name, int], ...], Fraction]:
    """Return a form divided so that its coefficients have no common divisor."""
    listed = sorted(((n, q) for n, q in coefficients.items() if q), key=lambda one: str(one[0]))
    divisor = gcd(*(q for _, q in listed)) or 1
    return tuple((name, q // divisor) for name, q in listed), Fraction(constant, divisor)
