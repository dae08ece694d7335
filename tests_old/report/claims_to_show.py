"""Claims of every kind that a picture or page meets: true, false, for all reals, saying nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from exactdp import Accuracy, AllReals, Grid, Mechanism, alpha, discrete, eps, exp, gamma, sup
from exactdp.report.page import write_report

NOISY_MAX = """
def noisy_max(q: Real[3]):
    best, top = 0, lap(eps / 2, q[0])
    for i in range(1, 3):
        r = lap(eps / 2, q[i])
        if r > top:
            best, top = i, r
    return best
"""
noisy_max = Mechanism.from_source(NOISY_MAX)
two = Mechanism.from_source(NOISY_MAX.replace("3", "2"))
laplace = Mechanism.from_source("def laplace(q: Real):\n    return lap(eps, q)\n")
geometric = Mechanism.from_source("def geometric(x: Dom(0, 2)):\n    return dlap(eps, x)\n")


def released(mechanism: Mechanism, beta: Any, allowed: Any, u: object) -> Accuracy:
    """Return a claim about a released number: it speaks at every input."""
    return Accuracy(
        mechanism,
        beta,
        alpha=0,
        gamma=allowed,
        input_distance=discrete,
        output_distance=sup,
        inputs=[u],
    )


HOLDS = Accuracy(noisy_max, beta=3 * exp(-alpha * eps / 2), inputs=Grid(-1, 1))
FAILS = Accuracy(noisy_max, beta=2 * exp(-alpha * eps / 2) / 3, inputs=Grid(-1, 1))
EVERYWHERE = Accuracy(two, beta=3 * exp(-alpha * eps / 2), inputs=AllReals())
SILENT = Accuracy(two, beta=exp(-alpha * eps), inputs=[[0, 0]])
RELEASE = released(laplace, exp(-gamma * eps), 1, 0)
#: True exactly where e^{−ε} ≤ 1/20, that is from ln 20 on.
BUDGET = released(laplace, "1/20", 1, 0)
#: False for every ε: the error is 2·e^{−2ε}/(1 + e^{−ε}).
QUOTIENT = released(geometric, exp(-2 * eps), 1, 0)
CLAIMS = {
    "holds": HOLDS,
    "fails": FAILS,
    "everywhere": EVERYWHERE,
    "says <nothing> & more": SILENT,
    "budget": BUDGET,
    "quotient": QUOTIENT,
}


def written_once(folders: pytest.TempPathFactory) -> Path:
    """Return the report of all these claims; the processes of one run of pytest share it."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        path = folders.mktemp("report") / "report.html"
    else:
        path = folders.getbasetemp().parent / f"report-{run}.html"
    if not path.exists():
        draft = folders.mktemp("draft") / "report.html"
        write_report(CLAIMS, draft, NOISY_MAX)
        draft.replace(path)
    return path
