"""det(P): the program with every sample replaced by its mean.

`lap`, `dlap` and `expo` become their mean (or start), `expmech` its first maximiser;
`choose` has no mean, so a mechanism with it needs a stated ideal.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from exactdp.errors import ProgramError
from exactdp.language.definition import Definition
from exactdp.language.flatten import variables
from exactdp.language.syntax import Call, Choose, Draw, ExpMech, Function, Name, Node


def noiseless(definition: Definition) -> Definition:
    """Return the deterministic function that a mechanism approximates."""
    constants = {
        name: noiseless(value) if isinstance(value, Definition) else value
        for name, value in definition.constants.items()
    }
    function = definition.function
    body = _without_noise(function.body, function, constants)
    return Definition(dataclasses.replace(function, body=body), constants, definition.notes)


def _without_noise(node: Any, function: Function, constants: dict[str, object]) -> Any:
    if type(node) is tuple:
        return tuple(_without_noise(part, function, constants) for part in node)
    if not isinstance(node, Node):
        return node
    match node:
        case Draw(_, _, mean):
            return _without_noise(mean, function, constants)
        case ExpMech(_, score, candidates):
            taken = {*constants, *variables(function), *(p.name for p in function.params)}
            if "max" in taken:
                raise ProgramError(
                    "the noiseless program needs `max`, which means something else here",
                    place=node.place,
                    rule="The exponential mechanism's mean is the first maximiser of the score.",
                    way_out="Rename the variable or constant `max`.",
                )
            among = _without_noise(candidates, function, constants)
            best = Name("max", place=node.place)
            return Call(best, (among,), (("key", score),), place=node.place)
        case Choose():
            raise ProgramError(
                "choose has no mean, so the mechanism has no noiseless form of its own",
                place=node.place,
                rule="The ideal is the program with each sample replaced by its mean.",
                way_out="Write the ideal with @ideal, and give it to the claim.",
            )
    changes = {
        name: _without_noise(getattr(node, name), function, constants)
        for name in node.__dataclass_fields__
        if name != "place"
    }
    return dataclasses.replace(node, **changes)
