"""The command line finds the claims of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from exactdp.cli.loading import find_claims
from gallery.test_gallery import SAID

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("file", SAID)
def test_the_command_line_finds_the_claims(file: str) -> None:
    found = find_claims([str(ROOT / "examples" / f"{file}.py")])
    assert len(found) == len(SAID[file])
