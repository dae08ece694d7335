"""exactdp: is a differentially private mechanism as accurate as claimed, for every ε > 0?

Everything a user may touch is importable from here. Names are loaded when they are first used,
so that `import exactdp` is quick and `exactdp.certify` never loads the solver it checks.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from exactdp.errors import ExactdpError, ParseError, Place, ValueRefusedError
    from exactdp.reals import (
        ClosedForm,
        Decision,
        Enclosure,
        ExpPoly,
        ExpRatio,
        Extremum,
        Interval,
        Root,
        SolutionSet,
        Stretch,
        inf,
        infimum,
        nonnegative,
        parse,
        positive,
        roots,
        solution_set,
        supremum,
    )

__version__ = "0.1.0"

__all__ = [
    "ClosedForm",
    "Decision",
    "Enclosure",
    "ExactdpError",
    "ExpPoly",
    "ExpRatio",
    "Extremum",
    "Interval",
    "ParseError",
    "Place",
    "Root",
    "SolutionSet",
    "Stretch",
    "ValueRefusedError",
    "inf",
    "infimum",
    "nonnegative",
    "parse",
    "positive",
    "roots",
    "solution_set",
    "supremum",
]

_ROOMS = ("exactdp.errors", "exactdp.reals")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for room in _ROOMS:
            module = import_module(room)
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'exactdp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
