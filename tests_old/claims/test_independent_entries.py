"""Outputs that are lists of independent entries, for all real inputs: a few stand for all."""

from __future__ import annotations

from fractions import Fraction
from math import exp as e_to
from typing import Any

import pytest
from scipy.optimize import minimize_scalar

from certify.parts import regions
from exactdp import Accuracy, AllReals, Mechanism, alpha, certify, eps, exp
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.claims.regions import corners
from exactdp.errors import ValueRefusedError
from exactdp.semantics.engine import Engine

BITS = "def bits(q: Real[{k}]):\n    return [lap(eps / 2, x) > 5 for x in q]\n"
LOOP = """
def bits(q: Real[{k}]):
    out = []
    for i in range({k}):
        r = lap(eps / (i + 1), q[i])
        if r > 5 + i:
            out.append("high")
        else:
            out.append("low")
    return out
"""
THREE = """
def three(q: Real[{k}]):
    out = []
    for x in q:
        r = lap(eps / 2, x)
        out.append(2 if r > 5 else 1 if r > 0 else 0)
    return out
"""
DEPENDENT = {
    "noise that all entries share": """
def program(q: Real[{k}]):
    t = lap(eps / 2, 5)
    return [lap(eps / 4, x) > t for x in q]
""",
    "an input of two entries": """
def program(q: Real[{k}]):
    return [lap(eps / 2, q[i]) + lap(eps / 2, q[(i + 1) % {k}]) > 5 for i in range({k})]
""",
    "a count of earlier entries": """
def program(q: Real[{k}]):
    n = 0
    out = []
    for x in q:
        above = n < 2 and lap(eps / 2, x) > 5
        out.append(above)
        if above:
            n = n + 1
    return out
""",
    "an earlier entry is read": """
def program(q: Real[{k}]):
    out = []
    for x in q:
        if len(out) > 0 and out[0]:
            out.append(lap(eps / 2, x) > 5)
        else:
            out.append(lap(eps / 4, x) > 5)
    return out
""",
}


def _claim(source: str, k: int, beta: Any, **more: Any) -> Accuracy:
    mechanism = Mechanism.from_source(source.format(k=k))
    return Accuracy(mechanism, beta, inputs=more.pop("inputs", AllReals()), **more)


def test_a_histogram_of_twenty_bins() -> None:
    """All bits are right with probability (1 − e^(−aε/2)/2)^20 where each is a from its threshold.

    With 7 bins that is 95 % at a = 1 for e^(−ε/2) = 2·(1 − 0.95^(1/7)), so for ε = 8.45323….
    """
    claim = _claim(BITS, 20, 10 * exp(-alpha * eps / 2))
    verdict = claim.check()
    assert verdict.outcome == "holds"
    assert "1,048,576 ideal outputs" in verdict.route
    assert certify.check(verdict.certificate).accepted
    for least, outcome in (("8.4533", "holds"), ("8.4532", "fails")):
        fixed = _claim(BITS, 7, Fraction(1, 20), alpha=1, epsilon=f"[{least}, inf)")
        assert fixed.check().outcome == outcome
    false = _claim(BITS, 20, 9 * exp(-alpha * eps / 2)).check()
    found = false.counterexample
    assert found is not None
    distance = min(abs(float(x) - 5) for x in found.input)
    error = 1 - (1 - e_to(-distance * float(found.eps) / 2) / 2) ** 20
    assert error > 9 * e_to(-float(found.alpha) * float(found.eps) / 2)


def test_entries_that_the_checker_does_not_see(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a certificate has a corner for each output, unless there are too many."""

    def unseen(*_: object, **__: object) -> None:
        raise UnsupportedError("not seen")

    monkeypatch.setattr("exactdp.certify.rederive.derivation.entry_parts", unseen)
    for k, is_written in ((6, True), (12, False)):
        verdict = _claim(BITS, k, k * exp(-alpha * eps / 2) / 2).check()
        if is_written:
            assert len(regions(verdict.certificate)) == 64
        else:
            with pytest.raises(ValueRefusedError, match="Append the entries"):
                verdict.certificate  # noqa: B018


def test_the_best_constant_is_that_of_a_product() -> None:
    """κ is the least e^(−t/4)/(1 − (1 − e^(−t)/2)^6) over t = aε/2 > 0."""

    def ratio(t: float) -> float:
        return e_to(-t / 4) / (1 - (1 - e_to(-t) / 2) ** 6)

    found = _claim(BITS, 6, exp(-alpha * eps / 8)).tightest().kappa
    best = minimize_scalar(ratio, bounds=(0, 20), method="bounded", options={"xatol": 1e-10}).fun
    assert abs(float(found.lower) - min(best, ratio(1e-12))) < 1e-5


@pytest.mark.parametrize(("source", "k"), [(BITS, 3), (LOOP, 3), (THREE, 2)])
def test_few_outputs_decide_as_all_do(source: str, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same constant as from the corners of all outputs."""
    monkeypatch.setattr(corners, "_MANY_OUTPUTS", 2)
    claim = _claim(source, k, 4 * exp(-alpha * eps / 4))
    assert ("stand for all" in claim.check().route) == (source is not THREE)  # the middle differs
    if source is THREE:
        return
    few, all_of_them = claim.tightest(), claim.by_each_output().tightest()
    assert few.kappa.lower <= all_of_them.kappa.upper
    assert all_of_them.kappa.lower <= few.kappa.upper
    if source is BITS:
        assert certify.check(claim.check().certificate).accepted


@pytest.mark.parametrize("why", DEPENDENT)
def test_entries_that_depend_on_each_other(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No output stands for another one."""
    monkeypatch.setattr(corners, "_MANY_OUTPUTS", 2)
    claim = _claim(DEPENDENT[why], 3, 6 * exp(-alpha * eps / 16))
    assert "stand for all" not in claim.check().route


def test_entries_of_different_lengths_and_kinds() -> None:
    """Lists of one length, of finite values, each after noise of its own, have such entries."""
    for body in (
        "return [lap(eps, x) for x in q]",
        "return [True, lap(eps, q[0]) > 0]",
        "return lap(eps, q[0]) > 0",
        "return [lap(eps, q[0]) > 0] if lap(eps, q[1]) > 0 else []",
        "return [choose({True: 1/2, False: 1/2}) for x in q]",
    ):
        program = Mechanism.from_source(f"def program(q: Real[2]):\n    {body}\n")
        assert program.kept(Engine).independent_entries(((0, 0),)) is None
    program = Mechanism.from_source(LOOP.format(k=2))
    found = program.kept(Engine).independent_entries(((0, 0),))
    assert found is not None
    assert [sorted(one.inputs) for one in found] == [["q[0]"], ["q[1]"]]
    whole = program.probability([4, 7], ["low", "high"])
    parts = [sum(program.probability([4, 7], [a, b]) for b in ("low", "high")) for a in ("low",)]
    parts += [sum(program.probability([4, 7], [a, "high"]) for a in ("low", "high"))]
    assert whole == parts[0] * parts[1]
