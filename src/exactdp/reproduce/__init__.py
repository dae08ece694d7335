"""The experiments of the paper's section 7, run again: `exactdp reproduce`.

A row of the paper's tables (`rows`) is a claim about one of its programs (`programs`). Each is
decided for the program that the authors executed and, where it is another one, for the one that
the paper prints (`run`). Where the text says something else, what is true is worked out
(`differences`).
"""

from exactdp.reproduce.main import main

__all__ = ["main"]
