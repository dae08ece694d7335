"""The command line: `exactdp COMMAND …`, also `python -m exactdp COMMAND …`.

Each command is a file that is loaded when it is asked for, so that `exactdp --help` is quick.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; never returns. Ctrl-C is heard while it is loaded, too."""
    try:
        from exactdp.cli.main import main as run  # noqa: PLC0415

        run()
    except KeyboardInterrupt:
        print("Stopped: there is no answer yet.", file=sys.stderr)
        sys.exit(130)
