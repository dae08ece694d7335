"""Pictures that no other test noticed when they were changed: see `mutants`."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation
from scipy.stats import binomtest

from exactdp import Accuracy, AllReals, alpha, eps, exp
from exactdp.report.chains import draw_chain
from exactdp.report.notebook import progress_bar
from exactdp.report.plots import simulated
from report.claims_to_show import BUDGET, RELEASE, two


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    mpl.use("agg")
    yield
    plt.close("all")


@pytest.mark.parametrize("upper", ["1/1000", "1/10", "5"])
def test_the_axis_ends_where_the_claim_ends(upper: str) -> None:
    claim = Accuracy(two, exp(-alpha * eps / 2), inputs=[[0, 1]], epsilon=f"(0, {upper}]")
    low, high = claim.plot().get_xlim()
    assert high == pytest.approx(float(Fraction(upper)))
    assert 0 < low <= high / 10


def test_the_error_is_called_what_it_is() -> None:
    wrong = Accuracy(two, exp(-alpha * eps / 2), inputs=[[0, 1]]).plot()
    assert wrong.get_ylabel() == "Pr(wrong output)"
    assert RELEASE.plot().get_ylabel() == "Pr(error above γ = 1)"


@pytest.mark.parametrize("size", [7, 20, 300])
def test_the_reach_of_a_simulation(size: int) -> None:
    """The interval is Wilson's, as SciPy computes it, and the share that of the runs."""
    curve = BUDGET.error_probability(0)
    share, low, high = simulated(BUDGET, curve, Fraction(1, 2), size, 5)
    runs = BUDGET.mechanism.sample(0, Fraction(1, 2), size, 5)
    wrong = sum(abs(output) > 1 for output in runs)
    assert share == wrong / size
    expected = binomtest(wrong, size).proportion_ci(0.95, "wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-4)


def test_a_simulation_tells_its_progress() -> None:
    told: list[tuple[int, int]] = []
    BUDGET.plot("simulated", size=50, progress=lambda done, total: told.append((done, total)))
    done, total = told[-1]
    assert done == total > 1


def test_arrows_begin_and_end_at_the_boxes_of_a_chain() -> None:
    ax = draw_chain(two.chain([0, 1]))
    boxes = [one for one in ax.patches if isinstance(one, Rectangle)]
    ends = [(*one.xy, *one.xyann) for one in ax.texts if isinstance(one, Annotation)]
    assert len(ends) >= 4
    for x2, y2, x1, y1 in ends:
        for x, y in ((x1, y1), (x2, y2)):
            assert any(
                box.get_x() <= x <= box.get_x() + box.get_width()
                and box.get_y() <= y <= box.get_y() + box.get_height()
                for box in boxes
            )


def test_the_region_of_a_claim_that_fails_in_the_middle() -> None:
    """e^{−ε} ≤ e^{−2ε} + 1/5 unless t = e^{−ε} has t·(1 − t) > 1/5, that is |t − 1/2| < √(1/20).

    So it fails between −ln(1/2 + √(1/20)) = 0.3233… and −ln(1/2 − √(1/20)) = 1.2861….
    """
    claim = replace(BUDGET, beta=exp(-2 * eps) + Fraction(1, 5), inputs=AllReals())
    ax: Any = claim.plot("region", gammas=[1])
    begin, end = (-math.log(1 / 2 + sign * math.sqrt(1 / 20)) for sign in (1, -1))
    cells = []
    for bars in ax.collections:
        for path in bars.get_paths():
            (x1, _), (x2, _) = path.get_extents().get_points()
            assert x2 <= begin or x1 >= end
            cells.append((x1, x2))
    assert max(x for _, x in cells if x <= begin) > begin / 10 ** (1 / 7)
    assert min(x for x, _ in cells if x >= end) < end * 10 ** (1 / 7)


def test_progress_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen, out = Terminal(), io.StringIO()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr("sys.stdout", out)
    show = progress_bar("inputs")
    show(1, 3)
    show(3, 3)
    assert screen.getvalue() == "\r1 of 3 inputs\r3 of 3 inputs\n"
    assert out.getvalue() == ""
