"""Certificates of claims that are proved at a few inputs, which stand for all others."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import pytest

from certify.parts import regions
from exactdp import AllReals, Box, ErrorBound, Grid, Mechanism
from exactdp.certify import check
from exactdp.reals.certificates import seal

Change = Callable[[dict[str, Any]], object]

LARGEST = """
def largest(q: Real[{m}]):
    noisy = [lap(eps / 2, x) for x in q]
    return {best}(range({m}), key=lambda i: noisy[i])
"""
CLIPPED = "def clipped(q: Real[5]):\n    return lap(eps, sum(max(0, min(1, x)) for x in q))\n"
ADDED: dict[str, tuple[str, Any]] = {
    "a clipped sum": (CLIPPED, AllReals()),
    "in a box": (CLIPPED, Box(0, 3)),
    "a loop": (
        "def mean(q: Real[5]):\n"
        "    t = 0\n"
        "    for x in q:\n"
        "        if x > 1:\n"
        "            t = t + 1\n"
        "        elif not x < 0:\n"
        "            t = t + x\n"
        "    return [lap(eps, t / 5), lap(eps / 2, t if t > 2 or q[0] == 0 else 3)]\n",
        AllReals(),
    ),
    "either way": (
        "def shifted(x, way):\n"
        "    if way:\n"
        "        return lap(eps, x)\n"
        "    else:\n"
        "        return lap(eps, 0) - abs(x)\n"
        "def either(q: Real[4]):\n"
        "    return [shifted(max(q), q[0] > 0), any([x > 1 for x in q])]\n",
        AllReals(),
    ),
    "nothing is compared": (
        "def mean(q: Real[50]):\n    return lap(eps, sum(q) / 50)\n",
        AllReals(),
    ),
    "nothing is compared, in a box": (
        "def mean(q: Real[50]):\n    return lap(eps, sum(q) / 50)\n",
        Box(0, 1),
    ),
    "a grid": ("def mean(q: Real[4]):\n    return lap(eps, sum(q) / 4)\n", Grid(-3, 3)),
    "counts": (
        "def counts(x: Dom(0, 2)[7]):\n"
        "    return [dlap(eps, sum(1 for v in x if v == k)) for k in range(2)]\n",
        None,
    ),
}


def sealed(body: dict[str, Any]) -> dict[str, Any]:
    """Return a certificate with a fresh seal."""
    rest = {name: one for name, one in body.items() if name != "seal"}
    return {**rest, "seal": seal(rest)}


def changed(certificate: dict[str, Any], change: Change) -> dict[str, Any]:
    """Return a changed certificate, with a fresh seal."""
    copy = deepcopy(certificate)
    change(copy)
    return sealed(copy)


@cache
def selected(m: int, best: str = "max", box: Box | None = None) -> dict[str, Any]:
    """Return the certificate of a bound on the regret."""
    mechanism = Mechanism.from_source(LARGEST.format(m=m, best=best))
    bound = ErrorBound(mechanism, 2, "10%", inputs=AllReals() if box is None else box)
    found: dict[str, Any] = bound.check(eps="[9, inf)").certificate
    return found


@cache
def added(name: str) -> dict[str, Any]:
    """Return the certificate of a bound on the error of a mechanism that only adds noise."""
    source, inputs = ADDED[name]
    bound = ErrorBound(
        Mechanism.from_source(source), 3, "70%", **({} if inputs is None else {"inputs": inputs})
    )
    found: dict[str, Any] = bound.check(eps="[1, inf)").certificate
    return found


def proved(certificate: dict[str, Any]) -> str:
    """Return what is proved, if all of it is derived again."""
    report = check(certificate)
    assert report.accepted, report.reason
    assert not report.taken
    return report.reason


# The regret of a selection ------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "best", "box"),
    [(2, "max", None), (3, "min", None), (4, "max", Box(1, 5)), (6, "max", None)],
)
def test_the_regret_of_a_selection(m: int, best: str, box: Box | None) -> None:
    """One region for each position, with 2 numbers as with 6."""
    certificate = selected(m, best, box)
    assert len(regions(certificate)) == m
    assert "have the largest regret" in proved(certificate)


def _mechanism(text: str) -> Change:
    return lambda copy: copy["claim"].update(mechanism=text)


def _chosen(text: str) -> Change:
    """Return a change of the mechanism, with the ideal that it had."""

    def change(copy: dict[str, Any]) -> None:
        ideal = LARGEST.format(m=3, best="max").replace("lap(eps / 2, x)", "x")
        copy["claim"].update(mechanism=text, ideal={"source": ideal})

    return change


def _cells(change: Change) -> Change:
    """Return a change of every cell."""

    def whole(copy: dict[str, Any]) -> None:
        for region in regions(copy):
            change(region["tree"]["cell"])

    return whole


def _silent(cell: dict[str, Any]) -> None:
    cell.update(distance=["0"], obligations=None)


def _silent_at_a_limit(cell: dict[str, Any]) -> None:
    _silent(cell)
    cell["parts"]["near"].update(towards=["1", "0", "0", "0", "0"])


def _as_parts(copy: dict[str, Any]) -> None:
    """Let the regions be all that there are."""
    alone = {"part": 0, "sides": [], "regions": regions(copy)}
    copy["regions"] = [{"free": [], "tree": alone}]


def _input(place: int, value: str) -> Change:
    return lambda copy: regions(copy)[0]["input"].__setitem__(place, value)


WRONG_SELECTIONS: dict[str, Change] = {
    "a position is left out": lambda copy: regions(copy).pop(),
    "a position twice": lambda copy: regions(copy).__setitem__(0, regions(copy)[1]),
    "another order": lambda copy: regions(copy).reverse(),
    "a larger gap": _input(1, "-3"),
    "a larger gap everywhere": lambda copy: [
        region.update(input=["-5" if x == "-2" else x for x in region["input"]])
        for region in regions(copy)
    ],
    "a smaller γ": lambda copy: copy["claim"]["cases"][0].update(
        gamma={"formula": ["form", [["1", 0, "0"]], [["1", 0, "0"]]]}
    ),
    "another reason": lambda copy: copy["regions"][0].update(stands_for="every"),
    "no reason": _as_parts,
    "an unknown reason": lambda copy: copy["regions"][0].update(stands_for="luck"),
    "nothing is claimed": _cells(_silent),
    "another ideal output": _cells(lambda cell: cell.update(output="0")),
    "an ideal that is the smallest": lambda copy: copy["claim"].update(
        ideal={"source": LARGEST.format(m=3, best="min").replace("lap(eps / 2, x)", "x")}
    ),
    "an ideal that looks at two numbers": lambda copy: copy["claim"].update(
        ideal={"source": "def ideal(q: Real[3]):\n    return 0 if q[0] >= q[1] else 1\n"}
    ),
    "the smallest": _chosen(LARGEST.format(m=3, best="min")),
    "less noise": _mechanism(LARGEST.format(m=3, best="max").replace("eps / 2", "eps / 3")),
    "clipped numbers": _chosen(
        LARGEST.format(m=3, best="max").replace("lap(eps / 2, x)", "lap(eps / 2, max(x, 0))")
    ),
    "numbers that are not shifted": _chosen(
        LARGEST.format(m=3, best="max")
        .replace("lap(eps / 2, x)", "lap(eps / 2, x + x) - 1")
        .replace("noisy[i])", "noisy[i] if noisy[i] < 99 else 0 - noisy[i])")
    ),
    "a prejudice": _chosen(
        "def odd(q: Real[3]):\n"
        "    a, b, c = [lap(eps / 2, x) for x in q]\n"
        "    return 1 if abs(a - b) < abs(b - c) else 0 if a > c else 2\n"
    ),
    "not a position": _chosen(
        "def odd(q: Real[3]):\n"
        "    a, b, c = [lap(eps / 2, x) for x in q]\n"
        "    return 0 if a >= b and a >= c else 1 if b >= c else 2 if c < a + 99 else 7\n"
    ),
    "another distance of outputs": lambda copy: copy["claim"].update(
        output_distance={"source": "def gap(u, i, j):\n    return 3 * abs(u[i] - u[j])\n"}
    ),
    "another distance of inputs": lambda copy: copy["claim"].update(
        input_distance={"name": "linf"}
    ),
    "any α": lambda copy: copy["claim"].update(
        alpha={"range": {"lower": "0", "lower_closed": True, "upper": "inf", "upper_closed": False}}
    ),
}


@pytest.mark.parametrize("what", WRONG_SELECTIONS)
def test_wrong_regrets_are_rejected(what: str) -> None:
    report = check(changed(selected(3), WRONG_SELECTIONS[what]))
    assert not report.accepted, report.reason


def test_the_ideal_of_a_selection_may_be_given() -> None:
    """What the forgeries change is accepted if it is not changed."""
    proved(changed(selected(3), _chosen(LARGEST.format(m=3, best="max"))))


# Noise that is only added -------------------------------------------------------------


@pytest.mark.parametrize("name", ADDED)
def test_noise_that_is_only_added(name: str) -> None:
    """One input stands for all; the solver finds the same error at another one."""
    certificate = added(name)
    assert len(regions(certificate)) == 1
    assert "the error is the same at every input" in proved(certificate)
    mechanism = Mechanism.from_source(ADDED[name][0])
    size = len(regions(certificate)[0]["input"])
    one, other = (mechanism.within(u[:size], 3) for u in ([0] * 56, [2, 1, 0, 1, 2, 0, 1] * 8))
    assert one == other


def _body(text: str, *, size: int = 5) -> Change:
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    return _mechanism(f"def clipped(q: Real[{size}]):\n{lines}")


WRONG_SUMS: dict[str, Change] = {
    "noise is compared": _body("r = lap(eps, q[0])\nreturn r if r > -9000 else 0"),
    "noise is clipped": _body("return max(lap(eps, q[0]), -9000)"),
    "noise is rounded": _body("return floor(lap(eps, q[0]))"),
    "an absolute value": _body("return abs(lap(eps, q[0]))"),
    "a larger scale": _body("return lap(eps / 2, q[0])"),
    "a scale of the input": _body("return lap(eps / 2 if q[0] > 9 else eps, q[0])"),
    "noise times the input": _body("return q[1] + q[0] * lap(eps, 0)"),
    "another factor": _body("r = lap(eps, 0)\nreturn q[0] + (2 * r if q[0] > 9 else r)"),
    "more noise in one case": _body(
        "t = lap(eps, q[0])\nif q[0] > 9:\n    t = t + lap(eps, 0)\nreturn t"
    ),
    "noise that is drawn in one case only": _body(
        "t = lap(eps, q[0])\nif q[0] > 9:\n    u = lap(eps / 9, 0)\nreturn t"
    ),
    "the same noise in other places": _body(
        "a = lap(eps, 0)\nb = lap(eps / 9, 0)\n"
        "if q[0] > 9:\n    t = b\nelse:\n    t = a\nreturn t + q[0]"
    ),
    "a constant of the same name": _mechanism(
        "t = 5\n"
        "def clipped(q: Real[5]):\n"
        "    r = lap(eps, q[0])\n"
        "    if q[0] > 9:\n        t = 2 * r\n    else:\n        t = 3 * r\n"
        "    return r + t\n"
    ),
    "no noise in one case": _body("return lap(eps, q[0]) if q[0] < 9 else q[0]"),
    "more numbers in one case": _body(
        "t = [lap(eps, q[0])]\nif q[0] > 9:\n    t = [t[0], t[0]]\nreturn t"
    ),
    "a loop that ends early": _body(
        "t = lap(eps, q[0])\n"
        "for x in q:\n    if x > 9:\n        break\n    t = t + lap(eps, 0)\nreturn t"
    ),
    "noise behind `and`": _body(
        "return lap(eps, q[0]) + (1 if q[0] > 9 and lap(eps, 0) > 0 else 0)"
    ),
    "a maximum of a number": _body("return lap(eps, max(q[0]))"),
    "an absolute value of a list": _body("return lap(eps, abs(q))"),
    "noise as an index": _body("return q[1 if lap(eps, q[0]) > 0 else 0]"),
    "noise that is sorted": _body("return sorted([lap(eps, x) for x in q])[0]"),
    "noise that is the largest": _body("return max([lap(eps, x) for x in q])"),
    "a maximum of one's own": _mechanism(
        "def max(a, b):\n    return a if a > b else b\n"
        "def clipped(q: Real[5]):\n    return max(lap(eps, q[0]), -9000)\n"
    ),
    "integer noise at a half": _body("return dlap(eps, q[0] / 2)"),
    "uniform noise": _body("return unif(q[0] - 1, q[0] + 1)"),
    "a random choice": _body("return lap(eps, q[0]) + choose({0: 1/2, 9: 1/2})"),
    "a failure at some inputs": _body("assert q[0] < 9\nreturn lap(eps, q[0])"),
    "another ideal": lambda copy: copy["claim"].update(
        ideal={"source": "def ideal(q: Real[5]):\n    return sum(max(0, min(2, x)) for x in q)\n"}
    ),
    "another distance of outputs": lambda copy: copy["claim"].update(
        output_distance={"name": "discrete"}
    ),
    "another distance of inputs": lambda copy: copy["claim"].update(
        input_distance={"name": "linf"}
    ),
    "a β of the input": lambda copy: copy["claim"]["cases"][0].update(beta=[["name", "q[0]"]]),
    "a smaller β": lambda copy: copy["claim"]["cases"][0].update(
        beta=[["form", [["1/100", 0, "0"]], [["1", 0, "0"]]]]
    ),
    "another reason": lambda copy: copy["regions"][0].update(stands_for="regret"),
    "no reason": _as_parts,
    "two inputs": lambda copy: regions(copy).append(regions(copy)[0]),
    "nothing is claimed": _cells(_silent),
    "nothing is claimed, at a limit": _cells(_silent_at_a_limit),
    "not an input": lambda copy: regions(copy)[0]["input"].__setitem__(0, {"text": "x"}),
}


@pytest.mark.parametrize("what", WRONG_SUMS)
def test_wrong_sums_are_rejected(what: str) -> None:
    report = check(changed(added("a clipped sum"), WRONG_SUMS[what]))
    assert not report.accepted, report.reason


def test_another_input_is_as_good() -> None:
    """The input need not be 0."""

    def move(copy: dict[str, Any]) -> None:
        region = regions(copy)[0]
        region["input"] = ["1/3", "7", "-5", "1", "0"]
        region["tree"]["cell"].update(output="7/3")
        region["tree"]["cell"]["parts"]["near"].update(at=["0"] * 5)

    proved(changed(added("a clipped sum"), move))
