"""Draws the pictures of the zoo before the site is built.

With `-D zoo_pictures=0` the page is built without them, as the tests do.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]


def drawn(app: Any) -> None:
    """Draw the pictures."""
    if app.config.zoo_pictures:
        runpy.run_path(str(DOCS / "zoo" / "draw.py"))["draw_all"]()


def left_out(app: Any, name: str, source: list[str]) -> None:
    """Leave the pictures out of the page, if they are not drawn."""
    if name == "zoo" and not app.config.zoo_pictures:
        source[0] = source[0].partition("\n## Pictures")[0]


def setup(app: Any) -> dict[str, bool]:
    """Let sphinx call what is above."""
    app.add_config_value("zoo_pictures", True, "env", [bool, int, str])
    app.connect("builder-inited", drawn)
    app.connect("source-read", left_out)
    return {"parallel_read_safe": True}
