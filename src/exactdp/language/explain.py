"""Describe a mechanism in words: inputs, samples, output, constants and language fragment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.language.kinds import ValueKind
from exactdp.language.printer import show, show_value
from exactdp.language.tree import Choose, Definition, ExpMech, NoiseCall, nodes, where
from exactdp.language.words import NOISES
from exactdp.reals.interval import POSITIVE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exactdp.language.program import Program


def explain(program: Program) -> str:
    """Return the explanation of a program."""
    definition = program.definition
    lines = [f"{program.__name__}: {_nature(program)}", "", "Inputs"]
    lines += [f"  {param.name}: {_input(str(param.type))}" for param in program.inputs]
    if not program.inputs:
        lines.append("  none")
    lines += ["", "Samples"]
    lines += list(_samples(definition)) or ["  none"]
    lines += ["", "Output", f"  {describe(program.checked.output)}"]
    lines += ["", "Constants captured"]
    lines += list(_constants(definition)) or ["  none"]
    notes = dict.fromkeys(note for one in definition.everything() for note in one.notes)
    lines += [f"  note: {note}" for note in notes]
    lines += ["", "Language", f"  {_language(program)}"]
    return "\n".join(lines)


def _nature(program: Program) -> str:
    if program.deterministic:
        return "a deterministic function (it samples nothing)"
    where = "" if program.epsilon == POSITIVE else f" in {program.epsilon}"
    return f"a mechanism with privacy budget eps{where}"


def _input(kind: str) -> str:
    return kind if kind != "None" else "no type given (it can only be called by a mechanism)"


def _samples(definition: Definition, owner: str = "") -> Iterator[str]:
    for node in nodes(definition.body):
        if not isinstance(node, NoiseCall | ExpMech | Choose):
            continue
        at = f"  line {where(node).line}{owner}: "
        match node:
            case NoiseCall(noise, rate, mean, by_scale):
                kind = NOISES[noise]
                if kind.has_ends:
                    yield f"{at}{kind.described} between {show(rate)} and {show(mean)}"
                    continue
                first = f"{'scale' if by_scale else 'rate'} {show(rate)}"
                yield f"{at}{kind.described} with {first} and {kind.second} {show(mean)}"
            case ExpMech(rate, score, candidates):
                yield (
                    f"{at}one of {show(candidates)} by the exponential mechanism "
                    f"with rate {show(rate)} and score {show(score)}"
                )
            case Choose(_, table) if table is not None:
                yield f"{at}a value by its probability in {show(table)}"
            case Choose(outcomes):
                pairs = ", ".join(" with ".join(map(show, pair.elts)) for pair in outcomes)
                yield f"{at}a value by its probability: {pairs}"
    for name, inner in definition.subroutines():
        yield from _samples(inner, f" of {name}")


def _constants(definition: Definition, indent: str = "  ") -> Iterator[str]:
    for name, value in sorted(definition.constants.items()):
        if isinstance(value, Definition):
            yield f"{indent}{name}: a subroutine, inlined"
            yield from _constants(value, indent + "  ")
        elif callable(value):
            yield f"{indent}{name}: a Python function, run on finite values"
        else:
            yield f"{indent}{name} = {show_value(value)}"


def describe(kind: ValueKind) -> str:
    """Return the description of a kind of value."""
    parts = []
    if kind.items is not None:
        parts.append(_sequence(kind.items))
    if kind.finite:
        parts.append("a finite value")
    if kind.real:
        parts.append("a real")
    if kind.integer:
        parts.append("an integer with noise")
    return " or ".join(parts) or "nothing"


def _sequence(items: tuple[ValueKind, ...] | ValueKind) -> str:
    if isinstance(items, ValueKind):
        return f"a list, each entry {describe(items)}"
    shown = list(dict.fromkeys(describe(item) for item in items))
    if not items:
        return "an empty list"
    if len(shown) == 1:
        return f"a list of {len(items)}, each {shown[0]}"
    return f"a list of {len(items)}: " + "; ".join(describe(item) for item in items)


def _language(program: Program) -> str:
    reasons = [
        f"the input {param.name} is real"
        for param in program.inputs
        if param.type is not None and not param.type.finite
    ]
    output = program.checked.output
    if output.holds("real"):
        reasons.append("the output holds reals")
    if output.holds("integer"):
        reasons.append("the output holds integers with noise")
    if reasons:
        return f"DiPWhile+ ({', '.join(reasons)})"
    return "DiPWhile (finite inputs and outputs)"
