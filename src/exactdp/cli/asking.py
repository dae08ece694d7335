"""Commands that ask each claim one question, and print answers and errors in order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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

    answers: list[Json] = []
    codes: set[int] = set()

    def use(one: Found, answer: Json | ExactdpError) -> None:
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

    def asked(one: Found, report: Progress) -> Json:
        return question(changes.applied(one.claim), report)

    left = collect(output, found, asked, use, answers)
    if left is not None:
        return output.stopped(left, done(answers, found), claims=answers)
    code = min(codes, default=0)  # an error takes precedence over a claim that says nothing
    return output.document(code, claims=answers, left=[])


def collect(
    output: CommandOutput,
    found: list[Found],
    question: Callable[[Found, Progress], Json],
    use: Callable[[Found, Json | ExactdpError], None],
    used: list[Json],
) -> list[str] | None:
    """Pass the answer for each claim on, in order; return what is left after Ctrl-C, else None.

    `use` adds an entry to `used`.
    """
    jobs = [Job(one.title, one.file, partial(question, one)) for one in found]
    try:
        for number, answer in results(jobs, output):
            use(found[number], answer)
    except StoppedError as stopped:
        return stopped.left
    except KeyboardInterrupt:  # while an answer is printed
        return [one.title for one in found[len(used) :]]
    return None


def done(answers: list[Json], found: list[Found]) -> str:
    """Return how many claims have an answer."""
    return f"{len(answers)} of {counted(len(found), 'claim')} done"
