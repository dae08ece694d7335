"""det(P): the program with every sample replaced by its mean.

`lap` and the other noises become their mean (or start), `unif` its midpoint, `expmech` its first
maximiser; `choose` has no mean, so a mechanism that uses it needs an explicit ideal.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from exactdp.errors import ProgramError
from exactdp.language.flatten import variables
from exactdp.language.tree import (
    Choose,
    Definition,
    ExpMech,
    NoiseCall,
    Observe,
    constant,
    name,
    nodes,
    put,
    rebuilt,
    source_text,
    where,
)
from exactdp.language.words import NOISES


def noiseless(definition: Definition) -> Definition:
    """Return the deterministic function that a mechanism approximates."""
    constants = {
        one: noiseless(value) if isinstance(value, Definition) else value
        for one, value in definition.constants.items()
    }
    params = (param.name for param in definition.params)
    taken = "max" in {*constants, *variables(definition), *params}

    def mean(node: Any) -> Any:
        match node:
            case NoiseCall(noise, lower, upper) if NOISES[noise].has_ends:
                place = where(node)
                both = put(ast.BinOp(mean(lower), ast.Add(), mean(upper)), place)
                return put(ast.BinOp(both, ast.Div(), constant(2, place)), place)
            case ast.While() if any(isinstance(one, NoiseCall) for one in nodes(node)):
                raise ProgramError(
                    "a loop that draws noise again has no noiseless form of its own",
                    place=where(node),
                    rule="With each sample replaced by its mean, it would draw the same value "
                    "forever.",
                    way_out="Draw once and write observe(condition), which the ideal leaves out, "
                    "or write the ideal with @ideal, and give it to the claim.",
                )
            case ast.Expr(Observe()):
                return put(ast.Pass(), where(node))
            case NoiseCall(_, _, centre):
                return mean(centre)
            case ExpMech(_, score, candidates):
                if taken:
                    raise ProgramError(
                        "the noiseless program needs `max`, which has another meaning here",
                        place=where(node),
                        rule="The exponential mechanism's mean is the first maximiser of the "
                        "score.",
                        way_out="Rename the variable or constant `max`.",
                    )
                place = where(node)
                key = put(ast.keyword("key", score), place)
                return put(ast.Call(name("max", place), [mean(candidates)], [key]), place)
            case Choose():
                word = source_text(where(node)).partition("(")[0]
                raise ProgramError(
                    f"{word} has no mean, so the mechanism has no noiseless form of its own",
                    place=where(node),
                    rule="The ideal is the program with each sample replaced by its mean.",
                    way_out=_own_ideal(definition),
                )
        return rebuilt(node, mean)

    body = [mean(node) for node in definition.body]
    return replace(definition, body=body, constants=constants, epsilon=None, asked=None)


def _own_ideal(definition: Definition) -> str:
    """Return how to give an ideal."""
    if len(definition.params) != 1:
        return "Write a function with @ideal, and give it: ideal=NAME (--ideal NAME)."
    name = definition.params[0].name
    return f"Give the ideal, such as ideal=lambda {name}: {name} (--ideal NAME)."
