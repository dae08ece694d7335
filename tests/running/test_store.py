"""A store: nothing is lost when a process is killed, and a broken one gives no wrong answer."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from exactdp.running.store import Store, StoreError, StoreWarning

from .test_units import accurate, told

KILLS = int(os.environ.get("EXACTDP_KILLS", "2"))

PROGRAM = """
import json, sys
sys.path[:0] = {path!r}
from exactdp.running import pace
pace.FIRST = pace.WORTH = pace.SHORTEST = 0
pace.UNIT = pace.LONGEST = 0.004
from running.test_units import accurate
print("ready", flush=True)
verdict = accurate().check(jobs=2, store={store!r})
print(json.dumps([str(verdict), verdict.certificate]), flush=True)
"""


def test_kill_at_any_moment(tmp_path: Path) -> None:
    """`EXACTDP_KILLS=100` kills a hundred times; the last run is left alone."""
    path = tmp_path / "store"
    tests = str(Path(__file__).parents[1])
    program = PROGRAM.format(path=[tests, str(Path(tests).parent)], store=str(path))
    alone = accurate().check()
    source = random.Random(7)
    for kill in range(KILLS + 1):
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        if kill < KILLS:
            time.sleep(source.random() * 0.3)
            process.send_signal(signal.SIGKILL)
        rest = process.stdout.read() if kill == KILLS else ""
        process.stdout.close()
        process.wait()
        if path.exists() and kill % 10 == 0:
            Store(path, "stop").runs()
    assert rest == json.dumps([str(alone), alone.certificate]) + "\n"


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
