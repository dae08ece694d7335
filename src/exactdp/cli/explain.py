"""`exactdp explain`: a mechanism as exactdp understands it."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from exactdp.cli import records
from exactdp.cli.jobs import result
from exactdp.cli.loading import find_mechanism
from exactdp.cli.options import common, file_option, subcommand, target
from exactdp.cli.output import CommandOutput, Json, refuse_unwritable, writing
from exactdp.cli.reading import read_option, read_value
from exactdp.errors import ExactdpError, counted
from exactdp.report.extras import require
from exactdp.running.conduct import Progress

if TYPE_CHECKING:
    from exactdp.public.answers import Chain

_PICTURES = (".svg", ".png", ".pdf", ".dot")


@subcommand(
    "explain",
    "exactdp explain noisy_max.py::noisy_max",
    "exactdp explain sparse.py::sparse --chain sparse.svg --input '[0, 1, 0]'",
)
@target("FILE::MECHANISM")
@file_option(
    "--chain",
    metavar="OUT.svg",
    help="Draw the Markov chain at --input into this file: .svg, .png, .pdf, or .dot for Graphviz.",
)
@click.option("--input", "given", metavar="INPUT", help="The input of the chain: '[-1, 1]'.")
@common()
def command(output: CommandOutput, target: str, chain: Path | None, given: str | None) -> int:
    """Show a mechanism as exactdp understands it.

    In words, and as basic statements, one per line, with loops unrolled. With --chain, also plot
    the parametrised Markov chain of the paper.
    """
    refuse_unwritable(chain)
    if chain is not None and chain.suffix.lower() not in _PICTURES:
        raise ExactdpError(
            f"{chain} is not a picture format",
            rule=f"The name of the picture of a chain ends in {', '.join(_PICTURES)}.",
            way_out="Write for example --chain chain.svg.",
        )
    mechanism = find_mechanism(target)
    words, labelled = mechanism.explain(), mechanism.labelled()
    states = None
    if chain is not None:
        if given is None and mechanism.inputs:
            raise click.UsageError("--chain needs --input: a chain is drawn at an input.")
        states = _drawn(output, target, chain, given or "()")
    output.say(words)
    output.say()
    output.say(labelled)
    if states is not None:
        output.say()
        output.say(f"The Markov chain at {given} has {counted(states, 'state')}: {chain}")
    facts = {"mechanism": mechanism.__name__, "words": words, "labelled": labelled}
    drawn = None if chain is None else {"path": str(chain), "states": states}
    return output.document(0, **facts, source=str(mechanism), chain=drawn)


def _drawn(output: CommandOutput, target: str, path: Path, given: str) -> int:
    u = read_option("--input", given, partial(read_value, what="an input"))
    mechanism = find_mechanism(target)

    def run(report: Progress) -> Json:
        del report
        chain = mechanism.chain(u)
        return {"states": len(chain.states), "picture": _picture(chain, path.suffix.lower())}

    title = f"the chain of {target} at {records.shown(u)}"
    found = result(output, target, run, title)
    with writing(path):
        path.write_bytes(found["picture"])
    return int(found["states"])


def _picture(chain: Chain, suffix: str) -> bytes:
    """Return the contents of a picture file of a chain."""
    if suffix == ".dot":
        return chain.dot().encode()
    if suffix == ".svg":
        return chain.svg().encode()
    require("matplotlib")
    import matplotlib as mpl  # noqa: PLC0415 only for these pictures
    from matplotlib.figure import Figure  # noqa: PLC0415

    mpl.use("agg")  # no window
    figure = chain.plot().get_figure()
    assert isinstance(figure, Figure)
    written = io.BytesIO()
    figure.savefig(written, format=suffix.removeprefix("."), dpi=160)
    return written.getvalue()
