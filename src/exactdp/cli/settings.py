"""`[tool.exactdp]` in pyproject.toml: defaults for options of the command line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from exactdp.errors import ExactdpError

_ASKING = ("check", "tighten", "epsilon")
#: Each setting, its type, and the commands that have it as an option or argument.
_KNOWN: dict[str, tuple[type, tuple[str, ...]]] = {
    "targets": (list, _ASKING),
    "eps": (str, _ASKING),
    "inputs": (str, _ASKING),
    "kappa": (str, _ASKING),
    "timeout": (float, (*_ASKING, "error")),
    "jobs": (int, (*_ASKING, "privacy", "error")),
    "store": (str, (*_ASKING, "privacy", "error")),
    "format": (str, ("check",)),
    "certificates": (str, ("check",)),
}

_PARAMETERS = {"format": "style"}
"""Settings whose option has another name in the code."""


def defaults(folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """Return the settings of the nearest pyproject.toml, by command, as click's `default_map`."""
    path = _nearest(folder or Path.cwd())
    if path is None:
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("exactdp", {})
    except (OSError, ValueError) as error:  # ValueError: not TOML, or not UTF-8
        raise ExactdpError(
            f"{path} cannot be read: {error}",
            rule="Settings are the table [tool.exactdp] of the nearest pyproject.toml.",
            way_out="Correct the file, or run in another folder.",
        ) from None
    found: dict[str, dict[str, Any]] = {}
    for name, value in table.items():
        kind, commands = _KNOWN.get(name, (object, ()))
        is_right = isinstance(value, kind) or (kind is float and isinstance(value, int))
        if not commands or not is_right or isinstance(value, bool):
            raise ExactdpError(
                f"{path}: {name} = {value!r} is not a setting of exactdp",
                rule="[tool.exactdp] may have targets (a list), eps, inputs, kappa, format, "
                "certificates (strings), timeout and jobs (numbers).",
                way_out="Write for example targets = ['claims'] or timeout = 60.",
            )
        is_path = name in ("targets", "certificates", "store")
        for command in commands:
            parameter = _PARAMETERS.get(name, name)
            found.setdefault(command, {})[parameter] = _beside(path, value) if is_path else value
    return found


def _nearest(folder: Path) -> Path | None:
    """Return the pyproject.toml of a folder or of its nearest parent that has one."""
    paths = (one / "pyproject.toml" for one in (folder, *folder.parents))
    return next((path for path in paths if path.is_file()), None)


def _beside(path: Path, value: Any) -> Any:
    """Return paths given in the file relative to the working directory."""
    if isinstance(value, list):
        return [_beside(path, one) for one in value]
    whole = path.parent / str(value)
    here = Path.cwd()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)
