"""How long units of work take, in seconds of processor time."""

FIRST = 0.3
"""Work that a process does alone before it uses others."""
WORTH = 0.5
"""Remaining work from which using others pays off."""
UNIT = 1.0
"""The target duration of a unit."""
SHORTEST = 0.05
"""The minimal duration of a unit, except the last one."""
SCARCE = 0.15
"""The duration of a unit of cones while few cones wait, so that it soon leaves some to others."""
LONGEST = 2.0
"""The duration after which the rest of a unit becomes a new unit."""
SHARES = 3
"""The minimal number of units per worker, so that all finish at about the same time."""
