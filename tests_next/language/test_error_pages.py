"""docs/errors: wrong programs are refused with their code at their line, right ones are taken.

Words do not bind. `EXPECTED` lists what fails, by family; it can only become shorter.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from tests_next.outside import front

from exactdp_next.errors import ExactdpError, NotYet

PAGES = sorted((Path(__file__).parents[2] / "docs" / "errors").glob("*.md"))
CASE = re.compile(
    r"^Wrong:\n\n```python\n(.*?)```\n\n```text\n(.*?)```\n\nRight:\n\n```python\n(.*?)```$",
    re.DOTALL | re.MULTILINE,
)
CASES: list[tuple[str, int, str, str, str]] = [
    (page.stem, number, found[1], found[2], found[3])
    for page in PAGES
    for number, found in enumerate(CASE.finditer(page.read_text(encoding="utf-8")))
]

EXPECTED = {
    "loops: how likely they end, and how many states they have": {"F10", "F38", "F39"},
    "comprehensions of more than 20,000 entries": {"F34"},
    "runs in floats (graph/simulate)": {"I24", "I28", "I29", "I30"},
    "the interval of ε of a mechanism (public)": {"N23", "S25", "S39"},
    "rounded noise, and integer noise as a finite value": {"R30", "R32", "R33", "R34"},
    "rates with roots and logarithms, outputs in ε (measure)": {
        *("S43", "S49", "S50", "S51", "S52"),
    },
    "given up: quotients of noise, gumbel": {"R05", "R31", "S47"},
    "right in this tree: a name is what it is where a function is defined": {"N28", "S19"},
    "right in this tree: lists and tuples are different outputs": {"L11"},
    "claims": {"N30"},
}
KNOWN = {code for codes in EXPECTED.values() for code in codes}


def run(text: str, folder: Path, name: str) -> None:
    """Run a file, or read a program that begins with its constants or its `def`."""
    if not text.startswith(("from ", "import ")):
        front.Mechanism.from_source(text, name=name)
        return
    text = text.replace("from exactdp import", "from tests_next.outside.front import")
    (folder / name).write_text(text, encoding="utf-8")
    runpy.run_path(str(folder / name))


def problem(case: tuple[str, int, str, str, str], folder: Path) -> str | None:
    """Return what is wrong with a pair, or None."""
    page, number, wrong, shown, right = case
    code = code_of(shown)
    place = re.match(r"\S+?:(\d+):\d+: ", shown)
    stem = f"{page}-{number}"
    try:
        run(wrong, folder, f"{stem}-wrong.py")
    except (NotYet, ImportError) as error:
        return repr(error)
    except ExactdpError as error:
        if error.code != code or error.line != (int(place[1]) if place else None):
            return f"{error.code} in line {error.line}: {error}"
        if str(error).count("\n") < 2:
            return "no rule and no way out"
    else:
        return "accepted"
    try:
        run(right, folder, f"{stem}-right.py")
    except (ExactdpError, NotYet, ImportError) as error:
        return f"the right program: {error}"
    return None


def code_of(shown: str) -> str:
    """Return the code of an error page's message."""
    found = re.findall(r"exactdp help (\w+)", shown)
    return str(found[-1]) if found else "N30"


def test_the_pages_are_read() -> None:
    assert len(CASES) == 273
    assert {code_of(case[3]) for case in CASES} >= KNOWN


@pytest.mark.parametrize("page", [page.stem for page in PAGES])
def test_codes_and_lines_are_those_of_the_pages(page: str, tmp_path: Path) -> None:
    found = {}
    for case in CASES:
        if case[0] == page and (said := problem(case, tmp_path)):
            found[code_of(case[3])] = said
    on_page = {code_of(case[3]) for case in CASES if case[0] == page}
    new = {code: said for code, said in found.items() if code not in KNOWN}
    assert not new
    assert found.keys() >= KNOWN & on_page, "some pass now: shorten EXPECTED"


def test_how_many_pairs_pass() -> None:
    assert sum(code_of(case[3]) in KNOWN for case in CASES) == 27
