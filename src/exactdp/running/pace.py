"""How long units of work take, in seconds of the processor."""

FIRST = 0.3
"""Work that a process does before it asks others to help."""
WORTH = 0.5
"""Work that is left, for which it is worth asking."""
UNIT = 1.0
"""What a unit should take."""
SHORTEST = 0.05
"""What it takes at least, but for the last one."""
LONGEST = 2.0
"""After this the rest of a unit becomes another one."""
SHARES = 3
"""Units for each worker, at least, so that all end at about the same time."""
