"""`exactdp explain`: a mechanism as exactdp understands it."""

from __future__ import annotations

from pathlib import Path

import click

from exactdp.cli import records
from exactdp.cli.loading import find_mechanism
from exactdp.cli.output import Json, Output, examples, json_option, pass_output
from exactdp.cli.reading import read_value
from exactdp.cli.work import Job, Report, result
from exactdp.errors import ExactdpError


@click.command(
    "explain",
    epilog=examples(
        "exactdp explain noisy_max.py::noisy_max",
        "exactdp explain sparse.py::sparse --chain sparse.svg --input '[0, 1, 0]'",
    ),
)
@click.argument("target", metavar="FILE::MECHANISM")
@click.option(
    "--chain",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="OUT.svg",
    help="Draw the Markov chain at --input into this file (.svg, or .dot for Graphviz).",
)
@click.option("--input", "given", metavar="INPUT", help="The input of the chain: '[-1, 1]'.")
@json_option
@pass_output
def command(output: Output, target: str, chain: Path | None, given: str | None) -> int:
    """Show a mechanism as exactdp understands it.

    In words, and as basic statements one a line, loops unrolled; with --chain as the parametrised
    Markov chain of the paper, drawn.
    """
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
        output.say(f"The Markov chain at {given} has {states} states: {chain}")
    facts = {"mechanism": mechanism.__name__, "words": words, "labelled": labelled}
    drawn = None if chain is None else {"path": str(chain), "states": states}
    return output.document(0, **facts, source=str(mechanism), chain=drawn)


def _drawn(output: Output, target: str, path: Path, given: str) -> int:
    u = read_value(given, "an input")
    mechanism = find_mechanism(target)

    def run(report: Report) -> Json:
        del report
        chain = mechanism.chain(u)
        text = chain.dot() if path.suffix == ".dot" else chain.svg()
        return {"states": len(chain.states), "text": text}

    title = f"the chain of {target} at {records.shown(u)}"
    found = result(Job(title, target.partition("::")[0], run), output)
    try:
        path.write_text(found["text"], encoding="utf-8")
    except OSError as error:
        raise ExactdpError(f"{path} cannot be written: {error.strerror}") from None
    return int(found["states"])
