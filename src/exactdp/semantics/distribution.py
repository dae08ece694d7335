"""The distribution of a mechanism's output at an input, as closed forms in ε."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from fractions import Fraction
from html import escape
from itertools import product
from typing import Any

from exactdp.errors import ValueRefusedError, shown
from exactdp.language.events import State
from exactdp.language.linear import Linear
from exactdp.language.nested import leaves, mapped
from exactdp.language.values import Value
from exactdp.polyhedra.form import Number
from exactdp.reals import ClosedForm, Interval, numbers
from exactdp.reals.numbers import rational, spell
from exactdp.reals.printing import mathml
from exactdp.reals.radical_form import multiple_of_eps
from exactdp.reals.radicals import Surd
from exactdp.reals.told import FEW, table
from exactdp.semantics.densities import is_integer as _is_integer
from exactdp.semantics.densities import pattern_at
from exactdp.semantics.exact import Arrival, Arrivals
from exactdp.semantics.masses import ZERO, confined, density_at, matching, probability_of
from exactdp.semantics.nodes import forms_of, noise_part
from exactdp.semantics.patterns import read_pattern
from exactdp.semantics.plan import constant_part
from exactdp.semantics.roots import scaled_by

_MOST_LISTED = 1_000  # values of bounded integer noise that a distribution lists individually


class Distribution(Mapping[Value, ClosedForm]):
    """Output → probability, for every output with mass; `Real` stands for a real number in one.

    The probabilities sum to exactly 1. `density` and `cumulative` describe the real numbers.
    Bounded integer noise is listed value by value; otherwise `int` stands for all its values.
    """

    _has_keys = True

    def __init__(self, found: Arrivals, unit: Surd = Fraction(1)) -> None:
        self._found = found
        self._unit = unit
        self._inputs = found.inputs
        apart: dict[State, ClosedForm] = found.ask(self._by_pattern)
        self.apart = tuple((state.env[0], chance) for state, chance in apart.items())
        """Outputs with their probabilities; True and 1 share a key of the mapping, not here."""
        self._chances = dict(sorted(_disjoint(self.apart).items(), key=lambda one: _order(one[0])))

    def _by_pattern(self, found: list[Arrival]) -> dict[State, ClosedForm]:
        chances: dict[State, ClosedForm] = {}
        for arrival in found:
            if not arrival.density.products:
                continue
            for pattern in listed_values(self._pattern(arrival), arrival, self._inputs):
                chance = scaled_by(matching(arrival, pattern, self._inputs), self._unit)
                if chance.numerator:
                    key = State(-1, (pattern,))
                    known = chances.get(key)
                    chances[key] = chance if known is None else known + chance
        return chances

    def _pattern(self, arrival: Arrival) -> Value:
        return pattern_at(arrival, self._inputs)

    def for_users(self) -> Distribution:
        """Return this, or one that is no mapping if True and 1 are two outputs of one key."""
        if len({output for output, _ in self.apart}) == len(self.apart):
            return self
        found = copy(self)
        found._has_keys = False
        return found

    def _require_keys(self) -> None:
        if not self._has_keys:
            raise ValueRefusedError(
                "the outputs contain both a truth value and the number that it is equal to",
                rule="True and 1 are two outputs, and one key of a mapping; so are False and 0.",
                way_out="Use `apart`, or ask probability(u, True) and probability(u, 1).",
            )

    def __getitem__(self, output: object) -> ClosedForm:
        self._require_keys()
        pattern = read_pattern(output)
        if pattern in self._chances:
            return self._chances[pattern]
        return self.probability(output)

    def __iter__(self) -> Iterator[Value]:
        self._require_keys()
        return iter(self._chances)

    def __len__(self) -> int:
        self._require_keys()
        return len(self._chances)

    def probability(self, output: object) -> ClosedForm:
        """Return the probability of an output or of an event given as a pattern."""
        pattern = read_pattern(output)
        answer = self._found.ask(lambda found: probability_of(found, pattern, self._inputs))
        return scaled_by(answer, self._unit)

    def cumulative(self, output: object, at: numbers.Number, position: int = 0) -> ClosedForm:
        """Return Pr(output has the pattern and its number at `position` is ≤ `at`)."""
        limit = Interval("-inf", rational(at, "a number"))

        def below(arrival: Arrival, form: Linear) -> ClosedForm:
            density = confined(arrival.density, form, limit, self._inputs)
            return density.without(range(arrival.variables)).number()

        return self._sum(output, position, below)

    def density(self, output: object, at: numbers.Number, position: int = 0) -> ClosedForm:
        """Return the density at a point of the real number at `position`, for that pattern."""
        point = rational(at, "a number")

        def here(arrival: Arrival, form: Linear) -> ClosedForm:
            return density_at(arrival, form, point, self._inputs)

        return self._sum(output, position, here) * multiple_of_eps(self._unit)

    def _sum(
        self, output: object, position: int, part: Callable[[Arrival, Linear], ClosedForm]
    ) -> ClosedForm:
        """Return the sum of a quantity over the arrivals with a pattern."""
        pattern = read_pattern(output)
        if pattern not in self._chances:
            raise ValueRefusedError(
                f"no output has the pattern {shown(pattern)}",
                way_out=f"The outputs are {', '.join(map(shown, list(self)[:5]))}.",
            )

        def total(found: list[Arrival]) -> ClosedForm:
            result: ClosedForm = ZERO
            for arrival in found:
                if arrival.density.products and self._pattern(arrival) == pattern:
                    forms = [form for form in forms_of(arrival.output) if noise_part(form)]
                    if not 0 <= position < len(forms):
                        raise ValueRefusedError(
                            f"the output {shown(pattern)} has {len(forms)} numbers with noise, "
                            f"so none at position {position}"
                        )
                    result = result + part(arrival, forms[position])
            return result

        return scaled_by(self._found.ask(total), self._unit)

    def _listed(self) -> Iterable[tuple[Value, ClosedForm]]:
        return self._chances.items() if self._has_keys else self.apart

    def __repr__(self) -> str:
        shown = ", ".join(f"{output!r}: {chance}" for output, chance in self._listed())
        return f"Distribution({{{shown}}})"

    def _repr_html_(self) -> str:
        """Return a table: outputs in order, closed forms, and probabilities at a few ε."""
        rows = [
            (
                f"<code>{escape(as_text(output))}</code>",
                mathml(chance),
                *(f"{float(chance.at(eps)):.4f}" for eps in FEW),
            )
            for output, chance in self._listed()
        ]
        head = ("output", "probability", *(f"at ε = {eps}" for eps in FEW))
        return table(head, rows, numbers_from=2)


def as_text(output: Value) -> str:
    """Return an output as a user would write it."""
    if isinstance(output, tuple):
        return f"[{', '.join(map(as_text, output))}]"
    if isinstance(output, type):
        return output.__name__
    return spell(output) if isinstance(output, Fraction) else str(output)


def _order(output: Value) -> tuple[int, Any]:
    """Return a key that sorts numbers by size, lists by entry, and everything else as text."""
    if isinstance(output, int | Fraction):
        return 0, output
    return (2, tuple(map(_order, output))) if isinstance(output, tuple) else (1, as_text(output))


def listed_values(pattern: Value, arrival: Arrival, inputs: Mapping[str, Number]) -> list[Value]:
    """Return the outputs of an arrival, one by one if its integer noise is bounded."""
    forms = [form for form in forms_of(arrival.output) if _is_integer(arrival, form)]
    if not forms:
        return [pattern]
    ranges = []
    for form in forms:
        noise, constant = noise_part(form), constant_part(form, inputs)
        ((variable, q), *more) = noise.items()
        others = [v for v in range(arrival.variables) if v != variable]
        ends = None if more else arrival.density.without(others).integer_range(variable)
        if ends is None or ends[1] - ends[0] > _MOST_LISTED:
            return [pattern]
        ranges.append([read_pattern(q * z + constant) for z in range(ends[0], ends[1] + 1)])
    return [with_integers(pattern, values) for values in product(*ranges)]


def with_integers(pattern: Value, values: Iterable[Value]) -> Value:
    """Return a pattern with its `int` places replaced by values, in order."""
    left = iter(values)
    return mapped(pattern, lambda one: next(left) if one is int else one)


def _disjoint(chances: tuple[tuple[Value, ClosedForm], ...]) -> dict[Value, ClosedForm]:
    """Return the probabilities, with outputs that match an `int` pattern merged into it."""
    wide = [pattern for pattern, _ in chances if has_integers(pattern)]
    result: dict[Value, ClosedForm] = {}
    for output, chance in chances:
        home = next((p for p in wide if p != output and _includes(p, output)), output)
        known = result.get(home)
        result[home] = chance if known is None else known + chance
    return result


def has_integers(pattern: Value) -> bool:
    """Whether a pattern has a place for integer noise."""
    return any(one is int for one in leaves(pattern))


def _includes(pattern: Value, output: Value) -> bool:
    """Whether a pattern with `int` places matches an output with integers there."""
    if isinstance(pattern, tuple) and isinstance(output, tuple):
        return len(pattern) == len(output) and all(map(_includes, pattern, output))
    if pattern is int:
        return output is int or (isinstance(output, int) and not isinstance(output, bool))
    return bool(pattern == output)
