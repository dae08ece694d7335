"""`--watch`: run a command again whenever a file changes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

_PAUSE = 0.5  # seconds between two checks of the files


def watch(arguments: list[str], targets: Iterable[str]) -> int:
    """Run the command in a new process now and after each change; return its last exit code.

    A new process reloads everything, including imported modules. Ctrl-C ends it.
    """
    again = [one for one in arguments if one != "--watch"]
    folders = [_folder(target) for target in targets]
    code = 0
    try:
        while True:
            before = _state(folders)
            code = subprocess.run([sys.executable, "-m", "exactdp", *again], check=False).returncode
            print("Waiting for a change; Ctrl-C ends.", file=sys.stderr, flush=True)
            while _state(folders) == before:
                time.sleep(_PAUSE)
    except KeyboardInterrupt:
        return code


def _folder(target: str) -> Path:
    path = Path(target.partition("::")[0])
    return path if path.is_dir() else path.parent


def _state(folders: Iterable[Path]) -> dict[Path, int]:
    """Return the modification time of each Python file."""
    found = {}
    for folder in folders:
        for path in folder.rglob("*.py"):
            try:
                found[path] = path.stat().st_mtime_ns
            except OSError:  # it was just removed
                continue
    return found
