"""The published schema describes the certificates, and is itself well formed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from exactdp import certify

from .specimens import ALL
from .test_rejects import WRONG, changed

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/schema/certificate-v2.json").read_text(encoding="utf-8")
)
VALIDATOR: Any = jsonschema.Draft202012Validator(SCHEMA)

MALFORMED = [
    "an unknown key",
    "an unknown key in a factor",
    "an unknown key in a refutation",
    "another version",
    "another relation",
    "a denominator of 1",
    "a leading zero",
    "minus zero",
    "a decimal",
    "a number instead of a text",
    "a term of two",
    "a negative power of ε",
    "division by 0",
    "the power 0",
    "the sign 2",
    "an unknown piece",
    "a box at no point",
    "a box that does not say where",
    "closed is not a truth value",
    "infinity on the wrong side",
    "the other verdict, the same proof",
    "an exponent without end",
]


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", ALL)
def test_specimens_fit_the_schema(name: str) -> None:
    VALIDATOR.validate(ALL[name])


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_certificates_do_not_fit(name: str) -> None:
    specimen, path, value = WRONG[name]
    assert not VALIDATOR.is_valid(changed(ALL[specimen], path, value))


def test_the_limits_are_those_of_the_checker() -> None:
    definitions = SCHEMA["$defs"]
    assert definitions["degree"]["maximum"] == certify.MAX_DEGREE
    assert definitions["factor"]["properties"]["power"]["maximum"] == certify.MAX_DEGREE
    assert definitions["bits"]["maximum"] == certify.MAX_BITS
    assert certify.MAX_TEXT == 50_000_000
    assert certify.MAX_DIGITS == 200_000
    assert certify.MAX_EXPONENT_BITS == 20_000
    assert certify.MAX_WORK == 50_000_000
