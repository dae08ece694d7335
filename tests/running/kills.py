"""Kill a run at random moments, again and again: what it says in the end is what it always says.

python -m running.kills 100
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exactdp import Store
from exactdp.running import pace
from running.test_units import accurate, everywhere, private, steep

QUESTIONS: dict[str, Callable[..., Any]] = {
    "inputs": lambda **how: accurate().check(**how),
    "constant": lambda **how: accurate().tightest(**how),
    "cells": lambda **how: everywhere().check(**how),
    "pairs": lambda **how: private().check(**how),
    "slopes": lambda **how: steep().check(**how),
}
_LONGEST = 1.0  # seconds after which a run is killed, at most


def answers(**how: Any) -> str:
    """Return the answers of all questions, and the certificates of verdicts, as text."""
    found = [ask(**how) for ask in QUESTIONS.values()]
    return json.dumps([[str(one), getattr(one, "certificate", None)] for one in found])


def run(store: str) -> None:
    """Answer all questions in units of some milliseconds, by two processes, with a store."""
    pace.FIRST = pace.WORTH = pace.SHORTEST = 0
    pace.UNIT = pace.LONGEST = 0.004
    print("ready", flush=True)
    print(answers(jobs=2, store=store), flush=True)


def killed(kills: int, store: Path, seed: int = 7) -> tuple[str, int]:
    """Kill a run so many times; return what the run after these says, and how many had ended."""
    source = random.Random(seed)
    ended = 0
    for number in range(kills + 1):
        command = [sys.executable, "-m", "running.kills", "--run", str(store)]
        folder = Path(__file__).parents[1]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        if number < kills:
            time.sleep(source.random() * _LONGEST * source.random())
            process.send_signal(signal.SIGKILL)
        said = process.stdout.read()
        process.stdout.close()
        process.wait()
        ended += bool(said) and number < kills
        if store.exists():
            Store(store, "stop").runs()  # the file is whole
        if said and number < kills:  # begin again
            for one in store.parent.glob(f"{store.name}*"):
                one.unlink()
    return said, ended


def main() -> int:
    """Kill a hundred times, or as often as is said."""
    if sys.argv[1:2] == ["--run"]:
        run(sys.argv[2])
        return 0
    kills = int(sys.argv[1]) if sys.argv[1:] else 100
    with tempfile.TemporaryDirectory() as folder:
        said, ended = killed(kills, Path(folder) / "store")
    same = said == answers() + "\n"
    print(f"{kills} kills, {ended} after the end: {'the same' if same else 'DIFFERENT'} answers")
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
