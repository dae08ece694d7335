"""How the site of the documents is built (`make docs`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from sphinx.util.inspect import TypeAliasForwardRef

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import exactdp  # noqa: E402  the version is the package's own

project = "exactdp"
author = "the exactdp authors"
copyright = "the exactdp authors; MIT licence"  # noqa: A001 the name that sphinx reads
release = exactdp.__version__
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "stored_notebooks",
    "zoo_pictures",
]
exclude_patterns = ["_build", "_ext", "schema"]
nitpicky = True
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {
    name: name for name in ("Number", "Value", "Distance", "Where", "Json")
}  # not spelled out
python_maximum_signature_line_length = 90
# Types in signatures are links only where the page has the name.
nitpick_ignore_regex = [("py:(class|obj|data)", ".*")]
autodoc_inherit_docstrings = False
default_role = "code"
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = f"exactdp {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5c8c", "color-brand-content": "#0b5c8c"},
    "dark_css_variables": {"color-brand-primary": "#6cc0f0", "color-brand-content": "#6cc0f0"},
}
pygments_style = "tango"
pygments_dark_style = "native"


TypeAliasForwardRef.__repr__ = lambda self: self.name  # type: ignore[method-assign]


def prepared(_app: Any, name: str, source: list[str]) -> None:
    """Leave out the blank line that ends a doctest, and benchmarks that were not run."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")
    if name == "index" and not (HERE / "benchmarks.md").exists():
        source[0] = source[0].replace("\nbenchmarks\n", "\n")


def setup(app: Any) -> None:
    """Let sphinx call what is above."""
    app.connect("source-read", prepared)
