"""Accuracy (Definition 2): the goals of a part."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..decide.goal import Goal
from ..errors import NotYet
from ..graph.event import Equals
from ..graph.model import graph, model
from ..language.values import Value
from ..measure.integrate import integrate
from ..ring.expr import Expr
from ..ring.expsum import ExpSum
from ..ring.linear import Linear
from .disagreement import Disagreement, disagreement
from .part import Part
from .statement import AccuracyStatement


@dataclass(frozen=True)
class AtInput:
    """From what a goal was made: at the distance dd, p is the probability of the ideal output.

    The claim is about every α < dd; as β does not increase in α it is enough to prove it at α = dd,
    by continuity.
    """

    found: Disagreement
    alpha: Fraction
    probability: ExpSum
    beta: Expr


@dataclass(frozen=True)
class Silent:
    """A part about which a statement says nothing, and why."""

    why: str
    found: Disagreement


def goals(statement: AccuracyStatement, part: Part) -> list[Goal] | Silent:
    """Return Pr(ideal output) − 1 + β ≥ 0 at the largest α that is claimed."""
    meaning = model(part.program)
    if not all(map(_finite, (*meaning.outputs, *meaning.ideal.outputs))):
        raise NotYet("claims")  # an output that depends on the input or ε is another one elsewhere
    found = disagreement(meaning.ideal, part.inputs)
    if found.distance is None:
        raise NotYet("claims")
    if found.distance == 0:
        return Silent("dd is not above any α", found)
    if statement.beta.monotone("alpha") not in (-1, 0):
        raise NotYet("claims")
    beta = statement.beta.at({"alpha": found.distance, "gamma": statement.gamma})
    bound = beta.lower()
    if not isinstance(bound, ExpSum):
        raise NotYet("claims")
    p = probability(part, found.output)
    return [Goal(bound - 1 + p, part.on, AtInput(found, found.distance, p, beta))]


def _finite(output: Value) -> bool:
    if isinstance(output, tuple):
        return all(map(_finite, output))
    return not isinstance(output, (Linear, Expr))


def probability(part: Part, output: Value) -> ExpSum:
    """Return the probability of an output at the input of a part."""
    inputs = dict(zip(part.program.coordinates, part.inputs, strict=True))
    return integrate(graph(model(part.program), Equals(output)), inputs)
