"""Generate `docs/zoo.md`: the bound that each file of `examples/zoo` states, and the exact answer.

`python tests/gallery/zoo_table.py` regenerates the page.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

from exactdp import Accuracy, ClosedForm, ExactdpError, Expected, Mechanism, Privacy

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "examples" / "zoo").glob("*.py"))
PAGE = ROOT / "docs" / "zoo.md"
LONGEST = 60  # characters of a closed form in the table

HEAD = """# The zoo

Mechanisms from textbooks, papers and libraries, one short file each: the files of the
[gallery](gallery.md) and those in `examples/zoo/`. The tests compute this page. Each bound is
quoted from its source, unless marked "recomputed by us". κ is the largest number by which the
stated bound can be divided and remain true. For a privacy claim, the last column contains the
smallest budget or δ. For a mechanism that cannot be expressed, the row states the reason.
{written} of {all} mechanisms are expressed without changes.

| mechanism | source | stated bound | verdict | κ | exact |
| --- | --- | --- | --- | --- | --- |
"""

PICTURES = """
## Pictures

The claimed and the exact values against ε. `python docs/zoo/draw.py` or `make docs` draws the
pictures.
"""


def row(file: Path, found: dict[str, Any]) -> str:
    """Return the row of a file."""
    title, _, rest = found["__doc__"].strip().partition("\n\n")
    source, _, bound = rest.partition("\nBound: ")
    parts = f"{title} (`{file.name}`)", source.removeprefix("Source: "), bound
    words = [" ".join(text.replace(". (", " (").split()).removesuffix(".") for text in parts]
    cells = (text.replace("|", "\\|") for text in (*words, *answer(found)))
    return f"| {' | '.join(cells)} |"


def answer(found: dict[str, Any]) -> tuple[str, str, str]:
    """Return the verdict, κ and the exact answer, or why the mechanism is refused."""
    if "PROGRAM" in found:
        try:
            program = Mechanism.from_source(found["PROGRAM"])
            if "INPUT" in found:
                program.distribution(found["INPUT"])
        except ExactdpError as error:
            return f"refused: {error.message}", "", ""
        return "accepted", "", ""
    claim = found["claim"]
    outcome = claim.check().outcome
    if isinstance(claim, Privacy):
        least = claim.smallest_delta() if claim.delta else claim.tightest()
        return outcome, "", str(least).partition(", decided")[0].partition("; decided")[0]
    return outcome, str(claim.tightest().kappa), exact(claim)


def exact(claim: Accuracy | Expected) -> str:
    """Return the error probability, or the expected loss, at one input.

    It is the first of listed inputs, or that which decides κ if the domain is finite.
    """
    if isinstance(claim.inputs, list):
        u = claim.inputs[0]
    elif all(one.type is not None and one.type.finite for one in claim.mechanism.inputs):
        u = claim.tightest().input
    else:
        return ""
    if claim.mechanism.moves:
        right = claim.mechanism.probability(u, claim.ideal.run(u))
        return f"{1 - float(right.at(1)):.6g} at ε = 1"
    form = claim.exact(u) if isinstance(claim, Expected) else claim.error_probability(u).exact
    if not isinstance(form, ClosedForm):
        return str(form)
    if len(str(form)) <= LONGEST:
        return f"`{form}`"
    return f"{float(form.at(1)):.6g} at ε = 1"


def from_gallery() -> list[str]:
    """Return the rows of the files of the gallery, which has their sources and numbers."""
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\w+)\]\S+ \| (.*?) \| ([\d.]+) \|", text, re.MULTILINE)
    return [
        f"| `{name}.py` | [gallery](gallery.md) | {bound} | holds | {kappa} |  |"
        for name, bound, kappa in rows
    ]


def page() -> str:
    """Return the whole page."""
    loaded = {file: runpy.run_path(str(file)) for file in FILES}
    rows = from_gallery() + [row(file, found) for file, found in loaded.items()]
    written = sum("| refused: " not in one for one in rows)
    pictures = [
        f"\n![{file.stem.replace('_', ' ')}](zoo/{file.stem}.svg)\n"
        for file, found in loaded.items()
        if "claim" in found
    ]
    head = HEAD.replace("{written}", str(written)).replace("{all}", str(len(rows)))
    return head + "\n".join(rows) + "\n" + PICTURES + "".join(pictures)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
