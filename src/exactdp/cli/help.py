"""`exactdp help`: an error by its code, with a wrong and a right program."""

from __future__ import annotations

import click

from exactdp.cli.options import common, subcommand
from exactdp.cli.output import CommandOutput
from exactdp.errors import ExactdpError
from exactdp.pages import Explanation, explained, explanations, topics


@subcommand(
    "help",
    "exactdp help R06",
    "exactdp help language",
    "exactdp help",
)
@click.argument("name", metavar="[CODE]", default="")
@common()
def command(output: CommandOutput, name: str) -> int:
    """Explain an error by its code, with a wrong and a right program.

    CODE is the last word of a message about a program, or the name of a page. Without it, list all
    of them.
    """
    if not name:
        text = _contents()
    elif name.lower() in topics():
        text = topics()[name.lower()].read_text(encoding="utf-8").rstrip("\n")
    elif found := explained(name.upper()):
        text = "\n\n".join(map(_shown, found))
    else:
        raise ExactdpError(
            f"there is no page {name}",
            rule="A page is the code of an error, such as R06, or a name.",
            way_out=f"The names are {', '.join(topics())}; `exactdp help` lists the codes.",
        )
    output.say(text)
    return output.document(0, topic=name, text=text)


def _shown(one: Explanation) -> str:
    """Return a section as plain text, with code blocks indented instead of fenced."""
    lines, inside = [f"{one.code}: {one.title}", ""], False
    for line in one.text.split("\n"):
        if line.startswith("```"):
            inside = not inside
        else:
            lines.append(f"    {line}".rstrip() if inside else line)
    return "\n".join(lines)


def _contents() -> str:
    codes = {one.code: one.title for one in reversed(explanations())}
    lines = [f"{code}  {codes[code]}" for code in sorted(codes)]
    return "\n".join([*topics(), "", *lines, "", "exactdp help CODE shows an example of each."])
