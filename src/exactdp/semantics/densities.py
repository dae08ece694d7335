"""Joint densities of the real numbers in an output, at a point that may depend on parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exactdp.errors import ValueRefusedError, shown
from exactdp.language.linear import Linear
from exactdp.language.nested import holds
from exactdp.language.quotients import NoisyQuotient
from exactdp.language.values import Symbolic, Value, same
from exactdp.measure.density import Density, Summand
from exactdp.polyhedra.form import Form, Number
from exactdp.reals import ClosedForm, ExpPoly
from exactdp.semantics.exact import Arrival, Arrivals, moved
from exactdp.semantics.nodes import Edge, forms_of, noise_part
from exactdp.semantics.patterns import pattern_of, read_pattern
from exactdp.semantics.plan import PreparedEdge, constant_part

_ZERO = ExpPoly(0)


def at_input(output: Value, inputs: Mapping[str, Number]) -> Value:
    """Return an output in which expressions without noise are replaced by numbers."""
    if isinstance(output, tuple):
        return tuple(at_input(item, inputs) for item in output)
    if isinstance(output, Linear) and not noise_part(output):
        return read_pattern(constant_part(output, inputs))
    return output


def pattern_at(arrival: Arrival, inputs: Mapping[str, Number]) -> Value:
    """Return the pattern of an arrival's output: `Real` or `int` for its noise."""
    return pattern_of(at_input(arrival.output, inputs), lambda form: is_integer(arrival, form))


def is_integer(arrival: Arrival, form: Symbolic) -> bool:
    """Whether all noise in a form is integer noise."""
    noise = noise_part(form)
    return bool(noise) and arrival.density.products[0].integers.issuperset(noise)


def has_quotient(output: Value) -> bool:
    """Whether an output contains a quotient of noise."""
    return holds(output, NoisyQuotient)


def refuse_quotient(output: Value) -> None:
    """Refuse a question about a quotient of noise that comparisons cannot express."""
    if has_quotient(output):
        raise ValueRefusedError(
            "the output is a quotient of noise",
            rule="For a quotient, only the probabilities of intervals are known; its density, "
            "its expectation and its privacy are no closed forms of this kind.",
            way_out="Ask for the probability of an interval, ErrorBound, or accuracy at listed "
            "inputs with a number for gamma; of privacy release the parts.",
        )


def refuse_mixed(arrival: Arrival) -> None:
    """Refuse the density of a sum of integer noise and real noise: it may jump at every integer."""
    integers = arrival.density.products[0].integers
    for form in forms_of(arrival.output):
        noise = noise_part(form).keys()
        if not (integers.isdisjoint(noise) or integers.issuperset(noise)):
            raise ValueRefusedError(
                "the output is the sum of integer noise and real noise",
                rule="The probabilities of intervals and the moments of such a number are known; "
                "its density has a piece for each whole number, so its privacy is not decided.",
                way_out="Ask for probabilities, moments or accuracy, or for the privacy of what is "
                "computed from it, such as y > 0.",
            )


class JointDensity:
    """The density of the scaled real numbers of a pattern at an input, for many points."""

    def __init__(self, arrivals: Arrivals, pattern: Value) -> None:
        self._arrivals, self._pattern = arrivals, pattern
        self._made_of: Sequence[Arrival] | None = None
        self._densities: tuple[Density, ...] = ()

    def at(self, points: Sequence[Any]) -> ClosedForm:
        """Return the density at a point."""
        return self._arrivals.ask(lambda found: self._total(found, points))

    def _total(self, found: Sequence[Arrival], points: Sequence[Any]) -> ClosedForm:
        if self._made_of is not found:  # in another frame
            self._densities, self._made_of = tuple(self._moved(found)), found
        total: ClosedForm = _ZERO
        for density in self._densities:
            for part in density.products:
                total = total + _value(part, density, points)
        return total

    def _moved(self, found: Sequence[Arrival]) -> Iterator[Density]:
        """Yield the densities of outputs of the pattern, with its numbers as variables."""
        inputs = self._arrivals.inputs
        for arrival in found:
            if arrival.density.products and same(pattern_at(arrival, inputs), self._pattern):
                refuse_quotient(arrival.output)
                refuse_mixed(arrival)
                forms = tuple(form for form in forms_of(arrival.output) if noise_part(form))
                refuse_dependent(forms, self._pattern)
                way = PreparedEdge.of(Edge(0, forms, None), arrival.variables)
                yield moved(arrival.density, way, inputs)


def refuse_dependent(forms: Sequence[Linear], pattern: Value) -> None:
    """Refuse linearly dependent numbers: they have no joint density."""
    rows = [dict(noise_part(form)) for form in forms]
    while rows:
        row = {name: q for name, q in rows.pop().items() if q}
        if not row:
            raise ValueRefusedError(
                f"the numbers of the output {shown(pattern)} are not independent noise",
                rule="One of these numbers follows from the others, so that together they have no "
                "density of their own.",
                way_out="Release each noisy number once.",
            )
        name, q = next(iter(row.items()))
        for other in rows:
            factor = other.get(name, 0) / q
            for key, value in row.items():
                other[key] = other.get(key, 0) - factor * value


def _value(part: Summand, density: Density, points: Sequence[Any]) -> ClosedForm:
    """Return a product at a point."""
    frame = density.frame
    current: Summand | None = part
    if part.joints:
        for variable, point in enumerate(points):
            if current is not None:
                current = current.substituted(variable, Form({}, point), frame)
        return _ZERO if current is None else current.number(frame)
    for one in part.conditions:
        value: Any = one.form.constant
        for name, q in one.form.coefficients.items():
            value = value + points[int(str(name))] * q
        if not value > 0:
            return _ZERO
    weight = frame.one
    for variable, point in enumerate(points):
        weight = weight * part.functions[variable].at(frame.point(point))
    return part.with_weight(weight).number(frame)
