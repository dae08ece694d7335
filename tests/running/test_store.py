"""A store: nothing is lost when a process is killed, and a broken one gives no wrong answer."""

from __future__ import annotations

import signal
import warnings
from pathlib import Path

import pytest

from exactdp.running.store import Store, StoreError, StoreWarning
from running.kills import answers, killed

from .test_units import accurate, told

KILLS = 2


def test_kill_at_any_moment(tmp_path: Path) -> None:
    """`python -m running.kills 100` kills a hundred times; the last run is left alone."""
    said, _ = killed(KILLS, tmp_path / "store")
    assert said == answers() + "\n"


def test_broken_stores(tmp_path: Path) -> None:
    """A file that is none, one of another program, one that is damaged: one message each."""
    alone = told(accurate().check())
    for name, data in (("text", b"no store" * 200), ("folder", None)):
        path = tmp_path / name
        path.mkdir() if data is None else path.write_bytes(data)
        with pytest.warns(StoreWarning, match="the work goes on without it") as said:
            assert told(accurate().check(store=path)) == alone
        assert len(said) == 1
        with pytest.raises(StoreError, match="cannot be written"):
            accurate().check(store=Store(path, "stop"))
        assert data is None or path.read_bytes() == data


def test_a_damaged_answer_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "store"
    alone = told(accurate().check(store=path))
    line = Store(path)._opened()
    with line:
        line.execute("UPDATE units SET answer = zeroblob(length(answer))")
    line.close()
    with pytest.warns(StoreWarning, match="does not fit its checksum"):
        assert told(accurate().check(store=path)) == alone
    with pytest.raises(StoreError, match="does not fit its checksum"):
        accurate().check(store=Store(path, "stop"))


def test_no_room_on_the_disk(tmp_path: Path) -> None:
    """A limit on the size of files is like a full disk."""
    import resource  # noqa: PLC0415

    path = tmp_path / "store"
    Store(path).ready()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100, before[1]))
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            verdict = accurate().check(store=path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert verdict.holds
    assert [one.category for one in said] == [StoreWarning]
    assert told(accurate().check(store=path)) == told(verdict)
