"""Arguments and options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from exactdp.cli.completing import complete_target
from exactdp.cli.output import CommandOutput, Function, pass_output


def target(metavar: str = "FILE[::NAME]") -> Callable[[Function], Function]:
    """Add an argument: what is asked about."""
    return click.argument("target", metavar=metavar, shell_complete=complete_target)


def targets(
    metavar: str = "FILE[::NAME]...", *, required: bool = True
) -> Callable[[Function], Function]:
    """Add an argument: all that is asked about; the settings may name it if it is not required."""
    return click.argument(
        "targets", nargs=-1, required=required, metavar=metavar, shell_complete=complete_target
    )


def file_option(*names: str, **settings: Any) -> Callable[[Function], Function]:
    """Add an option that names a file to write."""
    return click.option(*names, type=click.Path(dir_okay=False, path_type=Path), **settings)


def width_option(default: str, what: str) -> Callable[[Function], Function]:
    """Add the option --width."""
    text = f"How closely to enclose {what}."
    return click.option("--width", default=default, show_default=True, metavar="W", help=text)


input_option = click.option(
    "--input", "given", default="()", metavar="INPUT", help="The input: '[-1, 1/2]'."
)

certificates_option = click.option(
    "--certificates",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write a certificate of each verdict into DIR, for `exactdp certify`.",
)


_JSON = click.option(
    "--json",
    is_flag=True,
    help="Write one JSON document to the standard output (schema: exactdp help cli-v1.json).",
)
_TIMEOUT = click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="The time limit for each claim, in seconds (not on Windows).",
)


def subcommand(name: str, *lines: str) -> Callable[[Function], click.Command]:
    """Make a function a command; its help page ends with examples, which are not wrapped."""
    epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)
    return click.command(name, epilog=epilog)


def common(
    *, timeout: bool = False, sharing: bool = False, changes: bool = False
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add the option --json, and groups of options that several commands have.

    The function is called with its output, which holds the values of these options. Changes of
    claims are its argument `changes`.
    """

    def add(function: Callable[..., int]) -> Callable[..., int]:
        options = [_JSON, *[_TIMEOUT] * timeout]
        groups: dict[str, tuple[list[str], Callable[..., Any]]] = {}
        if sharing:
            from exactdp.cli.sharing import SHARING, shared  # noqa: PLC0415 not for all commands

            options += SHARING.values()
            groups["sharing"] = list(SHARING), shared
        if changes:
            from exactdp.cli.reading import CHANGES, read_changes  # noqa: PLC0415 as above

            options += CHANGES.values()
            groups["changes"] = list(CHANGES), read_changes

        @wraps(function)
        def command(output: CommandOutput, json: bool, **given: Any) -> int:
            output.json = json
            output.timeout = given.pop("timeout") if timeout else None
            for name, (names, read) in groups.items():
                given[name] = read(*map(given.pop, names))
            if sharing:
                output.sharing = given.pop("sharing")
            return function(output, **given)

        found: Any = pass_output(command)
        for option in reversed(options):
            found = option(found)
        return found  # type: ignore[no-any-return]

    return add
