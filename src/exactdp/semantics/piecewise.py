"""Closed forms for all real inputs at once: one for each cell of a fan of cones.

In them an input x stands for ε·x, and γ for ε·γ: with this scaling, probabilities are sums of
exponentials of linear forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from itertools import product
from typing import Any, Generic, TypeVar, cast

from exactdp.errors import ValueRefusedError
from exactdp.language.layout import assembled, entry_names, kinds
from exactdp.language.linear import UNIT, shown_name, units_in
from exactdp.language.program import Program
from exactdp.language.values import Value
from exactdp.polyhedra.cone import Cone
from exactdp.reals import ClosedForm, ExpPoly, eps
from exactdp.reals.logs import constant_enclosure
from exactdp.reals.numbers import Number, rational, spell
from exactdp.reals.told import Told, table
from exactdp.semantics.by_epsilon import (
    ByEpsilon,
    chain_by_epsilon,
    cone_of_constants,
    distribution_by_epsilon,
    shown_value,
)
from exactdp.semantics.cells import explore, require_few_cells
from exactdp.semantics.chain import Chain, chain, chain_at_spots
from exactdp.semantics.engine import Engine
from exactdp.semantics.few import require_few
from exactdp.semantics.patterns import near, read_pattern, within_pattern
from exactdp.semantics.properties import independent_units
from exactdp.semantics.spots import Spot, Trace, run_at_spots
from exactdp.semantics.term_outputs import probability_at_input

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Piece(Told, Generic[T]):
    """A value that holds where all conditions do.

    >>> from exactdp import AllReals, Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> larger.probability(AllReals(), 0).piece(2, 0).conditions
    ('q[0] ≥ q[1]',)
    """

    names: tuple[str, ...]
    cone: Cone
    value: T
    fixed: Mapping[str, Value] = field(default_factory=dict)
    """The values of inputs with a finite domain."""

    @property
    def conditions(self) -> tuple[str, ...]:
        """The finite inputs, and the sides of the cell as inequalities in the others."""
        fixed = tuple(f"{name} = {value}" for name, value in self.fixed.items())
        sides = (_inequality(self.names, side) for side in self.cone.inequalities)
        return fixed + tuple(text for text in sides if text)

    def __str__(self) -> str:
        where = ", ".join(self.conditions) or "everywhere"
        return f"{shown_value(self.value)}  where {where}"


@dataclass(frozen=True, repr=False)
class Piecewise(Generic[T]):
    """Pieces that cover all inputs; neighbours agree on common sides on which both are valid.

    >>> from exactdp import AllReals, Mechanism
    >>> larger = Mechanism.from_source(
    ...     "def larger(q: Real[2]): return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[0]) else 0"
    ... )
    >>> found = larger.probability(AllReals(), 0)
    >>> len(found), str(found.at(2, 0))
    (2, '1 - 1/2*exp(-eps) - 1/4*eps*exp(-eps)')
    """

    names: tuple[str, ...]
    """ε first, then the real inputs, each scaled by ε in the closed forms."""
    pieces: tuple[Piece[T], ...]
    alone: Callable[[tuple[Value, ...]], T | ByEpsilon[T]] | None = field(
        default=None, repr=False, compare=False
    )
    """The function that computes the value at given numbers; used on the sides of pieces."""
    inputs: tuple[str, ...] = field(default=(), repr=False)
    """The arguments of a value: all inputs in order, then further parameters."""

    def __iter__(self) -> Iterator[Piece[T]]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    def piece(self, *values: Any, eps: Number | None = None) -> Piece[T]:
        """Return the piece in which given inputs lie, at an ε if the formula has 1/ε in it."""
        given = self.named(values)
        point = self._point(given, eps)
        for one in self.pieces:
            here = all(given[name] == value for name, value in one.fixed.items())
            if here and one.cone.contains(point):
                return one
        raise ValueRefusedError(
            f"the formula says nothing at {', '.join(map(str, values))}",
            rule="It is valid for the inputs for which it was computed, and gamma is not negative.",
        )

    def at(self, *values: Any) -> T:
        """Return the value at given inputs, a closed form in ε, or one for each interval of ε."""
        given = self.named(values)
        if self._units and self.alone is not None:
            return cast(T, self.alone(tuple(given.values())))  # or one for each interval of ε
        here = self.piece(*values)
        point = self._point(given)
        if self.alone is not None and not here.cone.contains_inside(point):
            # On a side the mechanism itself may compare inputs and jump.
            return cast(T, self.alone(tuple(given.values())))
        numbers = dict(zip(self.names[1:], point[1:], strict=True))
        scaled = {name: eps * number for name, number in numbers.items()}
        return cast(T, _substituted(here.value, scaled))

    def named(self, values: Sequence[Any]) -> dict[str, Value]:
        """Return the inputs by name; those with a finite domain as they are given."""
        names = self.inputs or tuple(name for name in self.names[1:] if name not in self._units)
        values = [*_flat(values)]
        if len(values) != len(names):
            given = "1 number is" if len(values) == 1 else f"{len(values)} numbers are"
            raise ValueRefusedError(
                f"{given} given for {', '.join(names)}", way_out="Give one number for each."
            )
        return {
            name: rational(value, "a number") if name in self.names else value
            for name, value in zip(names, values, strict=True)
        }

    @property
    def _units(self) -> tuple[str, ...]:
        return units_in(self.names)

    def _point(self, given: Mapping[str, Value], at: Number | None = None) -> tuple[Fraction, ...]:
        if self._units and at is None:
            raise ValueRefusedError(
                "the piece depends on eps",
                rule="The mechanism has a + b / eps beside reals, so ε is one of the coordinates.",
                way_out="Give eps, as in piece(2, 0, eps=1); or ask for at(2, 0).",
            )
        point: dict[str, Value] = dict(given)
        for name in self._units:
            low, high = constant_enclosure(name)
            point[name] = (low + high) / 2 / rational(at, "a value of eps")
        return (Fraction(1), *(point[name] for name in self.names[1:]))

    def __str__(self) -> str:
        return "\n".join(map(str, self.pieces))

    def __repr__(self) -> str:
        count = "1 piece" if len(self) == 1 else f"{len(self)} pieces"
        return f"<Piecewise: {count} in {', '.join(self.names)}>"

    def _repr_html_(self) -> str:
        rows = (
            (escape(shown_value(one.value)), escape(", ".join(one.conditions) or "everywhere"))
            for one in self.pieces
        )
        return table(("value", "where"), rows, numbers_from=2)


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    """Yield numbers; inputs may be written in lists, as elsewhere."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _flat(value)
        else:
            yield value


def _substituted(value: Any, scaled: Mapping[str, ClosedForm]) -> Any:
    if isinstance(value, Mapping):
        return {key: _substituted(form, scaled) for key, form in value.items()}
    if isinstance(value, Chain):
        return value.substitute(**scaled)
    if isinstance(value, ClosedForm):
        return value.substitute(**{n: f for n, f in scaled.items() if n in value.parameters})
    return value


def _inequality(names: tuple[str, ...], side: tuple[int, ...]) -> str:
    """Return a side Σ q·θ ≥ 0 as a condition on inputs; nothing for ε ≥ 0 or constants alone."""
    used = {name for name, q in zip(names, side, strict=True) if q}
    if used <= {"eps"} or used <= {*units_in(names)}:
        return ""
    left = [_product(q, name) for name, q in zip(names[1:], side[1:], strict=True) if q > 0]
    right = [_product(-q, name) for name, q in zip(names[1:], side[1:], strict=True) if q < 0]
    if side[0]:
        (left if side[0] > 0 else right).append(spell(Fraction(abs(side[0]))))
    return f"{' + '.join(left) or '0'} ≥ {' + '.join(right) or '0'}"


def _product(factor: int, name: str) -> str:
    if name == UNIT:
        return f"{factor}/ε"
    shown = shown_name(name)
    return shown if factor == 1 else f"{factor}·{shown}"


def piecewise(
    program: Program,
    sides: Sequence[Sequence[Fraction | int]],
    run: Callable[[tuple[Value, ...], dict[str, Spot]], T],
    alone: Callable[[Value, tuple[Value, ...]], T | ByEpsilon[T]],
    more: tuple[str, ...] = (),
) -> Piecewise[T]:
    """Return the results of a run for all real inputs, and for further parameters ≥ 0.

    Inputs with a finite domain are enumerated.
    """
    require_few(program.inputs)
    domains = kinds(program.inputs)
    every = entry_names(program.inputs)
    reals = [name for name, kind in zip(every, domains, strict=True) if kind is None]
    constants = _constants(program) if program.moves else ()
    names = ("eps", *constants, *reals, *more)
    count = 1 + len(constants) + len(reals)
    units = [tuple(int(j == k) for j in range(len(names))) for k in range(len(names))]
    wide = [(side[0], *(0,) * len(constants), *side[1:], *(0,) * len(more)) for side in sides]
    around = cone_of_constants(program.epsilon, constants, names).inequalities if constants else ()
    region = Cone.of(len(names), [units[0], *units[count:], *wide, *around])
    if not reals or not region.is_full:
        raise ValueRefusedError(
            "the box has no interior" if reals else "the mechanism has no real input",
            rule="A formula is about real inputs that vary.",
            way_out="Ask for the single input, or widen the box.",
        )

    def single(values: tuple[Value, ...]) -> T | ByEpsilon[T]:
        u = assembled(program.inputs, values[: len(every)])
        return alone(u[0] if len(u) == 1 else u, values[len(every) :])

    found: list[Piece[T]] = []
    for finite in product(*(kind.members for kind in domains if kind is not None)):
        fixed = dict(zip((n for n in every if n not in reals), finite, strict=True))

        def at(trace: Trace, fixed: Mapping[str, Value] = fixed) -> T:
            spots = {name: trace.spot(name) for name in names}
            values = [fixed[name] if name in fixed else spots[name] for name in every]
            return run(assembled(program.inputs, values), spots)

        require_few_cells(names, region, at)
        found += (
            Piece(names, cell.cone, cell.result, fixed) for cell in explore(names, region, at)
        )
    return Piecewise(names, tuple(found), single, (*every, *more))


def _constants(program: Program) -> tuple[str, ...]:
    """Return the symbols for 1/ε and log(b)/ε that are combined with reals at any input."""
    domains, engine = kinds(program.inputs), program.kept(Engine)
    found: set[str] = set()
    for some in product(*((0,) if kind is None else kind.members for kind in domains)):
        found |= {*engine.units(assembled(program.inputs, some))}
    return independent_units(found)


def distribution_everywhere(
    program: Program, sides: Sequence[Sequence[Fraction | int]]
) -> Piecewise[dict[Value, ClosedForm]]:
    """Return the distribution of the output for all real inputs."""
    engine = program.kept(Engine)
    return piecewise(
        program,
        sides,
        lambda u, _: dict(engine.distribution_at_spots(u)),
        lambda u, _: (
            distribution_by_epsilon(program, u) if program.moves else dict(engine.distribution(u))
        ),
    )


def probability_everywhere(
    program: Program, sides: Sequence[Sequence[Fraction | int]], output: object
) -> Piecewise[ClosedForm]:
    """Return the probability of an output, or of a pattern, for all real inputs."""
    engine, pattern = program.kept(Engine), read_pattern(output)
    return piecewise(
        program,
        sides,
        lambda u, _: engine.probability_at_spots(u, pattern),
        lambda u, _: probability_at_input(program, u, pattern),
    )


def chain_everywhere(
    program: Program, sides: Sequence[Sequence[Fraction | int]]
) -> Piecewise[Chain]:
    """Return the Markov chain for all real inputs, with their names in its states."""
    return piecewise(
        program,
        sides,
        lambda u, spots: chain_at_spots(program, u, spots),
        lambda u, _: chain_by_epsilon(program, u) if program.moves else chain(program, u),
    )


def within_everywhere(
    program: Program,
    sides: Sequence[Sequence[Fraction | int]],
    ideal: object,
    gamma: object,
    distance: str,
) -> Piecewise[ClosedForm]:
    """Return Pr(output within gamma of the ideal output) for all real inputs."""
    free = getattr(gamma, "name", None) == "gamma"
    radius = None if free else rational(gamma, "gamma")
    engine = program.kept(Engine)

    def run(u: tuple[Value, ...], spots: dict[str, Spot]) -> ClosedForm:
        if isinstance(ideal, Program):
            output = run_at_spots(ideal.machine, u)
        else:
            output = read_pattern(ideal)
        size: Any = spots["gamma"] if free else radius
        if distance == "discrete":
            if size >= 1:
                return ExpPoly(1)
            return engine.probability_at_spots(u, output)
        return engine.probability_at_spots(u, near(output, size))

    def alone(u: Value, more: tuple[Value, ...]) -> ClosedForm | ByEpsilon[ClosedForm]:
        pattern = within_pattern(u, ideal, more[0] if free else radius, distance)
        return probability_at_input(program, u, pattern)

    return piecewise(program, sides, run, alone, ("gamma",) if free else ())
