"""Finished units of work in one SQLite file, so that nothing is lost when a process dies.

A run is one question about one claim. Its key is a hash of the program's text, the claim, the
question and the version of exactdp, so a changed program never gets old answers. The file is in
WAL mode: several processes may use it at once, and a killed process does not corrupt it. Each
answer has a checksum; an answer with a wrong checksum is ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exactdp.errors import ExactdpError, ValueRefusedError

_FORMAT = 1
_MARK = 0x65786470  # "exdp", the application id of the file
_PATIENCE = 30.0  # seconds to wait for another process to finish writing
_TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY, title TEXT NOT NULL, question TEXT NOT NULL, version TEXT NOT NULL,
    total INTEGER NOT NULL, begun REAL NOT NULL, finished REAL
);
CREATE TABLE IF NOT EXISTS units (
    run TEXT NOT NULL, name TEXT NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
    answer BLOB NOT NULL, seal BLOB NOT NULL, seconds REAL NOT NULL, done REAL NOT NULL,
    PRIMARY KEY (run, name, start)
);
"""


class StoreError(ExactdpError):
    """A store cannot be used."""


class StoreWarning(UserWarning):
    """The work continues without its store."""


@dataclass(frozen=True, repr=False)
class StoredRun:
    """The stored work on one question."""

    title: str
    question: str
    version: str
    total: int
    """The number of inputs, pairs or parts; 0 for cells, whose number is not known."""
    done: int
    units: int
    seconds: float
    """The time that was spent on them."""
    begun: float
    last: float
    finished: float | None

    def __str__(self) -> str:
        state, units = self.state, f"{self.units:,} units"
        return f"{self.question}: {self.title}: {state}, {units}, {self.seconds:.1f} s"

    @property
    def state(self) -> str:
        """How much is done; the number of cells is known only at the end."""
        if self.finished:
            return "finished"
        return f"{self.done:,} of {self.total:,}" if self.total else f"{self.done:,} cells"

    def __repr__(self) -> str:
        return f"<StoredRun: {self}>"


class Store:
    """A file that keeps finished units of work.

    `on_error` specifies what happens if it cannot be used: "continue" without it, with one warning
    (`StoreWarning`), or "stop" with a `StoreError`.
    """

    def __init__(self, path: str | Path, on_error: str = "continue") -> None:
        if on_error not in ("continue", "stop"):
            raise ValueRefusedError(
                f"on_error is {on_error!r}", rule="on_error is 'continue' or 'stop'."
            )
        self.path, self.on_error = Path(path), on_error
        self._broken = False
        self._line: sqlite3.Connection | None = None
        self._process = 0

    def __reduce__(self) -> tuple[object, ...]:
        return Store, (str(self.path), self.on_error)

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    # Writing and reading --------------------------------------------------------------

    def ready(self) -> None:
        """Open the file, or create it."""
        with self._trying("used"):
            pass
        self.close()

    def begin(self, key: str, title: str, question: str, version: str, total: int) -> None:
        """Record that a run begins or continues."""
        with self._trying("written") as line:
            line.execute(
                "INSERT OR IGNORE INTO runs VALUES (?, ?, ?, ?, ?, ?, NULL)",
                (key, title, question, version, total, time.time()),
            )

    def finish(self, key: str) -> None:
        """Record that a run is finished."""
        with self._trying("written") as line:
            line.execute("UPDATE runs SET finished = ? WHERE key = ?", (time.time(), key))

    def put(
        self, run: str, name: str, span: tuple[int, int], answer: bytes, seconds: float
    ) -> None:
        """Store the answer of a unit."""
        with self._trying("written") as line:
            line.execute(
                "INSERT OR REPLACE INTO units VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (run, name, *span, answer, _seal(run, name, span, answer), seconds, time.time()),
            )

    def get(self, run: str, name: str, start: int) -> tuple[int, bytes] | None:
        """Return the end and the answer of the unit that starts at `start`, or None."""
        with self._trying("read") as line:
            row = line.execute(
                "SELECT stop, answer, seal FROM units WHERE run = ? AND name = ? AND start = ?",
                (run, name, start),
            ).fetchone()
            if row is None:
                return None
            stop, answer, seal = row
            if _seal(run, name, (start, stop), answer) != seal:
                raise sqlite3.DatabaseError("an answer does not fit its checksum")
            return stop, answer
        return None

    def next_start(self, run: str, name: str, after: int) -> int | None:
        """Return the start of the first stored unit after a place."""
        with self._trying("read") as line:
            row = line.execute(
                "SELECT min(start) FROM units WHERE run = ? AND name = ? AND start > ?",
                (run, name, after),
            ).fetchone()
            return None if row is None else row[0]
        return None

    def runs(self) -> list[StoredRun]:
        """Return the stored runs."""
        if not self.path.exists():
            raise StoreError(f"there is no store {self.path}", way_out="Name the file of --store.")
        strict = Store(self.path, "stop")
        with strict._trying("read") as line:
            rows = line.execute(
                "SELECT title, question, version, total, sum(stop - start), count(units.run), "
                "total(seconds), begun, max(done), finished FROM runs LEFT JOIN units "
                "ON run = key GROUP BY key ORDER BY begun, title"
            ).fetchall()
        strict.close()
        return [_stored(row) for row in rows]

    def close(self) -> None:
        """Close the file; it is reopened on the next use."""
        if self._line is not None and self._process == os.getpid():
            with contextlib.suppress(sqlite3.Error, OSError):
                self._line.close()
        self._line = None

    # What can go wrong ----------------------------------------------------------------

    @contextlib.contextmanager
    def _trying(self, done: str) -> Iterator[Any]:
        """Provide the open file; report an error once, and ignore the file afterwards."""
        line: Any = _NOTHING
        try:
            if not self._broken:
                if self._line is None or self._process != os.getpid():
                    self._line, self._process = self._opened(), os.getpid()
                line = self._line
        except (sqlite3.Error, OSError) as error:
            self._give_up(done, error)
        if line is _NOTHING:
            yield line
            return
        try:
            with line:
                yield line
        except (sqlite3.Error, OSError) as error:
            self._give_up(done, error)

    def _give_up(self, done: str, error: Exception) -> None:
        """Report an error, and stop using the file."""
        self._broken = True
        found = StoreError(
            f"the store {self.path} cannot be {done}: {error}",
            rule="A store is a file that exactdp created, on a disk with free space.",
            way_out="Name another file, or remove this one.",
        )
        if self.on_error == "stop":
            raise found from error
        warnings.warn(f"{found.message}; the work goes on without it", StoreWarning, stacklevel=4)

    def _opened(self) -> sqlite3.Connection:
        line = sqlite3.connect(self.path, timeout=_PATIENCE, check_same_thread=False)
        (mark,) = line.execute("PRAGMA application_id").fetchone()
        (tables,) = line.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and mark != _MARK:
            raise sqlite3.DatabaseError("it is a database of another program")
        line.execute("PRAGMA journal_mode = WAL")
        if not tables:
            line.execute(f"PRAGMA application_id = {_MARK}")
        line.execute("PRAGMA synchronous = NORMAL")
        with line:
            line.executescript(_TABLES)
            line.execute("INSERT OR IGNORE INTO about VALUES ('format', ?)", (str(_FORMAT),))
        found = line.execute("SELECT value FROM about WHERE name = 'format'").fetchone()
        if found != (str(_FORMAT),):
            raise sqlite3.DatabaseError(f"its format is {found and found[0]}, not {_FORMAT}")
        return line


class _Nothing:
    """An empty file, which replaces a broken store."""

    def execute(self, *_: object) -> _Nothing:
        return self

    def fetchone(self) -> None:
        return None

    def fetchall(self) -> list[Any]:
        return []


_NOTHING = _Nothing()


def _stored(row: tuple[Any, ...]) -> StoredRun:
    title, question, version, total, done, units, seconds, begun, last, finished = row
    return StoredRun(
        title, question, version, total, done or 0, units, seconds, begun, last or begun, finished
    )


def _seal(run: str, name: str, span: tuple[int, int], answer: bytes) -> bytes:
    found = hashlib.blake2b(digest_size=16)
    for part in (run, name, *map(str, span)):
        found.update(part.encode() + b"\0")
    found.update(answer)
    return found.digest()
