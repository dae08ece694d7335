"""Every certificate that the solver writes is accepted, and no changed one is."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from exactdp import certify
from exactdp.reals import Decision, Interval, eps, exp, inf, nonnegative, parse, positive
from exactdp.reals.certificates import seal

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "schema" / "certificate-v2.json").read_text()
)

WRITTEN: dict[str, Decision] = {
    "start, boxes and tail": positive(parse("exp(eps) - 1 - eps - eps^2/2")),
    "both sides of zero": nonnegative(parse("exp(eps) - 1 - eps"), "(-inf, inf)"),
    "even factors": nonnegative((exp(eps) - 2) ** 2 * (eps - 1) ** 2 * (eps + exp(-eps))),
    "a quotient": positive((1 - exp(-eps)) / (1 + eps * exp(-eps))),
    "a closed end that is a zero": nonnegative((eps - 1) * exp(eps), "[1, 3]"),
    "a single point": positive(parse("exp(eps) - 2"), Interval(1, 1)),
    "zero": nonnegative(parse("0"), "[-1, 1]"),
    "a negative value": nonnegative(parse("1 - exp(-eps) - eps")),
    "a tiny value": nonnegative(-exp(-1000 * eps), "[1000, inf)"),
    "an exact zero": positive((eps - 1) ** 2 * exp(eps)),
    "an irrational zero": positive((exp(eps) - 2) ** 2),
    "an irrational zero on the left": positive((exp(eps) - Fraction(1, 2)) ** 2, "(-inf, inf)"),
    "a pole": nonnegative(1 / (eps - 1) ** 2),
    "an irrational pole": nonnegative(1 / (exp(eps) - 2) ** 2),
    "a pole at zero": nonnegative(1 / eps, Interval(0, inf)),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_accepted_valid_and_plain_json(name: str) -> None:
    certificate = WRITTEN[name].certificate
    assert json.loads(json.dumps(certificate)) == certificate
    jsonschema.validate(certificate, SCHEMA)
    report = certify.check(json.dumps(certificate))
    assert report.accepted, report.reason
    assert certificate["verdict"] == ("holds" if WRITTEN[name] else "fails")
    assert pickle.loads(pickle.dumps(WRITTEN[name])).certificate == certificate


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all numbers, strings and booleans."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))
    else:
        yield path


def changes(value: Any) -> list[Any]:
    """Return wrong versions of a leaf."""
    if isinstance(value, bool) or value is None:
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, -value] if value else [1, -1]
    try:
        number = Fraction(value)
    except ValueError:
        return [value + "1", "", value[::-1] if value[::-1] != value else "x"]
    return [str(number + 1), str(-number) if number else "1", str(number + Fraction(1, 1000))]


def with_change(certificate: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(certificate)
    place: Any = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


@pytest.mark.parametrize("name", WRITTEN)
def test_every_change_is_rejected(name: str) -> None:
    certificate = WRITTEN[name].certificate
    for path in leaves(certificate):
        place: Any = certificate
        for key in path:
            place = place[key]
        for value in changes(place):
            changed = with_change(certificate, path, value)
            assert not certify.check(changed).accepted, (path, value)


@pytest.mark.parametrize("name", [name for name in WRITTEN if name != "zero"])
def test_a_false_claim_is_rejected_even_with_a_new_seal(name: str) -> None:
    """The opposite verdict, or the opposite function, with the old proof and a fitting seal."""
    certificate = WRITTEN[name].certificate
    flipped = {"holds": "fails", "fails": "holds"}[certificate["verdict"]]
    opposite = with_change(certificate, ("verdict",), flipped)
    negated = copy.deepcopy(certificate)
    for one in negated["claim"]["numerator"]:
        one[0] = str(-Fraction(one[0]))
    for changed in [opposite] + ([negated] if certificate["verdict"] == "holds" else []):
        del changed["seal"]
        assert not certify.check({**changed, "seal": seal(changed)}).accepted
