"""`exactdp status`: the contents of a store."""

from __future__ import annotations

import time
from pathlib import Path

import click

from exactdp.cli.options import common, subcommand
from exactdp.cli.output import CommandOutput, Json
from exactdp.errors import counted
from exactdp.running.store import Store, StoredRun


@subcommand("status", "exactdp status exactdp.store")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@common()
def command(output: CommandOutput, file: Path) -> int:
    """Show the contents of a store: the questions, their progress, and the time spent."""
    runs = Store(file, "stop").runs()
    rows = [
        [
            one.title,
            one.question,
            one.state,
            f"{one.units:,}",
            f"{one.seconds:.1f}",
            time.strftime("%Y-%m-%d %H:%M", time.localtime(one.last)),
        ]
        for one in runs
    ]
    if rows:
        columns = ["claim", "question", "done", "units", "seconds", "last"]
        output.table(columns, rows, right="done units seconds")
    size = file.stat().st_size
    output.say(f"{file}: {counted(len(runs), 'question')}, {size / 1e6:.1f} MB.")
    return output.document(0, file=str(file), bytes=size, runs=[_record(one) for one in runs])


def _record(one: StoredRun) -> Json:
    return {
        "claim": one.title,
        "question": one.question,
        "exactdp": one.version,
        "finished": one.finished is not None,
        "done": one.done,
        "total": one.total,
        "units": one.units,
        "seconds": one.seconds,
        "begun": one.begun,
        "last": one.last,
    }
