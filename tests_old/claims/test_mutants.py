"""Claims that no other test noticed when their decision was changed: see `mutants`."""

from __future__ import annotations

import pytest

from claims.formulas import exp
from exactdp import Accuracy, AllReals, Ideal, Mechanism, ValueRefusedError, alpha, discrete, eps

larger = Mechanism.from_source(
    "def larger(q: Real[2]):\n    return lap(eps, q[0]) < lap(eps, q[1])"
)


def test_the_first_counterexample_or_all() -> None:
    """Two answers d apart are confused with probability (1/2 + εd/4)·e^{−εd}: too often at each."""
    claim = Accuracy(larger, exp(-alpha * eps) / 9, inputs=[[0, 1], [1, 0], [0, 2]])
    assert len(claim.check().counterexamples) == 1
    assert [one.input for one in claim.check(all=True).counterexamples] == [[0, 1], [1, 0], [0, 2]]


def test_limits_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of two numbers has two cells, and the size of a number two pieces."""
    monkeypatch.setattr("exactdp.claims.decision.work.MOST_CELLS", 1)
    with pytest.raises(ValueRefusedError, match="more than 1 cells"):
        Accuracy(larger, exp(-alpha * eps), inputs=AllReals()).check()
    first = Ideal.from_source("def first(u, v):\n    return abs(u[0] - v[0])")
    monkeypatch.setattr("exactdp.claims.stated.pieces._MOST", 2)
    claim = Accuracy(larger, exp(-alpha * eps) / 9, inputs=[[0, 1]], input_distance=first)
    assert claim.disagreement([0, 1]).distance == 0
    monkeypatch.setattr("exactdp.claims.stated.pieces._MOST", 1)
    with pytest.raises(ValueRefusedError, match=r"(?s)more than 1 pieces.*fewer comparisons"):
        claim.disagreement([0, 1])


def test_inputs_that_differ_in_one_entry_only_are_different() -> None:
    """Whichever of both is changed, so that q is above x no more: that is a distance of 1."""
    mechanism = Mechanism.from_source("def f(x: Dom(0, 1), q: Real):\n    return lap(eps, q) > x")
    claim = Accuracy(mechanism, "1/2", alpha=0, input_distance=discrete, inputs=[(0, 3)])
    found = claim.disagreement((0, 3))
    assert (found.distance, found.output) == (1, False)
