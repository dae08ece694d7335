"""The distribution of a mechanism's output at an input, as closed forms in ε."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from exactdp.errors import ValueRefusedError
from exactdp.language.types import ListType, RealType
from exactdp.language.values import List, Symbolic, Value
from exactdp.measure.density import Density
from exactdp.measure.frame import Frame
from exactdp.reals import ClosedForm, ExpPoly, Interval, eps
from exactdp.reals.numbers import Number, rational
from exactdp.semantics.events import (
    ANYTHING,
    Near,
    match,
    near,
    pattern_of,
    prefix_test,
    read_pattern,
)
from exactdp.semantics.exact import Arrival, Arrivals, Question, constant_part, noise_part
from exactdp.semantics.graph import Graph, build, forms_of
from exactdp.semantics.linear import Linear

if TYPE_CHECKING:
    from exactdp.language.mechanism import Mechanism

_MOST_LISTED = 1_000  # values of bounded integer noise that a distribution lists one by one

_MOST_KEPT = 10_000  # answers that an engine remembers

Progress = Callable[[str, int], None]
"""Called with what is being counted ("states") and how many there are so far."""


class Engine:
    """Computes probabilities of one mechanism; graphs are built once and kept.

    Answers are kept too, by what a graph sees of an input: inputs that give the same integral
    (in NoisyMax all that differ by a shift) share it.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._graphs: dict[object, Graph] = {}
        self._answers: dict[object, ClosedForm] = {}
        self._frame = Frame(1, 1)

    def distribution(self, u: object, progress: Progress | None = None) -> Distribution:
        """Return the distribution of the output at an input."""
        graph, inputs = self._graph(u, ANYTHING, progress)
        return Distribution(Arrivals(graph, inputs, self._frame))

    def probability(
        self, u: object, output: object, progress: Progress | None = None
    ) -> ClosedForm:
        """Return the probability of an output, or of an event given as a pattern."""
        pattern = read_pattern(output)
        graph, inputs = self._graph(u, pattern, progress)
        key = id(graph), _seen(graph, inputs)
        if key not in self._answers:
            found = Arrivals(graph, inputs, self._frame)
            answer = found.ask(lambda listed: _probability(listed, pattern, inputs))
            self._frame = found.frame
            if len(self._answers) >= _MOST_KEPT:
                self._answers.clear()
            self._answers[key] = answer
        return self._answers[key]

    def _graph(
        self, u: object, pattern: Value, progress: Progress | None
    ) -> tuple[Graph, dict[str, Fraction]]:
        """Return the graph for an input, and the values of the symbols in it."""
        machine = self._mechanism.machine
        values: list[Value] = []
        inputs: dict[str, Fraction] = {}
        given = self._mechanism.read_input(u)
        for param, value in zip(self._mechanism.inputs, given, strict=True):
            kind = param.type
            if isinstance(kind, RealType):
                inputs[param.name] = Fraction(value)
                values.append(Linear.symbol(param.name))
            elif isinstance(kind, ListType) and isinstance(kind.item, RealType):
                names = [f"{param.name}[{j}]" for j in range(kind.length)]
                inputs |= {name: Fraction(item) for name, item in zip(names, value, strict=True)}
                values.append(List(Linear.symbol(name) for name in names))
            else:
                values.append(value)
        start = machine.start(tuple(values))
        key = start, pattern
        if key not in self._graphs:
            keep = prefix_test(machine.code, machine.slots, pattern)
            count = (lambda n: progress("states", n)) if progress else (lambda _: None)
            graph = build(machine, start, keep, count)
            if pattern is not ANYTHING:
                graph = graph.pruned(lambda output: match(output, pattern, [])).joined()
            self._graphs[key] = graph
        return self._graphs[key], inputs


def _seen(graph: Graph, inputs: Mapping[str, Fraction]) -> tuple[Fraction, ...]:
    """Return all that the probabilities of a graph depend on of an input."""
    values = [(is_mean, constant_part(form, inputs)) for is_mean, form in graph.constants]
    origin = Fraction(0)
    if graph.sees_differences_only:
        origin = next((value for is_mean, value in values if is_mean), origin)
    return tuple(value - origin if is_mean else value for is_mean, value in values)


def _probability(
    found: list[Arrival], pattern: Value, inputs: Mapping[str, Fraction]
) -> ClosedForm:
    total: ClosedForm = ExpPoly(0)
    for arrival in found:
        total = total + matching(arrival, pattern, inputs)
    return total


def matching(arrival: Arrival, pattern: Value, inputs: Mapping[str, Fraction]) -> ClosedForm:
    """Return the probability that an arrival's output matches a pattern."""
    numbers: list[tuple[Any, Any]] = []
    if not match(arrival.output, pattern, numbers):
        return ExpPoly(0)
    density = arrival.density
    for form, wanted in numbers:
        density = _confined(density, form, wanted, inputs)
    return density.without(range(arrival.variables)).number()


def _confined(
    density: Density, form: Linear, wanted: Any, inputs: Mapping[str, Fraction]
) -> Density:
    """Return the density where a number of the output is as wanted."""
    noise, constant = noise_part(form), constant_part(form, inputs)
    if isinstance(wanted, Near):
        wanted = wanted.interval()
    if not noise:
        is_in = constant in wanted if isinstance(wanted, Interval) else constant == wanted
        return density if is_in else Density(density.frame, ())
    if not density.products:
        return density
    whole = not density.products[0].integers.isdisjoint(noise)
    if not isinstance(wanted, Interval):
        if not whole:
            return Density(density.frame, ())
        wanted = Interval(wanted, wanted)
    entries = tuple(sorted(noise.items()))
    for end, is_open, op in (
        (wanted.lower, wanted.lower_open, ">"),
        (wanted.upper, wanted.upper_open, "<"),
    ):
        if isinstance(end, Fraction):
            ask = Question(entries, constant - end, op if is_open else f"{op}=", whole)
            density = ask.answer(density, True)
            if not density.products:
                return density
    return density


class Distribution(Mapping[Value, ClosedForm]):
    """Output → probability, for every output with mass; `Real` stands for a real number in one.

    The probabilities sum to exactly 1. `density` and `cumulative` tell more of real numbers.
    Integer noise is listed value by value where it is bounded; else `int` stands for all of it.
    """

    def __init__(self, found: Arrivals) -> None:
        self._found = found
        self._inputs = found.inputs
        self._chances: dict[Value, ClosedForm] = found.ask(self._by_pattern)

    def _by_pattern(self, found: list[Arrival]) -> dict[Value, ClosedForm]:
        chances: dict[Value, ClosedForm] = {}
        for arrival in found:
            if not arrival.density.products:
                continue
            for pattern in listed_values(self._pattern(arrival), arrival, self._inputs):
                chance = matching(arrival, pattern, self._inputs)
                if chance.numerator:
                    known = chances.get(pattern)
                    chances[pattern] = chance if known is None else known + chance
        return _disjoint(chances)

    def _pattern(self, arrival: Arrival) -> Value:
        return pattern_of(self._at_input(arrival.output), partial(_is_integer, arrival))

    def _at_input(self, output: Value) -> Value:
        """Return an output in which numbers without noise are numbers."""
        if isinstance(output, tuple):
            return tuple(self._at_input(item) for item in output)
        if isinstance(output, Symbolic) and not noise_part(output):
            return read_pattern(constant_part(output, self._inputs))
        return output

    def __getitem__(self, output: object) -> ClosedForm:
        pattern = read_pattern(output)
        if pattern in self._chances:
            return self._chances[pattern]
        return self.probability(output)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._chances)

    def __len__(self) -> int:
        return len(self._chances)

    def probability(self, output: object) -> ClosedForm:
        """Return the probability of an output or of an event given as a pattern."""
        pattern = read_pattern(output)
        return self._found.ask(lambda found: _probability(found, pattern, self._inputs))

    def cumulative(self, output: object, at: Number, position: int = 0) -> ClosedForm:
        """Return Pr(output has the pattern and its number at `position` is ≤ `at`)."""
        limit = Interval("-inf", rational(at, "a number"))

        def below(arrival: Arrival, form: Linear) -> ClosedForm:
            density = _confined(arrival.density, form, limit, self._inputs)
            return density.without(range(arrival.variables)).number()

        return self._sum(output, position, below)

    def density(self, output: object, at: Number, position: int = 0) -> ClosedForm:
        """Return the density of the real number at `position` at a point, with that pattern."""
        point = rational(at, "a number")

        def here(arrival: Arrival, form: Linear) -> ClosedForm:
            return _density_at(arrival, form, point, self._inputs)

        return self._sum(output, position, here) * eps

    def _sum(
        self, output: object, position: int, part: Callable[[Arrival, Linear], ClosedForm]
    ) -> ClosedForm:
        """Return the sum of a quantity over the arrivals with a pattern."""
        pattern = read_pattern(output)
        if pattern not in self._chances:
            raise ValueRefusedError(
                f"no output has the pattern {pattern!r}",
                way_out=f"The outputs are {', '.join(map(repr, list(self)[:5]))}.",
            )

        def total(found: list[Arrival]) -> ClosedForm:
            result: ClosedForm = ExpPoly(0)
            for arrival in found:
                if arrival.density.products and self._pattern(arrival) == pattern:
                    forms = [form for form in forms_of(arrival.output) if noise_part(form)]
                    if not 0 <= position < len(forms):
                        raise ValueRefusedError(
                            f"the output {pattern!r} has {len(forms)} numbers with noise, "
                            f"so none at position {position}"
                        )
                    result = result + part(arrival, forms[position])
            return result

        return self._found.ask(total)

    def __repr__(self) -> str:
        shown = ", ".join(f"{output!r}: {chance}" for output, chance in self._chances.items())
        return f"Distribution({{{shown}}})"


def listed_values(pattern: Value, arrival: Arrival, inputs: Mapping[str, Fraction]) -> list[Value]:
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
    return [_with_integers(pattern, list(values)) for values in product(*ranges)]


def _with_integers(pattern: Value, values: list[Value]) -> Value:
    """Return a pattern with values for its `int` places, in order."""
    if pattern is int:
        return values.pop(0)
    if isinstance(pattern, tuple):
        return tuple(_with_integers(item, values) for item in pattern)
    return pattern


def _disjoint(chances: dict[Value, ClosedForm]) -> dict[Value, ClosedForm]:
    """Return the chances with outputs that an `int` pattern includes added to that pattern."""
    wide = [pattern for pattern in chances if _has_integers(pattern)]
    if not wide:
        return chances
    result: dict[Value, ClosedForm] = {}
    for output, chance in chances.items():
        home = next((p for p in wide if p != output and _includes(p, output)), output)
        known = result.get(home)
        result[home] = chance if known is None else known + chance
    return result


def _has_integers(pattern: Value) -> bool:
    return pattern is int or (isinstance(pattern, tuple) and any(map(_has_integers, pattern)))


def _includes(pattern: Value, output: Value) -> bool:
    """Whether a pattern with `int` places matches an output with integers there."""
    if isinstance(pattern, tuple) and isinstance(output, tuple):
        return len(pattern) == len(output) and all(map(_includes, pattern, output))
    if pattern is int:
        return output is int or (isinstance(output, int) and not isinstance(output, bool))
    return bool(pattern == output)


def _is_integer(arrival: Arrival, form: Symbolic) -> bool:
    integers = arrival.density.products[0].integers
    return not integers.isdisjoint(noise_part(form))


def _density_at(
    arrival: Arrival, form: Linear, point: Fraction, inputs: Mapping[str, Fraction]
) -> ClosedForm:
    """Return the density of a scaled real number at point·ε."""
    noise, constant = noise_part(form), constant_part(form, inputs)
    if len(noise) > 1:
        raise ValueRefusedError(
            "the density of a sum of noises is not computed",
            way_out="Ask for cumulative(…), which is.",
        )
    ((variable, q),) = noise.items()
    others = [v for v in range(arrival.variables) if v != variable]
    total: ClosedForm = ExpPoly(0)
    for part in arrival.density.without(others).products:
        value = part.functions[variable].at((point - constant) / q)
        total = total + part.with_weight(value).number(arrival.density.frame)
    return total / abs(q)


def within(engine: Engine, u: object, output: object, gamma: object, distance: str) -> ClosedForm:
    """Return the probability that the output is within gamma of the ideal output."""
    ideal = read_pattern(output)
    radius = rational(gamma, "gamma")
    if radius < 0:
        raise ValueRefusedError(f"gamma is {radius}", rule="gamma is a distance, so not negative.")
    if distance == "discrete":
        return ExpPoly(1) if radius >= 1 else engine.probability(u, ideal)
    if distance == "sup":
        return engine.probability(u, near(ideal, radius))
    raise ValueRefusedError(
        f"the output distance {distance!r} is not known", way_out="Use 'discrete' or 'sup'."
    )
