"""The command line: `exactdp COMMAND …`, also `python -m exactdp COMMAND …`.

Each command is a module that is loaded on first use, so that `exactdp --help` is fast.
"""

import sys

from exactdp.interrupts import holding_interrupts, repeat_interrupt

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit. Ctrl-C is handled during loading, too."""
    from exactdp.cli import streams  # noqa: PLC0415

    sys.unraisablehook = repeat_interrupt
    try:
        streams.prepare()
        with holding_interrupts():
            from exactdp.cli.main import main as run  # noqa: PLC0415

        run()
    except streams.UnwritableError as error:
        sys.exit(streams.answer(error))
    except KeyboardInterrupt:
        print("Stopped: there is no answer yet.", file=sys.stderr)
        sys.exit(130)
