"""Pictures of the distance to disagreement."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from exactdp import Accuracy, AllReals, Box, Mechanism, ValueRefusedError, alpha, eps, exp
from language.corpus import FACTORIES


def test_a_line_over_one_input() -> None:
    """The threshold is 1: dd = |q − 1|, so 5 at −4 and 3 at 4."""
    above = Mechanism.from_source("def above(q: Real): return lap(eps, q) > 1")
    claim = Accuracy(above, exp(-alpha * eps), inputs=AllReals())
    (line,) = claim.disagreement(AllReals()).plot().lines
    heights = [*np.asarray(line.get_ydata())]
    assert (heights[0], heights[-1], min(heights)) == (5, 3, pytest.approx(0, abs=0.05))
    plt.close("all")


def test_levels_over_two_inputs_and_refusals() -> None:
    bound = exp(-alpha * eps / 2)
    two = Accuracy(FACTORIES["noisy_max"](2), bound, inputs=AllReals()).disagreement(AllReals())
    assert two.plot(lower=-1, upper=1).collections
    with pytest.raises(ValueRefusedError, match="the inputs run from 1 to 0"):
        two.plot(lower=1, upper=0)
    three = Accuracy(FACTORIES["noisy_max"](3), bound, inputs=AllReals())
    with pytest.raises(ValueRefusedError, match="One real input is drawn as a line"):
        three.disagreement(AllReals()).plot()
    plt.close("all")


def test_a_line_for_each_finite_input() -> None:
    """The threshold is x in {0, 1}, and x is fixed by the ideal: at −4, dd is 4 and 5."""
    above = Mechanism.from_source("def above(x: Dom(0, 1), q: Real): return lap(eps, q) > 3 * x")
    claim = Accuracy(above, exp(-alpha * eps), inputs=AllReals())
    axes = claim.disagreement(Box(-2, 2)).plot()
    assert [line.get_label() for line in axes.lines] == ["x = 0", "x = 1"]
    for line, x in zip(axes.lines, (0, 1), strict=True):
        heights = np.asarray(line.get_ydata())
        assert np.isnan(heights[0])  # outside of the box
        assert heights[120] == float(claim.disagreement((x, 0)).distance)
    plt.close("all")
