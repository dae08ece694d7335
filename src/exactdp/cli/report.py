"""`exactdp report`: one page to hand over."""

from __future__ import annotations

from pathlib import Path

import click

from exactdp.cli.loading import find_claims
from exactdp.cli.output import Json, Output, examples, json_option, pass_output
from exactdp.cli.reading import Changes, change_options
from exactdp.cli.reporting import part
from exactdp.cli.work import Job, Report, result


@click.command(
    "report",
    epilog=examples(
        "exactdp report claims.py -o report.html",
    ),
)
@click.argument("target", metavar="FILE[::NAME]")
@click.option(
    "-o",
    "path",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT.html",
    help="Where the page goes.",
)
@json_option
@change_options
@pass_output
def command(output: Output, target: str, path: Path, changes: Changes) -> int:
    """Write one page with claims, verdicts and curves.

    The page needs no network and no other file.
    """
    write_report = part("exactdp.report.page", "write_report")
    found = find_claims([target])
    file = found[0].file

    def run(report: Report) -> Json:
        del report
        claims = {one.name: changes.applied(one.claim) for one in found}
        write_report(claims, path, Path(file).read_text(encoding="utf-8"))
        return {}

    result(Job(f"the report of {target}", file, run), output)
    output.say(f"Wrote {path} ({len(found)} claim{'s'[: len(found) != 1]}).")
    return output.document(0, claims=[one.title for one in found], path=str(path))
