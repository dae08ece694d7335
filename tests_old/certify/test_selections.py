"""Certificates in which one corner stands for all ideal outputs of a selection, and forgeries."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from itertools import permutations, product
from random import Random
from typing import Any

import pytest

from certify.parts import regions
from exactdp import Accuracy, AllReals, Box, Mechanism, alpha, eps, exp
from exactdp.certify import check
from exactdp.certify.rederive.merged import MergedRuns
from exactdp.certify.rederive.programs import SourceProgram, Steps
from exactdp.certify.rederive.ratios import UnsupportedError
from exactdp.certify.rederive.selections import SelectedOutputs
from exactdp.reals.certificates import seal
from support.examples import TIMES

SIZE = 8
RUNNING = """
def best(q: Real[8]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 8):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
"""
SMALLEST = """
def best(q: Real[8]):
    best, top = "a", expo(eps / 2, q[0])
    for i in range(1, 8):
        r = expo(eps / 2, q[i])
        if top >= r:
            best, top = "abcdefgh"[i], r
    return best
"""
INDEX = """
def best(q: Real[8]):
    noisy = [lap(eps / 2, x) for x in q]
    return noisy.index(max(noisy))
"""
OWN_IDEAL = "def ideal(q: Real[8]):\n    return q.index(max(q))\n"


def sealed(body: dict[str, Any]) -> dict[str, Any]:
    """Return a certificate with a fresh seal."""
    rest = {name: one for name, one in body.items() if name != "seal"}
    return {**rest, "seal": seal(rest)}


@cache
def written(source: str, **more: Any) -> dict[str, Any]:
    """Return the certificate of a claim that holds."""
    claim = Accuracy(
        Mechanism.from_source(source), 8 * exp(-alpha * eps / 4), **{"inputs": AllReals(), **more}
    )
    found: dict[str, Any] = claim.check().certificate
    return found


@pytest.mark.parametrize(
    ("source", "more"),
    [
        (RUNNING, {}),
        (SMALLEST, {}),
        (INDEX, {}),
        (RUNNING, {"input_distance": "l1"}),
        (RUNNING, {"input_distance": "l2", "boundary": "check"}),
        (RUNNING, {"ideal": Mechanism.from_source(OWN_IDEAL)}),
        (RUNNING, {"inputs": Box(0, 3)}),
    ],
    ids=["running", "smallest", "index", "l1", "l2", "own ideal", "box"],
)
def test_one_corner_stands_for_all(source: str, more: dict[str, Any]) -> None:
    certificate = written(source, **more)
    assert len(regions(certificate)) == 1
    report = check(certificate)
    assert report.accepted, report.reason
    assert not report.taken
    assert "one corner stands for the worst inputs of all ideal outputs" in report.reason


def test_the_discrete_distance() -> None:
    """One of eight equal numbers is selected with probability 1/8."""
    claim = Accuracy(
        Mechanism.from_source(RUNNING),
        "7/8",
        alpha=0,
        input_distance="discrete",
        inputs=AllReals(),
    )
    report = check(claim.check().certificate)
    assert report.accepted, report.reason
    assert not report.taken


# Forgeries ----------------------------------------------------------------------------


def _source(text: str) -> Callable[[dict[str, Any]], object]:
    """Return a change of the mechanism, whose ideal stays as it was."""

    def change(copy: dict[str, Any]) -> None:
        copy["claim"]["ideal"] = {"source": OWN_IDEAL}
        copy["claim"]["mechanism"] = text

    return change


def _ideal(text: str) -> Callable[[dict[str, Any]], object]:
    return lambda copy: copy["claim"].update(ideal={"source": text})


def _corner(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
    return lambda copy: change(regions(copy)[0]["corner"])


WRONG: dict[str, Callable[[dict[str, Any]], object]] = {
    # The probability of the output 0 is that of the certificate in the first six.
    "an output is sometimes replaced by another": _source(
        RUNNING.replace("    return best", "    return 2 if best == 1 and r > 9 else best")
    ),
    "two outputs are exchanged": _source(
        RUNNING.replace("    return best", "    return 3 - best if best in (1, 2) else best")
    ),
    "two outputs are one": _source(
        RUNNING.replace("    return best", "    return 1 if best == 2 else best")
    ),
    "an output is replaced by chance": _source(
        RUNNING.replace(
            "    return best",
            "    if best == 1:\n        return choose({1: 1/2, 2: 1/2})\n    return best",
        )
    ),
    "another sample decides between two outputs": _source(
        RUNNING.replace(
            "    return best",
            "    if best in (1, 2):\n        return 1 if lap(eps, q[1]) > lap(eps, q[2]) else 2\n"
            "    return best",
        )
    ),
    "a second sample around an entry": _source(
        RUNNING.replace(
            "    return best",
            "    if best in (1, 2):\n"
            "        return 1 if lap(eps / 2, q[1]) > lap(eps / 2, q[2]) else 2\n"
            "    return best",
        )
    ),
    "another rate of one entry": _source(
        RUNNING.replace("eps / 2, q[i]", "eps / (4 if i == 3 else 2), q[i]")
    ),
    "another noise of one entry": _source(
        RUNNING.replace("lap(eps / 2, q[i])", "(expo(eps, q[3]) if i == 3 else lap(eps / 2, q[i]))")
    ),
    "an entry is raised": _source(RUNNING.replace("q[i])", "q[i] + max(0, i - 6))")),
    "an entry is not read": _source(RUNNING.replace("q[i])", "q[min(i, 6)])")),
    "an ideal with another output at ties": _ideal(
        "def ideal(q: Real[8]):\n"
        "    top = max(q)\n"
        "    return q.index(top) if sum([x == top for x in q]) == 1 else 0\n"
    ),
    "an ideal that is constant": _ideal("def ideal(q: Real[8]):\n    return 0\n"),
    "the smallest number is ideal": _ideal(OWN_IDEAL.replace("max", "min")),
    "an ideal about some numbers": _ideal(OWN_IDEAL.replace("max(q)", "max(q[:7])")),
    "the smallest is selected": _corner(lambda corner: corner.update(selects="smallest")),
    "a word that is not known": _corner(lambda corner: corner.update(selects="first")),
    "nothing is selected": _corner(lambda corner: corner.pop("selects")),
    "entries are independent, too": _corner(lambda corner: corner.update(differs=[])),
    "entries are independent": _corner(
        lambda corner: (corner.pop("selects"), corner.update(differs=[]))
    ),
    "a corner of another output": _corner(lambda corner: corner.update(output="1")),
    "an output that is none": _corner(lambda corner: corner.update(output="9")),
    "a row that is too wide": _corner(lambda corner: corner["rows"][0].update(width="3")),
    "a row elsewhere": _corner(lambda corner: corner["rows"][0].update(constant="-1")),
    "a row of two others": _corner(
        lambda corner: corner["rows"][0].update(slopes=[[1, "1"], [2, "-1"]])
    ),
    "an entry that matters": _corner(lambda corner: corner["bounds"].__setitem__(1, "idle")),
    "two corners": lambda copy: regions(copy).append(deepcopy(regions(copy)[0])),
    "another distance": lambda copy: copy["claim"].update(
        input_distance={"name": "numeric", "threshold": "0"}
    ),
    "outputs at a distance": lambda copy: copy["claim"].update(output_distance={"name": "sup"}),
    "more entries": lambda copy: copy["claim"].update(mechanism=RUNNING.replace("8", "9")),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_rejected(what: str) -> None:
    copy = deepcopy(written(RUNNING))
    WRONG[what](copy)
    report = check(sealed(copy))
    assert not report.accepted, report.reason


def test_what_the_forgeries_change_may_be_given() -> None:
    copy = deepcopy(written(RUNNING))
    _source(RUNNING)(copy)
    report = check(sealed(copy))
    assert report.accepted, report.reason
    assert not report.taken


# What is seen in programs ---------------------------------------------------------------


def seen(text: str, *, noisy: bool, ties: bool, sign: int = 1) -> list[Any] | None:
    """Return the outputs for three numbers, None if nothing is seen."""
    try:
        runs = MergedRuns(SourceProgram(text, Steps()), [[None] * 3], noisy=noisy)
        return SelectedOutputs(runs, 3, sign=sign, ties=ties).outputs
    except UnsupportedError:
        return None


def tree(pick: Random, left: tuple[int, ...], indent: str) -> str:
    """Return random comparisons that end in a position; most of them find the largest number."""
    if len(left) == 1 or pick.random() < 0.05:
        return f"{indent}return {pick.randrange(3) if pick.random() < 0.03 else left[0]}\n"
    a, b = pick.sample(left, 2)
    op = pick.choice([">", ">=", ">", ">=", "==", "<"])
    over = (a, b) if op != "<" else (b, a)
    more = f" + {pick.randint(0, 1)}" if pick.random() < 0.05 else ""
    without = [tuple(one for one in left if one != lost) for lost in reversed(over)]
    if op == "==":
        without = [tuple(one for one in left if one != b), left]
    one, two = (tree(pick, rest, indent + "    ") for rest in without)
    return f"{indent}if x[{a}] {op} x[{b}]{more}:\n{one}{indent}else:\n{two}"


def test_what_is_seen_is_true() -> None:
    """Against runs of the text as plain Python, at all orders of three numbers."""
    count = 0
    for seed in range(60 * TIMES):
        pick = Random(seed)
        body = tree(pick, (0, 1, 2), "    ")
        text = f"def f(q: Real[3]):\n    x = [lap(eps / 2, y) for y in q]\n{body}"
        scope: dict[str, Any] = {"lap": lambda _, mean: mean, "eps": 1, "Real": {3: list}}
        exec(text, scope)
        for noisy, ties in product((True, False), repeat=2):
            outputs = seen(text, noisy=noisy, ties=ties)
            if outputs is None:
                continue
            count += 1
            points = product(range(3), repeat=3) if ties else permutations((0, 1, 5))
            for point in points:
                own = outputs.index(scope["f"](list(point)))
                assert point[own] == max(point), (text, point)
    assert count > 20


@pytest.mark.parametrize(
    ("body", "sign", "noiseless"),
    [
        ("x.index(max(x))", 1, True),
        ("x.index(min(x))", -1, True),
        ("max(range(3), key=lambda i: x[i])", 1, True),
        ("[1 if max(x) == y else 0 for y in x]", 1, False),
        ("0 if x[0] > max(x[1], x[2]) else 1 if x[1] > x[2] else 2", 1, True),
        ("max(x)", 1, None),
        ("x.index(max(x)) > 0", 1, None),
        ("x.index(max(x)) if x[0] > 3 else 0", 1, None),
        ("max(range(3), key=lambda i: x[i] + i)", 1, None),
        ("sorted(x)[1] == x[1]", 1, None),
    ],
)
def test_spellings(body: str, sign: int, noiseless: bool | None) -> None:
    """With ties, the list of all positions of the maximum does not tell one of them."""
    text = f"def f(q: Real[3]):\n    x = [lap(eps / 2, y) for y in q]\n    return {body}\n"
    assert (seen(text, noisy=True, ties=False, sign=sign) is not None) == (noiseless is not None)
    assert (seen(text, noisy=False, ties=True, sign=sign) is not None) == (noiseless is True)
