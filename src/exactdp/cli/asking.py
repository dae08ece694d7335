"""Commands that ask each claim one question: answers in order, errors beside them."""

from __future__ import annotations

from collections.abc import Callable

from exactdp.claims import Accuracy
from exactdp.cli.loading import Found, find_claims
from exactdp.cli.output import Json, Output, error_record
from exactdp.cli.reading import Changes
from exactdp.cli.work import Job, Report, StoppedError, results
from exactdp.errors import ExactdpError


def ask(
    output: Output,
    targets: tuple[str, ...],
    changes: Changes,
    question: Callable[[Accuracy, Report], Json],
    say: Callable[[str, Json], None],
) -> int:
    """Ask each claim a question and say the answer; return the exit code."""
    found = find_claims(targets)

    def job(one: Found) -> Job:
        return Job(one.title, one.file, lambda report: question(changes.applied(one.claim), report))

    answers: list[Json] = []
    left: list[str] = []
    try:
        for number, answer in results([job(one) for one in found], 1, output):
            one = found[number]
            head = {"file": one.file, "name": one.name}
            if isinstance(answer, ExactdpError):
                output.note(str(answer), "red")
                answers.append({**head, "error": error_record(answer)})
            else:
                say(one.title, answer)
                answers.append({**head, "error": None, **answer})
    except StoppedError as stopped:
        left = stopped.left
        done = f"{len(answers)} of {len(found)} claims done"
        output.note(f"Stopped: {done}, {len(left)} left: {', '.join(left)}.")
    code = 130 if left else 2 if any(one["error"] for one in answers) else 0
    return output.document(code, claims=answers, left=left)
