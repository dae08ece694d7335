"""`exactdp reproduce`: the experiments of the paper, run again."""

from __future__ import annotations

from pathlib import Path

import click

from exactdp.cli.output import Output, examples, json_option, pass_output
from exactdp.reproduce.main import REALS, main
from exactdp.reproduce.rows import TABLES


@click.command(
    "reproduce",
    epilog=examples(
        "exactdp reproduce",
        "exactdp reproduce --table 4a --table 4c",
        "exactdp reproduce --certificates proofs",
    ),
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    type=click.Choice([*TABLES, REALS]),
    help=f"Only this table of the paper, or the claims for all real inputs ({REALS}).",
)
@click.option(
    "--certificates",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write a certificate of each verdict into DIR, for `exactdp certify`.",
)
@json_option
@pass_output
def command(output: Output, tables: tuple[str, ...], certificates: Path | None) -> int:
    """Run the experiments of the paper again.

    Every row of tables 2 to 4 of "Deciding Accuracy of Differential Privacy Schemes" (POPL 2021),
    for the program that the authors executed and for the one that the paper prints, beside the
    published verdicts and times; then the same claims for all real inputs. Exit code: 0 all
    published verdicts are reproduced, 1 one is not.
    """
    return main(tables, certificates, output)
