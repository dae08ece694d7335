"""Running the tests that may notice a mutant.

One pytest process loads exactdp and all tests, once. For each mutant a copy of that process
(fork) puts the changed code into the functions of one module and runs some tests. What the tests
start themselves finds the mutant in a copy of the source (`PYTHONPATH`). A mutant of lines that
run on import cannot be put in afterwards: it gets a pytest process of its own.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import resource
import shutil
import signal
import subprocess
import sys
import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

from mutants.coverage import ON_IMPORT, Coverage
from mutants.operators import Mutant

FIRST = 2.0  # seconds of tests from all files, before more of each are tried
FILES_ALONE = 6  # of tests, for a mutant that needs a process of its own


def chosen(mutant: Mutant, coverage: Coverage, seconds: float) -> list[str]:
    """Return tests that run a mutant: those that were written for mutants first.

    Then the quickest of each file, those of the mutant's own package before others.
    """
    package = Path(mutant.path).parts[1]
    files = defaultdict(list)
    for test in coverage.of(mutant.path, mutant.line):
        files[test.partition("::")[0]].append(test)
    order = []
    for file, tests in files.items():
        own = Path(file).parts[1] == package
        for rank, test in enumerate(sorted(tests, key=coverage.seconds.__getitem__)):
            late = 100 if "/cli/" in file and not own else 0  # they start a process with exactdp
            place = 0 if file.endswith("test_mutants.py") else rank + late
            order.append((place, not own, coverage.seconds[test], test, file))
    rounds: list[str] = []
    for most in (FIRST, seconds):
        left = most
        current: dict[str, list[str]] = {}
        for _, _, cost, test, file in sorted(order):
            if cost <= left and test not in rounds:
                current.setdefault(file, []).append(test)
                left -= cost
        rounds += [test for tests in current.values() for test in tests]
    return rounds


def examined(
    root: Path, store: Path, mutants: list[Mutant], coverage: Coverage, options: Namespace
) -> Iterator[tuple[Mutant, str]]:
    """Return for each mutant what noticed it (a test, a limit), or nothing."""
    copies = [store / f"copy-{number}" for number in range(options.processes + 1)]
    for copy in copies:
        if not copy.exists():
            shutil.copytree(root / "src", copy)
        _restore(root, copy)
    together: list[Job] = []
    alone: list[Job] = []
    for number, one in enumerate(mutants):
        tests = chosen(one, coverage, options.seconds)
        if not tests:
            yield one, ""
            continue
        source = (root / "src" / one.path).read_bytes()
        seconds = sum(coverage.seconds[test] for test in tests)
        job = Job(number, one.path, one.applied(source).decode(), tests, seconds)
        is_loaded = coverage.blocks[one.path][one.line] == ON_IMPORT or b" @mechanism\n" in source
        (alone if is_loaded else together).append(job)
    for number, killer in _pytest(root, store, copies, together, []):
        if killer == NOT_LOADED:
            alone += [job for job in together if job.number == number]
        else:
            yield mutants[number], killer
    for job in alone:
        files = list(dict.fromkeys(test.partition("::")[0] for test in job.tests))[:FILES_ALONE]
        tests = [test for test in job.tests if test.partition("::")[0] in files]
        _write(copies[0] / job.path, job.source)
        found = _pytest(root, store, copies[:1], [job._replace(tests=tests)], files)
        yield mutants[job.number], dict(found).get(job.number, "a test that cannot be loaded")
        _restore(root, copies[0])


class Job(NamedTuple):
    """A mutant for the pytest process: a changed file, and the tests to run."""

    number: int
    path: str
    source: str
    tests: list[str]
    seconds: float


NOT_LOADED = "not loaded"


def _pytest(
    root: Path, store: Path, copies: list[Path], jobs: list[Job], files: list[str]
) -> Iterator[tuple[int, str]]:
    """Run jobs in copies of one process; the first copy of the source is the one it loads."""
    if not jobs:
        return
    queue, results = store / "jobs.json", store / "answers"
    queue.write_text(json.dumps({"jobs": jobs, "copies": list(map(str, copies))}))
    results.write_text("")
    environment = {
        **os.environ,
        "CI": "1",  # the same random examples for every mutant
        "PYTHONPATH": f"{copies[0]}:{root / 'tests'}",
        "PYTHONDONTWRITEBYTECODE": "",
        "EXACTDP_JOBS": str(queue),
        "EXACTDP_ANSWERS": str(results),
    }
    command = [sys.executable, "-m", "pytest", "-s", "-q", "-p", "no:xdist", "-p", "mutants.trial"]
    with (store / "log").open("w") as log:
        process = subprocess.Popen(
            [*command, "-p", "no:cacheprovider", *files],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        with results.open() as file:
            running = True
            while running:
                running = process.poll() is None
                for line in file:
                    number, killer = json.loads(line)
                    yield number, killer
                time.sleep(0.2)


def _write(path: Path, source: str) -> None:
    """Write a file with a time of its own, so that no compiled file of another one is taken."""
    path.write_text(source, encoding="utf-8")
    os.utime(path, ns=(time.time_ns(), 10**18 + time.time_ns() % 10**9 * 10**9))


def _restore(root: Path, copy: Path) -> None:
    """Make a copy of the source what it was."""
    for path in copy.rglob("*.py"):
        source = (root / "src" / path.relative_to(copy)).read_text(encoding="utf-8")
        if path.read_text(encoding="utf-8") != source:
            _write(path, source)


# In the pytest process --------------------------------------------------------------


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Try mutants instead of running all tests, if these can be loaded."""
    if session.testsfailed:
        return None
    wanted = json.loads(Path(os.environ["EXACTDP_JOBS"]).read_text(encoding="utf-8"))
    items = {item.nodeid: item for item in session.items}
    home = Path(wanted["copies"][0])
    alone = len(wanted["copies"]) == 1
    functions = {} if alone else _functions()
    slots = wanted["copies"] if alone else wanted["copies"][1:]
    jobs = iter([Job(*job) for job in wanted["jobs"]])
    running: dict[int, tuple[Job, str, float]] = {}
    while True:
        while len(running) < len(slots) and (job := next(jobs, None)):
            slot = next(
                one for one in slots if one not in [used for _, used, _ in running.values()]
            )
            child = os.fork()
            if not child:
                _become(job, home, Path(slot), functions, items)
            running[child] = (job, slot, time.monotonic() + 20 * job.seconds + 120)
        if not running:
            return True
        time.sleep(0.02)
        for child, (job, slot, end) in list(running.items()):
            if time.monotonic() > end:
                os.killpg(child, signal.SIGKILL)
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                del running[child]
                if not alone:
                    original = (home / job.path).read_text(encoding="utf-8")
                    _write(Path(slot, job.path), original)
                if os.WIFSIGNALED(status):
                    _answer(job.number, f"signal {os.WTERMSIG(status)}")


def _answer(number: int, killer: str) -> None:
    with open(os.environ["EXACTDP_ANSWERS"], "a", encoding="utf-8") as file:
        file.write(json.dumps([number, killer]) + "\n")


def _functions() -> dict[str, list[FunctionType]]:
    """Return all functions of exactdp by file."""
    import exactdp  # noqa: PLC0415 the copy under test, once pytest has set its path

    for module in pkgutil.walk_packages(exactdp.__path__, "exactdp."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    gc.unfreeze()
    found = defaultdict(list)
    for one in gc.get_objects():
        if isinstance(one, FunctionType):
            found[one.__code__.co_filename].append(one)
    gc.freeze()
    return found


def _become(
    job: Job,
    home: Path,
    slot: Path,
    functions: dict[str, list[FunctionType]],
    items: dict[str, pytest.Item],
) -> None:
    """Put a mutant into this process, run the tests, tell how that ended, and end."""
    os.setsid()
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    seconds = int(2 * job.seconds) + 8
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))
    try:
        if slot != home:
            os.environ["PYTHONPATH"] = os.environ["PYTHONPATH"].replace(str(home), str(slot))
            _write(slot / job.path, job.source)
            path = str(home / job.path)
            if not _patch(functions[path], path, job.source):
                _answer(job.number, NOT_LOADED)
                return
        killer = _run([items[name] for name in job.tests if name in items])
        _answer(job.number, killer)
    except BaseException as error:  # whatever it is, a test would have shown it
        _answer(job.number, repr(error))
    finally:
        os._exit(0)


def _patch(functions: list[FunctionType], path: str, source: str) -> bool:
    """Give functions the code of a changed file; tell whether that was possible."""
    old = dict[tuple[str, int], list[int]]()
    before = list(_codes(compile(Path(path).read_text(encoding="utf-8"), path, "exec")))
    after = list(_codes(compile(source, path, "exec")))
    if [one.co_qualname for one in before] != [one.co_qualname for one in after]:
        return False
    for place, code in enumerate(before):
        old.setdefault((code.co_qualname, code.co_firstlineno), []).append(place)
    changed = {k for k in range(1, len(before)) if _content(before[k]) != _content(after[k])}
    replaced = set()
    for function in functions:
        code = function.__code__
        places = old.get((code.co_qualname, code.co_firstlineno), [])
        for place in changed.intersection(places):
            if len(places) > 1 or code.co_freevars != after[place].co_freevars:
                return False
            function.__code__ = after[place]
            replaced.add(place)
    return bool(replaced)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _content(code: CodeType) -> Any:
    """Return what a piece of code does, without the lines it stands in."""
    constants = [_content(c) if isinstance(c, CodeType) else (type(c), c) for c in code.co_consts]
    return code.co_code, constants, code.co_names, code.co_varnames


def _run(items: list[pytest.Item]) -> str:
    """Run tests until one fails; return its name."""
    failed: list[str] = []
    _noted.append(failed.append)
    for item, following in zip_longest(items, items[1:]):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if failed:
            return failed[0]
    return ""


_noted: list[Callable[[str], None]] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note which test failed."""
    if report.failed:
        for note in _noted:
            note(report.nodeid)
