"""check: a statement is covered by parts, each part has goals, each goal is decided."""

from __future__ import annotations

from ..claims.accuracy import Silent, goals
from ..claims.part import Cover, Part
from ..claims.proved import Proved
from ..claims.refute import refute
from ..claims.statement import Statement
from ..claims.verdict import FAILS, HOLDS, UNDECIDED, VACUOUS, Verdict
from ..decide.goal import Open, Witness
from ..decide.line import decide
from ..messages import told


def check(statement: Statement) -> Verdict:
    """Return whether a statement holds, with proofs or a counterexample."""
    proved, silent = list[Proved](), list[Part]()
    for part in cover(statement).parts:
        found = goals(statement, part)
        if isinstance(found, Silent):
            silent.append(part)
            continue
        for goal in found:
            answer = decide(goal)
            if isinstance(answer, Open):
                return Verdict(UNDECIDED, statement, left=told(answer.reason).message)
            if isinstance(answer, Witness):
                counterexample = refute(statement, part, goal, answer)
                if counterexample is None:
                    return Verdict(UNDECIDED, statement, left="a claim that fails by very little")
                return Verdict(FAILS, statement, counterexample=counterexample)
            proved.append(Proved(part, goal, answer))
    return Verdict(HOLDS if proved else VACUOUS, statement, tuple(proved), tuple(silent))


def cover(statement: Statement) -> Cover:
    """Return the parts that suffice: the listed inputs."""
    parts = tuple(Part(statement.program, u, statement.on) for u in statement.inputs)
    return Cover(parts, "listed")
