"""The command line: `exactdp COMMAND …`, also `python -m exactdp COMMAND …`.

Each command is a module that is loaded on first use, so that `exactdp --help` is fast.
"""

import _thread
import sys
import threading

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit. Ctrl-C is handled during loading, too."""
    from exactdp.cli import streams  # noqa: PLC0415

    sys.unraisablehook = _interrupt_again
    try:
        streams.prepare()
        from exactdp.cli.main import main as run  # noqa: PLC0415

        run()
    except streams.UnwritableError as error:
        sys.exit(streams.answer(error))
    except KeyboardInterrupt:
        print("Stopped: there is no answer yet.", file=sys.stderr)
        sys.exit(130)


def _interrupt_again(unraisable: "sys.UnraisableHookArgs") -> None:
    """Repeat a Ctrl-C where Python drops exceptions: in finalizers and callbacks of imports."""
    if unraisable.exc_type is KeyboardInterrupt:
        threading.Timer(0.01, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(unraisable)
