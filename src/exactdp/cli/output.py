"""The output of a command: answers to stdout, messages to stderr, optionally one JSON document."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import click

from exactdp import __version__
from exactdp.errors import ExactdpError, TimeoutRefusedError, VacuousClaimError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from exactdp.cli.sharing import Sharing

Json: TypeAlias = dict[str, Any]
Function = TypeVar("Function", bound=Callable[..., Any])

_NARROWEST_NAME = 16
STYLES = {
    "holds": "green",
    "fails": "bold red",
    "undecided": "yellow",
    "vacuous": "yellow",
    "error": "bold red",
}
"""The colour of each outcome, on a terminal."""


class StoppedError(Exception):
    """Ctrl-C was pressed; `left` names the unfinished work, `done` describes the finished work."""

    def __init__(self, left: list[str], done: str = "") -> None:
        super().__init__()
        self.left = left
        self.done = done


class CommandOutput:
    """The output of one run of a command. Rich is loaded when something is printed."""

    def __init__(self) -> None:
        self.json = False
        self.command = ""
        self.arguments: list[str] = []
        self.timeout: float | None = None
        """The time limit for each claim, in seconds."""
        self.sharing: Sharing | None = None
        """How the work is shared; None for a command that cannot share it."""

    @cached_property
    def console(self) -> Console:
        """The standard output."""
        return _console(stderr=False)

    @cached_property
    def messages(self) -> Console:
        """The standard error."""
        return _console(stderr=True)

    def say(self, text: str = "", style: str = "") -> None:
        """Print a line of the answer, unless the answer is JSON."""
        if not self.json:
            self.console.print(text, style=style or None, soft_wrap=True)

    def say_verdict(self, verdict: str, name: str, sentence: str) -> None:
        """Print a name and a sentence in the colour of the verdict."""
        if not self.json:
            from rich.text import Text  # noqa: PLC0415

            line = Text.assemble((name, "bold"), ": ", (sentence, STYLES.get(verdict, "")))
            self.console.print(line, soft_wrap=True)

    def table(self, columns: list[str], rows: list[list[str]], right: str = "") -> None:
        """Print a table, unless the answer is JSON; the columns named in `right` hold numbers."""
        if self.json:
            return
        from rich import box  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        if self.console.width < _least_width(columns, rows):
            for first, *others in rows:
                self.say()
                self.say(first, "bold")
                for name, cell in zip(columns[1:], others, strict=True):
                    self.say(f"  {name}: {cell}", STYLES.get(cell.split(",")[0], ""))
            self.say()
            return
        found: Table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name in columns:
            justify: Literal["left", "right"] = "right" if name in right.split() else "left"
            found.add_column(name, justify=justify, overflow="fold", no_wrap=name != columns[0])
        for row in rows:
            found.add_row(*(Text(cell, STYLES.get(cell.split(",")[0], "")) for cell in row))
        self.console.print(found)

    def note(self, text: str, style: str = "") -> None:
        """Print a message."""
        self.messages.print(text, style=style or None, soft_wrap=True)

    def document(self, code: int, **facts: Any) -> int:
        """Print the answer as JSON if requested, and return the exit code.

        From here on Ctrl-C is ignored, so that one complete document is written.
        """
        if self.json:
            head = {"format": "exactdp-cli", "version": 1, "exactdp": __version__}
            whole = {**head, "command": self.command, "exit_code": code, **facts}
            text = json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
            _ignore_interrupts()
            sys.stdout.write(text)
            sys.stdout.flush()
        return code

    def write(self, text: str) -> None:
        """Print a document that is not in our own format."""
        _ignore_interrupts()
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def stopped(self, left: list[str], done: str = "", **facts: Any) -> int:
        """Report what was finished and unfinished at Ctrl-C, and return the exit code."""
        _ignore_interrupts()
        left_over = f"{len(left)} left: {', '.join(left)}" if len(left) > 1 else "".join(left)
        if len(left) == 1:
            left_over = f"1 left: {left_over}" if done else f"{left_over} is not done"
        said = ", ".join(part for part in (done, left_over) if part)
        self.note(f"Stopped: {said or 'there is no answer yet'}.")
        return self.document(130, **facts, left=left)

    def failed(self, error: ExactdpError, *, shown: bool = False) -> int:
        """Print an error, and return the exit code."""
        if not shown:
            self.note(str(error), "red")
        return self.document(exit_code(error), error=error_record(error))


def _ignore_interrupts() -> None:
    if threading.current_thread() is threading.main_thread():  # Python's rule for handlers
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def refuse_unwritable(path: Path | None) -> None:
    """Refuse an output file in a missing folder, before any long computation."""
    if path is not None and not path.parent.is_dir():
        raise ExactdpError(
            f"{path} cannot be written: there is no folder {path.parent}",
            way_out="Make the folder first, or name another file.",
        )


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Report that a file or folder cannot be written, in one message."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ExactdpError(
            f"{path} cannot be written: {reason}", way_out="Name another file or folder."
        ) from None


def _least_width(columns: list[str], rows: list[list[str]]) -> int:
    """Return the least terminal width for a table; only its first column is wrapped."""
    widths = [max(map(len, cells)) for cells in zip(columns, *rows, strict=True)]
    return min(widths[0], _NARROWEST_NAME) + sum(widths[1:]) + 3 * len(columns)


def exit_code(error: ExactdpError) -> int:
    """Return the exit code: 4 if a claim says nothing, 3 for a timeout, 2 for wrong use."""
    if isinstance(error, TimeoutRefusedError):
        return 3
    return 4 if isinstance(error, VacuousClaimError) else 2


def error_record(error: ExactdpError) -> Json:
    """Return an error as JSON."""
    place = error.place
    where = place and {"file": place.source, "line": place.line, "column": place.column}
    facts = {"message": error.message, "rule": error.rule, "way_out": error.way_out}
    return {**facts, "code": error.code, "place": where}


def mistake(error: BaseException, what: str = "") -> ExactdpError:
    """Convert an unexpected exception to a message that names its location."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    at = f" ({last.tb_frame.f_code.co_filename}:{last.tb_lineno})" if last else ""
    return ExactdpError(
        f"{what}{type(error).__name__}: {error}{at}",
        rule="This is a bug in exactdp, not a mistake in your file.",
        way_out="Please report it with the file and the command.",
    )


def _console(*, stderr: bool) -> Console:
    from rich.console import Console  # noqa: PLC0415

    stream = sys.stderr if stderr else sys.stdout
    # A file or a pipe has no width: lines are not wrapped there.
    width = None if stream.isatty() else 10_000
    return Console(stderr=stderr, width=width, markup=False, highlight=False, emoji=False)


pass_output = click.make_pass_decorator(CommandOutput, ensure=True)
