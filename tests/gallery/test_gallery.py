"""The gallery of `examples/`: each claim is decided as its file says, and the document is true."""

from __future__ import annotations

import runpy
from functools import cache
from math import isclose, log, sqrt
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from exactdp import Accuracy
from language.corpus import load

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")

PICTURES = ROOT / "docs" / "gallery"
DRAW = runpy.run_path(str(PICTURES / "draw.py"))

HOLDS, TIGHT, FAILS = "holds", "tight", "fails"

#: What is said of each claim: it holds, it holds and no smaller β does, or it fails.
SAID = {
    "laplace": {
        "known bound": TIGHT,
        "exact error": TIGHT,
        "one number's bound for all three": FAILS,
        "5 % errors": FAILS,
    },
    "geometric": {
        "known bound": TIGHT,
        "exact tail": TIGHT,
        "3 or more": FAILS,
        "half at the ends, truncated": TIGHT,
        "sum of two": HOLDS,
        "5 % errors": FAILS,
    },
    "exponential": {
        "known bound": HOLDS,
        "without the best": TIGHT,
        "without the union": FAILS,
        "5 % errors": FAILS,
    },
    "noisy_max": {
        "known bound": HOLDS,
        "known bound, value": HOLDS,
        "twice the rate": FAILS,
        "exponential noise": TIGHT,
        "permute-and-flip is never worse": TIGHT,
        "permute-and-flip, errors above 1": TIGHT,
        "permute-and-flip halves the error": FAILS,
        "index and gap": HOLDS,
        "5 % errors": FAILS,
    },
    "above_threshold": {
        "known bound": HOLDS,
        "a sixth of it": HOLDS,
        "a seventh of it": FAILS,
        "twice the rate": TIGHT,
        "5 % errors": FAILS,
    },
    "sparse": {
        "known bound": HOLDS,
        "a thirteenth of it": FAILS,
        "variant, as run": HOLDS,
        "variant, as printed": FAILS,
        "5 % errors": FAILS,
    },
    "numeric_sparse": {
        "known bound": TIGHT,
        "known bound, artifact": TIGHT,
        "textbook bound": HOLDS,
        "corollary": HOLDS,
        "corollary, artifact": HOLDS,
        "without the test": FAILS,
        "5 % errors": FAILS,
        "5 % errors, artifact": FAILS,
    },
    "svt_variants": {
        "known bound": HOLDS,
        "known bound, Algorithm 2": HOLDS,
        "known bound, Algorithm 3": HOLDS,
        "known bound, Algorithm 4": HOLDS,
        "known bound, Algorithm 5": HOLDS,
        "known bound, Algorithm 6": HOLDS,
        "4/15 of it, Algorithm 1": HOLDS,
        "4/15 of it, Algorithm 2": FAILS,
        "5 % errors": FAILS,
    },
    "smart_sum": {
        "known bound": HOLDS,
        "a third of it": FAILS,
        "six steps": HOLDS,
        "the last sum alone": TIGHT,
        "5 % errors": FAILS,
    },
    "binary_tree": {
        "known bound": HOLDS,
        "a third of it": FAILS,
        "the third sum alone": TIGHT,
        "5 % errors": FAILS,
    },
    "vertex_cover": {
        "known bound": HOLDS,
        "two thirds of it": TIGHT,
        "half of it": FAILS,
        "known bound, gupta": FAILS,
        "gupta errs in 2/3 of runs at most": TIGHT,
        "5 % errors": FAILS,
    },
    "randomized_response": {
        "known bound": TIGHT,
        "one bit's bound for both": FAILS,
        "one of four": TIGHT,
        "majority of three, unanimous": HOLDS,
        "majority of three": FAILS,
        "5 % errors": FAILS,
    },
    "histogram": {
        "known bound": HOLDS,
        "union of exact tails": TIGHT,
        "exact error": TIGHT,
        "one bin's tail for all": FAILS,
        "fullest bin, a lead of 2": HOLDS,
        "5 % errors": FAILS,
    },
    "propose_test_release": {
        "known bound": HOLDS,
        "one tail": TIGHT,
        "for a lead of 3 too": FAILS,
        "5 % errors": FAILS,
    },
    "small_db": {
        "known bound": HOLDS,
        "without the best": TIGHT,
        "without the union": FAILS,
        "5 % errors": FAILS,
    },
    "pipeline": {
        "known bound": TIGHT,
        "exact error": TIGHT,
        "the release alone": FAILS,
        "5 % errors": FAILS,
    },
}
EACH = [(file, name) for file, claims in SAID.items() for name in claims]

module = cache(load)


def claims_of(file: str) -> dict[str, Accuracy]:
    """Return the claims of a file of the gallery."""
    found: dict[str, Accuracy] = module(file).claims
    return found


@pytest.mark.parametrize("file", SAID)
def test_every_file_says_something_true_and_something_sharp(file: str) -> None:
    said = {name: what for name, what in SAID[file].items() if not name.startswith("5 %")}
    assert list(claims_of(file)) == list(SAID[file])
    assert {HOLDS, TIGHT} & set(said.values())
    assert {FAILS, TIGHT} & set(said.values())
    assert said["known bound"] != FAILS


@pytest.mark.parametrize(("file", "name"), EACH)
def test_decided_as_said(file: str, name: str) -> None:
    claim = claims_of(file)[name]
    verdict = claim.check()
    assert verdict.holds is (SAID[file][name] != FAILS)
    assert not verdict.vacuous
    assert (verdict.counterexample is None) == verdict.holds


@pytest.mark.parametrize(("file", "name"), [one for one in EACH if SAID[one[0]][one[1]] == TIGHT])
def test_tight_means_that_nothing_smaller_is_true(file: str, name: str) -> None:
    kappa = claims_of(file)[name].tightest(width="1e-4").kappa
    assert 1 <= kappa.upper <= 1 + 1e-4


# The table of the document ------------------------------------------------------------


def numbers(file: str) -> str:
    """Return the last four columns of a file's row: κ, ε by the known bound, ε, their ratio."""
    claims = claims_of(file)
    kappa = float(claims["known bound"].tightest(width="1e-5").kappa)
    known = float(module(file).known_epsilon)
    needed = float(claims["5 % errors"].smallest_epsilon())
    assert needed <= known
    return f"| {kappa:.3f} | {known:.4f} | {needed:.4f} | {known / needed:.2f} |"


@pytest.mark.parametrize("file", SAID)
def test_the_table_of_the_document(file: str) -> None:
    (row,) = (line for line in DOCUMENT.splitlines() if line.startswith(f"| [{file}]"))
    assert row.endswith(numbers(file))


def test_the_document_has_a_section_for_each_file() -> None:
    for file in SAID:
        assert f"(../examples/{file}.py)" in DOCUMENT
        assert f'show("{file}"' in DOCUMENT


def test_the_table_of_six_sparse_vector_techniques() -> None:
    names = ["known bound"] + [f"known bound, Algorithm {k}" for k in range(2, 7)]
    for k, name in enumerate(names, 1):
        claim = claims_of("svt_variants")[name]
        kappa = float(claim.tightest(width="1e-5").kappa)
        needed = float(claim.smallest_epsilon(beta="1/20"))
        inputs: Any = claim.inputs
        worst = max(float(claim.error_probability(u).at(4)) for u in inputs)
        (row,) = (line for line in DOCUMENT.splitlines() if line.startswith(f"| {k} |"))
        assert row.endswith(f"| {kappa:.3f} | {needed:.4f} | {worst:.4f} |")


# The pictures of the document ---------------------------------------------------------


@pytest.mark.parametrize("file", SAID)
def test_the_picture_of_the_document(file: str, tmp_path: Path) -> None:
    """It is in the document, is what the command draws, and shows the numbers of the table."""
    assert f"](gallery/{file}.svg)" in DOCUMENT
    stored, drawn = PICTURES / f"{file}.svg", tmp_path / f"{file}.svg"
    with mpl.rc_context(DRAW["STYLE"]):
        figure = DRAW["figure_of"](file)
        figure.savefig(drawn, metadata={"Date": None})
    if f"Matplotlib v{mpl.__version__}" in stored.read_text(encoding="utf-8"):
        assert drawn.read_bytes() == stored.read_bytes()
    assert words(drawn) == words(stored)
    (row,) = (line for line in DOCUMENT.splitlines() if line.startswith(f"| [{file}]"))
    lines = figure.axes[0].get_lines()[:2]  # the known bound and the exact error
    for line, budget in zip(lines, row.split(" | ")[3:5], strict=True):
        assert any(budget in one for one in words(stored))
        x, y = np.log(line.get_xdata()), np.log(line.get_ydata())
        assert isclose(np.interp(log(float(budget)), x, y), log(0.05), abs_tol=0.005)


def words(picture: Path) -> list[str]:
    """Return the texts of an SVG."""
    found = ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(one.itertext()) for one in found]


# By hand ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("laplace", -log(1 - 0.95 ** (1 / 3)) / 2),  # (1 − e^{−2ε})³ = 19/20
        ("propose_test_release", log(10)),  # e^{−ε}/2 = 1/20
        ("randomized_response", -log(1 / sqrt(0.95) - 1)),  # (1/(1 + e^{−ε}))² = 19/20
        ("vertex_cover", 6 * log(38)),  # 2/(e^{ε/6} + 2) = 1/20
        ("small_db", 4 * log(38)),  # the same, with e^{ε/4}
        ("pipeline", -log(1.5 - sqrt(2.25 - 0.1))),  # 3z/2 − z²/2 = 1/20, z = e^{−ε}
    ],
)
def test_smallest_epsilons_by_hand(file: str, expected: float) -> None:
    found = float(claims_of(file)["5 % errors"].smallest_epsilon())
    assert isclose(found, expected, rel_tol=1e-9)


def test_algorithm_5_errs_when_the_threshold_alone_is_off() -> None:
    """With answers on both sides of the threshold it must stay within 1: probability e^{−ε/2}."""
    claim = claims_of("svt_variants")["known bound, Algorithm 5"]
    assert isclose(float(claim.smallest_epsilon(beta="1/20")), 2 * log(20), rel_tol=1e-9)


def test_permute_and_flip_is_noisy_max_with_exponential_noise() -> None:
    """Ding et al. 2021: as closed forms in ε, at every input of a grid."""
    found: Any = module("noisy_max")
    flip, noisy = found.permute_and_flip(), found.noisy_max_exponential()
    for u in ([a, b, c] for a in range(3) for b in range(3) for c in range(3)):
        for i in range(3):
            assert flip.probability(u, i) == noisy.probability(u, i)


def test_the_study(tmp_path: Path) -> None:
    """Rows of the table are computed again, and its picture is drawn again."""
    claim = runpy.run_path(str(ROOT / "examples" / "sparse_study.py"))["claim"]
    rows = {(row["c"], row["m"]): row for row in DRAW["study"]()}
    for c, m in ((1, 2), (2, 2), (3, 4)):
        kappa = claim(c, m).tightest().kappa
        assert (str(kappa.lower), str(kappa.upper)) == (rows[c, m]["lower"], rows[c, m]["upper"])
    assert words(DRAW["write_study"](tmp_path)) == words(PICTURES / "sparse_study.svg")
    for c in (1, 2, 3):
        # It grows with m, and more slowly than m.
        line = [rows[c, m]["kappa"] for m in range(c + 1, 21)]
        assert line == sorted(line)
        assert line[-1] / line[0] < 20 / (c + 1)
