"""Pictures of privacy show the exact numbers."""

from __future__ import annotations

from itertools import permutations, product
from math import exp, log
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from exactdp import (
    Accuracy,
    AllReals,
    Grid,
    Mechanism,
    Privacy,
    ValueRefusedError,
    alpha,
    eps,
    plot_tradeoff,
)
from exactdp import exp as e_to
from exactdp.report.page import page
from exactdp.report.private import how_private

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


SCORES = {
    "noisy_max": "lap(eps / 2, x)",
    "flip": "expo(eps / 2, x)",
}


def of_exponential(q: tuple[int, ...], e: float) -> list[float]:
    """Return the probabilities of the exponential mechanism."""
    weights = [exp(e * x / 2) for x in q]
    return [one / sum(weights) for one in weights]


def of_flips(q: tuple[int, ...], e: float) -> list[float]:
    """Return those of permute-and-flip by its definition (McKenna and Sheldon 2020).

    Candidates come in a random order; one is taken with probability e^{ε(q − max q)/2}.
    """
    found = [0.0] * len(q)
    orders = list(permutations(range(len(q))))
    for order in orders:
        left = 1.0
        for k in order:
            taken = exp(e * (q[k] - max(q)) / 2)
            found[k] += left * taken / len(orders)
            left *= 1 - taken
    return found


def test_three_mechanisms_in_one_picture() -> None:
    """The curves against a search over all pairs with probabilities from the definitions."""
    first, second = (
        Mechanism.from_source(
            f"def {name}(q: Real[3]):\n    noisy = [{sample} for x in q]\n"
            "    return noisy.index(max(noisy))"
        )
        for name, sample in SCORES.items()
    )
    third = Mechanism.from_source(
        "def exponential(q: Dom(-1, 1)[3]): return expmech(eps / 2, lambda k: q[k], range(3))"
    )
    claims = Privacy(first, inputs=Grid(-1, 1)), Privacy(second, inputs=Grid(-1, 1)), Privacy(third)
    ax = plot_tradeoff(*claims, at=[1, 0, 0], labels=["NoisyMax", "flip", "exponential"], largest=4)
    lines = {str(line.get_label()): np.asarray(line.get_xydata()) for line in ax.get_lines()}
    assert list(lines) == ["NoisyMax", "flip", "exponential"]
    assert len({line.get_linestyle() for line in ax.get_lines()}) == 3
    for name, chances in (("flip", of_flips), ("exponential", of_exponential)):
        for number in (49, 199):
            e = 4 * (number + 1) / 200
            loss, error = map(float, lines[name][number])
            assert error == pytest.approx(1 - chances((1, 0, 0), e)[0])
            known = {q: chances(q, e) for q in product((-1, 0, 1), repeat=3)}
            assert loss == pytest.approx(
                max(
                    log(a / b)
                    for u, v in product(known, repeat=2)
                    if max(abs(x - y) for x, y in zip(u, v, strict=True)) <= 1
                    for a, b in zip(known[u], known[v], strict=True)
                )
            )
    # At equal privacy permute-and-flip errs least: its curve is below the others.
    for name in ("NoisyMax", "exponential"):
        for loss, error in lines[name][20::40]:
            assert float(np.interp(loss, *lines["flip"].T)) < error


def test_whole_outputs_without_bound_have_such_a_picture() -> None:
    """Geometric noise of rate ε loses ε, and errs with probability 2s/(1 + s), s = e^{−ε}."""
    geometric = Mechanism.from_source("def geometric(x: Dom(0, 3)): return dlap(eps, x)")
    for x, y in points(plot_tradeoff(Privacy(geometric), at=1)):
        assert y == pytest.approx(2 * exp(-x) / (1 + exp(-x)))


def test_pictures_that_are_refused() -> None:
    private = Privacy(RESPONSE)
    with pytest.raises(ValueRefusedError, match="not a privacy claim"):
        plot_tradeoff(RESPONSE, at=0)  # type: ignore[arg-type]
    with pytest.raises(ValueRefusedError, match="1 claims and 2 labels"):
        plot_tradeoff(private, at=0, labels=["a", "b"])
    plain = Mechanism.from_source("def plain(b: Dom(0, 1)): return b")
    with pytest.raises(ValueRefusedError, match="no finite privacy loss"):
        plot_tradeoff(Privacy(plain), at=0)


def test_real_outputs_have_no_such_picture() -> None:
    laplace = Mechanism.from_source("def laplace(x: Dom(0, 1)): return lap(eps, x)")
    errors = Accuracy(RESPONSE, beta=0.5, inputs=[0], ideal=lambda b: b).error_probability(0)
    with pytest.raises(ValueRefusedError, match="real noise"):
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


def test_what_saved_noise_does_to_a_bound_for_all_reals() -> None:
    """A comparison with noise of rate ε/2 is ε/2-private: its bound is that of 2ε."""
    above = Mechanism.from_source("def above(q: Real): return lap(eps / 2, q) > 0")
    accurate = Accuracy(above, beta=e_to(-alpha * eps / 2), inputs=AllReals())
    told = how_private(Privacy(above, inputs=AllReals()), [accurate])
    assert "becomes exp(-alpha*2*eps/2) at the same privacy" in told[-1]
