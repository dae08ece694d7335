"""Mechanisms that only add noise: the distribution of their error does not depend on the input."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction

from exactdp.language.linear import Linear
from exactdp.language.machine import Compare, Done, Draw
from exactdp.language.values import Symbolic, Value
from exactdp.semantics.graph import Graph, has_noise, noise_part

_Vector = tuple[tuple[int, Fraction], ...]
_MOST_STATES = 20_000


class _NotAddedError(Exception):
    """Noise is compared or rounded, a value is chosen, or the noise scale depends on the input."""


def added_noise(graph: Graph) -> set[Hashable] | None:
    """Return the noise that is added to the noiseless output along each path of a graph.

    Return None if noise is not only added. If no noise is compared, the program without noise
    takes the same path at an input as with noise. So the error is a linear form in the samples
    minus their means: the same random variable on two paths with the same samples and forms.
    """
    try:
        return set(_ways(graph))
    except _NotAddedError:
        return None


def _ways(graph: Graph) -> Iterator[Hashable]:
    # A state: a node, the samples so far, and its variables as forms in the samples.
    waiting: list[tuple[int, tuple[Hashable, ...], tuple[_Vector, ...]]] = [(0, (), ())]
    seen = set(waiting)
    while waiting:
        number, samples, variables = waiting.pop()
        node = graph.nodes[number]
        match node.event:
            case Done(output=output):
                yield samples, _deviation(output, variables)
            case Compare(difference=difference) if not has_noise(difference):
                pass
            case Draw(noise=noise, rate=rate, width=width, base=base):
                if isinstance(width, Symbolic) or base is not None:
                    raise _NotAddedError
                variables = (*variables, ((len(samples), Fraction(1)),))
                samples = (*samples, (noise, rate, width))
            case _:
                raise _NotAddedError
        for edge in node.edges:
            moved = tuple(_combined(form, variables) for form in edge.variables)
            state = edge.target, samples, moved
            if state not in seen:
                seen.add(state)
                waiting.append(state)
        if len(seen) > _MOST_STATES:
            raise _NotAddedError


def _deviation(output: Value, variables: tuple[_Vector, ...]) -> Hashable:
    """Return the difference of an output from the noiseless one, as forms in the samples."""
    if isinstance(output, tuple):
        return tuple(_deviation(part, variables) for part in output)
    if isinstance(output, Linear):
        return _combined(output, variables)
    if isinstance(output, Symbolic):
        raise _NotAddedError
    return ()


def _combined(form: object, variables: tuple[_Vector, ...]) -> _Vector:
    if not isinstance(form, Linear):
        return ()
    if not all(isinstance(name, int | str) for name in form.coefficients):
        raise _NotAddedError
    total: dict[int, Fraction] = {}
    for variable, q in noise_part(form).items():
        for sample, r in variables[variable]:
            total[sample] = total.get(sample, Fraction(0)) + q * r
    return tuple(sorted((sample, q) for sample, q in total.items() if q))
