"""Merged runs of the checker: against runs along single paths, and where there are too many."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from exactdp import Accuracy, AllReals, Ideal, Mechanism, alpha, eps, exp
from exactdp.certify import check
from exactdp.certify.kernel.reading import CertificateReader
from exactdp.certify.rederive import parametric
from exactdp.certify.rederive.cones import PolyhedralCone
from exactdp.certify.rederive.corners import StatedRow
from exactdp.certify.rederive.derivation import Derivation
from exactdp.certify.rederive.halfspaces import rows
from exactdp.certify.rederive.implied import ImpliedForms, side_of
from exactdp.certify.rederive.merged import MergedRuns
from exactdp.certify.rederive.monotone import Monotone
from exactdp.certify.rederive.ratios import POSITIVE, Ratio
from exactdp.polyhedra.elimination import feasible
from exactdp.polyhedra.halfspace import Halfspace
from exactdp.reals.certificates import seal


def program(draw: random.Random, *, chooses: bool = False) -> str:
    """Return a program of two numbers that compares samples, moves them around and chooses."""
    names: list[str] = []
    lines: list[str] = []

    def sample() -> None:
        kind, mean = (
            draw.choice(["lap", "lap", "expo"]),
            draw.choice(["q[0]", "q[1]", "0", "q[0] + q[1]", "-q[1]"]),
        )
        names.append(f"r{len(names)}")
        lines.append(f"    {names[-1]} = {kind}({draw.choice(['eps', 'eps / 2'])}, {mean})")

    for _ in range(3):
        sample()
    lines.append("    out = 0")
    for _ in range(draw.choice([2, 3])):
        one, two = draw.sample(names, 2)
        lines.append(f"    if {one} {draw.choice(['>', '<='])} {draw.choice([two, two, '1'])}:")
        then = [f"out = {draw.randrange(3)}", "out = out + 1", f"{two} = {one}", "return 1"]
        lines += [f"        {line}" for line in draw.sample(then, draw.choice([1, 2]))]
        if draw.random() < 0.4:
            lines += ["    else:", f"        out = {draw.randrange(3)}"]
        if draw.random() < 0.3:
            sample()
    end = "out"
    if chooses:
        first = draw.choice(
            ["choose({0: 1 / 3, 1: 2 / 3})", "choose({0: 1 - exp(-eps), 1: exp(-eps)})"]
        )
        scored = (
            f"expmech(eps, lambda i: [q[0], {draw.choice(['-q[0]', 'q[1]', '0'])}, 1][i], range(3))"
        )
        lines.insert(draw.randrange(4), f"    picked = {draw.choice([first, scored])}")
        end = draw.choice(["picked", "picked if out > 0 else out", "max(picked, out)"])
    return "def f(q: Real[2]):\n" + "\n".join(lines) + f"\n    return {end}\n"


def derived(source: str) -> Derivation:
    """Return the derivation of a program."""
    spec = {
        "mechanism": source,
        "ideal": {"noiseless": True},
        "input_distance": {"name": "linf"},
        "output_distance": {"name": "discrete"},
        "agreement": "equal",
    }
    return Derivation(spec, None, POSITIVE)


def test_random_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probabilities are those of single paths, and none falls along a direction that is shown."""
    draw = random.Random(5)
    seen = 0
    for _ in range(25):
        source = program(draw)
        mechanism, mine = Mechanism.from_source(source), derived(source)
        ray = PolyhedralCone(1, CertificateReader()).cut([1])
        u = [Fraction(draw.randrange(-4, 5), 2) for _ in range(2)]
        here = parametric.ProgramOnCone(mine, ray, u)
        for output in range(3):
            fast = here.merged(output, None)
            assert fast is not None
            with monkeypatch.context() as slowly:
                slowly.setattr(parametric.ProgramOnCone, "merged", lambda *_: None)
                assert here.probability(output, Fraction(0)) == Ratio.lifted(fast), source
            order = Monotone(mine.successes([None, None]).of(output, sup=False), [])
            for signs in product((-1, 0, 1), repeat=2):
                if any(signs) and order.grows({k: s for k, s in enumerate(signs) if s}):
                    there = [x + s * Fraction(3, 4) for x, s in zip(u, signs, strict=True)]
                    before, after = (mechanism.probability(v, output).at(1) for v in (u, there))
                    assert float(after) >= float(before) - 1e-12, (source, u, signs)
                    seen += 1
    assert seen > 50


def test_random_choices() -> None:
    """No output becomes less likely along a direction that is shown."""
    draw = random.Random(11)
    seen = 0
    for _ in range(40):
        source = program(draw, chooses=True)
        mechanism, mine = Mechanism.from_source(source), derived(source)
        u = [Fraction(draw.randrange(-4, 5), 2) for _ in range(2)]
        for output in range(3):
            order = Monotone(mine.successes([None, None]).of(output, sup=False), [])
            for signs in product((-1, 0, 1), repeat=2):
                if any(signs) and order.grows({k: s for k, s in enumerate(signs) if s}):
                    there = [x + s * Fraction(3, 4) for x, s in zip(u, signs, strict=True)]
                    before, after = (mechanism.probability(v, output).at(1) for v in (u, there))
                    assert float(after) >= float(before) - 1e-12, (source, u, signs, output)
                    seen += before != after
    assert seen > 20


def test_random_rows() -> None:
    """A row that merged runs accept is one that every path of the ideal to an output satisfies."""
    draw = random.Random(7)
    counts = [0, 0]
    for _ in range(40):
        mine = derived(program(draw))
        ideal = ImpliedForms(MergedRuns(mine.ideal_program, [[None, None]], noisy=False))
        for output in range(3):
            slopes = {k: Fraction(draw.choice([-1, 1])) for k in draw.choice([(0,), (1,), (0, 1)])}
            row = StatedRow(slopes, Fraction(draw.choice([-1, 0, 0, 1])), Fraction(0))
            ways = [way for end, way in ideal.ends if end == output]
            side = side_of(row.slopes, row.constant, strict=False)
            if ways and all(ideal.holds(way, side) for way in ways):
                counts[0] += 1
                minus = tuple(-row.slopes.get(k, Fraction(0)) for k in range(2))
                outside = minus, -row.constant, True
                for path, end in mine.ideal_paths([None, None]):
                    for system in rows(path.conditions, 2) if end == output else ():
                        sides = [
                            Halfspace.of(dict(enumerate(c)), d, strict=strict)
                            for c, d, strict in (*system, outside)
                        ]
                        assert not feasible(sides)
            counts[1] += bool(ways)
    assert 5 < counts[0] < counts[1] - 5


SPELLINGS = {
    "running": "best, top = 0, lap(eps / 2, q[0])\n    for i in range(1, {m}):\n"
    "        r = lap(eps / 2, q[i])\n        if r > top:\n            best, top = i, r\n"
    "    return best",
    "by index": "x = [lap(eps / 2, v) for v in q]\n    best = 0\n    for i in range(1, {m}):\n"
    "        if x[i] > x[best]:\n            best = i\n    return best",
    "by key": "x = [lap(eps / 2, v) for v in q]\n    return max(range({m}), key=lambda i: x[i])",
    "one-sided": "best, top = 0, expo(eps / 2, q[0])\n    for i in range(1, {m}):\n"
    "        r = expo(eps / 2, q[i])\n        if r > top:\n            best, top = i, r\n"
    "    return best",
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_search_with_many_runs_is_derived_again(name: str) -> None:
    """2⁹ runs of the search, and nothing is taken from the solver."""
    m = 10
    text = SPELLINGS[name].format(m=m)
    mechanism = Mechanism.from_source(f"def search(q: Real[{m}]):\n    {text}\n")
    claim = Accuracy(mechanism, m * exp(-alpha * eps / 2), inputs=AllReals())
    for tried, said in ((claim, "one corner"), (claim.by_each_output(), f"{m} corners")):
        certificate: dict[str, Any] = tried.check().certificate
        report = check(certificate)
        assert report.accepted, report.reason
        assert not report.taken
        assert said in report.reason


def test_outputs_that_are_functions_of_epsilon_are_not_merged() -> None:
    """At ε = 1 the output is the ideal one, so there the claim does not fail as it does at 2."""
    released = Mechanism.from_source("def f(q: Real): return eps if lap(eps, q) > 0 else 0")
    one = Ideal.from_source("def g(q: Real): return 1")
    claim = Accuracy(released, "1/10", alpha=0, ideal=one, inputs=[5], input_distance="discrete")
    written = claim.check().certificate
    assert written["verdict"] == "fails"
    assert check(written).accepted
    assert not check(written).taken
    (example,) = written["counterexamples"]
    at_one = {"lower": "1", "lower_closed": True, "upper": "1", "upper_closed": True}
    text = json.dumps(example).replace(json.dumps(example["eps"]), json.dumps("1"))
    kept: list[Any] = json.loads(text)["orders"]
    for orders in (kept, list[Any]()):
        wrong = {**written, "counterexamples": [{**json.loads(text), "orders": orders}]}
        for order in orders:
            order["claim"]["on"] = at_one
        del wrong["seal"]
        report = check({**wrong, "seal": seal(wrong)})
        assert not report.accepted or report.taken


TURNED = """
def turned():
    x = 0
    while x == 0:
        x = choose({0: 1 / 2, 1: 1 / 4, 2: 1 / 4})
    return x


def f(q: Real[1]):
    a = lap(eps, q[0])
    x = turned()
    return x if a > 0 else 0
"""
OWN_MAX = """
def max(numbers):
    return numbers[0]


def f(q: Real[2]):
    r = [lap(eps, q[0]), lap(eps, q[1])]
    top = max(r)
    return 1 if top > 0 else 0
"""
LIKE = {
    "a choice in a loop of a function": (TURNED, ("while x == 0:", "while x < 2:"), [1], 2, "7/10"),
    "a function with the name of a known one": (
        OWN_MAX,
        ("def max(numbers):\n    return numbers[0]", "def other(numbers):\n    return 0"),
        [0, 4],
        1,
        "3/10",
    ),
}


@pytest.mark.parametrize("name", LIKE)
def test_a_program_is_not_taken_for_one_that_is_like_it(name: str) -> None:
    """Merged runs once saw no choice in loops of functions, and each `max` as the known one.

    So they had the probabilities of another program, whose claims are false here.
    """
    source, (old, new), numbers, wanted, beta = LIKE[name]
    ideal = Ideal.from_source(f"def g(q: Real[{len(numbers)}]): return {wanted}")
    mine, other = (
        Accuracy(
            Mechanism.from_source(text),
            bound,
            alpha=0,
            ideal=ideal,
            inputs=[numbers],
            input_distance="discrete",
        )
        .check()
        .certificate
        for text, bound in ((source, "99/100"), (source.replace(old, new), beta))
    )
    assert other["verdict"] == mine["verdict"] == "holds"
    for one in (mine, other):
        report = check(one)
        assert report.accepted, report.reason
    text = other["claim"]["mechanism"]
    forged = json.loads(json.dumps(other).replace(json.dumps(text), json.dumps(source)))
    del forged["seal"]
    report = check({**forged, "seal": seal(forged)})
    assert not report.accepted
    assert report.reason == "group 1, region 1, cell 1: the program has another probability"
