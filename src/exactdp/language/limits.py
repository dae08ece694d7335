"""The documented limits: a program that exceeds one is refused instead of running forever."""

from __future__ import annotations

from typing import Final

#: How many iterations a `for` loop (or comprehension) may have; nested constant loops multiply.
UNROLL_LIMIT: Final = 100_000

#: How many basic statements a program may have after subroutines are inlined.
CODE_LIMIT: Final = 50_000

#: How many basic statements may run between two samples or comparisons of noise.
STEP_LIMIT: Final = 1_000_000

#: How long a list or string may become.
LENGTH_LIMIT: Final = 1_000_000

#: How long a list may become by `append` and +, each of which copies it.
GROWN_LIMIT: Final = 20_000

#: How many bits an integer, or a part of a fraction, may have; Python prints no longer ones.
BITS_LIMIT: Final = 10_000

#: How deeply expressions and statements may be nested in a source.
NESTING_LIMIT: Final = 120

#: How many characters a source may have.
SOURCE_LIMIT: Final = 1_000_000

#: How many states (statements with all finite values) a `while` loop may have, in one iteration of
#: the enclosing `for` loops: a base number, plus a number for each of its basic statements.
LOOP_STATES: Final = 10_000
LOOP_STATES_EACH: Final = 2_000

#: How many entries the lists and strings in the states of `while` loops may have in total.
ENTRIES_LIMIT: Final = 3_000_000

#: How many samples and comparisons of noise a run, or a batch of runs, may make in `while` loops.
RUN_LIMIT: Final = 200_000

#: How many states a program may have in total.
STATE_LIMIT: Final = 1_000_000

#: How many entries the lists in all states of a program may have in total.
STATE_ENTRIES: Final = 8_000_000
