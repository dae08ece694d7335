"""docs/internals.md lists every module exactly once; a name of a class has one meaning."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "exactdp"


def modules() -> set[str]:
    """Return the paths of all modules, but for those that only open a package."""
    paths = (path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
    return {path for path in paths if not path.endswith(("__init__.py", "__main__.py"))}


def listed() -> Iterator[str]:
    """Yield the modules in the first column of tables.

    The head of a table is `file`, for files of the section's package, or names folders in it.
    """
    package, folders = "", [""]
    for line in (ROOT / "docs" / "internals.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            package = "".join(re.findall(r"^## `(\w+)`:", line))
        if line.startswith("|"):
            first = line.split("|")[1].strip()
            if first == "file" or first.endswith("/`"):
                folders = re.findall(r"`([\w/]+)/`", first) or [""]
            for name in re.findall(r"`([\w/]+\.py)`", first):
                paths = [Path(package, folder, name) for folder in (*folders, "")]
                found = [path for path in paths if (SOURCE / path).exists()]
                assert found, f"{package}: there is no {name} in {' or '.join(folders)}"
                yield found[0].as_posix()


def test_every_module_is_listed_once() -> None:
    counts = Counter(listed())
    assert not modules() - counts.keys(), "modules that docs/internals.md does not list"
    assert not [path for path, count in counts.items() if count > 1], "modules listed twice"


def test_a_class_name_has_one_meaning() -> None:
    """A name is used again only by the public class that extends the class of this name."""
    classes: dict[str, list[ast.ClassDef]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(node)
    for name, defined in classes.items():
        bases = [ast.unparse(base).split(".")[-1] for node in defined for base in node.bases]
        assert len(defined) <= 1 + bases.count(name), f"{name} is defined in several modules"
