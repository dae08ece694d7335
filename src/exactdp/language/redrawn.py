"""Decide which `while` loops carry noise between iterations, and which only resample it.

A loop that samples until a condition holds discards the earlier samples: every cycle through it
contains a statement at which none of the loop's noise is live. Its iterations are independent from
there, so its probabilities are a geometric series. Without such a statement the noise of an
iteration depends on that of the previous one, and the number of values is unbounded.
"""

from __future__ import annotations

from exactdp.language.code import Code, Loop
from exactdp.language.flow import Flow


def carries(code: Code, flow: Flow, loop: Loop, noisy: frozenset[str]) -> bool:
    """Whether a `while` loop carries noise in some of the slots that it assigns."""
    inside = {
        pc for pc in range(loop.start, loop.end) if not flow.live[pc].isdisjoint(noisy)
    } & flow.reachable
    # A cycle inside: remove statements as long as one has no successor left.
    ways = {
        pc: {
            there
            for there in code.successors[pc]
            if there in inside and _goes(code, loop, pc, there)
        }
        for pc in inside
    }
    while True:
        last = [pc for pc, after in ways.items() if not after]
        if not last:
            return bool(ways)
        for pc in last:
            del ways[pc]
        for after in ways.values():
            after.difference_update(last)


def _goes(code: Code, loop: Loop, pc: int, there: int) -> bool:
    """Whether a step does not start a new iteration of a loop inside the loop.

    The iterations of a `for` loop are bounded, and a `while` loop is examined by itself: what it
    does not assign is live before it and after it, and so on a cycle of the outer loop as well.
    """
    if there > pc:
        return True
    around = [one for one in code.loops if one.start <= there <= pc < one.end]
    return around[-1] is loop if around else True
