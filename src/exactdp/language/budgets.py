"""The interval of ε on which a program is defined (paper, section 4)."""

from __future__ import annotations

from fractions import Fraction

from exactdp.errors import ProgramError, ValueRefusedError
from exactdp.language.tree import Definition
from exactdp.reals import Interval
from exactdp.reals.interval import POSITIVE
from exactdp.reals.numbers import spell


def read_epsilon(value: object) -> Interval:
    """Return an interval of privacy budgets, given as an `Interval`, its text, or two ends."""
    if isinstance(value, tuple | list) and len(value) == 2:
        interval = Interval(*value)
        if interval.lower == 0:
            interval = Interval(0, interval.upper, lower_open=True)
    else:
        interval = Interval.of(value)  # type: ignore[arg-type]
    if interval.lower < 0 or (interval.lower == 0 and not interval.lower_open):
        raise ValueRefusedError(
            f"epsilon is {spell(Fraction(interval.lower))}"
            if interval.is_point
            else f"epsilon is in {interval}",
            rule="The privacy budget is positive.",
            way_out="Write a positive number, or an interval such as '(0, 1]'.",
        )
    return interval


def defined_on(definition: Definition) -> Interval:
    """Return the ε for which a program is defined: those declared, or those of all subroutines."""
    common, given = POSITIVE, definition.epsilon
    for name, inner in definition.subroutines():
        interval = defined_on(inner)
        if given is not None and not interval.covers(given):
            raise _beyond(definition, given, name, interval)
        both = common.meet(interval)
        if both is None:
            raise _beyond(definition, common, name, interval)
        common = both
    return common if given is None else given


def _beyond(outer: Definition, given: Interval, name: str, inner: Interval) -> ProgramError:
    return ProgramError(
        f"{outer.name} is for eps in {given}, and {name}, which it calls, for eps in {inner}",
        place=outer.place,
        rule="A mechanism is defined where all that it calls is defined.",
        way_out=f'Declare an interval inside {inner}: @mechanism(epsilon="…").',
    )
