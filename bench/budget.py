"""How large the new tree is: figures beside limits, which hold, and estimates, which inform.

`python -m bench.budget` is part of `make lint`; `bench/budget.toml` has the numbers.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
TREE = ROOT / "src" / "exactdp_next"
DATA: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
TESTS = ("tests_next",)
"""The acceptance suite is not counted yet: it was written for the old tree."""


def lines(files: Iterable[Path]) -> int:
    """Return the number of lines of files."""
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def package(file: Path) -> str:
    """Return where a file of the tree is counted."""
    first = file.relative_to(TREE).parts[0]
    return next((one for one, names in DATA["modules"].items() if first in names), first)


def wheel() -> int:
    """Return the bytes of a wheel of the new tree alone, with the documents that it installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    inside = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for start in [TREE, *(ROOT / name for name in inside)]:
            for file in sorted(start.rglob("*")) if start.is_dir() else [start]:
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, file.relative_to(ROOT))
    return packed.tell()


def measured(file: Path) -> tuple[int, int, int]:
    """Run a file here; return how many functions and files of the tree it calls, and how deep.

    Deep is the largest number of frames of the tree on the stack at once.
    """
    functions, files, depth, deepest = set(), set(), 0, 0

    def seen(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal depth, deepest
        name = frame.f_code.co_filename
        if event in {"call", "return"} and name.startswith(str(TREE)):
            depth += 1 if event == "call" else -1
            deepest = max(deepest, depth)
            functions.add(frame.f_code)
            files.add(name)

    compiled = compile(file.read_text(encoding="utf-8"), str(file), "exec")
    names = {"__name__": "__path__", "__file__": str(file)}
    sys.setprofile(seen)
    try:
        exec(compiled, names)
    finally:
        sys.setprofile(None)
    return len(functions), len(files), deepest


def path_of(code: str) -> str:
    """Return in words what an everyday question takes, from a process of its own."""
    parts = [one.relative_to(TREE).with_suffix("").parts for one in TREE.rglob("*.py")]
    names = {".".join(one).removesuffix(".__init__") for one in parts if one[-1] != "__main__"}
    loaded = sorted(names - {"__init__", "pytest_plugin"})
    measure = (
        "import importlib, pathlib, sys; from bench.budget import measured\n"
        f"for name in {loaded!r}: importlib.import_module(f'exactdp_next.{{name}}')\n"
        "try: print(*measured(pathlib.Path(sys.argv[1])))\n"
        "except importlib.import_module('exactdp_next.errors').NotYet as error: print(error)"
    )
    paths = os.pathsep.join([str(TREE.parent), str(ROOT), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "question.py")
        file.write_text(code, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", measure, str(file)],
            env={**os.environ, "EXACTDP_CORE": "new", "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    if done.returncode:
        return f"fails: {done.stderr.strip().splitlines()[-1]}"
    said = done.stdout.strip().splitlines()[-1]
    if said.startswith("not yet"):
        return said
    functions, files, frames = said.split()
    return f"{files} files, {functions} functions, {frames} frames deep"


def unwritten() -> Iterator[str]:
    """Yield what is not there yet: names, and places that say so."""
    import exactdp_next  # noqa: PLC0415 — the lines above count files without running them

    missing = Counter(
        module.split(".")[0]
        for name, module in exactdp_next.MODULES.items()
        if type(getattr(exactdp_next, name)).__name__ == "Unwritten"
    )
    yield f"{missing.total()} of {len(exactdp_next.MODULES)} public names: {_counted(missing)}"
    places = Counter(
        package(file)
        for file in TREE.rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if "raise NotYet(" in line and package(file) != "top"
    )
    yield f"{places.total()} places in the source: {_counted(places)}"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


def main() -> int:
    """Print figures; return 1 if one is above its limit."""
    files = sorted(TREE.rglob("*.py"))
    of = {name: [file for file in files if package(file) == name] for name in DATA["estimates"]}
    lost = [str(file.relative_to(TREE)) for file in files if package(file) not in of]
    print(f"{'package':<12} {'lines':>6} {'estimate':>9} {'files':>6}")
    for name, estimate in DATA["estimates"].items():
        print(f"{name:<12} {lines(of[name]):>6} {estimate:>9} {len(of[name]):>6}")
    longest = max(files, key=lambda file: lines([file]))
    kernel = [file for file in of["certify"] if file.name in DATA["kernel"]["files"]]
    tests = [file for name in TESTS for file in (ROOT / name).rglob("*.py")]
    figures = [
        lines(files),
        len(files),
        lines([longest]),
        lines(of["certify"]),
        lines(kernel),
        lines(tests),
        wheel() // 1000,
    ]
    print(f"\n{'limits':<30} {'now':>6} {'limit':>7}")
    for (name, limit), figure in zip(DATA["limits"].items(), figures, strict=True):
        mark = "  ABOVE THE LIMIT" if figure > limit else ""
        print(f"{name:<30} {figure:>6} {limit:>7}{mark}")
    print(f"The longest file is {longest.relative_to(TREE)}.\n")
    for name, code in DATA["paths"].items():
        print(f"{name}: {path_of(code)}")
    print("\nNot yet:")
    for row in unwritten():
        print(f"  {row}")
    for row in lost:
        print(f"bench/budget.toml has no package for {row}", file=sys.stderr)
    above = any(
        figure > limit for figure, limit in zip(figures, DATA["limits"].values(), strict=True)
    )
    return int(above or bool(lost))


if __name__ == "__main__":
    sys.exit(main())
