"""`exactdp reproduce`: the experiments of the paper, run again."""

from exactdp.reproduce.command import command

__all__ = ["command"]
