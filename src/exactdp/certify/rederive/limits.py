"""Limits on re-derivation; beyond them, closed forms are taken from the solver.

The report states this.
"""

MAX_SOURCE = 50_000  # characters of a program
MAX_RUN = 4_000_000  # steps of one run: the language refuses programs that need more
MAX_STEPS = 20_000_000  # steps of all runs of programs together
STEPS = 500_000, 200  # the same for a short text, and more for each character of the JSON
MAX_PATHS = 3_000  # paths of a program at one input
MAX_INTEGRATION = 20_000_000  # steps of all integrals together, some microseconds each
INTEGRATION = 500_000, 100  # the same for a short text, and more for each character
MAX_NUMBER = 20_000  # bits of a number in a run
MAX_POWER = 1_000  # of the base of a logarithm
