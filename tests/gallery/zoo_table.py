"""The table of `docs/zoo.md`: what each file of `examples/zoo` states, and what is found.

`python tests/gallery/zoo_table.py` writes the page anew.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from exactdp import Mechanism
from exactdp.errors import ExactdpError

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "examples" / "zoo").glob("*.py"))
PAGE = ROOT / "docs" / "zoo.md"

HEAD = """# The zoo

Mechanisms of textbooks, papers and libraries, one short file each in `examples/zoo/`; those of
the [gallery](gallery.md) are not repeated. The tests compute this table from the files. κ is the
largest number by which the stated bound may be divided and still be true. A mechanism that cannot
be written has a row with the reason.

| mechanism | source | stated bound | found | κ |
| --- | --- | --- | --- | --- |
"""


def row(file: Path) -> str:
    """Return the row of a file."""
    found: dict[str, Any] = runpy.run_path(str(file))
    title, _, rest = found["__doc__"].strip().partition("\n\n")
    source, _, bound = rest.partition("\nBound: ")
    parts = f"{title} (`{file.name}`)", source.removeprefix("Source: "), bound
    words = [" ".join(text.replace(". (", " (").split()).removesuffix(".") for text in parts]
    return f"| {' | '.join((*words, *answer(found)))} |"


def answer(found: dict[str, Any]) -> tuple[str, str]:
    """Return the verdict and κ, or why the mechanism is refused."""
    if "PROGRAM" in found:
        try:
            Mechanism.from_source(found["PROGRAM"])
        except ExactdpError as error:
            return f"refused: {error.message}", ""
        return "accepted", ""
    claim = found["claim"]
    return claim.check().outcome, str(claim.tightest().kappa)


def page() -> str:
    """Return the whole page."""
    return HEAD + "\n".join(map(row, FILES)) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
