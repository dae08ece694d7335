"""Commands that ask each claim one question, and print answers and errors in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from exactdp import Accuracy, Expected
from exactdp.cli.jobs import Job, results
from exactdp.cli.loading import Found, find_claims
from exactdp.cli.output import STYLES, CommandOutput, Json, StoppedError, error_record, exit_code
from exactdp.cli.reading import Changes
from exactdp.errors import ExactdpError, VacuousClaimError, counted
from exactdp.running.conduct import Progress


def ask(
    output: CommandOutput,
    targets: tuple[str, ...],
    changes: Changes,
    question: Callable[[Any, Progress], Json],
    say: Callable[[str, Json], None],
    kinds: tuple[type, ...] = (Accuracy, Expected),
) -> int:
    """Ask each claim a question, print the answers and return the exit code."""
    found = find_claims(targets, kinds=kinds)

    def job(one: Found) -> Job:
        return Job(one.title, one.file, lambda report: question(changes.applied(one.claim), report))

    answers: list[Json] = []
    codes: set[int] = set()
    try:
        for number, answer in results([job(one) for one in found], output):
            one = found[number]
            head = {"file": one.file, "name": one.name}
            if isinstance(answer, ExactdpError):
                if isinstance(answer, VacuousClaimError):
                    output.say(str(answer), STYLES["vacuous"])  # an answer, though not a number
                else:
                    output.note(str(answer), "red")
                answers.append({**head, "error": error_record(answer)})
                codes.add(exit_code(answer))
            else:
                say(one.title, answer)
                answers.append({**head, "error": None, **answer})
    except (StoppedError, KeyboardInterrupt) as stopped:
        left = [one.title for one in found[len(answers) :]]  # while an answer was printed
        if isinstance(stopped, StoppedError):
            left = stopped.left
        done = f"{len(answers)} of {counted(len(found), 'claim')} done"
        return output.stopped(left, done, claims=answers)
    code = min(codes, default=0)  # an error takes precedence over a claim that says nothing
    return output.document(code, claims=answers, left=[])
