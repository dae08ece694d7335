"""The command `exactdp`: its subcommands by name, and how each of them exits."""

from __future__ import annotations

import signal
import sys
from importlib import import_module
from typing import Any

import click

from exactdp import __version__
from exactdp.cli.output import CommandOutput, StoppedError, mistake
from exactdp.cli.settings import defaults
from exactdp.cli.streams import UnwritableError
from exactdp.errors import ExactdpError
from exactdp.interrupts import ENDINGS, end, holding_interrupts

#: Each command is the object `command` of the module with its name.
COMMANDS = {
    "check": "Decide the claims of files, for every ε.",
    "error": "Find how far off a mechanism is, how often, or at which ε.",
    "probability": "Show exact probabilities of outputs, in closed form.",
    "privacy": "Find the exact budget and δ of privacy claims.",
    "compare": "Find which of several mechanisms is best at which ε.",
    "tighten": "Find the largest κ such that the claim with β/κ is true.",
    "epsilon": "Find all ε for which a claim holds, and the smallest.",
    "study": "Answer one question for a family of claims, as a table.",
    "explain": "Show a mechanism as exactdp understands it.",
    "simulate": "Compare exact probabilities with simulated runs.",
    "plot": "Plot a claim: its error, κ, where it holds, or simulated runs.",
    "report": "Write an HTML page with claims, verdicts and curves.",
    "certify": "Check certificates independently of the solver.",
    "new": "Write a commented starter file.",
    "help": "Explain an error by its code, with a wrong and a right program.",
    "reproduce": "Run the experiments of the paper again.",
}


class Commands(click.Group):
    """A group whose commands are imported on first use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which they are typically used."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, loading its module."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        with holding_interrupts():
            found: click.Command = import_module(f"exactdp.cli.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the requested command, and store its name for messages."""
        found = super().resolve_command(ctx, args)
        ctx.ensure_object(CommandOutput).command = found[0] or ""
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without loading them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 the claims hold (or the question is answered), 1 a claim fails, "
    "3 a claim is undecided, 2 wrong use or a wrong program, 5 the answer could not be written, "
    "130 stopped by Ctrl-C.",
)
@click.version_option(__version__, prog_name="exactdp")
def group() -> None:
    """Decide accuracy claims of differentially private mechanisms, exactly and for every ε.

    A claim states: at an input whose distance to disagreement is above α, the output is within γ of
    the ideal output with probability at least 1 − β. Start with `exactdp new NAME`.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    for number in ENDINGS:
        if signal.getsignal(number) is signal.SIG_DFL:  # under `nohup` it is not
            signal.signal(number, end)
    sys.exit(_answered(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code; then restore the handling of Ctrl-C."""
    before = signal.getsignal(signal.SIGINT)
    try:
        return _answered(arguments)
    finally:
        signal.signal(signal.SIGINT, before)


def _answered(arguments: list[str] | None) -> int:
    output = CommandOutput()
    output.arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code: Any = group.main(
            arguments, "exactdp", standalone_mode=False, obj=output, default_map=defaults()
        )
        sys.stdout.flush()
        return int(code or 0)
    except click.ClickException as error:
        # An unknown option stops the parser before it sees --json.
        output.json = "--json" in (sys.argv[1:] if arguments is None else arguments)
        error.show()
        return output.failed(ExactdpError(error.format_message()), shown=True)
    except ExactdpError as error:
        return output.failed(error)
    except StoppedError as stopped:
        return output.stopped(stopped.left, stopped.done)
    except (KeyboardInterrupt, click.Abort):
        return output.stopped([])
    except UnwritableError:
        raise
    except Exception as error:
        return output.failed(mistake(error))
