"""The standard streams of the command, and failures of these: closed, full or not read.

A message that cannot be written is dropped, so a broken standard error never changes an exit code.
An answer that cannot be written is a separate error, so that it is not mistaken for a verdict.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

UNWRITTEN = 5
"""The exit code if the answer could not be written."""

UNREAD = 141
"""The exit code if the reader of the answer is gone: the one that shells use for SIGPIPE."""


class UnwritableError(Exception):
    """The answer cannot be written.

    Not an `OSError`: on a broken pipe, click exits with code 1, that of a claim that fails.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__((error.strerror or str(error)).lower())
        self.code = UNREAD if isinstance(error, BrokenPipeError) else UNWRITTEN


class _Sink(io.FileIO):
    """A file descriptor that reports at most its first failure, and drops all later output."""

    def __init__(self, number: int, *, silent: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self._silent = silent
        self._broken = False

    def write(self, data: ReadableBuffer, /) -> int:
        if not self._broken:
            try:
                return super().write(data)
            except OSError as error:
                self._broken = True
                if not self._silent:
                    raise UnwritableError(error) from error
        return len(memoryview(data))


def prepare() -> None:
    """Replace the streams of this process; raise `UnwritableError` if there is no stdout."""
    # The descriptor of a closed stream would be reused for the next file that is opened.
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    closed = sys.stdout is None
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is None or not stream.isatty():  # a terminal is never full
            sink = io.BufferedWriter(_Sink(number, silent=name == "stderr"))
            encoding = "utf-8" if stream is None else stream.encoding
            lines = name == "stderr"
            stream = io.TextIOWrapper(sink, encoding, "backslashreplace", line_buffering=lines)
            setattr(sys, name, stream)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # the encoding may lack ε
    if closed:
        raise UnwritableError(OSError("it is closed"))


def answer(error: UnwritableError) -> int:
    """Report that the answer could not be written, and return the exit code."""
    if error.code == UNWRITTEN:
        print(f"The answer cannot be written to the standard output: {error}.", file=sys.stderr)
    return error.code
