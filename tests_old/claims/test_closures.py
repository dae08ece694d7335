"""dd from the halfspaces around ideal outputs: the same as by symbolic runs."""

from __future__ import annotations

import pytest

from exactdp import Accuracy, AllReals, Mechanism, alpha, certify, eps, exp
from exactdp.claims.disagreement import distance
from exactdp.claims.disagreement.closures import are_closures
from exactdp.claims.regions.of_claim import regions_of
from exactdp.polyhedra.halfspace import Halfspace

LARGEST = """
def largest(q: Real[{m}]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, {m}):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
"""
ABOVE = """
def above(q: Real[{m}]):
    t = lap(eps / 2, 1)
    for i in range({m}):
        if lap(eps / 4, q[i]) >= t:
            return i
    return {m}
"""


def _distances(claim: Accuracy) -> list[object]:
    """Return dd at each worst input, as a form."""
    found: list[object] = []
    for group in regions_of(claim):
        for region in group:
            for step in claim.work.steps(region):
                found += [str(due.distance) for due in step.cell.result or ()]
    return found


@pytest.mark.parametrize("text", [LARGEST, ABOVE])
def test_same_as_by_symbolic_runs(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Accuracy(Mechanism.from_source(text.format(m=4)), exp(-alpha * eps), inputs=AllReals())
    expected = _distances(claim)
    monkeypatch.setattr(distance, "_MOST_SYMBOLS", 1)
    again = Accuracy(Mechanism.from_source(text.format(m=4)), exp(-alpha * eps), inputs=AllReals())
    assert _distances(again) == expected
    assert again.obligations._disagreements._closures is not None


@pytest.mark.parametrize("metric", ["linf", "l1"])
@pytest.mark.parametrize("text", [LARGEST, ABOVE])
def test_certified(text: str, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker finds that the inputs beyond a side disagree, and no nearer ones."""
    monkeypatch.setattr(distance, "_MOST_SYMBOLS", 1)
    claim = Accuracy(
        Mechanism.from_source(text.format(m=3)),
        6 * exp(-alpha * eps / 8),
        input_distance=metric,
        inputs=AllReals(),
    )
    report = certify.check(claim.check().certificate)
    assert report.accepted, report.reason
    assert not report.taken


def test_sums_of_differences_at_numbers() -> None:
    """To exchange the two largest, one of them moves by their difference."""
    claim = Accuracy(
        Mechanism.from_source(LARGEST.format(m=8)),
        exp(-alpha * eps),
        input_distance="l1",
        inputs=[[5, 1, 9, 2, 0, 4, 3, 7], [1, 6, 6, 2, 0, 0, 0, 0]],
    )
    inputs = claim.input_set
    assert isinstance(inputs, tuple)
    assert [claim.obligations.distance(u) for u in inputs] == [2, 0]


def test_overlapping_polyhedra_are_not_closures() -> None:
    """Overlapping are x ≥ 0 and x ≤ 1: dd of the first is not the distance to 0."""

    def side(q: int, constant: int) -> tuple[Halfspace, ...]:
        return (Halfspace.of({"x": q}, constant),)

    assert are_closures({0: side(1, 0), 1: side(-1, 0)})
    assert are_closures({0: side(1, -1), 1: side(-1, 0)})
    assert not are_closures({0: side(1, 0), 1: side(-1, 1)})
    assert not are_closures({0: side(1, 0), 1: side(-1, 0), 2: ()})
