"""Ctrl-C, and signals that end a process, at moments when Python would lose them."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: Signals that end a process from outside; Windows has no SIGHUP.
ENDINGS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class EndedError(SystemExit):
    """A signal ended the process; raised wherever it happens to be."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


def end(number: int, frame: object) -> None:
    """Exit normally, so that child processes are ended too (a handler of signals)."""
    del frame
    raise EndedError(number)


@contextmanager
def holding_interrupts() -> Iterator[None]:
    """Defer these signals: an import may turn them into an error, and a child must not get ours.

    A child that is forked meanwhile has our handlers until it has called `ignore_interrupts`.
    """
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, *ENDINGS])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent, and end by signals at once (in a child that was forked so)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in ENDINGS:
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT, *ENDINGS])


def repeat_interrupt(unraisable: sys.UnraisableHookArgs) -> None:
    """Send a signal again where Python drops exceptions: in finalizers and callbacks.

    For `sys.unraisablehook`.
    """
    if unraisable.exc_type is KeyboardInterrupt:
        threading.Timer(0.01, _thread.interrupt_main).start()
    elif isinstance(unraisable.exc_value, EndedError):
        again = [unraisable.exc_value.number]
        threading.Timer(0.01, _thread.interrupt_main, again).start()
    else:
        sys.__unraisablehook__(unraisable)
