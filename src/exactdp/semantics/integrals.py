"""The integral of a graph with a single path, in a form that does not depend on its order.

If a single path leads to an output, its probability is the integral of a product of densities over
the samples that satisfy all comparisons on the path. It does not change if samples are drawn and
compared in another order, nor if all samples that are compared with each other are shifted by the
same amount. So SparseVariant returns ⊥⊤⊥ and ⊤⊥⊥ with the same probability if the numbers of its
input are exchanged likewise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from exactdp.language.events import Compare, Done, Draw
from exactdp.language.linear import Linear
from exactdp.language.values import Value
from exactdp.polyhedra.form import Number
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import Edge, has_noise
from exactdp.semantics.patterns import Near, match_exactly

_NOISES = ("lap", "expo")
_SIGNS = {">": 1, ">=": 1, "<": -1, "<=": -1}

_InputTerms: TypeAlias = tuple[tuple[str, Number], ...]
"""Inputs with their coefficients."""

_Values: TypeAlias = dict[int, tuple[Linear, ...]]
"""The variables of a node: each is the maximum of some forms in samples."""


class _PathSample(NamedTuple):
    """A sample of a path; its mean is free of noise."""

    noise: str
    rate: Fraction
    mean: Any


class PathIntegral:
    """The samples and the comparisons of a graph with a single path, and its output.

    A comparison is a form in samples, by number, and in inputs, that is positive.
    """

    def __init__(
        self, samples: tuple[_PathSample, ...], positive: tuple[Linear, ...], output: Value
    ) -> None:
        self._laws = [(one.noise, *one.rate.as_integer_ratio()) for one in samples]
        self._means = [_SampleRow.of(one.mean) for one in samples]
        self._rows = [_SampleRow.of(form) for form in positive]
        self._parts = _parts(len(samples), self._rows)
        self._output = output

    @classmethod
    def of(cls, graph: Graph) -> PathIntegral | None:
        """Return the integral of a graph; None if it has several paths, or other events.

        A comparison after which the larger of two values is kept is no fork: the value is their
        maximum. To be above it is to be above each.
        """
        if any(graph.cyclic):
            return None
        samples: list[_PathSample] = []
        positive: list[Linear] = []
        values: _Values = {}
        node = graph.nodes[0]
        while not isinstance(node.event, Done):
            event, edges = node.event, node.edges
            if isinstance(event, Draw) and len(edges) == 1 and _is_plain(event):
                values[node.variables] = (Linear.symbol(len(samples)),)
                samples.append(_PathSample(event.noise, event.rate, event.mean))
                found = _moved(edges[0].variables, values)
            elif isinstance(event, Compare) and event.op in _SIGNS and edges:
                if not isinstance(event.difference, Linear):
                    return None
                form: Linear = event.difference * _SIGNS[event.op]
                found = _larger(form, edges, values)
                if len(edges) == 1:
                    more = _above(form if edges[0].case else -form, values)
                    if more is None:
                        return None
                    positive += more
                    found = _moved(edges[0].variables, values)
            else:
                return None
            if found is None:
                return None
            values, node = found, graph.nodes[edges[0].target]
        output = _with(node.event.output, values)
        return None if output is None else cls(tuple(samples), tuple(positive), output[0])

    def key(self, inputs: Mapping[str, Number], pattern: Value) -> Hashable:
        """Return a key of the integral over outputs of a pattern; equal keys, equal integrals.

        None if it is not known.
        """
        wanted: list[tuple[Any, Any]] = []
        if not match_exactly(self._output, pattern, wanted):
            return None
        rows: list[list[tuple[_Terms, Number]]] = [[] for _ in self._parts]
        for form, near in wanted:
            if not isinstance(form, Linear):  # a quotient
                return None
            names = [name for name in form.coefficients if isinstance(name, int)]
            if not isinstance(near, Near) or len(names) != 1:
                return None
            part = next(k for k, (numbers, _) in enumerate(self._parts) if names[0] in numbers)
            lower, upper = near.ends
            for row in (_SampleRow.of(form - lower), _SampleRow.of(upper - form)):
                rows[part].append((row.terms, row.rest(inputs)))
        for found, (_, own) in zip(rows, self._parts, strict=True):
            found += [(row.terms, row.rest(inputs)) for row in own]
        means = [row.rest(inputs) for row in self._means]
        pairs = zip(self._parts, rows, strict=True)
        keys = [self._key(numbers, found, means) for (numbers, _), found in pairs]
        return frozenset(Counter(keys).items())  # keys of different noise have no order

    def _key(
        self, numbers: list[int], rows: list[tuple[_Terms, Number]], means: list[Number]
    ) -> tuple[Any, ...]:
        """Return the key of some samples that are compared with no others.

        Samples are numbered by what is known of each, which need not distinguish all of them.
        """
        origin = min([means[n] for n in numbers])
        moved = [(terms, rest + origin * sum([q for _, q in terms])) for terms, rest in rows]
        facts: dict[int, list[Any]] = {n: [] for n in numbers}
        for terms, rest in moved:
            for n, q in terms:
                facts[n].append((q, rest))
        listed = sorted([(self._laws[n], means[n] - origin, sorted(facts[n]), n) for n in numbers])
        place = {one[3]: k for k, one in enumerate(listed)}
        forms = [(rest, sorted([(place[n], q) for n, q in terms])) for terms, rest in moved]
        forms.sort()
        return (
            *[(*law, mean) for law, mean, _, _ in listed],
            *[(rest, *terms) for rest, terms in forms],
        )


_Terms: TypeAlias = tuple[tuple[int, Number], ...]
"""Samples, by number, with their coefficients."""


class _SampleRow(NamedTuple):
    """A form in samples and inputs."""

    terms: _Terms
    constant: Number
    inputs: _InputTerms

    @classmethod
    def of(cls, form: Any) -> _SampleRow:
        """Return a form, or a number, as a row."""
        if not isinstance(form, Linear):
            return cls((), form, ())
        items = form.coefficients.items()
        return cls(
            tuple([(name, q) for name, q in items if isinstance(name, int)]),
            form.constant,
            tuple([(name, q) for name, q in items if not isinstance(name, int)]),
        )

    def rest(self, inputs: Mapping[str, Number]) -> Number:
        """Return the part without samples at an input."""
        total = self.constant
        for name, q in self.inputs:
            total += q * inputs[name]
        return total


def _is_plain(event: Draw) -> bool:
    """Whether the density of a sample is that of its noise, its rate and its mean at an input."""
    is_rational = isinstance(event.rate, Fraction) and event.base is None
    return event.noise in _NOISES and is_rational and not has_noise(event.mean)


def _moved(forms: tuple[Linear, ...], values: _Values) -> _Values | None:
    """Return the values of the next variables; None if one is computed with a maximum."""
    found = {}
    for new, form in enumerate(forms):
        ((old, q), *others) = form.coefficients.items()
        if not others and q == 1 and not form.constant and isinstance(old, int):
            found[new] = values[old]
        elif (value := _single(form, values)) is not None:
            found[new] = (value,)
        else:
            return None
    return found


def _single(form: Linear, values: _Values) -> Linear | None:
    """Return a form in samples; None if a maximum occurs in it."""
    names = [name for name in form.coefficients if isinstance(name, int)]
    if any(len(values[name]) > 1 for name in names):
        return None
    found: Linear = form.substituted({name: values[name][0] for name in names})
    return found


def _above(form: Linear, values: _Values) -> list[Linear] | None:
    """Return forms in samples that are all positive where a form is; None if there are none."""
    wide = [name for name in form.coefficients if len(values.get(name, ())) > 1]
    if not has_noise(form) or len(wide) > 1 or any(form.coefficients[name] > 0 for name in wide):
        return None
    names = [name for name in form.coefficients if isinstance(name, int)]
    own = {name: values[name][0] for name in names}
    if not wide:
        return [form.substituted(own)]
    return [form.substituted({**own, wide[0]: one}) for one in values[wide[0]]]


def _larger(form: Linear, edges: tuple[Edge, ...], values: _Values) -> _Values | None:
    """Return the next values if the larger of two is kept, which are compared by a form.

    Whether they are equal does not matter.
    """
    if len(edges) != 2 or edges[0].target != edges[1].target or form.constant:
        return None
    signs = {q: name for name, q in form.coefficients.items() if isinstance(name, int)}
    if len(form.coefficients) != 2 or signs.keys() != {1, -1}:
        return None
    yes, no = edges if edges[0].case else edges[::-1]
    one, two = (Linear.symbol(signs[sign]) for sign in (1, -1))
    found: _Values = {}
    for new, pair in enumerate(zip(yes.variables, no.variables, strict=True)):
        if pair == (one, two):
            found[new] = (*values[signs[1]], *values[signs[-1]])
            continue
        same = _moved(pair[:1], values) if pair[0] == pair[1] else None
        if same is None:
            return None
        found[new] = same[0]
    return found


def _with(output: Value, values: _Values) -> tuple[Value] | None:
    """Return an output with forms in samples for its variables; None if it has a maximum."""
    if isinstance(output, tuple):
        items = [_with(item, values) for item in output]
        return None if None in items else (tuple(one[0] for one in items if one is not None),)
    if not isinstance(output, Linear):
        return (output,)
    found = _single(output, values)
    return None if found is None else (found,)


def _parts(count: int, rows: list[_SampleRow]) -> list[tuple[list[int], list[_SampleRow]]]:
    """Return the samples in groups that no comparison connects, each with its comparisons."""
    group = list(range(count))
    for row in rows:
        first, *others = (group[n] for n, _ in row.terms)
        group = [first if one in others else one for one in group]
    found: dict[int, tuple[list[int], list[_SampleRow]]] = {}
    for number, one in enumerate(group):
        found.setdefault(one, ([], []))[0].append(number)
    for row in rows:
        found[group[row.terms[0][0]]][1].append(row)
    return list(found.values())
