"""The public names are there, light to import, and independent where they must be."""

from __future__ import annotations

import ast
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import exactdp

SOURCE = Path(exactdp.__file__).parent


def test_every_public_name_is_there() -> None:
    for name in exactdp.__all__:
        assert getattr(exactdp, name) is not None
        assert name in dir(exactdp)


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def test_import_is_quick() -> None:
    """`import exactdp` with its main names takes less than 0.3 s beyond starting Python."""

    def busy() -> float:
        """Return what all processes begun so far took of a processor, however busy it is."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    def best(code: str) -> float:
        times = []
        for _ in range(5):
            start = busy()
            run(code)
            times.append(busy() - start)
        return min(times)

    assert best("import exactdp; exactdp.nonnegative") - best("pass") < 0.3


def test_plotting_libraries_are_loaded_only_when_used() -> None:
    loaded = run("import sys, exactdp; exactdp.nonnegative; print(*sys.modules)").split()
    assert not {"numpy", "matplotlib", "scipy", "sympy"} & set(loaded)


def test_the_checker_loads_neither_solver_nor_flint() -> None:
    loaded = run("import sys; from exactdp import certify; print(*sys.modules)").split()
    assert not [name for name in loaded if name.split(".")[0] == "flint"]
    assert not [name for name in loaded if name.startswith("exactdp.reals")]


def imported(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, at any depth; relative imports are left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_reproduce_is_an_application() -> None:
    """It uses the public names only, and nothing but its own command uses it."""
    inside = sorted(SOURCE.joinpath("reproduce").glob("*.py"))
    assert len(inside) > 5
    public = {"exactdp", *(f"exactdp.{name}" for name in exactdp.__all__)}
    for path in inside:
        ours = {name for name in imported(path) if name.split(".")[0] == "exactdp"}
        others = {name for name in ours if not name.startswith("exactdp.reproduce")}
        assert others <= public, path
    for path in SOURCE.rglob("*.py"):
        if path not in inside and path.name not in ("reproduce.py", "experiments.py"):
            assert not any(name.startswith("exactdp.reproduce") for name in imported(path)), path


def test_answers_have_the_public_classes() -> None:
    """Layers below answer with plain values; users get those that can be drawn."""
    text = "def m(q: Real):\n    return lap(eps, q) > 0\n"
    mechanism = exactdp.Mechanism.from_source(text)
    claim = exactdp.Accuracy(mechanism, beta="1/2", inputs=[1])
    again = replace(claim, inputs=[-1])
    for found, kind in (
        (mechanism.noiseless(), exactdp.Ideal),
        (claim.check(), exactdp.Verdict),
        (again.check().claim, exactdp.Accuracy),
        (claim.error_probability(1), exactdp.ErrorCurve),
    ):
        assert type(found) is kind
    assert callable(mechanism.chain(1).plot)
    assert isinstance(mechanism.noiseless(), exactdp.Mechanism)


def test_answers_are_short_in_a_prompt() -> None:
    """No public class shows the `repr` that a dataclass makes; dataclasses wrap theirs."""
    plain = {"AllReals", "Place", "Work"}  # without numbers, or plain records
    for name in exactdp.__all__:
        value = getattr(exactdp, name)
        kind = value if isinstance(value, type) else type(value)
        if kind.__module__.startswith("exactdp") and name not in plain:
            assert not hasattr(kind.__repr__, "__wrapped__"), name
            assert any("__repr__" in vars(one) for one in kind.__mro__[:-1]), name
