"""Settings for all tests."""

from __future__ import annotations

import gc
import os
import signal

from hypothesis import settings

# CI must not fail by chance on a machine where nobody looks; everywhere else every run tries
# other examples.
settings.register_profile("default", max_examples=20, deadline=None, print_blob=True)
settings.register_profile("ci", max_examples=20, deadline=None, print_blob=True, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

# A shell starts what runs in the background deaf to Ctrl-C, and tests of Ctrl-C would wait.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from looking through all modules again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
