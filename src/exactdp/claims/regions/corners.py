"""Decides a claim about all reals at its worst inputs only: corners, which have fewer parameters.

Let o be an ideal output. Suppose that the probability of o does not decrease when some entries of
the input are raised and others lowered (`order`), and that every input u with ideal output o and
dd(u) ≥ a arises from a corner w(a) by such changes (`dominance`). Then the claim at u follows from
the claim at w(dd(u)), which has the same ideal output and is at least as far from disagreement. As
w(a) is itself an input, the claim is true if and only if it is true at all corners. The proof is in
`docs/theory.md`.

`enclosing` finds halfspaces H(u) ≥ 0 that contain every u with ideal output o. All inputs closer to
u than dd(u) also have the ideal output o, so H(u) ≥ dd(u)·‖h‖, in the norm dual to the distance.
Under the discrete distance, dd is the same at all inputs, and a is any number ≥ 0 with
H(u) ≥ a·‖h‖. That w(a) has the ideal output o, and dd(w(a)) ≥ a, is checked by running the ideal
there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from exactdp.claims.disagreement.reaches import told_apart
from exactdp.claims.regions.dominance import (
    LEVEL,
    CornerPiece,
    DominanceRow,
    Forms,
    SignedOrder,
    corners,
)
from exactdp.claims.regions.few_outputs import SampledOutputs, exchanged_outputs
from exactdp.claims.regions.region import Combination, Region, Vector
from exactdp.claims.stated.distances import discrete, l1, l2, linf, numeric
from exactdp.claims.stated.enclosing import EnclosingSides, Enclosures
from exactdp.claims.stated.output_distances import discrete_outputs, sup
from exactdp.claims.stated.scope import FREE, Part, with_zeros_in
from exactdp.cones import Cone
from exactdp.errors import ExactdpError
from exactdp.language.events import Done
from exactdp.language.layout import assembled, entry_names, kinds
from exactdp.language.linear import Linear, Scalar, unit_in
from exactdp.language.nested import leaves, mapped
from exactdp.language.values import Value
from exactdp.polyhedra.cone import dot
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.reals import ClosedForm
from exactdp.reals.numbers import inf
from exactdp.semantics.cells import Cell, explore
from exactdp.semantics.engine import Engine
from exactdp.semantics.graph import Graph
from exactdp.semantics.nodes import Failure
from exactdp.semantics.order import MonotoneDirections
from exactdp.semantics.patterns import ANYTHING, near, shape_of
from exactdp.semantics.spots import Spot, Trace, rational_vector

if TYPE_CHECKING:
    from exactdp.claims.regions.accuracy import AccuracyRegions
    from exactdp.language.program import Program

_MOST_OUTPUTS = 20_000  # ideal outputs, each with a corner of its own
_FEWEST_EXCHANGED = 8  # entries of which one is selected; fewer have a corner each
_MANY_OUTPUTS = 64  # of which a few corners stand for all, if their entries are independent


@dataclass(frozen=True)
class Corner:
    """A worst input for one ideal output, and the reason why it is worst."""

    pattern: Value
    """The ideal output, with a pattern for each of its numbers."""
    piece: CornerPiece
    order: SignedOrder
    numbers: tuple[Scalar, ...]
    """The numbers of the ideal output, as forms in the input."""
    is_alone: bool = True
    """Whether each ideal output has one such corner, for every level."""
    names: tuple[str, ...] = ()
    """The parameters of the region at the corner."""
    stands_for: int = 0
    """How many ideal outputs a few corners stand for, if not each has one of its own."""
    differs: tuple[int, ...] | None = None
    """Of these few, the entries of its output that differ from those of one output among them."""
    selects: str | None = None
    """If it stands for all: whether the "largest" or the "smallest" entry is selected."""


class Corners:
    """The worst inputs of one claim."""

    def __init__(self, claim: AccuracyRegions) -> None:
        self._claim = claim
        self._names = claim.entry_names
        domains = kinds(claim.mechanism.inputs)
        self._reals = tuple(
            name for name, kind in zip(self._names, domains, strict=True) if kind is None
        )
        self._found: dict[Part, tuple[_Placed, ...] | None] = {}

    @cached_property
    def apply(self) -> bool:
        """Whether corners are known to suffice for this kind of claim."""
        claim = self._claim
        ideal = claim.ideal_function.program
        if ideal is None or claim.uses_inputs or len(self._reals) < 2:
            return False
        if claim.mechanism.meets_eps or claim.mechanism.kept(Engine).has_integers:
            return False
        by_value = claim.agreement == "equal" or claim.output_metric in (discrete_outputs, sup)
        if not by_value or _dual(claim) is None:
            return False
        if claim.output_metric == discrete_outputs:
            return not claim.mechanism.checked.output.holds_noise
        return claim.output_metric == sup

    def regions(self, place: Part, region: Region) -> tuple[Region, ...] | None:
        """Return the parts of a region that suffice; None if nothing is known."""
        if (
            not (self._claim.strategy.at_corners and self.apply)
            or unit_in(region.names)
            or region.sides
            or region.levels
        ):
            return None
        if place not in self._found:
            try:
                self._found[place] = self._placed(place)
            except ExactdpError:
                self._found[place] = None
        found = self._found[place]
        if found is None:
            return None
        return tuple(part for one in found if (part := one.inside(region, self._reals)) is not None)

    def _placed(self, place: Part) -> tuple[_Placed, ...] | None:
        """Return the corners of each ideal output at a part of the inputs."""
        if self._claim.strategy.at_few_outputs and self._are_alike:
            few = self._exchanged(place) or self._sampled(place)
            if few is not None:
                return few
        found: list[_Placed] = []
        patterns = self._patterns(place)
        if patterns is None:
            return None
        is_alone = True
        for pattern in patterns:
            here = self._of_output(place, pattern)
            if here is None:
                return None
            is_alone = is_alone and len(here) == 1 and len(here[0].corner.piece.sides) == 1
            found += here
        if not is_alone:
            found = [replace(one, corner=replace(one.corner, is_alone=False)) for one in found]
        return tuple(found) or None

    # A few outputs that stand for all ---------------------------------------------------

    @property
    def _are_alike(self) -> bool:
        """Whether the claim says the same of all entries, and of all outputs."""
        claim = self._claim
        is_norm = claim.input_metric in (linf, l1, l2, discrete)
        return is_norm and claim.scope.has_all and claim.output_metric == discrete_outputs

    def _exchanged(self, place: Part) -> tuple[_Placed, ...] | None:
        """Return a corner that stands for all, if exchanging entries only exchanges outputs."""
        programs = self._claim.mechanism, self._claim.ideal_function.program
        if len(self._names) < _FEWEST_EXCHANGED:
            return None
        noisy, ideal = (one.kept(Engine).selection for one in programs if one is not None)
        if noisy is None or ideal is None:
            return None
        names = [entry_names(one.inputs) for one in programs if one is not None]
        outputs = exchanged_outputs(noisy, ideal, (names[0], names[1]))
        here = None if outputs is None else self._of_output(place, outputs[0])
        if here is None or len(here) != 1 or len(here[0].corner.piece.sides) != 1:
            return None
        word, size = "largest" if noisy.is_largest else "smallest", len(self._names)
        corner = replace(here[0].corner, stands_for=size, selects=word)
        return (replace(here[0], corner=corner),)

    def _sampled(self, place: Part) -> tuple[_Placed, ...] | None:
        """Return corners that stand for those of many outputs; None if none are known to."""
        claim = self._claim
        ideal = claim.ideal_function.program
        assert ideal is not None
        entries = []
        for program in (claim.mechanism, ideal):
            engine = program.kept(Engine)
            found = engine.independent_entries(self._given(program, place))
            if found is None:
                return None
            both = dict(zip(entry_names(program.inputs), self._names, strict=True))
            entries.append(
                [replace(one, inputs=frozenset(both[name] for name in one.inputs)) for one in found]
            )
        sample = SampledOutputs.of(*entries)
        if sample is None or sample.total < _MANY_OUTPUTS:
            return None
        placed: list[_Placed] = []
        for output in sample.outputs:
            here = self._of_output(place, output)
            if here is None or len(here) != 1:
                return None
            placed += here
        listed = [one.corner for one in placed]
        if not sample.are_alike([one.piece for one in listed], [one.order for one in listed]):
            return None
        first, *others = map(self._chance, placed)
        if first is None or not first.numerator or any(one != first for one in others):
            return None
        differs = [(), *((k,) for k in sample.changed)]
        return tuple(
            replace(one, corner=replace(one.corner, stands_for=sample.total, differs=where))
            for one, where in zip(placed, differs, strict=True)
        )

    def _chance(self, placed: _Placed) -> ClosedForm | None:
        """Return the probability of the output at a corner; None if it is not one closed form."""
        mechanism = self._claim.mechanism
        base = Region(placed.names, placed.cone, placed.entries, self._claim.epsilon)

        def run(trace: Trace) -> ClosedForm:
            u = base.input(mechanism.inputs, trace)
            return mechanism.kept(Engine).probability_at_spots(u, placed.corner.pattern, trace)

        cells = [*explore(placed.names, placed.cone, run)]
        return cells[0].result if len(cells) == 1 else None

    # Ideal outputs ----------------------------------------------------------------------

    def _given(self, program: Program, place: Part) -> tuple[Value, ...]:
        return assembled(program.inputs, with_zeros_in(place))

    def _graph(self, program: Program, place: Part, pattern: Value) -> Graph:
        return program.kept(Engine).graph(self._given(program, place), pattern)

    def _patterns(self, place: Part) -> list[Value] | None:
        """Return the ideal outputs, as patterns; None if there are too many, or it may fail."""
        ideal = self._claim.ideal_function.program
        assert ideal is not None
        graph = self._graph(ideal, place, ANYTHING)
        if any(isinstance(node.event, Failure) for node in graph.nodes):
            return None
        found: dict[object, Value] = {}
        for node in graph.nodes:
            if isinstance(node.event, Done):
                if not all(map(_is_plain, leaves(node.event.output))):
                    return None
                pattern = self._pattern(node.event.output)
                found[told_apart(pattern)] = pattern
        return [*found.values()] if len(found) <= _MOST_OUTPUTS else None

    def _pattern(self, output: Value) -> Value:
        """Return the pattern of the outputs that differ from an ideal output only in numbers."""
        if self._claim.output_metric == discrete_outputs:
            return output
        numbers = mapped(output, lambda one: 0 if isinstance(one, Linear | Spot) else one)
        return shape_of(near(numbers, Fraction(0)))

    # One ideal output -------------------------------------------------------------------

    def _of_output(self, place: Part, pattern: Value) -> list[_Placed] | None:
        """Return the corners of an ideal output; none if nothing is claimed where it is ideal."""
        claim = self._claim
        ideal = claim.ideal_function.program
        assert ideal is not None
        around = ideal.kept(Enclosures).of(self._given(ideal, place), pattern)
        if around is None:
            return None
        around = _renamed(around, entry_names(ideal.inputs), self._names)
        plan, _ = claim.mechanism.kept(Engine).plan(self._given(claim.mechanism, place), pattern)
        order = MonotoneDirections(plan.graph, around.numbers if claim.output_metric == sup else ())
        if not order.is_known:
            return None
        rows = sorted(map(self._row, around.sides), key=lambda row: row.slopes)
        if not any(row.width for row in rows):
            return None  # dd may be infinite
        if claim.input_metric != discrete and _is_thin(rows):
            return [] if claim.boundary == "skip" else None
        signs = self._signs(order)
        numbers = order.wanted
        for pieces in corners(self._reals, [*rows, *self._box()], signs):
            placed = [
                _Placed(Corner(pattern, piece, signs, numbers), place, self._names)
                for piece in pieces
            ]
            if all(map(self._suffices, placed)):
                found = [one for one in placed if one.cone.is_full]
                # Flat pieces next to a full one are in its closure; others are separate inputs.
                is_left = not found and any(map(self._is_claimed, placed))
                return None if is_left else found
        return None

    def _is_claimed(self, flat: _Placed) -> bool:
        """Whether anything is claimed at corners where a or free entries cannot vary."""
        rays = flat.cone.rays
        at_all = any(ray[0] > 0 for ray in rays)
        return at_all and (self._claim.input_metric == discrete or any(ray[-1] > 0 for ray in rays))

    def _row(self, side: Halfspace) -> DominanceRow:
        dual = _dual(self._claim)
        assert dual is not None
        slopes = tuple(sorted((n, Fraction(q)) for n, q in side.form.coefficients.items()))
        return DominanceRow(slopes, Fraction(side.form.constant), dual(side))

    def _box(self) -> Iterator[DominanceRow]:
        """Yield the rows of the box of inputs."""
        for name, (low, high) in zip(self._claim.scope.free, self._claim.scope.ends, strict=True):
            for end, sign in ((low, 1), (high, -1)):
                if isinstance(end, Fraction):
                    yield DominanceRow(((name, Fraction(sign)),), -sign * end, Fraction(0))

    def _signs(self, order: MonotoneDirections) -> SignedOrder:
        shifted = self._claim.scope.has_all and all(
            order.grows_along(dict.fromkeys(self._reals, sign)) for sign in (1, -1)
        )
        return SignedOrder(
            order.grows_with(self._reals, 1), order.grows_with(self._reals, -1), shifted
        )

    def _suffices(self, placed: _Placed) -> bool:
        """Whether a corner is an input of the claim, with its ideal output, and far enough."""
        cone = placed.cone
        if self._claim.boundary == "check" and placed.is_capped:
            return False
        entries = dict(zip(self._names, placed.entries, strict=True))
        for row in self._box():
            side = _vector(row.form(), placed, entries)
            if any(dot(side, ray) < 0 for ray in cone.rays) or any(
                dot(side, line) for line in cone.lines
            ):
                return False
        if not cone.is_full:
            return True
        return all(map(placed.is_far, explore(placed.names, cone, self._run(placed))))

    def _run(self, placed: _Placed) -> Any:
        """Return a function that returns dd at a corner, or −1 if its ideal output differs."""
        claim = self._claim
        base = Region(placed.names, placed.cone, placed.entries, claim.epsilon)
        wanted = told_apart(placed.corner.pattern)

        def run(trace: Trace) -> Any:
            u = base.input(claim.mechanism.inputs, trace)
            if told_apart(self._pattern(claim.ideal_function(u))) != wanted:
                return Fraction(-1)
            return inf if claim.input_metric == discrete else claim.obligations.distance(u)

        return run


@dataclass(frozen=True)
class _Placed:
    """A corner as entries of an input, linear forms in ε, free entries and a."""

    corner: Corner
    place: Part
    all_names: tuple[str, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters."""
        level = "dd"
        while level in self.all_names:
            level += "_"
        return ("eps", *self.corner.piece.free, level)

    def _form(self, form: Forms) -> Vector:
        """Return a form in the parameters."""
        eps, *free, _ = self.names
        del eps
        return tuple(form.get(name, Fraction(0)) for name in ("", *free, LEVEL))

    @cached_property
    def entries(self) -> tuple[Value | Combination, ...]:
        """The scalars of the input."""
        forms = self.corner.piece.entries
        return tuple(
            Combination(self._form(forms.get(name, {name: Fraction(1)}))) if one is FREE else one
            for name, one in zip(self.all_names, self.place, strict=True)
        )

    @cached_property
    def cone(self) -> Cone:
        """The values of the parameters."""
        size = len(self.names)
        first = tuple(Fraction(k == 0) for k in range(size))
        return Cone.of(size, [first, *map(self._form, self.corner.piece.sides)])

    @property
    def is_capped(self) -> bool:
        """Whether a is bounded from above, or by free entries."""
        return any(side.get(LEVEL, 0) < 0 for side in self.corner.piece.sides)

    def is_far(self, cell: Cell[Any]) -> bool:
        """Whether dd is at least a on a cell."""
        distance = cell.result
        if distance == inf:
            return True
        form = [Fraction(0)] * len(self.names)
        if isinstance(distance, Spot):
            form = [*rational_vector(distance.form)]
        else:
            form[0] = Fraction(distance)
        form[-1] -= 1
        return all(dot(form, ray) >= 0 for ray in cell.cone.rays) and not any(
            dot(form, line) for line in cell.cone.lines
        )

    def inside(self, region: Region, reals: Sequence[str]) -> Region | None:
        """Return the part of a region about all reals that is at the corner."""
        levels = [name for name in region.names[1:] if name not in reals]
        names = (*self.names, *levels)
        wide = len(levels)

        def moved(form: Sequence[Any]) -> Vector:
            given = dict(zip(region.names, map(Fraction, form), strict=True))
            return (
                given["eps"],
                *(Fraction(0),) * (len(self.names) - 1),
                *(given[name] for name in levels),
            )

        def padded(form: Sequence[Any]) -> Vector:
            return (*map(Fraction, form), *(Fraction(0),) * wide)

        places = [k for k, name in enumerate(region.names) if name in reals]
        kept = [side for side in region.cone.inequalities if not any(side[k] for k in places)]
        sides = [*map(padded, self.cone.inequalities), *map(moved, kept)]
        return replace(
            region,
            names=names,
            cone=Cone.of(len(names), sides),
            entries=tuple(
                Combination(padded(one.form)) if isinstance(one, Combination) else one
                for one in self.entries
            ),
            alpha=None if region.alpha is None else moved(region.alpha),
            gamma=None if region.gamma is None else moved(region.gamma),
            positive=(),
            corner=replace(self.corner, names=names),
        ).hull()


def _vector(form: Forms, placed: _Placed, entries: dict[str, Any]) -> Vector:
    """Return a form in the entries of an input as one in the parameters of a corner."""
    total = [form.get("", Fraction(0)), *[Fraction(0)] * (len(placed.names) - 1)]
    for name, q in form.items():
        if name in entries:
            total = [a + q * b for a, b in zip(total, entries[name].form, strict=True)]
    return tuple(total)


def _dual(claim: AccuracyRegions) -> Any:
    """Return a function from H to a lower bound on H(u) at dd(u) = 1; None if unknown.

    So H(u) ≥ dd(u) times this number, for all u with the same ideal output as every input closer
    than dd(u).
    """
    metric = claim.input_metric

    def total(side: Halfspace) -> Fraction:
        return Fraction(sum(map(abs, _slopes(side))))

    def largest(side: Halfspace) -> Fraction:
        return Fraction(max(map(abs, _slopes(side))))

    def at_threshold(side: Halfspace) -> Fraction:
        # An entry may cross the threshold, from a place strictly below it if it is not to be inf.
        if len(_slopes(side)) != 1:
            return Fraction(0)
        (q,) = _slopes(side)
        is_there = -Fraction(side.form.constant) / q == threshold
        return Fraction(abs(q) if is_there and (q > 0 or side.strict) else 0)

    if metric in (linf, discrete):
        return total
    if metric == l1:
        return largest
    if metric == l2:
        return lambda side: l2.width(_slopes(side))
    if type(metric) is type(numeric):
        threshold = metric.threshold
        return at_threshold
    return None


def _slopes(side: Halfspace) -> list[int]:
    return [int(q) for q in side.form.coefficients.values()]


def _is_thin(rows: Sequence[DominanceRow]) -> bool:
    """Whether two rows define a flat set: dd is 0 wherever both hold."""
    known = {frozenset(row.slopes): row for row in rows}
    for row in rows:
        other = known.get(frozenset((name, -q) for name, q in row.slopes))
        if other is not None and row.width + other.width > 0 >= row.constant + other.constant:
            return True
    return False


def _is_plain(value: Value) -> bool:
    """Whether a value of an output is no number that depends on ε."""
    return value is None or isinstance(value, Linear | int | Fraction | str)


def _renamed(
    around: EnclosingSides, own: tuple[str, ...], names: tuple[str, ...]
) -> EnclosingSides:
    """Return an enclosure with other names for the entries."""
    if own == names:
        return around
    both = dict(zip(own, names, strict=True))
    return EnclosingSides(
        tuple(side.renamed(both) for side in around.sides),
        tuple(one.renamed(both) if isinstance(one, Linear) else one for one in around.numbers),
    )
