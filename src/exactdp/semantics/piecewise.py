"""Closed forms for all real inputs at once: one for each cell of a fan of cones.

In them an input x stands for ε·x, and so does γ: scaled like this, probabilities are sums of
exponentials of linear forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from exactdp.cones import Cone
from exactdp.errors import ValueRefusedError
from exactdp.language.types import DomType, ListType
from exactdp.language.values import List, Value
from exactdp.reals import ClosedForm, ExpPoly, eps
from exactdp.reals.numbers import Number, rational, spell
from exactdp.semantics.cells import explore
from exactdp.semantics.events import near, read_pattern
from exactdp.semantics.spots import Spot, Trace, run_at_spots

if TYPE_CHECKING:
    from exactdp.language.mechanism import Mechanism

T = TypeVar("T")


@dataclass(frozen=True)
class Piece(Generic[T]):
    """A value that holds where all conditions do."""

    names: tuple[str, ...]
    cone: Cone
    value: T

    @property
    def conditions(self) -> tuple[str, ...]:
        """The sides of the cell as inequalities in the inputs."""
        return tuple(
            text for side in self.cone.inequalities if (text := _inequality(self.names, side))
        )

    def __str__(self) -> str:
        where = ", ".join(self.conditions) or "everywhere"
        return f"{self.value}  where {where}"


@dataclass(frozen=True)
class Piecewise(Generic[T]):
    """Pieces that cover all inputs; neighbours agree on common sides wherever both are claimed."""

    names: tuple[str, ...]
    """ε first, then the inputs, each scaled by ε in the closed forms."""
    pieces: tuple[Piece[T], ...]

    def __iter__(self) -> Iterator[Piece[T]]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    def piece(self, *values: Number) -> Piece[T]:
        """Return the piece in which given inputs lie."""
        point = self._point(values)
        return next(one for one in self.pieces if one.cone.contains(point))

    def at(self, *values: Number) -> T:
        """Return the value at given inputs, a closed form in ε."""
        found = self.piece(*values).value
        point = dict(zip(self.names[1:], self._point(values)[1:], strict=True))
        scaled = {name: eps * number for name, number in point.items()}
        result: T = _substituted(found, scaled)
        return result

    def _point(self, values: Sequence[Number]) -> tuple[Fraction, ...]:
        if len(values) != len(self.names) - 1:
            raise ValueRefusedError(
                f"{len(values)} numbers are given for {', '.join(self.names[1:])}",
                way_out="Give one number for each.",
            )
        return (Fraction(1), *(rational(value, "a number") for value in values))

    def __str__(self) -> str:
        return "\n".join(map(str, self.pieces))


def _substituted(value: Any, scaled: Mapping[str, ClosedForm]) -> Any:
    if isinstance(value, Mapping):
        return {key: _substituted(form, scaled) for key, form in value.items()}
    if isinstance(value, ClosedForm):
        return value.substitute(**{n: f for n, f in scaled.items() if n in value.parameters})
    return value


def _inequality(names: tuple[str, ...], side: tuple[int, ...]) -> str:
    """Return a side Σ q·θ ≥ 0 as a condition on inputs; nothing for ε ≥ 0."""
    if not any(side[1:]):
        return ""
    left = [_product(q, name) for name, q in zip(names[1:], side[1:], strict=True) if q > 0]
    right = [_product(-q, name) for name, q in zip(names[1:], side[1:], strict=True) if q < 0]
    if side[0]:
        (left if side[0] > 0 else right).append(spell(Fraction(abs(side[0]))))
    return f"{' + '.join(left) or '0'} ≥ {' + '.join(right) or '0'}"


def _product(factor: int, name: str) -> str:
    return name if factor == 1 else f"{factor}·{name}"


def piecewise(
    mechanism: Mechanism,
    sides: Sequence[Sequence[Fraction | int]],
    run: Callable[[tuple[Value, ...], dict[str, Spot]], T],
    more: tuple[str, ...] = (),
) -> Piecewise[T]:
    """Return what a run gives for all real inputs, and for further parameters that are ≥ 0."""
    names = ["eps"]
    for param in mechanism.inputs:
        kind = param.type
        if isinstance(kind, DomType) or (isinstance(kind, ListType) and kind.finite):
            raise ValueRefusedError(
                f"the input {param.name} has a finite domain",
                rule="Formulas in the inputs are for mechanisms with real inputs only.",
                way_out="Ask for one input, or enumerate the finite ones.",
            )
        if isinstance(kind, ListType):
            names += [f"{param.name}[{j}]" for j in range(kind.length)]
        else:
            names.append(param.name)
    count = len(names)
    names += more
    units = [tuple(int(j == k) for j in range(len(names))) for k in range(len(names))]
    wide = [(*side, *(0,) * len(more)) for side in sides]
    region = Cone.of(len(names), [units[0], *units[count:], *wide])

    def at(trace: Trace) -> T:
        spots = {name: trace.spot(name) for name in names}
        rest = iter(spots[name] for name in names[1:count])
        u = tuple(
            List(next(rest) for _ in range(param.type.length))
            if isinstance(param.type, ListType)
            else next(rest)
            for param in mechanism.inputs
        )
        return run(u, spots)

    cells = explore(names, region, at)
    return Piecewise(
        tuple(names), tuple(Piece(tuple(names), cell.cone, cell.result) for cell in cells)
    )


def within_everywhere(
    mechanism: Mechanism,
    sides: Sequence[Sequence[Fraction | int]],
    ideal: object,
    gamma: object,
    distance: str,
) -> Piecewise[ClosedForm]:
    """Return Pr(output within gamma of the ideal output) for all real inputs."""
    free = getattr(gamma, "name", None) == "gamma"
    radius = None if free else rational(gamma, "gamma")

    def run(u: tuple[Value, ...], spots: dict[str, Spot]) -> ClosedForm:
        machine = getattr(ideal, "machine", None)
        output = read_pattern(ideal) if machine is None else run_at_spots(machine, u)
        size: Any = spots["gamma"] if free else radius
        if distance == "discrete":
            if size >= 1:
                return ExpPoly(1)
            return mechanism.engine.probability_at_spots(u, output)
        return mechanism.engine.probability_at_spots(u, near(output, size))

    return piecewise(mechanism, sides, run, ("gamma",) if free else ())
