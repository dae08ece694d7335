"""det, and an upper bound of the distance to disagreement.

A neighbour at which the ideal is another one.
"""

from __future__ import annotations

from fractions import Fraction

from .code import Program, Value, run, same
from .document import Work, need
from .sums import Form, form

BESIDE = "beside"
"""The name of an infinitesimal δ > 0."""


def det(ideal: Program, u: list[Fraction | Form], work: Work) -> Value:
    """Return the ideal output at an input; its numbers may have an infinitesimal part."""
    pc, env = 0, ideal.start(u)
    while True:
        event = run(ideal, pc, env, work)
        if event.kind == "return":
            return event.what[0]  # type: ignore[return-value]
        need(event.kind == "test", "noise in the ideal")
        value, _ = event.what
        assert isinstance(value, Form)
        need([x for x, _ in value.parts] == [BESIDE], "an unknown number")
        pc, env = event.next[0 if (value.constant or value.parts[0][1]) > 0 else 1]


def agreed_output(
    ideal: Program, u: list[Fraction], radius: Fraction, direction: list[int], work: Work
) -> Value:
    """Return det(u), after showing dd(u) ≤ radius.

    The ideal is another one at distance radius + δ, for linf.
    """
    own = det(ideal, list(u), work)
    need(radius >= 0 and len(direction) == len(u), "a direction")
    need(all(d in (-1, 0, 1) for d in direction), "a neighbour that is too far away")
    beyond = [
        form([(BESIDE, Fraction(d))], x + radius * d) for x, d in zip(u, direction, strict=True)
    ]
    need(not same(det(ideal, beyond, work), own), "a neighbour with the same ideal output")
    return own
