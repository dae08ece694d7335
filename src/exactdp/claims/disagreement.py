"""The distance to disagreement (Definition 1): how far to an input with another ideal output.

The ideal is piecewise linear, and so is the distance on inputs. For each piece of the ideal the
distance from u is found once, for all u, by eliminating the other input: it is the largest of
linear forms in u. At an input only the forms are evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm
from typing import TYPE_CHECKING, TypeAlias

from exactdp.claims.distances import Case, Distance, InputDistance
from exactdp.claims.elimination import Name, Row, project, solution
from exactdp.claims.inputs import as_given
from exactdp.claims.pieces import Piece, Rows, assembled, condition, entries, kinds
from exactdp.errors import ValueRefusedError
from exactdp.language.values import Value, plain
from exactdp.reals.numbers import inf, spell
from exactdp.semantics.linear import Form, Linear

if TYPE_CHECKING:
    from exactdp.claims.ideals import IdealFunction
    from exactdp.language.mechanism import Mechanism

_T = "the distance"
_MOST = 1_000_000  # inputs of a finite domain

Path: TypeAlias = tuple[int, ...]
Point: TypeAlias = Mapping[Name, int | Fraction]
Differ: TypeAlias = Callable[[Value], bool]
"""Whether an output disagrees with that at the input one looks at."""


@dataclass(frozen=True)
class Disagreement:
    """dd(u), with a nearest input of another ideal output (None if there is none)."""

    distance: Distance
    input: Value | None
    output: Value | None
    attained: bool
    """Whether that input disagrees itself; otherwise inputs as close as one likes to it do."""

    def __str__(self) -> str:
        if self.input is None:
            return "No input at a finite distance has another ideal output."
        assert isinstance(self.distance, Fraction)
        how = "at" if self.attained else "arbitrarily close to"
        return (
            f"The nearest input with another ideal output is {spell(self.distance)} away, "
            f"{how} {self.input}, with output {self.output}."
        )


@dataclass(frozen=True)
class Reach:
    """The distance from u to a part of the input space: max forms / scale where `when` holds."""

    output: Value
    when: Rows
    forms: Rows
    scale: int
    other: tuple[Value, ...]
    """The other input: symbols of its own, of u, and finite values."""
    system: Rows
    """All conditions on u, the other input and the distance."""

    def distance(self, point: Point) -> Distance:
        """Return the distance at a point, inf if the part cannot be reached from there."""
        for row in self.when:
            if not row.holds(point):
                return inf
        return Fraction(max(form.value(point) for form in self.forms)) / self.scale


class Disagreements:
    """Distances to disagreement of one ideal function under one distance on inputs."""

    def __init__(self, mechanism: Mechanism, ideal: IdealFunction, distance: InputDistance) -> None:
        self._mechanism = mechanism
        self._ideal = ideal
        self._distance = distance
        self._kinds = kinds(mechanism)
        self._reaches: dict[object, tuple[Reach, ...]] = {}  # by finite part and kind of output
        self._ways: dict[object, tuple[Reach, ...]] = {}  # by piece and way to differ

    def distance(self, u: tuple[Value, ...], output: Value, differ: Differ | None) -> Distance:
        """Return dd(u), where `output` is the ideal output at u.

        `differ` says which outputs disagree; by default those that are not equal.
        """
        return self._closest(u, output, differ)[0]

    def nearest(self, u: tuple[Value, ...], output: Value, differ: Differ | None) -> Disagreement:
        """Return dd(u) with a nearest disagreeing input."""
        distance, found = self._closest(u, output, differ)
        if found is None:
            return Disagreement(inf, None, None, attained=False)
        if isinstance(found, tuple):
            given = as_given(self._mechanism, found)
            return Disagreement(distance, given, self._table[found], attained=True)
        point = {**self.point(u, output), _T: Fraction(distance)}
        system = [row.at(point) for row in found.system]
        wish = {f"{name}'": value for name, value in point.items()}
        solved = solution(system, wish)
        attained = solved is not None
        if solved is None:
            closed = [Row(row.entries, row.constant, strict=False) for row in system]
            solved = solution(closed, wish)
        assert solved is not None
        everything = {**point, **solved}
        other = assembled(self._mechanism, [_value(one, everything) for one in found.other])
        out = self._ideal(other) if attained else _at(found.output, everything)
        return Disagreement(distance, as_given(self._mechanism, other), out, attained)

    def _closest(
        self, u: tuple[Value, ...], output: Value, differ: Differ | None
    ) -> tuple[Distance, Reach | tuple[Value, ...] | None]:
        if not any(kind is None for kind in self._kinds):
            return self._closest_listed(u, output, differ)
        point = self.point(u, output)
        best: tuple[Distance, Reach | None] = (inf, None)
        for reach in self.reaches(u, output):
            if differ is None or differ(reach.output):
                distance = reach.distance(point)
                if distance < best[0]:
                    best = distance, reach
        if best[0] < 0:
            raise ValueRefusedError(
                f"the distance {self._distance} is negative near the input "
                f"{as_given(self._mechanism, u)!r}",
                rule="A distance is never negative.",
            )
        return best

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
        listed = (assembled(self._mechanism, list(values)) for values in inputs)
        return {u: self._ideal(u) for u in listed}

    @cached_property
    def _least(self) -> Fraction:
        """No two different inputs are closer than this under a built-in distance."""
        if not self._distance.by_entry:
            return Fraction(0)
        gaps = [Fraction(1)]
        for kind in self._kinds:
            numbers = sorted({Fraction(x) for x in kind.members if _is_number(x)}) if kind else []
            gaps += [b - a for a, b in zip(numbers, numbers[1:], strict=False)]
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
        found: dict[Name, int | Fraction] = {}
        for name, value, kind in zip(self._names, entries(u), self._kinds, strict=True):
            if kind is None:
                found[name] = value
        for path in self._real_outputs:
            value = _leaf(output, path)
            if isinstance(value, int | Fraction):
                found[_out(path)] = value
        return found

    def reaches(self, u: tuple[Value, ...], output: Value) -> tuple[Reach, ...]:
        """Return the ways to disagree with an ideal output, for the finite part of an input."""
        finite = tuple(
            value for value, kind in zip(entries(u), self._kinds, strict=True) if kind is not None
        )
        shape = _shape(output, (), self._real_outputs)
        key = finite, shape
        if key not in self._reaches:
            rest = iter(finite)
            here: list[Value] = [
                Linear.symbol(name) if kind is None else next(rest)
                for name, kind in zip(self._names, self._kinds, strict=True)
            ]
            self._reaches[key] = tuple(self._found(here, shape))
        return self._reaches[key]

    def _found(self, here: list[Value], shape: Value) -> Iterator[Reach]:
        seen = set()
        for finite, listed in self._pieces.items():
            for piece in listed:
                for different in _differences(piece.output, shape):
                    key = tuple(here), finite, piece, different
                    if key not in self._ways:
                        self._ways[key] = tuple(self._reach(here, finite, piece, different))
                    for reach in self._ways[key]:
                        facts = reach.output, reach.when, reach.forms, reach.scale
                        if facts not in seen:
                            seen.add(facts)
                            yield reach

    def _reach(
        self, here: list[Value], finite: tuple[Value, ...], piece: Piece, different: Rows
    ) -> Iterator[Reach]:
        rows = (*piece.rows, *different)
        involved = {name for row in rows for name, _ in row.entries}
        there: list[Value] = []
        gone: list[Name] = []
        rest = iter(finite)
        for own, name, kind in zip(here, self._names, self._kinds, strict=True):
            if kind is not None:
                there.append(next(rest))
            elif f"{name}'" in involved or not self._distance.by_entry:
                there.append(Linear.symbol(f"{name}'"))
                gone.append(f"{name}'")
            else:
                there.append(own)
        for case in self._distance.cases(here, there, rows):
            system = (*rows, *case.rows, *_above(case))
            left = project(system, [*gone, *case.helpers])
            if left is not None:
                yield _as_reach(left, piece.output, tuple(there), system)

    @cached_property
    def _names(self) -> list[str]:
        names: list[str] = []
        for param in self._mechanism.inputs:
            length = getattr(param.type, "length", None)
            if length is None:
                names.append(param.name)
            else:
                names += [f"{param.name}[{j}]" for j in range(length)]
        return names

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
            found[finite] = list(self._ideal.pieces(assembled(self._mechanism, values)))
        return found

    @cached_property
    def _real_outputs(self) -> frozenset[Path]:
        """The places in the output where some piece of the ideal has a real number."""
        outputs = [piece.output for listed in self._pieces.values() for piece in listed]
        return frozenset(path for output in outputs for path in _symbolic(output, ()))


def _above(case: Case) -> Iterator[Row]:
    """Return the rows "the distance is at least this"."""
    for form in case.forms:
        yield condition(Linear.symbol(_T) - form, ">=")[0][0]


def _as_reach(left: Rows, output: Value, other: tuple[Value, ...], system: Rows) -> Reach:
    when, forms = [], []
    for row in left:
        coefficients = dict(row.entries)
        factor = coefficients.pop(_T, 0)
        if factor:
            forms.append((coefficients, row.constant, factor))
        else:
            when.append(row)
    scale = lcm(*(factor for _, _, factor in forms))
    rows = []
    for coefficients, constant, factor in forms:
        times = -scale // factor
        entries_ = tuple((name, q * times) for name, q in coefficients.items())
        rows.append(Row(entries_, constant * times, strict=False))
    return Reach(output, tuple(when), tuple(rows), scale, other, system)


def _differences(output: Value, shape: Value) -> Iterator[Rows]:
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
        if not (_is_form(output) and _is_form(shape)):
            yield ()
            return
        difference: Form = output - shape
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
    return isinstance(value, Linear) or _is_number(value)


def _is_number(value: Value) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


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


def _at(output: Value, point: Point) -> Value:
    if isinstance(output, tuple):
        return tuple(_at(item, point) for item in output)
    return _value(output, point)
