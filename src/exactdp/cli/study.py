"""`exactdp study`: the answers to one question for a family of claims, as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from exactdp import StudyTable
from exactdp.cli.jobs import result
from exactdp.cli.loading import find_study
from exactdp.cli.options import common, file_option, subcommand, target
from exactdp.cli.output import CommandOutput, Json, refuse_unwritable, writing
from exactdp.errors import ExactdpError, counted
from exactdp.public.study import QUESTIONS, require_tables
from exactdp.running.conduct import Progress

_HIDDEN = ("lower", "upper", "sentence", "seconds")  # in the table of the terminal


@subcommand(
    "study",
    "exactdp study family.py -o family.csv",
    "exactdp study family.py --ask tightest -o kappa.svg --plot m,kappa,c",
)
@target()
@click.option(
    "--ask",
    "asked",
    default="check",
    type=click.Choice(QUESTIONS),
    show_default=True,
    help="The question for each claim.",
)
@file_option(
    "-o",
    "paths",
    multiple=True,
    metavar="OUT",
    help="Write the table to this file (.csv, .parquet), or a plot of it (.svg, .png, .pdf).",
)
@click.option("--plot", "drawn", metavar="X,Y[,BY]", help="The columns of a plot.")
@common(timeout=True, sharing=True)
def command(
    output: CommandOutput, target: str, asked: str, paths: tuple[Path, ...], drawn: str | None
) -> int:
    """Answer one question for a family of claims, as a table.

    FILE defines a `Study`, or `claims`: a generator or list of claims, or of pairs of parameters
    and a claim.
    """
    columns = _columns(paths, drawn)
    for path in paths:
        refuse_unwritable(path)
    study = find_study(target)

    def run(report: Progress) -> Json:
        return {"rows": [_plain(row) for row in study.run(asked, progress=report)]}

    table = StudyTable(tuple(result(output, target, run)["rows"]))
    shown = [name for name in table.columns if name not in _HIDDEN]
    if not any(row["error"] for row in table):
        shown.remove("error")
    rows = [[_short(row.get(name, "")) for name in shown] for row in table]
    output.table(shown, rows, right=" ".join(shown))
    wrong = sum(bool(row["error"]) for row in table)
    output.say(f"{counted(len(table), 'row')}{f', {wrong} without an answer' if wrong else ''}.")
    for path in paths:
        with writing(path):
            _written(table, path, columns)
        output.say(f"Wrote {path}.")
    return output.document(
        0, target=target, ask=asked, rows=list(table), paths=list(map(str, paths))
    )


def _columns(paths: tuple[Path, ...], drawn: str | None) -> list[str]:
    """Return the columns of a plot; refuse unknown file types."""
    columns = [] if drawn is None else [one.strip() for one in drawn.split(",")]
    for path in paths:
        kind = path.suffix.lower()
        if kind not in (".csv", ".parquet", ".svg", ".png", ".pdf"):
            raise ExactdpError(
                f"{path} is neither a table nor a picture",
                rule="A table is .csv or .parquet, a picture .svg, .png or .pdf.",
                way_out="Write -o table.csv.",
            )
        if kind == ".parquet":
            require_tables()
        if kind not in (".csv", ".parquet") and not columns:
            raise ExactdpError(
                f"the columns of the picture {path} are not named",
                way_out="Write --plot m,kappa or, with a line for each c, --plot m,kappa,c.",
            )
    if drawn is not None and not 2 <= len(columns) <= 3:
        raise ExactdpError(
            f"--plot {drawn} does not name two or three columns",
            rule="A picture has a column for the x-axis, one for the y-axis, and optionally one "
            "with a line for each value.",
            way_out="Write --plot m,kappa or --plot m,kappa,c.",
        )
    return columns


def _written(table: StudyTable, path: Path, columns: list[str]) -> None:
    match path.suffix.lower():
        case ".csv":
            table.to_csv(path)
        case ".parquet":
            table.to_parquet(path)
        case _:
            x, y, by = (*columns, "")[:3]
            figure: Any = table.plot(x, y, by).figure
            figure.savefig(path)


def _plain(row: dict[str, Any]) -> Json:
    """Return a row as plain JSON; values other than numbers and strings are converted to text."""
    plain = (str, int, float, bool, type(None))
    return {str(k): v if isinstance(v, plain) else str(v) for k, v in row.items()}


def _short(value: object) -> str:
    return f"{value:.7g}" if isinstance(value, float) else str(value)
