"""What a claim says of its program, derived again from the source: slowly, and independently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import inf, prod
from typing import Any, NamedTuple, TypeVar

from . import distances, limits
from .integrals import Integrals
from .linear import Form, Judge
from .points import Point, Remembered, at, unknown
from .programs import Kind, Program, Steps, frozen
from .ratios import BrokenRunError, Ratio, UnsupportedError, WrongProgramError
from .runs import Condition, Exact, Path, Run, paths

Input = list[Any]  # one value for each parameter, lists as lists
Number = Fraction | float

T = TypeVar("T")


class Way(NamedTuple):
    """A path of a program at an input: what it draws, when it is taken, and its output."""

    noises: list[tuple[str, Fraction]]
    conditions: list[Condition]
    weight: Ratio
    output: Any


class Derivation:
    """The program, the ideal and the distances of one claim."""

    def __init__(self, spec: dict[str, Any], table: dict[str, Any] | None) -> None:
        self.spec = spec
        self.table = table
        self.steps = Steps()
        self.integrals = Integrals()
        self._programs: dict[str, Program] = {}
        self._known: dict[tuple[str, str], Remembered[Any]] = {}
        self._concrete: set[str] = set()  # what needs numbers
        self._ideal_paths: dict[str, list[tuple[Path, Any]]] = {}

    def program(self, source: str) -> Program:
        """Return a program, parsed once."""
        if source not in self._programs:
            self._programs[source] = Program(source, self.steps)
        return self._programs[source]

    @property
    def mechanism(self) -> Program:
        """The mechanism."""
        return self.program(self.spec["mechanism"])

    def own(self, which: str) -> Program | None:
        """Return a distance that is given by its source."""
        source = self.spec[which].get("source")
        return None if source is None else self.program(source)

    @cached_property
    def kinds(self) -> list[Kind]:
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

    def ideal(self, u: Input, run: Run | None = None) -> Any:
        """Return the ideal output at an input, or by a run."""
        given = self.spec["ideal"]
        if self.table is not None:
            if str(u) not in self.table:
                raise UnsupportedError("the table has no output for an input")
            return self.table[str(u)]
        if given.get("noiseless"):
            program = self.mechanism
        elif "source" in given:
            program = self.program(given["source"])
        else:
            raise UnsupportedError("the ideal is a Python function")
        if run is not None:
            return program.run(run, u)
        try:
            return self._ideal_at(single(u))
        except BrokenRunError as error:
            raise WrongProgramError(f"the ideal fails at an input: {error}") from error

    def _ideal_at(self, point: Point) -> Any:
        """Return the ideal output at a point."""
        if self.table is not None:
            return self.ideal(self.assembled(point))

        def found(judge: Judge) -> Any:
            path = Path((), noisy=False, inputs=judge)
            return self.ideal(self._unknown(point, path), path)

        known = self._remembered("ideal", point, found)
        if known is None:
            return self.ideal(self.assembled(point), Exact())
        return at(known[0], point)

    def ideal_paths(self, others: Sequence[Any]) -> list[tuple[Path, Any]]:
        """Return the paths of the ideal with unknowns 0, 1, … where an entry is None."""
        key = str(others)
        if key not in self._ideal_paths:

            def symbolic(path: Path) -> Any:
                entries = [
                    Form({k: Fraction(1)}, Fraction(0), path) if one is None else one
                    for k, one in enumerate(others)
                ]
                return self.ideal(self.assembled(entries), path)

            self._ideal_paths[key] = list(paths(symbolic, noisy=False))
        return self._ideal_paths[key]

    # Runs at points -------------------------------------------------------------------

    def _unknown(self, point: Point, judge: Judge) -> Input:
        """Return the input at a point, with unknowns for its reals."""
        pairs = enumerate(zip(point, self.members, strict=True), start=1)
        return self.assembled([unknown(k, judge) if m is None else one for k, (one, m) in pairs])

    def _remembered(self, what: str, point: Point, find: Callable[[Judge], T]) -> tuple[T] | None:
        """Return what is found with unknowns at a point; None if a run needs the numbers."""
        if what in self._concrete:
            return None
        fixed = [one for one, m in zip(point, self.members, strict=True) if m is not None]
        known = self._known.setdefault((what, str(fixed)), Remembered())
        try:
            return (known.at(point, find),)
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
        self, u: Input, output: Any, near: list[Any], towards: list[Fraction] | None
    ) -> Number | None:
        """Return a distance within which inputs disagree with u; None if those given do not.

        It is that of `near`, if it disagrees itself; or if all inputs near + t·towards with small
        t > 0 do, those come as close to it as one likes.
        """
        run = Exact()
        own = single(u)
        there = list(near)
        if towards is not None:
            for k, slope in enumerate(towards):
                if slope:
                    there[k] = Form({0: Fraction(slope)}, Fraction(there[k]), run)
        other = self._ideal_at(there)
        if not self.differ(u, output, other):
            return None
        own_distance = self.own("input_distance")
        if own_distance is not None:
            found = own_distance.run(run, [_alone(u), _alone(self.assembled(there))])
        else:
            found = distances.between_inputs(self.spec["input_distance"], own, there, None)
        return (
            found.constant if isinstance(found, Form) else inf if found == inf else Fraction(found)
        )

    def domains(self) -> list[tuple[Any, ...]]:
        """Return the values that each single entry of an input may have; None for all reals."""
        found = [(None,) if members is None else members for members in self.members]
        if prod(map(len, found)) > limits.MAX_PATHS:
            raise UnsupportedError("there are too many inputs to look for disagreement")
        return found

    def agrees_listed(self, u: Input, output: Any, radius: Fraction, *, strict: bool) -> bool:
        """Whether no input of a finite domain within the radius disagrees (if strict: closer)."""
        for entries in product(*self.domains()):
            v = self.assembled(list(entries))
            if self.differ(u, output, self.ideal(v)):
                distance = self.reached(u, output, list(entries), None)
                if distance is None or distance < radius or (distance == radius and not strict):
                    return False
        return True

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

    def ways(self, point: Point) -> list[Way]:
        """Return the ways of the mechanism at a point; where it fails the output is the error."""
        known = self._remembered("mechanism", point, lambda judge: self._paths(point, judge))
        return [
            Way(
                path.noises,
                [(at(form, point), op) for form, op in path.conditions],
                path.weight,
                at(output, point),
            )
            for path, output in (self._paths(point, None) if known is None else known[0])
        ]

    def _paths(self, point: Point, judge: Judge | None) -> list[tuple[Path, Any]]:
        """Return the paths of the mechanism at a point, with unknowns if there is a judge."""

        def run(path: Path) -> Any:
            u = self.assembled(point) if judge is None else self._unknown(point, path)
            return self.mechanism.run(path, u)

        broken: list[tuple[Path, BrokenRunError]] = []
        return [*paths(run, noisy=True, inputs=judge, broken=broken), *broken]

    def output_distance(self, u: Input, ideal: Any, output: Any) -> Any:
        """Return the distance of two finite outputs."""
        if distances.holds_noise(output):
            raise UnsupportedError("an output holds noise")
        spec = self.spec["output_distance"]
        if spec.get("name") == "score_gap":
            run = Exact()
            self.mechanism.run(run, u)
            scores = {frozen(one): score for one, score in run.scored}
            return abs(scores[ideal] - scores[output])
        return distances.between_outputs(spec, u, ideal, output, self.own("output_distance"))


def single(u: Input) -> list[Any]:
    """Return the single values of an input."""
    found: list[Any] = []
    for value in u:
        found += value if isinstance(value, list) else [value]
    return found


def _alone(u: Input) -> Any:
    return u[0] if len(u) == 1 else frozen(u)
