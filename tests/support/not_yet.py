"""What the new tree cannot answer yet is skipped and counted, by the family that it waits for.

`tests/not_yet.toml` lists files, which are not even loaded, and how many tests of each other file
raise `NotYet` at most: the numbers can only fall. EXACTDP_NOT_YET=try runs the listed files, too,
and says which of them wait for nothing any more.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

IS_NEW = os.environ.get("EXACTDP_CORE") == "new"
TRIES = os.environ.get("EXACTDP_NOT_YET") == "try"
ROOT = Path(__file__).parents[1]
_SAID = re.compile(r"not yet: (\w+)( \(all of the file\))?$")


def listed() -> tuple[dict[Path, str], dict[str, int]]:
    """Return the family of each file that is not loaded, and the most tests of other files."""
    data = tomllib.loads((ROOT / "not_yet.toml").read_text(encoding="utf-8"))
    files = {ROOT / name: family for family, names in data["files"].items() for name in names}
    return files, data["tests"]


FILES, MOST = listed() if IS_NEW else ({}, {})


class _Waiting(pytest.File):
    """A file that is not loaded, with one test that is skipped."""

    def collect(self) -> Iterator[pytest.Item]:
        yield _Skipped.from_parent(self, name="waits")


class _Skipped(pytest.Item):
    def runtest(self) -> None:
        pytest.skip(f"not yet: {FILES[self.path]} (all of the file)")


def pytest_pycollect_makemodule(module_path: Path, parent: Any) -> Any:
    """Leave out a file that waits for a family."""
    if module_path in FILES and not TRIES:
        return _Waiting.from_parent(parent, path=module_path)
    return None


def _is_not_yet(call: pytest.CallInfo[Any] | None, path: Path) -> bool:
    raised = call.excinfo if IS_NEW and call is not None else None
    return raised is not None and raised.typename == "NotYet" and path.is_relative_to(ROOT)


def _skipped(report: Any, call: Any, path: Path) -> None:
    report.outcome = "skipped"
    report.longrepr = (str(path), 1, str(call.excinfo.value))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a file that needs at once what is not there."""
    report = yield
    if _is_not_yet(call := getattr(report, "call", None), collector.path):
        _skipped(report, call, collector.path)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip a test that needs what is not there."""
    report = yield
    if _is_not_yet(call, item.path):
        _skipped(report, call, item.path)
    return report


def _counted(config: pytest.Config) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Return how many files, and tests of others, wait for a family; and these tests by file."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    files, tests, where = Counter[str](), Counter[str](), Counter[str]()
    for report in reporter.stats.get("skipped", []) if reporter is not None else []:
        if isinstance(report.longrepr, tuple) and (said := _SAID.search(report.longrepr[2])):
            (files if said[2] else tests)[said[1]] += 1
            where[report.nodeid.split("::")[0]] += not said[2]
    return files, tests, where


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how much waits for which family; and where more waits than is listed, or nothing."""
    files, tests, where = _counted(config)
    for family in sorted(files.keys() | tests.keys()):
        terminalreporter.write_line(
            f"not yet: {family}: {files[family]} files, {tests[family]} tests of others"
        )
    for name, most, count in _above(where):
        terminalreporter.write_line(f"tests/not_yet.toml: {count} tests of {name} wait, not {most}")
    for path in sorted(FILES if TRIES else ()):
        if (name := path.relative_to(ROOT.parent).as_posix()) not in where:
            terminalreporter.write_line(f"waits for nothing any more: {name}")


def _above(where: Counter[str]) -> list[tuple[str, int, int]]:
    limits = {f"tests/{name}": most for name, most in MOST.items()}
    counts = [(name, limits.get(name, 0), count) for name, count in sorted(where.items())]
    return [] if TRIES else [one for one in counts if one[2] > one[1]]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if more tests of a file wait than are listed."""
    if _above(_counted(session.config)[2]) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
