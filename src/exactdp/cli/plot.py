"""`exactdp plot`: plot a claim."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from exactdp.cli.jobs import result
from exactdp.cli.loading import find_claim
from exactdp.cli.options import common, file_option, subcommand, target
from exactdp.cli.output import CommandOutput, Json, refuse_unwritable, writing
from exactdp.cli.reading import Changes, read_option, read_value
from exactdp.running.conduct import Progress


@subcommand(
    "plot",
    "exactdp plot claims.py::lemma -o lemma.svg",
    "exactdp plot claims.py::lemma -o kappa.png --kind kappa --inputs grid:-2:2",
    "exactdp plot claims.py::lemma -o runs.png --kind simulated --input '[0, 1]'",
)
@target()
@file_option(
    "-o",
    "path",
    required=True,
    metavar="OUT.svg",
    help="The file to write: .svg, .png or .pdf.",
)
@click.option(
    "--kind",
    default="error",
    type=click.Choice(["error", "kappa", "region", "simulated"]),
    show_default=True,
    help="The error against ε; κ over the inputs; the (ε, γ) where the claim holds; exact and "
    "simulated errors.",
)
@click.option(
    "--input",
    "given",
    metavar="INPUT",
    help="The input of an error or simulated plot; by default the most informative one.",
)
@common(changes=True)
def command(
    output: CommandOutput, target: str, path: Path, kind: str, given: str | None, changes: Changes
) -> int:
    """Plot a claim: its error, κ, where it holds, or simulated runs.

    All curves are exact. A plot of κ over the inputs requires inputs that can be listed: for a
    claim about all real inputs, add --inputs grid:-1:1.
    """
    options = {}
    if given is not None:
        if kind in ("kappa", "region"):
            raise click.UsageError(f"--input is for one input, and --kind {kind} shows all.")
        options["u"] = read_option("--input", given, partial(read_value, what="an input"))
    refuse_unwritable(path)
    from exactdp.report.plots import save_plot  # noqa: PLC0415 loaded once the file can be written

    found = find_claim(target)

    def run(report: Progress) -> Json:
        with writing(path):
            save_plot(changes.applied(found.claim), path, kind, progress=report, **options)
        return {}

    result(output, found.title, run)
    output.say(f"Wrote {path}.")
    return output.document(0, claim=found.title, kind=kind, path=str(path))
