"""Claims that no other test noticed when their decision was changed: see `tests/mutants`."""

from __future__ import annotations

from claims.formulas import exp
from exactdp import Accuracy, Mechanism, alpha, eps

larger = Mechanism.from_source(
    "def larger(q: Real[2]):\n    return lap(eps, q[0]) < lap(eps, q[1])"
)


def test_the_first_counterexample_or_all() -> None:
    """Two answers d apart are confused with probability (1/2 + εd/4)·e^{−εd}: too often at each."""
    claim = Accuracy(larger, exp(-alpha * eps) / 9, inputs=[[0, 1], [1, 0], [0, 2]])
    assert len(claim.check().counterexamples) == 1
    assert [one.input for one in claim.check(all=True).counterexamples] == [[0, 1], [1, 0], [0, 2]]
