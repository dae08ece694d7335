"""The command line: `exactdp COMMAND …`, also `python -m exactdp COMMAND …`."""

from ..errors import NotYet

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit."""
    raise NotYet("cli")
