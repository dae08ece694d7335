"""refute: the only place that says "fails": a witness becomes numbers that anyone can check."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..decide.goal import Goal, Witness
from ..language.values import Value
from ..ring.enclose import Enclosure, ends, point, precision, sign
from .accuracy import AtInput
from .part import Part, Point
from .statement import AccuracyStatement

STEPS = 200
"""Bits of α next to dd, and of enclosures.

A claim that fails by less than 2^−200 of its bound is not refuted.
"""


@dataclass(frozen=True)
class Counterexample:
    """Where the output is wrong with probability `error`, and the claim allows `allowed`."""

    input: Point
    eps: Fraction
    alpha: Fraction
    gamma: Fraction
    output: Value
    error: Enclosure
    allowed: Enclosure


def refute(
    statement: AccuracyStatement, part: Part, goal: Goal, witness: Witness
) -> Counterexample | None:
    """Return an input, ε and α < dd at which the output is wrong with a probability above β.

    Both sides enclosed.
    """
    made = goal.recipe
    assert isinstance(made, AtInput)
    eps = Fraction(witness.eps)
    with precision(2 * STEPS):
        x = point(eps)
        error = 1 - made.probability.value(x)
        step = Fraction(1, 2)
        for _ in range(STEPS):
            alpha = made.alpha * (1 - step)
            allowed = statement.beta.at({"alpha": alpha, "gamma": statement.gamma}).value(x)
            if sign(error - allowed) > 0:
                sides = Enclosure(*ends(error)), Enclosure(*ends(allowed))
                return Counterexample(
                    part.inputs, eps, alpha, Fraction(statement.gamma), made.found.output, *sides
                )
            step /= 2
    return None
