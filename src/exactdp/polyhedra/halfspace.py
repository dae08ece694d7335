"""Linear inequalities, each in a standard form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, gcd, lcm
from typing import Any, TypeAlias

from exactdp.polyhedra.form import Form, Name, Number


@dataclass(frozen=True)
class Halfspace:
    """Where form ≥ 0, or form > 0 if strict; the coefficients are coprime integers.

    The constant is rational, or depends on parameters: see `Form`.
    """

    form: Form
    strict: bool = False

    @classmethod
    def of(
        cls, coefficients: Mapping[Name, Number], constant: Any, *, strict: bool = False
    ) -> Halfspace:
        """Return where Σ q·x + constant ≥ 0, or > 0."""
        kept = {name: q for name, q in coefficients.items() if q}
        if not kept:
            return cls(Form(kept, constant), strict)
        under = lcm(*[q.denominator for q in kept.values()])
        whole = {name: q.numerator * (under // q.denominator) for name, q in kept.items()}
        over = gcd(*whole.values())
        if over > 1:
            whole = {name: c // over for name, c in whole.items()}
        if over != under:
            constant = quotient(constant * under, over)
        return cls(Form(whole, constant), strict)

    @cached_property
    def variables(self) -> frozenset[Name]:
        """The variables that occur."""
        return frozenset(self.form.coefficients)

    @cached_property
    def direction(self) -> frozenset[tuple[Name, Number]]:
        """The coefficients, which parallel halfspaces on the same side share."""
        return frozenset(self.form.coefficients.items())

    @property
    def weakness(self) -> tuple[Any, bool]:
        """The key that orders parallel halfspaces, the strongest first."""
        return self.form.constant, not self.strict

    @cached_property
    def difference(self) -> tuple[Name, Name] | None:
        """The variables x and y if the form is x − y + constant, else None."""
        if len(self.form.coefficients) != 2:
            return None
        (x, c), (y, d) = self.form.coefficients.items()
        if c != -d:  # if they are opposite, they are 1 and −1
            return None
        return (x, y) if c > 0 else (y, x)

    def coefficient(self, variable: Name) -> int:
        """Return the coefficient of a variable."""
        return int(self.form.coefficients.get(variable, 0))

    @cached_property
    def _ends(self) -> dict[Name, Form]:
        return {}

    def end(self, variable: Name) -> Form:
        """Return the form that a variable is equal to on the boundary.

        It is an upper bound of the variable if its coefficient is negative, else a lower one.
        """
        found = self._ends.get(variable)
        if found is None:
            c = self.coefficient(variable)
            rest = {n: Fraction(-d, c) for n, d in self.form.coefficients.items() if n != variable}
            found = self._ends[variable] = Form(rest, quotient(-self.form.constant, c))
        return found

    def holds(self, point: Mapping[Name, Any]) -> bool:
        """Whether a point is in it."""
        value: Number = self.form.value(point)
        return value > 0 or (value == 0 and not self.strict)

    def negated(self) -> Halfspace:
        """Return the halfspace of all other points."""
        return Halfspace(-self.form, not self.strict)

    def opposite(self) -> Halfspace:
        """Return the halfspace on the other side, with its boundary."""
        return Halfspace(-self.form)

    def closed(self) -> Halfspace:
        """Return the halfspace with its boundary."""
        return Halfspace(self.form)

    def sharpened(self) -> Halfspace:
        """Return the closed halfspace with an integer constant that has the same integer points."""
        constant = self.form.constant
        whole = ceil(constant) - 1 if self.strict else floor(constant)
        return Halfspace(Form(self.form.coefficients, whole))

    def renamed(self, names: Mapping[Name, Name]) -> Halfspace:
        """Return the halfspace with other names for some variables."""
        return Halfspace(self.form.renamed(names), self.strict)

    def substituted(self, forms: Mapping[Name, Form]) -> Halfspace:
        """Return the halfspace with some variables replaced by forms."""
        if self.variables.isdisjoint(forms):
            return self
        new = self.form.substituted(forms)
        return Halfspace.of(new.coefficients, new.constant, strict=self.strict)

    def at(self, point: Mapping[Name, Number]) -> Halfspace:
        """Return the halfspace with some variables replaced by numbers."""
        return self.substituted({name: Form({}, value) for name, value in point.items()})


Polyhedron: TypeAlias = tuple[Halfspace, ...]
"""The intersection of halfspaces."""


def at_least(one: Form, two: Form, *, strict: bool = False) -> Halfspace:
    """Return where one ≥ two, or one > two."""
    difference = one - two
    return Halfspace.of(difference.coefficients, difference.constant, strict=strict)


def between(variable: Name, lower: Any, upper: Any) -> frozenset[Halfspace]:
    """Return where lower ≤ variable ≤ upper; None is an infinite end."""
    ends = ((1, lower), (-1, upper))
    return frozenset(
        Halfspace.of({variable: sign}, -sign * end) for sign, end in ends if end is not None
    )


def quotient(number: Any, divisor: int) -> Any:
    """Return number/divisor; for integers, an int if it is whole, else a Fraction."""
    if divisor == 1:
        return number
    if not isinstance(number, int):
        return number / divisor
    return Fraction(number, divisor) if number % divisor else number // divisor
