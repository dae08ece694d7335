"""Questions asked one by one, each in a process of its own, with limits of time and memory.

A server (this module as a program) loads exactdp once and forks a child for each question: no
question sees what another one cached, and a child that is stopped stops nothing else. Without
`fork`, each question has a new process.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from bench.questions import Question, judge, judge_error
from bench.told import tell

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "bench.questions.asking")
FORKS = hasattr(os, "fork")
_MEMORY = 4 * 2**30  # bytes of one question, so that none takes the machine down
_PATIENCE = 20  # wall seconds for each processor second: other work runs on the machine, too


class Result(NamedTuple):
    """What a question had as its result (see README.md), and the processor seconds it took."""

    text: str
    seconds: float

    @property
    def kind(self) -> str:
        """The result in a word."""
        return self.text.split(":")[0]


class Asker:
    """Asks questions of one of the trees, `core`, in processes that it starts and ends."""

    def __init__(self, core: str = "old", slower: float = 1) -> None:
        """Multiply all limits by `slower`, for slow machines."""
        paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
        self._environment = os.environ | {
            "EXACTDP_CORE": core,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }
        self._slower = slower
        self._server: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        """Start the server, if there is one."""
        if FORKS:
            self._server = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                env=self._environment,
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the server, which ends when its input does."""
        if self._server is not None:
            self._server.communicate()

    def ask(self, question: Question) -> Result:
        """Return the result of a question."""
        seconds = question.seconds * self._slower
        sent = [question.program, question.ask, question.answer, seconds]
        line = json.dumps(sent) + "\n"
        if self._server is None:
            return self._alone(line, seconds)
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.write(line)
        self._server.stdin.flush()
        return Result(*json.loads(self._server.stdout.readline()))

    def _alone(self, line: str, seconds: float) -> Result:
        try:
            done = subprocess.run(
                COMMAND,
                input=line,
                capture_output=True,
                encoding="utf-8",
                env=self._environment,
                timeout=10 + 2 * seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Result("slow", seconds)
        found = Result(*json.loads(done.stdout))
        return found if found.seconds <= seconds else Result("slow", found.seconds)


def serve() -> None:
    """Answer questions, a line each, until the input ends."""
    _warm()
    for line in sys.stdin:
        *asked, seconds = json.loads(line)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            os.chdir(folder)
            found = _forked(asked, seconds) if FORKS else _here(asked)
            os.chdir(ROOT)
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


def _warm() -> None:
    exactdp = import_module("exactdp")
    for name in exactdp.__all__:
        with suppress(Exception):  # what is not there yet is told by the question that needs it
            getattr(exactdp, name)
    with suppress(Exception):
        import_module("exactdp.certify")


def _forked(asked: list[Any], seconds: float) -> Result:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.setsid()
        signal.setitimer(signal.ITIMER_PROF, seconds)  # its signal kills, also inside flint
        _limit_memory()
        os.write(writing, _here(asked).text[:4000].encode())
        os._exit(0)
    os.close(writing)
    ready, _, _ = select.select([reading], [], [], 10 + _PATIENCE * seconds)
    text = os.read(reading, 1 << 16).decode() if ready else ""
    os.close(reading)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what it started, too
    _, status, used = os.wait4(child, 0)
    spent = used.ru_utime + used.ru_stime
    if text:
        return Result(text, spent)
    killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if killed in (signal.SIGPROF, 0) or not ready:
        return Result("slow" if killed or not ready else "error: the process ended", spent)
    return Result(f"error: signal {killed}", spent)


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on every system

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _here(asked: list[Any]) -> Result:
    """Ask in this process and folder, with the program as its module `question`."""
    program, ask, answer = asked
    start = time.process_time()
    Path("question.py").write_text(program, encoding="utf-8")
    sys.path.insert(0, str(Path.cwd()))
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        text = _judged(ask, answer)
    return Result(text, time.process_time() - start)


def _judged(ask: str, answer: dict[str, Any]) -> str:
    try:
        names = vars(import_module("question"))
        names |= {"command": command, "accepts": accepts, "printed": printed}
        value = eval(ask, names)
        return f"told: {json.dumps(tell(value))}" if "told" in answer else judge(answer, value)
    except BaseException as error:  # also SystemExit and RecursionError
        return judge_error(answer, error)


def accepts(certificate: dict[str, Any]) -> bool:
    """Return whether the checker of this column accepts a certificate."""
    from exactdp import certify  # noqa: PLC0415 - the column is chosen when it is asked

    if not hasattr(certify, "accepted"):
        return bool(certify.check(certificate))
    try:
        return bool(certify.accepted(certificate))
    except Exception as error:
        if type(error).__name__ != "Rejected":
            raise
        return False


def printed(certificate: dict[str, Any]) -> str:
    """Return the statement that the checker of this column prints."""
    from exactdp import certify  # noqa: PLC0415

    if hasattr(certify, "accepted"):
        return str(certify.accepted(certificate).text)
    return str(certify.check(certificate).claim)


def command(*arguments: str) -> list[Any]:
    """Run the command line; return its exit code and what it writes, for questions about it."""
    done = subprocess.run(
        [sys.executable, "-m", "exactdp", *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if unwritten := re.search(r"^\S*NotYet: not yet: (\w+)", done.stderr, re.MULTILINE):
        raise NotYet(unwritten[1])
    return [done.returncode, done.stdout + done.stderr]


class NotYet(Exception):  # noqa: N818
    """What a command of the new tree raised: it is judged by this name."""

    def __init__(self, family: str) -> None:
        super().__init__(family)
        self.family = family


if __name__ == "__main__":
    serve()
