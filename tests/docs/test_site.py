"""The site is built strictly, lacks nothing, and needs nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from html import unescape
from pathlib import Path

import exactdp

DOCS = Path(__file__).parents[2] / "docs"


LOADED = re.compile(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"(?:https?:)?//[^\"]*")


def test_the_site_is_built_strictly_and_lacks_nothing(tmp_path: Path) -> None:
    """One test, for one build: warnings (links that lead nowhere, lost pages) are errors."""
    strictly = ["-W", "--keep-going", "-n", "-q", "-d", str(tmp_path / ".trees")]
    strictly += ["-D", "zoo_pictures=0"]
    command = [sys.executable, "-m", "sphinx", *strictly, "-b", "html", str(DOCS), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    every_page_is_built(tmp_path)
    every_public_name_is_documented(tmp_path)
    signatures_have_types(tmp_path)
    notebooks_are_shown_with_what_they_store(tmp_path)
    nothing_is_loaded_from_elsewhere(tmp_path)


def every_page_is_built(site: Path) -> None:
    pages = [*DOCS.glob("*.md"), *DOCS.glob("errors/*.md"), *DOCS.glob("notebooks/*.ipynb")]
    assert len(pages) > 25
    for page in pages:
        assert (site / page.relative_to(DOCS)).with_suffix(".html").exists(), page


def every_public_name_is_documented(site: Path) -> None:
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(inventory).decode().splitlines()
    documented = {line.split()[0] for line in lines if line.split()[3].startswith("api.html")}
    assert {f"exactdp.{name}" for name in exactdp.__all__} - documented == set()


def signatures_have_types(site: Path) -> None:
    page = unescape(re.sub(r"<[^>]*>", "", (site / "api.html").read_text(encoding="utf-8")))
    for part in (
        *("within: Number | None = None", "eps: Interval | Number | None = None", "→ Budget"),
        *("beta: Formula | Callable", "upper: Fraction | float"),
    ):
        assert part in page
    assert "ForwardRef" not in page


def notebooks_are_shown_with_what_they_store(site: Path) -> None:
    page = (site / "notebooks" / "which-epsilon-do-i-need.html").read_text(encoding="utf-8")
    assert 'src="data:image/png;base64,' in page
    assert "The claim holds for every ε" in page


def nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    assert len(pages) > 25
    for page in pages:
        assert not LOADED.findall(page.read_text(encoding="utf-8")), page
