"""Ways to another output: selects those that can be the shortest, and prepares evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import lcm
from typing import Any, TypeAlias

from exactdp.claims.disagreement.constraints import DISTANCE
from exactdp.claims.disagreement.known import Known
from exactdp.claims.disagreement.symbolic_runs import Reach, items
from exactdp.claims.stated.distances import DistanceCase
from exactdp.claims.stated.pieces import condition
from exactdp.language.events import State
from exactdp.language.linear import Linear, Scalar
from exactdp.language.values import Value
from exactdp.polyhedra.form import Form, Name
from exactdp.polyhedra.halfspace import Halfspace, Polyhedron
from exactdp.reals.numbers import inf
from exactdp.semantics.patterns import is_number

Point: TypeAlias = Mapping[Name, Any]


@dataclass(frozen=True)
class ReadyReach:
    """A reach prepared for evaluation: max forms / scale where `when` holds, in integers."""

    when: Polyhedron
    forms: tuple[Form, ...]
    scale: int
    output: Value
    reach: Reach = field(compare=False)

    def distance(self, point: Point) -> Any:
        """Return the distance at a point, times the scale."""
        for row in self.when:
            if not row.holds(point):
                return inf
        return max([form.value(point) for form in self.forms])


def shortest(reaches: Iterator[Reach], known: Known, *, every: bool) -> list[Reach]:
    """Drop every reach that another one dominates, that is, is at most as long as everywhere.

    If every output counts separately, only reaches to the same output are compared.
    """
    kept: list[Reach] = []
    for one in sorted(dict.fromkeys(reaches), key=lambda one: (len(one.forms), len(one.when))):
        if not any(
            _is_never_longer(other, one, known)
            for other in kept
            if not every or told_apart(one.output) == told_apart(other.output)
        ):
            kept.append(one)
    return kept


def _is_never_longer(one: Reach, two: Reach, known: Known) -> bool:
    if not set(one.when) <= set(two.when):
        return False
    return all(any(known.is_positive(other - form) for other in two.forms) for form in one.forms)


def ready(reaches: list[Reach]) -> tuple[ReadyReach, ...]:
    """Prepare reaches for evaluation, with a common scale."""
    forms = [[Form({}, 0) + form for form in one.forms] for one in reaches]
    scale = lcm(*(form.denominator for some in forms for form in some))
    return tuple(
        ReadyReach(one.when, tuple(form.whole(scale) for form in some), scale, one.output, one)
        for one, some in zip(reaches, forms, strict=True)
    )


def system(reach: Reach, *, adds: bool) -> Polyhedron:
    """Return all conditions of a reach on the other input and the distance."""
    rows: list[Halfspace] = []
    total: Any = 0
    left = Linear.symbol(DISTANCE)
    for item in items(reach.history):
        if not isinstance(item, DistanceCase):
            rows += item
            continue
        rows += item.rows
        if adds:
            total = total + item.forms[-1]
        else:
            rows += [condition(left - form, ">=")[0][0] for form in item.forms]
    return (*rows, condition(left - total, ">=")[0][0])


def differences(output: Value, own: Value, every: bool) -> Iterator[Polyhedron]:
    """Yield the ways in which an output can differ from that of u; one if every output counts."""
    return iter([()]) if every else _unequal(output, own)


def _unequal(output: Value, own: Value) -> Iterator[Polyhedron]:
    """Yield the ways in which an output can differ from another one, whose numbers are forms."""
    if isinstance(output, tuple) or isinstance(own, tuple):
        same = isinstance(output, tuple) and isinstance(own, tuple) and len(output) == len(own)
        if not same:
            yield ()
            return
        found = [list(_unequal(a, b)) for a, b in zip(output, own, strict=True)]
        if any(() in ways for ways in found):
            yield ()
            return
        for ways in found:
            yield from ways
        return
    if isinstance(output, Linear) or isinstance(own, Linear):
        one, two = (int(x) if isinstance(x, bool) else x for x in (output, own))  # True equals 1
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
    if output != own:
        yield ()


def told_apart(value: Value) -> State:
    """Return a key that distinguishes values that compare equal but differ, such as True and 1."""
    return State(-1, (value,))


def _is_form(value: Value) -> bool:
    return isinstance(value, Linear) or is_number(value)
