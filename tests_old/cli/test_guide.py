"""docs/command-line.md: its sessions are run, one after the other, in one folder."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from cli.commands import ROOT, masked, run
from exactdp.cli.main import COMMANDS

GUIDE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")


def sessions() -> list[tuple[str, str]]:
    """Return the commands of the guide with what it says they print; … stands for anything."""
    blocks = re.findall(r"```console\n(.*?)```", GUIDE, re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ exactdp ", block, flags=re.M)]
    return [(first, rest) for first, _, rest in (part.partition("\n") for part in parts) if first]


def test_the_sessions(tmp_path: Path) -> None:
    found = sessions()
    assert len(found) > 5
    for command, expected in found:
        done = run(*shlex.split(command), cwd=tmp_path)
        # A … at the end of a line is anything; elsewhere it may be a part of the output.
        pattern = "(.|\n)*\n".join(map(re.escape, expected.split("…\n")))
        assert re.fullmatch(pattern, masked(done.out)), f"{command}\n{done.out}"
        assert done.err == ""


def test_every_command_is_in_the_guide() -> None:
    listed = re.findall(r"^\| `(\w+) ", GUIDE, re.M)
    assert sorted(listed) == sorted(COMMANDS)
