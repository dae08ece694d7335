"""Sums Σ c·∏ x^k·e^{Σ q·x} in named variables x, in which c and q may be irrational (`radicals`).

Terms with different k and q are linearly independent, so a sum is 0 exactly if its terms cancel.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from operator import add
from typing import Any, TypeAlias

from flint import arb

from exactdp.reals.exp_poly import ExpPoly, as_sum
from exactdp.reals.exp_term import integrated
from exactdp.reals.numbers import fraction
from exactdp.reals.operators import Additive
from exactdp.reals.radicals import Radical, Surd, ball_of

Key: TypeAlias = tuple[Any, ...]
"""The powers k of all variables, and then the rates q of all of them."""

_ZERO = Fraction(0)


class SurdSum(Additive):
    """{(k, …, q, …): c} with no c = 0, for variables in an order; the first one is ε."""

    __slots__ = ("names", "terms")

    def __init__(self, terms: Mapping[Key, Surd], names: tuple[str, ...] = ("eps",)) -> None:
        self.terms = {key: c for key, c in terms.items() if c != 0}
        self.names = names

    def __reduce__(self) -> tuple[object, ...]:
        return SurdSum, (self.terms, self.names)

    @classmethod
    def of(cls, value: object) -> SurdSum | None:
        """Return a number or a sum with rational numbers as such a sum, None for anything else."""
        if isinstance(value, SurdSum):
            return value
        if isinstance(value, Radical):
            return cls({(0, _ZERO): value})
        form = as_sum(value)
        if form is None:
            return None
        names = ("eps", *(name for name in form.parameters if name != "eps"))
        return cls(
            {(*powers, *rates): fraction(c) for powers, rates, c in form.entries(names)}, names
        )

    @property
    def numerator(self) -> SurdSum:
        """The sum itself."""
        return self

    @property
    def parameters(self) -> tuple[str, ...]:
        """The variables that occur."""
        size = len(self.names)
        return tuple(
            name
            for j, name in enumerate(self.names)
            if any(key[j] or key[size + j] != 0 for key in self.terms)
        )

    @property
    def is_irrational(self) -> bool:
        """Whether one of its numbers is irrational."""
        return any(isinstance(x, Radical) for key, c in self.terms.items() for x in (*key, c))

    def rows(self) -> list[tuple[int, Surd, Surd]]:
        """Return the power, the rate and the coefficient of each term; only for functions of ε."""
        return [(k, q, c) for (k, q), c in self.terms.items()]

    def in_names(self, names: tuple[str, ...]) -> SurdSum:
        """Return the sum in more variables, or in another order."""
        if names == self.names:
            return self
        size = len(self.names)
        places = [self.names.index(name) if name in self.names else None for name in names]
        return SurdSum(
            {
                (
                    *(0 if j is None else key[j] for j in places),
                    *(_ZERO if j is None else key[size + j] for j in places),
                ): c
                for key, c in self.terms.items()
            },
            names,
        )

    # Arithmetic ---------------------------------------------------------------------------

    def _pair(self, other: object) -> tuple[SurdSum, SurdSum] | None:
        """Return this and another sum in the same variables."""
        its = SurdSum.of(other)
        if its is None:
            return None
        names = tuple(dict.fromkeys((*self.names, *its.names)))
        return self.in_names(names), its.in_names(names)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __len__(self) -> int:
        return len(self.terms)

    def __neg__(self) -> SurdSum:
        return SurdSum({key: -c for key, c in self.terms.items()}, self.names)

    def __add__(self, other: object) -> SurdSum:
        pair = self._pair(other)
        if pair is None:
            return NotImplemented
        found = dict(pair[0].terms)
        for key, c in pair[1].terms.items():
            _gather(found, key, c)
        return SurdSum(found, pair[0].names)

    def __mul__(self, other: object) -> SurdSum:
        pair = self._pair(other)
        if pair is None:
            return NotImplemented
        found: dict[Key, Surd] = {}
        for one, c in pair[0].terms.items():
            for two, d in pair[1].terms.items():
                _gather(found, tuple(map(add, one, two)), c * d)
        return SurdSum(found, pair[0].names)

    def __eq__(self, other: object) -> bool:
        pair = self._pair(other)
        return NotImplemented if pair is None else pair[0].terms == pair[1].terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    # Calculus -----------------------------------------------------------------------------

    def substitute(self, **values: ExpPoly | Mapping[str, Surd]) -> SurdSum:
        """Return the sum with variables replaced by linear forms {variable: factor}."""
        forms = {
            name: value.linear_form() if isinstance(value, ExpPoly) else value
            for name, value in values.items()
        }
        targets = (name for form in forms.values() for name in form or ())
        kept = (name for name in self.names if name not in forms)
        names = tuple(dict.fromkeys(("eps", *kept, *targets)))
        size, places = len(self.names), {name: j for j, name in enumerate(names)}
        moves = [
            [(places[t], q) for t, q in (forms.get(name, {name: 1}) or {}).items()]
            for name in self.names
        ]
        raised = {
            j: [one := SurdSum({(0,) * len(names) + (_ZERO,) * len(names): Fraction(1)}, names)]
            + [one := one * _linear(forms[name] or {}, names) for _ in range(self._highest(j))]
            for j, name in enumerate(self.names)
            if name in forms
        }
        found: dict[Key, Surd] = {}
        for key, c in self.terms.items():
            moved: list[Any] = [0] * len(names) + [_ZERO] * len(names)
            part: SurdSum | None = None
            for j, targeted in enumerate(moves):
                if j not in raised:
                    moved[targeted[0][0]] = key[j]
                elif key[j]:
                    part = raised[j][key[j]] if part is None else part * raised[j][key[j]]
                if key[size + j] != 0:
                    for place, q in targeted:
                        moved[len(names) + place] += key[size + j] * q
            if part is None:
                _gather(found, tuple(moved), c)
                continue
            for change, factor in part.terms.items():
                _gather(found, tuple(map(add, moved, change)), c * factor)
        return SurdSum(found, names)

    def _highest(self, j: int) -> int:
        return max((key[j] for key in self.terms), default=0)

    def derivative(self, name: str = "eps") -> SurdSum:
        """Return the derivative in a variable."""
        j, size = self.names.index(name), len(self.names)
        found: dict[Key, Surd] = {}
        for key, c in self.terms.items():
            _gather(found, key, c * key[size + j])
            if key[j]:
                _gather(found, (*key[:j], key[j] - 1, *key[j + 1 :]), c * key[j])
        return SurdSum(found, self.names)

    def antiderivative(self, name: str) -> SurdSum:
        """Return a sum whose derivative in a variable is this, 0 at ±∞ if possible."""
        whole = self if name in self.names else self.in_names((*self.names, name))
        j, size = whole.names.index(name), len(whole.names)
        found: dict[Key, Surd] = {}
        for key, c in whole.terms.items():
            for k, value in integrated(key[j], key[size + j], c):
                _gather(found, (*key[:j], k, *key[j + 1 :]), value)
        return SurdSum(found, whole.names)

    def on_ball(self, x: arb) -> arb:
        """Return a ball that contains the values of a function of ε on a ball."""
        return sum((ball_of(c) * x**k * (ball_of(q) * x).exp() for k, q, c in self.rows()), arb(0))


def _gather(found: dict[Key, Surd], key: Key, c: Surd) -> None:
    found[key] = found[key] + c if key in found else c


def _linear(form: Mapping[str, Surd], names: tuple[str, ...]) -> SurdSum:
    """Return a linear form as a sum."""
    rates = (_ZERO,) * len(names)
    powers = {target: tuple(int(name == target) for name in names) for target in form}
    return SurdSum({(*powers[t], *rates): q for t, q in form.items()}, names)
