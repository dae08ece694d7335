"""Slices of claims: answers do not depend on who does them, on where they end, or on who dies."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from exactdp import (
    Accuracy,
    AllReals,
    ExactdpError,
    Grid,
    Mechanism,
    Privacy,
    Study,
    StudyTable,
    alpha,
    eps,
    exp,
)
from exactdp.claims.decision import slices
from exactdp.claims.decision.spreading import CellDesk, CellPart, CellUnit, Spreading
from exactdp.claims.decision.work import Frontier
from exactdp.claims.private.slopes import Slopes
from exactdp.claims.regions.places import OnCone
from exactdp.claims.stated.identity import blob_of
from exactdp.running import pace
from exactdp.running.conduct import ALONE
from exactdp.running.crew import Forked
from exactdp.running.packing import UnreadableError, pack, unpack

LARGER = """
def larger(q: Real[3]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 3):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
"""


def noisy_max() -> Mechanism:
    return Mechanism.from_source(LARGER)


def accurate(beta: Any = None, **more: Any) -> Accuracy:
    bound = 3 * exp(-alpha * eps / 2) if beta is None else beta
    return Accuracy(noisy_max(), bound, inputs=Grid(-1, 1), **more)


def private(**more: Any) -> Privacy:
    return Privacy(noisy_max(), inputs=Grid(0, 1), **more)


def everywhere(beta: Any = None, **more: Any) -> Accuracy:
    """Return a claim about all reals, on cells and, where the boundary is checked, their faces."""
    bound = 3 * exp(-alpha * eps / 2) if beta is None else beta
    return Accuracy(noisy_max(), bound, inputs=AllReals(), **more).by_cells(whole=True)


def steep() -> Privacy:
    text = "def two(q: Real[2]):\n    a = lap(eps / 2, q[0])\n    b = lap(eps / 2, q[1])\n"
    text += "    if a > b + 1:\n        return 1\n    return 2 if a > 0 else 3\n"
    return Privacy(Mechanism.from_source(text), inputs=AllReals())


def counted() -> Accuracy:
    """Return a claim about integer noise: quotients of sums."""
    text = "def more(x: Dom(0, 2)[2]): return dlap(eps, x[0]) > dlap(eps, x[1])"
    return Accuracy(Mechanism.from_source(text), 2 * exp(-alpha * eps / 2))


def small() -> Privacy:
    text = "def above(x: Dom(0, 2)): return lap(eps, x) > 1"
    return Privacy(Mechanism.from_source(text), eps / 2)


QUESTIONS: dict[str, Callable[..., Any]] = {
    "holds": lambda **how: accurate().check(**how),
    "fails": lambda **how: accurate(exp(-alpha * eps)).check(**how),
    "all": lambda **how: accurate(exp(-alpha * eps)).check(all=True, **how),
    "tightest": lambda **how: accurate().tightest(**how),
    "at each": lambda **how: accurate().tightest(at_each=True, **how),
    "epsilons": lambda **how: accurate("10%").epsilons(**how),
    "smallest": lambda **how: accurate("10%").smallest_epsilon(**how),
    "gamma": lambda **how: accurate("10%", epsilon="[1, 1]").smallest_gamma(**how),
    "private": lambda **how: private().check(**how),
    "factor": lambda **how: private().tightest(**how),
    "delta": lambda **how: small().smallest_delta(**how),
    "integers": lambda **how: counted().tightest(**how),
    "cells": lambda **how: everywhere(boundary="check").check(**how),
    "a cell fails": lambda **how: everywhere(exp(-alpha * eps)).check(**how),
    "cells, tightest": lambda **how: everywhere().tightest(**how),
    "cells, smallest": lambda **how: everywhere(alpha=1, beta="10%").smallest_epsilon(
        width="1/2", **how
    ),
    "slopes": lambda **how: steep().check(**how),
}


def told(answer: Any) -> tuple[str, str]:
    """Return an answer as text, with its certificate."""
    written = json.dumps(answer.certificate) if hasattr(answer, "certificate") else ""
    return str(answer), written


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make units of a few inputs, so that small claims have many."""
    for name, seconds in (("FIRST", 0), ("WORTH", 0), ("UNIT", 0.002), ("SHORTEST", 0)):
        monkeypatch.setattr(pace, name, seconds)
    monkeypatch.setattr(pace, "LONGEST", 0.003)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("name", QUESTIONS)
def test_answers_are_the_same(name: str) -> None:
    """One job, and two."""
    ask = QUESTIONS[name]
    assert told(ask(jobs=2)) == told(ask())


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("deaths", [1, 3])
def test_processes_die(deaths: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit is done again; one that ends three processes is told, and the rest is finished."""
    done, parent = slices.Desk.done, os.getpid()

    def dies(self: slices.Desk, unit: slices.SliceUnit, meter: Any = None) -> slices.Part:
        mark = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        if unit.start <= 20 < unit.stop and os.getpid() != parent and int(mark.name) < deaths:
            mark.touch()
            if mark.name == "1":
                raise MemoryError
            os.kill(os.getpid(), signal.SIGKILL)
        return done(self, unit, meter)

    monkeypatch.setattr(slices.Desk, "done", dies)
    verdict = accurate().check(jobs=2)
    assert verdict.inputs == 27
    if deaths == 1:
        monkeypatch.undo()
        assert told(verdict) == told(accurate().check())
        return
    assert verdict.outcome == "undecided"
    assert ": 3 processes ended" in verdict.missing
    for one in tmp_path.iterdir():
        one.unlink()
    with pytest.raises(ExactdpError, match="the best constant is not known: input"):
        accurate().tightest(jobs=2)


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("deaths", [1, 3])
def test_processes_die_on_cells(
    deaths: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same where all reals are cut into cells."""
    done, parent = CellDesk.done, os.getpid()

    def dies(self: CellDesk, unit: CellUnit) -> CellPart:
        mark = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        if os.getpid() != parent and int(mark.name) < deaths:
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return done(self, unit)

    monkeypatch.setattr(CellDesk, "done", dies)
    monkeypatch.setattr(Forked, "lane", property(lambda self: None if self._busy else 0))
    verdict = everywhere().check(jobs=2)
    if deaths == 1:
        monkeypatch.undo()
        assert told(verdict) == told(everywhere().check())
        return
    assert verdict.outcome == "undecided"
    assert "1 cone of inputs: 3 processes ended" in verdict.missing
    assert len(verdict.findings[0].cells) > 1
    for one in tmp_path.iterdir():
        one.unlink()
    with pytest.raises(ExactdpError, match="1 cone of inputs: 3 processes ended"):
        everywhere().tightest(jobs=2)


def test_a_worker_with_another_history() -> None:
    """A worker leaves out obligations it has met; the problems left get their own shapes."""
    text = "def first(q: Real[3]):\n    bar = lap(eps / 2, 0)\n    for i in range(3):\n"
    text += "        if lap(eps / 4, q[i]) >= bar: return i\n    return 3\n"
    claim = Privacy(Mechanism.from_source(text), inputs=AllReals())
    one, two = (Slopes.of(claim) for _ in range(2))
    assert one is not None
    assert two is not None
    ((region,),) = one.regions()
    found = Frontier((region.cone,))
    while len(found.waiting) < 4:
        found = one.work.next(region, found)
    worker, parent = CellDesk(two), Spreading(one, "shape", ALONE, lambda: pytest.fail("hired"))
    parts = [worker.done(CellUnit(region, (c,), (1.0,), "shape", 60.0)) for c in found.waiting]
    given = 0
    for part in reversed(parts):  # in the order in which one process finds cells
        for cell in part.cells:
            for problem in parent.step(region, cell, 0.0).problems(region):
                assert isinstance(problem.place, OnCone)
                given += "shape" in vars(problem)
                assert problem.shape == problem.place.shape(problem.gap)
    assert given > 10


class _Elsewhere(Executor):
    """An executor that does what it is given, or something else with it, at once."""

    def __init__(self, instead: Callable[[bytes], Any] | None = None) -> None:
        self._instead = instead

    def submit(self, fn: Any, /, *args: Any, **keywords: Any) -> Future[Any]:
        del keywords
        done: Future[Any] = Future()
        try:
            done.set_result((self._instead or fn)(*args))
        except OSError as error:
            done.set_exception(error)
        return done


def _away(unit: bytes) -> bytes:
    raise OSError("away" if unit else "")


@pytest.mark.usefixtures("tiny")
def test_executors() -> None:
    alone = told(accurate().check())
    assert told(everywhere().check(executor=_Elsewhere())) == told(everywhere().check())
    with ProcessPoolExecutor(1) as processes, ThreadPoolExecutor(2) as threads:
        for one in (processes, threads, _Elsewhere()):
            assert told(accurate().check(executor=one)) == alone
    with pytest.raises(ExactdpError, match=r"has stopped \(TypeError: it returned None"):
        accurate().check(executor=_Elsewhere(lambda _: None))
    assert "it failed 3 times (OSError: away)" in str(accurate().check(executor=_Elsewhere(_away)))
    processes.shutdown()
    with pytest.raises(ExactdpError, match="the executor has stopped"):
        accurate().check(executor=processes)
    with pytest.raises(ExactdpError, match="is not an executor"):
        accurate().check(executor="two")
    with pytest.raises(ExactdpError, match="jobs is -1"):
        accurate().check(jobs=-1)


def test_only_what_was_given_is_sent() -> None:
    claim = accurate()
    before = len(blob_of(claim))
    claim.check()
    assert len(blob_of(claim)) == before < 10_000


@pytest.mark.usefixtures("tiny")
def test_functions_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lambda works with jobs; an executor gets it by cloudpickle, or the claim is refused."""
    claim = accurate(lambda u: 3 * exp(-alpha * eps / 2) + 0 * u[0])
    assert claim.check(jobs=2).holds
    assert claim.check(executor=_Elsewhere()).holds
    monkeypatch.setitem(__import__("sys").modules, "cloudpickle", None)
    with pytest.raises(ExactdpError, match="the claim cannot be sent"):
        claim.check(executor=_Elsewhere())


def test_reading_runs_nothing() -> None:
    class Bad:
        def __reduce__(self) -> tuple[object, ...]:
            return os.system, ("true",)

    for data in (pack(Bad()), b"", b"nonsense", pack((1, 2))[:-3]):
        with pytest.raises(UnreadableError):
            unpack(data)


def test_a_study(tmp_path: Path) -> None:
    """Rows in, answers out: the same with two jobs."""

    def claim(m: int, percent: int) -> Accuracy | None:
        if m == 3 and percent == 9:
            return None
        return Accuracy(noisy_max(), f"{percent}%", inputs=[[0, 0, m]], alpha=0)

    study = Study(claim, m=[2, 3], percent=[5, 9])
    table = study.run("smallest_epsilon", jobs=2)
    assert [(row["m"], row["percent"]) for row in table] == [(2, 5), (2, 9), (3, 5)]
    for row in table:
        alone = claim(row["m"], row["percent"])
        assert alone is not None
        assert row["upper"] == str(alone.smallest_epsilon().upper)
    assert [row["outcome"] for row in study.run()] == ["fails"] * 3
    table.to_csv(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text().startswith("m,percent,epsilon,lower,upper,")
    axes = table.plot("m", "epsilon", by="percent")
    assert [line.get_label() for line in axes.get_lines()] == ["percent = 5", "percent = 9"]
    with pytest.raises(ExactdpError, match="ask is 'why'"):
        study.run("why")
    with pytest.raises(ExactdpError, match="is not a claim"):
        Study([1])
    for jobs in (1, 2):
        rows = Study([small(), small()]).run("smallest_epsilon", jobs=jobs)
        assert [row["error"] for row in rows] == ["Privacy has no answer to 'smallest_epsilon'"] * 2


def test_tables_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data frame, and Parquet, where exact parameters are text; without the extra a way out."""
    table = StudyTable(
        ({"q": Fraction(1, 2), "m": 1, "kappa": 2.0}, {"q": 1, "m": 2, "error": "?"})
    )
    assert table.to_pandas()["q"][0] == Fraction(1, 2)
    table.to_parquet(tmp_path / "t.parquet")
    found = import_module("pandas").read_parquet(tmp_path / "t.parquet")
    assert list(found["q"]) == ["1/2", "1"]
    assert list(found["m"]) == [1, 2]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExactdpError, match=r"pip install 'exactdp\[table\]'"):
        table.to_parquet(tmp_path / "t.parquet")
