"""Outputs that are a sum of integer noise and uniform noise, as integers and steps.

If the only real noise in an output y is uniform, and D is a common denominator of the ends of its
range, the density of y is constant between multiples of 1/D. So releasing y is as private as
releasing ⌊y⌋ and between which multiples of 1/D the rest lies: the ratio of two densities is that
of the probabilities of the interval.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Any

from exactdp.language.linear import Linear
from exactdp.language.program import Program
from exactdp.language.reading import read_text
from exactdp.language.source import text_source
from exactdp.language.values import Value
from exactdp.measure.joint import name_of
from exactdp.semantics.engine import Engine
from exactdp.semantics.exact import Arrival
from exactdp.semantics.nodes import noise_part
from exactdp.semantics.plan import constant_part

_MOST_STEPS = 24
_RELEASED = "_released"


def in_steps(program: Program, inputs: Iterable[tuple[Value, ...]]) -> tuple[Program, int] | None:
    """Return a program that releases the integer part and the step of the output, and D.

    None if the output is not such a sum at some input.
    """
    engine = program.kept(Engine)
    kind = program.checked.output
    if not (kind.real and engine.has_integers and kind.items is None):
        return None
    steps = 1
    is_mixed = False
    for u in inputs:
        found = engine.arrivals(u, _steps)
        if found is None:
            return None
        steps, is_mixed = lcm(steps, found[0]), is_mixed or found[1]
        if steps > _MOST_STEPS:
            return None
    return (_released(program, steps), steps) if is_mixed else None


def is_in_steps(program: Program) -> bool:
    """Whether a program is one that `in_steps` returned."""
    return _RELEASED in program.definition.constants


def _steps(found: list[Arrival], inputs: Any) -> tuple[int, bool] | None:
    """Return D for the outputs at one input, and whether one has integer noise, too.

    None if an output has no uniform noise, or other real noise: it has atoms, or its density is not
    constant on intervals.
    """
    steps, is_mixed = 1, False
    for arrival in found:
        for product in arrival.density.products:
            one = _of_output(arrival.output, product, inputs)
            if one is None:
                return None
            steps, is_mixed = lcm(steps, one[0]), is_mixed or one[1]
    return steps, is_mixed


def _of_output(output: Value, product: Any, inputs: Any) -> tuple[int, bool] | None:
    if not isinstance(output, Linear) or product.joints or product.conditions:
        return None
    noise, constant = noise_part(output), Fraction(constant_part(output, inputs))
    reals = [v for v in noise if v not in product.integers]
    factors = [q for v, q in noise.items() if v in product.integers]
    if len(reals) != 1 or any(Fraction(q).denominator > 1 for q in factors):
        return None
    (variable,) = reals
    function, name = product.functions[variable], name_of(variable)
    frame = function.frame
    if any(name in frame.closed_form(piece, name).parameters for piece in function.pieces):
        return None
    ends = [noise[variable] * frame.number(point) + constant for point in function.breakpoints]
    return lcm(*(Fraction(end).denominator for end in ends)), bool(factors)


def _released(program: Program, steps: int) -> Program:
    """Return a program that calls another one and releases ⌊y⌋ and the step of the rest."""
    inputs = ", ".join(f"{param.name}: {param.type}" for param in program.inputs)
    given = ", ".join(param.name for param in program.inputs)
    parts = ["floor(y)", *(f"y % 1 >= {j} / {steps}" for j in range(1, steps))]
    text = (
        f"def {program.__name__}({inputs}):\n    y = {_RELEASED}({given})\n"
        f"    return [{', '.join(parts)}]\n"
    )
    own = program.definition
    found = read_text(text_source(text, program.__name__), {_RELEASED: own})
    return type(program)(replace(found, epsilon=own.epsilon, asked=own.asked, part=own.part))
