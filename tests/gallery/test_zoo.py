"""The page `docs/zoo.md` is what the files of `examples/zoo` give today."""

from __future__ import annotations

import runpy
from pathlib import Path

from gallery.zoo_table import FILES, PAGE, ROOT, page


def test_the_page_is_computed() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_pictures_are_drawn(tmp_path: Path) -> None:
    """Two of them here; `make docs` draws all."""
    drawing = runpy.run_path(str(ROOT / "docs" / "zoo" / "draw.py"))
    names = ("two_responses", "stability_histogram", "gaussian")
    drawn = drawing["draw_all"](tmp_path, names)
    assert [path.stem for path in drawn] == ["stability_histogram", "two_responses"]
    assert all(path.read_text(encoding="utf-8").startswith("<?xml") for path in drawn)
    assert len(FILES) >= 46
