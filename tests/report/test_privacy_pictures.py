"""Pictures of privacy show the exact numbers."""

from __future__ import annotations

from math import exp
from typing import Any

import matplotlib as mpl
import pytest

from exactdp import Accuracy, Mechanism, Privacy, ValueRefusedError, eps

mpl.use("Agg")

RESPONSE = Mechanism.from_source("""
def response(b: Dom(0, 1)):
    return choose({b: exp(eps) / (exp(eps) + 1), 1 - b: 1 / (exp(eps) + 1)})
""")


def points(ax: Any) -> list[tuple[float, float]]:
    """Return the points of the first curve."""
    return [(float(x), float(y)) for x, y in ax.get_lines()[0].get_xydata()]


def test_error_against_loss() -> None:
    """Randomized response errs with probability 1/(1 + e^ε), and its loss is ε."""
    errors = Accuracy(RESPONSE, beta=1, inputs=[0], ideal=lambda b: b).error_probability(0)
    ax = Privacy(RESPONSE).plot(errors)
    ax = Privacy(RESPONSE).plot(errors, ax, label="again")
    assert [line.get_label() for line in ax.get_lines()] == ["response", "again"]
    for x, y in points(ax):
        assert y == pytest.approx(1 / (1 + exp(x)))


def test_the_smallest_delta() -> None:
    """(e^ε − e^{ε/2})/(1 + e^ε)."""
    ax = Privacy(RESPONSE, eps / 2).smallest_delta().plot()
    for x, y in points(ax):
        assert y == pytest.approx((exp(x) - exp(x / 2)) / (1 + exp(x)))


def test_real_outputs_have_no_such_picture() -> None:
    laplace = Mechanism.from_source("def laplace(x: Dom(0, 1)): return lap(eps, x)")
    errors = Accuracy(RESPONSE, beta=1, inputs=[0], ideal=lambda b: b).error_probability(0)
    with pytest.raises(ValueRefusedError, match="finitely many outputs"):
        Privacy(laplace).plot(errors)
