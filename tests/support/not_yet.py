"""What the new tree cannot answer yet is skipped and counted, by the family that it waits for.

`tests/not_yet.toml` lists files, which are not even loaded, and how many single tests raise
`NotYet` at most: the numbers can only fall. EXACTDP_NOT_YET=try runs the listed files, too, and
says which of them wait for nothing any more.
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
    """Return the family of each listed file, and the most single tests of each family."""
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


def _counted(reports: list[Any]) -> tuple[Counter[str], Counter[str], set[str]]:
    """Return how many files and how many tests wait for a family, and the files of these tests."""
    files, tests, where = Counter[str](), Counter[str](), set()
    for report in reports:
        if isinstance(report.longrepr, tuple) and (said := _SAID.search(report.longrepr[2])):
            (files if said[2] else tests)[said[1]] += 1
            where.add(report.nodeid.split("::")[0])
    return files, tests, where


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how much waits for which family, and which listed files wait for nothing any more."""
    files, tests, where = _counted(terminalreporter.stats.get("skipped", []))
    for family in sorted(files.keys() | tests.keys()):
        terminalreporter.write_line(
            f"not yet: {family}: {files[family]} files, {tests[family]} tests elsewhere"
        )
    for path in sorted(FILES if TRIES else ()):
        if (name := path.relative_to(ROOT.parent).as_posix()) not in where:
            terminalreporter.write_line(f"waits for nothing any more: {name}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail if more single tests wait for a family than are listed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not IS_NEW or TRIES:
        return
    _, tests, _ = _counted(reporter.stats.get("skipped", []))
    for family, count in sorted(tests.items()):
        if count > MOST.get(family, 0):
            reporter.write_line(
                f"\ntests/not_yet.toml: {count} tests wait for {family}, not {MOST.get(family, 0)}"
            )
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
