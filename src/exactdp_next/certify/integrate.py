"""Probabilities: a measure goes through a graph; noise not needed any more is integrated out.

A measure is a mass, a density for each noise, and differences x − y > k that are known. A density
is pieces between sorted breaks; a piece {(j, k, a, b): c} is Σ
c·t^j·ε^k·e^{a·t/rates}·e^{b·ε/(rates·points)}, where t is the noise times ε, and a break is a whole
number over `points`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, factorial, lcm

from .document import Work, need
from .graph import LOSE, WIN, Arrow, Graph, Node
from .sums import Form, Sum, length, number, sized

Piece = dict[tuple[int, int, int, int], Fraction]
Edge = tuple[int, int, int]
"""(x, y, k): x − y > k/points."""

ONE: Piece = {(0, 0, 0, 0): Fraction(1)}


@dataclass(frozen=True)
class Density:
    """Pieces between breaks, one more than breaks."""

    breaks: tuple[int, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Measure:
    """A mass, densities of the live noise, differences."""

    mass: Piece
    densities: Mapping[int, Density]
    edges: tuple[Edge, ...] = ()


def probability(graph: Graph, inputs: Mapping[str, Fraction], work: Work) -> Sum:
    """Return the probability of WIN at an input."""
    rates, points = _units(graph, inputs)
    calculus = Calculus(rates, points, work)
    arriving: dict[int, list[Measure]] = {graph.start: [Measure(ONE, {})]}
    total: Piece = {}
    for i in reversed(range(WIN, len(graph.nodes))):
        came = arriving.pop(i, [])
        if i == WIN:
            need(not any(m.densities for m in came), "noise that is not integrated")
            for m in came:
                total = plus(total, m.mass)
            continue
        for measure in _joined(came, graph.nodes[i].arity, work):
            work.spend(1 + len(measure.densities) + len(measure.edges))
            for after, arrow in _steps(graph.nodes[i], measure, inputs, calculus):
                if arrow.to != LOSE:
                    arriving.setdefault(arrow.to, []).append(_kept(after, arrow.noise, calculus))
    terms = {(k, b): c for (_, k, _, b), c in total.items()}
    return Sum(terms, rates * points) if terms else number(Fraction(0))


def _units(graph: Graph, inputs: Mapping[str, Fraction]) -> tuple[int, int]:
    """Return common denominators of rates, and of the breaks that can occur."""
    rates = points = 1
    for node in graph.nodes:
        if node.kind == "sample":
            _, rate, mean = node.what
            assert isinstance(rate, Fraction)
            rates, points = (
                lcm(rates, rate.denominator),
                lcm(points, _rest(mean, inputs).denominator),
            )
        elif node.kind == "test":
            noise, rest = _at(node.what[0], inputs)
            if noise:
                points = lcm(points, (rest / abs(noise[0][1])).denominator)
    return rates, points


def _at(
    w: object, inputs: Mapping[str, Fraction]
) -> tuple[tuple[tuple[int, Fraction], ...], Fraction]:
    """Return the noise of a form, and the number that is left at an input."""
    if not isinstance(w, Form):
        assert isinstance(w, Fraction)
        return (), w
    need(all(x in inputs for x, _ in w.parts if isinstance(x, str)), "an unknown input")
    rest = w.constant + sum((c * inputs[x] for x, c in w.parts if isinstance(x, str)), Fraction(0))
    return tuple((x, c) for x, c in w.parts if isinstance(x, int)), rest


def _rest(w: object, inputs: Mapping[str, Fraction]) -> Fraction:
    noise, rest = _at(w, inputs)
    need(not noise, "noise around noise")
    return rest


def _joined(came: list[Measure], arity: int, work: Work) -> list[Measure]:
    """Add measures of one form: without differences, of at most one noise."""
    if (
        len(came) < 2
        or arity > 1
        or any(m.edges or set(m.densities) - set(range(arity)) for m in came)
    ):
        return came
    if arity == 0:
        mass: Piece = {}
        for m in came:
            mass = plus(mass, m.mass)
        return [Measure(mass, {})]
    first, *rest = (_weighted(m.densities[0], m.mass, work) for m in came)
    for one in rest:
        first = _pointwise(first, one, plus)
    return [Measure(ONE, {0: first})]


def _weighted(f: Density, mass: Piece, work: Work) -> Density:
    return Density(f.breaks, tuple(times(mass, p, work) for p in f.pieces))


def _steps(
    node: Node, m: Measure, inputs: Mapping[str, Fraction], calculus: Calculus
) -> Iterator[tuple[Measure, Arrow]]:
    if node.kind == "sample":
        _, rate, mean = node.what
        assert isinstance(rate, Fraction)
        drawn = calculus.laplace(rate, _rest(mean, inputs))
        yield replace(m, densities={**m.densities, node.arity: drawn}), node.next[0]
        return
    noise, rest = _at(node.what[0], inputs)
    if not noise:
        holds = rest > 0 or (rest == 0 and not node.what[1])
        yield m, node.next[0 if holds else 1]
        return
    for s, arrow in zip((1, -1), node.next, strict=True):
        limit = -rest * s
        if len(noise) == 1:
            ((x, c),) = noise
            at = calculus.place(limit / (c * s))
            above = Density((at,), ({}, ONE) if c * s > 0 else (ONE, {}))
            yield (
                replace(m, densities={**m.densities, x: calculus.product(m.densities[x], above)}),
                arrow,
            )
        else:
            need(
                len(noise) == 2 and noise[0][1] + noise[1][1] == 0,
                "a comparison that is no difference",
            )
            (x, c), (y, _) = noise if noise[0][1] * s > 0 else noise[::-1]
            yield replace(m, edges=(*m.edges, (x, y, calculus.place(limit / abs(c))))), arrow


def _kept(m: Measure, noise: tuple[int, ...], calculus: Calculus) -> Measure:
    """Integrate out what is not kept: noise in no difference, or in one; each turn removes one."""
    mass, densities, edges = m.mass, dict(m.densities), m.edges
    while True:
        counts = {x: sum(x in e[:2] for e in edges) for x in densities if x not in noise}
        x = next((x for x, count in counts.items() if count < 2), None)
        if x is None:
            break
        below = calculus.below(densities.pop(x))
        if counts[x] == 0:
            mass = times(mass, calculus.total(below), calculus.work)
            continue
        (edge,) = (e for e in edges if x in e[:2])
        upper, lower, k = edge
        y = lower if x == upper else upper
        share = (
            calculus.shifted(calculus.above(below), k)
            if x == upper
            else calculus.shifted(below, -k)
        )
        densities[y] = calculus.product(densities[y], share)
        edges = tuple(e for e in edges if e != edge)
    index = {x: i for i, x in enumerate(noise)}
    for x in densities:
        index.setdefault(x, -1 - len(index))
    moved = tuple((index[x], index[y], k) for x, y, k in edges)
    return Measure(mass, {index[x]: f for x, f in densities.items()}, moved)


class Calculus:
    """Integrals of pieces; `rates` and `points` are the common denominators."""

    def __init__(self, rates: int, points: int, work: Work) -> None:
        self.rates, self.points, self.work = rates, points, work

    def place(self, x: Fraction) -> int:
        """Return a point of the line as a whole number over `points`."""
        scaled = x * self.points
        need(scaled.denominator == 1, "a point between the points")
        return int(scaled)

    def laplace(self, rate: Fraction, mean: Fraction) -> Density:
        """Return the density of Laplace noise, rate/2·e^{−rate·|t − mean·ε|}."""
        x, a, h = self.place(mean), int(rate * self.rates), rate / 2
        return Density((x,), ({(0, 0, a, -a * x): h}, {(0, 0, -a, a * x): h}))

    def primitive(self, f: Piece) -> Piece:
        """Return an antiderivative by t."""
        result: Piece = {}
        for (j, k, a, b), c in f.items():
            self.work.spend(j + 1)
            self.work.number(length(c) + (j + 1) * self.rates.bit_length())
            if not a:
                result = plus(result, {(j + 1, k, 0, b): c / (j + 1)})
                continue
            for i in range(j + 1):
                factor = Fraction((-1) ** i * factorial(j), factorial(j - i)) * Fraction(
                    self.rates, a
                ) ** (i + 1)
                result = plus(result, {(j - i, k, a, b): c * factor})
        return result

    def at(self, f: Piece, x: int) -> Piece:
        """Substitute t = x·ε/points."""
        result: Piece = {}
        for (j, k, a, b), c in f.items():
            self.work.number(length(c) + j * (x.bit_length() + self.points.bit_length()))
            result = plus(result, {(0, k + j, 0, b + a * x): c * Fraction(x, self.points) ** j})
        return result

    def below(self, f: Density) -> Density:
        """Return t ↦ ∫ f from −∞ to t."""
        need(all(a > 0 for _, _, a, _ in f.pieces[0]), "a density that does not vanish")
        pieces: list[Piece] = []
        carried: Piece = {}
        for i, piece in enumerate(f.pieces):
            p = self.primitive(piece)
            if i:
                carried = plus(carried, self.at(p, f.breaks[i - 1]), -1)
            pieces.append(plus(p, carried))
            if i < len(f.breaks):
                carried = self.at(pieces[-1], f.breaks[i])
        return Density(f.breaks, tuple(pieces))

    def total(self, below: Density) -> Piece:
        """Return the limit for t to ∞."""
        need(
            all(a < 0 or (a == 0 and j == 0) for j, _, a, _ in below.pieces[-1]),
            "a density that does not vanish",
        )
        return {key: c for key, c in below.pieces[-1].items() if key[2] == 0}

    def above(self, below: Density) -> Density:
        """Return t ↦ ∫ f from t to ∞."""
        total = self.total(below)
        return Density(below.breaks, tuple(plus(total, p, -1) for p in below.pieces))

    def shifted(self, f: Density, s: int) -> Density:
        """Return t ↦ f(t + s·ε/points)."""
        pieces = []
        for piece in f.pieces:
            moved: Piece = {}
            for (j, k, a, b), c in piece.items():
                self.work.spend(j + 1)
                self.work.number(length(c) + j * (s.bit_length() + self.points.bit_length()))
                for i in range(j + 1):
                    step = comb(j, i) * Fraction(s, self.points) ** (j - i)
                    moved = plus(moved, {(i, k + j - i, a, b + a * s): c * step})
            pieces.append(moved)
        return Density(tuple(b - s for b in f.breaks), tuple(pieces))

    def product(self, f: Density, g: Density) -> Density:
        """Return the product."""
        return _pointwise(f, g, lambda p, q: times(p, q, self.work))


def plus(f: Piece, g: Piece, s: int = 1) -> Piece:
    """Return f + s·g."""
    result = dict(f)
    for key, c in g.items():
        total = result.get(key, Fraction(0)) + s * c
        if total:
            result[key] = total
        else:
            result.pop(key, None)
    return result


def times(f: Piece, g: Piece, work: Work) -> Piece:
    """Return f·g."""
    result: Piece = {}
    for (j, k, a, b), c in f.items():
        for (i, m, d, e), v in g.items():
            key = j + i, k + m, a + d, b + e
            result[key] = result.get(key, Fraction(0)) + sized(c * v, work)
    return {key: c for key, c in result.items() if c}


def _on(f: Density, breaks: Iterable[int]) -> list[Piece]:
    """Return the pieces of f between more breaks."""
    pieces, i = [], 0
    for b in breaks:
        while i < len(f.breaks) and f.breaks[i] < b:
            i += 1
        pieces.append(f.pieces[i])
    return [*pieces, f.pieces[-1]]


def _pointwise(f: Density, g: Density, operation: object) -> Density:
    breaks = tuple(sorted({*f.breaks, *g.breaks}))
    pairs = zip(_on(f, breaks), _on(g, breaks), strict=True)
    return Density(breaks, tuple(operation(p, q) for p, q in pairs))  # type: ignore[operator]
