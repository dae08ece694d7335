"""integrate: a graph at an input becomes the probability of its event, as an exact sum in ε.

A measure on the live noise is a mass, a density for each noise, and the differences x − y > k that
are known. It goes through the nodes from the start; noise that is not needed any more is integrated
out as soon as it is a leaf of the tree of differences. Measures of one form that meet at a node are
added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..errors import NotYet
from ..graph.graph import LOSE, WIN, Arrow, Graph, Node, SampleNode, TestNode
from ..ring.expsum import ExpSum
from ..ring.linear import Linear, Rational, quotient
from ..run import progress
from .density import NONE, ONE, Density, laplace, laplace_below


@dataclass(frozen=True, slots=True)
class Difference:
    """It is known that upper − lower > gap."""

    upper: int
    lower: int
    gap: Rational


@dataclass(frozen=True, slots=True)
class Measure:
    """mass · Π density of each noise · Π [difference holds].

    `below` has distribution functions that are known already.
    """

    mass: ExpSum = ONE
    densities: Mapping[int, Density] = field(default_factory=dict)
    below: Mapping[int, Density] = field(default_factory=dict)
    differences: tuple[Difference, ...] = ()

    def with_density(self, x: int, density: Density, below: Density | None = None) -> Measure:
        """Return it with another density for a noise."""
        known = {y: f for y, f in self.below.items() if y != x} | ({x: below} if below else {})
        return replace(self, densities={**self.densities, x: density}, below=known)


def integrate(graph: Graph, inputs: Mapping[str, Rational]) -> ExpSum:
    """Return the probability of WIN at an input, for every ε > 0."""
    arriving: dict[int, list[Measure]] = {graph.start: [Measure()]}
    for i in reversed(range(WIN + 1, len(graph.nodes))):
        node = graph.nodes[i]
        progress(len(graph.nodes) - 1 - i, len(graph.nodes), "integrating node")
        for measure in _joined(arriving.pop(i, []), node.arity):
            for after, arrow in _steps(node, measure, inputs):
                if arrow.to != LOSE:
                    arriving.setdefault(arrow.to, []).append(_kept(after, arrow.noise))
    ends = arriving.pop(WIN, [])
    if any(one.densities for one in ends):
        raise NotYet("measure")  # differences in a circle: x > y, y > z and x > z, or x > y twice
    return sum((one.mass for one in ends), NONE)


def _steps(
    node: Node, one: Measure, inputs: Mapping[str, Rational]
) -> Iterator[tuple[Measure, Arrow]]:
    """Return the measures that leave a node."""
    match node:
        case SampleNode(_, rate, mean, (arrow,), arity):
            noise, around = _at(mean, inputs)
            if noise:
                raise NotYet("measure")
            yield one.with_density(arity, laplace(rate, around), laplace_below(rate, around)), arrow
        case TestNode(form, strict, (yes, no), _):
            noise, rest = _at(form, inputs)
            if not noise:
                yield one, yes if rest > 0 or (rest == 0 and not strict) else no
                return
            yield _cut(one, noise, rest), yes
            yield _cut(one, {x: -c for x, c in noise.items()}, -rest), no


def _cut(one: Measure, noise: Mapping[int, Rational], rest: Rational) -> Measure:
    """Return the part in which a form of real noise is positive; that it is 0 has probability 0."""
    match sorted(noise.items(), key=lambda part: -part[1]):
        case [(x, c)]:
            at = -rest * _inverse(c)
            return one.with_density(x, one.densities[x].cut(at, above=c > 0))
        case [(x, c), (y, d)] if c + d == 0:
            known = Difference(x, y, -rest * _inverse(c))
            return replace(one, differences=(*one.differences, known))
    raise NotYet("measure")


def _kept(one: Measure, noise: Sequence[int]) -> Measure:
    """Integrate out what is not an argument and in at most one difference; rename the rest.

    Each turn removes a noise, so it terminates.
    """
    while True:
        counts = {
            x: sum(x in (d.upper, d.lower) for d in one.differences)
            for x in one.densities
            if x not in noise
        }
        leaf = next((x for x, count in counts.items() if count < 2), None)
        if leaf is None:
            break
        one = _without(one, leaf)
    index = {x: i for i, x in enumerate(noise)}
    for x in one.densities:
        index.setdefault(x, -1 - len(index))
    return Measure(
        one.mass,
        {index[x]: f for x, f in one.densities.items()},
        {index[x]: f for x, f in one.below.items()},
        tuple(Difference(index[d.upper], index[d.lower], d.gap) for d in one.differences),
    )


def _without(one: Measure, x: int) -> Measure:
    """Integrate a noise out.

    Its mass goes to the noise with which it was compared, if there is one.
    """
    below = one.below.get(x) or one.densities[x].below()
    left = replace(
        one,
        densities={y: f for y, f in one.densities.items() if y != x},
        below={y: f for y, f in one.below.items() if y != x},
    )
    mine = [d for d in one.differences if x in (d.upper, d.lower)]
    if not mine:
        return replace(left, mass=one.mass * below.total())
    (known,) = mine
    left = replace(left, differences=tuple(d for d in one.differences if d != known))
    if x == known.upper:
        return left.with_density(
            known.lower, one.densities[known.lower] * below.above().shifted(known.gap)
        )
    return left.with_density(known.upper, one.densities[known.upper] * below.shifted(-known.gap))


def _joined(came: list[Measure], arity: int) -> list[Measure]:
    """Add measures of one form: without differences, on at most one noise."""
    if len(came) < 2 or arity > 1 or any(m.differences or len(m.densities) > arity for m in came):
        return came
    if arity == 0:
        return [Measure(sum((m.mass for m in came), NONE))]
    first, *rest = (m.densities[0].times(m.mass) for m in came)
    return [Measure(ONE, {0: sum(rest, first)})]


def _at(
    form: Linear | Rational, inputs: Mapping[str, Rational]
) -> tuple[dict[int, Rational], Rational]:
    """Return the noise of a form, and the number that is left at an input."""
    value = form.at(inputs) if isinstance(form, Linear) else form
    if not isinstance(value, Linear):
        return {}, value
    return {x: c for x, c in value.parts.items() if isinstance(x, int)}, value.constant


def _inverse(c: Rational) -> Rational:
    return quotient(1, c)
