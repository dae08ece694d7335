"""`exactdp compare`: which of several mechanisms is better at which ε."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from exactdp import Ranking, hamming, l1, linf, one_entry
from exactdp import compare as compared
from exactdp.cli import records
from exactdp.cli.jobs import result
from exactdp.cli.loading import find_mechanism
from exactdp.cli.options import common, file_option, subcommand, targets
from exactdp.cli.output import CommandOutput, Json, refuse_unwritable
from exactdp.cli.reading import read_inputs, read_interval, read_option
from exactdp.errors import ValueRefusedError
from exactdp.reals.numbers import rational
from exactdp.running.conduct import Progress

_MEASURES = ("error", "absolute", "squared", "wrong", "regret")


@subcommand(
    "compare",
    "exactdp compare a.py::laplace b.py::flip --measure regret --inputs '[[1, 0, 0]]'",
    "exactdp compare a.py::laplace b.py::flip --measure error --inputs grid:0:1 -o better.svg",
)
@targets("FILE::MECHANISM...")
@click.option(
    "--measure",
    type=click.Choice(_MEASURES),
    default="absolute",
    show_default=True,
    help="What is compared: an error probability, or an expected loss.",
)
@click.option("--inputs", metavar="INPUTS", help="At these inputs: all, grid:-1:1 or a list.")
@click.option("--within", default="0", metavar="W", help="Errors up to W do not count (error).")
@click.option("--eps", metavar="INTERVAL", help="Only these ε: '(0, 1]'.")
@click.option(
    "--adjacent",
    metavar="ADJACENCY",
    help="Compare at equal privacy, by linf:1, l1:1, one_entry:1 or hamming:1.",
)
@file_option(
    "-o",
    "path",
    metavar="OUT.svg",
    help="Also write a plot.",
)
@common(timeout=True)
def command(  # noqa: PLR0913 what can be asked
    output: CommandOutput,
    targets: tuple[str, ...],
    *,
    measure: str,
    inputs: str | None,
    within: str,
    eps: str | None,
    adjacent: str | None,
    path: Path | None,
) -> int:
    """Find which of several mechanisms is best at which ε.

    The sets of ε are exact; irrational endpoints are enclosed. For several inputs, the largest
    error or loss counts.
    """
    if path is not None:
        refuse_unwritable(path)
    mechanisms = _named(targets)
    options: dict[str, Any] = {
        "inputs": read_option("--inputs", inputs, read_inputs),
        "within": read_option("--within", within, partial(rational, what="an error")),
        "epsilon": read_option("--eps", eps, read_interval),
        "adjacent": read_option("--adjacent", adjacent, _read_adjacency),
    }

    def run(report: Progress) -> Json:
        del report
        found = compared(mechanisms, measure, **options)
        if path is not None:
            figure: Any = found.plot().figure
            figure.savefig(path)
        return _record(found)

    answer = result(output, targets[0], run, "the comparison")
    for line in answer["sentences"]:
        output.say(line)
    output.table(answer["head"], answer["rows"], right=" ".join(answer["head"][2:]))
    if path is not None:
        output.say(f"Wrote {path}.")
    facts = {key: answer[key] for key in ("measure", "mechanisms")}
    return output.document(0, **facts, path=None if path is None else str(path))


def _named(targets: tuple[str, ...]) -> dict[str, Any]:
    """Return the mechanisms by name, or by target where two have the same name."""
    found = [(target, find_mechanism(target)) for target in targets]
    names = [one.__name__ for _, one in found]
    return {
        one.__name__ if names.count(one.__name__) == 1 else target: one for target, one in found
    }


def _read_adjacency(text: str) -> Any:
    name, _, size = text.partition(":")
    makers: dict[str, Any] = {"linf": linf, "l1": l1, "one_entry": one_entry, "hamming": hamming}
    if name not in makers:
        raise ValueRefusedError(
            f"{text!r} is not an adjacency",
            rule="It is linf:D, l1:D, one_entry:D or hamming:K.",
            way_out="Write for example --adjacent linf:1.",
        )
    number = rational(size or "1", "the size of a change")
    return makers[name](int(number) if name == "hamming" else number)


def _record(found: Ranking) -> Json:
    return {
        "measure": found.measure,
        "sentences": list(found.sentences),
        "head": list(found.head()),
        "rows": [list(row) for row in found.rows()],
        "mechanisms": [
            {
                "name": one.name,
                "factor": records.number(one.factor),
                "best": records.solutions(found.best[one.name]),
                "pieces": [
                    {"form": records.form(form), "where": records.solutions(where)}
                    for form, where in one.pieces
                ],
            }
            for one in found.contestants
        ],
    }
