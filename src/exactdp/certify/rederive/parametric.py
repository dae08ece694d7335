"""What a claim says of its program on a whole cone of parameters (ε, εx, …, εα, εγ).

The program runs with linear forms for its inputs. A comparison of two of them has one answer inside
the cone; where it has two, the cone is cut there and both parts are looked at. So what is derived
holds at every input inside the cone. A single input is the ray where only ε moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import inf
from typing import Any, TypeVar

from ..kernel.cones import Region, UndecidedError, Vector, dot
from ..kernel.reading import Sum
from .derivation import Derivation, Way, single
from .distances import matches
from .integrals import Integrals
from .linear import Form, Judge, holds, is_number, plain
from .ratios import BrokenRunError, Ratio, UnsupportedError, WrongProgramError, plus
from .regions import Row, feasible, rows
from .runs import Condition, Path, paths

T = TypeVar("T")

MOST_PARTS = 500


@dataclass(frozen=True)
class At:
    """A number that is a linear form in the parameters, divided by ε."""

    form: Vector


Entry = Any  # an `At`, or a value


class Inside:
    """Decides comparisons of forms in the parameters."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.compared: set[tuple[Vector, str]] = set()

    def decide(self, form: Form, op: str) -> bool:
        """Return whether form op 0 inside the cone."""
        vector = vector_of(form, self.region.size)
        truth = holds(self.region.judge(vector), op)
        self.compared.add((vector, op))
        return truth


def vector_of(value: Any, size: int) -> Vector:
    """Return a number, or a form in the parameters, by its coefficients."""
    if is_number(value):
        return (Fraction(value), *(Fraction(0),) * (size - 1))
    found = [Fraction(value.constant)] + [Fraction(0)] * (size - 1)
    for name, c in value.coefficients.items():
        found[-name] = c
    return tuple(found)


def number_of(form: Vector, judge: Judge) -> Any:
    """Return a form as a number to calculate with."""
    rest = {-k: q for k, q in enumerate(form) if k and q}
    return Form(rest, form[0], judge) if rest else plain(form[0])


def spelled(value: Any, size: int) -> Any:
    """Return an output with vectors for its forms."""
    if isinstance(value, tuple):
        return tuple(spelled(one, size) for one in value)
    if isinstance(value, Form):
        if any(name >= 0 for name in value.coefficients):
            raise UnsupportedError("an ideal output holds noise")
        return At(vector_of(value, size))
    return value


def parts(region: Region, look: Callable[[Region], T]) -> list[T]:
    """Return what is found on parts that cover a cone; it is cut where a comparison says so."""
    found: list[T] = []
    waiting = [region]
    count = 0
    while waiting:
        part = waiting.pop()
        count += 1
        if count > MOST_PARTS:
            raise UnsupportedError("a cell has too many parts")
        try:
            found.append(look(part))
        except UndecidedError as error:
            cuts = (part.cut([sign * q for q in error.form]) for sign in (1, -1))
            waiting += [one for one in cuts if one.is_full]
    return found


class OnCone:
    """The program of a claim on one cone; `entries` are the single values of the input."""

    def __init__(self, derivation: Derivation, region: Region, entries: list[Entry]) -> None:
        self.derivation = derivation
        self.region = region
        self.entries = entries
        self.judge = Inside(region)
        self.mechanism = Inside(region)
        """It knows what the mechanism compares without noise."""

    def input(self, judge: Judge) -> list[Any]:
        """Return the input, one value for each parameter of the program."""
        return self.derivation.assembled(
            [number_of(one.form, judge) if isinstance(one, At) else one for one in self.entries]
        )

    def ideal(self) -> Any:
        """Return the ideal output, its forms as vectors."""
        path = Path((), noisy=False, inputs=self.judge)
        try:
            output = self.derivation.ideal(self.input(path), path)
        except BrokenRunError as error:
            raise WrongProgramError(f"the ideal fails at inputs of a cell: {error}") from error
        return spelled(output, self.region.size)

    def value(self, output: Any) -> Any:
        """Return an output to calculate with."""
        if isinstance(output, At):
            return number_of(output.form, self.judge)
        return tuple(map(self.value, output)) if isinstance(output, tuple) else output

    # Probabilities --------------------------------------------------------------------

    @cached_property
    def integrals(self) -> Integrals:
        """The integrals on the cone; those at points are shared."""
        shared = self.derivation.integrals
        size = self.region.size
        return shared if size == 1 else Integrals(size, self.region.judge, shared)

    @cached_property
    def ways(self) -> list[Way]:
        """The ways of the mechanism; it must not fail on one that is possible."""
        if self.region.size == 1:
            every = self.derivation.ways(single(self.input(self.judge)))
        else:
            broken: list[tuple[Path, Any]] = []

            def run(path: Path) -> Any:
                return self.derivation.mechanism.run(path, self.input(path))

            found = list(paths(run, noisy=True, inputs=self.mechanism, broken=broken))
            every = [
                Way(path.noises, path.conditions, path.weight, output)
                for path, output in found + broken
            ]
        for way in every:
            if isinstance(way.output, BrokenRunError) and self.chance(way, []):
                raise WrongProgramError(str(way.output)) from way.output
        return [way for way in every if not isinstance(way.output, BrokenRunError)]

    def chance(self, way: Way, more: list[Condition]) -> Sum:
        """Return the probability of a way and more conditions, without its weight."""
        return self.integrals.density(way.noises, [*way.conditions, *more])

    def chances(self, ideal: Any, radius: Any) -> Iterator[tuple[Ratio, Sum]]:
        """Return weights and sums that add up to the probability of being so close to the ideal."""
        name, size = self.derivation.spec["output_distance"].get("name"), self.region.size
        if radius == inf or (name == "discrete" and radius >= 1):
            yield Ratio.number(1), {((0,) * size, (Fraction(0),) * size): Fraction(1)}
            return
        wanted = self.value(ideal)
        for way in self.ways:
            more: list[Condition] = []
            if name in ("discrete", "sup"):
                close = matches(way.output, wanted, radius if name == "sup" else None, more)
            else:
                close = bool(self.gap(wanted, way.output) <= radius)
            if close:
                yield way.weight, self.chance(way, more)

    def sum(self, ideal: Any, radius: Any) -> Sum:
        """Return the probability of being so close to the ideal, without choices."""
        total: Sum = {}
        for weight, chance in self.chances(ideal, radius):
            if weight != 1:
                raise UnsupportedError("a choice on a cone of inputs")
            total = plus(total, chance)
        return total

    def ratio(self, ideal: Any, radius: Any) -> Ratio:
        """Return the same on a ray, as a function of ε."""
        total = Ratio.number(0)
        for weight, chance in self.chances(ideal, radius):
            total = total + weight * Ratio.lifted(chance)
        return total

    def gap(self, ideal: Any, output: Any) -> Any:
        """Return the distance of two finite outputs."""
        scored = self.derivation.spec["output_distance"].get("name") == "score_gap"
        if scored and self.region.size > 1:
            raise UnsupportedError("scores on a cone of inputs")
        return self.derivation.output_distance(self.input(self.judge), ideal, output)

    def steps(self, ideal: Any) -> list[Any]:
        """Return the values of the output distance with a positive probability, and 0."""
        wanted = self.value(ideal)
        listed: list[Any] = [Fraction(0)]
        for way in self.ways:
            if self.chance(way, []):
                gap = self.gap(wanted, way.output)
                if not any(bool(gap == other) for other in listed):
                    listed.insert(sum(bool(other < gap) for other in listed), gap)
        return listed

    # The distance to disagreement -----------------------------------------------------

    def is_near(self, ideal: Any, limit: Vector) -> bool:
        """Whether dd ≤ limit everywhere inside the cone.

        For a set Q of inputs that disagree, the pairs (θ, v) with v in Q and d(u, v) ≤ limit form a
        convex cone. So if each generator of the cone has such a v in the closure, every θ has; and
        if one θ inside has a v in Q itself, mixing in a little of it leads into Q, and is as close
        as one likes.
        """
        for others, path_rows in self.disagreeing(ideal):
            for near, shape in self.near(others, limit):
                inside = [*path_rows, *shape]
                if self._reached([*inside, *near], inside, len(others)):
                    return True
        return False

    def can_be_near(self, ideal: Any, limit: Vector) -> bool:
        """Whether dd ≤ limit at one point inside the cone and at all its generators.

        For each of finitely many sets of inputs that disagree, the θ that have one so near, in the
        closure, form a closed cone. If a generator is in none of them, neither are the θ around.
        """
        left = [self.region.inside(), *self.region.generators]
        for others, path_rows in self.disagreeing(ideal):
            for near, shape in self.near(others, limit):
                rows = [*path_rows, *shape, *near]
                left = [
                    point
                    for point in left
                    if not feasible(
                        [(c, Fraction(dot(d, point)), False) for c, d, _ in rows], len(others)
                    )
                ]
        return not left

    def _reached(self, near: list[_Joint], strict: list[_Joint], size: int) -> bool:
        for ray in self.region.generators:
            system: list[Row] = [(c, Fraction(dot(d, ray)), False) for c, d, _ in near]
            if not feasible(system, size):
                return False
        point = self.region.inside()
        return feasible([(c, Fraction(dot(d, point)), s) for c, d, s in strict], size)

    def disagreeing(self, ideal: Any) -> Iterator[tuple[list[Any], list[_Joint]]]:
        """Return sets of inputs v that disagree: finite entries (else None), and conditions."""
        domains = self.derivation.domains()
        size = len(domains)
        for others in product(*domains):
            for path, other in self.derivation.ideal_paths(others):
                for extra in self._differences(ideal, other, size):
                    for system in rows(path.conditions, size):
                        joint = [
                            (c, (d, *(Fraction(0),) * (self.region.size - 1)), strict)
                            for c, d, strict in system
                        ]
                        yield list(others), [*joint, *extra]

    def _differences(self, ideal: Any, other: Any, size: int) -> list[list[_Joint]]:
        """Return the ways in which the output at v disagrees with the one at u."""
        spec = self.derivation.spec["output_distance"]
        if self.derivation.spec["agreement"] != "equal" and spec.get("name") not in (
            "discrete",
            "sup",
        ):
            return [[]] if self.gap(self.value(ideal), other) > 0 else []
        if isinstance(other, tuple) and isinstance(ideal, tuple):
            if len(other) != len(ideal):
                return [[]]
            found: list[list[_Joint]] = []
            for a, b in zip(ideal, other, strict=True):
                found += self._differences(a, b, size)
            return found
        mine = self.value(ideal)
        numbers = all(is_number(x) or isinstance(x, Form) for x in (mine, other))
        if not numbers:
            return [[]] if mine != other else []
        if is_number(mine) and is_number(other):
            return [[]] if mine != other else []
        zero = (Fraction(0),) * size
        up = _coefficients(other, size) if isinstance(other, Form) else zero
        start = other.constant if isinstance(other, Form) else Fraction(other)
        here = vector_of(mine, self.region.size)
        there = (start - here[0], *(-q for q in here[1:]))
        return [[(up, there, True)], [(_negative(up), _negative(there), True)]]

    def agrees(self, ideal: Any, radius: Fraction, *, strict: bool) -> bool:
        """Whether no input so near disagrees (if not strict: nor is one approached), on a ray."""
        if None not in self.derivation.members:
            u = self.input(self.judge)
            return self.derivation.agrees_listed(u, ideal, radius, strict=strict)
        for others, path_rows in self.disagreeing(ideal):
            for near, shape in self.near(others, (radius,), strict=strict):
                system: list[Row] = [(c, d, is_strict) for c, (d,), is_strict in path_rows + shape]
                if feasible(system, len(others)):  # then its closure is: the same, none strict
                    closed = system if strict else [(c, d, False) for c, d, _ in system]
                    closed += [(c, d, strict) for c, (d,), _ in near]
                    if feasible(closed, len(others)):
                        return False
        return True

    def near(
        self, others: list[Any], limit: Vector, *, strict: bool = False
    ) -> Iterator[tuple[list[_Joint], list[_Joint]]]:
        """Return conditions for d(u, v) ≤ limit (if strict: below it, where that differs).

        They are those that bound it, and those that say where it is what they bound.
        """
        spec, size = self.derivation.spec["input_distance"], len(others)
        width = self.region.size
        name = spec.get("name")
        if name == "discrete":
            one = tuple(Fraction(k == 0) for k in range(width))
            if self.region.judge(_minus(limit, one)) >= int(strict):
                yield [], []
            return
        if name not in ("linf", "l1", "numeric") or any(
            not (isinstance(one, At) or one is None or is_number(one))
            for one in (*self.entries, *others)
        ):
            raise UnsupportedError("how far it is to disagreement is not re-derived here")
        zero = (Fraction(0),) * size
        differences: list[_Joint] = []  # v − u
        shape: list[list[list[_Joint]]] = []
        for k, (mine, other) in enumerate(zip(self.entries, others, strict=True)):
            here = mine.form if isinstance(mine, At) else vector_of(mine, width)
            unit = tuple(Fraction(j == k) for j in range(size)) if other is None else zero
            start = vector_of(other or 0, width)
            differences.append((unit, _minus(start, here), False))
            if name == "numeric":
                shape.append(self._by_numbers(spec, differences[-1], here, other))
        if name == "l1":
            if size > 8:
                raise UnsupportedError("there are too many numbers in an input")
            bound = []
            for signs in product((1, -1), repeat=size):
                up, there = zero, limit
                for s, (c, d, _) in zip(signs, differences, strict=True):
                    up = tuple(a - s * b for a, b in zip(up, c, strict=True))
                    there = tuple(a - s * b for a, b in zip(there, d, strict=True))
                bound.append((up, there, False))
            yield bound, []
            return
        bound = []
        for c, d, _ in differences:
            bound.append((c, tuple(a + b for a, b in zip(limit, d, strict=True)), False))
            bound.append((_negative(c), _minus(limit, d), False))
        for chosen in product(*shape):
            own = [row for way in chosen for row in way]
            yield bound, own

    def _by_numbers(
        self, spec: dict[str, Any], difference: _Joint, here: Vector, other: Any
    ) -> list[list[_Joint]]:
        """Return the ways in which two entries are comparable: equal, or one below a threshold."""
        width = self.region.size
        threshold = vector_of(Fraction(spec["threshold"]), width)
        if self.region.judge(_minus(here, threshold)) < 0:
            return [[]]
        c, d, _ = difference
        same: list[_Joint] = [(c, d, False), (_negative(c), _negative(d), False)]
        if other is None:
            below: list[_Joint] = [(_negative(c), threshold, True)]
        else:
            below = [(c, _minus(threshold, vector_of(other, width)), True)]
        return [same, below]


_Joint = tuple[tuple[Fraction, ...], Vector, bool]  # c·v + d·θ ≥ 0, or > 0 if strict


def _minus(a: Vector, b: Vector) -> Vector:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _negative(a: Vector) -> Vector:
    return tuple(-x for x in a)


def _coefficients(form: Form, size: int) -> Vector:
    return tuple(form.coefficients.get(k, Fraction(0)) for k in range(size))
