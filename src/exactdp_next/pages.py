"""Pages: the documentation and the examples that are installed with exactdp.

In a checkout they are in the folders `docs` and `examples`; a wheel contains copies of both in the
folder `documents` beside this file (`pyproject.toml`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from .errors import fail

_HEADING = re.compile(r"^## ([A-Z]\d\d): (.*)$", re.MULTILINE)


def folder() -> Path:
    """Return the folder of the pages."""
    here = Path(__file__).parent
    inside = here / "documents"
    return inside if inside.is_dir() else here.parents[1] / "docs"


def sections() -> Iterator[tuple[str, str, str]]:
    """Yield code, title and text of each section about an error, page by page."""
    for page in sorted((folder() / "errors").glob("*.md")):
        _, *parts = _HEADING.split(page.read_text(encoding="utf-8"))
        for code, title, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            yield code, re.sub(r"\\(.)", r"\1", title), text.strip()


def topics() -> dict[str, Path]:
    """Return the pages about the language and the formats, by name."""
    pages = [folder() / "language.md", folder() / "command-line.md"]
    pages += sorted((folder() / "schema").glob("*.json"))
    return {page.name.removesuffix(".md"): page for page in pages if page.is_file()}


def examples() -> dict[str, Path]:
    """Return the example files by name; those in a subfolder are named folder/name."""
    here = folder() / "examples"
    where = here if here.is_dir() else folder().parent / "examples"
    found = sorted(where.rglob("*.py"), key=lambda path: (len(path.parts), path))
    return {path.relative_to(where).with_suffix("").as_posix(): path for path in found}


def example(name: str) -> ModuleType:
    """Return an example of the gallery as a module, with its mechanisms and `claims`."""
    found = examples()
    path = found.get(name) if isinstance(name, str) else None
    if path is None:
        fail("no-example", name=name, names=list(found), first=next(iter(found), "…"))
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
