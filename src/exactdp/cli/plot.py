"""`exactdp plot`: draw a claim."""

from __future__ import annotations

from pathlib import Path

import click

from exactdp.cli.loading import find_claim
from exactdp.cli.output import Json, Output, examples, json_option, pass_output
from exactdp.cli.reading import Changes, change_options
from exactdp.cli.reporting import part
from exactdp.cli.work import Job, Report, result


@click.command(
    "plot",
    epilog=examples(
        "exactdp plot claims.py::lemma -o lemma.svg",
        "exactdp plot claims.py::lemma -o kappa.png --kind kappa",
    ),
)
@click.argument("target", metavar="FILE[::NAME]")
@click.option(
    "-o",
    "path",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT.svg",
    help="Where the picture goes; .svg, .png or .pdf.",
)
@click.option(
    "--kind",
    default="error",
    type=click.Choice(["error", "kappa", "region"]),
    show_default=True,
    help="The error against ε, κ over the inputs, or the (ε, γ) where the claim holds.",
)
@json_option
@change_options
@pass_output
def command(output: Output, target: str, path: Path, kind: str, changes: Changes) -> int:
    """Draw a claim: error, κ or the region where it holds."""
    save_plot = part("exactdp.report.plots", "save_plot")
    found = find_claim(target)

    def run(report: Report) -> Json:
        del report
        save_plot(changes.applied(found.claim), path, kind)
        return {}

    result(Job(found.title, found.file, run), output)
    output.say(f"Wrote {path}.")
    return output.document(0, claim=found.title, kind=kind, path=str(path))
