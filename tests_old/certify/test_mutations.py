"""Every number, text and truth value in every specimen, changed one at a time."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from exactdp import certify
from support.examples import TIMES

from .specimens import ALL, seal
from .truth import is_true

Json = Any
Path = tuple[str | int, ...]
Change = tuple[Path, Json]
"""A place, and what to put there."""

WORDS = [">", ">=", "holds", "fails", "inf", "-inf", "numerator", "denominator"]
WORDS += ["lower", "middle", "upper"]


def leaves(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Walk over all that is not a list or an object."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from leaves(inner, (*path, key))
    else:
        yield path, value


def variants(value: Json) -> list[Json]:
    """Return what a slip of the pen may turn a value into."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [
            change for change in (value + 1, value - 1, -value, 2 * value + 3) if change != value
        ]
    if value is None:
        return [{"numerator": [], "denominator": []}]
    try:
        x = Fraction(value)
    except ValueError:
        return [word for word in [*WORDS, value[:-1], value + "1"] if word != value]
    changes = [x + 1, x - 1, -x, 2 * x, x / 3, x + Fraction(1, 10**6), 1000 * x]
    return [str(change) for change in changes if change != x]


def spread(changes: Iterable[Change], each: int, seed: str) -> list[Change]:
    """Return so many changes of each kind of place; numbers in a path make no other kind."""
    kinds: dict[Path, list[Change]] = {}
    for change in changes:
        kind = tuple("" if isinstance(step, int) else step for step in change[0])
        kinds.setdefault(kind, []).append(change)
    source = random.Random(seed)
    return [
        one for kind in kinds.values() for one in source.sample(kind, min(each * TIMES, len(kind)))
    ]


def mutants(certificate: Json) -> Iterator[Json]:
    for path, value in leaves({k: v for k, v in certificate.items() if k != "seal"}):
        for variant in variants(value):
            mutant = copy.deepcopy(certificate)
            place = mutant
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = variant
            yield mutant


@pytest.mark.parametrize("name", ALL)
def test_unsealed_changes_are_rejected(name: str) -> None:
    assert not any(certify.check(mutant) for mutant in mutants(ALL[name]))


@pytest.mark.parametrize("name", ALL)
def test_a_changed_seal_is_rejected(name: str) -> None:
    seal_text = ALL[name]["seal"]
    for wrong in (seal_text[:-1], seal_text[::-1], seal_text.upper(), "", None, 0):
        assert not certify.check(ALL[name] | {"seal": wrong})


@pytest.mark.parametrize("name", ALL)
def test_sealed_changes_are_accepted_only_if_still_true(name: str) -> None:
    """A change may by chance give another true statement with a valid proof, never a false one."""
    sealed = [seal(mutant) for mutant in mutants(ALL[name])]
    accepted = [mutant for mutant in sealed if certify.check(mutant)]
    assert all(is_true(mutant) for mutant in accepted)
    assert len(accepted) < len(sealed) / 2


@pytest.mark.parametrize("name", ALL)
def test_mpmath_agrees_with_the_specimens(name: str) -> None:
    """The judge of the test above is itself right about the originals."""
    assert is_true(ALL[name])
    if ALL[name]["verdict"] == "fails" and "between" not in ALL[name]["proof"]:
        assert not is_true(ALL[name] | {"verdict": "holds"})
