"""Stores are refused: reading one could run what is in it."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from cli.commands import run
from exactdp import ExactdpError, Store, Study

from .test_units import accurate

REFUSAL = "finished work is not kept in a file for now"


def test_stores_are_refused(tmp_path: Path) -> None:
    """Whatever is in the file, it is not opened."""
    path = tmp_path / "store"
    path.write_bytes(b"whatever")
    with pytest.raises(ExactdpError, match=REFUSAL) as error:
        Store(path)
    assert "stores come back as JSON" in str(error.value)
    assert "jobs=" in str(error.value)
    for ask in (accurate().check, accurate().tightest, Study([accurate()]).run):
        with pytest.raises(ExactdpError, match=REFUSAL):
            ask(store=cast(None, path))
    assert path.read_bytes() == b"whatever"
    assert accurate().check(store=None).holds


def test_commands_refuse_stores() -> None:
    for option in (["--store", "x.store"], ["--resume"]):
        done = run("check", "bounds.py", *option)
        assert done.code == 2
        assert REFUSAL in done.err
