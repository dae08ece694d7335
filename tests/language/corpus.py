"""The mechanisms of `examples/`, which every pass must survive."""

from __future__ import annotations

import importlib.util
import inspect
from functools import cache
from pathlib import Path
from typing import Any

from exactdp import Mechanism

EXAMPLES = Path(__file__).parents[2] / "examples"


def load(name: str) -> Any:
    """Return an example file as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def factories() -> dict[str, Any]:
    """Return every function of the examples that makes a mechanism, by name."""
    found: dict[str, Any] = {}
    for path in sorted(EXAMPLES.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "@mechanism" not in text:
            continue
        module = load(path.stem)
        for name, value in vars(module).items():
            is_own = inspect.isfunction(value) and value.__module__ == module.__name__
            if is_own and not name.startswith("_"):
                found[name] = value
    return found


FACTORIES = factories()
#: The same, but each mechanism is made once and keeps what it has found: for tests of claims.
SHARED = {name: cache(make) for name, make in FACTORIES.items()}
MECHANISMS: dict[str, Mechanism] = {name: make() for name, make in FACTORIES.items()}


def some_input(mechanism: Mechanism, choice: int = 0) -> tuple[Any, ...]:
    """Return one input of a mechanism; different choices give different ones."""
    values = []
    for position, param in enumerate(mechanism.inputs):
        kind: Any = param.type
        assert kind is not None
        is_list = hasattr(kind, "length")
        count = kind.length if is_list else 1
        item = kind.item if is_list else kind
        members = list(item.values()) if item.finite else [-1, 0, 2, 1]
        steps = (choice + position + k * (1 + choice) for k in range(count))
        picked = [members[step % len(members)] for step in steps]
        values.append(picked if is_list else picked[0])
    return tuple(values)


def as_argument(values: tuple[Any, ...]) -> Any:
    """Return an input as `run` takes it: the value itself if there is one."""
    return values[0] if len(values) == 1 else values
