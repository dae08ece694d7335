"""Re-derivation of a claim's quantities from the program's source, slowly but independently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf, prod
from typing import Any, NamedTuple, TypeVar

from ..kernel.limits import MAX_TEXT
from ..kernel.reading import RealInterval
from . import distances, limits
from .cones import PolyhedralCone
from .entries import EntryPart, entry_parts
from .flows import Flows
from .integrals import Integrals
from .lattices import LatticeSums
from .linear import Judge, LinearForm
from .merged import MergedRuns
from .moving import MovingGerm
from .orders import Orders
from .points import Point, Remembered, at, unknown
from .programs import InputKind, SourceProgram, Steps, frozen
from .ratios import (
    BrokenRunError,
    Ratio,
    UndefinedRunError,
    UnsupportedError,
    WrongProgramError,
)
from .runs import Condition, Path, TooManyPathsError, paths, share
from .successes import Successes

Input = list[Any]  # one value for each parameter, lists as lists

T = TypeVar("T")


class Undefined:
    """What stands for the output of an ideal at inputs at which it is not defined."""


UNDEFINED = Undefined()


class TakenPath(NamedTuple):
    """A path of a program at an input: what it draws, when it is taken, and its output."""

    path: Path
    point: Point
    output: Any

    @property
    def conditions(self) -> list[Condition]:
        """The conditions under which it is taken."""
        return [(at(form, self.point), op) for form, op in self.path.conditions]

    def real(self, more: Sequence[Condition] = ()) -> list[Condition]:
        """Return those of its conditions, and of more, that are not on integer noise."""
        return [one for one in (*self.conditions, *more) if not self.path.is_whole(one[0])]

    def whole(self, more: Sequence[Condition] = ()) -> list[Condition]:
        """Return those of its conditions, and of more, that are on integer noise."""
        return [one for one in (*self.conditions, *more) if self.path.is_whole(one[0])]

    @property
    def weight(self) -> Ratio:
        """The factor of its probability that comes from choices."""
        total = self.path.weight
        for one, k in self.path.picks():
            if one.has_unknowns:
                total = total * share([at(e, self.point) for e in one.exponents], k)
        return total


class Effort:
    """What may be spent on runs and integrals, by the length of the certificate."""

    def __init__(self, length: int = MAX_TEXT) -> None:
        self.steps, self.integrals = Steps(length), Integrals(length=length)


class Derivation:
    """The program, the ideal and the distances of one claim."""

    def __init__(
        self,
        spec: dict[str, Any],
        table: dict[str, Any] | None,
        epsilon: RealInterval,
        effort: Effort | None = None,
    ) -> None:
        effort = effort or Effort()
        self.spec = spec
        self.orders = Orders(epsilon)
        self.table = table
        self.base: Fraction | None = None
        """Of which number the last value of points, beyond the input, is the logarithm over ε."""
        self.steps = effort.steps
        self.integrals = Integrals(payer=effort.integrals)
        self.lattices = LatticeSums(self.integrals.spend)
        self._known: dict[tuple[str, str], Remembered[Any]] = {}
        self._concrete: set[str] = set()  # what needs numbers
        self._too_many: dict[str, str] = {}  # finite inputs at which there are too many paths
        self._made: dict[object, Any] = {}

    def program(self, source: str) -> SourceProgram:
        """Return a program, parsed once."""
        return self._once(("program", source), lambda: SourceProgram(source, self.steps))

    @property
    def mechanism(self) -> SourceProgram:
        """The mechanism."""
        return self.program(self.spec["mechanism"])

    def own(self, which: str) -> SourceProgram | None:
        """Return a distance that is given by its source."""
        source = self.spec[which].get("source")
        return None if source is None else self.program(source)

    @cached_property
    def kinds(self) -> list[InputKind]:
        """What the inputs are."""
        return self.mechanism.kinds()

    @cached_property
    def members(self) -> list[tuple[Any, ...] | None]:
        """The members of the domain of each single value of an input, None for reals."""
        found: list[tuple[Any, ...] | None] = []
        for kind in self.kinds:
            found += [kind.members] * (1 if kind.length is None else kind.length)
        return found

    # The ideal ------------------------------------------------------------------------

    def ideal(self, point: Point, judge: Judge) -> Any:
        """Return the ideal output at a point; the judge compares anything that is not a number.

        It is `UNDEFINED` where an assertion of an ideal fails, or a table has no output.
        """
        if self.table is not None:
            u = str(self.assembled(point))
            return self.table.get(u, UNDEFINED)

        def found(inputs: Judge) -> Any:
            path = Path((), noisy=False, inputs=inputs, orders=self.orders)
            return self._ideal_run(path, self._unknown(point, path))

        try:
            known = self._remembered("ideal", point, judge, found)
            if known is None:
                path = Path((), noisy=False, inputs=judge, orders=self.orders)
                return self._ideal_run(path, self.assembled(point))
        except BrokenRunError as error:
            raise WrongProgramError(f"the ideal fails at an input: {error}") from error
        return at(known[0], point)

    def _ideal_run(self, path: Path, given: Input) -> Any:
        """Return the output of a run of the ideal; an assertion of the mechanism must hold."""
        try:
            return self.ideal_program.run(path, given)
        except UndefinedRunError:
            if "source" not in self.spec["ideal"]:
                raise
            return UNDEFINED

    @property
    def is_partial(self) -> bool:
        """Whether the ideal has an assertion, so that it may be undefined at some inputs."""
        if "source" not in self.spec["ideal"]:
            return False
        try:
            return self.ideal_program.has_assertions
        except UnsupportedError:  # it cannot be read
            return True

    @property
    def ideal_program(self) -> SourceProgram:
        """The program of the ideal."""
        given = self.spec["ideal"]
        if given.get("noiseless"):
            return self.mechanism
        if "source" not in given:
            raise UnsupportedError("the ideal is a Python function")
        return self.program(given["source"])

    def ideal_paths(self, others: Sequence[Any]) -> list[tuple[Path, Any]]:
        """Return the paths of the ideal with unknowns 0, 1, … where an entry is None.

        On some of them it may be `UNDEFINED`.
        """

        def symbolic(path: Path) -> Any:
            entries = [
                LinearForm({k: Fraction(1)}, Fraction(0), path) if one is None else one
                for k, one in enumerate(others)
            ]
            return self._ideal_run(path, self.assembled(entries))

        return self._once(
            ("ideal", str(others)), lambda: list(paths(symbolic, noisy=False, orders=self.orders))
        )

    # Runs at points -------------------------------------------------------------------

    def _unknown(self, point: Point, judge: Judge) -> Input:
        """Return the input at a point, with unknowns for its reals."""
        pairs = enumerate(zip(point, self.members, strict=False), start=1)
        if len(point) > len(self.members):
            judge.unit, judge.base = unknown(len(point), judge), self.base  # type: ignore[attr-defined]
        return self.assembled([unknown(k, judge) if m is None else one for k, (one, m) in pairs])

    def _concretely(self, point: Point, path: Path) -> Input:
        """Return the input at a point, with its numbers; the path decides comparisons of noise."""
        given = [
            LinearForm(one.coefficients, one.constant, path) if isinstance(one, LinearForm) else one
            for one in point
        ]
        if len(given) > len(self.members):
            path.unit, path.base = given[-1], self.base
        return self.assembled(given)

    def _remembered(
        self, what: str, point: Point, judge: Judge, find: Callable[[Judge], T]
    ) -> tuple[T] | None:
        """Return what is found with unknowns at a point; None if a run needs the numbers."""
        if what in self._concrete:
            return None
        fixed = [one for one, m in zip(point, self.members, strict=False) if m is not None]
        known = self._known.setdefault((what, str(fixed)), Remembered())
        try:
            return (known.at(point, judge, find),)
        except TooManyPathsError:
            raise
        except UnsupportedError:
            self._concrete.add(what)
            return None

    def differ(self, u: Input, one: Any, two: Any) -> bool:
        """Whether two ideal outputs disagree at an input."""
        spec = self.spec["output_distance"]
        if self.spec["agreement"] == "equal" or spec.get("name") in ("discrete", "sup"):
            return bool(one != two)
        return bool(self.output_distance(u, one, two) > 0)

    def reached(
        self,
        point: Point,
        output: Any,
        near: Point,
        towards: list[Fraction] | None,
        judge: Judge,
        *,
        with_germs: bool = False,
    ) -> Any:
        """Return a distance within which inputs disagree with a point; None if those given do not.

        It is that of `near`, if it disagrees itself; or if all inputs near + t·towards with small
        t > 0 do, those come arbitrarily close to it. Under l2 it is the square of the distance. At
        numbers these inputs may be germs, which can be multiplied.
        """
        there, germs = list(near), list[Any]()
        for k, slope in enumerate(towards or ()):
            if slope:
                there[k] = LinearForm({0: slope}, Fraction(0), judge) + there[k]
        if with_germs:
            germs = [MovingGerm((Fraction(x), q)) for x, q in zip(near, towards or (), strict=True)]
        other = self.ideal_of(germs) if with_germs else self.ideal(there, judge)
        if other is UNDEFINED or not self.differ(self.assembled(point), output, other):
            return None
        if self.spec["input_distance"].get("name") == "l2":
            return distances.squared(point, there)
        is_own = "name" not in self.spec["input_distance"]
        found = self.distance_from(point, germs if with_germs and is_own else there)
        found = found.parts[0] if isinstance(found, MovingGerm) else found
        if not isinstance(found, LinearForm):
            return inf if found == inf else Fraction(found)
        rest = {name: c for name, c in found.coefficients.items() if name < 0}
        return LinearForm(rest, found.constant, judge) if rest else found.constant

    def ideal_of(self, entries: Sequence[Any]) -> Any:
        """Return the ideal output at single values that may be spans or germs."""
        path = Path((), noisy=False, orders=self.orders)
        return self._ideal_run(path, self.assembled(list(entries)))

    def distance_from(self, point: Point, there: Sequence[Any]) -> Any:
        """Return the distance of two inputs, except for l2; its source may be run with spans."""
        own = self.own("input_distance")
        if own is None:
            return distances.between_inputs(self.spec["input_distance"], point, list(there))
        given = [_alone(self.assembled(list(one))) for one in (point, there)]
        return own.run(Path(orders=self.orders), given)

    def related(self, source: str, u: list[Any], v: list[Any]) -> Any:
        """Return the value of a function of two inputs, given by their single values."""
        given = [_alone(self.assembled(one)) for one in (u, v)]
        return self.program(source).run(Path(orders=self.orders), given)

    def domains(self) -> list[tuple[Any, ...]]:
        """Return the values that each single entry of an input may have; None for all reals."""
        found = [(None,) if members is None else members for members in self.members]
        if prod(map(len, found)) > limits.MAX_PATHS:
            raise UnsupportedError("there are too many inputs to look for disagreement")
        return found

    def assembled(self, entries: list[Any]) -> Input:
        """Return the input with these single values."""
        rest = iter(entries)
        found: Input = []
        for kind in self.kinds:
            if kind.length is None:
                found.append(next(rest))
            else:
                found.append([next(rest) for _ in range(kind.length)])
        return found

    # Probabilities --------------------------------------------------------------------

    def ways(self, point: Point, judge: Judge) -> list[TakenPath]:
        """Return the paths of the mechanism at a point; if one fails, its output is the error."""

        def found(inputs: Judge) -> list[tuple[Path, Any]]:
            return self._paths(inputs, lambda path: self._unknown(point, path))

        given = point
        fixed = str([one for one, m in zip(point, self.members, strict=False) if m is not None])
        if fixed in self._too_many:
            raise UnsupportedError(self._too_many[fixed])
        try:
            known = self._remembered("mechanism", point, judge, found)
            if known is None:
                known = (self._paths(judge, lambda path: self._concretely(given, path)),)
                point = _parameters(point, judge)
        except TooManyPathsError as error:  # so it has elsewhere
            self._too_many[fixed] = str(error)
            raise
        return [TakenPath(path, point, at(output, point)) for path, output in known[0]]

    def _paths(self, judge: Judge, given: Callable[[Path], Input]) -> list[tuple[Path, Any]]:
        """Return the paths of the mechanism at an input, those on which it fails last."""
        broken: list[tuple[Path, BrokenRunError]] = []
        run = self.mechanism.run
        found = paths(
            lambda path: run(path, given(path)),
            noisy=True,
            inputs=judge,
            broken=broken,
            orders=self.orders,
        )
        return [*found, *broken]

    def successes(self, fixed: Sequence[Any]) -> Successes:
        """Return the steps to outputs of the mechanism; `fixed` has None for real entries."""
        return self._once(
            ("successes", str(fixed)), lambda: Successes(self.merged(fixed, noisy=True))
        )

    def merged(self, fixed: Sequence[Any], *, noisy: bool) -> MergedRuns:
        """Return the merged runs of the mechanism, or of the ideal."""

        def make() -> MergedRuns:
            given = self.assembled(list(fixed))
            if not noisy:
                return MergedRuns(self.ideal_program, given, noisy=False)
            return MergedRuns(self.mechanism, given, noisy=True, orders=self.orders)

        return self._once(("merged", str(fixed), noisy), make)

    def entry_parts(self, fixed: Sequence[Any], *, noisy: bool) -> list[EntryPart]:
        """Return the runs of the mechanism, or of the ideal, by independent entries."""

        def make() -> list[EntryPart]:
            program = self.mechanism if noisy else self.ideal_program
            return entry_parts(program, self.assembled(list(fixed)), noisy=noisy)

        return self._once(("entries", str(fixed), noisy), make)

    def _once(self, key: object, make: Callable[[], T]) -> T:
        """Return what is made, or say why it cannot be, each only once."""
        if key not in self._made:
            try:
                self._made[key] = make()
            except UnsupportedError as error:
                self._made[key] = error
        found: T | UnsupportedError = self._made[key]
        if isinstance(found, UnsupportedError):
            raise found
        return found

    def flows(self, region: PolyhedralCone, integrals: Integrals) -> Flows:
        """Return the densities on merged runs on a cone, kept for all inputs there."""
        key = region.size, *map(tuple, (region.rays, region.lines))
        return self._once(("flows", key), lambda: Flows(integrals))

    def output_distance(self, u: Input, ideal: Any, output: Any) -> Any:
        """Return the distance of two finite outputs."""
        if distances.holds_noise(output):
            raise UnsupportedError("an output holds noise")
        if distances.holds_terms(output) or distances.holds_terms(ideal):
            raise UnsupportedError("an output is a function of ε")
        spec = self.spec["output_distance"]
        if spec.get("name") == "score_gap":
            run = Path(orders=self.orders)
            self.mechanism.run(run, u)
            scores = {frozen(one): score for one, score in run.scored}
            return abs(scores[ideal] - scores[output])
        return distances.between_outputs(spec, u, ideal, output, self.own("output_distance"))


def _parameters(point: Point, judge: Judge) -> Point:
    """Return the parameters that a point has in its forms, as they stand in runs at the point."""
    forms = (one.coefficients for one in point if isinstance(one, LinearForm))
    count = max((-name for form in forms for name in form), default=0)
    return [unknown(k, judge) for k in range(1, count + 1)]


def single(u: Input) -> list[Any]:
    """Return the single values of an input."""
    found: list[Any] = []
    for value in u:
        found += value if isinstance(value, list) else [value]
    return found


def _alone(u: Input) -> Any:
    return u[0] if len(u) == 1 else frozen(u)
