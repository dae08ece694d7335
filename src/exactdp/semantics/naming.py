"""The names of noise in a state: by position, so that equal states are one node."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactdp.language.events import Done, State
from exactdp.language.linear import Linear, Scalar
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.stored import StoredAnswer
from exactdp.language.values import List, Symbolic, Value
from exactdp.language.wholes import Whole
from exactdp.semantics.nodes import (
    Later,
    NodeEvent,
    NoiseKinds,
    RoundedInput,
    all_forms,
    has_noise,
    noise_part,
)

_ONE = Fraction(1)


def is_settled(value: Value) -> bool:
    """Whether a value contains neither noise nor samples that are still to be drawn."""
    if isinstance(value, tuple):
        return all(map(is_settled, value))
    if isinstance(value, Whole | StoredAnswer):
        return is_settled(value.form)
    if isinstance(value, NoisyQuotient):
        return is_settled((value.over, value.under))
    if not isinstance(value, Linear):
        return True
    return all(
        isinstance(n, str) or (isinstance(n, Whole) and is_settled(n)) for n in value.coefficients
    )


def canonical(
    event: NodeEvent, state: State, noiseless: dict[int, Value], kinds: NoiseKinds
) -> tuple[State, tuple[Linear, ...]]:
    """Return the state at an event with its noise renamed, and the meaning of the new variables.

    A variable that consists of integer noise is an integer too. At the end of a run only the
    output matters; it replaces the environment. Tuples known to contain no noise (above all, the
    inputs) are cached in `noiseless` by identity.
    """
    basis = _Basis(noiseless, kinds)
    if kinds.integers:
        basis.seed(event.output if isinstance(event, Done) else state.env)
    if isinstance(event, Done):
        return State(-1, (basis.rename(event.output),)), tuple(basis.forms)
    env = tuple(basis.rename(value) for value in state.env)
    return State(state.pc, env), tuple(basis.forms)


class _Basis:
    """Collects independent forms and writes others in terms of them.

    For integer noise z, a form z/2 + 1/4 is stored as z, so that it is an integer.
    """

    def __init__(self, noiseless: dict[int, Value], kinds: NoiseKinds) -> None:
        self._noiseless = noiseless
        self._kinds, self._integers = kinds, kinds.integers
        self.forms: list[Linear] = []
        self._late: dict[Later, Later] = {}
        self._laws: dict[object, int] = {}
        self._simple: dict[int, int] = {}
        self._is_simple = not kinds.integers
        """Whether all forms so far are single symbols."""
        # Rows in echelon form: (pivot, coefficients of noise, combination of the basis).
        self._rows: list[tuple[int, dict[int, Fraction], dict[int, Fraction]]] = []

    def seed(self, value: Value) -> None:
        """Make the parts k and f of forms with integer and real noise variables of their own."""
        for form in all_forms(value):
            if self._kinds.mixes(form):
                for name in noise_part(form):
                    self._rename(Linear.symbol(name))

    def rename(self, value: Value) -> Value:
        """Return a value with its noise renamed."""
        if isinstance(value, NoisyQuotient):
            return value.mapped(self.rename)
        if isinstance(value, StoredAnswer):
            for name in value.form.coefficients:  # each a variable, not their difference
                if isinstance(name, int):
                    self.rename(Linear.symbol(name))
            return value.mapped(self.rename)
        if isinstance(value, Symbolic):
            assert isinstance(value, Linear)
            if is_settled(value):
                return value
            found = self._rename_symbol(value)
            return self._rename_form(value) if found is None else found
        if isinstance(value, tuple) and id(value) not in self._noiseless:
            parts = [self.rename(part) for part in value]
            if any(a is not b for a, b in zip(parts, value, strict=True)):
                return List(parts) if isinstance(value, List) else tuple(parts)
            if all(map(is_settled, value)):
                self._noiseless[id(value)] = value
        return value

    def _rename_symbol(self, form: Linear) -> Linear | None:
        """Return a form that is a single symbol with its new name; None in the general case."""
        if form.constant or len(form.coefficients) != 1:
            return None
        ((name, q),) = form.coefficients.items()
        if q != 1:
            return None
        new: Hashable
        if isinstance(name, Later | Whole):
            new = self._symbol(name)
        elif not self._is_simple:
            return None
        else:
            assert isinstance(name, int)
            if name not in self._simple:
                self._simple[name] = len(self.forms)
                self._rows.append((name, {name: _ONE}, {len(self.forms): _ONE}))
                self.forms.append(form)
            new = self._simple[name]
        return form if new == name else Linear.symbol(new)

    def _rename_form(self, form: Linear) -> Scalar:
        """Return a form with its noise and its samples that are still to be drawn renamed."""
        late = {name: q for name, q in form.coefficients.items() if isinstance(name, Later | Whole)}
        if not late:
            return self._rename(form)
        rest: Any = form - Linear.build(late, 0)
        found: Any = Linear.build({self._symbol(name): q for name, q in late.items()}, 0)
        return found + (self._rename(rest) if has_noise(rest) else rest)  # type: ignore[no-any-return]

    def _symbol(self, name: Later | Whole) -> Later | Whole:
        """Return a sample that is still to be drawn, or a whole number, in the new variables."""
        if isinstance(name, Later):
            return self._numbered(name)
        return replace(name, form=self.rename(name.form))

    def _numbered(self, sample: Later) -> Later:
        """Return a sample numbered by its occurrence among those with the same law."""
        if sample not in self._late:
            number = self._laws[sample.law] = self._laws.get(sample.law, -1) + 1
            same = number == sample.number
            self._late[sample] = sample if same else replace(sample, number=number)
        return self._late[sample]

    def _rename(self, form: Linear) -> Scalar:
        rest = {name: Fraction(q) for name, q in form.coefficients.items() if isinstance(name, int)}
        combination: dict[int, Fraction] = {}
        for pivot, row, made_of in self._rows:
            factor = rest.get(pivot)
            if factor:
                for name, q in row.items():
                    rest[name] = rest.get(name, Fraction(0)) - factor * q
                for j, q in made_of.items():
                    combination[j] = combination.get(j, Fraction(0)) + factor * q
        rest = {name: q for name, q in rest.items() if q}
        if rest:
            self._is_simple = False
            new = len(self.forms)
            is_whole = not self._integers.isdisjoint(rest)
            step, start = _lattice(form) if is_whole else (Fraction(1), 0)
            kept = (form - start) * (1 / step)
            assert isinstance(kept, Linear)
            self.forms.append(kept)
            pivot = min(rest)
            scale = rest[pivot]
            made_of = {j: -q / scale for j, q in combination.items()}
            made_of[new] = step / scale
            self._rows.append((pivot, {name: q / scale for name, q in rest.items()}, made_of))
            return Linear.build({new: step}, 0) + start
        leftover: Any = form
        renamed: dict[Hashable, Fraction] = {}
        for j, q in combination.items():
            if q:
                leftover = leftover - q * self.forms[j]
                renamed[j] = q
        if isinstance(leftover, Linear):
            return Linear.build({**renamed, **leftover.coefficients}, leftover.constant)
        return Linear.build(renamed, leftover)


def _lattice(form: Linear) -> tuple[Fraction, Any]:
    """Return step and start such that (form − start)/step is whole; inputs may not be."""
    noise = (Fraction(q) for name, q in form.coefficients.items() if isinstance(name, int))
    step = Fraction(1, math.lcm(*(q.denominator for q in noise)))
    inputs = {
        name: q
        for name, q in form.coefficients.items()
        if isinstance(name, str) and not isinstance(name, RoundedInput)
    }
    return step, Linear.build(inputs, Fraction(form.constant) % step)
