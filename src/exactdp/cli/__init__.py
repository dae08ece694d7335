"""The command line: `exactdp COMMAND …`, also `python -m exactdp COMMAND …`.

Each command is a file that is loaded when it is asked for, so that `exactdp --help` is quick.
"""

from exactdp.cli.main import main

__all__ = ["main"]
