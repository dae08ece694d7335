"""How many random examples a costly test tries: a sixteenth of what is written there.

EXACTDP_EXAMPLES=10 makes it ten times as many as written, EXACTDP_EXAMPLES=1 as many as written.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings

TIMES = int(os.environ.get("EXACTDP_EXAMPLES", "1"))


def cases(count: int) -> int:
    """Return how many of so many random cases are tried."""
    return count * TIMES if "EXACTDP_EXAMPLES" in os.environ else -(-count // 16)


def examples(count: int, **more: Any) -> settings:
    """Return the settings of a test that takes long enough to matter to `make test`."""
    slow = [HealthCheck.too_slow]
    return settings(max_examples=cases(count), deadline=None, suppress_health_check=slow, **more)
