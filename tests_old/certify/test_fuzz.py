"""No input makes the checker raise, run on, or accept by accident."""

from __future__ import annotations

import contextlib
import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import certify
from support.examples import examples

from .specimens import ALL, seal
from .test_mutations import leaves

Json = Any

NUMBERS = ["0", "1", "-1", "1/2", "-7/3", "1*2^-5", "9" * 700, "1/" + "7" * 700]
WORDS = [
    "inf",
    "-inf",
    "lower",
    "middle",
    "upper",
    "holds",
    "fails",
    ">",
    ">=",
    "numerator",
    "\ud800",
]
RULES = ["linear", "start", "box", "span"]
TOP_KEYS = ["claim", "proof", "positive", "negative", "numerator", "denominator", "on"]
INNER_KEYS = [
    "terms",
    "power",
    "sign",
    "pieces",
    "at",
    "value",
    "pole",
    "zero_of",
    "between",
    "bits",
]
KEYS = st.sampled_from(TOP_KEYS + INNER_KEYS)
TEXTS = st.text(max_size=8) | st.sampled_from(NUMBERS + WORDS + RULES)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS | TEXTS, inner, max_size=5),
    max_leaves=20,
)


@settings(deadline=None)
@given(VALUES)
def test_any_json_is_answered(value: Json) -> None:
    assert not certify.check(value)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_answered(text: str) -> None:
    assert not certify.check(text)


@examples(200)
@given(st.sampled_from(sorted(ALL)), st.integers(0, 1000), st.integers(0, 4), VALUES)
def test_any_graft_is_answered(name: str, which: int, up: int, value: Json) -> None:
    """Replace a part of a specimen, small or large, by anything; seal it again if possible."""
    certificate: Json = copy.deepcopy(ALL[name])
    paths = [path for path, _ in leaves(certificate) if path != ("seal",)]
    path = paths[which % len(paths)]
    path = path[: max(1, len(path) - up)]
    place = certificate
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with contextlib.suppress(TypeError, ValueError):
        certificate = seal(certificate)
    report = certify.check(certificate)
    assert isinstance(report.accepted, bool)
    assert report.reason
    assert report.claim


def nested(depth: int) -> Json:
    value: Json = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [50, 300, 900, 100_000])
def test_deep_nesting_is_answered(depth: int) -> None:
    place = ALL["ε > 0 on (0, ∞)"]
    assert not certify.check("[" * depth + "]" * depth)
    assert not certify.check('{"format":' * depth + "1" + "}" * depth)
    for deep in (place | {"proof": nested(depth)}, place | {"kind": nested(depth)}):
        assert not certify.check(deep)
        if depth < 400:
            assert not certify.check(seal(deep))
    text = json.dumps(place).replace('[["linear"]]', "[" * depth + "]" * depth)
    assert not certify.check(text)


def test_what_is_not_json_is_answered() -> None:
    loop: dict[str, Any] = {"format": "exactdp-certificate"}
    loop["claim"] = loop
    for value in (loop, b"{}", {1, 2}, object(), {"format": object()}, {(1, 2): 3}, {1: 1, "1": 1}):
        assert not certify.check(value)  # type: ignore[arg-type]


def test_repeated_keys_are_rejected() -> None:
    text = json.dumps(ALL["ε > 0 on (0, ∞)"])
    assert certify.check(text)
    assert not certify.check(text.replace('"verdict"', '"verdict": "holds", "verdict"'))


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 5000])
def test_strange_numbers_are_rejected(constant: str) -> None:
    text = json.dumps(ALL["ε > 0 on (0, ∞)"])
    assert not certify.check(text.replace('"version": 2', f'"version": {constant}'))
