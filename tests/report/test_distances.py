"""Pictures of the distance to disagreement."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from exactdp import Accuracy, AllReals, Mechanism, ValueRefusedError, alpha, eps, exp
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
