"""`exactdp epsilon`: which privacy budgets make a claim true."""

from __future__ import annotations

import click

from exactdp import Accuracy, Expected
from exactdp.cli import records
from exactdp.cli.asking import ask
from exactdp.cli.options import common, subcommand, targets, width_option
from exactdp.cli.output import CommandOutput, Json
from exactdp.cli.reading import Changes, read_option, read_probability
from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import positive_width
from exactdp.running.conduct import Progress


@subcommand(
    "epsilon",
    "exactdp epsilon claims.py::lemma",
    "exactdp epsilon claims.py::lemma --beta 0.05",
)
@targets(required=False)
@click.option("--beta", metavar="BETA", help="An error probability instead of the claim's β: 0.05.")
@width_option("1e-12", "ends")
@common(timeout=True, sharing=True, changes=True)
def command(
    output: CommandOutput, targets: tuple[str, ...], beta: str | None, width: str, changes: Changes
) -> int:
    """Find all ε for which a claim holds, and the smallest.

    The set is exact; irrational endpoints are enclosed. With --beta, find the ε for which the error
    exceeds γ with at most this probability.
    """
    target = read_option("--beta", beta, read_probability)
    read_option("--width", width, positive_width)
    answered = False

    def question(claim: Accuracy | Expected, report: Progress) -> Json:
        if not isinstance(claim, Expected):
            found = claim.smallest_epsilon(beta=target, width=width, progress=report)
        elif target is None:
            found = claim.smallest_epsilon(width=width, progress=report)
        else:
            raise ValueRefusedError(
                "--beta is for claims of accuracy",
                rule="It is an error probability, and the claim bounds an expected loss.",
                way_out="Leave it out, or name one claim: FILE::NAME.",
            )
        return {
            "sentence": found.sentence,
            "set": str(found.everywhere),
            "stretches": records.solutions(found.everywhere),
            "complete": found.is_complete,
            "smallest": {
                "exists": found.exists,
                "lower": records.number(found.lower),
                "upper": records.number(found.upper),
                "attained": found.attained,
            },
        }

    def say(title: str, answer: Json) -> None:
        nonlocal answered
        answered = True
        if not answer["complete"]:
            some = answer["sentence"]
        elif answer["stretches"]:
            some = f"Holds exactly for ε in {answer['set']}."
        else:
            some = "Holds for no ε."
        output.say_verdict("", title, some)
        if answer["stretches"] and answer["complete"]:
            output.say(f"  {answer['sentence']}")

    code = ask(output, targets, changes, question, say)
    if answered:
        output.say("This looks at the mechanism only, at no data, and costs no privacy.", "dim")
    return code
