"""The old tree is frozen: `src/exactdp`, all but its `__init__.py`, is what was recorded.

It is an oracle for the new tree, and only a wrong answer of its own is a reason to change it.
`python -m bench.frozen` compares what is committed with `bench/frozen.toml`;
`python -m bench.frozen --record "what was wrong"` records it anew, with the reason.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
RECORD = Path(__file__).with_name("frozen.toml")
HEAD = """\
# What is committed in src/exactdp but its __init__.py, and why it was changed since it was frozen.
# `python -m bench.frozen --record "reason"` writes this file.
"""


class NoGitError(Exception):
    """There is no commit to look at, for example in an sdist."""


def committed(root: Path = ROOT) -> str:
    """Return a hash of the old tree as it is committed."""
    command = ["git", "-C", str(root), "ls-tree", "HEAD", "src/exactdp/"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoGitError("there is no git repository here, so nothing is committed") from error
    rows = [row for row in done.stdout.splitlines() if not row.endswith("src/exactdp/__init__.py")]
    if not rows:
        raise NoGitError("src/exactdp is not in the commit of this repository")
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]


def recorded(file: Path = RECORD) -> tuple[str, list[str]]:
    """Return the recorded hash, empty before the tree is frozen, and the reasons of all changes."""
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    return data["tree"], data["changes"]


def record(tree: str, changes: list[str], file: Path = RECORD) -> None:
    """Write a hash and the reasons of all changes. A string of JSON is one of TOML, too."""
    rows = "".join(f"  {json.dumps(one, ensure_ascii=False)},\n" for one in changes)
    text = f'{HEAD}tree = "{tree}"\nchanges = [\n{rows}]\n'
    file.write_text(text, encoding="utf-8", newline="\n")


def main() -> int:
    """Compare or record; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.frozen", description=__doc__)
    parser.add_argument("--record", metavar="REASON", help="the wrong answer that was corrected")
    reason = parser.parse_args().record
    found, (before, changes) = committed(), recorded()
    if found == before:
        print(f"src/exactdp is as recorded ({found}).")
        return 0
    if reason:
        record(found, [*changes, reason] if before else [])
        print(f"recorded {found}, before {before}: {reason}")
        return 0
    was = f"was changed: {found}, recorded is {before}" if before else f"is not frozen: {found}"
    print(f"src/exactdp {was}.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
