"""Running the command line as a user does: in a process of its own, or on a terminal."""

from __future__ import annotations

import atexit
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).parent / "files"
WARM = Path(__file__).with_name("warm.py")
SCHEMA = ROOT / "docs" / "schema" / "cli-v1.json"
COMMAND = [sys.executable, "-m", "exactdp"]


class Done(NamedTuple):
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The JSON document on the standard output, which must follow the schema."""
        found = json.loads(self.out)
        validator().validate(found)
        assert found["exit_code"] == self.code
        return found


def run(
    *arguments: str,
    cwd: Path = FILES,
    closed: Sequence[int] = (),
    full: Sequence[int] = (),
    **environment: str,
) -> Done:
    """Run `exactdp ARGUMENTS` in a copy of a process that has loaded it: see `warm.py`.

    Standard streams may be closed (0, 1, 2) or full (1, 2).
    """
    request = [arguments, str(cwd), {**_environment(), **environment}, closed, full]
    return _done(*_warm_process().ask(request))


class _Warm:
    """The process of `warm.py`; it ends with this one, or when a command takes a minute."""

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair()
        self._channel.settimeout(60)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, str(WARM), str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        atexit.register(self.end)

    def ask(self, request: Any) -> tuple[int, str, str]:
        """Return the exit code of a command, and what it wrote."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                message = json.dumps(request).encode() + b"\n"
                sent = socket.send_fds(self._channel, [message], [out.fileno(), err.fileno()])
                self._channel.sendall(message[sent:])
                code = int(self._channel.recv(16))
            except (OSError, ValueError):
                self.end()
                _warm_process.cache_clear()
                raise
            written = [os.pread(one.fileno(), 1 << 24, 0).decode() for one in (out, err)]
            return code, written[0], written[1]

    def end(self) -> None:
        """Leave nothing running."""
        self._channel.close()
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(10)


_warm_process = cache(_Warm)


def run_alone(*arguments: str, cwd: Path = FILES, **environment: str) -> Done:
    """Run `exactdp ARGUMENTS` in a new process: where it matters what is loaded, and how."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        cwd=cwd,
        env={**_environment(), **environment},
        check=False,
    )
    return _done(done.returncode, done.stdout, done.stderr)


def _done(code: int, *texts: str) -> Done:
    """Return what came out; no output ever holds a traceback or a colour."""
    for text in texts:
        assert "Traceback" not in text
        assert "\x1b" not in text
    return Done(code, *texts)


@cache
def validator() -> Any:
    """Return what checks a document against the published schema."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def masked(text: str) -> str:
    """Return an output without what differs from run to run: times, shares of runs, paths."""
    text = re.sub(  # as wide as it is: the column of seconds has room for a day
        r"\b\d+\.\d\d +$",
        lambda found: "0.00".rjust(len(found[0].rstrip())),
        text,
        flags=re.MULTILINE,
    )
    text = re.sub(r"\d\.\d{5} ± (\d\.\d{5}) +[+-]\d\.\d", r"(simulated) ± \1  (apart)", text)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


class Terminal:
    """A command on a pseudo-terminal of 100 columns: what it writes is what a user sees."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.screen = ""
        self._parent, child = pty.openpty()
        self._process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=child,
            stdout=child,
            stderr=child,
            cwd=FILES,
            env={**_environment(), "TERM": "xterm-256color", "COLUMNS": "100", **environment},
            start_new_session=True,
        )
        os.close(child)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        """Leave nothing running, whatever happened."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(10)

    def wait_for(self, text: str, seconds: float = 30) -> None:
        """Read until a text is on the screen."""
        end = time.monotonic() + seconds
        while text not in self.screen:
            assert time.monotonic() < end, self.screen[-500:]
            assert self._read(0.2) or self._process.poll() is None, self.screen[-500:]

    def interrupt(self) -> tuple[int, float]:
        """Press Ctrl-C; return the exit code and the seconds until the end."""
        begin = time.monotonic()
        # What the terminal does with Ctrl-C: a signal to all processes of the foreground.
        os.killpg(self._process.pid, signal.SIGINT)
        return self.end(), time.monotonic() - begin

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def terminate(self) -> None:
        """End the command from outside."""
        self._process.terminate()

    def end(self) -> int:
        """Read until the command ends; return its exit code."""
        while self._read(30):
            pass
        os.close(self._parent)
        return self._process.wait(10)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._parent], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._parent, 65536)
        except OSError:  # the other side is closed
            return False
        self.screen += data.decode("utf-8", "replace")
        return bool(data)


def _environment() -> dict[str, str]:
    left_out = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM", "PYTEST_CURRENT_TEST"}
    return {name: value for name, value in os.environ.items() if name not in left_out}
