"""Certificates of expected losses for all reals: accepted, and rejected if changed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from exactdp import AllReals, Box, Expected, Mechanism, certify, eps, minimum
from exactdp.reals.certificates import seal
from support.examples import TIMES

from .test_mutations import leaves, variants

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/certificate-v2.json").read_text(encoding="utf-8")
)


def made(text: str) -> Mechanism:
    return Mechanism.from_source(text)


COUNT = made("def count(x: Real): return lap(eps, x)")
LARGER = made("def f(q: Real[2]): return 0 if lap(eps / 2, q[0]) >= lap(eps / 2, q[1]) else 1")
CLAMPED = made("def f(x: Real): return min(max(lap(eps, x), 0), 1)")
MIDDLE = made("def f(q: Real[3]): return sorted(q)[1] + lap(eps, 0)")
PICKED = made("def f(q: Real[2]): return expmech(eps / 2, lambda i: q[i], range(2))")
MIXED = made("def f(x: Dom(0, 1), q: Real): return lap(eps, q) + x if dlap(eps, 0) > x else q")
JUMPS = made("def f(x: Real): return lap(eps / 4, x) if x == 1 else lap(eps, x)")
FAR = """def count(x: Real):
    y = x + lap(eps, 0)
    if y > x + 5:
        return 100 + x + round(y - x)
    return y
"""
"""Its runs need the numbers of the input; comparisons of noise stay comparisons of noise."""
ABOVE = made("def f(q: Real): return 1 if lap(eps, q) > 1 else 0")

CLAIMS: dict[str, Callable[[], Expected]] = {
    "equal": lambda: Expected(COUNT, at_most=1 / eps),
    "slack": lambda: Expected(COUNT, "squared", at_most=3 / eps**2, epsilon="[1/2, 2]"),
    "regret": lambda: Expected(LARGER, "regret", at_most=1 / eps),
    "in a box": lambda: Expected(LARGER, "regret", at_most=minimum(2, 1 / eps), inputs=Box(-1, 1)),
    "clamped": lambda: Expected(CLAMPED, at_most=1 / eps, inputs=AllReals()),
    "middle": lambda: Expected(MIDDLE, "squared", at_most=2 / eps**2),
    "scores": lambda: Expected(PICKED, "regret", at_most=1 / eps),
    "a domain": lambda: Expected(MIXED, at_most=1 + 1 / eps, inputs=Box(0, 1)),
    "jumps": lambda: Expected(JUMPS, at_most=4 / eps),
    "right or wrong": lambda: Expected(ABOVE, "wrong", at_most="1/2"),
    "regret fails": lambda: Expected(LARGER, "regret", at_most=1 / (2 * eps)),
    "jump fails": lambda: Expected(JUMPS, at_most=2 / eps),
}


@cache
def written(name: str) -> dict[str, Any]:
    return CLAIMS[name]().check().certificate


def judged(document: Any) -> certify.Report:
    body = {key: value for key, value in document.items() if key != "seal"}
    return certify.check({**body, "seal": seal(body)})


@pytest.mark.parametrize("name", CLAIMS)
def test_accepted(name: str) -> None:
    document = json.loads(json.dumps(written(name)))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    report = certify.check(document)
    assert report, report.reason
    assert not report.taken
    assert ("the claim fails" in report.reason) == ("fails" in name)


def source(document: Any, text: str) -> None:
    document["claim"]["mechanism"] = text


def first_part(tree: Any) -> Any:
    while "form" in tree:
        tree = tree["above"]
    return tree


WRONG: list[tuple[str, Callable[[Any], object]]] = [
    # A mechanism that is worse at one input, which is on a tie of its own.
    ("equal", lambda one: source(one, str(JUMPS))),
    ("slack", lambda one: source(one, str(JUMPS))),
    ("equal", lambda one: source(one, FAR)),
    ("jumps", lambda one: one["regions"].pop()),
    ("jumps", lambda one: one["claim"].update(inputs={"box": [["0", "2"]]})),
    ("jumps", lambda one: one["claim"].update(at_most=written("equal")["claim"]["at_most"])),
    ("equal", lambda one: source(one, "def count(x: Real):\n    return lap(eps / 2, x)\n")),
    ("slack", lambda one: one["claim"]["epsilon"].update(lower="1/100")),
    ("slack", lambda one: one["claim"].update(loss={"name": "absolute"})),
    ("slack", lambda one: one.update(signs=[])),
    ("slack", lambda one: first_part(one["regions"][0]["tree"]).update(bounds=[None])),
    ("slack", lambda one: first_part(one["regions"][0]["tree"]).update(bounds=[])),
    ("regret", lambda one: one["regions"][0]["tree"].update(below={"loss": None, "bounds": []})),
    ("regret", lambda one: one["regions"][0].update(tree=first_part(one["regions"][0]["tree"]))),
    ("in a box", lambda one: one["claim"].update(inputs={"reals": True})),
    ("clamped", lambda one: one["regions"].pop()),
    ("middle", lambda one: one["regions"].pop(0)),
    ("right or wrong", lambda one: one["regions"].pop()),
    ("a domain", lambda one: one["regions"].pop()),
    ("regret fails", lambda one: one["counterexamples"][0].update(input=[["0", "0"]])),
    ("regret fails", lambda one: one["counterexamples"][0].update(eps="1000")),
    ("regret fails", lambda one: one.update(verdict="holds", counterexamples=[])),
    ("jump fails", lambda one: one["counterexamples"][0].update(input=["2"])),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_rejected(number: int) -> None:
    name, change = WRONG[number]
    document = copy.deepcopy(written(name))
    change(document)
    if document["claim"]["inputs"] == {"box": [["0", "2"]]}:  # fewer inputs: the tie is inside
        document["regions"].pop()
    assert not judged(document).accepted


@pytest.mark.parametrize("name", ["regret", "clamped", "jumps"])
def test_slips_of_the_pen(name: str) -> None:
    """A change of a region or a bound is rejected, unless it is the same mathematics."""
    document = written(name)
    places = [
        (path, value)
        for path, value in leaves(document["regions"])
        if not {"names"} & set(map(str, path))
    ]
    source = random.Random(name)
    for path, value in source.sample(places, min(12 * TIMES, len(places))):
        mutant = copy.deepcopy(document)
        place: Any = mutant["regions"]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = source.choice(variants(value))
        report = judged(mutant)
        # A cut elsewhere is harmless if what is proved on both sides is the same.
        assert not report.accepted or "form" in path, (path, place[path[-1]])
