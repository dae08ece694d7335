"""`exactdp certify`: check certificates independently of the solver."""

from __future__ import annotations

import click

from exactdp import certify
from exactdp.certify import MAX_TEXT
from exactdp.cli.options import common, subcommand
from exactdp.cli.output import CommandOutput, Json

_UNREAD = certify.check("").claim
"""The checker's text for the claim when a certificate is unreadable."""
_VERDICTS = {"accepted": "holds", "conditional": "undecided", "rejected": "fails"}
"""As which outcome of a claim a result is shown."""
_CODES = {"accepted": 0, "conditional": 3, "rejected": 1, "unreadable": 2}
_WORST = ("unreadable", "rejected", "conditional", "accepted")


@subcommand(
    "certify",
    "exactdp check claims.py --certificates proofs",
    "exactdp certify proofs/*.json",
)
@click.argument("paths", nargs=-1, required=True, metavar="CERTIFICATE.json...")
@common()
def command(output: CommandOutput, paths: tuple[str, ...]) -> int:
    """Check certificates independently of the solver.

    The checker uses only integers and fractions, and shares no code with the solver. Exit code:
    0 all are accepted, 1 one is rejected, 2 one cannot be read, 3 none is rejected, but one takes
    something from the solver, so it proves nothing to someone who does not trust its author.
    """
    found = [_checked(path) for path in paths]
    for one in found:
        verdict = _VERDICTS.get(one["result"], "error")
        output.say_verdict(verdict, one["path"], f"{one['result']}: {one['reason']}")
        if one["result"] != "unreadable":
            output.say(f"  Claim: {one['claim']}")
        for taken in one["taken"]:
            output.say(f"  Taken from the solver: {taken}")
    worst = min((one["result"] for one in found), key=_WORST.index)
    return output.document(_CODES[worst], certificates=found)


def _checked(path: str) -> Json:
    facts = {"path": path, "claim": "", "taken": []}
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(MAX_TEXT + 1)
    except OSError as error:
        return {**facts, "result": "unreadable", "reason": (error.strerror or "").lower()}
    except ValueError:
        return {**facts, "result": "unreadable", "reason": "not a text"}
    report = certify.check(text)
    readable = report.claim != _UNREAD
    result = report.outcome if readable else "unreadable"
    claim = report.claim if readable else ""
    taken = list(report.taken)
    return {**facts, "claim": claim, "taken": taken, "result": result, "reason": report.reason}
