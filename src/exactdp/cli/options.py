"""Arguments and options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from exactdp.cli.completing import complete_target
from exactdp.cli.output import CommandOutput, Function


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


def _json_asked(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    del parameter
    ctx.ensure_object(CommandOutput).json = value


def json_option(function: Function) -> Function:
    """Add the option --json."""
    return click.option(
        "--json",
        is_flag=True,
        is_eager=True,  # so that errors in other options are reported as JSON, too
        expose_value=False,
        callback=_json_asked,
        help="Write one JSON document to the standard output (schema: exactdp help cli-v1.json).",
    )(function)


def _timeout_given(ctx: click.Context, parameter: click.Parameter, value: float | None) -> None:
    del parameter
    ctx.ensure_object(CommandOutput).timeout = value


def timeout_option(function: Function) -> Function:
    """Add the option --timeout."""
    return click.option(
        "--timeout",
        type=click.FloatRange(0, min_open=True),
        expose_value=False,
        callback=_timeout_given,
        metavar="SECONDS",
        help="The time limit for each claim, in seconds (not on Windows).",
    )(function)
