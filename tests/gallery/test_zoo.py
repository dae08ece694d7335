"""The page `docs/zoo.md` is what the files of `examples/zoo` give today."""

from __future__ import annotations

import runpy
from pathlib import Path

from gallery.zoo_table import FILES, PAGE, ROOT, page


def test_the_page_is_computed() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_pictures_are_drawn(tmp_path: Path) -> None:
    """Three of them here; `make docs` draws all. One that is refused has none."""
    drawing = runpy.run_path(str(ROOT / "docs" / "zoo" / "draw.py"))
    names = ("two_responses", "stability_histogram", "subsampled_count", "gaussian")
    drawn = drawing["draw_all"](tmp_path, names)
    assert [path.stem for path in drawn] == [*sorted(names)[1:]]
    assert all(path.read_text(encoding="utf-8").startswith("<?xml") for path in drawn)
    assert len(FILES) >= 46
