"""The table of `docs/zoo.md` is what the files of `examples/zoo` give today."""

from __future__ import annotations

from gallery.zoo_table import PAGE, page


def test_the_page_is_computed() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
