"""Memo, processes, what is said meanwhile, and Ctrl-C."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from exactdp_next import run
from exactdp_next.errors import ExactdpError, ParseError, ValueRefusedError
from exactdp_next.ring.text import parse
from exactdp_next.run import current, progress, remembered, running, working


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    current().forget()


def told(*_given: object) -> None:
    """Hear nothing: a run with this is a new one."""


# Memo


def counting(most: int = 100) -> tuple[Callable[..., object], list[object]]:
    calls: list[object] = []

    @remembered(most=most)
    def called(*args: object, **kwargs: object) -> object:
        calls.append((args, kwargs))
        return len(calls)

    return called, calls


def test_it_is_computed_once_for_equal_arguments() -> None:
    called, calls = counting()
    assert [called(1, (2, "x")), called(1, (2, "x")), called(1, x=2), called(1, x=2)] == [
        1,
        1,
        2,
        2,
    ]
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (True, 1),
        ((True,), (1,)),
        (((0, True), 2), ((0, 1), 2)),
        ((1, 2), (1, Fraction(2))),
        (frozenset({True, 0}), frozenset({1, False})),
        (((frozenset({True}),),), ((frozenset({1}),),)),
        (((1,), (True,)), ((True,), (1,))),
    ],
)
def test_equal_values_of_different_types_are_two(one: object, two: object) -> None:
    assert one == two
    called, calls = counting()
    for _ in range(2):
        called(one)
        called(two)
        called(given=one)
        called(given=two)
        called(0, one)
        called(0, two)
    assert len(calls) == 6


def test_the_oldest_rows_are_dropped() -> None:
    called, calls = counting(most=3)
    for x in (1, 2, 3, 1, 4, 1, 3, 4):
        called(x)
    assert calls == [((x,), {}) for x in (1, 2, 3, 4)]
    called(2)
    assert len(calls) == 5


def test_a_run_knows_what_the_one_around_it_has_found() -> None:
    called, calls = counting()
    called(1)
    with running(hear=told):
        called(1)
        called(2)
    called(2)
    assert len(calls) == 2
    current().forget()
    called(2)
    assert len(calls) == 3


def test_an_interrupted_computation_is_not_remembered() -> None:
    calls = []

    @remembered
    def called(x: int) -> int:
        calls.append(x)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return x

    with pytest.raises(KeyboardInterrupt):
        called(5)
    assert called(5) == 5 == called(5)
    assert len(calls) == 2


# What is said meanwhile


class Terminal(io.StringIO):
    """A terminal, as far as this program can see."""

    def isatty(self) -> bool:
        """Return True."""
        return True

    def lines(self) -> list[str]:
        """Return what was seen on the line, one after the other."""
        return [line.rstrip() for line in self.getvalue().split("\r")[1:]]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()  # pytest sets sys.stderr itself when a test begins
    monkeypatch.setattr(run, "sys", SimpleNamespace(stderr=made))
    return made


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time as a list of one number, in seconds."""
    now = [1000.0]
    monkeypatch.setattr(run, "monotonic", lambda: now[0])
    return now


def test_nothing_is_said_in_the_first_two_seconds(terminal: Terminal, clock: list[float]) -> None:
    with running():
        progress(1, 10, "node")
        clock[0] += 1.9
        progress(2, 10, "node")
    assert terminal.getvalue() == ""


def test_then_it_says_what_it_does_and_erases_it(terminal: Terminal, clock: list[float]) -> None:
    with running():
        clock[0] += 2
        progress(1, 1_000, "node")
        clock[0] += 0.1  # too early for another line
        progress(2, 1_000, "node")
        clock[0] += 3
        working("sign of a formula")
    seen = terminal.lines()
    assert seen == ["node 2 of 1,000, 2 s", "sign of a formula, 5 s", "", ""]
    erased = terminal.getvalue().rpartition("5 s\r")[2]
    assert re.fullmatch(r" {22}\r", erased)


def test_a_count_without_a_total(terminal: Terminal, clock: list[float]) -> None:
    with running():
        clock[0] += 2
        progress(1_233, None, "state")
    assert terminal.lines()[0] == "state 1,234, 2 s"


TALKING = """
import sys, time
from exactdp_next.run import progress, running
with running():
    for i in range(24):
        time.sleep(0.1)
        progress(i, 24, "node")
"""


def test_a_real_terminal() -> None:
    """After two seconds there is a line, which is erased in the end; in a pipe there is none."""
    pty = pytest.importorskip("pty")
    env = {**os.environ, "PYTHONPATH": str(Path(run.__file__).parents[1])}
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", TALKING], stderr=theirs, env=env)
    os.close(theirs)
    seen = b""
    with suppress(OSError):  # Linux ends reading so
        while part := os.read(ours, 1_000):
            seen += part
    os.close(ours)
    assert process.wait() == 0
    assert re.fullmatch(rb"(\rnode \d+ of 24, [2-9] s)+\r +\r", seen)  # a slow machine says more
    piped = subprocess.run(
        [sys.executable, "-c", TALKING], capture_output=True, env=env, check=True
    )
    assert (piped.stdout, piped.stderr) == (b"", b"")


def test_a_shorter_line_covers_a_longer_one(terminal: Terminal, clock: list[float]) -> None:
    with running():
        clock[0] += 2
        working("something with a long name")
        clock[0] += 1
        working("short")
        lines = terminal.getvalue().split("\r")
        assert len(lines[1]) == len(lines[2])


def test_nothing_is_said_where_nobody_reads_it(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    closed = io.StringIO()
    closed.close()
    pipe = io.StringIO()
    for stream in (pipe, closed, None):
        monkeypatch.setattr(run, "sys", SimpleNamespace(stderr=stream))
        with running():
            clock[0] += 100
            working("node")
    assert pipe.getvalue() == ""


def test_a_terminal_that_is_closed_meanwhile(terminal: Terminal, clock: list[float]) -> None:
    with running():
        clock[0] += 2
        terminal.close()
        working("node")


def test_between_calls_nothing_is_said(terminal: Terminal, clock: list[float]) -> None:
    clock[0] += 100
    working("node")
    assert terminal.getvalue() == ""


def test_a_call_in_a_call_goes_on_with_its_clock(terminal: Terminal, clock: list[float]) -> None:
    with running() as outer:
        clock[0] += 1
        with running() as inner:
            assert inner is outer
            clock[0] += 1
            working("node")
        assert "node, 2 s" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")


def test_parts_contain_what_is_said_inside_them(clock: list[float]) -> None:
    heard = []

    def work(_item: int) -> None:
        clock[0] += 1
        progress(4, 9, "node")

    with running(hear=lambda *given: heard.append(given)) as one:
        clock[0] += 1
        for _ in one.map(work, [10, 20], "input"):
            clock[0] += 1
    assert heard == [
        (0, 2, "input"),
        (4, 9, "input 1 of 2, node"),
        (1, 2, "input"),
        (4, 9, "input 2 of 2, node"),
    ]


def test_it_is_erased_after_an_error(terminal: Terminal, clock: list[float]) -> None:
    def interrupted_call() -> None:
        with running():
            clock[0] += 2
            working("node")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted_call()
    assert terminal.getvalue().endswith(f"\r{' ' * len('node, 2 s')}\r")
    assert not current().is_going


def test_progress_costs_less_than_a_microsecond() -> None:
    """The best of several tries, with room for a machine that is busy: it is a sixth of that."""
    best = inf = float("inf")
    for _ in range(20):
        before = time.perf_counter()
        for i in range(1_000):
            progress(i, 1_000, "node")
        best = min(best, time.perf_counter() - before)
    assert best < 1e-3 < inf


# Processes


def square(x: int) -> tuple[int, int]:
    """Return x² and who computed it."""
    return x * x, os.getpid()


def refused(text: str) -> object:
    return parse(text)


def slow(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def killed(_item: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def nested(x: int) -> list[int]:
    with running():
        return [y for y, pid in current().map(square, [x, x]) if pid == os.getpid()]


def test_processes_give_the_same_in_the_same_order() -> None:
    with running(jobs=2) as one:
        found = list(one.map(square, range(50)))
    assert [y for y, _ in found] == [x * x for x in range(50)]
    assert os.getpid() not in {pid for _, pid in found}
    with running() as one:
        assert {pid for _, pid in one.map(square, range(50))} == {os.getpid()}
    with running(jobs=2) as one:  # no process for one item
        assert list(one.map(square, [3])) == [(9, os.getpid())]


def test_a_process_does_its_own_parts_in_place() -> None:
    with running(jobs=2) as one:
        assert list(one.map(nested, [2, 3])) == [[4, 4], [9, 9]]


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_executor_of_the_user_is_used_and_left_alone(kind: Any) -> None:
    with kind(2) as executor:
        with running(executor=executor) as one:
            assert [y for y, _ in one.map(square, range(9))] == [x * x for x in range(9)]
            first = next(one.map(slow, [0, 0.2, 0.2, 0.2]))
        assert first == 0
        assert executor.submit(square, 3).result()[0] == 9


def test_an_error_in_a_process_is_the_same_error() -> None:
    with running(jobs=2) as one, pytest.raises(ParseError, match="the name x is not known") as at:
        list(one.map(refused, ["eps", "1 + x"]))
    assert at.value.column == 5


def test_a_process_that_is_killed_is_told() -> None:
    with running(jobs=2) as one:
        with pytest.raises(ExactdpError, match="has ended") as caught:
            list(one.map(killed, [1, 2, 3]))
        assert caught.value.code == "worker-ended"
        assert [y for y, _ in one.map(square, [1, 2])] == [1, 4]


def test_a_process_that_is_killed_between_questions_is_told() -> None:
    with running(jobs=2) as one:
        pids = {pid for _, pid in one.map(square, range(20))}
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.3)
        with pytest.raises(ExactdpError, match="has ended"):
            list(one.map(square, [1, 2]))
        assert [y for y, _ in one.map(square, [1, 2])] == [1, 4]


def test_what_nobody_waits_for_is_ended() -> None:
    before = time.monotonic()
    with running(jobs=2) as one:
        for found in one.map(slow, [0, 60, 60, 60]):
            assert found == 0
            break
    assert time.monotonic() - before < 20


class NoThreads(Executor):
    """An executor of an interpreter without threads or processes: it fails at the second item."""

    def __init__(self, error: Exception) -> None:
        self.error, self.count = error, 0

    def submit(self, *_args: Any, **_kwargs: Any) -> Future[Any]:
        """Fail as Python does."""
        self.count += 1
        if self.count == 2:
            raise self.error
        return Future()


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("can't start new thread"),
        OSError(52, "Function not implemented"),
        NotImplementedError(),
        ModuleNotFoundError("_multiprocessing"),
    ],
)
def test_where_none_can_be_started_work_is_done_in_place(error: Exception) -> None:
    with running(executor=NoThreads(error)) as one:
        assert list(one.map(square, [1, 2, 3])) == [(x * x, os.getpid()) for x in (1, 2, 3)]


def test_an_executor_that_is_shut_down_is_a_mistake() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with running(executor=executor) as one, pytest.raises(RuntimeError, match="after shutdown"):
        list(one.map(square, [1, 2, 3]))


@pytest.mark.parametrize("jobs", [-1, True, 2.0, "2", None])
def test_wrong_jobs(jobs: Any) -> None:
    with pytest.raises(ValueRefusedError, match="jobs is"), running(jobs=jobs):
        pass


def test_a_wrong_executor() -> None:
    with pytest.raises(ValueRefusedError, match="has no submit"), running(executor=3):  # type: ignore[arg-type]
        pass


# Ctrl-C

SCRIPT = """
import os, sys, time
from exactdp_next.run import current, ended_by_interrupt, running

def wait(item):
    time.sleep(item)
    return item

def ask(jobs):
    with running(jobs=jobs) as one:
        print("begun", flush=True)
        for found in one.map(wait, [60] * 4):
            pass

class Dropping:
    def __del__(self):
        print("begun", flush=True)
        time.sleep(60)

if sys.argv[1] == "command":
    with ended_by_interrupt():
        ask(int(sys.argv[2]))
elif sys.argv[1] == "dropped":
    with ended_by_interrupt():
        Dropping()
        while True:
            time.sleep(0.1)
else:
    try:
        ask(int(sys.argv[2]))
    except KeyboardInterrupt:
        print("passed", current().is_going, current()._pool)
"""


def is_gone(group: int) -> bool:
    """Wait some seconds for the processes of a group to end."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def interrupted(*args: str) -> tuple[int, str, str]:
    """Run the script, send Ctrl-C to it and its processes; return how it ended and what it said."""
    env = {**os.environ, "PYTHONPATH": str(Path(run.__file__).parents[1])}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert is_gone(process.pid)
    return process.returncode, out, err


SENTENCE = "Interrupted: the question has no answer yet.\n"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_a_command_with_one_sentence(jobs: str) -> None:
    assert interrupted("command", jobs) == (130, "", SENTENCE)


def test_ctrl_c_that_python_drops_is_raised_again() -> None:
    assert interrupted("dropped") == (130, "", SENTENCE)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_in_python_it_passes_through(jobs: str) -> None:
    assert interrupted("python", jobs) == (0, "passed False None\n", "")


def test_processes_end_with_a_parent_that_is_killed() -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(run.__file__).parents[1])}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "python", "2"],
        stdout=subprocess.PIPE,
        text=True,
        env=env,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.5)
    process.kill()
    process.communicate(timeout=30)
    assert is_gone(process.pid)


def test_loading_it_loads_nothing_of_processes() -> None:
    code = (
        "import sys, exactdp_next.run, exactdp_next.codec, exactdp_next.pages\n"
        "print(*{'multiprocessing', 'threading', 'signal', 'concurrent', 'logging', 'tomllib'}"
        " & {name.partition('.')[0] for name in sys.modules})"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(run.__file__).parents[1])}
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path[:0] = [{env['PYTHONPATH']!r}]\n{code}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "\n"
