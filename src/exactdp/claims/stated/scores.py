"""The scores of the candidates of a mechanism that begins with `expmech`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from exactdp.errors import ExactdpError, ValueRefusedError
from exactdp.language.events import Compare, Selection
from exactdp.language.layout import assembled, entry_names, kinds
from exactdp.language.linear import Linear
from exactdp.language.operations import COMPARISONS
from exactdp.language.program import Program
from exactdp.language.values import Value


def candidate_scores(mechanism: Program, u: Any) -> dict[Value, Any]:
    """Return the scores of the candidates in the first statement that samples.

    Real inputs may be any numbers that can be added, scaled and compared with 0.
    """
    given = [u] if len(mechanism.inputs) == 1 else list(u)
    values = [item for one in given for item in (one if isinstance(one, list | tuple) else [one])]
    named = zip(entry_names(mechanism.inputs), kinds(mechanism.inputs), values, strict=True)
    numbers = {name: value for name, kind, value in named if kind is None}
    start = [
        Linear.symbol(name) if name in numbers else value
        for name, value in zip(entry_names(mechanism.inputs), values, strict=True)
    ]
    machine = mechanism.machine_in(None) if mechanism.uses_roots else mechanism.machine
    event = machine.advance(machine.start(assembled(mechanism.inputs, start)))
    while isinstance(event, Compare):
        truth = COMPARISONS[event.op](_at(event.difference, numbers), 0)
        event = machine.advance(machine.resume(event, truth))
    if not isinstance(event, Selection) or event.exponents is None or event.rate is None:
        raise ValueRefusedError(
            "score_gap alone needs a mechanism that begins with expmech",
            way_out="Name the score: score_gap(score).",
        )
    pairs = zip(event.values, event.exponents, strict=True)
    rate = event.rate if isinstance(event.rate, Fraction) else 1
    return {value: _at(exponent, numbers) / rate for value, exponent in pairs}


def begins_with_scores(mechanism: Program) -> bool:
    """Whether a mechanism begins with `expmech`, at some input."""
    found = kinds(mechanism.inputs)
    if not found:
        return False
    first = [0 if kind is None else next(iter(kind.values())) for kind in found]
    u = assembled(mechanism.inputs, first)
    try:
        candidate_scores(mechanism, u[0] if len(u) == 1 else u)
    except ExactdpError:
        return False
    return True


def _at(form: Any, numbers: dict[str, Any]) -> Any:
    """Evaluate a form in the inputs at given numbers."""
    return form.value(numbers) if isinstance(form, Linear) else form
