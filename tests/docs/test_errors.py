"""docs/errors: wrong programs are refused as shown, right ones are taken, no error is left out.

After a wanted change of messages: EXACTDP_GOLDEN=write pytest tests/docs, then read the diff.
"""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path

import pytest

from exactdp import ExactdpError, Mechanism

PAGES = sorted((Path(__file__).parents[2] / "docs" / "errors").glob("*.md"))
CASE = re.compile(
    r"^Wrong:\n\n```python\n(.*?)```\n\n```text\n(.*?)```\n\nRight:\n\n```python\n(.*?)```$",
    re.DOTALL | re.MULTILINE,
)
CASES = [
    (page.stem, *found.groups()) for page in PAGES for found in CASE.finditer(page.read_text())
]


def run(text: str, folder: Path, name: str) -> None:
    """Run a file, or read a program that begins with its constants or its `def`."""
    if not text.startswith(("from ", "import ")):
        Mechanism.from_source(text, name=name)
        return
    (folder / name).write_text(text, encoding="utf-8")
    runpy.run_path(str(folder / name))


def test_the_pages_hold_cases_and_nothing_else_is_code() -> None:
    assert len(CASES) > 200
    for page in PAGES:
        count = sum(case[0] == page.stem for case in CASES)
        assert page.read_text(encoding="utf-8").count("```") == 6 * count, page


@pytest.mark.parametrize("page", [page.stem for page in PAGES])
def test_wrong_programs_are_refused_as_shown(page: str, tmp_path: Path) -> None:
    for _, wrong, shown, right in (case for case in CASES if case[0] == page):
        with pytest.raises(ExactdpError) as caught:
            run(wrong, tmp_path, "wrong.py")
        found = str(caught.value).replace(f"{tmp_path}/", "")
        if os.environ.get("EXACTDP_GOLDEN") == "write":
            path = next(one for one in PAGES if one.stem == page)
            before, after = (f"{wrong}```\n\n```text\n{text}" for text in (shown, f"{found}\n"))
            path.write_text(path.read_text(encoding="utf-8").replace(before, after))
        else:
            assert found == shown.removesuffix("\n"), wrong
        run(right, tmp_path, "right.py")
