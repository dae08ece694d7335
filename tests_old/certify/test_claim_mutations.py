"""Any change of a certificate of a claim is answered, and accepted only if it does no harm."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.formulas import exp
from exactdp import (
    ANY,
    Accuracy,
    alpha,
    certify,
    eps,
    gamma,
    minimum,
    numeric,
    sup,
    value_gap,
)
from exactdp.certify.kernel.reading import CertificateReader
from exactdp.certify.rederive import formulas
from support.examples import examples

from .claim_specimens import certificate, make
from .specimens import seal
from .test_fuzz import VALUES
from .test_mutations import Path, leaves, spread, variants

Json = Any

SPECIMENS: dict[str, Callable[[], Accuracy]] = {
    "holds": lambda: Accuracy(
        make("noisy_max", 2),
        beta=minimum(2 * exp(-alpha * eps / 2), 1),
        inputs=[[0, 1], [1, 0], [0, 0]],
    ),
    "fails": lambda: Accuracy(
        make("above_threshold", 2), beta=exp(-alpha * eps), inputs=[[-1, -1], [0, 0]]
    ),
    "all γ": lambda: Accuracy(
        make("noisy_max", 2),
        beta=2 * exp(-gamma * eps / 4),
        gamma=ANY,
        output_distance=value_gap,
        inputs=[[0, 2]],
    ),
    "noise in the output": lambda: Accuracy(
        make("numeric_sparse", 2),
        beta=8 * exp(-eps * gamma / 27),
        alpha=1,
        gamma=1,
        input_distance=numeric,
        output_distance=sup,
        inputs=[[-2, 2]],
    ),
}


def harmless(path: Path, after: Json, whole: Json) -> bool:
    """Whether a change that is accepted leaves the statement true, seen without the checker.

    Another direction to the same nearest input; an entry of it that does not matter; a wider
    enclosure; another spelling of a quotient; a claim about fewer α, γ or ε, or about more inputs
    or ε where one that is still among them refutes it; fewer inputs, one of them twice.
    """
    if path[0] == "signs":
        return True  # test_mutations looks at these
    if path[-1] == "bits":
        return True  # more precision, or less that is still enough
    if "apart" in path:
        return True  # another halfspace, seen to be as far away
    if "near" in path or path[-2:-1] in (("actual",), ("required",)):
        return True
    if path[:2] == ("claim", "cases") and path[4:5] == ("range",):
        return path[5] in ("lower", "lower_closed")
    if path[0] == "regions" and path[-1] == "part":
        return len(whole["claim"]["cases"][0]["beta"]) == 1  # the mean of one formula
    if path[:2] in (("claim", "inputs"), ("claim", "epsilon")) and whole["verdict"] == "fails":
        return True
    if path[:2] == ("claim", "epsilon"):
        on = {**whole["claim"]["epsilon"], path[2]: after}
        return _covers(whole["claim"]["epsilon"], on)
    if path[:3] == ("claim", "inputs", "list"):  # then it is another one of the same list
        changed = copy.deepcopy(whole["claim"]["inputs"]["list"])
        _at(changed, path[3:-1])[path[-1]] = after
        return all(u in whole["claim"]["inputs"]["list"] for u in changed)
    if path[:2] == ("claim", "input_distance"):
        return path[-1] == "threshold"  # the ideal has its own threshold, and `near` fits both
    return _same_function(path, after, whole)


def _covers(outer: Json, inner: Json) -> bool:
    """Whether an interval is within another, by their ends and some points close to them."""
    least = Fraction(1, 10**9)

    def has(on: Json, x: Fraction) -> bool:
        low, high = (inf if on[end] == "inf" else Fraction(on[end]) for end in ("lower", "upper"))
        above = x > low or (on["lower_closed"] and x == low)
        return above and (x < high or (on["upper_closed"] and x == high))

    numbers = [str(on[end]) for on in (outer, inner) for end in ("lower", "upper")]
    ends = [Fraction(end) for end in numbers if end != "inf"]
    points = [Fraction(10**9), *(end + k * least for end in ends for k in (-1, 0, 1))]
    return all(has(outer, x) for x in points if has(inner, x))


def _same_function(path: Path, after: Json, whole: Json) -> bool:
    """Whether the smallest formula around a place has the same value before and after."""
    for cut in range(len(path) - 1, 0, -1):
        old = new = None
        with contextlib.suppress(Exception):
            place = copy.deepcopy(whole)
            old = _read(_at(place, path[:cut]))
            _at(place, path[:-1])[path[-1]] = after
            new = _read(_at(place, path[:cut]))
            return bool(old == new)
    return False


def _read(form: Json) -> Any:
    if isinstance(form, list) and len(form) == 2:
        form = ["form", *form]
    return formulas.read(CertificateReader(), form)[1]


def _at(place: Json, path: Path) -> Json:
    for step in path:
        place = place[step]
    return place


@pytest.mark.parametrize("name", SPECIMENS)
def test_changes_are_accepted_only_if_they_do_no_harm(name: str) -> None:
    right = SPECIMENS[name]().check().certificate
    assert certify.check(right).taken == ()
    changes = [
        (path, change)
        for path, value in leaves({key: one for key, one in right.items() if key != "seal"})
        for change in variants(value)
        if "proof" not in path
    ]
    for path, change in spread(changes, 3, name):
        wrong = copy.deepcopy(right)
        _at(wrong, path[:-1])[path[-1]] = change
        report = certify.check(seal(wrong))
        if report.accepted and report.taken == ():
            assert harmless(path, change, right), (path, change)


@examples(150)
@given(st.sampled_from(sorted(SPECIMENS)), st.integers(0, 10_000), st.integers(0, 5), VALUES)
def test_any_graft_is_answered(name: str, which: int, up: int, value: Json) -> None:
    wrong: Json = json.loads(_text(name))
    paths = [path for path, _ in leaves(wrong) if path != ("seal",)]
    path = paths[which % len(paths)]
    path = path[: max(1, len(path) - up)]
    _at(wrong, path[:-1])[path[-1]] = value
    with contextlib.suppress(TypeError, ValueError):
        wrong = seal(wrong)
    report = certify.check(wrong)
    assert isinstance(report.accepted, bool)
    assert report.reason
    assert report.claim


_TEXTS: dict[str, str] = {}


def _text(name: str) -> str:
    if name not in _TEXTS:
        _TEXTS[name] = json.dumps(SPECIMENS[name]().check().certificate)
    return _TEXTS[name]


@examples(60)
@given(st.sampled_from(["NoisyMax m=2", "AboveThreshold m=2"]), st.data())
def test_any_change_of_the_program_is_answered(name: str, data: st.DataObject) -> None:
    wrong = certificate(name)
    source = wrong["claim"]["mechanism"]
    at = data.draw(st.integers(0, len(source) - 1))
    length = data.draw(st.integers(0, 8))
    text = data.draw(st.text(st.sampled_from("01q[]()=<>+-*/ \nabmr:,."), max_size=4))
    wrong["claim"]["mechanism"] = source[:at] + text + source[at + length :]
    report = certify.check(seal(wrong))
    assert report.reason
    if report.accepted and not report.taken:  # then it is the same program, spelled otherwise
        assert certify.check(certificate(name)).reason == report.reason


def test_a_part_of_another_certificate_is_rejected() -> None:
    """Parts of certificates that are right, each in its own, are wrong together."""
    holds = [certificate(name) for name in ("NoisyMax m=2", "AboveThreshold m=2")]
    fails = [certificate(name, fails=True) for name in ("NoisyMax", "AboveThreshold")]
    for one, two in (holds, fails, (holds[0], fails[0])):
        for part in ("claim", "regions", "signs", "counterexamples"):
            if one[part] != two[part]:
                assert not certify.check(seal(one | {part: two[part]}))
