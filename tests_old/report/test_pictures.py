"""Pictures show the numbers they should: read back from the axes, compared with hand formulas."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from exactdp import (
    ANY,
    Accuracy,
    AllReals,
    Box,
    ExactdpError,
    Grid,
    ValueRefusedError,
    alpha,
    eps,
    exp,
    gamma,
)
from exactdp.report.plots import PLOTS, plot_curve, save_plot
from exactdp.report.shown import choose, readings
from exactdp.report.styles import _power
from report.claims_to_show import (
    BUDGET,
    CLAIMS,
    EVERYWHERE,
    FAILS,
    HOLDS,
    RELEASE,
    SILENT,
    laplace,
    noisy_max,
    released,
    two,
)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    mpl.use("agg")
    yield
    plt.close("all")


def lines(ax: Any) -> dict[str, tuple[Any, Any]]:
    return {one.get_label().split(",")[0]: one.get_data() for one in ax.get_lines()}


def test_the_error_curve_is_exact() -> None:
    """The Laplace mechanism errs by more than 1 with probability e^{−ε}."""
    ax = RELEASE.check().plot()
    x, y = lines(ax)["exact error probability"]
    np.testing.assert_allclose(y, np.exp(-x), rtol=1e-12)
    assert ax.get_xscale() == "log"
    assert "ε" in ax.get_xlabel()


def test_the_error_curve_at_an_input() -> None:
    """Two answers that are d apart are confused with probability (1/2 + εd/8)·e^{−εd/2}."""
    claim = Accuracy(two, beta=exp(-alpha * eps / 2), inputs=[[0, 3], [0, 1]])
    for first, second in ((0, 3), (0, 1), (2, 0)):
        ax = claim.plot(u=[first, second])
        x, y = lines(ax)["exact error probability"]
        d = abs(second - first)
        np.testing.assert_allclose(y, (1 / 2 + x * d / 8) * np.exp(-x * d / 2), rtol=1e-12)
        assert f"[{first}, {second}]" in ax.get_title()


def test_the_tight_bound_touches_the_curve() -> None:
    """β/κ is above the error everywhere, and meets it where κ is decided."""
    ax = HOLDS.check().plot()
    shown = lines(ax)
    error, claimed = shown["exact error probability"][1], shown["claimed bound β"][1]
    tight = shown["tight bound β/κ"][1]
    assert (error <= tight * (1 + 1e-12)).all()
    assert (tight <= claimed * (1 + 1e-12)).all()
    assert (tight / error).min() < 1.0001
    assert claimed.max() == 1.0


def test_the_counterexample_is_marked() -> None:
    verdict = FAILS.check()
    found = verdict.counterexample
    assert found is not None
    ax = verdict.plot()
    x, y = next(v for name, v in lines(ax).items() if name.startswith("counterexample"))
    assert (x[0], y[0]) == (float(found.eps), pytest.approx(1 - float(found.actual)))


def test_curves_differ_in_colour_and_in_line_style() -> None:
    drawn = FAILS.plot().get_lines()
    assert len({one.get_color() for one in drawn}) == len(drawn)
    assert len({(one.get_linestyle(), one.get_marker()) for one in drawn}) >= 3


def test_axes_that_are_given_are_used() -> None:
    _, axes = plt.subplots(1, 2)
    curve = HOLDS.error_probability([-1, 0, 1])
    assert curve.plot(ax=axes[0]) is axes[0]
    assert HOLDS.check().plot(axes[1], u=[-1, 0, 1]) is axes[1]
    assert "[-1, 0, 1]" in axes[1].get_title()
    assert plot_curve(curve, between=(1, 2)).get_xlim() == (1, 2)


def test_kappa_over_two_coordinates() -> None:
    """Each cell is the least κ over the third coordinate; where all three are 1 nothing is said."""
    ax = HOLDS.plot("kappa")
    table: Any = ax.images[0].get_array()
    rows = HOLDS.tightest(at_each=True)
    for j, first in enumerate((-1, 0, 1)):
        for i, second in enumerate((-1, 0, 1)):
            mine = [float(r.kappa) for r in rows if list(r.input[:2]) == [first, second]]
            if mine:
                assert table[i, j] == pytest.approx(min(mine))
            else:
                assert (first, second) == (1, 1)
                assert np.ma.is_masked(table[i, j]) or np.isnan(table[i, j])
    assert [t.get_text() for t in ax.get_xticklabels()] == ["-1", "0", "1"]
    with pytest.raises(ValueRefusedError, match="coordinates"):
        HOLDS.plot("kappa", coordinates=(0, 3))
    row: Any = replace(RELEASE, inputs=[0, 1]).plot("kappa")
    assert row.images[0].get_array().shape == (1, 2)


def test_the_region_ends_where_it_should() -> None:
    """e^{−γε} ≤ 1/20 exactly from ε = ln(20)/γ on."""
    ax: Any = BUDGET.plot("region", gammas=[1, 2, "5/2"])
    ends = {}
    for one in ax.get_lines():
        x, y = one.get_data()
        ends[float(y[0])] = float(x[0])
    assert ends == {g: pytest.approx(math.log(20) / g, rel=1e-9) for g in (1.0, 2.0, 2.5)}


def test_the_region_of_all_real_inputs() -> None:
    """Proved cell by cell: e^{−γε} ≤ 1/20 holds on a cell that begins after ln(20)/γ, else not."""
    ax: Any = replace(BUDGET, inputs=AllReals()).plot("region", gammas=[1, 2])
    rows: dict[float, list[tuple[float, float]]] = {}
    for bars in ax.collections:
        for path in bars.get_paths():
            (x1, y1), (x2, y2) = path.get_extents().get_points()
            rows.setdefault((y1 + y2) / 2, []).append((x1, x2))
    assert set(rows) == {1.0, 2.0}
    for level, cells in rows.items():
        start, end = math.log(20) / level, 10
        assert min(x for x, _ in cells) >= start
        assert min(x for x, _ in cells) <= start * 10 ** (1 / 7)  # the next cell begins there
        assert max(x for _, x in cells) == pytest.approx(end)
    assert "fails at an ε of the cell" in [t.get_text() for t in ax.get_legend().get_texts()]
    narrow = replace(BUDGET, inputs=AllReals(), epsilon="[4, 4]")
    assert narrow.plot("region", gammas=[1]).get_xlim() == (2, 8)


def test_a_table_of_all_real_inputs_is_refused_with_a_way_out() -> None:
    with pytest.raises(ValueRefusedError, match="--inputs grid:-1:1"):
        EVERYWHERE.plot("kappa")


def test_nothing_of_the_style_stays() -> None:
    """Drawing changes no setting of matplotlib, and a file leaves no figure open."""
    before, figures = dict(mpl.rcParams), plt.get_fignums()
    FAILS.plot(ax=plt.subplots()[1])
    HOLDS.plot("kappa", ax=plt.subplots()[1])
    assert dict(mpl.rcParams) == before
    plt.close("all")
    assert plt.get_fignums() == figures == []


def test_simulation_agrees() -> None:
    """Of nine 95% intervals at fixed seed, at least seven contain the exact value."""
    ax: Any = RELEASE.plot("simulated", size=2000, seed=3)
    (bars,) = ax.containers
    points = bars.lines[0].get_data()
    segments = bars.lines[2][0].get_segments()
    inside = sum(
        low[1] <= math.exp(-x) <= high[1]
        for x, (low, high) in zip(points[0], segments, strict=True)
    )
    assert len(segments) == 9
    assert inside >= 7


REFUSED = {
    ("everywhere", "kappa"),
    *((name, "region") for name in ("holds", "fails", "everywhere")),  # right or wrong: no γ
    *((name, "kappa") for name in ("budget", "quotient")),  # one input
    ("says <nothing> & more", "error"),
    ("says <nothing> & more", "kappa"),
    ("says <nothing> & more", "region"),
}


@pytest.mark.parametrize("kind", PLOTS)
@pytest.mark.parametrize("name", CLAIMS)
def test_every_picture_of_every_claim(name: str, kind: str, tmp_path: Path) -> None:
    """A picture is written, or refused with a sentence."""
    path = tmp_path / "picture.svg"
    if (name, kind) in REFUSED:
        with pytest.raises(ExactdpError):
            save_plot(CLAIMS[name], path, kind)
        return
    save_plot(CLAIMS[name], path, kind)
    words = "".join(ElementTree.parse(path).getroot().itertext())
    assert "privacy budget" in words or "κ" in words


def test_files(tmp_path: Path) -> None:
    save_plot(RELEASE, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueRefusedError, match="not a picture"):
        save_plot(RELEASE, tmp_path / "a.txt")
    with pytest.raises(ValueRefusedError, match="no picture 'pie'"):
        save_plot(RELEASE, tmp_path / "a.svg", "pie")
    assert [one.name for one in tmp_path.iterdir()] == ["a.png"]


#: Claims whose input or γ must be chosen by us.
CHOSEN = [
    (released(laplace, exp(-gamma * eps), ANY, 0), "gamma"),
    (replace(released(laplace, exp(-gamma * eps), ANY, 0), inputs=None), "gamma"),
    (Accuracy(two, beta=exp(-alpha * eps / 2), inputs=Box([0, -2], [3, -1])), ""),
    (Accuracy(two, beta="1/10", inputs=[[3, 1]], epsilon="[2, 2]"), ""),
    (Accuracy(noisy_max, beta=lambda _: 3 * exp(-alpha * eps / 2), inputs=Grid(0, 1)), ""),
    (EVERYWHERE, ""),
    (SILENT, ""),
]


@pytest.mark.parametrize(("claim", "which"), CHOSEN)
def test_an_input_is_chosen(claim: Accuracy, which: str) -> None:
    try:
        verdict = claim.check()
    except ValueRefusedError:  # gamma=ANY at a list of inputs
        assert which == "gamma"
        return
    shown = choose(claim, verdict)
    claim.mechanism.read_input(shown.curve.input)
    if isinstance(claim.inputs, Box):
        ends = claim.inputs.ends(2)
        entries = shown.curve.input
        assert isinstance(entries, list | tuple)
        assert all(a <= x <= b for x, (a, b) in zip(entries, ends, strict=True))
    assert not which or shown.curve.gamma == Fraction(1)
    values = readings(shown)
    assert values == sorted(set(values))
    assert all(one in claim.epsilon for one in values)
    assert verdict.counterexample is None or verdict.counterexample.eps in values


def test_pictures_that_would_say_nothing_are_refused() -> None:
    claim = Accuracy(two, beta=exp(-alpha * eps), inputs=[[0, 1]])
    with pytest.raises(ExactdpError, match="right or wrong"):
        claim.plot("region")
    with pytest.raises(ExactdpError, match="κ at one input is one number"):
        claim.plot("kappa")


def test_one_style_of_ticks() -> None:
    """Decimals on a short axis, powers of ten on a long one, never both."""
    assert [_power(10.0**k, 0.05, 20) for k in (-1, 0, 1)] == ["0.1", "1", "10"]
    assert [_power(10.0**k, 1e-7, 2) for k in (-6, -1, 0)] == ["10⁻⁶", "10⁻¹", "10⁰"]
