"""`exactdp new`: a commented starter file."""

from __future__ import annotations

from keyword import iskeyword
from pathlib import Path

import click

from exactdp import pages
from exactdp.cli.options import common, subcommand
from exactdp.cli.output import CommandOutput, writing
from exactdp.cli.starters import KINDS, starter
from exactdp.errors import ExactdpError


@subcommand(
    "new",
    "exactdp new my_mechanism",
    "exactdp new my_count --kind count",
    "exactdp new my_sparse --example sparse",
    "exactdp check my_mechanism.py",
)
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    default=next(iter(KINDS)),
    show_default=True,
    help="What kind of mechanism to start from.",
)
@click.option("--example", metavar="NAME", help="Copy this example of the gallery instead.")
@common()
def command(output: CommandOutput, name: str, kind: str, example: str | None) -> int:
    """Write a commented starter file.

    NAME is the name of a mechanism; the file is NAME.py, which `exactdp check` accepts.
    """
    path = Path(name).with_suffix(".py") if name.endswith(".py") else Path(f"{name}.py")
    if not path.stem.isidentifier() or iskeyword(path.stem):
        raise ExactdpError(
            f"{path.stem!r} cannot be the name of a mechanism",
            rule="It names a Python function of the file: letters, digits and _.",
            way_out="Write for example `exactdp new my_mechanism`.",
        )
    text = starter(kind, path.stem, path.name) if example is None else _example(example)
    with writing(path):
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
        except FileExistsError:
            raise ExactdpError(
                f"{path} already exists", way_out="Choose another name, or remove the file first."
            ) from None
    output.say(f"Wrote {path}. Now: exactdp check {path}")
    return output.document(0, path=str(path))


def _example(name: str) -> str:
    """Return the text of an example; refuse an unknown name."""
    found = pages.examples()
    if name not in found:
        raise ExactdpError(
            f"there is no example {name!r}", rule=f"The examples are {', '.join(found)}."
        )
    return found[name].read_text(encoding="utf-8")
