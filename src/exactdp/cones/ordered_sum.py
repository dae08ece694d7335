"""A sum of exponentials as a function of points, with its parameters as ordered coordinates.

The ring is that of `exactdp.reals`; this module adds the operations that cones need.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from flint import Ordering, arb, ctx, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from exactdp.errors import ValueRefusedError
from exactdp.reals.evaluation import numbers, sign, total
from exactdp.reals.exp_poly import ExpPoly
from exactdp.reals.numbers import Number, rational

Vector: TypeAlias = tuple[Fraction, ...]
"""A rational point or linear form, one entry per coordinate."""

WholeTerm: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], int]
"""Powers, rates and coefficient of a term, the last two times common denominators."""


@dataclass(frozen=True, eq=False)
class OrderedSum:
    """f(θ) = Σ c·θ^k·exp(ℓ·θ), θ the parameters with these names in this order.

    Two are equal if they are the same function of θ, regardless of the names of the parameters.
    """

    form: ExpPoly
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if missing := [name for name in self.form.parameters if name not in self.names]:
            raise ValueRefusedError(f"the function depends on {', '.join(missing)} too")

    def __reduce__(self) -> tuple[object, ...]:
        return OrderedSum, (self.form, self.names)

    @cached_property
    def parts(self) -> dict[Vector, fmpq_mpoly]:
        """{ℓ: p} with f(θ) = Σ p(θ)·exp(ℓ·θ)."""
        gathered: dict[Vector, dict[tuple[int, ...], fmpq]] = {}
        for powers, rates, coefficient in self.form.entries(self.names):
            gathered.setdefault(rates, {})[powers] = coefficient
        ring = ring_of(len(self.names))
        return {rates: ring.from_dict(part) for rates, part in gathered.items()}

    @cached_property
    def whole(self) -> tuple[int, int, frozenset[WholeTerm]]:
        """The denominators of rates and coefficients, and the terms in whole numbers."""
        entries = list(self.form.entries(self.names))
        under = math.lcm(*(rate.denominator for _, rates, _ in entries for rate in rates))
        over = math.lcm(*(int(coefficient.q) for _, _, coefficient in entries))
        terms = frozenset(
            (powers, tuple(q.numerator * (under // q.denominator) for q in rates), int(c * over))
            for powers, rates, c in entries
        )
        return under, over, terms

    def reordered(self, order: Sequence[int]) -> OrderedSum:
        """Return the function of these coordinates alone; it must not depend on the others."""
        found = OrderedSum(self.form, tuple(self.names[k] for k in order))
        under, over, terms = self.whole
        left = ((tuple(p[k] for k in order), tuple(r[k] for k in order), c) for p, r, c in terms)
        vars(found)["whole"] = under, over, frozenset(left)
        return found

    def at(self, point: Sequence[Number], bits: int = 64) -> arb:
        """Return a ball around the value at a rational point, computed with that many bits."""
        with ctx.workprec(bits):
            return total(self._numbers(point))

    def sign_at(self, point: Sequence[Number]) -> int:
        """Return the exact sign at a rational point."""
        return sign(self._numbers(point))

    def _numbers(self, point: Sequence[Number]) -> dict[fmpq, fmpq]:
        if len(point) != len(self.names):
            raise ValueRefusedError(f"{len(point)} numbers for {len(self.names)} variables")
        place = {name: rational(q) for name, q in zip(self.names, point, strict=True)}
        return numbers(self.form, place)

    def __bool__(self) -> bool:
        return bool(self.form)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OrderedSum) and self.whole == other.whole

    def __hash__(self) -> int:
        return hash(self.whole)


def ring_of(size: int) -> fmpq_mpoly_ctx:
    """Return the polynomials in that many variables."""
    return fmpq_mpoly_ctx.get([f"x{i}" for i in range(size)], Ordering.lex)
