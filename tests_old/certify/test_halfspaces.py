"""No input close to a counterexample disagrees: what multiples of conditions show; forgeries."""

from __future__ import annotations

import copy
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from exactdp import Accuracy, AllReals, Mechanism, alpha, certify, eps, exp
from exactdp.certify.kernel.reading import CertificateReader
from exactdp.certify.rederive.derivation import Derivation
from exactdp.certify.rederive.halfspaces import (
    DisagreeingInputs,
    SystemRow,
    disagreeing,
    is_far,
)
from exactdp.certify.rederive.ratios import POSITIVE
from exactdp.claims.certificates.apart import multiples
from exactdp.polyhedra.elimination import feasible
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.polyhedra.projection import nearest_point
from exactdp.reals.certificates import seal as seal_of
from language.corpus import FACTORIES

SIZE = 2


def is_met(rows: list[SystemRow]) -> bool:
    """Whether rows hold somewhere, by elimination."""
    return feasible(Halfspace.of(dict(enumerate(c)), d, strict=strict) for c, d, strict in rows)


def ball(metric: str, u: list[Fraction], radius: Fraction, *, strict: bool) -> list[SystemRow]:
    """Return the inputs closer than a radius (if not strict: or as close)."""
    signs: list[tuple[int, ...]] = [*product((1, -1), repeat=SIZE)]
    if metric == "linf":
        signs = [one for one in product((1, 0, -1), repeat=SIZE) if sum(map(abs, one)) == 1]
    return [
        (
            tuple(Fraction(-s) for s in each),
            radius + sum(s * x for s, x in zip(each, u, strict=True)),
            strict,
        )
        for each in signs
    ]


def is_close(
    metric: str, u: list[Fraction], rows: list[SystemRow], radius: Fraction, *, strict: bool
) -> bool:
    """Whether a point of rows, or one arbitrarily close to it, is within a radius."""
    if not is_met(rows):
        return False
    closed = [(c, d, False) for c, d, _ in rows]
    if metric == "l2":
        sides = [Halfspace.of(dict(enumerate(c)), d) for c, d, _ in closed]
        found = nearest_point(sides, dict(enumerate(u)))
        assert found is not None
        least = sum((found[k] - x) ** 2 for k, x in enumerate(u))
        return least < radius**2 if strict else least <= radius**2
    return is_met([*(rows if strict else closed), *ball(metric, u, radius, strict=strict)])


@pytest.mark.parametrize("metric", ["linf", "l1", "l2"])
def test_random_systems(metric: str) -> None:
    draw, counts = Random(5), [0, 0]
    for _ in range(150):
        rows: list[SystemRow] = [
            (
                tuple(Fraction(draw.randint(-2, 2)) for _ in range(SIZE)),
                Fraction(draw.randint(-4, 4)),
                draw.random() < 0.5,
            )
            for _ in range(draw.randint(1, 4))
        ]
        u = [Fraction(draw.randint(-3, 3)) for _ in range(SIZE)]
        radius, strict = Fraction(draw.randint(0, 6), 2), draw.random() < 0.5
        if radius == 0:
            continue
        v = DisagreeingInputs((None,) * SIZE, rows)
        shown = multiples(metric, u, v, radius, strict=strict)
        given = [[k, str(q)] for k, q in shown.items()]
        far = is_far(CertificateReader(), {"name": metric}, u, v, (radius, strict), given)
        assert far is not is_close(metric, u, rows, radius, strict=strict), (rows, u, radius)
        counts[far] += 1
    assert min(counts) > 20


def test_random_multiples_show_nothing_wrong() -> None:
    """Whatever the multiples are, what they show is true."""
    draw, seen = Random(9), 0
    for _ in range(400):
        metric, strict = draw.choice(["linf", "l1", "l2"]), draw.random() < 0.5
        rows: list[SystemRow] = [
            (
                tuple(Fraction(draw.randint(-1, 1)) for _ in range(SIZE)),
                Fraction(draw.randint(-2, 1)),
                draw.random() < 0.5,
            )
            for _ in range(3)
        ]
        u = [Fraction(draw.randint(-1, 1)) for _ in range(SIZE)]
        given = [[k, str(draw.randint(1, 3))] for k in range(3) if draw.random() < 0.6]
        v, radius = DisagreeingInputs((None,) * SIZE, rows), Fraction(draw.randint(1, 4), 2)
        if is_far(CertificateReader(), {"name": metric}, u, v, (radius, strict), given):
            assert not is_close(metric, u, rows, radius, strict=strict), (metric, rows, u, given)
            seen += 1
    assert seen > 20


def seal(document: dict[str, Any]) -> dict[str, Any]:
    body = {name: one for name, one in document.items() if name != "seal"}
    return {**body, "seal": seal_of(body)}


def test_forged_multiples_are_rejected() -> None:
    beta = exp(-alpha * eps / 2) / 3
    claim = Accuracy(FACTORIES["noisy_max"](3), beta=beta, inputs=AllReals())
    right = claim.check().certificate
    (one,) = right["counterexamples"]
    assert certify.check(right).taken == ()
    place = next(k for k, row in enumerate(one["apart"]) if row)
    for forged, problem in (
        (None, "not a list"),
        (one["apart"][:-1], "not a list"),
        ([[] for _ in one["apart"]], "so close disagrees"),
        ([[[k, f"-{q}"] for k, q in row] for row in one["apart"]], "not positive"),
        ([[[99, "1"]] for _ in one["apart"]], "not an integer"),
        ([[[0, "1"]] if k == place else [] for k, _ in enumerate(one["apart"])], "disagrees"),
    ):
        wrong = copy.deepcopy(right)
        wrong["counterexamples"][0]["apart"] = forged
        report = certify.check(seal(wrong))
        assert not report.accepted
        assert problem in report.reason
    further = copy.deepcopy(right)
    further["counterexamples"][0]["distance"] = str(Fraction(one["distance"]) * 2)
    assert "so close disagrees" in certify.check(seal(further)).reason


SELECTION = """
def selected(q: Real[8]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 8):
        r = lap(eps / 2, {entry})
        if r {op} top:
            best, top = i, r
    return best
"""


@pytest.mark.parametrize("op", [">", ">=", "<"])
def test_selections_are_not_run_path_by_path(op: str) -> None:
    """Another output is as far away as half of the lead of the best number."""
    spec = {
        "mechanism": SELECTION.format(entry="q[i]", op=op),
        "ideal": {"noiseless": True},
        "agreement": "equal",
        "input_distance": {"name": "linf"},
        "output_distance": {"name": "discrete"},
    }
    draw, few, reader = Random(3), Derivation(spec, None, POSITIVE), CertificateReader()
    for _ in range(3):
        u = [Fraction(draw.randint(-5, 5)) for _ in range(8)]
        best = (min if op == "<" else max)(u)
        if u.count(best) > 1:
            continue
        radius = min(abs(best - x) for x in u if x != best) / 2
        found = [*disagreeing(few, u, u.index(best))]
        assert len(found) == 7
        for least, expected in ((radius, True), (radius + Fraction(1, 9), False)):
            near = least, True
            far = [is_far(reader, {"name": "linf"}, u, one, near, [[0, "1"]]) for one in found]
            assert all(far) is expected


def test_what_looks_like_a_selection() -> None:
    """Entry 3 has a start of 1, so another output is closer than it is for the largest number."""
    claim = Accuracy(
        Mechanism.from_source(SELECTION.format(entry="q[i]", op=">")),
        beta=exp(-alpha * eps / 2) / 3,
        inputs=[[0, *[-4] * 7]],
    )
    right = claim.check().certificate
    assert certify.check(right).taken == ()
    for entry in ("q[i] + (1 if i == 3 else 0)", "2 * q[i]", "q[i - 1] if i == 3 else q[i]"):
        wrong = copy.deepcopy(right)
        wrong["claim"]["ideal"] = {"source": SELECTION.format(entry=entry, op=">")}
        assert not certify.check(seal(wrong)).accepted
