"""Which `while` loops carry noise from round to round, and which only draw it again.

A loop that draws until a condition holds forgets what it drew before: on every way round there is
a statement before which no noise of the loop is needed any more. There its rounds are independent,
so that its probabilities are a geometric series. Where there is no such statement the noise of one
round depends on that of the last, and there are more and more values.
"""

from __future__ import annotations

from exactdp.language.code import Code, Loop
from exactdp.language.flow import Flow


def carries(code: Code, flow: Flow, loop: Loop, noisy: frozenset[str]) -> bool:
    """Whether a `while` loop carries noise in some of the slots that it assigns."""
    inside = {
        pc for pc in range(loop.start, loop.end) if not flow.live[pc].isdisjoint(noisy)
    } & flow.reachable
    # A way round inside: statements are taken away as long as one has no successor left.
    ways = {
        pc: {there for there in code.successors[pc] if there in inside and _goes(code, pc, there)}
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


def _goes(code: Code, pc: int, there: int) -> bool:
    """Whether a step is no next round of a `for` loop, whose rounds are counted."""
    if there > pc:
        return True
    around = [loop for loop in code.loops if loop.start <= there <= pc < loop.end]
    return around[-1].counter is None if around else True
