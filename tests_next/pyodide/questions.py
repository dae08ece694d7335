"""Questions whose answers are the same in every Python: here, and in a browser's.

This is imported by the tests and, in Pyodide, by `answer.mjs`.
"""

# mypy: ignore-errors

from __future__ import annotations

import json
import sys

from exactdp import Accuracy, Real, alpha, certify, eps, exp, lap, mechanism, parse
from exactdp_next.codec import digest
from exactdp_next.errors import ExactdpError
from exactdp_next.run import progress, running

HEAVY = {"numpy", "sqlite3", "multiprocessing", "matplotlib"}
"""What a browser may not have; Pyodide itself loads threading and signal, which do little there."""

FORMULAS = (
    "1 - 3/2*exp(-alpha*eps/2) + eps^2*exp(-eps/3)/7",
    "piecewise((exp(-alpha*eps), alpha < 1), (min(1, 2*exp(-eps)), True))",
    "log(3)*eps + sqrt(2) - 10^30 + 1/12345678901234567890",
)
WRONG = ("1 +\n2 * x", "1/0", "(" * 300, "2^99999999999999")


@mechanism
def noisy_max(q: Real[3]):
    """Return the index of the largest of three noisy numbers."""
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 3):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best


def square(x: int) -> int:
    """Return x², in a process if there can be one."""
    progress(x, 10, "number")
    return x * x


def message(text: str) -> str:
    """Return the error of a text that is no formula."""
    try:
        return f"read as {parse(text)}"
    except ExactdpError as error:
        return f"{type(error).__name__} {error}"


def answers() -> dict[str, object]:
    """Return everything that is compared, as JSON."""
    lemma = Accuracy(noisy_max, 3 * exp(-alpha * eps / 2), [[1, 0, 0]]).check()
    written = json.loads(json.dumps(lemma.certificate))
    changed = json.loads(json.dumps(lemma.certificate))
    changed["statement"]["beta"] = "3*exp(-alpha*eps)"
    try:
        certify.accepted(changed)
        rejected = "no"
    except certify.Rejected:
        rejected = "yes"
    too_small = Accuracy(noisy_max, 3 * exp(-alpha * eps / 2) / 5, [[2, 0, 0]]).check()
    with running(jobs=2) as one:
        squares = list(one.map(square, range(10)))
    return {
        "holds": str(lemma),
        "certificate": digest(written),
        "accepted": certify.accepted(written).text,
        "a changed certificate is rejected": rejected,
        "fails": str(too_small),
        "formulas": [str(parse(text)) for text in FORMULAS],
        "value": str(parse(FORMULAS[2]).at("1/10", 40)),
        "derived": str(parse(FORMULAS[0]).at({"alpha": 2}).at("1/3", 30)),
        "errors": [message(text) for text in WRONG],
        "squares": squares,
    }


def facts() -> dict[str, object]:
    """Return what differs between Pythons."""
    return {
        "platform": sys.platform,
        "largest index": sys.maxsize,
        "heavy": sorted(HEAVY & {name.partition(".")[0] for name in sys.modules}),
    }
