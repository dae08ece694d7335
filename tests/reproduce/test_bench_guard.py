"""The guard of `python -m bench --check`: which rows count, and what a slowdown is."""

from __future__ import annotations

from pathlib import Path

from bench.table import COMMITTED, Row, better, load, save, slower


def test_only_ratios_of_one_run_are_compared() -> None:
    assert Row("a / b", 1, 2).is_portable
    assert not Row("seconds for a", 1, 2).is_portable
    assert not Row("recorded a / b", 1, 2, recorded=True).is_portable


def test_a_slowdown_is_a_factor_above_one_and_a_half() -> None:
    committed = {"a / b": 10.0, "c / d": 10.0, "seconds for e": 1.0}
    rows = [Row("a / b", 14.9, 99), Row("c / d", 6.7, 1, at_least=True), Row("seconds for e", 9, 9)]
    assert slower(rows, committed) == []
    rows = [Row("a / b", 15.1, 99), Row("c / d", 6.6, 1, at_least=True), Row("new / row", 9, 9)]
    assert [row.name for row in slower(rows, committed)] == ["a / b", "c / d"]


def test_the_better_measurement_counts() -> None:
    low, high = Row("a / b", 1, 9), Row("a / b", 2, 9)
    assert better(low, high) == better(high, low) == low
    low, high = Row("a / b", 1, 0, at_least=True), Row("a / b", 2, 0, at_least=True)
    assert better(low, high) == better(high, low) == high


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "committed.json"
    save([Row("a / b", 1.23456, 2), Row("seconds for c", 3, 4)], path)
    save([Row("seconds for c", 5, 4)], path)
    assert load(path) == {"a / b": 1.235, "seconds for c": 5.0}


def test_there_are_committed_ratios() -> None:
    assert "the 66 rows / prototype, Sparse m = 30" in load(COMMITTED)
