"""Notebooks as pages of the site: what is stored is shown, nothing is run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from myst_parser.parsers.sphinx_ import MystParser

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx


class NotebookParser(MystParser):
    """Reads a notebook as the Markdown that its cells and stored outputs make."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Parse the JSON of a notebook."""
        super().parse(as_markdown(json.loads(inputstring)), document)


def as_markdown(notebook: dict[str, Any]) -> str:
    """Return the cells, each followed by what it showed when it was run and stored."""
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(_fenced("python", text))
        parts += [_shown(output) for output in cell["outputs"]]
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return _fenced("{code-block} text", f":class: printed\n\n{''.join(output['text'])}")
    data = output["data"]
    if "image/png" in data:
        return _raw(f'<img alt="{_plain(data)}" src="data:image/png;base64,{_png(data)}">')
    if "text/html" in data:
        return _raw("".join(data["text/html"]))
    return _fenced("text", _plain(data))


def _png(data: dict[str, Any]) -> str:
    return "".join(data["image/png"]).replace("\n", "")


def _plain(data: dict[str, Any]) -> str:
    return "".join(data["text/plain"])


def _raw(html: str) -> str:
    return _fenced("{raw} html", f'<div class="stored-output">{html}</div>')


def _fenced(language: str, text: str) -> str:
    return f"`````{language}\n{text.rstrip()}\n`````"


def setup(app: Sphinx) -> dict[str, bool]:
    """Let sphinx read `.ipynb`."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
