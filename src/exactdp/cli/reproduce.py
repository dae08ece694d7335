"""`exactdp reproduce`: run the experiments of the paper again, and show the results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import RenderableType

from exactdp import Verdict
from exactdp.cli import experiments
from exactdp.cli.options import certificates_option, common, subcommand
from exactdp.cli.output import CommandOutput, StoppedError, writing
from exactdp.errors import ExactdpError, counted
from exactdp.reproduce import show
from exactdp.reproduce.differences import differences
from exactdp.reproduce.rows import TABLES, rows, universal
from exactdp.reproduce.run import Everywhere, Result, run_everywhere, run_rows
from exactdp.reproduce.summary import Summary

REALS = "reals"
"""The name of the table for all real inputs."""

_NOTE = (
    "executed: the program that the authors ran; printed: the one that the paper shows. "
    "Times of the authors: T1 + T2 on an i7-6700HQ with Mathematica, as recorded (three of table 4 "
    "are 1 or 2 s more than printed); ours: from the text of the program to the verdict, on this "
    "machine. ≠: not the published verdict."
)
_LARGE = (
    "Not among them: Sparse, SparseVariant and NumericSparse with m = 4, which take minutes. "
    "`exactdp reproduce --table reals` decides these too."
)
_PROOFS = (
    "`exactdp reproduce --certificates DIR` writes a certificate of each verdict, those of this "
    "table too, for `exactdp certify`."
)


class Certificates:
    """Writes certificates to a folder, if one is given."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.paths: dict[str, str] = {}
        self.missing = 0
        if folder is not None:
            with writing(folder):
                folder.mkdir(parents=True, exist_ok=True)

    def write(self, label: str, verdict: Verdict) -> None:
        """Write the certificate of a verdict, if it has one; once per label."""
        if self.folder is None or label in self.paths:
            return
        try:
            text = json.dumps(verdict.certificate)
        except ExactdpError:
            self.missing += 1
            return
        path = self.folder / f"{label}.json"
        with writing(path):
            path.write_text(text, encoding="utf-8")
        self.paths[label] = str(path)


@subcommand(
    "reproduce",
    "exactdp reproduce",
    "exactdp reproduce --table 4a --table 4c",
    "exactdp reproduce --certificates proofs",
)
@click.option(
    "--table",
    "tables",
    multiple=True,
    type=click.Choice([*TABLES, REALS]),
    help=f"Only this table of the paper, or the claims for all real inputs ({REALS}).",
)
@certificates_option
@common()
def command(output: CommandOutput, tables: tuple[str, ...], certificates: Path | None) -> int:
    """Run the experiments of the paper again.

    Decide every row of tables 2 to 4 of "Deciding Accuracy of Differential Privacy Schemes" (POPL
    2021), for the program that the authors executed and for the one printed in the paper, and show
    the published verdicts and times; then decide the same claims for all real inputs. Exit code:
    0 all published verdicts are reproduced, 1 one is not.
    """
    return _reproduce(tables, certificates, output)


def _reproduce(tables: Sequence[str], certificates: Path | None, output: CommandOutput) -> int:
    """Reproduce the given tables, by default all; return 0 if every row is reproduced."""
    wanted = tables or (*TABLES, REALS)
    proofs = Certificates(certificates)
    results: list[Result] = []
    universals: list[Everywhere] = []
    for name in TABLES:
        if name in wanted:
            with _unless_stopped(name, wanted), output.messages.status(f"Table {name}"):
                found = run_rows(row for row in rows() if row.table == name)
            for one in found:
                for run in one.runs:
                    proofs.write(experiments.run_label(one, run), run.verdict)
            results += found
            if not output.json:
                _print(output, *show.tables(name, found, output.console.width))
    with output.messages.status("Where text and experiments disagree"):
        disputed = differences(results)
    for difference in disputed:
        proofs.write(difference.label, difference.verdict)
    if REALS in wanted:
        with _unless_stopped(REALS, wanted), output.messages.status("All real inputs") as status:
            for subject in universal(every=REALS in tables):
                status.update(f"All real inputs: {subject.label.removeprefix('reals-')}")
                universals += run_everywhere([subject])
        for claim in universals:
            proofs.write(claim.subject.label, claim.verdict)
        if not output.json:
            _print(output, *show.everywhere(universals, results, output.console.width))
            if REALS not in tables:
                output.say(f"{_LARGE}\n", "dim")
    if disputed and not output.json:
        _print(output, show.disagreements(disputed, proofs.paths, output.console.width))
        if certificates is None:
            output.say(_PROOFS, "dim")
    output.say(_NOTE, "dim")
    if certificates is not None:
        lack = f"; {proofs.missing} verdicts have none yet" if proofs.missing else ""
        output.say(f"{len(proofs.paths)} certificates are in {certificates}{lack}.")
    summary = Summary(tuple(results), tuple(disputed), tuple(universals))
    output.say(str(summary), "bold")
    decided = all(one.verdict.holds is not None for one in universals)
    return output.document(
        0 if summary.reproduced == len(results) and decided else 1,
        rows=[experiments.result(one, proofs.paths) for one in results],
        everywhere=[experiments.everywhere(one, proofs.paths) for one in universals],
        disagreements=[experiments.difference(one, proofs.paths) for one in disputed],
        summary=experiments.summary(summary),
    )


@contextmanager
def _unless_stopped(name: str, wanted: Sequence[str]) -> Iterator[None]:
    """On Ctrl-C, report which tables are done and which are left."""
    try:
        yield
    except KeyboardInterrupt:
        order = [one for one in (*TABLES, REALS) if one in wanted]
        done = order.index(name)
        left = [f"table {one}" for one in order[done:]]
        raise StoppedError(left, f"{done} of {counted(len(order), 'table')} done") from None


def _print(output: CommandOutput, *tables: RenderableType) -> None:
    for table in tables:
        output.console.print(table)
