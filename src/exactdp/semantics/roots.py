"""What the irrational rates of a program have in common."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from exactdp.language.events import Draw, Selection
from exactdp.language.machine import Machine
from exactdp.language.program import Program
from exactdp.language.terms import EpsTerm
from exactdp.language.tree import Param
from exactdp.language.values import Value
from exactdp.language.words import NOISES
from exactdp.reals import ClosedForm
from exactdp.reals.radical_form import scaled
from exactdp.reals.radicals import Radical, Surd, common_unit
from exactdp.semantics.building import build
from exactdp.semantics.nodes import NodeEvent
from exactdp.semantics.symbols import names_of, symbols_of


class Roots:
    """What the rates of a program with roots have in common."""

    def __init__(self, program: Program) -> None:
        self._program = program

    @cached_property
    def unit(self) -> Surd:
        """A number of which all rates are rational multiples, if ε occurs in rates only; else 1."""
        rates: list[Surd] = []
        for event in self._events:
            if isinstance(event, Draw) and not NOISES[event.noise].has_ends:
                if event.base is not None:
                    return Fraction(1)
                rates.append(event.rate)
            elif isinstance(event, Selection):
                if any(isinstance(chance, EpsTerm) for chance in event.chances or ()):
                    return Fraction(1)
                if event.rate is not None:
                    rates.append(event.rate)
        return (common_unit(rates) if rates else None) or Fraction(1)

    @cached_property
    def _events(self) -> list[NodeEvent]:
        """The events at the first values of finite inputs."""
        machine = self._program.machine_in(None)
        first = tuple(map(_first, self._program.inputs))
        return [node.event for node in build(machine, machine.start(first)).nodes]

    @property
    def is_irrational(self) -> bool:
        """Whether a rate or a probability is irrational."""
        return any(
            isinstance(getattr(event, "rate", None), Radical)
            or (
                isinstance(event, Selection)
                and any(isinstance(p, EpsTerm) and p.has_root for p in event.chances or ())
            )
            for event in self._events
        )

    @cached_property
    def machine(self) -> Machine:
        """The step function with rates in these units."""
        return self._program.machine_in(self.unit)


def _first(param: Param) -> Value:
    names = names_of(param)
    if names is not None:
        return symbols_of(names)
    assert param.type is not None
    return next(iter(param.type.values()))


def scaled_by(form: ClosedForm, unit: Surd) -> ClosedForm:
    """Return a closed form with ε replaced by the unit times ε."""
    return form if unit == 1 else scaled(form, unit)
