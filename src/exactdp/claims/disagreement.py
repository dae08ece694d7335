"""The distance to disagreement (Definition 1): how far to an input with another ideal output.

The ideal is piecewise linear, and so is the distance on inputs. For each piece of the ideal the
distance from u is found once, for all u, by eliminating the other input: it is the largest of
linear forms in u. At an input only the forms are evaluated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise, product
from math import lcm
from typing import TYPE_CHECKING, Any, TypeAlias

from exactdp.claims.bounds import Largest, Least, Tree, certified
from exactdp.claims.distances import Distance, InputDistance
from exactdp.claims.home import Home
from exactdp.claims.inputs import as_given, as_written, show
from exactdp.claims.pieces import Piece, condition
from exactdp.claims.unions import united
from exactdp.errors import ValueRefusedError, shown
from exactdp.language.layout import assembled, entries, entry_names, kinds
from exactdp.language.values import Value, plain
from exactdp.polyhedra.elimination import project, solution
from exactdp.polyhedra.form import Form, Name
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.reals.numbers import fraction, inf, spell
from exactdp.reals.told import Told
from exactdp.semantics.events import is_number
from exactdp.semantics.linear import Linear, Scalar
from exactdp.semantics.spots import Spot, has_spots

if TYPE_CHECKING:
    from exactdp.claims.ideals import IdealFunction
    from exactdp.language.program import Program

_T = "the distance"
_MOST = 1_000_000  # inputs of a finite domain

Path: TypeAlias = tuple[int, ...]
Point: TypeAlias = Mapping[Name, int | Fraction]
Pair: TypeAlias = tuple[Value, Value]
"""An entry of u and the same entry of the other input."""
Differ: TypeAlias = Callable[[Value], bool]
"""Whether an output disagrees with that at the input one looks at."""


@dataclass(frozen=True, repr=False)
class Disagreement(Told):
    """dd(u), with a nearest input of another ideal output (None if there is none).

    >>> from exactdp import Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> from exactdp import Accuracy
    >>> print(Accuracy(larger, "25%", inputs=[[0, 2]]).disagreement([0, 2]))
    The nearest input with another ideal output is 1 away, at [1, 1], with output 0.
    """

    distance: Distance
    input: Value | None
    output: Value | None
    attained: bool
    """Whether that input disagrees itself; otherwise inputs as close as one likes to it do."""
    towards: tuple[Fraction, ...] | None = None
    """If it does not: every input + t·towards with a small t > 0 disagrees (entry by entry)."""

    def __str__(self) -> str:
        if self.input is None:
            return "No input at a finite distance has another ideal output."
        assert isinstance(self.distance, Fraction)
        how = "at" if self.attained else "arbitrarily close to"
        return (
            f"The nearest input with another ideal output is {spell(self.distance)} away, "
            f"{how} {show(self.input)}, with output {show(self.output)}."
        )


@dataclass(frozen=True)
class Way:
    """A distance for all u: max forms / scale where `when` holds, else infinite."""

    when: Polyhedron
    forms: tuple[Form, ...]
    scale: int
    system: Polyhedron
    """All conditions on u, the other input and the distance."""

    @property
    def is_nothing(self) -> bool:
        """Whether the distance is always 0."""
        return not self.when and not any(form.coefficients or form.constant for form in self.forms)

    def distance(self, point: Point) -> int | Distance:
        """Return the distance at a point."""
        for row in self.when:
            if not row.holds(point):
                return inf
        largest = max([form.value(point) for form in self.forms])
        if self.scale == 1:
            return largest
        return Fraction(largest, self.scale) if isinstance(largest, int) else largest / self.scale


@dataclass(frozen=True)
class Reach:
    """The distance from u to a part of the input space, entry by entry where entries are free.

    Each group of entries that depend on each other has its ways; the least of them counts, and of
    the groups the largest or the sum.
    """

    output: Value
    when: Polyhedron
    groups: tuple[tuple[Way, ...], ...]
    total: Callable[[list[int | Distance]], int | Distance]
    other: tuple[Value, ...]
    """The other input: symbols of its own, of u, and finite values."""

    def distance(self, point: Point) -> int | Distance:
        """Return the distance at a point, inf if the part cannot be reached from there."""
        for row in self.when:
            if not row.holds(point):
                return inf
        found: list[int | Distance] = [0]
        for ways in self.groups:
            nearest = ways[0].distance(point)
            for way in ways[1:]:
                nearest = min(nearest, way.distance(point))
            found.append(nearest)
        return self.total(found)

    def at_home(self, home: Home) -> Reach:
        """Return the same for inputs of which something is known."""
        groups = tuple(
            tuple(replace(way, forms=home.largest(way.forms)) for way in ways)
            for ways in self.groups
        )
        return replace(self, groups=groups)

    @cached_property
    def parts(self) -> Counter[object]:
        """The groups that can be away, by what their distance is made of."""
        return Counter(
            tuple((way.when, way.scale, frozenset(way.forms)) for way in ways)
            for ways in self.groups
            if not any(way.is_nothing for way in ways)
        )

    def is_never_longer(self, other: Reach) -> bool:
        """Whether all that it is made of belongs to another reach too."""
        return set(self.when) <= set(other.when) and self.parts <= other.parts


def _shortest(reaches: Iterable[Reach]) -> tuple[Reach, ...]:
    """Drop every reach that is dominated by another: never shorter than it."""
    kept: list[Reach] = []
    for reach in sorted(reaches, key=lambda one: (one.parts.total(), len(one.when))):
        if not any(other.is_never_longer(reach) for other in kept):
            kept.append(reach)
    return tuple(kept)


class Disagreements:
    """Distances to disagreement of one ideal function under one distance on inputs."""

    def __init__(self, mechanism: Program, ideal: IdealFunction, distance: InputDistance) -> None:
        self._mechanism = mechanism
        self._ideal = ideal
        self._distance = distance
        self._kinds = kinds(mechanism.inputs)
        self._names = entry_names(mechanism.inputs)
        self._last: tuple[Value, ...] | None = None
        self._known: dict[object, tuple[Reach, ...]] = {}  # by finite part and kind of output
        self._ways: dict[object, tuple[Way, ...]] = {}  # by entries and conditions on them

    def distance(self, u: tuple[Value, ...], output: Value, differ: Differ | None) -> Distance:
        """Return dd(u), where `output` is the ideal output at u.

        `differ` says which outputs disagree; by default those that are not equal.
        """
        if not self._distance.by_entry and not has_spots(u):
            self._check_distance(u)
        return self._closest(u, output, differ)[0]

    def _check_distance(self, u: tuple[Value, ...]) -> None:
        """Refuse a function of the user that is no distance at the inputs used."""
        own, given = entries(u), as_given(self._mechanism, u)
        if self._distance.between(own, own) != 0:
            raise ValueRefusedError(
                f"the distance {self._distance} of {shown(given)} from itself is not 0",
                rule="A distance is 0 between an input and itself.",
            )
        moved = [x + 1 if k is None else x for x, k in zip(own, self._kinds, strict=True)]
        for other in (moved, own if self._last is None else entries(self._last)):
            there, back = (self._distance.between(a, b) for a, b in ((own, other), (other, own)))
            if there != back:
                raise ValueRefusedError(
                    f"the distance {self._distance} of {shown(given)} and {shown(other)} "
                    f"is {there} one way and {back} the other",
                    rule="A distance is the same both ways.",
                )
        self._last = u

    def nearest(self, u: tuple[Value, ...], output: Value, differ: Differ | None) -> Disagreement:
        """Return dd(u) with a nearest disagreeing input."""
        distance, found = self._closest(u, output, differ)
        if found is None:
            return Disagreement(inf, None, None, attained=False)
        if isinstance(found, tuple):
            given = as_written(as_given(self._mechanism, found))
            return Disagreement(distance, given, self._table[found], attained=True)
        everything: dict[Name, int | Fraction] = dict(self.point(u, output))
        wish: dict[Name, int | Fraction] = {f"{name}'": value for name, value in everything.items()}
        missed: list[tuple[Polyhedron, dict[Name, int | Fraction]]] = []
        for ways in found.groups:
            best = min(ways, key=lambda way: way.distance(everything))
            least = Fraction(best.distance(everything))
            system = [row.at({**everything, _T: least}) for row in best.system]
            solved = solution(system, wish)
            if solved is None:
                missed.append((best.system, {**everything, _T: least + 1}))
                solved = solution((row.closed() for row in system), wish)
            assert solved is not None
            everything |= solved
        other = assembled(self._mechanism.inputs, [_value(one, everything) for one in found.other])
        out = self._ideal(other)
        attained = not missed
        if missed:  # on a side of its piece the input may disagree all the same
            there = self._distance.between(entries(u), entries(other))
            attained = there == distance and (out != output if differ is None else differ(out))
        given = as_written(as_given(self._mechanism, other))
        if attained:
            return Disagreement(distance, given, out, attained=True)
        # A segment from the closure of a convex set to a point of the set runs inside it.
        inside = dict(everything)
        for rows, further in missed:
            inside |= solution([row.at(further) for row in rows], wish) or {}
        towards = _difference(found.other, inside, everything)
        return Disagreement(distance, given, _at(found.output, everything), False, towards)

    def _closest(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> tuple[Distance, Reach | tuple[Value, ...] | None]:
        if not any(kind is None for kind in self._kinds):
            return self._closest_listed(u, output, differ)
        point = self.point(u, output)
        reaches = self._reaches(u, output, every=differ is not None)
        if any(isinstance(value, Spot) for value in point.values()):
            return self._certified(point, reaches, differ), None
        best: tuple[int | Distance, Reach | None] = (inf, None)
        for reach in reaches:
            if differ is None or differ(reach.output):
                distance = reach.distance(point)
                if distance < best[0]:
                    best = distance, reach
        if best[0] < 0:
            raise ValueRefusedError(
                f"the distance {self._distance} is negative near the input "
                f"{shown(as_given(self._mechanism, u))}",
                rule="A distance is never negative.",
            )
        distance, nearest = best
        return (Fraction(distance) if isinstance(distance, int) else distance), nearest

    def _certified(
        self, point: Point, reaches: tuple[Reach, ...], differ: Differ | None
    ) -> Distance:
        """Return dd at an input with spots, and write down why it is that form.

        Only what proves it is compared: the form is the largest of its own way, and each other
        reach has some form that is not smaller. Where all other inputs are equally far, one reach
        that is open tells all.
        """
        found: list[Tree] = []
        possible = [reach for reach in reaches if differ is None or differ(reach.output)]
        if self._distance.is_all_or_nothing:
            sample = {name: _sampled(value) for name, value in point.items()}
            near = (one for one in possible if one.distance(sample) != inf)
            possible = list(islice(near, 1)) or possible
        for reach in possible:
            if _is_open(reach.when, point):
                groups = [
                    [_forms(way, point) for way in ways if _is_open(way.when, point)]
                    for ways in reach.groups
                ]
                if not all(groups):
                    continue
                least = [Least(tuple(ways)) for ways in groups]
                if self._distance.adds:
                    found.append(self._distance.total([Fraction(0), *map(certified, least)]))
                else:
                    found.append(Largest(tuple(least)))
        return certified(Least(tuple(found)))

    # Finite inputs --------------------------------------------------------------------

    @cached_property
    def _table(self) -> dict[tuple[Value, ...], Value]:
        """The ideal output at every input of a finite domain."""
        domains = [kind for kind in self._kinds if kind is not None]
        size = 1
        for domain in domains:
            size *= len(domain.members)
        if size > _MOST:
            raise ValueRefusedError(
                f"the mechanism has {size:,} inputs",
                rule=f"The distance to disagreement is searched among at most {_MOST:,} inputs.",
                way_out="Make the domain smaller.",
            )
        inputs = product(*(domain.members for domain in domains))
        listed = (assembled(self._mechanism.inputs, values) for values in inputs)
        return {u: self._ideal(u) for u in listed}

    @cached_property
    def _least(self) -> Fraction:
        """No two different inputs are closer than this under a built-in distance."""
        if not self._distance.by_entry:
            return Fraction(0)
        gaps = [Fraction(1)]
        for kind in self._kinds:
            numbers = sorted({Fraction(x) for x in kind.members if is_number(x)}) if kind else []
            gaps += [b - a for a, b in pairwise(numbers)]
        return min(gaps)

    def _closest_listed(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> tuple[Distance, tuple[Value, ...] | None]:
        best: tuple[Distance, tuple[Value, ...] | None] = (inf, None)
        own = entries(u)
        for v, other in self._table.items():
            if (other != output) if differ is None else differ(other):
                distance = self._distance.between(own, entries(v))
                if distance < best[0]:
                    best = distance, v
                    if distance <= self._least:
                        break
        return best

    # Real inputs ----------------------------------------------------------------------

    def point(self, u: tuple[Value, ...], output: Value) -> Point:
        """Return the values of all symbols that reaches are written in."""
        found: dict[Name, Any] = {}
        for name, value, kind in zip(self._names, entries(u), self._kinds, strict=True):
            if kind is None:
                found[name] = value
        for path in self._real_outputs:
            value = _leaf(output, path)
            if isinstance(value, int | Fraction | Spot):
                found[_out(path)] = value
        return found

    def _reaches(self, u: tuple[Value, ...], output: Value, *, every: bool) -> tuple[Reach, ...]:
        """Return the ways to disagree with an ideal output, for the finite part of an input.

        Unless every one is wanted, those that are dominated by another are dropped.
        """
        finite = tuple(
            value for value, kind in zip(entries(u), self._kinds, strict=True) if kind is not None
        )
        shape = _shape(output, (), self._real_outputs)
        key = finite, shape, every
        if key not in self._known:
            rest = iter(finite)
            here: list[Value] = [
                Linear.symbol(name) if kind is None else next(rest)
                for name, kind in zip(self._names, self._kinds, strict=True)
            ]
            home = self._home(finite, shape)
            found = dict.fromkeys(one.at_home(home) for one in self._found(here, shape))
            self._known[key] = tuple(found) if every else _shortest(found)
        return self._known[key]

    def _home(self, finite: tuple[Value, ...], shape: Value) -> Home:
        """Return what is known of an input with an ideal output of a shape."""
        same = [
            piece
            for piece in self._pieces[finite]
            if _shape(piece.output, (), self._real_outputs) == shape
        ]
        if len(same) != 1:
            return Home(())
        names: dict[Name, Name] = {f"{name}'": name for name in self._names}
        return Home(row.renamed(names) for row in same[0].rows)

    def _found(self, here: list[Value], shape: Value) -> Iterator[Reach]:
        for finite, listed in self._pieces.items():
            for piece in listed:
                for different in _differences(piece.output, shape):
                    reach = self._reach(here, finite, piece, different)
                    if reach is not None:
                        yield reach

    def _reach(
        self, here: list[Value], finite: tuple[Value, ...], piece: Piece, different: Polyhedron
    ) -> Reach | None:
        """Return the distance to a piece of the ideal with a difference in the output."""
        rows = (*piece.rows, *different)
        involved = {name for row in rows for name in row.variables}
        there: list[Value] = []
        rest = iter(finite)
        for own, name, kind in zip(here, self._names, self._kinds, strict=True):
            if kind is not None:
                there.append(next(rest))
            elif f"{name}'" in involved or not self._distance.by_entry:
                there.append(Linear.symbol(f"{name}'"))
            else:
                there.append(own)
        pairs = list(zip(here, there, strict=True))
        when, groups = _grouped(pairs, rows, by_entry=self._distance.by_entry)
        ways = []
        for some, conditions in groups:
            key = tuple(some), conditions
            if key not in self._ways:
                self._ways[key] = tuple(_ways(self._distance, some, conditions))
            if not self._ways[key]:
                return None
            ways.append(self._ways[key])
        return Reach(piece.output, when, tuple(ways), self._distance.total, tuple(there))

    @cached_property
    def _pieces(self) -> dict[tuple[Value, ...], list[Piece]]:
        """The pieces of the ideal, by the finite part of the input; symbols have a prime."""
        domains = [kind.members for kind in self._kinds if kind is not None]
        found = {}
        for finite in product(*domains):
            rest = iter(finite)
            values = [
                Linear.symbol(f"{name}'") if kind is None else next(rest)
                for name, kind in zip(self._names, self._kinds, strict=True)
            ]
            found[finite] = united(self._ideal.pieces(assembled(self._mechanism.inputs, values)))
        return found

    @cached_property
    def _real_outputs(self) -> frozenset[Path]:
        """The places in the output where some piece of the ideal has a real number."""
        outputs = [piece.output for listed in self._pieces.values() for piece in listed]
        return frozenset(path for output in outputs for path in _symbolic(output, ()))


def _grouped(
    pairs: list[Pair], rows: Polyhedron, *, by_entry: bool
) -> tuple[Polyhedron, list[tuple[list[Pair], Polyhedron]]]:
    """Return the rows on u alone, and the entries in groups, each with the rows on it."""
    own = {
        name: k
        for k, (_, b) in enumerate(pairs)
        if isinstance(b, Linear)
        for name in b.coefficients
    }
    home = list(range(len(pairs)))
    when: list[Halfspace] = []
    placed: list[tuple[int, Halfspace]] = []
    for row in rows:
        touched = [own[name] for name in row.form.coefficients if name in own]
        if not touched:
            when.append(row)
            continue
        placed.append((touched[0], row))
        for k in touched[1:]:
            gone, kept = home[k], home[touched[0]]
            home = [kept if h == gone else h for h in home]
    if not by_entry:
        home = [0] * len(pairs)
    groups = []
    for h in dict.fromkeys(home):
        some = [pair for k, pair in enumerate(pairs) if home[k] == h]
        conditions = tuple(row for k, row in placed if home[k] == h)
        if any(a is not b for a, b in some):
            groups.append((some, conditions))
    return tuple(when), groups


def _ways(distance: InputDistance, pairs: list[Pair], rows: Polyhedron) -> Iterator[Way]:
    """Return the distances from u to the entries that satisfy the rows, by case."""
    here, there = [a for a, _ in pairs], [b for _, b in pairs]
    own = [name for b in there if isinstance(b, Linear) for name in b.coefficients]
    for case in distance.cases(here, there, rows):
        above = [condition(Linear.symbol(_T) - form, ">=")[0][0] for form in case.forms]
        system = (*rows, *case.rows, *above)
        left = project(system, [*own, *case.helpers])
        if left is not None:
            yield _way(left, system)


def _way(left: Polyhedron, system: Polyhedron) -> Way:
    when: list[Halfspace] = []
    forms: list[Form] = []
    for row in left:
        if row.coefficient(_T):
            forms.append(row.end(_T))
        else:
            when.append(row)
    if not forms:
        raise ValueRefusedError(
            "the distance is negative somewhere", rule="A distance is never negative."
        )
    scale = lcm(*(form.denominator for form in forms))
    return Way(tuple(when), tuple(form.whole(scale) for form in forms), scale, system)


def _is_open(rows: Polyhedron, point: Point) -> bool:
    """Whether rows hold at a point with spots; the sides on which that changes are noted."""
    for row in rows:
        value = row.form.value(point)
        if isinstance(value, Spot):
            value.trace.note(value)
        if not row.holds(point):
            return False
    return True


def _sampled(value: int | Fraction | Spot) -> int | Fraction:
    """Return a number, that of a spot at the sample."""
    return fraction(value.value) if isinstance(value, Spot) else value


def _forms(way: Way, point: Point) -> Largest:
    return Largest(tuple(form.value(point) / Fraction(way.scale) for form in way.forms))


def _differences(output: Value, shape: Value) -> Iterator[Polyhedron]:
    """Return the ways in which an output can differ from one of a shape."""
    if isinstance(output, tuple) or isinstance(shape, tuple):
        same = isinstance(output, tuple) and isinstance(shape, tuple) and len(output) == len(shape)
        if not same:
            yield ()
            return
        found = [list(_differences(a, b)) for a, b in zip(output, shape, strict=True)]
        if any(() in ways for ways in found):
            yield ()
            return
        for ways in found:
            yield from ways
        return
    if isinstance(output, Linear) or isinstance(shape, Linear):
        one, two = (int(x) if isinstance(x, bool) else x for x in (output, shape))  # True equals 1
        if not (_is_form(one) and _is_form(two)):
            yield ()
            return
        difference: Scalar = one - two
        if isinstance(difference, Linear):
            for op in "<>":
                yield condition(difference, op)[0]
        elif difference:
            yield ()
        return
    if output != shape:
        yield ()


def _shape(output: Value, path: Path, reals: Iterable[Path]) -> Value:
    """Return an output with symbols for the numbers at the real places."""
    if isinstance(output, tuple):
        return tuple(_shape(item, (*path, k), reals) for k, item in enumerate(output))
    return Linear.symbol(_out(path)) if path in reals and _is_form(output) else output


def _out(path: Path) -> str:
    return f"the output{list(path)}"


def _is_form(value: Value) -> bool:
    return isinstance(value, Linear | Spot) or is_number(value)


def _leaf(output: Value, path: Path) -> Value:
    for k in path:
        if not isinstance(output, tuple) or k >= len(output):
            return None
        output = output[k]
    return output


def _symbolic(output: Value, path: Path) -> Iterator[Path]:
    if isinstance(output, tuple):
        for k, item in enumerate(output):
            yield from _symbolic(item, (*path, k))
    elif isinstance(output, Linear):
        yield path


def _value(form: Value, point: Point) -> Value:
    if not isinstance(form, Linear):
        return form
    total = Fraction(form.constant)
    for name, q in form.coefficients.items():
        total += q * point.get(name, 0)
    return plain(total)


def _difference(forms: tuple[Value, ...], there: Point, here: Point) -> tuple[Fraction, ...]:
    """Return by how much entries of an input change between two points."""
    return tuple(
        sum(
            (Fraction(there[name] - here[name]) * q for name, q in form.coefficients.items()),
            Fraction(0),
        )
        if isinstance(form, Linear)
        else Fraction(0)
        for form in forms
    )


def _at(output: Value, point: Point) -> Value:
    if isinstance(output, tuple):
        return tuple(_at(item, point) for item in output)
    return _value(output, point)
