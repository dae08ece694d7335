"""`exactdp tighten`: the best constant."""

from __future__ import annotations

import click

from exactdp import Accuracy, Expected
from exactdp.cli import records
from exactdp.cli.asking import ask
from exactdp.cli.options import common, subcommand, targets, width_option
from exactdp.cli.output import CommandOutput, Json
from exactdp.cli.reading import Changes, read_option
from exactdp.reals.numbers import positive_width
from exactdp.running.conduct import Progress


@subcommand(
    "tighten",
    "exactdp tighten claims.py::lemma",
    "exactdp tighten claims.py::lemma --each",
)
@targets(required=False)
@width_option("1e-6", "κ")
@click.option("--each", is_flag=True, help="A table: the largest κ at each input.")
@common(timeout=True, sharing=True, changes=True)
def command(
    output: CommandOutput, targets: tuple[str, ...], width: str, each: bool, changes: Changes
) -> int:
    """Find the largest κ such that the claim with β/κ (or at_most/κ) is true.

    κ is enclosed rigorously; the answer names the input and the ε that determine it. A κ below 1
    means that the claim itself is false.
    """
    read_option("--width", width, positive_width)

    def question(claim: Accuracy | Expected, report: Progress) -> Json:
        best = records.tightness(claim.tightest(width=width, progress=report))
        rows = claim.tightest(width=width, at_each=True, progress=report) if each else ()
        listed = [
            {
                "input": records.shown(row.input),
                "kappa": records.kappa(row.kappa),
                "eps": records.boundary(row.eps),
            }
            for row in rows
        ]
        return {**best, "rows": listed}

    def say(title: str, answer: Json) -> None:
        output.say_verdict("", title, answer["sentence"])
        if answer["rows"]:
            rows = [
                [row["input"], row["kappa"]["text"], row["eps"]["text"] if row["eps"] else ""]
                for row in answer["rows"]
            ]
            output.table(["input", "κ", "at ε"], rows, right="κ")

    return ask(output, targets, changes, question, say)
