"""docs/given-up.md lists every public name that the next version will not have, by families."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path

import pytest

import exactdp

PAGE = Path(__file__).parents[2] / "docs" / "given-up.md"

_KEPT = """
Accuracy ErrorBound Privacy Expected Mechanism Ideal mechanism ideal compare example
confidence_interval
AllReals Box Grid Pairs Dom Real Int Range ANY inf
linf l1 l2 discrete numeric sup value_gap score_gap hamming one_entry add_remove
eps alpha gamma exp log sqrt maximum minimum piecewise parse
lap dlap expo unif choose expmech bernoulli geometric observe
Verdict Answer Counterexample Disagreement Pieces SolutionSet Interval Enclosure ErrorCurve
nonnegative positive roots solution_set supremum infimum
ExactdpError ProgramError ParseError ArgumentRefusedError ValueRefusedError VacuousClaimError
StoreError
"""
KEPT = frozenset(_KEPT.split())
"""The public names of the next version (and the module `certify`)."""


def table(first: str, second: str) -> list[list[str]]:
    """Return the cells of the rows of the table with these first two headings."""
    lines = iter(PAGE.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.startswith(f"| {first} | {second} |"):
            break
    rows = takewhile(lambda line: line.startswith("|"), lines)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows][1:]


def families() -> list[str]:
    """Return the names of the families: the first column, in backticks."""
    return [row[0].strip("`") for row in table("family", "what goes")]


def names() -> list[tuple[str, str]]:
    """Return (family, public name) for each name that goes."""
    found = []
    for family, listed, _ in table("family", "names"):
        found += [(family.strip("`"), name) for name in re.findall(r"`(\w+)`", listed)]
    return found


def test_families_have_short_unique_names() -> None:
    assert len(families()) == len(set(families())) >= 13
    for row in table("family", "what goes"):
        assert re.fullmatch(r"`[a-z]+(-[a-z]+)*`", row[0])
        assert len(row) == 3
        assert all(row)


def test_73_names_are_kept() -> None:
    assert len(KEPT) == 73


def test_every_public_name_is_kept_or_listed() -> None:
    gone = [name for _, name in names()]
    assert len(gone) == len(set(gone))
    assert not KEPT & set(gone)
    assert set(exactdp.__all__) - {"certify"} <= KEPT | set(gone)


@pytest.mark.parametrize(("family", "name"), names())
def test_a_listed_name_belongs_to_a_family(family: str, name: str) -> None:
    assert family in families()
    assert name.isidentifier()
