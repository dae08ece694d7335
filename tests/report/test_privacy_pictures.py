"""Pictures of privacy show the exact numbers."""

from __future__ import annotations

from math import exp
from typing import Any

import matplotlib as mpl
import pytest

from exactdp import Accuracy, Mechanism, Privacy, ValueRefusedError, eps
from exactdp.report.page import page

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
    errors = Accuracy(RESPONSE, beta=0.5, inputs=[0], ideal=lambda b: b).error_probability(0)
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
    errors = Accuracy(RESPONSE, beta=0.5, inputs=[0], ideal=lambda b: b).error_probability(0)
    with pytest.raises(ValueRefusedError, match="finitely many outputs"):
        Privacy(laplace).plot(errors)


def test_the_page_has_both_kinds() -> None:
    """A comparison with noise of rate ε/2 is ε/2-private: its noise could be halved."""
    above = Mechanism.from_source("def above(q: Real): return lap(eps / 2, q) > 0")
    claims: dict[str, Accuracy | Privacy] = {
        "accurate": Accuracy(above, beta=1 / 2, inputs=[1]),
        "private": Privacy(above, inputs=[0, 1]),
        "too private": Privacy(above, eps / 4, inputs=[0, 1]),
        "with delta": Privacy(RESPONSE, eps / 2, 1),
    }
    text = page(claims, "")
    assert "How private it is" in text
    assert "Run with 2·ε for ε it is still ε-private" in text
    assert "has the probabilities" in text
    assert "The smallest δ" in text
