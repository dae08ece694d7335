"""The benchmarks: what a slowdown is, which law is fitted, and that the page shows the numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench import __main__ as command
from bench.growth_laws import fitted
from bench.pages import FOLDER, PAGE, filled
from bench.plots import PICTURES
from bench.table import Curve, Measured, Row, better, load, save, slower


def test_a_slowdown_is_a_factor_above_one_and_a_half() -> None:
    committed = {"a": 10.0, "b": 10.0}
    assert slower([Row("a", 1, "s", cost=14.9), Row("b", 1, "s", cost=2)], committed) == []
    assert slower([Row("a", 1, "s"), Row("new", 1, "s", cost=99)], committed) == []
    rows = [Row("a", 1, "s", cost=15.1), Row("b", 1, "s", cost=99)]
    assert [row.name for row in slower(rows, committed)] == ["a", "b"]


def test_the_better_measurement_counts() -> None:
    low, high = Row("a", 1, "s", cost=1), Row("a", 1, "s", cost=2)
    assert better(low, high) == better(high, low) == low


def test_a_limit_is_met_or_not() -> None:
    assert Row("a", 2, "×", 2).met
    assert not Row("a", 2.1, "×", 2).met
    assert not Row("a", 1.9, "×", 2, at_least=True).met
    assert not Row("a", float("nan"), "×", 2, at_least=True).met


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    row, curve = Row("a", 1.23456, "s", 2, cost=3), Curve("cells", "b", ((1, 0.5), (2, 1.25)))
    save(Measured({"part": [row]}, {"part": [curve]}), tmp_path / "found.json")
    found = load(tmp_path / "found.json")
    assert found.rows == {"part": [replace(row, value=1.235)]}
    assert found.curves == {"part": [curve]}
    assert found.machine["python"]


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """Return a bench of one part; what it measures can be set."""
    part = SimpleNamespace(costs=[10.0], names=["a"])

    def measurements(_: str) -> list[Row]:
        cost = part.costs.pop(0) if len(part.costs) > 1 else part.costs[0]
        return [Row(name, 1, "s", cost=cost) for name in part.names]

    committed = Measured({"part": [Row("a", 1, "s", cost=10.0)]})
    monkeypatch.setattr(command, "PARTS", ("part",))
    monkeypatch.setattr(command, "measurements", measurements)
    monkeypatch.setattr(command, "load", lambda: committed)
    monkeypatch.setattr(command, "LATEST", tmp_path / "latest.json")
    return part


@pytest.mark.parametrize(
    ("costs", "code"),
    [([10.0], 0), ([14.0], 0), ([16.0], 1), ([30.0, 11.0], 0), ([30.0, 30.0, 30.0, 1.0], 1)],
)
def test_the_check_fails_on_a_slowdown_that_stays(
    checked: SimpleNamespace, costs: list[float], code: int
) -> None:
    checked.costs = costs
    assert command.main(["--check", "part"]) == code


def test_the_check_fails_if_a_measurement_is_gone(
    checked: SimpleNamespace, capsys: pytest.CaptureFixture[str]
) -> None:
    checked.names = ["b"]
    assert command.main(["--check", "part"]) == 1
    assert "not measured any more: a" in capsys.readouterr().err


@pytest.mark.parametrize(("is_power", "rate"), [(True, 2.5), (False, 1.7)])
def test_the_true_law_is_the_nearer_one(is_power: bool, rate: float) -> None:
    points = [(x, 0.01 * (x**rate if is_power else rate**x)) for x in range(1, 9)]
    law, other = fitted(points)
    assert law.is_power is is_power
    assert law.rate == pytest.approx(rate)
    assert law.spread == pytest.approx(1)
    assert other.spread > 1.01
    assert law.at(20) == pytest.approx(0.01 * (20**rate if is_power else rate**20))


def test_the_page_shows_the_committed_numbers() -> None:
    """If not: `python -m bench --docs-only`."""
    text = PAGE.read_text(encoding="utf-8")
    assert filled(text, load()) == text
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(PICTURES)
    assert all(f"benchmarks/{plot}.svg" in text for plot in PICTURES)


def test_every_quick_part_is_guarded() -> None:
    committed = load()
    for part in command.QUICK:
        assert any(row.cost for row in committed.rows[part]), part
