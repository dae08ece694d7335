"""What can be decided about sampling statements before any run: rates, scores, chances.

A part that depends on constants only is computed now, so that its error is found when
the mechanism is defined; the rest is checked where it is run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from exactdp.language.code import Pick, PureExpr, Sample
from exactdp.language.definition import bound_names, nodes
from exactdp.language.evaluate import evaluate_closed
from exactdp.language.sampling import chances_of, mean_of, rate_of, scores_of, table_of
from exactdp.language.syntax import Choose, Name

if TYPE_CHECKING:
    from exactdp.language.code import Code
    from exactdp.language.flow import Flow


def check_constants(code: Code, flow: Flow) -> None:
    """Refuse sampling statements whose constant parts are wrong."""
    slots, functions = frozenset(code.slots), code.functions

    def closed(*parts: PureExpr) -> bool:
        return not any(
            isinstance(node, Name) and node.id in slots and node.id not in bound_names(part)
            for part in parts
            for node in nodes(part)
        )

    for pc in sorted(flow.reachable):
        one = code.instructions[pc]
        if isinstance(one, Sample):
            draw = one.draw
            if closed(draw.rate):
                rate_of(evaluate_closed(draw.rate, functions), draw.by_scale, draw.rate.place)
            if closed(draw.mean):
                mean_of(evaluate_closed(draw.mean, functions), draw.noise, draw.mean.place)
        elif isinstance(one, Pick):
            choice = one.choice
            if isinstance(choice, Choose):
                values = [value for value, _ in choice.outcomes]
                chances = [chance for _, chance in choice.outcomes]
                if choice.table is not None:
                    if closed(choice.table):
                        found = evaluate_closed(choice.table, functions)
                        chances_of(*table_of(found, choice.place), choice.place)
                elif closed(*values, *chances):
                    chances_of(
                        [evaluate_closed(value, functions) for value in values],
                        [evaluate_closed(chance, functions) for chance in chances],
                        choice.place,
                    )
                continue
            if closed(choice.rate):
                rate_of(evaluate_closed(choice.rate, functions), False, choice.rate.place)
            if closed(choice.candidates):
                candidates = evaluate_closed(choice.candidates, functions)
                count = [0] * len(candidates) if hasattr(candidates, "__len__") else ()
                scores_of(tuple(count), candidates, choice.candidates.place)
